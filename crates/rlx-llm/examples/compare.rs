//! Holds checkpoints that scripts/llm_checkpoints.py and scripts/llm_gguf.py made against what `transformers` and llama.cpp made of them.

#![allow(clippy::print_stdout)]

#[path = "../tests/comparison/mod.rs"]
mod comparison;

use std::path::Path;

fn main() {
    for path in std::env::args().skip(1) {
        let path = Path::new(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match comparison::compare(path) {
            Ok(seen) => println!(
                "{name:24} {} positions: error {:.1e}, {} with the same best token; {} of {} greedy tokens",
                seen.positions, seen.error, seen.same_best, seen.greedy, seen.greedy_tokens
            ),
            Err(error) => println!("{name:24} {error}"),
        }
    }
}
