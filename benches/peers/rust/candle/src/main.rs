//! candle: MiniLM with its own BERT and tensors for mean pooling and normalization; a language model with its own Qwen3.

mod llm;

use candle_core::{D, DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use peer_protocol::{Case, Peer, Problem, Value, json, model, serve};
use std::path::Path;

#[derive(Default)]
struct Candle {
    model: Option<BertModel>,
    inputs: Vec<Tensor>,
    llm: Option<llm::Llm>,
}

impl Candle {
    fn embed(&self) -> Result<Vec<f32>, Problem> {
        let model = self.model.as_ref().ok_or("nothing is prepared")?;
        let [ids, types, mask] = &self.inputs[..] else { return Err("three inputs are needed".into()) };
        let hidden = model.forward(ids, types, Some(mask))?;
        let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let pooled = hidden.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?;
        let norm = pooled.sqr()?.sum_keepdim(D::Minus1)?.sqrt()?;
        Ok(pooled.broadcast_div(&norm)?.flatten_all()?.to_vec1()?)
    }
}

impl Peer for Candle {
    fn prepare(&mut self, case: &Case, data: &Path) -> Result<(Value, Vec<f32>), Problem> {
        if case.kind() == "llm" {
            let (llm, output) = llm::Llm::prepare(case, data)?;
            self.llm = Some(llm);
            return Ok((json!({}), output));
        }
        if case.kind() != "minilm" {
            return case.unknown();
        }
        let folder = model(data)?;
        let config: Config = serde_json::from_slice(&std::fs::read(folder.join("config.json"))?)?;
        let cpu = Device::Cpu;
        let weights = std::fs::read(folder.join("model.safetensors"))?;
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &cpu)?;
        self.model = Some(BertModel::load(weights, &config)?);
        let (batch, seq, ids) = case.ids(data)?;
        let ids = ids.into_iter().map(u32::try_from).collect::<Result<Vec<u32>, _>>()?;
        let ids = Tensor::from_vec(ids, (batch, seq), &cpu)?;
        self.inputs = vec![ids.clone(), ids.zeros_like()?, ids.ones_like()?];
        Ok((json!({}), self.embed()?))
    }

    fn run(&mut self) -> Result<(), Problem> {
        match &mut self.llm {
            Some(llm) => llm.run(),
            None => self.embed().map(drop),
        }
    }

    fn fewest(&self) -> usize {
        if self.llm.is_some() { 1 } else { 3 }
    }
}

fn main() {
    let make = |_| Ok(Candle::default());
    serve("candle", "candle-transformers' models, pure Rust, gemm with x86-v4, target-cpu=native", make);
}
