//! Writes whole algorithms: factorizations, triangular systems, Fourier transforms, random bits, `top_k`.

use super::expansion::{Rule, narrow, widened};
use super::writer::{EmittedValue, list, names, signature, ty};
use rlx_ir::{FftKind, Op, RngAlgorithm, Shape, TransposeOp};

/// Returns the expansion of routines that XLA for GPUs lacks: cuBLAS has products of 16-bit floats, but does not solve
/// triangular systems of them.
pub(super) fn own(op: &Op, operands: &[Shape]) -> Option<Rule> {
    matches!(op, Op::TriangularSolve { .. } if narrow(operands.first()?.dtype())).then_some(widened)
}

/// Returns the text after the `=`.
pub(super) fn text(op: &Op, xs: &[EmittedValue], results: &[Shape]) -> Option<String> {
    let (names, signature) = (names(xs), signature(xs, results));
    Some(match op {
        Op::Cholesky { lower } => {
            format!("stablehlo.cholesky {names}, lower = {lower} : {}", ty(results.first()?))
        }
        Op::TriangularSolve { left_side, lower, unit_diagonal, transpose } => {
            let transpose = match transpose {
                TransposeOp::None => "NO_TRANSPOSE",
                TransposeOp::Transpose => "TRANSPOSE",
                TransposeOp::Adjoint => "ADJOINT",
            };
            format!(
                "\"stablehlo.triangular_solve\"({names}) <{{left_side = {left_side}, lower = {lower}, \
                 transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = {unit_diagonal}}}> : {signature}"
            )
        }
        Op::Fft { kind, lengths } => {
            let kind = match kind {
                FftKind::Fft => "FFT",
                FftKind::Ifft => "IFFT",
                FftKind::Rfft => "RFFT",
                FftKind::Irfft => "IRFFT",
            };
            format!("stablehlo.fft {names}, type = {kind}, length = {} : {signature}", list(lengths))
        }
        Op::RngBits { algorithm, .. } => {
            let algorithm = match algorithm {
                RngAlgorithm::Threefry => "THREE_FRY",
                RngAlgorithm::Philox => "PHILOX",
            };
            format!("stablehlo.rng_bit_generator {names}, algorithm = {algorithm} : {signature}")
        }
        Op::TopK { k } => {
            let results: Vec<String> = results.iter().map(ty).collect();
            format!("chlo.top_k({names}, k = {k}) : {} -> ({})", ty(&xs.first()?.shape), results.join(", "))
        }
        _ => return None,
    })
}
