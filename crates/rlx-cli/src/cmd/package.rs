//! How something becomes a CoreML package: the options that `rlx convert` and `rlx coreml` share.

use std::path::Path;

use rlx_coreml::{OpenDim, OpenSizes, Opset};
use rlx_ir::Symbol;
use rlx_runtime::PrecisionPolicy;

use crate::arrays::{self, Binding};
use crate::engine::{Packaged, Packaging};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::{compute, program};

#[derive(clap::Args)]
pub struct PackageArgs {
    /// The oldest systems that are to run a package: ios15 to ios18, or macos12 to macos15, and so on
    #[arg(long, value_name = "SYSTEM", default_value = "ios17", value_parser = system)]
    target: Opset,

    /// The numbers that a package computes with: f16 is what the Neural Engine has; what goes in and comes out stays as declared
    #[arg(long, value_name = "NAME", default_value = "declared", value_parser = compute::precision())]
    precision: PrecisionPolicy,

    /// Size of a symbolic dimension, for a package; may be given again. 1..512 leaves it open within these ends, 32,64,128 to one of these
    /// [default for models: batch=1, seq=128]
    #[arg(long = "dim", value_name = "NAME=SIZE|LEAST..MOST|SIZE,…", value_parser = dim)]
    dims: Vec<(String, OpenSizes)>,

    /// A parameter of a graph that becomes a package: numbers (0.7, [1,2]), random:SEED or a file; may be given again. A .safetensors file
    /// without a name gives every tensor in it
    #[arg(long = "param", short = 'p', value_name = "[NAME=]VALUE|FILE", value_parser = arrays::binding)]
    params: Vec<Binding>,
}

/// A dimension with the sizes that it may have.
fn dim(text: &str) -> Result<(String, OpenSizes), String> {
    let of = |text: &str| {
        let (name, sizes) = text.split_once('=').filter(|(name, _)| !name.is_empty())?;
        let size = |text: &str| text.parse::<usize>().ok().filter(|&n| n > 0);
        let sizes = match sizes.split_once("..") {
            Some((least, most)) => OpenSizes::Range(size(least)?, size(most)?),
            None => OpenSizes::List(sizes.split(',').map(size).collect::<Option<_>>()?),
        };
        Some((name.to_string(), sizes)).filter(|(_, sizes)| sizes.bounds().0 <= sizes.bounds().1)
    };
    of(text).ok_or_else(|| "NAME=SIZE is needed, for example batch=8, or seq=1..512, or seq=32,64,128".into())
}

/// The opset of a system.
fn system(name: &str) -> Result<Opset, String> {
    Opset::of_system(name).ok_or_else(|| "systems are ios15 to ios18, macos12 to macos15 and so on".into())
}

impl PackageArgs {
    /// A graph in a file, or a model by its name or folder.
    pub fn package(&self, from: &Path, settings: &Settings) -> Result<Packaged, Failure> {
        let (mut dims, mut open) = (Vec::new(), Vec::new());
        for (name, sizes) in &self.dims {
            match sizes {
                OpenSizes::List(list) if list.len() == 1 => dims.push((name.clone(), list[0])),
                sizes => open.push(OpenDim { symbol: Symbol::new(name), sizes: sizes.clone() }),
            }
        }
        let packaging = Packaging { opset: self.target, precision: self.precision, dims: &dims, open: &open };
        if program::is_graph(from) {
            return packaging.graph(from, &arrays::read_all(&self.params)?);
        }
        if !self.params.is_empty() {
            let text = format!("{} is a model, which has its weights: --param is for graphs", from.display());
            return Err(Failure::usage(text));
        }
        packaging.encoder(&settings.model(&from.to_string_lossy())?)
    }
}
