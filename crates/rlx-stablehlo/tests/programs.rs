//! Programs that check themselves, run on the evaluator: those that JAX lowers to, and some that it does not write.
//! `scripts/stablehlo_programs.py` makes them, with results of JAX and NumPy.

use rlx_ir::{Graph, eval, verify};
use rlx_stablehlo::{Imported, import};

const PROGRAMS: &str = include_str!("data/programs.mlir");

fn sections(text: &str) -> Vec<(&str, &str)> {
    let programs = text.split("// -----\n").skip(1);
    programs.map(|p| (p.lines().next().unwrap_or("").trim_start_matches("// "), p)).collect()
}

fn run(text: &str) -> Result<(), String> {
    let Imported { graph, checks, .. } = import(text).map_err(|e| e.to_string())?;
    verify(&graph).map_err(|e| e.to_string())?;
    if graph.live().contains(&false) {
        return Err("the graph has nodes that no output needs".into());
    }
    let reread = Graph::parse(&graph.to_string()).map_err(|e| e.to_string())?;
    if reread != graph {
        return Err("the graph's text is another graph".into());
    }
    let outputs = eval(&graph, &[]).map_err(|e| e.to_string())?;
    if checks.is_empty() {
        return Err("nothing is checked".into());
    }
    for check in checks {
        let (got, want) = (&outputs[check.got], &outputs[check.expected]);
        check.how.compare(got, want).map_err(|e| format!("{:?}: {e}", check.how))?;
    }
    Ok(())
}

#[test]
fn programs_pass_their_own_checks() {
    let programs = sections(PROGRAMS);
    assert!(programs.len() > 400, "{} programs", programs.len());
    let failed: Vec<String> =
        programs.iter().filter_map(|(name, text)| run(text).err().map(|e| format!("{name}: {e}"))).collect();
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), programs.len(), failed.join("\n"));
}
