//! Kernels of contractions: `dot_general`, alone or with an epilogue, and `ragged_dot`. `layout` turns one into a batch of matrix products,
//! and `number` determines in which numbers it is summed. `blocked` computes those of floats, `plain` those of wide integers. `view` reads
//! operands that are not in these numbers, `epilogue` recognizes what a fusion adds, and `ragged` is `ragged_dot`.

pub(crate) mod blocked;
pub(crate) mod epilogue;
pub(crate) mod layout;
pub(crate) mod number;
mod plain;
mod ragged;
pub(crate) mod view;

use super::{PrepareContext, Way, convolution, missing, sizes};
use crate::exec::OpKernel;
use blocked::Blocked;
use epilogue::{Chain, chain};
use layout::{Product, product};
use number::{Number, numbers};
use plain::Plain;
use ragged::{Blocks, ByRows, Sizes};
use rlx_compile::BackendError;
use rlx_elementwise::compute_type::ComputeType;
use rlx_elementwise::stored::writer;
use rlx_ir::{DType, Graph, Op, OpKind};
use std::marker::PhantomData;
use view::Reading;

type Kernel = Result<Box<dyn OpKernel>, BackendError>;

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        DotGeneral => Way::Kernel(prepare),
        RaggedDot => Way::Kernel(prepare_ragged),
        Convolution => Way::Kernel(convolution::prepare),
        _ => return None,
    })
}

/// Prepares the kernel of a `dot_general`.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Kernel {
    let bare = Chain::bare(cx.node.id());
    let Some(product) = product(cx.node.op(), &cx.dims(0), &cx.dims(1)) else {
        return missing(cx);
    };
    let types = [cx.operand(0).dtype(), cx.node.shape().dtype()];
    let stored = [types[0]; 2];
    let kernel = match numbers(types[0], types[1], product.k) {
        ComputeType::F32 => blocked::<f32>(cx, product, stored, bare)?,
        ComputeType::F64 => blocked::<f64>(cx, product, stored, bare)?,
        ComputeType::U8 => plain::<u8>(cx, product, types),
        ComputeType::U16 => plain::<u16>(cx, product, types),
        ComputeType::U32 => plain::<u32>(cx, product, types),
        _ => plain::<u64>(cx, product, types),
    };
    kernel.map_or_else(|| missing(cx), Ok)
}

/// Returns whether one kernel runs the body of a fused node: a product or a convolution of f32 or f64, with operands of any type that
/// products read, followed by what it can apply to its results.
pub(crate) fn accepts(body: &Graph) -> bool {
    chain(body).is_some_and(|chain| {
        let node = body.node(chain.product);
        let dtype = node.shape().dtype();
        let in_one_type = node.inputs().iter().all(|&i| body.shape(i).dtype() == dtype);
        let lies_right = match node.op() {
            Op::Convolution { .. } => {
                let as_stored = node.inputs().iter().all(|&i| matches!(body.node(i).op(), Op::Input { .. }));
                as_stored && convolution::finishes(node.op())
            }
            _ => true,
        };
        let compute = if dtype == DType::F64 { ComputeType::F64 } else { ComputeType::F32 };
        let can_be_read = chain.operands.iter().all(|&i| {
            let stored = body.inputs().nth(i).map(|input| input.shape().dtype());
            stored.is_some_and(|stored| view::Reading::new(stored, compute).is_some())
        });
        in_one_type && lies_right && can_be_read && matches!(dtype, DType::F32 | DType::F64)
    })
}

/// Prepares the kernel of a product or convolution with an epilogue.
pub(crate) fn prepare_fused(cx: &PrepareContext<'_>) -> Kernel {
    let Op::Fusion { body, .. } = cx.node.op() else { return missing(cx) };
    let Some(chain) = chain(body) else { return missing(cx) };
    let node = body.node(chain.product);
    if matches!(node.op(), Op::Convolution { .. }) {
        return convolution::prepare_fused(cx, body, chain);
    }
    let dims = |i: usize| sizes(body.shape(node.inputs()[i]));
    let Some(product) = product(node.op(), &dims(0), &dims(1)) else { return missing(cx) };
    let stored = chain.operands.map(|i| cx.operand(i).dtype());
    let kernel = match node.shape().dtype() {
        DType::F32 => blocked::<f32>(cx, product, stored, chain)?,
        DType::F64 => blocked::<f64>(cx, product, stored, chain)?,
        _ => None,
    };
    kernel.map_or_else(|| missing(cx), Ok)
}

/// Prepares the kernel of a `ragged_dot`.
pub(crate) fn prepare_ragged(cx: &PrepareContext<'_>) -> Kernel {
    let (&[m, k], &[groups, _, n]) = (cx.dims(0).as_slice(), cx.dims(1).as_slice()) else {
        return missing(cx);
    };
    let sizes = Sizes { m, k, n, groups };
    let types = [cx.operand(0).dtype(), cx.node.shape().dtype(), cx.operand(2).dtype()];
    fn rows<T: Number>(
        sizes: Sizes,
        types: [DType; 3],
        cx: &PrepareContext<'_>,
    ) -> Option<Box<dyn OpKernel>> {
        Some(Box::new(ByRows::<T>::new(sizes, types, cx.threads)?))
    }
    // If runs overlap, a row is the sum of several products.
    let kernel: Option<Box<dyn OpKernel>> = match numbers(types[0], types[1], k.saturating_mul(groups)) {
        ComputeType::F32 => Blocks::<f32>::new(sizes, types, cx.cpu, cx.threads).map(|b| Box::new(b) as _),
        ComputeType::F64 => Blocks::<f64>::new(sizes, types, cx.cpu, cx.threads).map(|b| Box::new(b) as _),
        ComputeType::U8 => rows::<u8>(sizes, types, cx),
        ComputeType::U16 => rows::<u16>(sizes, types, cx),
        ComputeType::U32 => rows::<u32>(sizes, types, cx),
        _ => rows::<u64>(sizes, types, cx),
    };
    kernel.map_or_else(|| missing(cx), Ok)
}

fn blocked<E>(
    cx: &PrepareContext<'_>,
    product: Product,
    stored: [DType; 2],
    chain: Chain,
) -> Result<Option<Box<dyn OpKernel>>, BackendError>
where
    E: crate::gemm::Element + Number,
    for<'v> view::View<'v>: crate::gemm::Rows<E>,
{
    let constant = cx.is_fixed(cx.node.inputs()[chain.operands[1]]);
    let to = cx.node.shape().dtype();
    let kernel = Blocked::<E>::new(product, (stored, to), chain, constant, cx.cpu, cx.threads)?;
    Ok(kernel.map(|kernel| Box::new(kernel) as Box<dyn OpKernel>))
}

fn plain<T: Number>(
    cx: &PrepareContext<'_>,
    product: Product,
    [from, to]: [DType; 2],
) -> Option<Box<dyn OpKernel>> {
    let reading = Reading::new(from, T::COMPUTE)?;
    Some(Box::new(Plain::<T> {
        product,
        readings: [reading; 2],
        write: writer(T::COMPUTE, to)?,
        size: to.size(),
        threads: cx.threads,
        number: PhantomData,
    }))
}
