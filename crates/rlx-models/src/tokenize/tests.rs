//! A small WordPiece tokenizer, and files that do not match the model or are not consistent. A Python script compares
//! the real model's tokens with those of sentence-transformers.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::divide::LARGEST_PIECE;
use super::growth::MAX_WHOLE;
use super::trusted::check_text;
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

/// What a test changes in the usual model.
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

/// Texts with lengths around the size at which they are split have the same tokens as when tokenized as a whole.
#[test]
fn pieces_make_the_same_tokens_as_the_whole() {
    let mut given = Given::new();
    given.encoder.max_positions = 100_000;
    given.sentence.max_tokens = Some(100_000);
    let t = given.load().unwrap();
    let whole = SentenceTokenizer { cuts: None.into(), ..t.clone() };
    assert!(Cuts::of(&t.inner).is_some());
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
    let first = FIRST_PIECE;
    for len in [first - 1, first, first + 1, 3 * first, 10 * first] {
        let mut text = String::new();
        while text.len() < len {
            text.push_str(parts[random.below(parts.len())]);
        }
        assert_eq!(t.row(&text).unwrap(), whole.row(&text).unwrap(), "{len}");
    }
    let word = "x".repeat(2 * first);
    assert_eq!(ids(&t, &format!("{word} a")), [2, 1, 9, 3]);
}

/// Texts with every sort of character, mostly in long runs, for every sort of tokenizer whose texts are split. Pieces
/// are as small as possible, and words of more than four characters are unknown.
#[test]
fn whatever_the_text_its_pieces_make_the_tokens_of_the_whole() {
    let letters = [
        "a", "b", "A", "M", "\u{e9}", "e\u{301}", "\u{b098}", "\u{430}", "\u{130}", "\u{3c3}", "\u{212a}",
        "\u{e01}",
    ];
    let removed = [
        "\0", "\u{7f}", "\u{85}", "\u{200b}", "\u{fffd}", "\u{301}", "\u{5b0}", "\u{e31}", "\u{93f}",
        "\u{302e}",
    ];
    let signs = ["+", "\u{2260}", "\u{226e}", "\u{1f642}", "$", "\u{1d165}", "\u{ff1c}"];
    let ends = [
        " ",
        "\t",
        "\u{a0}",
        "\u{3000}",
        "\u{2028}",
        ",",
        ".",
        "[",
        "]",
        "\u{ff0c}",
        "\u{3002}",
        "\u{8a9e}",
        "\u{f900}",
        "\u{20000}",
    ];
    let tokens = ["[MASK]", "[MA", "SK]", "[UNK]", "[", "MASK", "[PAD"];
    let sorts: [&[&str]; 5] = [&letters, &removed, &signs, &ends, &tokens];
    let mut random = SplitMix64::new(11);
    let normalizers =
        [(None, true, true), (Some(false), true, true), (Some(true), false, true), (None, false, false)];
    for words in ["BertPreTokenizer", "Whitespace", "WhitespaceSplit"] {
        for (strip, lower, clean) in normalizers {
            let mut given = Given::new();
            given.json["normalizer"]["strip_accents"] = json!(strip);
            given.json["normalizer"]["lowercase"] = json!(lower);
            given.json["normalizer"]["clean_text"] = json!(clean);
            given.json["pre_tokenizer"]["type"] = json!(words);
            given.json["model"]["max_input_chars_per_word"] = json!(4);
            (given.encoder.max_positions, given.sentence.max_tokens) = (100_000, Some(100_000));
            for (i, letter) in letters.iter().chain(&signs).enumerate() {
                given.json["model"]["vocab"][letter] = json!(WORDS.len() + i);
                given.json["model"]["vocab"][format!("##{letter}")] = json!(WORDS.len() + 50 + i);
            }
            given.encoder.vocab_size = 200;
            if !clean || strip == Some(false) {
                // Tokens that are found in normalized texts, and one that only has letters.
                for (i, content) in ["a b", "b\u{e9}", "[bb", "M"].iter().enumerate() {
                    let token = json!({"id": 190 + i, "content": content, "single_word": false, "lstrip": i == 2,
                                       "rstrip": i == 1, "normalized": i < 3, "special": false});
                    given.json["added_tokens"].as_array_mut().unwrap().push(token);
                }
            }
            let tokenizer = given.load().unwrap().inner;
            let mut cuts = Cuts::of(&tokenizer).unwrap();
            cuts.lengths = [1, 2];
            let tokens = |text: &str| tokenizer.encode_fast(text, false).unwrap().get_ids().to_vec();
            for _ in 0..400 {
                let mut text = String::new();
                for _ in 0..1 + random.below(6) {
                    let sorts = [sorts[random.below(5)], sorts[random.below(5)]];
                    for _ in 0..[3, 12, 60][random.below(3)] {
                        let sort = sorts[random.below(2)];
                        text.push_str(sort[random.below(sort.len())]);
                    }
                }
                let pieces: Vec<u32> =
                    cuts.pieces(&tokenizer, &text).flat_map(|piece| tokens(&piece)).collect();
                assert_eq!(pieces, tokens(&text), "{words} {strip:?} {lower} {clean} {text:?}");
            }
        }
    }
}

/// Long runs are neither stored nor tokenized as a whole, whatever they consist of.
#[test]
fn texts_without_a_place_to_cut_take_seconds_and_little_memory() {
    let mut given = Given::new();
    let long = |text: &str| text.repeat(10_000_000 / text.len());
    for words in ["BertPreTokenizer", "Whitespace", "WhitespaceSplit"] {
        given.json["pre_tokenizer"]["type"] = json!(words);
        let t = given.load().unwrap();
        for text in
            ["a", "A", "MASK", "\0", "\u{301}", "e\u{301}\0", "\u{e01}\u{e31}", "\u{1f642}", "a+", "\u{8a9e}"]
        {
            // Letters of added tokens are kept if words may contain brackets.
            if words == "WhitespaceSplit" && text.contains('A') {
                continue;
            }
            let text = long(text);
            let cuts = Cuts::of(&t.inner).unwrap();
            let mut pieces = cuts.pieces(&t.inner, &text);
            let first = pieces.next().unwrap();
            assert!(first.len() < 4 * LARGEST_PIECE, "{words}: {} bytes of {:?}", first.len(), &text[..4]);
            let start = Instant::now();
            t.row(&text).unwrap();
            assert!(start.elapsed() < Duration::from_secs(60), "{words} {:?}", start.elapsed());
        }
    }
}

/// A tokenizer that depends on the whole text tokenizes it as a whole, within limits.
#[test]
fn what_cannot_be_cut_is_bounded() {
    let mut given = Given::new();
    given.json["normalizer"] = json!({"type": "NFKC"});
    let t = given.load().unwrap();
    assert!(Cuts::of(&t.inner).is_none());
    assert_eq!(ids(&t, &"hello ".repeat(1000))[..3], [2, 5, 5]);
    let error = t.row(&"hello ".repeat(MAX_WHOLE)).unwrap_err().to_string();
    assert!(error.contains("at most 4194304 bytes"), "{error}");
}

fn replaced(times: usize, content: &str) -> Value {
    let step = json!({"type": "Replace", "pattern": {"String": "a"}, "content": content});
    json!({"type": "Sequence", "normalizers": vec![step; times]})
}

#[test]
fn a_normalizer_that_makes_much_of_little_is_bounded() {
    let mut given = Given::new();
    given.json["normalizer"] = replaced(5, &"a".repeat(1000));
    // The text for probing every tokenizer has no `a`.
    let error = given.load().and_then(|t| t.row("aaa")).unwrap_err().to_string();
    assert!(error.contains("the normalizer may make 1001 bytes of each of"), "{error}");
    let regex = json!({"type": "Replace", "pattern": {"Regex": ""}, "content": "b".repeat(100_000)});
    given.json["normalizer"] = json!({"type": "Sequence", "normalizers": [regex.clone(), regex]});
    given.fails("the normalizer may make 100001 bytes");
    let prepend = json!({"type": "Prepend", "prepend": "x".repeat(20 << 20)});
    given.json["normalizer"] = json!({"type": "Sequence", "normalizers": [prepend]});
    given.fails("the normalizer may make 20971521 bytes");
    given.json["normalizer"] = Value::Null;
    let step =
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false});
    given.json["pre_tokenizer"] = json!({"type": "Sequence", "pretokenizers": vec![step; 40]});
    given.fails("its pre_tokenizer may make texts");
    let mut given = Given::new();
    given.json["normalizer"] = replaced(101, "");
    given.fails("its normalizer has 101 steps; at most 100 are supported");
    given.json["normalizer"] = Value::Null;
    let step = json!({"type": "Digits", "individual_digits": true});
    given.json["pre_tokenizer"] = json!({"type": "Sequence", "pretokenizers": vec![step; 101]});
    given.fails("its pre_tokenizer has 101 steps; at most 100 are supported");
    // Usual settings are not affected.
    let mut given = Given::new();
    given.json["normalizer"] = replaced(3, "a ");
    assert_eq!(ids(&given.load().unwrap(), "aa"), [2, 9, 9, 3]);
}

#[test]
fn what_a_file_says_of_itself_is_held_against_it() {
    let mut given = Given::new();
    given.json["model"]["max_input_chars_per_word"] = json!(1_000_000_000);
    given.fails("max_input_chars_per_word = 1000000000: at most 1000 is supported");
    let mut given = Given::new();
    // A table that claims to have 1 GB.
    given.json["normalizer"] = json!({"type": "Precompiled", "precompiled_charsmap": "AAAAQAAAAAA="});
    given.fails("precompiled_charsmap claims that 1073741824 bytes follow");
    // A merge whose right side, without the length of the prefix, is not valid text: as a pair, as one string, and
    // after an escape.
    let bpe = |merge: Value, prefix: &str| json!({"type": "BPE", "vocab": {"é": 0, "aé": 1, "a": 2, "[UNK]": 3}, "merges": [merge], "continuing_subword_prefix": prefix});
    for merge in [json!(["a", "é"]), json!("a é")] {
        let mut given = Given::new();
        given.json["model"] = bpe(merge, "#");
        given.fails("cannot be removed");
    }
    let mut given = Given::new();
    given.json["model"] = bpe(json!(["a", "é"]), "#####");
    given.fails("cannot be removed");
    let text = serde_json::to_string(&bpe(json!(["a", "é"]), "#")).unwrap();
    let escaped = text.replace("merges", "m\\u0065rges").replace("charsmap", "ch\\u0061rsmap");
    assert!(check_text(&escaped).unwrap_err().contains("cannot be removed"), "{escaped}");
    let usual = json!({"type": "BPE", "vocab": {}, "merges": [["a", "##b"], "a ##é"], "continuing_subword_prefix": "##"});
    assert_eq!(check_text(&usual.to_string()), Ok(()));
    let given = Given::new();
    given.load().unwrap();
    fs::write(given.sentence.encoder.join("tokenizer.json"), "").unwrap();
    let error = SentenceTokenizer::load(&given.encoder, &given.sentence).unwrap_err().to_string();
    assert!(error.contains("it is empty"), "{error}");
}

#[test]
fn inputs_may_be_shorter_than_the_model_takes_and_batches_wider() {
    let tokenizer = Given::new().load().unwrap();
    assert_eq!(tokenizer.clone().with_max_tokens(100).unwrap().max_tokens(), 8);
    let tokenizer = tokenizer.with_max_tokens(4).unwrap();
    // The special tokens at both ends are kept.
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
    given.fails("\"query\" with the id 13, but config.json says vocab_size = 13");
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
