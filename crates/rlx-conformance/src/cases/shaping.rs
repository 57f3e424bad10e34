//! Cases of ops that move elements.

use super::dims;
use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, Op};

/// Any bits, so that arithmetic in a move is detected.
const DATA: Gen = Gen::Bits;
const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F64, DType::F32, DType::BF16, DType::I8, DType::Bool]);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = reshape_and_transpose();
    rows.extend(broadcast_and_slice());
    rows.extend(pad_and_concatenate());
    rows.extend(dynamic());
    rows
}

fn reshape_and_transpose() -> Vec<Row> {
    let mut rows = Vec::new();
    let reshapes: [(&[usize], &[usize]); 7] = [
        (&[2, 3, 5], &[5, 6]),
        (&[7], &[1, 7, 1]),
        (&[], &[1, 1]),
        (&[1], &[]),
        (&[4, 0, 3], &[0, 7]),
        (&[6, 35], &[10, 3, 7]),
        (&[35, 33], &[7, 11, 15]),
    ];
    for (from, to) in reshapes {
        rows.push(Row::new(Op::Reshape { dims: dims(to) }).note(format!("to {to:?}")).x(from, DATA));
    }
    let transposes: [(&[usize], &[usize]); 7] = [
        (&[3, 5], &[1, 0]),
        (&[2, 3, 5], &[2, 0, 1]),
        (&[2, 3, 5], &[0, 2, 1]),
        (&[2, 1, 3, 2, 5], &[4, 2, 0, 3, 1]),
        (&[], &[]),
        (&[3, 0, 2], &[1, 2, 0]),
        (&[4], &[0]),
    ];
    let transpose =
        |perm: &[usize]| Row::new(Op::Transpose { perm: perm.to_vec() }).note(format!("{perm:?}"));
    for (from, perm) in transposes {
        rows.push(transpose(perm).x(from, DATA));
    }
    rows.push(transpose(&[1, 0]).only(PRIMARY).x(&[131, 67], DATA));
    rows.push(transpose(&[0, 2, 1, 3]).only(PRIMARY).x(&[2, 17, 3, 33], DATA));
    for (sizes, axes) in [
        (&[7][..], &[0][..]),
        (&[3, 5], &[1]),
        (&[2, 3, 4], &[0, 2]),
        (&[0, 3], &[0]),
        (&[3], &[]),
        (&[31, 37], &[1]),
    ] {
        rows.push(Row::new(Op::Reverse { axes: axes.to_vec() }).note(format!("{axes:?}")).x(sizes, DATA));
    }
    rows
}

fn broadcast_and_slice() -> Vec<Row> {
    let mut rows = Vec::new();
    let broadcasts: [(&[usize], &[usize], &[usize]); 9] = [
        (&[], &[3, 5], &[]),
        (&[5], &[3, 5], &[1]),
        (&[3], &[3, 5], &[0]),
        (&[1, 5], &[3, 5], &[0, 1]),
        (&[3, 1, 2], &[3, 4, 2], &[0, 1, 2]),
        (&[2, 3], &[3, 4, 2], &[2, 0]),
        (&[1], &[0, 3], &[0]),
        (&[0], &[2, 0], &[1]),
        (&[33], &[65, 33], &[1]),
    ];
    for (from, to, axes) in broadcasts {
        let op = Op::BroadcastInDim { dims: dims(to), axes: axes.to_vec() };
        rows.push(Row::new(op).note(format!("to {to:?} at {axes:?}")).x(from, DATA));
    }
    type Slice<'a> = (&'a [usize], &'a [usize], &'a [usize], &'a [usize]);
    let slices: [Slice<'_>; 7] = [
        (&[9], &[2], &[7], &[1]),
        (&[9], &[1], &[9], &[3]),
        (&[5, 7], &[1, 0], &[4, 7], &[2, 3]),
        (&[5, 7], &[2, 3], &[2, 6], &[1, 1]),
        (&[0, 4], &[0, 1], &[0, 3], &[1, 1]),
        (&[], &[], &[], &[]),
        (&[64, 33], &[3, 1], &[61, 32], &[1, 1]),
    ];
    for (sizes, starts, limits, strides) in slices {
        let op = Op::Slice { starts: dims(starts), limits: dims(limits), strides: strides.to_vec() };
        rows.push(Row::new(op).note(format!("{starts:?}..{limits:?} by {strides:?}")).x(sizes, DATA));
    }
    rows
}

fn pad_and_concatenate() -> Vec<Row> {
    let mut rows = Vec::new();
    type Pad<'a> = (&'a [usize], &'a [i64], &'a [i64], &'a [usize]);
    let pads: [Pad<'_>; 9] = [
        (&[5], &[2], &[3], &[0]),
        (&[5], &[0], &[0], &[2]),
        (&[5], &[-1], &[-2], &[0]),
        (&[5], &[-2], &[3], &[1]),
        (&[3, 4], &[1, 0], &[0, 2], &[0, 1]),
        (&[0, 2], &[1, 1], &[2, -1], &[3, 0]),
        (&[], &[], &[], &[]),
        (&[2], &[-4], &[5], &[3]),
        (&[17, 33], &[3, -1], &[0, 5], &[1, 0]),
    ];
    for (sizes, low, high, interior) in pads {
        let op = Op::Pad { low: low.to_vec(), high: high.to_vec(), interior: interior.to_vec() };
        let row = Row::new(op).note(format!("{low:?} {high:?} {interior:?}"));
        rows.push(row.x(sizes, DATA).x(&[], Gen::Uniform(1.0, 2.0)));
    }
    let joins: [(usize, &[&[usize]]); 6] = [
        (0, &[&[3], &[4]]),
        (1, &[&[2, 3], &[2, 1], &[2, 4]]),
        (0, &[&[2, 3], &[0, 3], &[1, 3]]),
        (2, &[&[2, 0, 3], &[2, 0, 1]]),
        (0, &[&[5]]),
        (1, &[&[33, 17], &[33, 31]]),
    ];
    for (axis, operands) in joins {
        let row = Row::new(Op::Concatenate { axis }).note(format!("axis {axis}"));
        rows.push(operands.iter().fold(row, |row, sizes| row.x(sizes, DATA)));
    }
    rows
}

/// Offsets inside, at the edges and far outside, in several integer types.
fn dynamic() -> Vec<Row> {
    let mut rows = Vec::new();
    let offsets: [&'static [f64]; 8] = [&[0.0], &[2.0], &[-3.0], &[100.0], &[3.0], &[1.0], &[4.0], &[5.0]];
    use DType::{I8, I16, I32, I64, U8, U16, U32, U64};
    for (i, values) in offsets.into_iter().enumerate() {
        let index = [I32, I64, I8, U8, U64, I16, U16, U32][i];
        let start = Gen::Values(values);
        let slice = |sizes: &[usize]| {
            Row::new(Op::DynamicSlice { sizes: dims(sizes) }).note(format!("{sizes:?} at {values:?}"))
        };
        let update = || Row::new(Op::DynamicUpdateSlice {}).note(format!("at {values:?}"));
        rows.push(slice(&[3]).x(&[7], DATA).is(index, &[], start));
        rows.push(slice(&[2, 1]).x(&[5, 3], DATA).is(index, &[], start).is(index, &[], Gen::Values(&[1.0])));
        rows.push(slice(&[0, 3]).x(&[5, 3], DATA).is(index, &[], start).is(index, &[], start));
        rows.push(update().x(&[7], DATA).x(&[3], DATA).is(index, &[], start));
        rows.push(update().x(&[5, 3], DATA).x(&[1, 3], DATA).is(index, &[], start).is(index, &[], start));
        rows.push(update().x(&[5, 3], DATA).x(&[0, 2], DATA).is(index, &[], start).is(index, &[], start));
    }
    let (large, near) = (Row::new(Op::DynamicSlice { sizes: dims(&[17, 31]) }), Gen::Values(&[2.0]));
    rows.push(large.only(PRIMARY).x(&[37, 33], DATA).is(I32, &[], near).is(I32, &[], near));
    let large = Row::new(Op::DynamicUpdateSlice {}).only(PRIMARY).x(&[37, 33], DATA).x(&[17, 31], DATA);
    rows.push(large.is(I32, &[], near).is(I32, &[], near));
    rows.push(Row::new(Op::DynamicSlice { sizes: Vec::new() }).note("of a scalar").x(&[], DATA));
    rows
}
