//! The front end of control flow: branches and loops whose graphs closures build.

use crate::dim::Dim;
use crate::graph::{Graph, SubGraph};
use crate::op::Op;
use crate::op::kinds::CheckpointPolicy;
use crate::shape::Shape;
use crate::tensor::{Builder, Tensor};

/// Builds the graph of a branch or loop, or of a function to transform, from its inputs. Using a tensor of the surrounding graph
/// in it is an error that names the tensor: pass such tensors as arguments.
pub type Body<'a> = &'a dyn Fn(&Builder, &[Tensor]) -> Vec<Tensor>;

/// The operands of a scan by role.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanOperands<'a> {
    /// Operands that are the same in each step.
    pub consts: &'a [Tensor],
    /// Operands that are carried from step to step.
    pub carry: &'a [Tensor],
    /// Operands that are sliced along the leading axis, one slice per step.
    pub xs: &'a [Tensor],
}

fn shapes(values: &[Tensor]) -> Vec<Shape> {
    values.iter().map(Tensor::shape).collect()
}

/// A sub-graph, as far as it could be built, and the number of its results.
struct Built {
    graph: Option<SubGraph>,
    results: usize,
}

impl Builder {
    fn sub_graph(&self, name: &str, inputs: &[Shape], body: Body<'_>) -> Built {
        let inner = Builder::new(name);
        let named = inputs.iter().enumerate().map(|(i, s)| inner.input(format!("x{i}"), s.clone()));
        let inputs: Vec<Tensor> = named.collect();
        let outputs = body(&inner, &inputs);
        let graph = match inner.finish(&outputs.iter().collect::<Vec<_>>()) {
            Ok(graph) => Some(SubGraph::new(graph)),
            Err(violations) => {
                self.error(name, violations.to_string());
                None
            }
        };
        Built { graph, results: outputs.len() }
    }

    /// Adds an op with sub-graphs. After an error, returns `results` void tensors.
    #[track_caller]
    fn control(&self, op: Option<Op>, operands: &[&[Tensor]], results: usize) -> Vec<Tensor> {
        let operands: Vec<&Tensor> = operands.iter().copied().flatten().collect();
        let mut out = op.map(|op| self.apply_many(op, &operands)).unwrap_or_default();
        out.resize_with(results, || self.void());
        out
    }

    /// `then_branch(args)` if the boolean scalar `pred` is true, `else_branch(args)` otherwise; only one of them runs.
    #[track_caller]
    pub fn cond(
        &self,
        pred: &Tensor,
        args: &[Tensor],
        then_branch: Body<'_>,
        else_branch: Body<'_>,
    ) -> Vec<Tensor> {
        let inputs = shapes(args);
        let on_true = self.sub_graph("then", &inputs, then_branch);
        let on_false = self.sub_graph("else", &inputs, else_branch);
        let op = on_true
            .graph
            .zip(on_false.graph)
            .map(|(then_branch, else_branch)| Op::If { then_branch, else_branch });
        self.control(op, &[std::slice::from_ref(pred), args], on_true.results)
    }

    /// Applies the branch at the i32 scalar `index` to `args`, or the last branch if the index is out of range.
    #[track_caller]
    pub fn case(&self, index: &Tensor, args: &[Tensor], branches: &[Body<'_>]) -> Vec<Tensor> {
        let inputs = shapes(args);
        let built: Vec<Built> =
            branches.iter().map(|branch| self.sub_graph("branch", &inputs, branch)).collect();
        let results = built.first().map_or(1, |b| b.results);
        let branches: Option<Vec<SubGraph>> = built.into_iter().map(|b| b.graph).collect();
        let op = branches.map(|branches| Op::Case { branches });
        self.control(op, &[std::slice::from_ref(index), args], results)
    }

    /// Applies `body` to the carried values while `cond` of them, a boolean scalar, is true.
    #[track_caller]
    pub fn while_loop(&self, init: &[Tensor], cond: Body<'_>, body: Body<'_>) -> Vec<Tensor> {
        let inputs = shapes(init);
        let cond = self.sub_graph("cond", &inputs, cond).graph;
        let body = self.sub_graph("body", &inputs, body).graph;
        let op = cond.zip(body).map(|(cond, body)| Op::While { cond, body });
        self.control(op, &[init], init.len())
    }

    /// Runs `body(consts…, carry…, slices…)` → (carry…, ys…) for each of `length` steps, the last first if `reverse`. Returns the
    /// final carry and the stacked ys.
    #[track_caller]
    pub fn scan(
        &self,
        operands: ScanOperands<'_>,
        length: impl Into<Dim>,
        reverse: bool,
        body: Body<'_>,
    ) -> Vec<Tensor> {
        let ScanOperands { consts, carry, xs } = operands;
        let slices: Vec<Shape> = xs.iter().map(|x| x.shape().without_axes(&[0])).collect();
        let inputs = [shapes(consts), shapes(carry), slices].concat();
        let Built { graph, results } = self.sub_graph("body", &inputs, body);
        let op = graph.map(|body| Op::Scan {
            body,
            length: length.into(),
            num_consts: consts.len(),
            num_carry: carry.len(),
            reverse,
        });
        self.control(op, &[consts, carry, xs], results)
    }

    /// Applies `body` to `args`, kept as one node.
    #[track_caller]
    pub fn call(&self, body: &Graph, args: &[Tensor]) -> Vec<Tensor> {
        let results = body.outputs().len();
        self.control(Some(Op::Call { body: SubGraph::new(body.clone()) }), &[args], results)
    }

    /// Applies `body` to `args`. Reverse mode keeps only what `policy` names, and recomputes the rest.
    #[track_caller]
    pub fn checkpoint(&self, policy: CheckpointPolicy, args: &[Tensor], body: Body<'_>) -> Vec<Tensor> {
        let Built { graph, results } = self.sub_graph("checkpoint", &shapes(args), body);
        self.control(graph.map(|body| Op::Checkpoint { body, policy }), &[args], results)
    }

    /// Applies `forward` to `args`, with user-defined derivatives. `jvp` maps (args…, results…, tangents of args…) to the
    /// tangents of results; `vjp` maps (args…, results…, cotangents of results…) to the cotangents of args. Only floats and
    /// complex numbers have these. If one is missing it is derived from the other; without both, the derivative is that of
    /// `forward`.
    #[track_caller]
    pub fn custom_fn(
        &self,
        args: &[Tensor],
        forward: &Graph,
        jvp: Option<&Graph>,
        vjp: Option<&Graph>,
    ) -> Vec<Tensor> {
        let results = forward.outputs().len();
        let shared = |graph: &Graph| SubGraph::new(graph.clone());
        let op = Op::CustomFn { forward: shared(forward), jvp: jvp.map(shared), vjp: vjp.map(shared) };
        self.control(Some(op), &[args], results)
    }
}
