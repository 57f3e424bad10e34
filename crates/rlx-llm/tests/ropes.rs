//! Every kind of rotary embedding compared with the reference, before, at and after the lengths at which angles
//! change.
//!
//! Texts are read in one run, in parts, next to other sequences, and from prompt caches. scripts/rope_goldens.py
//! computed the expected values without a cache.

mod comparison;

use comparison::{best, error, tokenizer};
use rlx_files::weights::Weights;
use rlx_llm::generate::{GenerateOptions, Generator, Sampling};
use rlx_llm::{LanguageModel, LlmError, ModelOptions, ModelSteps};
use rlx_session::{Device, Session};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Cases whose angles change with the length of a text, with the length at which they first do.
const STRETCHED: [(&str, usize); 9] = [
    ("dynamic", 24),
    ("dynamic_window", 24),
    ("longrope", 12),
    ("longrope_attention_factor", 12),
    ("longrope_partial", 24),
    ("longrope_phi3", 24),
    ("longrope_window", 24),
    ("mrope_dynamic", 24),
    ("two_ropes", 24),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ropes")
}

/// A case: the settings and weights of a model in a folder, and the results of the reference.
struct Case {
    name: String,
    model: tempfile::TempDir,
    tokens: Vec<u32>,
    /// Lengths of texts, and the logits after each.
    texts: Vec<(usize, Vec<f32>)>,
    /// The number of given tokens, and the greedy tokens after them.
    greedy: (usize, Vec<u32>),
}

impl Case {
    fn all() -> Vec<Case> {
        let expected = Weights::read(&folder().join("expected.safetensors")).expect("what the script wrote");
        let mut names: Vec<String> = fs::read_dir(folder())
            .expect("listed")
            .filter_map(|e| {
                e.expect("an entry").file_name().to_str()?.strip_suffix(".json").map(String::from)
            })
            .collect();
        names.sort();
        assert!(names.len() > 15, "{names:?}");
        names.iter().map(|name| Case::load(name, &expected)).collect()
    }

    fn load(name: &str, expected: &Weights) -> Case {
        let ints = |what: &str| -> Vec<u32> {
            let bytes = expected.tensor(&format!("{name}.{what}")).expect("written").bytes();
            bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
        };
        let settings = fs::read_to_string(folder().join(format!("{name}.json"))).expect("read");
        let json: serde_json::Value = serde_json::from_str(&settings).expect("JSON");
        let weights = format!("{}.safetensors", json["weights"].as_str().expect("a family"));
        let model = tempfile::tempdir().expect("a folder");
        fs::write(model.path().join("config.json"), settings).expect("written");
        fs::copy(folder().join(weights), model.path().join("model.safetensors")).expect("copied");
        let logits = expected.tensor(&format!("{name}.logits")).expect("written");
        let vocab = logits.shape()[1];
        let logits = logits.to_f32().expect("f32");
        let lengths = ints("lengths").into_iter().map(|n| n as usize);
        Case {
            name: name.into(),
            model,
            tokens: ints("tokens"),
            texts: lengths.zip(logits.chunks(vocab).map(<[f32]>::to_vec)).collect(),
            greedy: (ints("begin")[0] as usize, ints("greedy")),
        }
    }

    fn named(name: &str) -> Case {
        let expected = Weights::read(&folder().join("expected.safetensors")).expect("what the script wrote");
        Case::load(name, &expected)
    }

    fn open(&self, batch: usize, capacity: usize) -> LanguageModel {
        let options = ModelOptions { batch, capacity: Some(capacity), ..ModelOptions::default() };
        LanguageModel::open(self.model.path(), &Session::new(Device::Cpu), &options)
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn longest(&self) -> usize {
        self.tokens.len()
    }

    /// Fails unless these are the logits after the first n tokens.
    fn check(&self, n: usize, logits: &[f32], how: &str) {
        let (_, right) = self.texts.iter().find(|(length, _)| *length == n).expect("a length");
        let apart = error(logits, right);
        assert!(apart < 2e-5, "{} {how}: after {n} tokens {apart} apart", self.name);
    }
}

/// Returns the logits after the last of some tokens, read in parts that have at most these sizes in turn.
fn in_parts(model: &mut LanguageModel, tokens: &[u32], sizes: &[usize]) -> Vec<f32> {
    let mut rest = tokens;
    let mut last = Vec::new();
    for &size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (now, later) = rest.split_at(size.min(rest.len()));
        last = model.forward(&[now]).expect("runs").remove(0);
        rest = later;
    }
    last
}

#[test]
fn texts_of_every_length_are_the_references_whole_and_in_parts() {
    for case in Case::all() {
        let mut model = case.open(1, case.longest());
        for sizes in [&[1000][..], &[1], &[5, 1, 9], &[11]] {
            for (n, _) in &case.texts {
                model.reset().expect("memory");
                let logits = in_parts(&mut model, &case.tokens[..*n], sizes);
                case.check(*n, &logits, &format!("in parts of {sizes:?}"));
            }
        }
    }
}

#[test]
fn a_text_that_grows_and_shrinks_has_the_angles_of_its_length() {
    for case in Case::all() {
        let mut model = case.open(1, case.longest());
        // Longer and longer, then back to before the length at which angles change, and on again.
        for (n, _) in case.texts.iter().chain(case.texts.iter().rev()).chain(&case.texts) {
            let left = model.rewind(0, n - 1).expect("one sequence");
            let logits = model.forward(&[&case.tokens[left..*n]]).expect("runs").remove(0);
            case.check(*n, &logits, "grown or rewound");
        }
    }
}

#[test]
fn sequences_beside_each_other_have_the_angles_of_their_own_lengths() {
    for case in Case::all() {
        // Each from the beginning to its own length, all together, in parts.
        let mut model = case.open(case.texts.len(), case.longest() + 7);
        let mut last = vec![Vec::new(); case.texts.len()];
        let mut at = 0;
        while at < case.longest() {
            let part = |(n, _): &(usize, Vec<f32>)| &case.tokens[at.min(*n)..(at + 7).min(*n)];
            let parts: Vec<&[u32]> = case.texts.iter().map(part).collect();
            for (last, logits) in last.iter_mut().zip(model.forward(&parts).expect("runs")) {
                if !logits.is_empty() {
                    *last = logits;
                }
            }
            at += 7;
        }
        for ((n, _), logits) in case.texts.iter().zip(&last) {
            case.check(*n, logits, "beside others");
        }
    }
}

#[test]
fn answers_that_pass_the_length_are_the_references() {
    for case in Case::all() {
        let (begin, right) = &case.greedy;
        let mut model = case.open(2, case.longest());
        let mut text = case.tokens[..*begin].to_vec();
        // Next to a text of another length, which must have no effect.
        let mut next = model.forward(&[&text, &case.tokens[..3]]).expect("runs").remove(0);
        for (i, token) in right.iter().enumerate() {
            assert_eq!(best(&next), *token as usize, "{}: token {i} of the answer", case.name);
            text.push(*token);
            next = model.forward(&[&[*token], &case.tokens[3 + i..4 + i]]).expect("runs").remove(0);
        }
    }
}

#[test]
fn all_logits_of_a_run_have_the_angles_of_its_end() {
    for name in ["dynamic", "longrope", "default"] {
        let case = Case::named(name);
        let n = 25;
        let mut model = case.open(1, case.longest());
        let whole = model.forward_all(&[&case.tokens[..n]]).expect("runs").remove(0);
        let vocab = model.spec().vocab;
        case.check(n, &whole[(n - 1) * vocab..], "in one run");
        // The rest of the same text, after others.
        model.reset().expect("memory");
        model.forward(&[&case.tokens[..10]]).expect("runs");
        let rest = model.forward_all(&[&case.tokens[10..n]]).expect("runs").remove(0);
        assert!(error(&rest, &whole[10 * vocab..]) < 2e-5, "{name}");
    }
}

#[test]
fn generators_answer_right_with_prompts_in_parts_and_from_caches() {
    let options = GenerateOptions {
        max_tokens: Some(14),
        sampling: Sampling { temperature: 0.0, ..Sampling::default() },
        ignore_ends: true,
        chunk: 5,
        ..GenerateOptions::default()
    };
    for case in Case::all() {
        let (begin, right) = &case.greedy;
        let prompt = &case.tokens[..*begin];
        let generator = |batch| {
            Generator::new(case.open(batch, case.longest() + 8), tokenizer(), Session::new(Device::Cpu))
        };
        let go_on = &mut |_: usize, _: rlx_llm::generate::Piece<'_>| ControlFlow::Continue(());
        let mut one = generator(2);
        let long = &case.tokens[..60];
        let alone = one.generate_all(&[long], &options, go_on).expect("answers").remove(0).tokens;
        let both = generator(2).generate_all(&[prompt, long], &options, go_on).expect("answers");
        assert_eq!(&both[0].tokens, right, "{}", case.name);
        assert_eq!(both[1].tokens, alone, "{}", case.name);
        // After a longer text with the same beginning.
        assert_eq!(
            &one.generate_all(&[prompt], &options, go_on).expect("answers")[0].tokens,
            right,
            "{}",
            case.name
        );
        // From a file, in a cache that a longer text has filled.
        let file = case.model.path().join("cache");
        one.generate_all(&[long], &options, go_on).expect("answers");
        one.store(prompt, 5, &file, &mut |_| ControlFlow::Continue(())).expect("stored");
        let mut other = generator(1);
        assert_eq!(other.restore(&file).expect("restored"), begin - 1);
        let answer = other.generate_all(&[prompt], &options, go_on).expect("answers").remove(0);
        assert_eq!(&answer.tokens, right, "{}", case.name);
        // A longer text after what the file has.
        other.restore(&file).expect("restored");
        let answer = other.generate_all(&[long], &options, go_on).expect("answers").remove(0);
        assert_eq!(answer.tokens, alone, "{}", case.name);
    }
}

#[test]
fn programs_of_fixed_sizes_hold_no_texts_of_other_angles() {
    for (name, limit) in STRETCHED {
        let case = Case::named(name);
        let steps = ModelSteps::open(case.model.path(), None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(steps.capacity(), limit, "{name}");
        assert!(ModelSteps::open(case.model.path(), Some(limit)).is_ok(), "{name}");
        match ModelSteps::open(case.model.path(), Some(limit + 1)).map(|_| ()) {
            Err(LlmError::AnglesChange { capacity, limit: said }) => {
                assert_eq!((capacity, said), (limit + 1, limit), "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}
