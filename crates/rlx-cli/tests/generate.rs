//! The built-in language model as users see it: no model is named, and there is no network.
#![cfg(feature = "tiny-model")]

use rlx_gguf::{GgufWriter, MetaValue, TensorType};
use rlx_ir::DType;
use std::path::Path;
use std::process::{Command, Output};

fn rlx(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rlx")).arg("--offline").args(args).output().expect("it runs")
}

/// The output of a command that must succeed.
fn said(args: &[&str]) -> String {
    let output = rlx(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn refused(args: &[&str]) -> String {
    let output = rlx(args);
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).expect("JSON")
}

fn held_out() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rlx-llm/tests/tiny/held_out.txt");
    path.to_str().expect("a path").to_string()
}

#[test]
fn text_is_written_where_no_model_is_named() {
    let text = said(&["generate", "-p", "In the beginning", "-n", "16", "--temp", "0"]);
    assert_eq!(text, GREEDY);
    let words = said(&["generate", "-n", "24"]);
    assert!(words.split_whitespace().count() > 8, "{words}");
    let context = refused(&["generate", "-p", "a b c d", "--context", "3"]);
    assert!(context.contains("but the context holds 3"), "{context}");
    let chat = refused(&["generate", "--chat", "-p", "Who art thou?"]);
    assert!(chat.contains("has no chat template"), "{chat}");
}

/// The expected greedy output.
const GREEDY: &str = " of the LORD came unto me, saying, Thus saith the LORD, I will\n";

#[test]
fn several_prompts_are_answered_side_by_side_as_each_alone() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("prompts.jsonl");
    std::fs::write(&file, "\"And the king\"\n\n\"Then said \\u0049\"\n").expect("written");
    let file = file.to_str().expect("a path");
    let args = ["generate", "-p", "In those days", "--prompts", file, "-n", "12", "--seed", "3"];
    let lines = said(&[&args[..], &["--json", "--batch", "2"]].concat());
    let prompts = ["In those days", "And the king", "Then said I"];
    assert_eq!(lines.lines().count(), 3);
    for (i, (line, prompt)) in lines.lines().zip(prompts).enumerate() {
        let alone = json(&said(&["generate", "-p", prompt, "-n", "12", "--seed", "3", "--json"]));
        assert_eq!(json(line)["index"], i);
        assert_eq!(json(line)["tokens"], alone["tokens"], "{prompt}");
    }
    let text = said(&args);
    assert!(text.starts_with("[1] ") && text.contains("\n[2] ") && text.contains("\n[3] "), "{text}");
    std::fs::write(file, "no JSON\n").expect("written");
    let error = refused(&args);
    assert!(error.contains("prompts.jsonl:1:") && error.contains("a line is a JSON string"), "{error}");
}

#[test]
fn a_prompt_cache_spares_the_second_run_the_prompt() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("cache");
    let path = file.to_str().expect("a path");
    let run = |extra: &[&str]| {
        let args = ["generate", "-p", "And it came to pass", "-n", "8", "--json", "--prompt-cache", path];
        json(&said(&[&args[..], extra].concat()))
    };
    let (first, second) = (run(&[]), run(&[]));
    assert_eq!(first["tokens"], second["tokens"]);
    assert_eq!(second["cached_tokens"].as_u64(), second["prompt_tokens"].as_u64().map(|n| n - 1));
    std::fs::write(&file, "no such file").expect("written");
    let error = refused(&["generate", "-p", "And", "--prompt-cache", path]);
    assert!(error.contains("not a usable prompt cache"), "{error}");
}

#[test]
fn all_commands_have_the_same_model() {
    let tokens = json(&said(&["tokenize", "In the beginning", "--json"]));
    assert_eq!(tokens["ids"][0], 0);
    assert_eq!(
        tokens["pieces"].as_array().expect("a list").len(),
        tokens["ids"].as_array().expect("a list").len()
    );
    let error = refused(&["tokenize", "model.gguf"]);
    assert!(error.contains("reads standard input"), "{error}");
    let report = json(&said(&["perplexity", &held_out(), "--window", "128", "--windows", "2", "--json"]));
    let perplexity = report["perplexity"].as_f64().expect("a number");
    assert!(perplexity > 1.0 && perplexity < 40.0, "{perplexity}");
    let speed = json(&said(&["bench", "llm", "--pp", "16", "--tg", "4", "--rounds", "1", "--json"]));
    assert!(speed["tg_tok_s"].as_f64().expect("a number") > 0.0);
    for cache in ["f16", "bf16", "q8_0"] {
        let text = said(&["generate", "-p", "In the beginning", "-n", "8", "--cache-type", cache]);
        assert!(!text.trim().is_empty());
    }
}

/// An adapter of rank 1 for the values of the first layer of the built-in model.
fn adapter(folder: &Path) -> String {
    let f32 = TensorType::Plain(DType::F32);
    let numbers = |count: usize, factor: f32| -> Vec<u8> {
        (0..count).flat_map(|i| (factor * ((i * 7 % 11) as f32 - 5.0)).to_le_bytes()).collect()
    };
    let mut writer = GgufWriter::new();
    for (key, value) in
        [("general.type", "adapter"), ("general.architecture", "qwen3"), ("adapter.type", "lora")]
    {
        writer.set(key, value.into());
    }
    writer.set("adapter.lora.alpha", MetaValue::F32(1.0));
    writer.tensor("blk.0.attn_v.weight.lora_a", f32, &[1, 192], numbers(192, 0.1));
    writer.tensor("blk.0.attn_v.weight.lora_b", f32, &[64, 1], numbers(64, 0.1));
    let path = folder.join("adapter.gguf");
    writer.write(&path).expect("written");
    path.to_str().expect("a path").to_string()
}

#[test]
fn adapters_run_beside_the_model_and_become_part_of_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a path").to_string();
    let (lora, cache) = (adapter(dir.path()), path("cache"));
    let greedy = |more: &[&str]| {
        let args = ["generate", "-p", "In the beginning", "-n", "16", "--temp", "0"];
        said(&[&args[..], more].concat())
    };
    let adapted = greedy(&["--lora", &lora]);
    assert_ne!(adapted, GREEDY);
    assert_eq!(greedy(&["--lora", &format!("{lora}:0")]), GREEDY);
    let both = [format!("{lora}:3"), format!("{lora}:-3")];
    assert_eq!(greedy(&["--lora", &both[0], "--lora", &both[1]]), GREEDY);

    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rlx-tiny-model/tiny.gguf");
    let (model, merged) = (model.to_str().expect("a path"), path("merged.gguf"));
    said(&["convert", model, "--lora", &lora, "-o", &merged]);
    let text = said(&["generate", &merged, "-p", "In the beginning", "-n", "16", "--temp", "0"]);
    assert_eq!(text, adapted);

    greedy(&["--lora", &lora, "--prompt-cache", &cache]);
    let other = refused(&["generate", "-p", "In the beginning", "--prompt-cache", &cache]);
    assert!(other.contains("it belongs to another model"), "{other}");
    let nothing = refused(&["generate", "--lora", &path("nothing"), "-p", "a"]);
    assert!(nothing.contains("no such file or folder"), "{nothing}");
    let factor = refused(&["generate", "--lora", &format!("{lora}:inf"), "-p", "a"]);
    assert!(factor.contains("it must be a finite number"), "{factor}");
}
