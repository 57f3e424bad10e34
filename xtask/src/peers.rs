//! `cargo xtask bench-peers`: compares RLX with other frameworks, in a Python environment that has them.

use crate::{Outcome, checks};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The requirements of all peers except those for language models.
pub(crate) const REQUIREMENTS: &str = "requirements.txt";

/// Runs the driver with all arguments except `--python PYTHON`.
pub(crate) fn bench(root: &Path, rest: &[String]) -> Outcome {
    let mut python = None;
    let mut args = Vec::new();
    let mut given = rest.iter();
    while let Some(arg) = given.next() {
        if arg == "--python" {
            python = Some(given.next().ok_or("--python needs the path of a Python")?.into());
        } else {
            args.push(arg);
        }
    }
    let target = checks::target(root);
    let python = match python {
        Some(python) => python,
        None if args.iter().any(|arg| *arg == "--llm") => {
            environment(root, &target.join("peers/python-llm"), "requirements-llm.txt", None)?
        }
        None => environment(root, &target.join("peers/python"), REQUIREMENTS, None)?,
    };
    let mut driver = Command::new(python);
    driver.arg(root.join("benches/peers/driver/run.py")).arg("--target").arg(target).args(args);
    run(&mut driver)
}

/// The environment in the folder `dir` with the packages that a file of `benches/peers` requires, or only the named one
/// of them. It is created again when the requirements change.
pub(crate) fn environment(
    root: &Path,
    dir: &Path,
    requirements: &str,
    only: Option<&str>,
) -> Result<PathBuf, String> {
    let wanted = root.join("benches/peers").join(requirements);
    let text = std::fs::read_to_string(&wanted).map_err(|e| format!("{}: {e}", wanted.display()))?;
    let is_wanted = |line: &&str| only.is_none_or(|name| line.split("==").next() == Some(name));
    let packages: Vec<&str> = text.lines().filter(is_wanted).collect();
    let text = packages.join("\n");
    let stamp = dir.join("requirements.txt");
    let python = dir.join("bin/python");
    if std::fs::read_to_string(&stamp).is_ok_and(|made| made == text) {
        return Ok(python);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(dir))?;
    // Packages built from source are optimized for this processor.
    let native = [("CMAKE_ARGS", "-DGGML_NATIVE=ON")];
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(&packages).envs(native))?;
    std::fs::write(&stamp, text).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

pub(crate) fn run(command: &mut Command) -> Outcome {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}
