//! Every case of the conformance table: lowered, verified, and run by the interpreter.

use rlx_codegen::judge::sizes;
use rlx_codegen::verify::verify_launches;
use rlx_codegen::{Interpreter, lower};
use rlx_conformance::{Outcome, Target, TargetError, cases, judge};
use rlx_ir::{Graph, Literal, Op, OpKind, QuantScheme};

struct Kernels;

impl Target for Kernels {
    fn name(&self) -> &str {
        "kernels"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: &dyn std::fmt::Display| TargetError::Failed(e.to_string());
        let launches = lower(graph).map_err(|e| TargetError::Unsupported(e.to_string()))?;
        verify_launches(&launches).map_err(|e| failed(&e))?;
        let inputs: Vec<&Literal> = inputs.iter().map(|(_, literal)| *literal).collect();
        let sizes = sizes(graph, &inputs);
        let results = Interpreter::default().run(&launches, &sizes, &inputs, &graph.output_shapes());
        results.map(|results| results.outputs).map_err(|e| failed(&e))
    }
}

/// Returns whether an op does not become kernels: control flow, custom ops, and ops that are expanded or computed by a library.
fn is_elsewhere(kind: OpKind) -> bool {
    use OpKind::*;
    let control = matches!(kind, If | Case | While | Scan | Custom);
    let factors = matches!(kind, Cholesky | Lu | Qr | Geqrf | Geqp3 | HouseholderProduct | Eigh | Eig | Svd);
    control || factors || matches!(kind, TriangularSolve | TridiagonalSolve | Fft)
}

/// Returns whether a format's values are points of a grid, which are gathered, because a kernel has no tables of that length.
fn is_gathered(op: &Op) -> bool {
    use QuantScheme::*;
    match op {
        Op::DequantizeBlocks { scheme }
        | Op::DequantMatMul { scheme, .. }
        | Op::DequantGroupedMatMul { scheme, .. } => {
            matches!(scheme, IQ1_S | IQ1_M | IQ2_XXS | IQ2_XS | IQ2_S | IQ3_XXS | IQ3_S)
        }
        _ => false,
    }
}

#[test]
fn what_is_lowered_does_what_the_evaluator_does() {
    let (mut passed, mut failed) = (0, Vec::new());
    for case in cases::FAMILIES.iter().flat_map(|family| family.cases()) {
        let problem = match judge(&Kernels, &case, 0) {
            Outcome::Skipped(reason) => {
                let op = reason.split('`').nth(1).and_then(OpKind::from_name);
                if op.is_some_and(is_elsewhere) || is_gathered(&case.op) {
                    continue;
                }
                reason
            }
            Outcome::Failed(problem) => problem,
            Outcome::NotApplicable(_) => continue,
            Outcome::Passed | Outcome::Allowed(_) => {
                passed += 1;
                continue;
            }
        };
        failed.push(format!("{}: {problem}", case.name));
    }
    assert!(failed.is_empty(), "{} cases fail:\n{}", failed.len(), failed[..failed.len().min(60)].join("\n"));
    assert!(passed > 22_000);
}
