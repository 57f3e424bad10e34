//! Tests MiniLM's graph at a small size on the interpreter: embeddings, masked attention, normalized rows, GELU, pooling. The example
//! `minilm` runs the real model.

use rlx_codegen::judge::difference;
use rlx_interpreter::InterpreterBackend;
use rlx_ir::{Activation, Bindings, Graph, Literal, Node, Symbol};
use rlx_models::bert::{BertConfig, INPUTS, sentence_graph};
use rlx_models::sentence::SentenceConfig;
use rlx_session::{CompileOptions, CompiledGraph, Device, Session, register_backend};
use std::path::Path;
use std::sync::Arc;

/// MiniLM with narrow layers, and half the number of layers.
fn encoder() -> Graph {
    let config = BertConfig {
        vocab_size: 40,
        hidden_size: 24,
        layers: 3,
        heads: 4,
        intermediate_size: 96,
        activation: Activation::Gelu,
        layer_norm_eps: 1e-12,
        max_positions: 16,
        token_types: 2,
        pad_token: 0,
    };
    // Mean pooling, as in MiniLM.
    let bare = SentenceConfig::load(Path::new("/nonexistent")).unwrap();
    sentence_graph(&config, &SentenceConfig { normalize: true, ..bare }).unwrap()
}

/// Numbers between −1/2 and 1/2 without a pattern.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u32 << 24) as f32 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

/// A value for every parameter.
fn weights(graph: &Graph) -> Vec<(String, Literal)> {
    let value = |(seed, (name, shape)): (u64, (&str, &rlx_ir::Shape))| {
        let dims: Vec<usize> = shape.dims().iter().map(|dim| dim.as_static().unwrap()).collect();
        let mut values = numbers(dims.iter().product(), seed);
        if name.ends_with("LayerNorm.weight") {
            values.iter_mut().for_each(|x| *x += 1.0);
        }
        (name.to_string(), Literal::new(&dims, &values).unwrap())
    };
    (0..).zip(graph.named_params()).map(value).collect()
}

/// Tokens, types and mask of texts of these lengths.
fn texts(lengths: &[usize], padding: i32) -> Vec<Literal> {
    let width = lengths.iter().copied().max().unwrap();
    let dims = [lengths.len(), width];
    let rows = |element: &dyn Fn(usize, usize) -> i32| {
        let row = |(row, &length): (usize, &usize)| -> Vec<i32> {
            (0..width).map(|at| if at < length { element(row, at) } else { padding }).collect()
        };
        Literal::new(&dims, &lengths.iter().enumerate().flat_map(row).collect::<Vec<i32>>()).unwrap()
    };
    let mask = lengths.iter().flat_map(|&n| (0..width).map(move |at| i32::from(at < n)));
    let mask = Literal::new(&dims, &mask.collect::<Vec<i32>>()).unwrap();
    vec![rows(&|row, at| (7 + 11 * row + 5 * at) as i32 % 40), rows(&|_, at| i32::from(at > 3)), mask]
}

fn named(inputs: &[Literal]) -> Vec<(&'static str, &Literal)> {
    INPUTS.into_iter().zip(inputs).collect()
}

/// Returns the evaluator's result.
fn expected(graph: &Graph, weights: &[(String, Literal)], inputs: &[Literal]) -> Literal {
    let dims = inputs[0].dims();
    let sizes: Bindings =
        [("batch", dims[0]), ("seq", dims[1])].map(|(n, size)| (Symbol::new(n), size)).into();
    let graph = graph.bind(&sizes);
    let values = weights.iter().map(|(name, value)| (name.as_str(), value));
    let named: Vec<(&str, &Literal)> = named(inputs).into_iter().chain(values).collect();
    rlx_ir::eval(&graph, &named).unwrap().remove(0)
}

fn compiled(graph: &Graph, weights: &[(String, Literal)]) -> CompiledGraph {
    register_backend(Arc::new(InterpreterBackend));
    let session = Session::new(Device::Interpreter).with_options(CompileOptions::new());
    let mut compiled = session.try_compile(graph.clone()).unwrap();
    for (name, value) in weights {
        compiled.set_param_typed(name, value.bytes(), value.dtype()).unwrap();
    }
    compiled
}

#[test]
fn the_encoder_gives_what_the_evaluator_gives() {
    let graph = encoder();
    assert!(graph.inputs().filter_map(Node::name).eq(INPUTS));
    let weights = weights(&graph);
    let mut encoder = compiled(&graph, &weights);
    for lengths in [&[7, 3][..], &[1], &[12, 9, 5]] {
        let inputs = texts(lengths, 0);
        let vectors = encoder.run_literals(&named(&inputs)).unwrap().remove(0);
        let distance = difference(&vectors, &expected(&graph, &weights, &inputs));
        // In units in the last place of the largest element. Sums have up to 96 products, in a different order.
        assert!(distance <= 16.0, "{lengths:?}: {distance}");
        // Padding says nothing.
        let others = encoder.run_literals(&named(&texts(lengths, 1))).unwrap().remove(0);
        assert_eq!(vectors, others, "{lengths:?}");
    }
}
