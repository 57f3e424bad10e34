//! Dependencies point down: each crate may use the crates that ARCHITECTURE.md puts below it.

use std::path::Path;

/// Crates from the bottom up, a layer per row. A crate may depend on crates of lower rows only.
const LAYERS: &[&[&str]] = &[
    &[
        "rlx-blas",
        "rlx-driver",
        "rlx-escape",
        "rlx-mlx-sys",
        "rlx-pool",
        "rlx-quant",
        "rlx-simd",
        "rlx-tiny-model",
    ],
    &["rlx-ir"],
    &["rlx-elementwise", "rlx-expand", "rlx-files", "rlx-fusion", "rlx-gemm", "rlx-linalg", "rlx-packed"],
    &["rlx-attention", "rlx-autodiff", "rlx-codegen", "rlx-gguf"],
    &["rlx-compile", "rlx-mil", "rlx-optim", "rlx-stablehlo", "rlx-tokenizer"],
    &["rlx-aot", "rlx-chat", "rlx-hybrid", "rlx-opt", "rlx-cpu", "rlx-interpreter", "rlx-mlx", "rlx-tpu"],
    &["rlx-coreml"],
    &["rlx-macros", "rlx-session"],
    &["rlx-flow"],
    &["rlx-models", "rlx-conformance"],
    &["rlx-llm", "rlx-train"],
    &["rlx-runtime"],
    &["rlx"],
    &["rlx-cli", "xtask"],
];

/// The rules that the manifests break.
pub(crate) fn broken(root: &Path) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    let folders = std::fs::read_dir(root.join("crates")).map_err(|e| format!("crates: {e}"))?;
    let mut manifests: Vec<_> = folders.flatten().map(|f| f.path().join("Cargo.toml")).collect();
    manifests.push(root.join("xtask/Cargo.toml"));
    manifests.sort();
    for manifest in manifests.iter().filter(|m| m.exists()) {
        let text = std::fs::read_to_string(manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
        let table: toml::Table = text.parse().map_err(|e| format!("{}: {e}", manifest.display()))?;
        let name =
            table.get("package").and_then(|p| p.get("name")).and_then(|n| n.as_str()).unwrap_or_default();
        let Some(layer) = layer_of(name) else {
            problems.push(format!(
                "{name}: give the crate a row in xtask/src/tidy/layers.rs and ARCHITECTURE.md"
            ));
            continue;
        };
        let dependencies = table.get("dependencies").and_then(|d| d.as_table());
        for dependency in dependencies.into_iter().flat_map(|d| d.keys()) {
            if layer_of(dependency).is_some_and(|below| below >= layer) {
                problems.push(format!("{name} depends on {dependency}, which is not below it"));
            }
        }
    }
    Ok(problems)
}

fn layer_of(name: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&name))
}
