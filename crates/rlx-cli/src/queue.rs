//! Passes lines in batches from the thread that reads them to the thread that computes. A batch is closed when it is
//! full, or when its first text has waited long enough.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::input::InputError;

/// Maximum time that a text waits for others.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Maximum bytes of text to buffer, give or take one line.
const MAX_BYTES: usize = 16 << 20;

/// Texts of a stream that is read ahead, in order.
pub struct Queue {
    channel: Arc<Channel>,
    most: usize,
}

struct Channel {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Instant, String)>,
    bytes: usize,
    /// Set at the end of the stream, with the error that ended it, if there was one.
    end: Option<Option<InputError>>,
}

impl State {
    fn is_full(&self, most: usize) -> bool {
        self.waiting.len() >= most || self.bytes >= MAX_BYTES
    }
}

impl Channel {
    fn state(&self) -> MutexGuard<'_, State> {
        // The state is never left half changed, so a poisoned lock is safe to use.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, error: Option<InputError>) {
        self.state().end.get_or_insert(error);
        self.changed.notify_all();
    }
}

/// Ends the queue when the reading thread ends, even by a panic.
struct EndOnDrop(Arc<Channel>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let error = thread::panicking().then_some(InputError::Reader);
        self.0.end(error);
    }
}

impl Queue {
    /// Starts to read `texts` in a separate thread, at most `most` of them ahead.
    pub fn read(
        texts: impl Iterator<Item = Result<String, InputError>> + Send + 'static,
        most: usize,
    ) -> Result<Self, Failure> {
        let channel = Arc::new(Channel { state: Mutex::default(), changed: Condvar::new() });
        let end = EndOnDrop(channel.clone());
        // The thread is not joined: at the end of the process, it may still be waiting for input from a terminal.
        let started = thread::Builder::new().spawn(move || {
            for text in texts {
                match text {
                    Ok(text) => end.0.push(text, most),
                    Err(error) => return end.0.end(Some(error)),
                }
            }
        });
        started.map_err(|e| Failure::Failed(format!("cannot start a thread to read texts: {e}").into()))?;
        Ok(Queue { channel, most })
    }

    /// Returns the next texts: a full batch, or the texts that came until the first of them had waited 50 ms. Also
    /// returns the error that ended the stream early. Both are empty at the end.
    pub fn take(&self) -> (Vec<String>, Option<InputError>) {
        let mut state = self.channel.state();
        while state.end.is_none() && !state.is_full(self.most) {
            let Some(first) = state.waiting.front().map(|(came, _)| *came) else {
                state = self.channel.wait(state);
                continue;
            };
            let Some(left) = LONGEST_WAIT.checked_sub(first.elapsed()).filter(|left| !left.is_zero()) else {
                break;
            };
            state = self.channel.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.bytes = 0;
        let texts = state.waiting.drain(..).map(|(_, text)| text).collect();
        let error = state.end.as_mut().and_then(Option::take);
        drop(state);
        self.channel.changed.notify_all();
        (texts, error)
    }
}

impl Channel {
    fn push(&self, text: String, most: usize) {
        let mut state = self.state();
        while state.is_full(most) {
            state = self.wait(state);
        }
        state.bytes += text.len();
        state.waiting.push_back((Instant::now(), text));
        drop(state);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn texts(all: &[&str]) -> std::vec::IntoIter<Result<String, InputError>> {
        all.iter().map(|text| Ok(text.to_string())).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn full_batches_follow_each_other_to_the_end() {
        let queue = Queue::read(texts(&["a", "b", "c", "d", "e"]), 2).unwrap();
        let mut all = Vec::new();
        loop {
            let (batch, error) = queue.take();
            assert!(batch.len() <= 2 && error.is_none(), "{batch:?}");
            if batch.is_empty() {
                break;
            }
            all.extend(batch);
        }
        assert_eq!(all, ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn a_text_does_not_wait_for_a_batch_that_stays_open() {
        let (sender, receiver) = mpsc::channel();
        let queue = Queue::read(receiver.into_iter(), 100).unwrap();
        for text in ["a", "b"] {
            sender.send(Ok(text.to_string())).unwrap();
            assert_eq!(queue.take().0, [text]);
        }
        drop(sender);
        assert!(queue.take().0.is_empty());
    }

    #[test]
    fn what_ends_the_texts_comes_with_the_last_of_them() {
        let bad = [Ok("a".to_string()), Err(InputError::TooLong { line: 2 }), Ok("b".to_string())];
        let queue = Queue::read(bad.into_iter(), 9).unwrap();
        let (batch, error) = queue.take();
        assert!(batch == ["a"] && matches!(error, Some(InputError::TooLong { line: 2 })), "{error:?}");
        let (batch, error) = queue.take();
        assert!(batch.is_empty() && error.is_none());
    }

    #[test]
    fn what_is_held_is_bounded_in_bytes() {
        let text = "x".repeat(MAX_BYTES / 2);
        let queue = Queue::read(texts(&[text.as_str(); 5]), 100).unwrap();
        let mut taken = 0;
        while taken < 5 {
            let batch = queue.take().0;
            assert!((1..=2).contains(&batch.len()), "{}", batch.len());
            taken += batch.len();
        }
    }

    #[test]
    fn a_reader_that_panics_is_no_end_of_texts() {
        let panics = std::iter::once_with(|| panic!("reading"));
        assert!(matches!(Queue::read(panics, 1).unwrap().take().1, Some(InputError::Reader)));
    }
}
