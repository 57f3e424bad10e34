//! Counts the work and memory of a template, and stops it at its limits.
//!
//! Memory is counted in bytes that are alive, at the size for which they were asked and a little more for each piece. Work is counted in steps
//! of about equal time: one for each expression or statement, and one for each 64 bytes or each value that is read or written.

use super::error::{Error, Result};
use std::cell::Cell;
use std::rc::Rc;

/// What rendering a template may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps, each of about the same time: 100 ns at most on a processor of 2020.
    pub work: u64,
    /// Bytes that are alive at the same time.
    pub memory: usize,
}

/// What rendering a template used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Steps, as [`Limits::work`] counts them.
    pub work: u64,
    /// The most bytes that were alive at the same time.
    pub memory: usize,
}

/// Counts work and memory, and ends a template that uses too much.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    work: Cell<u64>,
    live: Cell<usize>,
    peak: Cell<usize>,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Rc<Self> {
        Rc::new(Meter { limits, work: Cell::new(0), live: Cell::new(0), peak: Cell::new(0) })
    }

    /// Counts steps.
    pub(crate) fn work(&self, steps: usize) -> Result<()> {
        let work = self.work.get().saturating_add(steps as u64);
        // What does not fit is not done.
        self.work.set(work.min(self.limits.work));
        if work > self.limits.work { Err(Error::too_much()) } else { Ok(()) }
    }

    /// Counts the reading or writing of bytes.
    pub(crate) fn bytes(&self, bytes: usize) -> Result<()> {
        self.work(1 + bytes / 64)
    }

    /// Counts bytes that stay until [`Self::give`].
    fn take(&self, bytes: usize) -> Result<()> {
        let live = self.live.get().saturating_add(bytes);
        if live > self.limits.memory {
            return Err(Error::too_much());
        }
        self.live.set(live);
        self.peak.set(self.peak.get().max(live));
        Ok(())
    }

    fn give(&self, bytes: usize) {
        self.live.set(self.live.get().saturating_sub(bytes));
    }

    pub(crate) fn usage(&self) -> Usage {
        Usage { work: self.work.get(), memory: self.peak.get() }
    }
}

/// Bytes that are counted as long as this lives.
#[derive(Debug)]
pub(crate) struct Charge {
    meter: Rc<Meter>,
    bytes: usize,
}

impl Charge {
    pub(crate) fn new(meter: &Rc<Meter>, bytes: usize) -> Result<Self> {
        meter.take(bytes)?;
        Ok(Charge { meter: meter.clone(), bytes })
    }

    /// Counts more, before it is allocated.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<()> {
        self.meter.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    pub(crate) fn meter(&self) -> &Rc<Meter> {
        &self.meter
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.meter.give(self.bytes);
    }
}
