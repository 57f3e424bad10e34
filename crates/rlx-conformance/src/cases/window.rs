//! Cases of reductions by a sub-graph, over moving windows, and running along an axis.

use super::ONE_PART;
use super::indexing::scalar_body;
use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{BinaryOp, CompareOp, DType, DTypeSet, Op, ReduceOp, SubGraph, UndilatedWindow, WindowSpec};

const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F32, DType::BF16, DType::I32]);

/// The sizes, strides, dilations and padding of a window.
#[derive(Clone, Copy)]
struct Window {
    sizes: &'static [usize],
    strides: &'static [usize],
    base: &'static [usize],
    window: &'static [usize],
    low: &'static [i64],
    high: &'static [i64],
}

impl Window {
    fn spec(self) -> WindowSpec {
        WindowSpec {
            window: self.sizes.to_vec(),
            strides: self.strides.to_vec(),
            base_dilation: self.base.to_vec(),
            window_dilation: self.window.to_vec(),
            low: self.low.to_vec(),
            high: self.high.to_vec(),
        }
    }

    fn undilated(self) -> UndilatedWindow {
        let Window { sizes, strides, low, high, .. } = self;
        UndilatedWindow::new(sizes.to_vec(), strides.to_vec(), low.to_vec(), high.to_vec())
    }
}

/// A long vector.
const LARGE_LINE: &[usize] = &[503];
/// A large reduction with few elements per result.
const LARGE: (&[usize], &[usize]) = (&[3, 401], &[0]);

const LINE: Window = Window { sizes: &[3], strides: &[1], base: &[1], window: &[1], low: &[0], high: &[0] };
const PLANE: Window =
    Window { sizes: &[2, 3], strides: &[1, 1], base: &[1, 1], window: &[1, 1], low: &[0, 0], high: &[0, 0] };

const WINDOWS: [(Window, &[usize]); 10] = [
    (LINE, &[7]),
    (Window { strides: &[2], low: &[1], high: &[2], ..LINE }, &[7]),
    (Window { base: &[2], window: &[3], low: &[2], high: &[1], ..LINE }, &[6]),
    (Window { low: &[-1], high: &[-2], ..LINE }, &[9]),
    // Windows that contain only padding or gaps.
    (Window { sizes: &[1], base: &[3], low: &[2], high: &[2], ..LINE }, &[4]),
    (LINE, &[2]),
    (LINE, &[0]),
    (PLANE, &[4, 5]),
    (Window { strides: &[2, 1], window: &[2, 1], low: &[1, 0], high: &[1, 2], ..PLANE }, &[5, 4]),
    (PLANE, &[0, 5]),
];

/// Returns values that keep sums and products of a window in range.
fn ordinary(kind: ReduceOp) -> Gen {
    match kind {
        ReduceOp::Sum => Gen::Uniform(0.25, 4.0),
        ReduceOp::Prod => Gen::Uniform(0.7, 1.4),
        ReduceOp::Max | ReduceOp::Min => Gen::Uniform(-60.0, 60.0),
        ReduceOp::And | ReduceOp::Or => Gen::Bits,
        ReduceOp::Mean | ReduceOp::LogSumExp => Gen::Uniform(-3.0, 3.0),
    }
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = by_graph();
    rows.extend(windows());
    rows.extend(selections());
    rows.extend(cumulatives());
    rows
}

fn sum_body(dtype: DType) -> SubGraph {
    scalar_body(dtype, 2, |x| vec![x[0].binary(BinaryOp::Add, &x[1])])
}

/// Chooses the larger of two with its companion, and the smaller companion if both are equal: an arg-max over two operands, in any order.
fn larger_pair(dtype: DType) -> SubGraph {
    scalar_body(dtype, 4, |x| {
        let equal = x[0].compare(CompareOp::Eq, &x[2]).and(&x[1].compare(CompareOp::Le, &x[3]));
        let keep = x[0].compare(CompareOp::Gt, &x[2]).or(&equal);
        vec![keep.select(&x[0], &x[2]), keep.select(&x[1], &x[3])]
    })
}

fn by_graph() -> Vec<Row> {
    let mut rows = Vec::new();
    for (sizes, axes) in
        [(&[7][..], &[0][..]), (&[3, 5], &[0]), (&[2, 3, 4], &[0, 2]), (&[0, 3], &[0]), (&[3], &[]), LARGE]
    {
        let sum = Row::of(move |d| Op::ReduceGraph { body: sum_body(d), axes: axes.to_vec() });
        let sum = sum.note(format!("sum {axes:?}")).any_zero().within(Bound::Exact);
        // Sums of so few ones are exact in every order and type.
        rows.push(sum.x(sizes, Gen::Ints(-1, 1)).x(&[], Gen::Values(&[0.0])));
        let pair = Row::of(move |d| Op::ReduceGraph { body: larger_pair(d), axes: axes.to_vec() });
        let pair = pair.note(format!("larger pair {axes:?}")).within(Bound::Exact).only(DTypeSet::REAL);
        // No element is smaller than the first initial value, and no companion is larger than the second, so they are
        // an identity for numbers.
        let pair = pair.x(sizes, Gen::Distinct).x(sizes, Gen::Distinct);
        rows.push(pair.x(&[], Gen::Values(&[-1e9])).x(&[], Gen::Values(&[1e9])));
    }
    for (w, sizes) in WINDOWS.into_iter().chain([(LINE, LARGE_LINE)]) {
        let row = Row::of(move |d| Op::ReduceWindowGraph { body: sum_body(d), spec: w.spec() });
        let row = row.note(describe(w)).any_zero().within(Bound::Exact);
        rows.push(row.x(sizes, Gen::Ints(-1, 1)).x(&[], Gen::Values(&[0.0])));
    }
    rows
}

fn describe(w: Window) -> String {
    let Window { sizes, strides, base, window, low, high } = w;
    format!("{sizes:?} by {strides:?} base {base:?} window {window:?} padding {low:?} {high:?}")
}

fn windows() -> Vec<Row> {
    let mut rows = Vec::new();
    for kind in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or] {
        let reduce = |w: Window| {
            let row = Row::new(Op::ReduceWindow { kind, spec: w.spec() });
            let row = row.note(format!("{kind} {}", describe(w)));
            if kind == ReduceOp::Sum { row.any_zero() } else { row }
        };
        for (w, sizes) in WINDOWS {
            rows.push(reduce(w).x(sizes, ordinary(kind)));
        }
        rows.push(
            reduce(LINE).x(&[12], Gen::Values(&[1.0, f64::NAN, 0.5, -0.0, 0.0, 2.0, f64::INFINITY])).judged(
                DTypeSet::COMPLEX,
                0.7,
                ONE_PART,
            ),
        );
        rows.push(reduce(PLANE).only(PRIMARY).x(&[67, 129], ordinary(kind)));
    }
    rows
}

fn selections() -> Vec<Row> {
    let mut rows = Vec::new();
    let cases: [(Window, &[usize], &[usize]); 6] = [
        (Window { strides: &[3], ..LINE }, LARGE_LINE, &[167]),
        (LINE, &[7], &[5]),
        (Window { strides: &[2], low: &[1], high: &[1], ..LINE }, &[7], &[4]),
        (Window { sizes: &[2, 2], strides: &[2, 2], ..PLANE }, &[4, 6], &[2, 3]),
        (PLANE, &[4, 5], &[3, 3]),
        (LINE, &[0], &[0]),
    ];
    for (w, sizes, source) in cases {
        for data in [Gen::Distinct, Gen::Ints(-1, 1)] {
            let row = Row::of(move |d| Op::SelectAndScatter {
                select: scalar_body(d, 2, |x| vec![x[0].compare(CompareOp::Ge, &x[1])]),
                scatter: sum_body(d),
                spec: w.undilated(),
            });
            let row = row.note(describe(w)).any_zero().within(Bound::Exact);
            rows.push(row.x(sizes, data).x(source, Gen::Ints(-1, 1)).x(&[], Gen::Values(&[0.0])));
        }
    }
    rows
}

fn cumulatives() -> Vec<Row> {
    use ReduceOp::*;
    let mut rows = Vec::new();
    for &op in ReduceOp::RUNNING {
        let data = match op {
            Sum => Gen::Uniform(0.25, 2.0),
            Prod => Gen::Uniform(0.7, 1.4),
            Max | Min => Gen::Uniform(-60.0, 60.0),
            _ => Gen::Uniform(-3.0, 3.0),
        };
        for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            let row = |axis: usize| {
                let row = Row::new(Op::Cumulative { op, axis, exclusive, reverse });
                row.note(format!("{op} axis {axis} exclusive {exclusive} reverse {reverse}")).any_zero()
            };
            for (sizes, axis) in [(&[7][..], 0), (&[3, 5], 0), (&[2, 3, 4], 1), (&[2, 0], 1), (&[1], 0)] {
                rows.push(row(axis).x(sizes, data));
            }
        }
        let row = |axis: usize| {
            Row::new(Op::Cumulative { op, axis, exclusive: false, reverse: false }).note(op.to_string())
        };
        rows.push(row(0).any_zero().x(&[9], Gen::Values(&[1.0, 2.0, f64::NAN, 1.0])).judged(
            DTypeSet::COMPLEX,
            0.85,
            ONE_PART,
        ));
        // Values that are exact in every order, if the op has such values.
        let exact = match op {
            Sum => Gen::Quarters(-1, 1),
            Prod => Gen::Values(&[1.0, -1.0, 1.0]),
            _ => data,
        };
        rows.push(row(1).any_zero().only(PRIMARY).x(&[5, 257], exact));
    }
    rows
}
