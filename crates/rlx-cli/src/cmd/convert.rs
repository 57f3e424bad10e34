//! `rlx convert`: converts graphs between languages, and tensor files between formats.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rlx_coreml::WeightCompression;
use rlx_gguf::{Gguf, GgufWriter, ImportanceMatrix, QuantizeOptions, Recipe, convert};
use rlx_llm::AdapterSource;
use rlx_llm::export::{self, GgufExport, MergedModel};
use rlx_models::files::{FileError, NewFolder};
use rlx_models::weights::Weights;
use rlx_stablehlo::ExportOptions;

use super::coreml::is_package;
use super::package::PackageArgs;
use crate::engine::llm::AdapterArgs;
use crate::engine::unpackage;
use crate::failure::Failure;
use crate::models::Takes;
use crate::settings::Settings;
use crate::{output, program, units};

/// Convert a graph between .rlx and StableHLO (.mlir), tensors between .safetensors and .gguf, or a model to a CoreML package
///
/// File extensions select the conversion. A folder with a language model becomes a .gguf file with the model's settings
/// and tokenizer, as llama.cpp's converter writes it; tensors of other files keep their names. In StableHLO, composites
/// are decomposed, and `main` takes inputs and parameters in the order of the graph. If something cannot be expressed
/// in the target format, or RLX does not support it, the command lists every case and writes nothing. In .safetensors,
/// quantized blocks become f32.
///
/// A graph, or a sentence encoder given by name or folder, becomes a .mlpackage for the systems that --target names: an
/// ML Program with static sizes, which can be written on any machine. A .mlpackage from any source becomes a graph,
/// with its constants next to it in a .safetensors file.
///
/// --lora merges an adapter into the weights of a language model. A folder becomes .gguf, .safetensors or another
/// folder; a .gguf file becomes another .gguf file, in which changed blocks become f16 unless --quantize says
/// otherwise. In a .mlpackage, adapters run next to the weights. With --lora NAME=ADAPTER, the package has functions of
/// that name that use the adapter and share all weights with the other functions.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file to read: a .rlx or .mlir file, `-` for a graph on standard input, a .safetensors file, its .json index
    /// or a folder with one, a .gguf file, a .mlpackage, or the name of a model
    #[arg(value_name = "FROM", required_unless_present = "functions")]
    from: Option<PathBuf>,

    /// The file to write: .rlx, .mlir, .safetensors, .gguf or .mlpackage
    #[arg(value_name = "TO", required_unless_present = "output")]
    to: Option<PathBuf>,

    /// The file to write, as an option
    #[arg(short, long, value_name = "TO", conflicts_with = "to")]
    output: Option<PathBuf>,

    /// How a language model's tokenizer splits text into words, by its name in GGUF files [default: detected]
    #[arg(long, value_name = "NAME")]
    pre: Option<String>,

    #[command(flatten)]
    adapters: AdapterArgs,

    #[command(flatten)]
    quantize: QuantizeArgs,

    #[command(flatten)]
    package: PackageArgs,
}

/// How tensors are stored.
#[derive(clap::Args)]
struct QuantizeArgs {
    /// Quantize a .gguf file with a llama.cpp recipe (q4_k_m, q8_0, iq4_xs, mxfp4_moe, f16, …), or the weights of a
    /// package: a block format (q4_0, q8_0, …), palette1, 2, 3, 4, 6 or 8 by the bits per weight, or int8. sparse0.5
    /// sets the smaller half of the weights to zero, alone or before another format (sparse0.5+palette4); sparse keeps
    /// the zeros that are already there
    #[arg(long, value_name = "RECIPE", value_parser = quantization)]
    quantize: Option<Quantization>,

    /// Weight quantization errors by an importance matrix from `rlx imatrix` or llama.cpp
    #[arg(long, value_name = "FILE", requires = "quantize")]
    imatrix: Option<PathBuf>,

    /// Store all matrices in the recipe's most common format
    #[arg(long, requires = "quantize")]
    pure: bool,

    /// Keep the type of the output projection
    #[arg(long, requires = "quantize")]
    keep_output: bool,

    /// Write nothing; print the type and size in bytes of each tensor
    #[arg(long, requires = "quantize")]
    dry_run: bool,

    /// Also quantize tensors that are already quantized
    #[arg(long, requires = "quantize")]
    requantize: bool,
}

/// How to quantize weights in files that have recipes, and in packages; at least one is set.
#[derive(Clone, Copy)]
struct Quantization {
    recipe: Option<Recipe>,
    package: Option<WeightCompression>,
}

fn quantization(name: &str) -> Result<Quantization, String> {
    let (recipe, package) = (name.parse::<Recipe>(), name.parse::<WeightCompression>());
    match (&recipe, &package) {
        (Err(recipe), Err(package)) => Err(format!("{recipe}; {package}")),
        _ => Ok(Quantization { recipe: recipe.ok(), package: package.ok() }),
    }
}

const EXAMPLES: &str = "\
Examples:
  rlx convert model.rlx model.mlir
  rlx convert step.mlir step.rlx
  rlx convert ./qwen3 -o qwen3-q4_k_m.gguf --quantize q4_k_m
  rlx convert model-f16.gguf -o model-q4_k_m.gguf --quantize q4_k_m
  rlx convert ./qwen3 -o qwen3-q4_k_m.gguf --quantize q4_k_m
  rlx convert model-f16.gguf -o model-iq2_m.gguf --quantize iq2_m --imatrix imatrix.gguf
  rlx convert ./qwen3 -o qwen3-mine --lora ./adapter
  rlx convert model-q4_k_m.gguf -o mine.gguf --lora ./adapter:0.5 --quantize q4_k_m
  rlx convert model.gguf model.safetensors
  rlx convert minilm -o minilm.mlpackage --precision f16
  rlx convert qwen3-q4_k_m.gguf -o qwen3.mlpackage --dim capacity=2048
  rlx convert qwen3-q4_k_m.gguf -o qwen3.mlpackage --lora law=./law --lora poems=poems.gguf:0.5
  rlx convert minilm -o minilm.mlpackage --target ios18 --precision f16 --quantize palette4
  rlx convert minilm -o minilm.mlpackage --target ios18 --precision f16 --quantize sparse0.5+int8
  rlx convert --function prefill=a.rlx --function decode=b.rlx --state cache=1 -o both.mlpackage --target ios18 -p weights.safetensors
  rlx convert layer.rlx -o layer.mlpackage -p weights.safetensors --target ios18
  rlx convert theirs.mlpackage -o theirs.rlx && rlx run theirs.rlx -i theirs.safetensors -i x=x.npy";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let Some(to) = args.to.as_deref().or(args.output.as_deref()) else {
        return Err(Failure::usage(
            "which file should be written? Name it as the second argument, or with -o",
        ));
    };
    if extension(to) == "mlpackage" {
        to_package(&args, to, settings)?;
        settings.say(|| format!("{} written", to.display()));
        return Ok(());
    }
    let adapters = args.adapters.sources(settings)?;
    let Some(from) = args.from.clone().filter(|_| args.package.has_no_functions()) else {
        return Err(Failure::usage("--function needs a .mlpackage as the output"));
    };
    let from = found(from, settings)?;
    match extension(to).as_str() {
        "gguf" => to_gguf(&args, &from, adapters, to, settings)?,
        _ if args.quantize.quantize.is_some() => {
            return Err(Failure::usage("--quantize needs a .gguf file or a .mlpackage as the output"));
        }
        "safetensors" if !adapters.is_empty() => MergedModel::open(&from, &adapters)?.save(to)?,
        "" if !adapters.is_empty() => merge_folder(&from, &adapters, to)?,
        _ if !adapters.is_empty() => {
            return Err(Failure::usage(
                "--lora needs a .gguf file, a .safetensors file or a folder as the output",
            ));
        }
        "safetensors" => convert::to_safetensors(&Gguf::open(&from)?, to)?,
        _ => {
            // Refuse a name that cannot be written to before reading anything.
            program::Language::of(to)?;
            if is_package(&from) {
                let beside = unpackage(&from, to)?;
                settings.say(|| match beside {
                    Some(path) => format!("{} written, constants {}", to.display(), path.display()),
                    None => format!("{} written", to.display()),
                });
                return Ok(());
            }
            let read = program::read(&from)?;
            settings.say(|| format!("{} nodes read", read.graph.nodes().len()));
            program::write(to, &read.graph, &ExportOptions::default())?;
        }
    }
    settings.say(|| format!("{} written", to.display()));
    Ok(())
}

/// The file or folder to read: the given path, or that of the model with this name.
fn found(from: PathBuf, settings: &Settings) -> Result<PathBuf, Failure> {
    let is_file = ["safetensors", "json", "mlpackage"].contains(&extension(&from).as_str());
    if from.exists() || program::is_graph(&from) || is_file {
        return Ok(from);
    }
    settings.model_path(&from.to_string_lossy(), Takes::CONVERTED)
}

/// Writes a graph or a model as a CoreML package.
fn to_package(args: &Args, to: &Path, settings: &Settings) -> Result<(), Failure> {
    let quantize = match args.quantize.quantize {
        Some(Quantization { package: None, .. }) => {
            return Err(Failure::usage(
                "--quantize: that is a recipe for .gguf files; for a package, name one format, such as q4_0 or palette4, or sparse0.5, or \
                 both: sparse0.5+palette4",
            ));
        }
        Some(quantization) => quantization.package.unwrap_or_default(),
        None => WeightCompression::default(),
    };
    let packaged = args.package.package(args.from.as_deref(), quantize, &args.adapters, settings)?;
    let written = packaged.write(to)?;
    packaged.unknown_settings().iter().for_each(|text| settings.warn(text));
    let (program, weights) = written.bytes;
    let sizes = [program, weights].map(|bytes| units::bytes(usize::try_from(bytes).unwrap_or(usize::MAX)));
    settings.say(|| format!("the program takes {}, its weights take {}", sizes[0], sizes[1]));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    written.unpacked.iter().for_each(|(_, reason)| *reasons.entry(reason).or_default() += 1);
    for (reason, count) in reasons {
        settings.warn(&format!("{count} weights are stored unquantized in the package: {reason}"));
    }
    Ok(())
}

fn is_language_model(path: &Path) -> bool {
    extension(path) == "gguf" || (path.is_dir() && export::is_model(path))
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

fn to_gguf(
    args: &Args,
    from: &Path,
    adapters: Vec<AdapterSource>,
    to: &Path,
    settings: &Settings,
) -> Result<(), Failure> {
    let merges = !adapters.is_empty();
    if extension(from) == "gguf" {
        if merges {
            let merged = MergedModel::open(from, &adapters)?;
            return merged.gguf().map_or(Ok(()), |writer| args.quantize.write(writer, to, settings));
        }
        let file = Gguf::open(from)?;
        return args.quantize.write(convert::from_gguf(&file), to, settings);
    }
    if is_language_model(from) {
        let export = GgufExport { pre: args.pre.clone(), adapters };
        let writer = export.write(from)?;
        export::unknown_settings(from)?.iter().for_each(|text| settings.warn(text));
        return args.quantize.write(writer, to, settings);
    }
    if merges {
        let from = from.display();
        return Err(Failure::usage(format!("--lora: {from} is not a folder with a language model")));
    }
    let weights = Weights::open(from)?;
    args.quantize.write(convert::from_safetensors(&weights)?, to, settings)
}

/// Extensions of the files that a model's folder has in addition to its weights.
const BESIDE: [&str; 4] = ["json", "jinja", "model", "txt"];

/// Writes a copy of a model's folder with these adapters merged.
fn merge_folder(from: &Path, adapters: &[AdapterSource], to: &Path) -> Result<(), Failure> {
    let merged = MergedModel::open(from, adapters)?;
    let folder = NewFolder::make(to)?;
    let failed = |path: &Path, e| Failure::from(FileError::io(path, "copying", e));
    for entry in fs::read_dir(from).map_err(|e| failed(from, e))? {
        let path = entry.map_err(|e| failed(from, e))?.path();
        let name = path.file_name().unwrap_or_default();
        let is_index = name.to_string_lossy().ends_with(".safetensors.index.json");
        if path.is_file() && BESIDE.contains(&extension(&path).as_str()) && !is_index {
            fs::copy(&path, to.join(name)).map_err(|e| failed(&path, e))?;
        }
    }
    merged.save(&to.join("model.safetensors"))?;
    folder.keep();
    Ok(())
}

impl QuantizeArgs {
    /// Writes a file, quantized if requested.
    fn write(&self, writer: GgufWriter<'_>, to: &Path, settings: &Settings) -> Result<(), Failure> {
        let Some(quantization) = self.quantize else {
            return Ok(writer.write_telling(to, &mut |text| settings.warn(text))?);
        };
        let Some(recipe) = quantization.recipe else {
            return Err(Failure::usage(
                "--quantize: palettes, int8 and sparse weights need a .mlpackage as the output",
            ));
        };
        let importance = self.imatrix.as_deref().map(ImportanceMatrix::open).transpose()?;
        let options = QuantizeOptions {
            pure: self.pure,
            keep_output: self.keep_output,
            requantize: self.requantize,
            ..QuantizeOptions::new(recipe)
        };
        let writer = writer.quantized(&options, importance.as_ref())?;
        if self.dry_run { list(&writer) } else { Ok(writer.write(to)?) }
    }
}

/// Lists the tensors that would be written, one per line.
fn list(writer: &GgufWriter<'_>) -> Result<(), Failure> {
    let (mut text, mut total) = (String::new(), 0);
    for (name, stored, shape) in writer.tensors() {
        let (len, bytes) = stored.block();
        let bytes = shape.iter().product::<usize>() / len * bytes;
        total += bytes;
        // Escape the name, so that it stays one cell of the table.
        let _ = writeln!(text, "{}\t{stored}\t{bytes}", name.escape_debug());
    }
    let _ = writeln!(text, "{}", units::bytes(total));
    output::print(&text)
}
