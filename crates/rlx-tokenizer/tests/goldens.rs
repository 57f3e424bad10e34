//! Small vocabularies compared with the ids from the tokenizers library and llama.cpp (scripts/tokenizer_goldens.py).

use rlx_tokenizer::{Encode, Tokenizer};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A text, its ids, and its ids if special tokens in it count.
type GoldenCase = (Vec<u8>, [Vec<u32>; 2]);

fn vocabularies() -> Vec<(String, Tokenizer, Vec<GoldenCase>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let ids =
        |value: &Value| value.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect();
    let case = |line: &str| {
        let json: Value = serde_json::from_str(line).unwrap();
        let hex = json["text"].as_str().unwrap().as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        (hex.chunks(2).map(byte).collect(), [ids(&json["ids"]), ids(&json["special"])])
    };
    let open = |folder: PathBuf| {
        let file = folder.join("vocabulary.gguf");
        let tokenizer = Tokenizer::open(if file.exists() { &file } else { &folder }).unwrap();
        let cases = std::fs::read_to_string(folder.join("expected.jsonl")).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap().to_string();
        (name, tokenizer, cases.lines().map(case).collect())
    };
    folders.into_iter().map(open).collect()
}

#[test]
fn ids_are_those_of_the_judges() {
    let all = vocabularies();
    assert_eq!(all.len(), 7);
    for (name, tokenizer, cases) in &all {
        assert!(cases.len() > 100, "{name}");
        for (text, expected) in cases {
            let shown = String::from_utf8_lossy(text);
            for (special, expected) in [false, true].into_iter().zip(expected) {
                let ids = tokenizer.encode(text, Encode { ends: false, special }).unwrap();
                assert_eq!(&ids, expected, "{name}, special {special}: {shown:?}");
            }
        }
    }
}

#[test]
fn streams_give_whole_characters_and_the_text_of_all_tokens() {
    for (name, tokenizer, cases) in &vocabularies() {
        for (_, [ids, _]) in cases {
            let mut stream = tokenizer.stream(true);
            let mut text: String = ids.iter().map(|&id| stream.push(id).unwrap()).collect();
            text += &stream.finish().unwrap();
            assert_eq!(text, String::from_utf8_lossy(&tokenizer.decode(ids, true).unwrap()), "{name}");
        }
    }
}

#[test]
fn byte_vocabularies_give_texts_back() {
    for (name, tokenizer, cases) in &vocabularies() {
        if !(name.contains("byte_level") || name.starts_with("gguf")) {
            continue;
        }
        for (text, [ids, _]) in cases {
            let decoded = tokenizer.decode(ids, true).unwrap();
            // The sign for a space cannot be distinguished from a space.
            let expected = match name.as_str() {
                "gguf_spm" => String::from_utf8_lossy(text).replace('▁', " ").into_bytes(),
                _ => text.clone(),
            };
            assert_eq!(String::from_utf8_lossy(&decoded), String::from_utf8_lossy(&expected), "{name}");
        }
    }
}

#[test]
fn very_long_words_take_no_stack_and_little_time() {
    for (name, tokenizer, _) in &vocabularies() {
        for unit in ["a", "語", " ", "1", "é\u{301}"] {
            let ids = tokenizer.encode(unit.repeat(26_000), Encode::default()).unwrap();
            assert!(!ids.is_empty() || unit == " ", "{name}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_spelled_or_replaced() {
    for (name, tokenizer, _) in &vocabularies() {
        let ids = tokenizer.encode(b"a\xFFb\xE2\x82", Encode::default()).unwrap();
        let text = tokenizer.decode(&ids, true).unwrap();
        match name.as_str() {
            "gguf_spm" => assert_eq!(text, b"a\xFFb\xE2\x82"),
            name if name.starts_with("gguf") => assert_eq!(text, "a\u{FFFD}b\u{FFFD}\u{FFFD}".as_bytes()),
            _ => {}
        }
    }
}
