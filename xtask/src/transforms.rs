//! `cargo xtask conformance transforms`: derivatives and vectorisation of every case of the table, and the matrix into the docs.

use crate::Outcome;
use rlx_conformance::transforms::{Args, run as check};
use rlx_ir::DType;
use std::path::Path;

/// Failures that are printed of each op without `--verbose`.
const SHOWN: usize = 2;

struct Options {
    table: Args,
    verbose: bool,
    docs: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options { table: Args::default(), verbose: false, docs: false };
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
                "--small" => options.table.most_elements = Some(256),
                "--verbose" => options.verbose = true,
                "--docs" => options.docs = true,
                _ => return Err(format!("`{arg}` is not an option of conformance transforms")),
            }
        }
        Ok(options)
    }
}

/// Runs the checks and prints the matrix.
#[allow(clippy::print_stdout)]
pub(crate) fn run(_root: &Path, args: &[String]) -> Outcome {
    let options = Options::parse(args)?;
    let report = check(&options.table);
    println!("{}", report.markdown());
    let mut shown = std::collections::BTreeMap::new();
    for note in report.failures() {
        let op = note.case.split([' ', ':']).next().unwrap_or_default();
        let count: &mut usize = shown.entry((op.to_string(), note.target.clone())).or_default();
        *count += 1;
        if options.verbose || *count <= SHOWN {
            println!("failed: {} of {}: {}", note.target, note.case, note.message);
        }
    }
    if options.verbose {
        for note in report.skips() {
            println!("skipped: {} of {}: {}", note.target, note.case, note.message);
        }
    }
    println!("{}", report.summary());
    if report.failures().is_empty() {
        Ok(())
    } else {
        Err(format!("{} check(s) failed", report.failures().len()))
    }
}
