//! The plugins that tests use, if they are installed: XLA's plugin for the CPU (PyPI `xla-cpu-pjrt`), named by
//! `RLX_PJRT_PLUGIN`, and libtpu (PyPI `libtpu`) in the system's library path. A test without its plugin reports
//! by name that it is skipped.

#![allow(dead_code)]

use rlx_driver::Env;
use rlx_tpu::pjrt::{Client, Plugin};
use rlx_tpu::variables::{PJRT_PLUGIN, SKIP_MDS_QUERY};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Reports that a test is skipped, and why. Writes to standard error directly, because output of macros is captured.
pub fn skip(test: &str, reason: &str) {
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    writeln!(std::io::stderr(), "skipped: {test}: {reason} ({count} of this file)").expect("standard error");
}

/// The plugin that the environment names.
pub fn named(test: &str) -> Option<PathBuf> {
    let path = Env::process().get(&PJRT_PLUGIN).expect("the environment is valid");
    if path.is_none() {
        skip(test, "RLX_PJRT_PLUGIN names no plugin; .ci/run installs one");
    }
    path
}

/// A client of the plugin that the environment names; one for all tests.
pub fn client(test: &str) -> Option<Client> {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    let path = named(test)?;
    let make = || Client::new(&Plugin::load(&path).expect("the plugin loads")).expect("it makes a client");
    Some(CLIENT.get_or_init(make).clone())
}

/// Returns libtpu, if it is in the system's library path and can be used without a TPU.
pub fn libtpu(test: &str) -> Option<Plugin> {
    if !Env::process().is_on(&SKIP_MDS_QUERY).expect("the environment is valid") {
        skip(test, "TPU_SKIP_MDS_QUERY is not set; .ci/run sets it");
        return None;
    }
    let plugin = Plugin::load(Path::new("libtpu.so"));
    if let Err(why) = &plugin {
        skip(test, &why.to_string());
    }
    plugin.ok()
}
