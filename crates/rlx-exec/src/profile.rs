//! Records which steps of programs ran and when, as one span per step.

pub use rlx_compile::StepInfo;
use rlx_compile::cost::Counts;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// One step of a program.
#[derive(Clone, Debug)]
pub struct Span {
    /// The name of the op; for fused groups, the names of the ops in the group.
    pub op: String,
    /// The model path, or an empty string.
    pub label: String,
    /// Shapes of operands and results.
    pub shapes: String,
    /// When it started, relative to the start of the recording.
    pub start: Duration,
    /// How long it took.
    pub took: Duration,
    /// The amount of computation and data movement, according to the shapes.
    pub counts: Counts,
}

struct Recorded {
    begin: Instant,
    spans: Vec<Span>,
}

/// Read before every run, so that the lock is taken only during a recording.
static RECORDING: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<Option<Recorded>> = Mutex::new(None);

fn state() -> rlx_pool::Held<MutexGuard<'static, Option<Recorded>>> {
    rlx_pool::lock(&STATE)
}

/// A recording of all programs that run in the process until it is finished or dropped. Backends without spans record nothing.
#[derive(Debug)]
pub struct Recording(());

impl Recording {
    /// Starts a recording. Returns `None` if another one is in progress.
    pub fn start() -> Option<Recording> {
        let mut state = state();
        if state.is_some() {
            return None;
        }
        *state = Some(Recorded { begin: Instant::now(), spans: Vec::new() });
        RECORDING.store(true, Ordering::Release);
        Some(Recording(()))
    }

    /// Ends the recording and returns its spans, in the order in which runs ended.
    pub fn finish(self) -> Vec<Span> {
        // The state stays until `self` is dropped, so that no other recording can start in between and be ended by the drop.
        state().as_mut().map_or_else(Vec::new, |state| std::mem::take(&mut state.spans))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let mut state = state();
        RECORDING.store(false, Ordering::Release);
        *state = None;
    }
}

/// Returns when the current recording started, if there is one.
pub fn begin() -> Option<Instant> {
    if !RECORDING.load(Ordering::Acquire) {
        return None;
    }
    state().as_ref().map(|state| state.begin)
}

/// Adds the spans of a run to the recording that started at `begin`, if it is still in progress.
pub fn add(begin: Instant, spans: impl Iterator<Item = Span>) {
    // Collected before the lock is taken, because other runs may be waiting for it.
    let spans: Vec<Span> = spans.collect();
    if let Some(state) = state().as_mut().filter(|state| state.begin == begin) {
        state.spans.extend(spans);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(op: &str) -> Span {
        Span {
            op: op.into(),
            label: String::new(),
            shapes: String::new(),
            start: Duration::ZERO,
            took: Duration::from_micros(1),
            counts: Counts::default(),
        }
    }

    /// There is one recording per process, so tests that start one take turns.
    static TURN: Mutex<()> = Mutex::new(());

    #[test]
    fn one_recording_at_a_time_holds_what_runs_meanwhile() {
        let _turn = TURN.lock().unwrap();
        let before = Instant::now();
        add(before, [span("before")].into_iter());
        std::thread::sleep(Duration::from_millis(1));
        let recording = Recording::start().expect("none is under way");
        let begin_of_this = begin().expect("it is under way");
        assert!(Recording::start().is_none());
        add(begin_of_this, [span("meanwhile")].into_iter());
        add(before, [span("of an earlier recording")].into_iter());
        let ops: Vec<String> = recording.finish().into_iter().map(|s| s.op).collect();
        assert_eq!(ops, ["meanwhile"]);
        assert!(begin().is_none());
        drop(Recording::start().expect("the last one is finished"));
        assert!(begin().is_none());
    }

    #[test]
    fn the_end_of_a_recording_does_not_end_the_next() {
        let _turn = TURN.lock().unwrap();
        let record = || {
            for _ in 0..200_000 {
                let recording = loop {
                    if let Some(recording) = Recording::start() {
                        break recording;
                    }
                };
                let begin = begin().expect("nobody else ends it");
                add(begin, [span("own")].into_iter());
                assert_eq!(recording.finish().len(), 1);
            }
        };
        std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(record))));
    }
}
