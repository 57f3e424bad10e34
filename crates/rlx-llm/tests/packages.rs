//! Language models as CoreML packages, read back and run, give the results of the model itself.
//!
//! A package has a function for a part of a prompt and one for a single token, with the cache as states.

use rlx_compile::{CompileOptions, PrecisionPolicy};
use rlx_coreml::{Conversion, ConversionError, Converted, Dialect, GraphFunction, ImportedModel, Opset};
use rlx_ir::{DType, Literal, Shape, eval};
use rlx_llm::{AdapterSource, CacheType, LanguageModel, LlmError, ModelOptions, ModelSteps};
use rlx_session::{Device, ParamValues, Session};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The number of tokens that the function for prompts takes.
const CHUNK: usize = 8;
const CAPACITY: usize = 96;
const PROMPT: [u32; 11] = [5, 17, 3, 40, 22, 8, 61, 9, 33, 12, 50];
/// The number of tokens that are generated.
const ANSWER: usize = 50;

fn checkpoint(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn write(model: &ModelSteps, precision: PrecisionPolicy, to: &Path) -> Result<Converted, ConversionError> {
    write_all(&[("", model)], precision, to)
}

/// Models as functions, with the suffixes of the functions' names.
fn write_all(
    models: &[(&str, &ModelSteps)],
    precision: PrecisionPolicy,
    to: &Path,
) -> Result<Converted, ConversionError> {
    let half_scores = precision == PrecisionPolicy::AlwaysF16;
    let options = CompileOptions { precision, ..CompileOptions::new() };
    let dialect = Dialect { half_scores, ..Opset::Ios18.into() };
    let conversion = Conversion::new(dialect, options);
    let (mut functions, mut values) = (Vec::new(), ParamValues::new());
    for (suffix, model) in models {
        for (name, tokens) in [("prefill", CHUNK), ("decode", 1)] {
            let step = model.step(tokens).unwrap();
            let name = format!("{name}{suffix}");
            functions.push(GraphFunction { name, graph: step.graph, states: step.states });
        }
        values.extend(model.values().clone());
    }
    conversion.write_functions(&functions, &values, to)
}

/// A package on the evaluator, with its states.
struct Running {
    model: ImportedModel,
    states: BTreeMap<String, Literal>,
    used: usize,
}

impl Running {
    fn open(path: &Path) -> Running {
        Running { model: ImportedModel::open(path).unwrap(), states: BTreeMap::new(), used: 0 }
    }

    /// Returns the logits after these tokens; the function takes `size` tokens.
    fn forward(&mut self, function: &str, tokens: &[u32], size: usize) -> Vec<f32> {
        let read = self.model.function(function).unwrap();
        let ints = |dims: &[usize], values: &[i32]| Literal::new(dims, values).unwrap();
        let mut padded: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        padded.resize(size, 1);
        let mut given = BTreeMap::from([
            ("tokens".to_string(), ints(&[1, size], &padded)),
            ("start".to_string(), ints(&[1], &[self.used as i32])),
            ("rows".to_string(), ints(&[1, 1], &[tokens.len() as i32 - 1])),
        ]);
        given.retain(|name, _| read.inputs.iter().any(|(input, _)| input == name));
        assert_eq!(given.len(), read.inputs.len(), "{:?}", read.inputs);
        for state in &read.states {
            let zeros =
                || Literal::from_bytes(&state.shape, &vec![0; state.shape.num_bytes().unwrap()]).unwrap();
            assert_eq!(state.shape.dtype(), DType::F16);
            given.insert(state.name.clone(), self.states.remove(&state.name).unwrap_or_else(zeros));
        }
        for (name, bytes) in &read.params {
            let shape: &Shape = read.graph.named_params().find(|(param, _)| param == name).unwrap().1;
            given.insert(name.clone(), Literal::from_bytes(shape, bytes).unwrap());
        }
        let named: Vec<(&str, &Literal)> = given.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let results = eval(&read.graph, &named).unwrap();
        for state in &read.states {
            let value =
                state.output.map_or_else(|| given[&state.name].clone(), |output| results[output].clone());
            self.states.insert(state.name.clone(), value);
        }
        self.used += tokens.len();
        results[0].as_slice::<f32>().unwrap().to_vec()
    }

    /// Reads the prompt in chunks, padding the last one, then the answer token by token. Returns the logits before
    /// each token of the answer.
    fn answer(&mut self, answer: &[u32]) -> Vec<Vec<f32>> {
        self.answer_of("", answer)
    }

    /// Does the same with the functions that have this suffix.
    fn answer_of(&mut self, suffix: &str, answer: &[u32]) -> Vec<Vec<f32>> {
        let mut logits = Vec::new();
        for part in PROMPT.chunks(CHUNK) {
            logits = self.forward(&format!("prefill{suffix}"), part, CHUNK);
        }
        let mut all = vec![logits];
        for &token in &answer[..answer.len() - 1] {
            all.push(self.forward(&format!("decode{suffix}"), &[token], 1));
        }
        all
    }
}

fn best(logits: &[f32]) -> u32 {
    let at = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
    at.unwrap() as u32
}

/// Returns the answer of the model itself, and the logits before each token.
fn wanted(path: &Path) -> (Vec<u32>, Vec<Vec<f32>>) {
    wanted_with(path, &[])
}

/// Does the same with adapters.
fn wanted_with(path: &Path, adapters: &[AdapterSource]) -> (Vec<u32>, Vec<Vec<f32>>) {
    let adapters = adapters.to_vec();
    let options =
        ModelOptions { capacity: Some(CAPACITY), cache: CacheType::F16, adapters, ..ModelOptions::default() };
    let mut model = LanguageModel::open(path, &Session::new(Device::Cpu), &options).unwrap();
    let mut logits = model.forward(&[&PROMPT]).unwrap().remove(0);
    let (mut answer, mut all) = (Vec::new(), Vec::new());
    while answer.len() < ANSWER {
        let token = best(&logits);
        answer.push(token);
        all.push(std::mem::replace(&mut logits, model.forward(&[&[token]]).unwrap().remove(0)));
    }
    (answer, all)
}

/// Returns the maximum difference and the maximum logit.
fn apart(found: &[Vec<f32>], wanted: &[Vec<f32>]) -> (f32, f32) {
    let pairs = found.iter().flatten().zip(wanted.iter().flatten());
    pairs.fold((0.0, 0.0), |(off, size): (f32, f32), (a, b)| (off.max((a - b).abs()), size.max(b.abs())))
}

#[test]
fn a_package_says_what_its_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model.mlpackage");
    let dense = ["checkpoints/qwen3", "checkpoints/llama3_scaled", "gguf/qwen2-f16.gguf"];
    let experts = ["checkpoints/qwen3_moe", "checkpoints/gpt_oss", "gguf/qwen2_moe-f16.gguf"];
    for name in [dense, experts].concat() {
        let (answer, wanted) = wanted(&checkpoint(name));
        let model = ModelSteps::open(&checkpoint(name), Some(CAPACITY)).unwrap();
        for (precision, bound) in [(PrecisionPolicy::Declared, 2e-3), (PrecisionPolicy::AlwaysF16, 2e-2)] {
            let converted = write(&model, precision, &to).unwrap();
            assert_eq!(converted.states.len(), 4);
            let found = Running::open(&to).answer(&answer);
            let (off, size) = apart(&found, &wanted);
            assert!(off <= bound * size, "{name}, {precision:?}: {off} of {size}");
            if precision == PrecisionPolicy::Declared {
                assert_eq!(found.iter().map(|logits| best(logits)).collect::<Vec<_>>(), answer, "{name}");
            }
        }
    }
}

#[test]
fn packed_weights_stay_packed_and_are_shared_by_both_functions() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model.mlpackage");
    let dense = [("gguf/llama_tied-q8_0.gguf", 1.04), ("gguf/llama_tied-q4_k_m.gguf", 1.2)];
    for (name, most) in [&dense[..], &[("gguf/gpt_oss_mxfp4-bf16.gguf", 1.3)]].concat() {
        let (answer, wanted) = wanted(&checkpoint(name));
        let model = ModelSteps::open(&checkpoint(name), Some(CAPACITY)).unwrap();
        let converted = write(&model, PrecisionPolicy::AlwaysF16, &to).unwrap();
        assert_eq!(converted.unpacked, []);
        let blocks: usize = model.values().values().map(|value| value.bytes().len()).sum();
        let ratio = converted.bytes.1 as f64 / blocks as f64;
        assert!(ratio < most, "{name}: {ratio}");
        let found = Running::open(&to).answer(&answer);
        // The model rounds the inputs of products to bytes; the package rounds its results to f16.
        let (off, size) = apart(&found, &wanted);
        assert!(off <= 5e-2 * size, "{name}: {off} of {size}");
    }
}

#[test]
fn adapters_are_functions_of_their_own_and_share_the_weights() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model.mlpackage");
    let path = checkpoint("checkpoints/llama");
    let of = |scale: f64| vec![AdapterSource { path: checkpoint("adapters/llama"), scale }];
    let base = ModelSteps::open(&path, Some(CAPACITY)).unwrap();
    let alone = write(&base, PrecisionPolicy::Declared, &to).unwrap();
    let (more, less) = (base.adapted("more", &of(1.0)).unwrap(), base.adapted("less", &of(-0.5)).unwrap());
    let models = [("", &base), ("_more", &more), ("_less", &less)];
    let all = write_all(&models, PrecisionPolicy::Declared, &to).unwrap();
    let added = |model: &ModelSteps| {
        let own = model.values().iter().filter(|(name, _)| !base.values().contains_key(*name));
        own.map(|(_, value)| value.bytes().len() + 128).sum::<usize>() as u64
    };
    assert!(added(&more) > 128 && all.bytes.1 > alone.bytes.1);
    assert!(
        all.bytes.1 <= alone.bytes.1 + added(&more) + added(&less),
        "{:?} of {:?}",
        all.bytes,
        alone.bytes
    );

    let mut plain = None;
    for (suffix, adapters) in [("", Vec::new()), ("_more", of(1.0)), ("_less", of(-0.5))] {
        let (answer, wanted) = wanted_with(&path, &adapters);
        let found = Running::open(&to).answer_of(suffix, &answer);
        let (off, size) = apart(&found, &wanted);
        assert!(off <= 2e-3 * size, "{suffix}: {off} of {size}");
        let (changed, _) = apart(&found[..1], plain.get_or_insert_with(|| found.clone()));
        assert!(suffix.is_empty() || changed > 0.01 * size, "{suffix} changes nothing: {changed}");
    }

    let error = base.adapted("other", &[AdapterSource { path: checkpoint("adapters/gpt2"), scale: 1.0 }]);
    assert!(matches!(error.err(), Some(LlmError::Adapter(_))));
}

#[test]
fn what_a_package_cannot_be_is_told() {
    let path = checkpoint("checkpoints/qwen3");
    let model = ModelSteps::open(&path, Some(16)).unwrap();
    assert!(matches!(model.step(17), Err(LlmError::Full { tokens: 17, capacity: 16, .. })));
    assert!(matches!(model.step(0), Err(LlmError::Full { .. })));
    let step = model.step(1).unwrap();
    let older = Conversion::new(Opset::Ios17.into(), CompileOptions::new());
    let function = GraphFunction { name: "main".into(), graph: step.graph, states: step.states };
    let error = older.prepare_functions(&[function], model.values()).err().unwrap().to_string();
    assert!(error.contains("it is a state, which programs have from iOS 18 on"), "{error}");
}
