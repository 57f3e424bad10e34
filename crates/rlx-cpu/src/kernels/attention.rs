//! Attention of f32 and its derivative: where heads and positions lie in operands of rank 3 and 4, and what masks mean to the kernel.

use super::{Site, missing, sizes};
use crate::attention::{
    Attention, AttentionBackward, BackwardPlaces, Operand, OperandKind, Places, Steps, Visible,
};
use crate::exec::{Cx, OpKernel, RunError};
use crate::isa::Cpu;
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::op::kinds::MaskKind;
use rlx_ir::{Class, DType, Op, Shape};

/// An attention, prepared.
struct Kernel {
    plan: Attention,
    threads: usize,
    cpu: Cpu,
}

/// The derivative of an attention, prepared.
struct BackwardKernel {
    plan: AttentionBackward,
    threads: usize,
    cpu: Cpu,
}

/// Whether a kernel runs this attention, or this derivative of one.
pub(crate) fn claims(op: &Op, operands: &[Shape]) -> bool {
    plan(op, operands).is_some()
}

/// The kernel of an attention or of its derivative.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let operands: Vec<Shape> = site.node.inputs().iter().map(|&i| site.graph.shape(i).clone()).collect();
    match plan(site.node.op(), &operands) {
        Some(plan) if matches!(site.node.op(), Op::AttentionBackward { .. }) => {
            Ok(Box::new(BackwardKernel {
                plan: AttentionBackward(plan),
                threads: site.threads,
                cpu: site.cpu,
            }))
        }
        Some(plan) => Ok(Box::new(Kernel { plan, threads: site.threads, cpu: site.cpu })),
        None => missing(site),
    }
}

/// Sizes `[heads, seq, d]` and steps of an operand.
fn layout(dims: &[usize], heads: Option<usize>) -> Option<([usize; 3], Steps)> {
    match (dims, heads) {
        (&[_, heads, seq, d], _) => {
            Some(([heads, seq, d], Steps { batch: heads * seq * d, head: seq * d, seq: d }))
        }
        (&[_, seq, width], Some(heads)) if heads > 0 => {
            let d = width / heads;
            Some(([heads, seq, d], Steps { batch: seq * width, head: d, seq: width }))
        }
        _ => None,
    }
}

/// What the kernel needs to know; `None` for what it does not run: of derivatives those of a bias, which has one of its own.
fn plan(op: &Op, operands: &[Shape]) -> Option<Attention> {
    let (Op::Attention { num_heads, num_kv_heads, scale, mask, window, softcap }
    | Op::AttentionBackward { num_heads, num_kv_heads, scale, mask, window, softcap }) = *op
    else {
        return None;
    };
    let is_derivative = matches!(op, Op::AttentionBackward { .. });
    let (tensors, rest) = operands.split_at_checked(if is_derivative { 4 } else { 3 })?;
    let [q, k, v, ..] = tensors else { return None };
    if operands.iter().any(|s| s.static_dims().is_none())
        || tensors.iter().any(|s| s.dtype() != DType::F32)
        || (is_derivative && mask == MaskKind::Bias)
    {
        return None;
    }
    let batch = *sizes(q).first()?;
    let kv = num_kv_heads.or(num_heads);
    let ([heads, seq_q, d], q) = layout(&sizes(q), num_heads)?;
    let ([kv_heads, seq_k, _], k) = layout(&sizes(k), kv)?;
    let ([_, _, dv], v) = layout(&sizes(v), kv)?;
    if kv_heads == 0 || d == 0 {
        return None;
    }
    // The result lies as the queries do.
    let out = if operands[0].rank() == 3 {
        Steps { batch: seq_q * heads * dv, head: dv, seq: heads * dv }
    } else {
        Steps { batch: heads * seq_q * dv, head: seq_q * dv, seq: dv }
    };
    let visible = match mask {
        MaskKind::Causal | MaskKind::SlidingWindow => Visible::Causal { window },
        _ => Visible::All,
    };
    let operand = match (mask, rest) {
        (MaskKind::Custom | MaskKind::Bias, [values]) => Some(mask_operand(values, mask)?),
        (MaskKind::Custom | MaskKind::Bias, _) => return None,
        _ => None,
    };
    Some(Attention {
        batch,
        kv_heads,
        group: heads / kv_heads,
        seq_q,
        seq_k,
        d,
        dv,
        q,
        k,
        v,
        out,
        scale: scale.unwrap_or_else(|| 1.0 / (d as f64).sqrt()) as f32,
        softcap: softcap.map(|cap| cap as f32),
        visible,
        operand,
    })
}

/// A mask or bias, aligned with the scores: rank 2 is `[batch, seq_k]`, other ranks align at the end.
fn mask_operand(shape: &Shape, mask: MaskKind) -> Option<Operand> {
    let dims = match sizes(shape).as_slice() {
        &[batch, keys] => [batch, 1, 1, keys],
        other if other.len() <= 4 => {
            let mut dims = [1; 4];
            dims[4 - other.len()..].copy_from_slice(other);
            dims
        }
        _ => return None,
    };
    let dtype = shape.dtype();
    let kind = match (mask, dtype.class()) {
        (MaskKind::Bias, _) if dtype == DType::F32 => OperandKind::Bias,
        (MaskKind::Bias, _) | (_, Class::Complex) => return None,
        (_, class) => OperandKind::Mask { bytes: dtype.size(), float: class == Class::Float },
    };
    let mut steps = [0; 4];
    let mut step = 1;
    for (to, size) in steps.iter_mut().zip(dims).rev() {
        *to = if size == 1 { 0 } else { step };
        step *= size;
    }
    let [batch, head, query, key] = steps;
    Some(Operand { kind, batch, head, query, key })
}

impl OpKernel for Kernel {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.plan.scratch_bytes(self.cpu, self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        let places = Places {
            q: cx.input_ptr(0).cast(),
            k: cx.input_ptr(1).cast(),
            v: cx.input_ptr(2).cast(),
            operand: if self.plan.operand.is_some() { cx.input_ptr(3) } else { std::ptr::null() },
            out: cx.output_ptr(0).cast(),
        };
        // SAFETY: the plan was made from the operands' shapes, which say how many elements there are; results overlap
        // no operand, because `needs` allows none.
        unsafe { self.plan.run(cx.cpu, cx.pool, places, cx.scratch::<u8>()) }
    }
}

impl OpKernel for BackwardKernel {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.plan.scratch_bytes(self.cpu, self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        let places = BackwardPlaces {
            q: cx.input_ptr(0).cast(),
            k: cx.input_ptr(1).cast(),
            v: cx.input_ptr(2).cast(),
            d_out: cx.input_ptr(3).cast(),
            operand: if self.plan.0.operand.is_some() { cx.input_ptr(4) } else { std::ptr::null() },
            dq: cx.output_ptr(0).cast(),
            dk: cx.output_ptr(1).cast(),
            dv: cx.output_ptr(2).cast(),
        };
        // SAFETY: the plan was made from the operands' shapes, which say how many elements there are; results overlap
        // neither operands, because `needs` allows none, nor each other.
        unsafe { self.plan.run(cx.cpu, cx.pool, places, cx.scratch::<u8>()) }
    }
}
