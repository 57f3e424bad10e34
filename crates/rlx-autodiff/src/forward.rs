//! Forward mode: replays a graph on values and their tangents.
//!
//! Owns the traversal; the rule of each op knows what the op does to tangents. **AD-1**: a tangent that is known to be zero is
//! `None`, and no node is made for it. A rule never returns `None` for a tangent that is not zero, and an op without a rule is an
//! error that names the op and its path. In [`Mode::Linearize`], the tangents can be transposed: every op on them is linear in
//! them, and what it needs of the primal values is computed separately.

use crate::error::Error;
use crate::options::Options;
use crate::rules::{self, Jvp};
use crate::trace;
use rlx_ir::{Builder, Class, Graph, Node, Op, OpClass, Shape, Tensor};
use std::collections::HashMap;

/// What the tangents are used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// They are run: a node may compute both primal values and tangents.
    Forward,
    /// They are transposed: a node computes either primal values, or tangents from tangents (and primal values).
    Linearize,
}

/// A value and its tangent. A tangent of `None` is zero (AD-1).
#[derive(Clone, Debug)]
pub(crate) struct Dual {
    pub(crate) primal: Tensor,
    pub(crate) tangent: Option<Tensor>,
}

impl Dual {
    pub(crate) fn constant(primal: Tensor) -> Dual {
        Dual { primal, tangent: None }
    }

    pub(crate) fn new(primal: Tensor, tangent: Tensor) -> Dual {
        Dual { primal, tangent: Some(tangent) }
    }

    /// The tangent as a tensor, with explicit zeros.
    pub(crate) fn tangent_or_zeros(&self) -> Tensor {
        self.tangent.clone().unwrap_or_else(|| trace::zeros_like(&self.primal))
    }
}

/// The context of forward mode rules.
pub(crate) struct Forward<'a> {
    pub(crate) builder: &'a Builder,
    pub(crate) mode: Mode,
    pub(crate) options: &'a Options,
}

impl Forward<'_> {
    /// Replays `graph` on values for its inputs, in order. Parameters of the graph are added as parameters, except those for
    /// which `params` has a dual by name.
    pub(crate) fn graph(
        &self,
        graph: &Graph,
        inputs: &[Dual],
        params: &[(&str, Dual)],
    ) -> Result<Vec<Dual>, Error> {
        let given: HashMap<&str, &Dual> = params.iter().map(|(name, value)| (*name, value)).collect();
        let param = |node: &Node, name: &str| match given.get(name) {
            Some(dual) => Clone::clone(*dual),
            None => Dual::constant(self.builder.param(name, node.shape().clone())),
        };
        trace::replay(graph, inputs, &param, &|node, operands: Vec<Dual>| {
            if operands.iter().any(|d| d.tangent.is_some()) {
                return trace::applied(self.builder, node, || self.op(node.op(), &operands));
            }
            let primals: Vec<Tensor> = operands.into_iter().map(|d| d.primal).collect();
            Ok(self.builder.copy(node, &primals).into_iter().map(Dual::constant).collect())
        })
    }

    /// Applies an op to values, at least one of which has a tangent.
    pub(crate) fn op(&self, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
        let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
        let results = match rules::of(op).jvp {
            Jvp::Zero => self.apply(op, &primals).into_iter().map(Dual::constant).collect(),
            Jvp::Table if is_linear(op, operands) => self.linear(op, operands, &primals),
            Jvp::Table => self.decomposed(op, operands)?,
            Jvp::Rule(rule) => rule(self, op, operands)?,
            Jvp::Equivalent(graph) => {
                let shapes = primals.iter().map(Tensor::shape).collect();
                self.through(op, operands, &graph(op, shapes, self.options)?)?
            }
        };
        Ok(results.into_iter().map(only_inexact).collect())
    }

    /// Applies the op to values only.
    pub(crate) fn apply(&self, op: &Op, primals: &[Tensor]) -> Vec<Tensor> {
        self.builder.apply_many(op.clone(), &primals.iter().collect::<Vec<_>>())
    }

    /// Applies the op to the values, and the same op to the tangents of the operands in which it is linear.
    fn linear(&self, op: &Op, operands: &[Dual], primals: &[Tensor]) -> Vec<Dual> {
        let tangents: Vec<Tensor> = operands
            .iter()
            .enumerate()
            .map(|(i, d)| match op.kind().is_linear_in(i) && trace::is_inexact(&d.primal) {
                true => d.tangent_or_zeros(),
                false => d.primal.clone(),
            })
            .collect();
        let results = self.apply(op, primals);
        results.into_iter().zip(self.apply(op, &tangents)).map(|(p, t)| Dual::new(p, t)).collect()
    }

    /// Applies the op to the values, and gets the tangents from an equivalent graph.
    pub(crate) fn through(&self, op: &Op, operands: &[Dual], graph: &Graph) -> Result<Vec<Dual>, Error> {
        let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
        let results = self.apply(op, &primals).into_iter().zip(self.graph(graph, operands, &[])?);
        Ok(results.map(|(primal, dual)| Dual { primal, tangent: dual.tangent }).collect())
    }

    /// Applies the decomposition of a composite to the operands.
    pub(crate) fn decomposed(&self, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
        if op.kind().class() != OpClass::Composite {
            return Err(Error::no_rule("derivative", "it is a primitive without a rule"));
        }
        let shapes: Vec<Shape> = operands.iter().map(|d| d.primal.shape()).collect();
        self.graph(&*self.builder.decompose(op, &shapes)?, operands, &[])
    }
}

/// Whether the op is linear in all operands that have tangents, taken together.
fn is_linear(op: &Op, operands: &[Dual]) -> bool {
    let is_constant = |(i, operand): (usize, &Dual)| operand.tangent.is_none() || op.kind().is_linear_in(i);
    op.kind().is_linear() && operands.iter().enumerate().all(is_constant)
}

/// Removes the tangents of integers and booleans, which have none.
fn only_inexact(dual: Dual) -> Dual {
    match dual.primal.dtype().class() {
        Class::Float | Class::Complex => dual,
        _ => Dual::constant(dual.primal),
    }
}

/// A graph on values and tangents.
pub(crate) struct JvpGraph {
    /// From (inputs…, tangents of the inputs that have one…) to (outputs…, tangents of the outputs that have one…).
    pub(crate) graph: Graph,
    /// Which outputs have a tangent.
    pub(crate) tangents: Vec<bool>,
}

/// The jvp of a sub-graph. `has_tangent` says which inputs have a tangent, and `wants_tangent` which outputs must have one (with
/// explicit zeros).
pub(crate) fn jvp_graph(
    body: &Graph,
    has_tangent: &[bool],
    wants_tangent: &[bool],
    mode: Mode,
    options: &Options,
) -> Result<JvpGraph, Error> {
    let builder = Builder::new(body.name()).sharing_constants();
    let primals = trace::inputs(&builder, "x", body.input_shapes());
    let tangents: Vec<Option<Tensor>> = primals
        .iter()
        .zip(has_tangent)
        .enumerate()
        .map(|(i, (x, &has))| has.then(|| builder.input(format!("x{i}.tangent"), x.shape())))
        .collect();
    let duals: Vec<Dual> =
        primals.into_iter().zip(tangents).map(|(primal, tangent)| Dual { primal, tangent }).collect();
    let cx = Forward { builder: &builder, mode, options };
    let mut results = cx.graph(body, &duals, &[])?;
    for (dual, _) in results.iter_mut().zip(wants_tangent).filter(|(_, want)| **want) {
        dual.tangent = Some(dual.tangent_or_zeros());
    }
    let has = results.iter().map(|d| d.tangent.is_some()).collect();
    let outputs: Vec<&Tensor> =
        results.iter().map(|d| &d.primal).chain(results.iter().filter_map(|d| d.tangent.as_ref())).collect();
    Ok(JvpGraph { graph: builder.intermediate(&outputs)?, tangents: has })
}
