//! What a compile may be told.

use crate::dispatch::KernelDispatchPolicy;
use crate::precision::PrecisionPolicy;
use rlx_driver::Env;
use rlx_ir::OpKind;
use std::path::PathBuf;

/// Options of a compile. `CompileOptions::new()` gives the defaults; [`CompileOptions::with_env`] applies the
/// environment switches.
#[derive(Clone, PartialEq, Debug)]
pub struct CompileOptions {
    /// Kernels of the backend, or decompositions.
    pub kernel_dispatch: KernelDispatchPolicy,
    /// Kinds that are decomposed whatever the policy says.
    pub force_common_kinds: Vec<OpKind>,
    /// Kinds that stay whole where the backend claims them, whatever the policy says.
    pub force_native_kinds: Vec<OpKind>,
    /// The element types that the program computes in.
    pub precision: PrecisionPolicy,
    /// Whether to simplify.
    pub simplify: bool,
    /// Whether to fuse.
    pub fuse: bool,
    /// Threads of a CPU backend; its own choice by default.
    pub num_threads: Option<usize>,
    /// Whether a CPU backend shares even the smallest work between its threads: slower, and what tests of threads need.
    pub split_always: bool,
    /// Instruction set of a CPU backend by name; the best by default.
    pub cpu_isa: Option<String>,
    /// State that is updated in place: the name of an input, and the output that gives its next value, which has the same shape. The
    /// input then reads a state buffer of the compiled graph, and the output is computed over it where the plan allows it.
    pub state: Vec<(String, usize)>,
    /// Whether each input named `out{i}` that has the shape of output i is such a pair: values that live from run to run
    /// (parameters in training, caches) then exist once.
    pub donate_handles: bool,
    /// Folder in which lowered programs are kept from process to process; they are not kept by default (but see
    /// `RLX_PROGRAM_CACHE`). Printing the dispatch report is a compile whatever lies there.
    pub program_cache: Option<PathBuf>,
    /// Whether the dispatch report is printed on standard error before the compile.
    pub print_report: bool,
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions {
            kernel_dispatch: KernelDispatchPolicy::PreferNative,
            force_common_kinds: Vec::new(),
            force_native_kinds: Vec::new(),
            precision: PrecisionPolicy::Declared,
            simplify: true,
            fuse: true,
            num_threads: None,
            split_always: false,
            cpu_isa: None,
            state: Vec::new(),
            donate_handles: false,
            program_cache: None,
            print_report: false,
        }
    }
}

impl CompileOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// These options with the environment's switches where they are set.
    pub fn with_env(mut self, env: &Env) -> Self {
        if let Some(dispatch) = env.kernel_dispatch {
            self.kernel_dispatch = dispatch.into();
        }
        self.num_threads = self.num_threads.or(env.num_threads);
        self.cpu_isa = self.cpu_isa.or_else(|| env.cpu_isa.clone());
        self.print_report |= env.dispatch_report || env.verbose;
        self
    }

    /// These options with another dispatch policy.
    pub fn kernel_dispatch(mut self, policy: KernelDispatchPolicy) -> Self {
        self.kernel_dispatch = policy;
        self
    }

    /// These options with kinds that are always decomposed.
    pub fn force_common_kinds(mut self, kinds: impl Into<Vec<OpKind>>) -> Self {
        self.force_common_kinds = kinds.into();
        self
    }

    /// These options with kinds that stay whole where claimed.
    pub fn force_native_kinds(mut self, kinds: impl Into<Vec<OpKind>>) -> Self {
        self.force_native_kinds = kinds.into();
        self
    }

    /// These options with a precision policy.
    pub fn precision(mut self, policy: PrecisionPolicy) -> Self {
        self.precision = policy;
        self
    }

    /// These options with a thread count.
    pub fn num_threads(mut self, threads: usize) -> Self {
        self.num_threads = Some(threads);
        self
    }

    /// These options with a state buffer that input `name` reads and output `output` updates in place.
    pub fn state(mut self, name: impl Into<String>, output: usize) -> Self {
        self.state.push((name.into(), output));
        self
    }

    /// These options, with state buffers for inputs named `out{i}` updated in place by output i.
    pub fn donate_handles(mut self, donate: bool) -> Self {
        self.donate_handles = donate;
        self
    }

    /// These options with a folder in which lowered programs are kept from process to process. What an earlier process compiled from
    /// the same graph, with the same options and the same build of the program, is then read. Files that are damaged or of others
    /// count as missing; a folder that cannot be written to keeps nothing.
    pub fn program_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.program_cache = Some(folder.into());
        self
    }

    /// Whether a node of this kind is decomposed although the backend may claim it.
    pub(crate) fn decomposes(&self, kind: OpKind) -> bool {
        if self.force_common_kinds.contains(&kind) {
            return true;
        }
        self.kernel_dispatch == KernelDispatchPolicy::PreferCommon && !self.force_native_kinds.contains(&kind)
    }
}
