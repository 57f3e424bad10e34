//! The programs of examples/jax as crates, compared with what JAX computed.

use crate::crates::{Example, run_all};
use rlx_files::weights::Weights;
use rlx_ir::{Class, Literal, Node, Shape};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/jax")
}

fn file(name: &str, kind: &str) -> PathBuf {
    folder().join(format!("{name}.{kind}"))
}

/// The programs of examples/jax/programs.txt, each with the maximum difference that is allowed.
fn programs() -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(folder().join("programs.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let program = |line: &str| {
        let (name, tolerance) = line.split_once(" : ").unwrap();
        (name.to_string(), tolerance.parse().unwrap())
    };
    lines.map(program).collect()
}

/// Reads a tensor of a file in the shape that a graph declares.
fn literal(file: &Weights, name: &str, shape: &Shape) -> Literal {
    let tensor = file.tensor(name).unwrap();
    assert_eq!(tensor.dtype().unwrap(), shape.dtype(), "{name}");
    Literal::from_bytes(shape, tensor.bytes()).unwrap()
}

/// A program with its arguments.
fn example(name: &str) -> Example {
    let text = std::fs::read_to_string(file(name, "mlir")).unwrap();
    let graph = rlx_stablehlo::import(&text).unwrap().graph;
    let arguments = Weights::open(&file(name, "inputs.safetensors")).unwrap();
    let input = |node: &Node| literal(&arguments, node.name().unwrap(), node.shape());
    let inputs = graph.inputs().map(input).collect();
    Example { graph, inputs, params: BTreeMap::new(), passed: Vec::new() }
}

fn numbers(literal: &Literal) -> Vec<f64> {
    let words = literal.bytes().chunks_exact(4).map(|bytes| <[u8; 4]>::try_from(bytes).unwrap());
    match literal.dtype().class() {
        Class::Float => words.map(|word| f64::from(f32::from_le_bytes(word))).collect(),
        _ => words.map(|word| f64::from(i32::from_le_bytes(word))).collect(),
    }
}

#[test]
fn crates_give_what_jax_gives() {
    let programs = programs();
    let examples: Vec<Example> = programs.iter().map(|(name, _)| example(name)).collect();
    for ((name, tolerance), results) in programs.iter().zip(run_all(&examples)) {
        let expected = Weights::open(&file(name, "outputs.safetensors")).unwrap();
        assert_eq!(results.len(), expected.len(), "{name}");
        for (number, result) in results.iter().enumerate() {
            let output = format!("out{number}");
            let expected = literal(&expected, &output, result.shape());
            let (got, expected) = (numbers(result), numbers(&expected));
            let largest = expected.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            let allowed = if result.dtype().is_float() { tolerance * largest } else { 0.0 };
            for (at, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let near = got == expected || (got - expected).abs() <= allowed;
                assert!(near, "{name}: {output}, element {at}: {got}, JAX has {expected}");
            }
        }
    }
}
