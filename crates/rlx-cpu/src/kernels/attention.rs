//! Kernels of f32 attention and its derivative. This module determines where heads and positions are in operands of rank 3 and 4, how keys
//! and values are stored, and what masks and lengths mean to the kernel.

use super::movement::read_index;
use super::{PrepareContext, missing, sizes};
use crate::attention::{
    Attention, AttentionBackward, BackwardPlaces, Operand, OperandKind, Places, Steps, Storage, Visible,
};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::gemm::Narrow;
use crate::isa::Cpu;
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::op::kinds::MaskKind;
use rlx_ir::{AttentionOptions, Class, DType, Op, QuantScheme, Shape};

/// A prepared attention.
struct Kernel {
    plan: Attention,
    lengths: Option<Lengths>,
    threads: usize,
    cpu: Cpu,
}

/// A prepared derivative of an attention.
struct BackwardKernel {
    plan: AttentionBackward,
    lengths: Option<Lengths>,
    threads: usize,
    cpu: Cpu,
}

/// How many keys of each sequence count.
#[derive(Clone, Copy)]
struct Lengths {
    /// The index of the operand that holds the lengths.
    operand: usize,
    dtype: DType,
    /// Elements from one sequence to the next; 0 if one number applies to all.
    step: usize,
}

impl Lengths {
    /// Returns how many keys of a sequence of the batch count; `capacity` if there are no lengths.
    fn keys(
        lengths: Option<Lengths>,
        cx: &LaunchContext<'_>,
        capacity: usize,
    ) -> impl Fn(usize) -> usize + Sync {
        let given = lengths.map(|own| (own, cx.input::<u8>(own.operand)));
        move |batch| {
            let Some((own, bytes)) = given else { return capacity };
            let element = &bytes[batch * own.step * own.dtype.size()..];
            // SAFETY: the operand is a scalar, or has an element for each sequence.
            let length = unsafe { read_index(own.dtype, element.as_ptr()) };
            usize::try_from(length.max(0)).unwrap_or(usize::MAX).min(capacity)
        }
    }
}

/// Returns whether the op is the derivative of attention, and the attributes; `None` if it is neither.
fn attributes(op: &Op) -> Option<(bool, &AttentionOptions)> {
    match op {
        Op::Attention { options } => Some((false, options)),
        Op::AttentionBackward { options } => Some((true, options)),
        _ => None,
    }
}

/// The operands of an attention or of its derivative, by name.
struct Operands<'a> {
    is_derivative: bool,
    tensors: &'a [Shape],
    mask: MaskKind,
    mask_values: Option<&'a Shape>,
    kv_len: Option<&'a Shape>,
    scheme: Option<QuantScheme>,
}

impl<'a> Operands<'a> {
    fn new(op: &Op, operands: &'a [Shape]) -> Option<Operands<'a>> {
        let (is_derivative, options) = attributes(op)?;
        let (tensors, optional) = operands.split_at_checked(if is_derivative { 4 } else { 3 })?;
        let optional: Vec<&Shape> = optional.iter().collect();
        let AttentionOptions { mask, kv_scheme: scheme, .. } = *options;
        let (mask_values, kv_len) = mask.operands(&optional);
        Some(Operands { is_derivative, tensors, mask, mask_values, kv_len, scheme })
    }

    /// Returns the index of the operand that holds the lengths.
    fn lengths(&self) -> usize {
        self.tensors.len() + usize::from(self.mask_values.is_some())
    }

    /// Returns how k and v are stored, if the kernel can read that.
    fn storage(&self) -> Option<[Storage; 2]> {
        let [q, k, v, rest @ ..] = self.tensors else { return None };
        let of = |x: &Shape| storage(x.dtype(), self.scheme);
        let single = |x: &Shape| x.dtype() == DType::F32;
        let plain = single(q) && rest.iter().all(single);
        let stored = [of(k)?, of(v)?];
        // The derivative needs k and v as f32.
        (plain && (!self.is_derivative || stored == [Storage::Single; 2])).then_some(stored)
    }
}

fn storage(dtype: DType, scheme: Option<QuantScheme>) -> Option<Storage> {
    match (dtype, scheme) {
        (_, Some(scheme)) => Some(Storage::Blocks(scheme)),
        (DType::F32, None) => Some(Storage::Single),
        (DType::F16, None) => Some(Storage::Narrow(Narrow::F16)),
        (DType::BF16, None) => Some(Storage::Narrow(Narrow::Bf16)),
        _ => None,
    }
}

/// Returns whether a kernel runs this attention or derivative, whatever the sizes that are not known yet. Exceptions are types that it
/// cannot read, the derivative with a bias, which is itself differentiable, and packed heads that share a block.
pub(crate) fn claims(op: &Op, operands: &[Shape]) -> bool {
    let Some(given) = Operands::new(op, operands) else { return false };
    let reads_mask =
        given.mask_values.is_none_or(|x| x.rank() <= 4 && mask_kind(x.dtype(), given.mask).is_some());
    let has_bias = given.is_derivative && given.mask == MaskKind::Bias;
    given.storage().is_some() && reads_mask && !has_bias && has_whole_blocks(op, operands)
}

/// Returns whether each packed head begins with a block, as it does if heads have their own axis.
fn has_whole_blocks(op: &Op, operands: &[Shape]) -> bool {
    let Some((_, options)) = attributes(op) else { return true };
    let Some(scheme) = options.kv_scheme else { return true };
    let heads = options.num_kv_heads.or(options.num_heads);
    let (Some(heads), 3) = (heads, operands[0].rank()) else { return true };
    operands[1..3].iter().all(|x| {
        let width = x.dims().get(2).and_then(|d| d.as_static());
        width.is_some_and(|n| n.is_multiple_of(heads.max(1) * scheme.block_bytes()))
    })
}

/// Prepares the kernel of an attention or of its derivative.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let operands: Vec<Shape> = cx.node.inputs().iter().map(|&i| cx.graph.shape(i).clone()).collect();
    let op = cx.node.op();
    let (Some(given), Some(plan)) = (Operands::new(op, &operands), plan(op, &operands)) else {
        return missing(cx);
    };
    let lengths = given.kv_len.map(|x| Lengths {
        operand: given.lengths(),
        dtype: x.dtype(),
        step: usize::from(x.rank() > 0),
    });
    let (threads, cpu) = (cx.threads, cx.cpu);
    Ok(match given.is_derivative {
        true => Box::new(BackwardKernel { plan: AttentionBackward(plan), lengths, threads, cpu }),
        false => Box::new(Kernel { plan, lengths, threads, cpu }),
    })
}

/// Returns the sizes `[heads, seq, d]` and the steps of an operand.
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

/// Returns what the kernel needs to know, or `None` if it does not run this op.
fn plan(op: &Op, operands: &[Shape]) -> Option<Attention> {
    let &AttentionOptions { num_heads, num_kv_heads, scale, mask, window, softcap, .. } = attributes(op)?.1;
    let given = Operands::new(op, operands)?;
    let [k_storage, v_storage] = given.storage()?;
    let [q, k, v, ..] = given.tensors else { return None };
    let batch = *sizes(q).first()?;
    let kv = num_kv_heads.or(num_heads);
    let ([heads, seq_q, d], q) = layout(&sizes(q), num_heads)?;
    let ([kv_heads, seq_k, _], k) = layout(&sizes(k), kv)?;
    let ([_, _, row], v) = layout(&sizes(v), kv)?;
    let dv = v_storage.values(row);
    // The result is laid out like the queries.
    let out = if operands[0].rank() == 3 {
        Steps { batch: seq_q * heads * dv, head: dv, seq: heads * dv }
    } else {
        Steps { batch: heads * seq_q * dv, head: seq_q * dv, seq: dv }
    };
    let visible = match mask {
        MaskKind::Causal | MaskKind::SlidingWindow => Visible::Causal { window },
        _ => Visible::All,
    };
    let operand = match given.mask_values {
        Some(values) => Some(mask_operand(values, mask)?),
        None => None,
    };
    Some(Attention {
        batch,
        kv_heads,
        group: heads.checked_div(kv_heads).unwrap_or(0),
        seq_q,
        seq_k,
        is_limited: given.kv_len.is_some(),
        d,
        dv,
        q,
        k,
        v,
        k_storage,
        v_storage,
        out,
        scale: scale.unwrap_or_else(|| 1.0 / (d as f64).sqrt()) as f32,
        softcap: softcap.map(|cap| cap as f32),
        visible,
        operand,
    })
}

/// Returns what a mask or bias of this type means to the kernel, if it can read it.
fn mask_kind(dtype: DType, mask: MaskKind) -> Option<OperandKind> {
    match (mask, dtype.class()) {
        (MaskKind::Bias, _) if dtype == DType::F32 => Some(OperandKind::Bias),
        (MaskKind::Bias, _) | (_, Class::Complex) => None,
        (_, class) => Some(OperandKind::Mask { bytes: dtype.size(), float: class == Class::Float }),
    }
}

/// Returns a mask or bias aligned with the scores: rank 2 is `[batch, seq_k]`, other ranks are aligned at the end.
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
    let kind = mask_kind(shape.dtype(), mask)?;
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

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let places = Places {
            q: cx.input_ptr(0).cast(),
            k: cx.input_ptr(1),
            v: cx.input_ptr(2),
            operand: if self.plan.operand.is_some() { cx.input_ptr(3) } else { std::ptr::null() },
            out: cx.output_ptr(0).cast(),
        };
        let (cx, scratch) = cx.split_scratch::<u8>();
        let keys = Lengths::keys(self.lengths, &cx, self.plan.seq_k);
        // SAFETY: the plan was made from the operands' shapes, which determine the number of elements; results overlap no operand, because
        // `needs` allows none.
        unsafe { self.plan.run(cx.cpu, cx.pool, places, &keys, scratch) }
    }
}

impl OpKernel for BackwardKernel {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.plan.scratch_bytes(self.cpu, self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
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
        let (cx, scratch) = cx.split_scratch::<u8>();
        let keys = Lengths::keys(self.lengths, &cx, self.plan.0.seq_k);
        // SAFETY: the plan was made from the operands' shapes, which determine the number of elements; results overlap
        // neither operands, because `needs` allows none, nor each other.
        unsafe { self.plan.run(cx.cpu, cx.pool, places, &keys, scratch) }
    }
}
