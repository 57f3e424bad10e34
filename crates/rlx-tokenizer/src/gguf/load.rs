//! Makes a tokenizer from the keys of a GGUF file.

use super::bpe::Bpe;
use super::library::LibraryModel;
use super::pre::{self, PreTokenizer};
use super::spm::Spm;
use super::vocab::{SPACE, Spelling, TokenKind, Vocab};
use super::{Algorithm, GgufTokenizer};
use crate::added::{AddedToken, AddedTokens};
use crate::error::TokenizerError;
use crate::special::SpecialTokens;
use rlx_files::display::quoted;
use rlx_gguf::{Gguf, MetaValue};
use std::borrow::Cow;
use std::path::PathBuf;

/// The known values of `tokenizer.ggml.model`.
const MODELS: &str = "gpt2, gemma4, llama, t5, bert";

/// The keys of a file.
struct Keys<'f> {
    file: &'f Gguf,
}

impl<'f> Keys<'f> {
    fn path(&self) -> PathBuf {
        self.file.paths().next().map(|path| path.to_path_buf()).unwrap_or_default()
    }

    fn wrong(&self, key: &str, problem: impl std::fmt::Display) -> TokenizerError {
        let reason = format!("tokenizer.ggml.{key}: {problem}");
        TokenizerError::NotATokenizer { path: self.path(), reason }
    }

    fn get(&self, key: &str) -> Option<MetaValue<'f>> {
        self.file.get(&format!("tokenizer.ggml.{key}"))
    }

    fn text(&self, key: &str) -> Result<Option<String>, TokenizerError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| self.wrong(key, "it is not a string"))?;
        Ok(Some(text.to_string()))
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, TokenizerError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        Ok(Some(value.as_bool().ok_or_else(|| self.wrong(key, "it is neither true nor false"))?))
    }

    /// Reads a list whose values `read` accepts.
    fn list<T>(
        &self,
        key: &str,
        read: impl Fn(&MetaValue<'_>) -> Option<T>,
    ) -> Result<Option<Vec<T>>, TokenizerError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let array = value.as_array().ok_or_else(|| self.wrong(key, "it is not a list"))?;
        let read = |(i, value): (usize, MetaValue<'_>)| {
            read(&value).ok_or_else(|| self.wrong(key, format!("value {i} is of the wrong kind")))
        };
        array.iter().enumerate().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// Like [`Self::list`], for a list with a value for each token. Without the list, each token gets `default`.
    fn per_token<T: Clone>(
        &self,
        key: &str,
        tokens: usize,
        default: T,
        read: impl Fn(&MetaValue<'_>) -> Option<T>,
    ) -> Result<Vec<T>, TokenizerError> {
        match self.list(key, read)? {
            None => Ok(vec![default; tokens]),
            Some(list) if list.len() == tokens => Ok(list),
            Some(list) => Err(self.wrong(key, format!("it has {} values for {tokens} tokens", list.len()))),
        }
    }

    /// Returns the token that a key names.
    fn id(&self, key: &str, tokens: usize) -> Result<Option<u32>, TokenizerError> {
        let Some(value) = self.get(&format!("{key}_token_id")) else { return Ok(None) };
        let id = value.as_u64().filter(|&id| id < tokens as u64).and_then(|id| u32::try_from(id).ok());
        id.map(Some).ok_or_else(|| self.wrong(&format!("{key}_token_id"), "the token does not exist"))
    }
}

fn bytes(value: &MetaValue<'_>) -> Option<Vec<u8>> {
    if let MetaValue::Text(text) = value { Some(text.to_vec()) } else { None }
}

impl GgufTokenizer {
    /// Reads the tokenizer of a file. `pre` overrides the file's pre-tokenizer.
    pub(crate) fn load(file: &Gguf, pre: Option<&str>) -> Result<Self, TokenizerError> {
        let keys = Keys { file };
        let model = keys.text("model")?;
        let Some(model) = model.filter(|model| !matches!(model.as_str(), "none" | "no_vocab")) else {
            let reason = "the file has no vocabulary (tokenizer.ggml.model)".into();
            return Err(TokenizerError::Missing { path: keys.path(), reason });
        };
        let names = keys.list("tokens", bytes)?.ok_or_else(|| keys.wrong("tokens", "it is missing"))?;
        let kind = |value: &MetaValue<'_>| TokenKind::of(value.as_u64()?);
        let mut kinds = keys.per_token("token_type", names.len(), TokenKind::Normal, kind)?;
        // Some files mark such tokens as normal, although they are not. As plain text, they would not end anything.
        for (kind, name) in kinds.iter_mut().zip(&names) {
            if std::str::from_utf8(name).is_ok_and(SpecialTokens::is_end) {
                *kind = TokenKind::Control;
            }
        }
        let score = |value: &MetaValue<'_>| value.as_f64().map(|score| score as f32);
        let scores = keys.per_token("scores", names.len(), 0.0, score)?;
        let mut special = SpecialTokens {
            bos: keys.id("bos", names.len())?.or(keys.id("cls", names.len())?),
            eos: keys.id("eos", names.len())?,
            unknown: keys.id("unknown", names.len())?,
            padding: keys.id("padding", names.len())?,
            // The key is misspelled in all files.
            separator: keys.id("seperator", names.len())?.or(keys.id("separator", names.len())?),
            ends: Vec::new(),
        };
        let added = AddedTokens::new(added(&names, &kinds)).map_err(|e| keys.wrong("tokens", e))?;
        let stated = [keys.id("eot", names.len())?, keys.id("eom", names.len())?];
        special.find_ends(stated.into_iter().flatten(), |name| added.special(name));
        let parts = Parts { keys, names, kinds, scores, special, added };
        match model.as_str() {
            "gpt2" | "gemma4" => parts.bpe(&model, pre),
            "llama" => parts.spm(),
            "t5" => parts.unigram(),
            "bert" => parts.word_piece(),
            _ => Err(TokenizerError::UnknownModel {
                path: parts.keys.path(),
                model: quoted(&model),
                known: MODELS.into(),
            }),
        }
    }
}

fn added(names: &[Vec<u8>], kinds: &[TokenKind]) -> Vec<AddedToken> {
    let found = (0u32..)
        .zip(names)
        .zip(kinds)
        .filter(|(_, kind)| kind.is_special() || **kind == TokenKind::UserDefined);
    let token = |((id, name), kind): ((u32, &Vec<u8>), &TokenKind)| AddedToken {
        id,
        text: name.clone(),
        special: kind.is_special(),
        strips: [false; 2],
        whole_word: false,
    };
    found.map(token).collect()
}

/// What every algorithm needs.
struct Parts<'f> {
    keys: Keys<'f>,
    names: Vec<Vec<u8>>,
    kinds: Vec<TokenKind>,
    scores: Vec<f32>,
    special: SpecialTokens,
    added: AddedTokens,
}

impl Parts<'_> {
    fn bpe(mut self, model: &str, pre: Option<&str>) -> Result<GgufTokenizer, TokenizerError> {
        let stated = self.keys.text("pre")?.or_else(|| (model == "gemma4").then(|| model.to_string()));
        let name = pre.map(str::to_string).or(stated);
        let known = name.as_deref().and_then(PreTokenizer::named);
        let pre = known.ok_or_else(|| TokenizerError::UnknownPre {
            path: self.keys.path(),
            pre: name.map_or("is missing".into(), |name| format!("= {} is not known", quoted(&name))),
            known: pre::names().join(", "),
        })?;
        let pre = pre.map_err(|e| self.keys.wrong("pre", e))?;
        let merges =
            self.keys.list("merges", bytes)?.ok_or_else(|| self.keys.wrong("merges", "it is missing"))?;
        let (adds_bos, spelling) = (pre.adds_bos, pre.spelling);
        let vocab = self.vocab(spelling);
        let merges = merges.into_iter().map(Cow::Owned);
        let bpe = Bpe::new(pre, merges, &vocab).map_err(|e| self.keys.wrong("merges", e))?;
        self.finish(vocab, Algorithm::Bpe(Box::new(bpe)), [adds_bos, false], false)
    }

    fn spm(mut self) -> Result<GgufTokenizer, TokenizerError> {
        // If files of this kind name no special tokens, they imply those of SentencePiece.
        let default =
            |id: u32| Some(id).filter(|&id| self.kinds.get(id as usize).is_some_and(|k| k.is_special()));
        self.special.unknown = self.special.unknown.or(default(0));
        self.special.bos = self.special.bos.or(default(1));
        self.special.eos = self.special.eos.or(default(2));
        let space_prefix = self.keys.flag("add_space_prefix")?.unwrap_or(true);
        let algorithm = Algorithm::Spm(Spm { unknown: self.special.unknown });
        let vocab = self.vocab(Spelling::Escaped);
        self.finish(vocab, algorithm, [true, false], space_prefix)
    }

    fn unigram(mut self) -> Result<GgufTokenizer, TokenizerError> {
        let space_prefix = self.keys.flag("add_space_prefix")?.unwrap_or(true);
        let merges_spaces = self.keys.flag("remove_extra_whitespaces")?.unwrap_or(false);
        let byte = |value: &MetaValue<'_>| value.as_int().map(|byte| byte as u8);
        let charsmap = self.keys.list("precompiled_charsmap", byte)?;
        // A charsmap states the length of its first part, which the library trusts.
        if let Some(map) = &charsmap {
            let said = map.first_chunk().map(|said| u32::from_le_bytes(*said) as usize);
            if said.is_none_or(|said| said > map.len() - 4) {
                return Err(self.keys.wrong("precompiled_charsmap", "it is shorter than it claims"));
            }
        }
        let texts = self.names.iter().zip(&self.kinds).enumerate().map(|(i, (name, kind))| {
            // Scaffolding is not text, so no text may spell it.
            if kind.is_special() { format!("\u{0}{i}") } else { String::from_utf8_lossy(name).into_owned() }
        });
        let pieces = texts.zip(self.scores.iter().map(|score| f64::from(*score))).collect();
        let built = LibraryModel::unigram(
            pieces,
            self.special.unknown,
            charsmap.as_deref(),
            space_prefix,
            merges_spaces,
        );
        let model = built.map_err(|e| self.keys.wrong("tokens", e))?;
        let vocab = self.vocab(Spelling::Escaped);
        self.finish(vocab, Algorithm::Library(Box::new(model)), [false, true], space_prefix)
    }

    fn word_piece(mut self) -> Result<GgufTokenizer, TokenizerError> {
        let lowercase = self.keys.flag("normalizer.lowercase")?.unwrap_or(true);
        let strip_accents = self.keys.flag("normalizer.strip_accents")?.unwrap_or(lowercase);
        let mut pieces = serde_json::Map::new();
        let mut unknown = "[UNK]".to_string();
        for ((id, name), kind) in (0u32..).zip(&self.names).zip(&self.kinds) {
            let name = String::from_utf8_lossy(name);
            let piece = match name.strip_prefix(SPACE) {
                Some(first) => first.to_string(),
                None if *kind == TokenKind::Normal => format!("##{name}"),
                None => name.into_owned(),
            };
            if Some(id) == self.special.unknown {
                unknown.clone_from(&piece);
            }
            pieces.insert(piece, id.into());
        }
        if !pieces.contains_key(&unknown) {
            return Err(self.keys.wrong("unknown_token_id", "it is missing"));
        }
        let built = LibraryModel::word_piece(pieces, &unknown, lowercase, strip_accents);
        let model = built.map_err(|e| self.keys.wrong("tokens", e))?;
        let vocab = self.vocab(Spelling::Escaped);
        // The token that separates two sequences also ends them.
        self.special.eos = self.special.eos.or(self.special.separator);
        self.finish(vocab, Algorithm::Library(Box::new(model)), [true, true], true)
    }

    fn vocab(&mut self, spelling: Spelling) -> Vocab {
        let (kinds, scores) = (std::mem::take(&mut self.kinds), std::mem::take(&mut self.scores));
        Vocab::new(&self.names, kinds, scores, spelling)
    }

    /// Returns the tokenizer. `adds` says whether beginning and end are added if the file does not say so.
    fn finish(
        self,
        vocab: Vocab,
        algorithm: Algorithm,
        adds: [bool; 2],
        space_prefix: bool,
    ) -> Result<GgufTokenizer, TokenizerError> {
        let adds_bos = self.keys.flag("add_bos_token")?.unwrap_or(adds[0]);
        let adds_eos = self.keys.flag("add_eos_token")?.unwrap_or(adds[1]);
        let front = self.special.bos.filter(|_| adds_bos).into_iter().collect();
        let back = self.special.eos.filter(|_| adds_eos).into_iter().collect();
        Ok(GgufTokenizer {
            vocab,
            added: self.added,
            algorithm,
            special: self.special,
            ends: [front, back],
            space_prefix,
        })
    }
}
