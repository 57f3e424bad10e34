//! The form of a recognized operation: the names of its operands in order, and its settings. Its text is the configuration of a custom op.

use rlx_ir::DType;
use std::fmt;

/// A setting of an operation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Setting {
    Bool(bool),
    Int(i32),
    /// An unsigned 32-bit number.
    Count(u32),
    Ints(Vec<i32>),
    /// Rows of two numbers.
    Pairs(Vec<[i32; 2]>),
    /// A number in the type of an operand.
    Float(f32, DType),
    Text(&'static str),
}

/// The arguments of an operation.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Form {
    /// The argument name of each operand; operands with the same name form a list.
    pub(crate) operands: Vec<&'static str>,
    pub(crate) settings: Vec<(&'static str, Setting)>,
}

/// The names of arguments and settings, and the values of text settings.
const WORDS: &[&str] = &[
    "seed",
    "prob",
    "stddev",
    "mean",
    "high",
    "low",
    "align_corners",
    "alpha",
    "axis",
    "batch_axis",
    "beta",
    "block_shape",
    "block_size",
    "ceil_mode",
    "coordinates",
    "coordinates_mode",
    "crop_height",
    "crop_width",
    "crops",
    "downscale_factor",
    "epsilon",
    "equation",
    "half_pixel_centers",
    "interpolation_mode",
    "k",
    "kernel_sizes",
    "lengths",
    "lower",
    "output_height",
    "output_width",
    "pad",
    "pad_type",
    "padding_mode",
    "padding_value",
    "paddings",
    "resized_dims",
    "sampling_mode",
    "scale_factor_height",
    "scale_factor_width",
    "seq_axis",
    "shape",
    "size",
    "stride",
    "strides",
    "target_size_height",
    "target_size_width",
    "transform_matrix",
    "upper",
    "upscale_factor",
    "values",
    "x",
    "ALIGN_CORNERS",
    "DEFAULT",
    "LINEAR",
    "NEAREST_NEIGHBOR",
    "OFFSET_CORNERS",
    "STRICT_ALIGN_CORNERS",
    "UNALIGN_CORNERS",
    "bilinear",
    "border",
    "chw,whr->chr",
    "constant",
    "custom",
    "nchw,nwhu->nchu",
    "nearest",
    "normalized_minus_one_to_one",
    "normalized_zero_to_one",
    "reflection",
    "symmetric",
    "unnormalized",
];

fn word(text: &str) -> Option<&'static str> {
    WORDS.iter().copied().find(|word| *word == text)
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operands.join(" "))?;
        for (name, setting) in &self.settings {
            write!(f, "; {name} ")?;
            match setting {
                Setting::Bool(value) => write!(f, "bool {value}")?,
                Setting::Int(value) => write!(f, "int {value}")?,
                Setting::Count(value) => write!(f, "count {value}")?,
                Setting::Pairs(rows) => {
                    f.write_str("pairs")?;
                    rows.iter().flatten().try_for_each(|value| write!(f, " {value}"))?;
                }
                Setting::Ints(values) => {
                    f.write_str("ints")?;
                    values.iter().try_for_each(|value| write!(f, " {value}"))?;
                }
                // The shortest text of a float is parsed as the same float.
                Setting::Float(value, dtype) => write!(f, "{dtype} {value}")?,
                Setting::Text(text) => write!(f, "text {text}")?,
            }
        }
        Ok(())
    }
}

impl Form {
    /// Parses a form.
    pub(super) fn parse(text: &str) -> Option<Form> {
        let mut parts = text.split("; ");
        let operands = parts.next()?.split_whitespace().map(word).collect::<Option<_>>()?;
        let setting = |part: &str| {
            let (name, rest) = part.split_once(' ')?;
            let (kind, value) = rest.split_once(' ').unwrap_or((rest, ""));
            let setting = match kind {
                "bool" => Setting::Bool(value.parse().ok()?),
                "count" => Setting::Count(value.parse().ok()?),
                "pairs" => {
                    let list: Vec<i32> =
                        value.split_whitespace().map(|n| n.parse().ok()).collect::<Option<_>>()?;
                    Setting::Pairs(list.as_chunks().0.to_vec())
                }
                "int" => Setting::Int(value.parse().ok()?),
                "ints" => {
                    Setting::Ints(value.split_whitespace().map(|n| n.parse().ok()).collect::<Option<_>>()?)
                }
                "f32" => Setting::Float(value.parse().ok()?, DType::F32),
                "f16" => Setting::Float(value.parse().ok()?, DType::F16),
                "text" => Setting::Text(word(value)?),
                _ => return None,
            };
            Some((word(name)?, setting))
        };
        Some(Form { operands, settings: parts.map(setting).collect::<Option<_>>()? })
    }

    /// Creates a form with these operands.
    pub(super) fn of(operands: &[&'static str]) -> Form {
        Form { operands: operands.to_vec(), settings: Vec::new() }
    }

    /// Returns the form with one more setting.
    pub(super) fn with(mut self, name: &'static str, setting: impl Into<Setting>) -> Form {
        self.settings.push((name, setting.into()));
        self
    }
}

impl From<bool> for Setting {
    fn from(value: bool) -> Setting {
        Setting::Bool(value)
    }
}

impl From<&'static str> for Setting {
    fn from(text: &'static str) -> Setting {
        Setting::Text(text)
    }
}

impl From<usize> for Setting {
    fn from(value: usize) -> Setting {
        // Sizes fit in 32 bits; a value that does not gives another meaning, which does not match.
        Setting::Int(i32::try_from(value).unwrap_or(i32::MAX))
    }
}

impl From<&[usize]> for Setting {
    fn from(values: &[usize]) -> Setting {
        Setting::Ints(values.iter().map(|&n| i32::try_from(n).unwrap_or(i32::MAX)).collect())
    }
}

impl From<[[usize; 2]; 2]> for Setting {
    fn from(rows: [[usize; 2]; 2]) -> Setting {
        Setting::Pairs(rows.map(|row| row.map(|n| i32::try_from(n).unwrap_or(i32::MAX))).to_vec())
    }
}

impl From<u32> for Setting {
    fn from(value: u32) -> Setting {
        Setting::Count(value)
    }
}

impl From<(f64, DType)> for Setting {
    fn from((value, dtype): (f64, DType)) -> Setting {
        Setting::Float(value as f32, dtype)
    }
}
