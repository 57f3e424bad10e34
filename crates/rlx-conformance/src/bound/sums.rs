//! Error bounds of sums and products of many elements, in any order: n·u·Σ|x| (Higham 2002, §4.2 and §3.1).

use super::{Shadow, distance, rounding, sum_unit};
use rlx_ir::{DType, FftKind, Node, Op, ReduceOp, Tensor};

pub(super) fn sizes(x: &Tensor, axes: &[usize]) -> f64 {
    axes.iter().map(|&a| x.dim(a).as_static().unwrap_or(0) as f64).product()
}

/// Bounds a reduction with at most `terms` elements per result, computed by `fold`.
pub(super) fn folded(
    x: &Shadow,
    kind: ReduceOp,
    terms: f64,
    out: DType,
    fold: &dyn Fn(ReduceOp, &Tensor) -> Tensor,
) -> Option<Shadow> {
    let (value, error) = (x.wide(), x.error());
    let total = fold(kind, &value);
    let bound = match kind {
        ReduceOp::Sum => {
            fold(ReduceOp::Sum, &error) + fold(ReduceOp::Sum, &x.magnitude()) * (2.0 * terms * sum_unit(out))
        }
        // Π(|x| + E) − Π|x| bounds the effect of the factors' errors on the product.
        ReduceOp::Prod => {
            let magnitudes = x.magnitude();
            let product = fold(ReduceOp::Prod, &magnitudes);
            let raised = fold(ReduceOp::Prod, &(&magnitudes + &error));
            distance(&raised, &product) + raised * (4.0 * terms * sum_unit(out))
        }
        // An empty window gives the identity, whose error would be −inf.
        ReduceOp::Max | ReduceOp::Min => fold(ReduceOp::Max, &error).maximum(&error.scalar_like(0.0)),
        ReduceOp::And | ReduceOp::Or | ReduceOp::Mean | ReduceOp::LogSumExp => return None,
    };
    // Nothing is rounded if nothing is summed.
    let rounds = if matches!(kind, ReduceOp::Max | ReduceOp::Min) || terms == 0.0 { 0.0 } else { 2.0 };
    let bound = bound + rounding(&total.abs(), out, rounds);
    Some(Shadow { value: total, error: Some(bound) })
}

/// Products with at least this many terms may run on matrix units, which treat numbers below the smallest normal one as
/// zeros, both in operands and in sums (docs/cpu.md).
const FEWEST_TERMS_OF_UNITS: f64 = 32.0;

/// Returns the absolute error of numbers to which that may apply, otherwise 0.
fn flushed(terms: f64, out: DType) -> f64 {
    let has_its_exponents = matches!(out, DType::F32 | DType::BF16);
    if has_its_exponents && terms >= FEWEST_TERMS_OF_UNITS { f32::MIN_POSITIVE.into() } else { 0.0 }
}

/// Bounds an op that is linear in each of its first two operands and sums products.
pub(super) fn bilinear(op: &Op, operands: &[Shadow], out: DType) -> Option<Shadow> {
    let [lhs, rhs, others @ ..] = operands else { return None };
    if others.iter().any(|t| t.error.is_some()) {
        return None;
    }
    let mut op = op.clone();
    // The operands are already wide: an accumulator type would narrow them again.
    let terms = match &mut op {
        Op::DotGeneral { dims, dtype } => {
            *dtype = None;
            sizes(&lhs.value, &dims.lhs_contract)
        }
        Op::Convolution { spec, dtype } => {
            *dtype = None;
            let kernel = &spec.kernel;
            sizes(&rhs.value, &kernel.spatial) * sizes(&rhs.value, &[kernel.feature])
        }
        Op::RaggedDot { dtype } => {
            *dtype = None;
            sizes(&lhs.value, &[1])
        }
        _ => return None,
    };
    let rest: Vec<&Tensor> = others.iter().map(|t| &t.value).collect();
    let apply = |a: &Tensor, b: &Tensor| {
        let operands: Vec<&Tensor> = std::iter::once(b).chain(rest.iter().copied()).collect();
        a.apply(op.clone(), &operands)
    };
    let value = apply(&lhs.wide(), &rhs.wide());
    let (a, b) = (lhs.magnitude(), rhs.magnitude());
    let mut bound = apply(&a, &b) * (2.0 * (terms + 1.0) * sum_unit(out));
    let flushed = flushed(terms, out);
    let [lhs_error, rhs_error] = [lhs, rhs].map(|t| t.error() + flushed);
    if lhs.error.is_some() || flushed > 0.0 {
        bound = bound + apply(&lhs_error, &b);
    }
    if rhs.error.is_some() || flushed > 0.0 {
        bound = bound + apply(&(a + lhs_error), &rhs_error) + flushed * (terms + 1.0);
    }
    let bound = bound + rounding(&value.abs(), out, 2.0);
    Some(Shadow { value, error: Some(bound) })
}

/// Bounds a running reduction.
pub(super) fn cumulative(op: &Op, x: &Shadow, kind: ReduceOp, axis: usize, out: DType) -> Option<Shadow> {
    let run = |kind: ReduceOp, x: &Tensor| {
        let mut op = op.clone();
        if let Op::Cumulative { op: own, .. } = &mut op {
            *own = kind;
        }
        x.apply(op, &[])
    };
    let terms = sizes(&x.value, &[axis]);
    if kind == ReduceOp::LogSumExp {
        // The result moves no more than the operand that moves most. The relative error of the sum becomes absolute in its logarithm.
        let value = run(ReduceOp::LogSumExp, &x.wide());
        let moved = run(ReduceOp::Max, &x.error()).maximum(&x.error().scalar_like(0.0));
        let own = rounding(&value.abs(), out, 8.0) + 2.0 * (terms + 8.0) * sum_unit(out);
        return Some(Shadow { value, error: Some(moved + own) });
    }
    folded(x, kind, terms, out, &run)
}

/// Bounds sums into scattered positions, each of which may receive all updates.
pub(super) fn scatter_add(op: &Op, operands: &[Shadow], out: DType) -> Option<Shadow> {
    let [x, indices, updates] = operands else { return None };
    if indices.error.is_some() {
        return None;
    }
    let apply = |x: &Tensor, updates: &Tensor| x.apply(op.clone(), &[&indices.value, updates]);
    let terms = updates.value.shape().num_elements().unwrap_or(0) as f64 + 1.0;
    let value = apply(&x.wide(), &updates.wide());
    let magnitudes = apply(&x.magnitude(), &updates.magnitude());
    let bound = apply(&x.error(), &updates.error()) + magnitudes * (2.0 * terms * sum_unit(out));
    let bound = bound + rounding(&value.abs(), out, 2.0);
    Some(Shadow { value, error: Some(bound) })
}

/// Bounds a Fourier transform. Each coefficient is a sum of all elements with factors of modulus 1, and a fast
/// algorithm is off by at most about log2(n)·u·Σ|x| (Higham 2002, §24.1).
pub(super) fn fft(node: &Node, x: &Shadow, kind: FftKind, lengths: &[usize], out: DType) -> Shadow {
    let wide = if kind == FftKind::Rfft { x.wide() } else { x.wide().convert(DType::C128) };
    let value = wide.apply(node.op().clone(), &[]);
    let rank = x.value.rank();
    let axes: Vec<usize> = (rank - lengths.len()..rank).collect();
    let n: f64 = lengths.iter().map(|&n| n as f64).product();
    // Half a spectrum represents the whole one. Inverses are divided by the number of elements.
    let weight = match kind {
        FftKind::Fft | FftKind::Rfft => 1.0,
        FftKind::Ifft => 1.0 / n.max(1.0),
        FftKind::Irfft => 2.0 / n.max(1.0),
    };
    let total = |t: &Tensor| (t.reduce(ReduceOp::Sum, &axes, true) * weight).broadcast_to(&value.dims());
    let own = total(&x.magnitude()) * (8.0 * (n.max(2.0).log2() + 1.0) * sum_unit(out));
    let bound = total(&x.error()) + own + rounding(&value.abs(), out, 2.0);
    Shadow { value, error: Some(bound) }
}
