//! Random graphs as crates: all build, and agree with the evaluator within its bounds. There are 24 graphs, or N with
//! `RLX_AOT_RANDOM=N`.

use crate::crates::{Example, run_all};
use crate::{Given, example, key};
use rlx_aot::RustEmitter;
use rlx_conformance::random::{Failure, RandomGraph, generate};
use rlx_ir::{Builder, DType, Literal, Node, Op, Shape};
use std::collections::HashMap;

/// The number of graphs in one program, each as a module.
const AT_ONCE: u64 = 24;

fn count() -> u64 {
    std::env::var("RLX_AOT_RANDOM").ok().and_then(|count| count.parse().ok()).unwrap_or(AT_ONCE)
}

fn of_random(random: &RandomGraph) -> Example {
    let value = |name: &str| {
        let (_, value) = random.inputs.iter().find(|(known, _)| known == name).unwrap();
        value.clone()
    };
    let inputs = random.graph.inputs().filter_map(Node::name).map(value).collect();
    let params: Vec<_> = random.graph.named_params().map(|(name, _)| (name, value(name))).collect();
    example(random.graph.clone(), inputs, &params)
}

#[test]
fn random_graphs_build_and_are_right() {
    let (mut ran, mut refused, mut failed) = (0, Vec::new(), Vec::new());
    for first in (0..count()).step_by(AT_ONCE as usize) {
        let random: Vec<RandomGraph> = (first..count().min(first + AT_ONCE)).map(generate).collect();
        let (random, examples): (Vec<RandomGraph>, Vec<Example>) = random
            .into_iter()
            .map(|random| (of_random(&random), random))
            .filter_map(|(example, random)| match example.files(&RustEmitter::default()) {
                Ok(_) => Some((random, example)),
                Err(why) => {
                    refused.push(format!("seed {}: {why}", random.seed));
                    None
                }
            })
            .unzip();
        for ((random, example), results) in random.iter().zip(&examples).zip(run_all(&examples)) {
            let inputs: Vec<(&str, &Literal)> = random.inputs.iter().map(|(n, l)| (n.as_str(), l)).collect();
            let given = Given(HashMap::from([(key(&example.graph, &inputs), results)]));
            // A graph without error bounds only has to build and run.
            let Ok(reference) = random.reference(&[]) else { continue };
            match random.check(&given, &reference) {
                Ok(_) => ran += 1,
                Err(failure @ (Failure::Mismatch { .. } | Failure::Target { .. })) => {
                    failed.push(failure.to_string())
                }
                Err(Failure::Bound { .. }) => {}
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    // Custom ops have no Rust code.
    refused.retain(|why| !why.contains("unsupported: `custom`"));
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(ran * 10 >= count() * 8, "{ran} of {} were compared", count());
}

/// A value without elements may share the place of another value, which is written while it is read.
#[test]
fn values_without_elements_share_places() {
    let b = Builder::new("roll");
    let x = b.input("x", Shape::new(&[17], DType::F32));
    let (all, none) = (x.slice_axis(0, 0, 17), x.slice_axis(0, 0, 0));
    let rolled = all.apply(Op::Concatenate { axis: 0 }, &[&none]);
    let picked = rolled.slice_axis(0, 0, 3);
    let graph = b.finish(&[&rolled.floor(), &picked, &none.floor()]).unwrap();
    let values: Vec<f32> = (0..17).map(|i| i as f32 * 0.75 - 3.0).collect();
    let examples = [example(graph, vec![Literal::new(&[17], &values).unwrap()], &[])];
    let results = run_all(&examples);
    assert_eq!(results[0], examples[0].expected());
}
