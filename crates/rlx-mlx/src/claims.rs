//! The claims of MLX.

use crate::emit::{COARSE, declined, element_type, is_coarse};
use rlx_compile::{Claim, Claims};
use rlx_ir::{DType, Op, Shape};
use rlx_mlx_sys::ElementType;

/// Claims the ops that can be expressed in MLX.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MlxClaims;

impl Claims for MlxClaims {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        let of_f64 = operands.first().is_some_and(|x| x.dtype() == DType::F64);
        match (declined(op, operands, results), op) {
            (Some(why), _) => Claim::No(Some(why)),
            (None, Op::Unary { op }) if of_f64 && is_coarse(*op, ElementType::F64) => {
                Claim::Host(COARSE.into())
            }
            (None, Op::Custom { .. }) => Claim::Host("it is the program's own code".into()),
            (None, _) => Claim::Native,
        }
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        element_type(dtype).err()
    }
}
