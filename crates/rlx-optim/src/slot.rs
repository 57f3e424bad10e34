//! Slots: the state tensors that an optimizer keeps for a parameter between updates.

use crate::error::Error;
use crate::param::Param;
use rlx_ir::eval::{Scalar, Value};
use rlx_ir::{Literal, Shape};

/// A tensor of the optimizer's state for a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// Its name, unique among the slots of the parameter.
    pub name: &'static str,
    /// Its shape and element type.
    pub shape: Shape,
    /// Its value before the first update.
    pub initial: Initial,
}

/// The value of a state tensor before the first update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Zeros.
    Zeros,
    /// The parameter's value, in the element type of the slot.
    Parameter,
}

/// The slot that stores a narrow parameter in full precision.
pub(crate) const MASTER: &str = "master";

impl Slot {
    /// Returns a slot with the parameter's shape, initialized to zeros.
    pub(crate) fn like(name: &'static str, param: &Param) -> Slot {
        Slot { name, shape: param.shape().with_dtype(param.wide()), initial: Initial::Zeros }
    }

    /// Returns the value before the first update of a parameter with this value.
    pub fn initial_value(&self, parameter: &Literal) -> Result<Literal, Error> {
        let failed = |source| Error::Initial { name: self.name.into(), source };
        let sizes = self.shape.static_dims().unwrap_or_default();
        let value = match self.initial {
            Initial::Zeros => Value::splat(sizes, self.shape.dtype(), Scalar::Float(0.0)),
            Initial::Parameter => Value::from_literal(parameter).convert(self.shape.dtype()),
        };
        let literal = value.to_literal().map_err(failed)?;
        literal.reshaped(&self.shape).map_err(failed)
    }
}
