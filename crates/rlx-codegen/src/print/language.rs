//! The trait that a language implements to be printed: its table of spellings.
//!
//! [`Scalars`] contains types, numbers and the functions that the language computes in its own way, and [`Statements`]
//! contains the lines. A method is a row: it takes texts and returns a text, which may have several lines. The printer
//! decides what the statements of a kernel consist of, which op is an operator, and what is rounded when.

use crate::kernel::{BufferId, Level, Space};
use crate::swizzle::Swizzle;
use rlx_ir::{BinaryOp, CompareOp, DType, Named, Scalar, UnaryOp};

/// A language in which kernels are printed.
pub trait Language: Scalars + Statements {
    /// The name in errors.
    const NAME: &'static str;
    /// Words that variables must not be called, separated by blanks.
    const WORDS: &'static str;
    /// The lines that start a block without a head, separate two branches, and end a block.
    const BLOCK: [&'static str; 3] = ["{", "} else {", "}"];
    /// The maximum number of bytes of local arrays that are variables. The caller passes memory for larger ones.
    const ARRAY_BYTES: usize;

    /// Returns whether variables must not have this name.
    fn is_reserved(word: &str) -> bool {
        Self::WORDS.split(' ').any(|reserved| reserved == word)
    }

    /// Returns whether the language lacks a function of floats below f64. If `rlx-math` has it, it is written as operators
    /// ([`with_operators`](crate::elementary::with_operators)).
    fn lacks(&self, _function: UnaryOp) -> bool {
        false
    }
    /// Returns whether these operators may use [`fma`](Scalars::fma).
    fn has_fma(&self) -> bool {
        false
    }
}

/// A function of the op table that is not an operator in every language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarFunction {
    /// A function of one scalar.
    Unary(UnaryOp),
    /// A function of two scalars.
    Binary(BinaryOp),
    /// The regularized incomplete beta function.
    Betainc,
    /// Rounding to this number of exponent bits and mantissa bits.
    ReducePrecision(u32, u32),
}

impl ScalarFunction {
    /// Returns the op's name.
    pub fn name(self) -> &'static str {
        match self {
            ScalarFunction::Unary(op) => op.name(),
            ScalarFunction::Binary(op) => op.name(),
            ScalarFunction::Betainc => "betainc",
            ScalarFunction::ReducePrecision(..) => "reduce_precision",
        }
    }
}

/// The spelling of scalars. Arguments are names of variables or texts in parentheses, and methods may return any
/// expression. `None` means that the language cannot express it.
pub trait Scalars {
    /// Returns the type of elements in memory.
    fn stored(&self, dtype: DType) -> &'static str;
    /// Returns the type of variables. If it differs from that in memory, [`rounded`](Scalars::rounded) rounds the results of arithmetic.
    fn scalar(&self, dtype: DType) -> &'static str;
    /// Returns a number of a type, to which it is already rounded.
    fn constant(&self, dtype: DType, value: Scalar) -> String;
    /// Returns the value of an index expression as an integer.
    fn index(&self, dtype: DType, index: &str) -> String;
    /// Returns an element of a buffer as a scalar.
    fn load(&self, buffer: BufferId, dtype: DType, place: &str) -> String;
    /// Returns a scalar as an element in memory.
    fn store(&self, dtype: DType, x: &str) -> String;

    /// Returns the real value of a scalar in the widest float type in which functions are computed.
    fn wide(&self, dtype: DType, x: &str) -> String;
    /// Rounds a wide float to a float type.
    fn round(&self, dtype: DType, x: &str) -> String;
    /// Rounds a result in the type of variables to a type of elements.
    fn rounded(&self, dtype: DType, x: String) -> String;
    /// Converts a real number to an integer by truncation with saturation.
    fn truncated(&self, from: DType, to: DType, x: &str) -> String;
    /// Makes a complex number of two wide floats.
    fn complex(&self, re: &str, im: &str) -> String;
    /// Reinterprets the bits of a scalar as another type of the same width.
    fn bitcast(&self, from: DType, to: DType, x: &str) -> Option<String>;

    /// Selects one of two scalars.
    fn select(&self, condition: &str, a: &str, b: &str) -> String;
    /// Compares floats in their total order, in which −0 is below 0 and NaN is ordered like other numbers.
    fn total_order(&self, op: CompareOp, a: &str, b: &str) -> Option<String>;
    /// Computes a · b + c of floats, rounded once.
    fn fma(&self, dtype: DType, args: [&str; 3]) -> Option<String>;
    /// Computes a function on scalars of a type, rounded. Returns `None` for floats if it is computed on wide floats.
    fn function(&self, function: ScalarFunction, dtype: DType, args: &[&str]) -> Option<String>;
    /// Computes a function on wide floats.
    fn wide_function(&self, function: ScalarFunction, args: &[String]) -> Option<String>;
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The type of the scalar.
    pub dtype: DType,
}

/// The name and parameters of a function.
#[derive(Clone, Debug)]
pub struct Head<'a> {
    /// The name of the function.
    pub name: &'a str,
    /// The memory: the kernel's parameters, followed by large arrays.
    pub memory: Vec<MemoryParam>,
    /// The names of sizes.
    pub sizes: Vec<String>,
}

/// A memory parameter of a function.
#[derive(Clone, Debug)]
pub struct MemoryParam {
    /// The name inside the function.
    pub name: String,
    /// The buffer.
    pub buffer: BufferId,
    /// The type of its elements.
    pub dtype: DType,
    /// Whether the function stores to it.
    pub is_written: bool,
}

/// A local array that is a variable.
#[derive(Clone, Debug)]
pub struct Array {
    /// The name.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// The extents. An array of a single element has none.
    pub extents: Vec<usize>,
    /// Which lanes hold it.
    pub space: Space,
}

/// The head of a counting loop.
#[derive(Clone, Debug)]
pub struct LoopHead<'a> {
    /// The variable that counts from 0.
    pub variable: &'a str,
    /// The number of iterations.
    pub extent: &'a str,
    /// Whether it runs from the last index to the first.
    pub reverse: bool,
    /// What runs the iterations.
    pub level: Level,
}

/// A part of a buffer that a loop takes as a slice before it begins.
#[derive(Clone, Debug)]
pub struct BufferPart<'a> {
    /// The name of the slice.
    pub name: &'a str,
    /// The name of the buffer.
    pub of: &'a str,
    /// The first element.
    pub first: &'a str,
    /// The number of elements.
    pub length: &'a str,
    /// Whether the loop stores to it.
    pub is_written: bool,
}

/// The spelling of lines, and of the index expressions in them. The head of a block ends with its brace.
pub trait Statements {
    /// Returns the function up to its first statement.
    fn head(&self, head: &Head<'_>) -> String;
    /// Defines a variable. `changes` says whether loops assign to it.
    fn define(&self, variable: &Variable, value: &str, changes: bool) -> String;
    /// Assigns to several variables at the same time: the values may use the variables.
    fn assign(&self, variables: &[Variable], values: &[String]) -> String;
    /// Makes an integer scalar a variable of index expressions.
    fn name(&self, symbol: &str, scalar: &str) -> String;
    /// Makes a local array.
    fn array(&self, array: &Array) -> String;
    /// Returns the position of an element of an array whose elements are not in row-major order. The array then has a
    /// single axis. Languages for machines whose memory has no banks return `None`, and use row-major order.
    fn swizzled(&self, _place: &str, _order: Swizzle) -> Option<String> {
        None
    }
    /// Stores an element, under a guard if there is one.
    fn put(&self, place: &str, element: &str, guard: Option<&str>) -> String;
    /// Makes all lanes of a group wait for each other.
    fn barrier(&self) -> Option<String> {
        None
    }

    /// Takes a part of a buffer as a slice. A language without slices returns `None`, and indexes the buffer instead.
    fn part(&self, _part: &BufferPart<'_>) -> Option<String> {
        None
    }
    /// Starts a counting loop.
    fn count(&self, head: &LoopHead<'_>) -> String;
    /// Starts a loop that runs at most `bound` times.
    fn at_most(&self, bound: &str) -> String;
    /// Leaves such a loop if a condition does not hold.
    fn leave_unless(&self, condition: &str) -> String;

    /// Starts a branch that returns these variables.
    fn branch(&self, condition: &str, results: &[Variable]) -> String;
    /// Returns the results of a branch, as its last line.
    fn give(&self, results: &[Variable], values: &[String]) -> String;
    /// Ends the branches.
    fn end_branch(&self, results: &[Variable]) -> String;

    /// Returns a number in an index expression.
    fn number(&self, number: &str) -> String {
        number.to_string()
    }
    /// Returns an index expression as the position of an element, or as a length.
    fn at(&self, index: &str) -> String {
        index.to_string()
    }
    /// Returns `floor(a / b)` of index expressions for b > 0. `positive` means that a is at least 0. The result needs no parentheses.
    fn floor_divide(&self, a: &str, b: &str, positive: bool) -> String;
    /// Returns the larger of two index expressions, which needs no parentheses either.
    fn larger(&self, a: &str, b: &str) -> String;
}
