//! Operations for which MLX has a single kernel.

use crate::array::MlxArray;
use crate::check::Check;
use crate::codes::ElementType;
use crate::error::MlxError;
use crate::ops::{Made, Ops, raw};

/// Attention in one kernel: q is [batch, heads, queries, width], and k and v are [batch, heads of k and v, keys, width].
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// Factor of the scores.
    pub scale: f32,
    /// Whether a query sees only keys up to its own position; the last query sees all.
    pub causal: bool,
    /// Added to the scores, or, if boolean, says which scores count. It broadcasts to [batch, heads, queries, keys].
    pub mask: Option<&'a MlxArray>,
}

/// A rotary position embedding of x [batch, heads, seq, width].
#[derive(Clone, Copy, Debug)]
pub struct Rope<'a> {
    /// The number of rotary dimensions: elements of the last axis that are rotated.
    pub width: usize,
    /// Whether elements are paired with their neighbors; otherwise, elements of the two halves are paired.
    pub traditional: bool,
    /// The position of the first row, i32 `[batch]` or a scalar for all.
    pub start: &'a MlxArray,
    /// The factors that positions are divided by: f32 [width / 2].
    pub inverse_frequencies: &'a MlxArray,
}

impl Ops<'_> {
    /// Divides rows of the last axis by their root mean square.
    pub fn rms_norm(&self, x: &MlxArray, weight: Option<&MlxArray>, eps: f32) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.rms_norm)(x.raw(), raw(weight), eps, s, out) })
    }

    /// Subtracts the mean from rows of the last axis, and divides them by their standard deviation.
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

    /// Applies a rotary position embedding for consecutive positions.
    pub fn rope(&self, x: &MlxArray, how: Rope<'_>) -> Made {
        let check = Check::of("rope", &[x, how.start, how.inverse_frequencies]);
        let (dims, half) = (x.dims(), how.width / 2);
        check.that(dims.len() == 4 && how.width <= dims[3] && how.width.is_multiple_of(2) && how.width > 0, || {
            format!("a width of {} does not fit; x must be [batch, heads, seq, width], and the width an even part of its last axis", how.width)
        })?;
        check.not_empty(x)?;
        check.integers(how.start)?;
        let (start, inverse) = (how.start.dims(), how.inverse_frequencies);
        check.that(start.is_empty() || start == [dims[0]], || {
            "start must have one position for all, or one per batch entry".into()
        })?;
        check.that(inverse.dims() == [half] && inverse.element_type() == ElementType::F32, || {
            format!("there must be {half} inverse frequencies in F32")
        })?;
        check.that(x.element_type().is_float(), || "x must have a floating-point type".into())?;
        let width = i32::try_from(how.width).map_err(|_| MlxError::TooLarge(how.width))?;
        let traditional = i32::from(how.traditional);
        // SAFETY: the handles live; MLX checks their sizes.
        self.call(|t, s, out| unsafe {
            let (start, inverse) = (how.start.raw(), how.inverse_frequencies.raw());
            (t.rope)(x.raw(), width, traditional, start, inverse, s, out)
        })
    }

    /// Computes attention.
    pub fn attention(&self, q: &MlxArray, k: &MlxArray, v: &MlxArray, how: Attention<'_>) -> Made {
        self.check_attention(Check::of("attention", &[q, k, v]), [q, k, v], how.mask)?;
        let (scale, causal, mask) = (how.scale, i32::from(how.causal), raw(how.mask));
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe {
            (t.attention)(q.raw(), k.raw(), v.raw(), scale, causal, mask, s, out)
        })
    }

    /// Checks that sizes match and no array is empty: MLX divides the number of heads of q by that of k.
    fn check_attention(
        &self,
        check: Check<'_>,
        x: [&MlxArray; 3],
        mask: Option<&MlxArray>,
    ) -> Result<(), MlxError> {
        for array in x {
            check.not_empty(array)?;
            check.that(array.element_type().is_float(), || {
                format!("{array:?} does not have a floating-point type")
            })?;
        }
        let [q, k, v] = x.map(MlxArray::dims);
        let fits = match (&q[..], &k[..], &v[..]) {
            (&[batch, heads, _, width], &[of_k, shared, keys, wide], &[of_v, of_values, values, _]) => {
                (of_k, of_v, wide, values) == (batch, batch, width, keys)
                    && shared == of_values
                    && heads.is_multiple_of(shared)
            }
            _ => false,
        };
        check.that(fits, || {
            "sizes do not fit; q must be [batch, heads, queries, width], k and v [batch, a divisor of heads, keys, width]".into()
        })?;
        let Some(mask) = mask else { return Ok(()) };
        let (scores, of_mask) = ([q[0], q[1], q[2], k[2]], mask.dims());
        let pairs = || scores.iter().rev().zip(of_mask.iter().rev());
        let broadcasts = of_mask.len() <= 4 && pairs().all(|(score, mask)| score == mask || *mask == 1);
        check.that(broadcasts, || format!("the mask {mask:?} does not broadcast to {scores:?}"))
    }
}
