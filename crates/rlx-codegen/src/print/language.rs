//! The trait that a language implements to be printed: its table of spellings.
//!
//! [`Scalars`] has types, numbers and the functions that the language computes by means of its own; [`Statements`] has the lines. A method
//! is a row: it is given texts and gives a text, which may have several lines. What a kernel's statement consists of, which op is an
//! operator, and what is rounded when, is the printer's business.

use crate::kernel::{BufferId, Level, Space};
use crate::swizzle::Swizzle;
use rlx_ir::{BinaryOp, CompareOp, DType, Named, Scalar, UnaryOp};

/// A language in which kernels are printed.
pub trait Language: Scalars + Statements {
    /// What errors call it.
    const NAME: &'static str;
    /// Words that no variable may be, with blanks between them.
    const WORDS: &'static str;
    /// The lines that begin a block without a head, stand between two branches, and end a block.
    const BLOCK: [&'static str; 3] = ["{", "} else {", "}"];
    /// Local arrays up to so many bytes are variables; memory for larger ones is passed by the caller.
    const ARRAY_BYTES: usize;

    /// Whether no variable may be called so.
    fn is_reserved(word: &str) -> bool {
        Self::WORDS.split(' ').any(|reserved| reserved == word)
    }
}

/// A function of the op table that has no operator in every language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarFunction {
    /// Of one scalar.
    Unary(UnaryOp),
    /// Of two.
    Binary(BinaryOp),
    /// The regularised incomplete beta function.
    Betainc,
    /// Rounding to fewer bits of exponent and mantissa.
    ReducePrecision(u32, u32),
}

impl ScalarFunction {
    /// The op's name.
    pub fn name(self) -> &'static str {
        match self {
            ScalarFunction::Unary(op) => op.name(),
            ScalarFunction::Binary(op) => op.name(),
            ScalarFunction::Betainc => "betainc",
            ScalarFunction::ReducePrecision(..) => "reduce_precision",
        }
    }
}

/// Scalars. Their texts are names of variables, or stand in parentheses; what a method gives may be any expression. `None` is what the
/// language cannot say.
pub trait Scalars {
    /// The type of elements in memory.
    fn stored(&self, dtype: DType) -> &'static str;
    /// The type of variables. Where it is another one than in memory, arithmetic is rounded by [`rounded`](Scalars::rounded).
    fn scalar(&self, dtype: DType) -> &'static str;
    /// A number of a type, which it is already rounded to.
    fn constant(&self, dtype: DType, value: Scalar) -> String;
    /// The value of an index expression as an integer.
    fn index(&self, dtype: DType, index: &str) -> String;
    /// An element of a buffer as a scalar.
    fn load(&self, buffer: BufferId, dtype: DType, place: &str) -> String;
    /// A scalar as an element in memory.
    fn store(&self, dtype: DType, x: &str) -> String;

    /// The real value of a scalar in the widest float that functions are computed in.
    fn wide(&self, dtype: DType, x: &str) -> String;
    /// A wide float rounded to a float type.
    fn round(&self, dtype: DType, x: &str) -> String;
    /// What was computed in the type of variables, rounded to a type of elements.
    fn rounded(&self, dtype: DType, x: String) -> String;
    /// A real number as an integer, truncated and saturated.
    fn truncated(&self, from: DType, to: DType, x: &str) -> String;
    /// A complex number of two wide floats.
    fn complex(&self, re: &str, im: &str) -> String;
    /// The bits of a scalar as another type of the same width.
    fn bitcast(&self, from: DType, to: DType, x: &str) -> Option<String>;

    /// One of two scalars.
    fn select(&self, condition: &str, a: &str, b: &str) -> String;
    /// Compares floats in their total order, in which −0 is below 0 and NaN is a number as others are.
    fn total_order(&self, op: CompareOp, a: &str, b: &str) -> Option<String>;
    /// a · b + c of floats, rounded once.
    fn fma(&self, dtype: DType, args: [&str; 3]) -> Option<String>;
    /// A function on scalars of a type, rounded. Of floats `None` where it is computed wide.
    fn function(&self, function: ScalarFunction, dtype: DType, args: &[&str]) -> Option<String>;
    /// A function on wide floats.
    fn wide_function(&self, function: ScalarFunction, args: &[String]) -> Option<String>;
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is a scalar of.
    pub dtype: DType,
}

/// What a function is passed.
#[derive(Clone, Debug)]
pub struct Head<'a> {
    /// What the function is called.
    pub name: &'a str,
    /// Memory: the kernel's parameters, then large arrays.
    pub memory: Vec<MemoryParam>,
    /// The names of sizes.
    pub sizes: Vec<String>,
}

/// Memory that a function is passed.
#[derive(Clone, Debug)]
pub struct MemoryParam {
    /// What the function calls it.
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
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its extents; none of a single element.
    pub extents: Vec<usize>,
    /// Which lanes hold it.
    pub space: Space,
}

/// The head of a counting loop.
#[derive(Clone, Debug)]
pub struct LoopHead<'a> {
    /// The variable that counts from 0.
    pub variable: &'a str,
    /// How often it runs.
    pub extent: &'a str,
    /// From the last index to the first.
    pub reverse: bool,
    /// What runs the iterations.
    pub level: Level,
}

/// Part of a buffer that a loop takes before it begins.
#[derive(Clone, Debug)]
pub struct BufferPart<'a> {
    /// The name for it.
    pub name: &'a str,
    /// The buffer's.
    pub of: &'a str,
    /// Its first element.
    pub first: &'a str,
    /// How many there are.
    pub length: &'a str,
    /// Whether the loop stores to it.
    pub is_written: bool,
}

/// Lines, and the index expressions in them. A head of a block ends in its brace.
pub trait Statements {
    /// The function up to its first statement.
    fn head(&self, head: &Head<'_>) -> String;
    /// Defines a variable; `changes` tells whether loops assign to it.
    fn define(&self, variable: &Variable, value: &str, changes: bool) -> String;
    /// Assigns to variables at once: the values may read them.
    fn assign(&self, variables: &[Variable], values: &[String]) -> String;
    /// Makes an integer scalar a variable of index expressions.
    fn name(&self, symbol: &str, scalar: &str) -> String;
    /// Makes a local array.
    fn array(&self, array: &Array) -> String;
    /// Where an element of an array lies whose elements are in another order than the row-major one; the array is one of a single axis then.
    /// `None` in a language of machines whose memory has no banks: it takes elements in their order.
    fn swizzled(&self, _place: &str, _order: Swizzle) -> Option<String> {
        None
    }
    /// Stores an element, if there is a guard where that holds.
    fn put(&self, place: &str, element: &str, guard: Option<&str>) -> String;
    /// All lanes of a group wait for each other.
    fn barrier(&self) -> Option<String> {
        None
    }

    /// Takes part of a buffer as a slice; `None` in a language without slices, which indexes the buffer.
    fn part(&self, _part: &BufferPart<'_>) -> Option<String> {
        None
    }
    /// Begins a loop that counts.
    fn count(&self, head: &LoopHead<'_>) -> String;
    /// Begins a loop that runs at most so often.
    fn at_most(&self, bound: &str) -> String;
    /// Leaves such a loop where a condition does not hold.
    fn leave_unless(&self, condition: &str) -> String;

    /// Begins a branch, which gives these variables.
    fn branch(&self, condition: &str, results: &[Variable]) -> String;
    /// What a branch gives, as its last line.
    fn give(&self, results: &[Variable], values: &[String]) -> String;
    /// Ends the branches.
    fn end_branch(&self, results: &[Variable]) -> String;

    /// A number among index expressions.
    fn number(&self, number: &str) -> String {
        number.to_string()
    }
    /// An index expression as the place of an element, or as a length.
    fn at(&self, index: &str) -> String {
        index.to_string()
    }
    /// `floor(a / b)` of index expressions for b > 0; `positive` where a is at least 0. What it gives needs no parentheses.
    fn floor_divide(&self, a: &str, b: &str, positive: bool) -> String;
    /// The larger of two index expressions, likewise.
    fn larger(&self, a: &str, b: &str) -> String;
}
