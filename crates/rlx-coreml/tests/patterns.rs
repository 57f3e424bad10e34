//! Operations of programs that say what several ops of a graph do: they are found, and the program read back gives what the graph gives.

use prost::Message;
use rlx_compile::CompileOptions;
use rlx_compile::pipeline::lower_for;
use rlx_coreml::{CoremlClaims, ModelBuilder, Opset};
use rlx_ir::{
    BinaryOp, Builder, CompareOp, DType, Graph, Literal, Op, ReduceOp, Shape, Tensor, UnaryOp, eval,
};
use rlx_mil::blob::{BlobFile, Blobs};
use rlx_mil::import::ParamSource;
use rlx_mil::{import, message};

/// Values of a name: reproducible, positive and negative.
fn values(seed: usize, dims: &[usize]) -> Literal {
    let count = dims.iter().product();
    let number = |i: usize| ((i * 37 + seed * 11) % 29) as f32 / 7.0 - 1.75;
    Literal::new(dims, &(0..count).map(number).collect::<Vec<f32>>()).unwrap()
}

/// The operations that a graph became, and what they give when they are read back, beside what the graph gives.
fn emitted(graph: &Graph, given: &[(&str, &Literal)]) -> (Vec<String>, Vec<Literal>, Vec<Literal>) {
    let claims = CoremlClaims { dialect: Opset::Ios17.into() };
    let lowered = lower_for(graph, &[], "coreml", &claims, &CompileOptions::new()).unwrap();
    let value = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, value)| value.bytes());
    let (mut weights, mut builder) = (Blobs::new(), ModelBuilder::new(Opset::Ios17.into()));
    builder.function("main", lowered.graph(), &value, &mut weights).unwrap();
    let model = message::Model::decode(&builder.finish().unwrap()[..]).unwrap();
    let mut file = Vec::new();
    weights.write_to(&mut file).unwrap();
    let blobs = BlobFile::open(&file).unwrap();
    let function = &model.ml_program.unwrap().functions["main"];
    let records = |_: &str, at: u64| blobs.get(at).map(|blob| blob.bytes).map_err(|e| e.to_string());
    let read = import::function(function, "main", &records).unwrap();
    let mut leaves: Vec<(String, Literal)> =
        given.iter().map(|(name, value)| (name.to_string(), (*value).clone())).collect();
    leaves.retain(|(name, _)| read.graph.inputs().any(|input| input.name() == Some(name.as_str())));
    for param in &read.params {
        let value = match &param.source {
            ParamSource::Record { offset, .. } => {
                Literal::from_bytes(&param.shape, blobs.get(*offset).unwrap().bytes).unwrap()
            }
            ParamSource::Made(value) => value.clone(),
        };
        leaves.push((param.name.clone(), value));
    }
    let leaves: Vec<(&str, &Literal)> = leaves.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let kinds = function.block_specializations.values().flat_map(|block| &block.operations);
    let kinds = kinds.map(|operation| operation.r#type.clone()).filter(|kind| kind != "const").collect();
    (kinds, eval(&read.graph, &leaves).unwrap(), eval(graph, given).unwrap())
}

/// Checks that a function of x and parameters of these sizes becomes this operation, and gives the same.
fn check(
    kind: &str,
    gone: &str,
    x: &[usize],
    params: &[&[usize]],
    f: impl FnOnce(&Tensor, &[Tensor]) -> Tensor,
) {
    let builder = Builder::new("main");
    let input = builder.input("x", Shape::new(x, DType::F32));
    let names: Vec<String> = (0..params.len()).map(|i| format!("p{i}")).collect();
    let tensors: Vec<Tensor> = names
        .iter()
        .zip(params)
        .map(|(name, dims)| builder.param(name, Shape::new(dims, DType::F32)))
        .collect();
    let graph = builder.finish(&[&f(&input, &tensors)]).unwrap();
    let literals: Vec<Literal> = params.iter().enumerate().map(|(i, dims)| values(i + 1, dims)).collect();
    let own = values(0, x);
    let given: Vec<(&str, &Literal)> =
        names.iter().map(String::as_str).zip(&literals).chain([("x", &own)]).collect();
    let (kinds, got, want) = emitted(&graph, &given);
    assert!(kinds.iter().any(|made| made == kind), "{kind} is not among {kinds:?}");
    assert!(!kinds.iter().any(|made| made == gone), "{gone} is left in {kinds:?}");
    let (got, want) = (got[0].as_slice::<f32>().unwrap(), want[0].as_slice::<f32>().unwrap());
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!(
            (got - want).abs() <= 4.0 * f32::EPSILON * want.abs().max(8.0),
            "{kind}: {got} instead of {want}"
        );
    }
}

#[test]
fn products_take_a_vector_as_their_bias() {
    check("linear", "add", &[5, 8], &[&[12, 8], &[12]], |x, p| {
        let (lhs_contract, rhs_contract) = (vec![1], vec![1]);
        let op =
            Op::DotGeneral { lhs_batch: vec![], rhs_batch: vec![], lhs_contract, rhs_contract, dtype: None };
        let product = x.apply(op, &[&p[0]]);
        &product + p[1].broadcast_in_dim(&product.dims(), &[1])
    });
}

#[test]
fn convolutions_take_one_number_per_feature_as_their_bias() {
    check("conv", "add", &[1, 3, 6, 6], &[&[12, 3, 3, 3], &[12]], |x, p| {
        let op = Op::Conv2d { stride: vec![1, 1], padding: vec![1, 1], dilation: vec![1, 1], groups: 1 };
        let y = x.apply(op, &[&p[0]]);
        &y + p[1].broadcast_in_dim(&y.dims(), &[1])
    });
}

#[test]
fn slopes_per_channel_are_a_prelu() {
    check("prelu", "select", &[2, 12, 5], &[&[12]], |x, p| {
        let zero = x.scalar_like(0.0).broadcast_in_dim(&x.dims(), &[]);
        let slopes = p[0].broadcast_in_dim(&x.dims(), &[1]);
        x.compare(CompareOp::Ge, &zero).select(x, &(x * slopes))
    });
}

#[test]
fn a_choice_against_zero_is_a_thresholded_relu() {
    check("thresholded_relu", "select", &[3, 7], &[], |x, _| {
        let number = |n: f64| x.scalar_like(n).broadcast_in_dim(&x.dims(), &[]);
        x.compare(CompareOp::Ge, &number(0.5)).select(x, &number(0.0))
    });
}

#[test]
fn extremes_of_numbers_are_a_clip_and_squares_are_squares() {
    check("clip", "maximum", &[3, 7], &[], |x, _| {
        x.apply(Op::Clip { low: Some(-0.5), high: Some(0.75) }, &[])
    });
    check("square", "mul", &[3, 7], &[], |x, _| x * x);
    check("reduce_sum_square", "reduce_sum", &[3, 7], &[], |x, _| (x * x).reduce(ReduceOp::Sum, &[1], false));
    check("reduce_l2_norm", "sqrt", &[3, 7], &[], |x, _| {
        (x * x).reduce(ReduceOp::Sum, &[1], false).unary(UnaryOp::Sqrt)
    });
    check("reduce_l1_norm", "abs", &[3, 7], &[], |x, _| {
        x.unary(UnaryOp::Abs).reduce(ReduceOp::Sum, &[1], false)
    });
    check("softsign", "real_div", &[3, 7], &[], |x, _| x / (x.unary(UnaryOp::Abs) + 1.0));
    check("scaled_tanh", "tanh", &[3, 7], &[], |x, _| (x * 0.5).unary(UnaryOp::Tanh) * 1.5);
    check("exp2", "pow", &[3, 7], &[], |x, _| {
        x.scalar_like(2.0).broadcast_in_dim(&x.dims(), &[]).binary(BinaryOp::Pow, x)
    });
}

#[test]
fn statistics_that_are_known_make_a_batch_norm() {
    check("batch_norm", "rsqrt", &[2, 12, 5], &[&[12], &[12], &[12], &[12]], |x, p| {
        // Larger than what the least variance is below 0.
        let op = Op::BatchNorm { axis: 1, eps: 2.0 };
        x.apply(op, &[&p[0], &p[1], &p[2], &p[3]])
    });
}
