//! Runs custom ops with the kernel that is registered for the CPU, or otherwise with their evaluation, which allocates literals.

use super::PrepareContext;
use crate::custom::{self, PreparedKernel};
use crate::exec::{LaunchContext, OpKernel, Packed, Packer, Packing, RunError};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_exec::custom::find_host_kernel;
use rlx_ir::custom::{CustomOp, find_custom};
use rlx_ir::{Literal, Op, Shape};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

struct Custom {
    rules: Arc<dyn CustomOp>,
    config: String,
    operands: Vec<Shape>,
    results: Vec<Shape>,
}

/// A kernel that was registered for the CPU.
struct Registered {
    kernel: Box<dyn PreparedKernel>,
    /// Its packings, with keys that distinguish them from those of other ops.
    packings: Vec<Packing>,
}

impl Registered {
    fn new(
        kernel: Box<dyn PreparedKernel>,
        name: &str,
        config: &str,
        operands: &[Shape],
    ) -> Result<Registered, BackendError> {
        let mut packings = Vec::new();
        for custom::Packing { operands: places, key, replaces } in kernel.packings() {
            let mut packing = Packing { operands: places, key, replaces };
            if let Some(operand) = packing.operands.iter().find(|&&operand| operand >= operands.len()) {
                return Err(BackendError::Unsupported(format!(
                    "the kernel of the custom op `{name}` packs operand {operand}, but the op has only {} (operands count from 0)",
                    operands.len()
                )));
            }
            let mut hasher = DefaultHasher::new();
            ("custom", name, config, packing.key).hash(&mut hasher);
            packing.operands.iter().for_each(|&operand| operands[operand].hash(&mut hasher));
            packing.key = hasher.finish();
            packings.push(packing);
        }
        Ok(Registered { kernel, packings })
    }
}

impl OpKernel for Registered {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.kernel.scratch_bytes(), ..Needs::default() }
    }

    fn packings(&self) -> Vec<Packing> {
        self.packings.clone()
    }

    fn pack(&self, index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        custom::pack(&*self.kernel, index, operands, packer)
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        custom::run(&*self.kernel, cx)
    }
}

/// Prepares the kernel of a registered op.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let operands: Vec<Shape> = (0..cx.node.inputs().len()).map(|i| cx.operand(i).clone()).collect();
    let found = match cx.node.op() {
        Op::Custom { name, config, .. } => {
            if let Some(kernel) = find_host_kernel(name) {
                let prepared = kernel.prepare(config, &operands, cx.node.results(), cx.threads)?;
                return Ok(Box::new(Registered::new(prepared, name, config, &operands)?));
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
    Ok(Box::new(Custom { rules, config, operands, results: cx.node.results().to_vec() }))
}

impl OpKernel for Custom {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let operands = self.operands.iter().enumerate();
        let operands: Result<Vec<Literal>, _> =
            operands.map(|(i, shape)| Literal::from_bytes(shape, cx.input::<u8>(i))).collect();
        let operands = operands.map_err(|e| e.to_string())?;
        let results = self.rules.eval(&self.config, &operands).map_err(|e| e.to_string())?;
        let given: Vec<Shape> = results.iter().map(|r| r.shape().clone()).collect();
        if given != self.results {
            let show = |shapes: &[Shape]| shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ");
            return Err(format!(
                "its evaluation returned ({}), but it declares ({})",
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
