//! What MLX claims.

use crate::emit::{COARSE, declined, element_type, is_coarse};
use rlx_compile::Claims;
use rlx_ir::{DType, Op, Shape};
use rlx_mlx_sys::ElementType;

/// The ops that MLX has a form of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MlxClaims;

impl Claims for MlxClaims {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        declined(op, operands, results).is_none()
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        element_type(dtype).err()
    }

    fn on_host(&self, op: &Op, operands: &[Shape], _: &[Shape]) -> Option<String> {
        let of_f64 = operands.first().is_some_and(|x| x.dtype() == DType::F64);
        match op {
            Op::Unary { op } if of_f64 && is_coarse(*op, ElementType::F64) => Some(COARSE.into()),
            Op::Custom { .. } => Some("it is of the program's own".into()),
            _ => None,
        }
    }

    fn refusal(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Option<String> {
        declined(op, operands, results)
    }
}
