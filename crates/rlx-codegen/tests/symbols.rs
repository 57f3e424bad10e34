//! Every rule with symbolic sizes: one lowering, run at several sizes and compared with the evaluator.

mod support;

use rlx_codegen::judge::sizes;
use rlx_codegen::{Interpreter, judge, lower};
use rlx_ir::eval::Value;
use rlx_ir::{
    ArgOp, BinaryOp, Builder, ConvolutionSpec, DType, Dim, DotDims, GatherDims, Graph, Literal, Op,
    QuantScheme, ReduceOp, Scalar, Shape, SubGraph, Tensor, WindowSpec, eval,
};

/// The symbolic size.
fn n() -> Dim {
    Dim::dynamic("n")
}

/// A case: the shapes of inputs, the computation, and the values of n.
struct Case {
    name: &'static str,
    inputs: Vec<(Vec<Dim>, DType)>,
    body: fn(&[Tensor]) -> Vec<Tensor>,
    sizes: &'static [usize],
}

fn case(
    name: &'static str,
    inputs: &[(&[Dim], DType)],
    sizes: &'static [usize],
    body: fn(&[Tensor]) -> Vec<Tensor>,
) -> Case {
    let inputs = inputs.iter().map(|(list, dtype)| (list.to_vec(), *dtype)).collect();
    Case { name, inputs, body, sizes }
}

impl Case {
    fn graph(&self) -> Graph {
        let shapes = self.inputs.iter().map(|(dims, dtype)| Shape::from_dims(dims, *dtype));
        support::group(&shapes.collect::<Vec<_>>(), self.body)
    }

    /// Returns small numbers of both signs, some of them equal.
    fn literals(&self, size: usize) -> Vec<Literal> {
        let bindings = [("n".into(), size)].into_iter().collect();
        let literal = |(i, (dims, dtype)): (usize, &(Vec<Dim>, DType))| {
            let shape = Shape::from_dims(dims, *dtype).eval(&bindings).unwrap();
            let number = |k: usize| ((k * 7 + 3 * i + k * k) % 11) as i128 - 4;
            let dims = shape.static_dims().unwrap();
            let value = Value::from_fn(dims, *dtype, |k| match dtype.is_float() {
                true => Scalar::Float(number(k) as f64 / 4.0),
                false => Scalar::Int(number(k)),
            });
            value.to_literal().unwrap()
        };
        self.inputs.iter().enumerate().map(literal).collect()
    }

    fn check(&self) {
        let graph = self.graph();
        let launches = lower(&graph).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        for &size in self.sizes {
            let literals = self.literals(size);
            let inputs: Vec<&Literal> = literals.iter().collect();
            let names: Vec<String> = (0..inputs.len()).map(|i| format!("x{i}")).collect();
            let named: Vec<(&str, &Literal)> =
                names.iter().map(String::as_str).zip(inputs.iter().copied()).collect();
            let expected = eval(&graph, &named).unwrap_or_else(|e| panic!("{}: {e}", self.name));
            let sizes = sizes(&graph, &inputs);
            let results = Interpreter::default().run(&launches, &sizes, &inputs, &graph.output_shapes());
            let results = results.unwrap_or_else(|e| panic!("{} at {size}: {e}", self.name));
            for (ours, theirs) in results.outputs.iter().zip(&expected) {
                // All numbers are small multiples of powers of two, so nothing rounds.
                assert_eq!(judge::difference(ours, theirs), 0.0, "{} at {size}", self.name);
            }
        }
    }
}

const ANY: &[usize] = &[0, 1, 2, 5];
const SOME: &[usize] = &[1, 2, 5];

#[test]
fn movement() {
    let three = Dim::Static(3);
    let f = DType::F32;
    let cases = [
        case("transpose", &[(&[n(), three.clone()], f)], ANY, |x| vec![x[0].transpose(&[1, 0])]),
        case("reshape", &[(&[n(), Dim::Static(6)], f)], ANY, |x| {
            vec![x[0].reshape(&[Dim::Static(2), &n() * 3]), x[0].reshape(&[&n() * 2, Dim::Static(3)])]
        }),
        case("broadcast", &[(&[n()], f)], ANY, |x| {
            vec![x[0].broadcast_in_dim(&[Dim::Static(4), n(), n()], &[2])]
        }),
        case("broadcast of one", &[(&[n()], f)], &[1, 4], |x| {
            vec![x[0].broadcast_in_dim(&[Dim::Static(4), Dim::Static(2)], &[0])]
        }),
        case("slice", &[(&[n(), three.clone()], f)], SOME, |x| {
            let op = Op::Slice {
                starts: vec![n().offset(-1), Dim::Static(0)],
                limits: vec![n(), Dim::Static(3)],
                strides: vec![1, 2],
            };
            vec![x[0].apply(op, &[])]
        }),
        case("pad", &[(&[n(), n()], f), (&[], f)], &[2, 3, 6], |x| {
            let op = Op::Pad { low: vec![2, -1], high: vec![-1, 3], interior: vec![0, 2] };
            vec![x[0].apply(op, &[&x[1]])]
        }),
        case("concatenate", &[(&[n(), n()], f), (&[n(), three.clone()], f)], ANY, |x| {
            vec![x[0].apply(Op::Concatenate { axis: 1 }, &[&x[1], &x[0]])]
        }),
        case("reverse", &[(&[n(), three.clone()], f)], ANY, |x| {
            vec![x[0].apply(Op::Reverse { axes: vec![0, 1] }, &[])]
        }),
        case("sizes", &[(&[n(), three], f)], ANY, |x| {
            let count = x[0].apply(Op::DimSize { axis: 0 }, &[]).convert(DType::F32);
            let iota = x[0].builder().iota(Shape::from_dims(&[n()], DType::F32), 0);
            vec![&iota + &count.broadcast_to(&[n()])]
        }),
    ];
    cases.iter().for_each(Case::check);
}

/// The sum and the product of pairs.
fn sums() -> SubGraph {
    let b = Builder::new("body");
    let scalar = |name: &str| b.input(name, Shape::scalar(DType::F32));
    let (a, p, x, y) = (scalar("a"), scalar("p"), scalar("x"), scalar("y"));
    let (sum, largest) = (&a + &x, p.binary(BinaryOp::Max, &y));
    SubGraph::new(b.finish(&[&sum, &largest]).unwrap())
}

#[test]
fn reductions_and_windows() {
    let f = DType::F32;
    let cases = [
        case("reduce", &[(&[n(), Dim::Static(3), n()], f)], ANY, |x| {
            vec![
                x[0].reduce(ReduceOp::Sum, &[0], false),
                x[0].reduce(ReduceOp::Max, &[2, 0], false),
                x[0].reduce(ReduceOp::Min, &[1], true),
            ]
        }),
        case("argreduce", &[(&[n(), Dim::Static(3)], f)], SOME, |x| {
            let arg = |op, axis| x[0].apply(Op::ArgReduce { op, axis, dtype: DType::I32 }, &[]);
            vec![arg(ArgOp::Max, 0), arg(ArgOp::Min, 0), arg(ArgOp::Max, 1)]
        }),
        case(
            "reduce_graph",
            &[(&[n(), Dim::Static(3)], f), (&[n(), Dim::Static(3)], f), (&[], f), (&[], f)],
            ANY,
            |x| x[0].apply_many(Op::ReduceGraph { body: sums(), axes: vec![0] }, &[&x[1], &x[2], &x[3]]),
        ),
        case("reduce_window", &[(&[n(), Dim::Static(5)], f)], ANY, |x| {
            let spec = WindowSpec {
                strides: vec![2, 1],
                base_dilation: vec![1, 2],
                window_dilation: vec![1, 2],
                low: vec![1, 0],
                high: vec![2, 1],
                ..WindowSpec::plain(&[3, 2])
            };
            let op = Op::ReduceWindow { kind: ReduceOp::Sum, spec };
            vec![x[0].apply(op, &[])]
        }),
        case("reduce_window_graph", &[(&[n()], f), (&[n()], f), (&[], f), (&[], f)], ANY, |x| {
            let spec = WindowSpec { low: vec![1], high: vec![1], ..WindowSpec::plain(&[3]) };
            let op = Op::ReduceWindowGraph { body: sums(), spec };
            x[0].apply_many(op, &[&x[1], &x[2], &x[3]])
        }),
    ];
    cases.iter().for_each(Case::check);
}

fn convolution(feature_groups: usize, batch_groups: usize) -> Op {
    let spec = ConvolutionSpec {
        strides: vec![2],
        lhs_dilation: vec![2],
        rhs_dilation: vec![3],
        low: vec![2],
        high: vec![3],
        reversal: vec![true],
        feature_groups,
        batch_groups,
        ..ConvolutionSpec::plain(1)
    };
    Op::Convolution { spec, dtype: None }
}

#[test]
fn contractions() {
    let f = DType::F32;
    let (two, four) = (Dim::Static(2), Dim::Static(4));
    let cases = [
        case("dot_general", &[(&[n(), n(), two.clone()], f), (&[n(), two.clone(), n()], f)], ANY, |x| {
            let dims = DotDims::contracting(&[1], &[2]).batched(1);
            let op = Op::DotGeneral { dims, dtype: None };
            vec![x[0].apply(op, &[&x[1]])]
        }),
        case(
            "ragged_dot",
            &[(&[n(), four.clone()], f), (&[n(), four.clone(), two.clone()], f), (&[n()], DType::I32)],
            ANY,
            |x| vec![x[0].apply(Op::RaggedDot { dtype: None }, &[&x[1], &x[2]])],
        ),
        case("convolution", &[(&[n(), four.clone(), n()], f), (&[four.clone(), two, n()], f)], SOME, |x| {
            vec![x[0].apply(convolution(2, 1), &[&x[1]])]
        }),
        case(
            "batch groups",
            &[(&[&n() * 2, four.clone(), n()], f), (&[four.clone(), four, Dim::Static(2)], f)],
            SOME,
            |x| vec![x[0].apply(convolution(1, 2), &[&x[1]])],
        ),
    ];
    cases.iter().for_each(Case::check);
}

#[test]
fn indexing() {
    let (f, i) = (DType::F32, DType::I32);
    let three = Dim::Static(3);
    let cases = [
        case("gather rows", &[(&[n(), three.clone()], f), (&[n()], i)], SOME, |x| {
            let op = Op::Gather {
                dims: GatherDims {
                    offset_dims: vec![1],
                    collapsed_slice_dims: vec![0],
                    operand_batching_dims: vec![],
                    start_indices_batching_dims: vec![],
                    start_index_map: vec![0],
                    index_vector_dim: 1,
                },
                slice_sizes: vec![Dim::Static(1), Dim::Static(3)],
            };
            vec![x[0].apply(op, &[&x[1]])]
        }),
        case("gather from nothing", &[(&[n(), three.clone()], f), (&[Dim::Static(2)], i)], &[0, 1, 4], |x| {
            let op = Op::Gather {
                dims: GatherDims {
                    offset_dims: vec![0],
                    collapsed_slice_dims: vec![0],
                    operand_batching_dims: vec![],
                    start_indices_batching_dims: vec![],
                    start_index_map: vec![0],
                    index_vector_dim: 1,
                },
                slice_sizes: vec![Dim::Static(0), Dim::Static(3)],
            };
            vec![x[0].apply(op, &[&x[1]])]
        }),
        case("gather by batch", &[(&[n(), three.clone()], f), (&[n(), Dim::Static(4)], i)], SOME, |x| {
            let op = Op::Gather {
                dims: GatherDims {
                    offset_dims: vec![2],
                    collapsed_slice_dims: vec![],
                    operand_batching_dims: vec![0],
                    start_indices_batching_dims: vec![0],
                    start_index_map: vec![1],
                    index_vector_dim: 2,
                },
                slice_sizes: vec![Dim::Static(1), Dim::Static(2)],
            };
            vec![x[0].apply(op, &[&x[1]])]
        }),
        case("dynamic_slice", &[(&[n(), three.clone()], f), (&[], i), (&[], DType::U64)], SOME, |x| {
            let op = Op::DynamicSlice { sizes: vec![n().offset(-1), Dim::Static(2)] };
            vec![x[0].apply(op, &[&x[1], &x[2]])]
        }),
        case(
            "dynamic_update_slice",
            &[(&[n(), three.clone()], f), (&[n().offset(-1), Dim::Static(2)], f), (&[], i), (&[], i)],
            SOME,
            |x| vec![x[0].apply(Op::DynamicUpdateSlice {}, &[&x[1], &x[2], &x[3]])],
        ),
        case("bitcast_convert", &[(&[n(), Dim::Static(4)], DType::U8)], ANY, |x| {
            let to = |dtype| Op::BitcastConvert { dtype };
            vec![x[0].apply(to(DType::I32), &[]), x[0].apply(to(DType::I8), &[])]
        }),
        case("dequantize_blocks", &[(&[n(), &n() * 18], DType::U8)], ANY, |x| {
            vec![x[0].dequantize_blocks(QuantScheme::Q4_0)]
        }),
    ];
    cases.iter().for_each(Case::check);
}
