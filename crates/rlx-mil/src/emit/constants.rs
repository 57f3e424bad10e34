//! The bytes of values that are known, made when they are written.

use super::value::{Elem, Known};
use half::f16;
use rlx_ir::DType;
use std::borrow::Cow;

/// The bytes of the parameters of a graph, by name, in the type that it declares.
pub type ParamBytes<'a> = dyn Fn(&str) -> Option<&'a [u8]> + 'a;

impl Known {
    /// The elements in this type, row-major and little-endian.
    ///
    /// # Errors
    /// Which parameter has no value, or one of another type.
    pub(crate) fn bytes<'a, 'p: 'a>(&'a self, elem: Elem, params: &ParamBytes<'p>) -> Result<Cow<'a, [u8]>, String> {
        match self {
            Known::Literal(literal) => converted(Cow::Borrowed(literal.bytes()), literal.dtype(), elem),
            Known::Param { name, stored } => {
                let bytes = params(name).ok_or_else(|| format!("the parameter `{name}` has no value"))?;
                converted(Cow::Borrowed(bytes), *stored, elem)
            }
            Known::Reordered { of, parts, order } => {
                let bytes = of.bytes(elem, params)?;
                let len = bytes.len() / parts;
                Ok(order.iter().flat_map(|&part| &bytes[part * len..][..len]).copied().collect::<Vec<u8>>().into())
            }
            Known::Sum(a, b) => {
                let (a, b) = (a.bytes(Elem::F32, params)?, b.bytes(Elem::F32, params)?);
                let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
                let pairs = a.as_chunks().0.iter().zip(b.as_chunks().0);
                let sums: Vec<u8> = pairs.flat_map(|(a, b)| (number(a) + number(b)).to_le_bytes()).collect();
                converted(sums.into(), DType::F32, elem)
            }
        }
    }
}

/// Elements of one type in another.
fn converted(bytes: Cow<'_, [u8]>, from: DType, to: Elem) -> Result<Cow<'_, [u8]>, String> {
    if from == to.dtype() {
        return Ok(bytes);
    }
    Ok(match (from, to) {
        (DType::F32, Elem::F16) => {
            let halves = bytes.as_chunks().0.iter().map(|&x| f16::from_f32(f32::from_le_bytes(x)));
            halves.flat_map(f16::to_le_bytes).collect::<Vec<u8>>().into()
        }
        (DType::F16, Elem::F32) => {
            let numbers = bytes.as_chunks().0.iter().map(|&x| f16::from_le_bytes(x).to_f32());
            numbers.flat_map(f32::to_le_bytes).collect::<Vec<u8>>().into()
        }
        (from, to) => return Err(format!("a constant of {from} is asked for in {}", to.name())),
    })
}
