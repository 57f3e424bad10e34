//! Reads arrays from .npy and .safetensors files for inputs, and writes outputs to such files.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use rlx_ir::{Literal, Shape};
use rlx_models::display::list;
use rlx_models::files::NewFolder;
use rlx_models::npy;
use rlx_models::weights::{self, StoredType, TensorView, Weights};

use super::{Array, Given, GivenValue};
use crate::failure::Failure;
use crate::stdin;

/// How outputs are written.
#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    Npy,
    Safetensors,
}

/// Maximum size of a file read from standard input, in bytes.
const MAX_PIPED: u64 = 64 << 30;

fn is_safetensors(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("safetensors"))
}

/// Reads the array for the input `name`. Without a name, reads the only array of the file, or every tensor of a
/// .safetensors file under its own name.
pub fn read(name: Option<&str>, path: &Path, values: &mut Vec<Given>) -> Result<(), Failure> {
    let piped = if stdin::is_meant(path) { Some(stdin::read("an array", MAX_PIPED)?) } else { None };
    let origin = if piped.is_some() { Path::new(stdin::NAME) } else { path };
    let is_array = piped.as_ref().map_or(!is_safetensors(path), |bytes| bytes.starts_with(npy::MAGIC));
    if is_array {
        let read = piped.map_or_else(|| npy::read(path), |bytes| npy::from_bytes(&bytes, origin));
        let npy::NpyArray { dtype, shape, bytes } = read?;
        let value = GivenValue::Array(Literal::from_bytes(&Shape::new(&shape, dtype), &bytes)?);
        values.push(Given { name: name.map(str::to_string), value });
        return Ok(());
    }
    let weights = piped.map_or_else(|| Weights::open(path), |bytes| Weights::from_bytes(bytes, origin))?;
    let Some(name) = name else {
        for tensor in weights.iter() {
            values.push(from_tensor(tensor.name(), &tensor)?);
        }
        return Ok(());
    };
    let only = weights.iter().next().filter(|_| weights.len() == 1);
    let Some(tensor) = weights.get(name).or(only) else {
        let names = list(weights.iter().map(|tensor| format!("{:?}", tensor.name())));
        let text =
            format!("{} has {} tensors, none named {name:?}: {names}", origin.display(), weights.len());
        return Err(Failure::Failed(text.into()));
    };
    values.push(from_tensor(name, &tensor)?);
    Ok(())
}

fn from_tensor(name: &str, tensor: &TensorView<'_>) -> Result<Given, Failure> {
    let value = Literal::from_bytes(&Shape::new(tensor.shape(), tensor.dtype()?), tensor.bytes())?;
    Ok(Given { name: Some(name.into()), value: GivenValue::Array(value) })
}

/// Writes arrays to the folder `dir`, and creates the folder if it does not exist.
pub fn write_all(dir: &Path, format: Format, arrays: &[Array]) -> Result<(), Failure> {
    let folder = NewFolder::make(dir)?;
    match format {
        Format::Npy => {
            for array in arrays {
                let path = file_for(dir, &array.name)?;
                npy::write(&path, array.value.dtype(), &array.value.dims(), array.value.bytes())?;
            }
        }
        Format::Safetensors => {
            let shapes: Vec<Vec<usize>> = arrays.iter().map(|a| a.value.dims()).collect();
            let mut tensors = Vec::new();
            for (array, shape) in arrays.iter().zip(&shapes) {
                let (name, dtype) = (array.name.as_str(), array.value.dtype());
                let Some(stored) = StoredType::of(dtype) else {
                    let text = format!(
                        "{name}: .safetensors cannot store elements of type {dtype}; use --format npy"
                    );
                    return Err(Failure::Failed(text.into()));
                };
                tensors.push(weights::Tensor { name, stored, shape, bytes: array.value.bytes() });
            }
            weights::save(&dir.join("outputs.safetensors"), &tensors, &BTreeMap::new())?;
        }
    }
    folder.keep();
    Ok(())
}

/// The path for an output. Graphs allow any name, but the path must not leave the folder.
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
    use crate::arrays::{Binding, Source, binding, read_all};

    fn f32s(name: &str, values: &[f32]) -> Array {
        Array { name: name.into(), value: Literal::new(&[values.len()], values).unwrap() }
    }

    fn given(arrays: &[Array]) -> Vec<Given> {
        let given =
            |a: &Array| Given { name: Some(a.name.clone()), value: GivenValue::Array(a.value.clone()) };
        arrays.iter().map(given).collect()
    }

    #[test]
    fn what_is_written_is_read_back_in_both_formats() {
        let dir = tempfile::tempdir().unwrap();
        let arrays = [f32s("x", &[1.0, -2.0]), f32s("y", &[0.5])];
        for (format, argument) in [(Format::Npy, "y=y.npy"), (Format::Safetensors, "y=outputs.safetensors")] {
            let out = dir.path().join("made/for it");
            write_all(&out, format, &arrays).unwrap();
            let mut binding = binding(argument).unwrap();
            let Source::File(path) = &mut binding.source else { panic!("{argument}") };
            *path = out.join(&*path);
            assert_eq!(read_all(&[binding]).unwrap(), given(&arrays[1..]));
        }
        let all =
            Binding { name: None, source: Source::File(dir.path().join("made/for it/outputs.safetensors")) };
        assert_eq!(read_all(std::slice::from_ref(&all)).unwrap(), given(&arrays));
        assert!(matches!(read_all(&[all.clone(), all]), Err(Failure::Usage(_))));
    }

    #[test]
    fn the_only_tensor_of_a_file_needs_no_name() {
        let dir = tempfile::tempdir().unwrap();
        write_all(dir.path(), Format::Safetensors, &[f32s("x", &[1.0])]).unwrap();
        let path = dir.path().join("outputs.safetensors");
        let read =
            read_all(&[Binding { name: Some("other".into()), source: Source::File(path.clone()) }]).unwrap();
        assert_eq!(read, given(&[f32s("other", &[1.0])]));
        write_all(dir.path(), Format::Safetensors, &[f32s("x", &[1.0]), f32s("y", &[1.0])]).unwrap();
        let Err(Failure::Failed(e)) =
            read_all(&[Binding { name: Some("z".into()), source: Source::File(path) }])
        else {
            panic!()
        };
        assert!(e.to_string().contains("2 tensors, none named \"z\""), "{e}");
    }

    #[test]
    fn outputs_stay_in_their_folder() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["../x", "/x", "a/b", "../..", "x\0", "a/../b"] {
            assert!(file_for(dir.path(), name).is_err(), "{name:?}");
        }
        assert_eq!(file_for(Path::new("d"), "out 1").unwrap(), Path::new("d/out 1.npy"));
        // `.` and the empty name make hidden files, which is odd but harmless.
        assert_eq!(file_for(Path::new("d"), "").unwrap(), Path::new("d/.npy"));
    }
}
