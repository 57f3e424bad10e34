//! Checks the arguments of a run, for backends that run a [`Program`] on the host.

use crate::backend::{Arguments, BackendError, Value};
use crate::param::Param;
use crate::program::Program;
use rlx_ir::Shape;

impl Program {
    /// Fails unless the inputs, state buffers and places of outputs of a run are what the program takes: as many, on the host, of the
    /// right lengths, and aligned to their elements.
    pub fn check_arguments(&self, arguments: &Arguments<'_, '_>) -> Result<(), BackendError> {
        self.check_inputs(arguments)?;
        if arguments.outputs.len() > self.outputs.len() {
            return Err(BackendError::Argument(format!(
                "{} places for {} outputs",
                arguments.outputs.len(),
                self.outputs.len()
            )));
        }
        for (index, place) in arguments.outputs.iter().enumerate() {
            let Some(place) = place else { continue };
            if self.output_offsets[index].is_none() {
                return Err(BackendError::Argument(format!("output {index} updates a state buffer")));
            }
            check_bytes(|| format!("the place of output {index}"), self.output_shape(index), place)?;
        }
        Ok(())
    }

    /// Fails unless the parameters that are set fit the program, and are all set if they have to be. `value` gives that of each, in
    /// graph order.
    pub fn check_params<'a>(
        &self,
        value: impl Fn(usize) -> Option<&'a Param>,
        all: bool,
    ) -> Result<(), BackendError> {
        for (index, node) in self.graph().params().enumerate() {
            let what = || format!("parameter `{}`", node.name().unwrap_or_default());
            match value(index) {
                Some(value) => check_bytes(what, self.bound.node(node.id()).shape(), value.bytes())?,
                None if all => return Err(BackendError::Argument(format!("{} is not set", what()))),
                None => {}
            }
        }
        Ok(())
    }

    fn check_inputs(&self, arguments: &Arguments<'_, '_>) -> Result<(), BackendError> {
        let aliases = self.aliases();
        if arguments.state.len() != aliases.len() {
            let (got, expected) = (arguments.state.len(), aliases.len());
            return Err(BackendError::Argument(format!("{got} state buffers for {expected} alias pairs")));
        }
        let mut count = 0;
        // Alias pairs are in the order of their inputs.
        let mut pairs = aliases.iter().enumerate().peekable();
        for (index, node) in self.graph().inputs().enumerate() {
            count += 1;
            let what = || format!("input `{}`", node.name().unwrap_or_default());
            let alias = pairs.next_if(|(_, alias)| alias.input == index).map(|(pair, _)| pair);
            let bytes = match (arguments.inputs.get(index), alias) {
                (None, _) => return Err(BackendError::Argument(format!("{} is not given", what()))),
                (Some(&Value::State(pair)), Some(alias)) if pair == alias => arguments.state[pair].host(),
                (Some(Value::State(_)), _) | (_, Some(_)) => {
                    return Err(BackendError::Argument(format!(
                        "{} must be the state buffer of its alias pair, and no other input may be one",
                        what()
                    )));
                }
                (Some(Value::Host(bytes)), None) => Some(*bytes),
                (Some(Value::Buffer(buffer)), None) => buffer.host(),
            };
            let Some(bytes) = bytes else {
                return Err(BackendError::Argument(format!("{} lies on another device", what())));
            };
            check_bytes(what, self.bound.node(node.id()).shape(), bytes)?;
        }
        if arguments.inputs.len() != count {
            let got = arguments.inputs.len();
            return Err(BackendError::Argument(format!("{got} inputs for {count} of the program")));
        }
        Ok(())
    }
}

/// Fails unless the bytes are as many as the shape needs, and aligned to its elements.
fn check_bytes(what: impl Fn() -> String, shape: &Shape, bytes: &[u8]) -> Result<(), BackendError> {
    if shape.num_bytes() != Some(bytes.len()) {
        return Err(BackendError::Argument(format!("{} of {shape} cannot be {} bytes", what(), bytes.len())));
    }
    let alignment = shape.dtype().size().min(8);
    if !bytes.is_empty() && bytes.as_ptr().align_offset(alignment) != 0 {
        return Err(BackendError::Argument(format!("{} must be aligned to {alignment} bytes", what())));
    }
    Ok(())
}
