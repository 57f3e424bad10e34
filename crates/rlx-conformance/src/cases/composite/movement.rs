//! Cases of composites that move elements, and of random numbers.

use super::super::dims;
use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, Dim, LogitFilter, Op, Shape};

const DATA: Gen = Gen::Bits;
const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F32, DType::BF16, DType::I64, DType::Bool, DType::C64]);
const NARROW: DTypeSet = DTypeSet::of(&[DType::F16, DType::BF16]);
const NEAR: &str = "if the noise of two is nearly the same, rounding decides which one is drawn";
/// Floats of more than 8 bits.
const WIDER: DTypeSet = DTypeSet::of(&[DType::F64, DType::F32, DType::F16, DType::BF16]);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = lookups();
    rows.extend(arrangements());
    rows.extend(random());
    rows.extend(samples());
    rows
}

fn lookups() -> Vec<Row> {
    let mut rows = Vec::new();
    let ids = Gen::Ints(-2, 8);
    for (index, sizes) in
        [(DType::I32, &[4][..]), (DType::I64, &[2, 3]), (DType::U8, &[]), (DType::I32, &[0])]
    {
        rows.push(Row::new(Op::Embedding {}).x(&[6, 5], DATA).is(index, sizes, ids));
        for axis in [0, 1] {
            rows.push(
                Row::new(Op::Take { axis })
                    .note(format!("axis {axis}"))
                    .x(&[6, 5], DATA)
                    .is(index, sizes, ids),
            );
        }
        for depth in [0, 5] {
            let row = Row::of(move |dtype| Op::OneHot { depth, dtype }).note(format!("{depth}"));
            rows.push(row.is(index, sizes, ids));
        }
    }
    rows.push(Row::new(Op::Embedding {}).only(PRIMARY).x(&[301, 65], DATA).is(
        DType::I32,
        &[7, 33],
        Gen::Ints(-3, 310),
    ));
    let add = Gen::Quarters(-2, 2);
    for (sizes, axis, indices) in
        [(&[5, 3][..], 0, &[4, 3][..]), (&[5, 3], 1, &[5, 2]), (&[2, 5, 3], 1, &[2, 0, 3])]
    {
        let note = format!("axis {axis}");
        rows.push(Row::new(Op::GatherAxis { axis }).note(note.clone()).x(sizes, DATA).is(
            DType::I32,
            indices,
            ids,
        ));
        let row = Row::new(Op::ScatterAdd { axis }).note(note).any_zero().x(sizes, add).is(
            DType::I32,
            indices,
            ids,
        );
        rows.push(row.x(indices, add));
    }
    let row = Row::new(Op::ScatterAdd { axis: 1 }).note("slices").any_zero().x(&[2, 5, 3], add);
    rows.push(row.is(DType::I64, &[4], ids).x(&[2, 4, 3], add));
    rows
}

fn arrangements() -> Vec<Row> {
    let mut rows = Vec::new();
    for (from, to) in [(&[3, 1][..], &[2, 3, 5][..]), (&[], &[3]), (&[1, 0], &[4, 0]), (&[5], &[5])] {
        rows.push(Row::new(Op::Expand { dims: dims(to) }).note(format!("to {to:?}")).x(from, DATA));
    }
    for (axis, start, length) in [(0, 1, 3), (1, 0, 4), (1, 2, 0)] {
        let op = Op::Narrow { axis, start: Dim::Static(start), length: Dim::Static(length) };
        rows.push(Row::new(op).note(format!("axis {axis} {start}+{length}")).x(&[5, 4], DATA));
    }
    for (axis, sizes) in [(0, &[2, 3][..]), (1, &[1, 0, 3]), (1, &[4])] {
        rows.push(
            Row::new(Op::Split { axis, sizes: dims(sizes) })
                .note(format!("axis {axis} {sizes:?}"))
                .x(&[5, 4], DATA),
        );
    }
    for (sizes, repeats) in
        [(&[2, 3][..], &[2, 1][..]), (&[3], &[2, 2]), (&[2, 3], &[3]), (&[2, 3], &[0, 2]), (&[], &[3])]
    {
        rows.push(
            Row::new(Op::Tile { repeats: repeats.to_vec() }).note(format!("{repeats:?}")).x(sizes, DATA),
        );
    }
    for (shifts, axes) in [(&[2][..], &[0][..]), (&[-1], &[1]), (&[7, -9], &[0, 1]), (&[0], &[1])] {
        let op = Op::Roll { shifts: shifts.to_vec(), axes: axes.to_vec() };
        rows.push(Row::new(op).note(format!("{shifts:?} {axes:?}")).x(&[5, 4], DATA));
    }
    for position in [&[0.0][..], &[3.0], &[5.0], &[-2.0]] {
        let row = Row::new(Op::KvAppend { axis: 1 }).note(format!("at {position:?}")).x(&[2, 6, 3], DATA);
        rows.push(row.x(&[2, 2, 3], DATA).is(DType::I32, &[], Gen::Values(position)));
    }
    // One position per sequence.
    for (position, index) in
        [(&[0.0, 3.0][..], DType::I32), (&[4.0, 9.0], DType::I64), (&[2.0, 2.0], DType::U8)]
    {
        let row = Row::new(Op::KvAppend { axis: 2 }).note(format!("at {position:?}")).x(&[2, 3, 6, 2], DATA);
        rows.push(row.x(&[2, 3, 2, 2], DATA).is(index, &[2], Gen::Values(position)));
    }
    for (sizes, axis) in [(&[7][..], 0), (&[3, 5], 0), (&[3, 5], 1), (&[2, 0], 1)] {
        rows.push(
            Row::new(Op::Cumsum { axis })
                .note(format!("axis {axis}"))
                .any_zero()
                .x(sizes, Gen::Quarters(-1, 1)),
        );
    }
    rows
}

fn random() -> Vec<Row> {
    let mut rows = Vec::new();
    for sizes in [&[7][..], &[3, 5], &[], &[0], &[1031]] {
        let uniform =
            || Row::of(move |d| Op::RngUniform { shape: Shape::new(sizes, d) }).note(format!("{sizes:?}"));
        rows.push(uniform().is(DType::U32, &[2], Gen::Bits));
        let ends = uniform().is(DType::U32, &[2], Gen::Bits).x(&[], Gen::Values(&[-1.0]));
        rows.push(ends.x(&[], Gen::Values(&[3.0])));
        let normal =
            Row::of(move |d| Op::RngNormal { shape: Shape::new(sizes, d) }).note(format!("{sizes:?}"));
        rows.push(normal.is(DType::U32, &[2], Gen::Bits));
    }
    for axis in [0, 1] {
        let row = || {
            Row::new(Op::Categorical { axis }).note(format!("axis {axis}")).is(DType::U32, &[2], Gen::Bits)
        };
        rows.push(row().only(WIDER).judged(NARROW, 0.5, NEAR).x(&[9, 6], Gen::Uniform(-2.0, 2.0)));
        // For 8-bit floats, logits that are so far apart that no rounding of the noise changes which one is drawn.
        rows.push(row().x(&[5, 6], Gen::Values(&[256.0, 64.0, 16.0, 0.0, -16.0, -64.0, -256.0])));
    }
    rows
}

/// The next tokens after filters. Filters other than these have no error bound on rounded logits:
/// crates/rlx-ir/tests/sample.rs compares those with plain code.
fn samples() -> Vec<Row> {
    use LogitFilter::{Bias, Frequency, MinP, Presence, Repetition, Temperature, TopK, TopP, Typical};
    let far = Gen::Uniform(-4.0, 4.0);
    let counts = Gen::Values(&[0.0, 0.0, 1.0, 3.0]);
    let lists: [&[LogitFilter]; 13] = [
        &[],
        &[TopK(5)],
        &[TopP(0.8)],
        &[MinP(0.1)],
        &[Temperature(0.5)],
        &[Bias],
        &[Repetition(1.25)],
        &[Frequency(0.5)],
        &[Presence(0.75)],
        &[TopK(12), TopP(0.8), MinP(0.125)],
        &[Typical(0.25)],
        &[Typical(0.75)],
        &[Repetition(1.3), TopK(12), Typical(0.75), Temperature(0.5)],
    ];
    let mut rows = Vec::new();
    for (i, list) in lists.into_iter().enumerate() {
        for greedy in [false, true] {
            let note = format!("{list:?}, greedy {greedy}");
            let row = Row::new(Op::Sample { filters: list.to_vec(), greedy }).note(note).is(
                DType::U32,
                &[2],
                Gen::Bits,
            );
            let sizes: &[usize] = if i % 3 == 0 { &[23] } else { &[3, 23] };
            // Equal numbers may change places; different ones are less likely to.
            let orders = list.iter().any(|filter| matches!(filter, TopK(_) | TopP(_) | Typical(_)));
            let logits = if orders { Gen::Distinct } else { far };
            let row = row.x(sizes, logits).x(sizes, counts).x(&[23], Gen::Quarters(-2, 2));
            let narrow = DTypeSet::of(&[DType::F8E4M3, DType::F8E5M2]);
            rows.push(if orders { row.judged(narrow, 0.6, "some of the numbers are equal") } else { row });
        }
    }
    rows
}
