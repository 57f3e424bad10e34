//! Ops that a program brings along: by the kernel that is registered for the CPU, else by their registered meaning, which works on
//! literals, so that a run allocates them.

use super::Site;
use crate::custom::{self, PreparedKernel, find_cpu_kernel};
use crate::exec::{Cx, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::custom::{CustomOp, find_custom};
use rlx_ir::{Literal, Op, Shape};
use std::sync::Arc;

struct Custom {
    rules: Arc<dyn CustomOp>,
    config: String,
    operands: Vec<Shape>,
    results: Vec<Shape>,
}

/// A kernel that was registered for the CPU.
struct Registered(Box<dyn PreparedKernel>);

impl OpKernel for Registered {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.0.scratch_bytes(), ..Needs::default() }
    }

    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        custom::run(&*self.0, cx)
    }
}

/// The kernel of a registered op.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let operands: Vec<Shape> = (0..site.node.inputs().len()).map(|i| site.operand(i).clone()).collect();
    let found = match site.node.op() {
        Op::Custom { name, config, .. } => {
            if let Some(kernel) = find_cpu_kernel(name) {
                let prepared = kernel.prepare(config, &operands, site.node.results(), site.threads)?;
                return Ok(Box::new(Registered(prepared)));
            }
            find_custom(name).zip(Some(config.clone()))
        }
        _ => None,
    };
    let Some((rules, config)) = found else {
        return Err(BackendError::Unsupported(
            "a custom op is not registered; call `register_custom` before the graph is compiled".into(),
        ));
    };
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
