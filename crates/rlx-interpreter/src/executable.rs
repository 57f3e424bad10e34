//! An instance of a program on the interpreter.

use crate::program::{Bytes, KernelProgram};
use rlx_codegen::Interpreter;
use rlx_compile::buffer::HostBuffer;
use rlx_compile::profile::StepInfo;
use rlx_compile::{
    Arguments, BackendError, BindError, BoundCache, Budget, Executable, Lowered, Param, Queue, Value,
};
use rlx_ir::Bindings;
use std::any::Any;
use std::sync::Arc;

/// What all clones share.
struct Family {
    lowered: Lowered,
    interpreter: Interpreter,
    bound: BoundCache<KernelProgram>,
}

/// A program on the interpreter.
pub(crate) struct InterpreterExecutable {
    family: Arc<Family>,
    params: Vec<Option<Param>>,
    current: Option<Arc<KernelProgram>>,
    /// The outputs of the last run, at their places of the plan.
    arena: Option<HostBuffer>,
    /// For each output whether the last run left it in the arena.
    inside: Vec<bool>,
}

impl InterpreterExecutable {
    /// Prepares a lowered graph. Its nodes are lowered when sizes are bound.
    pub(crate) fn new(lowered: Lowered) -> InterpreterExecutable {
        let interpreter = lowered.options().backend.get::<Interpreter>().cloned().unwrap_or_default();
        let params = vec![None; lowered.graph().params().count()];
        let inside = vec![false; lowered.graph().outputs().len()];
        let family = Arc::new(Family { lowered, interpreter, bound: BoundCache::default() });
        InterpreterExecutable { family, params, current: None, arena: None, inside }
    }

    fn current(&self) -> Result<&Arc<KernelProgram>, BackendError> {
        self.current
            .as_ref()
            .ok_or_else(|| BackendError::Argument("the program is not bound to sizes yet".into()))
    }

    /// Puts outputs where they are wanted: into state buffers, the caller's memory, or the arena.
    fn deliver(
        &mut self,
        program: &KernelProgram,
        outputs: Vec<Bytes>,
        arguments: Arguments<'_, '_>,
    ) -> Result<(), BackendError> {
        let plan = &program.program;
        let arena = match &mut self.arena {
            Some(arena) => arena,
            none => none.insert(HostBuffer::zeroed(plan.arena_bytes)?),
        };
        for (index, bytes) in outputs.iter().enumerate() {
            let place = arguments.outputs.get_mut(index).and_then(Option::as_mut);
            self.inside[index] = place.is_none() && plan.output_offsets[index].is_some();
            match (place, plan.output_offsets[index]) {
                (Some(place), _) => place.copy_from_slice(bytes),
                (None, Some(at)) => arena[at..at + bytes.len()].copy_from_slice(bytes),
                (None, None) => {
                    let pair = plan.aliases().iter().position(|alias| alias.output == index);
                    if let Some(pair) = pair {
                        arguments.state[pair].host_mut()?.copy_from_slice(bytes);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Executable for InterpreterExecutable {
    fn clone_on(&self, _: &Arc<dyn Queue>) -> Box<dyn Executable> {
        let (family, params, current) = (self.family.clone(), self.params.clone(), self.current.clone());
        let inside = vec![false; self.inside.len()];
        Box::new(InterpreterExecutable { family, params, current, arena: None, inside })
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
    }

    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        let program = self.family.bound.get(bindings, || {
            let bound = self.family.lowered.bind(bindings)?;
            let program = KernelProgram::new(&bound, bindings)?;
            let budget = Budget::of(self.family.lowered.options());
            budget.take(program.program.arena_bytes, || "the working memory of the program".into())?;
            Ok(program)
        })?;
        self.inside.fill(false);
        self.arena = None;
        self.current = Some(program);
        Ok(())
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        let program = self.current()?.clone();
        for buffer in arguments.state.iter_mut() {
            buffer.host_mut()?;
        }
        program.program.check_arguments(&arguments)?;
        program.program.check_params(|index| self.params[index].as_ref(), true)?;
        let bytes = |value: &Value<'_>| match value {
            Value::Host(bytes) => bytes.to_vec(),
            Value::Buffer(buffer) => buffer.host().unwrap_or_default().to_vec(),
            Value::State(pair) => arguments.state[*pair].host().unwrap_or_default().to_vec(),
        };
        let inputs = arguments.inputs.iter().map(bytes).collect();
        let param = |index: usize| self.params[index].as_ref().map_or(Bytes::new(), |p| p.bytes().to_vec());
        let outputs = program.run(inputs, &param, &self.family.interpreter);
        let outputs = outputs.map_err(|(id, message)| {
            let node = program.program.graph().node(id);
            let label = if node.label().is_empty() { String::new() } else { format!(" at {}", node.label()) };
            BackendError::Run { op: node.op().mnemonic().into(), label, message }
        })?;
        self.deliver(&program, outputs, arguments)
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        let (Some(true), Ok(program), Some(arena)) = (self.inside.get(index), self.current(), &self.arena)
        else {
            return Ok(&[]);
        };
        let plan = &program.program;
        let bytes = plan.buffers[plan.outputs[index]].bytes;
        Ok(plan.output_offsets[index]
            .and_then(|at| arena.get(at..at.checked_add(bytes)?))
            .unwrap_or_default())
    }

    fn arena(&self) -> (*const u8, usize) {
        self.arena.as_ref().map_or((std::ptr::null(), 0), |arena| (arena.as_ptr(), arena.len()))
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        *self.current.as_ref()?.program.output_offsets.get(index)?
    }

    fn describe(&self) -> String {
        let plan = self.current.as_ref().map(|program| program.program.plan_summary());
        format!("kernels, interpreted\n{}", plan.unwrap_or_default())
    }

    fn steps(&self) -> Vec<StepInfo> {
        self.current.as_ref().map_or_else(Vec::new, |program| program.program.step_infos())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
