//! Attention by MLX's own operation.

use super::{Declined, Site, Step, step};
use crate::launch::Launch;
use rlx_ir::{MaskKind, Op};
use rlx_mlx_sys::{Attention, Binary, Combine, ElementType, MlxArray, MlxError, Unary};

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
    /// The sizes of the mask as it aligns with the scores.
    mask_dims: Option<Vec<usize>>,
    out: Vec<usize>,
}

pub(super) fn attention(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Attention { num_heads, num_kv_heads, scale, mask, window, softcap, kv_scheme } = site.op else {
        return site.decline("here");
    };
    if softcap.is_some() || kv_scheme.is_some() {
        return site.decline("of capped scores or of packed caches");
    }
    let [q, k, v] = [&site.operands[0], &site.operands[1], &site.operands[2]];
    if q.element != ElementType::F32 || k.element != q.element || v.element != q.element {
        return site.decline(&format!("of {:?} and {:?}", q.element, k.element));
    }
    let merged = q.rank() == 3;
    let (heads, kv_heads) = if merged {
        let heads = num_heads.ok_or("attention of three axes has a number of heads")?;
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
    let sizes = AttentionSizes {
        heads,
        kv_heads,
        queries: q.dims[seq],
        keys: k.dims[seq],
        merged,
        mask,
        window,
        scale: scale.unwrap_or(1.0 / (width as f64).sqrt()) as f32,
        mask_dims,
        out: site.result().dims.clone(),
    };
    step(move |cx, x| sizes.apply(cx, x))
}

impl AttentionSizes {
    /// [batch, heads, seq, width].
    fn split(&self, cx: &Launch<'_>, x: &MlxArray, heads: usize) -> Result<MlxArray, MlxError> {
        if !self.merged {
            return Ok(x.clone());
        }
        let dims = x.dims();
        cx.transpose(&cx.reshape(x, &[dims[0], dims[1], heads, dims[2] / heads])?, &[0, 2, 1, 3])
    }

    fn apply(&self, cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
        let (values, lengths) = self.mask.operands(&x[3..]);
        let q = self.split(cx, x[0], self.heads)?;
        let (mut k, mut v) = (self.split(cx, x[1], self.kv_heads)?, self.split(cx, x[2], self.kv_heads)?);
        let counted = lengths.map(|lengths| self.counted(cx, lengths)).transpose()?;
        if let Some(counted) = &counted {
            // Rows that do not count may hold anything, and meet no product.
            let rows = cx.reshape(counted, &[counted.dims()[0], 1, self.keys, 1])?;
            let zero = cx.number_like(0, &k)?;
            k = cx.select(&rows, &k, &zero)?;
            v = cx.select(&rows, &v, &zero)?;
        }
        let causal = self.mask == MaskKind::Causal && counted.is_none() && self.queries <= self.keys;
        let (mask, seen) =
            if causal { (None, None) } else { self.masks(cx, values, lengths, counted.as_ref())? };
        let how = Attention { scale: self.scale, causal, mask: mask.as_ref() };
        let out = cx.attention(&q, &k, &v, how)?;
        let out = match seen {
            // A query that sees no key gives zeros.
            Some(seen) => {
                let last = seen.dims().len() - 1;
                let any = cx.reduce(Combine::Any, &seen, &[last])?;
                let mut dims = any.dims();
                dims.push(1);
                cx.select(&cx.reshape(&any, &dims)?, &out, &cx.number_like(0, &out)?)?
            }
            None => out,
        };
        if !self.merged {
            return Ok(out);
        }
        cx.reshape(&cx.transpose(&out, &[0, 2, 1, 3])?, &self.out)
    }

    /// How many keys of each sequence count, [batch or 1], from 0 to all.
    fn rows(&self, cx: &Launch<'_>, lengths: &MlxArray) -> Result<MlxArray, MlxError> {
        let rows = cx.inside(lengths, self.keys + 1)?;
        cx.reshape(&rows, &[lengths.len()])
    }

    /// Whether each key counts, [batch or 1, keys].
    fn counted(&self, cx: &Launch<'_>, lengths: &MlxArray) -> Result<MlxArray, MlxError> {
        let rows = cx.reshape(&self.rows(cx, lengths)?, &[lengths.len(), 1])?;
        let keys = cx.reshape(&cx.arange(0, self.keys as i64, ElementType::I32)?, &[1, self.keys])?;
        cx.binary(Binary::Less, &keys, &rows)
    }

    /// What is given to MLX as the mask, and which keys are seen where some query may see none.
    fn masks(
        &self,
        cx: &Launch<'_>,
        values: Option<&MlxArray>,
        lengths: Option<&MlxArray>,
        counted: Option<&MlxArray>,
    ) -> Result<(Option<MlxArray>, Option<MlxArray>), MlxError> {
        let aligned = |x: &MlxArray| cx.reshape(x, self.mask_dims.as_deref().unwrap_or_default());
        let mut seen =
            counted.map(|counted| cx.reshape(counted, &[counted.dims()[0], 1, 1, self.keys])).transpose()?;
        let mut also = |cx: &Launch<'_>, more: MlxArray| {
            seen = Some(match seen.take() {
                Some(seen) => cx.binary(Binary::LogicalAnd, &seen, &more)?,
                None => more,
            });
            Ok::<_, MlxError>(())
        };
        if matches!(self.mask, MaskKind::Causal | MaskKind::SlidingWindow) {
            also(cx, self.causal(cx, lengths)?)?;
        }
        if let (MaskKind::Custom, Some(mask)) = (self.mask, values) {
            let mask = aligned(mask)?;
            let is_bool = mask.element_type() == ElementType::Bool;
            also(
                cx,
                if is_bool { mask } else { cx.binary(Binary::NotEqual, &mask, &cx.number_like(0, &mask)?)? },
            )?;
        }
        let (MaskKind::Bias, Some(bias)) = (self.mask, values) else { return Ok((seen.clone(), seen)) };
        let bias = cx.astype(&aligned(bias)?, ElementType::F32)?;
        let none = cx.scalar(&f32::NEG_INFINITY.to_le_bytes(), ElementType::F32)?;
        let bias = match &seen {
            Some(seen) => cx.select(seen, &bias, &none)?,
            None => bias,
        };
        let seen = cx.unary(Unary::LogicalNot, &cx.binary(Binary::Equal, &bias, &none)?)?;
        Ok((Some(bias), Some(seen)))
    }

    /// Whether the query at a row sees the key at a column, [batch or 1, 1, queries, keys].
    fn causal(&self, cx: &Launch<'_>, lengths: Option<&MlxArray>) -> Result<MlxArray, MlxError> {
        let end = match lengths {
            Some(lengths) => self.rows(cx, lengths)?,
            None => cx.reshape(&cx.int(i32::try_from(self.keys).unwrap_or(i32::MAX))?, &[1])?,
        };
        let count = end.len();
        let first =
            cx.binary(Binary::Subtract, &end, &cx.int(i32::try_from(self.queries).unwrap_or(i32::MAX))?)?;
        let rows =
            cx.reshape(&cx.arange(0, self.queries as i64, ElementType::I32)?, &[1, 1, self.queries, 1])?;
        let newest = cx.binary(Binary::Add, &cx.reshape(&first, &[count, 1, 1, 1])?, &rows)?;
        let keys = cx.reshape(&cx.arange(0, self.keys as i64, ElementType::I32)?, &[1, 1, 1, self.keys])?;
        let seen = cx.binary(Binary::LessEqual, &keys, &newest)?;
        let Some(window) = self.window else { return Ok(seen) };
        let distance = cx.binary(Binary::Subtract, &newest, &keys)?;
        let near = cx.binary(Binary::Less, &distance, &cx.int(i32::try_from(window).unwrap_or(i32::MAX))?)?;
        cx.binary(Binary::LogicalAnd, &seen, &near)
    }
}
