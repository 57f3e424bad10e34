//! A folder of a sentence encoder is refused with an error, or tokenizes texts. An input is the files in the order of
//! `FILES`, separated by lines `====`; empty files are left out.

#![no_main]

use std::fs;
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use rlx_models::bert::BertConfig;
use rlx_models::sentence::SentenceConfig;
use rlx_models::tokenize::SentenceTokenizer;

const FILES: [&str; 6] = [
    "config.json",
    "tokenizer.json",
    "modules.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
];

thread_local! {
    static DIR: tempfile::TempDir = {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("1_Pooling")).expect("a folder");
        dir
    };
}

/// Ends the process on a panic, as libFuzzer's own hook does, except for panics in the tokenizers library, which are
/// caught and become errors.
fn end_at_panics_of_our_own() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_caught = info.location().is_some_and(|at| at.file().contains("/tokenizers-"));
            if !is_caught {
                hook(info);
            }
        }));
    });
}

fuzz_target!(|text: &str| {
    end_at_panics_of_our_own();
    DIR.with(|dir| {
        let mut parts = text.split("\n====\n");
        for name in FILES {
            let path = dir.path().join(name);
            match parts.next().filter(|part| !part.is_empty()) {
                Some(part) => fs::write(&path, part).expect("written"),
                None => drop(fs::remove_file(&path)),
            }
        }
        let Ok(sentence) = SentenceConfig::load(dir.path()) else { return };
        let Ok(encoder) = BertConfig::load(&sentence.encoder.join("config.json")) else { return };
        let Ok(tokenizer) = SentenceTokenizer::load(&encoder, &sentence) else { return };
        for text in ["", "Two words.", "ünïcode ﬀ \u{301}", "\u{0}\n\t"] {
            if let Ok(row) = tokenizer.row(text) {
                assert!(row.ids.len() <= tokenizer.max_tokens());
            }
        }
    });
});
