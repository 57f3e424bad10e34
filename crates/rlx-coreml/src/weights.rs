//! How parameters are stored in a package: as the graph declares them, as the blocks that they are already, or quantised on the way.

use rlx_compile::ParamValues;
use rlx_ir::{DType, Graph, QuantScheme};
use rlx_mil::emit::{PackedValue, ParamValue, StoredFloats};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

/// Elements from which on a parameter of several axes is quantised.
const LARGE: usize = 2048;

/// Values that a palette is found from.
const SAMPLE: usize = 1 << 18;

/// How parameters are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WeightOptions {
    /// Whether packed parameters are unpacked before they are written.
    pub host_dequant: bool,
    /// What parameters of floats with several axes, and 2,048 elements at least, become; none of them changes where it does not say.
    pub quantize: Option<WeightFormat>,
}

/// What parameters of floats become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeightFormat {
    /// Blocks of this format, where rows are whole blocks.
    Blocks(QuantScheme),
    /// Numbers of a palette, of which a place has so many bits: 1, 2, 3, 4, 6 or 8.
    Palette(u32),
    /// Integers of 8 bits, with a scale for each place along the first axis.
    Int8,
}

/// A name that no format has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "weights of a package become int8, palette1, palette2, palette3, palette4, palette6, palette8, or blocks of a format whose values are levels \
     with scales, such as q4_0, q8_0 or q4_k: there is no {0:?} among them"
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

impl fmt::Display for WeightFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightFormat::Blocks(scheme) => f.write_str(scheme.name()),
            WeightFormat::Palette(bits) => write!(f, "palette{bits}"),
            WeightFormat::Int8 => f.write_str("int8"),
        }
    }
}

/// The values of parameters as a package has them.
pub(crate) struct PackageWeights<'v> {
    options: WeightOptions,
    values: &'v ParamValues,
    /// The parameters that are packed, or become so, with the types that they are declared in.
    formats: HashMap<String, (Option<QuantScheme>, DType)>,
    /// The sizes of their first axes.
    channels: HashMap<String, usize>,
    /// What was found, so that a palette is found once.
    found: RefCell<HashMap<String, ParamValue<'v>>>,
}

impl<'v> PackageWeights<'v> {
    pub(crate) fn new(options: &WeightOptions, values: &'v ParamValues) -> PackageWeights<'v> {
        PackageWeights {
            options: *options,
            values,
            formats: HashMap::new(),
            channels: HashMap::new(),
            found: RefCell::default(),
        }
    }

    /// Says what the parameters of a graph are; those of `packed` are blocks.
    pub(crate) fn declare(&mut self, graph: &Graph, packed: &BTreeMap<String, QuantScheme>) {
        for (name, shape) in graph.named_params() {
            let scheme = packed.get(name).copied();
            let dims = shape.static_dims().unwrap_or_default();
            let is_float = matches!(shape.dtype(), DType::F32 | DType::F16 | DType::BF16);
            let is_large = dims.len() > 1 && dims.iter().product::<usize>() >= LARGE;
            let becomes = match self.options.quantize {
                Some(WeightFormat::Blocks(scheme)) => {
                    dims.last().is_some_and(|row| row.is_multiple_of(scheme.block_len()))
                }
                Some(WeightFormat::Palette(_) | WeightFormat::Int8) => true,
                None => false,
            };
            if scheme.is_some() || is_float && is_large && becomes {
                self.formats.insert(name.into(), (scheme, shape.dtype()));
                self.channels.insert(name.into(), dims.first().copied().unwrap_or(1));
            }
        }
    }

    /// The value of a parameter.
    pub(crate) fn value(&self, name: &str) -> Option<ParamValue<'v>> {
        if let Some(value) = self.found.borrow().get(name) {
            return Some(value.clone());
        }
        let bytes = self.values.get(name)?.bytes();
        let value = match self.formats.get(name) {
            None => ParamValue::Plain(bytes),
            Some((Some(scheme), _)) => ParamValue::Packed(PackedValue::Blocks(*scheme, bytes)),
            Some((None, dtype)) => self.quantized(name, StoredFloats { dtype: *dtype, bytes }),
        };
        let value = match value {
            ParamValue::Packed(packed) if self.options.host_dequant => ParamValue::Unpacked(packed),
            value => value,
        };
        self.found.borrow_mut().insert(name.into(), value.clone());
        Some(value)
    }

    fn quantized(&self, name: &str, numbers: StoredFloats<'v>) -> ParamValue<'v> {
        match self.options.quantize {
            Some(WeightFormat::Blocks(scheme)) => ParamValue::Packed(PackedValue::Quantized(scheme, numbers)),
            Some(WeightFormat::Palette(bits)) => {
                let palette = rlx_quant::palette(&numbers.sample(SAMPLE), 1 << bits);
                ParamValue::Packed(PackedValue::Palette { palette, numbers })
            }
            Some(WeightFormat::Int8) => {
                let count = self.channels.get(name).copied().unwrap_or(1);
                ParamValue::Packed(PackedValue::Channels { count, numbers })
            }
            None => ParamValue::Plain(numbers.bytes),
        }
    }
}
