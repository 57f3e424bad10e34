//! Turns parameters with values outside the range of f16 into constants, so that the precision pass sees the values and keeps their readers
//! in f32.

use rlx_compile::{ParamValues, PrecisionPolicy};
use rlx_ir::rewrite::rewrite;
use rlx_ir::{DType, FloatFormat, Graph, Literal, Op, OpError};

/// Maximum number of elements for which values that f16 rounds to 0 count. Larger parameters are weights, in which some values are usually
/// that small.
const FEW: usize = 4096;

/// Returns the graph with some f32 parameters as constants: those with values that overflow in f16, and small ones with nonzero values that
/// f16 rounds to 0. Returns `None` if there are none, or if nothing is computed in f16.
pub(crate) fn with_known(
    graph: &Graph,
    values: &ParamValues,
    policy: PrecisionPolicy,
) -> Result<Option<Graph>, OpError> {
    if !matches!(policy, PrecisionPolicy::AlwaysF16 | PrecisionPolicy::AutoMixed) {
        return Ok(None);
    }
    rewrite(graph, |rw, node, _| {
        let Op::Param { name } = node.op() else { return Ok(None) };
        let Some(value) = values.get(name).filter(|_| node.shape().dtype() == DType::F32) else {
            return Ok(None);
        };
        if !is_beyond(value.bytes()) {
            return Ok(None);
        }
        let literal =
            Literal::from_bytes(node.shape(), value.bytes()).map_err(|e| OpError::Eval(e.to_string()))?;
        Ok(Some(vec![rw.graph().constant(literal)]))
    })
}

/// Whether f16 cannot represent some of these f32 values.
fn is_beyond(bytes: &[u8]) -> bool {
    let half = FloatFormat::F16;
    let numbers = bytes.as_chunks().0;
    let is_few = numbers.len() <= FEW;
    numbers.iter().any(|x| {
        let size = f64::from(f32::from_le_bytes(*x)).abs();
        size.is_finite() && size > half.max() || is_few && size > 0.0 && size < half.min_subnormal()
    })
}
