//! The interpreter as a host program, which reads and writes bytes in host memory.

use crate::program::{Bytes, KernelProgram};
use rlx_codegen::Interpreter;
use rlx_compile::{BackendError, BindError, Budget, Lowered, Param, StepInfo};
use rlx_exec::{Buffer, HostProgram, Queue};
use rlx_ir::Bindings;
use std::sync::Arc;

/// A program that the interpreter runs.
pub(crate) struct InterpretedProgram {
    program: Arc<KernelProgram>,
    interpreter: Interpreter,
    params: Vec<Option<Param>>,
}

impl InterpretedProgram {
    /// Creates the program of a lowered graph at these sizes.
    pub(crate) fn new(lowered: &Lowered, sizes: &Bindings) -> Result<InterpretedProgram, BindError> {
        let interpreter = lowered.options().backend.get::<Interpreter>().cloned().unwrap_or_default();
        let program = KernelProgram::new(&lowered.bind(sizes)?, sizes)?;
        let budget = Budget::of(lowered.options());
        budget.take(program.program.arena_bytes, || "the working memory of the program".into())?;
        let params = vec![None; lowered.graph().params().count()];
        Ok(InterpretedProgram { program: Arc::new(program), interpreter, params })
    }
}

impl HostProgram for InterpretedProgram {
    fn clone_on(&self, _: &Arc<dyn Queue>) -> Result<Box<dyn HostProgram>, BackendError> {
        let InterpretedProgram { program, interpreter, params } = self;
        let (program, interpreter, params) = (program.clone(), interpreter.clone(), params.clone());
        Ok(Box::new(InterpretedProgram { program, interpreter, params }))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
    }

    fn run(
        &mut self,
        inputs: &[&[u8]],
        _: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        let program = &self.program;
        let inputs = inputs.iter().map(|bytes| bytes.to_vec()).collect();
        let param = |index: usize| self.params[index].as_ref().map_or(Bytes::new(), |p| p.bytes().to_vec());
        let results = program.run(inputs, &param, &self.interpreter);
        let results = results
            .map_err(|(id, message)| BackendError::in_node(program.program.graph().node(id), message))?;
        outputs.iter_mut().zip(&results).for_each(|(place, bytes)| place.copy_from_slice(bytes));
        Ok(())
    }

    fn describe(&self) -> String {
        format!("kernels, interpreted\n{}", self.program.program.plan_summary())
    }

    fn steps(&self) -> Vec<StepInfo> {
        self.program.program.step_infos()
    }
}
