//! Cases of collectives with one participant.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{Dim, Op, ReduceOp};

/// Any bits, because nothing is computed.
const DATA: Gen = Gen::Bits;
const ONE: Dim = Dim::Static(1);

fn name() -> String {
    "i".into()
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for &op in ReduceOp::BINARY {
        for sizes in [&[][..], &[3, 5], &[0, 3], &[9, 131]] {
            rows.push(Row::new(Op::AllReduce { op, axis_name: name() }).note(format!("{op}")).x(sizes, DATA));
        }
        for (sizes, axis, tiled) in [(&[3, 1][..], 1, false), (&[0, 3], 1, true), (&[9, 131], 0, true)] {
            let note = format!("{op} axis {axis}, tiled {tiled}");
            let op = Op::ReduceScatter { op, axis, axis_name: name(), size: ONE, tiled };
            rows.push(Row::new(op).note(note).x(sizes, DATA));
        }
    }
    for (sizes, axis, tiled) in [
        (&[][..], 0, false),
        (&[3, 5], 1, false),
        (&[3, 5], 1, true),
        (&[0, 3], 2, false),
        (&[9, 131], 0, true),
    ] {
        let op = Op::AllGather { axis, axis_name: name(), size: ONE, tiled };
        rows.push(Row::new(op).note(format!("axis {axis}, tiled {tiled}")).x(sizes, DATA));
    }
    for (sizes, split_axis, concat_axis, tiled) in [
        (&[3, 1, 5][..], 1, 0, false),
        (&[3, 1, 5], 1, 2, false),
        (&[3, 5], 0, 1, true),
        (&[1, 0, 3], 0, 2, false),
        (&[9, 131], 1, 1, true),
    ] {
        let op = Op::AllToAll { split_axis, concat_axis, axis_name: name(), size: ONE, tiled };
        let note = format!("axis {split_axis} to {concat_axis}, tiled {tiled}");
        rows.push(Row::new(op).note(note).x(sizes, DATA));
    }
    for sizes in [&[][..], &[3, 5], &[0, 3], &[9, 131]] {
        for ends in [&[][..], &[0]] {
            let op = Op::Permute { sources: ends.to_vec(), targets: ends.to_vec(), axis_name: name() };
            rows.push(Row::new(op).note(format!("{ends:?}")).x(sizes, DATA));
        }
    }
    rows.push(Row::new(Op::AxisIndex { axis_name: name() }));
    rows
}
