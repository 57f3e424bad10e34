//! Values that a compiled graph keeps between runs, by handles.

use super::CompiledGraph;
use crate::error::RuntimeError;
use crate::handles::Handle;
use crate::signature::{check_dtype, check_length};
use rlx_compile::kept::feeding_output;
use rlx_ir::DType;

impl CompiledGraph {
    /// Keeps a value for input `name` between runs, which then need not be given it. If the name is `out{i}`, output i
    /// replaces the value after each run.
    pub fn set_handle(&mut self, name: &str, values: &[f32]) -> Result<(), RuntimeError> {
        self.set_handle_typed(name, bytemuck::cast_slice(values), DType::F32)
    }

    /// [`set_handle`](CompiledGraph::set_handle) for any element type.
    pub fn set_handle_typed(&mut self, name: &str, bytes: &[u8], dtype: DType) -> Result<(), RuntimeError> {
        let index = self.shared.signature.input(name)?;
        check_dtype(name, self.shared.signature.inputs[index].shape.dtype(), dtype)?;
        let fed_by = feeding_output(name).filter(|&o| o < self.shared.signature.outputs.len());
        if let Some(output) = fed_by {
            check_dtype(name, dtype, self.shared.signature.outputs[output].dtype())?;
        }
        if !bytes.len().is_multiple_of(dtype.size()) {
            return Err(RuntimeError::PartialElement { name: name.into(), bytes: bytes.len(), dtype });
        }
        // A static program that keeps the value takes it at once, so that it does not lie outside as well.
        let is_static = self.shared.symbols.is_empty();
        if let (true, Some(_), Some(current)) = (is_static, fed_by, self.instances.current_mut()) {
            check_length(name, &self.shared.signature.inputs[index].shape, bytes.len())?;
            if current.executable.keep(index, bytes)? {
                self.handles.insert(index, Handle::inside(bytes.len(), fed_by));
                return Ok(());
            }
        }
        self.handles.insert(index, Handle::new(bytes, fed_by));
        Ok(())
    }

    /// The bytes that a handle holds.
    pub fn handle(&self, name: &str) -> Result<&[u8], RuntimeError> {
        let index = self.shared.signature.input(name)?;
        let handle = self.handles.get(index).ok_or_else(|| self.no_handle(name))?;
        Ok(match handle.fed_by {
            Some(output) if handle.is_inside() => self.output_bytes(output),
            _ => handle.bytes(),
        })
    }

    /// Drops a handle; runs must give the input again.
    pub fn clear_handle(&mut self, name: &str) -> Result<(), RuntimeError> {
        let index = self.shared.signature.input(name)?;
        if self.handles.remove(index) { Ok(()) } else { Err(self.no_handle(name)) }
    }

    fn no_handle(&self, name: &str) -> RuntimeError {
        RuntimeError::UnknownName { what: "handle", name: name.into(), known: "see `set_handle`".into() }
    }

    pub(super) fn feed_handles(&mut self) {
        let Some(current) = self.instances.current() else { return };
        for (&input, handle) in self.handles.iter_mut() {
            match handle.fed_by {
                Some(_) if current.executable.keeps(input) => handle.moved_inside(),
                Some(output) => handle.set(current.executable.output(output)),
                None => {}
            }
        }
    }
}
