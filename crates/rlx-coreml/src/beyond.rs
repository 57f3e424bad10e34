//! Turns parameters that f16 cannot hold into constants, so that the precision pass sees them and keeps their
//! readers in f32.

use rlx_compile::{ParamValues, PrecisionPolicy};
use rlx_ir::rewrite::rewrite;
use rlx_ir::{DType, FloatFormat, Graph, Literal, Op, OpError};

/// Up to so many elements numbers that would become 0 count: weights beyond are many, and some are next to nothing.
const FEW: usize = 4096;

/// The graph with each parameter of f32 as a constant whose value has numbers beyond f16, or is of few numbers some of which f16 has
/// as 0; `None` where there are none, or nothing is computed in f16.
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

/// Whether f16 does not hold numbers of f32.
fn is_beyond(bytes: &[u8]) -> bool {
    let half = FloatFormat::F16;
    let numbers = bytes.as_chunks().0;
    let is_few = numbers.len() <= FEW;
    numbers.iter().any(|x| {
        let size = f64::from(f32::from_le_bytes(*x)).abs();
        size.is_finite() && size > half.max() || is_few && size > 0.0 && size < half.min_subnormal()
    })
}
