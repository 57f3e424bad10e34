//! Transposition: runs the linear part of a graph from cotangents of its outputs to cotangents of its inputs. Owns the traversal
//! and the summation; the rule of each op knows how to transpose it.

use crate::error::Error;
use crate::options::Options;
use crate::rules::{self, Transpose};
use crate::trace;
use rlx_ir::{Builder, Graph, NodeId, Op, OpClass, Shape, Tensor};

/// An operand as a transpose rule sees it.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// A value that has been computed.
    Known(Tensor),
    /// An operand in which the result is linear. Only its shape is known, and the rule returns its cotangent.
    Linear(Shape),
}

impl Arg {
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self, Arg::Linear(_))
    }

    pub(crate) fn shape(&self) -> Shape {
        match self {
            Arg::Known(x) => x.shape(),
            Arg::Linear(shape) => shape.clone(),
        }
    }

    /// The value. Fails if the result is linear in the operand, for rules that do not support that.
    pub(crate) fn known(&self) -> Result<&Tensor, Error> {
        match self {
            Arg::Known(x) => Ok(x),
            Arg::Linear(_) => Err(Error::no_rule("transpose", "it is not linear in one of its operands")),
        }
    }
}

/// The context of transpose rules.
pub(crate) struct Backward<'a> {
    pub(crate) builder: &'a Builder,
    pub(crate) options: &'a Options,
}

impl Backward<'_> {
    /// The cotangents of the linear inputs of `graph` (`None` if zero, or for a known input), given those of its outputs. The
    /// known values that the linear part needs are computed along the way.
    pub(crate) fn graph(
        &self,
        graph: &Graph,
        inputs: &[Arg],
        cotangents: &[Option<Tensor>],
    ) -> Result<Vec<Option<Tensor>>, Error> {
        Ok(self.graph_with_known(graph, inputs, cotangents, false)?.1)
    }

    /// [`Backward::graph`], which, if `outputs`, also returns the values of the outputs that are not linear.
    #[allow(clippy::type_complexity)]
    pub(crate) fn graph_with_known(
        &self,
        graph: &Graph,
        inputs: &[Arg],
        cotangents: &[Option<Tensor>],
        outputs: bool,
    ) -> Result<(Vec<Option<Tensor>>, Vec<Option<Tensor>>), Error> {
        let plan = LinearNodes::new(graph, inputs, cotangents, outputs)?;
        let known = self.known_part(graph, inputs, &plan)?;
        let mut sums: Vec<Vec<Option<Tensor>>> =
            graph.nodes().iter().map(|n| vec![None; n.results().len()]).collect();
        for (output, cotangent) in graph.outputs().iter().zip(cotangents) {
            if let (true, Some(ct)) = (plan.linear[output.index()], cotangent) {
                accumulate(&mut sums[output.index()][0], ct.clone());
            }
        }
        for node in graph.nodes().iter().rev() {
            let index = node.id().index();
            if !plan.linear[index] || sums[index].iter().all(Option::is_none) {
                continue;
            }
            if matches!(node.op(), Op::Input { .. }) {
                continue;
            }
            let cts = std::mem::take(&mut sums[index]);
            if let Op::Output { index: result } = node.op() {
                if let Some(ct) = cts.into_iter().flatten().next() {
                    accumulate(&mut sums[node.inputs()[0].index()][*result], ct);
                }
                continue;
            }
            let operands: Vec<Arg> = node
                .inputs()
                .iter()
                .map(|i| match plan.linear[i.index()] {
                    true => Arg::Linear(graph.shape(*i).clone()),
                    false => Arg::Known(known[i.index()][0].clone()),
                })
                .collect();
            let transpose = || self.op(node.op(), &operands, &cts, node.results());
            let given = self.builder.labeled(node.label_arc(), transpose).map_err(|e| e.at(node))?;
            for (input, ct) in node.inputs().iter().zip(given) {
                if let (true, Some(ct)) = (plan.linear[input.index()], ct) {
                    accumulate(&mut sums[input.index()][0], ct);
                }
            }
        }
        let input_nodes = graph.inputs().map(|n| n.id().index());
        let given = input_nodes.map(|i| sums[i].first_mut().and_then(Option::take)).collect();
        let value = |o: &NodeId| known[o.index()].first().filter(|_| outputs).cloned();
        let values = graph.outputs().iter().map(value).collect();
        Ok((values, given))
    }

    /// The cotangents of the linear operands of an op, given those of its results, which have the shapes `results`. There is at
    /// least one linear operand and at least one cotangent.
    pub(crate) fn op(
        &self,
        op: &Op,
        operands: &[Arg],
        cotangents: &[Option<Tensor>],
        results: &[Shape],
    ) -> Result<Vec<Option<Tensor>>, Error> {
        let given = match rules::of(op).transpose {
            Transpose::Rule(rule) => {
                rule(self, op, operands, &Cotangents { given: cotangents, shapes: results })?
            }
            Transpose::Equivalent(graph) => {
                let shapes = operands.iter().map(Arg::shape).collect();
                self.graph(&graph(op, shapes, self.options)?, operands, cotangents)?
            }
            Transpose::None if op.kind().class() == OpClass::Composite => {
                let shapes: Vec<Shape> = operands.iter().map(Arg::shape).collect();
                self.graph(&*self.builder.decompose(op, &shapes)?, operands, cotangents)?
            }
            Transpose::None => {
                return Err(Error::no_rule("transpose", "it is not linear in its operands"));
            }
        };
        check(op, operands, &given)?;
        Ok(given)
    }

    /// Computes the values that linear nodes use from the known inputs.
    fn known_part(
        &self,
        graph: &Graph,
        inputs: &[Arg],
        plan: &LinearNodes,
    ) -> Result<Vec<Vec<Tensor>>, Error> {
        let mut env: Vec<Vec<Tensor>> = Vec::with_capacity(graph.nodes().len());
        let mut next = inputs.iter();
        for node in graph.nodes() {
            let index = node.id().index();
            let given = if matches!(node.op(), Op::Input { .. }) { next.next() } else { None };
            let needed = plan.needed[index] && !plan.linear[index];
            env.push(match (node.op(), given) {
                (_, Some(Arg::Known(x))) => vec![x.clone()],
                (_, Some(Arg::Linear(_))) => Vec::new(),
                // Parameters belong to the program's signature, whether they are used or not.
                (Op::Param { name }, _) => vec![self.builder.param(name, node.shape().clone())],
                _ if !needed => Vec::new(),
                (Op::Output { index }, _) => vec![env[node.inputs()[0].index()][*index].clone()],
                _ => {
                    let operands: Vec<Tensor> =
                        node.inputs().iter().map(|i| env[i.index()][0].clone()).collect();
                    self.builder.copy(node, &operands)
                }
            });
        }
        Ok(env)
    }
}

/// Fails unless each cotangent has the shape of its operand, so that a wrong rule is found where it is applied.
fn check(op: &Op, operands: &[Arg], given: &[Option<Tensor>]) -> Result<(), Error> {
    debug_assert_eq!(operands.len(), given.len(), "`{}` gives one cotangent per operand", op.mnemonic());
    for (i, (operand, ct)) in operands.iter().zip(given).enumerate() {
        let (true, Some(ct)) = (operand.is_linear(), ct) else { continue };
        if ct.id().is_some() && !ct.shape().compatible(&operand.shape()) {
            let why =
                format!("its transpose returns {} for operand {i}, which is {}", ct.shape(), operand.shape());
            return Err(Error::no_rule("transpose", why));
        }
    }
    Ok(())
}

/// The cotangents of an op's results.
#[derive(Clone, Copy)]
pub(crate) struct Cotangents<'a> {
    given: &'a [Option<Tensor>],
    shapes: &'a [Shape],
}

impl<'a> Cotangents<'a> {
    /// The cotangent of the only or first result.
    pub(crate) fn first(&self, builder: &Builder) -> Tensor {
        self.given[0].clone().unwrap_or_else(|| trace::zeros(builder, &self.shapes[0]))
    }

    /// The cotangent of each result; `None` if it is zero.
    pub(crate) fn each(&self) -> &'a [Option<Tensor>] {
        self.given
    }

    /// The cotangents of all results, with explicit zeros.
    pub(crate) fn all(&self, builder: &Builder) -> Vec<Tensor> {
        let of = |(ct, shape): (&Option<Tensor>, &Shape)| {
            ct.clone().unwrap_or_else(|| trace::zeros(builder, shape))
        };
        self.given.iter().zip(self.shapes).map(of).collect()
    }
}

fn accumulate(sum: &mut Option<Tensor>, ct: Tensor) {
    *sum = Some(match sum.take() {
        Some(so_far) => so_far + ct,
        None => ct,
    });
}

/// Which nodes are linear, and which are needed for the requested cotangents.
struct LinearNodes {
    linear: Vec<bool>,
    needed: Vec<bool>,
}

impl LinearNodes {
    fn new(
        graph: &Graph,
        inputs: &[Arg],
        cotangents: &[Option<Tensor>],
        outputs: bool,
    ) -> Result<LinearNodes, Error> {
        let count = graph.inputs().count();
        if count != inputs.len() || graph.outputs().len() != cotangents.len() {
            let message = format!(
                "{:?} has {count} input(s) and {} output(s), got {} and {}",
                graph.name(),
                graph.outputs().len(),
                inputs.len(),
                cotangents.len()
            );
            return Err(Error::Arguments(message));
        }
        let mut next = inputs.iter();
        let mut linear = Vec::with_capacity(graph.nodes().len());
        for node in graph.nodes() {
            linear.push(match node.op() {
                Op::Input { .. } => next.next().is_some_and(Arg::is_linear),
                _ => node.inputs().iter().any(|i| linear[i.index()]),
            });
        }
        let mut needed = vec![false; graph.nodes().len()];
        for (output, ct) in graph.outputs().iter().zip(cotangents) {
            needed[output.index()] |= if linear[output.index()] { ct.is_some() } else { outputs };
        }
        for node in graph.nodes().iter().rev() {
            if needed[node.id().index()] {
                node.inputs().iter().for_each(|i| needed[i.index()] = true);
            }
        }
        Ok(LinearNodes { linear, needed })
    }
}

/// The transpose of a sub-graph.
pub(crate) struct TransposedGraph {
    /// From (known inputs…, cotangents of the outputs that have one…) to the cotangents of the linear inputs that get one.
    pub(crate) graph: Graph,
    /// Which inputs get a cotangent.
    pub(crate) given: Vec<bool>,
}

/// The transpose of a sub-graph in the inputs that `linear` marks. `cotangents` says which outputs have a cotangent, and `wants`
/// which linear inputs must get one (with explicit zeros). `None` if no input gets one.
pub(crate) fn transpose_graph(
    body: &Graph,
    linear: &[bool],
    cotangents: &[bool],
    wants: &[bool],
    options: &Options,
) -> Result<Option<TransposedGraph>, Error> {
    let builder = Builder::new(body.name()).sharing_constants();
    let shapes = body.input_shapes();
    let args: Vec<Arg> = shapes
        .iter()
        .zip(linear)
        .enumerate()
        .map(|(i, (shape, linear))| match linear {
            true => Arg::Linear(shape.clone()),
            false => Arg::Known(builder.input(format!("r{i}"), shape.clone())),
        })
        .collect();
    let cts: Vec<Option<Tensor>> = body
        .output_shapes()
        .into_iter()
        .zip(cotangents)
        .enumerate()
        .map(|(i, (shape, &given))| given.then(|| builder.input(format!("out{i}.cotangent"), shape)))
        .collect();
    let mut given = Backward { builder: &builder, options }.graph(body, &args, &cts)?;
    for (i, ct) in given.iter_mut().enumerate() {
        match linear[i] {
            true if wants[i] && ct.is_none() => *ct = Some(trace::zeros(&builder, &shapes[i])),
            true => {}
            false => *ct = None,
        }
    }
    let results: Vec<&Tensor> = given.iter().flatten().collect();
    if results.is_empty() {
        return Ok(None);
    }
    let graph = builder.intermediate(&results)?;
    Ok(Some(TransposedGraph { graph, given: given.iter().map(Option::is_some).collect() }))
}

/// The transpose of a sub-graph in the inputs that `linear` marks: from (known inputs…, cotangents of all outputs…) to the
/// cotangents of all linear inputs.
pub(crate) fn transpose_all(body: &Graph, linear: &[bool], options: &Options) -> Result<Graph, Error> {
    let outputs = vec![true; body.outputs().len()];
    match transpose_graph(body, linear, &outputs, linear, options)? {
        Some(transposed) => Ok(transposed.graph),
        None => Err(Error::Arguments(format!("graph {:?} has no linear input to transpose", body.name()))),
    }
}
