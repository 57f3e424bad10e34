//! Ops that a program brings along: their registered meaning. It works on literals, so that a run allocates them.

use super::Site;
use crate::exec::{Cx, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_ir::custom::{CustomOp, find_custom};
use rlx_ir::{Literal, Op, Shape};
use std::sync::Arc;

struct Custom {
    rules: Arc<dyn CustomOp>,
    config: String,
    operands: Vec<Shape>,
    results: Vec<Shape>,
}

/// The kernel of a registered op.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let found = match site.node.op() {
        Op::Custom { name, config, .. } => find_custom(name).zip(Some(config.clone())),
        _ => None,
    };
    let Some((rules, config)) = found else {
        return Err(BackendError::Unsupported(
            "a custom op is not registered; call `register_custom` before the graph is compiled".into(),
        ));
    };
    let operands = (0..site.node.inputs().len()).map(|i| site.operand(i).clone()).collect();
    Ok(Box::new(Custom { rules, config, operands, results: site.node.results().to_vec() }))
}

impl OpKernel for Custom {
    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        let operands = self.operands.iter().enumerate();
        let operands: Result<Vec<Literal>, _> =
            operands.map(|(i, shape)| Literal::from_bytes(shape, cx.input::<u8>(i))).collect();
        let operands = operands.map_err(|e| e.to_string())?;
        let results = self.rules.eval(&self.config, &operands).map_err(|e| e.to_string())?;
        let given: Vec<Shape> = results.iter().map(|r| r.shape().clone()).collect();
        if given != self.results {
            let show = |shapes: &[Shape]| shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ");
            return Err(format!(
                "its evaluation gives ({}), declared are ({})",
                show(&given),
                show(&self.results)
            ));
        }
        for (i, result) in results.iter().enumerate() {
            cx.output::<u8>(i).copy_from_slice(result.bytes());
        }
        Ok(())
    }
}
