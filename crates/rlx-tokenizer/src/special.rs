//! Special tokens, which are not text, such as those where sequences begin and end.

/// The special tokens of a vocabulary, by purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecialTokens {
    /// Begins a sequence.
    pub bos: Option<u32>,
    /// Ends a sequence.
    pub eos: Option<u32>,
    /// Replaces text that has no token.
    pub unknown: Option<u32>,
    /// Pads batches.
    pub padding: Option<u32>,
    /// Separates two sequences.
    pub separator: Option<u32>,
    /// All tokens that end the output of a model, in order: the ends of sequences, turns and messages that the
    /// tokenizer and the generation settings name, and tokens with a name that is used for such ends.
    pub ends: Vec<u32>,
}

/// Names of tokens that end a turn or a message.
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

/// In a vocabulary that has both of the other tokens, a message may continue after the first one, which only
/// separates channels.
const NO_END: (&str, [&str; 2]) = ("<|end|>", ["<|return|>", "<|call|>"]);

impl SpecialTokens {
    /// Fills `ends` with `stated` and with the tokens that are named like ends; `id` returns a special token by name.
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

    /// Whether a token with this name ends a turn, whatever kind the file says that it has.
    pub(crate) fn is_end(name: &str) -> bool {
        ENDS.contains(&name)
    }
}
