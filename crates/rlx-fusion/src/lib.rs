//! Fusion rewrites on RLX graphs.
