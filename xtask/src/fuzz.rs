//! `cargo xtask fuzz`: runs the fuzz targets in turn. Each one starts from the corpus in the repository and from the
//! inputs that earlier runs found.

use crate::Outcome;
use crate::checks::version;
use std::path::Path;
use std::process::Command;

/// The targets, with the features they need and their own arguments. `fuzz/fuzz_targets/` says what each one does.
const TARGETS: &[(&str, &str, &[&str])] = &[
    ("text_form", "runs", &[]),
    ("stablehlo", "runs", &["-dict=fuzz/stablehlo.dict"]),
    ("safetensors", "models", &[]),
    ("gguf", "", &[]),
    ("mil_blob", "", &[]),
    ("mil_model", "", &[]),
    ("chat_template", "models", &["-dict=fuzz/chat_template.dict"]),
    ("names", "writers", &["-dict=fuzz/names.dict"]),
    ("npy", "models", &[]),
    ("model_folder", "models", &[]),
    ("checkpoint", "models", &[]),
];

/// Limits per input: memory, with room beyond the program's own budget of 256 MB, and seconds, with room for other work
/// on the machine.
const LIMITS: [&str; 3] = ["-rss_limit_mb=1024", "-malloc_limit_mb=600", "-timeout=10"];

/// Runs each target for `--minutes N` (1 by default). `--target NAME`, which can be repeated, selects targets.
/// Arguments after `--` are passed to libFuzzer.
pub(crate) fn fuzz(root: &Path, rest: &[String]) -> Outcome {
    let (mut minutes, mut wanted, mut more) = (1.0, Vec::new(), Vec::new());
    let mut args = rest.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--minutes" => {
                let text = value()?;
                minutes = text.parse::<f64>().map_err(|_| format!("{text:?} is not a number of minutes"))?;
            }
            "--target" => wanted.push(value()?.clone()),
            "--" => more.extend(args.by_ref().cloned()),
            other => return Err(format!("`{other}` is not an argument of fuzz")),
        }
    }
    if let Some(unknown) = wanted.iter().find(|name| !TARGETS.iter().any(|target| target.0 == *name)) {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.0).collect();
        return Err(format!("there is no target `{unknown}`; known are {}", known.join(", ")));
    }
    let cargo = || {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo", "fuzz"]).current_dir(root);
        command
    };
    if version(&mut cargo()).is_none() {
        return Err(
            "cargo-fuzz is not installed: `cargo install cargo-fuzz`, and `rustup toolchain install nightly`"
                .into(),
        );
    }
    for (name, features, own) in
        TARGETS.iter().filter(|target| wanted.is_empty() || wanted.iter().any(|w| w == target.0))
    {
        let corpus = root.join("fuzz/corpus").join(name);
        std::fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
        let time = format!("-max_total_time={}", (minutes * 60.0) as u64);
        let mut run = cargo();
        run.args(["run", "--features", features, name]).arg(&corpus);
        let seeds = root.join("fuzz/seeds").join(name);
        if seeds.is_dir() {
            run.arg(seeds);
        }
        run.arg("--").args(LIMITS).arg(time).args(*own).args(&more);
        let status = run.status().map_err(|e| format!("rustup: {e}"))?;
        if !status.success() {
            return Err(format!("`{name}` found something: fuzz/artifacts/{name} ({status})"));
        }
    }
    Ok(())
}
