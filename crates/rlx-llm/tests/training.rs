//! The graph for training a model: its loss is the cross-entropy of the model's logits.

use rlx_files::weights::Weights;
use rlx_ir::DType;
use rlx_llm::{Blueprint, LanguageModel, ModelOptions};
use rlx_session::{Device, Session};
use std::path::{Path, PathBuf};

fn checkpoint(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkpoints").join(name)
}

#[test]
fn the_loss_is_that_of_the_logits() {
    for family in ["llama", "llama_yarn", "llama_tied", "mistral_window", "qwen2", "qwen3"] {
        let folder = checkpoint(family);
        let session = Session::new(Device::Cpu);
        let mut model = LanguageModel::open(&folder, &session, &ModelOptions::default()).unwrap();
        let vocab = model.spec().vocab;
        let tokens: Vec<u32> = (0..25u32).map(|i| i.wrapping_mul(2_654_435_761) % vocab as u32).collect();
        let (given, targets) = (&tokens[..24], &tokens[1..]);
        let logits = model.forward_all(&[given]).unwrap().remove(0);
        let surprise = |(row, &target): (&[f32], &u32)| {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f64 = row.iter().map(|x| f64::from(x - largest).exp()).sum();
            sum.ln() - f64::from(row[target as usize] - largest)
        };
        let expected = logits.chunks_exact(vocab).zip(targets).map(surprise).sum::<f64>() / 24.0;

        let blueprint = Blueprint::open(&folder.join("config.json")).unwrap();
        let graph = blueprint.loss_graph(1, 24).unwrap();
        let weights = Weights::open(&folder).unwrap();
        let names: Vec<String> = graph.named_params().map(|(name, _)| name.to_string()).collect();
        let mut program = session.try_compile(graph).unwrap();
        for name in names {
            let tensor = weights.tensor(&blueprint.tensor_name(&name)).unwrap();
            program.try_set_param(&name, &tensor.to_f32().unwrap()).unwrap();
        }
        let bytes = |ids: &[u32]| ids.iter().flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>();
        let (given, targets) = (bytes(given), bytes(targets));
        program.run_kept(&[("tokens", &given, DType::I32), ("targets", &targets, DType::I32)]).unwrap();
        let loss = f32::from_le_bytes(*program.output_bytes(0).first_chunk().unwrap());
        assert!(
            (f64::from(loss) - expected).abs() < 1e-4 * expected,
            "{family}: {loss}, expected {expected}"
        );
    }
}

#[test]
fn models_that_are_not_trained_are_refused_by_the_field() {
    for family in ["mamba2", "qwen3_moe", "gpt2", "phi3", "gemma2"] {
        let error = Blueprint::open(&checkpoint(family).join("config.json")).err().unwrap().to_string();
        assert!(error.contains("model_type") && error.contains("llama, mistral"), "{error}");
    }
}
