//! Options for writing CoreML packages, shared by `rlx convert` and `rlx coreml`.

use std::path::{Path, PathBuf};

use rlx_coreml::{OpenDim, OpenSizes, Opset, WeightCompression, WeightOptions};
use rlx_ir::Symbol;
use rlx_runtime::PrecisionPolicy;

use crate::arrays::{self, Binding};
use crate::engine::llm::AdapterArgs;
use crate::engine::{Packaged, Packaging};
use crate::failure::Failure;
use crate::models::{self, ModelKind, Takes};
use crate::settings::Settings;
use crate::{compute, program};

#[derive(clap::Args)]
pub struct PackageArgs {
    /// The oldest system that must run the package: ios15 to ios18, macos12 to macos15, and so on [default: ios17;
    /// ios18 for language models]
    #[arg(long, value_name = "SYSTEM", value_parser = system)]
    target: Option<Opset>,

    /// The types that a package computes with; the Neural Engine needs f16. Inputs and outputs keep their declared
    /// types [default: declared; f16 for language models]
    #[arg(long, value_name = "NAME", value_parser = compute::precision())]
    precision: Option<PrecisionPolicy>,

    /// Size of a symbolic dimension, for a package; can be repeated. 1..512 allows any size in this range, 32,64,128
    /// any of these sizes [default for encoders: batch=1, seq=128; for language models: seq=64, prompt tokens per run,
    /// and capacity=1024, tokens in the cache]
    #[arg(long = "dim", value_name = "NAME=SIZE|LEAST..MOST|SIZE,…", value_parser = dim)]
    dims: Vec<(String, OpenSizes)>,

    /// A parameter of a graph that becomes a package: numbers (0.7, [1,2]), random:SEED or a file. Can be repeated. A
    /// .safetensors file without a name sets every parameter that it has a tensor for
    #[arg(long = "param", short = 'p', value_name = "[NAME=]VALUE|FILE", value_parser = arrays::binding)]
    params: Vec<Binding>,

    /// An input of a graph that a package keeps between runs, and the number of the output that becomes its next value;
    /// can be repeated
    #[arg(long = "state", value_name = "INPUT=OUTPUT", value_parser = arrays::dim)]
    states: Vec<(String, usize)>,

    /// A graph to add to a package as a function with this name; can be repeated. The first function is the default
    #[arg(long = "function", value_name = "NAME=FILE", value_parser = function)]
    functions: Vec<(String, PathBuf)>,
}

/// Parses `NAME=FILE`, a function of a package.
fn function(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.into(), path.into())),
        _ => Err("expected NAME=FILE for a function".into()),
    }
}

/// Parses a dimension and its allowed sizes.
fn dim(text: &str) -> Result<(String, OpenSizes), String> {
    let of = |text: &str| {
        let (name, sizes) = text.split_once('=').filter(|(name, _)| !name.is_empty())?;
        let size = |text: &str| text.parse::<usize>().ok().filter(|&n| n > 0);
        let sizes = match sizes.split_once("..") {
            Some((least, most)) => OpenSizes::Range(size(least)?, size(most)?),
            None => {
                let mut list: Vec<usize> = sizes.split(',').map(size).collect::<Option<_>>()?;
                list.sort_unstable();
                list.dedup();
                OpenSizes::List(list)
            }
        };
        Some((name.to_string(), sizes)).filter(|(_, sizes)| sizes.bounds().0 <= sizes.bounds().1)
    };
    of(text).ok_or_else(|| "expected NAME=SIZE, for example batch=8, or seq=1..512, or seq=32,64,128".into())
}

/// The opset of a system name.
fn system(name: &str) -> Result<Opset, String> {
    Opset::of_system(name)
        .ok_or_else(|| "expected a system: ios15 to ios18, macos12 to macos15 and so on".into())
}

impl PackageArgs {
    /// Whether no functions were given.
    pub fn has_no_functions(&self) -> bool {
        self.functions.is_empty()
    }

    /// Packages a graph in a file, a model given by name or folder (with adapters if it is a language model), or the
    /// functions given as options. Float parameters are stored as `quantize`.
    pub fn package(
        &self,
        from: Option<&Path>,
        quantize: WeightCompression,
        adapters: &AdapterArgs,
        settings: &Settings,
    ) -> Result<Packaged, Failure> {
        let (mut dims, mut open) = (Vec::new(), Vec::new());
        for (name, sizes) in &self.dims {
            match sizes {
                OpenSizes::List(list) if list.len() == 1 => dims.push((name.clone(), list[0])),
                sizes => open.push(OpenDim { symbol: Symbol::new(name), sizes: sizes.clone() }),
            }
        }
        let weights = WeightOptions { host_dequant: settings.host_dequant, quantize };
        let packaging = Packaging {
            opset: self.target,
            precision: self.precision,
            dims: &dims,
            open: &open,
            states: &self.states,
            weights,
        };
        let mut files = self.functions.clone();
        let adapters = adapters.by_name(settings)?;
        let has_adapters = adapters != Default::default();
        let for_language_models = || Failure::usage("--lora: adapters need a language model");
        if let Some(from) = from.filter(|from| program::is_graph(from)) {
            files.insert(0, ("main".into(), from.into()));
        } else if let Some(from) = from {
            if !files.is_empty() || !self.params.is_empty() || !self.states.is_empty() {
                let text = format!(
                    "{} is a model, which has its own weights, states and functions; --param, --state and --function are for graphs",
                    from.display()
                );
                return Err(Failure::usage(text));
            }
            let model = settings.model_path(&from.to_string_lossy(), Takes::CONVERTED)?;
            if models::kind_of(&model) == ModelKind::Language {
                return packaging.language_model(&model, &adapters);
            }
            return if has_adapters { Err(for_language_models()) } else { packaging.encoder(&model) };
        }
        if has_adapters {
            return Err(for_language_models());
        }
        if files.is_empty() {
            return Err(Failure::usage("expected a file to read, or --function"));
        }
        packaging.graphs(&files, &arrays::read_all(&self.params)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Option<OpenSizes> {
        dim(text).ok().map(|(name, sizes)| {
            assert_eq!(name, "seq", "{text}");
            sizes
        })
    }

    #[test]
    fn a_dimension_has_one_size_a_list_or_a_range() {
        assert_eq!(sizes("seq=64"), Some(OpenSizes::List(vec![64])));
        assert_eq!(sizes("seq=32,64,128"), Some(OpenSizes::List(vec![32, 64, 128])));
        assert_eq!(sizes("seq=128,32,128"), Some(OpenSizes::List(vec![32, 128])));
        assert_eq!(sizes("seq=8,8"), Some(OpenSizes::List(vec![8])));
        assert_eq!(sizes("seq=1..512"), Some(OpenSizes::Range(1, 512)));
        assert_eq!(sizes("seq=7..7"), Some(OpenSizes::Range(7, 7)));
        assert_eq!(dim("a.b c=1").map(|(name, _)| name), Ok("a.b c".into()));
    }

    #[test]
    fn what_is_no_size_is_refused_with_examples() {
        for text in [
            "",
            "seq",
            "=8",
            "seq=",
            "seq=0",
            "seq=-1",
            "seq=1.5",
            "seq=x",
            "seq=8 ",
            "seq=0..8",
            "seq=8..",
            "seq=..8",
            "seq=9..8",
            "seq=1..=8",
            "seq=1..2..3",
            "seq=1...8",
            "seq=1..8,16",
            "seq=32,",
            "seq=,32",
            "seq=32,,64",
            "seq=32,0",
            "seq=18446744073709551616",
        ] {
            let error = dim(text).expect_err(text);
            assert!(error.contains("batch=8, or seq=1..512, or seq=32,64,128"), "{text}: {error}");
        }
    }
}
