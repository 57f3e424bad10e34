//! What the text of a function that combines states says about it.

use crate::kernel::{Definition, Function, ScalarId, Stmt};
use rlx_ir::eval::scalar::identity;
use rlx_ir::{BinaryOp, DType, Op, ReduceOp, Scalar};

/// Returns the state of no elements of a function that merges two states, if it combines each scalar of one state with that of the other by
/// a function of the op table that has an identity.
pub(crate) fn identity_of(merge: &Function, dtype: impl Fn(ScalarId) -> DType) -> Option<Vec<Scalar>> {
    let count = merge.results.len();
    if merge.params.len() != 2 * count {
        return None;
    }
    let (ours, theirs) = merge.params.split_at(count);
    let of = |(place, &result): (usize, &ScalarId)| {
        let value = merge.body.iter().find_map(|stmt| match stmt {
            Stmt::Let { scalar, value } if *scalar == result => Some(value),
            _ => None,
        })?;
        let (op, [a, b]) = binary(value)?;
        let (pair, dtype) = ([ours[place], theirs[place]], dtype(result));
        let kind = ReduceOp::from_binary(op).filter(|_| pair == [a, b] || pair == [b, a])?;
        kind.accepts().contains(dtype).then(|| identity(kind, dtype))?.map(|value| value.convert(dtype))
    };
    merge.results.iter().enumerate().map(of).collect()
}

/// Returns the function of two scalars that a definition applies, and the scalars.
pub(crate) fn binary(value: &Definition) -> Option<(BinaryOp, [ScalarId; 2])> {
    let Definition::Apply { op, args } = value else { return None };
    match (&**op, &args[..]) {
        (Op::Binary { op }, &[a, b]) => Some((*op, [a, b])),
        _ => None,
    }
}
