//! An instance of a program: its working memory, and parameters shared with its clones.

use super::arena::Arena;
use super::kernel::{OpKernel, StepPacked};
use super::params::Params;
use super::program::{CpuProgram, Outside, Spans};
use crate::backend::pool_of;
use crate::isa::Cpu;
use crate::pool::Pool;
use rlx_compile::backend::ParamBytes;
use rlx_compile::{BackendError, Executable, InputBytes, Lowered, Storage, profile};
use rlx_ir::DType;
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// A program on the CPU.
pub struct CpuExecutable {
    program: Arc<CpuProgram>,
    params: Arc<Params>,
    /// For each step its packed operands; filled before the first run and after a parameter changes.
    packed: Option<Vec<StepPacked>>,
    arena: Result<Arena, BackendError>,
    spans: Spans,
    pool: Arc<Pool>,
    cpu: Cpu,
    /// The type that weights of f32 are held in.
    held: Option<DType>,
}

impl CpuExecutable {
    /// Prepares a lowered graph.
    pub(crate) fn new(lowered: &Lowered) -> Result<CpuExecutable, BackendError> {
        let count = lowered.graph.params().count();
        Self::with_params(lowered, Arc::new(Params::new(count)))
    }

    fn with_params(lowered: &Lowered, params: Arc<Params>) -> Result<CpuExecutable, BackendError> {
        let cpu = crate::backend::cpu_of(&lowered.options)?;
        let pool = pool_of(&lowered.options)?;
        let program = Arc::new(CpuProgram::new(&lowered.graph, cpu, pool.threads(), &lowered.kept)?);
        Ok(Self::instance(program, params, pool, cpu, lowered.options.precision.held()))
    }

    fn instance(
        program: Arc<CpuProgram>,
        params: Arc<Params>,
        pool: Arc<Pool>,
        cpu: Cpu,
        held: Option<DType>,
    ) -> CpuExecutable {
        let arena = Arena::new(program.program.arena_bytes);
        let spans = program.spans();
        CpuExecutable { program, params, packed: None, arena, spans, pool, cpu, held }
    }

    /// Packs what kernels want packed, where its bytes are known.
    fn pack(&mut self) {
        if self.packed.is_some() {
            return;
        }
        let pack = |kernel: &dyn OpKernel, buffer: usize, key: u64| match self.program.program.buffers[buffer]
            .storage
        {
            Storage::Param(index) => self.params.packed(index, key, |bytes| kernel.pack(bytes, self.held)),
            Storage::Constant(_) => kernel.pack(self.program.constant(buffer)?, self.held),
            Storage::Input(_) | Storage::Arena(_) | Storage::Output(_) => None,
        };
        let list =
            self.program.packings().zip(self.program.packings_inside()).map(|(own, inside)| StepPacked {
                own: own.and_then(|(kernel, buffer, key)| pack(kernel, buffer, key)),
                inside: inside.into_iter().map(|(buffer, key, kernel)| pack(kernel, buffer, key)).collect(),
            });
        self.packed = Some(list.collect());
    }
}

impl Executable for CpuExecutable {
    fn clone_box(&self) -> Box<dyn Executable> {
        let (program, params) = (self.program.clone(), self.params.clone());
        let mut clone = Self::instance(program, params, self.pool.clone(), self.cpu, self.held);
        clone.packed = self.packed.clone();
        if let (Ok(from), Ok(to)) = (&self.arena, &mut clone.arena) {
            self.program.kept().for_each(|(_, at, bytes)| to.write(at, from.slice(at, bytes)));
        }
        Box::new(clone)
    }

    fn with_lowered(&self, lowered: Lowered) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(Self::with_params(&lowered, self.params.clone())?))
    }

    fn set_param(&mut self, index: usize, value: Arc<dyn ParamBytes>) {
        self.params = self.params.with(index, value);
        self.packed = None;
    }

    fn keeps(&self, index: usize) -> bool {
        self.program.kept().any(|(input, _, _)| input == index)
    }

    fn keep(&mut self, index: usize, value: &[u8]) -> Result<bool, BackendError> {
        let place = self.program.kept().find(|kept| kept.0 == index);
        if let Some((_, at, bytes)) = place {
            if value.len() != bytes {
                let message = format!("value {index} has {} bytes, its shape has {bytes}", value.len());
                return Err(BackendError::Run { op: "input".into(), label: String::new(), message });
            }
            self.arena.as_mut().map_err(|e| e.clone())?.write(at, value);
        }
        Ok(place.is_some())
    }

    fn run(&mut self, inputs: &[InputBytes<'_>]) -> Result<(), BackendError> {
        let kept = |input| self.program.kept().any(|kept| kept.0 == input);
        self.program.asks.check(&self.program.program, inputs, kept, &self.params)?;
        self.pack();
        let arena = self.arena.as_mut().map_err(|e| e.clone())?;
        for (input, at, _) in self.program.kept().filter(|k| !inputs[k.0].is_empty()) {
            arena.write(at, inputs[input]);
        }
        let (params, packed) = (&self.params, self.packed.as_deref().unwrap_or_default());
        let outside = Outside {
            inputs: &|i| inputs[i].as_ptr(),
            params: &|i| params.get(i).map_or(&[], |p| p.bytes()),
            outputs: &|_| std::ptr::null_mut(),
            packed: &|step| packed.get(step)?.own.as_ref(),
            packed_inside: &|step| packed.get(step).map_or(&[], |p| &p.inside),
            arena: arena.as_ptr(),
        };
        let recording = profile::begin().map(|begin| (begin, Instant::now()));
        let mut ends = Vec::new();
        let mut after = || {
            if let Some((_, start)) = recording {
                ends.push(start.elapsed())
            }
        };
        // SAFETY: inputs and parameters were checked against the graph; the arena has the planned size and `&mut self`
        // keeps others away.
        let ran = unsafe { self.program.run(&outside, self.spans.list(), &self.pool, self.cpu, &mut after) };
        if let Some((begin, start)) = recording {
            profile::add(begin, self.program.recorded(start.saturating_duration_since(begin), &ends));
        }
        ran.map_err(|(id, message)| {
            let node = self.program.program.graph.node(id);
            let label = if node.label().is_empty() { String::new() } else { format!(" at {}", node.label()) };
            BackendError::Run { op: node.op().mnemonic().into(), label, message }
        })
    }

    fn output(&self, index: usize) -> &[u8] {
        let buffer = &self.program.program.buffers[self.program.program.outputs[index]];
        match (&self.arena, buffer.storage) {
            (Ok(arena), Storage::Arena(at)) => arena.slice(at, buffer.bytes),
            _ => &[],
        }
    }

    fn arena(&self) -> (*const u8, usize) {
        self.arena.as_ref().map_or((std::ptr::null(), 0), |a| (a.as_ptr().cast_const(), a.len()))
    }

    fn output_offset(&self, index: usize) -> usize {
        match self.program.program.buffers[self.program.program.outputs[index]].storage {
            Storage::Arena(at) => at,
            _ => 0,
        }
    }

    fn describe(&self) -> String {
        format!(
            "{} thread(s), {}\n{}",
            self.pool.threads(),
            self.cpu.isa().name(),
            self.program.program.plan_text()
        )
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
