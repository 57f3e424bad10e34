//! RLX: an ML compiler and runtime.
