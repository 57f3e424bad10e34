//! What a model's graph says about itself: parameters, sizes and arithmetic.

use rlx_ir::{Graph, Op, Shape};
use std::fmt;

/// One parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamInfo {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
}

/// A summary of a graph.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelReflection {
    /// The graph's name.
    pub name: String,
    /// Names and shapes of the inputs.
    pub inputs: Vec<ParamInfo>,
    /// Names and shapes of the parameters.
    pub params: Vec<ParamInfo>,
    /// Shapes of the outputs.
    pub outputs: Vec<Shape>,
    /// Elements of all parameters; those with symbolic dimensions count as none.
    pub param_elements: usize,
    /// Bytes of all parameters.
    pub param_bytes: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// Multiplications and additions of the contractions of a static graph, two per product; `None` where a size is
    /// symbolic.
    pub contraction_flops: Option<u64>,
}

impl ModelReflection {
    /// Reads a graph.
    pub fn of(graph: &Graph) -> ModelReflection {
        let info = |n: &rlx_ir::Node| Some(ParamInfo { name: n.name()?.into(), shape: n.shape().clone() });
        let params: Vec<ParamInfo> = graph.params().filter_map(info).collect();
        ModelReflection {
            name: graph.name().into(),
            inputs: graph.inputs().filter_map(info).collect(),
            param_elements: params.iter().filter_map(|p| p.shape.num_elements()).sum(),
            param_bytes: params.iter().filter_map(|p| p.shape.num_bytes()).sum(),
            params,
            outputs: graph.output_shapes(),
            nodes: graph.nodes().len(),
            contraction_flops: contraction_flops(graph),
        }
    }
}

impl fmt::Display for ModelReflection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (params, elements, bytes) = (self.params.len(), self.param_elements, self.param_bytes);
        write!(
            f,
            "{}: {} nodes, {params} parameters of {elements} numbers, {bytes} bytes",
            self.name, self.nodes
        )?;
        match self.contraction_flops {
            Some(flops) => write!(f, ", {flops} operations in products"),
            None => Ok(()),
        }
    }
}

/// Two operations per product, over all contractions, those inside composites included.
pub fn contraction_flops(graph: &Graph) -> Option<u64> {
    let mut total = 0u64;
    for node in graph.nodes() {
        let flops = match node.op() {
            Op::DotGeneral { lhs_contract, .. } => {
                let lhs = graph.shape(node.inputs()[0]);
                let depth = lhs_contract
                    .iter()
                    .try_fold(1u64, |acc, &a| acc.checked_mul(lhs.dim(a).as_static()? as u64))?;
                2u64.checked_mul(depth)?.checked_mul(node.shape().num_elements()? as u64)?
            }
            op if op.kind().class() == rlx_ir::OpClass::Composite => {
                let shapes: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
                contraction_flops(&op.decompose(&shapes).ok()?)?
            }
            _ => 0,
        };
        total = total.checked_add(flops)?;
    }
    Some(total)
}
