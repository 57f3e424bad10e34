//! `rlx train` and `rlx sample`: the configuration file, the task that it names, and the loop over steps.

pub mod config;
pub mod curve;
pub mod digits;
pub mod metrics;
pub mod run;
pub mod task;
pub mod text;
