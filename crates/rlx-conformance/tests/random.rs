//! Random graphs: the evaluator stays inside the error bounds, which are finite and tight for nearly all elements.

use rlx_conformance::random::{compare, generate};
use rlx_conformance::{Evaluator, Target, TargetError};
use rlx_ir::{Graph, Literal, OpKind, verify};
use std::collections::BTreeMap;

const SEEDS: u64 = 2000;

#[test]
fn the_evaluator_lies_inside_the_bounds_of_random_graphs() {
    let (mut judged, mut unjudged) = (0, 0);
    for seed in 0..SEEDS {
        match compare(&Evaluator, seed) {
            Ok(verdict) => {
                judged += verdict.judged;
                unjudged += verdict.unjudged;
            }
            Err(failure) => panic!("{failure}"),
        }
    }
    assert!(judged > 100 * unjudged, "{unjudged} of {judged} elements have no finite bound");
}

#[test]
fn random_graphs_are_valid_the_same_each_time_and_varied() {
    let mut kinds: BTreeMap<OpKind, usize> = BTreeMap::new();
    let mut nodes = 0;
    for seed in 0..500 {
        let random = generate(seed);
        verify(&random.graph).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(random.graph, generate(seed).graph);
        assert!(!random.graph.outputs().is_empty());
        nodes += random.graph.nodes().len();
        random.graph.nodes().iter().for_each(|n| *kinds.entry(n.op().kind()).or_default() += 1);
    }
    assert!(kinds.len() >= 45, "only {} kinds: {kinds:?}", kinds.len());
    assert!(nodes >= 500 * 10, "{nodes} nodes");
}

/// A backend with a wrong cosine, whose error is far above rounding and far below what an eye sees.
struct Wrong;

impl Target for Wrong {
    fn name(&self) -> &str {
        "wrong"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let text = graph.to_string().replace(" = cos %", " = sin %");
        let changed = Graph::parse(&text).map_err(|e| TargetError::Failed(e.to_string()))?;
        Evaluator.run(&changed, inputs)
    }
}

#[test]
fn a_wrong_function_is_seen() {
    let with_cosine = (0..SEEDS)
        .filter(|&s| generate(s).graph.to_string().contains(" = cos %"))
        .take(40)
        .collect::<Vec<_>>();
    let seen = with_cosine.iter().filter(|&&s| compare(&Wrong, s).is_err()).count();
    assert!(seen * 2 > with_cosine.len(), "{seen} of {} wrong graphs were seen", with_cosine.len());
}
