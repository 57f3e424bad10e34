//! Distinguishes special tokens written by the template from content that only looks like them, in a rendered prompt.
//!
//! Before rendering, each special token's name in a text is replaced by a character that does not occur anywhere
//! else. After rendering, the names are put back as content. Texts without such names, which is nearly all of them,
//! are rendered unchanged.

use crate::conversation::Conversation;
use crate::error::ChatError;
use aho_corasick::{AhoCorasick, MatchKind};
use rlx_tokenizer::Prompt;
use std::collections::HashSet;

/// Characters of a private plane of Unicode, which have no meaning.
const PRIVATE: std::ops::Range<u32> = 0xF_0000..0xF_FFFE;

/// The characters that were used as placeholders, and the names that they replace.
#[derive(Debug)]
pub(crate) struct Hidden(Vec<(char, String)>);

/// Replaces names in the texts of a conversation by placeholders.
pub(crate) fn hide(conversation: &mut Conversation, names: &[String]) -> Result<Hidden, ChatError> {
    let failed = |e: aho_corasick::BuildError| ChatError::Messages(e.to_string());
    let matcher =
        AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(names).map_err(failed)?;
    let (mut taken, mut found) = (HashSet::new(), Vec::new());
    conversation.each_text(&mut |text| {
        taken.extend(text.chars().filter(|c| PRIVATE.contains(&u32::from(*c))));
        found.extend(matcher.find_iter(&**text).map(|found| found.pattern().as_usize()));
    });
    found.sort_unstable();
    found.dedup();
    let free = PRIVATE.filter_map(char::from_u32).filter(|c| !taken.contains(c));
    let hidden: Vec<(usize, char)> = found.into_iter().zip(free).collect();
    if hidden.is_empty() {
        return Ok(Hidden(Vec::new()));
    }
    conversation.each_text(&mut |text| {
        let mut out = String::new();
        matcher.replace_all_with(text, &mut out, |found, name, out| {
            let sign = hidden.iter().find(|(pattern, _)| *pattern == found.pattern().as_usize());
            match sign {
                Some((_, sign)) => out.push(*sign),
                None => out.push_str(name),
            }
            true
        });
        *text = out;
    });
    Ok(Hidden(hidden.into_iter().map(|(pattern, sign)| (sign, names[pattern].clone())).collect()))
}

impl Hidden {
    /// Returns the prompt with the names put back.
    pub(crate) fn reveal(&self, rendered: &str) -> Prompt {
        let mut prompt = Prompt::new();
        let mut start = 0;
        for (at, c) in rendered.char_indices().filter(|(_, c)| PRIVATE.contains(&u32::from(*c))) {
            let Some((_, name)) = self.0.iter().find(|(sign, _)| *sign == c) else { continue };
            prompt.push_scaffolding(&rendered[start..at]);
            prompt.push_content(name);
            start = at + c.len_utf8();
        }
        prompt.push_scaffolding(&rendered[start..]);
        prompt
    }
}
