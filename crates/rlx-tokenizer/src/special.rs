//! Tokens that are not text: where sequences begin and end.

/// Special tokens of a vocabulary, by what they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecialTokens {
    /// In front of a sequence.
    pub bos: Option<u32>,
    /// Behind a sequence.
    pub eos: Option<u32>,
    /// In place of what has no token.
    pub unknown: Option<u32>,
    /// Fills up batches.
    pub padding: Option<u32>,
    /// Between two sequences.
    pub separator: Option<u32>,
    /// Every token that ends what a model writes, in order: the ends of sequences, turns and messages that tokenizer and settings of
    /// generation name, and tokens that are called like one.
    pub ends: Vec<u32>,
}

/// What tokens are called that end a turn or a message.
const ENDS: &[&str] = &[
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<turn|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "</s>",
    "<EOT>",
    "[EOT]",
    "[EOS]",
    "[e~[",
    "<｜end▁of▁sentence｜>",
];

/// A message of a vocabulary with all of `with` may go on after `end`, which only parts it into channels.
const NO_END: (&str, [&str; 2]) = ("<|end|>", ["<|return|>", "<|call|>"]);

impl SpecialTokens {
    /// Fills `ends`: `stated` and the tokens that are called like one; `id` finds a special token by its name.
    pub(crate) fn find_ends(
        &mut self,
        stated: impl IntoIterator<Item = u32>,
        id: impl Fn(&str) -> Option<u32>,
    ) {
        let channels = NO_END.1.iter().all(|name| id(name).is_some());
        let named = ENDS.iter().filter(|name| !(channels && **name == NO_END.0)).filter_map(|name| id(name));
        self.ends = self.eos.into_iter().chain(stated).chain(named).collect();
        self.ends.sort_unstable();
        self.ends.dedup();
    }

    /// Whether the name is that of a token that ends a turn, whatever the file says that it is.
    pub(crate) fn is_end(name: &str) -> bool {
        ENDS.contains(&name)
    }
}
