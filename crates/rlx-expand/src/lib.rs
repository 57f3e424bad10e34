//! Expansions: primitives written in simpler primitives, for backends and formats that lack them.
//!
//! [`expand`] computes the results of an op as an expression in other ops, with the same shapes and within the error bounds of
//! backends; [`expand_graph`] returns this expression as a graph. Legalization and exporters expand only the ops that their
//! target lacks. There are two tiers:
//!
//! - Ops that StableHLO cannot express at all (sorts by key, running reductions, loops over slices, block formats,
//!   factorizations, most special functions) become ops that it can.
//! - Functions of its companion CHLO, and a few of StableHLO's own (inverse trigonometric functions, `erf`, `lgamma`, …), become
//!   arithmetic, comparisons and the elementary functions.
//!
//! **EXPAND-1**: an expansion may contain ops that have an expansion themselves, but never, at any depth, the op itself on the
//! same element type. So repeated expansion ends.

mod applied;
mod build;
mod collective;
mod complex;
mod elementary;
mod elementwise;
mod fourier;
mod identity;
mod linalg;
mod looping;
mod numbers;
mod order;
mod quantized;
mod ragged;
mod random;
mod running;
mod sorting;
mod special;

pub use applied::{Applied, BlockValue, Lookup};
pub use numbers::{function, has_operators, in_operators};

use rlx_ir::{Builder, Graph, Op, OpClass, OpError, Shape, Tensor};

/// The version of the crate. Programs on disk record it, to tell which compiler made them.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The results of `op` on `operands` in simpler ops, with exactly the shapes that the op's rule infers. `None` if the op is
/// already simple, or is a composite. The results never contain `op` on the same element type (EXPAND-1).
///
/// Fails if the op does not accept the operands, or an operand is void.
pub fn expand(op: &Op, operands: &[Tensor]) -> Option<Result<Vec<Tensor>, OpError>> {
    if op.kind().class() != OpClass::Primitive {
        return None;
    }
    let results = rule(op, operands)?;
    Some(checked(op, operands, results))
}

/// [`expand`] as a graph, with one input per operand, `x0`, `x1`, …, and one output per result.
pub fn expand_graph(op: &Op, operand_shapes: &[Shape]) -> Option<Result<Graph, OpError>> {
    let builder = Builder::new(op.mnemonic());
    let named = operand_shapes.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone()));
    let operands: Vec<Tensor> = named.collect();
    let finish = |results: Vec<Tensor>| {
        let outputs: Vec<&Tensor> = results.iter().collect();
        builder.finish(&outputs).map_err(|violations| inner(op, violations.to_string()))
    };
    Some(expand(op, &operands)?.and_then(finish))
}

fn inner(op: &Op, message: String) -> OpError {
    OpError::Inner { op: op.mnemonic().into(), source: Box::new(OpError::Shape(message)) }
}

/// The expansion of a primitive on operands that its rule accepts.
type Rule<'a> = Box<dyn FnOnce(&[Tensor]) -> Result<Vec<Tensor>, OpError> + 'a>;

fn rule<'a>(op: &'a Op, operands: &[Tensor]) -> Option<Rule<'a>> {
    let first = operands.first()?.dtype();
    Some(match op {
        Op::Unary { op } => return elementwise::unary(*op, first),
        Op::Binary { op } => return elementwise::binary(*op, first),
        Op::Betainc {} => elementwise::betainc(),
        Op::Sort { axis, order, num_keys, stable } => {
            Box::new(|x| sorting::sort(x, *axis, *order, *num_keys, *stable))
        }
        Op::TopK { k } => Box::new(|x| sorting::top_k(&x[0], *k)),
        Op::ArgReduce { op, axis, dtype } => Box::new(|x| sorting::argreduce(&x[0], *op, *axis, *dtype)),
        Op::Cumulative { op, axis, exclusive, reverse } => {
            Box::new(|x| running::cumulative(&x[0], *op, *axis, *exclusive, *reverse))
        }
        Op::Cholesky { lower } => Box::new(|x| linalg::triangular::cholesky(&x[0], *lower)),
        Op::TriangularSolve { left_side, lower, unit_diagonal, transpose } => Box::new(|x| {
            linalg::triangular::triangular_solve(&x[0], &x[1], *left_side, *lower, *unit_diagonal, *transpose)
        }),
        Op::TridiagonalSolve {} => {
            Box::new(|x| linalg::tridiagonal::tridiagonal_solve([&x[0], &x[1], &x[2]], &x[3]))
        }
        Op::Lu {} => Box::new(|x| linalg::lu::lu(&x[0])),
        Op::Geqrf {} => Box::new(|x| linalg::householder::geqrf(&x[0])),
        Op::Geqp3 {} => Box::new(|x| linalg::householder::geqp3(&x[0], &x[1])),
        Op::HouseholderProduct {} => Box::new(|x| linalg::householder::householder_product(&x[0], &x[1])),
        Op::Qr { full_matrices } => Box::new(|x| linalg::householder::qr(&x[0], *full_matrices)),
        Op::Eig { left, right } => Box::new(|x| linalg::eig::eig(&x[0], *left, *right)),
        Op::Eigh { lower } => Box::new(|x| linalg::eigh::eigh(&x[0], *lower)),
        Op::Svd { full_matrices } => Box::new(|x| linalg::svd::svd(&x[0], *full_matrices)),
        Op::Scan { body, length, num_consts, num_carry, reverse } => {
            Box::new(|x| looping::scan(x, body, length, *num_consts, *num_carry, *reverse))
        }
        Op::RaggedDot { dtype } => Box::new(|x| ragged::ragged_dot(&x[0], &x[1], &x[2], *dtype)),
        Op::DequantizeBlocks { scheme } => Box::new(|x| quantized::dequantize_blocks(&x[0], *scheme)),
        Op::Fft { kind, lengths } => Box::new(|x| fourier::fft(&x[0], *kind, lengths)),
        Op::RngBits { algorithm, shape } => Box::new(|x| random::rng_bits(&x[0], *algorithm, shape)),
        Op::AllReduce { .. }
        | Op::AllGather { .. }
        | Op::ReduceScatter { .. }
        | Op::AllToAll { .. }
        | Op::Permute { .. } => Box::new(|x| collective::collective(op, &x[0])),
        Op::Threefry2x32 {} => Box::new(|x| Ok(random::threefry2x32(x))),
        _ => return None,
    })
}

/// Applies a rule to operands that the op accepts, and checks its results against the op's own rule.
fn checked(op: &Op, operands: &[Tensor], rule: Rule<'_>) -> Result<Vec<Tensor>, OpError> {
    if operands.iter().any(|t| t.id().is_none()) {
        return Err(inner(op, "an operand is void after an error; finish its graph to see it".into()));
    }
    let shapes: Vec<Shape> = operands.iter().map(Tensor::shape).collect();
    let declared = op.infer(&shapes)?;
    let results = rule(operands)?;
    if results.iter().any(|t| t.id().is_none()) {
        return Ok(results);
    }
    let made: Vec<Shape> = results.iter().map(Tensor::shape).collect();
    if made.len() != declared.len() || made.iter().zip(&declared).any(|(m, d)| m != d) {
        return Err(inner(op, format!("the expansion returns {made:?}, but the op returns {declared:?}")));
    }
    Ok(results)
}
