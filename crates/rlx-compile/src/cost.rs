//! Counts the operations and bytes of a graph, and estimates how long a device takes for them.

use rlx_ir::{Access, Graph, Node, NodeId, Op, OpClass, Shape};

/// A backend's estimate of one run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// Seconds of one run, not counting the extra work of the first.
    pub seconds: f64,
}

/// How much a device does per second, and the fixed cost of a run. All values must be positive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// Floating point operations per second.
    pub flops: f64,
    /// Bytes read or written per second in the device's memory.
    pub bytes: f64,
    /// Bytes of inputs and outputs per second that are transferred to and from the device. For a device that works in the host's memory,
    /// this is a large number.
    pub transfer: f64,
    /// Minimum seconds per run, however little it does.
    pub run: f64,
}

impl Rates {
    /// Returns whether the rates can be used for estimates: each must be finite and greater than zero.
    pub fn are_sound(&self) -> bool {
        let Rates { flops, bytes, transfer, run } = *self;
        [flops, bytes, transfer, run].iter().all(|rate| rate.is_finite() && *rate > 0.0)
    }
}

/// The operations and bytes of one node.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// Floating point operations: two for each product that is added to a sum, one for each element of any other op that computes.
    pub flops: f64,
    /// Bytes of operands and results, each counted once. If an op reads only a part of an operand, only that part counts.
    pub bytes: f64,
}

/// Returns the work of a node. Unbound dimensions count as 1. A body counts once if the number of its repetitions depends on data. Of
/// several branches, the one with the most operations counts.
pub fn counts(graph: &Graph, node: &Node) -> Counts {
    if node.op().kind().class() == OpClass::Leaf || matches!(node.op(), Op::Constant { .. }) {
        // The value exists before the run. Nodes that read it count its bytes.
        return Counts::default();
    }
    let size = |shape: &Shape| shape.num_bytes().unwrap_or(8) as f64;
    let results: f64 = node.results().iter().map(size).sum();
    let kind = node.op().kind();
    let operands = |moved: bool| -> f64 {
        let operands = node.inputs().iter().enumerate().filter(|(i, _)| kind.is_linear_in(*i) == moved);
        operands.map(|(_, &input)| size(graph.shape(input))).sum()
    };
    let read = match kind.access() {
        // Only the selected part is read.
        Access::Movement | Access::Indexed => operands(true).min(results) + operands(false),
        Access::Elementwise | Access::Reduction | Access::Contraction | Access::Window | Access::General => {
            operands(true) + operands(false)
        }
    };
    Counts { flops: flops(graph, node), bytes: read + results }
}

fn elements(shape: &Shape) -> f64 {
    shape.num_elements().unwrap_or(1) as f64
}

fn of_graph(graph: &Graph) -> f64 {
    graph.nodes().iter().map(|node| flops(graph, node)).sum()
}

fn flops(graph: &Graph, node: &Node) -> f64 {
    let operand = |i: usize| graph.shape(node.inputs()[i]);
    let result = || elements(node.shape());
    let shapes: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
    if let Some(dims) = node.op().products(&shapes, node.shape()) {
        return 2.0 * dims.iter().map(static_size).product::<f64>();
    }
    match node.op() {
        Op::Call { body } | Op::Fusion { body, .. } => return of_graph(body),
        op if op.kind().class() == OpClass::Composite => {
            return op.decompose(&shapes).map_or(0.0, |body| of_graph(&body));
        }
        _ => {}
    }
    let mut inside: Option<f64> = None;
    node.op().for_each_graph(&mut |body| inside = Some(inside.unwrap_or(0.0).max(of_graph(body))));
    match node.op().kind().access() {
        Access::Elementwise => result(),
        Access::Reduction | Access::Window => inside.unwrap_or(1.0) * elements(operand(0)),
        Access::Movement | Access::Indexed | Access::Contraction => 0.0,
        Access::General => inside.unwrap_or(0.0) * repeats(graph, node),
    }
}

/// Returns how many times the graphs of a node run.
fn repeats(graph: &Graph, node: &Node) -> f64 {
    let operand = |i: Option<&NodeId>| i.map_or(0.0, |&i| elements(graph.shape(i)));
    match node.op() {
        Op::Scan { length, .. } => static_size(length),
        // Their graphs run per element of the operand that is sorted or scattered.
        Op::SelectAndScatter { .. } | Op::SortGraph { .. } => operand(node.inputs().first()),
        Op::ScatterGraph { .. } => operand(node.inputs().last()),
        _ => 1.0,
    }
}

fn static_size(dim: &rlx_ir::Dim) -> f64 {
    dim.as_static().unwrap_or(1) as f64
}

/// Estimates one run of the graph. This is the sum of the fixed cost of a run, the transfer of inputs and outputs, and for each node the
/// time for its operations or for its bytes, whichever is longer.
pub fn estimate(graph: &Graph, rates: &Rates) -> Cost {
    let nodes = graph.nodes().iter().map(|node| {
        let Counts { flops, bytes } = counts(graph, node);
        (flops / rates.flops).max(bytes / rates.bytes)
    });
    let work: f64 = nodes.sum();
    let inputs = graph.inputs().map(|node| node.shape().clone());
    let moved: f64 = inputs.chain(graph.output_shapes()).map(|s| s.num_bytes().unwrap_or(8) as f64).sum();
    Cost { seconds: rates.run + moved / rates.transfer + work }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{Body, Builder, CheckpointPolicy, DType, ScanOperands, SubGraph, Tensor};

    #[test]
    fn products_count_twice_and_composites_what_they_are_made_of() {
        let b = Builder::new("work");
        let (x, w) =
            (b.input("x", Shape::new(&[8, 16], DType::F32)), b.input("w", Shape::new(&[16, 4], DType::F32)));
        let graph = b.finish(&[&x.matmul(&w).exp()]).unwrap();
        let list: Vec<Counts> = graph.nodes().iter().map(|node| counts(&graph, node)).collect();
        let (product, bytes) = (2.0 * 8.0 * 16.0 * 4.0, 4.0 * (128.0 + 64.0 + 32.0));
        assert!(list.contains(&Counts { flops: product, bytes }), "{list:?}");
        assert_eq!(list.iter().map(|w| w.flops).sum::<f64>(), product + 32.0);
    }

    #[test]
    fn what_takes_a_part_reads_that_part() {
        let f32 = |dims: &[usize]| Shape::new(dims, DType::F32);
        let of = |build: &dyn Fn(&Tensor) -> Tensor| {
            let b = Builder::new("work");
            let x = b.input("x", f32(&[8, 16]));
            let graph = b.finish(&[&build(&x)]).unwrap();
            counts(&graph, graph.node(graph.outputs()[0]))
        };
        let bytes = |read: f64, written: f64| Counts { flops: 0.0, bytes: 4.0 * (read + written) };
        assert_eq!(of(&|x| x.slice_axis(0, 0, 2)), bytes(32.0, 32.0));
        assert_eq!(of(&|x| x.broadcast_to(&[3.into(), 8.into(), 16.into()])), bytes(128.0, 384.0));
        let largest = Op::ArgReduce { op: rlx_ir::ArgOp::Max, axis: 1, dtype: DType::I32 };
        assert_eq!(of(&|x| x.apply(largest.clone(), &[])), Counts { flops: 128.0, ..bytes(128.0, 8.0) });
    }

    #[test]
    fn an_estimate_is_the_run_the_way_and_the_work() {
        let b = Builder::new("work");
        let (x, w) =
            (b.input("x", Shape::new(&[8, 16], DType::F32)), b.param("w", Shape::new(&[16, 4], DType::F32)));
        let graph = b.finish(&[&x.matmul(&w)]).unwrap();
        // 1024 operations and 896 bytes, 640 of which are input and output.
        let rates = Rates { flops: 1024.0, bytes: 8960.0, transfer: 64.0, run: 100.0 };
        assert_eq!(estimate(&graph, &rates).seconds, 100.0 + 10.0 + 1.0);
        assert_eq!(estimate(&graph, &Rates { bytes: 8.96, ..rates }).seconds, 100.0 + 10.0 + 100.0);
        assert!(rates.are_sound());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let one_bad = [
                Rates { flops: bad, ..rates },
                Rates { bytes: bad, ..rates },
                Rates { transfer: bad, ..rates },
                Rates { run: bad, ..rates },
            ];
            assert!(one_bad.iter().all(|rates| !rates.are_sound()), "{bad}");
        }
    }

    #[test]
    fn graphs_of_an_op_count_by_the_largest_and_as_often_as_its_shapes_say() {
        let graph = |shapes: &[Shape], build: Body<'_>| {
            let b = Builder::new("work");
            let inputs: Vec<Tensor> =
                shapes.iter().enumerate().map(|(i, s)| b.input(format!("x{i}"), s.clone())).collect();
            let outputs = build(&b, &inputs);
            b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
        };
        let (vector, scalar) = (Shape::new(&[8], DType::F32), Shape::scalar(DType::F32));
        let once: Body<'_> = &|_, v| vec![v[0].exp()];
        let thrice: Body<'_> = &|_, v| vec![v[0].exp().sin().tanh()];
        let forward = graph(std::slice::from_ref(&vector), once);
        // (x, result, tangent) to the tangent.
        let rule =
            graph(&[vector.clone(), vector.clone(), vector.clone()], &|_, v| vec![&v[0].cos().exp() * &v[2]]);
        let sum = SubGraph::new(graph(&[scalar.clone(), scalar], &|_, v| vec![&v[0] + &v[1].exp()]));
        let rows: [(&str, Body<'_>, f64); 6] = [
            ("cond", &|b, x| b.cond(&b.int(1, DType::Bool), x, once, thrice), 24.0),
            ("case", &|b, x| b.case(&b.int(1, DType::I32), x, &[once, thrice, once]), 24.0),
            (
                "scan",
                &|b, x| b.scan(ScanOperands { xs: x, ..ScanOperands::default() }, 8, false, thrice),
                24.0,
            ),
            ("checkpoint", &|b, x| b.checkpoint(CheckpointPolicy::Nothing, x, thrice), 24.0),
            // The derivative is longer, but does not run.
            ("custom_fn", &|b, x| b.custom_fn(x, &forward, Some(&rule), None), 8.0),
            (
                "reduce_graph",
                &|b, x| {
                    let op = Op::ReduceGraph { body: sum.clone(), axes: vec![0] };
                    vec![x[0].apply(op, &[&b.scalar(0.0, DType::F32)])]
                },
                16.0,
            ),
        ];
        for (op, build, expected) in rows {
            assert_eq!(of_graph(&graph(std::slice::from_ref(&vector), build)), expected, "{op}");
        }
    }
}
