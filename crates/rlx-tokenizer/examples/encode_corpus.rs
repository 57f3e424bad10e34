//! Prints the token ids that a vocabulary gives each text of a corpus, one line per text: `encode_corpus VOCABULARY
//! CORPUS [PRE]`.
//!
//! In the corpus, each text follows its length, which is stored as four little-endian bytes.
//! `scripts/judge_tokenizers.py` compares the lines with those of other implementations.

use rlx_gguf::Gguf;
use rlx_tokenizer::{Encode, Tokenizer};
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [vocabulary, corpus, pre @ ..] = &arguments[..] else {
        return Err("usage: encode_corpus VOCABULARY CORPUS [PRE]".into());
    };
    let path = Path::new(vocabulary);
    let tokenizer = match pre.first() {
        Some(pre) => Tokenizer::from_gguf_with_pre(&Gguf::open(path)?, pre)?,
        None => Tokenizer::open(path)?,
    };
    let corpus = std::fs::read(corpus)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut rest = &corpus[..];
    while let Some((len, after)) = rest.split_first_chunk() {
        let (text, after) =
            after.split_at_checked(u32::from_le_bytes(*len) as usize).ok_or("the corpus ends early")?;
        let ids = tokenizer.encode(text, Encode::default())?;
        let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
        writeln!(out, "{}", ids.join(" "))?;
        rest = after;
    }
    Ok(())
}
