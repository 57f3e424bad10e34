//! Records what ran when: a span for each step of each program.

use rlx_compile::cost::Counts;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// One step of a program.
#[derive(Clone, Debug)]
pub struct Span {
    /// The op's name, for fused groups that of what they hold.
    pub op: String,
    /// The model path, or empty.
    pub label: String,
    /// Shapes of operands and results.
    pub shapes: String,
    /// From the recording's begin.
    pub start: Duration,
    /// How long it took.
    pub took: Duration,
    /// What it computes and moves, by its shapes.
    pub counts: Counts,
}

struct Recorded {
    begin: Instant,
    spans: Vec<Span>,
}

/// Read before every run; the lock is taken only while somebody records.
static RECORDING: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<Option<Recorded>> = Mutex::new(None);

fn state() -> rlx_pool::Held<MutexGuard<'static, Option<Recorded>>> {
    rlx_pool::lock(&STATE)
}

/// A recording of all programs of the process that run until it is finished or dropped. A backend without spans records nothing.
#[derive(Debug)]
pub struct Recording(());

impl Recording {
    /// Begins a recording; `None` where another one is under way.
    pub fn start() -> Option<Recording> {
        let mut state = state();
        if state.is_some() {
            return None;
        }
        *state = Some(Recorded { begin: Instant::now(), spans: Vec::new() });
        RECORDING.store(true, Ordering::Release);
        Some(Recording(()))
    }

    /// Ends the recording. Spans are in the order in which runs ended.
    pub fn finish(self) -> Vec<Span> {
        // The state stays until `self` is dropped: nobody else begins a recording that the drop would end.
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

/// The begin of the recording under way, if there is one.
pub fn begin() -> Option<Instant> {
    if !RECORDING.load(Ordering::Acquire) {
        return None;
    }
    state().as_ref().map(|state| state.begin)
}

/// Adds the spans of a run to the recording that began at `begin`, if it still is under way.
pub fn add(begin: Instant, spans: impl Iterator<Item = Span>) {
    // Made before the lock is taken, for which other runs may wait.
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

    /// The recording is one of the process: tests that begin one take turns.
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
