//! Compares checkpoints made by scripts/llm_checkpoints.py, scripts/llm_gguf.py and scripts/judge_lora.py with the
//! results of `transformers`, PEFT and llama.cpp.
//!
//! `--lora ADAPTER`, which can be repeated, adds an adapter; the expected results are then next to the first adapter.

#![allow(clippy::print_stdout)]

#[path = "../tests/comparison/mod.rs"]
mod comparison;

use rlx_llm::AdapterSource;
use std::path::Path;

fn main() {
    let (mut adapters, mut paths, mut json) = (Vec::new(), Vec::new(), false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--lora" => {
                adapters.extend(arguments.next().map(|path| AdapterSource { path: path.into(), scale: 1.0 }))
            }
            _ => paths.push(argument),
        }
    }
    for path in paths {
        let path = Path::new(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let expected = adapters.first().map_or(path, |adapter| &adapter.path);
        let seen = comparison::compare_adapted(path, &adapters, expected);
        if json {
            println!("{}", as_json(&seen));
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

/// Formats a result as a JSON object.
fn as_json(seen: &Result<comparison::Comparison, rlx_llm::LlmError>) -> serde_json::Value {
    match seen {
        Ok(seen) => serde_json::json!({
            "error": seen.error, "positions": seen.positions, "same_best": seen.same_best,
            "greedy": seen.greedy, "greedy_tokens": seen.greedy_tokens, "exact": seen.exact, "clear": seen.clear,
        }),
        Err(error) => serde_json::json!({ "failed": error.to_string() }),
    }
}
