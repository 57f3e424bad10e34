//! Declarations of the PJRT C API, as far as it is used. They are the table of functions and the structs of
//! their arguments, laid out as the header `pjrt_c_api.h` of OpenXLA says (API 0.81). `tests/layout.rs`
//! compares them with the header.
//!
//! A plugin hands out one [`Table`]. Each function but two takes a pointer to its own struct of arguments, fills in the
//! results there, and returns an error or null. Every struct starts with its size, so that both sides know which fields
//! the other one has; a plugin that is older than a function has a shorter table.

mod args;
mod functions;

pub use args::*;
pub use functions::{Entry, Function, Layout, Table, VERSION, Version};
