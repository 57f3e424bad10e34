//! Primitives that combine elements in a moving window, and running reductions.

pub(crate) mod cumulative;
pub(crate) mod geometry;
pub(crate) mod reduce_window;
pub(crate) mod reduce_window_graph;
pub(crate) mod select_and_scatter;
