//! Learns vocabularies from text.

use super::{TokenizerError, guarded};
use std::path::Path;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl,
};

/// The token before and after each text, with id 0.
pub const TEXT_END: &str = "<|endoftext|>";

/// Learns byte pairs as in GPT-2 (Sennrich et al., 2016, <https://arxiv.org/abs/1508.07909>; Radford et al., 2019).
/// Returns the text of a `tokenizer.json` with at most `vocab` tokens, including [`TEXT_END`] and the 256 bytes.
/// Equal texts produce equal tokens.
///
/// # Errors
/// Returns [`TokenizerError::NotATokenizer`] with the name that is passed for the future `tokenizer.json`.
pub fn learn_bpe<'t>(
    texts: impl Iterator<Item = &'t str> + Send,
    vocab: usize,
    path: &Path,
) -> Result<String, TokenizerError> {
    type Learnt =
        TokenizerImpl<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;
    let learn = || -> Result<String, tokenizers::Error> {
        let mut trainer = BpeTrainer::builder()
            .show_progress(false)
            .vocab_size(vocab)
            .special_tokens(vec![AddedToken::from(TEXT_END, true)])
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .build();
        let mut tokenizer = Learnt::new(BPE::default());
        tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, true, true)));
        tokenizer.with_decoder(Some(ByteLevel::new(false, true, true)));
        let begun = TemplateProcessing::builder()
            .try_single(format!("{TEXT_END} $A"))?
            .special_tokens(vec![(TEXT_END, 0)])
            .build()?;
        tokenizer.with_post_processor(Some(begun));
        tokenizer.train(&mut trainer, texts)?;
        tokenizer.to_string(true)
    };
    guarded(|| learn().map_err(|e| e.to_string()))
        .map_err(|reason| super::not_a_tokenizer(path.into(), &reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encode, Tokenizer};

    #[test]
    fn frequent_pairs_become_tokens_the_same_each_time() {
        let texts = ["low lower lowest", "low low newer newest", "wide wider"];
        let learn = || learn_bpe(texts.into_iter(), 270, Path::new("t")).unwrap();
        let text = learn();
        assert!((0..5).all(|_| learn() == text));
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("tokenizer.json"), &text).unwrap();
        let tokenizer = Tokenizer::from_folder(dir.path()).unwrap();
        assert_eq!(tokenizer.len(), 270);
        let ids = tokenizer.encode("low lower", Encode { ends: true, special: false }).unwrap();
        // Each word has become one token.
        assert_eq!((ids[0], ids.len()), (0, 3), "{ids:?}");
        assert_eq!(tokenizer.decode(&ids, false).unwrap(), b"low lower");
        let parts =
            tokenizer.encode("a<|endoftext|>\u{1F600}", Encode { ends: false, special: true }).unwrap();
        assert_eq!((parts[1], parts.len()), (0, 6));
    }
}
