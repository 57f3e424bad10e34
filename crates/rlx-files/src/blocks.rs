//! Quantizes values to blocks, and finds values whose scale does not fit before anything is written. If a scale does
//! not fit in the type that a format stores scales in, its whole block becomes infinite or NaN.

use half::f16;
use rlx_ir::QuantScheme;

/// Why values cannot be quantized, and the first value that caused it, if a value did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoBlocks {
    /// The index of the value.
    pub value: Option<usize>,
    /// What is wrong and what to do. It follows "value 3 ", or is a sentence by itself if no value is to blame.
    pub problem: String,
}

/// Up to this magnitude, no scale, minimum or sum of a block leaves the range of f16: each is at most the sum of 32
/// magnitudes.
const SAFE: f32 = 65_504.0 / 32.0;

/// The number of values in the longest block of all formats.
const LONGEST_BLOCK: usize = 256;

/// Quantizes these values to blocks. Each value has a weight in the error that is minimized.
///
/// # Errors
/// Fails if the values are not whole blocks, and for the first value that is infinite, NaN or too large for the
/// format.
pub fn blocks_of(scheme: QuantScheme, values: &[f32], weights: Option<&[f32]>) -> Result<Vec<u8>, NoBlocks> {
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return Err(NoBlocks {
            value: Some(index),
            problem: format!("is {}; only finite weights are quantized: correct the source", values[index]),
        });
    }
    let too_large = |index: usize| NoBlocks {
        value: Some(index),
        problem: format!(
            "is {:e}, too large for {scheme}: its block would not be finite or would lose the value; \
             keep this tensor in f32 or bf16, or correct the value",
            values[index]
        ),
    };
    if let Some(index) = values.iter().position(|value| value.abs() > largest(scheme)) {
        return Err(too_large(index));
    }
    let bytes = scheme.quantize(values, weights);
    let bytes = bytes.map_err(|error| NoBlocks { value: None, problem: error.to_string() })?;
    let len = scheme.block_len();
    let blocks = values.chunks(len).zip(bytes.chunks(scheme.block_bytes()));
    for (i, (values, block)) in blocks.enumerate() {
        let most = values.iter().fold(0f32, |most, value| most.max(value.abs()));
        if most > SAFE && !holds(scheme, block, most) {
            let within = values.iter().position(|value| value.abs() == most).unwrap_or(0);
            return Err(too_large(i * len + within));
        }
    }
    Ok(bytes)
}

/// Returns the largest value that is worth trying. Beyond it, either the format would clamp the value, or its square
/// is not finite in the search for scales.
fn largest(scheme: QuantScheme) -> f32 {
    match scheme {
        // The scale is an f32, or has the exponents of one.
        QuantScheme::Q8_K | QuantScheme::MXFP4 => f32::MAX,
        // 6 times 448, the largest numbers of E2M1 and UE4M3. A scale up to 464 rounds down to 448, by less than half
        // a step.
        QuantScheme::NVFP4 => 6.0 * 464.0,
        // The most that any format with f16 scales can represent: 65,504 · 128 · 32, for q6_K.
        _ => 65_504.0 * 128.0 * 32.0,
    }
}

/// Whether a block is finite, including the sum that q8_1 stores, and has not lost its largest magnitude: in some
/// formats, scales that are out of range become small numbers.
fn holds(scheme: QuantScheme, block: &[u8], most: f32) -> bool {
    let mut values = [0.0; LONGEST_BLOCK];
    let values = &mut values[..scheme.block_len().min(LONGEST_BLOCK)];
    scheme.decode_block(block, values);
    let sum = match (scheme, block) {
        (QuantScheme::Q8_1, &[_, _, low, high, ..]) => f16::from_le_bytes([low, high]),
        _ => f16::ZERO,
    };
    let is_finite = sum.is_finite() && values.iter().all(|value| value.is_finite());
    is_finite && values.iter().any(|value| value.abs() >= most * LEAST_SHARE)
}

/// The minimum share of a block's largest magnitude that must remain: formats with one or two bits keep about a
/// quarter.
const LEAST_SHARE: f32 = 1.0 / 16.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// For some formats, llama.cpp's quantizer makes blocks from these values that its own `ggml_validate_row_data`
    /// refuses.
    #[test]
    fn values_whose_blocks_would_not_be_finite_are_refused_in_every_format() {
        for &scheme in QuantScheme::ALL {
            let len = scheme.block_len();
            let mut values: Vec<f32> = (0..2 * len).map(|i| (i as f32 * 0.37).sin()).collect();
            assert!(blocks_of(scheme, &values, None).is_ok(), "{scheme}");
            values[len + 3] = -1e30;
            match (scheme, blocks_of(scheme, &values, None)) {
                (QuantScheme::Q8_K | QuantScheme::MXFP4, Ok(blocks)) => {
                    assert!(holds(scheme, &blocks[scheme.block_bytes()..], 1e30), "{scheme}");
                }
                (_, Err(error)) => {
                    assert_eq!(error.value, Some(len + 3), "{scheme}: {}", error.problem);
                    assert!(
                        error.problem.contains("-1e30") && error.problem.contains(scheme.name()),
                        "{}",
                        error.problem
                    );
                }
                (_, Ok(_)) => panic!("{scheme} is written"),
            }
            values[len + 3] = f32::NAN;
            let error = blocks_of(scheme, &values, None).expect_err("not a number");
            assert_eq!(error.value, Some(len + 3), "{scheme}");
        }
    }

    /// Everything that is written is finite, from magnitudes at which scales become large up to those that no format
    /// can represent.
    #[test]
    fn what_is_written_is_finite_at_every_magnitude() {
        for &scheme in QuantScheme::ALL {
            let len = scheme.block_len();
            let (mut written, mut refused) = (0, 0);
            for power in 8..42 {
                let values: Vec<f32> = (0..len).map(|i| (i as f32 * 0.37).sin() * 2f32.powi(power)).collect();
                match blocks_of(scheme, &values, None) {
                    Ok(blocks) => {
                        let mut decoded = vec![0.0; len];
                        scheme.dequantize(&blocks, &mut decoded);
                        let most = |values: &[f32]| values.iter().fold(0f32, |m, v| m.max(v.abs()));
                        let share = most(&decoded) / most(&values);
                        assert!((LEAST_SHARE..3.0).contains(&share), "{scheme} 2^{power}: {share}");
                        written += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            let unbounded = matches!(scheme, QuantScheme::Q8_K | QuantScheme::MXFP4);
            assert!(
                written > 3 && (refused > 5) != unbounded,
                "{scheme}: {written} written, {refused} refused"
            );
        }
    }

    /// 4.2e6 = 65,504 · 127 / 2 can be written in q8_0, but not in q4_0, whose scale is an eighth of the largest
    /// magnitude (ggml's formats).
    #[test]
    fn limits_are_those_of_the_formats_scales() {
        let block = |value: f32| {
            let mut values = [0.5f32; 32];
            values[7] = value;
            values
        };
        let ok = |scheme, value| blocks_of(scheme, &block(value), None).is_ok();
        assert!(ok(QuantScheme::Q4_0, 8.0 * 65_504.0) && !ok(QuantScheme::Q4_0, 8.0 * 65_536.0));
        assert!(ok(QuantScheme::Q8_0, 127.0 * 65_504.0) && !ok(QuantScheme::Q8_0, 127.0 * 65_536.0));
        assert!(ok(QuantScheme::MXFP4, 3e38));
    }
}
