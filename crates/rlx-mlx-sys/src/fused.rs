//! Operations that MLX has as one kernel.

use crate::array::MlxArray;
use crate::ops::{Made, Ops, axis_of, raw};

/// Attention by one kernel: q is [batch, heads, queries, width], k and v [batch, heads of those, keys, width].
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// Factor of the scores.
    pub scale: f32,
    /// Whether a query sees only keys that are not behind it, the last query all.
    pub causal: bool,
    /// What is added to the scores, or which of them count; it broadcasts to [batch, heads, queries, keys].
    pub mask: Option<&'a MlxArray>,
}

/// A rotary position embedding of x [batch, heads, seq, width].
#[derive(Clone, Copy, Debug)]
pub struct Rope<'a> {
    /// How many elements of the last axis are turned.
    pub width: usize,
    /// Whether elements are paired with their neighbours; else those of both halves are.
    pub traditional: bool,
    /// The place of the first row, i32 `[batch]` or for all.
    pub start: &'a MlxArray,
    /// What places are divided by: f32 [width / 2].
    pub inverse_frequencies: &'a MlxArray,
}

impl Ops<'_> {
    /// Rows of the last axis divided by the root of their mean square.
    pub fn rms_norm(&self, x: &MlxArray, weight: Option<&MlxArray>, eps: f32) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.rms_norm)(x.raw(), raw(weight), eps, s, out) })
    }

    /// Rows of the last axis less their mean, divided by their deviation.
    pub fn layer_norm(
        &self,
        x: &MlxArray,
        weight: Option<&MlxArray>,
        bias: Option<&MlxArray>,
        eps: f32,
    ) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.layer_norm)(x.raw(), raw(weight), raw(bias), eps, s, out) })
    }

    /// A rotary position embedding by places that follow each other.
    pub fn rope(&self, x: &MlxArray, how: Rope<'_>) -> Made {
        let (width, traditional) = (axis_of(how.width)?, i32::from(how.traditional));
        // SAFETY: the handles live; MLX checks their sizes.
        self.call(|t, s, out| unsafe {
            let (start, inverse) = (how.start.raw(), how.inverse_frequencies.raw());
            (t.rope)(x.raw(), width, traditional, start, inverse, s, out)
        })
    }

    /// Attention.
    pub fn attention(&self, q: &MlxArray, k: &MlxArray, v: &MlxArray, how: Attention<'_>) -> Made {
        let (scale, causal, mask) = (how.scale, i32::from(how.causal), raw(how.mask));
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe {
            (t.attention)(q.raw(), k.raw(), v.raw(), scale, causal, mask, s, out)
        })
    }
}
