//! Cases of convolutions and grouped products.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{ConvolutionSpec, DType, DTypeSet, Op};

const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F32, DType::F16, DType::BF16, DType::I32]);

fn plain(spatial: usize) -> ConvolutionSpec {
    ConvolutionSpec::plain(spatial)
}

fn convolution(note: &str, spec: ConvolutionSpec) -> Row {
    accumulated(note, spec, None)
}

/// A convolution with an accumulator type.
fn accumulated(note: &str, spec: ConvolutionSpec, dtype: Option<DType>) -> Row {
    Row::new(Op::Convolution { spec, dtype }).note(note).any_zero()
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let cases: Vec<(&str, ConvolutionSpec, &[usize], &[usize])> = vec![
        ("1-D", plain(1), &[2, 3, 7], &[4, 3, 3]),
        ("2-D", plain(2), &[1, 2, 5, 6], &[3, 2, 2, 3]),
        ("3-D", plain(3), &[1, 2, 3, 4, 3], &[2, 2, 2, 2, 2]),
        ("0-D", plain(0), &[2, 3], &[4, 3]),
        (
            "strided and padded",
            ConvolutionSpec { strides: vec![2, 3], low: vec![1, 2], high: vec![0, 1], ..plain(2) },
            &[1, 2, 5, 6],
            &[3, 2, 2, 3],
        ),
        (
            "cut by padding",
            ConvolutionSpec { low: vec![-1], high: vec![-2], ..plain(1) },
            &[1, 2, 8],
            &[2, 2, 3],
        ),
        (
            "lhs dilated",
            ConvolutionSpec { lhs_dilation: vec![2], low: vec![1], high: vec![2], ..plain(1) },
            &[1, 2, 4],
            &[2, 2, 3],
        ),
        ("rhs dilated", ConvolutionSpec { rhs_dilation: vec![2], ..plain(1) }, &[1, 2, 8], &[2, 2, 3]),
        (
            "reversed",
            ConvolutionSpec { reversal: vec![true, false], ..plain(2) },
            &[1, 2, 4, 5],
            &[2, 2, 2, 3],
        ),
        ("feature groups", ConvolutionSpec { feature_groups: 2, ..plain(1) }, &[2, 4, 6], &[6, 2, 3]),
        ("depthwise", ConvolutionSpec { feature_groups: 4, ..plain(1) }, &[1, 4, 6], &[4, 1, 3]),
        ("batch groups", ConvolutionSpec { batch_groups: 2, ..plain(1) }, &[4, 3, 6], &[6, 3, 3]),
        ("channels last", plain(2).channels_last(), &[1, 5, 6, 2], &[2, 3, 2, 3]),
        ("no image", plain(1), &[0, 3, 7], &[4, 3, 3]),
        ("no room", plain(1), &[2, 3, 2], &[4, 3, 3]),
        ("no channel", plain(1), &[2, 0, 7], &[4, 0, 3]),
    ];
    for (note, spec, x, kernel) in cases {
        let row = || convolution(note, spec.clone());
        rows.push(row().x(x, Gen::Quarters(-1, 1)).x(kernel, Gen::Quarters(-1, 1)));
        rows.push(row().x(x, Gen::Uniform(0.25, 2.0)).x(kernel, Gen::Uniform(0.25, 2.0)));
    }
    let padded = ConvolutionSpec { low: vec![1, 1], high: vec![1, 1], ..plain(2) };
    let row = convolution("large", padded).only(PRIMARY);
    rows.push(row.x(&[2, 5, 17, 19], Gen::Quarters(-1, 1)).x(&[7, 5, 3, 3], Gen::Quarters(-1, 1)));
    let row = accumulated("i8 into i32", plain(1), Some(DType::I32)).only(DTypeSet::of(&[DType::I8]));
    rows.push(row.x(&[1, 3, 7], Gen::Ints(-128, 127)).x(&[2, 3, 3], Gen::Ints(-128, 127)));
    rows.extend(ragged());
    rows
}

fn ragged() -> Vec<Row> {
    let row = |note: &str| Row::new(Op::RaggedDot { dtype: None }).note(note).any_zero();
    let exact = Gen::Quarters(-2, 2);
    let sizes: [(&str, &'static [f64]); 5] = [
        ("all rows", &[3.0, 0.0, 4.0]),
        ("rows left over", &[1.0, 2.0, 1.0]),
        ("too many rows", &[4.0, 9.0, 1.0]),
        ("none", &[0.0, 0.0, 0.0]),
        ("one group", &[0.0, 7.0, 0.0]),
    ];
    let mut rows = Vec::new();
    for (note, sizes) in sizes {
        let operands = row(note).x(&[7, 5], exact).x(&[3, 5, 4], exact);
        rows.push(operands.is(DType::I32, &[3], Gen::Values(sizes)));
    }
    rows.push(row("no rows").x(&[0, 5], exact).x(&[2, 5, 4], exact).is(
        DType::I64,
        &[2],
        Gen::Values(&[0.0]),
    ));
    let large = row("large").only(PRIMARY).x(&[37, 19], exact).x(&[3, 19, 17], exact);
    rows.push(large.is(DType::I32, &[3], Gen::Values(&[20.0, 0.0, 15.0])));
    for index in [DType::I8, DType::I16, DType::U8, DType::U16, DType::U32, DType::U64] {
        let operands = row("other sizes").only(PRIMARY).x(&[7, 5], exact).x(&[3, 5, 4], exact);
        rows.push(operands.is(index, &[3], Gen::Values(&[2.0, 1.0, 4.0])));
    }
    let mixed = Gen::Uniform(0.25, 2.0);
    rows.push(row("mixed").x(&[7, 5], mixed).x(&[3, 5, 4], mixed).is(
        DType::I32,
        &[3],
        Gen::Values(&[2.0, 1.0, 4.0]),
    ));
    rows
}
