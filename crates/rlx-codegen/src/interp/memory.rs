//! Memory that knows which iteration touched each element, so that reads of unwritten elements and races are
//! found.
//!
//! Every iteration of a parallel loop, and every element of a reduction, begins a new *moment*. An access races
//! with an earlier one if the earlier moment is in another iteration of a parallel loop that is still running.
//! `tests/planted.rs` has faults that this must find.

use super::fault::Conflict;
use rlx_ir::eval::Value;
use rlx_ir::{DType, Scalar};

/// When something happened. Every iteration of a parallel loop begins a new moment; what happens in it bears its number.
pub(super) type Moment = u32;

/// Moments, and which iterations of parallel loops are under way.
#[derive(Debug, Default)]
pub(super) struct Clock {
    now: Moment,
    /// The parallel loops around the present statement, the outermost first.
    loops: Vec<Parallel>,
    /// Who of the group does what happens now.
    worker: Worker,
    /// When the group began, or all its lanes were last at a barrier.
    barrier: Moment,
    /// Who has worked since then: each from a moment on.
    shifts: Vec<(Moment, Worker)>,
}

/// Who of a group does something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Worker {
    /// All lanes, each for itself.
    #[default]
    All,
    Lane(u32),
    Subgroup(u32),
}

impl Worker {
    /// Who of those that hold so many lanes each; `None`: all.
    fn holder(self, lanes: u32) -> Option<(bool, u32)> {
        match self {
            Worker::All => None,
            Worker::Lane(lane) => Some((lanes > 1, lane / lanes)),
            Worker::Subgroup(number) => Some((true, number)),
        }
    }
}

#[derive(Debug)]
struct Parallel {
    /// When its first iteration began.
    began: Moment,
    /// When the present one did.
    iteration: Moment,
}

impl Clock {
    /// Begins something that comes after all that was.
    pub(super) fn advance(&mut self) -> Moment {
        self.now += 1;
        self.now
    }

    /// Whether moments are used up but for the last thousand.
    pub(super) fn is_full(&self) -> bool {
        self.now > Moment::MAX - 1000
    }

    pub(super) fn begin_loop(&mut self) {
        let began = self.advance();
        self.loops.push(Parallel { began, iteration: began });
    }

    pub(super) fn begin_iteration(&mut self) {
        let iteration = self.advance();
        if let Some(parallel) = self.loops.last_mut() {
            parallel.iteration = iteration;
        }
    }

    pub(super) fn end_loop(&mut self) {
        self.loops.pop();
        self.advance();
    }

    /// From here on a group does what comes, or all of its lanes have arrived.
    pub(super) fn begin_phase(&mut self) {
        self.barrier = self.advance();
        self.shifts.clear();
        self.worker = Worker::All;
    }

    /// From here on this part of the group works.
    pub(super) fn begin_shift(&mut self, worker: Worker) {
        self.worker = worker;
        self.shifts.push((self.now, worker));
    }

    /// Whether what happened then was in another iteration of a parallel loop that is under way, hence may as well happen now.
    fn is_concurrent(&self, then: Moment) -> bool {
        self.loops.iter().any(|l| l.began <= then && then < l.iteration)
    }

    /// Whether others of the group did what happened then, without a barrier since.
    fn is_by_others(&self, then: Moment) -> bool {
        !self.shifts.is_empty() && self.barrier <= then && self.worker_at(then) != self.worker
    }

    /// Who worked at a moment since the barrier.
    fn worker_at(&self, then: Moment) -> Worker {
        let begun = self.shifts.partition_point(|shift| shift.0 <= then);
        begun.checked_sub(1).map_or(Worker::All, |last| self.shifts[last].1)
    }
}

/// The elements of a buffer.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) value: Value,
    /// `None` where nothing is written to it: an input.
    shadow: Option<Shadow>,
}

/// Moments of accesses to each element; 0: none yet.
#[derive(Debug)]
struct Shadow {
    /// Accesses before it are to memory that was here before.
    made: Moment,
    written: Vec<Moment>,
    read: Vec<Moment>,
    /// A read that another iteration made than the one of `read`, where there are both.
    read_elsewhere: Vec<Moment>,
    held: Option<Held>,
    /// Whether a group shares it, which has the same memory for it each time that it makes it.
    shared: bool,
}

/// Who holds the elements of an array that not all lanes share.
#[derive(Debug)]
struct Held {
    /// How many lanes hold an element together.
    lanes: u32,
    /// Who wrote each element last.
    by: Vec<Worker>,
}

/// What an access does wrong.
pub(super) enum Misuse {
    Unwritten,
    Race(Conflict),
    Twice,
    Foreign,
}

impl Watched {
    /// Memory of an input.
    pub(super) fn input(value: Value) -> Watched {
        Watched { value, shadow: None }
    }

    /// Memory in which nothing is yet.
    pub(super) fn empty(dims: Vec<usize>, dtype: DType, made: Moment) -> Watched {
        let value = Value::splat(dims, dtype, Scalar::Int(0));
        let none = vec![0; value.len()];
        let shadow = Shadow {
            made,
            written: none.clone(),
            read: none.clone(),
            read_elsewhere: none,
            held: None,
            shared: false,
        };
        Watched { value, shadow: Some(shadow) }
    }

    /// The same, of which so many lanes hold an element together.
    pub(super) fn held_by(mut self, lanes: u32) -> Watched {
        if let Some(shadow) = &mut self.shadow {
            shadow.held = Some(Held { lanes, by: vec![Worker::All; shadow.written.len()] });
        }
        self
    }

    /// The same, which all lanes of a group share.
    pub(super) fn shared(mut self) -> Watched {
        self.shadow.iter_mut().for_each(|shadow| shadow.shared = true);
        self
    }

    /// An element that a copy under way will write: nobody touches it until then.
    pub(super) fn await_copy(&mut self, place: usize, clock: &Clock) -> Result<(), Misuse> {
        if let Some(shadow) = &mut self.shadow {
            shadow.note_write(place, None, clock)?;
            shadow.written[place] = 0;
        }
        Ok(())
    }

    /// Writes what a copy under way brings.
    pub(super) fn deliver(&mut self, place: usize, scalar: Scalar, clock: &Clock) -> Result<(), Misuse> {
        match &self.shadow {
            Some(shadow) if shadow.written[place] != 0 => Err(Misuse::Race(Conflict::WriteWrite)),
            _ => self.write(place, scalar, None, clock),
        }
    }

    /// Forgets what is in it.
    pub(super) fn renew(&mut self, made: Moment) {
        if let Some(shadow) = &mut self.shadow {
            shadow.made = made;
        }
    }

    pub(super) fn read(&mut self, place: usize, clock: &Clock) -> Result<Scalar, Misuse> {
        if let Some(shadow) = &mut self.shadow {
            shadow.note_read(place, clock)?;
        }
        Ok(self.value.get(place))
    }

    /// Writes an element; it is wrong to have written it since `once`.
    pub(super) fn write(
        &mut self,
        place: usize,
        scalar: Scalar,
        once: Option<Moment>,
        clock: &Clock,
    ) -> Result<(), Misuse> {
        if let Some(shadow) = &mut self.shadow {
            shadow.note_write(place, once, clock)?;
        }
        self.value.set(place, scalar);
        Ok(())
    }

    /// The first element that has not been written since then, and how many there are.
    pub(super) fn unwritten(&self, since: Moment) -> Option<(usize, usize)> {
        let written = self.shadow.as_ref().map_or(&[][..], |shadow| &shadow.written);
        let mut missing = written.iter().enumerate().filter(|&(_, &moment)| moment < since);
        let (first, _) = missing.next()?;
        Some((first, 1 + missing.count()))
    }
}

impl Shadow {
    /// Whether an access then and one now have no order. Lanes have registers each for themselves; memory that a group shares is the same
    /// each time that it is made.
    fn races(&self, then: Moment, clock: &Clock) -> bool {
        let is_known = then >= self.made;
        is_known && clock.is_concurrent(then)
            || self.held.is_none() && (is_known || self.shared) && clock.is_by_others(then)
    }

    fn note_read(&mut self, place: usize, clock: &Clock) -> Result<(), Misuse> {
        let written = self.written[place];
        if written < self.made || written == 0 {
            return Err(Misuse::Unwritten);
        }
        if self.races(written, clock) {
            return Err(Misuse::Race(Conflict::WriteRead));
        }
        if let Some(Held { lanes, by }) = &self.held {
            let writer = by[place].holder(*lanes);
            if writer.is_some() && writer != clock.worker.holder(*lanes) {
                return Err(Misuse::Foreign);
            }
        }
        let before = std::mem::replace(&mut self.read[place], clock.now);
        // One read elsewhere is enough: as long as its loop is under way any write is concurrent to it, and later no write is
        // concurrent to a read in a loop inside that one.
        if self.races(before, clock) && !self.races(self.read_elsewhere[place], clock) {
            self.read_elsewhere[place] = before;
        }
        Ok(())
    }

    fn note_write(&mut self, place: usize, once: Option<Moment>, clock: &Clock) -> Result<(), Misuse> {
        if self.races(self.written[place], clock) {
            return Err(Misuse::Race(Conflict::WriteWrite));
        }
        if self.races(self.read[place], clock) || self.races(self.read_elsewhere[place], clock) {
            return Err(Misuse::Race(Conflict::ReadWrite));
        }
        if once.is_some_and(|once| self.written[place] >= once) {
            return Err(Misuse::Twice);
        }
        self.written[place] = clock.now;
        if let Some(held) = &mut self.held {
            held.by[place] = clock.worker;
        }
        Ok(())
    }
}
