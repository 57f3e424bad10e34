//! Imports programs as graphs, operation by operation. `blocks` owns values by name, and `nested` blocks inside operations; each family
//! reads one kind of operations; `compressed` reads compressed constants; `fold` computes known values; `args` owns the arguments of an
//! operation.

mod args;
mod blocks;
mod compressed;
mod constants;
mod contraction;
mod crops;
mod elementwise;
mod fold;
mod images;
mod indexing;
mod lists;
mod meaning;
mod nested;
mod randoms;
mod recurrent;
mod reduction;
mod shaping;
mod suppression;

pub(crate) use args::floats as numbers_of;
pub use constants::Records;
pub(crate) use meaning::meaning;

use crate::message::{self, ValueTypeKind};
use args::{Item, Room, Unread};
use blocks::{Blocks, Values, shape_of};
use constants::{Constants, Stored, StoredAt};
use rlx_ir::{Builder, Graph, Literal, Shape};
use std::collections::{BTreeMap, HashMap};

/// A function of a program as a graph.
#[derive(Clone, Debug)]
pub struct ImportedFunction {
    /// The graph. Its inputs have the names of the function's inputs, including states. Its outputs are those of the function, then the
    /// final values of the states that it changes.
    pub graph: Graph,
    /// The parameters: large constants.
    pub params: Vec<ImportedParam>,
    /// The names of the function's outputs, in order.
    pub outputs: Vec<String>,
    /// The states.
    pub states: Vec<ImportedState>,
}

/// A parameter: a constant of the program.
#[derive(Clone, Debug)]
pub struct ImportedParam {
    /// Its name in the graph.
    pub name: String,
    /// Its type.
    pub shape: Shape,
    /// The source of its elements.
    pub source: ParamSource,
}

/// The source of a parameter's elements.
#[derive(Clone, Debug)]
pub enum ParamSource {
    /// A record in a weights file.
    Record {
        /// The name of the file in the program.
        file: String,
        /// The offset of the record.
        offset: u64,
    },
    /// The elements themselves, which the program stores in compressed form.
    Made(Literal),
}

/// A state: an input of the graph, and also an output if the function changes it.
#[derive(Clone, Debug)]
pub struct ImportedState {
    /// Its name, which is also the name of the input.
    pub name: String,
    /// Its type.
    pub shape: Shape,
    /// The index of the output with its final value; `None` if the function does not change it.
    pub output: Option<usize>,
}

/// Imports a function of a program, with sizes that are all known.
///
/// # Errors
/// Returns everything that graphs cannot express, with one message for each.
pub fn function<'a>(
    function: &message::Function,
    name: &str,
    records: &'a Records<'a>,
) -> Result<ImportedFunction, Vec<String>> {
    function_at(function, name, &BTreeMap::new(), records)
}

/// Imports a function of a program, with sizes for inputs by name.
///
/// # Errors
/// Fails as [`function`] does, and for sizes that differ from those of the program.
pub fn function_at<'a>(
    function: &message::Function,
    name: &str,
    sizes: &BTreeMap<String, Vec<usize>>,
    records: &'a Records<'a>,
) -> Result<ImportedFunction, Vec<String>> {
    let block = function.block_specializations.get(&function.opset);
    let block = block.or_else(|| function.block_specializations.values().next());
    let block = block.ok_or_else(|| vec![format!("the function {name} has no block")])?;
    let constants = Constants { records };
    let taken = function.inputs.iter().map(|input| (input.name.clone(), 0)).collect();
    let mut blocks = Blocks {
        constants: &constants,
        problems: Vec::new(),
        params: Vec::new(),
        taken,
        states: BTreeMap::new(),
        room: Room::of_function().into(),
    };
    let builder = Builder::new(name);
    let items = blocks.inputs(function, sizes, &builder);
    if !blocks.problems.is_empty() {
        return Err(blocks.problems);
    }
    let mut values = Values { builder: &builder, items, depth: 0 };
    let outputs = blocks.block(block, &mut values);
    drop(values);
    let Some(mut outputs) = outputs.filter(|_| blocks.problems.is_empty()) else {
        let Blocks { mut problems, .. } = blocks;
        problems.extend(builder.finish(&[]).err().map(|violations| violations.to_string()));
        return Err(problems);
    };
    let mut states = Vec::new();
    for (name, (tensor, changed)) in blocks.states {
        states.push(ImportedState { name, shape: tensor.shape(), output: changed.then_some(outputs.len()) });
        outputs.extend(changed.then_some(tensor));
    }
    let graph = builder
        .finish(&outputs.iter().collect::<Vec<_>>())
        .map_err(|violations| vec![violations.to_string()])?;
    let params: Result<_, Unread> =
        blocks.params.iter().map(|(name, stored)| param(name, stored, &constants)).collect();
    let params = params.map_err(|problem| vec![problem.0])?;
    Ok(ImportedFunction { graph, params, outputs: block.outputs.clone(), states })
}

fn param(name: &str, stored: &Stored, constants: &Constants<'_>) -> Result<ImportedParam, Unread> {
    let source = match &stored.place {
        StoredAt::Record(file, offset) => ParamSource::Record { file: file.clone(), offset: *offset },
        StoredAt::Made(_) | StoredAt::Program(_) => ParamSource::Made(constants.literal(stored)?),
    };
    Ok(ImportedParam { name: name.into(), shape: stored.shape()?, source })
}

impl Blocks<'_, '_> {
    /// Adds the inputs of a function as inputs of the graph; states are kept separately.
    fn inputs(
        &mut self,
        function: &message::Function,
        sizes: &BTreeMap<String, Vec<usize>>,
        builder: &Builder,
    ) -> HashMap<String, Item> {
        let mut items = HashMap::new();
        for input in &function.inputs {
            let Some(ty) = &input.r#type else {
                self.problems.push(format!("the input {} has no type", input.name));
                continue;
            };
            let (ty, is_state) = match &ty.r#type {
                Some(ValueTypeKind::StateType(state)) => (state.wrapped_type.as_ref().unwrap_or(ty), true),
                _ => (ty, false),
            };
            match shape_of(&input.name, ty, sizes.get(&input.name).map(Vec::as_slice)) {
                Ok(shape) if is_state => {
                    self.states.insert(input.name.clone(), (builder.input(&input.name, shape), false));
                }
                Ok(shape) => {
                    items.insert(input.name.clone(), Item::Tensor(builder.input(&input.name, shape), None));
                }
                Err(problem) => self.problems.push(problem.0),
            }
        }
        items
    }
}
