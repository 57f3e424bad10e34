//! `cargo xtask bench-instructions`: compares the instruction counts of hot CPU kernels with the expected counts in the
//! repository. See benches/instructions/README.md.

mod counts;
mod run;
mod verdict;

use crate::Outcome;
use counts::Expected;
use std::path::Path;
use verdict::Verdict;

/// The folder of the benchmarks, relative to the workspace.
const FOLDER: &str = "benches/instructions";

/// The options of the command.
#[derive(Default)]
struct Options {
    /// Whether to write the counts to the file.
    update: bool,
    /// The only families to run; empty for all.
    families: Vec<String>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        let mut given = args.iter();
        while let Some(arg) = given.next() {
            match arg.as_str() {
                "--update" => options.update = true,
                "--family" => {
                    let name = given.next().ok_or("--family needs the name of a file in families/")?;
                    options.families.push(name.clone());
                }
                other => {
                    return Err(format!("bench-instructions: `{other}` is not --update or --family NAME"));
                }
            }
        }
        Ok(options)
    }
}

/// Runs the benchmarks, prints a table, and fails if a count is out of bounds, unless the counts are to be updated.
#[allow(clippy::print_stdout)]
pub(crate) fn bench(root: &Path, args: &[String]) -> Outcome {
    let options = Options::parse(args)?;
    let folder = root.join(FOLDER);
    let tools = run::tools(&folder)?;
    let path = folder.join("expected.json");
    let mut expected = Expected::read(&path)?;
    let counted = run::count(root, &folder, &options.families)?;
    let verdict = Verdict::new(&expected.counts, &counted, |family| {
        options.families.is_empty() || options.families.iter().any(|f| f == family)
    });
    println!("{verdict}");
    if options.update {
        expected.counts = verdict.updated();
        expected.tools = tools;
        expected.write(&path)?;
        println!("written: {}", path.display());
        return Ok(());
    }
    for (tool, then, now) in expected.tools.differences(&tools) {
        println!(
            "The expected counts were made with {tool} {then}, these with {now}, which may explain a difference."
        );
    }
    verdict.outcome()
}
