//! Contractions: `dot_general`, alone or with an epilogue. `layout` turns one into a batch of matrix products, `blocked`
//! runs those of f32 and f64, `plain` the others; `epilogue` says what a fusion adds.

mod blocked;
mod element;
mod epilogue;
mod layout;
mod plain;

use super::{Site, nested, reference, sizes};
use crate::exec::OpKernel;
use crate::gemm::Activation;
use blocked::Blocked;
use element::Truth;
use epilogue::{Chain, chain};
use layout::{Product, product};
use plain::Plain;
use rlx_compile::BackendError;
use rlx_ir::{DType, Graph, Op};

type Kernel = Result<Box<dyn OpKernel>, BackendError>;

/// The kernel of a `dot_general`.
pub(crate) fn prepare(site: &Site<'_>) -> Kernel {
    let bare = Chain {
        operands: [0, 1],
        product: site.node.id(),
        bias: None,
        activation: Activation::Identity,
        residual: None,
    };
    let (lhs, rhs) = (site.dims(0), site.dims(1));
    let Some(product) = product(site.node.op(), &lhs, &rhs) else { return reference::prepare(site) };
    let (from, to) = (site.operand(0).dtype(), site.node.shape().dtype());
    let elements = [lhs.iter().product(), rhs.iter().product()];
    match (from, to) {
        (DType::F32, DType::F32) => blocked::<f32>(site, product, elements, bare),
        (DType::F64, DType::F64) => blocked::<f64>(site, product, elements, bare),
        _ => plain(product, from, to, elements).map_or_else(|| reference::prepare(site), Ok),
    }
}

/// The kernel of a product with an epilogue; what the blocked product cannot apply runs node by node.
pub(crate) fn prepare_fused(site: &Site<'_>, body: &Graph) -> Kernel {
    let Some(chain) = chain(body) else { return nested::prepare(site, body) };
    let node = body.node(chain.product);
    let dims = |i: usize| sizes(body.shape(node.inputs()[i]));
    let (lhs, rhs) = (dims(0), dims(1));
    let Some(product) = product(node.op(), &lhs, &rhs) else { return nested::prepare(site, body) };
    let elements = [lhs.iter().product(), rhs.iter().product()];
    match (body.shape(node.inputs()[0]).dtype(), node.shape().dtype()) {
        (DType::F32, DType::F32) => blocked::<f32>(site, product, elements, chain),
        (DType::F64, DType::F64) => blocked::<f64>(site, product, elements, chain),
        _ => nested::prepare(site, body),
    }
}

fn blocked<E: crate::gemm::Element + bytemuck::Pod>(
    site: &Site<'_>,
    product: Product,
    elements: [usize; 2],
    chain: Chain,
) -> Kernel {
    let rhs = site.graph.node(site.node.inputs()[chain.operands[1]]);
    let constant = matches!(rhs.op(), Op::Param { .. } | Op::Constant { .. });
    Ok(Box::new(Blocked::<E>::new(product, elements, chain, constant, site.cpu, site.threads)?))
}

/// The kernel of element types that are summed in themselves.
fn plain(product: Product, from: DType, to: DType, [lhs, rhs]: [usize; 2]) -> Option<Box<dyn OpKernel>> {
    fn boxed<T: element::Element>(p: Product, l: usize, r: usize) -> Option<Box<dyn OpKernel>> {
        Some(Box::new(Plain::<T>::new(p, l, r)))
    }
    if from != to {
        return None;
    }
    match to {
        DType::I8 => boxed::<i8>(product, lhs, rhs),
        DType::I16 => boxed::<i16>(product, lhs, rhs),
        DType::I32 => boxed::<i32>(product, lhs, rhs),
        DType::I64 => boxed::<i64>(product, lhs, rhs),
        DType::U8 => boxed::<u8>(product, lhs, rhs),
        DType::U16 => boxed::<u16>(product, lhs, rhs),
        DType::U32 => boxed::<u32>(product, lhs, rhs),
        DType::U64 => boxed::<u64>(product, lhs, rhs),
        DType::Bool => boxed::<Truth>(product, lhs, rhs),
        DType::C64 => boxed::<[f32; 2]>(product, lhs, rhs),
        DType::C128 => boxed::<[f64; 2]>(product, lhs, rhs),
        _ => None,
    }
}
