//! Kernel of `scatter_graph`: updates windows of several tensors at once, in the order of their index vectors.

use super::combine::Combine;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::indexing::windows::{Sizes, Windows, window};
use crate::kernels::movement::strided::CopyAxis;
use crate::kernels::space::{count, offsets};
use crate::kernels::{PrepareContext, missing, num_bytes};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{DType, Graph, Op};

struct ScatterGraph {
    /// Positions in elements, which are the same for all tensors.
    windows: Windows,
    /// Axes of a window: sizes, with strides in x (`from`) and in the updates (`to`), in elements.
    window: Vec<CopyAxis>,
    types: Vec<DType>,
    /// Size of each tensor in bytes.
    bytes: Vec<usize>,
    body: Combine,
    empty: bool,
}

/// Prepares the kernel of a scatter with `body`.
pub(super) fn prepare(cx: &PrepareContext<'_>, body: &Graph) -> Result<Box<dyn OpKernel>, BackendError> {
    let Op::ScatterGraph { dims, .. } = cx.node.op() else {
        return missing(cx);
    };
    let n = cx.node.inputs().len() / 2;
    let axes = dims.windows();
    let (x, indices, updates) = (cx.dims(0), cx.dims(n), cx.dims(n + 1));
    let widths = axes.widths(x.len(), &updates);
    let sizes = Sizes { x: &x, indices: &indices, windows: &updates, widths: &widths };
    Ok(Box::new(ScatterGraph {
        windows: Windows::new(&axes, &sizes, cx.operand(n).dtype(), 1),
        window: window(&axes, &sizes, 1),
        types: (0..n).map(|i| cx.operand(i).dtype()).collect(),
        bytes: (0..n).map(|i| num_bytes(cx.operand(i))).collect(),
        body: Combine::new(cx, body)?,
        empty: x.contains(&0) || updates.contains(&0),
    }))
}

impl OpKernel for ScatterGraph {
    fn needs(&self) -> Needs {
        // Several results would have to overwrite several operands, which the plan does not support.
        let in_place = if self.types.len() == 1 { vec![0] } else { Vec::new() };
        Needs { scratch_bytes: self.body.scratch_bytes().max(1), in_place }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        for (i, &bytes) in self.bytes.iter().enumerate() {
            if cx.input_ptr(i) != cx.output_ptr(i).cast_const() {
                // SAFETY: operand and result have one shape and do not overlap.
                unsafe { std::ptr::copy_nonoverlapping(cx.input_ptr(i), cx.output_ptr(i), bytes) };
            }
        }
        if self.empty {
            return Ok(());
        }
        let (n, indices) = (self.types.len(), cx.input_ptr(self.types.len()));
        let rows = count(&self.window);
        // SAFETY: the scratch memory belongs to this step; windows that fit lie in the tensors, and so do their updates.
        unsafe {
            self.body.begin(cx.scratch_ptr());
            for which in 0..self.windows.count {
                let Some((to, from)) = self.windows.fitting(which, indices) else { continue };
                for element in 0..rows {
                    let [x, update] = offsets(&self.window, element);
                    let (to, from) = (to + x, from + update);
                    let input = |i: usize| match i.checked_sub(n) {
                        None => cx.output_ptr(i).offset(to * self.types[i].size() as isize).cast_const(),
                        Some(i) => cx.input_ptr(n + 1 + i).offset(from * self.types[i].size() as isize),
                    };
                    let output = |i: usize| cx.output_ptr(i).offset(to * self.types[i].size() as isize);
                    self.body.run(cx, cx.scratch_ptr(), input, output)?;
                }
            }
        }
        Ok(())
    }
}
