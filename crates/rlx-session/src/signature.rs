//! The names, shapes and order of a program's inputs, parameters and outputs, and checks of the values that callers pass.
//!
//! The naming rule is also here: output `i` feeds an input named `out{i}`.

use crate::error::RuntimeError;
use rlx_compile::{Alias, CompileOptions};
use rlx_ir::{DType, Graph, Node, Shape};
use std::collections::{HashMap, HashSet};

/// Returns the output that feeds an input of this name: `out{i}` names output i.
pub fn feeding_output(name: &str) -> Option<usize> {
    name.strip_prefix("out")?.parse().ok()
}

/// One input or parameter.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// The inputs, parameters and outputs of a program.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) inputs: Vec<Named>,
    pub(crate) params: Vec<Named>,
    pub(crate) outputs: Vec<Shape>,
    /// The index of each input by name; `param_at` has that of each parameter.
    input_at: HashMap<String, usize>,
    param_at: HashMap<String, usize>,
}

impl Signature {
    pub(crate) fn of(graph: &Graph) -> Signature {
        let named = |n: &Node| Some(Named { name: n.name()?.into(), shape: n.shape().clone() });
        let inputs: Vec<Named> = graph.inputs().filter_map(named).collect();
        let params: Vec<Named> = graph.params().filter_map(named).collect();
        let (input_at, param_at) = (places(&inputs), places(&params));
        Signature { inputs, params, outputs: graph.output_shapes(), input_at, param_at }
    }

    /// Returns the outputs that update state in place: those named by the options and, with `donate_handles`, each output i with the shape
    /// of an input named `out{i}`.
    pub(crate) fn aliases(&self, options: &CompileOptions) -> Result<Vec<Alias>, RuntimeError> {
        let mut aliases = Vec::new();
        for (name, output) in &options.state {
            aliases.push(Alias { input: self.input(name)?, output: *output });
        }
        if options.donate_handles {
            let mut read: HashSet<usize> = aliases.iter().map(|alias| alias.input).collect();
            let mut updating: HashSet<usize> = aliases.iter().map(|alias| alias.output).collect();
            for (input, named) in self.inputs.iter().enumerate() {
                let Some(output) = feeding_output(&named.name) else { continue };
                let free = !read.contains(&input) && !updating.contains(&output);
                if free && self.outputs.get(output) == Some(&named.shape) {
                    read.insert(input);
                    updating.insert(output);
                    aliases.push(Alias { input, output });
                }
            }
        }
        // Programs have them in this order, and find state buffers by position.
        aliases.sort_by_key(|alias| alias.input);
        Ok(aliases)
    }

    pub(crate) fn input(&self, name: &str) -> Result<usize, RuntimeError> {
        position("input", &self.inputs, &self.input_at, name)
    }

    pub(crate) fn param(&self, name: &str) -> Result<usize, RuntimeError> {
        position("parameter", &self.params, &self.param_at, name)
    }
}

/// Returns the index of each entry by its name. Names are unique.
fn places(list: &[Named]) -> HashMap<String, usize> {
    list.iter().enumerate().map(|(at, named)| (named.name.clone(), at)).collect()
}

fn position(
    what: &'static str,
    list: &[Named],
    places: &HashMap<String, usize>,
    name: &str,
) -> Result<usize, RuntimeError> {
    places.get(name).copied().ok_or_else(|| {
        let known: Vec<String> = list.iter().map(|n| format!("`{}`", n.name)).collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        RuntimeError::UnknownName { what, name: name.into(), known }
    })
}

/// Fails unless `bytes` is the size of `shape`, which is static.
pub(crate) fn check_length(name: &str, shape: &Shape, bytes: usize) -> Result<(), RuntimeError> {
    let size = shape.dtype().size();
    if !bytes.is_multiple_of(size) {
        return Err(RuntimeError::PartialElement { name: name.into(), bytes, dtype: shape.dtype() });
    }
    let expected = shape.num_elements().unwrap_or(0);
    if bytes / size != expected {
        let shape = shape.clone();
        return Err(RuntimeError::WrongLength { name: name.into(), shape, expected, got: bytes / size });
    }
    Ok(())
}

/// Fails unless the element types are equal.
pub(crate) fn check_dtype(name: &str, expected: DType, got: DType) -> Result<(), RuntimeError> {
    if expected == got { Ok(()) } else { Err(RuntimeError::WrongDType { name: name.into(), expected, got }) }
}
