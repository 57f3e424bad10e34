//! Sizes that are known only at run time: how they follow from the lengths of slices, and how expressions of them are
//! written in Rust.

use crate::bounds::Bounds;
use crate::print::Argument;
use rlx_codegen::print::rust::{signed, size};
use rlx_ir::{Dim, Symbol, Symbols};
use std::collections::BTreeMap;

/// A symbol of the graph.
pub(crate) struct Size {
    /// The variable, which is an `isize`.
    pub(crate) name: String,
    pub(crate) least: usize,
    pub(crate) most: usize,
    pub(crate) found: Found,
}

/// How the program finds a size.
pub(crate) enum Found {
    /// The length of a slice is `factor` times the size, plus `offset`.
    Length { of: String, factor: Dim, offset: Dim },
    /// The caller passes it: no length determines it, or lengths are not used.
    Passed,
}

/// All sizes of a program. Each follows the ones that are needed to find it.
#[derive(Default)]
pub(crate) struct RunSizes {
    pub(crate) list: Vec<Size>,
    names: BTreeMap<Symbol, String>,
}

impl RunSizes {
    /// Creates sizes that the caller passes. `names` gives each symbol its variable.
    pub(crate) fn passed(names: Vec<(Symbol, String)>, bounds: &Bounds) -> RunSizes {
        let size = |(symbol, name): &(Symbol, String)| {
            let (least, most) = bounds.range(symbol);
            Size { name: name.clone(), least, most, found: Found::Passed }
        };
        RunSizes { list: names.iter().map(size).collect(), names: names.into_iter().collect() }
    }

    /// Creates sizes that follow from the lengths of arguments. `names` gives each symbol its variable.
    pub(crate) fn of(
        names: Vec<(Symbol, String)>,
        arguments: &[Vec<Argument>; 2],
        bounds: &Bounds,
    ) -> RunSizes {
        let mut sizes = RunSizes { list: Vec::new(), names: names.iter().cloned().collect() };
        let mut left = names;
        while !left.is_empty() {
            let told = left.iter().enumerate().flat_map(|(number, (symbol, _))| {
                let of_argument = |argument| Some((number, told(argument, symbol, &left)?));
                arguments.iter().flatten().filter_map(of_argument).collect::<Vec<_>>()
            });
            // A factor that is itself a size may be 0, in which case the length determines nothing.
            let best = told.min_by_key(
                |(_, found)| matches!(found, Found::Length { factor, .. } if factor.as_static().is_none()),
            );
            let (number, found) = best.unwrap_or((0, Found::Passed));
            let (symbol, name) = left.remove(number);
            let (least, most) = bounds.range(&symbol);
            sizes.list.push(Size { name, least, most, found });
        }
        sizes
    }

    /// Writes an expression as a number of elements (`usize`).
    pub(crate) fn text(&self, dim: &Dim) -> String {
        // INVARIANT: memory has been planned for the maximum sizes, so no size overflows.
        size(dim, &|symbol| self.name(symbol)).unwrap_or_default()
    }

    /// Writes an expression that may be negative (`isize`).
    pub(crate) fn number(&self, dim: &Dim) -> String {
        signed(dim, &|symbol| self.name(symbol)).unwrap_or_default()
    }

    /// Returns the variable of a symbol.
    fn name(&self, symbol: &Symbol) -> String {
        self.names.get(symbol).cloned().unwrap_or_else(|| symbol.name().into())
    }

    /// Returns whether there are no sizes.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Returns how the length of an argument determines a symbol, if all other symbols of its shape are known.
fn told(argument: &Argument, symbol: &Symbol, unknown: &[(Symbol, String)]) -> Option<Found> {
    let length = argument.shape.num_elements_dim();
    let mut symbols = Symbols::default();
    length.symbols(&mut symbols);
    let is_other = |other: &Symbol| other != symbol && unknown.iter().any(|(unknown, _)| unknown == other);
    if !symbols.contains(symbol) || symbols.into_vec().iter().any(is_other) {
        return None;
    }
    let at = |size: Dim| {
        length.substitute(&|other| if other == symbol { size.clone() } else { Dim::Dynamic(other.clone()) })
    };
    let offset = at(Dim::Static(0));
    let factor = &at(Dim::Dynamic(symbol.clone()).offset(1)) - &length;
    let mut symbols = Symbols::default();
    factor.symbols(&mut symbols);
    (!symbols.contains(symbol)).then_some(Found::Length { of: argument.name.clone(), factor, offset })
}
