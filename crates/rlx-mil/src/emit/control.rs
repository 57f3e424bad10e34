//! Writes branches and loops, with the graphs inside nodes as blocks.

use super::nodes::graph;
use super::value::{Elem, Held, Var};
use super::writer::{Declined, ProgramWriter, Written, WrittenBlock};
use rlx_ir::{Graph, SubGraph};

/// The types of values.
fn types(vars: &[Var]) -> Vec<(Elem, Vec<usize>)> {
    vars.iter().map(|var| (var.elem, var.dims.clone())).collect()
}

/// Values that a block gives, each of an operation of its own: what is taken from outside is no result of a block.
fn given(w: &mut ProgramWriter, outputs: &[Held]) -> Vec<Var> {
    let whole = w.all_full(outputs);
    whole.iter().map(|var| w.map("identity", var)).collect()
}

/// A branch, on values of the block around it.
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

/// The results of one of two blocks.
fn chosen(w: &mut ProgramWriter, pred: &Var, blocks: Vec<WrittenBlock>) -> Vec<Held> {
    let results = blocks.first().map_or_else(Vec::new, |block| types(&block.outputs));
    w.results("cond", vec![("pred", pred.into())], results, blocks).into_iter().map(Held::whole).collect()
}

/// One of several branches, by an index; the last where it names none.
pub(super) fn case(w: &mut ProgramWriter, branches: &[SubGraph], index: &Held, args: &[Held]) -> Written {
    let [first, rest @ ..] = branches else { return Err("it has no branches".into()) };
    if rest.is_empty() {
        return Ok(graph(w, first, args));
    }
    // Numbers below 0 name none.
    let is_first = w.compare_with("equal", &index.var, 0.0);
    let then = branch(w, first, args)?;
    let other = w.block(Vec::new(), |w, _| {
        let before = w.with("sub", &index.var, 1.0);
        // What is below 0 stays below.
        let negative = w.compare_with("less", &index.var, 0.0);
        let next = w.choose(&negative, &index.var, &before);
        let results = case(w, rest, &Held::whole(next), args)?;
        Ok(given(w, &results))
    })?;
    Ok(chosen(w, &is_first, vec![then, other]))
}

pub(super) fn while_loop(w: &mut ProgramWriter, cond: &SubGraph, body: &SubGraph, init: &[Held]) -> Written {
    let start = w.all_full(init);
    // A value that is known stays what it is only outside of the loop.
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
