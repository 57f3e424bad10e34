//! How the table calls the rules of an op: operand lists in the signature of the rule, one or several results, and errors.

use crate::dim::DimError;
use crate::dtype::{DType, DTypeSet};
use crate::op::kinds::{Named, ReduceOp};
use crate::shape::Shape;

/// Why an op rejects its operands or attributes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpError {
    /// Too few or too many operands.
    #[error("takes {expected} operand(s), got {got}")]
    Arity {
        /// What the op accepts.
        expected: String,
        /// Number of operands given.
        got: usize,
    },
    /// An operand has an element type that the op does not accept.
    #[error("{operand} has element type {got}, expected {expected}")]
    DType {
        /// The operand.
        operand: &'static str,
        /// Its element type.
        got: DType,
        /// The accepted types.
        expected: String,
    },
    /// The shapes of operands do not fit each other or the attributes.
    #[error("{0}")]
    Shape(String),
    /// A dimension of a result cannot be represented.
    #[error(transparent)]
    Dim(DimError),
    /// An attribute is out of its range.
    #[error("{0}")]
    Attribute(String),
    /// The evaluator cannot run the op with these values.
    #[error("{0}")]
    Eval(String),
    /// An op inside this op (in its decomposition or a sub-graph) rejected its operands.
    #[error("in `{op}`: {source}")]
    Inner {
        /// The inner op.
        op: String,
        /// Its error.
        source: Box<OpError>,
    },
}

impl OpError {
    /// An error about operand shapes.
    pub fn shape(message: impl Into<String>) -> Self {
        OpError::Shape(message.into())
    }

    /// An error about an attribute.
    pub fn attribute(message: impl Into<String>) -> Self {
        OpError::Attribute(message.into())
    }

    /// Fails unless `got` is in `set`.
    pub fn check_dtype(operand: &'static str, got: DType, set: DTypeSet) -> Result<(), OpError> {
        if set.contains(got) {
            return Ok(());
        }
        let names: Vec<&str> = set.iter().map(DType::name).collect();
        Err(OpError::DType { operand, got, expected: names.join(", ") })
    }

    /// Fails unless both operands have the same shape and element type.
    pub fn check_same(a_name: &str, a: &Shape, b_name: &str, b: &Shape) -> Result<(), OpError> {
        if a.compatible(b) {
            return Ok(());
        }
        Err(OpError::Shape(format!("{a_name} and {b_name} must have the same shape, got {a} and {b}")))
    }

    /// Fails unless `kind` is one of the reductions that the op accepts.
    pub(crate) fn check_reduction(kind: ReduceOp, taken: &[ReduceOp]) -> Result<(), OpError> {
        if taken.contains(&kind) {
            return Ok(());
        }
        let names: Vec<&str> = taken.iter().map(|kind| kind.name()).collect();
        Err(OpError::Attribute(format!("the reduction must be one of {}, got {kind}", names.join(", "))))
    }

    /// Fails unless `axis < rank`.
    pub fn check_axis(axis: usize, rank: usize) -> Result<(), OpError> {
        if axis < rank {
            return Ok(());
        }
        Err(OpError::Attribute(format!("axis {axis} is out of range for rank {rank}")))
    }

    /// Fails unless all axes are below `rank` and different from each other.
    pub fn check_axes(axes: &[usize], rank: usize) -> Result<(), OpError> {
        for (i, &axis) in axes.iter().enumerate() {
            OpError::check_axis(axis, rank)?;
            if axes[..i].contains(&axis) {
                return Err(OpError::Attribute(format!("axis {axis} is listed twice in {axes:?}")));
            }
        }
        Ok(())
    }
}

/// An operand in the op table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Its name.
    pub name: &'static str,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether it takes any number of values.
    pub variadic: bool,
    /// Whether the op is linear in it, taken together with the other operands marked so.
    pub linear: bool,
}

impl Operand {
    pub(crate) const fn new(name: &'static str, marks: &[&str]) -> Self {
        let mut operand = Operand { name, optional: false, variadic: false, linear: false };
        let mut i = 0;
        while i < marks.len() {
            match marks[i].as_bytes() {
                b"optional" => operand.optional = true,
                b"many" => operand.variadic = true,
                b"linear" => operand.linear = true,
                _ => panic!("a mark of an operand is `optional`, `many` or `linear`"),
            }
            i += 1;
        }
        operand
    }

    /// Fails unless the operands accept `got` values.
    pub(crate) fn check_arity(operands: &[Operand], got: usize) -> Result<(), OpError> {
        let least = operands.iter().filter(|o| !o.optional && !o.variadic).count();
        let most = if operands.iter().any(|o| o.variadic) { usize::MAX } else { operands.len() };
        if (least..=most).contains(&got) {
            return Ok(());
        }
        let names: Vec<String> = operands
            .iter()
            .map(|o| {
                format!(
                    "{}{}",
                    o.name,
                    if o.optional {
                        "?"
                    } else if o.variadic {
                        "…"
                    } else {
                        ""
                    }
                )
            })
            .collect();
        Err(OpError::Arity { expected: format!("{least} ({})", names.join(", ")), got })
    }
}

/// Passes operands to a rule one after the other. The signature of the rule says whether it takes one (`&T`), an optional one
/// (`Option<&T>`), all the rest (`&[T]`), or several as an array or a pair.
pub(crate) struct Operands<'a, T> {
    rest: &'a [T],
}

impl<'a, T> Operands<'a, T> {
    /// The list, whose length has been checked against the operands in the table.
    pub(crate) fn new(all: &'a [T]) -> Self {
        Operands { rest: all }
    }

    pub(crate) fn take<A: Take<'a, T>>(&mut self) -> A {
        A::take(self)
    }
}

pub(crate) trait Take<'a, T>: Sized {
    fn take(operands: &mut Operands<'a, T>) -> Self;
}

impl<'a, T> Take<'a, T> for &'a T {
    fn take(operands: &mut Operands<'a, T>) -> Self {
        // INVARIANT: the arity was checked before the rule was called.
        let (first, rest) = operands.rest.split_first().expect("arity was checked");
        operands.rest = rest;
        first
    }
}

impl<'a, T> Take<'a, T> for Option<&'a T> {
    fn take(operands: &mut Operands<'a, T>) -> Self {
        let (first, rest) = operands.rest.split_first()?;
        operands.rest = rest;
        Some(first)
    }
}

impl<'a, T> Take<'a, T> for &'a [T] {
    fn take(operands: &mut Operands<'a, T>) -> Self {
        std::mem::take(&mut operands.rest)
    }
}

impl<'a, T, A: Take<'a, T>, const N: usize> Take<'a, T> for [A; N] {
    fn take(operands: &mut Operands<'a, T>) -> Self {
        std::array::from_fn(|_| A::take(operands))
    }
}

impl<'a, T, A: Take<'a, T>, B: Take<'a, T>> Take<'a, T> for (A, B) {
    fn take(operands: &mut Operands<'a, T>) -> Self {
        (A::take(operands), B::take(operands))
    }
}

/// One value or several, as a rule returns them.
pub(crate) trait Results<T> {
    fn into_results(self) -> Vec<T>;
}

macro_rules! results {
    ($($t:ty),*) => {$(
        impl Results<$t> for $t {
            fn into_results(self) -> Vec<$t> {
                vec![self]
            }
        }
        impl Results<$t> for Vec<$t> {
            fn into_results(self) -> Vec<$t> {
                self
            }
        }
        impl<const N: usize> Results<$t> for [$t; N] {
            fn into_results(self) -> Vec<$t> {
                self.into()
            }
        }
    )*};
}
results!(Shape, crate::eval::Value, crate::tensor::Tensor);
