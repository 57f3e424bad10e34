//! Identifiers for symbols and buffers.

use std::collections::{HashMap, HashSet};

/// What a name is of. A buffer and a symbol of one name are different variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    /// A buffer.
    Buffer,
    /// An axis, a size or a named scalar.
    Symbol,
}

/// Gives names of the IR, which may be any text, identifiers: equal names the same one, different names different ones.
#[derive(Debug, Default)]
pub struct Names {
    given: HashMap<(NameKind, String), String>,
    taken: HashSet<String>,
}

impl Names {
    /// None given yet; these words are never given.
    pub fn without<'a>(words: impl IntoIterator<Item = &'a str>) -> Names {
        Names { given: HashMap::new(), taken: words.into_iter().map(str::to_string).collect() }
    }

    /// Never gives this word.
    pub fn reserve(&mut self, word: &str) {
        self.taken.insert(word.to_string());
    }

    /// The identifier of a name: the name itself where that is one, and is free.
    pub fn identifier(&mut self, of: NameKind, name: &str) -> String {
        let key = (of, name.to_string());
        if let Some(known) = self.given.get(&key) {
            return known.clone();
        }
        let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let mut plain: String = letters.collect();
        if plain.is_empty() || plain == "_" || plain.starts_with(|c: char| c.is_ascii_digit()) {
            plain.insert(0, 'n');
        }
        let numbered = (1..).map(|number| format!("{plain}_{number}"));
        let mut candidates = std::iter::once(plain.clone()).chain(numbered);
        // INVARIANT: the numbers do not end.
        let free = candidates.find(|candidate| !self.taken.contains(candidate)).unwrap_or_default();
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
