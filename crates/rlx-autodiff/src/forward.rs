//! Forward mode: replays a graph on values and their tangents.
//!
//! Owns the walk; what an op does to tangents is its rule's. **AD-1**: a tangent that is known to be zero is
//! `None`, and no node is made for it. A rule never returns `None` for one that is not, and an op without a
//! rule is an error that names the op and its path. In [`Mode::Linearize`] the tangents come out so that they
//! can be transposed: every op on them is linear in them, and what it needs of the primal values is computed
//! separately.

use crate::error::Error;
use crate::options::Options;
use crate::rules::{self, Jvp};
use crate::trace;
use rlx_ir::{Builder, Class, Graph, Node, Op, OpClass, Shape, Tensor};
use std::collections::HashMap;

/// What tangents are computed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// To be run: primal values and tangents may be computed by one node.
    Forward,
    /// To be transposed: a node computes either primal values, or tangents from tangents (and primal values).
    Linearize,
}

/// A value and its tangent; `None` is a tangent of zeros (AD-1).
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

    /// The tangent as a tensor, zeros made explicit.
    pub(crate) fn tangent_or_zeros(&self) -> Tensor {
        self.tangent.clone().unwrap_or_else(|| trace::zeros_like(&self.primal))
    }
}

/// What rules of forward mode are given.
pub(crate) struct Forward<'a> {
    pub(crate) builder: &'a Builder,
    pub(crate) mode: Mode,
    pub(crate) options: &'a Options,
}

impl Forward<'_> {
    /// Replays `graph` on values for its inputs (in order). Parameters of the graph are added as parameters, except where
    /// `params` gives a dual by name.
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

    /// Applies an op to values of which at least one has a tangent.
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

    /// The op on values alone.
    pub(crate) fn apply(&self, op: &Op, primals: &[Tensor]) -> Vec<Tensor> {
        self.builder.apply_many(op.clone(), &primals.iter().collect::<Vec<_>>())
    }

    /// The op on the values, and the same op on the tangents of those operands in which it is linear.
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

    /// The op on the values, with the tangents of an equivalent graph.
    pub(crate) fn through(&self, op: &Op, operands: &[Dual], graph: &Graph) -> Result<Vec<Dual>, Error> {
        let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
        let results = self.apply(op, &primals).into_iter().zip(self.graph(graph, operands, &[])?);
        Ok(results.map(|(primal, dual)| Dual { primal, tangent: dual.tangent }).collect())
    }

    /// The decomposition of a composite on the operands.
    pub(crate) fn decomposed(&self, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
        if op.kind().class() != OpClass::Composite {
            return Err(Error::no_rule("derivative", "it is a primitive without a rule"));
        }
        let shapes: Vec<Shape> = operands.iter().map(|d| d.primal.shape()).collect();
        self.graph(&*self.builder.decompose(op, &shapes)?, operands, &[])
    }
}

/// Whether the op is linear in the operands that have tangents, together.
fn is_linear(op: &Op, operands: &[Dual]) -> bool {
    let is_constant = |(i, operand): (usize, &Dual)| operand.tangent.is_none() || op.kind().is_linear_in(i);
    op.kind().is_linear() && operands.iter().enumerate().all(is_constant)
}

/// Integers and booleans have no tangents.
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

/// The jvp of a sub-graph, where `has_tangent` says which inputs have one, and `wants_tangent` which outputs must have one
/// (zeros are made explicit there).
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
