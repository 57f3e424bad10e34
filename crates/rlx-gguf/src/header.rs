//! Parses the header of a file, and checks it against itself and against the length of the file.
//!
//! **READ-1**: whatever a header claims, the time and memory for reading it are bounded by the length of the file. A
//! count is only trusted after checking that the bytes it needs are present.

use crate::cursor::{Cursor, Encoding};
use crate::error::{FormatError, Problem};
use crate::tensor::TensorType;
use crate::value::MetaValue;
use crate::{
    ALIGNMENT, DEFAULT_ALIGNMENT, LEAST_ALIGNMENT, LONGEST_KEY, LONGEST_NAME, MAGIC, MOST_ALIGNMENT,
    MOST_DIMENSIONS, MOST_KEYS, MOST_TENSORS,
};
use rlx_files::display::{quoted, shape};
use std::ops::Range;

/// The position of a key and its value.
#[derive(Debug)]
pub(crate) struct KeyEntry {
    pub(crate) key: Range<usize>,
    /// Where the type of the value begins.
    pub(crate) value: usize,
}

/// One tensor.
#[derive(Debug)]
pub(crate) struct TensorEntry {
    pub(crate) name: Range<usize>,
    pub(crate) stored: TensorType,
    pub(crate) shape: Box<[usize]>,
    /// The position of its bytes in the file.
    pub(crate) bytes: Range<usize>,
}

#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) version: u32,
    pub(crate) encoding: Encoding,
    pub(crate) alignment: usize,
    /// In the order of the file.
    pub(crate) keys: Vec<KeyEntry>,
    /// In the order of the file.
    pub(crate) tensors: Vec<TensorEntry>,
}

/// The minimum number of bytes of a key and its value, besides the length of the key: a letter, a type, a byte.
const LEAST_KEY: usize = 1 + 4 + 1;
/// The minimum number of bytes of a tensor, besides the length of its name: a letter, rank, type, offset.
const LEAST_TENSOR: usize = 1 + 4 + 4 + 8;

/// Parses the header of a file.
pub(crate) fn parse(bytes: &[u8]) -> Result<Header, FormatError> {
    let mut cursor = Cursor::new(bytes, Encoding::WRITTEN);
    let version = magic_and_version(&mut cursor)?;
    let counts = cursor.count_bytes();
    let tensors = count(&mut cursor, "tensors", counts + LEAST_TENSOR, MOST_TENSORS)?;
    let keys = count(&mut cursor, "keys", counts + LEAST_KEY, MOST_KEYS)?;
    let keys = read_keys(&mut cursor, bytes, keys)?;
    let alignment = alignment(&mut cursor, bytes, &keys)?;
    let tensors = read_tensors(&mut cursor, bytes, tensors, alignment)?;
    Ok(Header { version, encoding: cursor.encoding, alignment, keys, tensors })
}

/// Determines how the rest is encoded, and returns the version.
fn magic_and_version(cursor: &mut Cursor<'_>) -> Result<u32, FormatError> {
    let start = cursor.clone();
    let magic = cursor.take(4)?;
    if magic != MAGIC {
        let known = match magic {
            b"FUGG" => "; this one begins with FUGG: its bytes are swapped",
            b"ggml" | b"lmgg" | b"fmgg" | b"tjgg" => {
                "; this is a ggml file from before GGUF: convert the model again"
            }
            [b'P', b'K', 3, 4] => "; this is a ZIP archive: convert the model",
            _ => "",
        };
        return Err(start.error(Problem::Magic(known)));
    }
    let before = cursor.clone();
    let mut version = cursor.u32()?;
    // If the version is read in the wrong byte order, it is in the upper half.
    if version & 0xffff == 0 && version != 0 {
        version = version.swap_bytes();
        cursor.encoding.big_endian = true;
    }
    cursor.encoding.narrow = version == 1;
    match version {
        1..=3 => Ok(version),
        _ => Err(before.error(Problem::Version(version))),
    }
}

fn count(
    cursor: &mut Cursor<'_>,
    things: &'static str,
    least: usize,
    limit: usize,
) -> Result<usize, FormatError> {
    let before = cursor.clone();
    let count = cursor.things(things, least)?;
    if count > limit {
        return Err(before.error(Problem::TooMany { count: count as u64, things, limit }));
    }
    Ok(count)
}

/// Reads a length and this many bytes of UTF-8. Returns the text and its position.
fn text<'a>(
    cursor: &mut Cursor<'a>,
    longest: usize,
    wrong: fn(u64) -> Problem,
) -> Result<(&'a str, Range<usize>), FormatError> {
    let before = cursor.clone();
    let len = cursor.count()?;
    if len == 0 || len > longest as u64 {
        return Err(before.error(wrong(len)));
    }
    let start = cursor.at();
    let bytes = cursor.take(len as usize)?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((text, start..cursor.at())),
        Err(_) => Err(before.error(Problem::NotText)),
    }
}

/// Adds the key or the tensor to an error.
fn about(kind: &'static str, name: &str) -> impl FnOnce(FormatError) -> FormatError {
    move |mut error| {
        error.what = format!("{kind} {}", quoted(name));
        error
    }
}

fn read_keys(cursor: &mut Cursor<'_>, bytes: &[u8], count: usize) -> Result<Vec<KeyEntry>, FormatError> {
    let mut keys = Vec::with_capacity(count);
    for _ in 0..count {
        let (key, range) = text(cursor, LONGEST_KEY, Problem::KeyLength)?;
        let value = cursor.at();
        MetaValue::read_typed(cursor).map_err(about("key", key))?;
        keys.push(KeyEntry { key: range, value });
    }
    unique("key", bytes, keys.iter().map(|entry| entry.key.clone()))?;
    Ok(keys)
}

/// Fails if a name occurs twice.
fn unique(
    kind: &'static str,
    bytes: &[u8],
    names: impl Iterator<Item = Range<usize>>,
) -> Result<(), FormatError> {
    let mut names: Vec<Range<usize>> = names.collect();
    names.sort_unstable_by(|a, b| bytes[a.clone()].cmp(&bytes[b.clone()]).then(a.start.cmp(&b.start)));
    let twice = names.windows(2).find(|pair| bytes[pair[0].clone()] == bytes[pair[1].clone()]);
    twice.map_or(Ok(()), |pair| {
        let error = FormatError { what: String::new(), at: pair[1].start, problem: Problem::Twice };
        Err(about(kind, &String::from_utf8_lossy(&bytes[pair[1].clone()]))(error))
    })
}

/// Returns the alignment that the keys state.
fn alignment(cursor: &mut Cursor<'_>, bytes: &[u8], keys: &[KeyEntry]) -> Result<usize, FormatError> {
    let Some(entry) = keys.iter().find(|entry| &bytes[entry.key.clone()] == ALIGNMENT.as_bytes()) else {
        return Ok(DEFAULT_ALIGNMENT);
    };
    let mut at = Cursor::new(bytes, cursor.encoding);
    at.take(entry.value)?;
    let value = MetaValue::read_typed(&mut at)?;
    let wrong = |shown: String| {
        let error = FormatError { what: String::new(), at: entry.value, problem: Problem::Alignment(shown) };
        about("key", ALIGNMENT)(error)
    };
    match value {
        MetaValue::U32(number) => match usize::try_from(number) {
            Ok(number)
                if number.is_power_of_two() && (LEAST_ALIGNMENT..=MOST_ALIGNMENT).contains(&number) =>
            {
                Ok(number)
            }
            _ => Err(wrong(number.to_string())),
        },
        other => Err(wrong(format!("type {}", other.value_type()))),
    }
}

/// What a tensor claims about itself, before its data is located.
struct Stated {
    name: Range<usize>,
    stored: TensorType,
    shape: Box<[usize]>,
    offset: u64,
    len: u64,
    at: usize,
}

fn read_tensors(
    cursor: &mut Cursor<'_>,
    bytes: &[u8],
    count: usize,
    alignment: usize,
) -> Result<Vec<TensorEntry>, FormatError> {
    let mut stated = Vec::with_capacity(count);
    for _ in 0..count {
        let (name, range) = text(cursor, LONGEST_NAME, Problem::NameLength)?;
        stated.push(read_tensor(cursor, name, range).map_err(about("tensor", name))?);
    }
    unique("tensor", bytes, stated.iter().map(|tensor| tensor.name.clone()))?;
    let start = cursor.at().next_multiple_of(alignment);
    let present = bytes.len().saturating_sub(start) as u64;
    let mut end = 0;
    stated
        .into_iter()
        .map(|tensor| {
            let name = String::from_utf8_lossy(&bytes[tensor.name.clone()]).into_owned();
            placed(tensor, start, present, alignment, &mut end).map_err(about("tensor", &name))
        })
        .collect()
}

fn read_tensor(cursor: &mut Cursor<'_>, name: &str, range: Range<usize>) -> Result<Stated, FormatError> {
    let before = cursor.clone();
    if let Some(why) = refused(name) {
        return Err(before.error(Problem::Name(why)));
    }
    let rank = cursor.u32()?;
    if rank as usize > MOST_DIMENSIONS {
        return Err(before.error(Problem::Rank(rank)));
    }
    let mut dims = Vec::with_capacity(rank as usize);
    for _ in 0..rank {
        dims.push(cursor.count()?);
    }
    let before = cursor.clone();
    let stored = TensorType::from_id(cursor.u32()?).map_err(|problem| before.error(problem))?;
    let offset_at = cursor.clone();
    let offset = cursor.u64()?;
    let len = bytes_of(stored, &dims).map_err(|problem| before.error(problem))?;
    let shape = dims.iter().rev().map(|&d| d as usize).collect();
    Ok(Stated { name: range, stored, shape, offset, len, at: offset_at.at() })
}

/// Returns why a name is refused, if it is: names become parts of paths, and strings in C.
pub(crate) fn refused(name: &str) -> Option<&'static str> {
    if name.contains('\0') {
        return Some("a name contains a NUL");
    }
    let is_path = name.starts_with('/') || name.split(['/', '\\']).any(|part| part == "..");
    is_path.then_some("a name is a path")
}

/// Returns the bytes of a tensor: those of a row, which must be whole blocks, times the number of rows.
pub(crate) fn bytes_of(stored: TensorType, dims: &[u64]) -> Result<u64, Problem> {
    let (len, bytes) = stored.block();
    let row = dims.first().copied().unwrap_or(1);
    if row % len as u64 != 0 {
        return Err(Problem::Row { row, scheme: stored.name(), block: len });
    }
    // Dimensions of 0 are left out, so that the product of the others must not overflow for any reader.
    let most = i64::MAX as u64;
    let product = dims.iter().filter(|&&d| d != 0).try_fold(1u64, |all, &d| all.checked_mul(d));
    let total =
        product.filter(|&p| p <= most).and_then(|p| (p / len as u64).max(1).checked_mul(bytes as u64));
    match total.filter(|&t| t <= most && usize::try_from(t).is_ok()) {
        Some(_) if dims.contains(&0) => Ok(0),
        Some(total) => Ok(total),
        None => Err(Problem::Size(shape(dims))),
    }
}

/// Returns a tensor with its position in the file; `end` is where the previous tensor's data ends.
fn placed(
    tensor: Stated,
    start: usize,
    present: u64,
    alignment: usize,
    end: &mut u64,
) -> Result<TensorEntry, FormatError> {
    let Stated { name, stored, shape, offset, len, at } = tensor;
    let wrong = |problem| FormatError { what: String::new(), at, problem };
    if offset % alignment as u64 != 0 {
        return Err(wrong(Problem::Unaligned { offset, alignment }));
    }
    if offset < *end {
        return Err(wrong(Problem::Overlap { offset, end: *end }));
    }
    let last = u128::from(offset) + u128::from(len);
    // An empty tensor needs no bytes.
    if last > u128::from(present) && len > 0 {
        return Err(wrong(Problem::Data { offset, end: last, present }));
    }
    if len == 0 {
        return Ok(TensorEntry { name, stored, shape, bytes: 0..0 });
    }
    *end = last as u64;
    let begin = start + offset as usize;
    Ok(TensorEntry { name, stored, shape, bytes: begin..begin + len as usize })
}
