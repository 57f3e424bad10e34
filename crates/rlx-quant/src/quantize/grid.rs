//! Quantizes to the IQ formats of 1 to 3 bits by trying every point of the grid. With a scale s, the point g of a grid leaves the error Σ
//! w·(x − s·g)² = Σ w·x² − (2·s·A − s²·B), where A = Σ w·x·g and B = Σ w·g² do not depend on s. So they are computed once for every point,
//! and each scale that is tried costs two multiplications per point.

use super::search;
use crate::grids;
use std::ops::Range;
use std::sync::LazyLock;

/// The points of a grid as numbers: all points' first coordinates, then all their second ones, and so on.
struct Codebook {
    dims: usize,
    coordinates: Vec<f32>,
}

impl Codebook {
    fn new(table: &[u16], dims: usize, bits: usize, meaning: impl Fn(usize) -> f32) -> Self {
        let coordinate = |i: usize, point: u16| meaning(usize::from(point) >> (bits * i) & ((1 << bits) - 1));
        let coordinates = (0..dims).flat_map(|i| table.iter().map(move |&p| (i, p)));
        Codebook { dims, coordinates: coordinates.map(|(i, p)| coordinate(i, p)).collect() }
    }

    fn points(&self) -> usize {
        self.coordinates.len() / self.dims
    }
}

fn magnitude2(coordinate: usize) -> f32 {
    f32::from(grids::MAGNITUDES2.get(coordinate).copied().unwrap_or_default())
}

fn magnitude3(coordinate: usize) -> f32 {
    f32::from(grids::MAGNITUDES3[coordinate])
}

/// The points shifted up by an eighth, followed by the same points shifted down.
fn moved() -> Codebook {
    let moved = |by: f32| Codebook::new(&grids::IQ1, 8, 2, |c| c as f32 - 1.0 + by).coordinates;
    let (up, down) = (moved(0.125), moved(-0.125));
    let coordinates = up.chunks(IQ1_POINTS).zip(down.chunks(IQ1_POINTS)).flat_map(|(u, d)| [u, d].concat());
    Codebook { dims: 8, coordinates: coordinates.collect() }
}

/// Number of points that are shifted up, and of those that are shifted down.
const IQ1_POINTS: usize = grids::IQ1.len();

/// How signs are stored.
#[derive(Clone, Copy, PartialEq)]
enum Signs {
    /// As part of the points.
    None,
    /// One bit per value.
    Free,
    /// Seven bits for 8 values, an even number of which are negative.
    Even,
}

/// The grid and the scales of a format.
struct Layout {
    codebook: LazyLock<Codebook>,
    signs: Signs,
    /// Number of values that share a scale.
    part: usize,
    /// A part's scale is the block's scale times `unit` times an odd number, which is 2n + 1 for an n of at most `top`.
    unit: f32,
    top: u32,
    /// The list of points is divided into this many equal pieces; the points of a part all come from one of them.
    pieces: usize,
}

static IQ2_XXS: Layout = Layout {
    codebook: LazyLock::new(|| Codebook::new(&grids::IQ2_XXS, 8, 2, magnitude2)),
    signs: Signs::Even,
    part: 32,
    unit: 0.125,
    top: 15,
    pieces: 1,
};

static IQ2_XS: Layout = Layout {
    codebook: LazyLock::new(|| Codebook::new(&grids::IQ2_XS, 8, 2, magnitude2)),
    signs: Signs::Even,
    part: 16,
    unit: 0.125,
    top: 15,
    pieces: 1,
};

static IQ2_S: Layout = Layout {
    codebook: LazyLock::new(|| Codebook::new(&grids::IQ2_S, 8, 2, magnitude2)),
    signs: Signs::Free,
    part: 16,
    unit: 0.125,
    top: 15,
    pieces: 1,
};

static IQ3_XXS: Layout = Layout {
    codebook: LazyLock::new(|| Codebook::new(&grids::IQ3_XXS, 4, 3, magnitude3)),
    signs: Signs::Even,
    part: 32,
    unit: 0.25,
    top: 15,
    pieces: 1,
};

static IQ3_S: Layout = Layout {
    codebook: LazyLock::new(|| Codebook::new(&grids::IQ3_S, 4, 3, |c| (2 * c + 1) as f32)),
    signs: Signs::Free,
    part: 32,
    unit: 1.0,
    top: 15,
    pieces: 1,
};

static IQ1_S: Layout =
    Layout { codebook: LazyLock::new(moved), signs: Signs::None, part: 32, unit: 1.0, top: 7, pieces: 2 };

static IQ1_M: Layout =
    Layout { codebook: LazyLock::new(moved), signs: Signs::None, part: 16, unit: 1.0, top: 7, pieces: 1 };

/// A and B of every point, for the values of one group.
struct Group {
    along: Vec<f32>,
    square: Vec<f32>,
}

impl Group {
    fn of(codebook: &Codebook, values: &[f32], weights: &[f32]) -> Group {
        let points = codebook.points();
        let mut group = Group { along: vec![0.0; points], square: vec![0.0; points] };
        for ((coordinates, &x), &w) in codebook.coordinates.chunks_exact(points).zip(values).zip(weights) {
            let sums = group.along.iter_mut().zip(&mut group.square);
            for ((along, square), &g) in sums.zip(coordinates) {
                *along += w * x * g;
                *square += w * g * g;
            }
        }
        group
    }

    /// By how much the best point of a range reduces the error.
    fn gain(&self, scale: f32, range: &Range<usize>) -> f32 {
        let (double, square) = (2.0 * scale, scale * scale);
        let mut best = [f32::MIN; 8];
        let (along, squares) = (&self.along[range.clone()], &self.square[range.clone()]);
        for (along, squares) in along.chunks_exact(8).zip(squares.chunks_exact(8)) {
            for ((best, a), b) in best.iter_mut().zip(along).zip(squares) {
                let gain = double * a - square * b;
                *best = if gain > *best { gain } else { *best };
            }
        }
        best.into_iter().fold(f32::MIN, f32::max)
    }

    /// The point of a range that reduces the error most.
    fn point(&self, scale: f32, range: &Range<usize>) -> usize {
        let gain = |p: usize| 2.0 * scale * self.along[p] - scale * scale * self.square[p];
        let mut best = (range.start, gain(range.start));
        for p in range.clone() {
            let gain = gain(p);
            best = if gain > best.1 { (p, gain) } else { best };
        }
        best.0
    }
}

/// The quantized form of a block.
struct Packed {
    /// The block's scale.
    scale: f32,
    /// For each part, the number of at most `top` that determines its scale.
    scales: Vec<u32>,
    /// For each group of values, the point of the grid.
    points: Vec<usize>,
    /// For each 8 values, a byte with a bit set for each negative one.
    signs: Vec<u8>,
}

impl Layout {
    fn quantize(&self, values: &[f32], importance: Option<&[f32]>) -> Packed {
        let weights = search::weights(values, importance);
        let (values, signs) = self.without_signs(values, &weights);
        let codebook: &Codebook = &self.codebook;
        let dims = codebook.dims;
        let groups: Vec<Group> =
            values.chunks(dims).zip(weights.chunks(dims)).map(|(v, w)| Group::of(codebook, v, w)).collect();
        let parts: Vec<&[Group]> = groups.chunks(self.part / dims).collect();
        let most = |values: &[f32]| super::extreme(values).abs();
        let best = parts.iter().zip(values.chunks(self.part)).map(|(part, v)| self.best_scale(part, most(v)));
        let largest = best.fold(0.0, f32::max);
        let stored = |scale: f32| half::f16::from_f32(scale).to_f32();
        let mut scale = stored(largest / (self.unit * (2 * self.top + 1) as f32));
        let mut packed = self.assigned(&parts, scale);
        for _ in 0..3 {
            let refitted = stored(self.refitted(&groups, &packed));
            if refitted == scale || refitted <= 0.0 {
                break;
            }
            scale = refitted;
            packed = self.assigned(&parts, scale);
        }
        let (scales, points) = packed;
        Packed { scale, scales, points, signs }
    }

    /// Returns the values as the grid represents them, and the signs that are stored separately. If an even number of values must be
    /// negative and is not, the value whose sign costs least gets the wrong sign.
    fn without_signs(&self, values: &[f32], weights: &[f32]) -> (Vec<f32>, Vec<u8>) {
        let mut values = values.to_vec();
        let mut signs = Vec::new();
        if self.signs == Signs::None {
            return (values, signs);
        }
        for (values, weights) in values.chunks_mut(8).zip(weights.chunks(8)) {
            let mut bits = values.iter().enumerate().fold(0u8, |bits, (i, &v)| bits | u8::from(v < 0.0) << i);
            if self.signs == Signs::Even && bits.count_ones() % 2 == 1 {
                let cost = |i: &usize| weights[*i] * values[*i] * values[*i];
                let least = (0..values.len()).min_by(|a, b| cost(a).total_cmp(&cost(b)));
                bits ^= 1 << least.unwrap_or_default();
            }
            values.iter_mut().enumerate().for_each(|(i, v)| *v *= 1.0 - 2.0 * f32::from(bits >> i & 1));
            signs.push(bits);
        }
        (values, signs)
    }

    /// Returns by how much a scale reduces the error in a part, and the piece of the points that achieves it.
    fn gain(&self, part: &[Group], scale: f32) -> (f32, Range<usize>) {
        let piece = self.codebook.points() / self.pieces;
        let mut best = (f32::MIN, 0..0);
        for range in (0..self.pieces).map(|i| i * piece..(i + 1) * piece) {
            let gain = part.iter().map(|g| g.gain(scale, &range)).sum::<f32>();
            best = if gain > best.0 { (gain, range) } else { best };
        }
        best
    }

    /// Returns the best scale for a part on its own, whose values have magnitudes of at most `most`.
    fn best_scale(&self, part: &[Group], most: f32) -> f32 {
        let top = self.codebook.coordinates.iter().fold(0.0, |a: f32, &b| a.max(b));
        let mut best = (0.0, 0.0);
        for step in 0..16 {
            let scale = most / top * (0.45 + 0.06 * step as f32);
            let (gain, _) = self.gain(part, scale);
            best = if gain > best.1 { (scale, gain) } else { best };
        }
        for _ in 0..3 {
            let (_, range) = self.gain(part, best.0);
            let points = part.iter().map(|group| (group, group.point(best.0, &range)));
            let (along, square) =
                points.fold((0.0, 0.0), |(along, square), (g, p)| (along + g.along[p], square + g.square[p]));
            if square <= 0.0 || along <= 0.0 {
                break;
            }
            best.0 = along / square;
        }
        best.0
    }

    /// Returns the odd numbers and the points that are best with a scale of the block.
    fn assigned(&self, parts: &[&[Group]], scale: f32) -> (Vec<u32>, Vec<usize>) {
        let (mut scales, mut points) = (Vec::new(), Vec::new());
        for part in parts {
            let of = |number: u32| scale * self.unit * (2 * number + 1) as f32;
            let mut best = (0, f32::MIN, 0..0);
            for number in 0..=self.top {
                let (gain, range) = self.gain(part, of(number));
                best = if gain > best.1 { (number, gain, range) } else { best };
            }
            let (number, _, range) = best;
            scales.push(number);
            points.extend(part.iter().map(|group| group.point(of(number), &range)));
        }
        (scales, points)
    }

    /// Returns the scale of the block that is best for the given assignment.
    fn refitted(&self, groups: &[Group], (scales, points): &(Vec<u32>, Vec<usize>)) -> f32 {
        let per_part = self.part / self.codebook.dims;
        let (mut along, mut square) = (0.0, 0.0);
        for (i, (group, &point)) in groups.iter().zip(points).enumerate() {
            let factor = self.unit * (2 * scales[i / per_part] + 1) as f32;
            along += factor * group.along[point];
            square += factor * factor * group.square[point];
        }
        if square > 0.0 { along / square } else { 0.0 }
    }
}

/// Writes four groups of 7 bits of signs each, and above them a scale of 4 bits.
fn put_signs_and_scale(bytes: &mut [u8], signs: &[u8], scale: u32) {
    let signs = signs.iter().enumerate().map(|(i, &s)| u32::from(s & 127) << (7 * i));
    bytes[..4].copy_from_slice(&(signs.fold(0, |all, s| all | s) | scale << 28).to_le_bytes());
}

/// Writes numbers of four bits, two per byte.
fn put_fours(bytes: &mut [u8], numbers: &[u32]) {
    numbers.iter().enumerate().for_each(|(i, &n)| bytes[i / 2] |= (n as u8) << (4 * (i % 2)));
}

pub(crate) fn iq2_xxs(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let packed = IQ2_XXS.quantize(values, importance);
    super::put_half(bytes, 0, packed.scale);
    for (part, bytes) in bytes[2..].chunks_exact_mut(8).enumerate() {
        let groups = 4 * part..4 * part + 4;
        bytes.iter_mut().zip(&packed.points[groups.clone()]).for_each(|(byte, &p)| *byte = p as u8);
        put_signs_and_scale(&mut bytes[4..], &packed.signs[groups], packed.scales[part]);
    }
}

pub(crate) fn iq2_xs(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let packed = IQ2_XS.quantize(values, importance);
    super::put_half(bytes, 0, packed.scale);
    let groups = packed.points.iter().zip(&packed.signs);
    for (word, (&point, &signs)) in bytes[2..66].chunks_exact_mut(2).zip(groups) {
        word.copy_from_slice(&(point as u16 | u16::from(signs & 127) << 9).to_le_bytes());
    }
    put_fours(&mut bytes[66..], &packed.scales);
}

pub(crate) fn iq2_s(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let packed = IQ2_S.quantize(values, importance);
    super::put_half(bytes, 0, packed.scale);
    for (i, &point) in packed.points.iter().enumerate() {
        bytes[2 + i] = point as u8;
        bytes[66 + i / 4] |= ((point >> 8) as u8) << (2 * (i % 4));
    }
    bytes[34..66].copy_from_slice(&packed.signs);
    put_fours(&mut bytes[74..], &packed.scales);
}

pub(crate) fn iq3_xxs(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let packed = IQ3_XXS.quantize(values, importance);
    super::put_half(bytes, 0, packed.scale);
    let (points, rest) = bytes[2..].split_at_mut(64);
    points.iter_mut().zip(&packed.points).for_each(|(byte, &p)| *byte = p as u8);
    for (part, word) in rest.chunks_exact_mut(4).enumerate() {
        put_signs_and_scale(word, &packed.signs[4 * part..4 * part + 4], packed.scales[part]);
    }
}

pub(crate) fn iq3_s(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let packed = IQ3_S.quantize(values, importance);
    super::put_half(bytes, 0, packed.scale);
    for (i, &point) in packed.points.iter().enumerate() {
        bytes[2 + i] = point as u8;
        bytes[66 + i / 8] |= ((point >> 8) as u8) << (i % 8);
    }
    bytes[74..106].copy_from_slice(&packed.signs);
    put_fours(&mut bytes[106..], &packed.scales);
}

pub(crate) fn iq1_s(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let packed = IQ1_S.quantize(values, importance);
    super::put_half(bytes, 0, packed.scale);
    for (part, (points, &scale)) in packed.points.chunks(4).zip(&packed.scales).enumerate() {
        let mut rest = scale << 12;
        for (i, &point) in points.iter().enumerate() {
            bytes[2 + 4 * part + i] = point as u8;
            rest |= (((point % IQ1_POINTS) >> 8 << (3 * i)) | ((point / IQ1_POINTS) << 15)) as u32;
        }
        bytes[34 + 2 * part..][..2].copy_from_slice(&(rest as u16).to_le_bytes());
    }
}

pub(crate) fn iq1_m(values: &[f32], importance: Option<&[f32]>, bytes: &mut [u8]) {
    let packed = IQ1_M.quantize(values, importance);
    for (i, &point) in packed.points.iter().enumerate() {
        bytes[i] = point as u8;
        // Three bits of the point, and above them its direction.
        bytes[32 + i / 2] |= ((point >> 8) as u8) << (4 * (i % 2));
    }
    let whole = half::f16::from_f32(packed.scale).to_bits();
    for (i, (word, scales)) in bytes[48..].chunks_exact_mut(2).zip(packed.scales.chunks(4)).enumerate() {
        let of_parts = scales.iter().enumerate().fold(0, |all, (j, &scale)| all | (scale as u16) << (3 * j));
        word.copy_from_slice(&(of_parts | (whole >> (4 * i) & 15) << 12).to_le_bytes());
    }
}
