//! `rlx tokenize`: text to token ids and back.

use std::fmt::Write as _;
use std::path::Path;

use rlx_tokenizer::{Encode, Tokenizer};
use serde_json::json;

use crate::failure::Failure;
use crate::models::{self, TINY, Takes};
use crate::settings::Settings;
use crate::{output, stdin};

/// Turn text into the token ids of a language model, or ids into text
///
/// Prints a line for each token: its id and its text, in which bytes that are no whole character are written as escapes. Special tokens that are
/// written in the text count, and the tokens that the model expects at the ends of a text are added; --no-special turns off both.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .gguf file, a folder with tokenizer.json, or a name of the hub [default: `tiny`, a small one in this program]
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// The text, or `-` for all of standard input, which is also read where no text is given; with --decode, ids with spaces or commas
    /// between them. A text alone is tokenized with the small model; one that is the path of a model names that model, and the text is
    /// standard input
    #[arg(value_name = "TEXT|-")]
    text: Option<String>,

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
  rlx tokenize \"Hello world\"
  rlx tokenize model.gguf \"Hello world\"
  rlx tokenize ./qwen3 --json < prompt.txt
  rlx tokenize model.gguf -- \"- a text that begins with a dash\"
  rlx tokenize model.gguf --decode \"9906 1917\"";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let (model, text) = parts(args.model, args.text, settings)?;
    let source = settings.find_or_tiny(model.as_deref(), Takes::TOKENIZER)?;
    let tokenizer = source.tokenizer()?;
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

/// The model that is named, and the text. A lone argument is a text, unless it is a model: then the text is standard input.
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
                 `rlx tokenize {TINY} {text}` tokenizes it with the model in this program"
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
                "of which text? `rlx tokenize{model} TEXT` takes it from the command line, `rlx tokenize{model} -` reads standard input"
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
