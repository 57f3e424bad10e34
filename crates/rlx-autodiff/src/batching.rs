//! Vectorization: replays a graph on values, some of which have a leading batch axis. Owns the traversal; the rule of each op
//! knows how to run it over the axis. Inside, the batch axis is always axis 0: in and out axes are moved at the boundary.

use crate::error::Error;
use crate::options::Options;
use crate::rules::{self, Batch};
use crate::trace;
use rlx_ir::{Access, Builder, Dim, Graph, Node, Op, OpClass, Shape, Tensor};
use std::collections::HashMap;

/// A value. If it is batched, it has the batch axis before its own axes; otherwise it is the same for the whole batch.
#[derive(Clone, Debug)]
pub(crate) struct Batched {
    pub(crate) value: Tensor,
    pub(crate) batched: bool,
}

impl Batched {
    /// A value that is the same for the whole batch.
    pub(crate) fn shared(value: Tensor) -> Batched {
        Batched { value, batched: false }
    }

    /// A value per batch entry, along axis 0.
    pub(crate) fn each(value: Tensor) -> Batched {
        Batched { value, batched: true }
    }

    /// The shape without the batch axis, for which the op was written.
    pub(crate) fn own_shape(&self) -> Shape {
        if self.batched { self.value.shape().without_axes(&[0]) } else { self.value.shape() }
    }
}

/// The context of batching rules.
pub(crate) struct Batching<'a> {
    pub(crate) builder: &'a Builder,
    /// Size of the batch axis.
    pub(crate) size: Dim,
    /// The name by which collectives inside refer to this axis.
    pub(crate) axis_name: Option<&'a str>,
    pub(crate) options: &'a Options,
}

impl Batching<'_> {
    /// Replays `graph` on values for its inputs, in order. Parameters of the graph are added as parameters, the same for the
    /// whole batch, except those for which `params` has a value by name.
    pub(crate) fn graph(
        &self,
        graph: &Graph,
        inputs: &[Batched],
        params: &[(&str, Batched)],
    ) -> Result<Vec<Batched>, Error> {
        let given: HashMap<&str, &Batched> = params.iter().map(|(name, value)| (*name, value)).collect();
        let param = |node: &Node, name: &str| match given.get(name) {
            Some(value) => Clone::clone(*value),
            None => Batched::shared(self.builder.param(name, node.shape().clone())),
        };
        trace::replay(graph, inputs, &param, &|node, operands: Vec<Batched>| {
            if !self.untouched(node.op(), &operands) {
                return trace::applied(self.builder, node, || self.op(node.op(), &operands));
            }
            let values: Vec<Tensor> = operands.into_iter().map(|x| x.value).collect();
            Ok(self.builder.copy(node, &values).into_iter().map(Batched::shared).collect())
        })
    }

    /// Whether an op is the same for the whole batch, because none of its operands is batched and it does not name the axis.
    fn untouched(&self, op: &Op, operands: &[Batched]) -> bool {
        operands.iter().all(|x| !x.batched) && !self.axis_name.is_some_and(|name| rules::names_axis(op, name))
    }

    /// Applies an op.
    pub(crate) fn op(&self, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
        let is_elementwise = op.kind().access() == Access::Elementwise;
        match rules::of(op).batch {
            Batch::Rule(rule) => rule(self, op, operands),
            Batch::Table if !is_elementwise => self.decomposed(op, operands),
            Batch::Table | Batch::Elementwise => {
                let operands: Vec<Tensor> = operands.iter().map(|x| self.front(x)).collect();
                Ok(self.apply(op.clone(), &operands))
            }
        }
    }

    /// Applies the decomposition of a composite to the operands.
    pub(crate) fn decomposed(&self, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
        if op.kind().class() != OpClass::Composite {
            return Err(Error::no_rule("batching rule", "it is a primitive without one"));
        }
        let shapes: Vec<Shape> = operands.iter().map(Batched::own_shape).collect();
        self.graph(&*self.builder.decompose(op, &shapes)?, operands, &[])
    }

    /// Applies the op to these tensors. All of its results are batched.
    pub(crate) fn apply(&self, op: Op, operands: &[Tensor]) -> Vec<Batched> {
        let results = self.builder.apply_many(op, &operands.iter().collect::<Vec<_>>());
        results.into_iter().map(Batched::each).collect()
    }

    /// The value with a leading batch axis, repeated along it if it is the same for the whole batch.
    pub(crate) fn front(&self, x: &Batched) -> Tensor {
        if x.batched {
            return x.value.clone();
        }
        let own = x.value.dims();
        let dims: Vec<Dim> = std::iter::once(self.size.clone()).chain(own.iter().cloned()).collect();
        x.value.broadcast_in_dim(&dims, &(1..=own.len()).collect::<Vec<_>>())
    }
}

/// A sub-graph that runs over a batch.
pub(crate) struct BatchedGraph {
    /// The graph. Batched inputs and outputs have a leading batch axis.
    pub(crate) graph: Graph,
    /// Which outputs are batched.
    pub(crate) batched: Vec<bool>,
}

/// Makes a sub-graph run over a batch. `batched` says which inputs are batched, and `wants_batch` which outputs must be.
pub(crate) fn batch_graph(
    cx: &Batching<'_>,
    body: &Graph,
    batched: &[bool],
    wants_batch: &[bool],
) -> Result<BatchedGraph, Error> {
    let builder = Builder::new(body.name()).sharing_constants();
    let shapes = body.input_shapes().into_iter().zip(batched).map(|(shape, &batched)| match batched {
        true => trace::with_leading(&shape, &cx.size),
        false => shape,
    });
    let inputs: Vec<Batched> = trace::inputs(&builder, "x", shapes.collect())
        .into_iter()
        .zip(batched)
        .map(|(value, &batched)| Batched { value, batched })
        .collect();
    let inner =
        Batching { builder: &builder, size: cx.size.clone(), axis_name: cx.axis_name, options: cx.options };
    let mut results = inner.graph(body, &inputs, &[])?;
    for (result, _) in results.iter_mut().zip(wants_batch).filter(|(_, want)| **want) {
        *result = Batched::each(inner.front(result));
    }
    let batched = results.iter().map(|x| x.batched).collect();
    let outputs: Vec<&Tensor> = results.iter().map(|x| &x.value).collect();
    Ok(BatchedGraph { graph: builder.intermediate(&outputs)?, batched })
}
