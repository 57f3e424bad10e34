//! Places: where a program stores its values, including those that a loop moves.

use rlx_ir::{NodeId, Shape};
use std::sync::Arc;

/// Where a value is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// In the buffer of input `i`: the caller's, or a state buffer.
    Input(usize),
    /// In parameter `i`.
    Param(usize),
    /// In a constant: the number of its graph in [`Program::graphs`](super::Program::graphs), and its node.
    Constant(usize, NodeId),
    /// At this byte offset in the arena.
    Arena(usize),
    /// In the memory of output `i`: the caller's, if the caller gives any, otherwise at
    /// [`Program::output_offsets`](super::Program::output_offsets) in the arena.
    Output(usize),
}

/// The place of a value. Inside a loop it may depend on how far the loop has run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// The same bytes throughout a run.
    Fixed(Storage),
    /// A slice of another place, a different one in each iteration of a loop.
    Slice(Arc<Slice>),
    /// One of several places, by turns.
    Turn(Arc<Turn>),
}

/// The part of a place that an iteration of a loop reads or writes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    /// The place of all slices, one after another.
    pub of: Place,
    /// The variable that counts them.
    pub variable: usize,
    /// The shape of one slice.
    pub shape: Shape,
    /// The maximum number of bytes of one slice; if the shape is static, the number.
    pub bytes: usize,
}

/// The place of a value that a loop carries and cannot overwrite: each iteration reads it where the previous one wrote it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// The variable that counts the iterations so far.
    pub variable: usize,
    /// The number of iterations to look ahead: 0 for the current value, 1 for the next one.
    pub ahead: usize,
    /// The place before the first iteration.
    pub first: Place,
    /// The places after an odd and after an even number of iterations.
    pub after: [Place; 2],
}

/// A place at one point of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// What it is part of.
    pub storage: Storage,
    /// Its offset there, in bytes. The offset of an arena is not added.
    pub offset: usize,
}

impl Place {
    /// Returns the storage of a place that does not move.
    pub fn fixed(&self) -> Option<Storage> {
        match self {
            Place::Fixed(storage) => Some(*storage),
            Place::Slice(_) | Place::Turn(_) => None,
        }
    }

    /// Returns the place for these values of the loop variables. Shapes of slices must be static.
    pub fn at(&self, variables: &[usize]) -> Region {
        match self {
            Place::Fixed(storage) => Region { storage: *storage, offset: 0 },
            Place::Slice(slice) => {
                let Region { storage, offset } = slice.of.at(variables);
                Region { storage, offset: offset + variables[slice.variable] * slice.bytes }
            }
            Place::Turn(turn) => turn.chosen(variables).at(variables),
        }
    }

    /// Calls `visit` with each storage that the place may be in.
    pub fn for_each_storage(&self, visit: &mut dyn FnMut(Storage)) {
        match self {
            Place::Fixed(storage) => visit(*storage),
            Place::Slice(slice) => slice.of.for_each_storage(visit),
            Place::Turn(turn) => {
                turn.first.for_each_storage(visit);
                turn.after.iter().for_each(|place| place.for_each_storage(visit));
            }
        }
    }
}

impl Turn {
    fn chosen(&self, variables: &[usize]) -> &Place {
        match variables[self.variable] + self.ahead {
            0 => &self.first,
            iterations => &self.after[(iterations + 1) % 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::DType;

    #[test]
    fn places_follow_the_variables() {
        let [whole, a, b] = [Storage::Input(0), Storage::Arena(64), Storage::Output(0)].map(Place::Fixed);
        let slice = |of: &Place, variable| {
            let shape = Shape::new(&[3], DType::F32);
            Place::Slice(Arc::new(Slice { of: of.clone(), variable, shape, bytes: 12 }))
        };
        let inner = slice(&slice(&whole, 0), 1);
        assert_eq!(inner.at(&[2, 1]), Region { storage: Storage::Input(0), offset: 36 });
        let turn = |ahead| Turn { variable: 0, ahead, first: inner.clone(), after: [a.clone(), b.clone()] };
        let (now, next) = (Place::Turn(Arc::new(turn(0))), Place::Turn(Arc::new(turn(1))));
        assert_eq!(now.at(&[0, 5]).offset, 60);
        assert_eq!(
            [1, 2, 3].map(|n| now.at(&[n, 0]).storage),
            [64, 0, 64].map(|n| match n {
                0 => Storage::Output(0),
                at => Storage::Arena(at),
            })
        );
        assert!((0..4).all(|n| next.at(&[n, 0]) == now.at(&[n + 1, 0])));
    }
}
