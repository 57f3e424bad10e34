//! Language models on the device `ane`, with an interpreter of programs in place of CoreML, give the results of the
//! CPU.
//!
//! Weights stay packed, and the cache stays with the model.

use rlx_coreml::{
    AneBackend, CoremlOptions, Engine, EngineError, GivenArray, InterpretedEngine, LoadOptions, LoadedModel,
    ModelSizes, ModelState, Opset, WantedArray,
};
use rlx_exec::Availability;
use rlx_llm::{CacheType, LanguageModel, ModelOptions};
use rlx_session::{CompileOptions, Device, Session, register_backend};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

const PROMPT: [u32; 11] = [5, 17, 3, 40, 22, 8, 61, 9, 33, 12, 50];
const ANSWER: usize = 12;

/// The data that crosses between the engine and its caller.
#[derive(Default)]
struct Crossings {
    loads: AtomicUsize,
    weights: AtomicUsize,
    state_copies: AtomicUsize,
    inputs: Mutex<Vec<String>>,
}

struct Watching(Arc<Crossings>);
struct WatchedModel(Box<dyn LoadedModel>, Arc<Crossings>);
struct WatchedState(Box<dyn ModelState>, Arc<Crossings>);

impl Engine for Watching {
    fn availability(&self) -> Availability {
        InterpretedEngine::default().availability()
    }
    fn opset(&self) -> Opset {
        Opset::Ios18
    }
    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        self.0.loads.fetch_add(1, Relaxed);
        let file = package.join("Data/com.apple.CoreML/weights/weight.bin").metadata();
        self.0.weights.store(file.map_or(0, |file| file.len() as usize), Relaxed);
        let model = InterpretedEngine::default().load(package, options)?;
        Ok(Box::new(WatchedModel(model, self.0.clone())))
    }
}

impl LoadedModel for WatchedModel {
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        state: Option<&mut dyn ModelState>,
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError> {
        *self.1.inputs.lock().unwrap_or_else(PoisonError::into_inner) =
            inputs.iter().map(|input| format!("{}: {:?}", input.name, input.dims)).collect();
        match state {
            None => self.0.predict(inputs, None, outputs),
            Some(state) => {
                let own = state.as_any().downcast_mut::<WatchedState>().unwrap();
                self.0.predict(inputs, Some(&mut *own.0), outputs)
            }
        }
    }
    fn new_state(&mut self) -> Result<Box<dyn ModelState>, EngineError> {
        Ok(Box::new(WatchedState(self.0.new_state()?, self.1.clone())))
    }
}

impl ModelState for WatchedState {
    fn read(&mut self, name: &str, into: &mut [u8]) -> Result<(), EngineError> {
        self.1.state_copies.fetch_add(1, Relaxed);
        self.0.read(name, into)
    }
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.1.state_copies.fetch_add(1, Relaxed);
        self.0.write(name, bytes)
    }
    fn as_any(&mut self) -> &mut dyn std::any::Any {
        self
    }
}

fn checkpoint(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn open(path: &Path, device: Device, sizes: ModelSizes) -> LanguageModel {
    let options = ModelOptions { capacity: Some(32), cache: CacheType::F16, ..ModelOptions::default() };
    let compile = CompileOptions::new().with_backend(CoremlOptions::new().sizes(sizes));
    LanguageModel::open(path, &Session::new(device).with_options(compile), &options).unwrap()
}

fn best(logits: &[f32]) -> u32 {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap() as u32
}

/// Returns the logits after the prompt and after each of these tokens; `watch` is called after each run.
fn logits(model: &mut LanguageModel, answer: &[u32], watch: &mut dyn FnMut()) -> Vec<Vec<f32>> {
    let mut all = vec![model.forward(&[&PROMPT]).unwrap().remove(0)];
    watch();
    for &token in answer {
        all.push(model.forward(&[&[token]]).unwrap().remove(0));
        watch();
    }
    all
}

#[test]
fn models_say_on_the_device_what_they_say_on_the_cpu() {
    let crossings = Arc::new(Crossings::default());
    register_backend(Arc::new(AneBackend::with_engine(Arc::new(Watching(crossings.clone())))));
    // The CPU rounds the inputs of products with packed weights to bytes; the program does not.
    for (name, bound) in [("checkpoints/qwen3", 2e-3), ("gguf/llama_tied-q8_0.gguf", 5e-2)] {
        let path = checkpoint(name);
        let mut on_cpu = open(&path, Device::Cpu, ModelSizes::Each);
        let mut answer = Vec::new();
        let mut wanted = vec![on_cpu.forward(&[&PROMPT]).unwrap().remove(0)];
        while answer.len() < ANSWER {
            answer.push(best(&wanted[answer.len()]));
            wanted.push(on_cpu.forward(&[&[answer[answer.len() - 1]]]).unwrap().remove(0));
        }
        for (sizes, models) in [(ModelSizes::Each, 2), (ModelSizes::Ranges, 1)] {
            let mut model = open(&path, Device::Ane, sizes);
            let before = crossings.loads.load(Relaxed);
            let mut copies = Vec::new();
            let found = logits(&mut model, &answer, &mut || {
                copies.push(crossings.state_copies.load(Relaxed));
            });
            let pairs = found.iter().flatten().zip(wanted.iter().flatten());
            let (off, size) = pairs
                .fold((0.0f32, 0.0f32), |(off, size), (a, b)| (off.max((a - b).abs()), size.max(b.abs())));
            assert!(off <= bound * size, "{name}, {sizes:?}: {off} of {size}");
            assert_eq!(crossings.loads.load(Relaxed) - before, models, "{name}, {sizes:?}");
            // The cache moves from one model to another and does not cross to the caller again.
            assert!(copies[models - 1..].iter().all(|count| *count == copies[ANSWER]), "{copies:?}");
            let inputs = crossings.inputs.lock().unwrap().clone();
            assert_eq!(inputs, ["tokens: [1, 1]", "start: [1]", "count: [1]", "rows: [1, 1]"]);
        }
        if path.is_file() {
            // Scales are f32 in a program that computes in f32.
            let (file, weights) = (path.metadata().unwrap().len(), crossings.weights.load(Relaxed) as u64);
            assert!(weights <= file + file / 16, "{weights} bytes for {file}");
        }
    }
}
