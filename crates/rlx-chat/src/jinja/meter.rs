//! Counts the work and memory of a template, and stops it at its limits.
//!
//! Memory is counted in live bytes: the size that was requested, plus a little for each allocation. Work is counted
//! in steps of about equal time: one for each expression or statement, and one for each 64 bytes or each value that
//! is read or written.

use super::error::{Error, Result};
use std::cell::Cell;
use std::rc::Rc;

/// How much rendering a template may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps, each of which takes about the same time: at most 100 ns on a processor of 2020.
    pub work: u64,
    /// Bytes that are live at the same time.
    pub memory: usize,
}

/// How much rendering a template used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Steps, as [`Limits::work`] counts them.
    pub work: u64,
    /// The maximum number of bytes that were live at the same time.
    pub memory: usize,
}

/// Counts work and memory, and stops a template that uses too much.
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
        // Work that exceeds the limit is not done, so it is not counted.
        self.work.set(work.min(self.limits.work));
        if work > self.limits.work { Err(Error::too_much()) } else { Ok(()) }
    }

    /// Counts the work of reading or writing bytes.
    pub(crate) fn bytes(&self, bytes: usize) -> Result<()> {
        self.work(1 + bytes / 64)
    }

    /// Counts bytes that stay live until [`Self::give`].
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

/// Bytes that are counted for as long as this value lives.
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

    /// Counts more bytes, before they are allocated.
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
