//! What a decoder computes, layer by layer: everything that its graph needs, and nothing about files.

use rlx_ir::{Activation, RopeStyle};
use std::borrow::Cow;

/// A decoder-only language model.
#[derive(Clone, PartialEq, Debug)]
pub struct DecoderSpec {
    /// The number of tokens in the vocabulary.
    pub vocab: usize,
    /// The width of the residual stream.
    pub width: usize,
    /// The longest text that the model was made for, in tokens.
    pub context: usize,
    /// The factor that token embeddings are multiplied by.
    pub embedding_scale: Option<f64>,
    /// Whether there is also a table of `context` position embeddings, which are added to the token embeddings.
    pub learned_positions: bool,
    /// The rotary embeddings; layers refer to them by index.
    pub ropes: Vec<RopeSpec>,
    /// The layers, from the first to the last.
    pub layers: Vec<LayerSpec>,
    /// The norm after the last layer.
    pub norm: NormSpec,
    /// Whether the token embedding table is also the output projection.
    pub tied: bool,
    /// Logits become c·tanh(logit / c).
    pub logit_softcap: Option<f64>,
}

/// One layer: a part that mixes positions (the mixer), then a feed-forward part.
#[derive(Clone, PartialEq, Debug)]
pub struct LayerSpec {
    /// What mixes positions.
    pub mixer: MixerSpec,
    /// The feed-forward part, if there is one.
    pub feed: Option<FeedSpec>,
    /// The norms of the two parts.
    pub norm: NormSpec,
    /// Where the norms are.
    pub placement: NormPlacement,
}

/// Where the norms of a layer are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NormPlacement {
    /// Before each part (Llama).
    Before,
    /// Before and after each part; the second one normalizes what the part adds to the stream (Gemma 2).
    Around,
}

/// How a layer passes information from earlier tokens to later ones.
#[derive(Clone, PartialEq, Debug)]
pub enum MixerSpec {
    /// Attention.
    Attention(AttentionSpec),
    /// A state space model.
    Mamba2(Mamba2Spec),
    /// Linear attention with the gated delta rule.
    DeltaNet(DeltaNetSpec),
}

/// Mamba 2 (Dao and Gu, 2024, <https://arxiv.org/abs/2405.21060>).
#[derive(Clone, PartialEq, Debug)]
pub struct Mamba2Spec {
    /// The number of heads.
    pub heads: usize,
    /// Channels per head.
    pub head_size: usize,
    /// Groups of heads that share their input and output projections of the state (B and C). The number must divide
    /// `heads`.
    pub groups: usize,
    /// State elements per channel.
    pub state: usize,
    /// The width of the convolution, in tokens.
    pub taps: usize,
    /// Whether the projections have biases.
    pub bias: bool,
    /// Whether the convolution has a bias.
    pub conv_bias: bool,
}

/// The gated delta rule (Yang et al., 2024, <https://arxiv.org/abs/2412.06464>).
#[derive(Clone, PartialEq, Debug)]
pub struct DeltaNetSpec {
    /// Heads of queries and of keys.
    pub key_heads: usize,
    /// Heads of values; a multiple of `key_heads`.
    pub value_heads: usize,
    /// The width of a query or key head.
    pub key_size: usize,
    /// The width of a value head.
    pub value_size: usize,
    /// The width of the convolution, in tokens.
    pub taps: usize,
    /// Whether value head i uses key head i modulo `key_heads`. Otherwise, consecutive value heads share a key head.
    pub tiled: bool,
}

/// Attention with grouped heads.
#[derive(Clone, PartialEq, Debug)]
pub struct AttentionSpec {
    /// The number of query heads.
    pub heads: usize,
    /// The number of key heads and of value heads; it must divide `heads`.
    pub kv_heads: usize,
    /// The width of a head.
    pub head_size: usize,
    /// The factor that scores are multiplied by.
    pub scale: f64,
    /// Whether the projections of queries, keys and values have biases.
    pub input_bias: bool,
    /// Whether the output projection has a bias.
    pub output_bias: bool,
    /// The norm of each query and key head.
    pub head_norm: Option<NormSpec>,
    /// The index of the rotary embedding in [`DecoderSpec::ropes`], or `None` if positions are not rotated.
    pub rope: Option<usize>,
    /// How many tokens a query attends to, including itself; `None` if it attends to all earlier ones.
    pub window: Option<usize>,
    /// Scores become c·tanh(score / c).
    pub softcap: Option<f64>,
    /// Whether each head has an extra score that takes part in the softmax but attends to nothing.
    pub sinks: bool,
    /// Whether the query projection also returns a gate after each head's query. The output of attention is
    /// multiplied by the sigmoid of the gate.
    pub gated: bool,
}

/// The feed-forward part of a layer.
#[derive(Clone, PartialEq, Debug)]
pub enum FeedSpec {
    /// down(activation(gate(x)) · up(x)).
    Gated {
        /// The width between the projections.
        intermediate: usize,
        /// The activation function of the gate.
        activation: Activation,
        /// Whether the projections have biases.
        bias: bool,
    },
    /// down(activation(up(x))).
    Plain {
        /// The width between the projections.
        intermediate: usize,
        /// The activation function between the projections.
        activation: Activation,
        /// Whether the projections have biases.
        bias: bool,
    },
    /// A mixture of experts.
    Experts(ExpertsSpec),
}

/// A mixture of gated feed-forward parts; each token uses some of them (Shazeer et al., 2017).
#[derive(Clone, PartialEq, Debug)]
pub struct ExpertsSpec {
    /// The number of experts.
    pub count: usize,
    /// How many experts each token uses.
    pub used: usize,
    /// The width between the projections of an expert.
    pub intermediate: usize,
    /// How the outputs of experts are weighted.
    pub weights: ExpertWeights,
    /// The function between the projections.
    pub gate: ExpertGate,
    /// Whether router and experts have biases.
    pub bias: bool,
    /// The width of an additional expert that all tokens use, if there is one. Its output is multiplied by the
    /// sigmoid of its own gate.
    pub shared: Option<usize>,
}

/// How the outputs of a token's experts are weighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpertWeights {
    /// By the softmax over the scores of all experts.
    OfAll,
    /// The same, divided by the sum over the experts that are used.
    Renormalized,
    /// By the softmax over the scores of the experts that are used.
    OfUsed,
}

/// The function between the projections of an expert.
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
    /// What the norm computes.
    pub kind: NormKind,
    /// The number added to the variance or mean square.
    pub eps: f64,
}

/// What a norm computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NormKind {
    /// x / rms(x) · w (Zhang, Sennrich, 2019). If a checkpoint stores w − 1, 1 is added when it is loaded.
    Rms,
    /// (x − mean) / σ · w + b (Ba et al., 2016).
    Layer,
}

/// A rotary position embedding (Su et al., 2021): pair i of a head rotates by position · `frequencies[i]`.
#[derive(Clone, PartialEq, Debug)]
pub struct RopeSpec {
    /// The angle per position of each pair, in radians.
    pub frequencies: Vec<f64>,
    /// Different angles for longer texts. See [`RopeSpec::of_length`].
    pub stretch: Option<RopeStretch>,
    /// The factor that cosines and sines are multiplied by (YaRN's attention factor).
    pub magnitude: f64,
    /// Which elements form a pair.
    pub style: RopeStyle,
}

/// How angles change with the length of a text.
#[derive(Clone, PartialEq, Debug)]
pub struct RopeStretch {
    /// Texts of up to this many tokens keep [`RopeSpec::frequencies`].
    pub limit: usize,
    /// The angles of longer texts.
    pub rule: StretchRule,
}

/// The angles of texts that are longer than the limit.
#[derive(Clone, PartialEq, Debug)]
pub enum StretchRule {
    /// These angles, whatever the length (LongRoPE: Ding et al., 2024, <https://arxiv.org/abs/2402.13753>).
    Fixed(Vec<f64>),
    /// The base of the angles grows with every token: it is multiplied by s^(d / (d − 2)), where s = factor · length
    /// / limit − (factor − 1) and d is the number of rotary dimensions (dynamic NTK, as `transformers` computes it).
    GrowingBase {
        /// The factor.
        factor: f64,
    },
}

impl RopeSpec {
    /// Returns how many elements of a head are rotated.
    pub fn rotary_dims(&self) -> usize {
        2 * self.frequencies.len()
    }

    /// Returns the frequencies of **all** tokens of a text of `tokens` tokens. The keys of earlier tokens, and
    /// everything that later layers computed from them, are valid for a longer text only if [`RopeSpec::same_angles`]
    /// returns true.
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

    /// Whether texts of `a` and of `b` tokens have the same angles.
    pub fn same_angles(&self, a: usize, b: usize) -> bool {
        self.stretch.as_ref().is_none_or(|stretch| match stretch.rule {
            StretchRule::Fixed(_) => (a > stretch.limit) == (b > stretch.limit),
            StretchRule::GrowingBase { .. } => a.max(stretch.limit) == b.max(stretch.limit),
        })
    }
}

impl DecoderSpec {
    /// Whether the states of a text of `a` tokens are also valid for a text of `b` tokens: see
    /// [`RopeSpec::same_angles`].
    pub fn same_angles(&self, a: usize, b: usize) -> bool {
        self.ropes.iter().all(|rope| rope.same_angles(a, b))
    }

    /// Returns the maximum length of a text, in tokens, before its angles change with the length; `None` if they
    /// never do.
    pub fn angle_limit(&self) -> Option<usize> {
        self.ropes.iter().filter_map(|rope| rope.stretch.as_ref()).map(|stretch| stretch.limit).min()
    }
}
