//! Actions: what a program does, in order. Kernels are called and bytes are copied; branches and loops contain further actions.

use super::place::Place;
use rlx_ir::{Dim, NodeId, Shape};

/// One action. Programs have [`Call`]s and [`Place`]s; a device or an emitter may put its own in their stead ([`translated`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action<C = Call, P = Place> {
    /// Runs a kernel.
    Call(C),
    /// Copies a value.
    Copy(Copied<P>),
    /// Runs `then` if the boolean in `condition` is true, and `otherwise` if not.
    If {
        /// The place of the boolean.
        condition: P,
        /// What to do if it is true.
        then: Vec<Action<C, P>>,
        /// What to do if it is false.
        otherwise: Vec<Action<C, P>>,
    },
    /// Runs the branch with the number in `index`, an i32. A number that is no branch's chooses the last branch.
    Case {
        /// The place of the number.
        index: P,
        /// The branches, of which there is at least one.
        branches: Vec<Vec<Action<C, P>>>,
    },
    /// Runs `condition`, and then `body`, until the condition leaves `false` in `again`.
    While {
        /// The variable that counts the iterations so far.
        count: usize,
        /// Computes whether there is another iteration.
        condition: Vec<Action<C, P>>,
        /// The place of that boolean.
        again: P,
        /// One iteration.
        body: Vec<Action<C, P>>,
    },
    /// Runs `body` `length` times.
    For {
        /// The variable for the index of the slices of an iteration.
        index: usize,
        /// The variable that counts the iterations so far.
        count: usize,
        /// The number of iterations.
        length: Dim,
        /// Whether the index runs from `length - 1` to 0 instead of from 0 to `length - 1`.
        reverse: bool,
        /// One iteration.
        body: Vec<Action<C, P>>,
    },
}

/// A call of the kernel of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Its number among the calls of the program.
    pub number: usize,
    /// The block that has the places of its operands and results: an index into [`Program::blocks`](super::Program::blocks).
    pub block: usize,
    /// The node of the block's graph.
    pub node: NodeId,
    /// Offset of the call's scratch memory in the arena.
    pub scratch: usize,
    /// Size of the scratch memory in bytes.
    pub scratch_bytes: usize,
    /// Whether it is inside a branch or the condition of a loop, so that a run may never make it.
    pub is_conditional: bool,
}

/// A copy of a value. If both places are the same at a point of a run, there is nothing to do there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copied<P = Place> {
    /// Where the value is.
    pub from: P,
    /// Where it is copied to.
    pub to: P,
    /// Its shape.
    pub shape: Shape,
    /// The maximum number of bytes; if the shape is static, the number.
    pub bytes: usize,
}

impl<C, P> Action<C, P> {
    /// Returns the lists of actions inside this one.
    pub fn inside(&self) -> Vec<&[Action<C, P>]> {
        match self {
            Action::Call(_) | Action::Copy(_) => Vec::new(),
            Action::If { then, otherwise, .. } => vec![then, otherwise],
            Action::Case { branches, .. } => branches.iter().map(Vec::as_slice).collect(),
            Action::While { condition, body, .. } => vec![condition, body],
            Action::For { body, .. } => vec![body],
        }
    }

    /// Calls `visit` with this action and with all actions inside it, in order.
    pub fn for_each<'a>(&'a self, visit: &mut dyn FnMut(&'a Action<C, P>)) {
        visit(self);
        self.inside().into_iter().flatten().for_each(|action| action.for_each(visit));
    }
}

/// Turns the calls and places of a program into those of another form.
pub trait Translate {
    /// A call of the other form.
    type Call;
    /// A place of the other form.
    type Place;

    /// Adds what does the work of a call.
    fn call(&mut self, call: &Call, to: &mut Vec<Action<Self::Call, Self::Place>>);

    /// Returns the place of a value of this shape.
    fn place(&mut self, place: &Place, shape: &Shape) -> Self::Place;
}

/// Returns actions in another form.
pub fn translated<T: Translate>(actions: &[Action], by: &mut T) -> Vec<Action<T::Call, T::Place>> {
    let mut to = Vec::with_capacity(actions.len());
    for action in actions {
        let made = match action {
            Action::Call(call) => {
                by.call(call, &mut to);
                continue;
            }
            Action::Copy(Copied { from, to, shape, bytes }) => {
                let (from, to) = (by.place(from, shape), by.place(to, shape));
                Action::Copy(Copied { from, to, shape: shape.clone(), bytes: *bytes })
            }
            Action::If { condition, then, otherwise } => Action::If {
                condition: by.place(condition, &Shape::scalar(rlx_ir::DType::Bool)),
                then: translated(then, by),
                otherwise: translated(otherwise, by),
            },
            Action::Case { index, branches } => Action::Case {
                index: by.place(index, &Shape::scalar(rlx_ir::DType::I32)),
                branches: branches.iter().map(|branch| translated(branch, by)).collect(),
            },
            Action::While { count, condition, again, body } => Action::While {
                count: *count,
                condition: translated(condition, by),
                again: by.place(again, &Shape::scalar(rlx_ir::DType::Bool)),
                body: translated(body, by),
            },
            Action::For { index, count, length, reverse, body } => Action::For {
                index: *index,
                count: *count,
                length: length.clone(),
                reverse: *reverse,
                body: translated(body, by),
            },
        };
        to.push(made);
    }
    to
}
