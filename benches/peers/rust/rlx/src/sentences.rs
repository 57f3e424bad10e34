//! MiniLM: its encoder on tokens, on texts, and the time to compile it.

use crate::{Work, nothing};
use peer_protocol::{Case, Problem, Value, json, model};
use rlx_models::embedder::{EmbedderOptions, SentenceEmbedder};
use rlx_models::model::SentenceModel;
use rlx_models::tokenize::TokenBatch;
use rlx_runtime::CompileOptions;
use std::path::Path;
use std::time::Instant;

type Prepared = (Work, Value, Vec<f32>);

fn options(threads: usize) -> EmbedderOptions {
    EmbedderOptions { compile: CompileOptions::new().num_threads(threads), ..EmbedderOptions::default() }
}

fn tokens(case: &Case, data: &Path) -> Result<TokenBatch, Problem> {
    let (rows, width, ids) = case.ids(data)?;
    let count = ids.len();
    Ok(TokenBatch { rows, width, ids, types: vec![0; count], mask: vec![1; count] })
}

/// The encoder on a batch of tokens.
pub fn encode(case: &Case, data: &Path, threads: usize) -> Result<Prepared, Problem> {
    let tokens = tokens(case, data)?;
    let mut embedder = SentenceEmbedder::load(&model(data)?, &options(threads))?;
    let output = embedder.run(&tokens)?;
    let work: Work = Box::new(move || {
        embedder.run(&tokens)?;
        Ok(())
    });
    Ok((work, nothing(), output))
}

/// From the loaded model to a program whose plan for this size is made and whose weights are in place.
pub fn compile(case: &Case, data: &Path, threads: usize) -> Result<Prepared, Problem> {
    let tokens = tokens(case, data)?;
    let folder = model(data)?;
    let dims = [("batch", tokens.rows), ("seq", tokens.width)];
    let once = move || -> Result<(SentenceEmbedder, f64), Problem> {
        let loaded = SentenceModel::load(&folder)?;
        let start = Instant::now();
        let mut embedder = SentenceEmbedder::new(loaded, &options(threads))?;
        embedder.compiled().bind_dims(&dims)?;
        Ok((embedder, start.elapsed().as_secs_f64() * 1e3))
    };
    let (mut embedder, without_loading) = once()?;
    let output = embedder.run(&tokens)?;
    let work: Work = Box::new(move || {
        once()?;
        Ok(())
    });
    Ok((work, json!({ "compile_ms": without_loading }), output))
}

/// Whole sentences, tokenising included.
pub fn texts(data: &Path, threads: usize) -> Result<Prepared, Problem> {
    let text = std::fs::read_to_string(data.join("sentences.txt"))?;
    let texts: Vec<String> = text.lines().map(String::from).collect();
    let mut embedder = SentenceEmbedder::load(&model(data)?, &options(threads))?;
    let output = embedder.embed(&texts)?.concat();
    let work: Work = Box::new(move || {
        embedder.embed(&texts)?;
        Ok(())
    });
    Ok((work, nothing(), output))
}
