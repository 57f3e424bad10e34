//! Predicts where CoreML would run the operations of a model, and says what to change. Only a Mac knows
//! (`MLComputePlan`), and its plan is put beside: these are rules that people found by measuring.

use crate::engine::PlannedOperation;
use rlx_mil::message::{
    BindingKind, Block, DataType, DimensionKind, Function, Model, NamedValueType, Operation, ValueTypeKind,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What runs an operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unit {
    /// The Neural Engine.
    NeuralEngine,
    /// The GPU; the CPU where the GPU is not asked for.
    Gpu,
    /// The CPU.
    Cpu,
}

impl Unit {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Unit::NeuralEngine => "neural engine",
            Unit::Gpu => "gpu",
            Unit::Cpu => "cpu",
        }
    }
}

/// Why an operation is not expected on the Neural Engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The operation's name in the program, and its kind.
    pub operation: String,
    /// As `matmul`.
    pub kind: String,
    /// Where it is expected.
    pub unit: Unit,
    /// Why.
    pub reason: &'static str,
    /// What to change.
    pub advice: &'static str,
}

/// What is expected of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionLint {
    /// Its name.
    pub name: String,
    /// How many operations are expected where; constants do not count.
    pub counts: BTreeMap<Unit, usize>,
    /// Every operation that is not expected on the Neural Engine.
    pub findings: Vec<Finding>,
    /// What holds for the function as a whole.
    pub notes: Vec<&'static str>,
}

/// Where an operation goes, and why.
type Placed = (Unit, &'static str, &'static str);

/// Kinds of operations that the Neural Engine has not, where they go, why, and what to do.
const KINDS: &[(&[&str], Unit, &str, &str)] = &[
    (
        &["lstm", "gru", "rnn"],
        Unit::Cpu,
        "recurrent nets run on the CPU",
        "unroll short sequences, or use convolutions or attention",
    ),
    (
        &[
            "while_loop",
            "cond",
            "make_list",
            "list_read",
            "list_write",
            "list_gather",
            "list_scatter",
            "list_length",
        ],
        Unit::Cpu,
        "control flow and lists run on the CPU",
        "unroll loops of known length; compute both branches and select",
    ),
    (
        &["gather", "gather_nd", "gather_along_axis"],
        Unit::Cpu,
        "elements by indices are fetched by the CPU",
        "look embeddings up outside of the model, or multiply by one-hot rows where the table is small",
    ),
    (
        &[
            "scatter",
            "scatter_nd",
            "scatter_along_axis",
            "non_zero",
            "one_hot",
            "argsort",
            "topk",
            "non_maximum_suppression",
        ],
        Unit::Cpu,
        "the Neural Engine has no such operation",
        "move it to the end of the model, or out of it",
    ),
    (
        &["random_bernoulli", "random_categorical", "random_normal", "random_uniform"],
        Unit::Cpu,
        "random numbers are drawn by the CPU",
        "give random numbers as an input",
    ),
    (
        &[
            "cumsum",
            "floor_div",
            "mod",
            "logical_and",
            "logical_or",
            "logical_xor",
            "logical_not",
            "band_part",
            "range_1d",
        ],
        Unit::Gpu,
        "the Neural Engine has no such operation",
        "compute masks and places once, as constants or inputs",
    ),
    (
        &["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "atanh", "exp2", "inverse"],
        Unit::Gpu,
        "the Neural Engine has no such function",
        "make tables of positions (rotary embeddings) constants or inputs",
    ),
];

/// The longest axis of what the Neural Engine computes.
const MOST_ALONG_AXIS: u64 = 16_384;
/// The most axes.
const MOST_AXES: usize = 4;

/// Operations that have no work of their own.
const FREE: [&str; 2] = ["const", "identity"];

/// What is expected of every function of a model.
pub fn lint(model: &Model) -> Vec<FunctionLint> {
    let functions = model.ml_program.iter().flat_map(|program| &program.functions);
    functions.map(|(name, function)| lint_function(name, function)).collect()
}

fn lint_function(name: &str, function: &Function) -> FunctionLint {
    let mut lint =
        FunctionLint { name: name.into(), counts: BTreeMap::new(), findings: Vec::new(), notes: Vec::new() };
    let is_open = function.inputs.iter().any(|input| sizes(input).is_some_and(|dims| dims.contains(&None)));
    if is_open {
        lint.notes.push("sizes that are open until the model runs keep it off the Neural Engine: convert for fixed sizes (--dim)");
    }
    let states: Vec<&NamedValueType> = function.inputs.iter().filter(|input| is_state(input)).collect();
    let is_odd = |state: &&NamedValueType| {
        wrapped(state).is_some_and(|dims| dims.iter().any(|dim| dim.is_none_or(|n| n % 32 != 0 && n != 1)))
    };
    if states.iter().any(is_odd) {
        lint.notes.push(
            "sizes of states that are no multiples of 32 fail on the Neural Engine: round the cache's up",
        );
    }
    for block in function.block_specializations.values() {
        let constants = constants(block);
        lint_block(block, &constants, is_open, &mut lint);
    }
    lint
}

fn lint_block(block: &Block, known: &HashSet<&str>, is_open: bool, lint: &mut FunctionLint) {
    for operation in &block.operations {
        if FREE.contains(&operation.r#type.as_str()) || operation.r#type.starts_with("constexpr_") {
            continue;
        }
        let placed = placed(operation, known, is_open);
        let unit = placed.map_or(Unit::NeuralEngine, |placed| placed.0);
        *lint.counts.entry(unit).or_insert(0) += 1;
        if let Some((unit, reason, advice)) = placed {
            let operation_name = operation.outputs.first().map(|output| output.name.clone());
            lint.findings.push(Finding {
                operation: operation_name.unwrap_or_default(),
                kind: operation.r#type.clone(),
                unit,
                reason,
                advice,
            });
        }
        operation.blocks.iter().for_each(|block| {
            let mut inside = known.clone();
            inside.extend(constants(block));
            lint_block(block, &inside, is_open, lint);
        });
    }
}

/// The first rule that keeps an operation off the Neural Engine.
fn placed(operation: &Operation, known: &HashSet<&str>, is_open: bool) -> Option<Placed> {
    let kind = operation.r#type.as_str();
    if let Some(&(_, unit, reason, advice)) = KINDS.iter().find(|(kinds, ..)| kinds.contains(&kind)) {
        return Some((unit, reason, advice));
    }
    if kind == "slice_update" && !is_known(operation, "begin", known) {
        return Some((
            Unit::Gpu,
            "places that a run decides break the Neural Engine's compiler",
            "write the cache by a mask, or keep the stateful model on the GPU",
        ));
    }
    for output in &operation.outputs {
        let Some((data_type, dims)) = tensor(output) else { continue };
        match data_type {
            DataType::Float32 | DataType::Float64 => {
                return Some((
                    Unit::Gpu,
                    "the Neural Engine computes in f16",
                    "convert with --precision f16",
                ));
            }
            DataType::Int32 | DataType::Int64 | DataType::Uint32 => {
                return Some((
                    Unit::Cpu,
                    "whole numbers of 32 bits are the CPU's",
                    "compute indices outside of the model, or in f16 where they are small",
                ));
            }
            DataType::Bool => {
                return Some((
                    Unit::Gpu,
                    "the Neural Engine has no booleans",
                    "add a mask of 0 and −∞ instead",
                ));
            }
            _ => {}
        }
        if dims.len() > MOST_AXES {
            return Some((Unit::Gpu, "the Neural Engine has up to four axes", "merge axes, the batch first"));
        }
        if dims.iter().any(|dim| dim.is_some_and(|n| n > MOST_ALONG_AXIS)) {
            return Some((
                Unit::Gpu,
                "an axis is longer than 16,384",
                "split it: a vocabulary into several products, for example",
            ));
        }
        if is_open && kind == "layer_norm" {
            return Some((
                Unit::Gpu,
                "norms of several shapes leave the Neural Engine",
                "convert for fixed sizes",
            ));
        }
    }
    None
}

/// Whether an argument is a constant.
fn is_known(operation: &Operation, argument: &str, known: &HashSet<&str>) -> bool {
    let bindings = operation.inputs.get(argument).into_iter().flat_map(|argument| &argument.arguments);
    let is_known = |kind: &Option<BindingKind>| match kind {
        Some(BindingKind::Name(name)) => known.contains(name.as_str()),
        Some(BindingKind::Value(_)) => true,
        None => false,
    };
    bindings.map(|binding| &binding.binding).all(is_known)
}

/// The constants of a block.
fn constants(block: &Block) -> HashSet<&str> {
    let is_constant =
        |operation: &&Operation| operation.r#type == "const" || operation.r#type.starts_with("constexpr_");
    let outputs = block.operations.iter().filter(is_constant).flat_map(|operation| &operation.outputs);
    outputs.map(|output| output.name.as_str()).collect()
}

/// The element type and the sizes of a tensor, those that are known.
fn tensor(value: &NamedValueType) -> Option<(DataType, Vec<Option<u64>>)> {
    let Some(ValueTypeKind::TensorType(tensor)) = value.r#type.as_ref().and_then(|ty| ty.r#type.as_ref())
    else {
        return None;
    };
    let size = |dimension: &rlx_mil::message::Dimension| match &dimension.dimension {
        Some(DimensionKind::Constant(constant)) => Some(constant.size),
        _ => None,
    };
    Some((DataType::try_from(tensor.data_type).ok()?, tensor.dimensions.iter().map(size).collect()))
}

fn sizes(value: &NamedValueType) -> Option<Vec<Option<u64>>> {
    tensor(value).map(|(_, dims)| dims)
}

fn is_state(value: &NamedValueType) -> bool {
    matches!(value.r#type.as_ref().and_then(|ty| ty.r#type.as_ref()), Some(ValueTypeKind::StateType(_)))
}

/// The sizes of what a state holds.
fn wrapped(value: &NamedValueType) -> Option<Vec<Option<u64>>> {
    let Some(ValueTypeKind::StateType(state)) = value.r#type.as_ref().and_then(|ty| ty.r#type.as_ref())
    else {
        return None;
    };
    sizes(&NamedValueType { name: String::new(), r#type: state.wrapped_type.clone() })
}

impl FunctionLint {
    /// The report as text: how many operations are expected where, then what keeps which off the Neural Engine, the commonest reason first.
    pub fn text(&self) -> String {
        let total: usize = self.counts.values().sum();
        let mut text = format!("function {}: {total} operations\n", self.name);
        for (unit, count) in &self.counts {
            text += &format!(
                "  {:<14} {count:>5}  {:.0} %\n",
                unit.name(),
                100.0 * *count as f64 / total.max(1) as f64
            );
        }
        for note in &self.notes {
            text += &format!("  note: {note}\n");
        }
        let mut reasons: HashMap<Placed, Vec<&Finding>> = HashMap::new();
        for finding in &self.findings {
            reasons.entry((finding.unit, finding.reason, finding.advice)).or_default().push(finding);
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(placed, findings)| (std::cmp::Reverse(findings.len()), *placed));
        for ((unit, reason, advice), findings) in reasons {
            let mut kinds: Vec<&str> = findings.iter().map(|finding| finding.kind.as_str()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            text += &format!("  {} × {}: {reason}\n", findings.len(), unit.name());
            text += &format!("    {}, as {}\n", kinds.join(", "), findings[0].operation);
            text += &format!("    → {advice}\n");
        }
        text
    }
    /// The plan of this machine's CoreML for the function as text: how many operations it runs where, and the kinds of those that it runs elsewhere
    /// than is expected. `planned` may have operations of other functions.
    pub fn beside(&self, planned: &[PlannedOperation]) -> String {
        let expected: HashMap<&str, Unit> =
            self.findings.iter().map(|finding| (finding.operation.as_str(), finding.unit)).collect();
        let mut counts: BTreeMap<Unit, usize> = BTreeMap::new();
        let mut differing: BTreeMap<(Unit, Unit), BTreeMap<&str, usize>> = BTreeMap::new();
        for operation in planned.iter().filter(|operation| operation.function == self.name) {
            let Some(unit) = operation.unit else { continue };
            *counts.entry(unit).or_default() += 1;
            let expected = expected.get(operation.operation.as_str()).copied().unwrap_or(Unit::NeuralEngine);
            if expected != unit {
                let kinds = differing.entry((expected, unit)).or_default();
                *kinds.entry(operation.kind.as_str()).or_default() += 1;
            }
        }
        let counts: Vec<String> =
            counts.iter().map(|(unit, count)| format!("{} {count}", unit.name())).collect();
        let mut text = format!("  this machine's CoreML: {}\n", counts.join(", "));
        for ((expected, unit), kinds) in differing {
            let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} ×{count}")).collect();
            let (expected, unit) = (expected.name(), unit.name());
            text += &format!("    {unit} in place of {expected}: {}\n", kinds.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_coreml_plans_stands_beside_what_is_expected() {
        let finding = |operation: &str, kind: &str, unit: Unit| Finding {
            operation: operation.into(),
            kind: kind.into(),
            unit,
            reason: "a rule",
            advice: "change it",
        };
        let lint = FunctionLint {
            name: "main".into(),
            counts: BTreeMap::from([(Unit::NeuralEngine, 2), (Unit::Cpu, 1)]),
            findings: vec![finding("ids", "gather", Unit::Cpu)],
            notes: Vec::new(),
        };
        let planned = |function: &str, operation: &str, kind: &str, unit: Option<Unit>| PlannedOperation {
            function: function.into(),
            operation: operation.into(),
            kind: kind.into(),
            unit,
        };
        let all = [
            planned("main", "w", "const", None),
            planned("main", "ids", "gather", Some(Unit::Cpu)),
            planned("main", "y", "matmul", Some(Unit::NeuralEngine)),
            planned("main", "z", "softmax", Some(Unit::Gpu)),
            planned("other", "z", "softmax", Some(Unit::Cpu)),
        ];
        let text = "  this machine's CoreML: neural engine 1, gpu 1, cpu 1\n    gpu in place of neural engine: softmax ×1\n";
        assert_eq!(lint.beside(&all), text);
    }
}
