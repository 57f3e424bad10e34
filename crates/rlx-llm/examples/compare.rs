//! Holds checkpoints that scripts/llm_checkpoints.py made against what `transformers` made of them.

#![allow(clippy::print_stdout)]

#[path = "../tests/comparison/mod.rs"]
mod comparison;

use std::path::Path;

fn main() {
    for folder in std::env::args().skip(1) {
        let folder = Path::new(&folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        match comparison::compare(folder) {
            Ok(seen) => println!(
                "{name:16} {} positions: error {:.1e}, {} with the same best token; {} of {} greedy tokens",
                seen.positions, seen.error, seen.same_best, seen.greedy, seen.greedy_tokens
            ),
            Err(error) => println!("{name:16} {error}"),
        }
    }
}
