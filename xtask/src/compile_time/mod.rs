//! `cargo xtask bench-compile`: measures how the time and memory of compiling grow with the graph; writes docs/compile-time.md.

mod families;
mod measure;
mod page;

use crate::{Outcome, checks, peers};
use families::{FAMILIES, Family};
use measure::{Measured, measure};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Number of measurements of a graph, unless one takes longer than `SLOW` milliseconds.
const ROUNDS: usize = 5;
const SLOW: f64 = 10_000.0;

/// The options of the command.
struct Options {
    /// The only families to measure; empty for all.
    families: Vec<String>,
    sizes: Vec<usize>,
    /// Seconds after which a measurement is stopped.
    limit: u64,
    python: Option<String>,
    docs: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options =
            Options { families: Vec::new(), sizes: Vec::new(), limit: 120, python: None, docs: true };
        let mut given = args.iter();
        while let Some(arg) = given.next() {
            let mut value = || given.next().ok_or(format!("{arg} needs a value"));
            let number = |text: &String| text.parse().map_err(|_| format!("{arg}: `{text}` is not a number"));
            match arg.as_str() {
                "--family" => options.families.push(value()?.clone()),
                "--size" => options.sizes.push(number(value()?)? as usize),
                "--limit" => options.limit = number(value()?)?,
                "--python" => options.python = Some(value()?.clone()),
                "--million" => options.sizes.extend([1_000, 10_000, 100_000, 1_000_000]),
                "--no-docs" => options.docs = false,
                _ => {
                    return Err(format!("`{arg}` is not an option of bench-compile; see `cargo xtask help`"));
                }
            }
        }
        if let Some(name) = options.families.iter().find(|name| !FAMILIES.iter().any(|f| f.name == **name)) {
            let known: Vec<&str> = FAMILIES.iter().map(|f| f.name).collect();
            return Err(format!("`{name}` is not a family; there are {}", known.join(", ")));
        }
        // The page shows how all families grow, or is not written.
        options.docs &= options.families.is_empty() && options.sizes.is_empty();
        Ok(options)
    }
}

/// A measured graph, or why it could not be measured.
struct Measurement {
    family: &'static Family,
    size: usize,
    measured: Result<Measured, String>,
}

/// Measures and prints the results. A full run also writes the page.
#[allow(clippy::print_stdout)]
pub(crate) fn bench(root: &Path, args: &[String]) -> Outcome {
    if let [one, name, size] = args
        && one == "--one"
    {
        return one_measured(name, size);
    }
    let options = Options::parse(args)?;
    let wanted = |f: &&Family| options.families.is_empty() || options.families.iter().any(|n| n == f.name);
    let mut rows = Vec::new();
    println!("{}", page::header());
    for family in FAMILIES.iter().filter(wanted) {
        let sizes = if options.sizes.is_empty() { family.sizes } else { &options.sizes };
        for &size in sizes {
            let measured = best(family, size, Duration::from_secs(options.limit));
            rows.push(Measurement { family, size, measured });
            println!("{}", page::line(&rows, rows.len() - 1));
        }
    }
    if !options.docs {
        return Ok(());
    }
    crate::write::write(&root.join("docs/compile-time.md"), &page::page(root, &rows))?;
    plot(root, options.python, &rows)
}

/// The process of a single measurement: prints it as JSON.
#[allow(clippy::print_stdout)]
fn one_measured(name: &str, size: &str) -> Outcome {
    let family = FAMILIES.iter().find(|f| f.name == name).ok_or(format!("no family {name}"))?;
    let size = size.parse().map_err(|_| format!("{size} is not a size"))?;
    let json = serde_json::to_string(&measure(family, size)).map_err(|e| e.to_string())?;
    println!("{json}");
    Ok(())
}

/// The fastest of several measurements, since other work on the machine can only slow them down. A slow measurement is
/// not repeated.
fn best(family: &Family, size: usize, limit: Duration) -> Result<Measured, String> {
    let mut best = in_process(family, size, limit)?;
    for _ in 1..ROUNDS {
        if best.ready() > SLOW {
            break;
        }
        let again = in_process(family, size, limit)?;
        if again.ready() < best.ready() {
            best = again;
        }
    }
    Ok(best)
}

/// Measures in a separate process, so that its peak memory is that of this graph.
fn in_process(family: &Family, size: usize, limit: Duration) -> Result<Measured, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(own);
    command.args(["bench-compile", "--one", family.name, &size.to_string()]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
    let start = Instant::now();
    // The output is small enough for the pipes.
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("more than {} s", limit.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !status.success() {
        return Err(format!("{status}: {}", errors.lines().last().unwrap_or_default()));
    }
    let mut measured: Measured = serde_json::from_str(out.trim()).map_err(|e| e.to_string())?;
    for line in errors.lines() {
        measured.add_passes(line);
    }
    Ok(measured)
}

/// Draws the plot with the script of the benchmarks.
fn plot(root: &Path, python: Option<String>, rows: &[Measurement]) -> Outcome {
    let target = checks::target(root);
    let python = match python {
        Some(python) => python.into(),
        None => {
            peers::environment(root, &target.join("peers/plots"), peers::REQUIREMENTS, Some("matplotlib"))?
        }
    };
    let lines = target.join("compile-time.json");
    let json = serde_json::to_string(&page::lines(rows)).map_err(|e| e.to_string())?;
    crate::write::write(&lines, &json)?;
    let mut command = Command::new(python);
    command.arg(root.join("benches/peers/driver/growth.py")).arg(&lines);
    command.arg(root.join("docs/benchmarks")).args(["compile-time", "ms until the first run, one thread"]);
    peers::run(&mut command)
}
