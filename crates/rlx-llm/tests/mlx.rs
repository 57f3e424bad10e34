//! The built-in model on the device `mlx` writes the same text as on the CPU.

use rlx_exec::{Availability, Backend};
use rlx_gguf::Gguf;
use rlx_llm::{LanguageModel, ModelOptions};
use rlx_mlx::{MlxBackend, MlxMode, MlxOptions};
use rlx_session::{CompileOptions, Device, Session, register_backend};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Once};

/// Sessions on MLX, lazy and compiled, or none if MLX is missing.
fn sessions(test: &str) -> Vec<(MlxMode, Session)> {
    static REGISTERED: Once = Once::new();
    let backend = MlxBackend::new();
    if let Availability::Missing(reason) = backend.availability() {
        writeln!(std::io::stderr(), "skipped: {test}: {reason}").expect("standard error");
        return Vec::new();
    }
    REGISTERED.call_once(|| register_backend(Arc::new(backend)));
    let session = |mode| {
        let options = CompileOptions::new().with_backend(MlxOptions::new().mode(mode));
        (mode, Session::new(Device::Mlx).with_options(options))
    };
    [MlxMode::Lazy, MlxMode::Compiled].map(session).into()
}

fn model(session: &Session, batch: usize) -> LanguageModel {
    let file = Gguf::from_bytes(rlx_tiny_model::GGUF.to_vec(), Path::new("tiny.gguf")).unwrap();
    let options = ModelOptions { batch, ..ModelOptions::default() };
    LanguageModel::from_gguf(file, session, &options).unwrap()
}

fn largest(logits: &[f32]) -> u32 {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap() as u32
}

/// The most likely tokens after prompts that are read together, `count` for each.
fn greedy(session: &Session, prompts: &[&[u32]], count: usize) -> Vec<Vec<u32>> {
    let mut model = model(session, prompts.len());
    let mut logits = model.forward(prompts).unwrap();
    let mut texts = vec![Vec::new(); prompts.len()];
    for _ in 0..count {
        let next: Vec<[u32; 1]> = logits.iter().map(|logits| [largest(logits)]).collect();
        texts.iter_mut().zip(&next).for_each(|(text, next)| text.extend(next));
        logits = model.forward(&next.iter().map(|token| &token[..]).collect::<Vec<_>>()).unwrap();
    }
    texts
}

#[test]
fn two_hundred_tokens_are_those_of_the_cpu() {
    let prompt: &[u32] = &[0, 314, 262, 117, 86];
    let wanted = greedy(&Session::new(Device::Cpu), &[prompt], 200);
    for (mode, session) in sessions("two_hundred_tokens_are_those_of_the_cpu") {
        assert_eq!(greedy(&session, &[prompt], 200), wanted, "{mode}");
    }
}

#[test]
fn texts_of_several_lengths_side_by_side_are_those_of_the_cpu() {
    let prompts: [&[u32]; 3] = [&[0, 314, 262], &[0, 117], &[0, 86, 99, 201, 333, 42, 7]];
    let wanted = greedy(&Session::new(Device::Cpu), &prompts, 30);
    for (mode, session) in sessions("texts_of_several_lengths_side_by_side_are_those_of_the_cpu") {
        assert_eq!(greedy(&session, &prompts, 30), wanted, "{mode}");
    }
}
