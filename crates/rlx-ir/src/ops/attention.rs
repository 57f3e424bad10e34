//! Scaled dot-product attention (Vaswani et al., 2017), with grouped-query heads, soft-capped scores, five masks and an optional
//! cache length.
//!
//! Attention over a cache has one more operand, `kv_len`: the number of rows that count. The decomposition replaces the other
//! rows by zeros before any product, so their contents do not matter.

pub(crate) mod backward;
mod lengths;
mod mask;
mod stored;

use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::op::kinds::{CompareOp, ReduceOp};
use crate::op::{AttentionOptions, DotDims, Op, OpError};
use crate::ops::precision::{check_float, wide};
use crate::tensor::Tensor;
use lengths::Lengths;

impl AttentionOptions {
    /// The op with these attributes.
    pub fn op(self) -> Op {
        Op::Attention { options: self }
    }
}

/// softmax(mask(softcap(scale · q·kᵀ))) · v over the first `kv_len` keys. Scores and weights are f32 for f16, bf16 and f8
/// operands; the weights are rounded to the operands' type before they are multiplied by v. A query that may attend to no key
/// gives zeros.
///
/// Keys and values of other types than q are handled in [`stored`]. The optional operands are passed separately;
/// [`MaskKind::operands`](crate::MaskKind::operands) tells which is which.
pub(crate) fn attention(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    first: Option<&Tensor>,
    second: Option<&Tensor>,
    &options: &AttentionOptions,
) -> Result<Tensor, OpError> {
    let optional: Vec<&Tensor> = [first, second].into_iter().flatten().collect();
    if stored::is_stored([q, k, v], options.kv_scheme) {
        return stored::attention([q, k, v], &optional, options);
    }
    let (mask_values, kv_len) = mask::operands(&optional, options)?;
    let heads = Heads::new([("q", q), ("k", k), ("v", v)], options)?;
    let [q, k, v] = heads.tensors;
    let lengths = Lengths::new(kv_len, &k)?;
    let (k, v) = (lengths.kept(&k), lengths.kept(&v));
    let out = of_heads(&q, &k, &v, mask_values, &lengths, options)?;
    Ok(if heads.merged { merge_heads(&out) } else { out })
}

/// Operands as `[batch, heads, seq, d]`.
struct Heads<const N: usize> {
    tensors: [Tensor; N],
    /// Whether the layout was `[batch, seq, heads·d]`.
    merged: bool,
}

impl<const N: usize> Heads<N> {
    /// Takes operands of the same float type and layout, by name. k and v have key heads, the others query heads.
    fn new(operands: [(&'static str, &Tensor); N], options: AttentionOptions) -> Result<Heads<N>, OpError> {
        let (_, first) = operands[0];
        for (name, t) in operands {
            check_float(name, t)?;
            OpError::check_dtype(name, t.dtype(), DTypeSet::of(&[first.dtype()]))?;
        }
        let of_keys = |name: &str| name == "k" || name == "v";
        let ranks = operands.map(|(_, t)| t.rank());
        let mut tensors = operands.map(|(_, t)| t.clone());
        let merged = ranks == [3; N];
        if merged {
            let heads = options.num_heads.ok_or_else(|| {
                OpError::attribute("operands of rank 3 need num_heads; q is [batch, seq, heads·d]")
            })?;
            for (tensor, (name, x)) in tensors.iter_mut().zip(operands) {
                let own = if of_keys(name) { options.num_kv_heads.unwrap_or(heads) } else { heads };
                *tensor = split_heads(name, x, own)?;
            }
        } else if ranks == [4; N] {
            for (name, x) in operands {
                match of_keys(name) {
                    true => check_head_count("num_kv_heads", options.num_kv_heads, x)?,
                    false => check_head_count("num_heads", options.num_heads, x)?,
                }
            }
        } else {
            let shapes: Vec<String> =
                operands.iter().map(|(name, t)| format!("{name} {}", t.shape())).collect();
            return Err(OpError::shape(format!(
                "q, k and v must be [batch, heads, seq, d], or [batch, seq, heads·d] with num_heads; got {}",
                shapes.join(", ")
            )));
        }
        Ok(Heads { tensors, merged })
    }
}

/// Fails if a number of heads is stated, and that of the operand `[batch, heads, …]` differs.
fn check_head_count(name: &str, stated: Option<usize>, x: &Tensor) -> Result<(), OpError> {
    let found = x.dim(1);
    match stated {
        Some(n) if !found.compatible(&Dim::Static(n)) => {
            Err(OpError::attribute(format!("{name} is {n}, but {} has {found} heads", x.shape())))
        }
        _ => Ok(()),
    }
}

/// Converts `[batch, seq, heads·d]` to `[batch, heads, seq, d]`.
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

/// Converts `[batch, heads, seq, d]` to `[batch, seq, heads·d]`.
fn merge_heads(x: &Tensor) -> Tensor {
    let by_position = x.transpose(&[0, 2, 1, 3]);
    match by_position.dims().as_slice() {
        [batch, seq, heads, d] => by_position.reshape(&[batch.clone(), seq.clone(), heads * d]),
        _ => by_position,
    }
}

/// Attention on `[batch, heads, seq, d]`.
fn of_heads(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask_values: Option<&Tensor>,
    lengths: &Lengths,
    options: AttentionOptions,
) -> Result<Tensor, OpError> {
    let Weighted { lead, weights, .. } = Weighted::new(q, k, v, mask_values, lengths, options)?;
    let out =
        grouped(&weights.convert(v.dtype()), &lead).apply(contract(&[lead.len() + 1], &[2], None), &[v]);
    Ok(out.reshape(&[&q.dims()[..3], &v.dims()[3..]].concat()))
}

/// What attention on `[batch, heads, seq, d]` computes before the product with v.
struct Weighted {
    /// Batch, key heads, and the number of query heads per key head if it is not 1. Query heads that share a key head are one
    /// axis of the products, so that keys and values are not repeated.
    lead: Vec<Dim>,
    /// The scores `[batch, heads, seq_q, seq_k]` in the wide type, capped but not masked.
    scores: Tensor,
    /// The weight of each key for each query.
    weights: Tensor,
}

impl Weighted {
    fn new(
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        mask_values: Option<&Tensor>,
        lengths: &Lengths,
        options: AttentionOptions,
    ) -> Result<Weighted, OpError> {
        let group = check_shapes(q, k, v)?;
        let (q_dims, k_dims) = (q.dims(), k.dims());
        let lead = match group {
            Dim::Static(1) => k_dims[..2].to_vec(),
            group => [&k_dims[..2], &[group]].concat(),
        };
        let scores = grouped(q, &lead).apply(contract(&[lead.len() + 1], &[3], Some(wide(q.dtype()))), &[k]);
        let scores = scores.reshape(&[&q_dims[..3], &k_dims[2..3]].concat());
        let scores = capped(scaled(scores, q, options.scale), options.softcap)?;
        let weights = mask::weights(&scores, [q, k], mask_values, lengths, options)?;
        Ok(Weighted { lead, scores, weights })
    }
}

/// `[batch, heads, …]` with an additional axis for the heads that share a key head.
fn grouped(x: &Tensor, lead: &[Dim]) -> Tensor {
    // A void tensor has no axes.
    x.reshape(&[lead, x.dims().get(2..).unwrap_or_default()].concat())
}

fn scaled(scores: Tensor, q: &Tensor, scale: Option<f64>) -> Tensor {
    match (scale, q.dim(3)) {
        (Some(scale), _) => scores * scale,
        (None, Dim::Static(d)) => scores * (1.0 / (d as f64).sqrt()),
        (None, _) => scores * q.widened().count(&[3]).rsqrt(),
    }
}

fn capped(scores: Tensor, softcap: Option<f64>) -> Result<Tensor, OpError> {
    match softcap {
        None => Ok(scores),
        Some(cap) if cap.is_finite() && cap > 0.0 => Ok((scores / cap).tanh() * cap),
        Some(cap) => Err(OpError::attribute(format!("softcap must be a positive number, got {cap}"))),
    }
}

/// The product over these axes of the left and of the right operand, for each batch entry and key head.
fn contract(l: &[usize], r: &[usize], dtype: Option<DType>) -> Op {
    Op::DotGeneral { dims: DotDims::contracting(l, r).batched(2), dtype }
}

/// Checks that the operands fit each other and returns the number of query heads per key head.
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

/// e^score normalized to sum 1 along the last axis, with zeros for a row whose scores are all −inf.
fn softmax_or_zeros(scores: &Tensor) -> Tensor {
    let last = scores.rank().saturating_sub(1);
    let zero = scores.scalar_like(0.0);
    let max = scores.reduce(ReduceOp::Max, &[last], true);
    let empty = max.compare(CompareOp::Eq, &scores.scalar_like(f64::NEG_INFINITY));
    let e = (scores - empty.select(&zero, &max)).exp();
    let total = e.reduce(ReduceOp::Sum, &[last], true);
    &e / empty.select(&scores.scalar_like(1.0), &total)
}

impl Tensor {
    /// Scaled dot-product attention of these queries. `mask_values` is the mask of
    /// [`MaskKind::Custom`](crate::MaskKind::Custom) or the bias of
    /// [`MaskKind::Bias`](crate::MaskKind::Bias).
    #[track_caller]
    pub fn attention(
        &self,
        k: &Tensor,
        v: &Tensor,
        mask_values: Option<&Tensor>,
        options: AttentionOptions,
    ) -> Tensor {
        let operands: Vec<&Tensor> = [k, v].into_iter().chain(mask_values).collect();
        self.apply(options.op(), &operands)
    }

    /// [`attention`](Tensor::attention) over the first `kv_len` rows of caches of fixed capacity. `kv_len` is an integer tensor,
    /// `[batch]` or a scalar for all sequences. The queries are the last of these rows.
    #[track_caller]
    pub fn attention_cached(
        &self,
        k: &Tensor,
        v: &Tensor,
        kv_len: &Tensor,
        mask_values: Option<&Tensor>,
        options: AttentionOptions,
    ) -> Tensor {
        let operands: Vec<&Tensor> = [k, v].into_iter().chain(mask_values).chain([kv_len]).collect();
        self.apply(options.op(), &operands)
    }
}
