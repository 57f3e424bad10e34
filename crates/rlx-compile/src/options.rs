//! Options of a compile.

use crate::dispatch::KernelDispatchPolicy;
use crate::pass::PrintIr;
use crate::precision::PrecisionPolicy;
use crate::variables;
use rlx_driver::Env;
use rlx_driver::env::EnvError;
use rlx_ir::OpKind;
use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Options of a compile. `CompileOptions::new()` gives the defaults; [`CompileOptions::with_env`] applies the
/// environment switches.
///
/// ```
/// use rlx_compile::{CompileOptions, KernelDispatchPolicy, PrecisionPolicy};
/// use rlx_ir::OpKind;
///
/// let options = CompileOptions::new()
///     .precision(PrecisionPolicy::AutoMixed)
///     .kernel_dispatch(KernelDispatchPolicy::PreferNative)
///     .force_common_kinds([OpKind::Softmax])
///     .state("cache", 1);
/// assert_eq!(options.state, [("cache".to_string(), 1)]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct CompileOptions {
    /// Whether composites run with kernels of the backend or decomposed.
    pub kernel_dispatch: KernelDispatchPolicy,
    /// Kinds that are always decomposed, whatever the policy.
    pub force_common_kinds: Vec<OpKind>,
    /// Kinds that stay whole if the backend claims them, whatever the policy.
    pub force_native_kinds: Vec<OpKind>,
    /// The element types that the program computes in.
    pub precision: PrecisionPolicy,
    /// Whether to simplify.
    pub simplify: bool,
    /// Whether to fuse.
    pub fuse: bool,
    /// State that is updated in place: the name of an input, and the output with its next value, which has the same shape. The
    /// input then reads a state buffer of the compiled graph, and the output is computed over it if the plan allows it.
    pub state: Vec<(String, usize)>,
    /// Whether each input named `out{i}` that has the shape of output i is such a pair. Values that persist from run to run
    /// (parameters in training, caches) then exist only once.
    pub donate_handles: bool,
    /// The folder in which lowered programs are stored for later processes. By default they are not stored (but see
    /// `RLX_PROGRAM_CACHE`). If something about the compile is reported, the program is always compiled, even if it is stored.
    pub program_cache: Option<PathBuf>,
    /// The number of bytes that a program may plan for at each binding: working memory, tables of kernels and packed weights. A program
    /// that needs more is refused when its sizes are bound, before anything is allocated. The default is the memory of the machine, or of
    /// the control group of the process if that is less.
    pub memory_limit: Option<u64>,
    /// Whether the dispatch report is shown before the compile, with [`rlx_driver::report`].
    pub print_report: bool,
    /// Which graphs are shown before and after passes of the compiler, with [`rlx_driver::report`].
    pub print_ir: Option<PrintIr>,
    /// Whether the time of each pass is shown, with [`rlx_driver::report`].
    pub print_times: bool,
    /// Options that only one backend reads.
    pub backend: BackendBlocks,
}

/// Options that only one backend reads, as a plain type of that backend. Every `'static` type that implements `Debug`, `PartialEq`,
/// `Send` and `Sync` is one.
pub trait BackendOptions: Any + fmt::Debug + Send + Sync {
    /// Returns the block as its own type.
    fn as_any(&self) -> &dyn Any;
    /// Returns whether `other` is a block of the same type with the same options.
    fn is_equal(&self, other: &dyn BackendOptions) -> bool;
}

impl<T: Any + fmt::Debug + PartialEq + Send + Sync> BackendOptions for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_equal(&self, other: &dyn BackendOptions) -> bool {
        other.as_any().downcast_ref::<T>() == Some(self)
    }
}

/// Blocks of options of backends, at most one per type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendBlocks(Vec<OptionsBlock>);

impl BackendBlocks {
    /// Returns the block of this type, if it is set.
    pub fn get<T: BackendOptions>(&self) -> Option<&T> {
        self.0.iter().find_map(|block| block.0.as_any().downcast_ref())
    }

    /// Sets a block, replacing an earlier one of its type.
    pub fn set<T: BackendOptions>(&mut self, block: T) {
        self.0.retain(|other| !other.0.as_any().is::<T>());
        self.0.push(OptionsBlock(Arc::new(block)));
    }
}

/// A block of options of one backend.
#[derive(Clone)]
struct OptionsBlock(Arc<dyn BackendOptions>);

impl PartialEq for OptionsBlock {
    fn eq(&self, other: &OptionsBlock) -> bool {
        self.0.is_equal(&*other.0)
    }
}

impl fmt::Debug for OptionsBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
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
            state: Vec::new(),
            donate_handles: false,
            program_cache: None,
            memory_limit: None,
            print_report: false,
            print_ir: None,
            print_times: false,
            backend: BackendBlocks::default(),
        }
    }
}

impl CompileOptions {
    /// Returns the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies the compiler's [`variables`](mod@crate::variables) that are set in the environment.
    ///
    /// # Errors
    /// Returns an [`EnvError`] for the first variable with an invalid value.
    pub fn with_env(mut self, env: &Env) -> Result<Self, EnvError> {
        let verbose = env.is_on(&variables::VERBOSE)?;
        self.kernel_dispatch = env.get(&variables::KERNEL_DISPATCH)?.unwrap_or(self.kernel_dispatch);
        self.print_report |= env.is_on(&variables::DISPATCH_REPORT)? || verbose;
        self.print_ir = self.print_ir.or(env.get(&variables::PRINT_IR)?);
        self.print_times |= verbose;
        self.memory_limit = self.memory_limit.or(env.get(&variables::MEMORY_LIMIT)?.map(|limit| limit.0));
        Ok(self)
    }

    /// Sets the dispatch policy.
    pub fn kernel_dispatch(mut self, policy: KernelDispatchPolicy) -> Self {
        self.kernel_dispatch = policy;
        self
    }

    /// Sets the kinds that are always decomposed.
    pub fn force_common_kinds(mut self, kinds: impl Into<Vec<OpKind>>) -> Self {
        self.force_common_kinds = kinds.into();
        self
    }

    /// Sets the kinds that stay whole if the backend claims them.
    pub fn force_native_kinds(mut self, kinds: impl Into<Vec<OpKind>>) -> Self {
        self.force_native_kinds = kinds.into();
        self
    }

    /// Sets the precision policy.
    pub fn precision(mut self, policy: PrecisionPolicy) -> Self {
        self.precision = policy;
        self
    }

    /// Sets a block of options that only one backend reads (such as `CpuOptions`), replacing an earlier one of its type. Other
    /// backends ignore it.
    pub fn with_backend(mut self, block: impl BackendOptions) -> Self {
        self.backend.set(block);
        self
    }

    /// Adds a state buffer that input `name` reads and output `output` updates in place.
    pub fn state(mut self, name: impl Into<String>, output: usize) -> Self {
        self.state.push((name.into(), output));
        self
    }

    /// Sets whether inputs named `out{i}` are state buffers that output i updates in place.
    pub fn donate_handles(mut self, donate: bool) -> Self {
        self.donate_handles = donate;
        self
    }

    /// Sets the folder in which lowered programs are stored for later processes. If an earlier process compiled the same graph with the
    /// same options and the same build of the program, its result is read. Damaged files, and files that belong to something else,
    /// count as missing. If the folder cannot be written to, nothing is stored.
    pub fn program_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.program_cache = Some(folder.into());
        self
    }

    /// Sets the limit of the memory that a program may plan for, in bytes.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Returns whether something about the compile is reported, so that a stored program cannot replace it.
    pub fn prints(&self) -> bool {
        self.print_report || self.print_ir.is_some() || self.print_times
    }

    /// Whether a node of this kind is decomposed although the backend may claim it.
    pub(crate) fn decomposes(&self, kind: OpKind) -> bool {
        if self.force_common_kinds.contains(&kind) {
            return true;
        }
        self.kernel_dispatch == KernelDispatchPolicy::PreferCommon && !self.force_native_kinds.contains(&kind)
    }
}
