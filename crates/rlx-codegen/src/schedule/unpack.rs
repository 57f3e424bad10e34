//! `unpack`: writes an output in blocks along one of its axes, each with the indices of the block as its last
//! axis.
//!
//! The launch writes a temporary, which a launch after it copies to the output: `y[m,n]`, in blocks of 8 along its
//! second axis, is `[n/8,m,8]`. The elements of a block are contiguous, so that threads that compute blocks write
//! separate memory.
//!
//! *Obligation*: every element is copied to where it was stored before. Blocks are full, so that no element of the
//! temporary remains unwritten.

use super::Done;
use super::blocks::{address_in_blocks, with_facts};
use super::rename::renumber;
use super::split::divides;
use crate::build::Writer;
use crate::kernel::{Kernel, Place};
use crate::lower::{Argument, Launch, Launches};
use rlx_ir::{DType, Dim};
use std::convert::Infallible;

/// Makes a launch write an output in blocks of `by` along an axis. Returns its number.
pub(super) fn unpack(launches: &mut Launches, which: usize, output: &str, axis: u32, by: u32) -> Done<usize> {
    let axis = axis as usize;
    let launch = &launches.launches[which];
    let found = launch.kernel.params().position(|b| b.name == output && b.place == Place::Out);
    let Some(param) = found else { return Err(format!("`{output}` is not an output of the kernel")) };
    let (dtype, extents) = (launch.kernel.buffers[param].dtype, launch.kernel.buffers[param].extents.clone());
    let Some(whole) = extents.get(axis) else {
        return Err(format!("`{output}` has {} axes", extents.len()));
    };
    if by == 0 {
        return Err("a block needs at least one index".into());
    }
    if !divides(&launch.kernel.facts, whole, by) {
        return Err(format!("{whole} is not known to be a multiple of {by}"));
    }
    let by = Dim::Static(by as usize);
    let mut blocks = extents.clone();
    blocks.remove(axis);
    blocks.insert(0, whole.floor_div(&by));
    blocks.push(by.clone());
    let temporary = Argument::Temporary(launches.temporaries.len());
    let copy = Launch {
        kernel: with_facts(copy(dtype, &extents, &blocks, axis), &launch.kernel),
        arguments: vec![temporary, launch.arguments[param]],
    };
    address_in_blocks(launches, which, param, axis, &blocks)?;
    launches.launches.insert(which + 1, copy);
    Ok(which)
}

/// Returns the kernel that copies blocks to their places.
fn copy(dtype: DType, extents: &[Dim], blocks: &[Dim], axis: usize) -> Kernel {
    let mut w = Writer::new("unpack");
    let from = w.param("x", dtype, blocks, Place::In);
    let to = w.param("y", dtype, extents, Place::Out);
    let by = blocks[blocks.len() - 1].clone();
    let body = |w: &mut Writer, at: &[Dim]| -> Result<(), Infallible> {
        let mut target = at.to_vec();
        let (inside, block) = (target.pop().unwrap_or(Dim::Static(0)), target.remove(0));
        target.insert(axis, &(&block * &by) + &inside);
        let element = w.load(from, at);
        w.store(to, &target, element);
        Ok(())
    };
    let Ok(()) = w.par(blocks, body);
    let mut kernel = w.finish();
    renumber(&mut kernel);
    kernel
}
