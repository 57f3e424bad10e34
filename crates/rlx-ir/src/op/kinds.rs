//! The small closed enums that ops carry as attributes (`UnaryOp`, `ReduceOp`, `MaskKind`, …), one row per variant. Each row is a
//! variant, its name in the text form and its meaning. Families of elementwise functions also state which element types they
//! accept.

use crate::dtype::{DType, DTypeSet};

pub use rlx_quant::QuantScheme;

/// An enum whose variants have names in the text form.
pub trait Named: Copy + PartialEq + 'static {
    /// Every variant.
    const VARIANTS: &'static [Self];
    /// The name of the enum in messages.
    const WHAT: &'static str;
    /// The variant's name.
    fn name(self) -> &'static str;
    /// What the variant means, in one sentence.
    fn doc(self) -> &'static str;
    /// The variant with this name.
    fn from_name(name: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|v| v.name() == name)
    }
}

macro_rules! named {
    ($(#[$meta:meta])* $Enum:ident $what:literal { $($(#[doc = $doc:literal])* $Variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $Enum { $($(#[doc = $doc])* $Variant,)* }

        impl Named for $Enum {
            const VARIANTS: &'static [Self] = &[$($Enum::$Variant),*];
            const WHAT: &'static str = $what;
            fn name(self) -> &'static str {
                match self { $($Enum::$Variant => $name),* }
            }
            fn doc(self) -> &'static str {
                match self { $($Enum::$Variant => concat!($($doc),*).trim_ascii()),* }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(Named::name(*self))
            }
        }
    };
}

named! {
    /// Elementwise functions of one tensor.
    UnaryOp "unary function" {
        /// Negation; integers wrap.
        Neg = "neg",
        /// Absolute value; for a complex number, its modulus as a real. The minimum of a signed integer type maps to itself.
        Abs = "abs",
        /// −1, 0 or 1; −0, +0 and NaN map to themselves. For a complex number, z/|z|.
        Sign = "sign",
        /// Largest integer not above x.
        Floor = "floor",
        /// Smallest integer not below x.
        Ceil = "ceil",
        /// Nearest integer, ties to even.
        RoundEven = "round_even",
        /// Nearest integer, ties away from zero.
        RoundAway = "round_away",
        /// e^x.
        Exp = "exp",
        /// e^x − 1, accurate near 0.
        Expm1 = "expm1",
        /// Natural logarithm.
        Log = "log",
        /// log(1 + x), accurate near 0.
        Log1p = "log1p",
        /// Square root; NaN for a negative real number.
        Sqrt = "sqrt",
        /// 1 / sqrt(x).
        Rsqrt = "rsqrt",
        /// Real cube root.
        Cbrt = "cbrt",
        /// Sine of an angle in radians.
        Sin = "sin",
        /// Cosine of an angle in radians.
        Cos = "cos",
        /// Tangent of an angle in radians.
        Tan = "tan",
        /// Inverse sine.
        Asin = "asin",
        /// Inverse cosine.
        Acos = "acos",
        /// Inverse tangent.
        Atan = "atan",
        /// Hyperbolic sine.
        Sinh = "sinh",
        /// Hyperbolic cosine.
        Cosh = "cosh",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// Inverse hyperbolic sine.
        Asinh = "asinh",
        /// Inverse hyperbolic cosine.
        Acosh = "acosh",
        /// Inverse hyperbolic tangent.
        Atanh = "atanh",
        /// 1 / (1 + e^−x).
        Logistic = "logistic",
        /// Error function.
        Erf = "erf",
        /// 1 − erf(x), accurate for large x.
        Erfc = "erfc",
        /// Inverse of erf on (−1, 1).
        ErfInv = "erf_inv",
        /// log |Γ(x)|.
        Lgamma = "lgamma",
        /// Derivative of lgamma.
        Digamma = "digamma",
        /// e^−|x| I₀(x), the scaled modified Bessel function of order 0.
        BesselI0e = "bessel_i0e",
        /// e^−|x| I₁(x), the scaled modified Bessel function of order 1.
        BesselI1e = "bessel_i1e",
        /// Whether x is neither infinite nor NaN, as a boolean.
        IsFinite = "is_finite",
        /// Bitwise complement; logical negation of a boolean.
        Not = "not",
        /// Number of set bits.
        Popcnt = "popcnt",
        /// Number of leading zero bits.
        Clz = "clz",
        /// Real part.
        Real = "real",
        /// Imaginary part; 0 for a real number.
        Imag = "imag",
        /// Complex conjugate.
        Conj = "conj",
    }
}

impl UnaryOp {
    /// The element types that the function accepts.
    pub fn accepts(self) -> DTypeSet {
        use UnaryOp::*;
        match self {
            Neg | Abs | Sign => DTypeSet::NUMBER,
            Floor | Ceil | RoundEven | RoundAway | Erf | Erfc | ErfInv | Lgamma | Digamma | BesselI0e
            | BesselI1e => DTypeSet::FLOAT,
            IsFinite => DTypeSet::INEXACT,
            Not => DTypeSet::INT_BOOL,
            Popcnt | Clz => DTypeSet::INT,
            Real | Imag => DTypeSet::INEXACT,
            Conj => DTypeSet::INEXACT,
            Cbrt | Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
            | Cosh | Tanh | Asinh | Acosh | Atanh | Logistic => DTypeSet::INEXACT,
        }
    }

    /// The element type of the result.
    pub fn result(self, operand: DType) -> DType {
        use UnaryOp::*;
        match self {
            Abs | Real | Imag => operand.real(),
            IsFinite => DType::Bool,
            Neg | Sign | Floor | Ceil | RoundEven | RoundAway | Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt
            | Cbrt | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh
            | Logistic | Erf | Erfc | ErfInv | Lgamma | Digamma | BesselI0e | BesselI1e | Not | Popcnt
            | Clz | Conj => operand,
        }
    }
}

named! {
    /// Elementwise functions of two tensors of the same shape.
    BinaryOp "binary function" {
        /// Sum; integers wrap.
        Add = "add",
        /// Difference; integers wrap.
        Sub = "sub",
        /// Product; integers wrap.
        Mul = "mul",
        /// Quotient. Integers truncate toward zero; x / 0 has all bits set, and the minimum of a signed type / −1 is itself.
        Div = "div",
        /// Remainder with the sign of the dividend. For integers, x rem 0 is x.
        Rem = "rem",
        /// Power. Integers wrap; a negative integer exponent gives 0 except for bases 1 and −1.
        Pow = "pow",
        /// Maximum, or logical or for booleans. NaN if either is NaN; complex numbers compare lexicographically.
        Max = "max",
        /// Minimum, or logical and for booleans. NaN if either is NaN; complex numbers compare lexicographically.
        Min = "min",
        /// Angle of the point (rhs, lhs), in radians.
        Atan2 = "atan2",
        /// The next representable value from lhs toward rhs.
        NextAfter = "nextafter",
        /// Bitwise and; logical for booleans.
        And = "and",
        /// Bitwise or; logical for booleans.
        Or = "or",
        /// Bitwise exclusive or; logical for booleans.
        Xor = "xor",
        /// Shift left; 0 if the distance is negative, or not below the width.
        ShiftLeft = "shift_left",
        /// Shift right with sign fill; all sign bits if the distance is negative, or not below the width.
        ShiftRightArithmetic = "shift_right_arithmetic",
        /// Shift right with zero fill; 0 if the distance is negative, or not below the width.
        ShiftRightLogical = "shift_right_logical",
        /// The complex number with real part lhs and imaginary part rhs.
        Complex = "complex",
        /// Derivative of order lhs (an integer value) of digamma, at rhs.
        Polygamma = "polygamma",
        /// Hurwitz zeta function Σ (k + rhs)^−lhs.
        Zeta = "zeta",
        /// Regularized lower incomplete gamma function P(lhs, rhs).
        Igamma = "igamma",
        /// Regularized upper incomplete gamma function Q(lhs, rhs).
        Igammac = "igammac",
    }
}

impl BinaryOp {
    /// The element types that the function accepts.
    pub fn accepts(self) -> DTypeSet {
        use BinaryOp::*;
        match self {
            Add | Mul | Max | Min => DTypeSet::ALL,
            Sub | Div | Pow => DTypeSet::NUMBER,
            Rem => DTypeSet::REAL,
            Atan2 | NextAfter | Polygamma | Zeta | Igamma | Igammac => DTypeSet::FLOAT,
            And | Or | Xor => DTypeSet::INT_BOOL,
            ShiftLeft | ShiftRightArithmetic | ShiftRightLogical => DTypeSet::INT,
            Complex => DTypeSet::of(&[DType::F32, DType::F64]),
        }
    }

    /// The element type of the result.
    pub fn result(self, operand: DType) -> DType {
        use BinaryOp::*;
        match self {
            Complex => operand.complex().unwrap_or(operand),
            Add | Sub | Mul | Div | Rem | Pow | Max | Min | Atan2 | NextAfter | And | Or | Xor
            | ShiftLeft | ShiftRightArithmetic | ShiftRightLogical | Polygamma | Zeta | Igamma | Igammac => {
                operand
            }
        }
    }
}

named! {
    /// Comparisons.
    CompareOp "comparison" {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Less than.
        Lt = "lt",
        /// Less than or equal.
        Le = "le",
        /// Greater than.
        Gt = "gt",
        /// Greater than or equal.
        Ge = "ge",
    }
}

named! {
    /// Reductions, which combine many values into one. Each op accepts some of them; its shape rule lists them if it is given
    /// another.
    ReduceOp "reduction" {
        /// Sum; identity 0.
        Sum = "sum",
        /// Product; identity 1.
        Prod = "prod",
        /// Maximum; identity −inf, or the minimum of the integer type; NaN wins.
        Max = "max",
        /// Minimum; identity +inf, or the maximum of the integer type; NaN wins.
        Min = "min",
        /// Bitwise or logical and; identity all ones.
        And = "and",
        /// Bitwise or logical or; identity 0.
        Or = "or",
        /// Arithmetic mean: a sum and a division, so it has no identity.
        Mean = "mean",
        /// Log of the sum of exponentials; identity −inf.
        LogSumExp = "logsumexp",
    }
}

impl ReduceOp {
    /// The reductions that repeatedly apply a binary function that is associative and commutative and has an identity. `reduce`,
    /// windows and collectives accept these.
    pub const BINARY: &'static [ReduceOp] =
        &[ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or];

    /// The reductions with a running form, which `cumulative` accepts.
    pub const RUNNING: &'static [ReduceOp] =
        &[ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::LogSumExp];

    /// The element types that the reduction accepts.
    pub fn accepts(self) -> DTypeSet {
        match self {
            ReduceOp::Sum | ReduceOp::Prod => DTypeSet::NUMBER,
            ReduceOp::Max | ReduceOp::Min => DTypeSet::REAL.or(DTypeSet::BOOL),
            ReduceOp::And | ReduceOp::Or => DTypeSet::INT_BOOL,
            ReduceOp::Mean => DTypeSet::INEXACT,
            ReduceOp::LogSumExp => DTypeSet::FLOAT,
        }
    }

    /// The elementwise function that the reduction applies repeatedly; `None` if there is none.
    pub fn binary(self) -> Option<BinaryOp> {
        match self {
            ReduceOp::Sum => Some(BinaryOp::Add),
            ReduceOp::Prod => Some(BinaryOp::Mul),
            ReduceOp::Max => Some(BinaryOp::Max),
            ReduceOp::Min => Some(BinaryOp::Min),
            ReduceOp::And => Some(BinaryOp::And),
            ReduceOp::Or => Some(BinaryOp::Or),
            ReduceOp::Mean | ReduceOp::LogSumExp => None,
        }
    }

    /// The reduction that applies a binary function repeatedly.
    pub fn from_binary(op: BinaryOp) -> Option<ReduceOp> {
        ReduceOp::BINARY.iter().copied().find(|kind| kind.binary() == Some(op))
    }
}

named! {
    /// Which extreme an arg-reduction looks for. This is not a [`ReduceOp`], because the results are indices and nothing is
    /// combined.
    ArgOp "arg-reduction" {
        /// Index of the first of the largest elements, or of the first NaN if there is one.
        Max = "max",
        /// Index of the first of the smallest elements, or of the first NaN if there is one.
        Min = "min",
    }
}

/// How scatter stores an update: in place of the old value, or combined with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Combiner {
    /// The update replaces the old value. If an element gets several updates, the last one wins.
    Set,
    /// The old value and the update are reduced: by sum, product, minimum or maximum.
    Reduce(ReduceOp),
}

impl Combiner {
    /// The element types that the combiner accepts.
    pub fn accepts(self) -> DTypeSet {
        match self {
            Combiner::Set => DTypeSet::ALL,
            Combiner::Reduce(kind) => kind.accepts(),
        }
    }

    /// The elementwise function of the old value and the update; `None` if the update replaces the old value.
    pub fn binary(self) -> Option<BinaryOp> {
        match self {
            Combiner::Set => None,
            Combiner::Reduce(kind) => kind.binary(),
        }
    }
}

/// In the text form, a combiner has the name of its binary function, as in StableHLO's regions.
impl Named for Combiner {
    const VARIANTS: &'static [Self] = &[
        Combiner::Set,
        Combiner::Reduce(ReduceOp::Sum),
        Combiner::Reduce(ReduceOp::Prod),
        Combiner::Reduce(ReduceOp::Min),
        Combiner::Reduce(ReduceOp::Max),
    ];
    const WHAT: &'static str = "combiner";

    fn name(self) -> &'static str {
        match self {
            Combiner::Set => "set",
            Combiner::Reduce(kind) => kind.binary().map_or_else(|| kind.name(), BinaryOp::name),
        }
    }

    fn doc(self) -> &'static str {
        match self {
            Combiner::Set => {
                "The update replaces the old value; if an element gets several updates, the last one wins."
            }
            Combiner::Reduce(kind) => kind.doc(),
        }
    }
}

impl std::fmt::Display for Combiner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

named! {
    /// The order of a sort without a comparator. NaN sorts last, and −0 and 0 are equal.
    SortOrder "sort order" {
        /// Smallest first.
        Ascending = "ascending",
        /// Largest first; this is the reverse order, so NaN sorts first.
        Descending = "descending",
    }
}

named! {
    /// The form in which a triangular solve uses a matrix.
    TransposeOp "matrix form" {
        /// Not transposed.
        None = "none",
        /// Transposed.
        Transpose = "transpose",
        /// Conjugated and transposed.
        Adjoint = "adjoint",
    }
}

named! {
    /// Discrete Fourier transforms, over the last axes.
    FftKind "Fourier transform" {
        /// Complex to complex, unscaled.
        Fft = "fft",
        /// Complex to complex, inverse, scaled by 1/n.
        Ifft = "ifft",
        /// Real numbers to the non-redundant half of the complex spectrum.
        Rfft = "rfft",
        /// Half of the spectrum to real numbers, scaled by 1/n.
        Irfft = "irfft",
    }
}

named! {
    /// Counter-based generators of random bits.
    RngAlgorithm "random generator" {
        /// Threefry-2x32 with 20 rounds; state `u64[2]` (key, counter).
        Threefry = "threefry2x32",
        /// Philox-4x32 with 10 rounds; state `u64[2]` or `u64[3]` (key, counter).
        Philox = "philox4x32",
    }
}

named! {
    /// Elementwise functions that models use by name; each is a composition of primitives.
    Activation "activation" {
        /// max(x, 0).
        Relu = "relu",
        /// min(max(x, 0), 6).
        Relu6 = "relu6",
        /// x Φ(x) = x (1 + erf(x/√2)) / 2.
        Gelu = "gelu",
        /// The tanh form of GELU: x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.
        GeluTanh = "gelu_tanh",
        /// x sigmoid(x).
        Silu = "silu",
        /// 1 / (1 + e^−x).
        Sigmoid = "sigmoid",
        /// log(1 + e^x).
        Softplus = "softplus",
        /// x for x > 0, e^x − 1 elsewhere.
        Elu = "elu",
        /// x relu6(x + 3) / 6.
        HardSwish = "hard_swish",
        /// relu6(x + 3) / 6.
        HardSigmoid = "hard_sigmoid",
        /// x tanh(softplus(x)).
        Mish = "mish",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// e^x.
        Exp = "exp",
        /// Natural logarithm.
        Log = "log",
        /// Square root.
        Sqrt = "sqrt",
        /// 1 / sqrt(x).
        Rsqrt = "rsqrt",
        /// 1 / x.
        Recip = "recip",
        /// x².
        Square = "square",
        /// −x.
        Neg = "neg",
        /// |x|.
        Abs = "abs",
        /// Sine.
        Sin = "sin",
        /// Cosine.
        Cos = "cos",
        /// Tangent.
        Tan = "tan",
        /// Inverse tangent.
        Atan = "atan",
        /// Error function.
        Erf = "erf",
        /// Nearest integer, ties to even; its gradient is the identity (straight-through).
        Round = "round",
    }
}

impl Activation {
    /// The primitive function that the activation is another name for; `None` if it is a composition.
    pub fn unary(self) -> Option<UnaryOp> {
        Some(match self {
            Activation::Sigmoid => UnaryOp::Logistic,
            Activation::Tanh => UnaryOp::Tanh,
            Activation::Exp => UnaryOp::Exp,
            Activation::Log => UnaryOp::Log,
            Activation::Sqrt => UnaryOp::Sqrt,
            Activation::Rsqrt => UnaryOp::Rsqrt,
            Activation::Neg => UnaryOp::Neg,
            Activation::Abs => UnaryOp::Abs,
            Activation::Sin => UnaryOp::Sin,
            Activation::Cos => UnaryOp::Cos,
            Activation::Tan => UnaryOp::Tan,
            Activation::Atan => UnaryOp::Atan,
            Activation::Erf => UnaryOp::Erf,
            Activation::Round => UnaryOp::RoundEven,
            Activation::Relu
            | Activation::Relu6
            | Activation::Gelu
            | Activation::GeluTanh
            | Activation::Silu
            | Activation::Softplus
            | Activation::Elu
            | Activation::HardSwish
            | Activation::HardSigmoid
            | Activation::Mish
            | Activation::Recip
            | Activation::Square => return None,
        })
    }
}

named! {
    /// Which keys a query may attend to.
    MaskKind "attention mask" {
        /// All keys.
        None = "none",
        /// Keys at or before the query; queries are aligned with the last keys.
        Causal = "causal",
        /// The latest `window` keys at or before the query.
        SlidingWindow = "sliding_window",
        /// Keys where a boolean mask is true, or a float mask is not zero.
        Custom = "custom",
        /// All keys; a tensor is added to the scaled scores.
        Bias = "bias",
    }
}

named! {
    /// How rotary embeddings pair the elements of a head.
    RopeStyle "rope style" {
        /// Element i with element i + d/2.
        Halves = "halves",
        /// Element 2i with element 2i + 1.
        Interleaved = "interleaved",
    }
}

named! {
    /// What a fused node computes, which decides the kernel family that runs it.
    FusionKind "fusion" {
        /// Elementwise functions over one index space, whose operands may be rearranged into it.
        Elementwise = "elementwise",
        /// Reductions, with elementwise functions of their operands and results.
        Reduction = "reduction",
        /// A dot_general or a convolution, followed by elementwise functions of its result.
        Contraction = "contraction",
        /// A normalization of elementwise inputs (residual + norm).
        Norm = "norm",
    }
}

named! {
    /// Which values inside a checkpoint reverse mode keeps. It recomputes the others.
    CheckpointPolicy "checkpoint policy" {
        /// Only the operands.
        Nothing = "nothing",
        /// Results of contractions and convolutions.
        Dots = "dots",
        /// Results of contractions without batch axes, such as products with weights.
        DotsWithoutBatch = "dots_without_batch",
        /// Everything that the derivative uses.
        Everything = "everything",
    }
}

impl Named for QuantScheme {
    const VARIANTS: &'static [Self] = QuantScheme::ALL;
    const WHAT: &'static str = "quantization scheme";
    fn name(self) -> &'static str {
        QuantScheme::name(self)
    }
    fn doc(self) -> &'static str {
        QuantScheme::doc(self)
    }
}
