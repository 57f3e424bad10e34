//! The arithmetic that decoders are written in, so that they can run on numbers, tensors and scalars of kernels.
//!
//! Integers have 32 bits, and no decoder overflows them. A float operation rounds once, to f32.

/// A position in a block, or a number from which one is computed; never negative.
pub trait Place: Clone {
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The difference, which must not be negative.
    fn minus(&self, other: &Self) -> Self;
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// The sum with a number.
    fn offset(&self, distance: usize) -> Self;
    /// The product with a number.
    fn scaled(&self, factor: usize) -> Self;
    /// The quotient, rounded down.
    fn div(&self, divisor: usize) -> Self;

    /// The remainder.
    #[inline(always)]
    fn rem(&self, divisor: usize) -> Self {
        self.minus(&self.div(divisor).scaled(divisor))
    }

    /// A constant.
    #[inline(always)]
    fn fixed(&self, value: usize) -> Self {
        self.scaled(0).offset(value)
    }
}

/// An integer.
pub trait Int: Clone {
    /// The float type that integers are converted to.
    type Float: Float;
    /// A constant.
    fn constant(&self, value: i32) -> Self;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The difference.
    fn minus(&self, other: &Self) -> Self;
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// The bits set in both.
    fn and(&self, other: &Self) -> Self;
    /// The bits set in either.
    fn or(&self, other: &Self) -> Self;
    /// The bits set in exactly one.
    fn xor(&self, other: &Self) -> Self;
    /// Shifts left by 0 to 31 bits.
    fn shl(&self, distance: &Self) -> Self;
    /// Shifts right by 0 to 31 bits and fills with zeros.
    fn shr(&self, distance: &Self) -> Self;
    /// 1 if this is less than `limit`, else 0.
    fn below(&self, limit: i32) -> Self;
    /// The entry of a table at this index.
    fn lookup(&self, table: &'static [u16]) -> Self;
    /// The number as a float. It has at most 24 bits, so nothing is rounded.
    fn float(&self) -> Self::Float;
    /// The half-precision float with these bits.
    fn half(&self) -> Self::Float;
    /// The single-precision float with these bits.
    fn single(&self) -> Self::Float;

    /// The bits that are set in a mask.
    #[inline(always)]
    fn masked(&self, mask: i32) -> Self {
        self.and(&self.constant(mask))
    }

    /// Shifts left.
    #[inline(always)]
    fn up(&self, distance: i32) -> Self {
        self.shl(&self.constant(distance))
    }

    /// Shifts right and fills with zeros.
    #[inline(always)]
    fn down(&self, distance: i32) -> Self {
        self.shr(&self.constant(distance))
    }

    /// The sum with a number.
    #[inline(always)]
    fn offset(&self, distance: i32) -> Self {
        self.plus(&self.constant(distance))
    }

    /// The product with a number.
    #[inline(always)]
    fn scaled(&self, factor: i32) -> Self {
        self.times(&self.constant(factor))
    }
}

/// A single-precision float.
pub trait Float: Clone {
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The difference.
    fn minus(&self, other: &Self) -> Self;
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// The product with a number.
    fn scaled(&self, factor: f32) -> Self;
    /// The sum with a number.
    fn offset(&self, distance: f32) -> Self;
}

/// The bytes of one block.
pub trait PackedBlock {
    /// The type of positions in it.
    type Place: Place;
    /// The type that its bytes are read as.
    type Int: Int;
    /// The byte at a position, 0 to 255.
    fn byte(&self, at: &Self::Place) -> Self::Int;
    /// A position as an integer.
    fn int(&self, place: &Self::Place) -> Self::Int;
}

impl Place for usize {
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn offset(&self, distance: usize) -> Self {
        self + distance
    }

    #[inline(always)]
    fn scaled(&self, factor: usize) -> Self {
        self * factor
    }

    #[inline(always)]
    fn div(&self, divisor: usize) -> Self {
        self / divisor
    }
}

impl Int for i32 {
    type Float = f32;

    #[inline(always)]
    fn constant(&self, value: i32) -> Self {
        value
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        self.wrapping_add(*other)
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        self.wrapping_sub(*other)
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.wrapping_mul(*other)
    }

    #[inline(always)]
    fn and(&self, other: &Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(&self, other: &Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn xor(&self, other: &Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn shl(&self, distance: &Self) -> Self {
        self.wrapping_shl(distance.cast_unsigned())
    }

    #[inline(always)]
    fn shr(&self, distance: &Self) -> Self {
        self.cast_unsigned().wrapping_shr(distance.cast_unsigned()).cast_signed()
    }

    #[inline(always)]
    fn below(&self, limit: i32) -> Self {
        i32::from(*self < limit)
    }

    #[inline(always)]
    fn lookup(&self, table: &'static [u16]) -> Self {
        let entry = usize::try_from(*self).ok().and_then(|at| table.get(at));
        entry.map_or(0, |&entry| i32::from(entry))
    }

    #[inline(always)]
    fn float(&self) -> f32 {
        *self as f32
    }

    #[inline(always)]
    fn half(&self) -> f32 {
        // Does not check what the processor supports. Callers check once per block or not at all.
        half::f16::from_bits(*self as u16).to_f32_const()
    }

    #[inline(always)]
    fn single(&self) -> f32 {
        f32::from_bits(self.cast_unsigned())
    }
}

impl Float for f32 {
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn scaled(&self, factor: f32) -> Self {
        self * factor
    }

    #[inline(always)]
    fn offset(&self, distance: f32) -> Self {
        self + distance
    }
}

/// A block in memory. Bytes past its end are 0.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl PackedBlock for Bytes<'_> {
    type Place = usize;
    type Int = i32;

    #[inline(always)]
    fn byte(&self, at: &usize) -> i32 {
        self.0.get(*at).map_or(0, |&byte| i32::from(byte))
    }

    #[inline(always)]
    fn int(&self, place: &usize) -> i32 {
        *place as i32
    }
}
