//! Imports factorizations, triangular systems, and Fourier transforms.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, one};
use rlx_ir::{FftKind, Op, TransposeOp};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.cholesky" => cholesky,
        "stablehlo.triangular_solve" => triangular_solve,
        "stablehlo.fft" => fft,
        _ => return None,
    })
}

fn cholesky(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a] = cx.operands()?;
    let lower = cx.fields().flag("lower")?;
    one(cx.add(Op::Cholesky { lower }, &[a])?)
}

fn triangular_solve(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b] = cx.operands()?;
    let fields = cx.fields();
    let transpose = match fields.word("transpose_a")? {
        None | Some("NO_TRANSPOSE" | "TRANSPOSE_INVALID") => TransposeOp::None,
        Some("TRANSPOSE") => TransposeOp::Transpose,
        Some("ADJOINT") => TransposeOp::Adjoint,
        Some(other) => return Err(Problem::error(format!("`{other}` is not a form of a matrix"))),
    };
    let op = Op::TriangularSolve {
        left_side: fields.flag("left_side")?,
        lower: fields.flag("lower")?,
        unit_diagonal: fields.flag("unit_diagonal")?,
        transpose,
    };
    one(cx.add(op, &[a, b])?)
}

fn fft(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let fields = cx.fields();
    let kind = match fields.need_word("fft_type")? {
        "FFT" => FftKind::Fft,
        "IFFT" => FftKind::Ifft,
        "RFFT" => FftKind::Rfft,
        "IRFFT" => FftKind::Irfft,
        other => return Err(Problem::error(format!("`{other}` is not a Fourier transform"))),
    };
    let lengths = fields.need_axes("fft_length")?;
    one(cx.add(Op::Fft { kind, lengths }, &[x])?)
}
