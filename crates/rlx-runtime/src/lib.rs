//! Sessions, compiled graphs and the backend registry of RLX.
