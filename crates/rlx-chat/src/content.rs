//! Tells special tokens of the template from content that only looks like one, in a rendered prompt.
//!
//! Before rendering, the names of special tokens in texts are each replaced by a character that is nowhere else; behind it, they are put back
//! as content. Texts without such names, nearly all, are rendered as they are.

use crate::conversation::Conversation;
use crate::error::ChatError;
use aho_corasick::{AhoCorasick, MatchKind};
use rlx_tokenizer::Prompt;
use std::collections::HashSet;

/// Characters of a private plane of Unicode, which mean nothing.
const PRIVATE: std::ops::Range<u32> = 0xF_0000..0xF_FFFE;

/// Characters that stand for names.
#[derive(Debug)]
pub(crate) struct Hidden(Vec<(char, String)>);

/// Replaces names in the texts of a conversation.
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
    /// The prompt with the names put back.
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
