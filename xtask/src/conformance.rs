//! `cargo xtask conformance`: every op on every present device against the evaluator; writes
//! docs/conformance.md.

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

/// What the page says before its tables.
const HEAD: &str = "\
# Conformance

Written by `cargo xtask conformance`. A cell counts the cases of an op that passed: each op at odd, zero and large sizes, in every
element type that it accepts. `evaluator` is judged by goldens from JAX, NumPy, SciPy and mpmath: each primitive within JAX's
tolerance, each composite against the value of the function that it is named after, within the bound of its decomposition's
roundings. Devices are judged by the evaluator, bit for bit where nothing rounds and elsewhere within error bounds that are derived
from the graph. A case fails where less than 90 % of its elements can be judged (an element is judged where some value of it would be
refused; exceptions are below). A case that could be judged and is not counts as skipped; one of which there is nothing to judge is not counted.
On the CPU every primitive runs by a kernel of its own.
`tpu` is whatever PJRT plugin `RLX_PJRT_PLUGIN` names: on this page XLA's for the CPU (PyPI xla-cpu-pjrt 0.0.1). `mlx` is MLX's CPU
(PyPI mlx-cpu 0.32.4); f8 and complex f64 are types that it has not, and no cases of it.

";

/// A device behind the runtime.
pub(crate) struct OnDevice {
    /// The device.
    pub(crate) device: Device,
    /// How graphs are compiled for it.
    pub(crate) options: CompileOptions,
}

impl Target for OnDevice {
    fn name(&self) -> &str {
        self.device.name()
    }

    fn flushes_subnormals(&self) -> bool {
        // XLA's processors and its code for CPUs have no subnormal numbers.
        // MLX's exponentials of f32 have none either.
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
            // The CPU runs all ops; a plugin may lack some, and some are not lowered to kernels.
            RuntimeError::Compile(CompileError::Legalize(_)) if self.device != Device::Cpu => {
                // One reason for all cases of an op; a graph of the table has the name of its op.
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

/// What the arguments ask for.
#[derive(Default)]
struct Options {
    table: Args,
    devices: Vec<String>,
    no_docs: bool,
    /// The Python that has jax, where XLA is to run what is exported.
    python: Option<String>,
    /// The PJRT plugin that it uses; its own CPU client by default.
    plugin: Option<String>,
    /// Whether the importer is to read back what is exported.
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

    /// Whether the table runs on what is exported, and then on nothing else but the devices that are named.
    fn judges_text(&self) -> bool {
        self.python.is_some() || self.reimport
    }

    /// The page shows the whole table as everybody sees it, so that only such a run writes it.
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

/// The name, or an error where the table has none such.
fn known(what: &str, name: String, names: &[String]) -> Result<String, String> {
    if names.contains(&name) { Ok(name) } else { Err(format!("the table has no {what} `{name}`")) }
}

/// Fails where a case failed, or where more were skipped than was agreed on.
pub(crate) fn verdict(root: &Path, report: &Report) -> Outcome {
    if !report.failures().is_empty() {
        return Err(format!("{} case(s) failed", report.failures().len()));
    }
    let skipped = report.debt().into_iter().map(|((target, reason), count)| (target, reason, count));
    let beyond = Debt::of(skipped).beyond(&Debt::agreed(root)?);
    if beyond.is_empty() { Ok(()) } else { Err(beyond.join("\n")) }
}

/// Runs the table, prints the report, and writes `docs/conformance.md` if it ran whole.
#[allow(clippy::print_stdout)]
pub(crate) fn run(root: &Path, args: &[String]) -> Outcome {
    let options = Options::parse(args)?;
    let on_device = |device| OnDevice { device, options: CompileOptions::new() };
    let all = options.devices.is_empty() && !options.judges_text();
    // The interpreter judges how kernels are lowered, which is a run of its own.
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
