//! `cargo xtask conformance transforms`: checks derivatives and vectorization of every case; writes docs/transforms.md.

use crate::Outcome;
use crate::conformance::{OnDevice, verdict};
use rlx_conformance::transforms::{Args, Progress, matrix, page, run as check};
use rlx_ir::DType;
use rlx_session::{CompileOptions, CpuOptions, Device};
use std::path::Path;

/// Number of failures to print per op without `--verbose`.
const SHOWN: usize = 2;

struct Options {
    table: Args,
    verbose: bool,
    docs: bool,
    device: Device,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options =
            Options { table: Args::default(), verbose: false, docs: false, device: Device::Cpu };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let mut list = || -> Result<Vec<String>, String> {
                let value = rest.next().ok_or(format!("{arg} needs a value"))?;
                Ok(value.split(',').map(str::to_string).collect())
            };
            match arg.as_str() {
                "--ops" => options.table.ops.extend(list()?),
                "--families" => options.table.families.extend(list()?),
                "--dtypes" => {
                    for name in list()? {
                        let found = DType::ALL.into_iter().find(|d| d.name() == name);
                        options.table.dtypes.push(found.ok_or(format!("`{name}` is not an element type"))?);
                    }
                }
                "--device" => {
                    let [name] = &list()?[..] else { return Err("--device takes one device".into()) };
                    options.device = name.parse().map_err(|e| format!("--device: {e}"))?;
                }
                "--small" => options.table.most_elements = Some(256),
                "--verbose" => options.verbose = true,
                "--docs" => options.docs = true,
                _ => return Err(format!("`{arg}` is not an option of conformance transforms")),
            }
        }
        let Args { ops, families, dtypes, most_elements } = &options.table;
        let whole = ops.is_empty()
            && families.is_empty()
            && dtypes.is_empty()
            && most_elements.is_none()
            && options.device == Device::Cpu;
        if options.docs && !whole {
            return Err("--docs needs a run of the whole table; remove the options that restrict it".into());
        }
        Ok(options)
    }
}

/// Number of cases between two lines of progress.
const STRIDE: usize = 500;
/// Cases that take at least this many seconds are reported as slow.
const SLOW: f64 = 5.0;

/// Reports progress. With `verbose`, it also reports failures and slow cases as they happen.
#[allow(clippy::print_stderr)]
fn watch(progress: &Progress<'_>, verbose: bool) {
    let Progress { done, of, case, took, failures } = progress;
    if done % STRIDE == 0 {
        eprintln!("{done} of {of} cases");
    }
    if verbose {
        for (check, message) in failures {
            eprintln!("failed: {check} of {case}: {message}");
        }
        if took.as_secs_f64() > SLOW {
            eprintln!("slow: {case}: {:.1} s", took.as_secs_f64());
        }
    }
}

/// Runs the checks and prints the matrix.
#[allow(clippy::print_stdout)]
pub(crate) fn run(root: &Path, args: &[String]) -> Outcome {
    let options = Options::parse(args)?;
    let device = OnDevice {
        device: options.device,
        options: CompileOptions::new().with_backend(CpuOptions::new().num_threads(1)),
    };
    let report = check(&options.table, Some(&device), &|progress| watch(progress, options.verbose));
    println!("{}", matrix(&report));
    if options.docs {
        crate::write::write(&root.join("docs/transforms.md"), &page(&report))?;
    }
    let mut shown = std::collections::BTreeMap::new();
    for note in report.failures() {
        let count: &mut usize = shown.entry((note.op.clone(), note.target.clone())).or_default();
        *count += 1;
        if options.verbose || *count <= SHOWN {
            println!("failed: {} of {}: {}", note.target, note.case, note.message);
        }
    }
    if options.verbose {
        for note in report.skips() {
            println!("skipped: {} of {}: {}", note.target, note.case, note.message);
        }
        for note in report.not_applicable() {
            println!("not applicable: {} of {}: {}", note.target, note.case, note.message);
        }
    }
    println!("{}", report.summary());
    verdict(root, &report)
}
