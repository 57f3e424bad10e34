//! What a graph computes and moves, counted from its shapes, and an estimate of how long that takes by what a device does in a second.

use crate::backend::Cost;
use rlx_ir::{Access, Graph, Node, Op, OpClass, Shape};

/// What a device does in a second, and what a run of it takes beside its work. All are positive numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// Floating point operations per second.
    pub flops: f64,
    /// Bytes read or written a second, in the device's memory.
    pub bytes: f64,
    /// Bytes of inputs and outputs that go to and from the device in a second. A device that works on the host's memory has a large
    /// number.
    pub transfer: f64,
    /// Seconds that a run takes however little it does.
    pub run: f64,
}

impl Rates {
    /// Whether estimates can be made with them: each is a number above zero.
    pub fn are_sound(&self) -> bool {
        let Rates { flops, bytes, transfer, run } = *self;
        [flops, bytes, transfer, run].iter().all(|rate| rate.is_finite() && *rate > 0.0)
    }
}

/// What one node computes and moves.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// Floating point operations: two for each product that is added up, one for each element of any other op that computes.
    pub flops: f64,
    /// Bytes of operands and results, each once; of an op that takes a part, only that part.
    pub bytes: f64,
}

/// The work of a node. Unbound dimensions count as 1; a body that is repeated as often as its data say counts once; of branches the
/// one with the most operations counts.
pub fn counts(graph: &Graph, node: &Node) -> Counts {
    if node.op().kind().class() == OpClass::Leaf || matches!(node.op(), Op::Constant { .. }) {
        // It is there before the run: whoever reads it counts.
        return Counts::default();
    }
    let size = |shape: &Shape| shape.num_bytes().unwrap_or(8) as f64;
    let results: f64 = node.results().iter().map(size).sum();
    let operands: f64 = match node.op() {
        // Only what is taken is read.
        Op::Gather { .. } | Op::DynamicSlice { .. } | Op::Slice { .. } => results,
        _ => node.inputs().iter().map(|&i| size(graph.shape(i))).sum(),
    };
    Counts { flops: flops(graph, node), bytes: operands + results }
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
        Op::Reduce { .. } | Op::ReduceWindow { .. } | Op::Cumulative { .. } => elements(operand(0)),
        op if op.kind().access() == Access::Elementwise && op.kind().class() == OpClass::Primitive => {
            result()
        }
        Op::Call { body } | Op::Fusion { body, .. } => of_graph(body),
        op if op.kind().class() == OpClass::Composite => {
            op.decompose(&shapes).map_or(0.0, |body| of_graph(&body))
        }
        op => {
            let mut largest = 0f64;
            op.for_each_graph(&mut |body| largest = largest.max(of_graph(body)));
            let repeats = match op {
                Op::Scan { length, .. } => static_size(length),
                // Their graphs are over elements: of what is combined, sorted, or put in its place.
                Op::ReduceGraph { .. }
                | Op::ReduceWindowGraph { .. }
                | Op::SelectAndScatter { .. }
                | Op::SortGraph { .. } => elements(operand(0)),
                Op::ScatterGraph { .. } => node.inputs().last().map_or(0.0, |&i| elements(graph.shape(i))),
                _ => 1.0,
            };
            largest * repeats
        }
    }
}

fn static_size(dim: &rlx_ir::Dim) -> f64 {
    dim.as_static().unwrap_or(1) as f64
}

/// One run of the graph: what every run takes, inputs and outputs on their way, and each node as long as its operations or its bytes
/// take, whichever is longer.
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
