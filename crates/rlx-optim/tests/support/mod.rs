//! Goldens of `scripts/optimizer_goldens.py`, and ways to run a graph.

#![allow(dead_code)]

use rlx_ir::{DType, Graph, Literal, Op};
use rlx_session::{CompileOptions, CompiledGraph, CpuOptions, Device, Session};
use serde_json::Value;
use std::path::Path;

/// A file of goldens: f64 tensors by name, and metadata.
pub struct Goldens {
    bytes: Vec<u8>,
    about: std::collections::HashMap<String, String>,
}

impl Goldens {
    pub fn open(name: &str) -> Goldens {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
        let bytes = std::fs::read(path).unwrap();
        let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
        Goldens { about: header.metadata().clone().unwrap(), bytes }
    }

    /// Returns an entry of the metadata.
    pub fn about(&self, key: &str) -> Value {
        serde_json::from_str(&self.about[key]).unwrap()
    }

    /// Returns the sizes and elements of a tensor.
    pub fn tensor(&self, name: &str) -> (Vec<usize>, Vec<f64>) {
        let file = safetensors::SafeTensors::deserialize(&self.bytes).unwrap();
        let view = file.tensor(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let elements = view.data().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
        (view.shape().to_vec(), elements.collect())
    }

    /// Returns element `step` along the first axis of a tensor.
    pub fn at(&self, name: &str, step: usize) -> Vec<f64> {
        let (sizes, all) = self.tensor(name);
        let each = sizes[1..].iter().product::<usize>();
        all[step * each..(step + 1) * each].to_vec()
    }
}

/// Returns numbers as a tensor of a type.
pub fn literal(sizes: &[usize], values: &[f64], dtype: DType) -> Literal {
    rlx_ir::eval::Value::floats(sizes.to_vec(), dtype, values.to_vec()).to_literal().unwrap()
}

/// Returns the numbers of a tensor.
pub fn numbers(literal: &Literal) -> Vec<f64> {
    rlx_ir::eval::Value::from_literal(literal).to_f64s()
}

/// How a graph is run.
pub enum Runner {
    Evaluator(Graph),
    Compiled(Box<CompiledGraph>),
}

impl Runner {
    pub fn compiled(graph: &Graph, threads: usize) -> Runner {
        let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
        let session = Session::new(Device::Cpu).with_options(options);
        Runner::Compiled(Box::new(session.try_compile(graph.clone()).unwrap()))
    }

    /// Returns the outputs for inputs by name; inputs that the graph does not have are ignored.
    pub fn run(&mut self, inputs: &[(String, Literal)]) -> Vec<Literal> {
        let graph = match self {
            Runner::Evaluator(graph) => graph,
            Runner::Compiled(compiled) => compiled.graph(),
        };
        let names: Vec<&str> = graph
            .inputs()
            .filter_map(|n| if let Op::Input { name } = n.op() { Some(name.as_str()) } else { None })
            .collect();
        let known = inputs.iter().filter(|(name, _)| names.contains(&name.as_str()));
        let known: Vec<(&str, &Literal)> = known.map(|(name, l)| (name.as_str(), l)).collect();
        match self {
            Runner::Evaluator(graph) => rlx_ir::eval(graph, &known).unwrap(),
            Runner::Compiled(compiled) => {
                let known: Vec<(String, Literal)> =
                    known.into_iter().map(|(n, l)| (n.to_string(), l.clone())).collect();
                let known: Vec<(&str, &Literal)> = known.iter().map(|(n, l)| (n.as_str(), l)).collect();
                compiled.run_literals(&known).unwrap()
            }
        }
    }
}

/// Returns the largest difference, relative to the largest expected magnitude.
pub fn distance(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let scale = expected.iter().fold(1e-3f64, |m, x| m.max(x.abs()));
    let difference = |(a, b): (&f64, &f64)| {
        if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() / scale }
    };
    got.iter().zip(expected).map(difference).fold(0.0, f64::max)
}
