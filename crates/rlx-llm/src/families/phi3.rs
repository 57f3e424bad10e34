//! Phi-3 and Phi-4 (Abdin et al., 2024): the settings of Mistral, whose projections lie together.

use super::sources::{COMMON, Change, Sources};
use crate::spec::{DecoderSpec, FeedSpec};

/// The projections into attention are one tensor, and so are those of the gate and what it meets.
pub(super) fn sources(spec: &DecoderSpec) -> Sources {
    let mut out = Sources::default();
    out.around(spec, &COMMON);
    for (i, layer) in spec.layers.iter().enumerate() {
        let attention = &layer.attention;
        let [q, kv] = [attention.heads, attention.kv_heads].map(|heads| heads * attention.head_size);
        let theirs = format!("model.layers.{i}");
        let mut from = 0;
        for (part, rows) in [("query", q), ("key", kv), ("value", kv)] {
            let change = Change::Rows(from..from + rows);
            out.take(
                &format!("layers.{i}.attention.{part}.weight"),
                &[rows, spec.width],
                format!("{theirs}.self_attn.qkv_proj.weight"),
                change,
            );
            from += rows;
        }
        out.linear(
            &format!("layers.{i}.attention.output"),
            &format!("{theirs}.self_attn.o_proj"),
            [spec.width, q],
            false,
        );
        out.layer_norms(i, spec, &COMMON);
        let (FeedSpec::Gated { intermediate, .. } | FeedSpec::Plain { intermediate, .. }) = layer.feed;
        for (part, from) in [("gate", 0), ("up", intermediate)] {
            let change = Change::Rows(from..from + intermediate);
            out.take(
                &format!("layers.{i}.feed.{part}.weight"),
                &[intermediate, spec.width],
                format!("{theirs}.mlp.gate_up_proj.weight"),
                change,
            );
        }
        out.linear(
            &format!("layers.{i}.feed.down"),
            &format!("{theirs}.mlp.down_proj"),
            [spec.width, intermediate],
            false,
        );
    }
    out
}
