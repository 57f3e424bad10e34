//! Compares the formats with ggml: decoded values bit for bit, quantized blocks bit for bit or with no larger error.
//! `scripts/quant_goldens.py` writes the file, and documents its rows.

use rlx_quant::{QuantScheme, QuantizeError};

const GOLDENS: &str = include_str!("goldens.txt");
const BLOCKS: usize = 256;
const SAMPLES: usize = 24;
const NORMAL: usize = 16 * 256;

/// The rows of a kind: the format, and the words that follow.
fn rows(kind: &str) -> Vec<(QuantScheme, Vec<&'static str>)> {
    let rows = GOLDENS.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    rows.map(|row| {
        let (name, rest) = row.split_once(' ').expect("a name");
        (name.parse().expect("a format"), rest.split(' ').collect())
    })
    .collect()
}

/// SplitMix64.
fn words(seed: u64) -> impl Iterator<Item = u64> {
    (1u64..).map(move |i| {
        let z = seed.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    words(seed).flat_map(u64::to_le_bytes).take(count).collect()
}

/// Sums of twelve 16-bit numbers, minus their mean, as multiples of 2^-16.
fn normal(seed: u64, count: usize) -> Vec<f32> {
    let mut parts = words(seed).flat_map(|word| [0, 16, 32, 48].map(|at| i64::from((word >> at) as u16)));
    let mut sum = || parts.by_ref().take(12).sum::<i64>() - 6 * 65535;
    (0..count).map(|_| sum() as f32 / 65536.0).collect()
}

fn samples(seed: u64, len: usize) -> Vec<f32> {
    let mut values = normal(seed, SAMPLES * len);
    for (i, block) in values.chunks_mut(len).enumerate() {
        block.iter_mut().for_each(|v| *v *= (i + 1) as f32 / 8.0);
        match i {
            3 => block.fill(0.0),
            5 => block.fill(0.7),
            7 => block.iter_mut().for_each(|v| *v *= 2f32.powi(-100)),
            9 => block.iter_mut().for_each(|v| *v *= 2f32.powi(20)),
            11 => {
                block.fill(0.0);
                block[len / 3] = -3.0;
            }
            13 => block.iter_mut().for_each(|v| *v = v.abs()),
            _ => {}
        }
    }
    values
}

fn importance(seed: u64, count: usize) -> Vec<f32> {
    random_bytes(seed, count).into_iter().map(|b| 1.0 + f32::from(b) / 64.0).collect()
}

fn fnv(items: impl IntoIterator<Item = u64>) -> String {
    let step = |state: u64, item: u64| (state ^ item).wrapping_mul(0x100_0000_01B3);
    format!("{:016x}", items.into_iter().fold(0xCBF2_9CE4_8422_2325, step))
}

fn bits(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

fn dequantized(scheme: QuantScheme, bytes: &[u8]) -> Vec<f32> {
    let mut values = vec![0.0; bytes.len() / scheme.block_bytes() * scheme.block_len()];
    scheme.dequantize(bytes, &mut values);
    values
}

#[test]
fn every_format_is_decoded_as_ggml_does() {
    let rows = rows("decode");
    assert!(
        QuantScheme::ALL.iter().all(|s| rows.iter().any(|(scheme, _)| scheme == s)),
        "a format has no golden"
    );
    for (scheme, golden) in rows {
        let bytes = random_bytes(scheme.ggml_type().into(), BLOCKS * scheme.block_bytes());
        let values: Vec<u32> = dequantized(scheme, &bytes).into_iter().map(bits).collect();
        let first: Vec<String> = values[..4].iter().map(|v| format!("{v:08x}")).collect();
        assert_eq!(first, golden[1..], "{scheme}");
        assert_eq!(fnv(values.into_iter().map(u64::from)), golden[0], "{scheme}");
    }
}

#[test]
fn formats_with_one_scale_are_quantized_as_ggml_does() {
    for (scheme, golden) in rows("quantize") {
        let values = samples(scheme.ggml_type().into(), scheme.block_len());
        let bytes = scheme.quantize(&values, None).expect("finite");
        assert_eq!(fnv(bytes.into_iter().map(u64::from)), golden[0], "{scheme}");
    }
}

#[test]
fn the_other_formats_are_quantized_with_no_more_error_than_ggml() {
    let mut worse = Vec::new();
    for (scheme, golden) in rows("error") {
        let number = u64::from(scheme.ggml_type());
        let (values, weights) = (normal(1000 + number, NORMAL), importance(2000 + number, NORMAL));
        for (given, limit) in [None, Some(&weights[..])].into_iter().zip(golden) {
            let limit: f64 = limit.parse().expect("a number");
            let decoded = dequantized(scheme, &scheme.quantize(&values, given).expect("finite"));
            let square = |i: usize| {
                let off = f64::from(decoded[i]) - f64::from(values[i]);
                off * off * given.map_or(1.0, |w| f64::from(w[i]))
            };
            let error = ((0..NORMAL).map(square).sum::<f64>() / NORMAL as f64).sqrt();
            if error > 1.01 * limit {
                let with = if given.is_some() { "with" } else { "without" };
                worse.push(format!("{scheme} {with} importance: {error:.6}, ggml's is {limit:.6}"));
            }
        }
    }
    assert!(worse.is_empty(), "more error by over 1 %:\n{}", worse.join("\n"));
}

#[test]
fn blocks_of_any_magnitude_keep_it() {
    for &scheme in QuantScheme::ALL {
        let values = samples(7, scheme.block_len());
        let decoded = dequantized(scheme, &scheme.quantize(&values, None).expect("finite"));
        for (i, (values, decoded)) in
            values.chunks(scheme.block_len()).zip(decoded.chunks(scheme.block_len())).enumerate()
        {
            let most = values.iter().fold(0.0, |a: f32, v| a.max(v.abs()));
            let off = values.iter().zip(decoded).map(|(v, d)| (v - d).abs()).fold(0.0, f32::max);
            // Block 9 exceeds the range of some scales.
            assert!(off <= most || i == 9, "{scheme} block {i}: {off} off {most}");
        }
    }
}

#[test]
fn what_cannot_be_quantized_is_refused_with_the_reason() {
    let text = |r: Result<Vec<u8>, QuantizeError>| r.expect_err("refused").to_string();
    let values = [1.0; 64];
    assert!(
        text(QuantScheme::Q4_K.quantize(&values, None))
            .contains("64 values are not a whole number of q4_K blocks of 256")
    );
    assert!(
        text(QuantScheme::Q8_0.quantize(&values, Some(&[1.0; 48]))).contains("an importance for rows of 48")
    );
    assert!(text(QuantScheme::Q8_0.quantize(&values, Some(&[]))).contains("an importance for rows of 0"));
    assert!(text(QuantScheme::Q8_0.quantize(&values, Some(&[-1.0; 32]))).contains("importance 0 is -1"));
    let mut values = values;
    values[40] = f32::NAN;
    assert_eq!(
        text(QuantScheme::Q8_0.quantize(&values, None)),
        "value 40 is NaN; only finite numbers can be quantized"
    );
    assert!("Q4_k".parse() == Ok(QuantScheme::Q4_K));
    assert!(
        "q9".parse::<QuantScheme>()
            .expect_err("unknown")
            .to_string()
            .starts_with("unknown quantization format \"q9\"; the formats are q8_0")
    );
}

#[test]
fn numbers_of_formats_and_their_sizes_lead_back() {
    for &scheme in QuantScheme::ALL {
        assert_eq!(QuantScheme::from_ggml_type(scheme.ggml_type()), Some(scheme));
        assert_eq!(scheme.bytes_of(3 * scheme.block_len()), Some(3 * scheme.block_bytes()));
        assert_eq!(scheme.bytes_of(scheme.block_len() + 1), None);
    }
    assert_eq!(QuantScheme::Q8_K.bytes_of(usize::MAX - 255), None);
}
