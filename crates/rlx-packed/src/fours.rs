//! Decodes the codes of four neighboring values at once, with the decoder of the format. An integer consists of four bytes of each row, so
//! only what decoders compute modulo 256 is right: codes, but not their factors, which [`parts`](crate::parts) finds.

use crate::lanes::Lanes;
use crate::parts::{BlockRows, IntOp};
use rlx_quant::Format;
use rlx_quant::arithmetic::{Float, Int, PackedBlock, Place};

/// Returns the codes of four values of a block, starting at value `at`, as a decoder computes them modulo 256, or as indices into a table.
#[inline(always)]
pub(crate) fn codes<L: Lanes, F: Format>(rows: &BlockRows<L>, at: usize) -> L::Ints {
    F::decode(&Fours(rows), &Neighbors([at, at + 1, at + 2, at + 3])).code.values
}

/// A block of which four values are read at a time.
struct Fours<'a, L: Lanes>(&'a BlockRows<L>);

/// Copies the lowest byte of each four to all four.
#[inline(always)]
fn spread<L: Lanes>(lanes: L, bytes: L::Ints) -> L::Ints {
    let one = lanes.and_ints(bytes, lanes.ints(255));
    let two = lanes.or_ints(one, lanes.shl_ints(one, lanes.ints(8)));
    lanes.or_ints(two, lanes.shl_ints(two, lanes.ints(16)))
}

/// Shifts the bits of each byte by the same distance, up or down, and keeps only the bytes selected by `bytes`.
#[inline(always)]
fn shifted<L: Lanes, const UP: bool>(lanes: L, values: L::Ints, by: i32, bytes: i32) -> L::Ints {
    let by = by.clamp(0, 8);
    let (moved, kept): (_, i32) = if UP {
        (lanes.shl_ints(values, lanes.ints(by)), (255 << by) & 255)
    } else {
        (lanes.shr_ints(values, lanes.ints(by)), 255 >> by)
    };
    lanes.and_ints(moved, lanes.ints(kept.wrapping_mul(0x0101_0101) & bytes))
}

/// Positions of four neighboring values.
#[derive(Clone, Copy)]
struct Neighbors([usize; 4]);

impl Place for Neighbors {
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Neighbors([a + e, b + f, c + g, d + h])
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Neighbors([a - e, b - f, c - g, d - h])
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Neighbors([a * e, b * f, c * g, d * h])
    }

    #[inline(always)]
    fn offset(&self, distance: usize) -> Self {
        self.plus(&Neighbors([distance; 4]))
    }

    #[inline(always)]
    fn scaled(&self, factor: usize) -> Self {
        self.times(&Neighbors([factor; 4]))
    }

    #[inline(always)]
    fn div(&self, divisor: usize) -> Self {
        let [a, b, c, d] = self.0;
        Neighbors([a / divisor, b / divisor, c / divisor, d / divisor])
    }
}

impl<L: Lanes> PackedBlock for Fours<'_, L> {
    type Place = Neighbors;
    type Int = FourInts<L>;

    /// Reads four consecutive bytes, or one for all four. Decoders that compute modulo 256 read no others for neighbors.
    #[inline(always)]
    fn byte(&self, at: &Neighbors) -> FourInts<L> {
        let (rows, [first, second, ..]) = (self.0, at.0);
        let (lanes, bytes) = (rows.lanes, rows.bytes_from(first));
        let values = if first == second { spread(lanes, bytes) } else { bytes };
        FourInts { lanes, values, same: None, is_place: false }
    }

    #[inline(always)]
    fn int(&self, place: &Neighbors) -> FourInts<L> {
        let [a, b, c, d] = place.0;
        FourInts::same(self.0.lanes, [a as i32, b as i32, c as i32, d as i32])
    }
}

/// Four integers of each row.
#[derive(Clone, Copy)]
struct FourInts<L: Lanes> {
    lanes: L,
    /// The lowest bytes of the integers.
    values: L::Ints,
    /// The integers, if they are the same in all rows because they depend only on positions in a block.
    same: Option<[i32; 4]>,
    /// Whether they are indices into a table, which later operations do not change.
    is_place: bool,
}

impl<L: Lanes> FourInts<L> {
    #[inline(always)]
    fn same(lanes: L, same: [i32; 4]) -> FourInts<L> {
        let [a, b, c, d] = same;
        let bytes = i32::from_le_bytes([a as u8, b as u8, c as u8, d as u8]);
        FourInts { lanes, values: lanes.ints(bytes), same: Some(same), is_place: false }
    }

    /// Applies an operation to both.
    #[inline(always)]
    fn with(&self, other: &FourInts<L>, op: IntOp) -> FourInts<L> {
        let (lanes, a, b) = (self.lanes, self.values, other.values);
        if let Some(same) = self.of_same(other, op) {
            return same;
        }
        if self.is_place || other.is_place {
            return if self.is_place { *self } else { *other };
        }
        let values = match op {
            IntOp::Plus => lanes.add_each(a, b),
            IntOp::Minus => lanes.sub_each(a, b),
            _ => op.of_lanes(lanes, a, b),
        };
        FourInts { values, same: None, ..*self }
    }

    /// Applies an operation if both are the same in all rows.
    #[inline(always)]
    fn of_same(&self, other: &FourInts<L>, op: IntOp) -> Option<FourInts<L>> {
        let ([a, b, c, d], [e, f, g, h]) = (self.same?, other.same?);
        Some(FourInts::same(self.lanes, [op.of(a, e), op.of(b, f), op.of(c, g), op.of(d, h)]))
    }

    /// Shifts bits by a distance that is the same in all rows.
    #[inline(always)]
    fn moved<const UP: bool>(&self, distance: &FourInts<L>) -> FourInts<L> {
        let (lanes, values) = (self.lanes, self.values);
        if let Some(same) = self.of_same(distance, if UP { IntOp::Shl } else { IntOp::Shr }) {
            return same;
        }
        let Some([a, b, c, d]) = distance.same.filter(|_| !self.is_place) else { return *self };
        let values = if a == b && b == c && c == d {
            shifted::<L, UP>(lanes, values, a, -1)
        } else {
            let first = shifted::<L, UP>(lanes, values, a, 0xff);
            let second = shifted::<L, UP>(lanes, values, b, 0xff00);
            let third = shifted::<L, UP>(lanes, values, c, 0xff_0000);
            let fourth = shifted::<L, UP>(lanes, values, d, 0xff << 24);
            lanes.or_ints(lanes.or_ints(first, second), lanes.or_ints(third, fourth))
        };
        FourInts { values, ..*self }
    }
}

impl<L: Lanes> Int for FourInts<L> {
    type Float = Coded<L>;

    #[inline(always)]
    fn constant(&self, value: i32) -> FourInts<L> {
        FourInts::same(self.lanes, [value; 4])
    }

    #[inline(always)]
    fn plus(&self, other: &FourInts<L>) -> FourInts<L> {
        self.with(other, IntOp::Plus)
    }

    #[inline(always)]
    fn minus(&self, other: &FourInts<L>) -> FourInts<L> {
        self.with(other, IntOp::Minus)
    }

    /// Returns the product with a number that is the same in all rows, if it is 0, 1 or 2; codes need no other products.
    #[inline(always)]
    fn times(&self, other: &FourInts<L>) -> FourInts<L> {
        if let Some(same) = self.of_same(other, IntOp::Times) {
            return same;
        }
        match (self.same, other.same) {
            (None, Some([0, ..])) | (Some([0, ..]), None) => self.constant(0),
            (None, Some([2, ..])) => self.plus(self),
            (Some([2, ..]), None) => other.plus(other),
            (Some(_), None) => *other,
            _ => *self,
        }
    }

    #[inline(always)]
    fn and(&self, other: &FourInts<L>) -> FourInts<L> {
        self.with(other, IntOp::And)
    }

    #[inline(always)]
    fn or(&self, other: &FourInts<L>) -> FourInts<L> {
        self.with(other, IntOp::Or)
    }

    #[inline(always)]
    fn xor(&self, other: &FourInts<L>) -> FourInts<L> {
        self.with(other, IntOp::Xor)
    }

    #[inline(always)]
    fn shl(&self, distance: &FourInts<L>) -> FourInts<L> {
        self.moved::<true>(distance)
    }

    #[inline(always)]
    fn shr(&self, distance: &FourInts<L>) -> FourInts<L> {
        self.moved::<false>(distance)
    }

    /// Codes do not depend on the result.
    #[inline(always)]
    fn below(&self, _limit: i32) -> FourInts<L> {
        *self
    }

    #[inline(always)]
    fn lookup(&self, table: &'static [u16]) -> FourInts<L> {
        match self.same {
            Some([a, b, c, d]) => FourInts::same(
                self.lanes,
                [a.lookup(table), b.lookup(table), c.lookup(table), d.lookup(table)],
            ),
            None => FourInts { is_place: true, ..*self },
        }
    }

    #[inline(always)]
    fn float(&self) -> Coded<L> {
        Coded { code: *self, kind: Kind::Code }
    }

    #[inline(always)]
    fn half(&self) -> Coded<L> {
        Coded { code: *self, kind: Kind::Whole }
    }

    #[inline(always)]
    fn single(&self) -> Coded<L> {
        Coded { code: *self, kind: Kind::Whole }
    }
}

/// Values whose codes are known.
#[derive(Clone, Copy)]
struct Coded<L: Lanes> {
    code: FourInts<L>,
    kind: Kind,
}

/// The kind of a value.
#[derive(Clone, Copy)]
enum Kind {
    /// Only a code.
    Code,
    /// The factor of a block, which has no code.
    Whole,
    /// A product.
    Product,
}

impl<L: Lanes> Float for Coded<L> {
    #[inline(always)]
    fn plus(&self, _other: &Coded<L>) -> Coded<L> {
        *self
    }

    #[inline(always)]
    fn minus(&self, _other: &Coded<L>) -> Coded<L> {
        *self
    }

    /// The code of a product is that of a factor that is only a code, if there is one, or else that of the last factor.
    #[inline(always)]
    fn times(&self, other: &Coded<L>) -> Coded<L> {
        match (self.kind, other.kind) {
            (Kind::Whole, Kind::Whole) => *self,
            (_, Kind::Whole) | (Kind::Code, _) => Coded { kind: Kind::Product, ..*self },
            _ => Coded { kind: Kind::Product, ..*other },
        }
    }

    #[inline(always)]
    fn scaled(&self, _factor: f32) -> Coded<L> {
        match self.kind {
            Kind::Whole => *self,
            _ => Coded { kind: Kind::Product, ..*self },
        }
    }

    #[inline(always)]
    fn offset(&self, _distance: f32) -> Coded<L> {
        *self
    }
}
