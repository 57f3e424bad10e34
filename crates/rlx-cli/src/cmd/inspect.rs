//! `rlx inspect`: shows the contents of a model, a graph or a file of arrays.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use rlx_coreml::Package;
use rlx_gguf::Gguf;
use rlx_models::bert::parameters;
use rlx_models::model::SentenceModel;
use rlx_models::npy;
use rlx_models::sentence::pooling_name;
use rlx_models::weights::{TensorView, Weights};

use crate::arrays;
use crate::compute::Compute;
use crate::engine::{self, Describe};
use crate::failure::Failure;
use crate::models::{self, ModelKind, Takes};
use crate::settings::Settings;
use crate::tensor_file::TensorFile;
use crate::{output, program, units};

/// Show the contents of a model, a graph or a file of arrays
///
/// For a model: its sizes and settings, its weights, and how the compiler runs it. For a graph (.rlx or .mlir): inputs,
/// outputs, parameters, ops, the blocks of the model, working memory, and the kinds of steps that run, named as in `rlx
/// profile`. --tensors and --steps list all of them. For .safetensors, .gguf and .npy files: names, types, shapes,
/// bytes, and metadata, with long lists shortened. For a CoreML package: the inputs and outputs of its functions, their
/// operations, and weights.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model (a name or a folder), a .rlx, .mlir, .safetensors, .gguf, .mlpackage or .npy file, or `-` for a graph on
    /// standard input
    #[arg(value_name = "MODEL|FILE")]
    target: String,

    /// Print only the graph, in Graphviz format; clusters are blocks of the model
    #[arg(long)]
    dot: bool,

    /// List every tensor: weights, and the inputs, parameters and outputs of the graph
    #[arg(long)]
    tensors: bool,

    /// For a .safetensors or .gguf file: print a JSON object with tensors (name, type, shape, bytes), totals per type,
    /// and complete metadata
    #[arg(long, conflicts_with_all = ["dot", "tensors", "steps"])]
    json: bool,

    /// List every step, the memory locations of its values, and how each op is run
    #[arg(long)]
    steps: bool,

    /// Size of a symbolic dimension, for the memory plan; can be repeated [default for models: batch=1, seq up to 128]
    #[arg(long = "dim", value_name = "NAME=SIZE", value_parser = arrays::dim)]
    dims: Vec<(String, usize)>,

    #[command(flatten)]
    compute: Compute,
}

/// Names to show of tensors that the model does not use.
const UNUSED: usize = 4;

const EXAMPLES: &str = "\
Examples:
  rlx inspect minilm
  rlx inspect minilm --dim batch=8 --dim seq=64 --steps
  rlx inspect weights.safetensors
  rlx inspect model.gguf
  rlx inspect model.gguf --json | jq .totals
  rlx inspect model.mlpackage
  rlx inspect graph.rlx --dot | dot -Tsvg > graph.svg";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let path = Path::new(&args.target);
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let compute = args.compute.clone().on_device(settings);
    let mut wanted = Describe {
        dot: args.dot,
        tensors: args.tensors,
        steps: args.steps,
        dims: &args.dims,
        compute: &compute,
    };
    let holds_tensors = matches!(extension.as_str(), "safetensors" | "json" | "gguf");
    if args.json && !holds_tensors && models::kind_of(path) != ModelKind::Language {
        return Err(Failure::usage(
            "--json is for .safetensors and .gguf files, and folders with a language model",
        ));
    }
    match extension.as_str() {
        _ if program::is_graph(path) => output::report(args.dot, &engine::describe_graph(path, &wanted)?),
        _ if args.dot && path.is_file() => {
            Err(Failure::usage(format!("{} does not contain a graph", path.display())))
        }
        "npy" => output::print(&array(path)?),
        "safetensors" | "json" => tensors(&TensorFile::Safetensors(&Weights::open(path)?), args.json),
        "gguf" => tensors(&TensorFile::Gguf(&Gguf::open(path)?), args.json),
        "mlpackage" => output::print(&package(path)?),
        _ => {
            let found = settings.model_path(&args.target, Takes::INSPECTED)?;
            if models::kind_of(&found) == ModelKind::Language {
                return match (args.dot, found.is_dir()) {
                    (true, _) => Err(Failure::usage(format!("{} does not contain a graph", found.display()))),
                    (_, true) => tensors(&TensorFile::Safetensors(&Weights::open(&found)?), args.json),
                    (_, false) => tensors(&TensorFile::Gguf(&Gguf::open(&found)?), args.json),
                };
            }
            let model = SentenceModel::load(&found)?;
            if !args.dot {
                output::print(&describe(&model, args.tensors))?;
            }
            let usual =
                [("batch".to_string(), 1), ("seq".to_string(), model.tokenizer.max_tokens().min(128))];
            if args.dims.is_empty() {
                wanted.dims = &usual;
            }
            output::report(args.dot, &engine::describe_model(&model, &wanted)?)
        }
    }
}

fn tensors(file: &TensorFile<'_>, as_json: bool) -> Result<(), Failure> {
    output::report(as_json, &if as_json { file.json().to_string() + "\n" } else { file.text() })
}

/// A CoreML package.
fn package(path: &Path) -> Result<String, Failure> {
    let package = Package::open(path)?;
    let mut weights = Vec::new();
    for name in package.weight_files() {
        weights.push((name, package.weights(name)?));
    }
    Ok(rlx_coreml::describe(&rlx_coreml::decode(package.model())?, &weights))
}

fn array(path: &Path) -> Result<String, Failure> {
    let array = npy::read(path)?;
    Ok(format!("{} {:?}, {}\n", array.dtype, array.shape, units::bytes(array.bytes.len())))
}

fn describe(model: &SentenceModel, each: bool) -> String {
    let (encoder, sentence) = (&model.encoder, &model.sentence);
    let mut text = String::new();
    let _ = writeln!(text, "encoder    BERT, {} layers, {} wide", encoder.layers, encoder.hidden_size);
    let _ = writeln!(text, "attention  {} heads, {} wide each", encoder.heads, encoder.head_size());
    let _ = writeln!(text, "between    {} wide, {}", encoder.intermediate_size, encoder.activation);
    let _ = writeln!(
        text,
        "tokens     {} known, at most {} per text",
        encoder.vocab_size,
        model.tokenizer.max_tokens()
    );
    let pooling: Vec<&str> = sentence.pooling.iter().map(|&kind| pooling_name(kind)).collect();
    let _ = writeln!(text, "pooling    {}", pooling.join(", "));
    let scaled = if sentence.normalize { ", scaled to length 1" } else { "" };
    let _ = writeln!(text, "result     {} numbers{scaled}", model.output_size());
    text + &weights(model, each)
}

/// The weights of a model: the parameters that it uses, and the other tensors of the file.
fn weights(model: &SentenceModel, each: bool) -> String {
    let used: HashSet<&str> = parameters(&model.names).into_iter().map(|(_, tensor)| tensor).collect();
    let (used, others): (Vec<_>, Vec<_>) = model.weights.iter().partition(|t| used.contains(t.name()));
    let numbers = |tensors: &[TensorView<'_>]| units::count(tensors.iter().map(TensorView::len).sum());
    let bytes = units::bytes(used.iter().map(|t| t.bytes().len()).sum());
    let types: BTreeSet<&str> = used.iter().map(|t| t.stored_type().tag()).collect();
    let types: Vec<&str> = types.into_iter().collect();
    let (count, types) = (used.len(), types.join(", "));
    let mut text =
        format!("weights    {} parameters in {count} tensors of {types}, {bytes}\n", numbers(&used));
    if !others.is_empty() {
        let mut names: Vec<String> =
            others.iter().take(UNUSED).map(|t| t.name().escape_debug().to_string()).collect();
        if others.len() > UNUSED {
            names.push(format!("{} others", others.len() - UNUSED));
        }
        let _ = writeln!(
            text,
            "not used   {} numbers in the file that the model does not use: {}",
            numbers(&others),
            names.join(", ")
        );
    }
    if each { text + &TensorFile::Safetensors(&model.weights).text() } else { text }
}
