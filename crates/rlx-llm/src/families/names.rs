//! The names of tensors that families share.

/// What a checkpoint calls the parts of a model. The name of a part of a layer follows
/// [`layers`](TensorNames::layers) and the number of the layer. The tensors of a part have the same names everywhere:
/// `weight` and `bias`.
pub(crate) struct TensorNames {
    /// The prefix before the number of a layer.
    pub(crate) layers: &'static str,
    /// Our name and theirs, of parts or of single tensors with exceptional names. If several rows have the same name,
    /// the first one counts. `#` is replaced by the number of an expert if each expert has its own tensors.
    pub(crate) parts: &'static [Rows],
    /// Parts whose rows may be concatenated in one tensor, and the name of that tensor.
    pub(crate) joined: &'static [(&'static [&'static str], &'static str)],
    /// Whether projections of layers are stored as `[inputs, outputs]`.
    pub(crate) transposed: bool,
    /// Whether weights of norms are stored as w − 1.
    pub(crate) norms_less_one: bool,
    /// Whether experts are stored as `[inputs, outputs]` with alternating rows of gate and up, or as blocks and
    /// scales of MXFP4.
    pub(crate) alternating: bool,
    /// Whether a decay rate r, which is negative, is stored as ln(−r).
    pub(crate) log_decay: bool,
    /// Tensors that are read as settings.
    pub(crate) settings: &'static [&'static str],
    /// Suffixes of tensors in layers that models do not need: buffers that the reference recomputes.
    pub(crate) buffers: &'static [&'static str],
}

/// Pairs of our name and theirs.
pub(crate) type Rows = &'static [(&'static str, &'static str)];

/// The names of Llama, which most families use.
pub(super) const COMMON: TensorNames = TensorNames {
    layers: "model.layers",
    parts: &[COMMON_PARTS],
    joined: &[],
    transposed: false,
    norms_less_one: false,
    alternating: false,
    log_decay: true,
    settings: &[],
    buffers: &[".rotary_emb.inv_freq"],
};

/// The parts of [`COMMON`].
pub(super) const COMMON_PARTS: Rows = &[
    ("tokens", "model.embed_tokens"),
    ("norm", "model.norm"),
    ("output", "lm_head"),
    ("mixer_norm", "input_layernorm"),
    ("feed_norm", "post_attention_layernorm"),
    ("attention.query", "self_attn.q_proj"),
    ("attention.key", "self_attn.k_proj"),
    ("attention.value", "self_attn.v_proj"),
    ("attention.output", "self_attn.o_proj"),
    ("attention.query_norm", "self_attn.q_norm"),
    ("attention.key_norm", "self_attn.k_norm"),
    ("feed.gate", "mlp.gate_proj"),
    ("feed.up", "mlp.up_proj"),
    ("feed.down", "mlp.down_proj"),
    ("feed.router", "mlp.gate"),
    ("feed.experts.gate", "mlp.experts.#.gate_proj"),
    ("feed.experts.up", "mlp.experts.#.up_proj"),
    ("feed.experts.down", "mlp.experts.#.down_proj"),
    ("feed.shared.gate", "mlp.shared_expert.gate_proj"),
    ("feed.shared.up", "mlp.shared_expert.up_proj"),
    ("feed.shared.down", "mlp.shared_expert.down_proj"),
    ("feed.shared_gate", "mlp.shared_expert_gate"),
    ("attention.sinks", "self_attn.sinks"),
    ("delta.mixed", "linear_attn.in_proj_qkv"),
    ("delta.gate", "linear_attn.in_proj_z"),
    ("delta.beta", "linear_attn.in_proj_b"),
    ("delta.alpha", "linear_attn.in_proj_a"),
    ("delta.conv", "linear_attn.conv1d"),
    ("delta.step.bias", "linear_attn.dt_bias"),
    ("delta.decay.weight", "linear_attn.A_log"),
    ("delta.norm", "linear_attn.norm"),
    ("delta.output", "linear_attn.out_proj"),
];

/// The names of GGUF, which all families share.
pub(super) const GGUF: TensorNames = TensorNames {
    layers: "blk",
    parts: &[GGUF_PARTS],
    joined: &[(&["attention.query", "attention.key", "attention.value"], "attn_qkv")],
    transposed: false,
    norms_less_one: false,
    alternating: false,
    log_decay: false,
    settings: &[DIVISORS, "rope_factors_long.weight", "rope_factors_short.weight"],
    buffers: &[],
};

/// The divisors of Llama 3's rotary embeddings.
pub(super) const DIVISORS: &str = "rope_freqs.weight";

/// The parts of [`GGUF`].
pub(super) const GGUF_PARTS: Rows = &[
    ("tokens", "token_embd"),
    ("positions", "position_embd"),
    ("norm", "output_norm"),
    ("output", "output"),
    ("mixer_norm", "attn_norm"),
    ("mixer_after_norm", "post_attention_norm"),
    ("feed_norm", "ffn_norm"),
    ("feed_after_norm", "post_ffw_norm"),
    ("attention.query", "attn_q"),
    ("attention.key", "attn_k"),
    ("attention.value", "attn_v"),
    ("attention.output", "attn_output"),
    ("attention.query_norm", "attn_q_norm"),
    ("attention.key_norm", "attn_k_norm"),
    ("feed.gate", "ffn_gate"),
    ("feed.up", "ffn_up"),
    ("feed.down", "ffn_down"),
    ("feed.router", "ffn_gate_inp"),
    ("feed.experts.gate", "ffn_gate_exps"),
    ("feed.experts.up", "ffn_up_exps"),
    ("feed.experts.down", "ffn_down_exps"),
    ("feed.shared.gate", "ffn_gate_shexp"),
    ("feed.shared.up", "ffn_up_shexp"),
    ("feed.shared.down", "ffn_down_shexp"),
    ("feed.shared_gate", "ffn_gate_inp_shexp"),
    ("attention.sinks", "attn_sinks.weight"),
    ("mamba.input", "ssm_in"),
    ("mamba.conv", "ssm_conv1d"),
    ("mamba.step", "ssm_dt"),
    ("mamba.decay.weight", "ssm_a"),
    ("mamba.skip.weight", "ssm_d"),
    ("mamba.norm", "ssm_norm"),
    ("mamba.output", "ssm_out"),
    ("delta.mixed", "attn_qkv"),
    ("delta.gate", "attn_gate"),
    ("delta.beta", "ssm_beta"),
    ("delta.alpha", "ssm_alpha"),
    ("delta.conv", "ssm_conv1d"),
    ("delta.step", "ssm_dt"),
    ("delta.decay.weight", "ssm_a"),
    ("delta.norm", "ssm_norm"),
    ("delta.output", "ssm_out"),
];

/// The parts of the model outside of its layers.
const WHOLE: [&str; 4] = ["tokens", "positions", "norm", "output"];

impl TensorNames {
    /// Whether each parameter of attention and feed-forward parts is one tensor, stored unchanged.
    pub(crate) fn keeps_parameters(&self) -> bool {
        self.joined.is_empty() && !self.transposed && !self.norms_less_one && !self.alternating
    }

    /// Returns the number of the layer that a tensor belongs to.
    pub(crate) fn layer_of(&self, tensor: &str) -> Option<usize> {
        let (layer, _) = tensor.strip_prefix(self.layers)?.strip_prefix('.')?.split_once('.')?;
        layer.parse().ok()
    }

    /// Whether a tensor belongs to a part of the model outside of its layers.
    pub(crate) fn is_of_whole(&self, tensor: &str) -> bool {
        let place = tensor.rsplit_once('.').map_or(tensor, |(place, _)| place);
        let rows = || self.parts.iter().copied().flatten();
        WHOLE
            .iter()
            .filter_map(|part| rows().find(|(ours, _)| ours == part))
            .any(|(_, theirs)| *theirs == place)
    }

    /// Returns the tensor that holds a parameter of the graph and nothing else.
    pub(crate) fn alone(&self, param: &Param<'_>) -> Option<String> {
        let rows = || self.parts.iter().copied().flatten();
        if let Some((_, theirs)) = rows().find(|(ours, _)| *ours == param.whole) {
            return Some(self.place(param, theirs));
        }
        let theirs = rows().find(|(ours, _)| *ours == param.part)?.1;
        Some(self.name(param, theirs))
    }

    /// Returns the tensor that may hold a parameter together with others.
    pub(crate) fn joined(&self, param: &Param<'_>) -> Option<String> {
        let theirs = self.joined.iter().find(|(parts, _)| parts.contains(&param.part))?.1;
        Some(self.name(param, theirs))
    }

    fn name(&self, param: &Param<'_>, theirs: &str) -> String {
        format!("{}.{}", self.place(param, theirs), param.suffix)
    }

    fn place(&self, param: &Param<'_>, theirs: &str) -> String {
        match param.layer {
            Some(layer) => format!("{}.{layer}.{theirs}", self.layers),
            None => theirs.into(),
        }
    }
}

/// The name of a parameter of the graph, split into its components.
pub(crate) struct Param<'a> {
    /// The number of the layer, if the parameter belongs to one.
    pub(crate) layer: Option<&'a str>,
    /// The part of the layer, or of the model.
    pub(crate) part: &'a str,
    /// The name of the tensor within the part.
    pub(crate) suffix: &'a str,
    /// Part and tensor together.
    whole: &'a str,
}

impl<'a> Param<'a> {
    /// Splits a name such as `layers.3.attention.query.weight`.
    pub(crate) fn new(name: &'a str) -> Param<'a> {
        let (layer, whole) = match name.strip_prefix("layers.").and_then(|rest| rest.split_once('.')) {
            Some((layer, whole)) => (Some(layer), whole),
            None => (None, name),
        };
        let (part, suffix) = whole.rsplit_once('.').unwrap_or((whole, ""));
        Param { layer, part, suffix, whole }
    }
}
