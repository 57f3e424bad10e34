//! Memory that knows who touched it: what has been written, and whether iterations that may run at once touch one element.

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

    /// Whether what happened then was in another iteration of a parallel loop that is under way, hence may as well happen now.
    fn is_concurrent(&self, then: Moment) -> bool {
        self.loops.iter().any(|l| l.began <= then && then < l.iteration)
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
}

/// What an access does wrong.
pub(super) enum Misuse {
    Unwritten,
    Race(Conflict),
    Twice,
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
        let shadow = Shadow { made, written: none.clone(), read: none.clone(), read_elsewhere: none };
        Watched { value, shadow: Some(shadow) }
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
    fn note_read(&mut self, place: usize, clock: &Clock) -> Result<(), Misuse> {
        let written = self.written[place];
        if written < self.made || written == 0 {
            return Err(Misuse::Unwritten);
        }
        if clock.is_concurrent(written) {
            return Err(Misuse::Race(Conflict::WriteRead));
        }
        let before = std::mem::replace(&mut self.read[place], clock.now);
        // One read elsewhere is enough: as long as its loop is under way any write is concurrent to it, and later no write is
        // concurrent to a read in a loop inside that one.
        let concurrent = |then: Moment| then >= self.made && clock.is_concurrent(then);
        if concurrent(before) && !concurrent(self.read_elsewhere[place]) {
            self.read_elsewhere[place] = before;
        }
        Ok(())
    }

    fn note_write(&mut self, place: usize, once: Option<Moment>, clock: &Clock) -> Result<(), Misuse> {
        let concurrent = |then: Moment| then >= self.made && clock.is_concurrent(then);
        if concurrent(self.written[place]) {
            return Err(Misuse::Race(Conflict::WriteWrite));
        }
        if concurrent(self.read[place]) || concurrent(self.read_elsewhere[place]) {
            return Err(Misuse::Race(Conflict::ReadWrite));
        }
        if once.is_some_and(|once| self.written[place] >= once) {
            return Err(Misuse::Twice);
        }
        self.written[place] = clock.now;
        Ok(())
    }
}
