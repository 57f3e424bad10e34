//! `rlx train` and `rlx sample`: the configuration file, its task, the loop over steps, and the results.

pub mod config;
pub mod curve;
pub mod digits;
mod folder;
mod llm;
mod metrics;
mod notes;
pub mod page;
pub mod pairs;
pub mod run;
pub mod setting;
mod sizes;
pub mod step;
pub mod task;
pub mod text;
pub mod trained;
