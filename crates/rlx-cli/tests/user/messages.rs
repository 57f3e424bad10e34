//! Messages about wrong files, values and environments name the thing, what is wrong with it, and what to do.

use std::fs;
use std::path::Path;

use crate::support::{MODEL, at, command, printed, refused};

const GRAPH: &str =
    "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[3]\n  %1 = neg %0 : f32[3]\n  return %1\n}";
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\noid sha256:0000000000000000000000000000000000000000000000000000000000000000\nsize 12345\n";
const PAGE: &[u8] = b"<!DOCTYPE html><html><body>404</body></html>";
const ZIP: &[u8] = b"PK\x03\x04\x14\0\0\0\0\0";

/// A .npy file with this element type and three bytes of data.
fn npy(descr: &str) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (3,), }}");
    header.push_str(&" ".repeat((64 - (header.len() + 11) % 64) % 64));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\0".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend([0; 3]);
    file
}

/// Fails unless the message of each command contains these parts and the name of the file.
fn check(dir: &Path, rows: &[(&[&str], i32, &[&str])]) {
    for (args, code, parts) in rows {
        let said = refused(dir, args, *code);
        for part in *parts {
            assert!(said.contains(part), "{args:?} says\n{said}\nand not {part:?}");
        }
    }
}

#[test]
fn files_of_another_kind_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
    put("g.rlx", GRAPH.as_bytes());
    put("page.rlx", PAGE);
    for (ending, bytes) in [("lfs", POINTER), ("html", PAGE), ("zip", ZIP), ("empty", b"")] {
        for kind in ["safetensors", "npy", "gguf"] {
            put(&format!("{ending}.{kind}"), bytes);
        }
    }
    put("a.npz", ZIP);
    put("f1.npy", &npy("<f1"));
    put("v1.npy", &npy("|V1"));
    put("text.npy", &npy("<U1"));
    fs::create_dir(dir.path().join("model")).unwrap();
    put("model/config.json", br#"{"model_type": "bert", "hidden_size": 8}"#);
    put("model/model.safetensors", POINTER);
    put("model/tokenizer.json", POINTER);
    for kind in ["safetensors", "npy", "gguf"] {
        for (ending, says) in
            [("lfs", "Git LFS"), ("html", "an HTML page"), ("zip", "a zip archive"), ("empty", "is empty")]
        {
            let file = format!("{ending}.{kind}");
            check(dir.path(), &[(&["inspect", &file], 1, &[&file, says])]);
            if kind != "gguf" {
                check(dir.path(), &[(&["run", "g.rlx", "-i", &file], 1, &[&file, says])]);
            }
        }
    }
    check(
        dir.path(),
        &[
            (
                &["run", "g.rlx", "-i", "a.npz"],
                1,
                &["a.npz", ".npz file of several arrays", ".npy or .safetensors"],
            ),
            (&["run", "g.rlx", "-i", "f1.npy"], 1, &["f1.npy", "use .safetensors"]),
            (&["run", "g.rlx", "-i", "v1.npy"], 1, &["v1.npy", "use .safetensors"]),
            (&["run", "g.rlx", "-i", "text.npy"], 1, &["text.npy", "this is text"]),
            (&["run", "page.rlx"], 1, &["page.rlx", "HTML"]),
            (&["tokenize", "model", "x"], 1, &["tokenizer.json", "Git LFS"]),
            (&["generate", "lfs.gguf", "-p", "x"], 1, &["lfs.gguf", "Git LFS"]),
            (&["convert", "lfs.gguf", "x.safetensors"], 1, &["lfs.gguf", "Git LFS"]),
            (
                &["convert", &at(MODEL), "-o", "x.gguf", "--quantize", "q4_k_m", "--imatrix", "html.gguf"],
                1,
                &["html.gguf", "HTML"],
            ),
        ],
    );
}

#[test]
fn arrays_that_a_graph_does_not_take_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    let parts: &[&str] =
        &["2 arrays without a name", "1 input and parameter", "x (f32[3])", "keep_unused=True"];
    check(dir.path(), &[(&["run", "g.rlx", "-i", "[1,2,3]", "-i", "[1,2]"], 2, parts)]);
    let parts: &[&str] = &["1 array without a name", "0 of 1 input", "1 of them by name"];
    check(dir.path(), &[(&["run", "g.rlx", "-i", "x=[1,2,3]", "-i", "[1,2]"], 2, parts)]);
}

#[test]
fn dimensions_that_a_graph_does_not_have_are_answered_with_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let graph = GRAPH.replace("f32[3]", "f32[arg0_0, 3]");
    fs::write(dir.path().join("s.rlx"), graph).unwrap();
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    for args in [
        &["convert", "s.rlx", "-o", "o.mlpackage", "--dim", "a=2..8"][..],
        &["convert", "s.rlx", "-o", "o.mlpackage", "--dim", "a=2"],
        &["compile", "s.rlx", "-o", "o", "--dim", "a=2"],
        &["compile", "s.rlx", "-o", "o", "--max", "a=2"],
        &["run", "s.rlx", "--dim", "a=2", "-i", "random:0"],
        &["inspect", "s.rlx", "--dim", "a=2"],
        &["bench", "s.rlx", "--dim", "a=2"],
    ] {
        let output = command(dir.path(), args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains("arg0_0") && said.contains("dimension"),
            "{args:?}: {said}"
        );
    }
    check(dir.path(), &[(&["inspect", "g.rlx", "--dim", "a=2"], 1, &["no dimension without a size"])]);
}

/// Every variable that accepts only certain values, with an invalid one.
#[test]
fn variables_with_wrong_values_are_errors_that_list_the_right_ones() {
    let dir = tempfile::tempdir().unwrap();
    let all =
        rlx_runtime::variables::all().into_iter().chain(rlx_models::variables::VARIABLES.iter().copied());
    for variable in all.filter(|v| v.name().starts_with("RLX_")) {
        let (name, values) = (variable.name(), variable.values());
        let takes_all = ["a file", "a folder, or nothing"].contains(&values);
        let output = command(dir.path(), &["devices"]).env(name, "no such value").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if takes_all {
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(name) && said.contains(values), "{said}");
    }
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    let lacking = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };
    let output =
        command(dir.path(), &["run", "g.rlx", "-i", "[1,2,3]"]).env("RLX_CPU_ISA", lacking).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success()
            && said.contains("RLX_CPU_ISA")
            && said.contains("choose one that it supports:"),
        "{said}"
    );
}

/// Every command that reads a file, with `FILE` in its place.
const READERS: &[&[&str]] = &[
    &["run", "FILE.rlx"],
    &["run", "FILE.mlir"],
    &["run", "g.rlx", "-i", "FILE.npy"],
    &["run", "g.rlx", "-i", "x=FILE.safetensors"],
    &["inspect", "FILE.npy"],
    &["inspect", "FILE.safetensors"],
    &["inspect", "FILE.gguf"],
    &["inspect", "FILE.mlpackage"],
    &["inspect", "FILE.json"],
    &["inspect", "FILE.rlx"],
    &["inspect", "FILE.rlx", "--dot"],
    &["convert", "FILE.rlx", "o.mlir"],
    &["convert", "FILE.gguf", "o.safetensors"],
    &["convert", "FILE.safetensors", "o.gguf"],
    &["convert", "FILE.mlpackage", "o.rlx"],
    &["convert", "FILE.rlx", "o.mlpackage"],
    &["convert", "g.rlx", "o.mlpackage", "-p", "FILE.safetensors"],
    &["convert", "MODEL", "-o", "o.gguf", "--lora", "FILE.gguf"],
    &["convert", "MODEL", "-o", "o.gguf", "--quantize", "q8_0", "--imatrix", "FILE.gguf"],
    &["transform", "grad", "FILE.rlx", "--wrt", "x", "-o", "o.rlx"],
    &["emit", "FILE.rlx", "-o", "o"],
    &["emit", "g.rlx", "-o", "o", "-p", "FILE.npy"],
    &["compile", "FILE.mlir", "-o", "o"],
    &["compile", "FILE.toml", "-o", "o"],
    &["coreml", "lint", "FILE.mlpackage"],
    &["coreml", "lint", "FILE.rlx"],
    &["bench", "FILE.rlx", "--seconds", "0"],
    &["bench", "llm", "FILE.gguf"],
    &["bench", "train", "--tokens", "FILE.npy", "--steps", "1"],
    &["profile", "FILE.rlx"],
    &["train", "FILE.toml"],
    &["sample", "FILE.toml", "text"],
    &["generate", "FILE.gguf", "-p", "x"],
    &["generate", "--prompts", "FILE.jsonl"],
    &["generate", "-p", "x", "--lora", "FILE.gguf"],
    &["tokenize", "FILE.gguf", "x"],
    &["perplexity", "FILE.txt"],
    &["perplexity", "FILE.gguf", "text.txt"],
    &["perplexity", "text.txt", "--kl-divergence", "FILE.logits"],
    &["imatrix", "MODEL", "FILE.txt", "-o", "o.gguf"],
    &["imatrix", "MODEL", "text.txt", "-o", "o.gguf", "--window", "4", "--add-to", "FILE.gguf"],
    &["embed", "--model", "FILE", "x"],
];

/// Every command on a file that is missing, a folder, a FIFO, empty, and noise: it quickly reports an error that names
/// the file.
#[test]
fn every_command_names_the_file_that_it_cannot_read() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    fs::write(dir.path().join("text.txt"), "the quick brown fox jumps over the lazy dog and then some more")
        .unwrap();
    let model = at(MODEL);
    for kind in ["missing", "folder", "fifo", "empty", "noise"] {
        for reader in READERS {
            let mut file = String::new();
            let args: Vec<String> = reader
                .iter()
                .map(|word| match word.find("FILE") {
                    Some(at) => {
                        file = word[at..].replace("FILE", kind);
                        word.replace("FILE", kind)
                    }
                    None => word.replace("MODEL", &model),
                })
                .collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let path = dir.path().join(&file);
            match kind {
                "folder" => fs::create_dir_all(&path).unwrap(),
                "fifo" if !path.exists() => {
                    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
                }
                "empty" => fs::write(&path, b"").unwrap(),
                "noise" => {
                    fs::write(&path, [0x9d, 0xf1, 0x1b, b'[', 0x07, 0xff, 0, 3, 2, 1, 0x85, 0xc2]).unwrap()
                }
                _ => {}
            }
            let output = command(dir.path(), &args).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            let what = format!("{kind}: {}\n{said}", args.join(" "));
            // Any text is valid as a text of any kind.
            let is_text = file.ends_with(".txt") && kind == "noise";
            if !is_text {
                assert!(matches!(output.status.code(), Some(1 | 2)), "{what}");
            }
            let named = said.contains(&file) || (kind == "empty" && said.contains("too few for a window"));
            assert!(named || is_text, "the file is not named: {what}");
            assert!(!said.contains("internal error") && !said.contains("os error 2)"), "{what}");
            assert!(!has_control(&output.stderr) && !has_control(&output.stdout), "{what}");
        }
    }
}

fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().any(|b| b.is_ascii_control() && *b != b'\n' && *b != b'\t')
}

#[test]
fn steps_that_are_not_measured_have_no_times() {
    let dir = tempfile::tempdir().unwrap();
    let help = printed(dir.path(), &["bench", "--help"], "");
    assert!(help.contains("--steps"), "{help}");
    let said = refused(dir.path(), &["bench", "train", "--steps", "0"], 2);
    assert!(said.contains("--steps"), "{said}");
}

#[test]
fn options_and_devices_that_do_not_exist_are_answered() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    check(
        dir.path(),
        &[
            (&["run", "g.rlx", "--inpt", "x=[1,2,3]"], 2, &["--inpt", "--input"]),
            (&["generat"], 2, &["generat", "generate"]),
            (&["run", "g.rlx", "-i", "[1,2,3]", "--device", "gpu"], 1, &["gpu", "cpu"]),
            (&["run", "g.rlx", "-i", "[1,2,3]", "--device", "cuda"], 1, &["cuda", "cpu"]),
            (&["run", "g.rlx", "-i", "[1,2,3]", "--precision", "f8"], 2, &["f8", "declared"]),
            (&["run", "g.rlx", "-i", "[1,2]"], 1, &["\"x\"", "f32[3]", "f32[2]"]),
            (&["run", "g.rlx", "-i", "y=[1,2,3]"], 1, &["`y`", "`x`"]),
            (&["run", "g.rlx"], 1, &["x (f32[3])", "--input"]),
            (&["run", "g.rlx", "-i", "[1,2,x]"], 2, &["x"]),
            (&["generate", "-p", "x", "--temp", "-1"], 2, &["--temp"]),
            (&["generate", "-p", "x", "--logit-bias", "7=nan"], 2, &["7=nan", "NaN"]),
            (&["generate", "-p", "x", "--samplers", "best"], 2, &["best", "top_k"]),
        ],
    );
}
