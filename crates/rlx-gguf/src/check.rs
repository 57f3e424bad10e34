//! Checks that related keys agree, since programs that run a model rely on it.

use crate::error::GgufError;
use crate::file::Gguf;
use crate::value::{Array, MetaValue};
use rlx_files::display::quoted;

/// The list of tokens, and lists with an entry for each token.
const TOKENS: &str = "tokenizer.ggml.tokens";
const PER_TOKEN: [&str; 2] = ["tokenizer.ggml.scores", "tokenizer.ggml.token_type"];
/// The suffix of keys that name a token.
const TOKEN: &str = "_token_id";
/// The key of the chat template, which is a program, and its maximum length.
const TEMPLATE: &str = "tokenizer.chat_template";
const LONGEST_TEMPLATE: usize = 1 << 20;
/// More layers, heads and experts than any model has.
const MOST: u64 = 1 << 20;
/// A longer context than any model has.
const LONGEST_CONTEXT: u64 = 1 << 40;

impl Gguf {
    /// Checks that the metadata of a model are consistent: sizes are in range and divide each other, the lists of a
    /// tokenizer have equal lengths, token ids exist, and the chat template has a reasonable length. Missing keys are
    /// not an error.
    ///
    /// # Errors
    /// Returns [`GgufError::Disagreement`] for the first key that is not consistent.
    pub fn check(&self) -> Result<(), GgufError> {
        self.check_sizes()?;
        self.check_tokenizer()
    }

    fn wrong(&self, key: &str, problem: String) -> GgufError {
        let path = self.paths().next().map(|path| path.to_path_buf()).unwrap_or_default();
        GgufError::Disagreement { path, key: quoted(key), problem }
    }

    /// Reads an integer from `least` to `most`. If the key has one number for each layer, returns the largest of
    /// them.
    fn whole(&self, key: &str, least: u64, most: u64) -> Result<Option<u64>, GgufError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let one = |value: &MetaValue<'_>| value.as_u64().filter(|n| (least..=most).contains(n));
        let found = match value.as_array() {
            Some(array) => array.iter().map(|value| one(&value)).try_fold(0, |a, b| b.map(|b| a.max(b))),
            None => one(&value),
        };
        let shown = || value.as_int().map_or_else(|| value.value_type().to_string(), |n| n.to_string());
        match found {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(key, format!("it is {}, not an integer from {least} to {most}", shown()))),
        }
    }

    fn check_sizes(&self) -> Result<(), GgufError> {
        let Some(architecture) = self.get("general.architecture") else { return Ok(()) };
        let Some(architecture) = architecture.as_str() else {
            return Err(self.wrong("general.architecture", "it is not a string".into()));
        };
        let key = |name: &str| format!("{architecture}.{name}");
        self.whole(&key("block_count"), 0, MOST)?;
        self.whole(&key("context_length"), 1, LONGEST_CONTEXT)?;
        let width = self.whole(&key("embedding_length"), 1, MOST)?;
        // A layer, or a model, may have no attention. Its number of heads is then 0.
        let heads = self.whole(&key("attention.head_count"), 0, MOST)?;
        let groups = self.whole(&key("attention.head_count_kv"), 0, MOST)?;
        if let (Some(heads), Some(groups)) = (heads, groups)
            && groups > 0
            && heads % groups != 0
        {
            let problem = format!("{groups} key-value heads do not divide {heads} heads");
            return Err(self.wrong(&key("attention.head_count_kv"), problem));
        }
        let head = self.whole(&key("attention.key_length"), 1, MOST)?;
        let head = head.or(width.zip(heads).and_then(|(width, heads)| width.checked_div(heads)));
        let rotary = self.whole(&key("rope.dimension_count"), 0, MOST)?;
        if let (Some(rotary), Some(head)) = (rotary, head)
            && rotary > head
        {
            let problem = format!("{rotary} rotary dimensions are more than the head size of {head}");
            return Err(self.wrong(&key("rope.dimension_count"), problem));
        }
        let experts = self.whole(&key("expert_count"), 0, MOST)?;
        let used = self.whole(&key("expert_used_count"), 0, MOST)?;
        if let (Some(experts), Some(used)) = (experts, used)
            && used > experts
        {
            return Err(
                self.wrong(&key("expert_used_count"), format!("{used} is more than the {experts} experts"))
            );
        }
        self.check_vocabulary(&key("vocab_size"))
    }

    /// Checks the number of tokens in the metadata against the rows of the embedding.
    fn check_vocabulary(&self, key: &str) -> Result<(), GgufError> {
        let tokens = self.get(TOKENS).and_then(|value| value.as_array().map(Array::len));
        let stated = self.whole(key, 0, u32::MAX.into())?;
        if let (Some(tokens), Some(stated)) = (tokens, stated)
            && tokens as u64 > stated
        {
            return Err(self.wrong(key, format!("it is {stated}, but there are {tokens} tokens")));
        }
        let rows = self.tensor("token_embd.weight").and_then(|tensor| tensor.shape().first().copied());
        match (tokens, rows) {
            (Some(tokens), Some(rows)) if tokens > rows => {
                Err(self.wrong(TOKENS, format!("{tokens} tokens, but token_embd.weight has {rows} rows")))
            }
            _ => Ok(()),
        }
    }

    fn check_tokenizer(&self) -> Result<(), GgufError> {
        if let Some(MetaValue::Text(template)) = self.get(TEMPLATE)
            && template.len() > LONGEST_TEMPLATE
        {
            let problem = format!("{} bytes, but at most {LONGEST_TEMPLATE} are supported", template.len());
            return Err(self.wrong(TEMPLATE, problem));
        }
        let Some(tokens) = self.get(TOKENS) else { return Ok(()) };
        let Some(tokens) = tokens.as_array().map(Array::len) else {
            return Err(self.wrong(TOKENS, "it is not a list".into()));
        };
        for key in PER_TOKEN {
            let Some(value) = self.get(key) else { continue };
            match value.as_array().map(Array::len) {
                Some(len) if len == tokens => {}
                len => {
                    let len = len.unwrap_or(0);
                    return Err(self.wrong(key, format!("it has {len} entries for {tokens} tokens")));
                }
            }
        }
        for (key, value) in
            self.metadata().filter(|(key, _)| key.starts_with("tokenizer.") && key.ends_with(TOKEN))
        {
            // −1, and its value in unsigned 32 bits, mean that there is no such token.
            let none = [Some(-1), Some(i128::from(u32::MAX))].contains(&value.as_int());
            if !none && value.as_u64().is_none_or(|id| id >= tokens as u64) {
                let shown =
                    value.as_int().map_or_else(|| value.value_type().to_string(), |id| id.to_string());
                return Err(self.wrong(key, format!("token {shown} does not exist; there are {tokens}")));
            }
        }
        Ok(())
    }
}
