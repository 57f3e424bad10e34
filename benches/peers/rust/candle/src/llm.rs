//! A quantized Qwen3 from a GGUF file, with candle's own model.

use candle_core::quantized::gguf_file::Content;
use candle_core::{Device, Tensor};
use candle_transformers::models::quantized_qwen3::ModelWeights;
use peer_protocol::{Case, Problem, language_model};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A case of a language model.
pub struct Llm {
    path: PathBuf,
    what: String,
    prompt: usize,
    tokens: usize,
    /// A model ready to continue: fresh, or after the prompt.
    model: Option<ModelWeights>,
}

impl Llm {
    pub fn prepare(case: &Case, data: &Path) -> Result<(Llm, Vec<f32>), Problem> {
        let mut llm = Llm {
            path: language_model::file(case, data),
            what: case.text("what").to_string(),
            prompt: case.size("prompt")?,
            tokens: case.size("tokens")?,
            model: None,
        };
        let mut model = llm.open()?;
        let output = read(&mut model, language_model::CHECKED)?;
        model.clear_kv_cache();
        match &llm.what[..] {
            "start" => {}
            "prompt" => llm.model = Some(model),
            "text" => {
                read(&mut model, llm.prompt)?;
                llm.model = Some(model);
            }
            _ => return case.unknown(),
        }
        Ok((llm, output))
    }

    fn open(&self) -> Result<ModelWeights, Problem> {
        let mut file = File::open(&self.path)?;
        let content = Content::read(&mut file)?;
        Ok(ModelWeights::from_gguf(content, &mut file, &Device::Cpu)?)
    }

    pub fn run(&mut self) -> Result<(), Problem> {
        let Some(model) = &mut self.model else {
            return read(&mut self.open()?, self.prompt).map(drop);
        };
        if self.what == "prompt" {
            model.clear_kv_cache();
            return read(model, self.prompt).map(drop);
        }
        // The cache after the prompt stays unchanged.
        let mut model = model.clone();
        for i in 0..self.tokens {
            let token = Tensor::new(&[[language_model::token(i)]], &Device::Cpu)?;
            model.forward(&token, self.prompt + i)?;
        }
        Ok(())
    }
}

/// The logits after the first tokens.
fn read(model: &mut ModelWeights, count: usize) -> Result<Vec<f32>, Problem> {
    let tokens = Tensor::new(language_model::tokens(count), &Device::Cpu)?.unsqueeze(0)?;
    Ok(model.forward(&tokens, 0)?.flatten_all()?.to_vec1()?)
}
