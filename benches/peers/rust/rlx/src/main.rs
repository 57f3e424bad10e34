//! RLX as one of the peers, through its public crates.

mod dense;
mod llm;
mod product;
mod sentences;
mod train;
mod windows;

use peer_protocol::{Case, Peer, Problem, Value, json, serve};
use std::path::Path;

/// Prepared work that can be repeated.
type Work = Box<dyn FnMut() -> Result<(), Problem>>;

struct Rlx {
    threads: usize,
    work: Option<Work>,
    fewest: usize,
}

impl Peer for Rlx {
    fn prepare(&mut self, case: &Case, data: &Path) -> Result<(Value, Vec<f32>), Problem> {
        let (work, facts, output) = match case.kind() {
            "minilm" => sentences::encode(case, data, self.threads)?,
            "compile" => sentences::compile(case, data, self.threads)?,
            "compile-graph" => sentences::compile_graph(case, data, self.threads)?,
            "sentences" => sentences::texts(data, self.threads)?,
            "dense" => dense::dense(case, data, self.threads)?,
            "window" => windows::windows(case, data, self.threads)?,
            "llm" => {
                self.fewest = 1;
                llm::llm(case, data, self.threads)?
            }
            "gemm" => product::product(case, data, self.threads)?,
            "train" => {
                self.fewest = 2;
                train::step(data, self.threads)?
            }
            _ => return case.unknown(),
        };
        self.work = Some(work);
        Ok((facts, output))
    }

    fn run(&mut self) -> Result<(), Problem> {
        self.work.as_mut().ok_or("nothing is prepared")?()
    }

    fn fewest(&self) -> usize {
        self.fewest
    }
}

fn main() {
    let make = |threads| Ok(Rlx { threads, work: None, fewest: 3 });
    serve("RLX", "f32, weights as parameters", make);
}

/// No facts.
fn nothing() -> Value {
    json!({})
}
