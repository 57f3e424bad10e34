//! Describes a model's graph: parameters, sizes and arithmetic.

use rlx_ir::{Graph, Shape};
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
    /// Elements of all parameters. Those with symbolic dimensions are not counted.
    pub param_elements: usize,
    /// Bytes of all parameters.
    pub param_bytes: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// Multiplications and additions of the contractions of a static graph, two per product; `None` if a size is symbolic.
    pub contraction_flops: Option<u64>,
}

impl ModelReflection {
    /// Summarizes a graph.
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
            "{}: {} nodes, {params} parameters with {elements} numbers, {bytes} bytes",
            self.name, self.nodes
        )?;
        match self.contraction_flops {
            Some(flops) => write!(f, ", {flops} operations in products"),
            None => Ok(()),
        }
    }
}

/// Two operations per product, over all contractions, including those inside composites.
pub fn contraction_flops(graph: &Graph) -> Option<u64> {
    let mut total = 0u64;
    for node in graph.nodes() {
        let shapes: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
        let flops = match node.op().products(&shapes, node.shape()) {
            Some(dims) => {
                dims.iter().try_fold(2u64, |flops, dim| flops.checked_mul(dim.as_static()? as u64))?
            }
            None if node.op().kind().class() == rlx_ir::OpClass::Composite => {
                contraction_flops(&node.op().decompose(&shapes).ok()?)?
            }
            None => 0,
        };
        total = total.checked_add(flops)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{Builder, DType, Op, Tensor};

    fn of(shapes: &[Shape], build: impl FnOnce(&[Tensor]) -> Tensor) -> Option<u64> {
        let b = Builder::new("products");
        let xs: Vec<Tensor> =
            shapes.iter().enumerate().map(|(i, s)| b.input(format!("x{i}"), s.clone())).collect();
        let y = build(&xs);
        contraction_flops(&b.finish(&[&y]).expect("a valid graph"))
    }

    #[test]
    fn two_operations_per_product_of_every_contraction() {
        let f32 = |dims: &[usize]| Shape::new(dims, DType::F32);
        assert_eq!(of(&[f32(&[3, 5]), f32(&[5, 7])], |x| x[0].matmul(&x[1])), Some(2 * 3 * 5 * 7));
        assert_eq!(of(&[f32(&[3, 5])], |x| x[0].exp()), Some(0));
        // Two images, 8 channels in 2 groups of 4 to 6 features, and a 3 × 3 kernel at 5 × 4 positions.
        let conv = Op::Conv2d { stride: vec![1, 1], padding: vec![0, 0], dilation: vec![1, 1], groups: 2 };
        let flops = of(&[f32(&[2, 8, 7, 6]), f32(&[6, 4, 3, 3])], |x| x[0].apply(conv, &[&x[1]]));
        assert_eq!(flops, Some(2 * (2 * 6 * 5 * 4) * (4 * 3 * 3)));
        // Each of 10 rows times one of three matrices.
        let ragged = Op::RaggedDot { dtype: None };
        let sizes = Shape::new(&[3], DType::I32);
        let flops = of(&[f32(&[10, 4]), f32(&[3, 4, 6]), sizes], |x| x[0].apply(ragged, &[&x[1], &x[2]]));
        assert_eq!(flops, Some(2 * 10 * 4 * 6));
    }
}
