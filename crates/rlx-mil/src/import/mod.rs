//! Programs to graphs, operation by operation. `blocks` owns values by name and blocks inside of operations; the families read one kind of
//! operations each; `args` is what an operation is given.

mod args;
mod blocks;
mod constants;
mod contraction;
mod elementwise;
mod indexing;
mod recurrent;
mod reduction;
mod shaping;

pub use constants::Records;

use crate::message;
use args::Item;
use blocks::{Blocks, Values, shape_of};
use constants::{Constants, Place};
use rlx_ir::{Builder, Graph, Shape};
use std::collections::HashMap;

/// A function of a program as a graph.
#[derive(Clone, Debug)]
pub struct ImportedFunction {
    /// The graph; its inputs have the names of the function's.
    pub graph: Graph,
    /// The parameters: constants that are in the file of weights, and where.
    pub params: Vec<ImportedParam>,
    /// The names of the outputs, in their order.
    pub outputs: Vec<String>,
}

/// A parameter: a constant of the program.
#[derive(Clone, Debug)]
pub struct ImportedParam {
    /// Its name in the graph.
    pub name: String,
    /// Its type.
    pub shape: Shape,
    /// The file that it is in, and the place of its record.
    pub file: String,
    /// The place of its record.
    pub offset: u64,
}

/// Reads a function of a program.
///
/// # Errors
/// Everything that has no form in a graph, one message each.
pub fn function<'a>(
    function: &message::Function,
    name: &str,
    records: &'a Records<'a>,
) -> Result<ImportedFunction, Vec<String>> {
    let block = function.block_specializations.get(&function.opset);
    let block = block.or_else(|| function.block_specializations.values().next());
    let block = block.ok_or_else(|| vec![format!("the function {name} has no block")])?;
    let constants = Constants { records };
    let mut blocks = Blocks { constants: &constants, problems: Vec::new(), params: Vec::new() };
    let builder = Builder::new(name);
    let mut items = HashMap::new();
    for input in &function.inputs {
        match shape_of(input) {
            Ok(shape) => {
                items.insert(input.name.clone(), Item::Tensor(builder.input(&input.name, shape), None));
            }
            Err(problem) => blocks.problems.push(problem.0),
        }
    }
    let mut values = Values { builder: &builder, items, depth: 0 };
    let outputs = blocks.block(block, &mut values);
    drop(values);
    let Some(outputs) = outputs.filter(|_| blocks.problems.is_empty()) else { return Err(blocks.problems) };
    let graph = builder
        .finish(&outputs.iter().collect::<Vec<_>>())
        .map_err(|violations| vec![violations.to_string()])?;
    let param = |(name, stored): (String, constants::Stored)| match stored.place {
        Place::Record(file, offset) => {
            Some(ImportedParam { name, shape: Shape::new(&stored.dims, stored.dtype), file, offset })
        }
        Place::Bytes(_) => None,
    };
    let params = blocks.params.into_iter().filter_map(param).collect();
    Ok(ImportedFunction { graph, params, outputs: block.outputs.clone() })
}
