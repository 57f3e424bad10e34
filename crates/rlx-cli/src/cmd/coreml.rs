//! `rlx coreml`: shows how CoreML would run a model.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use rlx_coreml::{
    ComputeUnits, FunctionLint, Model, Package, PlannedOperation, Unit, WeightCompression, decode, lint,
    system_engine,
};
use serde_json::{Value, json};

use super::package::PackageArgs;
use crate::engine::llm::AdapterArgs;
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;

/// Show how CoreML would run a model
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Lint(LintArgs),
}

/// List where each operation would run (Neural Engine, GPU, CPU), why, and what to change
///
/// The rules come from published measurements. On a Mac, the list also shows what CoreML itself plans for a package
/// (`MLComputePlan`).
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
struct LintArgs {
    /// A .mlpackage, or anything that `rlx convert` can turn into one: a .rlx or .mlir file, or the name or folder of a model
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Print a JSON object: for each function, its counts, its notes, and the operations that are not expected to run
    /// on the Neural Engine
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    package: PackageArgs,
}

const EXAMPLES: &str = "\
Examples:
  rlx coreml lint minilm.mlpackage
  rlx coreml lint minilm --precision f16
  rlx coreml lint model.rlx -p weights.safetensors --json | jq .main.counts";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let Command::Lint(args) = args.command;
    let functions = lint(&model(&args, settings)?);
    let planned = planned(&args.model)?;
    let text = if args.json {
        let functions =
            functions.iter().map(|function| (function.name.clone(), as_json(function, planned.as_deref())));
        format!("{}\n", Value::Object(functions.collect()))
    } else {
        let beside = |function: &FunctionLint| {
            function.text() + &planned.as_ref().map_or(String::new(), |planned| function.beside(planned))
        };
        functions.iter().map(beside).collect()
    };
    output::report(args.json, &text)
}

fn model(args: &LintArgs, settings: &Settings) -> Result<Model, Failure> {
    if is_package(&args.model) {
        return Ok(decode(Package::open(&args.model)?.model())?);
    }
    args.package
        .package(Some(&args.model), WeightCompression::default(), &AdapterArgs::default(), settings)?
        .model()
}

/// What CoreML plans for a package; `None` if CoreML is not available.
fn planned(path: &Path) -> Result<Option<Vec<PlannedOperation>>, Failure> {
    let engine = system_engine();
    if !is_package(path) || !engine.availability().is_present() {
        return Ok(None);
    }
    Ok(Some(engine.plan(path, ComputeUnits::default())?))
}

/// Whether a path names a package.
pub fn is_package(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mlpackage"))
}

fn as_json(function: &FunctionLint, planned: Option<&[PlannedOperation]>) -> Value {
    let counts =
        function.counts.iter().map(|(unit, &count)| (unit.name().to_string(), count.into())).collect();
    let findings: Vec<Value> = function
        .findings
        .iter()
        .map(|finding| {
            json!({
                "operation": finding.operation, "kind": finding.kind, "unit": finding.unit.name(),
                "reason": finding.reason, "advice": finding.advice,
            })
        })
        .collect();
    let mut said = json!({ "counts": Value::Object(counts), "notes": function.notes, "findings": findings });
    if let Some(planned) = planned {
        let own = planned.iter().filter(|operation| operation.function == function.name);
        let own = own.map(|operation| {
            json!({ "operation": operation.operation, "kind": operation.kind, "unit": operation.unit.map(Unit::name) })
        });
        said["planned"] = own.collect();
    }
    said
}
