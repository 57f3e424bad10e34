//! Faults that are planted in lowered kernels are detected: by the verifier, as a fault of the run, or by their
//! results.

mod plant;

use plant::{Mutation, mutants};
use rlx_codegen::interp::FaultKind;
use rlx_codegen::judge::{difference, sizes};
use rlx_codegen::{Interpreter, Launches, lower};
use rlx_conformance::{Case, cases};
use rlx_ir::{Bindings, DType, Graph, Literal, OpClass};
use std::collections::BTreeMap;

/// The number of cases of each op, with several sets of values for each.
const TRIALS: usize = 3;
const DRAWS: u64 = 24;

/// How a fault was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Found {
    Refused,
    Fault,
    Value,
    Not,
}

/// A group, and inputs with the expected results.
struct Trial {
    group: Graph,
    draws: Vec<(Vec<Literal>, Vec<Literal>)>,
    sizes: Bindings,
    /// How far the kernels are from the evaluator without a fault.
    distance: f64,
}

impl Trial {
    /// Returns `None` if there is little to compare.
    fn of(case: &Case) -> Option<Trial> {
        let group = case.graph();
        let launches = lower(&group).ok()?;
        let mut draws = Vec::new();
        for seed in 0..DRAWS {
            let named = case.inputs_of(seed);
            let values: Vec<(&str, &Literal)> =
                named.iter().map(|(name, value)| (name.as_str(), value)).collect();
            let expected = rlx_ir::eval(&group, &values).ok()?;
            let inputs: Vec<Literal> = named.iter().map(|(_, value)| value.clone()).collect();
            draws.push((inputs, expected));
        }
        let (inputs, expected) = &draws[0];
        let large = |dims: Vec<usize>| dims.iter().all(|&n| n > 1) && dims.iter().product::<usize>() < 300;
        let fits = inputs.iter().any(|x| !x.dims().is_empty() && x.len() > 6)
            && inputs.iter().all(|x| large(x.dims()))
            && expected.iter().all(|x| x.len() > 1);
        if !fits {
            return None;
        }
        let sizes = sizes(&group, &inputs.iter().collect::<Vec<_>>());
        let mut trial = Trial { group, draws, sizes, distance: 0.0 };
        let distances: Result<Vec<f64>, Found> =
            trial.runs().map(|(run, draw)| trial.distance(&run, draw, &launches)).collect();
        trial.distance = distances.ok()?.into_iter().fold(0.0, f64::max);
        Some(trial)
    }

    /// Reduces all elements in one sequence, and in parts that are merged, each with all sets of values.
    fn runs(&self) -> impl Iterator<Item = (Interpreter, usize)> + use<> {
        let row = Interpreter { statements: 1 << 22, ..Interpreter::default() };
        let parts = Interpreter { elements_per_part: Some(2), ..row.clone() };
        (0..self.draws.len()).flat_map(move |draw| [(row.clone(), draw), (parts.clone(), draw)])
    }

    fn distance(&self, run: &Interpreter, draw: usize, launches: &Launches) -> Result<f64, Found> {
        let (inputs, expected) = &self.draws[draw];
        let inputs: Vec<&Literal> = inputs.iter().collect();
        let results = run.run(launches, &self.sizes, &inputs, &self.group.output_shapes());
        let results = results.map_err(|fault| match fault.kind {
            FaultKind::Invalid(_) => Found::Refused,
            _ => Found::Fault,
        })?;
        let pairs = results.outputs.iter().zip(expected);
        Ok(pairs.map(|(ours, theirs)| difference(ours, theirs)).fold(0.0, f64::max))
    }

    fn judge(&self, launches: &Launches) -> Found {
        for (run, draw) in self.runs() {
            match self.distance(&run, draw, launches) {
                Ok(distance) if distance <= 4.0 * self.distance => {}
                Ok(_) => return Found::Value,
                Err(found) => return found,
            }
        }
        Found::Not
    }
}

/// Faults that change nothing, and their number in all cases of an op: for no values of the case does the kernel compute anything else.
const HARMLESS: &[(Mutation, &str, usize, &str)] = &[
    (Mutation::DroppedGuard, "dynamic_update_slice", 2, "an update at 0 has nothing before it"),
    (Mutation::DroppedGuard, "reduce_window_graph", 6, "windows without padding are inside"),
    (Mutation::DroppedGuard, "select_and_scatter", 6, "windows without padding are inside"),
    (
        Mutation::ForgottenState,
        "reduce_window_graph",
        6,
        "a window with an initial value is only divided if its merge shows the identity",
    ),
    (Mutation::LongLoop, "select_and_scatter", 3, "no window chose an element that it does not have"),
    (Mutation::LongLoop, "sort_graph", 3, "a pair of runs past the end has no elements"),
    (Mutation::ReversedLoop, "scatter", 1, "sums of quarters are exact in any order"),
    (
        Mutation::ReversedLoop,
        "select_and_scatter",
        5,
        "sums of integers are exact, and values without ties have one largest",
    ),
    (Mutation::SwappedOperands, "ragged_dot", 3, "only sizes that leave 64 bits are clamped"),
    (Mutation::SwappedSelection, "sort", 2, "values without ties have one order"),
    (Mutation::SwappedSelection, "top_k", 2, "values without ties have one order"),
    (
        Mutation::WrongIdentity,
        "argreduce",
        3,
        "no row is minus infinity alone, so that an element replaces the identity whatever its index",
    ),
];

/// Prints how many faults there are of each kind, and how they are found.
#[test]
#[allow(clippy::print_stdout)]
fn planted_faults_are_found() {
    let mut counts: BTreeMap<(Mutation, Found), usize> = BTreeMap::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut survivors = Vec::new();
    let all = cases::all();
    for case in all.iter().filter(|c| c.kind().class() == OpClass::Primitive) {
        let tried = seen.entry(case.op.mnemonic()).or_default();
        if *tried == TRIALS || ![DType::F32, DType::I32].contains(&case.dtype) {
            continue;
        }
        let Some(trial) = Trial::of(case) else { continue };
        *tried += 1;
        let launches = lower(&trial.group).unwrap();
        for (mutation, site, mutant) in mutants(&launches) {
            let found = trial.judge(&mutant);
            *counts.entry((mutation, found)).or_default() += 1;
            if found == Found::Not {
                survivors.push((mutation, case.op.mnemonic(), format!("{}: {site}", case.name)));
            }
        }
    }
    counts.iter().for_each(|((mutation, found), count)| println!("{mutation:?}: {count} {found:?}"));
    let planted: usize = counts.values().sum();
    println!("{} of {planted} are found", planted - survivors.len());
    let of = |mutation, op| survivors.iter().filter(|s| (s.0, s.1) == (mutation, op)).count();
    let harmless: usize = HARMLESS.iter().map(|row| row.2).sum();
    for &(mutation, op, count, why) in HARMLESS {
        assert_eq!(of(mutation, op), count, "{mutation:?} in {op}: {why}");
    }
    assert_eq!(survivors.len(), harmless, "not found: {survivors:#?}");
    assert!(
        planted > 2000 && Mutation::ALL.iter().all(|m| counts.keys().any(|key| key.0 == *m)),
        "{counts:?}"
    );
}
