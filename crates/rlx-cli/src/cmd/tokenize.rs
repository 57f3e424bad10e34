//! `rlx tokenize`: converts text to token ids and back.

use std::fmt::Write as _;
use std::path::Path;

use rlx_tokenizer::{Encode, Tokenizer};
use serde_json::json;

use crate::failure::Failure;
use crate::models::{self, TINY, Takes};
use crate::settings::Settings;
use crate::{output, stdin};

/// Convert text to the token ids of a language model, or ids to text
///
/// Prints one line per token: its id and its text. Bytes that are not a whole character are printed as escapes. Special
/// tokens in the text are recognized, and the tokens that the model expects at the start and end of a text are added;
/// --no-special turns off both.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .gguf file, a folder with tokenizer.json, or a name on the hub [default: `tiny`, a small model
    /// built into rlx]
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// The text, or `-` for all of standard input, which is also read if no text is given; with --decode, ids separated
    /// by spaces or commas. A single argument that is the path of a model is MODEL, and the text comes from standard
    /// input; otherwise it is TEXT, tokenized with the built-in model
    #[arg(value_name = "TEXT|-")]
    text: Option<String>,

    /// Print a JSON object with `ids` and `pieces`, the text of each token
    #[arg(long)]
    json: bool,

    /// Treat special tokens in the text as plain text, and add none; with --decode, omit them
    #[arg(long)]
    no_special: bool,

    /// Convert ids to text
    #[arg(long)]
    decode: bool,
}

/// Maximum size of a text from standard input, in bytes.
const LONGEST: u64 = 1 << 30;

const EXAMPLES: &str = "\
Examples:
  rlx tokenize \"Hello world\"
  rlx tokenize model.gguf \"Hello world\"
  rlx tokenize ./qwen3 --json < prompt.txt
  rlx tokenize model.gguf -- \"- a text that begins with a dash\"
  rlx tokenize model.gguf --decode \"9906 1917\"";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let (model, text) = parts(args.model, args.text, settings)?;
    let source = settings.find_or_tiny(model.as_deref(), Takes::TOKENIZER)?;
    let tokenizer = Tokenizer::from_files(&source.open()?)?;
    let special = !args.no_special;
    if args.decode {
        let mut text = tokenizer.decode(&ids(&text)?, special)?;
        if args.json {
            text = json!({"text": String::from_utf8_lossy(&text)}).to_string().into_bytes();
        }
        if args.json || !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        return output::payload(&text);
    }
    let ids = tokenizer.encode(&text, Encode { ends: special, special })?;
    let pieces = pieces(&tokenizer, &ids)?;
    if args.json {
        let pieces: Vec<_> = pieces.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
        return output::payload(format!("{}\n", json!({"ids": ids, "pieces": pieces})).as_bytes());
    }
    let mut lines = String::new();
    for (id, piece) in ids.iter().zip(&pieces) {
        let _ = writeln!(lines, "{id:>7}  {}", shown(piece));
    }
    output::print(&lines)
}

/// The named model and the text. A single argument is the text, unless it names a model; then the text comes from
/// standard input.
fn parts(
    first: Option<String>,
    second: Option<String>,
    settings: &Settings,
) -> Result<(Option<String>, Vec<u8>), Failure> {
    let is_model = |text: &String| settings.means_model(text);
    let (model, text) = match (first, second) {
        (model, Some(text)) => (model, Some(text)),
        (Some(model), None) if is_model(&model) => (Some(model), None),
        (Some(text), None) if models::may_be_of_hub(&text) || Path::new(&text).is_dir() => {
            return Err(Failure::usage(format!(
                "is `{text}` a model or a text? `rlx tokenize {text} -` reads the text from standard input, \
                 `rlx tokenize {TINY} {text}` tokenizes it with the model built into rlx"
            )));
        }
        (text, None) => (None, text),
    };
    let text = match text {
        Some(text) if stdin::is_meant(Path::new(&text)) => stdin::read("the text", LONGEST)?,
        Some(text) => text.into_bytes(),
        None => stdin::piped("the text", LONGEST)?.ok_or_else(|| {
            let model = model.as_deref().map_or(String::new(), |model| format!(" {model}"));
            Failure::usage(format!(
                "which text? `rlx tokenize{model} TEXT` takes it from the command line, `rlx tokenize{model} -` reads standard input"
            ))
        })?,
    };
    Ok((model, text))
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

/// The text that each token adds to the text of the tokens before it.
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
