//! Open sizes: which values a dimension may take at run time, and graphs of such dimensions as models.

use crate::beyond::with_known;
use crate::convert::{Conversion, ConversionError, Converted, Prepared, check};
use crate::lowering::lowered;
use crate::model::ModelBuilder;
use crate::packed;
use crate::weights::PackageWeights;
use rlx_compile::precision::apply_precision;
use rlx_compile::{CompileError, CompileOptions, ParamValues, PrecisionPolicy};
use rlx_ir::{Bindings, Dim, Graph, Symbol};
use rlx_mil::blob::Blobs;
use rlx_mil::emit::{EmittedFunction, OpenGraph};
use rlx_mil::package::Package;
use std::path::Path;

/// The sizes that a dimension may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenSizes {
    /// From the first to the second; without an end where that is `usize::MAX`.
    Range(usize, usize),
    /// One of these, ascending.
    List(Vec<usize>),
}

/// A dimension whose size the run decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenDim {
    /// Its name in the graph.
    pub symbol: Symbol,
    /// The sizes that it may have.
    pub sizes: OpenSizes,
}

impl OpenSizes {
    /// The least and the largest one.
    pub fn bounds(&self) -> (usize, usize) {
        match self {
            OpenSizes::Range(least, most) => (*least, *most),
            OpenSizes::List(list) => {
                (list.iter().copied().min().unwrap_or(0), list.iter().copied().max().unwrap_or(0))
            }
        }
    }

    /// The three largest primes among the sizes and those between: such sizes are seldom another dimension's, or a product.
    fn probes(&self) -> Option<[usize; 3]> {
        let (least, most) = self.bounds();
        let is_prime = |n: &usize| *n > 2 && (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
        // Sizes up to here tell what a larger one does.
        let most = most.min(4096);
        let mut primes = (least.max(3)..=most).rev().filter(is_prime);
        Some([primes.next()?, primes.next()?, primes.next()?])
    }
}

/// The sizes that a graph is asked at, of three for each dimension: one of all, another of each, and the third of all.
pub(crate) fn probed(probes: &[[usize; 3]]) -> Vec<Vec<usize>> {
    let sizes_of = |which: &dyn Fn(usize) -> usize| {
        probes.iter().enumerate().map(|(i, sizes)| sizes[which(i)]).collect::<Vec<usize>>()
    };
    let mut sizes = vec![sizes_of(&|_| 0)];
    sizes.extend((0..probes.len()).map(|other| sizes_of(&|i| usize::from(i == other))));
    sizes.push(sizes_of(&|_| 2));
    sizes
}

/// What an input takes along each axis: a size, or those of an open dimension.
pub(crate) type Axes<'d> = Vec<Result<usize, &'d OpenSizes>>;

impl Conversion {
    /// A graph some of whose sizes the run decides as a model with one function, `main`: its symbols are these dimensions.
    ///
    /// # Errors
    /// As [`Conversion::prepare`]; also what depends on sizes in a way that programs do not compute.
    pub fn prepare_open<'v>(
        &self,
        graph: &Graph,
        open: &[OpenDim],
        values: &'v ParamValues,
    ) -> Result<Prepared<'v>, ConversionError> {
        let probes: Vec<[usize; 3]> = open
            .iter()
            .map(|dim| dim.sizes.probes().ok_or_else(|| ConversionError::FewSizes(dim.symbol.to_string())))
            .collect::<Result<_, _>>()?;
        let sizes = probed(&probes);
        let precision = self.options.precision;
        let known = with_known(graph, values, precision)?;
        let (unpacked, formats) = packed::unpacked(known.as_ref().unwrap_or(graph))?;
        // What is computed in f16 must not depend on a size.
        let precise = match precision.is_mixed() {
            true => None,
            false => apply_precision(&unpacked, precision).map_err(CompileError::Precision)?,
        };
        let options = match precise {
            Some(_) => CompileOptions { precision: PrecisionPolicy::Declared, ..self.options.clone() },
            None => self.options.clone(),
        };
        let mut weights = PackageWeights::new(&self.weights, values);
        let left_whole = weights.left_whole(graph, known.as_ref());
        weights.declare(&unpacked, &formats);
        let mut graphs = Vec::new();
        for sizes in &sizes {
            let bindings: Bindings =
                open.iter().zip(sizes).map(|(dim, &size)| (dim.symbol.clone(), size)).collect();
            check(&[self.main(&graph.bind(&bindings))], values)?;
            let bound = precise.as_ref().unwrap_or(&unpacked).bind(&bindings);
            graphs.push(lowered(&bound, &[], self.dialect, &options)?.graph().clone());
        }
        let bounds: Vec<(usize, usize)> = open.iter().map(|dim| dim.sizes.bounds()).collect();
        let value = |name: &str| weights.value(name);
        let mut blobs = Blobs::new();
        let mut builder = ModelBuilder::new(self.dialect);
        let axes: Vec<Axes<'_>> =
            graph.inputs().map(|node| axes(node.shape().dims(), open)).collect::<Result<_, _>>()?;
        let lists =
            axes.iter().filter(|axes| axes.iter().any(|axis| matches!(axis, Err(OpenSizes::List(_)))));
        if self.dialect.opset < crate::Opset::Ios18 && lists.count() > 1 {
            return Err(ConversionError::ListedInputs);
        }
        let of_sizes = OpenGraph { graphs: &graphs, sizes: &sizes, bounds: &bounds, states: &[] };
        let emitted = builder.open_function("main", of_sizes, axes, &value, &mut blobs)?;
        let unpacked = crate::convert::unpacked(std::iter::once(emitted), left_whole);
        let EmittedFunction { inputs, outputs, states, .. } = emitted.clone();
        let model = builder.finish()?;
        let bytes = (model.len() as u64, blobs.file_bytes());
        let converted = Converted { inputs, outputs, states, unpacked, bytes };
        Ok(Prepared { converted, model, weights: blobs })
    }

    /// The same as a package, which is there whole or not at all; one that was there before is replaced.
    ///
    /// # Errors
    /// As [`Conversion::prepare_open`], and what is wrong with the files.
    pub fn write_open(
        &self,
        graph: &Graph,
        open: &[OpenDim],
        values: &ParamValues,
        to: &Path,
    ) -> Result<Converted, ConversionError> {
        let Prepared { converted, model, weights } = self.prepare_open(graph, open, values)?;
        Package::write(to, &model, &weights)?;
        Ok(converted)
    }
}

pub(crate) fn axes<'d>(dims: &[Dim], open: &'d [OpenDim]) -> Result<Axes<'d>, ConversionError> {
    let axis = |dim: &Dim| match dim.as_static() {
        Some(size) => Ok(Ok(size)),
        None => {
            let found = open.iter().find(|open| *dim == Dim::Dynamic(open.symbol.clone()));
            found.map(|open| Err(&open.sizes)).ok_or_else(|| ConversionError::Symbols(vec![dim.to_string()]))
        }
    };
    dims.iter().map(axis).collect()
}
