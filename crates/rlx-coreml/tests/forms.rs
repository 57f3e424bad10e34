//! Values that programs cannot represent: more than five axes, complex numbers, comparators; how they are rewritten, and the messages if
//! they cannot be.

use prost::Message;
use rlx_compile::{CompileOptions, Param, ParamValues, PrecisionPolicy};
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

/// Runs a graph of an input x on the device.
fn given(graph: &Graph, x: &Literal) -> Vec<Vec<f32>> {
    let engine = Arc::new(InterpretedEngine { opset: Opset::Ios17 });
    let mut program = CoremlExecutable::with_engine(graph.clone(), engine, CoremlOptions::new()).unwrap();
    program.run(&[("x", x.as_slice().unwrap())]).unwrap()
}

/// Returns why a graph cannot become a package.
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
    assert!(told.contains("scatter") && told.contains("merging adjacent ones"), "{told}");
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

/// Sorts by a comparison of pairs of elements.
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
    // Whole steps from zero, the farthest first; for equal distances, the smaller number first.
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

/// Returns the operations of a model with one function.
fn operations(prepared: &rlx_coreml::Prepared<'_>) -> Vec<rlx_mil::message::Operation> {
    let model = rlx_mil::message::Model::decode(&prepared.model[..]).unwrap();
    let function = &model.ml_program.unwrap().functions["main"];
    function.block_specializations.values().flat_map(|block| block.operations.clone()).collect()
}

#[test]
fn kernels_that_are_inputs_have_zeros_for_their_dilations() {
    // Core ML refuses dilations of weights that are not constants: coremltools' type rule of `conv`.
    let dilated = |is_param: bool| {
        let b = Builder::new("main");
        let x = b.input("x", Shape::new(&[1, 2, 7, 8], DType::F32));
        let shape = Shape::new(&[3, 2, 3, 2], DType::F32);
        let w = if is_param { b.param("w", shape) } else { b.input("w", shape) };
        let op = Op::Conv2d { stride: vec![1, 1], padding: vec![0, 0], dilation: vec![2, 3], groups: 1 };
        b.finish(&[&x.apply(op, &[&w])]).unwrap()
    };
    let w = floats(&[3, 2, 3, 2]);
    let values = ParamValues::from([("w".to_string(), Param::new(Arc::new(w.clone())))]);
    let conversion = Conversion::new(Opset::Ios17.into(), CompileOptions::new());
    let kinds = |graph: &Graph, values: &ParamValues| -> Vec<String> {
        operations(&conversion.prepare(graph, values).unwrap()).into_iter().map(|op| op.r#type).collect()
    };
    assert!(kinds(&dilated(false), &ParamValues::new()).iter().any(|kind| kind == "concat"));
    assert!(!kinds(&dilated(true), &values).iter().any(|kind| kind == "concat"));
    let x = floats(&[1, 2, 7, 8]);
    let wanted = eval(&dilated(false), &[("x", &x), ("w", &w)]).unwrap();
    let engine = Arc::new(InterpretedEngine { opset: Opset::Ios17 });
    let mut program = CoremlExecutable::with_engine(dilated(false), engine, CoremlOptions::new()).unwrap();
    let given = [("x", x.as_slice().unwrap()), ("w", w.as_slice().unwrap())];
    for (found, wanted) in program.run(&given).unwrap()[0].iter().zip(wanted[0].as_slice::<f32>().unwrap()) {
        assert!((found - wanted).abs() <= 1e-5, "{found} instead of {wanted}");
    }
}

#[test]
fn weights_beyond_f16_stay_in_f32_with_what_reads_them() {
    let b = Builder::new("main");
    let x = b.input("x", Shape::new(&[1, 2], DType::F32));
    let (large, small) = (
        b.param("large", Shape::new(&[2, 2], DType::F32)),
        b.param("small", Shape::new(&[2, 2], DType::F32)),
    );
    let graph = b.finish(&[&x.matmul(&large), &x.matmul(&small)]).unwrap();
    let value = |numbers: [f32; 4]| Param::new(Arc::new(Literal::new(&[2, 2], &numbers).unwrap()));
    let values = ParamValues::from([
        ("large".to_string(), value([1.0, 1e6, 2.0, 3.0])),
        ("small".to_string(), value([1.0, 2.0, 3.0, 4.0])),
    ]);
    let options = CompileOptions::new().precision(PrecisionPolicy::AlwaysF16);
    let prepared = Conversion::new(Opset::Ios17.into(), options).prepare(&graph, &values);
    let products: Vec<String> = operations(&prepared.unwrap())
        .into_iter()
        .filter(|op| op.r#type == "matmul" || op.r#type == "linear")
        .map(|op| format!("{:?}", op.outputs[0].r#type))
        .collect();
    // In the specification's data types, 11 is FLOAT32 and 10 is FLOAT16.
    let is = |text: &String, ty: u32| text.contains(&format!("data_type: {ty}"));
    let (wide, half): (Vec<bool>, Vec<bool>) = (
        products.iter().map(|text| is(text, 11) || text.contains("Float32")).collect(),
        products.iter().map(|text| is(text, 10) || text.contains("Float16")).collect(),
    );
    assert_eq!((wide, half), (vec![true, false], vec![false, true]), "{products:?}");
}
