//! Models on several threads, and the memory that clones take.

mod comparison;

use comparison::tokenizer;
use rlx_gguf::{GgufWriter, MetaValue, TensorType};
use rlx_ir::{DType, QuantScheme};
use rlx_llm::generate::{GenerateOptions, Generator, Sampling};
use rlx_llm::{LanguageModel, ModelOptions};
use rlx_session::{CompileOptions, CpuOptions, Device, Session};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

const THREADS: usize = 8;

const fn is_shared<T: Send + Sync + Clone>() {}
const _: () = is_shared::<LanguageModel>();
const _: () = is_shared::<Generator>();

/// Runs one test at a time, since memory is measured for the process.
static ALONE: Mutex<()> = Mutex::new(());

fn session() -> Session {
    Session::new(Device::Cpu)
        .with_options(CompileOptions::new().with_backend(CpuOptions::new().num_threads(2)))
}

fn small() -> LanguageModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gguf/llama_tied-q8_0.gguf");
    LanguageModel::open(&path, &session(), &ModelOptions { capacity: Some(64), ..ModelOptions::default() })
        .expect("opens")
}

fn text(thread: usize) -> Vec<u32> {
    (0..20 + thread as u32).map(|i| (i * 7 + thread as u32 * 13) % 64).collect()
}

#[test]
fn threads_run_clones_of_one_model_at_once() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let mut model = small();
    let expected: Vec<Vec<f32>> = (0..THREADS)
        .map(|thread| {
            model.reset().expect("memory");
            model.forward_all(&[&text(thread)]).expect("runs").remove(0)
        })
        .collect();
    // Clones continue after what the model has read.
    model.reset().expect("memory");
    let (prefix, vocab) = (&text(3)[..9], model.spec().vocab);
    model.forward(&[prefix]).expect("runs");
    std::thread::scope(|threads| {
        for (thread, expected) in expected.iter().enumerate() {
            let model = &model;
            threads.spawn(move || {
                let mut own = model.clone();
                let rest = own.forward_all(&[&text(3)[9..]]).expect("runs").remove(0);
                assert_eq!(rest.len() / vocab, text(3).len() - 9);
                for _ in 0..3 {
                    own.reset().expect("memory");
                    let logits = own.forward_all(&[&text(thread)]).expect("runs").remove(0);
                    assert!(logits.iter().map(|x| x.to_bits()).eq(expected.iter().map(|x| x.to_bits())));
                }
            });
        }
    });
    let rest = model.forward_all(&[&text(3)[9..]]).expect("runs").remove(0);
    assert!(rest.iter().map(|x| x.to_bits()).eq(expected[3][9 * vocab..].iter().map(|x| x.to_bits())));
}

#[test]
fn threads_answer_with_clones_of_one_generator() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let options = GenerateOptions {
        max_tokens: Some(12),
        sampling: Sampling { seed: 5, ..Sampling::default() },
        ignore_ends: true,
        ..GenerateOptions::default()
    };
    let answer = |generator: &mut Generator, thread: usize| {
        let go_on = &mut |_: rlx_llm::generate::Piece<'_>| ControlFlow::Continue(());
        generator.generate(&text(thread), &options, go_on).expect("an answer").tokens
    };
    let mut generator = Generator::new(small(), tokenizer(), session());
    let expected: Vec<Vec<u32>> = (0..THREADS).map(|thread| answer(&mut generator, thread)).collect();
    std::thread::scope(|threads| {
        for (thread, expected) in expected.iter().enumerate() {
            let (generator, answer) = (&generator, &answer);
            threads.spawn(move || assert_eq!(answer(&mut generator.clone(), thread), *expected));
        }
    });
}

/// Makes a Llama with random Q8_0 weights.
fn write_model(path: &Path, width: usize, layers: usize) {
    let mut file = GgufWriter::new();
    let key = |name: &str| format!("llama.{name}");
    file.set("general.architecture", MetaValue::from("llama"));
    for (name, number) in [
        ("context_length", 64),
        ("embedding_length", width),
        ("block_count", layers),
        ("feed_forward_length", 2 * width),
        ("attention.head_count", width / 64),
        ("attention.head_count_kv", width / 64),
    ] {
        file.set(key(name), MetaValue::U32(number as u32));
    }
    file.set(key("attention.layer_norm_rms_epsilon"), MetaValue::F32(1e-5));
    let mut state = 1u64;
    let mut matrix = |name: String, rows: usize, columns: usize| {
        let mut bytes = Vec::new();
        for _ in 0..rows * columns / 32 {
            // A scale of 2⁻¹² as f16.
            bytes.extend([0x00, 0x0c]);
            bytes.extend((0..32).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            }));
        }
        file.tensor(name, TensorType::Blocks(QuantScheme::Q8_0), &[rows, columns], bytes);
    };
    matrix("token_embd.weight".into(), 64, width);
    matrix("output.weight".into(), 64, width);
    for layer in 0..layers {
        for (name, rows, columns) in [
            ("attn_q", width, width),
            ("attn_k", width, width),
            ("attn_v", width, width),
            ("attn_output", width, width),
            ("ffn_gate", 2 * width, width),
            ("ffn_up", 2 * width, width),
            ("ffn_down", width, 2 * width),
        ] {
            matrix(format!("blk.{layer}.{name}.weight"), rows, columns);
        }
    }
    let ones: Vec<u8> = (0..width).flat_map(|_| 1f32.to_le_bytes()).collect();
    let norms = (0..layers).flat_map(|i| ["attn_norm", "ffn_norm"].map(|n| format!("blk.{i}.{n}.weight")));
    for name in norms.chain(["output_norm.weight".to_string()]) {
        file.tensor(name, TensorType::Plain(DType::F32), &[width], ones.clone());
    }
    file.write(path).expect("written");
}

/// Returns how many bytes of this process's memory are not pages of files.
#[cfg(target_os = "linux")]
fn own_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("read");
    let kibibytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(0)
    };
    (kibibytes("RssAnon:") + kibibytes("RssShmem:")) << 10
}

#[test]
#[cfg(target_os = "linux")]
fn clones_share_packed_weights() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.gguf");
    write_model(&path, 1024, 6);
    let open = || {
        let options = ModelOptions { capacity: Some(64), ..ModelOptions::default() };
        LanguageModel::open(&path, &session(), &options).expect("opens")
    };
    // Two runs of each length: the second one packs what the first one read in place.
    let run = |model: &mut LanguageModel| {
        model.reset().expect("memory");
        let tokens: Vec<u32> = (0..12).collect();
        let mut logits = model.forward(&[&tokens]).expect("runs").remove(0);
        for token in 12..16 {
            logits = model.forward(&[&[token]]).expect("runs").remove(0);
        }
        logits
    };
    let before = own_bytes();
    let mut first = open();
    let logits = run(&mut first);
    run(&mut first);
    let one = own_bytes().saturating_sub(before);
    let before = own_bytes();
    let mut clones: Vec<LanguageModel> = (0..3).map(|_| first.clone()).collect();
    for clone in &mut clones {
        assert_eq!(run(clone), logits);
        run(clone);
    }
    let three = own_bytes().saturating_sub(before);
    let before = own_bytes();
    let mut second = open();
    run(&mut second);
    run(&mut second);
    let another = own_bytes().saturating_sub(before);
    // 6 layers of 10 · 1024² weights, 34 bytes for 32 of them.
    let weights = 6 * 10 * 1024 * 1024 / 32 * 34;
    assert!(one > weights / 2 && another > weights / 2, "packed weights are in memory: {one}, {another}");
    assert!(three < weights / 4, "three clones take {three} bytes, the weights are {weights}");
}
