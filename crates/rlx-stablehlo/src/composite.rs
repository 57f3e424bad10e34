//! How ops that StableHLO lacks are named, in both directions between an op and its composite or custom call. A
//! composite is a `stablehlo.composite` with a name and attributes; [`Op::Custom`] is a `stablehlo.custom_call`.
//!
//! ```text
//! %1 = stablehlo.composite "rlx.cumulative" %0 {
//!   composite_attributes = {attributes = "{op = sum, axis = 0, exclusive = false, reverse = false}"},
//!   decomposition = @rlx.cumulative.1, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
//! ```
//!
//! The name is the op's mnemonic after [`PREFIX`]. The attribute [`ATTRIBUTES`] holds the op's attributes as `.rlx`
//! files write them, including sub-graphs. The decomposition is for compilers that do not know the name: the importer
//! restores the op and ignores the decomposition.
//!
//! If operands or results have symbolic sizes, the name, the attributes and the version are written as the attributes
//! [`CALL_NAME`], [`CALL_ATTRIBUTES`] and [`CALL_VERSION`] of a `func.call` of the decomposition instead, because JAX's
//! refinement of open sizes does not enter composites.
//!
//! [`export()`](crate::export()) follows further conventions:
//!
//! - An argument of `main` with the attribute [`PARAM`] is a parameter. One with [`NAME`] has that name instead of its
//!   SSA name. One with [`DIMS`] has these dimensions, such as `n,2*n+1,4`, where its type says `?`.
//! - The region of a branch of `if` or `case` is one `func.call`. Its operands are the arguments of the op, the same in
//!   every branch, and its function is the branch's graph.

use rlx_ir::{Op, ParseError};

/// The prefix of the names of composites.
pub const PREFIX: &str = "rlx.";

/// The prefix of the call targets of [`Op::Custom`]. The registered name follows it, and the config is the `backend_config`.
pub const CUSTOM_PREFIX: &str = "rlx.custom.";

/// The entry of `composite_attributes` that holds the op's attributes.
pub const ATTRIBUTES: &str = "attributes";

/// The version of the convention, which composites state.
pub const VERSION: i32 = 1;

/// The attribute of a call that represents an op: the name that a composite would have.
pub const CALL_NAME: &str = "rlx.composite";

/// The attribute of such a call with the op's attributes.
pub const CALL_ATTRIBUTES: &str = "rlx.attributes";

/// The attribute of such a call with the version of the convention.
pub const CALL_VERSION: &str = "rlx.version";

/// The attribute of arguments of `main` that are parameters.
pub const PARAM: &str = "rlx.param";

/// The attribute of arguments of `main` that may be overwritten by the output with this number. It is XLA's own.
pub const ALIASING_OUTPUT: &str = "tf.aliasing_output";

/// The attribute of arguments of `main` whose name is not their SSA name.
pub const NAME: &str = "rlx.name";

/// The attribute of arguments of `main` with symbolic dimensions.
pub const DIMS: &str = "rlx.dims";

/// An op in the form of a composite.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Composite {
    /// The name, including [`PREFIX`].
    pub name: String,
    /// The attributes in text form, or an empty string if there are none.
    pub attributes: String,
}

impl Composite {
    /// Returns the composite that represents an op.
    pub fn of(op: &Op) -> Composite {
        Composite { name: format!("{PREFIX}{}", op.mnemonic()), attributes: op.attributes_text() }
    }

    /// Returns the op that the composite represents, or `None` if the name is not one of RLX's.
    pub fn op(&self) -> Option<Result<Op, ParseError>> {
        let mnemonic = self.name.strip_prefix(PREFIX)?;
        Some(Op::from_text(mnemonic, &self.attributes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{BinaryOp, DType, Graph, ReduceOp, Shape};

    #[test]
    fn ops_are_restored_from_name_and_attributes() {
        let mut body = Graph::new("body");
        let (carry, x) =
            (body.input("carry", Shape::scalar(DType::F32)), body.input("x", Shape::scalar(DType::F32)));
        let sum = body.binary(BinaryOp::Add, carry, x, Shape::scalar(DType::F32));
        body.set_outputs(vec![sum, sum]);
        let ops = [
            Op::Binary { op: BinaryOp::Igamma },
            Op::Cumulative { op: ReduceOp::Sum, axis: 1, exclusive: false, reverse: true },
            Op::Scan { body: body.into(), length: "n".into(), num_consts: 0, num_carry: 1, reverse: false },
        ];
        for op in ops {
            assert_eq!(Composite::of(&op).op(), Some(Ok(op)));
        }
    }

    #[test]
    fn names_of_others_and_broken_attributes_are_told_apart() {
        let composite =
            |name: &str, attributes: &str| Composite { name: name.into(), attributes: attributes.into() };
        assert_eq!(composite("chlo.erf", "").op(), None);
        assert!(composite("rlx.cumulative", "{axis = x}").op().is_some_and(|op| op.is_err()));
        assert!(composite("rlx.nothing", "").op().is_some_and(|op| op.is_err()));
    }
}
