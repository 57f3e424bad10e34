//! Kernels of branches and loops, whose graphs run in the node's scratch memory. The graphs are prepared once and run on pointers, so that
//! operands, results and carried values move only if they must.

mod branch;
mod looping;

use super::{PrepareContext, missing, nested::Body};
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_ir::{Op, OpKind};

/// Returns whether the family runs the op.
pub(crate) const fn claims(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, If | Case | While | Scan)
}

/// Prepares the kernel of a branch or loop.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match cx.node.op() {
        Op::If { then_branch, else_branch } => branch::of_two(cx, then_branch, else_branch),
        Op::Case { branches } => branch::of_many(cx, branches),
        Op::While { cond, body } => looping::while_loop(cx, cond, body),
        Op::Scan { body, length, num_consts, num_carry, reverse } => {
            let Some(length) = length.as_static() else {
                return Err(BackendError::Unsupported(format!(
                    "`scan` has {length} steps; bind the dimension before the graph is prepared"
                )));
            };
            looping::scan(cx, body, (*num_consts, *num_carry), length, *reverse)
        }
        _ => missing(cx),
    }
}

#[cfg(test)]
mod tests {
    use crate::backend::CpuBackend;
    use crate::exec::{CpuProgram, Host, Packer};
    use crate::isa::Cpu;
    use crate::pool::Pool;
    use rlx_compile::{Budget, CompileOptions, Storage};
    use rlx_driver::SharedPages;
    use rlx_exec::lower;
    use rlx_ir::{Bindings, Builder, DType, ScanOperands, Shape};

    /// The weights of a scan that are parameters are packed for its body; those that a run provides are not.
    #[test]
    fn what_stays_is_packed_outside() {
        let b = Builder::new("scan");
        let shape = Shape::new(&[24, 24], DType::F32);
        let (w, v, h) = (b.param("w", shape.clone()), b.input("v", shape.clone()), b.input("h", shape));
        let operands = ScanOperands { consts: &[w, v], carry: &[h], ..Default::default() };
        let out = b.scan(operands, 4, false, &|_, t| vec![t[2].matmul(&t[0]).matmul(&t[1])]);
        let graph = b.finish(&[&out[0]]).unwrap();
        let lowered = lower(&graph, &[], &CpuBackend, &CompileOptions::new()).unwrap();
        let bound = lowered.bind(&Bindings::new()).unwrap();
        let host = Host { cpu: Cpu::detect(), threads: 1, budget: &Budget::new(1 << 20) };
        let program = CpuProgram::new(&bound, host).unwrap();
        let packings = program.packings();
        let of_steps = packings.iter().enumerate();
        let wanted: Vec<_> = of_steps.flat_map(|(step, list)| list.iter().map(move |p| (step, p))).collect();
        let [(step, packing)] = &wanted[..] else { panic!("{wanted:?}") };
        assert_eq!(program.sources(*step, packing), [Storage::Param(0)]);
        assert!(packing.replaces && !program.read_in_place(&packings).contains(&Storage::Param(0)));
        let (zeros, pool) = (vec![0; 24 * 24 * 4], Pool::new(1).unwrap());
        let packer = Packer { held: None, pool: &pool, pages: &SharedPages::default() };
        assert!(program.pack(*step, 0, &[&zeros], &packer).is_some());
    }
}
