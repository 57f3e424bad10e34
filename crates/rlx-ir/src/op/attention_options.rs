//! The attributes of attention as one value, which its derivative and [`Tensor::attention`](crate::Tensor::attention) share.

use super::kinds::{MaskKind, QuantScheme};
use super::structure::{restricted, structure};

structure! {
    /// The attributes of attention; the defaults suit most programs.
    #[derive(Clone, Copy, PartialEq, Debug)]
    flat AttentionOptions {
        /// Number of heads of q; required for operands of rank 3.
        num_heads: Option<usize>,
        /// Number of heads of k and v in operands of rank 3; `num_heads` by default.
        num_kv_heads: Option<usize>,
        /// Factor of the scores; 1/sqrt(d) by default.
        scale: Option<f64>,
        /// Which keys a query may attend to.
        mask: MaskKind,
        /// Number of keys in a sliding window.
        window: Option<usize>,
        /// Scores become c·tanh(score / c), before the mask.
        softcap: Option<f64>,
        /// The format of k and v if they are packed blocks: u8, with the bytes of a row's values along the last axis.
        kv_scheme: Option<QuantScheme>,
    }
}

impl Default for AttentionOptions {
    fn default() -> Self {
        AttentionOptions {
            num_heads: None,
            num_kv_heads: None,
            scale: None,
            mask: MaskKind::None,
            window: None,
            softcap: None,
            kv_scheme: None,
        }
    }
}

impl AttentionOptions {
    /// Returns the options of attention over the unpacked k and v.
    pub fn unpacked(self) -> UnpackedAttention {
        UnpackedAttention(AttentionOptions { kv_scheme: None, ..self })
    }
}

restricted! {
    /// [`AttentionOptions`] for k and v that are not packed.
    #[derive(Clone, Copy, PartialEq, Debug)]
    UnpackedAttention(AttentionOptions) { num_heads, num_kv_heads, scale, mask, window, softcap }
}

impl UnpackedAttention {
    fn new(
        num_heads: Option<usize>,
        num_kv_heads: Option<usize>,
        scale: Option<f64>,
        mask: MaskKind,
        window: Option<usize>,
        softcap: Option<f64>,
    ) -> UnpackedAttention {
        UnpackedAttention(AttentionOptions {
            num_heads,
            num_kv_heads,
            scale,
            mask,
            window,
            softcap,
            kv_scheme: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Op, OpKind};

    #[test]
    fn the_derivative_does_not_print_the_format_of_packed_blocks() {
        let options = AttentionOptions {
            num_heads: Some(4),
            mask: MaskKind::Causal,
            kv_scheme: Some(QuantScheme::Q8_0),
            ..AttentionOptions::default()
        };
        let heads =
            "num_heads = 4, num_kv_heads = none, scale = none, mask = causal, window = none, softcap = none";
        let forward = Op::Attention { options };
        let text = format!("{{{heads}, kv_scheme = q8_0}}");
        assert_eq!(forward.attributes_text(), text);
        assert_eq!(Op::from_text("attention", &text).expect("reads what was written"), forward);
        let backward = Op::AttentionBackward { options: options.unpacked() };
        let text = format!("{{{heads}}}");
        assert_eq!(backward.attributes_text(), text);
        assert_eq!(Op::from_text("attention_backward", &text).expect("reads what was written"), backward);
        assert_eq!(OpKind::Attention.attributes().len(), 7);
        assert_eq!(OpKind::AttentionBackward.attributes().len(), 6);
    }
}
