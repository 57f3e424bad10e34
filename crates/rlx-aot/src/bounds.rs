//! The ranges of symbols whose values are known only when the emitted program runs. Memory and schedules are planned
//! for the maximum of each.

use rlx_codegen::kernel::Fact;
use rlx_codegen::lower::Launches;
use rlx_codegen::print::sizes;
use rlx_codegen::range::Ranges;
use rlx_ir::{Bindings, Dim, Shape, Symbol};
use std::collections::BTreeMap;

/// The minimum and the maximum size of each symbol.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    of: BTreeMap<Symbol, (usize, usize)>,
    ranges: Ranges,
}

impl Bounds {
    /// Returns bounds that allow every size from 0 up to the given maximum.
    pub(crate) fn up_to(largest: &Bindings) -> Bounds {
        let of = largest.iter().map(|(symbol, &most)| (symbol.clone(), (0, most)));
        Bounds::of(of.collect())
    }

    fn of(of: BTreeMap<Symbol, (usize, usize)>) -> Bounds {
        let facts: Vec<Fact> = of.iter().flat_map(facts).collect();
        Bounds { of, ranges: Ranges::of_facts(&facts) }
    }

    /// Returns the same bounds with another minimum for one symbol.
    pub(crate) fn from(&self, symbol: &Symbol, least: usize) -> Bounds {
        let mut of = self.of.clone();
        of.entry(symbol.clone()).and_modify(|(known, _)| *known = least.max(*known));
        Bounds::of(of)
    }

    /// Returns the minimum and the maximum size of a symbol.
    pub(crate) fn range(&self, symbol: &Symbol) -> (usize, usize) {
        self.of.get(symbol).copied().unwrap_or((0, usize::MAX))
    }

    /// Returns the maximum value of a size expression.
    pub(crate) fn most(&self, dim: &Dim) -> usize {
        dim.as_static().or_else(|| self.ranges.most(dim)).unwrap_or(usize::MAX)
    }

    /// Returns the maximum number of elements of a shape.
    pub(crate) fn elements(&self, shape: &Shape) -> usize {
        let dims = shape.dims().iter().map(|dim| self.most(dim));
        let (empty, full): (Vec<usize>, Vec<usize>) = dims.partition(|&most| most == 0);
        if empty.is_empty() { full.into_iter().fold(1, usize::saturating_mul) } else { 0 }
    }

    /// Returns the maximum number of bytes of a shape, or `None` if that many bytes cannot be addressed.
    pub(crate) fn bytes(&self, shape: &Shape) -> Option<usize> {
        self.elements(shape).checked_mul(shape.dtype().size()).filter(|&bytes| bytes <= isize::MAX as usize)
    }

    /// Tells kernels which bounds hold for their sizes.
    pub(crate) fn state(&self, launches: &mut Launches) {
        for launch in &mut launches.launches {
            let sizes = sizes(&launch.kernel);
            let known = self.of.iter().filter(|(symbol, _)| sizes.contains(symbol));
            launch.kernel.facts.extend(known.flat_map(facts));
        }
    }
}

fn facts((symbol, &(least, most)): (&Symbol, &(usize, usize))) -> Vec<Fact> {
    let size = Dim::Dynamic(symbol.clone());
    let at_least = (least > 0).then(|| &size - &Dim::Static(least));
    [at_least, Some(&Dim::Static(most) - &size)].into_iter().flatten().map(Fact::NotNegative).collect()
}
