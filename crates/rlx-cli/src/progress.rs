//! Progress on standard error: a bar on a terminal, plain lines of what is worth one elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rlx_models::hub::Progress;

/// A bar, drawn only where standard error is a terminal.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub fn new() -> Self {
        Bar { bar: ProgressBar::hidden() }
    }

    /// A bar that counts texts; `total` where it is known.
    pub fn of_texts(total: Option<usize>) -> Self {
        let template = match total {
            Some(_) => "{bar:30} {pos}/{len} texts {per_sec} {eta}",
            None => "{spinner} {pos} texts {per_sec}",
        };
        Bar { bar: drawn(total.map(|n| n as u64), template) }
    }

    /// A bar that counts steps of a training from `done` on.
    pub fn of_steps(total: u64, done: u64) -> Self {
        let bar = drawn(Some(total), "{bar:30} {pos}/{len} steps {per_sec} {eta} {msg}");
        bar.set_position(done);
        bar.reset_eta();
        Bar { bar }
    }

    /// A step was taken, with this loss.
    pub fn step(&self, done: u64, loss: f32) {
        self.bar.set_position(done);
        self.bar.set_message(format!("loss {loss:.4}"));
    }

    pub fn add(&self, n: usize) {
        self.bar.inc(n as u64);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn drawn(total: Option<u64>, template: &str) -> ProgressBar {
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(total, target);
    // The templates are ours; a wrong one shows as the default style.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    if total.is_none() {
        bar.enable_steady_tick(Duration::from_millis(120));
    }
    bar
}

impl Progress for Bar {
    fn message(&mut self, text: &str) {
        let line = || writeln!(io::stderr().lock(), "rlx: {text}");
        let _ = self.bar.suspend(line);
    }

    fn begin(&mut self, what: &str, total: Option<u64>) {
        let template = match total {
            Some(_) => "{prefix} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{spinner} {prefix} {elapsed}",
        };
        self.bar = drawn(total, template);
        self.bar.set_prefix(what.to_string());
    }

    fn advance(&mut self, bytes: u64) {
        self.bar.inc(bytes);
    }

    fn end(&mut self) {
        self.bar.finish_and_clear();
    }
}
