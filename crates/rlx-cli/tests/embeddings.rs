//! The default model end to end: `rlx embed` on real text, compared with vectors of sentence-transformers from
//! `scripts/compare_embeddings.py --save`. The model is fetched once, as by a user's first command.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

const REFERENCE: &str = include_str!("data/minilm.jsonl");

/// The lines that `rlx embed --json --json-input` writes for these texts.
fn embed(texts: &[&Value], threads: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rlx"))
        .env("RLX_PROGRAM_CACHE", "0")
        .args(["embed", "--json", "--json-input", "--threads", threads])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for text in texts {
        writeln!(input, "{text}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "the default model is needed: from the hub, from PyPI by pip, or cached"
    );
    String::from_utf8(output.stdout).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn embeddings_agree_with_sentence_transformers() {
    let reference: Vec<Value> = REFERENCE.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<&Value> = reference.iter().map(|row| &row["text"]).collect();
    let output = embed(&texts, "2");
    assert_eq!(output, embed(&texts, "1"), "one thread and two give the same bits");
    assert_eq!(output.lines().count(), reference.len());
    for (line, row) in output.lines().zip(&reference) {
        let (got, expected) = (numbers(&serde_json::from_str(line).unwrap()), numbers(&row["vector"]));
        assert_eq!(got.len(), expected.len());
        let difference = got.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference <= 1e-5, "{}: differs by {difference:e}", row["text"]);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let cosine = dot(&got, &expected) / (dot(&got, &got) * dot(&expected, &expected)).sqrt();
        assert!(cosine >= 0.99999, "{}: cosine {cosine}", row["text"]);
    }
}
