//! Holds checkpoints that scripts/llm_checkpoints.py and scripts/llm_gguf.py made against what `transformers` and llama.cpp made of them.

#![allow(clippy::print_stdout)]

#[path = "../tests/comparison/mod.rs"]
mod comparison;

use std::path::Path;

fn main() {
    let (options, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument == "--json");
    for path in paths {
        let path = Path::new(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let seen = comparison::compare(path);
        if !options.is_empty() {
            println!("{}", json(&seen));
            continue;
        }
        match seen {
            Ok(seen) => println!(
                "{name:24} {} positions: error {:.1e}, {} with the same best token; {} of {} greedy tokens",
                seen.positions, seen.error, seen.same_best, seen.greedy, seen.greedy_tokens
            ),
            Err(error) => println!("{name:24} {error}"),
        }
    }
}

/// What was seen as a JSON object.
fn json(seen: &Result<comparison::Comparison, rlx_llm::LlmError>) -> serde_json::Value {
    match seen {
        Ok(seen) => serde_json::json!({
            "error": seen.error, "positions": seen.positions, "same_best": seen.same_best,
            "greedy": seen.greedy, "greedy_tokens": seen.greedy_tokens,
        }),
        Err(error) => serde_json::json!({ "failed": error.to_string() }),
    }
}
