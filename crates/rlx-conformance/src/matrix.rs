//! Runs the table: checks the evaluator against the goldens, and every other target against the evaluator.

use crate::bound::{Allowance, Freedom, Known, Reference, Verdict};
use crate::case::{Bound, Case, Judged, Zeros, borrowed};
use crate::cases::{FAMILIES, Family};
use crate::compare::{Agreement, Mismatch, agrees, same_bits};
use crate::data::Limits;
use crate::golden::{self, Goldens};
use crate::report::{Outcome, Report};
use crate::subnormal::{flushed, unflushed};
use crate::target::{Evaluator, Target, TargetError, refused_type};
use rlx_ir::eval::Scalar;
use rlx_ir::{Graph, Literal, OpClass};
use std::collections::BTreeSet;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Args {
    /// Only these families, or all if empty.
    pub families: Vec<String>,
    /// Only ops with these names, or all if empty.
    pub ops: Vec<String>,
    /// How many times each case also runs on the targets with values that differ from those of the goldens.
    pub more_seeds: u64,
}

impl Args {
    fn wants_family(&self, family: &Family) -> bool {
        self.families.is_empty() || self.families.iter().any(|f| f == family.name)
    }

    fn wants(&self, case: &Case) -> bool {
        self.ops.is_empty() || self.ops.iter().any(|o| o == case.op.mnemonic() || o == case.kind().name())
    }
}

/// Checks the evaluator against the goldens, and each of `targets` against the evaluator.
pub fn run(args: &Args, targets: &[&dyn Target]) -> Report {
    let mut report = Report::default();
    for family in FAMILIES.iter().filter(|f| args.wants_family(f)) {
        let cases: Vec<Case> = family.cases().into_iter().filter(|c| args.wants(c)).collect();
        judge_evaluator(&mut report, family, &cases, args.ops.is_empty());
        for target in targets {
            for case in &cases {
                for seed in 0..=args.more_seeds {
                    let outcome = judge(*target, case, seed);
                    let name = match seed {
                        0 => case.name.clone(),
                        _ => format!("{} (seed {seed})", case.name),
                    };
                    report.record(target.name(), case.op.mnemonic(), case.dtype, &name, outcome);
                }
            }
        }
    }
    report
}

/// Checks the evaluator's results for every case against the family's goldens. If `complete`, a golden that no case uses is a failure too.
fn judge_evaluator(report: &mut Report, family: &Family, cases: &[Case], complete: bool) {
    let goldens = match Goldens::load(&golden::directory(), family.name) {
        Ok(goldens) => goldens,
        Err(e) => {
            let dtype = cases.first().map_or(rlx_ir::DType::F32, |c| c.dtype);
            report.record("evaluator", family.name, dtype, family.name, Outcome::Failed(e.to_string()));
            Goldens::default()
        }
    };
    let mut unused: BTreeSet<u64> = goldens.keys().collect();
    for case in cases {
        let (graph, inputs) = (case.graph(), case.inputs());
        let key = case.key(&graph, &inputs);
        unused.remove(&key);
        let outcome = match (Evaluator.run(&graph, &borrowed(&inputs)), goldens.get(key)) {
            (Err(e), _) => Outcome::Failed(e.to_string()),
            (Ok(outputs), Some(golden)) => {
                report.record_oracle(golden.oracle);
                let judged = golden.check(case, &graph, &inputs, &outputs).map_err(|m| m.to_string());
                judged
                    .and_then(|verdict| case.judged.enough(verdict))
                    .map_or_else(Outcome::Failed, |()| Outcome::Passed)
            }
            (Ok(_), None) => Outcome::Failed(
                "no golden: the op or its inputs are new or have changed; run scripts/goldens.py".into(),
            ),
        };
        report.record("evaluator", case.op.mnemonic(), case.dtype, &case.name, outcome);
    }
    if complete && !unused.is_empty() {
        let message = format!("{} golden(s) belong to no case; run scripts/goldens.py", unused.len());
        let dtype = cases.first().map_or(rlx_ir::DType::F32, |c| c.dtype);
        report.record("evaluator", family.name, dtype, family.name, Outcome::Failed(message));
    }
}

/// Returns the rows that require a smaller share of judged elements than the table does, for the page.
pub fn smaller_shares() -> String {
    let mut rows: BTreeSet<String> = BTreeSet::new();
    for case in FAMILIES.iter().flat_map(Family::cases).filter(|c| c.judged != Judged::TABLE) {
        let Judged { least, reason } = case.judged;
        rows.insert(format!("| {} | {} % | {reason} |\n", case.op.mnemonic(), 100.0 * least));
    }
    if rows.is_empty() {
        return String::new();
    }
    let head = "## Smaller shares\n\nFor some cases of these ops, at least this share of the elements is judged, instead of 90 %.\n\n\
                | op | share | why |\n|---|---|---|\n";
    format!("{head}{}\n", rows.into_iter().collect::<String>())
}

/// Compares one case on one target with the evaluator, using the values of this seed.
pub fn judge(target: &dyn Target, case: &Case, seed: u64) -> Outcome {
    let (graph, mut inputs) = (case.graph(), case.inputs_of(seed));
    if let Some(reason) = refused_type(target, &graph) {
        return Outcome::NotApplicable(reason);
    }
    let flushes = target.flushes_subnormals();
    if flushes {
        inputs = inputs.into_iter().map(|(name, value)| (name, flushed(&value))).collect();
    }
    let mut outputs = match target.run(&graph, &borrowed(&inputs)) {
        Ok(outputs) => outputs,
        Err(TargetError::Unsupported(reason)) => return Outcome::Skipped(reason),
        Err(e) => return Outcome::Failed(e.to_string()),
    };
    if flushes && let Ok(evaluated) = Evaluator.run(&graph, &borrowed(&inputs)) {
        outputs = outputs.iter().zip(&evaluated).map(|(got, want)| unflushed(got, want)).collect();
    }
    let compared = |allowances: &[Allowance]| {
        let verdict = compare(case, &graph, &borrowed(&inputs), &outputs, allowances)?;
        case.judged.enough(verdict)
    };
    let allowances = target.allowances();
    match compared(&[]) {
        Ok(()) => Outcome::Passed,
        Err(_) if !allowances.is_empty() && compared(allowances).is_ok() => {
            let needed = allowances.iter().filter(|row| compared(&without(allowances, row)).is_err());
            Outcome::Allowed(needed.copied().collect())
        }
        Err(problem) => Outcome::Failed(problem),
    }
}

/// Returns the other rows.
fn without(allowances: &[Allowance], row: &Allowance) -> Vec<Allowance> {
    allowances.iter().filter(|other| *other != row).copied().collect()
}

/// Fails unless the outputs of a case are correct. Returns how many of their elements were judged.
pub(crate) fn compare(
    case: &Case,
    graph: &Graph,
    inputs: &[(&str, &Literal)],
    outputs: &[Literal],
    allowances: &[Allowance],
) -> Result<Verdict, String> {
    let agreement = match case.zeros {
        Zeros::Signed => Agreement::SignedZeros,
        Zeros::Unsigned => Agreement::AnyZeros,
    };
    match case.bound {
        Bound::Derived => {
            let freedom =
                if case.kind().class() == OpClass::Composite { Freedom::Contract } else { Freedom::None };
            let known = |_| Known::Nothing;
            let reference = Reference::with_allowances(graph, inputs, freedom, &known, allowances);
            let reference = reference.map_err(|e| e.to_string())?;
            reference.check(outputs, agreement).map_err(|m| m.to_string())
        }
        Bound::Exact | Bound::Norm(_) => {
            let expected = Evaluator.run(graph, inputs).map_err(|e| e.to_string())?;
            if outputs.len() != expected.len() {
                return Err(Mismatch::count(outputs.len(), expected.len()).to_string());
            }
            outputs.iter().zip(&expected).enumerate().try_for_each(|(i, (got, want))| {
                let compared = match case.bound {
                    Bound::Norm(units) => within_norm(got, want, units),
                    _ => same_bits(got, want, agreement),
                };
                compared.map_err(|m| m.of_output(i).to_string())
            })?;
            Ok(Verdict::whole(&expected))
        }
    }
}

/// Fails unless each element is within `units` roundings of the largest magnitude.
fn within_norm(got: &Literal, want: &Literal, units: f64) -> Result<(), Mismatch> {
    if got.shape() != want.shape() {
        return Err(Mismatch::shape(got.shape(), want.shape()));
    }
    let modulus = |x: Scalar| match x {
        Scalar::Complex(z) => z.abs(),
        other => other.to_f64().abs(),
    };
    let at = |literal: &Literal, i: usize| crate::bound::read(literal, i);
    let largest = (0..want.len()).map(|i| modulus(at(want, i))).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let tolerance = units * Limits::of(want.dtype()).epsilon() * largest;
    for i in 0..want.len() {
        let (g, w) = (at(got, i), at(want, i));
        let apart = match (g, w) {
            (Scalar::Float(g), Scalar::Float(w)) => (g - w).abs(),
            (Scalar::Complex(g), Scalar::Complex(w)) => (g - w).abs(),
            _ => f64::INFINITY,
        };
        // Integers and values that are not finite must be equal.
        let close = apart <= tolerance || agrees(g, w, 0.0, Agreement::AnyZeros);
        if !close {
            return Err(Mismatch::element(i, want, format!("{g:?}"), format!("{w:?} ± {tolerance:e}")));
        }
    }
    Ok(())
}
