//! Writes packages with weights in each block format, in palettes, and without zeros, for `scripts/judge_coreml_weights.py`:
//! `cargo run --release -p rlx-coreml --example packed_weights -- DIR`.
//!
//! Writes `DIR/FORMAT.TYPE.mlpackage`, with the transposed weights as its only output, and `DIR/FORMAT.TYPE.f32` with the numbers that the
//! reference decoder unpacks; prints the size of the package's weights file compared with the blocks.

use rlx_compile::{CompileOptions, Param, ParamValues, PrecisionPolicy};
use rlx_coreml::{
    Conversion, ConversionError, Converted, Dialect, Opset, WeightCompression, WeightFormat, WeightOptions,
};
use rlx_ir::{Builder, DType, Graph, Literal, QuantScheme, Shape};
use std::path::Path;
use std::sync::Arc;

/// Rows of the weights, and numbers per row.
pub const DIMS: [usize; 2] = [48, 1024];

/// Returns numbers like the weights of models: close to 0, with rows of different magnitudes, some with zeros, some with only one sign.
pub fn weights() -> Vec<f32> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let [rows, row] = DIMS;
    let number = |i: usize, u: f64, v: f64| {
        let normal = (-2.0 * (u + 1e-12).ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        let size = [0.02, 0.3, 1e-3, 4.0][i / row % 4];
        match (i / row, i / 32 % 7) {
            (5, 1) => 0.0,
            (6, 2) => (normal.abs() + 3.0) * size,
            (7, 3) => size,
            _ => normal * size,
        }
    };
    (0..rows * row).map(|i| number(i, uniform(), uniform()) as f32).collect()
}

/// Weights that are the only output of a graph.
pub struct Stored {
    /// The graph.
    pub graph: Graph,
    /// The parameter `w`.
    pub values: ParamValues,
    /// The unpacked numbers.
    pub numbers: Vec<f32>,
    /// How they are stored.
    pub options: WeightOptions,
    /// The size of the blocks in bytes.
    pub bytes: usize,
}

/// Returns blocks of a format.
pub fn blocks(scheme: QuantScheme) -> Stored {
    let bytes = scheme.quantize(&weights(), None).expect("they are whole blocks of finite numbers");
    let mut numbers = vec![0.0; DIMS[0] * DIMS[1]];
    scheme.dequantize(&bytes, &mut numbers);
    let b = Builder::new("packed");
    let shape = Shape::new(&[DIMS[0], bytes.len() / DIMS[0]], DType::U8);
    // The product makes it a value in the type that the program computes in.
    let unpacked = b.param("w", shape.clone()).dequantize_blocks(scheme).transpose_last() * 1.0;
    let graph = b.finish(&[&unpacked]).expect("a graph");
    let value = Literal::from_bytes(&shape, &bytes).expect("as many bytes");
    Stored { graph, values: param(value), numbers, options: WeightOptions::default(), bytes: bytes.len() }
}

/// Sets the `count` smallest numbers to zero.
pub fn pruned(numbers: &[f32], count: usize) -> Vec<f32> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].abs().total_cmp(&numbers[b].abs()));
    let mut pruned = numbers.to_vec();
    order[..count].iter().for_each(|&i| pruned[i] = 0.0);
    pruned
}

/// Returns numbers in a format, with a palette computed from `of`, and the bits per number.
fn formatted(numbers: &[f32], of: &[f32], format: WeightFormat) -> (Vec<f32>, f64) {
    match format {
        WeightFormat::Blocks(scheme) => {
            let bytes = scheme.quantize(numbers, None).expect("they are whole blocks of finite numbers");
            let mut unpacked = vec![0.0; numbers.len()];
            scheme.dequantize(&bytes, &mut unpacked);
            (unpacked, bytes.len() as f64 * 8.0 / numbers.len() as f64)
        }
        WeightFormat::Palette(bits) => {
            let palette = rlx_quant::palette(of, 1 << bits);
            let near = |&x: &f32| palette[rlx_quant::nearest(&palette, x)];
            (numbers.iter().map(near).collect(), f64::from(bits))
        }
        WeightFormat::Int8 => {
            let row = |row: &[f32]| {
                let most = row.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
                let scale = half::f16::from_f32(most / 127.0).max(half::f16::from_bits(1)).to_f32();
                let level = |x: f32| (x / scale).round_ties_even().clamp(-127.0, 127.0);
                row.iter().map(|&x| level(x) * scale).collect::<Vec<f32>>()
            };
            (numbers.chunks(DIMS[1]).flat_map(row).collect(), 8.0)
        }
    }
}

/// Returns numbers that are compressed when they are written: to a format, with zeros, or both.
pub fn quantized(compression: impl Into<WeightCompression>) -> Stored {
    let (compression, numbers) = (compression.into(), weights());
    let b = Builder::new("quantized");
    // The product is needed because a parameter that is only moved keeps its type.
    let same = b.param("w", Shape::new(&DIMS, DType::F32)).transpose_last() * 1.0;
    let graph = b.finish(&[&same]).expect("a graph");
    let values = param(Literal::new(&DIMS, &numbers).expect("as many numbers"));
    let count = numbers.len();
    let kept = match compression.sparsity {
        Some(fraction) => pruned(&numbers, (fraction * count as f64) as usize),
        None => numbers,
    };
    let nonzeros: Vec<f32> = kept.iter().copied().filter(|&x| x != 0.0).collect();
    let of = if compression.sparsity.is_some() { &nonzeros } else { &kept };
    let (mut numbers, bits) =
        compression.format.map_or((kept.clone(), 16.0), |format| formatted(&kept, of, format));
    let mut bytes = bits * count as f64 / 8.0;
    if compression.sparsity.is_some() {
        // Zeros stay zero in any format, and are not stored.
        numbers.iter_mut().zip(&kept).filter(|(_, kept)| **kept == 0.0).for_each(|(x, _)| *x = 0.0);
        bytes = (count as f64 + bits * nonzeros.len() as f64) / 8.0;
    }
    let options = WeightOptions { quantize: compression, ..WeightOptions::default() };
    Stored { graph, values, numbers, options, bytes: bytes as usize }
}

/// Sparse formats, combined with others and alone.
pub const SPARSE: [&str; 10] = [
    "sparse0.5",
    "sparse0.9",
    "sparse0.5+palette4",
    "sparse0.75+palette1",
    "sparse0.3+palette6",
    "sparse0.5+int8",
    "sparse0.5+q8_0",
    "sparse0.5+q4_1",
    "sparse0.5+q6_k",
    "sparse0.75+iq4_nl",
];

fn param(value: Literal) -> ParamValues {
    ParamValues::from([("w".to_string(), Param::new(Arc::new(value)))])
}

/// Returns the conversion.
pub fn conversion(opset: Opset, precision: PrecisionPolicy, weights: WeightOptions) -> Conversion {
    let half_scores = precision == PrecisionPolicy::AlwaysF16;
    let options = CompileOptions { precision, ..CompileOptions::new() };
    Conversion { weights, ..Conversion::new(Dialect { half_scores, ..opset.into() }, options) }
}

/// Returns every format, by name.
pub fn all() -> Vec<(String, Stored)> {
    let schemes = QuantScheme::ALL.iter().map(|&scheme| (scheme.name().to_string(), blocks(scheme)));
    let palettes = [1, 2, 3, 4, 6, 8].map(WeightFormat::Palette);
    let formats = palettes.into_iter().chain([WeightFormat::Blocks(QuantScheme::Q4_0), WeightFormat::Int8]);
    let formats = formats.map(WeightCompression::from);
    let sparse = SPARSE.iter().map(|name| name.parse().expect("a format"));
    schemes.chain(formats.chain(sparse).map(|format| (format!("to_{format}"), quantized(format)))).collect()
}

/// Writes a package.
pub fn write(stored: &Stored, conversion: &Conversion, to: &Path) -> Result<Converted, ConversionError> {
    conversion.write(&stored.graph, &stored.values, to)
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("a folder to write to is needed")?;
    std::fs::create_dir_all(&folder)?;
    println!("| format | GGUF | f16 | f32 | in programs |\n|---|---|---|---|---|");
    for (name, stored) in all() {
        let mut row = Vec::new();
        let mut how = String::from("packed");
        for (ty, precision) in [("f16", PrecisionPolicy::AlwaysF16), ("f32", PrecisionPolicy::Declared)] {
            let conversion = conversion(Opset::Ios18, precision, stored.options);
            let at = |ending| Path::new(&folder).join(format!("{name}.{ty}.{ending}"));
            let converted = write(&stored, &conversion, &at("mlpackage"))?;
            let bytes: Vec<u8> = stored.numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            std::fs::write(at("f32"), bytes)?;
            if let Some((_, reason)) = converted.unpacked.first() {
                how.clone_from(reason);
            }
            row.push(converted.bytes.1 as f64 / stored.bytes as f64);
        }
        println!("| {name} | {} | {:.3} | {:.3} | {how} |", stored.bytes, row[0], row[1]);
    }
    // The forms for older systems.
    let older = [2, 4, 8].map(WeightFormat::Palette).into_iter().chain([WeightFormat::Int8]);
    let sparse = WeightCompression { sparsity: Some(0.75), format: None };
    for format in older.map(WeightCompression::from).chain([sparse]) {
        let stored = quantized(format);
        for (ty, precision) in [("f16", PrecisionPolicy::AlwaysF16), ("f32", PrecisionPolicy::Declared)] {
            let at = |ending| Path::new(&folder).join(format!("older_{format}.{ty}.{ending}"));
            let conversion = conversion(Opset::Ios16, precision, stored.options);
            let converted = write(&stored, &conversion, &at("mlpackage"))?;
            assert!(converted.unpacked.is_empty(), "{format}: {:?}", converted.unpacked);
            let bytes: Vec<u8> = stored.numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            std::fs::write(at("f32"), bytes)?;
        }
    }
    Ok(())
}
