//! Attention of a run's tokens to themselves and to what lies in the cache.

use super::DecoderRun;
use super::part::ModelPart;
use super::rope::Rotation;
use crate::spec::AttentionSpec;
use rlx_ir::{AttentionOptions, DType, Dim, MaskKind, Tensor};

/// Rows of all tokens so far, `[batch, kv_heads, capacity, head]`.
pub(super) struct Cache {
    pub(super) keys: Tensor,
    pub(super) values: Tensor,
}

/// Attention of x `[batch, seq, width]`, and the caches with the rows of x in them.
pub(super) fn attention(
    part: &ModelPart<'_>,
    x: &Tensor,
    width: usize,
    spec: &AttentionSpec,
    rope: Option<&Rotation>,
    run: &DecoderRun,
) -> (Tensor, Cache) {
    let AttentionSpec { heads, kv_heads, head_size, .. } = *spec;
    let of_heads = |name: &str, count: usize| {
        let flat = part.linear(name, x, (width, count * head_size), spec.input_bias);
        let dims = [flat.dim(0), flat.dim(1), Dim::Static(count), Dim::Static(head_size)];
        flat.reshape(&dims).transpose(&[0, 2, 1, 3])
    };
    let placed = |name: &str, count: usize| {
        let mut y = of_heads(name, count);
        if let Some(spec) = &spec.head_norm {
            y = part.norm(&format!("{name}_norm"), &y, spec);
        }
        rope.map_or(y.clone(), |rope| rope.turn(&y))
    };
    let queries = placed("query", heads);
    let new = [("key", placed("key", kv_heads)), ("value", of_heads("value", kv_heads))];
    let [keys, values] = new.map(|(name, new)| {
        let dims = [x.dim(0), Dim::Static(kv_heads), Dim::dynamic("capacity"), Dim::Static(head_size)];
        let cache = part.flow.input(&format!("{}.cache.{name}", part.flow.path()), &dims, run.cache);
        cache.kv_append(&new.convert(run.cache), &run.start, 2)
    });
    let options = AttentionOptions {
        num_heads: Some(heads),
        num_kv_heads: Some(kv_heads),
        scale: Some(spec.scale),
        mask: if spec.window.is_some() { MaskKind::SlidingWindow } else { MaskKind::Causal },
        window: spec.window,
        softcap: spec.softcap,
        kv_scheme: None,
    };
    let attended = queries.attention_cached(&keys, &values, &run.rows, None, options);
    let dims = [x.dim(0), x.dim(1), Dim::Static(heads * head_size)];
    let joined = attended.transpose(&[0, 2, 1, 3]).reshape(&dims).convert(DType::F32);
    let out = part.linear("output", &joined, (heads * head_size, width), spec.output_bias);
    (out, Cache { keys, values })
}
