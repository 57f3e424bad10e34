//! A small WordPiece tokenizer, and files that do not fit or do not hold together. The real model's tokens are
//! compared with sentence-transformers by a script, which needs Python.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::bert::BertConfig;
use crate::sentence::SentenceConfig;
use rlx_flow::blocks::PoolKind;
use rlx_ir::math::random::SplitMix64;

const WORDS: [&str; 14] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", "##s", ",", "a", "##b", "e", "語",
    "query",
];

fn tokenizer_json() -> Value {
    let vocab: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(i, w)| (w.to_string(), json!(i))).collect();
    let special = |i: usize| {
        json!({"id": i, "content": WORDS[i], "single_word": false, "lstrip": false, "rstrip": false,
               "normalized": false, "special": true})
    };
    let template = |id: &str| json!({"SpecialToken": {"id": id, "type_id": 0}});
    let token = |i: usize| json!({"id": WORDS[i], "ids": [i], "tokens": [WORDS[i]]});
    json!({
        "version": "1.0",
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 4}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                    "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": (0..5).map(special).collect::<Vec<_>>(),
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [template("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, template("[SEP]")],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[CLS]": token(2), "[SEP]": token(3)}},
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocab}
    })
}

/// What a test changes about the usual model.
struct Given {
    json: Value,
    settings: Option<Value>,
    encoder: BertConfig,
    sentence: SentenceConfig,
    _dir: TempDir,
}

impl Given {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Given {
            json: tokenizer_json(),
            settings: None,
            encoder: BertConfig {
                vocab_size: WORDS.len(),
                hidden_size: 4,
                layers: 1,
                heads: 1,
                intermediate_size: 4,
                activation: rlx_ir::Activation::Gelu,
                layer_norm_eps: 1e-12,
                max_positions: 16,
                token_types: 2,
                pad_token: 0,
            },
            sentence: SentenceConfig {
                encoder: dir.path().to_path_buf(),
                pooling: vec![PoolKind::Mean],
                normalize: true,
                max_tokens: Some(8),
                lowercase: false,
                prompt: String::new(),
            },
            _dir: dir,
        }
    }

    fn load(&self) -> Result<SentenceTokenizer, TokenizeError> {
        let dir = &self.sentence.encoder;
        fs::write(dir.join("tokenizer.json"), self.json.to_string()).unwrap();
        if let Some(settings) = &self.settings {
            fs::write(dir.join("tokenizer_config.json"), settings.to_string()).unwrap();
        }
        let max = self.sentence.max_tokens;
        fs::write(dir.join("sentence_bert_config.json"), json!({"max_seq_length": max}).to_string()).unwrap();
        SentenceTokenizer::load(&self.encoder, &self.sentence)
    }

    fn fails(&self, says: &str) {
        let text = self.load().expect_err(says).to_string();
        assert!(text.contains(says), "{text}\nneeds {says}");
    }
}

fn ids(t: &SentenceTokenizer, text: &str) -> Vec<i32> {
    t.row(text).unwrap().ids
}

#[test]
fn texts_become_tokens() {
    let t = Given::new().load().unwrap();
    assert_eq!(ids(&t, "Hello, Worlds"), [2, 5, 8, 6, 7, 3]);
    assert_eq!(ids(&t, ""), [2, 3]);
    assert_eq!(ids(&t, " \n\0\u{7f}"), [2, 3]);
    assert_eq!(ids(&t, "é語[MASK]🙂"), [2, 11, 12, 4, 1, 3]);
}

#[test]
fn the_settings_for_sentences_cut_not_those_of_the_file() {
    let t = Given::new().load().unwrap();
    assert_eq!(ids(&t, &"hello ".repeat(7)), [2, 5, 5, 5, 5, 5, 5, 3]);
    let mut given = Given::new();
    given.sentence.max_tokens = None;
    assert_eq!(given.load().unwrap().max_tokens(), 16);
    for (stated, max) in [(json!(5), 5), (json!(1e30), 16), (Value::Null, 16)] {
        given.settings = Some(json!({"model_max_length": stated}));
        assert_eq!(given.load().unwrap().max_tokens(), max);
    }
}

#[test]
fn batches_are_filled_up_to_the_longest() {
    let t = Given::new().load().unwrap();
    let batch = t.batch(&["a", "hello world a", ""]).unwrap();
    assert_eq!((batch.rows, batch.width), (3, 5));
    assert_eq!(batch.ids, [2, 9, 3, 0, 0, 2, 5, 6, 9, 3, 2, 3, 0, 0, 0]);
    assert_eq!(batch.mask, [1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
    assert_eq!(batch.types, [0; 15]);
    let none = t.batch::<&str>(&[]).unwrap();
    assert_eq!((none.rows, none.width, none.ids.len()), (0, 0, 0));
}

#[test]
fn a_prompt_stands_before_every_text() {
    let mut given = Given::new();
    given.sentence.prompt = "Query ".into();
    assert_eq!(ids(&given.load().unwrap(), "a"), [2, 13, 9, 3]);
}

#[test]
fn lower_case_can_be_asked_for_on_top() {
    let mut given = Given::new();
    given.json["normalizer"]["lowercase"] = json!(false);
    assert_eq!(ids(&given.load().unwrap(), "HELLO"), [2, 1, 3]);
    given.sentence.lowercase = true;
    assert_eq!(ids(&given.load().unwrap(), "HELLO"), [2, 5, 3]);
}

/// Texts around the size at which they are taken in pieces have the tokens of the whole.
#[test]
fn pieces_make_the_same_tokens_as_the_whole() {
    let mut given = Given::new();
    given.encoder.max_positions = 100_000;
    given.sentence.max_tokens = Some(100_000);
    let t = given.load().unwrap();
    let whole = SentenceTokenizer { cuts: None, ..t.clone() };
    assert!(t.cuts.is_some());
    let parts = [
        "hello ",
        "ab\u{301} ",
        "語",
        "worlds,\t",
        "[MASK]",
        "\u{85}a",
        "e\u{301}\r",
        " \u{301}",
        "🙂",
        ",\u{301}",
        "a",
        "語\u{301}",
        ".",
        "\u{f900}",
    ];
    let mut random = SplitMix64::new(7);
    for len in [FIRST_PIECE - 1, FIRST_PIECE, FIRST_PIECE + 1, 3 * FIRST_PIECE, 10 * FIRST_PIECE] {
        let mut text = String::new();
        while text.len() < len {
            text.push_str(parts[random.below(parts.len())]);
        }
        assert_eq!(t.row(&text).unwrap(), whole.row(&text).unwrap(), "{len}");
    }
    let word = "x".repeat(2 * FIRST_PIECE);
    assert_eq!(ids(&t, &format!("{word} a")), [2, 1, 9, 3]);
}

#[test]
fn ten_megabytes_take_seconds() {
    let t = Given::new().load().unwrap();
    let texts = ["hello world, ", "a", "語", ",", "\0"];
    for text in texts {
        let long = text.repeat(10_000_000 / text.len());
        let start = Instant::now();
        assert!(t.row(&long).unwrap().ids.len() <= 8);
        // Generous, for an unoptimised build on a machine that others use too.
        assert!(start.elapsed() < Duration::from_secs(60), "{text:?}: {:?}", start.elapsed());
    }
}

#[test]
fn inputs_may_be_shorter_than_the_model_takes_and_batches_wider() {
    let tokenizer = Given::new().load().unwrap();
    assert_eq!(tokenizer.clone().with_max_tokens(100).unwrap().max_tokens(), 8);
    let tokenizer = tokenizer.with_max_tokens(4).unwrap();
    // The tokens at the ends stay.
    let row = tokenizer.row("hello world a e").unwrap();
    assert_eq!(row.ids, [2, 5, 6, 3]);
    let batch = tokenizer.pack(&[row], 6);
    assert_eq!(
        (batch.width, batch.ids.as_slice(), batch.mask.as_slice()),
        (6, &[2, 5, 6, 3, 0, 0][..], &[1, 1, 1, 1, 0, 0][..])
    );
    assert!(tokenizer.with_max_tokens(2).unwrap_err().to_string().contains("the longest input is 2 tokens"));
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let mut given = Given::new();
    given.encoder.vocab_size = 13;
    given.fails("\"query\" with the number 13, and config.json says vocab_size = 13");
    let mut given = Given::new();
    given.sentence.max_tokens = Some(17);
    given.fails("max_seq_length = 17: config.json says max_position_embeddings = 16");
    let mut given = Given::new();
    given.sentence.max_tokens = Some(2);
    given.fails("the longest input is 2 tokens");
    let mut given = Given::new();
    given.encoder.token_types = 1;
    given.json["post_processor"]["single"][0]["SpecialToken"]["type_id"] = json!(1);
    given.fails("tokens that the model does not have");
}

#[test]
fn settings_that_contradict_the_tokenizer_are_refused() {
    let rows = [
        (json!({"do_lower_case": false}), "contradict each other"),
        (json!({"strip_accents": false}), "contradict each other"),
        (json!({"tokenize_chinese_chars": false}), "contradict each other"),
        (json!({"padding_side": "left"}), "padding_side = \"left\""),
        (json!({"truncation_side": "left"}), "truncation_side = \"left\""),
    ];
    for (settings, says) in rows {
        let mut given = Given::new();
        given.settings = Some(settings);
        given.fails(says);
    }
    let mut given = Given::new();
    given.settings = Some(json!({"do_lower_case": false, "tokenizer_class": "PreTrainedTokenizerFast"}));
    given.load().unwrap();
}

#[test]
fn files_that_are_not_tokenizers() {
    let mut rows = vec![json!({}), json!([]), json!("x"), Value::Null];
    let mut change = |edit: fn(&mut Value)| {
        let mut json = tokenizer_json();
        edit(&mut json);
        rows.push(json);
    };
    change(|j| j["model"]["type"] = json!("Oracle"));
    change(|j| j["model"]["vocab"] = json!({}));
    change(|j| j["model"]["unk_token"] = json!("[NONE]"));
    change(|j| j["model"]["vocab"]["hello"] = json!(-1));
    change(|j| j["post_processor"]["special_tokens"] = json!({}));
    change(|j| {
        let inner = json!({"type": "Sequence", "processors": [j["post_processor"].take()]});
        j["post_processor"] = inner;
        j["post_processor"]["processors"][0]["special_tokens"] = json!({});
    });
    change(|j| j["post_processor"]["special_tokens"]["[CLS]"]["ids"] = json!([4_000_000_000u32]));
    change(|j| j["post_processor"]["single"] = json!([]));
    change(|j| {
        j["pre_tokenizer"] =
            json!({"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": false})
    });
    for json in rows {
        let mut given = Given::new();
        given.json = json;
        let error = given.load().map(|_| given.json.to_string()).expect_err("must fail");
        assert!(matches!(error, TokenizeError::NotATokenizer { .. } | TokenizeError::Text { .. }), "{error}");
    }
    let mut given = Given::new();
    given.sentence.encoder = given.sentence.encoder.join("none");
    let error = SentenceTokenizer::load(&given.encoder, &given.sentence).unwrap_err();
    assert!(error.to_string().contains("no such file"), "{error}");
}
