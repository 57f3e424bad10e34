//! Controls what reverse mode through a `scan` keeps. The scan is rewritten so that the graphs that are to run again are
//! checkpointed.

use super::scan::{Role, Scan};
use crate::error::Error;
use crate::options::{Options, ScanMemory};
use crate::trace;
use rlx_ir::{CheckpointPolicy, Dim, Graph, Op, ScanOperands, Shape, SubGraph, Tensor};

/// The scan as a graph on its operands that keeps what the options say, and the options for the scans inside it. `None` if it
/// keeps everything.
pub(super) fn remembering(scan: &Scan, options: &Options) -> Result<Option<(Graph, Options)>, Error> {
    let inner = options.clone().scan_memory(ScanMemory::Everything);
    match options.scan_memory {
        ScanMemory::Everything => Ok(None),
        ScanMemory::Carries => Ok(Some((with_checkpointed_body(scan)?, inner))),
        ScanMemory::Segments => Ok(Some((in_segments(scan)?, inner))),
    }
}

fn checkpointed(body: Graph) -> Op {
    Op::Checkpoint { body: SubGraph::new(body), policy: CheckpointPolicy::Nothing }
}

/// The shapes of the operands.
fn operand_shapes(scan: &Scan) -> Vec<Shape> {
    let shapes = scan.body.input_shapes().into_iter().zip(scan.roles());
    let whole = |(shape, role): (Shape, Role)| match role {
        Role::Slice => trace::with_leading(&shape, &scan.length),
        _ => shape,
    };
    shapes.map(whole).collect()
}

/// The scan on parts of its operands.
fn apply(scan: &Scan, length: Dim, operands: &[Tensor]) -> Op {
    debug_assert_eq!(operands.len(), scan.body.inputs().count());
    Op::Scan {
        body: scan.body.clone(),
        length,
        num_consts: scan.consts,
        num_carry: scan.carry,
        reverse: scan.reverse,
    }
}

/// Each step is run again from its carried values.
fn with_checkpointed_body(scan: &Scan) -> Result<Graph, Error> {
    let body = trace::graph(scan.body.name(), scan.body.input_shapes(), |b, xs| {
        Ok(b.apply_many(checkpointed((*scan.body).clone()), &xs.iter().collect::<Vec<_>>()))
    })?;
    let again = Scan { body: SubGraph::new(body), ..scan.clone() };
    trace::graph("scan", operand_shapes(scan), |b, xs| {
        Ok(b.apply_many(apply(&again, scan.length.clone(), xs), &xs.iter().collect::<Vec<_>>()))
    })
}

/// A scan over segments of about √n steps, each of which is run again from its first carried values, and a scan over the
/// remaining steps.
fn in_segments(scan: &Scan) -> Result<Graph, Error> {
    let Some(length) = scan.length.as_static() else {
        let why = format!(
            "segments of a scan of {} steps have no static length; bind the size, or choose `ScanMemory::Carries`",
            scan.length
        );
        return Err(Error::no_rule("derivative", why));
    };
    let size = length.isqrt().max(1);
    let segments = length / size;
    let rest = length - segments * size;
    // A reverse scan starts at the end, so the remaining steps are at the front.
    let (first, left) = if scan.reverse { (rest, 0) } else { (0, segments * size) };
    trace::graph("scan", operand_shapes(scan), |builder, operands| {
        let (fixed, xs) = operands.split_at(scan.consts + scan.carry);
        let (consts, carry) = fixed.split_at(scan.consts);
        let part = |x: &Tensor, from: usize, count: usize| x.slice_axis(0, from, from + count);
        let blocks = |x: &Tensor| {
            let own = x.dims();
            let dims = [&[Dim::Static(segments), Dim::Static(size)], &own[1..]].concat();
            part(x, first, segments * size).reshape(&dims)
        };
        let blocks: Vec<Tensor> = xs.iter().map(blocks).collect();
        let segment = |b: &rlx_ir::Builder, given: &[Tensor]| {
            let shapes = given.iter().map(Tensor::shape).collect();
            let inner = trace::graph("segment", shapes, |b, xs| {
                Ok(b.apply_many(apply(scan, Dim::Static(size), xs), &xs.iter().collect::<Vec<_>>()))
            });
            match inner {
                Ok(inner) => b.apply_many(checkpointed(inner), &given.iter().collect::<Vec<_>>()),
                Err(e) => vec![b.error("scan", e.to_string())],
            }
        };
        let over = ScanOperands { consts, carry, xs: &blocks };
        let mut results = builder.scan(over, segments, scan.reverse, &segment);
        let ys = results.split_off(scan.carry.min(results.len()));
        let rests: Vec<Tensor> = xs.iter().map(|x| part(x, left, rest)).collect();
        let rest_operands = [consts, &results, &rests].concat();
        let op = apply(scan, Dim::Static(rest), &rest_operands);
        let mut results = builder.apply_many(op, &rest_operands.iter().collect::<Vec<_>>());
        let rest_ys = results.split_off(scan.carry.min(results.len()));
        let joined = ys.iter().zip(&rest_ys).map(|(y, rest)| {
            let dims = y.dims();
            let flat = [&[Dim::Static(segments * size)], &dims[2..]].concat();
            let y = y.reshape(&flat);
            let (a, b) = if scan.reverse { (rest, &y) } else { (&y, rest) };
            a.apply(Op::Concatenate { axis: 0 }, &[b])
        });
        results.extend(joined);
        Ok(results)
    })
}
