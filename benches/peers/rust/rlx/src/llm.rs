//! A language model from a GGUF file: reading a prompt, generating after it, and the time from opening the file to the
//! first token.

use crate::{Work, nothing};
use peer_protocol::{Case, Problem, Value, language_model};
use rlx_llm::{LanguageModel, ModelOptions};
use rlx_runtime::{CompileOptions, CpuOptions, Device, Session};
use std::path::Path;

pub fn llm(case: &Case, data: &Path, threads: usize) -> Result<(Work, Value, Vec<f32>), Problem> {
    let (path, prompt, tokens) =
        (language_model::file(case, data), case.size("prompt")?, case.size("tokens")?);
    let session = Session::new(Device::Cpu)
        .with_options(CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads)));
    let options = ModelOptions { capacity: Some(prompt + 64), ..ModelOptions::default() };
    let open = move || LanguageModel::open(&path, &session, &options);
    let mut model = open()?;
    let output = read(&mut model, language_model::CHECKED)?;
    let work: Work = match case.text("what") {
        "start" => {
            drop(model);
            Box::new(move || read(&mut open()?, prompt).map(drop))
        }
        "prompt" => Box::new(move || {
            model.rewind(0, 0)?;
            read(&mut model, prompt).map(drop)
        }),
        "text" => {
            model.rewind(0, 0)?;
            read(&mut model, prompt)?;
            Box::new(move || {
                model.rewind(0, prompt)?;
                for i in 0..tokens {
                    model.forward(&[&[language_model::token(i)]])?;
                }
                Ok(())
            })
        }
        _ => return case.unknown(),
    };
    Ok((work, nothing(), output))
}

/// The logits after the first tokens.
fn read(model: &mut LanguageModel, count: usize) -> Result<Vec<f32>, Problem> {
    Ok(model.forward(&[&language_model::tokens(count)])?.swap_remove(0))
}
