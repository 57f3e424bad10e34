//! Words of the text forms: enums with one row per word, and the parser of a choice between words.

use rlx_ir::ParseError;
use rlx_ir::text::Parser;

/// Defines an enum with one row per variant: its documentation, its name, and its word in the text form.
macro_rules! words {
    ($(#[$meta:meta])* $Enum:ident { $($(#[$row:meta])* $Variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $Enum { $($(#[$row])* $Variant,)* }

        impl $Enum {
            /// Every variant, in the order of the definition.
            pub const ALL: [$Enum; [$($word),*].len()] = [$($Enum::$Variant),*];

            /// Returns the word in the text form.
            pub const fn word(self) -> &'static str {
                match self { $($Enum::$Variant => $word),* }
            }
        }
    };
}
pub(crate) use words;

/// Reads the word of one of these values.
pub(crate) fn one_of<T: Copy>(
    p: &mut Parser<'_>,
    all: &[T],
    word: fn(T) -> &'static str,
) -> Result<T, ParseError> {
    match all.iter().find(|&&one| p.eat_word(word(one))) {
        Some(&one) => Ok(one),
        None => p.expected(&alternatives(all.iter().map(|&one| word(one)))),
    }
}

/// Lists words in a sentence: `a`, `b` or `c`.
fn alternatives(words: impl Iterator<Item = &'static str>) -> String {
    let quoted: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match &quoted[..] {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => quoted.concat(),
    }
}
