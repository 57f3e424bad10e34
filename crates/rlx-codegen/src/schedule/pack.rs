//! `pack`: reads an input in blocks along one of its axes, each with the indices of the block as its last axis.
//!
//! The launch receives a temporary that a launch before it fills: `x[k,n]`, packed by 8 along its second axis, is
//! `[ceil(n/8),k,8]`. If the input is known before the program runs, so is the temporary.
//!
//! *Obligation*: every element is where it is read. The padding in the last block is 0, and is never read.

use super::Done;
use super::blocks::{address_in_blocks, with_facts};
use super::rename::renumber;
use crate::build::Writer;
use crate::kernel::{Guard, Kernel, Place};
use crate::lower::{Argument, Launch, Launches};
use rlx_ir::{DType, Dim, Scalar};
use std::convert::Infallible;

/// Makes a launch read an input in blocks of `by` along an axis. Returns its number, as there is one more before it.
pub(super) fn pack(launches: &mut Launches, which: usize, input: &str, axis: u32, by: u32) -> Done<usize> {
    let axis = axis as usize;
    let launch = &launches.launches[which];
    let found = launch.kernel.params().position(|b| b.name == input && b.place == Place::In);
    let Some(param) = found else { return Err(format!("`{input}` is not an input of the kernel")) };
    let (dtype, extents) = (launch.kernel.buffers[param].dtype, launch.kernel.buffers[param].extents.clone());
    if axis >= extents.len() {
        return Err(format!("`{input}` has {} axes", extents.len()));
    }
    if by == 0 {
        return Err("a block needs at least one index".into());
    }
    let by = Dim::Static(by as usize);
    let mut packed = extents.clone();
    let whole = packed.remove(axis);
    packed.insert(0, (&whole + &by).offset(-1).floor_div(&by));
    packed.push(by.clone());
    let temporary = Argument::Temporary(launches.temporaries.len());
    let copy = Launch {
        kernel: with_facts(copy(dtype, &extents, &packed, axis), &launch.kernel),
        arguments: vec![launch.arguments[param], temporary],
    };
    address_in_blocks(launches, which, param, axis, &packed)?;
    launches.launches.insert(which, copy);
    Ok(which + 1)
}

/// Returns the kernel that packs.
fn copy(dtype: DType, extents: &[Dim], packed: &[Dim], axis: usize) -> Kernel {
    let mut w = Writer::new("pack");
    let from = w.param("x", dtype, extents, Place::In);
    let to = w.param("y", dtype, packed, Place::Out);
    let by = packed[packed.len() - 1].clone();
    let body = |w: &mut Writer, at: &[Dim]| -> Result<(), Infallible> {
        let mut source = at.to_vec();
        let (inside, block) = (source.pop().unwrap_or(Dim::Static(0)), source.remove(0));
        source.insert(axis, &(&block * &by) + &inside);
        let guard = w.unproven(Guard::inside(&source[axis], &extents[axis]));
        let zero = w.constant(dtype, Scalar::Int(0));
        let element = w.load_guarded(from, &source, guard, zero);
        w.store(to, at, element);
        Ok(())
    };
    let Ok(()) = w.par(packed, body);
    let mut kernel = w.finish();
    renumber(&mut kernel);
    kernel
}
