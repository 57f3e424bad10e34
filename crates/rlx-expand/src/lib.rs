//! Primitives written in simpler primitives, for backends and formats that lack them.
