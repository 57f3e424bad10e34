//! Divides long texts into pieces, so that only as much of a text is tokenized as a model can read.
//!
//! The tokens of a text must be the tokens of its pieces, one after the other. Then only the beginning of the text
//! has to be looked at, and the memory needed is that of one piece.
//!
//! This is exact for a tokenizer that normalizes character by character and handles words independently. The
//! tokenizer itself is asked what a character does to the words around it ([`Role`]). A text is cut after a character
//! that ends a word whatever follows. From a long run without such characters, only so much is kept that its word
//! remains longer than any word in the vocabulary ([`Cuts::squeezed`]). Everything else is tokenized as a whole.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use tokenizers::models::ModelWrapper;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::{
    NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer,
    PreTokenizerWrapper, Tokenizer,
};

/// The length of the first and of the largest piece, in bytes. A piece is longer if there is no place to cut.
pub(super) const FIRST_PIECE: usize = 4096;
pub(super) const LARGEST_PIECE: usize = 1 << 16;
/// Words with more characters than this are not shortened, whatever limit the tokenizer has.
const MAX_WORD: usize = 4096;

/// The effect of a character on words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It ends the word before it, and does not continue into the text after it.
    Ends,
    /// It is part of a word, which continues with other characters of this sort.
    Word(Sort),
    /// It is removed before words are split.
    Removed,
    /// It has any other effect.
    Other,
}

/// Which characters can be in the same word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Letters.
    Letters,
    /// Characters that are separate from words of letters, but form words with each other.
    Signs,
}

/// How the tokenizer treats a character.
#[derive(Debug, Clone, Copy)]
struct Character {
    role: Role,
    /// Whether it does not occur in any added token. Added tokens are found before words.
    free: bool,
}

/// Decides where a text may be cut.
#[derive(Debug, Clone)]
pub(super) struct Cuts {
    /// The characters of ASCII.
    ascii: Vec<Character>,
    /// The characters of added tokens.
    reserved: HashSet<char>,
    /// How many characters are kept at the ends of a run, or `None` if runs cannot be shortened.
    keep: Option<usize>,
    /// Whether added tokens may be inside of runs.
    in_runs: bool,
    /// The length of the first and of the largest piece.
    pub(super) lengths: [usize; 2],
}

impl Cuts {
    /// Returns the cuts that are exact for this tokenizer, if there are any.
    pub(super) fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let added = tokenizer.get_added_tokens_decoder();
        // Whether a single-word token is found depends on the characters next to it.
        if added.values().any(|token| token.single_word) {
            return None;
        }
        // Words with more characters than this become the unknown token.
        let longest = match tokenizer.get_model() {
            ModelWrapper::WordPiece(model) => model.max_input_chars_per_word,
            ModelWrapper::WordLevel(_) => {
                tokenizer.get_vocab(false).keys().map(|word| word.chars().count()).max().unwrap_or(0)
            }
            _ => return None,
        };
        if !tokenizer.get_normalizer().is_none_or(by_character) {
            return None;
        }
        match tokenizer.get_pre_tokenizer()? {
            PreTokenizerWrapper::BertPreTokenizer(_)
            | PreTokenizerWrapper::Whitespace(_)
            | PreTokenizerWrapper::WhitespaceSplit(_) => {}
            _ => return None,
        }
        let mut reserved: HashSet<char> = added.values().flat_map(|token| token.content.chars()).collect();
        for token in added.values().filter(|token| token.normalized) {
            reserved.extend(normalized(tokenizer, &token.content)?.chars());
        }
        let mut cuts = Cuts {
            ascii: Vec::new(),
            reserved,
            keep: None,
            in_runs: true,
            lengths: [FIRST_PIECE, LARGEST_PIECE],
        };
        cuts.ascii = (0..128u8).map(|c| cuts.look(tokenizer, char::from(c))).collect();
        // A token that is found in the original text, and has characters that cannot be in the same word, cannot be
        // inside of a run.
        let mut known = HashMap::new();
        let mut role = |c| *known.entry(c).or_insert_with(|| cuts.look(tokenizer, c).role);
        let mut outside = |content: &str| {
            let roles: Vec<Role> = content.chars().map(&mut role).collect();
            let parts =
                roles.iter().any(|role| *role != roles[0] || matches!(role, Role::Ends | Role::Other));
            parts && !roles.contains(&Role::Removed)
        };
        let in_runs = !added.values().all(|token| !token.normalized && outside(&token.content));
        cuts.in_runs = in_runs;
        let token = added.values().map(|token| token.content.chars().count()).max().unwrap_or(0);
        let keep = longest.max(token).saturating_add(1);
        cuts.keep = (keep <= MAX_WORD).then_some(keep);
        Some(cuts)
    }

    /// Asks the tokenizer about a character: what happens to one and to two of it between letters.
    fn look(&self, tokenizer: &Tokenizer, c: char) -> Character {
        let between = |middle: &[char]| {
            let text: String = ['x'].iter().chain(middle).chain(&['x']).collect();
            words(tokenizer, &text)
        };
        let role = match (between(&[c]), between(&[c, c])) {
            (Some(one), Some(two)) => role(&one, &two),
            _ => Role::Other,
        };
        let reserved = |c: char| self.reserved.contains(&c);
        let becomes = normalized(tokenizer, c.encode_utf8(&mut [0; 4]));
        let free = !reserved(c) && becomes.is_some_and(|text| !text.chars().any(reserved));
        Character { role, free }
    }

    /// Returns the pieces of `text`, in order. Their tokens, concatenated, are those of the text.
    pub(super) fn pieces<'t>(
        &'t self,
        tokenizer: &'t Tokenizer,
        text: &'t str,
    ) -> impl Iterator<Item = Cow<'t, str>> {
        let [first, largest] = self.lengths;
        let (mut rest, mut size) = (text, first);
        let mut seen = HashMap::new();
        std::iter::from_fn(move || {
            let mut at = |c: char| match self.ascii.get(c as usize) {
                Some(known) => *known,
                None => *seen.entry(c).or_insert_with(|| self.look(tokenizer, c)),
            };
            let (piece, tail) = self.cut(rest, size, &mut at);
            (rest, size) = (tail, (2 * size).min(largest));
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// Cuts at the first possible place after `size` bytes.
    fn cut<'t>(
        &self,
        text: &'t str,
        size: usize,
        at: &mut dyn FnMut(char) -> Character,
    ) -> (Cow<'t, str>, &'t str) {
        let start = (size..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let (head, tail) = text.split_at(start);
        for (i, c) in tail.char_indices() {
            if matches!(at(c), Character { role: Role::Ends, free: true }) {
                let (piece, rest) = text.split_at(start + i + c.len_utf8());
                return (piece.into(), rest);
            }
            if i >= self.lengths[1] {
                let (run, rest) = self.squeezed(tail, at);
                return ((head.to_owned() + &run).into(), rest);
            }
        }
        (text.into(), "")
    }

    /// Returns the text up to its first cut without the unimportant parts of long runs, and the text after that cut.
    ///
    /// A run is the text between characters that end words: a word of one sort, and characters that are removed. Once
    /// it has more characters of a word than any word in the vocabulary, further ones make no difference. Of
    /// consecutive removed characters, only the first ones and the first occurrence of each matter, since they may
    /// separate other characters. The ends of a run are kept, because an added token may begin or end there. If an
    /// added token may be inside of runs, a run ends at the characters of such tokens.
    fn squeezed<'t>(&self, text: &'t str, at: &mut dyn FnMut(char) -> Character) -> (String, &'t str) {
        let Some(keep) = self.keep else { return self.unsqueezed(text, at) };
        let mut out = String::new();
        // The last characters of the run, and whether each is kept if the run continues.
        let mut last: VecDeque<(char, bool)> = VecDeque::new();
        let flush = |out: &mut String, last: &mut VecDeque<(char, bool)>| {
            out.extend(last.drain(..).map(|(c, _)| c));
        };
        let mut run = Run::default();
        let mut before = false;
        for (i, c) in text.char_indices() {
            let Character { role, free } = at(c);
            // Characters that may belong to an added token are never dropped.
            let role = if self.in_runs && !free && role != Role::Ends { Role::Other } else { role };
            let stays = match role {
                Role::Word(sort) => {
                    if run.sort.is_some_and(|other| other != sort) {
                        flush(&mut out, &mut last);
                        if before && free {
                            return (out, &text[i..]);
                        }
                        run = Run::default();
                    }
                    run.sort = Some(sort);
                    run.removed.clear();
                    run.in_a_row = 0;
                    run.letters += 1;
                    run.letters <= keep
                }
                Role::Removed => {
                    run.in_a_row += 1;
                    run.letters <= keep && (run.removed.insert(c) || run.in_a_row <= keep)
                }
                Role::Ends | Role::Other => {
                    flush(&mut out, &mut last);
                    out.push(c);
                    if role == Role::Ends && free {
                        return (out, &text[i + c.len_utf8()..]);
                    }
                    (run, before) = (Run::default(), free);
                    continue;
                }
            };
            before = free;
            last.push_back((c, stays));
            if last.len() > keep {
                out.extend(last.pop_front().filter(|(_, stays)| *stays).map(|(c, _)| c));
            }
        }
        flush(&mut out, &mut last);
        (out, "")
    }

    /// Returns the text up to its first cut, unchanged, and the text after it.
    fn unsqueezed<'t>(&self, text: &'t str, at: &mut dyn FnMut(char) -> Character) -> (String, &'t str) {
        let ends = |c| matches!(at(c), Character { role: Role::Ends, free: true });
        let end = text.char_indices().find_map({
            let mut ends = ends;
            move |(i, c)| ends(c).then_some(i + c.len_utf8())
        });
        let (piece, rest) = text.split_at(end.unwrap_or(text.len()));
        (piece.into(), rest)
    }
}

/// The state of a run.
#[derive(Default)]
struct Run {
    sort: Option<Sort>,
    /// The number of characters of its word.
    letters: usize,
    /// The removed characters since the last character of the word: which ones, and how many.
    removed: HashSet<char>,
    in_a_row: usize,
}

/// Returns the role of a character, from the words of a text with one of it between letters and of a text with two.
fn role(one: &[String], two: &[String]) -> Role {
    let [one, two] = [one, two].map(|words| match words {
        [only] => Err(only.strip_prefix('x').and_then(|text| text.strip_suffix('x'))),
        [first, middle @ .., last] if first == "x" && last == "x" => Ok(middle),
        _ => Err(None),
    });
    match (one, two) {
        (Err(Some("")), Err(Some(""))) => Role::Removed,
        (Err(Some(_)), Err(Some(_))) => Role::Word(Sort::Letters),
        (Ok(one), Ok(two)) if two == [one, one].concat() => Role::Ends,
        (Ok([_]), Ok([_])) => Role::Word(Sort::Signs),
        _ => Role::Other,
    }
}

/// Returns the words of a text without added tokens.
fn words(tokenizer: &Tokenizer, text: &str) -> Option<Vec<String>> {
    let mut normalized = NormalizedString::from(text);
    if let Some(normalizer) = tokenizer.get_normalizer() {
        normalizer.normalize(&mut normalized).ok()?;
    }
    let mut words = PreTokenizedString::from(normalized);
    tokenizer.get_pre_tokenizer()?.pre_tokenize(&mut words).ok()?;
    let splits = words.get_splits(OffsetReferential::Normalized, OffsetType::None);
    Some(splits.into_iter().filter(|(text, ..)| !text.is_empty()).map(|(text, ..)| text.into()).collect())
}

fn normalized(tokenizer: &Tokenizer, text: &str) -> Option<String> {
    let mut normalized = NormalizedString::from(text);
    if let Some(normalizer) = tokenizer.get_normalizer() {
        normalizer.normalize(&mut normalized).ok()?;
    }
    Some(normalized.get().into())
}

/// Whether the normalizer handles every character, or every combining mark with its base, independently.
fn by_character(normalizer: &NormalizerWrapper) -> bool {
    match normalizer {
        NormalizerWrapper::BertNormalizer(_) | NormalizerWrapper::Lowercase(_) => true,
        NormalizerWrapper::Sequence(steps) => AsRef::<[_]>::as_ref(steps).iter().all(by_character),
        _ => false,
    }
}
