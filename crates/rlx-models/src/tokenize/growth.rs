//! Limits how much text each step of normalization may produce, because a tokenizer file can make texts grow without
//! bound. For example, a file may replace every character by a thousand, five times in a row. A step only runs if the
//! longest text that it can produce is within the limit.

use serde_json::Value;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::{NormalizedString, Normalizer, Tokenizer};

/// The maximum length of a text, or of a piece of one, that is tokenized as a whole, in bytes.
pub(super) const MAX_WHOLE: usize = 4 << 20;
/// The maximum length of text that a step of normalization may produce, in bytes.
const MAX_NORMALIZED: usize = 16 << 20;
/// The maximum factor by which splitting into words may lengthen a text. Mapping bytes to characters doubles it; a
/// sign for a space takes four bytes.
const MAX_WORDS: usize = 64;
/// The maximum number of steps of normalization, and of splitting into words. Each one processes the whole text.
const MAX_STEPS: usize = 100;
/// Replacements of at most this many bytes are those of Unicode's normal forms.
const USUAL: usize = 64;

/// The steps of a normalizer, and the maximum number of bytes that each produces from one byte.
#[derive(Debug, Clone)]
pub(super) struct Growth(Vec<(NormalizerWrapper, usize)>);

impl Growth {
    /// Determines how much a tokenizer lengthens texts.
    ///
    /// # Errors
    /// Fails if splitting into words may lengthen a text beyond a reasonable limit, or if there are too many steps.
    pub(super) fn of(tokenizer: &Tokenizer) -> Result<Self, String> {
        let json = |e: serde_json::Error| e.to_string();
        let words = serde_json::to_value(tokenizer.get_pre_tokenizer()).map_err(json)?;
        let (factor, count) = word_factor(&words);
        if factor > MAX_WORDS {
            return Err(format!(
                "its pre_tokenizer may make texts {factor} times as long; at most {MAX_WORDS} times is supported"
            ));
        }
        let mut steps = Vec::new();
        flatten(tokenizer.get_normalizer(), &mut steps)?;
        for (name, count) in [("normalizer", steps.len()), ("pre_tokenizer", count)] {
            if count > MAX_STEPS {
                return Err(format!("its {name} has {count} steps; at most {MAX_STEPS} are supported"));
            }
        }
        // No checks are needed if no step lengthens text more than Unicode normalization does.
        if steps.iter().all(|(_, factor)| *factor == 1) {
            steps.clear();
        }
        Ok(Growth(steps))
    }

    /// Fails if normalizing the text could produce too much text.
    pub(super) fn check(&self, text: &str) -> Result<(), String> {
        if text.len() > MAX_WHOLE {
            return Err(format!(
                "it cannot be split into pieces for this tokenizer, and a text that is tokenized as a whole may have at most {MAX_WHOLE} bytes"
            ));
        }
        if self.0.is_empty() {
            return Ok(());
        }
        let mut normalized = NormalizedString::from(text);
        for (step, factor) in &self.0 {
            let len = normalized.get().len();
            // Even an empty text may become one replacement.
            if len.saturating_add(1).saturating_mul(*factor) > MAX_NORMALIZED {
                return Err(format!(
                    "the normalizer may make {factor} bytes of each of {len}; at most {MAX_NORMALIZED} are supported"
                ));
            }
            step.normalize(&mut normalized).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

/// Lists the steps in order, each with the maximum number of bytes that it produces from one byte.
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

/// Returns the factor by which a word-splitting step may lengthen a text, and how many steps it consists of.
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

/// Returns the length in bytes of the longest text in a table of replacements. Each text ends with a zero. The texts
/// follow the index for finding them, whose length comes first.
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

/// Decodes a text in base 64.
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
