//! Replaces a parameter of a launch with a temporary that is stored in blocks.

use super::find::{by_elements, for_each_of};
use super::{Done, Scheduled};
use crate::kernel::{BufferId, Kernel};
use crate::lower::{Argument, Launches, Temporary};
use crate::print::sizes;
use rlx_ir::{Dim, Symbols};

/// Adds the facts of another kernel to a kernel that copies its arguments, as far as both have the sizes.
pub(super) fn with_facts(mut copy: Kernel, of: &Kernel) -> Kernel {
    let own = sizes(&copy);
    let is_of_own = |dim: &Dim| {
        let mut symbols = Symbols::default();
        dim.symbols(&mut symbols);
        symbols.into_vec().iter().all(|symbol| own.contains(symbol))
    };
    copy.facts = of.facts.iter().filter(|fact| is_of_own(fact.dim())).cloned().collect();
    copy
}

/// Passes a launch the next temporary for a parameter, with the indices along one axis in blocks. `blocks` are the
/// parameter's extents without that axis, preceded by the number of blocks and followed by the size of a block.
pub(super) fn address_in_blocks(
    launches: &mut Launches,
    which: usize,
    param: usize,
    axis: usize,
    blocks: &[Dim],
) -> Done {
    let launch = &launches.launches[which];
    let by = blocks[blocks.len() - 1].clone();
    let mut scheduled = Scheduled::new(&launch.kernel);
    let (dtype, name) = (launch.kernel.buffers[param].dtype, launch.kernel.buffers[param].name.clone());
    scheduled.kernel.buffers[param].extents = blocks.to_vec();
    let (ranges, buffer) = (scheduled.ranges(), BufferId::new(param as u32));
    by_elements(&scheduled.kernel.body, buffer, &name)?;
    for_each_of(&mut scheduled.kernel.body, buffer, &mut |cell| {
        let at = cell.at.remove(axis);
        let block = ranges.simplified(&at.floor_div(&by));
        cell.at.insert(0, block.clone());
        cell.at.push(&at - &(&block * &by));
    });
    let temporary = Argument::Temporary(launches.temporaries.len());
    let launch = &mut launches.launches[which];
    (launch.kernel, launch.arguments[param]) = (scheduled.finish(), temporary);
    launches.temporaries.push(Temporary { dtype, extents: blocks.to_vec() });
    Ok(())
}
