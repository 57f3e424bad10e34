//! Names are data: whatever a graph, its inputs, parameters, labels and sizes are called, the crate has the same lines
//! and builds.

use crate::crates::{Example, content, succeeds, write};
use crate::example;
use rlx_aot::{RustEmitter, Weights, crate_name};
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, Shape, Symbol};
use std::process::Command;

/// Names that would end a comment, a string, a line or a block, or begin something else.
const HOSTILE: &[&str] = &[
    "x`\n//!\n//! ```\n//! std::fs::write(\"pwned\", \"\").unwrap();\n//! ```\n//!\n#![doc = include_str!(\"../Cargo.toml\")]\n//! `",
    "*/ compile_error!(); /*",
    "\"\n[dependencies]\nevil = \"1\"\n",
    "a\rb\u{85}c\u{2028}d",
    "\u{202e}detsurt\u{2066}",
    "\u{1b}]0;title\u{7}",
    "<script>alert(1)</script>",
    "std",
    "self",
    "",
    "\0",
    "../../escape",
];

/// A model in which everything that can have a name has this name.
fn named(name: &str) -> Graph {
    let b = Builder::new(name);
    let n = Dim::dynamic(&format!("n{name}"));
    let x = b.input(name, Shape::from_dims(&[n, Dim::Static(3)], DType::F32));
    let w = b.param(format!("w{name}"), Shape::new(&[3, 2], DType::F32));
    let y = b.scoped(name, || x.matmul(&w).tanh());
    b.finish(&[&y]).unwrap()
}

fn of_name(name: &str) -> (Example, RustEmitter) {
    let value = Literal::new(&[3, 2], &[1.0f32, -2.0, 0.5, 0.25, 3.0, -1.0]).unwrap();
    let x = Literal::new(&[4, 3], &[0.5f32; 12]).unwrap();
    let largest = Bindings::from([(Symbol::new(&format!("n{name}")), 4)]);
    let emitter = RustEmitter { largest, weights: Weights::Embedded, ..RustEmitter::default() };
    (example(named(name), vec![x], &[(&format!("w{name}"), value)]), emitter)
}

/// Returns the texts of a crate by path.
fn texts(name: &str) -> Vec<(String, String)> {
    let (example, emitter) = of_name(name);
    let files = example.files(&emitter).unwrap();
    let text = |file: &rlx_compile::EmittedFile| {
        (file.path.to_string(), String::from_utf8_lossy(&content(file)).into_owned())
    };
    files.iter().filter(|file| !file.path.ends_with(".bin")).map(text).collect()
}

#[test]
fn no_name_adds_a_line() {
    let plain = texts("plain");
    let long = "long ".repeat(40_000);
    for name in HOSTILE.iter().copied().chain([long.as_str()]) {
        let hostile = texts(name);
        assert_eq!(hostile.len(), plain.len(), "{name:?}");
        for ((path, text), (plain_path, plain_text)) in hostile.iter().zip(&plain) {
            assert_eq!(path, plain_path, "{name:?}");
            assert_eq!(text.lines().count(), plain_text.lines().count(), "{name:?}: {text}");
            let is_plain = |c: char| {
                c == '\n' || !c.is_control() && !('\u{2028}'..='\u{202e}').contains(&c) && c != '\u{2066}'
            };
            assert!(text.chars().all(is_plain), "{name:?}: {text}");
            let is_comment = |line: &str| line.trim_start().starts_with("//");
            for (line, plain_line) in text.lines().zip(plain_text.lines()) {
                assert_eq!(is_comment(line), is_comment(plain_line), "{name:?}: {line} for {plain_line}");
            }
        }
    }
}

#[test]
fn crates_of_any_name_build_and_their_docs_have_no_tests() {
    let folder = tempfile::tempdir().unwrap();
    let mut members = Vec::new();
    for (number, name) in HOSTILE.iter().enumerate() {
        let (example, emitter) = of_name(name);
        let member = format!("member_{number}");
        for file in example.files(&emitter).unwrap() {
            let mut bytes = content(&file);
            if file.path == "Cargo.toml" {
                // A workspace cannot have two packages of one name, and some of these names give the same package name.
                let text = String::from_utf8(bytes).unwrap();
                let own = format!("name = \"{}\"", crate_name(&example.graph));
                assert_eq!(text.matches(&own).count(), 1, "{text}");
                bytes = text
                    .replace(&own, &format!("name = \"{}{number}\"", crate_name(&example.graph)))
                    .into_bytes();
            }
            write(&folder.path().join(&member).join(&file.path), &bytes);
        }
        members.push(format!("\"{member}\""));
    }
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", "));
    write(&folder.path().join("Cargo.toml"), workspace.as_bytes());
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    let command = |what: &[&str]| {
        let mut command = Command::new(&cargo);
        let target = folder.path().join("target");
        command
            .args(what)
            .current_dir(folder.path())
            .env("CARGO_TARGET_DIR", target)
            .env("RUSTFLAGS", "-Dwarnings");
        command
    };
    succeeds(&mut command(&["build", "--offline", "--quiet", "--workspace"]));
    let tests = command(&["test", "--offline", "--workspace", "--doc"]).output().unwrap();
    let said = String::from_utf8_lossy(&tests.stdout);
    assert!(tests.status.success(), "{}", String::from_utf8_lossy(&tests.stderr));
    assert_eq!(said.matches("running 0 tests").count(), HOSTILE.len(), "{said}");
}
