//! Parses numbers on the command line: a single number, or nested lists in brackets.

use rlx_ir::Scalar;
use rlx_ir::math::complex::Complex64;
use rlx_ir::{Class, DType, Literal, Shape};

/// Numbers as written. They take the element type of the tensor that they are for.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    dims: Vec<usize>,
    words: Vec<String>,
}

impl Numbers {
    /// Parses a text as numbers. Returns `None` for a text that is clearly something else, such as a file name.
    pub fn read(text: &str) -> Option<Result<Numbers, String>> {
        let text = text.trim();
        (text.starts_with('[') || is_number(text)).then(|| Lists::new().read(text))
    }

    /// The numbers as a tensor of this element type.
    pub fn literal(&self, dtype: DType) -> Result<Literal, String> {
        let mut bytes = Vec::new();
        for word in &self.words {
            let number = number(word, dtype).ok_or_else(|| format!("{word} is not a valid {dtype}"))?;
            number.write(dtype, &mut bytes);
        }
        Literal::from_bytes(&Shape::new(&self.dims, dtype), &bytes).map_err(|e| e.to_string())
    }
}

/// The state of parsing nested lists.
struct Lists {
    /// How many elements each open list has so far.
    open: Vec<usize>,
    /// The length of the lists at each depth, once one has ended.
    sizes: Vec<Option<usize>>,
    /// How many lists each number is nested in, once there is a number.
    depth: Option<usize>,
    words: Vec<String>,
}

impl Lists {
    fn new() -> Self {
        Lists { open: Vec::new(), sizes: Vec::new(), depth: None, words: Vec::new() }
    }

    fn read(mut self, text: &str) -> Result<Numbers, String> {
        let mut rest = text.trim();
        // Whether a number or a list must come next, rather than a comma or a closing bracket.
        let mut wanted = true;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '[' | ']' | ',' => 1,
                _ => rest.find(|c: char| "[],".contains(c) || c.is_whitespace()).unwrap_or(rest.len()),
            };
            let (token, after) = rest.split_at(length);
            wanted = match (token, wanted) {
                ("[", true) => self.begin()?,
                ("]", _) => self.end(wanted)?,
                (",", false) if !self.open.is_empty() => true,
                ("[" | ",", _) => return Err(format!("`{token}` is not expected before `{}`", after.trim())),
                (_, true) => self.word(token)?,
                (_, false) => return Err(format!("a comma is missing before `{token}`")),
            };
            rest = after.trim_start();
        }
        if wanted || !self.open.is_empty() {
            return Err(format!("`{text}` ends too early: a `]` or a number is missing"));
        }
        Ok(Numbers { dims: self.sizes.into_iter().flatten().collect(), words: self.words })
    }

    fn begin(&mut self) -> Result<bool, String> {
        if self.depth.is_some_and(|depth| self.open.len() >= depth) {
            return Err("lists and numbers are mixed side by side".into());
        }
        self.open.push(0);
        if self.sizes.len() < self.open.len() {
            self.sizes.push(None);
        }
        Ok(true)
    }

    fn end(&mut self, wanted: bool) -> Result<bool, String> {
        let Some(size) = self.open.pop() else { return Err("there is a `]` without its `[`".into()) };
        if wanted && size > 0 {
            return Err("a number is missing between `,` and `]`".into());
        }
        if let Some(known) = self.sizes.get_mut(self.open.len()) {
            match *known {
                Some(other) if other != size => {
                    return Err(format!("lists side by side have {other} and {size} elements"));
                }
                _ => *known = Some(size),
            }
        }
        self.count();
        Ok(false)
    }

    fn word(&mut self, word: &str) -> Result<bool, String> {
        if !is_number(word) {
            return Err(format!("`{word}` is not a number"));
        }
        if *self.depth.get_or_insert(self.open.len()) != self.open.len() || self.sizes.len() > self.open.len()
        {
            return Err("lists and numbers are mixed side by side".into());
        }
        self.words.push(word.into());
        self.count();
        Ok(false)
    }

    fn count(&mut self) {
        if let Some(count) = self.open.last_mut() {
            *count += 1;
        }
    }
}

fn is_number(word: &str) -> bool {
    boolean(word).is_some() || word.parse::<f64>().is_ok() || complex(word).is_some()
}

fn boolean(word: &str) -> Option<bool> {
    match word {
        "true" | "True" => Some(true),
        "false" | "False" => Some(false),
        _ => None,
    }
}

/// `1+2j` or `2j`, as Python writes complex numbers.
fn complex(word: &str) -> Option<Complex64> {
    let parts = word.strip_suffix('j')?;
    // The sign between the parts is the last one that does not belong to an exponent.
    let between = parts
        .char_indices()
        .rev()
        .find(|&(at, c)| at > 0 && (c == '+' || c == '-') && !parts[..at].ends_with(['e', 'E']));
    let (re, im) = parts.split_at(between.map_or(0, |(at, _)| at));
    let re = if re.is_empty() { 0.0 } else { re.parse().ok()? };
    Some(Complex64 { re, im: im.parse().ok()? })
}

/// The number in this element type, or `None` if the type cannot represent it. Floats are rounded.
fn number(word: &str, dtype: DType) -> Option<Scalar> {
    match dtype.class() {
        Class::Bool => match (boolean(word), word) {
            (Some(truth), _) => Some(Scalar::Int(i128::from(truth))),
            (None, "0") => Some(Scalar::Int(0)),
            (None, "1") => Some(Scalar::Int(1)),
            _ => None,
        },
        Class::Signed | Class::Unsigned => {
            let (low, high) = dtype.int_range()?;
            word.parse().ok().filter(|x| (low..=high).contains(x)).map(Scalar::Int)
        }
        // Parse as f32 directly: rounding twice could give a neighboring value.
        Class::Float if dtype == DType::F32 => {
            let x: f32 = word.parse().ok()?;
            (x.is_finite() || word.parse().is_ok_and(|x: f64| !x.is_finite()))
                .then_some(Scalar::Float(x.into()))
        }
        Class::Float => float(word.parse().ok()?, dtype).map(Scalar::Float),
        Class::Complex => {
            let Complex64 { re, im } =
                complex(word).or_else(|| Some(Complex64 { re: word.parse().ok()?, im: 0.0 }))?;
            Some(Scalar::Complex(Complex64 { re: float(re, dtype.real())?, im: float(im, dtype.real())? }))
        }
    }
}

/// A float rounded to the type, or `None` if a finite number is too large for it.
fn float(x: f64, dtype: DType) -> Option<f64> {
    let rounded = Scalar::Float(x).convert(dtype).to_f64();
    (rounded.is_finite() || !x.is_finite()).then_some(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Numbers, String> {
        Numbers::read(text).expect("it is meant as numbers")
    }

    #[test]
    fn a_number_or_nested_lists_are_read() {
        let dims = |text| read(text).unwrap().dims;
        assert!(dims("-0.7e-3").is_empty());
        assert_eq!(dims("[1, 2,3]"), [3]);
        assert_eq!(dims(" [[1,2],[3,4],[5,6]] "), [3, 2]);
        assert_eq!(dims("[[[1]],[[2]]]"), [2, 1, 1]);
        assert_eq!((dims("[]"), dims("[[],[]]")), (vec![0], vec![2, 0]));
        for file in ["x.npy", "weights.safetensors", "./1", "1.npy", "j", "-", "a[1]", ""] {
            assert!(Numbers::read(file).is_none(), "{file}");
        }
    }

    #[test]
    fn what_is_wrong_with_lists_is_said() {
        for (text, says) in [
            ("[1,2", "ends too early"),
            ("[1,", "ends too early"),
            ("[1]]", "without its `[`"),
            ("[1,]", "between `,` and `]`"),
            ("[,1]", "`,` is not expected"),
            ("[1 2]", "a comma is missing before `2`"),
            ("[1],2", "`,` is not expected"),
            ("[1][2]", "`[` is not expected"),
            ("[[1,2],[3]]", "have 2 and 1 elements"),
            ("[[1],2]", "side by side"),
            ("[1,[2]]", "side by side"),
            ("[[],[[]]]", "have 0 and 1 elements"),
            ("[[[]],1]", "side by side"),
            ("[a.npy]", "`a.npy` is not a number"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn numbers_take_the_type_of_the_tensor_or_are_refused() {
        let literal = |text, dtype| read(text).unwrap().literal(dtype);
        assert_eq!(literal("[0.7,nan,-inf]", DType::F32).unwrap().as_slice::<f32>().unwrap()[0], 0.7);
        assert_eq!(
            literal("[9007199254740993]", DType::I64).unwrap().as_slice(),
            Ok(&[(1i64 << 53) + 1][..])
        );
        assert_eq!(literal("[true,0,1]", DType::Bool).unwrap().bytes(), [1, 0, 1]);
        let z = literal("[1+2j,-1e-3-0.5j,2j,3]", DType::C64).unwrap();
        assert_eq!(z.as_slice::<[f32; 2]>(), Ok(&[[1.0, 2.0], [-1e-3, -0.5], [0.0, 2.0], [3.0, 0.0]][..]));
        for (text, dtype) in [
            ("1e39", DType::F32),
            ("1e5", DType::F16),
            ("1e3", DType::F8E4M3),
            ("true", DType::F32),
            ("1j", DType::F64),
            ("0.5", DType::I32),
            ("300", DType::U8),
            ("-1", DType::U8),
            ("2", DType::Bool),
            ("1e39j", DType::C64),
        ] {
            assert_eq!(literal(text, dtype).unwrap_err(), format!("{text} is not a valid {dtype}"));
        }
    }
}
