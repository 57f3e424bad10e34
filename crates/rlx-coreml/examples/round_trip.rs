//! Every case of the conformance table as an ML Program, read back and evaluated: `cargo run -p rlx-coreml --example round_trip -- [--ops NAME,…] [--verbose]`.

use prost::Message;
use rlx_compile::CompileOptions;
use rlx_compile::pipeline::lower_for;
use rlx_conformance::{Args, Target, TargetError, run};
use rlx_coreml::{CoremlClaims, ModelBuilder, Opset};
use rlx_ir::{DType, Graph, Literal, Shape};
use rlx_mil::emit::WeightStore;
use rlx_mil::{import, message};

/// Weights in memory, by their number.
#[derive(Default)]
struct Kept(Vec<Vec<u8>>);

impl WeightStore for Kept {
    fn add(&mut self, _: DType, bytes: &[u8]) -> Result<u64, String> {
        self.0.push(bytes.to_vec());
        Ok(self.0.len() as u64 - 1)
    }
}

struct RoundTrip;

fn failed(e: impl ToString) -> TargetError {
    TargetError::Failed(e.to_string())
}

impl Target for RoundTrip {
    fn name(&self) -> &str {
        "mil"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let opset = Opset::Ios18;
        let lowered = lower_for(graph, &[], "coreml", &CoremlClaims { opset }, &CompileOptions::new())
            .map_err(|e| TargetError::Unsupported(e.to_string()))?;
        let graph = lowered.graph();
        let mut weights = Kept::default();
        let mut builder = ModelBuilder::new(opset);
        let value = |name: &str| inputs.iter().find(|(n, _)| *n == name).map(|(_, value)| value.bytes());
        let emitted = builder.function("main", graph, &value, &mut weights);
        let emitted = emitted.map_err(|e| TargetError::Unsupported(e.to_string()))?.clone();
        let bytes = builder.finish().map_err(failed)?;
        let model = message::Model::decode(&bytes[..]).map_err(failed)?;
        let program = model.ml_program.ok_or_else(|| failed("no program"))?;
        let records = |_: &str, at: u64| {
            weights.0.get(at as usize).map(Vec::as_slice).ok_or_else(|| "no such record".to_string())
        };
        let imported = import::function(&program.functions["main"], "main", &records);
        let imported = imported.map_err(|problems| failed(problems.join("; ")))?;
        // What the model is given: the inputs under the model's names and types.
        let mut given: Vec<(String, Literal)> = Vec::new();
        let named = graph.inputs().filter_map(|node| node.name());
        for (name, feature) in named.zip(&emitted.inputs) {
            let (_, value) = inputs.iter().find(|(n, _)| *n == name).ok_or_else(|| failed("no input"))?;
            given.push((feature.name.clone(), recast(value, &Shape::new(&feature.dims, feature.dtype))?));
        }
        for param in &imported.params {
            let bytes = &weights.0[param.offset as usize];
            given.push((param.name.clone(), Literal::from_bytes(&param.shape, bytes).map_err(failed)?));
        }
        let given: Vec<(&str, &Literal)> = given.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let results = rlx_ir::eval(&imported.graph, &given).map_err(failed)?;
        results.iter().zip(graph.output_shapes()).map(|(result, shape)| recast(result, &shape)).collect()
    }
}

/// A value at the border: other sizes of as many elements; booleans as integers and back.
fn recast(value: &Literal, shape: &Shape) -> Result<Literal, TargetError> {
    let bytes = match (value.dtype(), shape.dtype()) {
        (DType::Bool, DType::I32) => value.bytes().iter().flat_map(|&b| i32::from(b).to_le_bytes()).collect(),
        (DType::I32, DType::Bool) => value.bytes().chunks_exact(4).map(|x| u8::from(x != [0; 4])).collect(),
        _ => value.bytes().to_vec(),
    };
    Literal::from_bytes(shape, &bytes).map_err(failed)
}

#[allow(clippy::print_stdout)]
fn main() {
    let mut args = Args::default();
    let mut verbose = false;
    let mut given = std::env::args().skip(1);
    while let Some(arg) = given.next() {
        match arg.as_str() {
            "--ops" => args.ops = given.next().unwrap_or_default().split(',').map(Into::into).collect(),
            "--families" => args.families = given.next().unwrap_or_default().split(',').map(Into::into).collect(),
            _ => verbose = true,
        }
    }
    let report = run(&args, &[&RoundTrip]);
    for note in report.failures() {
        println!("FAILED {note:?}");
    }
    if verbose {
        for note in report.skips() {
            println!("skipped {note:?}");
        }
    }
    println!("{}", report.summary());
}
