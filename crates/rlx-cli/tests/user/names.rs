//! Hostile, long and odd names of files, graphs, labels, inputs, tensors and metadata, in every command. The output has
//! no control characters for the terminal, and nothing panics.

use std::fs;
use std::path::Path;

use rlx_gguf::{GgufWriter, MetaValue, TensorType};
use rlx_ir::{Builder, DType, Shape};
use rlx_models::weights::{StoredType, Tensor, save};

use crate::support::{command, root};

/// Names that a file may contain: one that renames a terminal's window, the same with a C1 control character, line
/// breaks, right-to-left text, a quote, a path, an empty name, and 70,000 letters.
fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "\u{1b}]0;owned\u{7}\u{1b}[31m",
        "\u{9b}31m\u{90}q\u{9c}",
        "a\nb\r\nc\u{b}\u{c}\u{8}",
        "\u{202e}dlrow\u{2066}",
        "\"'\\{}%$`;&|",
        "../../etc/passwd",
        "",
        " ",
        "%s%n",
        "--json",
    ]
    .map(String::from)
    .to_vec();
    names.push("long.".repeat(14_000));
    names.push("é".repeat(40_000));
    names
}

/// Whether a terminal would interpret some of it as control characters.
fn obeyed(bytes: &[u8]) -> Option<char> {
    let bad = |c: &char| {
        c.is_control() && *c != '\n' && *c != '\t'
            || ('\u{202a}'..='\u{202e}').contains(c)
            || ('\u{2066}'..='\u{2069}').contains(c)
    };
    String::from_utf8_lossy(bytes).chars().find(bad)
}

/// Runs a command, which may fail but not panic. Fails if it prints control characters for the terminal.
fn harmless(dir: &Path, args: &[&str]) {
    let output = command(dir, args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let what = |text: &[u8]| {
        format!("{args:?}: {:?}", String::from_utf8_lossy(text).chars().take(2000).collect::<String>())
    };
    assert!(
        output.status.code().is_some_and(|code| code < 3),
        "{:?} {}",
        output.status,
        what(&output.stderr)
    );
    assert!(!said.contains("internal error") && !said.contains("panicked"), "{}", what(&output.stderr));
    // Output for other programs is unchanged, except on a terminal.
    let is_payload = args.iter().any(|arg| ["--json", "--dot", "-"].contains(arg)) || args[0] == "generate";
    if !is_payload {
        assert_eq!(obeyed(&output.stdout), None, "{}", what(&output.stdout));
    }
    assert_eq!(obeyed(&output.stderr), None, "{}", what(&output.stderr));
}

#[test]
fn names_in_graphs_are_harmless() {
    let dir = tempfile::tempdir().unwrap();
    for name in names() {
        let b = Builder::new(&name);
        let x = b.input(format!("x{name}"), Shape::new(&[2], DType::F32));
        let w = b.param(format!("w{name}"), Shape::new(&[2], DType::F32));
        let y = b.scoped(&format!("block{name}.0"), || (&x * &w).exp());
        let Ok(graph) = b.finish(&[&y]) else { continue };
        fs::write(dir.path().join("g.rlx"), graph.to_string()).unwrap();
        let mut reports = command(dir.path(), &["run", "g.rlx", "-i", "[1,2]", "-i", "[1,2]", "-v"]);
        let output = reports.env("RLX_VERBOSE", "1").env("RLX_PRINT_IR", "after").output().unwrap();
        assert_eq!(obeyed(&output.stderr), None, "reports on {name:?}");
        for args in [
            &["inspect", "g.rlx"][..],
            &["inspect", "g.rlx", "--tensors", "--steps"],
            &["inspect", "g.rlx", "--dot"],
            &["run", "g.rlx"],
            &["run", "g.rlx", "-i", "[1,2]", "-i", "[1,2]"],
            &["run", "g.rlx", "-i", "[1,2]", "-i", "[1,2,3]", "-v"],
            &["run", "g.rlx", "-i", "nope=1"],
            &["profile", "g.rlx", "--runs", "1"],
            &["bench", "g.rlx", "--seconds", "0"],
            &["transform", "grad", "g.rlx", "--wrt", "0", "-o", "o.rlx"],
            &["transform", "grad", "g.rlx", "--wrt", "nope", "-o", "o.rlx"],
            &["convert", "g.rlx", "o.mlir", "-v"],
            &["convert", "g.rlx", "o.mlpackage"],
            &["coreml", "lint", "g.rlx", "-p", "[1,2]"],
            &["emit", "g.rlx", "-o", "emitted"],
            &["compile", "g.rlx", "-o", "compiled"],
        ] {
            harmless(dir.path(), args);
        }
    }
}

#[test]
fn names_of_tensors_and_metadata_are_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let (bytes, stored) = ([0u8; 8], StoredType::from_tag("F32").unwrap());
    fs::write(at("g.rlx"), "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[2]\n  return %0\n}").unwrap();
    for name in names() {
        let (one, two) = (format!("a{name}"), format!("b{name}"));
        let tensors = [&one, &two].map(|name| Tensor { name, stored, shape: &[2], bytes: &bytes });
        let metadata = [(format!("key{name}"), format!("value{name}"))].into();
        let written = save(&at("t.safetensors"), &tensors, &metadata);
        let mut writer = GgufWriter::new();
        writer.set("general.architecture", MetaValue::from("llama"));
        writer.set(format!("key{name}"), MetaValue::from(name.as_str()));
        writer.set("tokenizer.ggml.model", MetaValue::from(name.as_str()));
        writer.tensor(&one, TensorType::Plain(DType::F32), &[2], bytes.to_vec());
        let both = writer.write(&at("t.gguf"));
        for args in [
            &["inspect", "t.safetensors"][..],
            &["inspect", "t.safetensors", "--json"],
            &["run", "g.rlx", "-i", "t.safetensors"],
            &["run", "g.rlx", "-i", "x=t.safetensors"],
            &["convert", "t.safetensors", "o.gguf"],
            &["convert", "t.safetensors", "-o", "o.gguf", "--quantize", "q8_0", "--dry-run"],
        ] {
            if written.is_ok() {
                harmless(dir.path(), args);
            }
        }
        for args in [
            &["inspect", "t.gguf"][..],
            &["inspect", "t.gguf", "--json"],
            &["convert", "t.gguf", "o.safetensors"],
            &["convert", "t.gguf", "-o", "o.gguf", "--quantize", "q8_0", "--dry-run"],
            &["generate", "t.gguf", "-p", "x"],
            &["generate", "-p", "x", "-n", "1", "--lora", "t.gguf"],
            &["tokenize", "t.gguf", "x"],
            &["imatrix", "t.gguf", "g.rlx", "-o", "i.gguf"],
        ] {
            if both.is_ok() {
                harmless(dir.path(), args);
            }
        }
    }
}

#[test]
fn names_of_files_are_harmless() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("g.rlx"),
        "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[2]\n  return %0\n}",
    )
    .unwrap();
    for name in names().iter().filter(|name| !name.contains('/')) {
        let name: String = name.chars().take(100).collect();
        for ending in ["rlx", "npy", "safetensors", "gguf", "toml", "mlpackage", "jsonl"] {
            let file = format!("f{name}.{ending}");
            let _ = fs::write(dir.path().join(&file), b"\x1b]0;x\x07 = [");
            let args: &[&[&str]] = match ending {
                "rlx" => &[&["run", &file], &["inspect", &file], &["compile", &file, "-o", "o"]],
                "npy" => &[&["inspect", &file], &["run", "g.rlx", "-i", &file]],
                "safetensors" => &[&["inspect", &file], &["convert", &file, "o.gguf"]],
                "gguf" => &[&["generate", &file, "-p", "x"], &["tokenize", &file, "x"]],
                "toml" => &[&["train", &file], &["sample", &file, "x"]],
                "mlpackage" => &[&["inspect", &file], &["coreml", "lint", &file]],
                _ => &[
                    &["generate", "--prompts", &file],
                    &["perplexity", &file, "--window", "999"],
                    &["embed", "--model", &file, "x"],
                ],
            };
            args.iter().for_each(|args| harmless(dir.path(), args));
        }
        harmless(dir.path(), &["run", "g.rlx", "-i", &format!("x={name}.npy")]);
        harmless(dir.path(), &["run", "g.rlx", &format!("--x{name}")]);
    }
}

#[test]
fn settings_and_templates_are_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let from = root().join("crates/rlx-llm/tests/adapters/llama");
    let base = root().join("crates/rlx-llm/tests");
    let hostile = "\u{1b}]0;owned\u{7}\u{9b}31m";
    fs::write(dir.path().join("t.toml"), format!("[model]\nkind = \"{}\"\n", "\\u001B]0;x\\u0007")).unwrap();
    fs::write(dir.path().join("u.toml"), format!("[{hostile}\n")).unwrap();
    fs::write(dir.path().join("v.toml"), "[\"\\u001B]0;x\\u0007\"]\na = 1\n").unwrap();
    for file in ["t.toml", "u.toml", "v.toml"] {
        harmless(dir.path(), &["train", file]);
        harmless(dir.path(), &["sample", file, "x"]);
        harmless(dir.path(), &["compile", file, "-o", "o"]);
    }
    let _ = (from, base);
    let model = dir.path().join("model");
    fs::create_dir(&model).unwrap();
    for (name, text) in [
        (
            "config.json",
            format!("{{\"model_type\": {:?}}}", "x\u{7}").replace("\\u{7}", "\\u001b]0;x\\u0007"),
        ),
        ("tokenizer.json", "{\"version\": \"\\u001b]0;x\\u0007\"}".into()),
        (
            "tokenizer_config.json",
            "{\"chat_template\": \"{{ raise_exception('\\u001b]0;x\\u0007') }}\"}".into(),
        ),
        ("modules.json", "[{\"path\": \"\\u001b]0;x\\u0007\", \"type\": \"\\u001b]0;x\\u0007\"}]".into()),
    ] {
        fs::write(model.join(name), text).unwrap();
    }
    for args in [
        &["generate", "model", "--chat", "-p", "x"][..],
        &["tokenize", "model", "x"],
        &["embed", "--model", "model", "x"],
        &["inspect", "model"],
        &["convert", "model", "-o", "o.gguf"],
        &["convert", "model", "-o", "o.mlpackage"],
    ] {
        harmless(dir.path(), args);
    }
    // A template of a whole model that refuses with its own text.
    let exported = dir.path().join("chat.gguf");
    let bytes = fs::read(root().join("crates/rlx-llm/tests/gguf/llama-f16.gguf")).unwrap();
    fs::write(&exported, bytes).unwrap();
    fs::write(dir.path().join("chat_template.jinja"), "{{ raise_exception('\u{1b}]0;owned\u{7}') }}")
        .unwrap();
    harmless(dir.path(), &["generate", "chat.gguf", "--chat", "-p", "x", "-n", "1"]);
}
