//! Symbols in the order of their first occurrence, each once.

use super::Symbol;
use std::collections::HashSet;

/// A list of different symbols.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    list: Vec<Symbol>,
    seen: HashSet<Symbol>,
}

impl Symbols {
    /// Adds a symbol, unless it is already there.
    pub fn add(&mut self, symbol: &Symbol) {
        if !self.seen.contains(symbol) {
            self.seen.insert(symbol.clone());
            self.list.push(symbol.clone());
        }
    }

    /// Whether the list contains the symbol.
    pub fn contains(&self, symbol: &Symbol) -> bool {
        self.seen.contains(symbol)
    }

    /// The symbols in order.
    pub fn into_vec(self) -> Vec<Symbol> {
        self.list
    }
}
