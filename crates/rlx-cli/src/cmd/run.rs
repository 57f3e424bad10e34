//! `rlx run`: a graph from a file, on arrays from files.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use rlx_ir::{Literal, Shape};
use rlx_models::npy;
use rlx_models::weights::{self, StoredType, TensorView, Weights};

use crate::compute::Compute;
use crate::engine::{self, Array, Given};
use crate::failure::Failure;
use crate::settings::Settings;

/// Run a graph on arrays from files
///
/// The graph is a file in the text form of RLX (.rlx), or StableHLO (.mlir), as JAX writes it. Each input and parameter
/// takes an array from a .npy file, or from a .safetensors file: the tensor of that name, or the only one. A .npy file
/// without a name goes to the first input or parameter that has no array yet; a .safetensors file without a name gives every
/// tensor in it under its own name.
///
/// A StableHLO program that checks itself fails where a check does not hold.
///
/// Outputs are described on standard output; with --output they are written to a folder.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The graph, a .rlx or .mlir file
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,

    /// An input or parameter; may be given again
    #[arg(long = "input", short = 'i', value_name = "[NAME=]FILE", value_parser = binding)]
    inputs: Vec<Binding>,

    /// Folder to write the outputs to; it is made if it is not there
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// How outputs are written: a .npy file each, or all in outputs.safetensors
    #[arg(long, value_enum, default_value_t = Format::Npy)]
    format: Format,

    #[command(flatten)]
    compute: Compute,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Npy,
    Safetensors,
}

const EXAMPLES: &str = "\
Examples:
  rlx run hello.rlx --input x=x.npy --input w=w.npy
  rlx run step.mlir --input weights.npy --input batch.npy --output results
  rlx run model.rlx --input weights.safetensors --input x=x.npy --output results
  rlx run model.rlx -i x=x.npy -o results --format safetensors";

/// `NAME=FILE`, or a file that brings its own names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Binding {
    name: Option<String>,
    path: PathBuf,
}

pub(super) fn binding(text: &str) -> Result<Binding, String> {
    match text.split_once('=') {
        Some(("", _) | (_, "")) => Err("NAME=FILE is needed, with neither of them empty".into()),
        Some((name, path)) => Ok(Binding { name: Some(name.into()), path: path.into() }),
        None if text.is_empty() => Err("NAME=FILE or FILE is needed".into()),
        None => Ok(Binding { name: None, path: text.into() }),
    }
}

fn is_safetensors(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("safetensors"))
}

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let inputs = read_all(&args.inputs)?;
    settings.say(|| format!("{} arrays read", inputs.len()));
    let outputs = engine::run_graph(&args.graph, &inputs, &args.compute)?;
    let mut text = String::new();
    for array in &outputs {
        text.push_str(&format!("{}: {}\n", array.name, array.value.shape()));
    }
    if let Some(dir) = &args.output {
        write_all(dir, args.format, &outputs)?;
        settings.say(|| format!("{} arrays written to {}", outputs.len(), dir.display()));
    }
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::output)
}

pub(super) fn read_all(bindings: &[Binding]) -> Result<Vec<Given>, Failure> {
    let mut arrays = Vec::new();
    for binding in bindings {
        read(binding, &mut arrays)?;
    }
    let mut names = HashSet::new();
    match arrays.iter().filter_map(|a| a.name.as_deref()).find(|name| !names.insert(*name)) {
        Some(twice) => Err(Failure::usage(format!("the input {twice:?} is given twice"))),
        None => Ok(arrays),
    }
}

fn read(binding: &Binding, arrays: &mut Vec<Given>) -> Result<(), Failure> {
    let path = &binding.path;
    if !is_safetensors(path) {
        let npy::NpyArray { dtype, shape, bytes } = npy::read(path)?;
        let value = Literal::from_bytes(&Shape::new(&shape, dtype), &bytes)?;
        arrays.push(Given { name: binding.name.clone(), value });
        return Ok(());
    }
    let Some(name) = &binding.name else {
        for tensor in Weights::open(path)?.iter() {
            arrays.push(from_tensor(tensor.name(), &tensor)?);
        }
        return Ok(());
    };
    let weights = Weights::open(path)?;
    let only = weights.iter().next().filter(|_| weights.len() == 1);
    let Some(tensor) = weights.get(name).or(only) else {
        let text = format!("{} holds {} tensors, none called {name:?}", path.display(), weights.len());
        return Err(Failure::Failed(text.into()));
    };
    arrays.push(from_tensor(name, &tensor)?);
    Ok(())
}

fn from_tensor(name: &str, tensor: &TensorView<'_>) -> Result<Given, Failure> {
    let value = Literal::from_bytes(&Shape::new(tensor.shape(), tensor.dtype()?), tensor.bytes())?;
    Ok(Given { name: Some(name.into()), value })
}

fn write_all(dir: &Path, format: Format, arrays: &[Array]) -> Result<(), Failure> {
    fs::create_dir_all(dir)
        .map_err(|e| Failure::Failed(format!("cannot make {}: {e}", dir.display()).into()))?;
    match format {
        Format::Npy => arrays.iter().try_for_each(|array| {
            let path = file_for(dir, &array.name)?;
            Ok(npy::write(&path, array.value.dtype(), &array.value.dims(), array.value.bytes())?)
        }),
        Format::Safetensors => {
            let shapes: Vec<Vec<usize>> = arrays.iter().map(|a| a.value.dims()).collect();
            let mut tensors = Vec::new();
            for (array, shape) in arrays.iter().zip(&shapes) {
                let (name, dtype) = (array.name.as_str(), array.value.dtype());
                let Some(stored) = StoredType::of(dtype) else {
                    let text = format!("{name}: .safetensors has no element type {dtype}; use --format npy");
                    return Err(Failure::Failed(text.into()));
                };
                tensors.push(weights::Tensor { name, stored, shape, bytes: array.value.bytes() });
            }
            Ok(weights::save(&dir.join("outputs.safetensors"), &tensors, &BTreeMap::new())?)
        }
    }
}

/// The file of an output. A name in a graph may be anything; a name of a file may not leave the folder.
fn file_for(dir: &Path, name: &str) -> Result<PathBuf, Failure> {
    let file = format!("{name}.npy");
    let mut parts = Path::new(&file).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == file.as_str() && !file.contains('\0') => {
            Ok(dir.join(file))
        }
        _ => Err(Failure::Failed(
            format!("the output {name:?} cannot be the name of a file; use --format safetensors").into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(name: &str, values: &[f32]) -> Array {
        Array { name: name.into(), value: Literal::new(&[values.len()], values).unwrap() }
    }

    fn given(arrays: &[Array]) -> Vec<Given> {
        let given = |a: &Array| Given { name: Some(a.name.clone()), value: a.value.clone() };
        arrays.iter().map(given).collect()
    }

    #[test]
    fn bindings_are_names_with_files() {
        assert_eq!(binding("x=a=b.npy").unwrap(), Binding { name: Some("x".into()), path: "a=b.npy".into() });
        assert_eq!(binding("w.safetensors").unwrap().name, None);
        assert_eq!(binding("x.npy").unwrap().name, None);
        for bad in ["=x.npy", "x=", ""] {
            assert!(binding(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_written_is_read_back_in_both_formats() {
        let dir = tempfile::tempdir().unwrap();
        let arrays = [f32s("x", &[1.0, -2.0]), f32s("y", &[0.5])];
        for (format, argument) in [(Format::Npy, "y=y.npy"), (Format::Safetensors, "y=outputs.safetensors")] {
            let out = dir.path().join("made/for it");
            write_all(&out, format, &arrays).unwrap();
            let mut binding = binding(argument).unwrap();
            binding.path = out.join(binding.path);
            assert_eq!(read_all(&[binding]).unwrap(), given(&arrays[1..]));
        }
        let all = Binding { name: None, path: dir.path().join("made/for it/outputs.safetensors") };
        assert_eq!(read_all(std::slice::from_ref(&all)).unwrap(), given(&arrays));
        assert!(matches!(read_all(&[all.clone(), all]), Err(Failure::Usage(_))));
    }

    #[test]
    fn the_only_tensor_of_a_file_needs_no_name() {
        let dir = tempfile::tempdir().unwrap();
        write_all(dir.path(), Format::Safetensors, &[f32s("x", &[1.0])]).unwrap();
        let path = dir.path().join("outputs.safetensors");
        let read = read_all(&[Binding { name: Some("other".into()), path: path.clone() }]).unwrap();
        assert_eq!(read, given(&[f32s("other", &[1.0])]));
        write_all(dir.path(), Format::Safetensors, &[f32s("x", &[1.0]), f32s("y", &[1.0])]).unwrap();
        let Err(Failure::Failed(e)) = read_all(&[Binding { name: Some("z".into()), path }]) else { panic!() };
        assert!(e.to_string().contains("2 tensors, none called \"z\""), "{e}");
    }

    #[test]
    fn outputs_stay_in_their_folder() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["../x", "/x", "a/b", "../..", "x\0", "a/../b"] {
            assert!(file_for(dir.path(), name).is_err(), "{name:?}");
        }
        assert_eq!(file_for(Path::new("d"), "out 1").unwrap(), Path::new("d/out 1.npy"));
        // `.` and the empty name make hidden files, which is odd and harmless.
        assert_eq!(file_for(Path::new("d"), "").unwrap(), Path::new("d/.npy"));
    }
}
