//! Where parameters of the graph lie in a checkpoint.

use crate::spec::{DecoderSpec, FeedSpec, NormKind, NormPlacement, NormSpec};
use std::ops::Range;

/// What is done to a tensor of a checkpoint before it is a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// Nothing.
    None,
    /// These rows of it are taken.
    Rows(Range<usize>),
    /// Rows and columns change places, and then these rows are taken.
    TransposedRows(Range<usize>),
    /// 1 is added: weights of norms that are kept as w − 1.
    PlusOne,
}

/// Where a parameter lies.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorSource {
    /// The parameter of the graph.
    pub param: String,
    /// Its dimensions there.
    pub dims: Vec<usize>,
    /// The tensor of the checkpoint.
    pub tensor: String,
    /// What is done to that.
    pub change: Change,
}

/// Where all parameters of a graph lie.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Sources {
    /// One for each parameter.
    pub list: Vec<TensorSource>,
}

/// What a family calls the parts of a layer, and of the model.
pub(super) struct Names {
    /// The token embeddings.
    pub(super) tokens: &'static str,
    /// The norm after the last layer.
    pub(super) norm: &'static str,
    /// The output projection.
    pub(super) output: &'static str,
    /// What stands in front of a layer's number.
    pub(super) layers: &'static str,
    /// Norms in front of attention, after it, in front of the feed-forward part, after that.
    pub(super) norms: [&'static str; 4],
    /// Whether the weights of root-mean-square norms are kept as w − 1.
    pub(super) norms_less_one: bool,
}

/// The names of Llama, which most families have taken over.
pub(super) const COMMON: Names = Names {
    tokens: "model.embed_tokens",
    norm: "model.norm",
    output: "lm_head",
    layers: "model.layers",
    norms: [
        "input_layernorm",
        "post_attention_layernorm",
        "post_attention_layernorm",
        "post_feedforward_layernorm",
    ],
    norms_less_one: false,
};

/// Sources by the names of Llama.
pub(super) fn common(spec: &DecoderSpec) -> Sources {
    Sources::by_names(spec, &COMMON)
}

impl Sources {
    /// Sources where each projection is a tensor of its own.
    pub(super) fn by_names(spec: &DecoderSpec, names: &Names) -> Sources {
        let mut out = Sources::default();
        out.around(spec, names);
        for (i, layer) in spec.layers.iter().enumerate() {
            let theirs = format!("{}.{i}", names.layers);
            let attention = &layer.attention;
            let [q, kv] = [attention.heads, attention.kv_heads].map(|heads| heads * attention.head_size);
            for (part, projection, rows) in
                [("query", "q_proj", q), ("key", "k_proj", kv), ("value", "v_proj", kv)]
            {
                let [ours, theirs] =
                    [format!("layers.{i}.attention.{part}"), format!("{theirs}.self_attn.{projection}")];
                out.linear(&ours, &theirs, [rows, spec.width], attention.input_bias);
            }
            let [ours, from] = [format!("layers.{i}.attention.output"), format!("{theirs}.self_attn.o_proj")];
            out.linear(&ours, &from, [spec.width, q], attention.output_bias);
            if let Some(norm) = &attention.head_norm {
                for (part, from) in [("query_norm", "q_norm"), ("key_norm", "k_norm")] {
                    let [ours, from] =
                        [format!("layers.{i}.attention.{part}"), format!("{theirs}.self_attn.{from}")];
                    out.norm(&ours, &from, attention.head_size, norm, names);
                }
            }
            out.layer_norms(i, spec, names);
            out.feed(i, spec, &format!("{theirs}.mlp"));
        }
        out
    }

    /// Embeddings, the last norm, the output projection.
    pub(super) fn around(&mut self, spec: &DecoderSpec, names: &Names) {
        self.take(
            "tokens.weight",
            &[spec.vocab, spec.width],
            format!("{}.weight", names.tokens),
            Change::None,
        );
        self.norm("norm", names.norm, spec.width, &spec.norm, names);
        if !spec.tied {
            self.linear("output", names.output, [spec.vocab, spec.width], false);
        }
    }

    /// The norms around the parts of layer `i`.
    pub(super) fn layer_norms(&mut self, i: usize, spec: &DecoderSpec, names: &Names) {
        let layer = &spec.layers[i];
        let after = layer.placement == NormPlacement::Around;
        let parts = [
            ("attention_norm", true),
            ("attention_after_norm", after),
            ("feed_norm", true),
            ("feed_after_norm", after),
        ];
        for ((part, is_there), from) in parts.into_iter().zip(names.norms) {
            if is_there {
                let [ours, from] = [format!("layers.{i}.{part}"), format!("{}.{i}.{from}", names.layers)];
                self.norm(&ours, &from, spec.width, &layer.norm, names);
            }
        }
    }

    /// The feed-forward part of layer `i`, whose projections are tensors of their own in `theirs`.
    fn feed(&mut self, i: usize, spec: &DecoderSpec, theirs: &str) {
        let (intermediate, bias, parts) = match spec.layers[i].feed {
            FeedSpec::Gated { intermediate, bias, .. } => (intermediate, bias, &["gate", "up", "down"][..]),
            FeedSpec::Plain { intermediate, bias, .. } => (intermediate, bias, &["up", "down"][..]),
        };
        for &part in parts {
            let dims = if part == "down" { [spec.width, intermediate] } else { [intermediate, spec.width] };
            self.linear(&format!("layers.{i}.feed.{part}"), &format!("{theirs}.{part}_proj"), dims, bias);
        }
    }

    /// The weight, and the bias if there is one, of a projection.
    pub(super) fn linear(&mut self, ours: &str, theirs: &str, dims: [usize; 2], bias: bool) {
        self.take(&format!("{ours}.weight"), &dims, format!("{theirs}.weight"), Change::None);
        if bias {
            self.take(&format!("{ours}.bias"), &dims[..1], format!("{theirs}.bias"), Change::None);
        }
    }

    /// The weights of a norm.
    pub(super) fn norm(&mut self, ours: &str, theirs: &str, width: usize, norm: &NormSpec, names: &Names) {
        let change = if names.norms_less_one { Change::PlusOne } else { Change::None };
        self.take(&format!("{ours}.weight"), &[width], format!("{theirs}.weight"), change);
        if norm.kind == NormKind::Layer {
            self.take(&format!("{ours}.bias"), &[width], format!("{theirs}.bias"), Change::None);
        }
    }

    /// One parameter.
    pub(super) fn take(&mut self, param: &str, dims: &[usize], tensor: String, change: Change) {
        self.list.push(TensorSource { param: param.into(), dims: dims.to_vec(), tensor, change });
    }
}
