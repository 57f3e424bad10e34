//! What a decoder computes, layer by layer: all that its graph needs, and nothing about files. A family turns
//! the settings of a checkpoint into one of these.

use rlx_ir::{Activation, RopeStyle};
use std::borrow::Cow;

/// A decoder-only language model.
#[derive(Clone, PartialEq, Debug)]
pub struct DecoderSpec {
    /// Tokens.
    pub vocab: usize,
    /// Width of the residual stream.
    pub width: usize,
    /// The longest text that the model was made for, in tokens.
    pub context: usize,
    /// Factor of the token embeddings.
    pub embedding_scale: Option<f64>,
    /// Whether positions have embeddings of their own, `context` of them, which are added to those of the tokens.
    pub learned_positions: bool,
    /// Rotary embeddings; layers name theirs by number.
    pub ropes: Vec<RopeSpec>,
    /// The layers, from the first to the last.
    pub layers: Vec<LayerSpec>,
    /// The norm after the last layer.
    pub norm: NormSpec,
    /// Whether the table of token embeddings is the output projection.
    pub tied: bool,
    /// Logits become c·tanh(logit / c).
    pub logit_softcap: Option<f64>,
}

/// One layer: a mixer of positions, then a feed-forward part.
#[derive(Clone, PartialEq, Debug)]
pub struct LayerSpec {
    /// What mixes positions.
    pub mixer: MixerSpec,
    /// The feed-forward part, if there is one.
    pub feed: Option<FeedSpec>,
    /// The norms of what the two parts read.
    pub norm: NormSpec,
    /// Where norms stand.
    pub placement: NormPlacement,
}

/// Where the norms of a layer stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NormPlacement {
    /// In front of each part (Llama).
    Before,
    /// In front of each part, and of what it adds to the stream (Gemma 2).
    Around,
}

/// What tokens know of earlier ones through.
#[derive(Clone, PartialEq, Debug)]
pub enum MixerSpec {
    /// Attention.
    Attention(AttentionSpec),
    /// A state space.
    Mamba2(Mamba2Spec),
    /// Linear attention by the gated delta rule.
    DeltaNet(DeltaNetSpec),
}

/// Mamba 2 (Dao and Gu, 2024, <https://arxiv.org/abs/2405.21060>).
#[derive(Clone, PartialEq, Debug)]
pub struct Mamba2Spec {
    /// Heads.
    pub heads: usize,
    /// Channels of a head.
    pub head_size: usize,
    /// Groups of heads that share what they read and write; they divide `heads`.
    pub groups: usize,
    /// Numbers of the state of a channel.
    pub state: usize,
    /// Tokens under the convolution.
    pub taps: usize,
    /// Whether the projections have biases.
    pub bias: bool,
    /// Whether the convolution has one.
    pub conv_bias: bool,
}

/// The gated delta rule (Yang et al., 2024, <https://arxiv.org/abs/2412.06464>).
#[derive(Clone, PartialEq, Debug)]
pub struct DeltaNetSpec {
    /// Heads of queries and keys.
    pub key_heads: usize,
    /// Heads of values; a multiple of `key_heads`.
    pub value_heads: usize,
    /// Width of a head of queries and keys.
    pub key_size: usize,
    /// Width of a head of values.
    pub value_size: usize,
    /// Tokens under the convolution.
    pub taps: usize,
    /// Whether head i of values goes with key head i modulo `key_heads`, and not with a run of neighbors.
    pub tiled: bool,
}

/// Attention with grouped heads.
#[derive(Clone, PartialEq, Debug)]
pub struct AttentionSpec {
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values; they divide `heads`.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_size: usize,
    /// Factor of the scores.
    pub scale: f64,
    /// Whether the projections of queries, keys and values have biases.
    pub input_bias: bool,
    /// Whether the output projection has one.
    pub output_bias: bool,
    /// The norm of each head of queries and keys.
    pub head_norm: Option<NormSpec>,
    /// The rotary embedding, by its number in [`DecoderSpec::ropes`]; none where positions are not rotated.
    pub rope: Option<usize>,
    /// How many tokens a query attends to, itself included; all earlier ones by default.
    pub window: Option<usize>,
    /// Scores become c·tanh(score / c).
    pub softcap: Option<f64>,
    /// Whether each head has a score that takes part in the softmax and attends to nothing.
    pub sinks: bool,
    /// Whether the projection of queries gives each head a gate behind its query: a sigmoid, for what it attended to.
    pub gated: bool,
}

/// The feed-forward part of a layer.
#[derive(Clone, PartialEq, Debug)]
pub enum FeedSpec {
    /// down(activation(gate(x)) · up(x)).
    Gated {
        /// Width between the projections.
        intermediate: usize,
        /// The function of the gate.
        activation: Activation,
        /// Whether the projections have biases.
        bias: bool,
    },
    /// down(activation(up(x))).
    Plain {
        /// Width between the projections.
        intermediate: usize,
        /// The function between them.
        activation: Activation,
        /// Whether the projections have biases.
        bias: bool,
    },
    /// A mixture of experts.
    Experts(ExpertsSpec),
}

/// A mixture of gated feed-forward parts, of which each token uses some (Shazeer et al., 2017).
#[derive(Clone, PartialEq, Debug)]
pub struct ExpertsSpec {
    /// Experts.
    pub count: usize,
    /// How many a token uses.
    pub used: usize,
    /// Width between the projections of an expert.
    pub intermediate: usize,
    /// What experts add up with.
    pub weights: ExpertWeights,
    /// What is done between the projections.
    pub gate: ExpertGate,
    /// Whether router and experts have biases.
    pub bias: bool,
    /// Width of an expert that all tokens use, times a sigmoid of theirs.
    pub shared: Option<usize>,
}

/// What experts add up with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpertWeights {
    /// The softmax of all scores.
    OfAll,
    /// The same, divided by the sum over those that are used.
    Renormalized,
    /// The softmax of the scores of those that are used.
    OfUsed,
}

/// What is done between the projections of an expert.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExpertGate {
    /// silu(gate) · up.
    Swiglu,
    /// gate · σ(α·gate) · (up + 1), with gate ≤ limit and |up| ≤ limit (GPT-OSS).
    Clamped {
        /// α.
        alpha: f64,
        /// The limit.
        limit: f64,
    },
}

/// A norm over the last axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NormSpec {
    /// By mean and variance, or by the root of the mean square.
    pub kind: NormKind,
    /// Added to the variance or mean square.
    pub eps: f64,
}

/// What a norm divides by, and what it multiplies with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NormKind {
    /// x / rms(x) · w (Zhang, Sennrich, 2019). Weights that a checkpoint keeps as w − 1 are added up where they are loaded.
    Rms,
    /// (x − mean) / σ · w + b (Ba et al., 2016).
    Layer,
}

/// A rotary position embedding (Su et al., 2021): pair i of a head rotates by position · `frequencies[i]`.
#[derive(Clone, PartialEq, Debug)]
pub struct RopeSpec {
    /// Angles per position, in radians, one number for each pair.
    pub frequencies: Vec<f64>,
    /// Other angles for longer texts. See [`RopeSpec::of_length`].
    pub stretch: Option<RopeStretch>,
    /// Factor of cosines and sines (YaRN's attention factor).
    pub magnitude: f64,
    /// Which elements are a pair.
    pub style: RopeStyle,
}

/// How angles change with the length of a text.
#[derive(Clone, PartialEq, Debug)]
pub struct RopeStretch {
    /// Texts of up to this many tokens keep [`RopeSpec::frequencies`].
    pub limit: usize,
    /// The angles of texts beyond it.
    pub rule: StretchRule,
}

/// The angles of texts beyond a limit.
#[derive(Clone, PartialEq, Debug)]
pub enum StretchRule {
    /// These, whatever the length (LongRoPE: Ding et al., 2024, <https://arxiv.org/abs/2402.13753>).
    Fixed(Vec<f64>),
    /// The base of the angles grows with every token, by s^(d / (d − 2)) with s = factor · length / limit − (factor − 1) and d rotary
    /// dimensions (dynamic NTK, as `transformers` computes it).
    GrowingBase {
        /// The factor.
        factor: f64,
    },
}

impl RopeSpec {
    /// Elements of a head that rotate.
    pub fn rotary_dims(&self) -> usize {
        2 * self.frequencies.len()
    }

    /// The frequencies of **all** tokens of a text of `tokens` tokens. Keys of earlier tokens, and all that later layers made of them, hold
    /// for a longer text only if [`RopeSpec::same_angles`] says so.
    pub fn of_length(&self, tokens: usize) -> Cow<'_, [f64]> {
        match &self.stretch {
            Some(stretch) if tokens > stretch.limit => match &stretch.rule {
                StretchRule::Fixed(frequencies) => Cow::Borrowed(frequencies),
                StretchRule::GrowingBase { factor } => {
                    let scale = factor * tokens as f64 / stretch.limit as f64 - (factor - 1.0);
                    // θ' = θ · s^(d / (d − 2)), and pair i rotates by θ'^(−2i / d).
                    let others = self.rotary_dims() as f64 - 2.0;
                    let power = |(i, f): (usize, &f64)| f * scale.powf(-((2 * i) as f64) / others);
                    self.frequencies.iter().enumerate().map(power).collect()
                }
            },
            _ => Cow::Borrowed(&self.frequencies),
        }
    }

    /// Whether texts of these two lengths have the same angles.
    pub fn same_angles(&self, a: usize, b: usize) -> bool {
        self.stretch.as_ref().is_none_or(|stretch| match stretch.rule {
            StretchRule::Fixed(_) => (a > stretch.limit) == (b > stretch.limit),
            StretchRule::GrowingBase { .. } => a.max(stretch.limit) == b.max(stretch.limit),
        })
    }
}

impl DecoderSpec {
    /// Whether what a model knows of the tokens of a text of `a` tokens holds in a text of `b` tokens: see [`RopeSpec::same_angles`].
    pub fn same_angles(&self, a: usize, b: usize) -> bool {
        self.ropes.iter().all(|rope| rope.same_angles(a, b))
    }

    /// The most tokens that a text may have before angles change with its length, where they do.
    pub fn angle_limit(&self) -> Option<usize> {
        self.ropes.iter().filter_map(|rope| rope.stretch.as_ref()).map(|stretch| stretch.limit).min()
    }
}
