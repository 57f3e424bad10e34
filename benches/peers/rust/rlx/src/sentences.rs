//! MiniLM: its encoder on tokens, on texts, and its compile time.

use crate::{Work, nothing};
use peer_protocol::{Case, Problem, Value, json, model};
use rlx_models::embedder::{EmbedderOptions, SentenceEmbedder};
use rlx_models::model::SentenceModel;
use rlx_models::tokenize::TokenBatch;
use rlx_runtime::{CompileOptions, CpuOptions, Device, PrecisionPolicy, Session};
use std::path::Path;
use std::time::Instant;

type Prepared = (Work, Value, Vec<f32>);

/// Options with the precision that the driver requests.
fn options(threads: usize) -> Result<EmbedderOptions, Problem> {
    let wanted = std::env::args().skip_while(|arg| arg != "--precision").nth(1);
    let precision = wanted.map_or(Ok(PrecisionPolicy::Declared), |name| name.parse())?;
    let compile =
        CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads)).precision(precision);
    Ok(EmbedderOptions { compile, ..EmbedderOptions::default() })
}

fn tokens(case: &Case, data: &Path) -> Result<TokenBatch, Problem> {
    let (rows, width, ids) = case.ids(data)?;
    let count = ids.len();
    Ok(TokenBatch { rows, width, ids, types: vec![0; count], mask: vec![1; count] })
}

/// The encoder on a batch of tokens.
pub fn encode(case: &Case, data: &Path, threads: usize) -> Result<Prepared, Problem> {
    let tokens = tokens(case, data)?;
    let embedder = SentenceEmbedder::load(&model(data)?, &options(threads)?)?;
    let output = embedder.run(&tokens)?;
    let work: Work = Box::new(move || {
        embedder.run(&tokens)?;
        Ok(())
    });
    Ok((work, nothing(), output))
}

/// Compiles a loaded model to a program with a plan for this size and with its weights set.
pub fn compile(case: &Case, data: &Path, threads: usize) -> Result<Prepared, Problem> {
    let tokens = tokens(case, data)?;
    let folder = model(data)?;
    let dims = [("batch", tokens.rows), ("seq", tokens.width)];
    let once = move || -> Result<(SentenceEmbedder, f64), Problem> {
        let loaded = SentenceModel::load(&folder)?;
        let start = Instant::now();
        let mut embedder = SentenceEmbedder::new(loaded, &options(threads)?)?;
        embedder.compiled().bind_dims(&dims)?;
        Ok((embedder, start.elapsed().as_secs_f64() * 1e3))
    };
    let (embedder, without_loading) = once()?;
    let output = embedder.run(&tokens)?;
    let work: Work = Box::new(move || {
        once()?;
        Ok(())
    });
    Ok((work, json!({ "compile_ms": without_loading }), output))
}

/// Compiles a graph to a program with a plan for this size, without weights. With `kept`, it loads the program that an
/// earlier compilation stored on disk.
pub fn compile_graph(case: &Case, data: &Path, threads: usize) -> Result<Prepared, Problem> {
    let tokens = tokens(case, data)?;
    let dims = [("batch", tokens.rows), ("seq", tokens.width)];
    let options = options(threads)?;
    let mut embedder = SentenceEmbedder::load(&model(data)?, &options)?;
    let output = embedder.run(&tokens)?;
    let graph = embedder.compiled().graph().clone();
    let folder = data.join("programs");
    let compile = if case.flag("kept") { options.compile.program_cache(&folder) } else { options.compile };
    let session = Session::new(Device::Cpu).with_options(compile);
    let once = move || session.try_compile(graph.clone())?.bind_dims(&dims);
    once()?;
    if case.flag("kept") && std::fs::read_dir(&folder)?.next().is_none() {
        return Err("no program was stored".into());
    }
    Ok((Box::new(move || Ok(once()?)), nothing(), output))
}

/// Whole sentences, including tokenization.
pub fn texts(data: &Path, threads: usize) -> Result<Prepared, Problem> {
    let text = std::fs::read_to_string(data.join("sentences.txt"))?;
    let texts: Vec<String> = text.lines().map(String::from).collect();
    let embedder = SentenceEmbedder::load(&model(data)?, &options(threads)?)?;
    let output = embedder.embed(&texts)?.concat();
    let work: Work = Box::new(move || {
        embedder.embed(&texts)?;
        Ok(())
    });
    Ok((work, nothing(), output))
}
