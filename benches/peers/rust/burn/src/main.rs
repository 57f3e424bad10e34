//! burn: MiniLM written with its tensors, on its CPU backend Flex.

mod bert;

use bert::Bert;
use burn::tensor::{Device, Int, Tensor, TensorData};
use peer_protocol::{Case, Peer, Problem, Value, json, model, serve};
use std::path::Path;

struct Burn {
    model: Option<(Bert, Tensor<2, Int>)>,
}

impl Burn {
    fn embed(&self) -> Result<Vec<f32>, Problem> {
        let (model, ids) = self.model.as_ref().ok_or("nothing is prepared")?;
        let data = model.forward(ids.clone()).try_into_data().map_err(|e| format!("{e:?}"))?;
        data.try_to_vec().map_err(|e| format!("{e:?}").into())
    }
}

impl Peer for Burn {
    fn prepare(&mut self, case: &Case, data: &Path) -> Result<(Value, Vec<f32>), Problem> {
        if case.kind() != "minilm" {
            return case.unknown();
        }
        let cpu = Device::flex();
        let (batch, seq, ids) = case.ids(data)?;
        let ids = Tensor::from_data(TensorData::new(ids, [batch, seq]), &cpu);
        self.model = Some((Bert::load(&model(data)?, &cpu)?, ids));
        Ok((json!({}), self.embed()?))
    }

    fn run(&mut self) -> Result<(), Problem> {
        self.embed().map(drop)
    }
}

fn main() {
    serve("burn", "backend Flex with rayon, simd, x86-v4, target-cpu=native", |_| Ok(Burn { model: None }));
}
