//! Linearizes and splits the graph inside an op, and does what else the rules of all such ops share.

use crate::error::Error;
use crate::forward::{Dual, JvpGraph, Mode, jvp_graph};
use crate::options::Options;
use crate::split::{Keep, Residual, Split, split};
use rlx_ir::{Graph, Tensor, rewrite::remove_dead};

/// A linearized graph, split in two.
pub(super) struct Parts {
    /// From the inputs to the outputs, followed by the residuals that are computed.
    pub(super) known: Graph,
    /// From (all residuals…, tangents of the inputs that have one…) to the tangents of the outputs that have one.
    pub(super) linear: Graph,
    /// Where the residuals come from.
    pub(super) residuals: Vec<Residual>,
    /// Which outputs have a tangent.
    pub(super) tangents: Vec<bool>,
}

impl Parts {
    /// The parts of `body`. `has_tangent` says which inputs have a tangent, and `wants_tangent` which outputs must have one.
    /// `None` if no output has one.
    pub(super) fn of(
        body: &Graph,
        has_tangent: &[bool],
        wants_tangent: &[bool],
        keep: Keep<'_>,
        options: &Options,
    ) -> Result<Option<Parts>, Error> {
        let dual = jvp_graph(body, has_tangent, wants_tangent, Mode::Linearize, options)?;
        if !dual.tangents.contains(&true) {
            return Ok(None);
        }
        Parts::split(dual, has_tangent.len(), keep).map(Some)
    }

    /// The parts of a linearized graph that takes `inputs` values.
    pub(super) fn split(dual: JvpGraph, inputs: usize, keep: Keep<'_>) -> Result<Parts, Error> {
        let JvpGraph { graph, tangents } = dual;
        let linear: Vec<bool> = (0..graph.inputs().count()).map(|i| i >= inputs).collect();
        let forced: Vec<bool> = (0..graph.outputs().len()).map(|i| i >= tangents.len()).collect();
        let Split { mut known, linear, residuals } = split(&graph, &linear, &forced, keep)?;
        let computed = |i: usize| i < tangents.len() || residuals[i - tangents.len()] == Residual::Value;
        let outputs = known.outputs().iter().enumerate().filter(|(i, _)| computed(*i)).map(|(_, o)| *o);
        let outputs = outputs.collect();
        known.set_outputs(outputs);
        Ok(Parts { known: remove_dead(&known), linear, residuals, tangents })
    }

    /// Collects the residuals from the known operands and the results of the known part, the first of which are the op's own
    /// results.
    pub(super) fn residual_values(&self, operands: &[Tensor], results: &[Tensor]) -> Vec<Tensor> {
        let mut computed = results[self.tangents.len()..].iter();
        let value = |residual: &Residual| match residual {
            Residual::Input(i) => operands.get(*i),
            Residual::Value => computed.next(),
        };
        self.residuals.iter().filter_map(value).cloned().collect()
    }
}

/// Which operands have a tangent.
pub(super) fn has_tangent(operands: &[Dual]) -> Vec<bool> {
    operands.iter().map(|d| d.tangent.is_some()).collect()
}

/// The values.
pub(super) fn primals(operands: &[Dual]) -> Vec<Tensor> {
    operands.iter().map(|d| d.primal.clone()).collect()
}

/// Tangents of the operands that `wanted` marks, with explicit zeros.
pub(super) fn tangents(operands: &[Dual], wanted: &[bool]) -> Vec<Tensor> {
    let wanted = operands.iter().zip(wanted).filter(|(_, w)| **w);
    wanted.map(|(d, _)| d.tangent_or_zeros()).collect()
}

/// Results, with the tangents of those that have one.
pub(super) fn duals(primals: &[Tensor], has: &[bool], tangents: Vec<Tensor>) -> Vec<Dual> {
    let mut tangents = tangents.into_iter();
    let dual = |(primal, has): (&Tensor, &bool)| Dual {
        primal: primal.clone(),
        tangent: has.then(|| tangents.next()).flatten(),
    };
    primals.iter().zip(has).map(dual).collect()
}

/// One entry per mark: the next of `items` if it is set, otherwise `None`.
pub(super) fn spread<T>(marks: &[bool], items: Vec<T>) -> Vec<Option<T>> {
    let mut items = items.into_iter();
    marks.iter().map(|&m| m.then(|| items.next()).flatten()).collect()
}
