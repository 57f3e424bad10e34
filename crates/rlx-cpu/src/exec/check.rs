//! What a run is given, held against what the program was prepared for: kernels follow pointers to it.

use super::params::Params;
use rlx_compile::{BackendError, InputBytes, Program, Storage};
use rlx_ir::Node;

/// What is asked of an input or parameter.
struct Asked {
    storage: Storage,
    bytes: usize,
    align: usize,
}

/// What a program asks of its inputs and parameters.
pub(crate) struct Asks(Vec<Asked>);

impl Asks {
    /// What this program asks.
    pub(crate) fn new(program: &Program) -> Asks {
        let asked = |storage: Storage, node: &Node| Asked {
            storage,
            bytes: crate::kernels::num_bytes(node.shape()),
            // Complex numbers are aligned as their parts are; nothing needs more than 8 bytes.
            align: node.shape().dtype().size().min(8),
        };
        let inputs = program.graph.inputs().enumerate().map(|(i, node)| asked(Storage::Input(i), node));
        let params = program.graph.params().enumerate().map(|(i, node)| asked(Storage::Param(i), node));
        Asks(inputs.chain(params).collect())
    }

    /// Refuses inputs and parameters that are missing, of another length than their shape's, or not aligned to their
    /// elements. Inputs for which `may_be_empty` says so may have no bytes.
    pub(crate) fn check(
        &self,
        program: &Program,
        inputs: &[InputBytes<'_>],
        may_be_empty: impl Fn(usize) -> bool,
        params: &Params,
    ) -> Result<(), BackendError> {
        self.0.iter().try_for_each(|asked| {
            let given = match asked.storage {
                Storage::Input(i) => inputs.get(i).copied(),
                Storage::Param(i) => params.get(i).map(|value| value.bytes()),
                _ => None,
            };
            match (asked.storage, given) {
                (Storage::Input(i), Some([])) if may_be_empty(i) => Ok(()),
                (_, Some(bytes)) if asked.is_met(bytes) => Ok(()),
                (_, given) => Err(refused(program, asked, given)),
            }
        })
    }
}

impl Asked {
    fn is_met(&self, given: &[u8]) -> bool {
        given.len() == self.bytes && (given.is_empty() || given.as_ptr().align_offset(self.align) == 0)
    }
}

fn refused(program: &Program, asked: &Asked, given: Option<&[u8]>) -> BackendError {
    let (what, i, node) = match asked.storage {
        Storage::Param(i) => ("parameter", i, program.graph.params().nth(i)),
        Storage::Input(i) => ("input", i, program.graph.inputs().nth(i)),
        _ => ("input", 0, None),
    };
    let shape = node.map_or_else(String::new, |node| node.shape().to_string());
    let message = match given {
        None => format!("value {i} is missing; give one of {shape}"),
        Some(bytes) if bytes.len() != asked.bytes => {
            format!("value {i} has {} bytes, {shape} has {}", bytes.len(), asked.bytes)
        }
        Some(_) => format!("value {i} of {shape} is not aligned to {} bytes; copy it", asked.align),
    };
    BackendError::Run { op: what.into(), label: String::new(), message }
}

#[cfg(test)]
mod tests {
    use crate::CpuBackend;
    use rlx_compile::{CompileOptions, compile};
    use rlx_ir::{Bindings, Builder, DType, Literal, Shape};
    use std::sync::Arc;

    /// Everything that safe code can hand a run is refused, not read past its end.
    #[test]
    fn what_does_not_fit_is_refused() {
        let b = Builder::new("sum");
        let shape = Shape::new(&[64], DType::F32);
        let (x, w) = (b.input("x", shape.clone()), b.param("w", shape));
        let graph = b.finish(&[&(&x + &w)]).unwrap();
        let compiled = compile(&graph, &Bindings::new(), &CpuBackend, &CompileOptions::new()).unwrap();
        let mut executable = compiled.executable;
        let words = [0u64; 33];
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let mut refused = |inputs: &[&[u8]], param: Option<usize>, part: &str| {
            if let Some(len) = param {
                executable.set_param(0, Arc::new(Literal::new(&[len], &vec![0f32; len]).unwrap()));
            }
            let error = executable.run(inputs).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        refused(&[&bytes[..256]], None, "`parameter`: value 0 is missing; give one of f32[64]");
        refused(&[&bytes[..256]], Some(63), "`parameter`: value 0 has 252 bytes, f32[64] has 256");
        refused(&[], Some(64), "`input`: value 0 is missing");
        refused(&[&bytes[..255]], None, "value 0 has 255 bytes");
        refused(&[&[]], None, "value 0 has 0 bytes");
        refused(&[&bytes[1..257]], None, "is not aligned to 4 bytes");
        executable.run(&[&bytes[..256]]).unwrap();
    }
}
