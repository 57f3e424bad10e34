//! Macros for the parts of a vector type that differ between instruction sets only in names.

/// The arithmetic operators, each implemented with the given function.
macro_rules! vector_operators {
    ($vector:ident: $add:ident, $sub:ident, $mul:ident, $div:ident) => {
        vector_operators!(@binary $vector, Add, add, $add);
        vector_operators!(@binary $vector, Sub, sub, $sub);
        vector_operators!(@binary $vector, Mul, mul, $mul);
        vector_operators!(@binary $vector, Div, div, $div);

        impl std::ops::Neg for $vector {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                $crate::simd::Vector::xor(
                    self,
                    $crate::simd::Vector::lit(
                        self,
                        <<Self as $crate::simd::Vector>::Elem as $crate::simd::Scalar>::SIGN,
                    ),
                )
            }
        }
    };
    (@binary $vector:ident, $trait:ident, $method:ident, $function:ident) => {
        impl std::ops::$trait for $vector {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: a vector exists only where its instruction set does.
                #[allow(unused_unsafe)]
                unsafe { Self($function(self.0, other.0)) }
            }
        }
    };
}

/// Methods that apply one intrinsic to the wrapped registers.
macro_rules! wrap {
    ($($method:ident($($operand:ident),*) => $function:ident;)*) => {$(
        #[inline(always)]
        fn $method(self $(, $operand: Self)*) -> Self {
            // SAFETY: a vector exists only where its instruction set does.
            #[allow(unused_unsafe)]
            unsafe { Self($function(self.0 $(, $operand.0)*)) }
        }
    )*};
}

/// Splat, load and store of a vector type.
macro_rules! memory {
    ($elem:ty, $splat:ident, $load:ident, $store:ident) => {
        #[inline(always)]
        fn splat(_token: Self::Token, value: $elem) -> Self {
            // SAFETY: the token proves the instruction set.
            #[allow(unused_unsafe)]
            unsafe {
                Self($splat(value))
            }
        }

        #[inline(always)]
        unsafe fn load(_token: Self::Token, source: *const $elem) -> Self {
            // SAFETY: the token proves the instruction set; the caller vouches for the memory.
            unsafe { Self($load(source)) }
        }

        #[inline(always)]
        unsafe fn store(self, target: *mut $elem) {
            // SAFETY: a vector exists only where its instruction set does; the caller vouches for the memory.
            unsafe { $store(target, self.0) }
        }
    };
}

/// The shifts of an x86 integer vector. A constant count becomes an immediate.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_shifts {
    ($($method:ident => $function:ident;)*) => {$(
        #[inline(always)]
        fn $method(self, bits: i32) -> Self {
            // SAFETY: a vector exists only where its instruction set does.
            #[allow(unused_unsafe)]
            unsafe { Self($function(self.0, std::arch::x86_64::_mm_cvtsi32_si128(bits))) }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86_shifts;
pub(super) use {memory, vector_operators, wrap};
