//! The bytes of known values, computed when they are written.

use super::compressed::{PackedValue, ParamValue};
use super::value::{Elem, Known};
use crate::blob::BlobSource;
use rlx_ir::{DType, Literal, QuantScheme, Scalar};
use std::borrow::Cow;
use std::io;

/// Number of elements that are converted at a time.
const PIECE: usize = 1 << 16;

/// The values of the parameters of a graph, by name.
pub type ParamBytes<'f, 'p> = dyn Fn(&str) -> Option<ParamValue<'p>> + 'f;

impl Known {
    /// Returns the elements as a source for a weights file: borrowed, or computed when they are written.
    pub(crate) fn source<'p>(
        &self,
        elem: Elem,
        count: usize,
        params: &ParamBytes<'_, 'p>,
    ) -> Result<BlobSource<'p>, String> {
        if let Known::Literal(literal) = self {
            return Ok(converted(literal.bytes().to_vec().into(), literal.dtype(), elem)?
                .into_owned()
                .into());
        }
        let Known::Param { name, stored, packed } = self else {
            return Ok(self.bytes(elem, params)?.into_owned().into());
        };
        let (value, stored) = (value_of(params, name, *packed)?, *stored);
        let bytes = match value {
            ParamValue::Plain(bytes) if stored == elem.dtype() => return Ok(BlobSource::Bytes(bytes.into())),
            // Whether these fit in 32 bits must be known before anything is written.
            _ if matches!(stored, DType::I64 | DType::U32 | DType::U64) => {
                return Ok(self.bytes(elem, params)?.into_owned().into());
            }
            ParamValue::Plain(bytes) => bytes,
            ParamValue::Packed(packed) | ParamValue::Unpacked(packed) => {
                packed.check(count, name)?;
                return Ok(BlobSource::made((count * elem.dtype().size()) as u64, move |out| {
                    packed.values(&mut |values| out.write_all(&of_floats(values, elem)))
                }));
            }
        };
        // In pieces, so that converted copies of large weights are never in memory as a whole.
        Ok(BlobSource::made((count * elem.dtype().size()) as u64, move |out| {
            bytes.chunks(PIECE * stored.size()).try_for_each(|piece| {
                out.write_all(&converted(piece.into(), stored, elem).map_err(io::Error::other)?)
            })
        }))
    }

    /// Returns the elements in this type, row-major and little-endian.
    ///
    /// # Errors
    /// Fails if a parameter has no value, or a value of another type.
    pub(crate) fn bytes<'a, 'p: 'a>(
        &'a self,
        elem: Elem,
        params: &ParamBytes<'_, 'p>,
    ) -> Result<Cow<'a, [u8]>, String> {
        match self {
            Known::Literal(literal) => converted(Cow::Borrowed(literal.bytes()), literal.dtype(), elem),
            Known::Param { name, stored, packed } => match value_of(params, name, *packed)? {
                ParamValue::Plain(bytes) => converted(Cow::Borrowed(bytes), *stored, elem),
                ParamValue::Packed(packed) | ParamValue::Unpacked(packed) => {
                    let mut bytes = Vec::new();
                    let unpacked = packed.values(&mut |values| {
                        bytes.extend(of_floats(values, elem));
                        Ok(())
                    });
                    unpacked.map_err(|e| format!("the parameter `{name}`: {e}"))?;
                    Ok(bytes.into())
                }
            },
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

/// Returns the value of a parameter. If it is packed, its bytes are blocks.
pub(super) fn value_of<'p>(
    params: &ParamBytes<'_, 'p>,
    name: &str,
    packed: Option<QuantScheme>,
) -> Result<ParamValue<'p>, String> {
    let value = params(name).ok_or_else(|| format!("the parameter `{name}` has no value"))?;
    Ok(match (value, packed) {
        (ParamValue::Plain(bytes), Some(scheme)) => ParamValue::Packed(PackedValue::Blocks(scheme, bytes)),
        (value, _) => value,
    })
}

/// Converts floats to little-endian elements of this type.
pub(super) fn of_floats(values: &[f32], elem: Elem) -> Vec<u8> {
    match elem {
        Elem::F16 => values.iter().flat_map(|&x| half::f16::from_f32(x).to_le_bytes()).collect(),
        _ => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
    }
}

/// Converts a literal to a type that can represent it.
pub(crate) fn held(literal: Literal, elem: Elem) -> Result<Literal, String> {
    if literal.dtype() == elem.dtype() {
        return Ok(literal);
    }
    let bytes = converted(Cow::Borrowed(literal.bytes()), literal.dtype(), elem)?;
    Literal::from_bytes(&literal.shape().with_dtype(elem.dtype()), &bytes).map_err(|e| e.to_string())
}

/// Converts elements of one type to another that can represent them.
fn converted(bytes: Cow<'_, [u8]>, from: DType, to: Elem) -> Result<Cow<'_, [u8]>, String> {
    if from == to.dtype() {
        return Ok(bytes);
    }
    let is_narrowed = to == Elem::F16 && Elem::holding(from) == Some(Elem::F32);
    if !is_narrowed && Elem::holding(from) != Some(to) && (from, to) != (DType::F16, Elem::F32) {
        return Err(format!("a constant of {from} cannot be stored as {}", to.name()));
    }
    if (from, to) == (DType::F32, Elem::F16) {
        // Most weights take this conversion.
        let mut halves = Vec::with_capacity(bytes.len() / 2);
        for x in bytes.as_chunks().0 {
            let x = f32::from_le_bytes(*x);
            let half = half::f16::from_f32(x);
            if half.is_infinite() && x.is_finite() {
                return Err(format!("a weight is {x}, but f16 has numbers up to 65504: compute in f32"));
            }
            halves.extend(half.to_le_bytes());
        }
        return Ok(halves.into());
    }
    let mut held = Vec::with_capacity(bytes.len() / from.size() * to.dtype().size());
    for element in bytes.chunks_exact(from.size()) {
        let number = Scalar::read(from, element);
        if let Scalar::Int(n) = number
            && i32::try_from(n).is_err()
        {
            return Err(format!(
                "a constant of {from} contains {n}, which does not fit in the 32-bit integers of programs"
            ));
        }
        number.convert(to.dtype()).write(to.dtype(), &mut held);
    }
    Ok(held.into())
}

/// Returns the minimum and the maximum of known integers.
pub(crate) fn extremes(literal: &Literal) -> Option<(i128, i128)> {
    let size = literal.dtype().size();
    let mut extremes = None;
    for element in literal.bytes().chunks_exact(size) {
        let Scalar::Int(n) = Scalar::read(literal.dtype(), element) else { return None };
        extremes = Some(extremes.map_or((n, n), |(least, most): (i128, i128)| (least.min(n), most.max(n))));
    }
    extremes
}
