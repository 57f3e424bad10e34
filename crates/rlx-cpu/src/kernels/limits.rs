//! Limits that are checked before and after a kernel is prepared, so that kernels may compute with sizes.
//!
//! Before: every shape has static sizes, all products of which (with sizes of 0 counted as 1) are far from overflowing, and results fit the
//! memory that the program may use. After: so does what the kernel needs. In between, scratch memory is computed with saturating
//! arithmetic: `usize::MAX` means more than can be addressed, and is refused.

use super::PrepareContext;
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_compile::memory::ALIGNMENT;
use rlx_ir::{Op, OpKind, Shape};

/// The maximum size of a tensor in bytes. No machine has that much memory, and several hundred times as much can still be computed without
/// overflow.
const MOST_BYTES: usize = {
    let most = isize::MAX as u64;
    (if most < 1 << 52 { most } else { 1 << 52 }) as usize
};

/// Refuses a node with a shape that has no static sizes, or sizes that are too large.
pub(super) fn check_shapes(cx: &PrepareContext<'_>) -> Result<(), BackendError> {
    let PrepareContext { graph, node, .. } = *cx;
    let op = node.op().mnemonic();
    let operands = node.inputs().iter().map(|&id| graph.shape(id));
    operands.chain(node.results()).try_for_each(|shape| check(op, shape))?;
    if let Op::Fusion { body, .. } = node.op() {
        body.nodes().iter().flat_map(|inner| inner.results()).try_for_each(|shape| check(op, shape))?;
    }
    let results = node.results().iter().filter(|_| has_work(node.op().kind()));
    results.map(num_bytes).try_for_each(|bytes| cx.budget.check(bytes, || cx.described()))
}

/// Returns whether an op computes its results. Inputs and the like exist already, and a view is its operand.
pub(super) const fn has_work(kind: OpKind) -> bool {
    use OpKind::*;
    !matches!(kind, Input | Param | Constant | Output | Reshape)
}

fn check(op: &str, shape: &Shape) -> Result<(), BackendError> {
    let Some(dims) = shape.static_dims() else {
        return Err(BackendError::Unsupported(format!(
            "`{op}` has a tensor {shape} without static sizes; bind every dimension before the graph is prepared"
        )));
    };
    let bytes = dims.iter().try_fold(shape.dtype().size(), |bytes, &n| bytes.checked_mul(n.max(1)));
    match bytes {
        Some(bytes) if bytes <= MOST_BYTES => Ok(()),
        _ => Err(BackendError::Unsupported(format!(
            "`{op}` has a tensor {shape}, whose sizes (with 0 counted as 1) amount to more than {MOST_BYTES} bytes; reduce its sizes"
        ))),
    }
}

/// Refuses a kernel that needs more scratch memory than the program may use.
pub(super) fn check_needs(cx: &PrepareContext<'_>, kernel: &dyn OpKernel) -> Result<(), BackendError> {
    let bytes = kernel.needs().scratch_bytes;
    if bytes <= isize::MAX as usize {
        return cx.budget.check(bytes, || format!("the scratch memory of {}", cx.described()));
    }
    Err(BackendError::Unsupported(format!(
        "{} needs more scratch memory than can be addressed; make the operands smaller or use fewer threads",
        cx.described()
    )))
}

/// Returns the sizes of a shape that has passed [`check_shapes`].
pub(crate) fn sizes(shape: &Shape) -> Vec<usize> {
    // INVARIANT: `prepare` first checks the shapes of each node.
    shape.static_dims().expect("shapes are static once they were checked")
}

/// Returns the bytes of a shape that has passed [`check_shapes`].
pub(crate) fn num_bytes(shape: &Shape) -> usize {
    // INVARIANT: `prepare` first checks the shapes of each node.
    shape.num_bytes().expect("shapes are static and small enough once they were checked")
}

/// Rounds bytes up to whole cache lines, so that what follows has the same alignment.
pub(crate) fn lines(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(ALIGNMENT).unwrap_or(usize::MAX)
}

/// Returns the bytes of `count` elements of `T`, rounded up to whole cache lines.
pub(crate) fn lines_of<T>(count: usize) -> usize {
    lines(count.saturating_mul(size_of::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Host;
    use crate::isa::Cpu;
    use crate::kernels::prepare;
    use rlx_compile::Budget;
    use rlx_ir::{DType, Dim, Graph, SortOrder, Symbol};

    /// Returns the error of sorting such a tensor on `threads` threads.
    fn sorted(shape: Shape, threads: usize) -> Option<String> {
        let mut graph = Graph::new("sort");
        let x = graph.input("x", shape);
        let op = Op::Sort { axis: 1, order: SortOrder::Ascending, num_keys: 1, stable: true };
        let node = graph.try_add(op, vec![x]).unwrap();
        let host = Host { cpu: Cpu::detect(), threads, budget: &Budget::new(u64::MAX) };
        match prepare(&graph, graph.node(node), host, &[]) {
            Ok(_) => None,
            Err(BackendError::Unsupported(message)) => Some(message),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn sizes_that_would_overflow_are_refused() {
        assert_eq!(sorted(Shape::new(&[0, 1 << 40], DType::F32), 4), None);
        let message = sorted(Shape::new(&[0, 1 << 60], DType::F32), 4).unwrap();
        assert!(message.contains("`sort` has a tensor f32[0,1152921504606846976]"), "{message}");
        let message =
            sorted(Shape::from_dims(&[Dim::Static(2), Dim::Dynamic(Symbol::new("n"))], DType::F32), 4)
                .unwrap();
        assert!(message.contains("without static sizes"), "{message}");
    }

    #[test]
    fn scratch_memory_that_would_wrap_around_is_refused() {
        // 16 bytes per element and thread: with 2¹² threads exactly 2⁶⁴ bytes, which wraps to 0 in 64 bits.
        let message = sorted(Shape::new(&[1, 1 << 48], DType::F32), 1 << 12).unwrap();
        assert!(message.contains("more scratch memory than can be addressed"), "{message}");
        assert_eq!(sorted(Shape::new(&[1, 1 << 48], DType::F32), 1), None);
    }

    #[test]
    fn counts_saturate() {
        assert_eq!((lines(0), lines(1), lines(usize::MAX - 3)), (0, ALIGNMENT, usize::MAX));
        assert_eq!((lines_of::<u32>(17), lines_of::<u64>(usize::MAX / 4)), (2 * ALIGNMENT, usize::MAX));
    }
}
