//! Elementwise programs: single nodes and fused groups, run one tile at a time. So all intermediate values stay in the first-level cache.
//!
//! A body becomes a [`dag`](dag::ExprDag) of values, and the dag becomes a [`TileProgram`] of instructions on registers, which [`planner`]
//! assigns; index arithmetic is in [`index`]. The instructions are those of [`rlx_elementwise`]. Runs of arithmetic, which [`segment`]
//! finds, become loops in machine code.

pub(crate) mod dag;
pub(crate) mod index;
mod planner;
pub(crate) mod program;
pub(crate) mod registers;
mod segment;
pub(crate) mod threads;

use super::{PrepareContext, Way, is_elementwise, missing, num_bytes, sizes};
use crate::exec::{LaunchContext, OpKernel, RunError};
use dag::{ExprDag, OperandRef};
use program::{Target, TileProgram};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{Dim, Graph, NodeId, Op, OpKind};
use std::collections::HashMap;

/// Picoseconds to move a byte between memory and a core.
pub(crate) const BYTE_PICOSECONDS: u64 = 60;

/// Returns whether programs run the op, which they do on every element type that it accepts.
pub(crate) const fn claims(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Unary | Binary | Compare | Select | Clamp | Betainc | Convert | ReducePrecision | Activation
    )
}

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    match kind {
        OpKind::BitcastConvert => Some(Way::Kernel(bitcast)),
        _ if claims(kind) => Some(Way::Kernel(prepare)),
        _ => None,
    }
}

/// Returns whether one program computes the body: elementwise functions over one index space, on operands that are at most repeated.
pub(crate) fn accepts(body: &Graph) -> bool {
    let Some(&first) = body.outputs().first() else { return false };
    let dims = body.shape(first).dims();
    let runs = |op: &Op, of: &[Dim]| dag::is_read(op) || is_elementwise(op) && of == dims;
    body.nodes().iter().all(|node| runs(node.op(), node.shape().dims()))
}

struct Elementwise {
    program: TileProgram,
    /// Size of an element of each result in bytes.
    sizes: Vec<usize>,
    in_place: Vec<usize>,
    threads: usize,
    nanoseconds: u64,
}

/// Prepares a program for a single elementwise node or a fused group of them.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let made = match cx.node.op() {
        Op::Fusion { body, .. } => dag_of(body),
        _ => single(cx).and_then(|graph| dag_of(&graph)),
    };
    let Some(dag) = made else { return missing(cx) };
    let program = TileProgram::new(&dag, &[], Target::Stored, cx.cpu);
    let sizes: Vec<usize> = dag.dtypes.iter().map(|dtype| dtype.size()).collect();
    let bytes: usize = sizes.iter().sum::<usize>()
        + (0..cx.node.inputs().len()).map(|i| cx.operand(i).dtype().size()).sum::<usize>();
    let picoseconds = program.picoseconds() + BYTE_PICOSECONDS * bytes as u64;
    let nanoseconds = (program.total() as u64).saturating_mul(picoseconds) / 1_000;
    // Each result can overwrite an operand with elements of its own size; the plan checks that.
    let mut in_place: Vec<usize> = sizes.iter().flat_map(|&size| program.in_place(size)).collect();
    in_place.sort_unstable();
    in_place.dedup();
    Ok(Box::new(Elementwise { program, sizes, in_place, threads: cx.threads, nanoseconds }))
}

/// Reading bytes as another element type does not change them.
pub(crate) fn bitcast(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    Ok(Box::new(Bitcast { bytes: num_bytes(cx.node.shape()) }))
}

/// Returns a graph with only this node.
pub(crate) fn single(cx: &PrepareContext<'_>) -> Option<Graph> {
    let mut graph = Graph::new("single");
    let shapes = (0..cx.node.inputs().len()).map(|i| cx.operand(i).clone());
    let inputs: Vec<NodeId> = shapes.enumerate().map(|(i, s)| graph.input(format!("x{i}"), s)).collect();
    let node = graph.try_add(cx.node.op().clone(), inputs).ok()?;
    graph.set_outputs(vec![node]);
    Some(graph)
}

/// Returns the operands of a body, by its input nodes.
pub(crate) fn sources(body: &Graph) -> HashMap<NodeId, OperandRef> {
    let inputs = body.nodes().iter().filter(|n| matches!(n.op(), Op::Input { .. }));
    let source = |(operand, node): (usize, &rlx_ir::Node)| {
        let (dtype, dims) = (node.shape().dtype(), sizes(node.shape()));
        (node.id(), OperandRef { operand, dtype, dims, in_registers: false })
    };
    inputs.enumerate().map(source).collect()
}

fn dag_of(body: &Graph) -> Option<ExprDag> {
    let &[first, ..] = body.outputs() else { return None };
    ExprDag::new(body, body.outputs(), &sources(body), &sizes(body.shape(first)))
}

impl OpKernel for Elementwise {
    fn needs(&self) -> Needs {
        let scratch_bytes = self.program.scratch_bytes().saturating_mul(self.threads);
        Needs { scratch_bytes, in_place: self.in_place.clone() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let program = &self.program;
        let body = |cx: &LaunchContext<'_>, range: std::ops::Range<usize>, scratch| {
            // SAFETY: operands and scratch memory are what the plan says; tiles of different ranges are disjoint, and the result overlaps
            // an operand only if the program allows it.
            unsafe {
                let run = program.begin(cx.cpu, cx.operands(), scratch);
                let mut at = range.start;
                while at < range.end {
                    let len = program.next(at, range.end);
                    run.tile(at, len, |result| cx.output_ptr(result).wrapping_add(at * self.sizes[result]));
                    at += len;
                }
            }
        };
        let (scratch, grain) = (program.scratch_bytes(), program.tile());
        // SAFETY: each tile belongs to one range, which alone writes it.
        unsafe { threads::for_ranges(cx, scratch, self.nanoseconds, program.total(), grain, body) };
        Ok(())
    }
}

struct Bitcast {
    bytes: usize,
}

impl OpKernel for Bitcast {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: 0, in_place: vec![0] }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let nanoseconds = self.bytes as u64 * 2 * BYTE_PICOSECONDS / 1_000;
        let body = |cx: &LaunchContext<'_>, range: std::ops::Range<usize>, _| {
            let (from, to) =
                (cx.input_ptr(0).wrapping_add(range.start), cx.output_ptr(0).wrapping_add(range.start));
            // SAFETY: operand and result have the same number of bytes; they are the same memory or do not overlap.
            unsafe { std::ptr::copy(from, to, range.len()) };
        };
        if cx.input_ptr(0) != cx.output_ptr(0).cast_const() {
            // SAFETY: each byte belongs to one range, which alone writes it.
            unsafe { threads::for_ranges(cx, 0, nanoseconds, self.bytes, 4096, body) };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{Activation, BinaryOp, DType, Named, Shape, UnaryOp};

    fn is_program(op: Op, operands: &[DType]) -> bool {
        let mut graph = Graph::new("single");
        let inputs = operands.iter().enumerate();
        let inputs = inputs.map(|(i, &d)| graph.input(format!("x{i}"), Shape::new(&[3], d))).collect();
        let Ok(node) = graph.try_add(op, inputs) else { return true };
        graph.set_outputs(vec![node]);
        dag_of(&graph).is_some()
    }

    /// Nothing that is claimed is left to the evaluator.
    #[test]
    fn every_elementwise_op_on_every_type_is_a_program() {
        for dtype in DType::ALL {
            UnaryOp::VARIANTS.iter().for_each(|&op| assert!(is_program(Op::Unary { op }, &[dtype])));
            BinaryOp::VARIANTS.iter().for_each(|&op| assert!(is_program(Op::Binary { op }, &[dtype; 2])));
            for &kind in Activation::VARIANTS {
                assert!(is_program(Op::Activation { kind }, &[dtype]), "{kind} {dtype}");
            }
            DType::ALL.iter().for_each(|&to| assert!(is_program(Op::Convert { dtype: to }, &[dtype])));
            assert!(is_program(Op::Select {}, &[DType::Bool, dtype, dtype]));
            assert!(is_program(Op::Clamp {}, &[dtype; 3]));
            assert!(is_program(Op::Betainc {}, &[dtype; 3]));
        }
    }
}
