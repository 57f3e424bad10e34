//! Saves and loads the cached part of a sequence: its tokens, the states after them, and a fingerprint of the model.
//! Files are written completely or not at all, and are rejected if any part does not match the model.

use crate::checkpoint::CheckpointFiles;
use crate::error::LlmError;
use crate::graph::{ModelState, StateKind};
use crate::model::LanguageModel;
use rlx_files::files::open_regular;
use rlx_files::weights::{StoredType, Tensor, Weights, save};
use rlx_ir::DType;
use std::collections::BTreeMap;
use std::path::Path;

/// The metadata of the file: its kind, the fingerprint of the model, and the checksum of the values.
const KIND: (&str, &str) = ("rlx.kind", "prompt cache 1");
const MODEL: &str = "rlx.model";
const CHECKSUM: &str = "rlx.checksum";
/// The name of the tensor with the tokens.
const TOKENS: &str = "tokens";
/// How many bytes of each tensor of the model are included in the fingerprint.
const SAMPLE: usize = 4096;
/// An upper bound for the size of a file's header.
const MAX_HEADER: u64 = 1 << 20;

impl LanguageModel {
    /// Writes the cached part of the first sequence to a file: its tokens, and the states after them alone.
    ///
    /// # Errors
    /// Returns [`LlmError::Weights`] if the file cannot be written.
    pub(crate) fn save_sequence(&mut self, path: &Path) -> Result<(), LlmError> {
        self.settle()?;
        let tokens = self.tokens(0);
        let mut values = vec![(TOKENS.to_string(), DType::U32, vec![tokens.len()], bytes_of(tokens))];
        for state in self.states() {
            let SequenceState { dims, runs } = self.sequence_state(state, tokens.len());
            let all = self.program().handle(&state.name)?;
            let bytes = runs.iter().flat_map(|&(at, len)| &all[at..at + len]).copied().collect();
            values.push((state.name.clone(), state.shape.dtype(), dims, bytes));
        }
        let checksum = checksum(values.iter().map(|(_, _, _, bytes)| bytes.as_slice()));
        let tensors: Vec<Tensor<'_>> = values
            .iter()
            .filter_map(|(name, dtype, shape, bytes)| {
                Some(Tensor { name, stored: StoredType::of(*dtype)?, shape, bytes })
            })
            .collect();
        let about = [(KIND.0, KIND.1.to_string()), (MODEL, self.fingerprint()), (CHECKSUM, checksum)];
        let about: BTreeMap<String, String> = about.map(|(key, value)| (key.to_string(), value)).into();
        Ok(save(path, &tensors, &about)?)
    }

    /// Loads tokens and the states after them from a file as the first sequence, and returns the tokens.
    ///
    /// # Errors
    /// Returns [`LlmError::PromptCache`] if the file is damaged, or belongs to another model or cache type. The model
    /// is then unchanged.
    pub(crate) fn load_sequence(&mut self, path: &Path) -> Result<Vec<u32>, LlmError> {
        if self.sequences() == 0 {
            return Err(LlmError::Batch { expected: 0, found: 1 });
        }
        let wrong = |reason: &str| LlmError::PromptCache { path: path.to_path_buf(), reason: reason.into() };
        let most = self.cache_bytes().saturating_add(4 * self.capacity() as u64).saturating_add(MAX_HEADER);
        let (_, len) = open_regular(path).map_err(|e| wrong(&e.to_string()))?;
        if len > most {
            return Err(wrong(&format!("it has {len} bytes, but a cache of this size has at most {most}")));
        }
        let file = Weights::read(path).map_err(|_| wrong("the file is damaged or not a prompt cache"))?;
        let said = |key: &str| file.metadata().get(key).map(String::as_str).unwrap_or_default();
        if said(KIND.0) != KIND.1 {
            return Err(wrong("the file is not a prompt cache"));
        }
        if said(MODEL) != self.fingerprint() {
            return Err(wrong("it belongs to another model or another cache type"));
        }
        let tensor = |name: &str| file.get(name).ok_or_else(|| wrong("a state is missing"));
        let tokens = tensor(TOKENS)?;
        let is_list = tokens.stored_type().dtype() == Some(DType::U32) && tokens.shape().len() == 1;
        let tokens: Vec<u32> = tokens.bytes().as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let vocab = self.spec().vocab;
        if !is_list || tokens.iter().any(|&token| token as usize >= vocab) {
            return Err(wrong("its tokens are not in the model's vocabulary"));
        }
        if tokens.len() > self.capacity() {
            return Err(wrong(&format!("its {} tokens are more than the context can hold", tokens.len())));
        }
        let mut next = Vec::new();
        let mut parts = vec![tensor(TOKENS)?.bytes()];
        for state in self.states() {
            let SequenceState { dims, runs } = self.sequence_state(state, tokens.len());
            let stored = tensor(&state.name)?;
            if stored.shape() != dims || stored.stored_type().dtype() != Some(state.shape.dtype()) {
                return Err(wrong("a state has the wrong shape or type"));
            }
            let mut all = self.program().handle(&state.name)?.into_owned();
            let mut rest = stored.bytes();
            for (at, len) in runs {
                let (now, later) = rest.split_at(len);
                all[at..at + len].copy_from_slice(now);
                rest = later;
            }
            parts.push(stored.bytes());
            next.push(all);
        }
        if said(CHECKSUM) != checksum(parts.into_iter()) {
            return Err(wrong("the file is damaged"));
        }
        self.set_sequence(&next, &tokens)?;
        Ok(tokens)
    }

    /// Returns where the state of the first sequence is stored after `tokens` tokens.
    fn sequence_state(&self, state: &ModelState, tokens: usize) -> SequenceState {
        // The first axis is the sequence; the third is the token.
        let capacity = self.capacity();
        let dims: Vec<usize> =
            state.shape.dims().iter().skip(1).map(|dim| dim.as_static().unwrap_or(capacity)).collect();
        let size = state.shape.dtype().size();
        match (state.kind, &dims[..]) {
            (StateKind::Rows, &[heads, rows, row]) => SequenceState {
                dims: vec![heads, tokens, row],
                runs: (0..heads).map(|head| (head * rows * row * size, tokens * row * size)).collect(),
            },
            _ => SequenceState { runs: vec![(0, dims.iter().product::<usize>() * size)], dims },
        }
    }

    /// Returns a checksum of the settings, the cache type, and the first bytes of each tensor.
    fn fingerprint(&self) -> String {
        let mut crc = crc32fast::Hasher::new();
        crc.update(format!("{:?}", self.spec()).as_bytes());
        for state in self.states() {
            crc.update(format!("{} {:?}", state.name, state.shape.dtype()).as_bytes());
        }
        let mut add = |name: &str, bytes: &[u8]| {
            crc.update(name.as_bytes());
            crc.update(&(bytes.len() as u64).to_le_bytes());
            crc.update(&bytes[..bytes.len().min(SAMPLE)]);
        };
        match &self.checkpoint().files {
            CheckpointFiles::Safetensors(weights) => {
                weights.all().iter().for_each(|t| add(t.name(), t.bytes()))
            }
            CheckpointFiles::Gguf(file) => file.tensors().for_each(|t| add(t.name(), t.stored_bytes())),
        }
        crc.update(self.adapters().as_bytes());
        format!("{:08x}", crc.finalize())
    }
}

/// The part of a state that belongs to one sequence: its dimensions, and its bytes as pairs of offset and length.
struct SequenceState {
    dims: Vec<usize>,
    runs: Vec<(usize, usize)>,
}

fn bytes_of(tokens: &[u32]) -> Vec<u8> {
    tokens.iter().flat_map(|token| token.to_le_bytes()).collect()
}

fn checksum<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut crc = crc32fast::Hasher::new();
    parts.for_each(|bytes| crc.update(bytes));
    format!("{:08x}", crc.finalize())
}
