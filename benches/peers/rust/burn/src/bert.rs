//! The encoder of MiniLM with mean pooling and normalization, without padding.

use burn::tensor::activation::gelu;
use burn::tensor::module::{attention, embedding, layer_norm, linear};
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Device, Int, Tensor, TensorData};
use peer_protocol::Problem;
use safetensors::{Dtype, SafeTensors};
use std::path::Path;

const LAYERS: usize = 6;
const HEADS: usize = 12;
const EPSILON: f64 = 1e-12;

/// A weight [in, out] and its bias.
struct Linear(Tensor<2>, Tensor<1>);

impl Linear {
    fn forward(&self, x: &Tensor<3>) -> Tensor<3> {
        linear(x.clone(), self.0.clone(), Some(self.1.clone()))
    }
}

struct Norm(Tensor<1>, Tensor<1>);

impl Norm {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        layer_norm(x, self.0.clone(), Some(self.1.clone()), EPSILON)
    }
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    attended: Norm,
    up: Linear,
    down: Linear,
    done: Norm,
}

pub struct Bert {
    words: Tensor<2>,
    places: Tensor<2>,
    kind: Tensor<2>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Reads tensors by name.
struct Weights<'a> {
    file: SafeTensors<'a>,
    device: &'a Device,
}

impl Weights<'_> {
    fn tensor<const D: usize>(&self, name: &str) -> Result<Tensor<D>, Problem> {
        let view = self.file.tensor(name)?;
        if view.dtype() != Dtype::F32 || view.shape().len() != D {
            return Err(format!("{name}: expected f32 of rank {D}").into());
        }
        let values: Vec<f32> =
            view.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        Ok(Tensor::from_data(TensorData::new(values, view.shape()), self.device))
    }

    fn linear(&self, at: &str) -> Result<Linear, Problem> {
        Ok(Linear(
            self.tensor::<2>(&format!("{at}.weight"))?.transpose(),
            self.tensor(&format!("{at}.bias"))?,
        ))
    }

    fn norm(&self, at: &str) -> Result<Norm, Problem> {
        Ok(Norm(self.tensor(&format!("{at}.weight"))?, self.tensor(&format!("{at}.bias"))?))
    }

    fn layer(&self, index: usize) -> Result<Layer, Problem> {
        let at = |name: &str| format!("encoder.layer.{index}.{name}");
        Ok(Layer {
            query: self.linear(&at("attention.self.query"))?,
            key: self.linear(&at("attention.self.key"))?,
            value: self.linear(&at("attention.self.value"))?,
            output: self.linear(&at("attention.output.dense"))?,
            attended: self.norm(&at("attention.output.LayerNorm"))?,
            up: self.linear(&at("intermediate.dense"))?,
            down: self.linear(&at("output.dense"))?,
            done: self.norm(&at("output.LayerNorm"))?,
        })
    }
}

impl Bert {
    pub fn load(folder: &Path, device: &Device) -> Result<Bert, Problem> {
        let bytes = std::fs::read(folder.join("model.safetensors"))?;
        let weights = Weights { file: SafeTensors::deserialize(&bytes)?, device };
        let layers = (0..LAYERS).map(|i| weights.layer(i)).collect::<Result<_, _>>()?;
        Ok(Bert {
            words: weights.tensor("embeddings.word_embeddings.weight")?,
            places: weights.tensor("embeddings.position_embeddings.weight")?,
            kind: weights.tensor::<2>("embeddings.token_type_embeddings.weight")?.narrow(0, 0, 1),
            norm: weights.norm("embeddings.LayerNorm")?,
            layers,
        })
    }

    /// Ids [batch, seq] to vectors [batch, width] of length 1.
    pub fn forward(&self, ids: Tensor<2, Int>) -> Tensor<2> {
        let [_, seq] = ids.dims();
        let places = self.places.clone().narrow(0, 0, seq) + self.kind.clone();
        let mut x = self.norm.forward(embedding(self.words.clone(), ids) + places.unsqueeze());
        for layer in &self.layers {
            x = layer.forward(x);
        }
        let pooled: Tensor<2> = x.mean_dim(1).squeeze_dim(1);
        let length = pooled.clone().powi_scalar(2).sum_dim(1).sqrt();
        pooled / length
    }
}

impl Layer {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [batch, seq, width] = x.dims();
        let heads =
            |linear: &Linear| linear.forward(&x).reshape([batch, seq, HEADS, width / HEADS]).swap_dims(1, 2);
        let (q, k, v) = (heads(&self.query), heads(&self.key), heads(&self.value));
        let a = attention(q, k, v, None, None, AttentionModuleOptions::default());
        let a = self.output.forward(&a.swap_dims(1, 2).reshape([batch, seq, width]));
        let x = self.attended.forward(x + a);
        let h = gelu(self.up.forward(&x));
        self.done.forward(x + self.down.forward(&h))
    }
}
