//! The command as people use it: arguments in any order, wrong files of all kinds, hostile names, and every command
//! that the docs show.
#![cfg(all(unix, feature = "tiny-model"))]

mod arguments;
mod documents;
mod limits;
mod messages;
mod names;
#[cfg(target_os = "linux")]
mod shortened;
mod support;
