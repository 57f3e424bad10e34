//! Values that programs have no form for: more than five axes, complex numbers, comparators; what becomes of them, and what is told of what cannot.

use rlx_compile::{CompileOptions, ParamValues};
use rlx_coreml::{Conversion, CoremlExecutable, CoremlOptions, InterpretedEngine, Opset};
use rlx_ir::{
    BinaryOp, Builder, Combiner, CompareOp, DType, Dim, FftKind, Graph, Literal, Op, ScatterDims, Shape,
    SubGraph, Tensor, UnaryOp, eval,
};
use std::sync::Arc;

fn floats(dims: &[usize]) -> Literal {
    let count: usize = dims.iter().product();
    Literal::new(dims, &(0..count).map(|i| ((i * 37) % 29) as f32 / 7.0 - 1.75).collect::<Vec<f32>>())
        .unwrap()
}

/// What the device gives for a graph of an input x.
fn given(graph: &Graph, x: &Literal) -> Vec<Vec<f32>> {
    let engine = Arc::new(InterpretedEngine { opset: Opset::Ios17 });
    let mut program = CoremlExecutable::with_engine(graph.clone(), engine, CoremlOptions::new()).unwrap();
    program.run(&[("x", x.as_slice().unwrap())]).unwrap()
}

/// Why a graph becomes no package.
fn refused(graph: &Graph) -> String {
    let conversion = Conversion::new(Opset::Ios18.into(), CompileOptions::new());
    conversion.prepare(graph, &ParamValues::new()).err().expect("it is refused").to_string()
}

fn graph(dims: &[usize], f: impl FnOnce(&Builder, &Tensor) -> Vec<Tensor>) -> Graph {
    let b = Builder::new("main");
    let x = b.input("x", Shape::new(dims, DType::F32));
    let outputs = f(&b, &x);
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
}

#[test]
fn arrays_of_more_axes_have_fewer_at_the_border() {
    let dims = [2, 3, 4, 2, 3, 5];
    let turned = graph(&dims, |_, x| vec![x.transpose(&[5, 3, 1, 4, 2, 0]), x.exp()]);
    let conversion = Conversion::new(Opset::Ios15.into(), CompileOptions::new());
    let values = ParamValues::new();
    let converted = conversion.prepare(&turned, &values).unwrap().converted;
    assert_eq!(converted.inputs[0].dims, [6, 4, 2, 3, 5]);
    assert_eq!(converted.outputs[0].dims, [10, 3, 3, 4, 2]);
    let x = floats(&dims);
    let wanted = eval(&turned, &[("x", &x)]).unwrap();
    for (found, wanted) in given(&turned, &x).iter().zip(&wanted) {
        assert_eq!(found, wanted.as_slice::<f32>().unwrap());
    }
}

#[test]
fn what_cannot_have_fewer_axes_is_told() {
    let scattered = graph(&[2, 2, 2, 2, 2, 2], |b, x| {
        let dims = ScatterDims {
            update_window_dims: vec![1, 2, 3, 4, 5],
            inserted_window_dims: vec![0],
            input_batching_dims: Vec::new(),
            scatter_indices_batching_dims: Vec::new(),
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
        };
        let places = b.constant(Literal::new(&[2, 1], &[1, 0]).unwrap());
        vec![x.apply(Op::Scatter { dims, combiner: Combiner::Set }, &[&places, x])]
    });
    let told = refused(&scattered);
    assert!(told.contains("scatter") && told.contains("merging those that lie together"), "{told}");
}

#[test]
fn complex_numbers_are_inside_alone() {
    let transform = Op::Fft { kind: FftKind::Rfft, lengths: vec![8] };
    let spectrum = graph(&[2, 8], |_, x| vec![x.apply(transform.clone(), &[])]);
    let told = refused(&spectrum);
    assert!(told.contains("output 0: c64[2,5] is complex"), "{told}");
    let arc = graph(&[2, 8], |_, x| {
        vec![x.apply(transform.clone(), &[]).unary(UnaryOp::Cbrt).unary(UnaryOp::Real)]
    });
    let told = refused(&arc);
    assert!(told.contains("coreml"), "{told}");
}

/// A sort by what `before` says of pairs of elements.
fn sorted(x: &Tensor, before: impl FnOnce(&Tensor, &Tensor) -> Tensor) -> Tensor {
    let b = Builder::new("before");
    let [one, other] = ["a", "b"].map(|name| b.input(name, Shape::scalar(DType::F32)));
    let comparator = SubGraph::new(b.finish(&[&before(&one, &other)]).unwrap());
    x.apply(Op::SortGraph { axis: 1, stable: true, comparator }, &[])
}

#[test]
fn comparators_that_compare_keys_are_sorts_by_them() {
    let x = floats(&[3, 40]);
    let square = |t: &Tensor| t.binary(BinaryOp::Mul, t);
    // Whole steps from zero, the farthest first; of those that are as far the smaller number.
    let steps = |t: &Tensor| square(t).unary(UnaryOp::Floor);
    let by_keys = graph(&[3, 40], |_, x| {
        vec![
            sorted(x, |a, b| square(a).less(&square(b))),
            sorted(x, |a, b| {
                let tie = steps(b).equal(&steps(a)).and(&a.less(b));
                tie.or(&steps(a).compare(CompareOp::Gt, &steps(b)))
            }),
            sorted(x, |a, b| steps(a).equal(&steps(b)).select(&b.less(a), &steps(a).less(&steps(b)))),
        ]
    });
    let wanted = eval(&by_keys, &[("x", &x)]).unwrap();
    for (found, wanted) in given(&by_keys, &x).iter().zip(&wanted) {
        assert_eq!(found, wanted.as_slice::<f32>().unwrap());
    }
    let by_both = graph(&[3, 40], |_, x| vec![sorted(x, |a, b| (a + b).less(&square(a)))]);
    assert!(refused(&by_both).contains("sort_graph"), "{}", refused(&by_both));
}

#[test]
fn sizes_that_are_one_stay_out_of_the_way() {
    let dims = [1, 2, 1, 3, 1, 1, 4];
    let moved = graph(&dims, |_, x| {
        let wide = x.broadcast_in_dim(&[5, 1, 2, 1, 3, 1, 1, 4].map(Dim::Static), &[1, 2, 3, 4, 5, 6, 7]);
        vec![wide.transpose(&[7, 1, 4, 3, 2, 5, 6, 0])]
    });
    let x = floats(&dims);
    let wanted = eval(&moved, &[("x", &x)]).unwrap();
    assert_eq!(given(&moved, &x)[0], wanted[0].as_slice::<f32>().unwrap());
}
