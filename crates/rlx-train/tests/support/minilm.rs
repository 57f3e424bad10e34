//! MiniLM on one batch of pairs of sentences: its loss, the gradient of every parameter, and the losses during training. The test of the
//! same name compares these with PyTorch's, and so does `scripts/finetune_minilm.py`.

use rlx_autodiff::value_and_grad;
use rlx_ir::{DType, Graph, Literal};
use rlx_models::bert::{INPUTS, contrastive_graph};
use rlx_models::hub::{self, HubOptions, Silent};
use rlx_models::model::SentenceModel;
use rlx_session::{CompileOptions, CpuOptions, Device, Session};
use rlx_train::{Mask, Optimizer, TrainConfig, TrainingSession};
use std::collections::HashMap;
use std::error::Error;

/// Factor of the cosines.
const SCALE: f64 = 20.0;
/// The learning rate.
const RATE: f32 = 2e-5;
const THREADS: usize = 2;

/// The loss on a batch, with its operands.
pub struct Batch {
    graph: Graph,
    inputs: Vec<Literal>,
    values: HashMap<String, Vec<f32>>,
    /// The names of the parameters, sorted.
    pub names: Vec<String>,
}

impl Batch {
    /// Reads a batch from the lines of `text`, each with an anchor and its positive separated by a tab, for the model that `rlx embed`
    /// uses.
    pub fn new(text: &str) -> Result<Batch, Box<dyn Error>> {
        let folder = hub::fetch(&hub::MINILM, &HubOptions::from_env(), &mut Silent)?;
        let model = SentenceModel::load(&folder)?;
        let pairs: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let anchors = pairs.iter().map(|pair| pair.0);
        let texts: Vec<&str> = anchors.chain(pairs.iter().map(|pair| pair.1)).collect();
        let tokens = model.tokenizer.batch(&texts)?;
        let dims = [tokens.rows, tokens.width];
        let inputs = [&tokens.ids, &tokens.types, &tokens.mask].map(|values| Literal::new(&dims, values));
        let graph = contrastive_graph(&model.encoder, &model.sentence, (pairs.len(), tokens.width), SCALE)?;
        let values = model.values()?;
        let mut names: Vec<String> = values.keys().cloned().collect();
        names.sort();
        Ok(Batch { graph, inputs: inputs.into_iter().collect::<Result<_, _>>()?, values, names })
    }

    /// Returns the loss, and the gradient of each parameter in the order of [`Batch::names`].
    pub fn gradients(&self) -> Result<(f32, Vec<Vec<f32>>), Box<dyn Error>> {
        let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(THREADS));
        let graph = value_and_grad(&self.graph, self.names.clone())?;
        let mut compiled = Session::new(Device::Cpu).with_options(options).try_compile(graph)?;
        for (name, value) in &self.values {
            compiled.try_set_param(name, value)?;
        }
        let inputs: Vec<(&str, &Literal)> = INPUTS.into_iter().zip(&self.inputs).collect();
        let outputs = compiled.run_literals(&inputs)?;
        // The cosines are between the loss and the gradients.
        let gradients = outputs[2..].iter().map(|g| Ok(g.as_slice::<f32>()?.to_vec()));
        Ok((outputs[0].as_slice::<f32>()?[0], gradients.collect::<Result<_, Box<dyn Error>>>()?))
    }

    /// Returns the loss before each of `steps` steps of AdamW on this batch.
    pub fn train(&self, steps: usize) -> Result<Vec<f32>, Box<dyn Error>> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let optimizer = Optimizer::AdamW { b1: 0.9, b2: 0.999, eps: 1e-8, weight_decay: 0.01 };
        let config = TrainConfig { lr: RATE, optimizer };
        let mut session = TrainingSession::try_new(self.graph.clone(), &names, self.values.clone(), config)?
            .with_fused_optimizer()
            .with_decay_mask(Mask::MinRank(2))
            .with_backend_options(CpuOptions::new().num_threads(THREADS));
        let given: Vec<(&str, &[u8], DType)> =
            INPUTS.iter().zip(&self.inputs).map(|(name, value)| (*name, value.bytes(), DType::I32)).collect();
        (0..steps).map(|_| Ok(session.step_typed(&given)?.loss)).collect()
    }
}
