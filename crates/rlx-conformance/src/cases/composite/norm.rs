//! Cases of norms, means and losses.

use super::PRIMARY;
use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, Op};

const DATA: Gen = Gen::Uniform(-3.0, 3.0);
const FACTOR: Gen = Gen::Uniform(0.5, 1.5);
const EPS: f64 = 1e-5;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = softmaxes();
    rows.extend(norms());
    rows.extend(losses());
    rows
}

fn softmaxes() -> Vec<Row> {
    let mut rows = Vec::new();
    for (sizes, axis) in
        [(&[7][..], 0), (&[3, 11], 1), (&[3, 11], 0), (&[2, 0], 0), (&[2, 3, 1], 2), (&[2, 3, 4], 1)]
    {
        for (note, op) in [("", Op::Softmax { axis }), ("log", Op::LogSoftmax { axis })] {
            let row = || Row::new(op.clone()).note(format!("{note} axis {axis}"));
            rows.push(row().x(sizes, Gen::Uniform(-6.0, 6.0)));
            rows.push(row().only(PRIMARY).x(sizes, Gen::Uniform(-300.0, 300.0)));
        }
        for keep_dims in [false, true] {
            let mean = Op::Mean { axes: vec![axis], keep_dims };
            let note = format!("axis {axis} keep {keep_dims}");
            rows.push(Row::new(mean).note(note.clone()).x(sizes, Gen::Uniform(0.25, 4.0)));
            let sum = Op::LogSumExp { axes: vec![axis], keep_dims };
            rows.push(Row::new(sum).note(note).x(sizes, Gen::Uniform(-6.0, 6.0)));
        }
    }
    let large = Gen::Uniform(-6.0, 6.0);
    rows.push(Row::new(Op::Softmax { axis: 1 }).only(PRIMARY).x(&[65, 257], large));
    rows.push(Row::new(Op::LogSoftmax { axis: 1 }).only(PRIMARY).x(&[65, 257], large));
    rows.push(
        Row::new(Op::Mean { axes: vec![0, 2], keep_dims: false }).x(&[3, 4, 5], Gen::Uniform(0.25, 4.0)),
    );
    rows.push(Row::new(Op::LogSumExp { axes: vec![0, 2], keep_dims: false }).x(&[3, 4, 5], large));
    rows
}

fn norms() -> Vec<Row> {
    let mut rows = Vec::new();
    for (sizes, axis) in
        [(&[3, 8][..], 1), (&[2, 3, 5], 1), (&[2, 3, 5], 2), (&[0, 4], 1), (&[7], 0), (&[17, 384], 1)]
    {
        let tail = &sizes[axis..];
        let types = if sizes.contains(&384) { PRIMARY } else { DTypeSet::FLOAT };
        let layer = || Row::new(Op::LayerNorm { axis, eps: EPS }).note(format!("axis {axis}")).only(types);
        rows.push(layer().x(sizes, DATA));
        rows.push(layer().x(sizes, DATA).x(tail, FACTOR));
        rows.push(layer().x(sizes, DATA).x(tail, FACTOR).x(tail, DATA));
        let rms = || Row::new(Op::RmsNorm { axis, eps: EPS }).note(format!("axis {axis}")).only(types);
        rows.push(rms().x(sizes, DATA));
        rows.push(rms().x(sizes, DATA).x(tail, FACTOR));
    }
    for sizes in [&[2, 4, 3, 3][..], &[1, 4, 1, 2], &[0, 4, 2, 2]] {
        let layer = Row::new(Op::LayerNorm2d { eps: EPS }).only(DTypeSet::FLOAT);
        rows.push(layer.x(sizes, DATA).x(&[4], FACTOR).x(&[4], DATA));
        for groups in [1, 2, 4] {
            let group =
                Row::new(Op::GroupNorm { groups, eps: EPS }).note(format!("{groups}")).only(DTypeSet::FLOAT);
            rows.push(group.x(sizes, DATA).x(&[4], FACTOR).x(&[4], DATA));
        }
        let batch = Row::new(Op::BatchNorm { axis: 1, eps: EPS }).only(DTypeSet::FLOAT);
        let batch = batch.x(sizes, DATA).x(&[4], FACTOR).x(&[4], DATA).x(&[4], DATA);
        rows.push(batch.x(&[4], FACTOR));
    }
    let training = Row::new(Op::BatchNormTraining { axis: 1, eps: EPS }).only(DTypeSet::FLOAT);
    rows.push(training.x(&[3, 4, 2], DATA).x(&[4], FACTOR).x(&[4], DATA));
    rows
}

fn losses() -> Vec<Row> {
    let mut rows = Vec::new();
    for sizes in [&[3, 7][..], &[2, 3, 5], &[0, 5]] {
        let rows_of = &sizes[..sizes.len() - 1];
        let row = || Row::new(Op::SoftmaxCrossEntropy {}).only(DTypeSet::FLOAT).x(sizes, DATA);
        rows.push(row().is(DType::I32, rows_of, Gen::Ints(0, 4)));
        // A label that is not a class gives NaN.
        rows.push(row().is(DType::I64, rows_of, Gen::Ints(-2, 9)));
        rows.push(row().is(DType::F32, rows_of, Gen::Ints(0, 4)));
    }
    for sizes in [&[3, 7][..], &[], &[0, 3]] {
        rows.push(Row::new(Op::Mse {}).only(DTypeSet::FLOAT).x(sizes, DATA).x(sizes, DATA));
    }
    rows
}
