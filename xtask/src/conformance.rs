//! `cargo xtask conformance`: checks every op on every available device against the evaluator; writes docs/conformance.md.

use crate::Outcome;
use crate::allowances;
use crate::debt::Debt;
use crate::outside::Xla;
use rlx_conformance::bound::Allowance;
use rlx_conformance::cases::FAMILIES;
use rlx_conformance::{Args, Reimported, Report, Target, TargetError, run as judge, smaller_shares};
use rlx_ir::{DType, Graph, Literal};
use rlx_session::{CompileError, CompileOptions, Device, RuntimeError, Session, available_devices};
use rlx_stablehlo::ExportOptions;
use std::path::Path;

/// The text of the page before its tables.
const HEAD: &str = "\
# Conformance

Written by `cargo xtask conformance`. A cell counts the cases of an op that passed. Each op is tested with odd, zero and large sizes, in
every element type that it accepts. `evaluator` is checked against goldens from JAX, NumPy, SciPy and mpmath. Primitives must agree
within JAX's tolerance. A composite must agree with the function that it is named after, within the bound of its decomposition's
rounding errors. Devices are checked against the evaluator, bit for bit where nothing rounds, and elsewhere within error bounds derived
from the graph.

An element is judged if the check would reject at least one value for it. A case fails if less than 90 % of its elements are judged; the
exceptions are below. A case that could be judged but is not counts as skipped; a case with nothing to judge is not counted. On the CPU,
every primitive runs with its own kernel.

`tpu` is the PJRT plugin that `RLX_PJRT_PLUGIN` names: on this page, XLA's plugin for the CPU (PyPI xla-cpu-pjrt 0.0.1). `mlx` is MLX
on the CPU (PyPI mlx-cpu 0.32.4), which supports neither f8 nor complex f64, so it has no cases of these types.

";

/// A device of the runtime.
pub(crate) struct OnDevice {
    /// The device.
    pub(crate) device: Device,
    /// The options for compiling graphs for it.
    pub(crate) options: CompileOptions,
}

impl Target for OnDevice {
    fn name(&self) -> &str {
        self.device.name()
    }

    fn flushes_subnormals(&self) -> bool {
        // XLA's processors and its code for CPUs do not support subnormal numbers.
        // MLX's f32 exponentials do not either.
        matches!(self.device, Device::Tpu | Device::Mlx)
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        rlx_session::backend_for(self.device).ok()?.claims().refused_type(dtype)
    }

    fn allowances(&self) -> &[Allowance] {
        match self.device {
            Device::Tpu => allowances::XLA_CPU,
            Device::Mlx => &allowances::MLX_CPU,
            _ => &[],
        }
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: RuntimeError| match e {
            // The CPU runs all ops; a plugin may lack some, and some cannot be lowered to kernels.
            RuntimeError::Compile(CompileError::Legalize(_)) if self.device != Device::Cpu => {
                // The same reason for all cases of an op; a graph of the table has the name of its op.
                TargetError::Unsupported(format!(
                    "`{}` has neither a form nor an expansion there",
                    graph.name()
                ))
            }
            e => TargetError::Failed(e.to_string()),
        };
        let mut compiled = Session::new(self.device)
            .with_options(self.options.clone())
            .try_compile(graph.clone())
            .map_err(failed)?;
        compiled.run_literals(inputs).map_err(failed)
    }
}

/// The options from the arguments.
#[derive(Default)]
struct Options {
    table: Args,
    devices: Vec<String>,
    no_docs: bool,
    /// The Python that has jax, if XLA should run the exported programs.
    python: Option<String>,
    /// The PJRT plugin that it uses; by default, its own CPU client.
    plugin: Option<String>,
    /// Whether the importer should read back the exported programs.
    reimport: bool,
    export: ExportOptions,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let mut value = || rest.next().cloned().ok_or(format!("{arg} needs a value"));
            match arg.as_str() {
                "--op" => options.table.ops.push(known("op", value()?, &op_names())?),
                "--family" => options.table.families.push(known("family", value()?, &family_names())?),
                "--device" => options.devices.push(value()?),
                "--seeds" => options.table.more_seeds = seeds(&value()?)? - 1,
                "--no-docs" => options.no_docs = true,
                "--jaxlib" => options.python = Some(value()?),
                "--plugin" => options.plugin = Some(value()?),
                "--reimport" => options.reimport = true,
                "--inline" => options.export = ExportOptions::default().with_inline_expansions(true),
                _ => return Err(format!("`{arg}` is not an option of conformance")),
            }
        }
        Ok(options)
    }

    /// Whether the table runs on exported programs. Then it runs on no devices other than those named.
    fn judges_text(&self) -> bool {
        self.python.is_some() || self.reimport
    }

    /// The page shows the whole table with default options, so only such a run writes it.
    fn writes_docs(&self) -> bool {
        let Args { families, ops, more_seeds } = &self.table;
        !self.no_docs
            && !self.judges_text()
            && families.is_empty()
            && ops.is_empty()
            && *more_seeds == 0
            && self.devices.is_empty()
    }
}

fn seeds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("--seeds takes a number of at least 1, got {text}")),
        Ok(n) => Ok(n),
    }
}

fn op_names() -> Vec<String> {
    let cases = rlx_conformance::cases::all();
    let kinds = cases.iter().map(|c| c.kind().name().to_string());
    cases.iter().map(|c| c.op.mnemonic().to_string()).chain(kinds).collect()
}

fn family_names() -> Vec<String> {
    FAMILIES.iter().map(|f| f.name.to_string()).collect()
}

/// The name, or an error if the table does not have it.
fn known(what: &str, name: String, names: &[String]) -> Result<String, String> {
    if names.contains(&name) { Ok(name) } else { Err(format!("the table has no {what} `{name}`")) }
}

/// Fails if a case failed, or if more cases were skipped than agreed.
pub(crate) fn verdict(root: &Path, report: &Report) -> Outcome {
    if !report.failures().is_empty() {
        return Err(format!("{} case(s) failed", report.failures().len()));
    }
    let skipped = report.debt().into_iter().map(|((target, reason), count)| (target, reason, count));
    let beyond = Debt::of(skipped).beyond(&Debt::agreed(root)?);
    if beyond.is_empty() { Ok(()) } else { Err(beyond.join("\n")) }
}

/// Runs the table, prints the report, and writes `docs/conformance.md` after a full run.
#[allow(clippy::print_stdout)]
pub(crate) fn run(root: &Path, args: &[String]) -> Outcome {
    let options = Options::parse(args)?;
    let on_device = |device| OnDevice { device, options: CompileOptions::new() };
    let all = options.devices.is_empty() && !options.judges_text();
    // The interpreter checks how kernels are lowered, which is a separate run.
    let wanted =
        |d: &Device| (all && *d != Device::Interpreter) || options.devices.iter().any(|n| n == d.name());
    let devices: Vec<OnDevice> = available_devices().into_iter().filter(wanted).map(on_device).collect();
    if let Some(absent) = options.devices.iter().find(|n| devices.iter().all(|d| d.name() != n.as_str())) {
        return Err(format!("the device `{absent}` is not present"));
    }
    let python = options.python.as_deref();
    let start = |python| Xla::start(root, python, options.plugin.as_deref(), options.export.clone());
    let xla = python.map(start).transpose()?;
    let reimported = options.reimport.then_some(Reimported);
    let mut targets: Vec<&dyn Target> = devices.iter().map(|d| d as &dyn Target).collect();
    targets.extend(xla.as_ref().map(|t| t as &dyn Target));
    targets.extend(reimported.as_ref().map(|t| t as &dyn Target));
    let report = judge(&options.table, &targets);
    if options.writes_docs() {
        crate::write::write(
            &root.join("docs/conformance.md"),
            &format!("{HEAD}{}{}", smaller_shares(), report.markdown()),
        )?;
    }
    println!("{report}");
    verdict(root, &report)
}
