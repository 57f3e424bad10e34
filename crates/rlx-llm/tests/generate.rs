//! Generation end to end, on the small checkpoints of tests/checkpoints with a tokenizer of 64 characters.

use rlx_files::weights::Weights;
use rlx_llm::generate::{
    FinishReason, GenerateError, GenerateOptions, Generator, Piece, Sampling, TokenLogprobs,
};
use rlx_llm::{CacheType, LanguageModel, LlmError, ModelOptions};
use rlx_session::{Device, Session};
use rlx_tokenizer::Tokenizer;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const VOCAB: u32 = 64;

fn checkpoint() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkpoints/qwen3")
}

/// Token i is the character at `!` + i.
fn character(id: u32) -> char {
    char::from_u32(u32::from('!') + id).unwrap()
}

/// Makes a tokenizer of characters, whose token 0 ends sequences if `end` is true.
fn tokenizer(end: Option<u32>) -> Tokenizer {
    let folder = tempfile::tempdir().unwrap();
    let vocab: serde_json::Map<String, serde_json::Value> =
        (0..VOCAB).map(|id| (character(id).to_string(), id.into())).collect();
    let json = serde_json::json!({"model": {"type": "BPE", "vocab": vocab, "merges": []}, "decoder": {"type": "Fuse"}});
    fs::write(folder.path().join("tokenizer.json"), json.to_string()).unwrap();
    let config = serde_json::json!({"eos_token_id": end.into_iter().collect::<Vec<_>>()});
    fs::write(folder.path().join("generation_config.json"), config.to_string()).unwrap();
    Tokenizer::open(folder.path()).unwrap()
}

fn generator(end: Option<u32>, capacity: usize) -> Generator {
    generator_of(1, end, capacity)
}

fn generator_of(batch: usize, end: Option<u32>, capacity: usize) -> Generator {
    let session = Session::new(Device::Cpu);
    let options = ModelOptions { batch, capacity: Some(capacity), ..ModelOptions::default() };
    let model = LanguageModel::open(&checkpoint(), &session, &options).unwrap();
    Generator::new(model, tokenizer(end), session)
}

/// Returns a prompt and the greedy tokens after it, as computed by transformers.
fn expected() -> (Vec<u32>, Vec<u32>) {
    let file = Weights::read(&checkpoint().join("expected.safetensors")).unwrap();
    let ints = |name: &str| -> Vec<u32> {
        file.tensor(name).unwrap().bytes().as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    };
    let all = ints("tokens");
    (all[..all.len() / 2].to_vec(), ints("greedy"))
}

fn greedy(max_tokens: usize) -> GenerateOptions {
    GenerateOptions {
        max_tokens: Some(max_tokens),
        sampling: Sampling::greedy(),
        ..GenerateOptions::default()
    }
}

fn ignore(_: Piece<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn greedy_text_is_that_of_transformers_and_streams() {
    let (prompt, tokens) = expected();
    let mut generator = generator(None, 128);
    let mut text = String::new();
    let done = generator
        .generate(&prompt, &greedy(tokens.len()), &mut |piece| {
            if let Piece::Text(piece) = piece {
                text.push_str(piece);
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(done.tokens, tokens);
    assert_eq!(done.finish, FinishReason::Length);
    assert_eq!(text, tokens.iter().map(|&id| character(id)).collect::<String>());
    assert_eq!(done.text, text);
}

#[test]
fn what_the_cache_holds_of_a_prompt_is_not_read_again() {
    let (prompt, tokens) = expected();
    let mut generator = generator(None, 128);
    let first = generator.generate(&prompt, &greedy(6), &mut ignore).unwrap();
    assert_eq!(first.cached, 0);
    // The same conversation, continued.
    let more: Vec<u32> = prompt.iter().chain(&tokens[..4]).copied().collect();
    let second = generator.generate(&more, &greedy(6), &mut ignore).unwrap();
    assert_eq!((second.cached, &second.tokens[..]), (more.len() - 1, &tokens[4..10]));
    // Another conversation with the same beginning.
    let mut other = prompt[..7].to_vec();
    other.extend([5, 6, 7]);
    let shared = generator.generate(&other, &greedy(6), &mut ignore).unwrap();
    let alone = self::generator(None, 128).generate(&other, &greedy(6), &mut ignore).unwrap();
    assert_eq!((shared.cached, shared.tokens), (7, alone.tokens));
}

#[test]
fn chunks_of_any_size_read_the_same_prompt() {
    let (prompt, tokens) = expected();
    for chunk in [1, 3, 7] {
        let options = GenerateOptions { chunk, ..greedy(8) };
        let mut steps = 0;
        let mut count = |piece: Piece<'_>| {
            steps += usize::from(matches!(piece, Piece::Prompt(..)));
            ControlFlow::Continue(())
        };
        let done = generator(None, 128).generate(&prompt, &options, &mut count).unwrap();
        assert_eq!(done.tokens, tokens[..8]);
        assert_eq!(steps, prompt.len().div_ceil(chunk));
    }
}

#[test]
fn answers_end_for_a_reason() {
    let (prompt, tokens) = expected();
    let end = tokens[3];
    let before: Vec<u32> = tokens.iter().copied().take_while(|&id| id != end).collect();
    let done = generator(Some(end), 128).generate(&prompt, &greedy(12), &mut ignore).unwrap();
    assert_eq!((done.finish, &done.tokens), (FinishReason::End, &before));
    let options = GenerateOptions { ignore_ends: true, ..greedy(12) };
    let done = generator(Some(end), 128).generate(&prompt, &options, &mut ignore).unwrap();
    assert_eq!((done.finish, done.tokens.len()), (FinishReason::Length, 12));

    let text: String = tokens.iter().map(|&id| character(id)).collect();
    let stop = text[2..4].to_string();
    let options = GenerateOptions { stop: vec![stop.clone()], ..greedy(12) };
    let done = generator(None, 128).generate(&prompt, &options, &mut ignore).unwrap();
    let at = text.find(&stop).unwrap();
    assert_eq!((done.finish, done.text), (FinishReason::Stop(stop), text[..at].to_string()));

    // The context is full.
    let room = prompt.len() + 3;
    let done = generator(None, room).generate(&prompt, &greedy(12), &mut ignore).unwrap();
    assert_eq!((done.finish, &done.tokens[..]), (FinishReason::Length, &tokens[..3]));

    let mut generator = generator(None, 128);
    let enough = &mut |piece: Piece<'_>| match piece {
        Piece::Text(_) => ControlFlow::Break(()),
        Piece::Prompt(..) => ControlFlow::Continue(()),
    };
    let done = generator.generate(&prompt, &greedy(12), enough).unwrap();
    assert_eq!((done.finish, done.tokens.len()), (FinishReason::Canceled, 1));
    // What was read stays in the cache.
    assert_eq!(generator.generate(&prompt, &greedy(12), &mut ignore).unwrap().tokens, tokens[..12]);
}

#[test]
fn a_prompt_that_is_too_long_names_both_lengths() {
    let (prompt, _) = expected();
    let mut generator = generator(None, prompt.len());
    let error = generator.generate(&prompt, &greedy(1), &mut ignore).unwrap_err();
    assert!(
        matches!(error, GenerateError::TooLong { prompt: p, context: c } if p == prompt.len() && c == prompt.len())
    );
    assert!(matches!(generator.generate(&[], &greedy(1), &mut ignore), Err(GenerateError::Empty)));
    let bad = GenerateOptions { sampling: Sampling { min_p: -1.0, ..Sampling::default() }, ..greedy(1) };
    let error = generator.generate(&prompt[..3], &bad, &mut ignore).unwrap_err().to_string();
    assert!(error.contains("min_p = -1"), "{error}");
}

#[test]
fn seeds_repeat_and_logprobs_are_the_model_s() {
    let (prompt, tokens) = expected();
    let drawn = |seed| {
        let sampling =
            Sampling { seed, temperature: 2.0, top_k: 0, min_p: 0.0, top_p: 1.0, ..Sampling::default() };
        let options = GenerateOptions { sampling, ..greedy(20) };
        generator(None, 128).generate(&prompt, &options, &mut ignore).unwrap().tokens
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    let options = GenerateOptions { logprobs: Some(3), ..greedy(5) };
    let done = generator(None, 128).generate(&prompt, &options, &mut ignore).unwrap();
    assert_eq!(done.logprobs.len(), 5);
    for (token, found) in tokens.iter().zip(&done.logprobs) {
        assert_eq!((found.top.len(), found.top[0].0, found.top[0].1), (3, *token, found.logprob));
        assert!(found.logprob < 0.0 && found.top[0].1 >= found.top[1].1);
    }
}

#[test]
fn answers_to_several_prompts_are_those_to_each() {
    let (prompt, _) = expected();
    let prompts = [&prompt[..3], &prompt[..], &prompt[1..9]];
    let end = Some(5);
    // Fifteen more than the longest prompt: some answers end, others fill the context.
    let capacity = prompt.len() + 15;
    let options = GenerateOptions {
        sampling: Sampling { seed: 3, repetition_penalty: 1.3, ..Sampling::default() },
        logprobs: Some(2),
        chunk: 7,
        ..GenerateOptions::default()
    };
    let mut together = generator_of(4, end, capacity);
    let mut texts = vec![String::new(); 3];
    let all = together
        .generate_all(&prompts, &options, &mut |i, piece| {
            if let Piece::Text(text) = piece {
                texts[i].push_str(text);
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    let mut reasons = Vec::new();
    for (i, (prompt, found)) in prompts.iter().zip(&all).enumerate() {
        let alone = generator(end, capacity).generate(prompt, &options, &mut ignore).unwrap();
        assert_eq!(found.tokens, alone.tokens, "{i}");
        assert_eq!((&found.text, &found.finish), (&alone.text, &alone.finish), "{i}");
        // The order of sums in products of plain f32 depends on the number of rows.
        let close = |(a, b): (&TokenLogprobs, &TokenLogprobs)| (a.logprob - b.logprob).abs() < 1e-4;
        assert!(found.logprobs.iter().zip(&alone.logprobs).all(close), "{i}");
        assert_eq!(texts[i], found.text);
        reasons.push(found.finish.clone());
    }
    assert!(reasons.contains(&FinishReason::Length), "{reasons:?}");
    // The part of a prompt that a sequence already holds is not read again.
    let again =
        together.generate_all(&prompts[..2], &options, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!([again[0].cached, again[1].cached], [2, prompt.len() - 1]);
    assert_eq!(again[1].tokens, all[1].tokens);
    let five = [&prompt[..3]; 5];
    let error = together.generate_all(&five, &options, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("opened for 4 sequence(s), but got 5"), "{error}");
}

#[test]
fn a_prompt_cache_on_disk_goes_on_where_it_was_written() {
    let (prompt, tokens) = expected();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("prompt.cache");
    let mut first = generator(None, 128);
    first.store(&prompt, 7, &path, &mut ignore).unwrap();
    let written = first.generate(&prompt, &greedy(8), &mut ignore).unwrap();
    assert_eq!((written.cached, &written.tokens[..]), (prompt.len() - 1, &tokens[..8]));
    // In a context of another length, and continued from a part of it.
    let mut second = generator(None, 200);
    assert_eq!(second.restore(&path).unwrap(), prompt.len() - 1);
    assert_eq!(second.cached(&prompt), prompt.len() - 1);
    let read = second.generate(&prompt, &greedy(8), &mut ignore).unwrap();
    assert_eq!((read.cached, &read.tokens), (prompt.len() - 1, &written.tokens));
    let shorter = second.generate(&prompt[..9], &greedy(8), &mut ignore).unwrap();
    let alone = generator(None, 128).generate(&prompt[..9], &greedy(8), &mut ignore).unwrap();
    assert_eq!((shorter.cached, shorter.tokens), (8, alone.tokens));
}

#[test]
fn prompt_caches_that_are_damaged_or_of_others_are_refused() {
    let (prompt, tokens) = expected();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("prompt.cache");
    let mut first = generator(None, 128);
    first.store(&prompt, 7, &path, &mut ignore).unwrap();
    let whole = fs::read(&path).unwrap();
    let refused = |generator: &mut Generator, bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = generator.restore(&path).unwrap_err();
        assert!(matches!(error, GenerateError::Model(LlmError::PromptCache { .. })), "{error}");
        error.to_string()
    };
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        refused(&mut first, &bytes);
        refused(&mut first, &whole[..at]);
    }
    let longer = [whole.clone(), vec![0; 64 << 20]].concat();
    assert!(refused(&mut first, &longer).contains("has at most"));
    // A refused file changes nothing.
    assert_eq!(first.generate(&prompt, &greedy(8), &mut ignore).unwrap().tokens, tokens[..8]);
    let error = refused(&mut generator(None, prompt.len() - 2), &whole);
    assert!(error.contains("more than the context can hold"), "{error}");
    let session = Session::new(Device::Cpu);
    let options = ModelOptions { capacity: Some(128), cache: CacheType::F16, ..ModelOptions::default() };
    let model = LanguageModel::open(&checkpoint(), &session, &options).unwrap();
    let error = refused(&mut Generator::new(model, tokenizer(None), session), &whole);
    assert!(error.contains("another cache type"), "{error}");
}
