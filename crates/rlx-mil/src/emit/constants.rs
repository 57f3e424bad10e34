//! The bytes of values that are known, made when they are written.

use super::value::{Elem, Known};
use crate::blob::BlobSource;
use half::f16;
use rlx_ir::DType;
use std::borrow::Cow;
use std::io;

/// The bytes of the parameters of a graph, by name, in the type that it declares.
pub type ParamBytes<'a> = dyn Fn(&str) -> Option<&'a [u8]> + 'a;

impl Known {
    /// The elements as a source of a file of weights: where they lie, or made when they are written.
    pub(crate) fn source<'p>(
        &self,
        elem: Elem,
        count: usize,
        params: &'p ParamBytes<'p>,
    ) -> Result<BlobSource<'p>, String> {
        if let Known::Param { name, stored } = self
            && *stored == elem.dtype()
        {
            return Ok(BlobSource::Bytes(missing(params(name), name)?.into()));
        }
        if let Known::Literal(literal) = self {
            return Ok(converted(literal.bytes().to_vec().into(), literal.dtype(), elem)?
                .into_owned()
                .into());
        }
        self.check(params)?;
        let known = self.clone();
        Ok(BlobSource::made((count * elem.dtype().size()) as u64, move |out| {
            out.write_all(&known.bytes(elem, params).map_err(io::Error::other)?)
        }))
    }

    /// Fails where a parameter has no value.
    fn check(&self, params: &ParamBytes<'_>) -> Result<(), String> {
        match self {
            Known::Literal(_) => Ok(()),
            Known::Param { name, .. } => missing(params(name), name).map(|_| ()),
            Known::Reordered { of, .. } => of.check(params),
            Known::Sum(a, b) => a.check(params).and_then(|()| b.check(params)),
        }
    }

    /// The elements in this type, row-major and little-endian.
    ///
    /// # Errors
    /// Which parameter has no value, or one of another type.
    pub(crate) fn bytes<'a, 'p: 'a>(
        &'a self,
        elem: Elem,
        params: &ParamBytes<'p>,
    ) -> Result<Cow<'a, [u8]>, String> {
        match self {
            Known::Literal(literal) => converted(Cow::Borrowed(literal.bytes()), literal.dtype(), elem),
            Known::Param { name, stored } => {
                converted(Cow::Borrowed(missing(params(name), name)?), *stored, elem)
            }
            Known::Reordered { of, parts, order } => {
                let bytes = of.bytes(elem, params)?;
                let len = bytes.len() / parts;
                Ok(order
                    .iter()
                    .flat_map(|&part| &bytes[part * len..][..len])
                    .copied()
                    .collect::<Vec<u8>>()
                    .into())
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

/// The value of a parameter.
fn missing<'a>(bytes: Option<&'a [u8]>, name: &str) -> Result<&'a [u8], String> {
    bytes.ok_or_else(|| format!("the parameter `{name}` has no value"))
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
