//! Bounds how much text each step of normalization may make, because a tokenizer file may blow text up. A file
//! may say that every character becomes a thousand, five times. A step is taken only if the longest text that
//! it can make is within bounds.

use serde_json::Value;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::{NormalizedString, Normalizer, Tokenizer};

/// Longest text, or piece of one, that is tokenized as a whole, in bytes.
pub(super) const MAX_WHOLE: usize = 4 << 20;
/// Longest text that a step of normalization may make, in bytes.
const MAX_NORMALIZED: usize = 16 << 20;
/// The most by which finding words may lengthen a text. Bytes as characters double it, a sign for spaces takes four bytes.
const MAX_WORDS: usize = 64;
/// The most steps of normalization and of finding words: each goes through the whole text.
const MAX_STEPS: usize = 100;
/// Replacements up to this many bytes are those of Unicode's normal forms.
const USUAL: usize = 64;

/// The steps of a normalizer, with the longest that each makes of a byte.
#[derive(Debug, Clone)]
pub(super) struct Growth(Vec<(NormalizerWrapper, usize)>);

impl Growth {
    /// How a tokenizer lengthens texts.
    ///
    /// # Errors
    /// Finding words may lengthen a text without a sensible bound.
    pub(super) fn of(tokenizer: &Tokenizer) -> Result<Self, String> {
        let json = |e: serde_json::Error| e.to_string();
        let words = serde_json::to_value(tokenizer.get_pre_tokenizer()).map_err(json)?;
        let (factor, count) = word_factor(&words);
        if factor > MAX_WORDS {
            return Err(format!(
                "its pre_tokenizer may make texts {factor} times as long; at most {MAX_WORDS} times is taken"
            ));
        }
        let mut steps = Vec::new();
        flatten(tokenizer.get_normalizer(), &mut steps)?;
        for (name, count) in [("normalizer", steps.len()), ("pre_tokenizer", count)] {
            if count > MAX_STEPS {
                return Err(format!("its {name} has {count} steps; at most {MAX_STEPS} are taken"));
            }
        }
        // Nothing is checked where no step makes more than Unicode does.
        if steps.iter().all(|(_, factor)| *factor == 1) {
            steps.clear();
        }
        Ok(Growth(steps))
    }

    /// Fails where normalizing the text would make too much of it.
    pub(super) fn check(&self, text: &str) -> Result<(), String> {
        if text.len() > MAX_WHOLE {
            return Err(format!(
                "it cannot be cut into pieces for this tokenizer, and as a whole at most {MAX_WHOLE} bytes are taken"
            ));
        }
        if self.0.is_empty() {
            return Ok(());
        }
        let mut normalized = NormalizedString::from(text);
        for (step, factor) in &self.0 {
            let len = normalized.get().len();
            // An empty text may become one replacement.
            if len.saturating_add(1).saturating_mul(*factor) > MAX_NORMALIZED {
                return Err(format!(
                    "the normalizer may make {factor} bytes of each of {len}; at most {MAX_NORMALIZED} are taken"
                ));
            }
            step.normalize(&mut normalized).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

/// The steps in their order, each with the most bytes that it makes of one.
fn flatten(
    normalizer: Option<&NormalizerWrapper>,
    steps: &mut Vec<(NormalizerWrapper, usize)>,
) -> Result<(), String> {
    let Some(step) = normalizer else { return Ok(()) };
    let factor = match step {
        NormalizerWrapper::Sequence(inner) => {
            return AsRef::<[_]>::as_ref(inner).iter().try_for_each(|step| flatten(Some(step), steps));
        }
        NormalizerWrapper::Replace(step) => step.content.len().saturating_add(1),
        NormalizerWrapper::Prepend(step) => step.prepend.len().saturating_add(1),
        NormalizerWrapper::ByteLevel(_) => 2,
        NormalizerWrapper::Precompiled(step) => {
            let json = serde_json::to_value(step).map_err(|e| e.to_string())?;
            match longest_replacement(json["precompiled_charsmap"].as_str().unwrap_or_default()) {
                longest if longest <= USUAL => 1,
                longest => longest,
            }
        }
        _ => 1,
    };
    steps.push((step.clone(), factor));
    Ok(())
}

/// By how much a step that finds words may lengthen a text, and how many steps it is.
fn word_factor(step: &Value) -> (usize, usize) {
    match step["type"].as_str() {
        Some("Sequence") => {
            let steps = step["pretokenizers"].as_array().into_iter().flatten();
            let both = |(factor, count): (usize, usize), step: (usize, usize)| {
                (factor.saturating_mul(step.0), count + step.1)
            };
            steps.map(word_factor).fold((1, 0), both)
        }
        Some("ByteLevel") => (2, 1),
        Some("Metaspace") => (4, 1),
        _ => (1, 1),
    }
}

/// The longest text that a table of replacements holds, in bytes: each ends with a zero. They follow the places where they are found, whose
/// length comes first.
fn longest_replacement(table: &str) -> usize {
    let skip = base64(table).take(4).enumerate();
    let skip = skip.fold(0u64, |sum, (i, byte)| sum | u64::from(byte) << (8 * i));
    let (mut longest, mut len) = (0, 0);
    for byte in base64(table).skip(usize::try_from(skip).unwrap_or(usize::MAX).saturating_add(4)) {
        len = if byte == 0 { 0 } else { len + 1 };
        longest = longest.max(len);
    }
    longest
}

/// The bytes of a text in base 64.
pub(super) fn base64(text: &str) -> impl Iterator<Item = u8> + '_ {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut held) = (0u32, 0);
    text.bytes().filter_map(digit).filter_map(move |digit| {
        (bits, held) = (bits << 6 | u32::from(digit), held + 6);
        if held < 8 {
            return None;
        }
        held -= 8;
        Some((bits >> held) as u8)
    })
}
