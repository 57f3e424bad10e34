//! Looks for MLX. Without it, a test reports by name that it is skipped.

#![allow(dead_code)]

use rlx_compile::Claims;
use rlx_conformance::bound::Allowance;
use rlx_conformance::{Target, TargetError};
use rlx_exec::{Availability, Backend};
use rlx_ir::{DType, DTypeSet, Graph, Literal};
use rlx_mlx::{COARSE_FUNCTIONS, MlxBackend, MlxClaims, MlxMode, MlxOptions};
use rlx_session::{CompileError, CompileOptions, Device, RuntimeError, Session, register_backend};
use std::io::Write;
use std::sync::{Arc, Once};

/// All modes.
pub const MODES: [MlxMode; 3] = [MlxMode::Lazy, MlxMode::Compiled, MlxMode::Eager];

/// Returns MLX as a backend, or `None` if it is not available. Writes to standard error directly, because output of macros is captured.
pub fn backend(test: &str) -> Option<Arc<MlxBackend>> {
    static REGISTERED: Once = Once::new();
    let backend = Arc::new(MlxBackend::new());
    if let Availability::Missing(reason) = backend.availability() {
        writeln!(std::io::stderr(), "skipped: {test}: {reason}").expect("standard error");
        return None;
    }
    REGISTERED.call_once(|| register_backend(backend.clone()));
    Some(backend)
}

/// Returns the share of long suites to run, as one case in this many, if the environment sets it.
pub fn share() -> Option<u64> {
    std::env::var("RLX_MLX_SHARE").ok()?.parse().ok().filter(|&share| share > 0)
}

/// A session on MLX in a mode.
pub fn session(test: &str, mode: MlxMode) -> Option<Session> {
    backend(test)?;
    let options = CompileOptions::new().with_backend(MlxOptions::new().mode(mode));
    Some(Session::new(Device::Mlx).with_options(options))
}

/// The allowed errors of MLX's functions.
pub fn allowances() -> Vec<Allowance> {
    let row = |f: &rlx_mlx::CoarseFunction| Allowance {
        function: f.name,
        dtypes: DTypeSet::of(f.dtypes),
        ulps: f.ulps,
        scale: f.scale,
        source: f.source,
    };
    COARSE_FUNCTIONS.iter().map(row).collect()
}

/// A session on MLX as a target of the conformance table.
pub struct OnMlx(Session, Vec<Allowance>);

impl OnMlx {
    /// The target of a session.
    pub fn new(session: Session) -> OnMlx {
        OnMlx(session, allowances())
    }
}

impl Target for OnMlx {
    fn name(&self) -> &str {
        "mlx"
    }

    fn flushes_subnormals(&self) -> bool {
        true
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        MlxClaims.refused_type(dtype)
    }

    fn allowances(&self) -> &[Allowance] {
        &self.1
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: RuntimeError| match e {
            RuntimeError::Compile(CompileError::Legalize(e)) => TargetError::Unsupported(e.to_string()),
            e => TargetError::Failed(e.to_string()),
        };
        let mut compiled = self.0.try_compile(graph.clone()).map_err(failed)?;
        compiled.run_literals(inputs).map_err(failed)
    }
}
