//! Element types in which contractions are computed without a kernel of their own: integers, booleans, complex numbers.

use bytemuck::Pod;

/// A type with the sum of products that `dot_general` takes.
pub(crate) trait Element: Pod + Send + Sync {
    /// The sum of nothing.
    const ZERO: Self;

    /// `self + a·b`.
    fn mul_add(self, a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Element for $t {
            const ZERO: Self = 0;
            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                self.wrapping_add(a.wrapping_mul(b))
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u16, u32, u64, u8);

/// A boolean, as its byte: products are "and", sums "or".
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct Truth(u8);

impl Element for Truth {
    const ZERO: Self = Truth(0);
    #[inline]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Truth(self.0 | (a.0 & b.0))
    }
}

macro_rules! complexes {
    ($($t:ty),*) => {$(
        impl Element for [$t; 2] {
            const ZERO: Self = [0.0; 2];
            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                [self[0] + (a[0] * b[0] - a[1] * b[1]), self[1] + (a[0] * b[1] + a[1] * b[0])]
            }
        }
    )*};
}
complexes!(f32, f64);
