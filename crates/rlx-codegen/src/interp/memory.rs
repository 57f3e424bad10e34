//! Memory that records which iteration accessed each element, to detect races and reads of unwritten elements.
//!
//! Every iteration of a parallel loop, and every element of a reduction, begins a new *moment*. An access races with an
//! earlier one if the earlier moment belongs to another iteration of a parallel loop that is still running.
//! `tests/planted.rs` contains faults that this must detect.

use super::fault::Conflict;
use rlx_ir::eval::Value;
use rlx_ir::{DType, Scalar};

/// A point in time. Every iteration of a parallel loop begins a new moment, and accesses are marked with the current one.
pub(super) type Moment = u32;

/// The current moment, and the iterations of parallel loops that are running.
#[derive(Debug, Default)]
pub(super) struct Clock {
    now: Moment,
    /// The parallel loops around the current statement, the outermost first.
    loops: Vec<Parallel>,
    /// The part of the group that is running now.
    worker: Worker,
    /// When the group began, or when all its lanes last met at a barrier.
    barrier: Moment,
    /// The parts that have run since then, each with the moment at which it began.
    shifts: Vec<(Moment, Worker)>,
}

/// A part of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Worker {
    /// All lanes, each for itself.
    #[default]
    All,
    Lane(u32),
    Subgroup(u32),
}

impl Worker {
    /// Returns which holder this is, if `lanes` lanes together hold an element. `None` means all of them.
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
    /// When the current iteration began.
    iteration: Moment,
}

impl Clock {
    /// Begins a moment after all others.
    pub(super) fn advance(&mut self) -> Moment {
        self.now += 1;
        self.now
    }

    /// Returns whether fewer than a thousand moments are left.
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

    /// Marks that a group begins, or that all its lanes have reached a barrier.
    pub(super) fn begin_phase(&mut self) {
        self.barrier = self.advance();
        self.shifts.clear();
        self.worker = Worker::All;
    }

    /// Marks that this part of the group runs from now on.
    pub(super) fn begin_shift(&mut self, worker: Worker) {
        self.worker = worker;
        self.shifts.push((self.now, worker));
    }

    /// Returns whether an access at that moment was made by another iteration of a running parallel loop, so that it
    /// may as well happen now.
    fn is_concurrent(&self, then: Moment) -> bool {
        self.loops.iter().any(|l| l.began <= then && then < l.iteration)
    }

    /// Returns whether another part of the group made an access at that moment, without a barrier since then.
    fn is_by_others(&self, then: Moment) -> bool {
        !self.shifts.is_empty() && self.barrier <= then && self.worker_at(then) != self.worker
    }

    /// Returns which part of the group was running at a moment since the barrier.
    fn worker_at(&self, then: Moment) -> Worker {
        let begun = self.shifts.partition_point(|shift| shift.0 <= then);
        begun.checked_sub(1).map_or(Worker::All, |last| self.shifts[last].1)
    }
}

/// The elements of a buffer.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) value: Value,
    /// `None` for an input, which nothing writes.
    shadow: Option<Shadow>,
}

/// The moments of accesses to each element. 0 means that there has been none.
#[derive(Debug)]
struct Shadow {
    /// Earlier accesses were to memory that was here before.
    made: Moment,
    written: Vec<Moment>,
    read: Vec<Moment>,
    /// A read by another iteration than that of `read`, if there are reads by both.
    read_elsewhere: Vec<Moment>,
    held: Option<Held>,
    /// Whether a group shares the memory, which is then the same each time that the group makes the array.
    shared: bool,
}

/// Who holds the elements of an array that not all lanes share.
#[derive(Debug)]
struct Held {
    /// The number of lanes that hold an element together.
    lanes: u32,
    /// The last part of the group that wrote each element.
    by: Vec<Worker>,
}

/// What is wrong with an access.
pub(super) enum Misuse {
    Unwritten,
    Race(Conflict),
    Twice,
    Foreign,
}

impl Watched {
    /// Returns the memory of an input.
    pub(super) fn input(value: Value) -> Watched {
        Watched { value, shadow: None }
    }

    /// Returns memory without contents.
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

    /// Makes `lanes` lanes together hold each element.
    pub(super) fn held_by(mut self, lanes: u32) -> Watched {
        if let Some(shadow) = &mut self.shadow {
            shadow.held = Some(Held { lanes, by: vec![Worker::All; shadow.written.len()] });
        }
        self
    }

    /// Makes all lanes of a group share the memory.
    pub(super) fn shared(mut self) -> Watched {
        self.shadow.iter_mut().for_each(|shadow| shadow.shared = true);
        self
    }

    /// Marks an element that a copy in progress will write. Nothing may access it until then.
    pub(super) fn await_copy(&mut self, place: usize, clock: &Clock) -> Result<(), Misuse> {
        if let Some(shadow) = &mut self.shadow {
            shadow.note_write(place, None, clock)?;
            shadow.written[place] = 0;
        }
        Ok(())
    }

    /// Writes the element that a copy delivers.
    pub(super) fn deliver(&mut self, place: usize, scalar: Scalar, clock: &Clock) -> Result<(), Misuse> {
        match &self.shadow {
            Some(shadow) if shadow.written[place] != 0 => Err(Misuse::Race(Conflict::WriteWrite)),
            _ => self.write(place, scalar, None, clock),
        }
    }

    /// Discards the contents.
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

    /// Writes an element. It is an error if it has already been written since `once`.
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

    /// Returns the first element that has not been written since then, and the number of such elements.
    pub(super) fn unwritten(&self, since: Moment) -> Option<(usize, usize)> {
        let written = self.shadow.as_ref().map_or(&[][..], |shadow| &shadow.written);
        let mut missing = written.iter().enumerate().filter(|&(_, &moment)| moment < since);
        let (first, _) = missing.next()?;
        Some((first, 1 + missing.count()))
    }
}

impl Shadow {
    /// Returns whether an access at that moment and one now are unordered. Each lane has its own registers, while
    /// memory that a group shares is the same each time that it is made.
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
        // One read by another iteration is enough: while its loop is running, any write is concurrent with it, and
        // afterwards no write is concurrent with a read in a loop inside that one.
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
