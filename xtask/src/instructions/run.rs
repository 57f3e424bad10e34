//! Runs the benchmarks: checks for the tools they need, and reads the counts that they print.

use super::counts::{Counts, Tools};
use crate::checks::{self, version};
use std::path::Path;
use std::process::{Command, Stdio};

/// The versions of the tools.
///
/// # Errors
///
/// Says in one sentence what is missing and how to get it.
pub(super) fn tools(folder: &Path) -> Result<Tools, String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err("the expected counts are for Linux on x86-64; run this there".into());
    }
    let valgrind = version(&mut Command::new("valgrind"))
        .ok_or("valgrind, which counts instructions, is not installed: `apt-get install valgrind`")?;
    let wanted = gungraun(folder)?;
    let runner = version(&mut Command::new("gungraun-runner"));
    if runner.as_deref() != Some(&format!("gungraun-runner {wanted}")) {
        let found = runner.unwrap_or_else(|| "no gungraun-runner".into());
        return Err(format!(
            "the benchmarks need gungraun-runner {wanted}, but found {found}: \
             `cargo install --locked gungraun-runner --version {wanted}`"
        ));
    }
    let rustc = version(&mut checks::rustc(folder)).ok_or("rustc does not print its version")?;
    Ok(Tools { rustc, valgrind })
}

/// The version of gungraun that the benchmarks are built with.
fn gungraun(folder: &Path) -> Result<String, String> {
    let path = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let manifest: toml::Table = text.parse().map_err(|e| format!("{}: {e}", path.display()))?;
    let wanted = manifest["dev-dependencies"]["gungraun"].as_str().and_then(|v| v.strip_prefix('='));
    Ok(wanted.ok_or(format!("{}: gungraun is not pinned to one version", path.display()))?.to_string())
}

/// Runs these families of benchmarks, or all if none are named.
pub(super) fn count(root: &Path, folder: &Path, families: &[String]) -> Result<Counts, String> {
    let target = checks::target(root);
    let mut command = checks::cargo_command(folder);
    // Flags for another build would count other instructions. Incremental builds have smaller codegen units, which inline less.
    command.env("CARGO_TARGET_DIR", &target).env("CARGO_INCREMENTAL", "0").env_remove("RUSTFLAGS");
    command.stdout(Stdio::piped());
    command.args(["bench", "--quiet"]);
    command.args(families.iter().flat_map(|name| ["--bench", name]));
    command.args(["--", "--output-format=json", "--home"]).arg(target.join("instructions"));
    let child = command.spawn().map_err(|e| format!("cargo: {e}"))?;
    let output = child.wait_with_output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("the benchmarks failed ({})", output.status));
    }
    String::from_utf8_lossy(&output.stdout).lines().filter(|l| l.starts_with('{')).try_fold(
        Counts::new(),
        |mut counts, line| {
            let (name, isa, count) = benchmark(line)?;
            counts.entry(name).or_default().insert(isa, count);
            Ok(counts)
        },
    )
}

/// The name, instruction set and count of a benchmark, from the line that describes it.
fn benchmark(line: &str) -> Result<(String, String, u64), String> {
    let value: serde_json::Value = serde_json::from_str(line).map_err(|e| format!("gungraun: {e}"))?;
    // `family::group::name`; a family has one group.
    let module = value["module_path"].as_str().and_then(|path| {
        let mut parts = path.split("::");
        Some(format!("{}/{}", parts.next()?, parts.nth(1)?))
    });
    let isa = value["id"].as_str();
    let count = value.pointer("/profiles/0/data/total/metrics/Ir/values/new").and_then(|n| n.as_u64());
    match (module, isa, count) {
        (Some(module), Some(isa), Some(count)) => Ok((module, isa.into(), count)),
        _ => Err(format!("gungraun describes a benchmark in an unknown form: {line}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_and_other_forms_refused() {
        let line = r#"{"id":"avx2","module_path":"rows::kernels::softmax","profiles":[{"data":
            {"total":{"metrics":{"Ir":{"values":{"new":321557,"old":3}}}}}}]}"#;
        assert_eq!(benchmark(line), Ok(("rows/softmax".into(), "avx2".into(), 321_557)));
        assert!(benchmark(&line.replace("Ir", "Cycles")).is_err());
        assert!(benchmark("{").is_err());
    }

    #[test]
    fn the_version_of_the_runner_stands_in_the_manifest() {
        let wanted = gungraun(&crate::root().join(super::super::FOLDER)).unwrap();
        assert!(wanted.split('.').count() == 3, "{wanted}");
    }
}
