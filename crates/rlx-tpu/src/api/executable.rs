//! Compiled programs: loaded ones, which run, and metadata of any.

use super::buffer::PjrtBuffer;
use super::client::{Client, nothing};
use super::error::PjrtError;
use super::event::Event;
use super::plugin::Plugin;
use super::types;
use super::value::{Value, values};
use crate::ffi::{
    Args, ClientCompile, ExecutableCodeSize, ExecutableDestroy, ExecutableGetCostAnalysis,
    ExecutableMemoryStats, ExecutableNumOutputs, ExecutableOutputDimensions, ExecutableOutputElementTypes,
    ExecutableSerialize, ExecuteOptions, Function, LoadedExecutableAddressableDevices,
    LoadedExecutableDestroy, LoadedExecutableExecute, LoadedExecutableGetExecutable, Program, RawBuffer,
    RawEvent, RawExecutable, RawLoadedExecutable,
};
use crate::options;
use rlx_ir::Shape;
use std::ptr::NonNull;
use std::sync::Arc;

/// The compiler's estimates for a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Bytes of machine code, if the plugin reports them.
    pub code_bytes: Option<u64>,
    /// Bytes that a run needs besides arguments and results, if the plugin reports them.
    pub scratch_bytes: Option<u64>,
    /// Other figures of the compiler, by name, such as `flops` and `bytes accessed`.
    pub counts: Vec<(String, Value)>,
}

/// A compiled program, whether loaded or not.
pub(super) struct Compiled {
    plugin: Plugin,
    raw: NonNull<RawExecutable>,
}

// SAFETY: a compiled program does not change, and may be queried from any thread.
unsafe impl Send for Compiled {}
// SAFETY: PJRT allows querying a compiled program from several threads at once, and nothing here changes it.
unsafe impl Sync for Compiled {}

impl Compiled {
    /// Wraps the program behind a pointer that a call of `function` returned.
    ///
    /// # Safety
    /// `raw` must be null or a program of this plugin that nothing else frees.
    pub(super) unsafe fn of(
        plugin: &Plugin,
        raw: *mut RawExecutable,
        function: Function,
    ) -> Result<Compiled, PjrtError> {
        let raw = NonNull::new(raw).ok_or_else(|| nothing(function))?;
        Ok(Compiled { plugin: plugin.clone(), raw })
    }

    fn outputs(&self) -> Result<usize, PjrtError> {
        let mut args = ExecutableNumOutputs::zeroed();
        args.executable = self.raw.as_ptr();
        // SAFETY: the program lives.
        unsafe { self.plugin.call(&mut args)? };
        Ok(args.num_outputs)
    }

    /// Returns the shapes of the results. Returns `None` if the plugin does not report them, or they have types that RLX lacks.
    fn output_shapes(&self) -> Option<Vec<Shape>> {
        let mut types = ExecutableOutputElementTypes::zeroed();
        types.executable = self.raw.as_ptr();
        let mut sizes = ExecutableOutputDimensions::zeroed();
        sizes.executable = self.raw.as_ptr();
        // SAFETY: the program lives.
        unsafe {
            self.plugin.call(&mut types).ok()?;
            self.plugin.call(&mut sizes).ok()?;
        }
        let mut next = sizes.dims;
        let one = |i| {
            // SAFETY: the plugin returned a type and a rank for each result, and all sizes one after the other. They
            // live as long as the program.
            unsafe {
                let dtype = types::dtype(types.output_types.add(i).read())?;
                let rank = sizes.dim_sizes.add(i).read();
                let dims: Vec<usize> =
                    (0..rank).map(|a| usize::try_from(next.add(a).read()).unwrap_or(0)).collect();
                next = next.add(rank);
                Some(Shape::new(&dims, dtype))
            }
        };
        (0..types.num_output_types.min(sizes.num_outputs)).map(one).collect()
    }

    /// Returns the compiler's estimates.
    pub(super) fn estimate(&self) -> Estimate {
        let mut code = ExecutableCodeSize::zeroed();
        code.executable = self.raw.as_ptr();
        let mut memory = ExecutableMemoryStats::zeroed();
        memory.executable = self.raw.as_ptr();
        let mut cost = ExecutableGetCostAnalysis::zeroed();
        cost.executable = self.raw.as_ptr();
        // SAFETY: the program lives; values live as long.
        unsafe {
            let code_bytes =
                self.plugin.call(&mut code).ok().and_then(|()| u64::try_from(code.size_in_bytes).ok());
            let scratch = self.plugin.call(&mut memory).ok();
            let scratch_bytes = scratch.and_then(|()| u64::try_from(memory.temp_size_in_bytes).ok());
            let counted = self.plugin.call(&mut cost).is_ok();
            let counts = if counted { values(cost.properties, cost.num_properties) } else { Vec::new() };
            Estimate { code_bytes, scratch_bytes, counts }
        }
    }

    /// The program as bytes.
    pub(super) fn serialize(&self) -> Result<Vec<u8>, PjrtError> {
        let mut args = ExecutableSerialize::zeroed();
        args.executable = self.raw.as_ptr();
        // SAFETY: the program lives.
        unsafe { self.plugin.call(&mut args)? };
        let mut bytes = Vec::new();
        if !args.serialized_bytes.is_null() {
            // SAFETY: the plugin returned this number of bytes, which live until the deleter is called.
            let view = unsafe {
                std::slice::from_raw_parts(args.serialized_bytes.cast::<u8>(), args.serialized_bytes_size)
            };
            bytes.extend_from_slice(view);
        }
        if let Some(delete) = args.serialized_executable_deleter {
            // SAFETY: called once, after the bytes have been copied.
            unsafe { delete(args.serialized_executable) };
        }
        Ok(bytes)
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        let mut args = ExecutableDestroy::zeroed();
        args.executable = self.raw.as_ptr();
        // SAFETY: freed once, here.
        let _ = unsafe { self.plugin.call(&mut args) };
    }
}

/// Returns the arguments that describe a program as text.
pub(super) fn program(stablehlo: &str) -> Program {
    const FORMAT: &str = "mlir";
    let mut program = Program::zeroed();
    // The API takes mutable text because it can also return programs in it. Here it only reads.
    program.code = stablehlo.as_ptr().cast_mut().cast();
    program.code_size = stablehlo.len();
    program.format = FORMAT.as_ptr().cast();
    program.format_size = FORMAT.len();
    program
}

/// A program loaded on a device. Clones share it.
#[derive(Clone)]
pub struct LoadedProgram(Arc<Loaded>);

struct Loaded {
    client: Client,
    /// The number of its device.
    device: usize,
    raw: NonNull<RawLoadedExecutable>,
    outputs: usize,
    shapes: Option<Vec<Shape>>,
    estimate: Estimate,
}

// SAFETY: a loaded program does not change, and PJRT runs it from any thread, several at once.
unsafe impl Send for Loaded {}
// SAFETY: PJRT allows running and querying a loaded program from several threads at once, and nothing here changes it.
unsafe impl Sync for Loaded {}

impl LoadedProgram {
    pub(super) fn compile(
        client: &Client,
        device: usize,
        stablehlo: &str,
    ) -> Result<LoadedProgram, PjrtError> {
        let id = client.device(device)?.id;
        let (program, options) = (program(stablehlo), options::one_device(Some(id)));
        let mut args = ClientCompile::zeroed();
        args.client = client.raw();
        args.program = &raw const program;
        args.compile_options = options.as_ptr().cast();
        args.compile_options_size = options.len();
        // SAFETY: text and options outlive the call.
        unsafe { client.call(&mut args)? };
        let raw = NonNull::new(args.executable).ok_or_else(|| nothing(ClientCompile::FUNCTION))?;
        let mut loaded = Loaded {
            client: client.clone(),
            device,
            raw,
            outputs: 0,
            shapes: None,
            estimate: Estimate::default(),
        };
        let compiled = loaded.compiled()?;
        loaded.outputs = compiled.outputs()?;
        loaded.shapes = compiled.output_shapes();
        loaded.estimate = compiled.estimate();
        let devices = loaded.devices()?;
        if devices != 1 {
            let message = format!("the program was compiled for {devices} devices instead of one");
            return Err(PjrtError::Argument(message));
        }
        Ok(LoadedProgram(Arc::new(loaded)))
    }

    /// Returns the number of results.
    pub fn outputs(&self) -> usize {
        self.0.outputs
    }

    /// Returns the shapes of the results, or `None` if the plugin does not report them.
    pub fn output_shapes(&self) -> Option<&[Shape]> {
        self.0.shapes.as_deref()
    }

    /// Returns the compiler's estimates.
    pub fn estimate(&self) -> &Estimate {
        &self.0.estimate
    }

    /// Returns the program as bytes, if the plugin can serialize it.
    pub fn serialize(&self) -> Result<Vec<u8>, PjrtError> {
        self.0.compiled()?.serialize()
    }

    /// Runs the program on arrays of its client, which it does not change, and waits for the end.
    pub fn execute(&self, arguments: &[&PjrtBuffer]) -> Result<Vec<PjrtBuffer>, PjrtError> {
        self.execute_donated(arguments, &[])
    }

    /// Like [`execute`](Self::execute), but donates the arrays that `donated` marks. The program writes results over those that it
    /// names in `tf.aliasing_output`, and they cannot be read any more after that.
    pub fn execute_donated(
        &self,
        arguments: &[&PjrtBuffer],
        donated: &[bool],
    ) -> Result<Vec<PjrtBuffer>, PjrtError> {
        let (results, done) = self.start(arguments, donated)?;
        done.map_or(Ok(()), |event| event.wait())?;
        Ok(results)
    }

    /// Starts a run of the program on arrays of its client. The run does not change the arrays, except for those that `donated` marks:
    /// a result may be written over these, and they cannot be read any more after that. The results can be used immediately. Reading
    /// them waits for the run. The event reports its end and errors.
    pub(crate) fn start(
        &self,
        arguments: &[&PjrtBuffer],
        donated: &[bool],
    ) -> Result<(Vec<PjrtBuffer>, Option<Event>), PjrtError> {
        let client = &self.0.client;
        let is_kept = |i: &i64| !donated.get(*i as usize).copied().unwrap_or(false);
        let kept: Vec<i64> = (0..arguments.len() as i64).filter(is_kept).collect();
        let mut options = ExecuteOptions::zeroed();
        options.non_donatable_input_indices = kept.as_ptr();
        options.num_non_donatable_input_indices = kept.len();
        let list: Vec<*mut RawBuffer> = arguments.iter().map(|b| b.raw()).collect();
        let lists = [list.as_ptr()];
        let mut results: Vec<*mut RawBuffer> = vec![std::ptr::null_mut(); self.0.outputs];
        let result_lists = [results.as_mut_ptr()];
        let mut done: [*mut RawEvent; 1] = [std::ptr::null_mut()];
        let mut args = LoadedExecutableExecute::zeroed();
        args.executable = self.0.raw.as_ptr();
        args.options = &raw mut options;
        args.argument_lists = lists.as_ptr();
        args.num_devices = 1;
        args.num_args = list.len();
        args.output_lists = result_lists.as_ptr();
        args.device_complete_events = done.as_mut_ptr();
        // SAFETY: the arrays live during the call, and the plugin keeps those that it still needs alive. The list of
        // results is as long as the program has results.
        unsafe { client.call(&mut args)? };
        let missing = || nothing(LoadedExecutableExecute::FUNCTION);
        let owned = |(index, &raw): (usize, &*mut RawBuffer)| {
            let bytes = self.output_shapes().and_then(|shapes| shapes.get(index)?.num_bytes());
            // SAFETY: the plugin made the array for this call.
            NonNull::new(raw)
                .map(|raw| unsafe { PjrtBuffer::of(client, self.0.device, raw, bytes) })
                .ok_or_else(missing)
        };
        let results: Vec<Result<PjrtBuffer, PjrtError>> = results.iter().enumerate().map(owned).collect();
        // SAFETY: the event belongs to this call.
        let done = unsafe { Event::of(client.plugin(), done[0]) };
        Ok((results.into_iter().collect::<Result<_, _>>()?, done))
    }
}

impl Loaded {
    fn compiled(&self) -> Result<Compiled, PjrtError> {
        let mut args = LoadedExecutableGetExecutable::zeroed();
        args.loaded_executable = self.raw.as_ptr();
        // SAFETY: the program is alive, and we must free what the call returns.
        unsafe {
            self.client.call(&mut args)?;
            Compiled::of(self.client.plugin(), args.executable, LoadedExecutableGetExecutable::FUNCTION)
        }
    }

    fn devices(&self) -> Result<usize, PjrtError> {
        let mut args = LoadedExecutableAddressableDevices::zeroed();
        args.executable = self.raw.as_ptr();
        // SAFETY: the program lives.
        unsafe { self.client.call(&mut args)? };
        Ok(args.num_addressable_devices)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let mut args = LoadedExecutableDestroy::zeroed();
        args.executable = self.raw.as_ptr();
        // SAFETY: freed once, here, before the client that it holds.
        let _ = unsafe { self.client.call(&mut args) };
    }
}
