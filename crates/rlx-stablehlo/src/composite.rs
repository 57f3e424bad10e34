//! The names of ops that StableHLO lacks, in both directions between an op and its composite or custom call. A
//! composite is a `stablehlo.composite` with a name and attributes; [`Op::Custom`] is a
//! `stablehlo.custom_call`.
//!
//! ```text
//! %1 = stablehlo.composite "rlx.cumulative" %0 {
//!   composite_attributes = {attributes = "{op = sum, axis = 0, exclusive = false, reverse = false}"},
//!   decomposition = @rlx.cumulative.1, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
//! ```
//!
//! The name is the op's mnemonic after [`PREFIX`]; the attribute [`ATTRIBUTES`] holds the op's attributes as `.rlx` files
//! have them, sub-graphs included. The decomposition is for compilers that do not know the name: who reads the module into a graph
//! restores the op and leaves the decomposition aside.
//!
//! Where operands or results have symbolic sizes, the same stands in the attributes [`CALL_NAME`], [`CALL_ATTRIBUTES`] and
//! [`CALL_VERSION`] of a `func.call` of the decomposition instead: JAX's refinement of open sizes does not enter composites.
//!
//! Of the rest of what [`export()`](crate::export()) writes, three things are conventions too: an argument of `main` with the
//! attribute [`PARAM`] is a parameter, and one with [`NAME`] has that name rather than its SSA name; the region of a branch of `if` or `case`
//! is one `func.call` whose operands are the arguments of the op, the same in every branch, and whose function is the branch's
//! graph; an argument with [`DIMS`] has these dimensions, `n,2*n+1,4`, where its type says `?`.

use rlx_ir::{Op, ParseError};

/// What the names of composites begin with.
pub const PREFIX: &str = "rlx.";

/// What the call targets of [`Op::Custom`] begin with; the registered name follows, and the config is the
/// `backend_config`.
pub const CUSTOM_PREFIX: &str = "rlx.custom.";

/// The entry of `composite_attributes` that holds the op's attributes.
pub const ATTRIBUTES: &str = "attributes";

/// The version of the convention, as composites state it.
pub const VERSION: i32 = 1;

/// The attribute of a call that stands for an op: the name that a composite would have.
pub const CALL_NAME: &str = "rlx.composite";

/// The attribute of such a call with the op's attributes.
pub const CALL_ATTRIBUTES: &str = "rlx.attributes";

/// The attribute of such a call with the version of the convention.
pub const CALL_VERSION: &str = "rlx.version";

/// The attribute of arguments of `main` that are parameters.
pub const PARAM: &str = "rlx.param";

/// The attribute of arguments of `main` over which the output of its number may be written: XLA's own.
pub const ALIASING_OUTPUT: &str = "tf.aliasing_output";

/// The attribute of arguments of `main` whose name is not their SSA name.
pub const NAME: &str = "rlx.name";

/// The attribute of arguments of `main` with symbolic dimensions.
pub const DIMS: &str = "rlx.dims";

/// An op as a composite states it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Composite {
    /// The name, [`PREFIX`] included.
    pub name: String,
    /// The attributes in the text form; empty where there are none.
    pub attributes: String,
}

impl Composite {
    /// The composite that stands for an op.
    pub fn of(op: &Op) -> Composite {
        Composite { name: format!("{PREFIX}{}", op.mnemonic()), attributes: op.attributes_text() }
    }

    /// The op that the composite stands for; `None` where its name is not one of ours.
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
