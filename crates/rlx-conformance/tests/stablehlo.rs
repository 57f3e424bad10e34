//! StableHLO text is read back correctly: every case of the table, the same with a symbol for a size, and random
//! graphs.

use rlx_conformance::case::borrowed;
use rlx_conformance::random::{generate, symbolic::lifted};
use rlx_conformance::{Outcome, Reimported, Target, cases, judge};
use rlx_ir::Graph;

/// The number of failures that a message lists.
const LISTED: usize = 20;

fn assert_none(failures: &[String]) {
    let listed = failures.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} failure(s):\n{listed}", failures.len());
}

#[test]
fn every_case_is_read_back_as_it_was_written() {
    let failures: Vec<String> = cases::all()
        .iter()
        .filter_map(|case| match judge(&Reimported, case, 0) {
            Outcome::Passed => None,
            other => Some(format!("{}: {other:?}", case.name)),
        })
        .collect();
    assert_none(&failures);
}

/// Returns why a graph with a symbol may be refused: its expansion needs the size, or it combines sizes that differ in the graph.
fn is_refused_for_its_symbol(problem: &str) -> bool {
    let known = [
        "has no size yet; bind",
        "are not known; bind",
        "has sizes that are not known",
        "bind it before the export",
    ];
    known.iter().any(|reason| problem.contains(reason))
}

/// Returns whether bodies of ops state numbers where their operands have the symbol. The graph is valid, but MLIR requires one type.
fn states_sizes_inside(graph: &Graph) -> bool {
    graph.nodes().iter().any(|node| {
        let mut states = false;
        node.op().for_each_graph(&mut |body| states |= body.symbols().is_empty());
        states |= matches!(node.op(), rlx_ir::Op::Custom { .. });
        states
    })
}

#[test]
fn graphs_with_a_symbol_are_read_back_with_it() {
    let tabled = cases::all().into_iter().map(|case| (case.name.clone(), case.graph(), case.inputs()));
    let random = (0..200).map(|seed| {
        let made = generate(seed);
        (format!("random graph {seed}"), made.graph, made.inputs)
    });
    let (mut failures, mut passed, mut refused) = (Vec::new(), 0, 0);
    for (name, graph, inputs) in tabled.chain(random) {
        let Some((graph, _)) = lifted(&graph) else { continue };
        match Reimported.run(&graph, &borrowed(&inputs)) {
            Ok(_) => passed += 1,
            Err(e) if is_refused_for_its_symbol(&e.to_string()) || states_sizes_inside(&graph) => {
                // There are as many cases of packed blocks as formats. They should not outweigh all other ops.
                refused += usize::from(!name.starts_with("dequant"))
            }
            Err(e) => failures.push(format!("{name}: {e}")),
        }
    }
    assert_none(&failures);
    assert!(passed > 10 * refused, "only {passed} graphs are read back, {refused} are refused");
}
