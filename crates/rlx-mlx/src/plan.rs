//! Turns a graph with static sizes into steps that make arrays from arrays.

use crate::emit::{
    Angles, ArrayType, Declined, Preparation, Prepared, Site, Step, StepError, constant_array, emit,
    is_coarse, packing_of, prepared, shape_text,
};
use crate::launch::{Launch, MlxMode};
use crate::packing::Packing;
use crate::parts::{PlanPart, Reads, parts};
use rlx_compile::BackendError;
use rlx_ir::{Graph, Literal, Node, NodeId, Op};
use rlx_mlx_sys::{Mlx, MlxArray, MlxError};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// If a run has more steps than this, MLX starts to compute each group of this many steps while the next group is made. Making the graph of
/// a decoder takes longer than a GPU needs for a layer.
const STEPS_AHEAD: usize = 256;

/// An error in a node, or in the program as a whole.
#[derive(Debug, thiserror::Error)]
#[error("`{op}`{label}: {shapes}{error}")]
pub(crate) struct PlanError {
    op: String,
    /// The model path with a leading ` at `, or an empty string.
    label: String,
    /// The shapes of the node's operands, followed by a colon, or an empty string.
    shapes: String,
    error: MlxError,
}

impl PlanError {
    /// Creates an error of the program as a whole.
    pub(crate) fn of_program(error: MlxError, name: &str) -> PlanError {
        PlanError { op: name.into(), label: String::new(), shapes: String::new(), error }
    }
}

impl From<PlanError> for BackendError {
    fn from(error: PlanError) -> BackendError {
        match error.error {
            MlxError::OutOfMemory { bytes, .. } => BackendError::OutOfMemory(bytes),
            failed => BackendError::Run {
                op: error.op,
                label: error.label,
                message: format!("{}{failed}", error.shapes),
            },
        }
    }
}

/// A node as a step.
struct PlanStep {
    step: Step,
    inputs: Vec<usize>,
    /// The values that no later step reads.
    last: Vec<usize>,
    /// The first of the values that it makes, which are consecutive.
    first: usize,
    count: usize,
    op: &'static str,
    label: String,
    shapes: String,
}

impl PlanStep {
    fn reads(&self) -> Reads<'_> {
        Reads { inputs: &self.inputs, makes: self.first..self.first + self.count }
    }
}

/// The source of a value that exists before the first step.
enum Given {
    /// The argument of the call with this number.
    Argument(usize),
    /// A constant.
    Constant(MlxArray),
}

/// A parameter that products read packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedParam {
    /// Its index among the parameters.
    pub(crate) index: usize,
    pub(crate) packing: Packing,
    /// The first of its values in the plan.
    value: usize,
}

/// The values of nodes, while a plan is made.
struct ValueNumbers {
    param_of: HashMap<NodeId, usize>,
    /// The first value of each node.
    first: Vec<usize>,
    /// The values that are prepared from one value and shared by all steps that ask for them.
    made: HashMap<(Option<usize>, Preparation), Range<usize>>,
}

fn unsupported(node: &Node, why: &str) -> BackendError {
    let label = node.at_label();
    BackendError::Unsupported(format!("`{}`{label}: {why}", node.op().mnemonic()))
}

/// A graph as a list of steps.
pub(crate) struct Plan {
    name: String,
    steps: Vec<PlanStep>,
    given: Vec<(usize, Given)>,
    values: usize,
    arguments: usize,
    outputs: Vec<usize>,
    straight: bool,
    /// The parts of a straight plan; empty for other plans.
    parts: Vec<PlanPart>,
    packed: Vec<PackedParam>,
    /// For each parameter, whether anything reads it unpacked.
    plain: Vec<bool>,
    /// The bytes of each value that is not a view.
    bytes: Vec<usize>,
}

/// Whether a node's result is a view of its operand.
fn is_view(op: &Op) -> bool {
    matches!(
        op,
        Op::Input { .. }
            | Op::Param { .. }
            | Op::Reshape { .. }
            | Op::Transpose { .. }
            | Op::BroadcastInDim { .. }
            | Op::Slice { .. }
            | Op::OptimizationBarrier {}
    )
}

/// Whether making the graph of a node requires values of a run.
fn needs_values(site: &Site<'_>) -> bool {
    match site.op {
        Op::If { .. }
        | Op::Case { .. }
        | Op::While { .. }
        | Op::Scan { .. }
        | Op::Custom { .. }
        | Op::ScatterGraph { .. }
        | Op::RaggedDot { .. }
        | Op::DequantGroupedMatMul { .. } => true,
        Op::Unary { op } => is_coarse(*op, site.x().element),
        _ => false,
    }
}

/// Describes a node with the sizes of its operands and results.
pub(crate) fn site_of<'g>(graph: &'g Graph, node: &'g Node) -> Result<Site<'g>, Declined> {
    let operands = node.inputs().iter().map(|&id| ArrayType::of(graph.shape(id)));
    let value = |id: &rlx_ir::NodeId| -> Option<&'g Literal> {
        match graph.node(*id).op() {
            Op::Constant { value } => Some(value),
            _ => None,
        }
    };
    Ok(Site {
        op: node.op(),
        operands: operands.collect::<Result<_, _>>()?,
        results: node.results().iter().map(ArrayType::of).collect::<Result<_, _>>()?,
        constants: node.inputs().iter().map(value).collect(),
        claiming: false,
        packed: false,
        angles: None,
        mlx: None,
    })
}

impl Plan {
    /// Makes the steps of a graph with static sizes. The arguments of the plan are the inputs and the parameters, each in order, followed by
    /// the arrays of parameters that are read packed.
    pub(crate) fn new(graph: &Graph, mlx: Mlx) -> Result<Plan, BackendError> {
        let mut plan = Plan {
            name: graph.name().into(),
            steps: Vec::new(),
            given: Vec::new(),
            values: 0,
            arguments: 0,
            outputs: Vec::new(),
            straight: true,
            parts: Vec::new(),
            packed: Vec::new(),
            plain: vec![false; graph.params().count()],
            bytes: Vec::new(),
        };
        let mut numbers = ValueNumbers {
            param_of: graph.params().enumerate().map(|(i, node)| (node.id(), i)).collect(),
            first: vec![0; graph.nodes().len()],
            made: HashMap::new(),
        };
        let (mut inputs, mut params) = (0, graph.inputs().count());
        plan.arguments = params + graph.params().count();
        for node in graph.nodes() {
            let at = plan.values;
            numbers.first[node.id().index()] = at;
            let argument = |number: &mut usize| {
                *number += 1;
                Given::Argument(*number - 1)
            };
            match node.op() {
                Op::Input { .. } => plan.given.push((at, argument(&mut inputs))),
                Op::Param { .. } => plan.given.push((at, argument(&mut params))),
                Op::Constant { value } => {
                    let array = constant_array(mlx, value).map_err(|e| unsupported(node, &e.to_string()))?;
                    plan.given.push((at, Given::Constant(array)));
                }
                Op::Output { index } if node.is_projection() => {
                    numbers.first[node.id().index()] = numbers.first[node.inputs()[0].index()] + index;
                    continue;
                }
                _ => plan.add_step(graph, node, mlx, &mut numbers)?,
            }
            let own = |shape: &rlx_ir::Shape| {
                if is_view(node.op()) { 0 } else { shape.num_bytes().unwrap_or(usize::MAX) }
            };
            plan.bytes.extend(node.results().iter().map(own));
            plan.values += node.results().len();
        }
        plan.outputs = graph.outputs().iter().map(|id| numbers.first[id.index()]).collect();
        for id in graph.outputs() {
            numbers.param_of.get(id).into_iter().for_each(|&index| plan.plain[index] = true);
        }
        plan.find_last_uses();
        if plan.straight {
            let steps: Vec<Reads<'_>> = plan.steps.iter().map(PlanStep::reads).collect();
            plan.parts = parts(&steps, plan.values, &plan.outputs, STEPS_AHEAD);
        }
        Ok(plan)
    }

    /// Adds the step of a node, preceded by the steps that prepare its operands.
    fn add_step(
        &mut self,
        graph: &Graph,
        node: &Node,
        mlx: Mlx,
        numbers: &mut ValueNumbers,
    ) -> Result<(), BackendError> {
        let mut site = site_of(graph, node).map_err(|why| unsupported(node, &why))?;
        (site.mlx, site.angles) = (Some(mlx), Angles::of(graph, node));
        let mut inputs: Vec<usize> = Vec::with_capacity(node.inputs().len());
        for (operand, id) in node.inputs().iter().enumerate() {
            let param = numbers.param_of.get(id).copied();
            match (param, packing_of(node.op(), &site.operands[operand].dims)) {
                (Some(index), Some((weights, packing))) if weights == operand => {
                    site.packed = true;
                    inputs.extend(self.packed_param(index, packing));
                }
                _ => {
                    param.into_iter().for_each(|index| self.plain[index] = true);
                    inputs.push(numbers.first[id.index()]);
                }
            }
        }
        let step = emit(&site).map_err(|why| unsupported(node, &why))?;
        self.straight &= !needs_values(&site);
        for Prepared { operand, preparation } in prepared(&site) {
            let value = operand.map(|operand| inputs[operand]);
            let asked = || self.prepare(graph, node, value, operand.map(|i| &site.operands[i]), &preparation);
            let values = numbers.made.entry((value, preparation.clone())).or_insert_with(asked).clone();
            match operand {
                Some(operand) if preparation.replaces() => inputs[operand] = values.start,
                _ => inputs.extend(values),
            }
        }
        if let Some(start) = site.angles.as_ref().and_then(|angles| angles.start) {
            inputs.push(numbers.first[start.index()]);
        }
        // Prepared arrays and packed parameters have separate values.
        numbers.first[node.id().index()] = self.values;
        self.push(graph, node, step, inputs, node.results().len());
        Ok(())
    }

    /// Adds a step of a node. Its values are the next ones.
    fn push(&mut self, graph: &Graph, node: &Node, step: Step, inputs: Vec<usize>, count: usize) {
        let operands: Vec<_> = node.inputs().iter().map(|&id| graph.shape(id).clone()).collect();
        let label = node.label();
        self.steps.push(PlanStep {
            step,
            inputs,
            last: Vec::new(),
            first: self.values,
            count,
            op: node.op().mnemonic(),
            label: rlx_ir::at_label(label),
            shapes: if operands.is_empty() {
                String::new()
            } else {
                format!("({}): ", shape_text(&operands))
            },
        });
    }

    /// Returns the prepared values that a node asks for, which a step before it makes.
    fn prepare(
        &mut self,
        graph: &Graph,
        node: &Node,
        value: Option<usize>,
        operand: Option<&ArrayType>,
        preparation: &Preparation,
    ) -> Range<usize> {
        let (first, results) = (self.values, preparation.results(operand));
        self.push(graph, node, preparation.step(), value.into_iter().collect(), results.len());
        let bytes = |result: &ArrayType| {
            let size = result.element.size();
            result.dims.iter().fold(size, |bytes, &d| bytes.saturating_mul(d))
        };
        self.bytes.extend(results.iter().map(bytes));
        self.values += results.len();
        first..self.values
    }

    /// Returns the values of a parameter that is read packed.
    fn packed_param(&mut self, index: usize, packing: Packing) -> Range<usize> {
        let known = self.packed.iter().find(|param| param.index == index && param.packing == packing);
        let first = known.map(|param| param.value).unwrap_or_else(|| {
            let first = self.values;
            self.packed.push(PackedParam { index, packing, value: first });
            for _ in 0..packing.arrays() {
                self.given.push((self.values, Given::Argument(self.arguments)));
                self.bytes.push(0);
                self.values += 1;
                self.arguments += 1;
            }
            first
        });
        first..first + packing.arrays()
    }

    /// Returns the parameters that are read packed. Their arrays are the last arguments, in this order.
    pub(crate) fn packed_params(&self) -> &[PackedParam] {
        &self.packed
    }

    /// Returns, for each parameter, whether anything reads it unpacked.
    pub(crate) fn plain_params(&self) -> &[bool] {
        &self.plain
    }

    /// Returns the parts of a straight plan. The list is empty for other plans.
    pub(crate) fn parts(&self) -> &[PlanPart] {
        &self.parts
    }

    fn find_last_uses(&mut self) {
        let mut alive = vec![false; self.values];
        self.outputs.iter().for_each(|&value| alive[value] = true);
        for step in self.steps.iter_mut().rev() {
            let made = step.first..step.first + step.count;
            let mut last: Vec<usize> =
                made.chain(step.inputs.iter().copied()).filter(|&v| !alive[v]).collect();
            last.sort_unstable();
            last.dedup();
            last.iter().for_each(|&value| alive[value] = true);
            step.last = last;
        }
    }

    /// Returns the peak number of bytes of values that are alive at the same time, and the step with the largest of them.
    pub(crate) fn peak_bytes(&self) -> (usize, String) {
        let (mut live, mut peak, mut largest) = (0usize, 0usize, (0, String::new()));
        for step in &self.steps {
            let made = self.bytes[step.first..step.first + step.count].iter();
            let made = made.fold(0usize, |sum, &bytes| sum.saturating_add(bytes));
            if made > largest.0 {
                largest = (made, format!("`{}`{}", step.op, step.label));
            }
            live = live.saturating_add(made);
            peak = peak.max(live);
            for &value in &step.last {
                live = live.saturating_sub(self.bytes[value]);
            }
        }
        (peak, largest.1)
    }

    pub(crate) fn num_steps(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether the MLX graph is the same for every run.
    pub(crate) fn is_straight(&self) -> bool {
        self.straight
    }

    /// Returns the results for these arguments. The arrays are not computed yet, except in the mode that computes each node.
    pub(crate) fn run(&self, cx: &Launch<'_>, arguments: Vec<MlxArray>) -> Result<Vec<MlxArray>, PlanError> {
        let mut values = self.values(arguments)?;
        self.run_steps(cx, 0..self.steps.len(), &mut values)?;
        self.picked(&self.outputs, &values)
    }

    /// Returns the results of a part for its inputs.
    pub(crate) fn run_part(
        &self,
        cx: &Launch<'_>,
        part: &PlanPart,
        taken: Vec<MlxArray>,
    ) -> Result<Vec<MlxArray>, PlanError> {
        let mut values: Vec<Option<MlxArray>> = (0..self.values).map(|_| None).collect();
        for ((value, _), array) in part.takes.iter().zip(taken) {
            values[*value] = Some(array);
        }
        self.run_steps(cx, part.steps.clone(), &mut values)?;
        self.picked(&part.gives, &values)
    }

    /// Returns the results for these arguments, with functions of the parts. The results of one part are computed while the next is called.
    pub(crate) fn run_in_parts(
        &self,
        cx: &Launch<'_>,
        arguments: Vec<MlxArray>,
        call: impl Fn(usize, Vec<MlxArray>) -> Result<Vec<MlxArray>, MlxError>,
    ) -> Result<Vec<MlxArray>, PlanError> {
        let failed = |error: MlxError| PlanError::of_program(error, &self.name);
        let mut values = self.values(arguments)?;
        for (index, part) in self.parts.iter().enumerate().filter(|(_, part)| !part.gives.is_empty()) {
            let takes: Vec<usize> = part.takes.iter().map(|(value, _)| *value).collect();
            let taken = self.picked(&takes, &values)?;
            // Values that no later part reads now have a single owner, so MLX may overwrite them.
            part.takes.iter().filter(|(_, last)| *last).for_each(|(value, _)| values[*value] = None);
            let made = call(index, taken).map_err(failed)?;
            if index + 1 < self.parts.len() {
                cx.async_eval(&made.iter().collect::<Vec<_>>()).map_err(failed)?;
            }
            part.gives.iter().zip(made).for_each(|(value, array)| values[*value] = Some(array));
        }
        self.picked(&self.outputs, &values)
    }

    /// Returns the values that exist before the first step.
    fn values(&self, arguments: Vec<MlxArray>) -> Result<Vec<Option<MlxArray>>, PlanError> {
        if arguments.len() != self.arguments {
            let message = format!("got {} arguments, expected {}", arguments.len(), self.arguments);
            return Err(PlanError::of_program(MlxError::Argument(message), &self.name));
        }
        let mut arguments: Vec<Option<MlxArray>> = arguments.into_iter().map(Some).collect();
        let mut values: Vec<Option<MlxArray>> = (0..self.values).map(|_| None).collect();
        for (value, given) in &self.given {
            values[*value] = match given {
                Given::Argument(number) => arguments[*number].take(),
                Given::Constant(array) => Some(array.clone()),
            };
        }
        Ok(values)
    }

    fn picked(&self, wanted: &[usize], values: &[Option<MlxArray>]) -> Result<Vec<MlxArray>, PlanError> {
        let missing = || PlanError::of_program(MlxError::Argument("a value was not made".into()), &self.name);
        wanted.iter().map(|&value| values[value].clone().ok_or_else(missing)).collect()
    }

    fn run_steps(
        &self,
        cx: &Launch<'_>,
        steps: Range<usize>,
        values: &mut [Option<MlxArray>],
    ) -> Result<(), PlanError> {
        let starts = cx.mode() == MlxMode::Lazy && steps.len() > STEPS_AHEAD && !cx.is_tracing();
        for (number, step) in self.steps[steps].iter().enumerate() {
            let failed = |error: StepError| match error {
                StepError::Inner(inner) => *inner,
                StepError::Mlx(error) => {
                    let (op, label, shapes) = (step.op.to_string(), step.label.clone(), step.shapes.clone());
                    PlanError { op, label, shapes, error }
                }
            };
            let missing = || MlxError::Argument("a value was not made".into());
            let operands = step.inputs.iter().map(|&value| values[value].as_ref().ok_or_else(missing));
            let operands: Vec<&MlxArray> =
                operands.collect::<Result<_, _>>().map_err(|e| failed(e.into()))?;
            let made = (step.step)(cx, &operands).map_err(failed)?;
            let all = || made.iter().collect::<Vec<&MlxArray>>();
            if cx.mode() == MlxMode::Eager {
                cx.eval(&all()).map_err(|e| failed(e.into()))?;
            } else if starts && number % STEPS_AHEAD == STEPS_AHEAD - 1 {
                cx.async_eval(&all()).map_err(|e| failed(e.into()))?;
            }
            for (offset, array) in made.into_iter().enumerate().take(step.count) {
                values[step.first + offset] = Some(array);
            }
            for &value in &step.last {
                values[value] = None;
            }
        }
        Ok(())
    }
}

/// Makes a plan of a graph inside an op.
pub(crate) fn inner(graph: &Graph, mlx: Option<Mlx>) -> Result<Arc<Plan>, Declined> {
    let mlx = mlx.ok_or("MLX is not there")?;
    Plan::new(graph, mlx).map(Arc::new).map_err(|e| e.to_string())
}
