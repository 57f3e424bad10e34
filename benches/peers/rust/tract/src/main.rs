//! tract: MiniLM from the ONNX file, with fixed shapes, optimized.

use peer_protocol::{Case, Peer, Problem, Value, json, serve};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::multithread::{Executor, set_default_executor};

struct Tract {
    model: Option<Arc<TypedRunnableModel>>,
    inputs: TVec<TValue>,
    // The work that `compile` repeats.
    again: Option<Box<dyn Fn() -> TractResult<Arc<TypedRunnableModel>>>>,
}

impl Tract {
    fn embed(&self) -> Result<Vec<f32>, Problem> {
        let model = self.model.as_ref().ok_or("nothing is prepared")?;
        let outputs = model.run(self.inputs.clone())?;
        Ok(outputs[0].to_plain_array_view::<f32>()?.iter().copied().collect())
    }
}

impl Peer for Tract {
    fn prepare(&mut self, case: &Case, data: &Path) -> Result<(Value, Vec<f32>), Problem> {
        if !matches!(case.kind(), "minilm" | "compile") {
            return case.unknown();
        }
        let (batch, seq, ids) = case.ids(data)?;
        let file = data.join("minilm.onnx");
        let compile = move || {
            let mut model = tract_onnx::onnx().model_for_path(&file)?;
            for input in 0..3 {
                model.set_input_fact(input, i64::fact([batch, seq]).into())?;
            }
            model.into_optimized()?.into_runnable()
        };
        let start = Instant::now();
        self.model = Some(compile()?);
        let facts = json!({ "compile_ms": start.elapsed().as_secs_f64() * 1e3 });
        let ids: Vec<i64> = ids.into_iter().map(i64::from).collect();
        let inputs = [ids, vec![1; batch * seq], vec![0; batch * seq]];
        let tensor = |values: &Vec<i64>| Ok(Tensor::from_shape(&[batch, seq], values)?.into_tvalue());
        self.inputs = inputs.iter().map(tensor).collect::<Result<_, Problem>>()?;
        let output = self.embed()?;
        if case.kind() == "compile" {
            self.again = Some(Box::new(compile));
        }
        Ok((facts, output))
    }

    fn run(&mut self) -> Result<(), Problem> {
        match &self.again {
            Some(compile) => drop(compile()?),
            None => drop(self.embed()?),
        }
        Ok(())
    }
}

fn main() {
    let make = |threads| {
        if threads > 1 {
            set_default_executor(Executor::multithread(threads));
        }
        Ok(Tract { model: None, inputs: TVec::new(), again: None })
    };
    serve("tract", "from the ONNX file, fixed shapes, optimized, target-cpu=native", make);
}
