//! `rlx tokenize`: text to token ids and back.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use rlx_tokenizer::{Encode, Tokenizer};
use serde_json::json;

use crate::failure::Failure;
use crate::settings::Settings;

/// Turn text into the token ids of a language model, or ids into text
///
/// Prints a line for each token: its id and its text, in which bytes that are no whole character are written as escapes. Special tokens that are
/// written in the text count, and the tokens that the model expects at the ends of a text are added; --no-special turns off both.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, allow_missing_positional = true)]
pub struct Args {
    /// The model: a .gguf file, or a folder with tokenizer.json [default: a small one in this program]
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// The text, or `-` for all of standard input; with --decode, ids with spaces or commas between them
    #[arg(value_name = "TEXT|-", required = true)]
    text: String,

    /// Print one JSON object: `ids`, and `pieces`, the text of each
    #[arg(long)]
    json: bool,

    /// Special tokens in the text are text, and none are added or, with --decode, written
    #[arg(long)]
    no_special: bool,

    /// Print the text of ids
    #[arg(long)]
    decode: bool,
}

/// The longest text that is read from standard input, in bytes.
const LONGEST: u64 = 1 << 30;

const EXAMPLES: &str = "\
Examples:
  rlx tokenize model.gguf \"Hello world\"
  rlx tokenize ./qwen3 --json < prompt.txt
  rlx tokenize model.gguf --decode \"9906 1917\"";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let is_model = Path::new(&args.text).extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf"));
    if args.model.is_none() && is_model {
        return Err(Failure::usage(format!(
            "of which text? `rlx tokenize {} -` reads standard input",
            args.text
        )));
    }
    let tokenizer = settings.language_model(args.model.as_deref())?.tokenizer()?;
    let text = match args.text.as_str() {
        "-" => input()?,
        text => text.as_bytes().to_vec(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let special = !args.no_special;
    if args.decode {
        let text = tokenizer.decode(&ids(&text)?, special)?;
        let written = match args.json {
            true => writeln!(out, "{}", json!({"text": String::from_utf8_lossy(&text)})),
            false => out
                .write_all(&text)
                .and_then(|()| if text.ends_with(b"\n") { Ok(()) } else { out.write_all(b"\n") }),
        };
        return written.and_then(|()| out.flush()).map_err(Failure::output);
    }
    let ids = tokenizer.encode(&text, Encode { ends: special, special })?;
    let pieces = pieces(&tokenizer, &ids)?;
    let written = if args.json {
        let pieces: Vec<_> = pieces.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
        writeln!(out, "{}", json!({"ids": ids, "pieces": pieces}))
    } else {
        let mut lines = ids.iter().zip(&pieces);
        lines.try_for_each(|(id, piece)| writeln!(out, "{id:>7}  {}", shown(piece)))
    };
    written.and_then(|()| out.flush()).map_err(Failure::output)
}

fn input() -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    io::stdin().lock().take(LONGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(Failure::Failed(format!("standard input is longer than {LONGEST} bytes").into()));
    }
    Ok(text)
}

fn ids(text: &[u8]) -> Result<Vec<u32>, Failure> {
    let text = String::from_utf8_lossy(text);
    let words = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']'))
        .filter(|word| !word.is_empty());
    let id =
        |word: &str| word.parse().map_err(|_| Failure::usage(format!("{word:?} is not the id of a token")));
    words.map(id).collect()
}

/// What each token adds to the text of those before it.
fn pieces(tokenizer: &Tokenizer, ids: &[u32]) -> Result<Vec<Vec<u8>>, Failure> {
    let piece = |i: usize| {
        let window = &ids[i.saturating_sub(1)..=i];
        let before = tokenizer.decode(&window[..window.len() - 1], true)?.len();
        let mut whole = tokenizer.decode(window, true)?;
        Ok(whole.split_off(before.min(whole.len())))
    };
    (0..ids.len()).map(piece).collect()
}

/// A piece as a string literal.
fn shown(piece: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in piece.utf8_chunks() {
        out.extend(chunk.valid().escape_debug());
        out.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    out + "\""
}
