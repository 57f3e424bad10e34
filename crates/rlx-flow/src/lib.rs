//! Model building blocks on the RLX graph.
