//! Options in any position, standard input by default, values with dashes, and arguments that may be a model or a text.

use std::fs;
use std::process::Stdio;

use crate::support::{MODEL, at, command, printed, refused, run};

/// The ids that `tokenizers` (Hugging Face) gives for "Hello world" with
/// crates/rlx-tokenizer/tests/goldens/wordpiece/tokenizer.json.
const IDS: &str = "[49,159,158,158,166,82,166,163,158,258]";

#[test]
fn a_text_is_tokenized_wherever_it_comes_from() {
    let dir = tempfile::tempdir().unwrap();
    let model = at("crates/rlx-tokenizer/tests/goldens/wordpiece");
    let forms: &[(&[&str], &str)] = &[
        (&["tokenize", &model, "--json", "Hello world"], ""),
        (&["tokenize", "--json", &model, "Hello world"], ""),
        (&["tokenize", &model, "Hello world", "--json"], ""),
        (&["tokenize", &model, "--json", "-"], "Hello world"),
        (&["tokenize", &model, "--json"], "Hello world"),
        (&["tokenize", "--json", &model], "Hello world"),
        (&["tokenize", &model, "--json", "--", "Hello world"], ""),
        // Piped input is ignored if there is a text.
        (&["tokenize", &model, "--json", "Hello world"], "other"),
    ];
    for (args, input) in forms {
        let text = printed(dir.path(), args, input);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["ids"].to_string(), IDS, "{args:?}");
    }
    // Without a model, the built-in one is used, which also has a name.
    let by_default = printed(dir.path(), &["tokenize", "In the beginning", "--json"], "");
    for (args, input) in [
        (&["tokenize", "--json"][..], "In the beginning"),
        (&["tokenize", "--json", "-"], "In the beginning"),
        (&["tokenize", "tiny", "--json", "In the beginning"], ""),
        (&["tokenize", "tiny", "--json"], "In the beginning"),
    ] {
        assert_eq!(printed(dir.path(), args, input), by_default, "{args:?}");
    }
    let dashed = printed(dir.path(), &["tokenize", "--json", "--", "-5"], "");
    assert_eq!(dashed, printed(dir.path(), &["tokenize", "tiny", "--json", "--", "-5"], ""));
}

#[test]
fn a_lone_argument_that_is_a_model_is_not_a_text() {
    let dir = tempfile::tempdir().unwrap();
    let model = at("crates/rlx-tokenizer/tests/goldens/wordpiece");
    for args in [&["tokenize", &model][..], &["tokenize", "--json", &at(MODEL)], &["perplexity", &at(MODEL)]]
    {
        let said = refused(dir.path(), args, 2);
        assert!(said.contains("which text?") && said.contains("standard input"), "{said}");
    }
    fs::create_dir(dir.path().join("notes")).unwrap();
    for doubtful in ["Qwen/Qwen3-0.6B", "notes"] {
        let said = refused(dir.path(), &["tokenize", doubtful], 2);
        assert!(
            said.contains(&format!("is `{doubtful}` a model or a text?")) && said.contains("tiny"),
            "{said}"
        );
    }
    assert!(refused(dir.path(), &["tokenize"], 2).contains("which text?"));
}

#[test]
fn a_text_is_measured_wherever_it_comes_from() {
    let dir = tempfile::tempdir().unwrap();
    let (model, text) =
        (at(MODEL), "the quick brown fox jumps over the lazy dog and runs away from it ".repeat(3));
    fs::write(dir.path().join("p.txt"), &text).unwrap();
    let expected = printed(dir.path(), &["perplexity", "--window", "8", &model, "p.txt"], "");
    for (args, input) in [
        (&["perplexity", &model, "--window", "8", "p.txt"][..], ""),
        (&["perplexity", &model, "p.txt", "--window", "8"], ""),
        (&["perplexity", &model, "--window", "8", "-"], text.as_str()),
        (&["perplexity", &model, "--window", "8"], &text),
    ] {
        assert_eq!(printed(dir.path(), args, input), expected, "{args:?}");
    }
    let built_in = printed(dir.path(), &["perplexity", "p.txt", "--window", "8"], "");
    assert_eq!(printed(dir.path(), &["perplexity", "--window", "8"], &text), built_in);
    assert_eq!(printed(dir.path(), &["perplexity", "--window", "8", "-"], &text), built_in);
}

#[test]
fn what_is_piped_is_the_prompt_where_none_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let generate = |more: &[&str], input: &str| {
        printed(dir.path(), &[&["generate", "-n", "4", "--temp", "0"][..], more].concat(), input)
    };
    let expected = generate(&["-p", "In the beginning"], "");
    for input in ["In the beginning", "In the beginning\n", "In the beginning\r\n"] {
        assert_eq!(generate(&[], input), expected);
    }
    assert_eq!(generate(&["-p", "In the beginning"], "And the king"), expected);
    assert_eq!(generate(&["--prompts", "-"], "\"In the beginning\"\n"), expected);
    assert_ne!(generate(&[], ""), expected);
    let said = refused(dir.path(), &["generate", "--chat", "-n", "1"], 2);
    assert!(said.contains("which message?"), "{said}");
    // Standard input is closed, as some programs start others.
    let closed = command(dir.path(), &["generate", "-n", "1"]).stdin(Stdio::null()).output().unwrap();
    assert!(closed.status.success());
}

#[test]
fn values_may_begin_with_a_dash() {
    let dir = tempfile::tempdir().unwrap();
    let first = |args: &[&str]| {
        printed(dir.path(), &[&["generate", "-n", "2", "--temp", "0"][..], args].concat(), "")
    };
    for text in ["- an item", "-5 + 3 =", "---", "--no-such-option"] {
        assert_eq!(first(&[&format!("--prompt={text}")]), first(&["-p", text]), "{text}");
    }
    first(&["-p", "x", "--stop", "---"]);
    first(&["-p", "x", "--dry-breaker", "-", "--presence-penalty", "-1"]);
    let graph = "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[]\n  %1 = neg %0 : f32[]\n  return %1\n}";
    assert_eq!(printed(dir.path(), &["run", "-", "-i", "-0.5"], graph), "out0: f32[]\n0.5\n");
    let said = refused(dir.path(), &["generate", "-p", "--json"], 2);
    assert!(said.contains("a value is required for '-p'"), "{said}");
}

#[test]
fn standard_input_is_a_file_where_one_is_read_from_front_to_end() {
    let dir = tempfile::tempdir().unwrap();
    let graph = "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[2]\n  %1 = neg %0 : f32[2]\n  return %1\n}";
    fs::write(dir.path().join("g.rlx"), graph).unwrap();
    printed(dir.path(), &["run", "g.rlx", "-i", "[1,2]", "-o", "out"], "");
    let array = fs::read(dir.path().join("out/out0.npy")).unwrap();
    let mut child =
        command(dir.path(), &["run", "g.rlx", "-i", "x=-"]).stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &array).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "out0: f32[2]\n[1. 2.]\n", "{:?}", output.stderr);
    let twice = run(dir.path(), &["run", "-", "-i", "x=-"], graph);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("only one file can be `-`"), "{twice:?}");
    let said = refused(dir.path(), &["generate", "-", "-p", "x"], 2);
    assert!(said.contains("standard input does not allow"), "{said}");
}

#[test]
fn a_model_that_is_not_there_is_answered_with_what_is() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("qwen3")).unwrap();
    fs::write(dir.path().join("model-q4.gguf"), b"GGUF").unwrap();
    for (args, near) in [
        (&["generate", "qwen", "-p", "x"][..], "`qwen3`"),
        (&["generate", "./qwen4", "-p", "x"], "`./qwen3`"),
        (&["generate", "model-q5.gguf", "-p", "x"], "`model-q4.gguf`"),
        (&["generate", "tinny", "-p", "x"], "`tiny`"),
        (&["embed", "--model", "minilmm", "x"], "`minilm`"),
        (&["bench", "minilmm"], "`minilm`"),
        (&["inspect", "minlm"], "`minilm`"),
    ] {
        let said = refused(dir.path(), args, 1);
        assert!(said.contains(near) && said.contains("This command takes"), "{args:?}: {said}");
    }
}

#[test]
fn a_model_of_another_kind_is_refused_with_what_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("encoder")).unwrap();
    fs::write(dir.path().join("encoder/config.json"), r#"{"model_type": "bert"}"#).unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    let (language, file) = (at("crates/rlx-llm/tests/adapters/base"), at(MODEL));
    let language = if fs::metadata(&language).is_ok() { language } else { file.clone() };
    for (args, says) in [
        (&["generate", "encoder", "-p", "x"][..], "contains a sentence encoder"),
        (&["generate", "minilm", "-p", "x"], "is a sentence encoder"),
        (&["generate", "empty", "-p", "x"], "there is no model in this folder"),
        (&["embed", "--model", &file, "x"], "is the file of a language model"),
        (&["embed", "--model", &language, "x"], "language model"),
        (&["embed", "--model", "empty", "x"], "there is no model in this folder"),
        (&["generate", "encoder/config.json", "-p", "x"], "name the folder"),
        (&["imatrix", "tiny", "x.txt", "-o", "y.gguf"], "there is no model \"tiny\""),
    ] {
        let code = if says.starts_with("there is no model") { 1 } else { 2 };
        let said = refused(dir.path(), args, code);
        assert!(
            said.contains(says) && said.to_lowercase().contains("this command takes"),
            "{args:?}: {said}"
        );
    }
}
