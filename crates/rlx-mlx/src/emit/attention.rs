//! Attention with MLX's own operation.

use super::prepared::{Preparation, Prepared};
use super::{ArrayType, Declined, Site, Step, step, types};
use crate::launch::Launch;
use rlx_ir::{AttentionOptions, MaskKind, Op};
use rlx_mlx_sys::{Attention, Binary, Combine, ElementType, MlxArray, MlxError, Slices, Unary};
use std::ops::Range;

/// Which keys each query sees, by position and by the number of valid keys. A mask of the program is applied in addition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct KeysSeen {
    queries: usize,
    keys: usize,
    /// Whether a query sees no later keys.
    causal: bool,
    window: Option<usize>,
}

impl KeysSeen {
    /// Which are seen [lengths or 1, 1, queries or 1, keys], whether a query sees any, the last axis being 1, and where there are lengths
    /// which keys count [lengths, 1, keys, 1].
    pub(super) fn results(&self, lengths: Option<&ArrayType>) -> Vec<ArrayType> {
        let count = lengths.map_or(1, |lengths| lengths.dims.iter().product());
        let queries = if self.causal { self.queries } else { 1 };
        let all = [[count, 1, queries, self.keys], [count, 1, queries, 1], [count, 1, self.keys, 1]];
        let made = if lengths.is_some() { 3 } else { 2 };
        all[..made].iter().map(|dims| ArrayType { dims: dims.to_vec(), element: ElementType::Bool }).collect()
    }

    pub(super) fn made(
        &self,
        cx: &Launch<'_>,
        lengths: Option<&MlxArray>,
    ) -> Result<Vec<MlxArray>, MlxError> {
        let numbers = |count: usize, dims: &[usize]| {
            cx.reshape(&cx.arange(0, i64::try_from(count).unwrap_or(i64::MAX), ElementType::I32)?, dims)
        };
        let int = |value: usize| cx.int(i32::try_from(value).unwrap_or(i32::MAX));
        let keys = numbers(self.keys, &[1, 1, 1, self.keys])?;
        let rows = match lengths {
            Some(lengths) => cx.reshape(&cx.inside(lengths, self.keys + 1)?, &[lengths.len(), 1, 1, 1])?,
            None => int(self.keys)?,
        };
        let mut seen = cx.binary(Binary::Less, &keys, &rows)?;
        let counted = match lengths {
            Some(lengths) => Some(cx.reshape(&seen, &[lengths.len(), 1, self.keys, 1])?),
            None => None,
        };
        if self.causal {
            // Keys up to the newest one that a query sees count.
            let queries = numbers(self.queries, &[1, 1, self.queries, 1])?;
            let first = cx.binary(Binary::Subtract, &rows, &int(self.queries)?)?;
            let newest = cx.binary(Binary::Add, &first, &queries)?;
            seen = cx.binary(Binary::LessEqual, &keys, &newest)?;
            if let Some(window) = self.window {
                let distance = cx.binary(Binary::Subtract, &newest, &keys)?;
                let near = cx.binary(Binary::Less, &distance, &int(window)?)?;
                seen = cx.binary(Binary::LogicalAnd, &seen, &near)?;
            }
        }
        let any = cx.reduce_keeping(Combine::Any, &seen, &[3])?;
        Ok([Some(seen), Some(any), counted].into_iter().flatten().collect())
    }
}

/// The sizes of one attention.
#[derive(Clone, Debug)]
struct AttentionSizes {
    heads: usize,
    kv_heads: usize,
    queries: usize,
    keys: usize,
    /// Whether operands are [batch, seq, heads · width].
    merged: bool,
    mask: MaskKind,
    window: Option<usize>,
    scale: f32,
    /// The sizes of the mask, aligned with the scores.
    mask_dims: Option<Vec<usize>>,
    /// The number of operands, not counting prepared arrays.
    operands: usize,
    out: ArrayType,
}

pub(super) fn attention(site: &Site<'_>) -> Result<Step, Declined> {
    let sizes = AttentionSizes::of(site)?;
    step(move |cx, x| sizes.apply(cx, x))
}

/// Which keys are seen, if MLX's operation cannot express it.
pub(super) fn prepared(site: &Site<'_>) -> Option<Prepared> {
    let sizes = AttentionSizes::of(site).ok()?;
    let optional: Vec<usize> = (3..site.operands.len()).collect();
    let (_, lengths) = sizes.mask.operands(&optional);
    let causal = matches!(sizes.mask, MaskKind::Causal | MaskKind::SlidingWindow);
    let told = sizes.window.is_none() && (!causal || sizes.queries <= sizes.keys);
    let keys = KeysSeen { queries: sizes.queries, keys: sizes.keys, causal, window: sizes.window };
    (lengths.is_some() || !told)
        .then_some(Prepared { operand: lengths, preparation: Preparation::KeysSeen(keys) })
}

/// Calls MLX's attention in f32, whatever the types of the operands.
fn wide(cx: &Launch<'_>, x: [&MlxArray; 3], how: Attention<'_>) -> Result<MlxArray, MlxError> {
    let [q, k, v] = x.map(|x| types::converted(cx, x, ElementType::F32));
    cx.attention(&q?, &k?, &v?, how)
}

impl AttentionSizes {
    fn of(site: &Site<'_>) -> Result<AttentionSizes, Declined> {
        let Op::Attention { options } = site.op else { return site.decline("here") };
        let &AttentionOptions { num_heads, num_kv_heads, scale, mask, window, softcap, kv_scheme } = options;
        if softcap.is_some() || kv_scheme.is_some() {
            return site.decline("for capped scores or packed caches");
        }
        let [q, k, v] = [&site.operands[0], &site.operands[1], &site.operands[2]];
        // Scores and weights of narrow floats are f32. MLX computes them in f32 if its operands are f32.
        let is_narrow = |x: &ArrayType| matches!(x.element, ElementType::F16 | ElementType::BF16);
        if [q, k, v].into_iter().any(|x| x.element != ElementType::F32 && !is_narrow(x)) {
            return site.decline(&format!("of {:?} and {:?}", q.element, k.element));
        }
        let merged = q.rank() == 3;
        let (heads, kv_heads) = if merged {
            let heads = num_heads.ok_or("attention with three axes needs a number of heads")?;
            (heads, num_kv_heads.unwrap_or(heads))
        } else {
            (q.dims[1], k.dims[1])
        };
        let seq = if merged { 1 } else { 2 };
        let optional: Vec<usize> = (3..site.operands.len()).collect();
        let (values, _) = mask.operands(&optional);
        let mask_dims = values.map(|index| match site.operands[index].dims[..] {
            [batch, keys] => vec![batch, 1, 1, keys],
            ref dims => [&[1, 1, 1, 1][dims.len().min(4)..], dims].concat(),
        });
        if site.operands.iter().any(super::ArrayType::is_empty) {
            return site.decline("of nothing");
        }
        let width = q.dims[q.rank() - 1] / if merged { heads } else { 1 };
        Ok(AttentionSizes {
            heads,
            kv_heads,
            queries: q.dims[seq],
            keys: k.dims[seq],
            merged,
            mask,
            window,
            scale: scale.unwrap_or(1.0 / (width as f64).sqrt()) as f32,
            mask_dims,
            operands: site.operands.len(),
            out: site.result().clone(),
        })
    }

    /// [batch, heads, seq, width].
    fn split(&self, cx: &Launch<'_>, x: &MlxArray, heads: usize) -> Result<MlxArray, MlxError> {
        if !self.merged {
            return Ok(x.clone());
        }
        let dims = x.dims();
        cx.transpose(&cx.reshape(x, &[dims[0], dims[1], heads, dims[2] / heads])?, &[0, 2, 1, 3])
    }

    fn apply(&self, cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
        let (x, seen) = x.split_at(self.operands);
        let (values, lengths) = self.mask.operands(&x[3..]);
        let q = self.split(cx, x[0], self.heads)?;
        let (k, v) = (self.split(cx, x[1], self.kv_heads)?, self.split(cx, x[2], self.kv_heads)?);
        let out = match self.keys_of_all(cx, values, lengths)? {
            Some(keys) => {
                let part = |x: &MlxArray| {
                    let [batch, heads, _, width] = x.dims()[..] else { return Ok(x.clone()) };
                    let (starts, stops) = (vec![0, 0, keys.start, 0], vec![batch, heads, keys.end, width]);
                    cx.slice(x, &Slices { starts, stops, strides: vec![1; 4] })
                };
                let causal = self.mask == MaskKind::Causal && self.queries > 1;
                wide(cx, [&q, &part(&k)?, &part(&v)?], Attention { scale: self.scale, causal, mask: None })?
            }
            None => self.masked(cx, [&q, &k, &v], values, seen)?,
        };
        let out = types::converted(cx, &out, self.out.element)?;
        if !self.merged {
            return Ok(out);
        }
        cx.reshape(&cx.transpose(&out, &[0, 2, 1, 3])?, &self.out.dims)
    }

    /// The keys that the last query sees, where they are the same for all sequences, no other query sees more, and each sees one: the run's
    /// lengths say so.
    fn keys_of_all(
        &self,
        cx: &Launch<'_>,
        values: Option<&MlxArray>,
        lengths: Option<&MlxArray>,
    ) -> Result<Option<Range<usize>>, MlxError> {
        let (None, Some(lengths)) = (values, lengths) else { return Ok(None) };
        let common = cx.numbers(lengths)?.filter(|all| all.iter().all(|rows| *rows == all[0]));
        let Some(rows) = common.and_then(|all| all.first().copied()) else { return Ok(None) };
        let rows = usize::try_from(rows).unwrap_or(0).min(self.keys);
        Ok(match (self.mask, self.window) {
            (MaskKind::None, _) if rows > 0 => Some(0..rows),
            (MaskKind::Causal, _) if rows >= self.queries => Some(0..rows),
            (MaskKind::SlidingWindow, Some(window)) if self.queries == 1 && rows > 0 => {
                Some(rows.saturating_sub(window)..rows)
            }
            _ => None,
        })
    }

    /// Computes attention with masks, if there are any.
    fn masked(
        &self,
        cx: &Launch<'_>,
        [q, k, v]: [&MlxArray; 3],
        values: Option<&MlxArray>,
        seen: &[&MlxArray],
    ) -> Result<MlxArray, MlxError> {
        let counted = |x: &MlxArray| match seen.get(2) {
            // Rows that do not count may contain anything, so they must not take part in products.
            Some(counted) => cx.select(counted, x, &cx.number_like(0, x)?),
            None => Ok(x.clone()),
        };
        let aligned = |x: &MlxArray| cx.reshape(x, self.mask_dims.as_deref().unwrap_or_default());
        let any = |seen: &MlxArray| cx.reduce_keeping(Combine::Any, seen, &[3]);
        let (mask, any) = match (self.mask, values) {
            (MaskKind::Custom, Some(mask)) => {
                let mask = aligned(mask)?;
                let is_bool = mask.element_type() == ElementType::Bool;
                let mut mask = if is_bool {
                    mask
                } else {
                    cx.binary(Binary::NotEqual, &mask, &cx.number_like(0, &mask)?)?
                };
                if let Some(seen) = seen.first() {
                    mask = cx.binary(Binary::LogicalAnd, seen, &mask)?;
                }
                let any = any(&mask)?;
                (Some(mask), Some(any))
            }
            (MaskKind::Bias, Some(bias)) => {
                let bias = cx.astype(&aligned(bias)?, ElementType::F32)?;
                let none = cx.scalar(&f32::NEG_INFINITY.to_le_bytes(), ElementType::F32)?;
                let bias = match seen.first() {
                    Some(seen) => cx.select(seen, &bias, &none)?,
                    None => bias,
                };
                let seen = cx.unary(Unary::LogicalNot, &cx.binary(Binary::Equal, &bias, &none)?)?;
                let any = any(&seen)?;
                (Some(bias), Some(any))
            }
            _ => (seen.first().map(|&seen| seen.clone()), seen.get(1).map(|&any| any.clone())),
        };
        let causal = self.mask == MaskKind::Causal && mask.is_none();
        // Scores of keys that a mask hides are ignored. To scores of keys that a bias hides, −∞ is added.
        let k = if self.mask == MaskKind::Bias { &counted(k)? } else { k };
        let how = Attention { scale: self.scale, causal, mask: mask.as_ref() };
        let out = wide(cx, [q, k, &counted(v)?], how)?;
        match any {
            // The result for a query that sees no key is zeros.
            Some(any) => cx.select(&any, &out, &cx.number_like(0, &out)?),
            None => Ok(out),
        }
    }
}
