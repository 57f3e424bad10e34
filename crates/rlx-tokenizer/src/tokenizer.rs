//! A tokenizer, independent of the kind of file that it came from.

use crate::error::TokenizerError;
use crate::gguf::GgufTokenizer;
use crate::library::LibraryTokenizer;
use crate::prompt::Prompt;
use crate::special::SpecialTokens;
use crate::stream::TextStream;
use rlx_files::display::quoted;
use rlx_gguf::{Gguf, ModelFiles};
use std::path::Path;

/// Options for tokenizing a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Encode {
    /// Whether to add the tokens that the model expects at the ends of a sequence.
    pub ends: bool,
    /// Whether special tokens count if they are written in the text. Leave this off for text from others.
    pub special: bool,
}

/// Converts text to token ids and back.
#[derive(Clone, Debug)]
pub struct Tokenizer(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Library(Box<LibraryTokenizer>),
    Gguf(Box<GgufTokenizer>),
}

impl Tokenizer {
    /// Opens the tokenizer at a path: a folder with `tokenizer.json`, that file, or a GGUF file.
    ///
    /// # Errors
    /// Returns a [`TokenizerError`] that names the file.
    pub fn open(path: &Path) -> Result<Self, TokenizerError> {
        Self::from_files(&ModelFiles::open(path)?)
    }

    /// Reads the tokenizer of a model whose files are open.
    ///
    /// # Errors
    /// Returns a [`TokenizerError`] that names the file.
    pub fn from_files(files: &ModelFiles) -> Result<Self, TokenizerError> {
        if let Some(file) = files.gguf() {
            return Self::from_gguf(file);
        }
        let path = files.path();
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
        Self::from_folder(folder)
    }

    /// Reads the tokenizer of `tokenizer.json` in a folder, with the special tokens that `tokenizer_config.json`,
    /// `generation_config.json` and `config.json` name.
    ///
    /// # Errors
    /// Returns a [`TokenizerError`] that names the file.
    pub fn from_folder(folder: &Path) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Library(Box::new(LibraryTokenizer::load(folder)?))))
    }

    /// Creates the tokenizer that the text of a `tokenizer.json` describes, without other files.
    ///
    /// # Errors
    /// Returns a [`TokenizerError`] that names `path`, which says where the text is from.
    pub fn from_json(text: &str, path: &Path) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Library(Box::new(LibraryTokenizer::from_json(text, path)?))))
    }

    /// Creates the tokenizer that the metadata of a GGUF file describe.
    ///
    /// # Errors
    /// Returns a [`TokenizerError`] that names the file and the key.
    pub fn from_gguf(file: &Gguf) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Gguf(Box::new(GgufTokenizer::load(file, None)?))))
    }

    /// Does the same as [`Self::from_gguf`] with the pre-tokenizer `pre` (see
    /// [`pre_tokenizer_names`](crate::pre_tokenizer_names)), whatever the file says.
    ///
    /// # Errors
    /// The same as [`Self::from_gguf`].
    pub fn from_gguf_with_pre(file: &Gguf, pre: &str) -> Result<Self, TokenizerError> {
        Ok(Tokenizer(Kind::Gguf(Box::new(GgufTokenizer::load(file, Some(pre))?))))
    }

    /// Returns the number of tokens. Ids are below it.
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

    /// Returns the special tokens.
    pub fn special(&self) -> &SpecialTokens {
        match &self.0 {
            Kind::Library(inner) => inner.special(),
            Kind::Gguf(inner) => inner.special(),
        }
    }

    /// Whether [`Encode::ends`] puts the token for the beginning of a sequence before a text.
    pub fn adds_bos(&self) -> bool {
        let [front, _] = self.ends();
        front.first().is_some_and(|id| Some(*id) == self.special().bos)
    }

    /// Returns what [`Encode::ends`] puts before and after a text.
    fn ends(&self) -> [&[u32]; 2] {
        match &self.0 {
            Kind::Library(inner) => inner.ends(),
            Kind::Gguf(inner) => inner.ends(),
        }
    }

    /// Returns the id of a special token by name.
    ///
    /// # Errors
    /// Returns [`TokenizerError::UnknownToken`] if there is none.
    pub fn special_id(&self, name: &str) -> Result<u32, TokenizerError> {
        let found = match &self.0 {
            Kind::Library(inner) => inner.special_id(name),
            Kind::Gguf(inner) => inner.special_id(name),
        };
        found.ok_or_else(|| TokenizerError::UnknownToken { token: quoted(name) })
    }

    /// Returns the names of all special tokens, which are plain text in content.
    pub fn special_names(&self) -> Vec<String> {
        match &self.0 {
            Kind::Library(inner) => inner.special_names(),
            Kind::Gguf(inner) => inner.special_names(),
        }
    }

    /// Returns the tokens of a text. Invalid UTF-8 gets the tokens of its bytes if SentencePiece's algorithm spells
    /// text in bytes, and otherwise those of U+FFFD.
    ///
    /// # Errors
    /// Returns [`TokenizerError::Text`].
    pub fn encode(&self, text: impl AsRef<[u8]>, how: Encode) -> Result<Vec<u32>, TokenizerError> {
        let prompt = if how.special { Prompt::scaffolding(text) } else { Prompt::content(text) };
        self.encode_prompt(&prompt, how.ends)
    }

    /// Returns the tokens of a prompt; with `ends`, between the tokens that the model expects at the ends of a
    /// sequence.
    ///
    /// # Errors
    /// Returns [`TokenizerError::Text`].
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

    /// Returns the tokens of a prompt that a model should continue. The token for the beginning of a sequence comes
    /// first if texts get one, but not twice if the prompt already has it. No token is added at the end.
    ///
    /// # Errors
    /// Returns [`TokenizerError::Text`].
    pub fn encode_start(&self, prompt: &Prompt) -> Result<Vec<u32>, TokenizerError> {
        let mut ids = self.encode_prompt(prompt, false)?;
        let [front, _] = self.ends();
        if !ids.starts_with(front) {
            ids.splice(0..0, front.iter().copied());
        }
        Ok(ids)
    }

    /// Returns the text of tokens as bytes, since tokens may end inside a character. Special tokens are included if
    /// `special` is true.
    ///
    /// # Errors
    /// Returns [`TokenizerError::OutOfRange`].
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

    /// Returns a stream of text for tokens as they arrive. Special tokens are included if `special` is true.
    pub fn stream(&self, special: bool) -> TextStream<'_> {
        TextStream::new(self, special)
    }
}
