//! Shows progress on standard error: a bar on a terminal, plain lines elsewhere.

use std::fmt::Write;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use rlx_llm::{LoadObserver, LoadStep};
use rlx_models::hub::Progress;

use crate::{output, units};

/// Models with at least this many bytes get a progress bar.
const LARGE: u64 = 64 << 20;

/// A bar, drawn only if standard error is a terminal. A quiet bar prints nothing.
pub struct Bar {
    bar: ProgressBar,
    quiet: bool,
}

impl Bar {
    pub fn new(quiet: bool) -> Self {
        Bar { bar: ProgressBar::hidden(), quiet }
    }

    /// A bar that counts texts. `total` is `None` if unknown.
    pub fn of_texts(total: Option<usize>, quiet: bool) -> Self {
        let template = match total {
            Some(_) => "{bar:30} {pos}/{len} texts {rate} texts/s {eta}",
            None => "{spinner} {pos} texts {rate} texts/s",
        };
        Bar { bar: drawn(total.map(|n| n as u64), template, quiet), quiet }
    }

    /// A bar that counts training steps, starting at `done`.
    pub fn of_steps(total: u64, done: u64, quiet: bool) -> Self {
        let bar = drawn(Some(total), "{bar:30} {pos}/{len} steps {rate} steps/s {eta} {msg}", quiet);
        bar.set_position(done);
        bar.reset_eta();
        Bar { bar, quiet }
    }

    /// Bars for loading a language model and for packing its weights; none for a model that loads at once.
    pub fn of_model(quiet: bool) -> LoadObserver {
        let bar = Mutex::new(Bar::new(quiet));
        LoadObserver::new(move |step| {
            let Ok(mut bar) = bar.lock() else { return };
            let mut begin = |what, total| {
                bar.end();
                if total >= LARGE {
                    bar.begin(what, Some(total));
                }
            };
            match step {
                LoadStep::Loading(total) => begin("loading", total),
                LoadStep::Packing(total) => begin("packing", total),
                LoadStep::Loaded(bytes) | LoadStep::Packed(bytes) => bar.advance(bytes),
                LoadStep::Ready => bar.end(),
            }
        })
    }

    /// Records a step with this loss.
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

fn drawn(total: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    let hidden = quiet || !output::notes_are_seen();
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(total, target);
    // The templates are constants; an invalid one falls back to the default style.
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&units::three_digits(state.per_sec()));
        };
        let byte_rate = |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&units::byte_rate(state.per_sec()));
        };
        bar.set_style(style.with_key("rate", rate).with_key("byte_rate", byte_rate));
    }
    if total.is_none() {
        bar.enable_steady_tick(Duration::from_millis(120));
    }
    bar
}

impl Progress for Bar {
    fn message(&mut self, text: &str) {
        if self.quiet {
            return;
        }
        self.bar.suspend(|| output::note(text));
    }

    fn begin(&mut self, what: &str, total: Option<u64>) {
        let template = match total {
            Some(_) => "{prefix} {bar:30} {bytes}/{total_bytes} {byte_rate} {eta}",
            None => "{spinner} {prefix} {elapsed}",
        };
        self.bar = drawn(total, template, self.quiet);
        self.bar.set_prefix(output::escaped(what).into_owned());
    }

    fn advance(&mut self, bytes: u64) {
        self.bar.inc(bytes);
    }

    fn end(&mut self) {
        self.bar.finish_and_clear();
    }
}
