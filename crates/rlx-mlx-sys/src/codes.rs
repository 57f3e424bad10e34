//! The numbers of functions and types in the C interface, in the order of `shim/rlx_mlx.h`.

macro_rules! codes {
    ($(#[$meta:meta])* $Enum:ident { $($(#[doc = $doc:literal])* $Variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(i32)]
        pub enum $Enum { $($(#[doc = $doc])* $Variant,)* }

        impl $Enum {
            /// All variants, in the order of their codes.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant),*];

            /// Returns its name in the header.
            pub const fn c_name(self) -> &'static str {
                match self { $($Enum::$Variant => $name),* }
            }

            pub(crate) const fn code(self) -> i32 {
                self as i32
            }
        }
    };
}

codes! {
    /// Element types.
    ElementType {
        /// A boolean in a byte.
        Bool = "RLX_BOOL",
        /// An unsigned 8-bit integer.
        U8 = "RLX_U8",
        /// An unsigned 16-bit integer.
        U16 = "RLX_U16",
        /// An unsigned 32-bit integer.
        U32 = "RLX_U32",
        /// An unsigned 64-bit integer.
        U64 = "RLX_U64",
        /// A signed 8-bit integer.
        I8 = "RLX_I8",
        /// A signed 16-bit integer.
        I16 = "RLX_I16",
        /// A signed 32-bit integer.
        I32 = "RLX_I32",
        /// A signed 64-bit integer.
        I64 = "RLX_I64",
        /// IEEE half precision.
        F16 = "RLX_F16",
        /// IEEE single precision.
        F32 = "RLX_F32",
        /// IEEE double precision, only on the CPU.
        F64 = "RLX_F64",
        /// The upper half of single precision.
        BF16 = "RLX_BF16",
        /// A complex number of two single-precision numbers.
        C64 = "RLX_C64",
    }
}

impl ElementType {
    /// Returns the bytes of an element.
    pub const fn size(self) -> usize {
        use ElementType::*;
        match self {
            Bool | U8 | I8 => 1,
            U16 | I16 | F16 | BF16 => 2,
            U32 | I32 | F32 => 4,
            U64 | I64 | F64 | C64 => 8,
        }
    }

    /// Returns the bits of an integer type and whether it is signed, or `None` for other types.
    pub const fn integer(self) -> Option<(u32, bool)> {
        use ElementType::*;
        match self {
            U8 => Some((8, false)),
            U16 => Some((16, false)),
            U32 => Some((32, false)),
            U64 => Some((64, false)),
            I8 => Some((8, true)),
            I16 => Some((16, true)),
            I32 => Some((32, true)),
            I64 => Some((64, true)),
            Bool | F16 | F32 | F64 | BF16 | C64 => None,
        }
    }

    /// Whether it is a real floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, ElementType::F16 | ElementType::F32 | ElementType::F64 | ElementType::BF16)
    }
}

codes! {
    /// Kinds of devices.
    Kind {
        /// The CPU.
        Cpu = "RLX_CPU",
        /// A GPU: Apple's with Metal, or NVIDIA's with CUDA.
        Gpu = "RLX_GPU",
    }
}

codes! {
    /// Elementwise functions of one array.
    Unary {
        /// Absolute value.
        Abs = "RLX_ABS",
        /// Negation.
        Negative = "RLX_NEGATIVE",
        /// −1, 0 or 1.
        Sign = "RLX_SIGN",
        /// Rounds down.
        Floor = "RLX_FLOOR",
        /// Rounds up.
        Ceil = "RLX_CEIL",
        /// Rounds to the nearest integer, ties to even.
        Round = "RLX_ROUND",
        /// Rounds toward zero.
        Trunc = "RLX_TRUNC",
        /// e^x.
        Exp = "RLX_EXP",
        /// e^x − 1.
        Expm1 = "RLX_EXPM1",
        /// Natural logarithm.
        Log = "RLX_LOG",
        /// log(1 + x).
        Log1p = "RLX_LOG1P",
        /// Square root.
        Sqrt = "RLX_SQRT",
        /// 1 / √x.
        Rsqrt = "RLX_RSQRT",
        /// Sine.
        Sin = "RLX_SIN",
        /// Cosine.
        Cos = "RLX_COS",
        /// Tangent.
        Tan = "RLX_TAN",
        /// Inverse sine.
        Arcsin = "RLX_ARCSIN",
        /// Inverse cosine.
        Arccos = "RLX_ARCCOS",
        /// Inverse tangent.
        Arctan = "RLX_ARCTAN",
        /// Hyperbolic sine.
        Sinh = "RLX_SINH",
        /// Hyperbolic cosine.
        Cosh = "RLX_COSH",
        /// Hyperbolic tangent.
        Tanh = "RLX_TANH",
        /// Inverse hyperbolic sine.
        Arcsinh = "RLX_ARCSINH",
        /// Inverse hyperbolic cosine.
        Arccosh = "RLX_ARCCOSH",
        /// Inverse hyperbolic tangent.
        Arctanh = "RLX_ARCTANH",
        /// 1 / (1 + e^−x).
        Sigmoid = "RLX_SIGMOID",
        /// Error function.
        Erf = "RLX_ERF",
        /// Inverse error function.
        Erfinv = "RLX_ERFINV",
        /// Whether it is NaN.
        IsNan = "RLX_ISNAN",
        /// Whether it is finite.
        IsFinite = "RLX_ISFINITE",
        /// Logical negation.
        LogicalNot = "RLX_LOGICAL_NOT",
        /// Bitwise complement.
        BitwiseInvert = "RLX_BITWISE_INVERT",
        /// Real part.
        Real = "RLX_REAL",
        /// Imaginary part.
        Imag = "RLX_IMAG",
        /// Complex conjugate.
        Conjugate = "RLX_CONJUGATE",
        /// A copy.
        Copy = "RLX_COPY",
        /// The same elements in row-major order.
        Contiguous = "RLX_CONTIGUOUS",
    }
}

codes! {
    /// Functions of two arrays that broadcast, and matrix products.
    Binary {
        /// Sum.
        Add = "RLX_ADD",
        /// Difference.
        Subtract = "RLX_SUBTRACT",
        /// Product.
        Multiply = "RLX_MULTIPLY",
        /// Quotient of floating-point numbers.
        Divide = "RLX_DIVIDE",
        /// Quotient of integers. It traps on zero: use [`Ops::divide_integers`](crate::Ops::divide_integers).
        FloorDivide = "RLX_FLOOR_DIVIDE",
        /// Remainder with the sign of the divisor. For integers, use [`Ops::remainder_integers`](crate::Ops::remainder_integers).
        Remainder = "RLX_REMAINDER",
        /// Power.
        Power = "RLX_POWER",
        /// Maximum.
        Maximum = "RLX_MAXIMUM",
        /// Minimum.
        Minimum = "RLX_MINIMUM",
        /// Angle of the point (b, a).
        Arctan2 = "RLX_ARCTAN2",
        /// log(e^a + e^b).
        LogAddExp = "RLX_LOGADDEXP",
        /// a = b.
        Equal = "RLX_EQUAL",
        /// a ≠ b.
        NotEqual = "RLX_NOT_EQUAL",
        /// a < b.
        Less = "RLX_LESS",
        /// a ≤ b.
        LessEqual = "RLX_LESS_EQUAL",
        /// a > b.
        Greater = "RLX_GREATER",
        /// a ≥ b.
        GreaterEqual = "RLX_GREATER_EQUAL",
        /// Logical and.
        LogicalAnd = "RLX_LOGICAL_AND",
        /// Logical or.
        LogicalOr = "RLX_LOGICAL_OR",
        /// Bitwise and.
        BitwiseAnd = "RLX_BITWISE_AND",
        /// Bitwise or.
        BitwiseOr = "RLX_BITWISE_OR",
        /// Bitwise exclusive or.
        BitwiseXor = "RLX_BITWISE_XOR",
        /// Shift left by less than the width. Use [`Ops::shift`](crate::Ops::shift).
        LeftShift = "RLX_LEFT_SHIFT",
        /// Shift right by less than the width. Use [`Ops::shift`](crate::Ops::shift).
        RightShift = "RLX_RIGHT_SHIFT",
        /// Matrix product, also of batches.
        Matmul = "RLX_MATMUL",
    }
}

codes! {
    /// Reductions, running reductions and combiners for scatters.
    Combine {
        /// Sum.
        Sum = "RLX_SUM",
        /// Product.
        Prod = "RLX_PROD",
        /// Maximum.
        Max = "RLX_MAX",
        /// Minimum.
        Min = "RLX_MIN",
        /// Whether all are true.
        All = "RLX_ALL",
        /// Whether any is true.
        Any = "RLX_ANY",
        /// Logarithm of the sum of exponentials.
        LogSumExp = "RLX_LOGSUMEXP",
        /// Index of the first maximum.
        ArgMax = "RLX_ARGMAX",
        /// Index of the first minimum.
        ArgMin = "RLX_ARGMIN",
        /// The last value, for scatters.
        Set = "RLX_SET",
    }
}

codes! {
    /// Fourier transforms.
    Fourier {
        /// Forward.
        Fft = "RLX_FFT",
        /// Inverse, scaled.
        Ifft = "RLX_IFFT",
        /// Forward, from real numbers to half the spectrum.
        Rfft = "RLX_RFFT",
        /// Inverse, from half a spectrum to real numbers.
        Irfft = "RLX_IRFFT",
    }
}

codes! {
    /// Factorizations of the last two axes.
    Factorization {
        /// L in L·Lᵀ.
        CholeskyLower = "RLX_CHOLESKY_LOWER",
        /// U in Uᵀ·U.
        CholeskyUpper = "RLX_CHOLESKY_UPPER",
        /// Q and R.
        Qr = "RLX_QR",
        /// U, S and Vᵀ.
        Svd = "RLX_SVD",
        /// Eigenvalues and eigenvectors of a Hermitian matrix, from its lower triangle.
        EighLower = "RLX_EIGH_LOWER",
        /// Eigenvalues and eigenvectors of a Hermitian matrix, from its upper triangle.
        EighUpper = "RLX_EIGH_UPPER",
        /// The factors in one matrix, and the row permutation.
        Lu = "RLX_LU",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_header() {
        let header = include_str!("../shim/rlx_mlx.h");
        let listed = |names: Vec<&str>| {
            let (first, last) = (names[0], names[names.len() - 1]);
            let start = header.find(&format!("{first},")).expect("the first name");
            let end = start + header[start..].find(last).expect("the last name") + last.len();
            let found: Vec<&str> =
                header[start..end].split([',', '\n', ' ']).filter(|w| !w.is_empty()).collect();
            assert_eq!(found, names);
        };
        macro_rules! held {
            ($($Enum:ident),*) => { $(listed($Enum::ALL.iter().map(|code| code.c_name()).collect());)* };
        }
        held!(ElementType, Kind, Unary, Binary, Combine, Fourier, Factorization);
    }
}
