//! Cases of image and sequence layers.

use super::{EIGHT_BITS, PRIMARY};
use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{Activation, DTypeSet, Op, ReduceOp};

const DATA: Gen = Gen::Uniform(-1.0, 1.0);
const EXACT: Gen = Gen::Quarters(-1, 1);
/// All types except those in which models are computed.
const OTHERS: DTypeSet = EIGHT_BITS.or(DTypeSet::INT_BOOL).or(DTypeSet::COMPLEX);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = convolutions();
    rows.extend(pools());
    rows.extend(recurrent());
    rows.extend(scans());
    rows
}

fn convolutions() -> Vec<Row> {
    type Conv<'a> = (&'a [usize], &'a [usize], [usize; 2], [usize; 2], [usize; 2], usize);
    let cases: [Conv<'_>; 6] = [
        (&[1, 2, 5, 6], &[3, 2, 2, 3], [1, 1], [0, 0], [1, 1], 1),
        (&[2, 2, 5, 6], &[3, 2, 3, 3], [2, 1], [1, 1], [1, 1], 1),
        (&[1, 2, 7, 7], &[3, 2, 3, 2], [1, 2], [2, 0], [2, 1], 1),
        (&[1, 4, 5, 5], &[6, 2, 3, 3], [1, 1], [1, 1], [1, 1], 2),
        (&[1, 4, 5, 5], &[4, 1, 3, 3], [2, 2], [1, 1], [1, 1], 4),
        (&[0, 2, 5, 5], &[3, 2, 3, 3], [1, 1], [0, 0], [1, 1], 1),
    ];
    let mut rows = Vec::new();
    for (x, w, stride, padding, dilation, groups) in cases {
        let op = || Op::Conv2d {
            stride: stride.into(),
            padding: padding.into(),
            dilation: dilation.into(),
            groups,
        };
        let note = format!("{stride:?} {padding:?} {dilation:?} {groups}");
        let row = || Row::new(op()).note(note.clone()).only(PRIMARY).any_zero();
        rows.push(row().x(x, EXACT).x(w, EXACT));
        rows.push(row().only(PRIMARY.or(EIGHT_BITS)).x(x, DATA).x(w, DATA).x(&w[..1], DATA));
    }
    type Transposed<'a> = (&'a [usize], &'a [usize], [usize; 2], [usize; 2], [usize; 2], usize);
    let cases: [Transposed<'_>; 5] = [
        (&[1, 2, 4, 3], &[2, 3, 2, 3], [1, 1], [0, 0], [0, 0], 1),
        (&[1, 2, 4, 3], &[2, 3, 3, 3], [2, 2], [1, 1], [1, 1], 1),
        (&[1, 2, 4, 3], &[2, 3, 3, 2], [3, 2], [1, 0], [0, 1], 1),
        (&[1, 4, 3, 3], &[4, 2, 3, 3], [2, 1], [1, 1], [0, 0], 2),
        (&[0, 2, 4, 3], &[2, 3, 2, 3], [1, 1], [0, 0], [0, 0], 1),
    ];
    for (x, w, stride, padding, output_padding, groups) in cases {
        let op = Op::ConvTranspose2d {
            stride: stride.into(),
            padding: padding.into(),
            output_padding: output_padding.into(),
            dilation: vec![1, 1],
            groups,
        };
        let note = format!("{stride:?} {padding:?} {output_padding:?} {groups}");
        let row = || Row::new(op.clone()).note(note.clone()).only(PRIMARY).any_zero();
        rows.push(row().x(x, EXACT).x(w, EXACT));
        rows.push(row().only(PRIMARY.or(EIGHT_BITS)).x(x, DATA).x(w, DATA).x(&[w[1] * groups], DATA));
    }
    rows
}

fn pools() -> Vec<Row> {
    let mut rows = Vec::new();
    let kinds = [ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod];
    for kind in kinds {
        type Pool<'a> = (&'a [usize], &'a [usize], &'a [usize], &'a [usize]);
        let cases: [Pool<'_>; 5] = [
            (&[1, 2, 7], &[3], &[2], &[1]),
            (&[2, 2, 5, 6], &[2, 3], &[2, 1], &[0, 1]),
            (&[1, 1, 3, 4, 3], &[2, 2, 2], &[1, 2, 1], &[0, 0, 0]),
            (&[0, 2, 5, 5], &[2, 2], &[2, 2], &[0, 0]),
            (&[1, 2, 1], &[3], &[1], &[0]),
        ];
        for (sizes, kernel, stride, padding) in cases {
            let op = Op::Pool {
                kind,
                kernel_size: kernel.to_vec(),
                stride: stride.to_vec(),
                padding: padding.to_vec(),
            };
            let row = Row::new(op)
                .note(format!("{kind} {kernel:?} {stride:?} {padding:?}"))
                .only(PRIMARY)
                .any_zero();
            rows.push(row.x(sizes, Gen::Uniform(0.5, 2.0)));
        }
        // Every other type that the reduction accepts.
        let op = Op::Pool { kind, kernel_size: vec![3], stride: vec![2], padding: vec![1] };
        let row = Row::new(op).note(format!("{kind}, other types")).only(OTHERS).any_zero();
        rows.push(row.x(&[1, 2, 7], Gen::Quarters(1, 3)));
    }
    rows
}

fn recurrent() -> Vec<Row> {
    let mut rows = Vec::new();
    let types = DTypeSet::FLOAT;
    let (batch, input, hidden) = (2, 3, 4);
    for (seq, reverse) in [(5, false), (5, true), (1, false), (0, false)] {
        let ops = [
            (1, Op::Rnn { activation: Activation::Tanh, reverse }),
            (4, Op::Lstm { reverse }),
            (3, Op::Gru { reverse }),
        ];
        for (gates, op) in ops {
            let states = if gates == 4 { 2 } else { 1 };
            let row = || {
                let row = Row::new(op.clone()).note(format!("{seq} steps reverse {reverse}")).only(types);
                let row =
                    (0..states).fold(row.x(&[seq, batch, input], DATA), |r, _| r.x(&[batch, hidden], DATA));
                row.x(&[gates * hidden, input], DATA).x(&[gates * hidden, hidden], DATA)
            };
            rows.push(row());
            rows.push(row().x(&[gates * hidden], DATA).x(&[gates * hidden], DATA));
        }
    }
    rows
}

fn scans() -> Vec<Row> {
    let types = DTypeSet::FLOAT;
    let mut rows = Vec::new();
    for (batch, seq, d, n) in [(2, 5, 3, 2), (1, 1, 2, 4), (2, 0, 3, 2)] {
        let start = |op: Op| {
            let row = Row::new(op)
                .only(types)
                .x(&[batch, seq, d], DATA)
                .x(&[batch, seq, d], Gen::Uniform(0.05, 0.5));
            let row = row.x(&[d, n], Gen::Uniform(-1.0, -0.1));
            row.x(&[batch, seq, n], DATA).x(&[batch, seq, n], DATA)
        };
        rows.push(start(Op::SelectiveScan {}));
        rows.push(start(Op::SelectiveScan {}).x(&[d], DATA));
        rows.push(start(Op::SelectiveScanWithState {}).x(&[batch, d, n], DATA).x(&[d], DATA));
    }
    rows
}
