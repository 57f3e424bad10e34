//! Contractions: `dot_general`, alone or with an epilogue. `layout` turns one into a batch of matrix products; `plain`
//! runs them by loops.

mod element;
mod layout;
mod plain;

use super::{Site, reference};
use crate::exec::OpKernel;
use element::Truth;
use layout::{Product, product};
use plain::Plain;
use rlx_compile::BackendError;
use rlx_ir::DType;

/// The kernel of a `dot_general`.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let (lhs, rhs) = (site.dims(0), site.dims(1));
    let Some(product) = product(site.node.op(), &lhs, &rhs) else { return reference::prepare(site) };
    let (from, to) = (site.operand(0).dtype(), site.node.shape().dtype());
    let (l, r) = (lhs.iter().product(), rhs.iter().product());
    match plain(product, from, to, l, r) {
        Some(kernel) => Ok(kernel),
        None => reference::prepare(site),
    }
}

/// The kernel of element types that are summed in themselves.
fn plain(product: Product, from: DType, to: DType, lhs: usize, rhs: usize) -> Option<Box<dyn OpKernel>> {
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
