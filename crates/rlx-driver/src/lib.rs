//! Devices of RLX and the one place that reads RLX_ environment variables.
