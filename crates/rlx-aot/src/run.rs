//! Writes the typed `run` function of a crate, with the checks and errors that keep the rest of the program from
//! failing.

use crate::planning::stored;
use crate::print::Argument;
use crate::sizes::{Found, RunSizes, Size};
use rlx_ir::{DType, Dim, Shape};

const WRONG_LENGTH: &str = "\
/// A slice whose length does not match its shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongLength {
    /// The name of the argument.
    pub name: &'static str,
    /// The number of elements that it must have.
    pub expected: usize,
    /// The number of elements that it has.
    pub got: usize,
}

impl core::fmt::Display for WrongLength {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, \"`{}` needs {} elements, got {}\", self.name, self.expected, self.got)
    }
}

impl core::error::Error for WrongLength {}

fn check(name: &'static str, expected: usize, got: usize) -> Result<(), WrongLength> {
    if expected == got { Ok(()) } else { Err(WrongLength { name, expected, got }) }
}

";

const WRONG_SIZE: &str = "\
/// Why the program cannot run on its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The length of a slice does not match its shape at the sizes that other slices give.
    Length(WrongLength),
    /// No size gives a slice this number of elements.
    NoSize {
        /// The size.
        size: &'static str,
        /// The argument.
        of: &'static str,
        /// The number of elements of the argument.
        got: usize,
    },
    /// A size is outside the range that the program was written for.
    Size {
        /// The size.
        size: &'static str,
        /// The minimum.
        least: usize,
        /// The maximum.
        most: usize,
        /// The value that it has.
        got: isize,
    },
}

impl From<WrongLength> for RunError {
    fn from(wrong: WrongLength) -> Self {
        RunError::Length(wrong)
    }
}

impl core::fmt::Display for RunError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            RunError::Length(wrong) => wrong.fmt(f),
            RunError::NoSize { size, of, got } => write!(f, \"`{of}` has {got} elements, which no value of `{size}` gives\"),
            RunError::Size { size, least, most, got } => {
                write!(f, \"`{size}` is {got}, but must be between {least} and {most}\")
            }
        }
    }
}

impl core::error::Error for RunError {}

/// Solves `got == factor * size + offset` for the size. If `factor` is 0 the length does not determine the size, and the minimum is used.
#[allow(dead_code)]
fn told(
    size: &'static str,
    (of, got): (&'static str, usize),
    [factor, offset]: [isize; 2],
    [least, most]: [usize; 2],
) -> Result<isize, RunError> {
    let elements = got as isize - offset;
    if factor == 0 {
        return within(size, least as isize, [least, most]);
    }
    if elements % factor != 0 {
        return Err(RunError::NoSize { size, of, got });
    }
    within(size, elements / factor, [least, most])
}

fn within(size: &'static str, got: isize, [least, most]: [usize; 2]) -> Result<isize, RunError> {
    if got < least as isize || got > most as isize {
        return Err(RunError::Size { size, least, most, got });
    }
    Ok(got)
}

";

/// Returns the errors of a crate and the functions that find them, and, if it has sizes, the maximum of each.
pub(crate) fn errors(sizes: &RunSizes) -> String {
    let mut text = String::from(WRONG_LENGTH);
    if !sizes.is_empty() {
        text.push_str(WRONG_SIZE);
    }
    for Size { name, most, .. } in &sizes.list {
        let constant = name.to_uppercase();
        text.push_str(&format!("/// The largest `{name}`.\npub const MAX_{constant}: usize = {most};\n\n"));
    }
    if sizes.list.iter().all(|size| matches!(size.found, Found::Passed)) && !sizes.is_empty() {
        let bounds = sizes.list.iter().map(|size| format!("[{}, {}]", size.least, size.most));
        let (count, bounds) = (sizes.list.len(), bounds.collect::<Vec<_>>().join(", "));
        text.push_str(
            "/// The minimum and the maximum of each size, in the order in which `run` takes them.\n",
        );
        text.push_str(&format!("pub const SIZES: [[usize; 2]; {count}] = [{bounds}];\n\n"));
    }
    text
}

/// Describes the slice of a shape for the docs.
fn described(shape: &Shape) -> String {
    let bits = match shape.dtype() {
        dtype if dtype.is_float() && !matches!(dtype, DType::F32 | DType::F64) => ", as bits",
        _ => "",
    };
    format!("{}{bits}, row-major", rlx_escape::markdown_code(&shape.to_string()))
}

/// Returns the function that runs the program and passes on `names`. `weights` says whether the caller passed the
/// weights, if there are any.
pub(crate) fn run(
    sizes: &RunSizes,
    [inputs, outputs]: &[Vec<Argument>; 2],
    names: &str,
    (weights, has_threads): (Option<bool>, bool),
) -> String {
    let mut docs = String::from("    /// Runs the program.\n    ///\n");
    let mut parameters = String::from("        &mut self,\n");
    let mut checks = String::new();
    for size in &sizes.list {
        docs.push_str(&format!("    /// - `{}`: a size from {} to {}", size.name, size.least, size.most));
        match &size.found {
            Found::Length { of, .. } => docs.push_str(&format!(", given by the length of `{of}`\n")),
            Found::Passed => {
                docs.push('\n');
                parameters.push_str(&format!("        {}: usize,\n", size.name));
            }
        }
        checks.push_str(&format!("        {}\n", found(size, sizes)));
    }
    for (list, mutable) in [(inputs, ""), (outputs, "mut ")] {
        for Argument { name, shape } in list {
            docs.push_str(&format!("    /// - `{name}`: {}\n", described(shape)));
            parameters.push_str(&format!("        {name}: &{mutable}[{}],\n", stored(shape.dtype()).0));
            let count = sizes.text(&shape.num_elements_dim());
            checks.push_str(&format!("        self::check(\"{name}\", {count}, {name}.len())?;\n"));
        }
    }
    let (error, refused) = match sizes.is_empty() {
        true => ("WrongLength", "Fails if the length of a slice does not match its shape."),
        false => {
            ("RunError", "Fails if no sizes match the lengths of the slices, or if a size is out of range.")
        }
    };
    docs.push_str(&format!("    ///\n    /// # Errors\n    /// {refused} Then nothing is computed.\n"));
    let mut body = String::new();
    match weights {
        Some(true) => body.push_str("        let weights: &[u8] = self.weights;\n"),
        Some(false) => body.push_str("        let weights: &[u8] = WEIGHTS;\n"),
        None => {}
    }
    body.push_str("        let memory = &mut self.memory;\n");
    if has_threads {
        body.push_str("        let team = &mut self.team;\n");
    }
    body.push_str(&format!("        self.machine.run({names});\n"));
    format!(
        "{docs}    #[allow(unused, clippy::all)]\n    pub fn run(\n{parameters}    ) -> Result<(), {error}> {{\n{checks}{body}        Ok(())\n    }}\n"
    )
}

/// Returns the statement that finds a size and checks it.
fn found(Size { name, least, most, found, .. }: &Size, sizes: &RunSizes) -> String {
    let bounds = format!("[{least}, {most}]");
    match found {
        Found::Length { of, factor, offset } => {
            let [factor, offset] = [factor, offset].map(|dim: &Dim| sizes.number(dim));
            format!(
                "let {name} = self::told(\"{name}\", (\"{of}\", {of}.len()), [{factor}, {offset}], {bounds})?;"
            )
        }
        Found::Passed => {
            format!(
                "let {name} = self::within(\"{name}\", isize::try_from({name}).unwrap_or(isize::MAX), {bounds})?;"
            )
        }
    }
}
