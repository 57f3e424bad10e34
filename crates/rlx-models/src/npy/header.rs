//! The header of an `.npy` file: magic, version, length, and a Python dictionary of three keys.

use std::io::{self, Read};

use rlx_ir::DType;
use thiserror::Error;

use crate::display::quoted;

/// The bytes at the beginning of a file.
pub const MAGIC: &[u8] = b"\x93NUMPY";
/// The maximum length of a header that is read, in bytes. NumPy writes a few hundred.
const MAX_HEADER: usize = 1 << 16;
/// The maximum number of dimensions, as in NumPy.
pub(super) const MAX_RANK: usize = 64;
/// The data begins at a multiple of this number of bytes.
const ALIGN: usize = 64;

/// What is wrong with the header of an `.npy` file.
#[derive(Debug, Error)]
pub enum NpyHeaderError {
    /// The first bytes differ from those of the format.
    #[error("it does not begin with the bytes \\x93NUMPY")]
    Magic,
    /// A version of the format that does not exist.
    #[error("format version {major}.{minor} is not supported; supported versions are 1.0, 2.0 and 3.0")]
    Version {
        /// First part of the version.
        major: u8,
        /// Second part of the version.
        minor: u8,
    },
    /// The file ends within its header.
    #[error("it ends within its header")]
    Truncated,
    /// The header is longer than any real one.
    #[error("its header claims {claimed} bytes, but at most {MAX_HEADER} are supported")]
    TooLong {
        /// The length that the file states.
        claimed: u64,
    },
    /// The header is not the dictionary that the format requires.
    #[error("its header is not the dictionary of the format: {problem} at byte {at} of {text}")]
    Syntax {
        /// What was expected.
        problem: &'static str,
        /// The position in bytes from the start of the dictionary.
        at: usize,
        /// The dictionary, quoted.
        text: String,
    },
    /// The elements are not plain numbers or booleans.
    #[error("element type {descr}: only b1, i1 to i8, u1 to u8, f2, f4, f8, c8 and c16 are supported{hint}")]
    ElementType {
        /// The type as the file states it, quoted.
        descr: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// The array has more dimensions than the format allows.
    #[error("it has {rank} dimensions, but the format allows at most {MAX_RANK}")]
    Rank {
        /// Number of dimensions.
        rank: usize,
    },
    /// The array has more bytes than this machine can address.
    #[error("its shape has more bytes than this machine can address")]
    SizeOverflow,
}

/// How the elements are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descr {
    pub(super) dtype: DType,
    pub(super) big_endian: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) descr: Descr,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
}

/// Reading the header or the stream failed.
pub(super) enum ReadError {
    Io(io::Error),
    Header(NpyHeaderError),
}

impl From<NpyHeaderError> for ReadError {
    fn from(e: NpyHeaderError) -> Self {
        ReadError::Header(e)
    }
}

/// NumPy's codes for the element types of the IR.
const LETTERS: [(&str, DType); 14] = [
    ("f8", DType::F64),
    ("f4", DType::F32),
    ("f2", DType::F16),
    ("i1", DType::I8),
    ("i2", DType::I16),
    ("i4", DType::I32),
    ("i8", DType::I64),
    ("u1", DType::U8),
    ("u2", DType::U16),
    ("u4", DType::U32),
    ("u8", DType::U64),
    ("b1", DType::Bool),
    ("c8", DType::C64),
    ("c16", DType::C128),
];

/// Reads the header from a stream of `len` bytes, and returns it with the number of bytes that it takes.
pub(super) fn read(input: &mut impl Read, len: u64) -> Result<(Header, u64), ReadError> {
    let mut prefix = [0; 8];
    fill(input, &mut prefix)?;
    let [magic @ .., major, minor] = &prefix;
    if magic != MAGIC {
        return Err(NpyHeaderError::Magic.into());
    }
    let (claimed, taken) = match (major, minor) {
        (1, 0) => {
            let mut n = [0; 2];
            fill(input, &mut n)?;
            (u64::from(u16::from_le_bytes(n)), 10)
        }
        (2 | 3, 0) => {
            let mut n = [0; 4];
            fill(input, &mut n)?;
            (u64::from(u32::from_le_bytes(n)), 12)
        }
        _ => return Err(NpyHeaderError::Version { major: *major, minor: *minor }.into()),
    };
    if claimed > MAX_HEADER as u64 {
        return Err(NpyHeaderError::TooLong { claimed }.into());
    }
    if taken + claimed > len {
        return Err(NpyHeaderError::Truncated.into());
    }
    let mut text = vec![0; claimed as usize];
    fill(input, &mut text)?;
    Ok((Parser::new(&text).header()?, taken + claimed))
}

fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Result<(), ReadError> {
    input.read_exact(buffer).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => NpyHeaderError::Truncated.into(),
        _ => ReadError::Io(e),
    })
}

/// Returns NumPy's name of `dtype` in a little-endian file, or `None` if NumPy does not have the type.
pub(super) fn descr_of(dtype: DType) -> Option<String> {
    let (letters, _) = LETTERS.iter().find(|(_, d)| *d == dtype)?;
    let order = if dtype.size() == 1 { '|' } else { '<' };
    Some(format!("{order}{letters}"))
}

/// Returns the bytes before the data, in version 1. Its 16-bit length is enough for [`MAX_RANK`] dimensions.
pub(super) fn encode(descr: &str, shape: &[usize]) -> Vec<u8> {
    let comma = if shape.len() == 1 { "," } else { "" };
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    let dims = dims.join(", ");
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}{comma}), }}");
    let total = (10 + dict.len() + 1).next_multiple_of(ALIGN);
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend(((total - 10) as u16).to_le_bytes());
    out.extend(dict.as_bytes());
    out.resize(total - 1, b' ');
    out.push(b'\n');
    out
}

/// Parses exactly the Python literals that the format uses.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

type Parsed<T> = Result<T, NpyHeaderError>;

impl<'a> Parser<'a> {
    fn new(text: &'a [u8]) -> Self {
        Parser { text, at: 0 }
    }

    fn header(mut self) -> Parsed<Header> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.expect(b'{', "expected a `{`")?;
        while !self.take(b'}') {
            let key = self.string()?;
            self.expect(b':', "expected a `:`")?;
            let again = match key {
                b"descr" => descr.replace(self.descr()?).is_some(),
                b"fortran_order" => fortran_order.replace(self.boolean()?).is_some(),
                b"shape" => shape.replace(self.shape()?).is_some(),
                _ => return Err(self.error("unknown key; expected descr, fortran_order or shape")),
            };
            if again {
                return Err(self.error("duplicate key"));
            }
            if !self.take(b',') {
                self.expect(b'}', "expected a `,` or `}`")?;
                break;
            }
        }
        self.skip_space();
        if self.at < self.text.len() {
            return Err(self.error("expected the end"));
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) => Ok(Header { descr, fortran_order, shape }),
            _ => Err(self.error("descr, fortran_order and shape are all required")),
        }
    }

    fn error(&self, problem: &'static str) -> NpyHeaderError {
        NpyHeaderError::Syntax { problem, at: self.at, text: quoted(&String::from_utf8_lossy(self.text)) }
    }

    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Consumes `byte` if it comes next, after any white space.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(next);
        next
    }

    fn expect(&mut self, byte: u8, problem: &'static str) -> Parsed<()> {
        if self.take(byte) { Ok(()) } else { Err(self.error(problem)) }
    }

    fn string(&mut self) -> Parsed<&'a [u8]> {
        let quote = if self.take(b'\'') {
            b'\''
        } else if self.take(b'"') {
            b'"'
        } else {
            return Err(self.error("expected a string"));
        };
        let rest = &self.text[self.at..];
        let Some(len) = rest.iter().position(|b| *b == quote) else {
            return Err(self.error("a string is not closed"));
        };
        self.at += len + 1;
        Ok(&rest[..len])
    }

    fn boolean(&mut self) -> Parsed<bool> {
        self.skip_space();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("expected True or False"))
    }

    fn shape(&mut self) -> Parsed<Vec<usize>> {
        self.expect(b'(', "expected a `(`")?;
        let mut dims = Vec::new();
        while !self.take(b')') {
            dims.push(self.dim()?);
            if dims.len() > MAX_RANK {
                return Err(NpyHeaderError::Rank { rank: dims.len() });
            }
            if !self.take(b',') {
                self.expect(b')', "expected a `,` or `)`")?;
                // `(3)` is a number in Python, not a tuple.
                if dims.len() == 1 {
                    return Err(self.error("a shape of one dimension must be written as (n,)"));
                }
                break;
            }
        }
        Ok(dims)
    }

    fn dim(&mut self) -> Parsed<usize> {
        self.skip_space();
        let start = self.at;
        let mut value = 0usize;
        while let Some(digit @ b'0'..=b'9') = self.text.get(self.at) {
            value = value
                .checked_mul(10)
                .and_then(|v| v.checked_add(usize::from(digit - b'0')))
                .ok_or(NpyHeaderError::SizeOverflow)?;
            self.at += 1;
        }
        if self.at == start {
            return Err(self.error("expected a dimension"));
        }
        // Python 2 marks long integers with an `L`.
        self.at += usize::from(self.text.get(self.at) == Some(&b'L'));
        Ok(value)
    }

    fn descr(&mut self) -> Parsed<Descr> {
        self.skip_space();
        if matches!(self.text.get(self.at), Some(b'[' | b'(')) {
            return Err(element_type("a structure", "; save each field as a separate array"));
        }
        let text = self.string()?;
        let text = String::from_utf8_lossy(text);
        let (order, letters) = match text.split_at_checked(1) {
            Some((order @ ("<" | ">" | "|" | "="), letters)) => (order, letters),
            _ => ("|", text.as_ref()),
        };
        let found = LETTERS.iter().find(|(l, _)| *l == letters || (letters == "?" && *l == "b1"));
        let Some((_, dtype)) = found else {
            let hint = match letters {
                "V1" | "V2" | "f1" => {
                    "; 8-bit floats and bfloat16 have no .npy form: use .safetensors, or convert to f32"
                }
                "f16" | "f12" | "c32" | "c24" => "; convert it to f64 or c16 (`x.astype(\"f8\")`)",
                text if text.starts_with(['U', 'S', 'a']) => "; this is text, but arrays hold numbers",
                text if text.starts_with(['M', 'm']) => "; save dates and times as i8 (`x.astype(\"i8\")`)",
                text if text.starts_with('V') => "; save each field as a separate array",
                "O" => "; object arrays contain Python code, which is never run",
                _ => "",
            };
            return Err(element_type(&text, hint));
        };
        // An element of several bytes without a byte order could be read either way.
        if dtype.size() > 1 && !matches!(order, "<" | ">") {
            return Err(element_type(&text, "; the byte order must be stated"));
        }
        Ok(Descr { dtype: *dtype, big_endian: order == ">" })
    }
}

fn element_type(descr: &str, hint: &'static str) -> NpyHeaderError {
    NpyHeaderError::ElementType { descr: quoted(descr), hint }
}
