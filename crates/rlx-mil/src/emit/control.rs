//! Writes branches and loops, with the graphs inside nodes as nested blocks.

use super::nodes::graph;
use super::value::{Elem, Held, Var};
use super::writer::{Declined, ProgramWriter, Written, WrittenBlock};
use rlx_ir::{Graph, SubGraph};

/// Returns the types of values.
fn types(vars: &[Var]) -> Vec<(Elem, Vec<usize>)> {
    vars.iter().map(|var| (var.elem, var.dims.clone())).collect()
}

/// Returns the values of a block, each from its own operation: a value from outside cannot be a result of a block.
fn given(w: &mut ProgramWriter, outputs: &[Held]) -> Vec<Var> {
    let whole = w.all_full(outputs);
    whole.iter().map(|var| w.map("identity", var)).collect()
}

/// Writes a branch that uses values of the surrounding block.
fn branch(w: &mut ProgramWriter, body: &Graph, args: &[Held]) -> Result<WrittenBlock, Declined> {
    w.block(Vec::new(), |w, _| {
        let outputs = graph(w, body, args);
        Ok(given(w, &outputs))
    })
}

pub(super) fn conditional(
    w: &mut ProgramWriter,
    then: &SubGraph,
    other: &SubGraph,
    pred: &Held,
    args: &[Held],
) -> Written {
    let blocks = vec![branch(w, then, args)?, branch(w, other, args)?];
    Ok(chosen(w, &pred.var, blocks))
}

/// Writes a choice between the results of two blocks.
fn chosen(w: &mut ProgramWriter, pred: &Var, blocks: Vec<WrittenBlock>) -> Vec<Held> {
    let results = blocks.first().map_or_else(Vec::new, |block| types(&block.outputs));
    w.results("cond", vec![("pred", pred.into())], results, blocks).into_iter().map(Held::whole).collect()
}

/// Writes a choice between several branches by an index; an index out of range selects the last one.
pub(super) fn case(w: &mut ProgramWriter, branches: &[SubGraph], index: &Held, args: &[Held]) -> Written {
    let [first, rest @ ..] = branches else { return Err("it has no branches".into()) };
    if rest.is_empty() {
        return Ok(graph(w, first, args));
    }
    // Negative numbers are out of range.
    let is_first = w.compare_with("equal", &index.var, 0.0);
    let then = branch(w, first, args)?;
    let other = w.block(Vec::new(), |w, _| {
        let before = w.with("sub", &index.var, 1.0);
        // Negative numbers stay negative.
        let negative = w.compare_with("less", &index.var, 0.0);
        let next = w.choose(&negative, &index.var, &before);
        let results = case(w, rest, &Held::whole(next), args)?;
        Ok(given(w, &results))
    })?;
    Ok(chosen(w, &is_first, vec![then, other]))
}

pub(super) fn while_loop(w: &mut ProgramWriter, cond: &SubGraph, body: &SubGraph, init: &[Held]) -> Written {
    let start = w.all_full(init);
    // Inside a loop, a carried value is no longer known.
    let carried = |vars: &[Var]| vars.iter().cloned().map(Held::whole).collect::<Vec<Held>>();
    let test = w.block(types(&start), |w, vars| {
        let outputs = graph(w, cond, &carried(vars));
        Ok(given(w, &outputs))
    })?;
    let step = w.block(types(&start), |w, vars| {
        let outputs = graph(w, body, &carried(vars));
        Ok(given(w, &outputs))
    })?;
    let results =
        w.results("while_loop", vec![("loop_vars", start[..].into())], types(&start), vec![test, step]);
    Ok(results.into_iter().map(Held::whole).collect())
}
