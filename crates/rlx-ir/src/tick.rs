//! A monotonic clock for short intervals.

use std::time::{Duration, Instant};

/// A point in time, for timing below a millisecond: `let t = Tick::now(); …; t.elapsed_us()`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Tick(Instant);

impl Tick {
    /// The current time.
    pub fn now() -> Self {
        Tick(Instant::now())
    }

    /// Time since this moment.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// Time since this moment in nanoseconds.
    pub fn elapsed_ns(&self) -> u64 {
        u64::try_from(self.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Time since this moment in microseconds.
    pub fn elapsed_us(&self) -> f64 {
        self.elapsed().as_secs_f64() * 1e6
    }

    /// Time since this moment in milliseconds.
    pub fn elapsed_ms(&self) -> f64 {
        self.elapsed().as_secs_f64() * 1e3
    }
}

impl Default for Tick {
    fn default() -> Self {
        Tick::now()
    }
}
