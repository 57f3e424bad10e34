//! Reads the files that models come from: graphs, and weights in safetensors files.

use std::path::{Path, PathBuf};

use rlx_ir::{DType, Graph, Shape, verify};
use safetensors::SafeTensors;

/// The tensors of a file.
pub(crate) struct Weights {
    /// The file.
    pub(crate) path: PathBuf,
    tensors: Vec<Stored>,
    #[cfg(feature = "ahead")]
    content: Vec<u8>,
}

/// A tensor in a file.
pub(crate) struct Stored {
    pub(crate) name: String,
    /// The shape, or the name of an element type that RLX does not support.
    pub(crate) shape: Result<Shape, String>,
    /// The offset of its bytes in the file.
    pub(crate) start: usize,
    pub(crate) bytes: usize,
}

impl Weights {
    /// Reads the header of a file.
    pub(crate) fn open(path: &Path) -> Result<Weights, String> {
        let problem = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let bytes = read(path).map_err(|e| problem(&e))?;
        // Checks the whole file: offsets outside it are errors.
        SafeTensors::deserialize(&bytes).map_err(|e| problem(&e))?;
        let (header, metadata) = SafeTensors::read_metadata(&bytes).map_err(|e| problem(&e))?;
        let stored = |(name, info): (String, &safetensors::tensor::TensorInfo)| {
            let tag = format!("{:?}", info.dtype);
            let dtype = DType::from_name(&tag.to_lowercase().replace('_', ""));
            let (start, end) = info.data_offsets;
            let shape = dtype.map(|dtype| Shape::new(&info.shape, dtype)).ok_or(tag);
            // The length of the header comes before it, in eight bytes.
            Stored { name, shape, start: 8 + header + start, bytes: end - start }
        };
        let mut tensors: Vec<Stored> = metadata.tensors().into_iter().map(stored).collect();
        tensors.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Weights {
            path: path.to_path_buf(),
            tensors,
            #[cfg(feature = "ahead")]
            content: bytes,
        })
    }

    /// The tensor with this name.
    pub(crate) fn tensor(&self, name: &str) -> Result<&Stored, String> {
        self.tensors.iter().find(|t| t.name == name).ok_or_else(|| {
            let names: Vec<String> = self.tensors.iter().map(|t| format!("`{}`", t.name)).collect();
            format!("{} has no tensor `{name}`; it has {}", self.path.display(), names.join(", "))
        })
    }

    /// The bytes of a tensor.
    #[cfg(feature = "ahead")]
    pub(crate) fn bytes(&self, name: &str) -> Result<&[u8], String> {
        let Stored { start, bytes, .. } = *self.tensor(name)?;
        Ok(&self.content[start..start + bytes])
    }

    /// The shape of a tensor.
    pub(crate) fn shape(&self, name: &str) -> Result<Shape, String> {
        self.tensor(name)?
            .shape
            .clone()
            .map_err(|tag| format!("`{name}` has elements of type {tag}, which RLX does not support"))
    }

    /// Fails unless every parameter of the graph is in the file as declared.
    pub(crate) fn check(&self, graph: &Graph) -> Result<(), String> {
        for (name, declared) in graph.named_params() {
            let stored = self.shape(name)?;
            if stored != *declared {
                return Err(different(name, declared, &stored));
            }
        }
        Ok(())
    }
}

/// The error for a parameter whose declared shape differs from the stored one.
pub(crate) fn different(name: &str, declared: &Shape, stored: &Shape) -> String {
    format!("parameter `{name}` is declared {declared}, but the weights have {stored}")
}

/// The bytes of a regular file. Opening a pipe would wait for a writer.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        return std::fs::read(path);
    }
    Err(std::io::Error::other("this is not a regular file"))
}

/// The verified graph in a file.
pub(crate) fn graph(path: &Path) -> Result<Graph, String> {
    let problem = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let read = || String::from_utf8(read(path).map_err(|e| problem(&e))?).map_err(|e| problem(&e));
    let graph = match path.extension().and_then(|e| e.to_str()) {
        Some("rlx") => Graph::parse(&read()?).map_err(|e| problem(&e))?,
        Some("mlir" | "stablehlo") => stablehlo(&read()?).map_err(|e| problem(&e))?,
        _ => return Err(problem(&"a graph is a .rlx file, or StableHLO in a .mlir file")),
    };
    verify(&graph).map_err(|e| problem(&e))?;
    Ok(graph)
}

#[cfg(feature = "stablehlo")]
fn stablehlo(text: &str) -> Result<Graph, String> {
    let imported = rlx_stablehlo::import(text).map_err(|e| {
        let lines: Vec<String> = e.0.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    let mut graph = imported.graph;
    // Outputs after the results are the values that the program's own checks compare.
    graph.set_outputs(graph.outputs()[..imported.results].to_vec());
    Ok(graph)
}

#[cfg(not(feature = "stablehlo"))]
fn stablehlo(_: &str) -> Result<Graph, String> {
    Err("reading StableHLO needs the feature `stablehlo` of rlx; or convert the file with `rlx convert`"
        .into())
}
