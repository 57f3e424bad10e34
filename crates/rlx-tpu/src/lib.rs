//! TPUs, and any other device with a PJRT plugin, as a backend.
