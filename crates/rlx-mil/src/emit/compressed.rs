//! Weights that stay packed: quantized blocks, palettes, and numbers that are mostly zero. Operations unpack them from parts that are
//! computed while they are written. Values that an opset, or programs in general, cannot express are unpacked before they are written: see
//! [`PackedValue::form`].

use super::channels::Channels;
use super::constants::of_floats;
use super::masked::{BitWriter, Mask};
use super::stored::{StoredFloats, place};
use super::value::Elem;
use super::writer::Opset;
use crate::blob::{BlobSource, BlobType};
use half::f16;
use rlx_files::blocks::{NoBlocks, blocks_of};
use rlx_ir::QuantScheme;
use rlx_quant::{LevelForm, Leveled, Levels};
use std::io;

/// Number of blocks that are split into parts at a time.
const PIECE: usize = 1 << 10;

/// The value of a parameter.
#[derive(Clone, Debug)]
pub enum ParamValue<'p> {
    /// Elements in the declared type of the graph.
    Plain(&'p [u8]),
    /// Packed numbers. The graph declares f32, the type that they unpack to.
    Packed(PackedValue<'p>),
    /// Packed numbers that are stored unpacked in the program.
    Unpacked(PackedValue<'p>),
}

impl ParamValue<'_> {
    /// Identifies the memory of the value and how it is stored. Values with the same identity are the same.
    pub(super) fn identity(&self) -> String {
        match self {
            ParamValue::Plain(bytes) => place(bytes),
            ParamValue::Packed(value) | ParamValue::Unpacked(value) => value.identity(),
        }
    }
}

impl<'p> From<&'p [u8]> for ParamValue<'p> {
    fn from(bytes: &'p [u8]) -> Self {
        ParamValue::Plain(bytes)
    }
}

/// Numbers that are packed, or that will be packed.
#[derive(Clone, Debug)]
pub enum PackedValue<'p> {
    /// Blocks of this format.
    Blocks(QuantScheme, &'p [u8]),
    /// Numbers that are quantized to blocks of this format.
    Quantized(QuantScheme, StoredFloats<'p>),
    /// Numbers that are replaced by the nearest ones of a palette.
    Palette {
        /// 2, 4, 8, 16, 64 or 256 numbers in ascending order; 8 only from iOS 18 on.
        palette: Vec<f32>,
        /// The numbers.
        numbers: StoredFloats<'p>,
    },
    /// Numbers that are quantized to 8-bit integers, with a scale for each index along the first axis.
    Channels {
        /// The size of that axis.
        count: usize,
        /// The numbers.
        numbers: StoredFloats<'p>,
    },
    /// Numbers that include many zeros: only the others are stored.
    Sparse {
        /// Selects the numbers that are stored.
        mask: Mask<'p>,
        /// The packed form of the stored numbers, which may not be existing blocks; without one, they are stored as they are.
        packed: Option<Box<PackedValue<'p>>>,
    },
}

/// How packed numbers are represented in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PackedForm {
    /// Levels of blocks, with scales.
    Scaled(LevelForm),
    /// Indices into a palette, with this number of bits.
    Palette(u32),
    /// 8-bit integers with scales along the first axis.
    Channels,
    /// A mask and the nonzero numbers, which may be packed.
    Sparse(Option<Box<PackedForm>>),
}

impl PackedForm {
    /// Returns the suffixes of the names of intermediate values between the unpacking operations. The last one is needed first.
    pub(super) fn between(&self) -> Vec<&'static str> {
        let has_table = |form: &PackedForm| match form {
            PackedForm::Scaled(form) => Held::new(*form, Elem::F16).table.is_some(),
            _ => false,
        };
        match self {
            PackedForm::Sparse(Some(form)) if has_table(form) => {
                vec!["nonzeros", "mask", "levels", "levels_mask"]
            }
            PackedForm::Sparse(Some(_)) => vec!["nonzeros", "mask"],
            form if has_table(form) => vec!["levels"],
            _ => Vec::new(),
        }
    }
}

/// Returns the type of indices with this many bits.
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

pub(super) fn blob_type(elem: Elem) -> BlobType {
    if elem == Elem::F16 { BlobType::F16 } else { BlobType::F32 }
}

/// How levels are stored: as integers, or as indices into a table of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Held {
    ty: BlobType,
    /// The stored code of each level, from −128 on.
    codes: Vec<u8>,
    /// The table, with levels divided by `unit`.
    pub(super) table: Option<Vec<f32>>,
    /// The divisor of levels in the table. Scales are multiplied by it, so that they are not smaller than what they scale.
    unit: f32,
}

impl Held {
    pub(super) fn new(form: LevelForm, elem: Elem) -> Held {
        let list = form.levels.list();
        let direct = match form.levels {
            // A table extends the range of scales.
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
        // In f32, scales have enough range.
        let unit = if elem == Elem::F16 { largest.next_power_of_two() as f32 } else { 1.0 };
        let entry = |i: usize| list[i.min(list.len() - 1)] as f32 / unit;
        let code = |level: i32| list.binary_search(&level).unwrap_or(0) as u8;
        Held { ty, codes: codes(&code), table: Some((0..1 << bits).map(entry).collect()), unit }
    }

    fn code(&self, level: i8) -> u8 {
        self.codes[usize::from((level as u8).wrapping_add(128))]
    }
}

/// The scale and offset of a part.
pub(super) struct PartNumbers {
    pub(super) scale: f32,
    pub(super) offset: f32,
    /// Whether all numbers of the part are equal, so that its levels do not matter.
    is_constant: bool,
}

impl PartNumbers {
    /// Returns `level · scale + min` in the form `scale · (level − offset)`, in numbers of this type.
    fn of(part: Leveled, form: &LevelForm, unit: f32, elem: Elem) -> PartNumbers {
        let scale = part.scale * unit;
        if !form.has_min || part.min == 0.0 {
            return PartNumbers { scale, offset: 0.0, is_constant: false };
        }
        let offset = -part.min / part.scale;
        // With larger offsets, all levels round to the same number in this type.
        let most = if elem == Elem::F16 { 32768.0 } else { 16_777_216.0 };
        if offset.abs() <= most {
            PartNumbers { scale, offset: offset / unit, is_constant: false }
        } else {
            PartNumbers { scale: -part.min, offset: 1.0, is_constant: true }
        }
    }
}

impl<'p> PackedValue<'p> {
    /// Returns the number of elements.
    fn len(&self) -> usize {
        match self {
            PackedValue::Blocks(scheme, bytes) => bytes.len() / scheme.block_bytes() * scheme.block_len(),
            PackedValue::Quantized(_, numbers)
            | PackedValue::Palette { numbers, .. }
            | PackedValue::Channels { numbers, .. } => numbers.len(),
            PackedValue::Sparse { mask, .. } => mask.len(),
        }
    }

    /// Fails unless the number of elements is `count`.
    pub(super) fn check(&self, count: usize, name: &str) -> Result<(), String> {
        match self.len() {
            len if len == count => Ok(()),
            len => Err(format!("the parameter `{name}` has {count} elements, its packed value {len}")),
        }
    }

    fn identity(&self) -> String {
        match self {
            PackedValue::Blocks(scheme, bytes) => format!("{scheme} at {}", place(bytes)),
            PackedValue::Quantized(scheme, numbers) => format!("{scheme} of {}", numbers.identity()),
            PackedValue::Palette { palette, numbers } => format!("{palette:?} for {}", numbers.identity()),
            PackedValue::Channels { count, numbers } => format!("{count} channels of {}", numbers.identity()),
            PackedValue::Sparse { mask, packed } => {
                let packed = packed.as_ref().map(|packed| packed.identity());
                format!("{} of the nonzeros of {}", packed.unwrap_or_default(), mask.identity())
            }
        }
    }

    /// Returns the number of bits stored per element, for values that are not existing blocks.
    pub fn bits(&self) -> u32 {
        match self {
            PackedValue::Blocks(scheme, _) | PackedValue::Quantized(scheme, _) => {
                scheme.level_form().map_or(16, |form| Held::new(form, Elem::F16).ty.bits())
            }
            PackedValue::Palette { palette, .. } => palette.len().checked_ilog2().unwrap_or_default(),
            PackedValue::Channels { .. } => 8,
            PackedValue::Sparse { packed, .. } => packed.as_ref().map_or(16, |packed| packed.bits()),
        }
    }

    /// Returns the format of its blocks.
    fn scheme(&self) -> Option<QuantScheme> {
        match self {
            PackedValue::Blocks(scheme, _) | PackedValue::Quantized(scheme, _) => Some(*scheme),
            PackedValue::Palette { .. } | PackedValue::Channels { .. } | PackedValue::Sparse { .. } => None,
        }
    }

    pub(super) fn channels(&self) -> Option<Channels<'p>> {
        match *self {
            PackedValue::Channels { count, numbers } => Some(Channels { count, numbers }),
            _ => None,
        }
    }

    /// Calls `f` with the blocks, piece by piece.
    fn blocks(&self, f: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self {
            PackedValue::Blocks(scheme, bytes) => bytes.chunks(PIECE * scheme.block_bytes()).try_for_each(f),
            PackedValue::Quantized(scheme, numbers) => {
                let mut start = 0;
                numbers.pieces(PIECE * scheme.block_len(), &mut |values| {
                    let told = |NoBlocks { value, problem }: NoBlocks| {
                        io::Error::other(match value {
                            Some(index) => format!("value {} {problem}", start + index),
                            None => format!("of the values from {start} on, {problem}"),
                        })
                    };
                    f(&blocks_of(*scheme, values, None).map_err(told)?)?;
                    start += values.len();
                    Ok(())
                })
            }
            PackedValue::Palette { .. } | PackedValue::Channels { .. } | PackedValue::Sparse { .. } => Ok(()),
        }
    }

    /// Calls `f` with the numbers that the packed value represents, piece by piece.
    pub(super) fn values(&self, f: &mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        if let PackedValue::Palette { palette, numbers } = self {
            return numbers.pieces(PIECE * 32, &mut |values| {
                f(&values.iter().map(|&x| palette[rlx_quant::nearest(palette, x)]).collect::<Vec<f32>>())
            });
        }
        if let Some(channels) = self.channels() {
            return channels.values(f);
        }
        if let PackedValue::Sparse { mask, packed } = self {
            let Some(packed) = packed else { return mask.values(f) };
            let mut start = 0;
            return packed.values(&mut |values| {
                f(&mask.spread(start, values))?;
                start += values.len();
                Ok(())
            });
        }
        let Some(scheme) = self.scheme() else { return Ok(()) };
        self.blocks(&mut |blocks| {
            let mut values = vec![0.0; blocks.len() / scheme.block_bytes() * scheme.block_len()];
            scheme.dequantize(blocks, &mut values);
            f(&values)
        })
    }

    /// Returns how programs of an opset represent it as a tensor with these sizes, or why they cannot.
    pub(super) fn form(&self, opset: Opset, elem: Elem, dims: &[usize]) -> Result<PackedForm, String> {
        if let Some(channels) = self.channels() {
            return match channels.problem() {
                Some(problem) => Err(problem),
                None if opset < Opset::Ios16 => Err("programs of iOS 15 have no weights of 8 bits".into()),
                None if dims.first() != Some(&channels.count) => {
                    Err(format!("weights of {dims:?} do not have {} channels", channels.count))
                }
                None => Ok(PackedForm::Channels),
            };
        }
        if let PackedValue::Sparse { packed, .. } = self {
            return sparse_form(packed.as_deref(), opset, elem, dims);
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
            return Err(format!("rows of {row} numbers are not whole blocks of {scheme}"));
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
            false => Err(format!("scales of {scheme} are outside the range of {}", elem.name())),
        }
    }

    /// Calls `f` with the scale and offset of each part.
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

    /// Returns the scales or offsets of all parts as the elements of a blob.
    pub(super) fn part_source(
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

    /// Calls `f` with the code of each number in this form, piece by piece.
    fn codes(
        &self,
        form: &PackedForm,
        elem: Elem,
        f: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        match (self, form) {
            (PackedValue::Palette { palette, numbers }, _) => numbers.pieces(PIECE * 32, &mut |values| {
                let nearest = |&x: &f32| rlx_quant::nearest(palette, x) as u8;
                f(&values.iter().map(nearest).collect::<Vec<u8>>())
            }),
            (PackedValue::Channels { count, numbers }, _) => {
                Channels { count: *count, numbers: *numbers }.levels(f)
            }
            (_, PackedForm::Scaled(form)) => self.levels(*form, &Held::new(*form, elem), elem, f),
            _ => Ok(()),
        }
    }

    /// Returns the type of the codes.
    fn code_type(form: &PackedForm, elem: Elem) -> BlobType {
        match form {
            PackedForm::Scaled(form) => Held::new(*form, elem).ty,
            // INVARIANT: `form` has found a type with this many bits.
            PackedForm::Palette(bits) => index_type(*bits).unwrap_or(BlobType::U8),
            PackedForm::Channels | PackedForm::Sparse(_) => BlobType::I8,
        }
    }

    /// Returns the codes of the numbers, or of those that a mask keeps, as a blob: the type, the number of elements, and the elements.
    pub(super) fn code_source(
        &self,
        form: &PackedForm,
        elem: Elem,
        mask: Option<Mask<'p>>,
    ) -> (BlobType, usize, BlobSource<'p>) {
        let (value, form, ty) = (self.clone(), form.clone(), Self::code_type(form, elem));
        let count = mask.map_or(self.len(), |mask| mask.stored());
        let bytes = ty.bytes_of(count as u64) as u64;
        let source = BlobSource::made(bytes, move |out| {
            let mut writer = BitWriter::new(out, ty);
            let mut start = 0;
            value.codes(&form, elem, &mut |codes| {
                match mask {
                    Some(mask) => writer.write(&mask.kept(start, codes))?,
                    None => writer.write(codes)?,
                }
                start += codes.len();
                Ok(())
            })?;
            writer.finish()
        });
        (ty, count, source)
    }

    /// Calls `f` with the codes of the levels of all numbers, piece by piece.
    fn levels(
        &self,
        form: LevelForm,
        held: &Held,
        elem: Elem,
        f: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(scheme) = self.scheme() else { return Ok(()) };
        let mut levels = vec![0; scheme.block_len()];
        self.blocks(&mut |blocks| {
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
            f(&codes)
        })
    }
}

/// Returns how numbers stored with a mask are represented in this form, or why they cannot be.
fn sparse_form(
    packed: Option<&PackedValue<'_>>,
    opset: Opset,
    elem: Elem,
    dims: &[usize],
) -> Result<PackedForm, String> {
    let Some(packed) = packed else {
        return match opset {
            Opset::Ios15 => Err("programs of iOS 15 have no masks".into()),
            _ => Ok(PackedForm::Sparse(None)),
        };
    };
    if matches!(packed, PackedValue::Blocks(..) | PackedValue::Sparse { .. }) {
        return Err("a mask cannot apply to values that are already packed".into());
    }
    let form = packed.form(opset, elem, dims)?;
    if opset < Opset::Ios18 {
        return Err("programs before iOS 18 cannot combine masks with packed numbers".into());
    }
    Ok(PackedForm::Sparse(Some(Box::new(form))))
}

fn rounded(x: f32, elem: Elem) -> f32 {
    if elem == Elem::F16 { f16::from_f32(x).to_f32() } else { x }
}
