//! Identifiers for symbols and buffers.

use std::collections::{HashMap, HashSet};

/// The kind of a name. A buffer and a symbol with the same name are different variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    /// A buffer.
    Buffer,
    /// An axis, a size or a named scalar.
    Symbol,
}

/// Turns names of the IR, which may be any text, into identifiers. Equal names get the same identifier, different names different ones.
#[derive(Debug, Default)]
pub struct Names {
    given: HashMap<(NameKind, String), String>,
    taken: HashSet<String>,
    /// How often each identifier has been requested.
    asked: HashMap<String, usize>,
}

impl Names {
    /// Creates an empty table. It never returns these words as identifiers.
    pub fn without<'a>(words: impl IntoIterator<Item = &'a str>) -> Names {
        Names { taken: words.into_iter().map(str::to_string).collect(), ..Names::default() }
    }

    /// Reserves a word, so that it is never returned.
    pub fn reserve(&mut self, word: &str) {
        self.taken.insert(word.to_string());
    }

    /// Returns the identifier of a name: the name itself if it is a valid identifier and free.
    pub fn identifier(&mut self, of: NameKind, name: &str) -> String {
        let key = (of, name.to_string());
        if let Some(known) = self.given.get(&key) {
            return known.clone();
        }
        // Rust warns about variables with capital letters.
        let plain = rlx_escape::identifier(name, 'n').to_ascii_lowercase();
        let count = self.asked.entry(plain.clone()).or_insert(0);
        let free = loop {
            let candidate = if *count == 0 { plain.clone() } else { format!("{plain}_{count}") };
            *count += 1;
            if !self.taken.contains(&candidate) {
                break candidate;
            }
        };
        self.taken.insert(free.clone());
        self.given.insert(key, free.clone());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_names_where_they_can_be() {
        let mut names = Names::without(["for"]);
        let given = ["_0", "n", "for", "a.b", "a_b", "2d", "", "n"]
            .map(|name| names.identifier(NameKind::Symbol, name));
        assert_eq!(given, ["_0", "n", "for_1", "a_b", "a_b_1", "n2d", "n_1", "n"]);
        assert_eq!(names.identifier(NameKind::Buffer, "n"), "n_2");
    }
}
