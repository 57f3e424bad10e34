//! How parameters are stored in a package: as the graph declares them, in blocks, or quantized when they are written.

use rlx_compile::ParamValues;
use rlx_ir::{DType, Graph, QuantScheme, Shape};
use rlx_mil::emit::{Mask, PackedValue, ParamValue, StoredFloats};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

/// Minimum number of elements for which a parameter with several axes is quantized.
const LARGE: usize = 2048;

/// Why a parameter that should be compressed is not.
const BEYOND_F16: &str =
    "they contain values that do not fit in f16, so they stay in f32 although the program computes in f16";

/// Number of values from which a palette is computed.
const SAMPLE: usize = 1 << 18;

/// How parameters are stored.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct WeightOptions {
    /// Whether packed parameters are unpacked before they are written.
    pub host_dequant: bool,
    /// How float parameters with several axes and at least 2,048 elements are compressed; by default, they are not.
    pub quantize: WeightCompression,
}

/// How float parameters are compressed: `palette4`, `sparse0.5` or both, `sparse0.5+palette4`. By default, they are not.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct WeightCompression {
    /// The fraction of each parameter that becomes zero, taking the values with the smallest magnitude. It is less than 1; with 0, only
    /// values that are already zero count. If it saves space, only nonzero values are stored, with a mask.
    pub sparsity: Option<f64>,
    /// The format of the values; with a mask, only of those that are not zero.
    pub format: Option<WeightFormat>,
}

impl From<WeightFormat> for WeightCompression {
    fn from(format: WeightFormat) -> Self {
        WeightCompression { sparsity: None, format: Some(format) }
    }
}

/// The format of compressed float parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeightFormat {
    /// Blocks of this format, for rows that consist of whole blocks.
    Blocks(QuantScheme),
    /// Indices into a palette, with this many bits: 1, 2, 3, 4, 6 or 8.
    Palette(u32),
    /// 8-bit integers, with a scale for each index along the first axis.
    Int8,
}

/// A name that is not a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{0:?} is not a weight format of packages: use int8, palette1, palette2, palette3, palette4, palette6, palette8, or a block format of levels \
     with scales, such as q4_0, q8_0 or q4_k; in front of it, or alone, sparse0.5 zeroes the smaller half of the values, as in \
     sparse0.5+palette4, and sparse stands for values that are already zero"
)]
pub struct UnknownWeightFormat(String);

impl FromStr for WeightFormat {
    type Err = UnknownWeightFormat;

    fn from_str(name: &str) -> Result<Self, UnknownWeightFormat> {
        let unknown = || UnknownWeightFormat(name.into());
        if let Some(bits) = name.strip_prefix("palette") {
            let bits = bits.parse().ok().filter(|bits| [1, 2, 3, 4, 6, 8].contains(bits));
            return bits.map(WeightFormat::Palette).ok_or_else(unknown);
        }
        if name == "int8" {
            return Ok(WeightFormat::Int8);
        }
        let scheme: Option<QuantScheme> = name.parse().ok();
        let scheme = scheme.filter(|scheme| scheme.level_form().is_some());
        scheme.map(WeightFormat::Blocks).ok_or_else(unknown)
    }
}

impl FromStr for WeightCompression {
    type Err = UnknownWeightFormat;

    fn from_str(name: &str) -> Result<Self, UnknownWeightFormat> {
        let Some(rest) = name.strip_prefix("sparse") else { return Ok(name.parse::<WeightFormat>()?.into()) };
        let unknown = || UnknownWeightFormat(name.into());
        let (fraction, format) = match rest.split_once('+') {
            Some((fraction, format)) => (fraction, Some(format.parse().map_err(|_| unknown())?)),
            None => (rest, None),
        };
        let is_number = fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let sparsity = match fraction {
            "" => Some(0.0),
            _ => fraction.parse().ok().filter(|part| is_number && (0.0..1.0).contains(part)),
        };
        Ok(WeightCompression { sparsity: Some(sparsity.ok_or_else(unknown)?), format })
    }
}

impl fmt::Display for WeightCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = if self.sparsity.is_some() && self.format.is_some() { "+" } else { "" };
        match self.sparsity {
            Some(0.0) => write!(f, "sparse{joined}")?,
            Some(fraction) => write!(f, "sparse{fraction}{joined}")?,
            None => {}
        }
        self.format.map_or(Ok(()), |format| format.fmt(f))
    }
}

impl fmt::Display for WeightFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightFormat::Blocks(scheme) => f.write_str(scheme.name()),
            WeightFormat::Palette(bits) => write!(f, "palette{bits}"),
            WeightFormat::Int8 => f.write_str("int8"),
        }
    }
}

/// The values of parameters as a package stores them.
pub(crate) struct PackageWeights<'v> {
    options: WeightOptions,
    values: &'v ParamValues,
    /// The parameters that are packed or will be compressed.
    becoming: HashMap<String, Becoming>,
    /// Values that have been computed, so that a palette is computed only once.
    found: RefCell<HashMap<String, ParamValue<'v>>>,
}

/// How a parameter is stored.
#[derive(Clone, Copy)]
enum Becoming {
    /// It consists of blocks of this format, which are kept.
    Blocks(QuantScheme),
    /// It consists of numbers of this type, which are compressed.
    Compressed {
        dtype: DType,
        /// The size of its first axis.
        channels: usize,
        /// The format of the numbers; `None` if their rows are not whole blocks.
        format: Option<WeightFormat>,
    },
}

impl<'v> PackageWeights<'v> {
    pub(crate) fn new(options: &WeightOptions, values: &'v ParamValues) -> PackageWeights<'v> {
        PackageWeights { options: *options, values, becoming: HashMap::new(), found: RefCell::default() }
    }

    /// Declares the parameters of a graph; those in `packed` are blocks.
    pub(crate) fn declare(&mut self, graph: &Graph, packed: &BTreeMap<String, QuantScheme>) {
        for (name, shape) in graph.named_params() {
            if let Some(scheme) = packed.get(name) {
                self.becoming.insert(name.into(), Becoming::Blocks(*scheme));
                continue;
            }
            if let Some(becoming) = self.compressed(shape) {
                self.becoming.insert(name.into(), becoming);
            }
        }
    }

    /// Returns how a parameter of this shape that is not packed is compressed, or `None` if it is stored as it is.
    fn compressed(&self, shape: &Shape) -> Option<Becoming> {
        let (dtype, dims) = (shape.dtype(), shape.static_dims().unwrap_or_default());
        let is_float = matches!(dtype, DType::F32 | DType::F16 | DType::BF16);
        let is_large = dims.len() > 1 && dims.iter().product::<usize>() >= LARGE;
        let format = self.options.quantize.format.filter(|format| match format {
            WeightFormat::Blocks(scheme) => {
                dims.last().is_some_and(|row| row.is_multiple_of(scheme.block_len()))
            }
            WeightFormat::Palette(_) | WeightFormat::Int8 => true,
        });
        let becomes = format.is_some() || self.options.quantize.sparsity.is_some();
        let channels = dims.first().copied().unwrap_or(1);
        (is_float && is_large && becomes).then_some(Becoming::Compressed { dtype, channels, format })
    }

    /// Returns the parameters of `graph` that should be compressed but are constants in `known`, each with the reason.
    pub(crate) fn left_whole(&self, graph: &Graph, known: Option<&Graph>) -> Vec<(String, String)> {
        let Some(known) = known else { return Vec::new() };
        let is_constant = |name: &str| known.named_params().all(|(other, _)| other != name);
        graph
            .named_params()
            .filter(|(name, shape)| is_constant(name) && self.compressed(shape).is_some())
            .map(|(name, _)| (name.into(), BEYOND_F16.into()))
            .collect()
    }

    /// Returns the value of a parameter.
    pub(crate) fn value(&self, name: &str) -> Option<ParamValue<'v>> {
        if let Some(value) = self.found.borrow().get(name) {
            return Some(value.clone());
        }
        let bytes = self.values.get(name)?.bytes();
        let value = match self.becoming.get(name) {
            None => ParamValue::Plain(bytes),
            Some(Becoming::Blocks(scheme)) => ParamValue::Packed(PackedValue::Blocks(*scheme, bytes)),
            Some(&Becoming::Compressed { dtype, channels, format }) => {
                let numbers = StoredFloats::new(dtype, bytes);
                match self.options.quantize.sparsity {
                    Some(fraction) => sparse(numbers.pruned(fraction), format, channels),
                    None => format.map_or(ParamValue::Plain(bytes), |format| {
                        let palette = |bits: u32| rlx_quant::palette(&numbers.sample(SAMPLE), 1 << bits);
                        ParamValue::Packed(packed(numbers, format, channels, palette))
                    }),
                }
            }
        };
        let value = match value {
            ParamValue::Packed(packed) if self.options.host_dequant => ParamValue::Unpacked(packed),
            value => value,
        };
        self.found.borrow_mut().insert(name.into(), value.clone());
        Some(value)
    }
}

/// Returns numbers in a format; `palette` computes the palette for a number of bits.
fn packed<'v>(
    numbers: StoredFloats<'v>,
    format: WeightFormat,
    channels: usize,
    palette: impl FnOnce(u32) -> Vec<f32>,
) -> PackedValue<'v> {
    match format {
        WeightFormat::Blocks(scheme) => PackedValue::Quantized(scheme, numbers),
        WeightFormat::Palette(bits) => PackedValue::Palette { palette: palette(bits), numbers },
        WeightFormat::Int8 => PackedValue::Channels { count: channels, numbers },
    }
}

/// Returns numbers of which some are zeros, with a mask if that saves space.
fn sparse<'v>(numbers: StoredFloats<'v>, format: Option<WeightFormat>, channels: usize) -> ParamValue<'v> {
    let mask = Mask::of(numbers);
    let Some(format) = format else {
        let value = PackedValue::Sparse { mask, packed: None };
        return if mask.pays(value.bits()) { ParamValue::Packed(value) } else { ParamValue::Unpacked(value) };
    };
    let has_zeros = mask.nonzeros() < numbers.len();
    // A palette of two values has none to spare for zero.
    let is_masked = |bits| mask.pays(bits) || bits == 1 && has_zeros;
    let value = packed(numbers, format, channels, |bits| {
        // The sample is enlarged so that it has as many nonzero values as for other palettes.
        let share = numbers.len() / mask.nonzeros().max(1);
        let mut sample = numbers.sample(SAMPLE.saturating_mul(share));
        sample.retain(|x| *x != 0.0);
        if is_masked(bits) || !has_zeros {
            return rlx_quant::palette(&sample, 1 << bits);
        }
        // Zeros stay exact without a mask too.
        let mut palette = rlx_quant::palette(&sample, (1 << bits) - 1);
        palette.insert(palette.partition_point(|x| *x < 0.0), 0.0);
        palette
    });
    if is_masked(value.bits()) {
        return ParamValue::Packed(PackedValue::Sparse { mask, packed: Some(Box::new(value)) });
    }
    ParamValue::Packed(value)
}
