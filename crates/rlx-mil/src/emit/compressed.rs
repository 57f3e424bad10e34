//! Weights that stay packed: blocks of quantised numbers and palettes become operations that unpack them (`constexpr_…`), whose parts are
//! made of the blocks as they are written. What an opset, or programs, cannot say is unpacked by us: see [`PackedValue::form`].

use super::channels::Channels;
use super::constants::of_floats;
use super::value::Elem;
use super::writer::Opset;
use crate::blob::{BlobError, BlobSource, BlobType, Blobs};
use crate::message::{self, Argument, Binding, BindingKind, DataType};
use crate::types;
use half::f16;
use rlx_ir::{DType, QuantScheme, Scalar};
use rlx_quant::{LevelForm, Leveled, Levels};
use std::collections::BTreeMap;
use std::io;

/// Blocks that are taken apart at once.
const PIECE: usize = 1 << 10;

/// The value of a parameter.
#[derive(Clone, Debug)]
pub enum ParamValue<'p> {
    /// Elements in the type that the graph declares.
    Plain(&'p [u8]),
    /// Numbers that are packed. The graph declares f32, which they unpack to.
    Packed(PackedValue<'p>),
    /// The same, and the program is to have them unpacked.
    Unpacked(PackedValue<'p>),
}

impl ParamValue<'_> {
    /// Where it lies, and what becomes of it: values that have this in common are the same.
    pub(super) fn identity(&self) -> String {
        match self {
            ParamValue::Plain(bytes) => place(bytes),
            ParamValue::Packed(value) | ParamValue::Unpacked(value) => value.identity(),
        }
    }
}

/// Where bytes lie.
fn place(bytes: &[u8]) -> String {
    format!("{:p}+{}", bytes.as_ptr(), bytes.len())
}

impl<'p> From<&'p [u8]> for ParamValue<'p> {
    fn from(bytes: &'p [u8]) -> Self {
        ParamValue::Plain(bytes)
    }
}

/// Numbers that are packed, or that are to be.
#[derive(Clone, Debug)]
pub enum PackedValue<'p> {
    /// Blocks of this format.
    Blocks(QuantScheme, &'p [u8]),
    /// Numbers that become blocks of this format.
    Quantized(QuantScheme, StoredFloats<'p>),
    /// Numbers that become the nearest ones of a palette.
    Palette {
        /// 2, 4, 8, 16, 64 or 256 numbers, the smallest first; from iOS 18 on also 8.
        palette: Vec<f32>,
        /// The numbers.
        numbers: StoredFloats<'p>,
    },
    /// Numbers that become integers of 8 bits, with a scale for each place along the first axis.
    Channels {
        /// The size of that axis.
        count: usize,
        /// The numbers.
        numbers: StoredFloats<'p>,
    },
}

/// Floats where they lie.
#[derive(Clone, Copy, Debug)]
pub struct StoredFloats<'p> {
    /// Their type.
    pub dtype: DType,
    /// Their bytes.
    pub bytes: &'p [u8],
}

impl StoredFloats<'_> {
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// These of the numbers.
    fn part(&self, start: usize, len: usize) -> Vec<f32> {
        let size = self.dtype.size();
        let bytes = &self.bytes[start * size..(start + len).min(self.len()) * size];
        let number = |element: &[u8]| match Scalar::read(self.dtype, element) {
            Scalar::Float(x) => x as f32,
            _ => 0.0,
        };
        bytes.chunks_exact(size).map(number).collect()
    }

    /// So many of the numbers, or a few more, evenly taken; all where there are fewer.
    pub fn sample(&self, count: usize) -> Vec<f32> {
        let step = (self.len() / count.max(1)).max(1);
        (0..self.len()).step_by(step).flat_map(|at| self.part(at, 1)).collect()
    }

    /// All of the numbers, some at a time.
    pub(super) fn pieces(&self, size: usize, f: &mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        (0..self.len()).step_by(size.max(1)).try_for_each(|start| f(&self.part(start, size)))
    }
}

/// What stands for packed numbers in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PackedForm {
    /// Levels of blocks with scales.
    Scaled(LevelForm),
    /// Places in a palette, of so many bits.
    Palette(u32),
    /// Integers of 8 bits with scales along the first axis.
    Channels,
}

/// The type of indices of so many bits.
fn index_type(bits: u32) -> Option<BlobType> {
    Some(match bits {
        1 => BlobType::U1,
        2 => BlobType::U2,
        3 => BlobType::U3,
        4 => BlobType::U4,
        6 => BlobType::U6,
        8 => BlobType::U8,
        _ => return None,
    })
}

/// The type of a program for one of a file.
fn data_type(of: BlobType) -> DataType {
    match of {
        BlobType::F16 => DataType::Float16,
        BlobType::I4 => DataType::Int4,
        BlobType::I8 => DataType::Int8,
        BlobType::U1 => DataType::Uint1,
        BlobType::U2 => DataType::Uint2,
        BlobType::U3 => DataType::Uint3,
        BlobType::U4 => DataType::Uint4,
        BlobType::U6 => DataType::Uint6,
        BlobType::U8 => DataType::Uint8,
        _ => DataType::Float32,
    }
}

fn blob_type(elem: Elem) -> BlobType {
    if elem == Elem::F16 { BlobType::F16 } else { BlobType::F32 }
}

/// How levels are held: as integers, or as places in a table of them.
#[derive(Clone, PartialEq, Debug)]
struct Held {
    ty: BlobType,
    /// For each level, from −128 on, what stands for it.
    codes: Vec<u8>,
    /// The table, and what its numbers are multiples of.
    table: Option<Vec<f32>>,
    /// Levels are divided by this in the table, so that scales, which are multiplied by it, are no smaller than what they scale.
    unit: f32,
}

impl Held {
    fn new(form: LevelForm, elem: Elem) -> Held {
        let list = form.levels.list();
        let direct = match form.levels {
            // A table makes room for scales.
            _ if form.is_wide => None,
            Levels::Range(-8, 7) => Some((BlobType::I4, 15)),
            Levels::Range(0, 15) => Some((BlobType::U4, 15)),
            Levels::Range(-128, 127) => Some((BlobType::I8, 255)),
            _ => None,
        };
        let codes = |code: &dyn Fn(i32) -> u8| (-128..=127).map(code).collect();
        if let Some((ty, mask)) = direct {
            return Held { ty, codes: codes(&|level| level as u8 & mask), table: None, unit: 1.0 };
        }
        let (ty, bits) = match list.len() {
            ..=2 => (BlobType::U1, 1),
            3..=4 => (BlobType::U2, 2),
            5..=8 => (BlobType::U3, 3),
            9..=16 => (BlobType::U4, 4),
            17..=64 => (BlobType::U6, 6),
            _ => (BlobType::U8, 8),
        };
        let largest = list.iter().map(|level| level.unsigned_abs()).max().unwrap_or(1);
        // In f32 scales have room enough.
        let unit = if elem == Elem::F16 { largest.next_power_of_two() as f32 } else { 1.0 };
        let entry = |i: usize| list[i.min(list.len() - 1)] as f32 / unit;
        let code = |level: i32| list.binary_search(&level).unwrap_or(0) as u8;
        Held { ty, codes: codes(&code), table: Some((0..1 << bits).map(entry).collect()), unit }
    }

    fn code(&self, level: i8) -> u8 {
        self.codes[usize::from((level as u8).wrapping_add(128))]
    }
}

/// The numbers of a part.
struct PartNumbers {
    scale: f32,
    offset: f32,
    /// Whether the part is one number, and its levels are not looked at.
    is_constant: bool,
}

impl PartNumbers {
    /// `level · scale + min` as `scale · (level − offset)`, in numbers of this type.
    fn of(part: Leveled, form: &LevelForm, unit: f32, elem: Elem) -> PartNumbers {
        let scale = part.scale * unit;
        if !form.has_min || part.min == 0.0 {
            return PartNumbers { scale, offset: 0.0, is_constant: false };
        }
        let offset = -part.min / part.scale;
        // Beyond this all levels are the same number to the type.
        let most = if elem == Elem::F16 { 32768.0 } else { 16_777_216.0 };
        if offset.abs() <= most {
            PartNumbers { scale, offset: offset / unit, is_constant: false }
        } else {
            PartNumbers { scale: -part.min, offset: 1.0, is_constant: true }
        }
    }
}

impl<'p> PackedValue<'p> {
    /// How many numbers there are.
    fn len(&self) -> usize {
        match self {
            PackedValue::Blocks(scheme, bytes) => bytes.len() / scheme.block_bytes() * scheme.block_len(),
            PackedValue::Quantized(_, numbers)
            | PackedValue::Palette { numbers, .. }
            | PackedValue::Channels { numbers, .. } => numbers.len(),
        }
    }

    /// Fails where there are more numbers, or fewer.
    pub(super) fn check(&self, count: usize, name: &str) -> Result<(), String> {
        match self.len() {
            len if len == count => Ok(()),
            len => Err(format!("the parameter `{name}` has {count} elements, and its packed value {len}")),
        }
    }

    fn identity(&self) -> String {
        match self {
            PackedValue::Blocks(scheme, bytes) => format!("{scheme} at {}", place(bytes)),
            PackedValue::Quantized(scheme, numbers) => {
                format!("{scheme} of {} at {}", numbers.dtype, place(numbers.bytes))
            }
            PackedValue::Palette { palette, numbers } => {
                format!("{palette:?} for {} at {}", numbers.dtype, place(numbers.bytes))
            }
            PackedValue::Channels { count, numbers } => {
                format!("{count} channels of {} at {}", numbers.dtype, place(numbers.bytes))
            }
        }
    }

    /// The format of its blocks.
    fn scheme(&self) -> Option<QuantScheme> {
        match self {
            PackedValue::Blocks(scheme, _) | PackedValue::Quantized(scheme, _) => Some(*scheme),
            PackedValue::Palette { .. } | PackedValue::Channels { .. } => None,
        }
    }

    fn channels(&self) -> Option<Channels<'p>> {
        match *self {
            PackedValue::Channels { count, numbers } => Some(Channels { count, numbers }),
            _ => None,
        }
    }

    /// The blocks, some at a time.
    fn blocks(&self, f: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self {
            PackedValue::Blocks(scheme, bytes) => bytes.chunks(PIECE * scheme.block_bytes()).try_for_each(f),
            PackedValue::Quantized(scheme, numbers) => {
                let mut start = 0;
                numbers.pieces(PIECE * scheme.block_len(), &mut |values| {
                    let told = |e| io::Error::other(format!("of the values from {start} on, {e}"));
                    f(&scheme.quantize(values, None).map_err(told)?)?;
                    start += values.len();
                    Ok(())
                })
            }
            PackedValue::Palette { .. } | PackedValue::Channels { .. } => Ok(()),
        }
    }

    /// The numbers that are packed, some at a time.
    pub(super) fn values(&self, f: &mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        if let PackedValue::Palette { palette, numbers } = self {
            return numbers.pieces(PIECE * 32, &mut |values| {
                f(&values.iter().map(|&x| palette[rlx_quant::nearest(palette, x)]).collect::<Vec<f32>>())
            });
        }
        if let Some(channels) = self.channels() {
            return channels.values(f);
        }
        let Some(scheme) = self.scheme() else { return Ok(()) };
        self.blocks(&mut |blocks| {
            let mut values = vec![0.0; blocks.len() / scheme.block_bytes() * scheme.block_len()];
            scheme.dequantize(blocks, &mut values);
            f(&values)
        })
    }

    /// The form that it has in programs of an opset as a tensor of these sizes, or why none.
    pub(super) fn form(&self, opset: Opset, elem: Elem, dims: &[usize]) -> Result<PackedForm, String> {
        if let Some(channels) = self.channels() {
            return match channels.problem() {
                Some(problem) => Err(problem),
                None if opset < Opset::Ios16 => Err("programs of iOS 15 have no weights of 8 bits".into()),
                None if dims.first() != Some(&channels.count) => {
                    Err(format!("weights of {dims:?} have not {} channels", channels.count))
                }
                None => Ok(PackedForm::Channels),
            };
        }
        let Some(scheme) = self.scheme() else {
            let PackedValue::Palette { palette, .. } = self else { return Err("no palette".into()) };
            let bits = palette.len().checked_ilog2().filter(|_| palette.len().is_power_of_two());
            let bits = bits.filter(|&bits| index_type(bits).is_some());
            let bits = bits.ok_or_else(|| format!("a palette of {} numbers has no form", palette.len()))?;
            return match opset {
                Opset::Ios15 => Err("programs of iOS 15 have no palettes".into()),
                Opset::Ios16 | Opset::Ios17 if bits == 3 => {
                    Err("programs before iOS 18 have no palettes of 8 numbers".into())
                }
                _ => Ok(PackedForm::Palette(bits)),
            };
        };
        let form = scheme.level_form();
        let form = form.ok_or_else(|| format!("the points of {scheme} have no form in programs"))?;
        if opset < Opset::Ios18 {
            return Err(format!("programs before iOS 18 have no blocks such as those of {scheme}"));
        }
        let row = dims.last().copied().unwrap_or(0);
        if !row.is_multiple_of(scheme.block_len()) || row == 0 {
            return Err(format!("rows of {row} numbers are no whole blocks of {scheme}"));
        }
        let held = Held::new(form, elem);
        let mut fits = true;
        let scanned = self.parts(form, held.unit, elem, &mut |part| {
            fits &= [part.scale, part.offset].iter().all(|&x| rounded(x, elem).is_finite());
            Ok(())
        });
        scanned.map_err(|e| e.to_string())?;
        match fits {
            true => Ok(PackedForm::Scaled(form)),
            false => Err(format!("scales of {scheme} are beyond {}", elem.name())),
        }
    }

    /// The numbers of all parts.
    fn parts(
        &self,
        form: LevelForm,
        unit: f32,
        elem: Elem,
        f: &mut dyn FnMut(PartNumbers) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(scheme) = self.scheme() else { return Ok(()) };
        self.blocks(&mut |blocks| {
            for block in blocks.chunks_exact(scheme.block_bytes()) {
                for part in (0..scheme.block_len()).step_by(form.part) {
                    f(PartNumbers::of(scheme.leveled(block, part), &form, unit, elem))?;
                }
            }
            Ok(())
        })
    }

    /// Scales, or offsets, of all parts as elements of a file.
    fn part_source(
        &self,
        form: LevelForm,
        held: &Held,
        elem: Elem,
        number: fn(&PartNumbers) -> f32,
    ) -> BlobSource<'p> {
        let (value, unit) = (self.clone(), held.unit);
        let bytes = self.len() / form.part * elem.dtype().size();
        BlobSource::made(bytes as u64, move |out| {
            let mut numbers = Vec::with_capacity(PIECE);
            value.parts(form, unit, elem, &mut |part| {
                numbers.push(number(&part));
                if numbers.len() == PIECE {
                    out.write_all(&of_floats(&std::mem::take(&mut numbers), elem))?;
                }
                Ok(())
            })?;
            out.write_all(&of_floats(&numbers, elem))
        })
    }

    /// Levels of all values as elements of a file.
    fn level_source(&self, form: LevelForm, held: Held, elem: Elem) -> BlobSource<'p> {
        let value = self.clone();
        let bytes = held.ty.bytes_of(self.len() as u64) as u64;
        BlobSource::made(bytes, move |out| {
            let Some(scheme) = value.scheme() else { return Ok(()) };
            let mut levels = vec![0; scheme.block_len()];
            value.blocks(&mut |blocks| {
                let mut codes = Vec::with_capacity(blocks.len() / scheme.block_bytes() * levels.len());
                for block in blocks.chunks_exact(scheme.block_bytes()) {
                    scheme.levels_of(block, &mut levels);
                    if form.has_min {
                        for (i, part) in levels.chunks_mut(form.part).enumerate() {
                            let leveled = scheme.leveled(block, i * form.part);
                            if PartNumbers::of(leveled, &form, held.unit, elem).is_constant {
                                part.fill(0);
                            }
                        }
                    }
                    codes.extend(levels.iter().map(|&level| held.code(level)));
                }
                // Blocks are whole bytes whatever the bits of a level.
                out.write_all(&held.ty.pack(codes).unwrap_or_default())
            })
        })
    }

    /// Places in the palette of all values as elements of a file.
    fn place_source(&self, palette: &[f32], ty: BlobType) -> BlobSource<'p> {
        let (value, palette) = (self.clone(), palette.to_vec());
        let bytes = ty.bytes_of(self.len() as u64) as u64;
        BlobSource::made(bytes, move |out| {
            let PackedValue::Palette { numbers, .. } = &value else { return Ok(()) };
            numbers.pieces(PIECE * 32, &mut |values| {
                let places = values.iter().map(|&x| rlx_quant::nearest(&palette, x) as u8);
                out.write_all(&ty.pack(places).unwrap_or_default())
            })
        })
    }
}

fn rounded(x: f32, elem: Elem) -> f32 {
    if elem == Elem::F16 { f16::from_f32(x).to_f32() } else { x }
}

/// Writes the operations that unpack a value.
pub(super) struct Unpacking<'a, 'p> {
    pub(super) opset: Opset,
    pub(super) elem: Elem,
    pub(super) dims: &'a [usize],
    pub(super) weights: &'a mut Blobs<'p>,
    /// That of the value.
    pub(super) identity: String,
}

impl<'p> Unpacking<'_, 'p> {
    /// The operations whose last gives `name`; `levels` is a name that is free.
    pub(super) fn operations(
        mut self,
        value: &PackedValue<'p>,
        form: &PackedForm,
        [name, levels]: [&str; 2],
    ) -> Result<Vec<message::Operation>, BlobError> {
        match form {
            PackedForm::Scaled(form) => self.scaled(value, *form, [name, levels]),
            PackedForm::Palette(bits) => Ok(vec![self.palette(value, *bits, name)?]),
            PackedForm::Channels => match value.channels() {
                Some(channels) => Ok(vec![self.channels(channels, name)?]),
                None => Ok(Vec::new()),
            },
        }
    }

    fn scaled(
        &mut self,
        value: &PackedValue<'p>,
        form: LevelForm,
        [name, levels]: [&str; 2],
    ) -> Result<Vec<message::Operation>, BlobError> {
        let (elem, dims) = (self.elem, self.dims);
        let held = Held::new(form, elem);
        let codes = self.blob("levels", held.ty, dims, value.level_source(form, held.clone(), elem))?;
        let mut operations = Vec::new();
        let data = match &held.table {
            None => codes,
            Some(table) => {
                let lut = self.table(table)?;
                operations.push(self.operation(
                    "constexpr_lut_to_dense",
                    levels,
                    [("indices", codes), ("lut", lut)],
                ));
                BindingKind::Name(levels.into())
            }
        };
        let mut parts = dims.to_vec();
        if let Some(row) = parts.last_mut() {
            *row /= form.part;
        }
        let scale = value.part_source(form, &held, elem, |part| part.scale);
        let mut inputs =
            vec![("data", data), ("scale", self.blob("scales", blob_type(elem), &parts, scale)?)];
        if form.has_min {
            let offset = value.part_source(form, &held, elem, |part| part.offset);
            inputs.push(("offset", self.blob("offsets", blob_type(elem), &parts, offset)?));
        }
        operations.push(self.operation("constexpr_blockwise_shift_scale", name, inputs));
        Ok(operations)
    }

    /// A table for all elements.
    fn table(&mut self, table: &[f32]) -> Result<BindingKind, BlobError> {
        let dims = [vec![1; self.dims.len()], vec![table.len(), 1]].concat();
        self.blob("table", blob_type(self.elem), &dims, of_floats(table, self.elem).into())
    }

    fn palette(
        &mut self,
        value: &PackedValue<'p>,
        bits: u32,
        name: &str,
    ) -> Result<message::Operation, BlobError> {
        let PackedValue::Palette { palette, .. } = value else {
            return Ok(self.operation("const", name, []));
        };
        // INVARIANT: `form` has found a type of so many bits.
        let ty = index_type(bits).unwrap_or(BlobType::U8);
        let places = value.place_source(palette, ty);
        if self.opset >= Opset::Ios18 {
            let indices = self.blob("places", ty, self.dims, places)?;
            let lut = self.table(palette)?;
            return Ok(self.operation("constexpr_lut_to_dense", name, [("indices", indices), ("lut", lut)]));
        }
        // Places are packed into bytes there, and parameters are attributes.
        let bytes = ty.bytes_of(value.len() as u64) as usize;
        let sizes: Vec<u8> = self.dims.iter().flat_map(|&n| (n as u32).to_le_bytes()).collect();
        let attributes = [
            ("indices", self.blob("places", BlobType::U8, &[bytes], places)?),
            (
                "lut",
                self.blob(
                    "table",
                    blob_type(self.elem),
                    &[palette.len()],
                    of_floats(palette, self.elem).into(),
                )?,
            ),
            ("shape", BindingKind::Value(immediate(DataType::Uint32, &[self.dims.len()], &sizes))),
        ];
        Ok(self.older("constexpr_lut_to_dense", name, attributes))
    }

    fn channels(&mut self, channels: Channels<'p>, name: &str) -> Result<message::Operation, BlobError> {
        let data = self.blob("integers", BlobType::I8, self.dims, channels.level_source())?;
        let mut parts = vec![1; self.dims.len()];
        parts[0] = channels.count;
        let is_newer = self.opset >= Opset::Ios18;
        let sizes = if is_newer { &parts[..] } else { &parts[..1] };
        let scale = self.blob("scales", blob_type(self.elem), sizes, channels.scale_source(self.elem))?;
        if is_newer {
            let inputs = [("data", data), ("scale", scale)];
            return Ok(self.operation("constexpr_blockwise_shift_scale", name, inputs));
        }
        let scalar = |ty, bytes: &[u8]| BindingKind::Value(immediate(ty, &[], bytes));
        let attributes = [
            ("quantized_data", data),
            ("zero_point", scalar(DataType::Int8, &[0])),
            ("scale", scale),
            ("axis", scalar(DataType::Int32, &0i32.to_le_bytes())),
        ];
        Ok(self.older("constexpr_affine_dequantize", name, attributes))
    }

    /// An operation of iOS 16, whose parameters are attributes.
    fn older<const N: usize>(
        &self,
        kind: &str,
        name: &str,
        attributes: [(&'static str, BindingKind); N],
    ) -> message::Operation {
        let mut operation = self.operation(kind, name, []);
        for (place, value) in attributes {
            if let BindingKind::Value(value) = value {
                operation.attributes.insert(place.into(), value);
            }
        }
        operation
    }

    /// What a part of the parameter is made of.
    fn blob(
        &mut self,
        part: &str,
        ty: BlobType,
        dims: &[usize],
        source: BlobSource<'p>,
    ) -> Result<BindingKind, BlobError> {
        let count: usize = dims.iter().product();
        // Functions share what they are made of.
        let name = format!("{part} of {ty} of {} of {}", self.elem.name(), self.identity);
        let at = self.weights.add_named(name, ty, count as u64, || source)?;
        let ty = message::ValueType {
            r#type: Some(message::ValueTypeKind::TensorType(types::tensor_type(data_type(ty), dims))),
        };
        Ok(BindingKind::Value(types::blob_value(ty, at)))
    }

    fn operation(
        &self,
        kind: &str,
        name: &str,
        inputs: impl IntoIterator<Item = (&'static str, BindingKind)>,
    ) -> message::Operation {
        let argument = |(place, binding): (&'static str, BindingKind)| {
            (place.to_string(), Argument { arguments: vec![Binding { binding: Some(binding) }] })
        };
        message::Operation {
            r#type: kind.into(),
            inputs: inputs.into_iter().map(argument).collect(),
            outputs: vec![message::NamedValueType {
                name: name.into(),
                r#type: Some(super::lower::tensor(self.elem, self.dims)),
            }],
            blocks: Vec::new(),
            attributes: BTreeMap::from([("name".into(), types::text(name))]),
        }
    }
}

/// A value that stands in the program.
fn immediate(data_type: DataType, dims: &[usize], bytes: &[u8]) -> message::Value {
    let ty = message::ValueTypeKind::TensorType(types::tensor_type(data_type, dims));
    types::tensor_value(message::ValueType { r#type: Some(ty) }, data_type, bytes)
}
