//! Scaled dot-product attention (Vaswani et al., 2017) with grouped-query heads, soft-capped scores and five masks.

mod mask;

use crate::dim::Dim;
use crate::dtype::DTypeSet;
use crate::op::kinds::{CompareOp, MaskKind, Reducer};
use crate::op::{Op, OpError};
use crate::ops::precision::{check_float, wide};
use crate::tensor::Tensor;

/// The attributes of attention, with the defaults that most programs want.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttentionOptions {
    /// Heads of q; needed for operands of rank 3.
    pub num_heads: Option<usize>,
    /// Heads of k and v; `num_heads` by default.
    pub num_kv_heads: Option<usize>,
    /// Factor of the scores; 1/sqrt(size of a head) by default.
    pub scale: Option<f64>,
    /// Which keys a query may attend to.
    pub mask: MaskKind,
    /// Number of keys in a sliding window.
    pub window: Option<usize>,
    /// Scores become c·tanh(score / c).
    pub softcap: Option<f64>,
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
        }
    }
}

/// softmax(mask(softcap(scale · q·kᵀ))) · v. Scores and weights are f32 for f16, bf16 and f8 operands; the weights are
/// rounded to the operands' type before they meet v. A query that may attend to no key gives zeros.
#[allow(clippy::too_many_arguments)] // The op table hands over operands and attributes one by one.
pub(crate) fn attention(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
    num_heads: Option<usize>,
    num_kv_heads: Option<usize>,
    scale: Option<f64>,
    kind: MaskKind,
    window: Option<usize>,
    softcap: Option<f64>,
) -> Result<Tensor, OpError> {
    for (name, t) in [("q", q), ("k", k), ("v", v)] {
        check_float(name, t)?;
        OpError::check_dtype(name, t.dtype(), DTypeSet::of(&[q.dtype()]))?;
    }
    if q.rank() == 3 && k.rank() == 3 && v.rank() == 3 {
        let heads = num_heads.ok_or_else(|| {
            OpError::attribute("operands of rank 3 need num_heads; q is [batch, seq, heads·d]")
        })?;
        let kv_heads = num_kv_heads.unwrap_or(heads);
        let (q, k, v) =
            (split_heads("q", q, heads)?, split_heads("k", k, kv_heads)?, split_heads("v", v, kv_heads)?);
        let out = of_heads(&q, &k, &v, mask, scale, kind, window, softcap)?;
        return Ok(merge_heads(&out));
    }
    if q.rank() != 4 || k.rank() != 4 || v.rank() != 4 {
        return Err(OpError::shape(format!(
            "q, k and v must be [batch, heads, seq, d], or [batch, seq, heads·d] with num_heads; got {}, {}, {}",
            q.shape(),
            k.shape(),
            v.shape()
        )));
    }
    for (name, t, stated) in [("num_heads", q, num_heads), ("num_kv_heads", k, num_kv_heads)] {
        if let Some(n) = stated {
            let found = t.dim(1);
            if !found.compatible(&Dim::Static(n)) {
                return Err(OpError::attribute(format!("{name} is {n}, but the operand has {found} heads")));
            }
        }
    }
    of_heads(q, k, v, mask, scale, kind, window, softcap)
}

/// `[batch, seq, heads·d]` as `[batch, heads, seq, d]`.
fn split_heads(name: &str, x: &Tensor, heads: usize) -> Result<Tensor, OpError> {
    let dims = x.dims();
    if heads == 0 || dims[2].as_static().is_some_and(|n| n % heads != 0) {
        return Err(OpError::attribute(format!(
            "{heads} heads do not divide the last axis of {name} {}",
            x.shape()
        )));
    }
    let d = dims[2].floor_div(&Dim::Static(heads));
    let split = x.reshape(&[dims[0].clone(), dims[1].clone(), Dim::Static(heads), d]);
    Ok(split.transpose(&[0, 2, 1, 3]))
}

/// `[batch, heads, seq, d]` as `[batch, seq, heads·d]`.
fn merge_heads(x: &Tensor) -> Tensor {
    let by_position = x.transpose(&[0, 2, 1, 3]);
    match by_position.dims().as_slice() {
        [batch, seq, heads, d] => by_position.reshape(&[batch.clone(), seq.clone(), heads * d]),
        _ => by_position,
    }
}

/// Attention on `[batch, heads, seq, d]`.
#[allow(clippy::too_many_arguments)]
fn of_heads(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
    scale: Option<f64>,
    kind: MaskKind,
    window: Option<usize>,
    softcap: Option<f64>,
) -> Result<Tensor, OpError> {
    let group = check_shapes(q, k, v)?;
    let (q_dims, k_dims) = (q.dims(), k.dims());
    let score_dims = [&q_dims[..3], &k_dims[2..3]].concat();
    let grouped = [&k_dims[..2], &[group.clone()]].concat();
    let (single, inner) = (group == Dim::Static(1), 2 + usize::from(group != Dim::Static(1)));
    let queries = if single { q.clone() } else { q.reshape(&[grouped.as_slice(), &q_dims[2..]].concat()) };

    let scores = queries.apply(contract(inner + 1, 3, Some(wide(q.dtype()))), &[k]);
    let mut scores = scores.reshape(&score_dims);
    scores = match scale {
        Some(scale) => scores * scale,
        None => &scores * q.widened().count(&[3]).rsqrt(),
    };
    if let Some(cap) = softcap {
        if !(cap.is_finite() && cap > 0.0) {
            return Err(OpError::attribute(format!("softcap must be a positive number, got {cap}")));
        }
        scores = (scores / cap).tanh() * cap;
    }
    let weights = mask::weights(&scores, q, k, mask, kind, window)?.convert(v.dtype());
    let weights = if single {
        weights
    } else {
        weights.reshape(&[grouped.as_slice(), &q_dims[2..3], &k_dims[2..3]].concat())
    };
    let out = weights.apply(contract(inner + 1, 2, None), &[v]);
    Ok(out.reshape(&[&q_dims[..3], &v.dims()[3..]].concat()))
}

/// The product over axis `l` of the left and `r` of the right operand, a batch and key head.
fn contract(l: usize, r: usize, dtype: Option<crate::dtype::DType>) -> Op {
    Op::DotGeneral {
        lhs_batch: vec![0, 1],
        rhs_batch: vec![0, 1],
        lhs_contract: vec![l],
        rhs_contract: vec![r],
        dtype,
    }
}

/// Checks that the operands fit each other and returns the number of query heads a key head.
fn check_shapes(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Dim, OpError> {
    let (qd, kd, vd) = (q.dims(), k.dims(), v.dims());
    let fits = qd[0].compatible(&kd[0])
        && qd[3].compatible(&kd[3])
        && (0..3).all(|axis| kd[axis].compatible(&vd[axis]));
    if !fits {
        return Err(OpError::shape(format!(
            "q {}, k {} and v {} must agree on the batch, q and k on the head size, k and v on heads and length",
            q.shape(),
            k.shape(),
            v.shape()
        )));
    }
    match (&qd[1], &kd[1]) {
        (a, b) if a == b => Ok(Dim::Static(1)),
        (Dim::Static(a), Dim::Static(b)) if *b == 0 || a % b != 0 => {
            Err(OpError::shape(format!("{a} query heads are not a multiple of {b} key and value heads")))
        }
        (a, b) => Ok(a.floor_div(b)),
    }
}

/// Σ-normalised e^score along the last axis, with zeros for a row whose scores are all −inf.
fn softmax_or_zeros(scores: &Tensor) -> Tensor {
    let last = scores.rank().saturating_sub(1);
    let zero = scores.scalar_like(0.0);
    let max = scores.reduce(Reducer::Max, &[last], true);
    let empty = max.compare(CompareOp::Eq, &scores.scalar_like(f64::NEG_INFINITY));
    let e = (scores - empty.select(&zero, &max)).exp();
    let total = e.reduce(Reducer::Sum, &[last], true);
    &e / empty.select(&scores.scalar_like(1.0), &total)
}

impl Tensor {
    /// Scaled dot-product attention of these queries. `mask` is the operand of [`MaskKind::Custom`] and
    /// [`MaskKind::Bias`].
    pub fn attention(
        &self,
        k: &Tensor,
        v: &Tensor,
        mask: Option<&Tensor>,
        options: AttentionOptions,
    ) -> Tensor {
        let AttentionOptions { num_heads, num_kv_heads, scale, mask: kind, window, softcap } = options;
        let op = Op::Attention { num_heads, num_kv_heads, scale, mask: kind, window, softcap };
        let operands: Vec<&Tensor> = [k, v].into_iter().chain(mask).collect();
        self.apply(op, &operands)
    }
}
