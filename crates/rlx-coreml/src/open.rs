//! Open sizes: the values that a dimension may have at run time, and graphs with such dimensions as models.

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
    /// From the first to the second, inclusive; `usize::MAX` means no upper bound.
    Range(usize, usize),
    /// One of these, in ascending order.
    List(Vec<usize>),
}

/// A dimension with a size that the run decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenDim {
    /// Its name in the graph.
    pub symbol: Symbol,
    /// The sizes that it may have.
    pub sizes: OpenSizes,
}

impl OpenSizes {
    /// Returns the minimum and the maximum size.
    pub fn bounds(&self) -> (usize, usize) {
        match self {
            OpenSizes::Range(least, most) => (*least, *most),
            OpenSizes::List(list) => {
                (list.iter().copied().min().unwrap_or(0), list.iter().copied().max().unwrap_or(0))
            }
        }
    }

    /// Returns three sizes at which a graph is written, and one at which the dependence found from them must also hold. Returns `None` if
    /// there are fewer than three sizes.
    ///
    /// Loops that double have the same number of steps for all sizes from 2^k + 1 to 2^(k + 1), so the three sizes are taken from the
    /// largest such octave. They are large primes, which are rarely equal to another dimension or a product, or if there are not enough
    /// primes, the largest sizes.
    ///
    /// The fourth size is even, because primes are odd: for all of them, half the size rounded down is (n − 1)/2. It is from another octave
    /// if the three are not from the octave of the largest size, or if sizes continue beyond [`LARGE`]: a graph with another number of steps
    /// there cannot be a program of open sizes. It is not always the largest size, because that may equal another dimension, for which the
    /// graph has fewer operations.
    fn probes(&self) -> Option<Probes> {
        let (least, most) = self.bounds();
        let is_odd_prime = |n: &usize| *n > 2 && is_prime(*n);
        let top = most.min(LARGE);
        let octave = least.max(top.next_power_of_two() / 2 + 1).max(3);
        let three = |found: Vec<usize>| <[usize; 3]>::try_from(found).ok();
        let primes_from = |from: usize| three((from..=top).rev().filter(is_odd_prime).take(3).collect());
        let probes = primes_from(octave)
            .or_else(|| three((octave..=top).rev().take(3).collect()))
            .or_else(|| primes_from(least))?;
        let check = match most > LARGE {
            true => even_probe(least, LARGE / 2, &probes).unwrap_or(most.min(LARGE + 3)),
            false if probes[2] < octave => top,
            false => even_probe(octave, top, &probes).unwrap_or(probes[2]),
        };
        Some(Probes { probes, check })
    }
}

pub(crate) fn is_prime(n: usize) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// The largest even size in a range that is not one of those `taken`: twice a prime, which is seldom another dimension, or a product;
/// else any.
pub(crate) fn even_probe(from: usize, to: usize, taken: &[usize]) -> Option<usize> {
    let even = || (from.max(2)..=to).rev().filter(|n| n.is_multiple_of(2) && !taken.contains(n));
    even().find(|n| is_prime(n / 2)).or_else(|| even().next())
}

/// Maximum size at which a graph is written to find out how it depends on a dimension.
const LARGE: usize = 4096;

/// The sizes of one dimension at which a graph is written.
pub(crate) struct Probes {
    /// Three sizes that determine how programs depend on the size.
    pub probes: [usize; 3],
    /// A size at which that must hold too.
    pub check: usize,
}

/// Returns the combinations of sizes at which a graph is written: the first size of all dimensions, the second of each, the third of all,
/// and those for the check.
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

/// The sizes of an input along each axis: a fixed size, or those of an open dimension.
pub(crate) type Axes<'d> = Vec<Result<usize, &'d OpenSizes>>;

impl Conversion {
    /// Converts a graph with sizes that the run decides to a model with one function, `main`. The graph's symbols are these dimensions.
    ///
    /// # Errors
    /// Fails as [`Conversion::prepare`] does, and for anything that depends on sizes in a way that programs cannot compute.
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
        // The choice of ops that compute in f16 must not depend on a size.
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

    /// Converts a graph as [`Conversion::prepare_open`] does and writes the package, which appears complete or not at all. An existing one
    /// is replaced.
    ///
    /// # Errors
    /// Fails as [`Conversion::prepare_open`] does, or if the files cannot be written.
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
