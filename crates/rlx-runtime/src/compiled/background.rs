//! A run in the background.

use super::CompiledGraph;
use crate::error::RuntimeError;
use crate::handles::Handle;
use crate::inputs::Conversion;
use crate::pending::Pending;
use rlx_ir::DType;

impl CompiledGraph {
    /// Starts a run in the background and returns at once. The inputs are copied.
    pub fn commit_no_wait(&mut self, inputs: &[(&str, &[f32])]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        let values = self.gather(&given, Conversion::FromF32)?;
        let bindings = self.bindings_for(&values)?;
        self.instance(&bindings)?;
        self.check_params()?;
        let copies = values.iter().enumerate().map(|(i, v)| {
            let bytes = v.as_deref().or_else(|| self.handles.get(i).map(Handle::bytes)).unwrap_or(&[]);
            let mut words = vec![0u64; bytes.len().div_ceil(8)];
            bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
            (words, bytes.len())
        });
        let copies = copies.collect();
        let Some(current) = self.instances.pop() else { return Ok(()) };
        self.pending = Some(Pending::start(current.bindings, current.executable, copies)?);
        Ok(())
    }

    /// Waits for the run that [`commit_no_wait`](CompiledGraph::commit_no_wait) started and returns its outputs.
    pub fn sync_pending(&mut self) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let pending = self.pending.take();
        let pending =
            pending.ok_or(RuntimeError::Pending("no background run is pending; call `commit_no_wait`"))?;
        let (bindings, executable, result) = pending.wait()?;
        self.instances.push(bindings, executable);
        if let Err(error) = result {
            self.handles.drop_inside();
            return Err(error.into());
        }
        self.feed_handles();
        Ok((0..self.shared.signature.outputs.len()).map(|i| self.output_f32(i)).collect())
    }
}
