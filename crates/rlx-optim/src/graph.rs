//! The update of many parameters as one graph.

use crate::error::Error;
use crate::optimizer::Optimizer;
use crate::param::Param;
use crate::update::{Operands, Updated};
use rlx_ir::{Builder, DType, Graph, Shape, Tensor};

/// Returns a graph that updates these parameters.
///
/// Inputs: `step` (i32, the number of updates made before) and `lr` (f32); then for each parameter `NAME`, `NAME.grad` (of its shape and
/// type) and `NAME.SLOT` for each slot. Outputs: for each parameter, its new value and then its new slots.
pub fn update_graph(optimizer: &Optimizer, params: &[Param]) -> Result<Graph, Error> {
    let builder = Builder::new(format!("{}_update", optimizer.name()));
    let step = builder.input("step", Shape::scalar(DType::I32));
    let learning_rate = builder.input("lr", Shape::scalar(DType::F32));
    let mut outputs: Vec<Tensor> = Vec::new();
    for param in params {
        let name = param.name();
        let parameter = builder.input(name, param.shape().clone());
        let gradient = builder.input(format!("{name}.grad"), param.shape().clone());
        let input = |slot: crate::Slot| builder.input(format!("{name}.{}", slot.name), slot.shape);
        let state: Vec<Tensor> = optimizer.slots(param)?.into_iter().map(input).collect();
        let operands = Operands {
            parameter: &parameter,
            gradient: &gradient,
            state: &state,
            step: &step,
            learning_rate: &learning_rate,
            hessian: None,
        };
        let Updated { parameter, state } = builder.scoped(name, || optimizer.update(param, &operands))?;
        outputs.push(parameter);
        outputs.extend(state);
    }
    Ok(builder.finish(&outputs.iter().collect::<Vec<_>>())?)
}
