//! A tokenizer, wherever it came from.

use crate::error::TokenizerError;
use crate::gguf::GgufTokenizer;
use crate::library::LibraryTokenizer;
use crate::prompt::Prompt;
use crate::special::SpecialTokens;
use crate::stream::TextStream;
use rlx_files::display::quoted;
use rlx_gguf::Gguf;
use std::path::Path;

/// How a text is tokenized.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Encode {
    /// Whether the tokens are added that the model expects at the ends of a sequence.
    pub ends: bool,
    /// Whether special tokens count where they are written in a text. They do not in what others wrote.
    pub special: bool,
}

/// Turns text into token ids and back.
#[derive(Clone, Debug)]
pub struct Tokenizer(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Library(Box<LibraryTokenizer>),
    Gguf(Box<GgufTokenizer>),
}

impl Tokenizer {
    /// The tokenizer at a path: a folder with `tokenizer.json`, that file, or a GGUF file.
    ///
    /// # Errors
    /// A [`TokenizerError`] that names the file.
    pub fn open(path: &Path) -> Result<Self, TokenizerError> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if extension.eq_ignore_ascii_case("gguf") {
            return Self::from_gguf(&Gguf::open(path)?);
        }
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
        Self::from_folder(folder)
    }

    /// The tokenizer of `tokenizer.json` in a folder, with what `tokenizer_config.json`, `generation_config.json` and `config.json` say of
    /// its special tokens.
    ///
    /// # Errors
    /// A [`TokenizerError`] that names the file.
    pub fn from_folder(folder: &Path) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Library(Box::new(LibraryTokenizer::load(folder)?))))
    }

    /// The tokenizer that the text of a `tokenizer.json` describes, with nothing beside it.
    ///
    /// # Errors
    /// A [`TokenizerError`] that names `path`, where the text is from.
    pub fn from_json(text: &str, path: &Path) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Library(Box::new(LibraryTokenizer::from_json(text, path)?))))
    }

    /// The tokenizer that the metadata of a GGUF file describe.
    ///
    /// # Errors
    /// A [`TokenizerError`] that names the file and the key.
    pub fn from_gguf(file: &Gguf) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Gguf(Box::new(GgufTokenizer::load(file, None)?))))
    }

    /// As [`Self::from_gguf`], with the way of cutting text into words that `pre` names (see
    /// [`pre_tokenizer_names`](crate::pre_tokenizer_names)), whatever the file says.
    ///
    /// # Errors
    /// As [`Self::from_gguf`].
    pub fn from_gguf_with_pre(file: &Gguf, pre: &str) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Gguf(Box::new(GgufTokenizer::load(file, Some(pre))?))))
    }

    /// How many tokens there are: ids are below it.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Library(inner) => inner.len(),
            Kind::Gguf(inner) => inner.len(),
        }
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The special tokens.
    pub fn special(&self) -> &SpecialTokens {
        match &self.0 {
            Kind::Library(inner) => inner.special(),
            Kind::Gguf(inner) => inner.special(),
        }
    }

    /// Whether [`Encode::ends`] puts the token that begins sequences in front of a text.
    pub fn adds_bos(&self) -> bool {
        let [front, _] = self.ends();
        front.first().is_some_and(|id| Some(*id) == self.special().bos)
    }

    /// What [`Encode::ends`] puts in front of a text, and behind it.
    fn ends(&self) -> [&[u32]; 2] {
        match &self.0 {
            Kind::Library(inner) => inner.ends(),
            Kind::Gguf(inner) => inner.ends(),
        }
    }

    /// The id of a special token by its name.
    ///
    /// # Errors
    /// [`TokenizerError::UnknownToken`].
    pub fn special_id(&self, name: &str) -> Result<u32, TokenizerError> {
        let found = match &self.0 {
            Kind::Library(inner) => inner.special_id(name),
            Kind::Gguf(inner) => inner.special_id(name),
        };
        found.ok_or_else(|| TokenizerError::UnknownToken { token: quoted(name) })
    }

    /// The names of all special tokens: what is text in content.
    pub fn special_names(&self) -> Vec<String> {
        match &self.0 {
            Kind::Library(inner) => inner.special_names(),
            Kind::Gguf(inner) => inner.special_names(),
        }
    }

    /// The tokens of a text. What is not UTF-8 has the tokens of its bytes where SentencePiece's algorithm spells by
    /// bytes, else those of U+FFFD.
    ///
    /// # Errors
    /// [`TokenizerError::Text`].
    pub fn encode(&self, text: impl AsRef<[u8]>, how: Encode) -> Result<Vec<u32>, TokenizerError> {
        let prompt = if how.special { Prompt::scaffolding(text) } else { Prompt::content(text) };
        self.encode_prompt(&prompt, how.ends)
    }

    /// The tokens of a prompt; with `ends`, between what the model expects at the ends of a sequence.
    ///
    /// # Errors
    /// [`TokenizerError::Text`].
    pub fn encode_prompt(&self, prompt: &Prompt, ends: bool) -> Result<Vec<u32>, TokenizerError> {
        let [front, back] = if ends { self.ends() } else { [&[][..]; 2] };
        let mut ids = front.to_vec();
        match &self.0 {
            Kind::Library(inner) => inner.encode(prompt, &mut ids)?,
            Kind::Gguf(inner) => inner.encode(prompt, &mut ids)?,
        }
        ids.extend_from_slice(back);
        Ok(ids)
    }

    /// The tokens of a prompt that a model is to go on with: with the token that begins sequences in front, where one is added to texts, and not
    /// twice where the prompt has it already; and nothing behind.
    ///
    /// # Errors
    /// [`TokenizerError::Text`].
    pub fn encode_start(&self, prompt: &Prompt) -> Result<Vec<u32>, TokenizerError> {
        let mut ids = self.encode_prompt(prompt, false)?;
        let [front, _] = self.ends();
        if !ids.starts_with(front) {
            ids.splice(0..0, front.iter().copied());
        }
        Ok(ids)
    }

    /// The text of tokens, as bytes: tokens may end within a character. Special tokens are written where `special` says so.
    ///
    /// # Errors
    /// [`TokenizerError::OutOfRange`].
    pub fn decode(&self, ids: &[u32], special: bool) -> Result<Vec<u8>, TokenizerError> {
        let len = self.len();
        if let Some(&id) = ids.iter().find(|&&id| id as usize >= len) {
            return Err(TokenizerError::OutOfRange { id, len });
        }
        match &self.0 {
            Kind::Library(inner) => inner.decode(ids, special),
            Kind::Gguf(inner) => Ok(inner.decode(ids, special)),
        }
    }

    /// Text as tokens arrive. Special tokens are written where `special` says so.
    pub fn stream(&self, special: bool) -> TextStream<'_> {
        TextStream::new(self, special)
    }
}
