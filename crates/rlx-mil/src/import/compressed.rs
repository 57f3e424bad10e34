//! Reads constants that programs store in compressed form: quantized, as palettes, or without their zeros. Each is expanded to the constant
//! that it represents, with the arithmetic of its element type. In iOS 16, parameters are attributes and bits are packed into bytes; iOS 18
//! has types of few bits.

use super::args::{Unread, product};
use super::constants::{Constants, Stored, StoredAt, bits};
use crate::message::DataType;
use half::f16;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The parameters of an operation, by name.
pub(super) type Given<'a> = BTreeMap<&'a str, Rc<Stored>>;

/// Elements with their sizes.
struct StoredArray {
    data_type: DataType,
    dims: Vec<usize>,
    values: Vec<f32>,
}

/// Whether an operation returns a compressed constant.
pub(super) fn is_compressed(kind: &str) -> bool {
    kind.starts_with("constexpr_")
}

/// Expands the constants of an operation.
pub(super) fn read(kind: &str, given: &Given<'_>, constants: &Constants<'_>) -> Result<Vec<Stored>, Unread> {
    let params = Params { given, constants };
    match kind {
        "constexpr_affine_dequantize" => Ok(vec![stored(affine(&params)?)]),
        "constexpr_blockwise_shift_scale" => {
            let scaled = scaled(params.array("data")?, &params)?;
            Ok(vec![stored(scaled)])
        }
        "constexpr_lut_to_dense" if given.contains_key("shape") => Ok(vec![stored(packed_palette(&params)?)]),
        "constexpr_lut_to_dense" => Ok(vec![stored(palette(&params.array("indices")?, &params)?)]),
        "constexpr_sparse_to_dense" => {
            let mask =
                if given.contains_key("shape") { packed_mask(&params)? } else { params.array("mask")? };
            Ok(vec![stored(dense(&params.array("nonzero_data")?, &mask)?)])
        }
        "constexpr_lut_to_sparse" => {
            let mask = params.array("indices_mask")?;
            let indices = dense(&params.array("indices_nonzero_data")?, &mask)?;
            let values = palette(&indices, &params)?;
            let mask = repeated_mask(mask, &values.dims)?;
            let values = sparse(&values, &mask);
            Ok(vec![stored(mask), stored(values)])
        }
        "constexpr_sparse_blockwise_shift_scale" => {
            let mask = params.array("data_mask")?;
            let data = dense(&params.array("nonzero_data")?, &mask)?;
            let values = sparse(&scaled(data, &params)?, &mask);
            Ok(vec![stored(mask), stored(values)])
        }
        "constexpr_cast" => {
            let source = params.array("source_val")?;
            Ok(vec![stored(StoredArray { data_type: DataType::Float32, ..source })])
        }
        _ => Err("this operation is not supported in constants".into()),
    }
}

struct Params<'p, 'g, 'c> {
    given: &'p Given<'g>,
    constants: &'p Constants<'c>,
}

impl Params<'_, '_, '_> {
    fn get(&self, name: &str) -> Result<&Stored, Unread> {
        self.given
            .get(name)
            .map(Rc::as_ref)
            .ok_or_else(|| Unread(format!("the parameter `{name}` is missing")))
    }

    fn array(&self, name: &str) -> Result<StoredArray, Unread> {
        array(self.get(name)?, self.constants)
    }

    fn opt(&self, name: &str) -> Result<Option<StoredArray>, Unread> {
        self.given.get(name).map(|stored| array(stored, self.constants)).transpose()
    }

    /// Returns sizes.
    fn sizes(&self, name: &str) -> Result<Vec<usize>, Unread> {
        Ok(self.array(name)?.values.iter().map(|&n| n as usize).collect())
    }

    /// Returns an axis of a tensor of this rank; negative ones count from the end.
    fn axis(&self, name: &str, rank: usize) -> Result<Option<usize>, Unread> {
        let Some(array) = self.opt(name)? else { return Ok(None) };
        let axis = array.values.first().and_then(|&n| super::args::axis(n as i64, rank));
        axis.map(Some).ok_or_else(|| Unread(format!("`{name}` exceeds rank {rank}")))
    }
}

/// Allocates memory for the number of elements of these sizes.
fn room(dims: &[usize]) -> Result<Vec<f32>, Unread> {
    let count = product(dims)?;
    let mut room = Vec::new();
    room.try_reserve_exact(count)
        .map_err(|_| Unread(format!("there is not enough memory for a constant of {count} elements")))?;
    Ok(room)
}

/// Returns elements of up to 8 bits, each in the low bits of a number.
fn unpacked(bytes: &[u8], bits: usize) -> impl Iterator<Item = u8> + '_ {
    (0..bytes.len() * 8 / bits).map(move |i| {
        let (byte, shift) = (i * bits / 8, i * bits % 8);
        let next = bytes.get(byte + 1).copied().unwrap_or(0);
        ((u16::from_le_bytes([bytes[byte], next]) >> shift) & ((1 << bits) - 1)) as u8
    })
}

fn array(stored: &Stored, constants: &Constants<'_>) -> Result<StoredArray, Unread> {
    let (bytes, data_type) = (constants.bytes(stored)?, stored.data_type);
    let mut values = room(&stored.dims)?;
    let count: usize = stored.dims.iter().product();
    match data_type {
        DataType::Float32 => values.extend(bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x))),
        DataType::Float16 => {
            values.extend(bytes.as_chunks().0.iter().map(|x| f16::from_le_bytes(*x).to_f32()))
        }
        DataType::Int32 => values.extend(bytes.as_chunks().0.iter().map(|x| i32::from_le_bytes(*x) as f32)),
        DataType::Uint32 => values.extend(bytes.as_chunks().0.iter().map(|x| u32::from_le_bytes(*x) as f32)),
        DataType::Int16 => {
            values.extend(bytes.as_chunks().0.iter().map(|x| f32::from(i16::from_le_bytes(*x))))
        }
        DataType::Uint16 => {
            values.extend(bytes.as_chunks().0.iter().map(|x| f32::from(u16::from_le_bytes(*x))))
        }
        DataType::Int8 => values.extend(bytes.iter().map(|&x| f32::from(x as i8))),
        DataType::Int4 => {
            values.extend(unpacked(bytes, 4).take(count).map(|x| f32::from((x << 4) as i8 >> 4)))
        }
        _ => {
            let few = bits(data_type).filter(|&bits| bits <= 8);
            let few =
                few.ok_or_else(|| Unread(format!("compressed constants of {data_type:?} are unsupported")))?;
            values.extend(unpacked(bytes, few).take(count).map(f32::from));
        }
    }
    Ok(StoredArray { data_type, dims: stored.dims.clone(), values })
}

/// Returns the elements as bytes of their type; those of few bits take one byte each, and are no longer packed.
fn stored(array: StoredArray) -> Stored {
    let values = array.values.iter();
    let (data_type, bytes) = match array.data_type {
        DataType::Float32 => (DataType::Float32, values.flat_map(|x| x.to_le_bytes()).collect()),
        DataType::Float16 => {
            (DataType::Float16, values.flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect())
        }
        DataType::Int8 | DataType::Int4 => (DataType::Int8, values.map(|&x| (x as i8) as u8).collect()),
        _ => (DataType::Uint8, values.map(|&x| x as u8).collect()),
    };
    Stored { data_type, dims: array.dims, place: StoredAt::Made(bytes) }
}

/// Rounds a number to the precision of a type.
fn rounded(x: f32, data_type: DataType) -> f32 {
    if data_type == DataType::Float16 { f16::from_f32(x).to_f32() } else { x }
}

/// For each element of a tensor of `dims`, returns the index of its block in a tensor of `parts`, with one element per block.
fn block_places(dims: &[usize], parts: &[usize]) -> Result<Vec<usize>, Unread> {
    let divides = |(&size, &parts): (&usize, &usize)| parts > 0 && size.is_multiple_of(parts);
    if dims.len() != parts.len() || !dims.iter().zip(parts).all(divides) {
        return Err(format!("{parts:?} blocks do not divide {dims:?} elements").into());
    }
    if dims.contains(&0) {
        return Ok(Vec::new());
    }
    let mut places = vec![0];
    for (&size, &parts) in dims.iter().zip(parts) {
        let block = size / parts;
        let inner = |place: usize| (0..size).map(move |i| place * parts + i / block.max(1));
        places = places.into_iter().flat_map(inner).collect();
    }
    Ok(places)
}

/// Computes (data − zero_point) · scale in f32, along an axis or for all elements.
fn affine(params: &Params<'_, '_, '_>) -> Result<StoredArray, Unread> {
    let data = params.array("quantized_data")?;
    let (scale, zero) = (params.array("scale")?, params.array("zero_point")?);
    let axis = params.axis("axis", data.dims.len())?.unwrap_or(0);
    let parts = |array: &StoredArray| -> Vec<usize> {
        (0..data.dims.len()).map(|i| if i == axis { array.values.len() } else { 1 }).collect()
    };
    let (scales, zeros) =
        (block_places(&data.dims, &parts(&scale))?, block_places(&data.dims, &parts(&zero))?);
    let element = |(i, &x): (usize, &f32)| {
        rounded((x - zero.values[zeros[i]]) * scale.values[scales[i]], scale.data_type)
    };
    let values = data.values.iter().enumerate().map(element).collect();
    Ok(StoredArray { data_type: scale.data_type, dims: data.dims, values })
}

/// Computes scale · (data − offset) with one scale and offset per block. Each step has the type of the scale.
fn scaled(data: StoredArray, params: &Params<'_, '_, '_>) -> Result<StoredArray, Unread> {
    let (scale, offset) = (params.array("scale")?, params.opt("offset")?);
    let places = block_places(&data.dims, &scale.dims)?;
    if offset.as_ref().is_some_and(|offset| offset.dims != scale.dims) {
        return Err("the sizes of `offset` differ from those of `scale`".into());
    }
    let to = |x| rounded(x, scale.data_type);
    let element = |(&x, &at): (&f32, &usize)| {
        let shifted = offset.as_ref().map_or(to(x), |offset| to(to(x) - to(offset.values[at])));
        to(scale.values[at] * shifted)
    };
    let values = data.values.iter().zip(&places).map(element).collect();
    Ok(StoredArray { data_type: scale.data_type, dims: data.dims, values })
}

/// Expands palettes of iOS 16: one for all elements, with as many bits per index as its number of entries needs.
fn packed_palette(params: &Params<'_, '_, '_>) -> Result<StoredArray, Unread> {
    let (lut, dims) = (params.array("lut")?, params.sizes("shape")?);
    let bits =
        lut.values.len().checked_ilog2().map(|bits| bits as usize).filter(|bits| (1..=8).contains(bits));
    let bits = bits.ok_or("`lut` has no entries for 1 to 8 bits")?;
    let indices = params.constants.bytes(params.get("indices")?)?;
    let count = product(&dims).ok().filter(|&count| count <= indices.len() * 8 / bits);
    let count = count.ok_or("there are fewer `indices` than `shape` requires")?;
    let value = |index: u8| lut.values.get(usize::from(index)).copied();
    let values: Option<Vec<f32>> = unpacked(indices, bits).take(count).map(value).collect();
    let values = values.ok_or("an index is outside `lut`")?;
    Ok(StoredArray { data_type: lut.data_type, dims, values })
}

/// Expands palettes of iOS 18: `lut` is `[…, entries, vector]`, with a palette for each block of indices. The elements of a vector are
/// along an axis.
fn palette(indices: &StoredArray, params: &Params<'_, '_, '_>) -> Result<StoredArray, Unread> {
    let lut = params.array("lut")?;
    let rank = indices.dims.len();
    let [.., entries, vector] = lut.dims[..] else { return Err("`lut` must have two extra axes".into()) };
    if lut.dims.len() != rank + 2 {
        return Err("`lut` must have two more axes than the indices".into());
    }
    let axis = params.axis("vector_axis", rank)?;
    let axis = if vector == 1 { axis.or(rank.checked_sub(1)) } else { axis };
    let axis = axis.ok_or("vectors need a `vector_axis`")?;
    let places = block_places(&indices.dims, &lut.dims[..rank])?;
    let mut dims = indices.dims.clone();
    dims[axis] = dims[axis].checked_mul(vector).ok_or("a constant is too large")?;
    let mut values = room(&dims)?;
    if indices.values.is_empty() {
        return Ok(StoredArray { data_type: lut.data_type, dims, values });
    }
    // Indices are [outer, axis, inner], each for a vector along the axis.
    let (size, inner): (usize, usize) = (indices.dims[axis], indices.dims[axis + 1..].iter().product());
    let row = |row: usize, element: usize, values: &mut Vec<f32>| -> Option<()> {
        for (at, &index) in indices.values.iter().enumerate().skip(row * inner).take(inner) {
            let index = index as usize;
            let entry = (index < entries).then_some((places[at] * entries + index) * vector + element)?;
            values.push(*lut.values.get(entry)?);
        }
        Some(())
    };
    let outer = indices.values.len() / (size * inner).max(1);
    for line in 0..outer * size {
        for element in 0..vector {
            row(line, element, &mut values).ok_or("an index is outside `lut`")?;
        }
    }
    Ok(StoredArray { data_type: lut.data_type, dims, values })
}

/// Returns the mask of iOS 16, with one bit per element.
fn packed_mask(params: &Params<'_, '_, '_>) -> Result<StoredArray, Unread> {
    let (bytes, dims) = (params.constants.bytes(params.get("mask")?)?, params.sizes("shape")?);
    let count = product(&dims).ok().filter(|&n| n <= bytes.len() * 8);
    let count = count.ok_or("`mask` has fewer bits than `shape` requires")?;
    Ok(StoredArray {
        data_type: DataType::Uint1,
        dims,
        values: unpacked(bytes, 1).take(count).map(f32::from).collect(),
    })
}

/// Places the elements where the mask is set, and zeros elsewhere.
fn dense(nonzero: &StoredArray, mask: &StoredArray) -> Result<StoredArray, Unread> {
    let mut next = nonzero.values.iter();
    let element = |&there: &f32| if there == 0.0 { Some(0.0) } else { next.next().copied() };
    let values: Option<Vec<f32>> = mask.values.iter().map(element).collect();
    let values = values.filter(|_| next.next().is_none());
    let values = values.ok_or("the mask does not match the number of elements")?;
    Ok(StoredArray { data_type: nonzero.data_type, dims: mask.dims.clone(), values })
}

/// Returns the elements where the mask is set.
fn sparse(elements: &StoredArray, mask: &StoredArray) -> StoredArray {
    let there = elements.values.iter().zip(&mask.values).filter(|(_, there)| **there != 0.0);
    let values: Vec<f32> = there.map(|(&x, _)| x).collect();
    StoredArray { data_type: elements.data_type, dims: vec![values.len()], values }
}

/// Expands a mask in which each element stands for a vector.
fn repeated_mask(mask: StoredArray, dims: &[usize]) -> Result<StoredArray, Unread> {
    let places = block_places(dims, &mask.dims)?;
    Ok(StoredArray {
        data_type: mask.data_type,
        dims: dims.to_vec(),
        values: places.iter().map(|&at| mask.values[at]).collect(),
    })
}
