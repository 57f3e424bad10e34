//! Lowers sorts along an axis and `top_k`.

use super::merge::{Merge, Numbers, counter, is_local};
use crate::build::Writer;
use crate::kernel::{Place, ScalarId};
use crate::lower::frame::Frame;
use crate::lower::{Argument, LowerError, Reader};
use rlx_ir::{BinaryOp, Class, CompareOp, DType, Dim, Node, NodeId, Op, SortOrder, UnaryOp};

pub(super) fn sort(
    frame: &mut Frame<'_>,
    node: &Node,
    results: &[Option<Argument>],
) -> Result<(), LowerError> {
    let xs = node.inputs();
    match node.op() {
        &Op::Sort { axis, order, num_keys, .. } => {
            sorted(frame, xs, (axis, Merge::ByRank), results, &mut |w, a, b| {
                let (a, b) = match order {
                    SortOrder::Ascending => (&a[..num_keys], &b[..num_keys]),
                    SortOrder::Descending => (&b[..num_keys], &a[..num_keys]),
                };
                Ok(all_before(w, a, b))
            })
        }
        Op::SortGraph { axis, comparator, .. } => {
            sorted(frame, xs, (*axis, Merge::InTurn), results, &mut |w, a, b| {
                let pairs: Vec<ScalarId> = a.iter().zip(b).flat_map(|(&a, &b)| [a, b]).collect();
                Ok(Reader::applied(w, comparator, &pairs)?[0])
            })
        }
        _ => Ok(()),
    }
}

/// Returns whether the elements at one position come before those at another.
type Order<'a> = &'a mut dyn FnMut(&mut Writer, &[ScalarId], &[ScalarId]) -> Result<ScalarId, LowerError>;

/// Adds a launch that sorts lines of several tensors together.
fn sorted(
    frame: &mut Frame<'_>,
    xs: &[NodeId],
    (axis, merge): (usize, Merge),
    results: &[Option<Argument>],
    order: Order<'_>,
) -> Result<(), LowerError> {
    let along = Along::new(frame, xs[0], axis);
    let wanted: Vec<(NodeId, Argument)> =
        xs.iter().zip(results).filter_map(|(&x, to)| Some((x, (*to)?))).collect();
    let mut touched: Vec<(Argument, Place)> = wanted.iter().map(|&(_, to)| (to, Place::Out)).collect();
    touched.extend(along.numbers(frame)?);
    frame.launch(xs, &touched, |w, reader, buffers| {
        w.par(&along.lines, |w, line| {
            let numbers = Numbers::new(w, buffers.get(wanted.len()).copied(), line, &along.length)?;
            let side = numbers.sort(w, merge, &mut |w, a, b| {
                let mut elements = |at: &Dim| {
                    let at = along.at(line, at);
                    xs.iter()
                        .map(|&x| reader.element(w, x, &at))
                        .collect::<Result<Vec<ScalarId>, LowerError>>()
                };
                let (a, b) = (elements(a)?, elements(b)?);
                order(w, &a, &b)
            })?;
            w.par(std::slice::from_ref(&along.length), |w, index| {
                let from = numbers.load(w, &side, &index[0]);
                for (&(x, _), &buffer) in wanted.iter().zip(buffers) {
                    let element = reader.element(w, x, &along.at(line, &from))?;
                    w.store(buffer, &along.at(line, &index[0]), element);
                }
                Ok(())
            })
        })
    })
}

pub(super) fn top_k(
    frame: &mut Frame<'_>,
    node: &Node,
    results: &[Option<Argument>],
) -> Result<(), LowerError> {
    let (&Op::TopK { k }, &[x], &[values, indices]) = (node.op(), node.inputs(), results) else {
        return Ok(());
    };
    let along = Along::new(frame, x, frame.shape(x).rank() - 1);
    let mut touched: Vec<(Argument, Place)> = results.iter().flatten().map(|&to| (to, Place::Out)).collect();
    touched.extend(along.numbers(frame)?);
    frame.launch(&[x], &touched, |w, reader, buffers| {
        let mut buffers = buffers.iter().copied();
        let (values, indices) = (values.and_then(|_| buffers.next()), indices.and_then(|_| buffers.next()));
        let temporary = buffers.next();
        w.par(&along.lines, |w, line| {
            let numbers = Numbers::new(w, temporary, line, &along.length)?;
            let side = numbers.sort(w, Merge::ByRank, &mut |w, a, b| {
                let a = reader.element(w, x, &along.at(line, a))?;
                let b = reader.element(w, x, &along.at(line, b))?;
                Ok(w.apply(Op::Compare { op: CompareOp::Gt, total_order: true }, &[a, b], DType::Bool))
            })?;
            w.par(&[Dim::Static(k)], |w, index| {
                let (from, to) = (numbers.load(w, &side, &index[0]), along.at(line, &index[0]));
                if let Some(values) = values {
                    let element = reader.element(w, x, &along.at(line, &from))?;
                    w.store(values, &to, element);
                }
                if let Some(indices) = indices {
                    let number = w.index(DType::I32, &from);
                    w.store(indices, &to, number);
                }
                Ok(())
            })
        })
    })
}

/// The lines along an axis.
struct Along {
    axis: usize,
    lines: Vec<Dim>,
    length: Dim,
}

impl Along {
    fn new(frame: &Frame<'_>, x: NodeId, axis: usize) -> Along {
        let mut lines = frame.shape(x).dims().to_vec();
        let length = lines.remove(axis);
        Along { axis, lines, length }
    }

    /// Returns the indices of an element of a line.
    fn at(&self, line: &[Dim], index: &Dim) -> Vec<Dim> {
        let mut at = line.to_vec();
        at.insert(self.axis, index.clone());
        at
    }

    /// Returns memory for the indices of all elements, with a launch that fills it, unless they are local.
    fn numbers(&self, frame: &mut Frame<'_>) -> Result<Option<(Argument, Place)>, LowerError> {
        if is_local(&self.length) {
            return Ok(None);
        }
        let (counter, last) = (counter(&self.length), self.lines.len() + 1);
        let extents = [&[Dim::Static(2)], &self.lines[..], std::slice::from_ref(&self.length)].concat();
        let numbers = frame.temporary(counter, &extents);
        frame.launch(&[], &[(numbers, Place::Out)], |w, _, buffers| {
            w.par(&extents, |w, at| {
                let number = w.index(counter, &at[last]);
                w.store(buffers[0], at, number);
                Ok(())
            })
        })?;
        Ok(Some((numbers, Place::InOut)))
    }
}

/// Returns whether keys come before others in ascending order. The first key is the most significant.
fn all_before(w: &mut Writer, a: &[ScalarId], b: &[ScalarId]) -> ScalarId {
    let parts: Vec<(ScalarId, ScalarId)> = a.iter().zip(b).flat_map(|(&a, &b)| parts(w, a, b)).collect();
    let mut result: Option<ScalarId> = None;
    for &(a, b) in parts.iter().rev() {
        let less = is_less(w, a, b);
        result = Some(match result {
            None => less,
            Some(rest) => {
                let greater = is_less(w, b, a);
                let not_greater = w.unary(UnaryOp::Not, greater);
                let rest = w.binary(BinaryOp::And, not_greater, rest);
                w.binary(BinaryOp::Or, less, rest)
            }
        });
    }
    // `infer` does not accept a sort without keys.
    result.unwrap_or_else(|| w.constant(DType::Bool, rlx_ir::Scalar::Int(0)))
}

/// Returns the real numbers by which a pair is compared, in order.
fn parts(w: &mut Writer, a: ScalarId, b: ScalarId) -> Vec<(ScalarId, ScalarId)> {
    if w.dtype(a).class() != Class::Complex {
        return vec![(a, b)];
    }
    [UnaryOp::Real, UnaryOp::Imag].map(|part| (w.unary(part, a), w.unary(part, b))).to_vec()
}

/// Returns whether one number comes before another. NaN comes after everything, and −0 equals 0.
fn is_less(w: &mut Writer, a: ScalarId, b: ScalarId) -> ScalarId {
    let less = w.compare(CompareOp::Lt, a, b);
    if w.dtype(a).class() != Class::Float {
        return less;
    }
    let (a_is, b_is_not) = (w.compare(CompareOp::Eq, a, a), w.compare(CompareOp::Ne, b, b));
    let before_nan = w.binary(BinaryOp::And, a_is, b_is_not);
    w.binary(BinaryOp::Or, less, before_nan)
}
