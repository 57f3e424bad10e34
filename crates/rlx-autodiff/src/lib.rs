//! Graph-to-graph transforms of RLX programs.
