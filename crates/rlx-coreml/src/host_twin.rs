//! Runs a program of the device on the host, for element values that models cannot represent.

use rlx_compile::{Alias, BackendError, BindError, CompileOptions, Lowered, Param, PrecisionPolicy};
use rlx_cpu::CpuBackend;
use rlx_exec::{Arguments, Backend, Buffer, Executable, Value, lower};
use rlx_ir::Bindings;
use rlx_mil::emit::StatePair;

/// The same program on the CPU, with the same parameters.
pub(crate) struct HostTwin {
    executable: Box<dyn Executable>,
    states: Vec<StatePair>,
}

impl HostTwin {
    /// Prepares a lowered graph of static sizes for the host. Some of its inputs and outputs are states.
    pub(crate) fn new(
        lowered: &Lowered,
        states: &[StatePair],
        params: &[Option<Param>],
    ) -> Result<HostTwin, BackendError> {
        let unsupported = |e: &dyn std::error::Error| BackendError::Unsupported(e.to_string());
        // The lowered graph already has its final types.
        let options = CompileOptions { precision: PrecisionPolicy::Declared, ..lowered.options().clone() };
        let aliases: Vec<Alias> =
            states.iter().map(|&StatePair { input, output }| Alias { input, output }).collect();
        let lowered = lower(lowered.graph(), &aliases, &CpuBackend, &options).map_err(|e| unsupported(&e))?;
        let mut executable = CpuBackend.prepare(lowered, &CpuBackend.queue(0)?)?;
        executable.bind(&Bindings::new()).map_err(|error| match error {
            BindError::Backend(error) => error,
            error => unsupported(&error),
        })?;
        for (index, param) in params.iter().enumerate() {
            param.iter().for_each(|param| executable.set_param(index, param.clone()));
        }
        Ok(HostTwin { executable, states: states.to_vec() })
    }

    /// Runs it. The states move to the host; inputs and outputs that belong to them are ignored.
    pub(crate) fn run(
        &mut self,
        inputs: &[&[u8]],
        states: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        for state in states.iter_mut() {
            state.host_mut()?;
        }
        let state_of = |input: usize| self.states.iter().position(|state| state.input == input);
        let given: Vec<Value<'_>> = inputs
            .iter()
            .enumerate()
            .map(|(i, bytes)| state_of(i).map_or(Value::Host(bytes), Value::State))
            .collect();
        let is_state = |output: usize| self.states.iter().any(|state| state.output == output);
        let mut places: Vec<Option<&mut [u8]>> =
            outputs.iter_mut().enumerate().map(|(i, place)| (!is_state(i)).then_some(&mut **place)).collect();
        self.executable.run(Arguments { inputs: &given, state: states, outputs: &mut places })?;
        self.executable.wait()
    }
}
