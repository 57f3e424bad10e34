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

    /// Three sizes to write a graph at, and one at which what they have in common must hold too. None if there are fewer than three.
    ///
    /// Loops that double have the same number of steps for all sizes from 2^k + 1 to 2^(k + 1), so the three are taken from the
    /// largest such octave: large primes, because they are seldom the size of another dimension, or a product; else the largest sizes.
    /// The fourth is of another octave if the three are not from that of the largest size, or sizes go on beyond [`LARGE`]: a graph that
    /// has another number of steps there is not a program of open sizes. It is not always the largest size, which may equal another
    /// dimension, so that the graph has fewer operations there.
    fn probes(&self) -> Option<Probes> {
        let (least, most) = self.bounds();
        let is_prime = |n: &usize| *n > 2 && (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
        let top = most.min(LARGE);
        let octave = least.max(top.next_power_of_two() / 2 + 1).max(3);
        let three = |found: Vec<usize>| <[usize; 3]>::try_from(found).ok();
        let primes_from = |from: usize| three((from..=top).rev().filter(is_prime).take(3).collect());
        let probes = primes_from(octave)
            .or_else(|| three((octave..=top).rev().take(3).collect()))
            .or_else(|| primes_from(least))?;
        let check = match most > LARGE {
            true => (least..=LARGE / 2).rev().find(is_prime).unwrap_or(most.min(LARGE + 3)),
            false if probes[2] < octave => top,
            false => probes[2],
        };
        Some(Probes { probes, check })
    }
}

/// The largest size that a graph is written at to find out how it depends on a dimension.
const LARGE: usize = 4096;

/// The sizes of one dimension that a graph is asked at.
pub(crate) struct Probes {
    /// Three from which it is found how programs depend on the size.
    pub probes: [usize; 3],
    /// A size at which that must hold, too.
    pub check: usize,
}

/// The sizes that a graph is asked at: the first of all dimensions, the second of each, the third of all, and those to check by.
pub(crate) fn probed(probes: &[Probes]) -> Vec<Vec<usize>> {
    let sizes_of = |which: &dyn Fn(usize) -> usize| {
        probes.iter().enumerate().map(|(i, sizes)| sizes.probes[which(i)]).collect::<Vec<usize>>()
    };
    let mut sizes = vec![sizes_of(&|_| 0)];
    sizes.extend((0..probes.len()).map(|other| sizes_of(&|i| usize::from(i == other))));
    sizes.push(sizes_of(&|_| 2));
    sizes.push(probes.iter().map(|sizes| sizes.check).collect());
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
        let probes: Vec<Probes> = open
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
