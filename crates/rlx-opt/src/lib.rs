//! Facade over the transforms and the compiler of RLX.
