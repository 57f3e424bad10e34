//! Compares the settings of a GGUF file with the settings that it was made from. Every field of a spec is
//! destructured here, so that a new field cannot be forgotten: it is either compared or named as a matter of how
//! weights are arranged.

use crate::spec::{
    AttentionSpec, DecoderSpec, DeltaNetSpec, ExpertGate, ExpertsSpec, FeedSpec, LayerSpec, Mamba2Spec,
    MixerSpec, NormSpec, RopeSpec, RopeStretch, StretchRule,
};
use rlx_models::fields::Fields;
use std::fmt::{Debug, Write as _};

/// Settings are stored as f32, whose precision is 6e-8.
const ROUNDING: f64 = 1e-6;

/// A setting that a file does not preserve.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Difference {
    /// What the setting is.
    setting: &'static str,
    /// The fields of `config.json` that may hold it.
    fields: &'static [&'static str],
    /// The layers that it belongs to, or none if it belongs to the whole model.
    layers: Vec<usize>,
    /// Its value in the source, and the value that the file implies.
    values: [String; 2],
}

/// The differences that were found; those of several layers are merged.
#[derive(Default)]
struct Differences {
    found: Vec<Difference>,
    layer: Option<usize>,
}

/// Returns the settings that differ between `source` and `file`.
pub(super) fn differences(source: &DecoderSpec, file: &DecoderSpec) -> Vec<Difference> {
    let DecoderSpec {
        vocab,
        width,
        context,
        embedding_scale,
        learned_positions,
        ropes: _, // Compared where layers name them.
        layers,
        norm: last,
        tied,
        logit_softcap,
    } = source;
    let mut seen = Differences::default();
    seen.exact("size of the vocabulary", &["vocab_size"], vocab, &file.vocab);
    seen.exact("width", &["hidden_size", "n_embd"], width, &file.width);
    seen.exact("longest text", &["max_position_embeddings", "n_positions"], context, &file.context);
    seen.number("factor of the token embeddings", &[], *embedding_scale, file.embedding_scale);
    seen.exact("learned positions", &[], learned_positions, &file.learned_positions);
    norm(&mut seen, "last norm", last, &file.norm);
    seen.exact(
        "whether the output projection is the token table",
        &["tie_word_embeddings"],
        tied,
        &file.tied,
    );
    let caps = [*logit_softcap, file.logit_softcap];
    seen.number("soft cap of logits", &["final_logit_softcapping"], caps[0], caps[1]);
    seen.exact("number of layers", &["num_hidden_layers", "n_layer"], &layers.len(), &file.layers.len());
    for (i, (one, other)) in layers.iter().zip(&file.layers).enumerate() {
        seen.layer = Some(i);
        layer(&mut seen, [source, file], one, other);
    }
    seen.found
}

fn norm(seen: &mut Differences, which: &'static str, source: &NormSpec, file: &NormSpec) {
    let NormSpec { kind, eps } = *source;
    seen.exact(which, &[], &kind, &file.kind);
    let fields = &["rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps"];
    seen.number("epsilon of norms", fields, Some(eps), Some(file.eps));
}

fn layer(seen: &mut Differences, specs: [&DecoderSpec; 2], source: &LayerSpec, file: &LayerSpec) {
    let LayerSpec { mixer, feed, norm: norms, placement } = source;
    norm(seen, "norms", norms, &file.norm);
    seen.exact("place of norms", &[], placement, &file.placement);
    match (mixer, &file.mixer) {
        (MixerSpec::Attention(one), MixerSpec::Attention(other)) => attention(seen, specs, one, other),
        (MixerSpec::Mamba2(one), MixerSpec::Mamba2(other)) => mamba2(seen, one, other),
        (MixerSpec::DeltaNet(one), MixerSpec::DeltaNet(other)) => delta_net(seen, one, other),
        (one, other) => {
            let name = |mixer: &MixerSpec| match mixer {
                MixerSpec::Attention(_) => "attention",
                MixerSpec::Mamba2(_) => "a state space",
                MixerSpec::DeltaNet(_) => "linear attention",
            };
            seen.exact(
                "kind of layer",
                &["layer_types", "full_attention_interval"],
                &name(one),
                &name(other),
            );
        }
    }
    match (feed, &file.feed) {
        (Some(one), Some(other)) => feed_forward(seen, one, other),
        (one, other) => seen.exact("feed-forward part", &[], &one.is_some(), &other.is_some()),
    }
}

fn attention(
    seen: &mut Differences,
    [source, written]: [&DecoderSpec; 2],
    one: &AttentionSpec,
    file: &AttentionSpec,
) {
    let AttentionSpec {
        heads,
        kv_heads,
        head_size,
        scale,
        input_bias,
        output_bias,
        head_norm,
        rope: turned,
        window,
        softcap,
        sinks,
        gated,
    } = one;
    seen.exact("attention heads", &["num_attention_heads", "n_head"], heads, &file.heads);
    seen.exact("heads of keys and values", &["num_key_value_heads"], kv_heads, &file.kv_heads);
    seen.exact("width of a head", &["head_dim"], head_size, &file.head_size);
    seen.number("factor of scores", &["query_pre_attn_scalar"], Some(*scale), Some(file.scale));
    let bias = &["attention_bias", "qkv_bias"];
    seen.exact("biases of queries, keys and values", bias, input_bias, &file.input_bias);
    seen.exact("bias of attention's output", bias, output_bias, &file.output_bias);
    match (head_norm, &file.head_norm) {
        (Some(one), Some(other)) => norm(seen, "norms of heads", one, other),
        (one, other) => seen.exact("norms of heads", &[], &one.is_some(), &other.is_some()),
    }
    let place = |spec: &DecoderSpec, rope: &Option<usize>| rope.and_then(|i| spec.ropes.get(i).cloned());
    match (place(source, turned), place(written, &file.rope)) {
        (Some(one), Some(other)) => rope(seen, &one, &other),
        (one, other) => {
            let fields = &["no_rope_layers", "no_rope_layer_interval"];
            seen.exact("rotary embedding", fields, &one.is_some(), &other.is_some());
        }
    }
    // A window as long as the longest text does not hide anything.
    let seen_by = |window: &Option<usize>| window.filter(|&window| window < source.context);
    let fields = &["sliding_window", "use_sliding_window", "max_window_layers", "layer_types"];
    seen.exact("window of attention", fields, &seen_by(window), &seen_by(&file.window));
    seen.number("soft cap of scores", &["attn_logit_softcapping"], *softcap, file.softcap);
    seen.exact("scores that attend to nothing", &[], sinks, &file.sinks);
    seen.exact("gates of attention", &[], gated, &file.gated);
}

fn rope(seen: &mut Differences, source: &RopeSpec, file: &RopeSpec) {
    // Which elements form a pair depends on the order of rows, which is adapted as well.
    let RopeSpec { frequencies, stretch, magnitude, style: _ } = source;
    let alike = |one: &[f64], other: &[f64]| {
        one.len() == other.len() && one.iter().zip(other).all(|(a, b)| near(*a, *b))
    };
    if !alike(frequencies, &file.frequencies) {
        let shown = |list: &[f64]| {
            format!("{} frequencies from {:e} to {:e}", list.len(), list[0], list[list.len() - 1])
        };
        let shown = |list: &[f64]| if list.is_empty() { "none".into() } else { shown(list) };
        seen.add("rotary embedding", ROPE, [shown(frequencies), shown(&file.frequencies)]);
    }
    let is_same = match (stretch, &file.stretch) {
        (Some(one), Some(other)) => {
            let RopeStretch { limit, rule } = one;
            let rules = match (rule, &other.rule) {
                (StretchRule::Fixed(one), StretchRule::Fixed(other)) => alike(one, other),
                (StretchRule::GrowingBase { factor }, StretchRule::GrowingBase { factor: other }) => {
                    near(*factor, *other)
                }
                _ => false,
            };
            rules && *limit == other.limit
        }
        (one, other) => one.is_none() && other.is_none(),
    };
    if !is_same {
        let shown = |stretch: &Option<RopeStretch>| match stretch {
            Some(stretch) => format!("other frequencies past {} tokens", stretch.limit),
            None => "the same frequencies for all lengths".to_string(),
        };
        seen.add("rotary embedding of long texts", ROPE, [shown(stretch), shown(&file.stretch)]);
    }
    seen.number("magnitude of the rotary embedding", ROPE, Some(*magnitude), Some(file.magnitude));
}

fn mamba2(seen: &mut Differences, source: &Mamba2Spec, file: &Mamba2Spec) {
    let Mamba2Spec { heads, head_size, groups, state, taps, bias, conv_bias } = source;
    seen.exact("heads", &["num_heads"], heads, &file.heads);
    seen.exact("width of a head", &["head_dim"], head_size, &file.head_size);
    seen.exact("groups", &["n_groups"], groups, &file.groups);
    seen.exact("size of the state", &["state_size"], state, &file.state);
    seen.exact("tokens under the convolution", &["conv_kernel"], taps, &file.taps);
    seen.exact("biases of projections", &["use_bias"], bias, &file.bias);
    seen.exact("bias of the convolution", &["use_conv_bias"], conv_bias, &file.conv_bias);
}

fn delta_net(seen: &mut Differences, source: &DeltaNetSpec, file: &DeltaNetSpec) {
    // The order of heads is adapted together with the rows.
    let DeltaNetSpec { key_heads, value_heads, key_size, value_size, taps, tiled: _ } = source;
    seen.exact("heads of keys", &["linear_num_key_heads"], key_heads, &file.key_heads);
    seen.exact("heads of values", &["linear_num_value_heads"], value_heads, &file.value_heads);
    seen.exact("width of a head of keys", &["linear_key_head_dim"], key_size, &file.key_size);
    seen.exact("width of a head of values", &["linear_value_head_dim"], value_size, &file.value_size);
    seen.exact("tokens under the convolution", &["linear_conv_kernel_dim"], taps, &file.taps);
}

const ROPE: &[&str] =
    &["rope_parameters", "rope_scaling", "rope_theta", "rope_local_base_freq", "partial_rotary_factor"];
const ACTIVATION: &[&str] = &["hidden_act", "hidden_activation", "activation_function"];
const INTERMEDIATE: &[&str] = &["intermediate_size", "n_inner", "moe_intermediate_size"];

fn feed_forward(seen: &mut Differences, source: &FeedSpec, file: &FeedSpec) {
    match (source, file) {
        (
            FeedSpec::Gated { intermediate, activation, bias },
            FeedSpec::Gated { intermediate: width, activation: function, bias: biased },
        )
        | (
            FeedSpec::Plain { intermediate, activation, bias },
            FeedSpec::Plain { intermediate: width, activation: function, bias: biased },
        ) => {
            seen.exact("width of the feed-forward part", INTERMEDIATE, intermediate, width);
            seen.exact("activation", ACTIVATION, activation, function);
            seen.exact("biases of the feed-forward part", &["mlp_bias"], bias, biased);
        }
        (FeedSpec::Experts(one), FeedSpec::Experts(other)) => experts(seen, one, other),
        (one, other) => {
            let name = |feed: &FeedSpec| match feed {
                FeedSpec::Gated { .. } => "a gated feed-forward part",
                FeedSpec::Plain { .. } => "a plain feed-forward part",
                FeedSpec::Experts(_) => "experts",
            };
            let fields = &["mlp_only_layers", "decoder_sparse_step"];
            seen.exact("kind of feed-forward part", fields, &name(one), &name(other));
        }
    }
}

fn experts(seen: &mut Differences, source: &ExpertsSpec, file: &ExpertsSpec) {
    let ExpertsSpec { count, used, intermediate, weights, gate, bias, shared } = source;
    seen.exact("experts", &["num_experts", "num_local_experts"], count, &file.count);
    seen.exact("experts of a token", &["num_experts_per_tok"], used, &file.used);
    seen.exact("width of experts", INTERMEDIATE, intermediate, &file.intermediate);
    seen.exact("weights of experts", &["norm_topk_prob"], weights, &file.weights);
    match (gate, &file.gate) {
        (ExpertGate::Clamped { alpha, limit }, ExpertGate::Clamped { alpha: a, limit: l }) => {
            seen.number("factor of experts' gates", &["swiglu_alpha"], Some(*alpha), Some(*a));
            seen.number("limit of experts' gates", &["swiglu_limit"], Some(*limit), Some(*l));
        }
        (one, other) => seen.exact("gates of experts", &["swiglu_limit"], one, other),
    }
    seen.exact("biases of experts", &[], bias, &file.bias);
    seen.exact("shared expert", &["shared_expert_intermediate_size"], shared, &file.shared);
}

/// Whether two numbers are equal up to rounding.
pub(super) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
}

impl Differences {
    fn exact<T: PartialEq + Debug>(
        &mut self,
        setting: &'static str,
        fields: &'static [&'static str],
        source: &T,
        file: &T,
    ) {
        if source != file {
            let text = |value: &T| {
                let text = format!("{value:?}");
                let inner = text.strip_prefix("Some(").and_then(|rest| rest.strip_suffix(')'));
                let text = inner.unwrap_or(&text).trim_matches('"');
                if text == "None" { "none".to_string() } else { text.to_string() }
            };
            self.add(setting, fields, [text(source), text(file)]);
        }
    }

    fn number(
        &mut self,
        setting: &'static str,
        fields: &'static [&'static str],
        source: Option<f64>,
        file: Option<f64>,
    ) {
        let is_same = match (source, file) {
            (Some(a), Some(b)) => near(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if !is_same {
            let text = |value: Option<f64>| value.map_or("none".to_string(), |x| x.to_string());
            self.add(setting, fields, [text(source), text(file)]);
        }
    }

    fn add(&mut self, setting: &'static str, fields: &'static [&'static str], values: [String; 2]) {
        match self.found.iter_mut().find(|known| known.setting == setting && known.values == values) {
            Some(known) => known.layers.extend(self.layer),
            None => {
                let layers = self.layer.into_iter().collect();
                self.found.push(Difference { setting, fields, layers, values });
            }
        }
    }
}

impl Difference {
    /// Whether the setting belongs to a rotary embedding.
    pub(super) fn is_of_rope(&self) -> bool {
        self.fields == ROPE
    }

    /// Describes the difference: the setting by its name in the settings file, its value, and the value that a GGUF
    /// file would imply.
    pub(super) fn text(&self, config: &Fields) -> String {
        let stated = self.fields.iter().filter_map(|field| Some((field, config.get(field)?)));
        let stated: Vec<String> =
            stated.map(|(field, value)| format!("{field} = {}", short(&value.to_string()))).collect();
        let named = match (&stated[..], self.fields) {
            ([], []) => String::new(),
            ([], fields) => format!(" ({}, which is not set)", fields.join(" or ")),
            (stated, _) => format!(" ({})", stated.join(", ")),
        };
        let [source, file] = &self.values;
        let of = match &self.layers[..] {
            [] => String::new(),
            [layer] => format!(" of layer {layer}"),
            layers => format!(" of layers {}", ranges(layers)),
        };
        format!("{}{of}{named} is {source}, but the file would mean {file}", self.setting)
    }
}

/// Formats increasing numbers; consecutive ones become a range.
fn ranges(numbers: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = numbers;
    while let Some(&first) = rest.first() {
        let length = rest.iter().enumerate().take_while(|(i, n)| **n == first + i).count();
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = match length {
            1 => write!(text, "{separator}{first}"),
            _ => write!(text, "{separator}{first}–{}", first + length - 1),
        };
        rest = &rest[length..];
    }
    text
}

/// Shortens a value for use in a sentence.
fn short(value: &str) -> String {
    const MOST: usize = 120;
    if value.chars().count() <= MOST {
        return value.into();
    }
    value.chars().take(MOST).chain("…".chars()).collect()
}
