//! The conformance table on the interpreter.

use rlx_codegen::Interpreter;
use rlx_compile::pipeline::{CompileError, compile};
use rlx_compile::{CompileOptions, Param};
use rlx_conformance::{Outcome, Target, TargetError, cases, judge};
use rlx_interpreter::InterpreterBackend;
use rlx_ir::{Bindings, Graph, Literal};
use std::collections::BTreeMap;
use std::sync::Arc;

struct Interpreted(Interpreter);

impl Target for Interpreted {
    fn name(&self) -> &str {
        "interpreter"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: &dyn std::fmt::Display| TargetError::Failed(e.to_string());
        let options = CompileOptions::new().with_backend(self.0.clone());
        let mut bindings = Bindings::new();
        for node in graph.nodes() {
            let Some(value) = node.name().and_then(|name| inputs.iter().find(|(n, _)| *n == name)) else { continue };
            for (dim, size) in node.shape().dims().iter().zip(value.1.dims()) {
                if let rlx_ir::Dim::Dynamic(symbol) = dim {
                    bindings.insert(symbol.clone(), size);
                }
            }
        }
        let compiled = compile(graph, &bindings, &InterpreterBackend, &options).map_err(|e| match e {
            CompileError::Legalize(e) => TargetError::Unsupported(format!("{}: {}", graph.name(), e.to_string().replace('\n', " "))),
            e => failed(&e),
        })?;
        let mut executable = compiled.executable;
        let value = |name: &str| inputs.iter().find(|(n, _)| *n == name).map(|v| v.1.clone());
        for (i, node) in graph.params().enumerate() {
            executable.set_param(i, Param::new(Arc::new(value(node.name().unwrap()).unwrap())));
        }
        let operands: Vec<Literal> = graph.inputs().map(|n| value(n.name().unwrap()).unwrap()).collect();
        let operands: Vec<&[u8]> = operands.iter().map(Literal::bytes).collect();
        executable.run_on_host(&operands).map_err(|e| failed(&e))?;
        let shapes = graph.bind(&bindings).output_shapes();
        let outputs = shapes.iter().enumerate().map(|(i, shape)| {
            Literal::from_bytes(shape, executable.output(i).map_err(|e| failed(&e))?).map_err(|e| failed(&e))
        });
        outputs.collect()
    }
}

#[test]
fn table() {
    let ops = std::env::var("OPS").unwrap_or_default();
    let mut passed: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases::all() {
        if !ops.is_empty() && !ops.split(',').any(|o| o == case.op.mnemonic() || o == case.kind().name()) {
            continue;
        }
        let start = std::time::Instant::now();
        if std::env::var("EVAL").is_ok() {
            println!("evaluator {} {:?}", case.name, judge(&rlx_conformance::Evaluator, &case, 0));
        }
        let outcome = std::panic::catch_unwind(|| judge(&Interpreted(Interpreter::default()), &case, 0));
        let took = start.elapsed().as_secs_f64();
        if took > 2.0 {
            println!("slow {} {took:.1}", case.name);
        }
        let entry = passed.entry(case.op.mnemonic().into()).or_default();
        match outcome {
            Ok(Outcome::Passed) => entry[0] += 1,
            Ok(Outcome::Skipped(why)) => {
                entry[1] += 1;
                *reasons.entry(why).or_default() += 1;
            }
            other => {
                entry[2] += 1;
                if entry[2] < 4 {
                    println!("FAILED {}: {:.600}", case.name, format!("{other:?}"));
                }
            }
        }
    }
    for (why, count) in reasons.iter().filter(|r| !ops.is_empty() || *r.1 > 0) {
        println!("skipped {count}: {:.300}", why);
    }
    for (op, [p, s, f]) in &passed {
        println!("{op}: {p} passed, {s} skipped, {f} failed");
    }
    let sum = passed.values().fold([0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    println!("all: {sum:?}");
}
