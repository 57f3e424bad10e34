//! Prints arrays as NumPy 2 does (`str` of an array, numpy/_core/arrayprint.py). It uses the fewest digits that
//! identify each number, at most eight after the point, in aligned columns and lines of 75 characters, and leaves
//! out the middle of large arrays.

use rlx_ir::Scalar;
use rlx_ir::{Class, DType, Literal};

/// Arrays with more elements than this are shortened.
const THRESHOLD: usize = 1000;
/// Elements shown at each end of a shortened axis.
const EDGE: usize = 3;
/// Characters per line.
const WIDTH: usize = 75;
/// Maximum digits after the point.
const PRECISION: usize = 8;

/// The elements as text. With `full`, all of them are shown.
pub fn text(array: &Literal, full: bool) -> String {
    let (dims, dtype) = (array.dims(), array.dtype());
    if array.is_empty() {
        return "[]".into();
    }
    let elided = !full && array.len() > THRESHOLD;
    let shown: Vec<Vec<Option<usize>>> = dims.iter().map(|&size| axis(size, elided)).collect();
    let at = |index: usize| {
        array.bytes().get(index * dtype.size()..).map_or(Scalar::Int(0), |b| Scalar::read(dtype, b))
    };
    let indices = indices(&dims, &shown);
    let words = match &indices[..] {
        [only] if dims.is_empty() => vec![scalar(at(*only), dtype)],
        _ => aligned(indices.into_iter().map(at).collect(), dtype),
    };
    let mut words = words.into_iter();
    block(&shown, &mut words, 1, WIDTH)
}

/// The positions of an axis to show. `None` marks the positions left out.
fn axis(size: usize, elided: bool) -> Vec<Option<usize>> {
    if elided && size > 2 * EDGE {
        (0..EDGE).map(Some).chain([None]).chain((size - EDGE..size).map(Some)).collect()
    } else {
        (0..size).map(Some).collect()
    }
}

/// The flat indices of the elements to show, in order.
fn indices(dims: &[usize], shown: &[Vec<Option<usize>>]) -> Vec<usize> {
    let extend = |so_far: Vec<usize>, (size, shown): (&usize, &Vec<Option<usize>>)| {
        let within = |at: usize| shown.iter().flatten().map(move |i| at * size + i);
        so_far.into_iter().flat_map(within).collect()
    };
    dims.iter().zip(shown).fold(vec![0], extend)
}

/// Joins the words in brackets. The contents are indented by `indent` characters in lines of up to `width`.
fn block(
    shown: &[Vec<Option<usize>>],
    words: &mut impl Iterator<Item = String>,
    indent: usize,
    width: usize,
) -> String {
    let Some((axis, inner)) = shown.split_first() else { return words.next().unwrap_or_default() };
    if inner.is_empty() {
        return row(axis, words, indent, width.saturating_sub(1));
    }
    let gap = format!("{}{}", "\n".repeat(inner.len()), " ".repeat(indent));
    let parts: Vec<String> = axis
        .iter()
        .map(|place| match place {
            Some(_) => block(inner, words, indent + 1, width.saturating_sub(1)),
            None => "...".into(),
        })
        .collect();
    format!("[{}]", parts.join(&gap))
}

/// The last axis: words next to each other, in lines of `width` characters.
fn row(
    axis: &[Option<usize>],
    words: &mut impl Iterator<Item = String>,
    indent: usize,
    width: usize,
) -> String {
    let (mut text, mut column) = (String::from("["), indent);
    for (i, place) in axis.iter().enumerate() {
        let word = place.map_or_else(|| "...".into(), |_| words.next().unwrap_or_default());
        let length = word.chars().count();
        if i > 0 {
            text.push(' ');
            column += 1;
        }
        if column + length > width && column > indent {
            text.truncate(text.trim_end().len());
            text.push_str(&format!("\n{}", " ".repeat(indent)));
            column = indent;
        }
        text.push_str(&word);
        column += length;
    }
    text + "]"
}

/// A number that is not part of a larger array.
fn scalar(number: Scalar, dtype: DType) -> String {
    match number {
        Scalar::Int(x) if dtype == DType::Bool => if x == 0 { "False" } else { "True" }.into(),
        Scalar::Int(x) => x.to_string(),
        Scalar::Float(x) => lone(x, dtype),
        Scalar::Complex(z) => {
            let part = |x: f64| lone(x, dtype.real()).trim_end_matches(".0").to_string();
            let im = part(z.im);
            if z.re == 0.0 && !z.re.is_sign_negative() {
                return format!("{im}j");
            }
            let plus = if im.starts_with('-') { "" } else { "+" };
            format!("({}{plus}{im}j)", part(z.re))
        }
    }
}

/// A float that is not part of a larger array, with all of its digits.
fn lone(x: f64, dtype: DType) -> String {
    let cutoff = if dtype == DType::F64 { 1e16 } else { large(dtype) };
    if let Some(word) = not_finite(x, false) {
        return word;
    }
    if x != 0.0 && !(1e-4..cutoff).contains(&x.abs()) {
        let (mantissa, exponent) = scientific(x, dtype, usize::MAX);
        return format!("{}{}", mantissa.trim_end_matches('.'), signed_exponent(exponent, 2));
    }
    let word = positional(x, dtype, usize::MAX);
    if word.ends_with('.') { word + "0" } else { word }
}

/// The elements of an array as words of equal width.
fn aligned(numbers: Vec<Scalar>, dtype: DType) -> Vec<String> {
    match dtype.class() {
        Class::Bool => {
            numbers.iter().map(|&x| if x == Scalar::Int(0) { "False" } else { " True" }.into()).collect()
        }
        Class::Signed | Class::Unsigned => {
            let words: Vec<String> = numbers.into_iter().map(|x| scalar(x, dtype)).collect();
            let width = words.iter().map(String::len).max().unwrap_or(0);
            words.into_iter().map(|word| format!("{word:>width$}")).collect()
        }
        Class::Float => floats(&numbers.into_iter().map(Scalar::to_f64).collect::<Vec<_>>(), dtype, false),
        Class::Complex => {
            let parts = |part: fn(Scalar) -> f64, signed| {
                floats(&numbers.iter().map(|&z| part(z)).collect::<Vec<_>>(), dtype.real(), signed)
            };
            let re = parts(Scalar::to_f64, false);
            let im = parts(|z| if let Scalar::Complex(z) = z { z.im } else { 0.0 }, true);
            let join = |(re, im): (String, String)| {
                let digits = im.trim_end();
                format!("{re}{digits}j{}", " ".repeat(im.len() - digits.len()))
            };
            re.into_iter().zip(im).map(join).collect()
        }
    }
}

/// Floats with their points aligned. With `signed`, positive numbers get a plus sign.
fn floats(numbers: &[f64], dtype: DType, signed: bool) -> Vec<String> {
    let finite: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
    let sizes = || finite.iter().map(|x| x.abs()).filter(|&x| x != 0.0);
    let (largest, smallest) = (sizes().fold(0.0, f64::max), sizes().fold(f64::INFINITY, f64::min));
    // NumPy compares in the element type.
    let rounded = |x: f64| Scalar::Float(x).convert(dtype).to_f64();
    let (is_large, is_small) = (largest >= large(dtype), smallest < rounded(1e-4));
    let with_exponents = largest > 0.0 && (is_large || is_small || rounded(largest / smallest) > 1000.0);
    let plus = |x: f64, word: String| if signed && !x.is_sign_negative() { format!("+{word}") } else { word };
    let word: Box<dyn Fn(f64) -> String> = if with_exponents {
        let parts: Vec<(String, i32)> = finite.iter().map(|&x| scientific(x, dtype, PRECISION)).collect();
        let digits = parts.iter().map(|(mantissa, _)| fraction(mantissa).len()).max().unwrap_or(0);
        let size = parts.iter().map(|(_, e)| e.abs().to_string().len()).max().unwrap_or(0).max(2);
        Box::new(move |x| {
            let (mantissa, exponent) = exact(x, digits);
            plus(x, format!("{mantissa}{}", signed_exponent(exponent, size)))
        })
    } else {
        Box::new(move |x| plus(x, positional(x, dtype, PRECISION)))
    };
    let words: Vec<Option<String>> =
        numbers.iter().map(|&x| Some(x).filter(|x| x.is_finite()).map(&word)).collect();
    let widest = |part: fn(&str) -> usize| words.iter().flatten().map(|w| part(w)).max().unwrap_or(0);
    let (mut left, right) = (widest(|w| whole(w).len()), widest(|w| fraction(w).len()));
    let others = numbers.iter().filter_map(|&x| not_finite(x, signed));
    // A word without a point is padded by the point's column as well.
    let longest = others.map(|word| word.len()).max().unwrap_or(0);
    left = left.max(longest.saturating_sub(right + 1));
    let place = |(&x, word): (&f64, Option<String>)| match (word, not_finite(x, signed)) {
        (Some(word), _) => {
            let (whole, fraction) = (whole(&word), fraction(&word));
            format!("{whole:>left$}.{fraction:<right$}")
        }
        (None, other) => format!("{:>width$}", other.unwrap_or_default(), width = left + right + 1),
    };
    numbers.iter().zip(words).map(place).collect()
}

fn whole(word: &str) -> &str {
    word.split_once('.').map_or(word, |(whole, _)| whole)
}

fn fraction(word: &str) -> &str {
    word.split_once('.').map_or("", |(_, fraction)| fraction)
}

/// The word for an infinity or NaN; `None` for finite numbers.
fn not_finite(x: f64, signed: bool) -> Option<String> {
    let word = match x {
        x if x.is_nan() => "nan",
        f64::INFINITY => "inf",
        f64::NEG_INFINITY => return Some("-inf".into()),
        _ => return None,
    };
    Some(if signed { format!("+{word}") } else { word.into() })
}

/// Numbers from this size on are written with exponents, because the type can no longer distinguish all neighboring integers.
fn large(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e8,
        DType::F32 => 1e6,
        _ => 1e3,
    }
}

/// The decimal with the fewest digits that rounds to `x` in its element type; the even one if two are equally near.
fn shortest(x: f64, dtype: DType) -> f64 {
    // Rust prints the fewest digits for f32 and f64.
    let fewest = match dtype {
        DType::F64 => return x,
        DType::F32 => fraction(&parts(&format!("{:e}", x as f32)).0).len(),
        _ => 0,
    };
    let with = |digits: usize| format!("{x:.digits$e}").parse::<f64>().unwrap_or(x);
    (fewest..=9).map(with).find(|&y| Scalar::Float(y).convert(dtype).to_f64() == x).unwrap_or(x)
}

/// `x` without an exponent, with a point and at most `precision` digits after it.
fn positional(x: f64, dtype: DType, precision: usize) -> String {
    let word = shortest(x, dtype).to_string();
    let word = if fraction(&word).len() > precision {
        format!("{x:.precision$}").trim_end_matches('0').into()
    } else {
        word
    };
    if word.contains('.') { word } else { word + "." }
}

/// The mantissa of `x`, with a point and at most `precision` digits after it, and the exponent.
fn scientific(x: f64, dtype: DType, precision: usize) -> (String, i32) {
    let (mantissa, exponent) = parts(&format!("{:e}", shortest(x, dtype)));
    if fraction(&mantissa).len() <= precision {
        return (mantissa, exponent);
    }
    let (mantissa, exponent) = exact(x, precision);
    (mantissa.trim_end_matches('0').into(), exponent)
}

/// The mantissa of `x` with `digits` digits after the point, and the exponent.
fn exact(x: f64, digits: usize) -> (String, i32) {
    parts(&format!("{x:.digits$e}"))
}

fn parts(word: &str) -> (String, i32) {
    let (mantissa, exponent) = word.split_once('e').unwrap_or((word, "0"));
    let point = if mantissa.contains('.') { "" } else { "." };
    (format!("{mantissa}{point}"), exponent.parse().unwrap_or(0))
}

fn signed_exponent(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:0>digits$}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::Shape;
    use serde_json::Value;

    /// The expected texts are what NumPy printed for `scripts/numpy_prints.py`.
    #[test]
    fn arrays_are_printed_as_numpy_prints_them() {
        let cases: Vec<Value> =
            serde_json::from_str(include_str!("../../tests/data/numpy_prints.json")).unwrap();
        assert!(cases.len() > 40);
        for case in cases {
            let word = |key: &str| case[key].as_str().unwrap();
            let dims: Vec<usize> = serde_json::from_value(case["dims"].clone()).unwrap();
            let byte = |at: usize| u8::from_str_radix(&word("bytes")[at..at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..word("bytes").len()).step_by(2).map(byte).collect();
            let dtype = DType::from_name(word("dtype")).unwrap();
            let array = Literal::from_bytes(&Shape::new(&dims, dtype), &bytes).unwrap();
            let got = text(&array, case["full"].as_bool().unwrap());
            assert_eq!(got, word("text"), "{dtype}{dims:?}\n{got}\nNumPy prints\n{}", word("text"));
        }
    }

    #[test]
    fn types_that_numpy_has_not_are_written_with_the_digits_that_they_need() {
        let array = |dtype| Literal::new(&[2], &[0.1f32, 3.0]).unwrap().convert(dtype);
        for (dtype, expected) in
            [(DType::BF16, "[0.1 3. ]"), (DType::F8E4M3, "[0.1 3. ]"), (DType::F8E5M2, "[0.09 3.  ]")]
        {
            assert_eq!(text(&array(dtype), false), expected, "{dtype}");
        }
    }
}
