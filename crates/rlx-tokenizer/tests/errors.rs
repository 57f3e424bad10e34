//! Files that are not tokenizers, and input that a tokenizer cannot process, are refused with the file, the key and
//! what to do.

use rlx_gguf::{Array, Gguf, GgufWriter, MetaType, MetaValue};
use rlx_tokenizer::{Encode, Prompt, Tokenizer, TokenizerError};
use std::path::Path;

/// Makes a small vocabulary with changes.
fn gguf(change: impl FnOnce(&mut GgufWriter<'_>)) -> Result<Tokenizer, TokenizerError> {
    let mut writer = GgufWriter::new();
    let texts = |texts: &[&str]| {
        MetaValue::Array(Array::new(MetaType::Text, texts.iter().map(|text| MetaValue::from(*text))))
    };
    let kinds = [3, 1, 1, 1, 1].map(MetaValue::I32);
    writer.set("tokenizer.ggml.model", "gpt2".into());
    writer.set("tokenizer.ggml.pre", "gpt-2".into());
    writer.set("tokenizer.ggml.tokens", texts(&["<|im_end|>", "a", "b", "ab", "Ġ"]));
    writer.set("tokenizer.ggml.token_type", MetaValue::Array(Array::new(MetaType::I32, kinds)));
    writer.set("tokenizer.ggml.merges", texts(&["a b"]));
    change(&mut writer);
    Tokenizer::from_gguf(&Gguf::from_bytes(writer.to_bytes().unwrap(), Path::new("x.gguf")).unwrap())
}

fn refused(change: impl FnOnce(&mut GgufWriter<'_>)) -> String {
    let error = gguf(change).map(drop).unwrap_err().to_string();
    assert!(error.contains("x.gguf"), "{error}");
    error
}

#[test]
fn files_are_refused_by_key() {
    let unknown = refused(|w| w.set("tokenizer.ggml.pre", "new-one".into()));
    assert!(unknown.contains("new-one") && unknown.contains("llama-bpe"), "{unknown}");
    let model = refused(|w| w.set("tokenizer.ggml.model", "rwkv".into()));
    assert!(model.contains("rwkv") && model.contains("bert"), "{model}");
    assert!(refused(|w| w.set("tokenizer.ggml.model", "no_vocab".into())).contains("no vocabulary"));
    assert!(refused(|w| w.set("tokenizer.ggml.eos_token_id", MetaValue::U32(5))).contains("eos_token_id"));
    assert!(refused(|w| w.set("tokenizer.ggml.tokens", MetaValue::U32(5))).contains("tokens"));
    let scores = Array::new(MetaType::F32, [MetaValue::F32(0.0)]);
    assert!(
        refused(|w| w.set("tokenizer.ggml.scores", MetaValue::Array(scores)))
            .contains("1 values for 5 tokens")
    );
    let merges = Array::new(MetaType::Text, [MetaValue::from("ab")]);
    assert!(refused(|w| w.set("tokenizer.ggml.merges", MetaValue::Array(merges))).contains("merge 0"));
    let map = Array::new(MetaType::U8, [200, 1, 0, 0, 7].map(MetaValue::U8));
    let charsmap = |w: &mut GgufWriter<'_>| {
        w.set("tokenizer.ggml.model", "t5".into());
        w.set("tokenizer.ggml.precompiled_charsmap", MetaValue::Array(map));
    };
    assert!(refused(charsmap).contains("precompiled_charsmap"));
}

#[test]
fn folders_are_refused_by_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = |file: &str, text: &str| {
        std::fs::write(folder.path().join(file), text).unwrap();
        Tokenizer::open(folder.path()).map(drop).unwrap_err().to_string()
    };
    assert!(Tokenizer::open(folder.path()).unwrap_err().to_string().contains("no tokenizer.json"));
    assert!(error("tokenizer.json", "{}").contains("not a tokenizer"));
    assert!(error("tokenizer_config.json", "[").contains("tokenizer_config.json"));
}

#[test]
fn tokens_that_there_are_not_are_errors() {
    let tokenizer = gguf(|_| {}).unwrap();
    assert!(matches!(tokenizer.decode(&[1, 5], true), Err(TokenizerError::OutOfRange { id: 5, len: 5 })));
    assert!(tokenizer.stream(true).push(9).is_err());
    assert_eq!(tokenizer.special_id("<|im_end|>").unwrap(), 0);
    assert_eq!(
        tokenizer.special_id("<|eot|>").unwrap_err().to_string(),
        "the vocabulary has no token \"<|eot|>\""
    );
    // A normal token is not a special one.
    assert!(tokenizer.special_id("ab").is_err());
}

#[test]
fn the_beginning_is_there_once() {
    let with_bos = |w: &mut GgufWriter<'_>| {
        w.set("tokenizer.ggml.bos_token_id", MetaValue::U32(0));
        w.set("tokenizer.ggml.add_bos_token", MetaValue::Bool(true));
    };
    let tokenizer = gguf(with_bos).unwrap();
    assert_eq!(tokenizer.encode("ab", Encode { ends: true, special: false }).unwrap(), [0, 3]);
    assert_eq!(tokenizer.encode_start(&Prompt::scaffolding("ab")).unwrap(), [0, 3]);
    assert_eq!(tokenizer.encode_start(&Prompt::scaffolding("<|im_end|>ab")).unwrap(), [0, 3]);
    // A template's own token is kept if the tokenizer does not add one.
    let plain = gguf(|w| w.set("tokenizer.ggml.bos_token_id", MetaValue::U32(0))).unwrap();
    assert_eq!(plain.encode_start(&Prompt::scaffolding("<|im_end|>ab")).unwrap(), [0, 3]);
    assert_eq!(plain.encode_start(&Prompt::scaffolding("ab")).unwrap(), [3]);
}

#[test]
fn ends_are_found_by_name_and_number() {
    let tokenizer = gguf(|w| w.set("tokenizer.ggml.eot_token_id", MetaValue::U32(2))).unwrap();
    assert_eq!(tokenizer.special().ends, [0, 2]);
    // A file that marks such a token as normal is overruled.
    let kinds = [1; 5].map(MetaValue::I32);
    let normal = |w: &mut GgufWriter<'_>| {
        w.set("tokenizer.ggml.token_type", MetaValue::Array(Array::new(MetaType::I32, kinds)));
    };
    assert_eq!(gguf(normal).unwrap().special().ends, [0]);
}

#[test]
fn text_is_never_merged_into_a_special_token() {
    let scores = [0.0, -1.0, -1.0, -1.0, -1.0].map(MetaValue::F32);
    let tokenizer = gguf(|w| {
        w.set("tokenizer.ggml.model", "llama".into());
        let tokens = ["ab", "a", "b", "▁", "c"].map(MetaValue::from);
        w.set("tokenizer.ggml.tokens", MetaValue::Array(Array::new(MetaType::Text, tokens)));
        w.set("tokenizer.ggml.scores", MetaValue::Array(Array::new(MetaType::F32, scores)));
    });
    let tokenizer = tokenizer.unwrap();
    assert_eq!(tokenizer.encode("ab", Encode::default()).unwrap(), [3, 1, 2]);
    assert_eq!(tokenizer.encode("ab", Encode { ends: false, special: true }).unwrap(), [0]);
}
