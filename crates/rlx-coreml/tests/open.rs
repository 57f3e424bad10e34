//! Graphs with sizes that the run decides: one program, which gives what the graph gives at each size.

use prost::Message;
use rlx_compile::{CompileOptions, Param, ParamValues};
use rlx_coreml::{Conversion, OpenDim, OpenSizes, Opset};
use rlx_ir::{
    Activation, Bindings, Builder, DType, Dim, Graph, Literal, MaskKind, Op, Shape, Symbol, Tensor, eval,
};
use rlx_mil::blob::BlobFile;
use rlx_mil::import::{ParamSource, function_at};
use rlx_mil::message;
use std::collections::BTreeMap;
use std::sync::Arc;

fn floats(seed: usize, dims: &[usize]) -> Literal {
    let count = dims.iter().product();
    let number = |i: usize| ((i * 37 + seed * 11) % 29) as f32 / 14.0 - 1.0;
    Literal::new(dims, &(0..count).map(number).collect::<Vec<f32>>()).unwrap()
}

fn open(name: &str) -> OpenDim {
    OpenDim { symbol: Symbol::new(name), sizes: OpenSizes::Range(1, 512) }
}

fn symbol(name: &str) -> Dim {
    Dim::Dynamic(Symbol::new(name))
}

/// A graph with the values of its parameters.
struct Given {
    graph: Graph,
    params: Vec<(String, Literal)>,
}

/// Builds a graph of an input x and parameters.
fn given(x: Shape, sizes: &[&[usize]], f: impl FnOnce(&Tensor, &[Tensor]) -> Tensor) -> Given {
    let builder = Builder::new("main");
    let x = builder.input("x", x);
    let params: Vec<(String, Literal)> =
        sizes.iter().enumerate().map(|(i, dims)| (format!("p{i}"), floats(i + 1, dims))).collect();
    let tensors: Vec<Tensor> =
        params.iter().map(|(name, value)| builder.param(name, value.shape().clone())).collect();
    Given { graph: builder.finish(&[&f(&x, &tensors)]).unwrap(), params }
}

/// Holds the program against the graph at sizes of its dimensions, for values of x.
fn check(of: &Given, dims: &[&str], sizes: &[&[usize]], x: impl Fn(&[usize]) -> Literal) {
    let open: Vec<OpenDim> = dims.iter().map(|name| open(name)).collect();
    let values: ParamValues =
        of.params.iter().map(|(name, value)| (name.clone(), Param::new(Arc::new(value.clone())))).collect();
    for opset in Opset::ALL {
        let conversion = Conversion { dialect: opset.into(), options: CompileOptions::new() };
        let prepared = conversion.prepare_open(&of.graph, &open, &values).unwrap();
        let model = message::Model::decode(&prepared.model[..]).unwrap();
        let mut file = Vec::new();
        prepared.weights.write_to(&mut file).unwrap();
        let blobs = BlobFile::open(&file).unwrap();
        let records = |_: &str, at: u64| blobs.get(at).map(|blob| blob.bytes).map_err(|e| e.to_string());
        let function = &model.ml_program.as_ref().unwrap().functions["main"];
        for sizes in sizes {
            let bindings: Bindings =
                open.iter().zip(*sizes).map(|(dim, &size)| (dim.symbol.clone(), size)).collect();
            let bound = of.graph.bind(&bindings);
            let x = x(&bound.input_shapes()[0].static_dims().unwrap());
            let at = BTreeMap::from([("x".to_string(), x.dims().to_vec())]);
            let read =
                function_at(function, "main", &at, &records).unwrap_or_else(|e| panic!("{}", e.join("\n")));
            let mut leaves: Vec<(String, Literal)> = vec![("x".into(), x.clone())];
            for param in &read.params {
                let value = match &param.source {
                    ParamSource::Record { offset, .. } => {
                        Literal::from_bytes(&param.shape, blobs.get(*offset).unwrap().bytes).unwrap()
                    }
                    ParamSource::Made(value) => value.clone(),
                };
                leaves.push((param.name.clone(), value));
            }
            let leaves: Vec<(&str, &Literal)> =
                leaves.iter().map(|(name, value)| (name.as_str(), value)).collect();
            let mut own: Vec<(&str, &Literal)> =
                of.params.iter().map(|(name, value)| (name.as_str(), value)).collect();
            own.push(("x", &x));
            let (got, want) = (eval(&read.graph, &leaves).unwrap(), eval(&bound, &own).unwrap());
            assert_eq!(got[0].dims(), want[0].dims(), "{sizes:?}");
            let (got, want) = (got[0].as_slice::<f32>().unwrap(), want[0].as_slice::<f32>().unwrap());
            let most = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(most <= 2e-6, "{sizes:?}: a difference of {most}");
        }
    }
}

fn linear(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
    let (y, bias) = x.matmul(&weight.transpose_last()).broadcast_with(bias);
    y + bias
}

#[test]
fn an_encoder_takes_sequences_of_any_length() {
    let ids = Shape::from_dims(&[Dim::Static(2), symbol("seq")], DType::I32);
    let sizes: [&[usize]; 12] = [
        &[20, 12],
        &[512, 12],
        &[12],
        &[12],
        &[36, 12],
        &[36],
        &[12, 12],
        &[12],
        &[24, 12],
        &[24],
        &[12, 24],
        &[12],
    ];
    let encoder = given(ids, &sizes, |ids, p| {
        let places = p[1].slice_axis(0, 0, ids.dim(1));
        let words = p[0].apply(Op::Embedding {}, &[ids]);
        let (words, places) = words.broadcast_with(&places);
        let x = (words + places).apply(Op::LayerNorm { axis: 2, eps: 1e-5 }, &[&p[2], &p[3]]);
        let all = linear(&x, &p[4], &p[5]);
        let part = |n: usize| all.slice_axis(2, 12 * n, 12 * (n + 1));
        let op = Op::Attention {
            num_heads: Some(3),
            num_kv_heads: None,
            scale: None,
            mask: MaskKind::Causal,
            window: None,
            softcap: None,
            kv_scheme: None,
        };
        let x = x + linear(&part(0).apply(op, &[&part(1), &part(2)]), &p[6], &p[7]);
        let x = &x + linear(&linear(&x, &p[8], &p[9]).activation(Activation::Gelu), &p[10], &p[11]);
        x.mean(&[1], false)
    });
    let ids = |dims: &[usize]| {
        let count: usize = dims.iter().product();
        Literal::new(dims, &(0..count).map(|i| (i * 7 % 20) as i32).collect::<Vec<i32>>()).unwrap()
    };
    check(&encoder, &["seq"], &[&[1], &[2], &[7], &[64], &[200]], ids);
}

#[test]
fn several_dimensions_are_open_at_once() {
    let x = Shape::from_dims(&[symbol("batch"), symbol("seq"), Dim::Static(6)], DType::F32);
    let net = given(x, &[&[6, 6]], |x, p| {
        let scores = x.matmul(&p[0]).matmul(&x.transpose_last());
        scores.softmax(2).matmul(x).activation(Activation::Gelu)
    });
    check(&net, &["batch", "seq"], &[&[1, 1], &[3, 5], &[2, 40]], |dims| floats(0, dims));
}

#[test]
fn sizes_that_programs_do_not_compute_are_refused_by_name() {
    let x = Shape::from_dims(&[symbol("seq"), Dim::Static(4)], DType::F32);
    let sorted = given(x, &[], |x, _| {
        let places = x.builder().iota(Shape::from_dims(&x.dims(), DType::F32), 0);
        x + places
    });
    let conversion = Conversion { dialect: Opset::Ios17.into(), options: CompileOptions::new() };
    let few = [OpenDim { symbol: Symbol::new("seq"), sizes: OpenSizes::List(vec![1, 2]) }];
    let problem =
        conversion.prepare_open(&sorted.graph, &few, &ParamValues::new()).err().unwrap().to_string();
    assert!(problem.contains("dimension seq"), "{problem}");
}
