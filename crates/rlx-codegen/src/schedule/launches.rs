//! `launches`: splits a reduction into two launches. The first reduces runs of indices in parallel; the second
//! merges their states.
//!
//! *Obligation*: as that of `parts`. The statements before the reduction run in both launches, so they may only compute
//! scalars; those after it run in the second. Loops that add products of tiles are split in `partial.rs`.

use super::parts::{Parted, symbols};
use super::rename::{Renaming, free_name, renumber};
use super::{Done, Partition, Scheduled};
use crate::kernel::{Axis, Block, BufferId, Cell, Definition, Guard, Kernel, Place, ScalarId, Stmt};
use crate::lower::{Argument, Launch, Launches, Temporary};
use crate::visit::{defined_symbols, for_each_stmt};
use rlx_ir::{DType, Dim};
use std::collections::HashSet;

/// Replaces one launch by two.
pub(super) fn split(launches: &mut Launches, which: usize, partition: &Partition) -> Done {
    let launch = &launches.launches[which];
    if super::partial::is_ordered(&launch.kernel, &partition.axis) {
        return super::partial::split(launches, which, partition);
    }
    let (_, _, reduction, _) = parts_of(&launch.kernel, partition)?;
    let Stmt::Reduce { combiner, elements, .. } = &reduction else {
        return Err(format!("`{}` is not an axis of a reduction", partition.axis));
    };
    let mut scheduled = Scheduled::new(&launch.kernel);
    let state = scheduled.levels(combiner, elements)?.one.identity;
    let dtypes: Vec<DType> = state.iter().map(|&scalar| scheduled.kernel.dtype(scalar)).collect();
    let mut scheduled = Scheduled::new(&launch.kernel);
    let states = add_buffers(&mut scheduled.kernel, &dtypes);
    let (axes, before, reduction, behind) = parts_of(&scheduled.kernel, partition)?;
    scheduled.name(&partition.into)?;
    let ranges = scheduled.ranges();
    let place = super::find::place(&reduction, &partition.axis).unwrap_or_default();
    let parted = scheduled.parted(reduction, place, partition, &ranges)?;
    let known = defined_symbols(&launch.kernel.body);
    if symbols(&parted.parts.extent).iter().any(|symbol| known.contains(symbol)) {
        let (axis, extent) = (&partition.axis, &parted.parts.extent);
        return Err(format!("`{axis}` has {extent} parts, which varies from place to place; use `parts`"));
    }
    let extents: Vec<Dim> = axes.iter().chain([&parted.parts]).map(|axis| axis.extent.clone()).collect();
    for state in &states {
        scheduled.kernel.buffers[state.index()].extents.clone_from(&extents);
    }
    let temporaries = placed(launches, dtypes.into_iter().map(|dtype| (dtype, extents.clone())));
    let passed = [&launches.launches[which].arguments[..], &temporaries].concat();
    let (first, second) = halves(scheduled, parted, &states, &axes, before, behind);
    let both = [(first, Place::Out), (second, Place::In)].map(|(mut kernel, place)| {
        states.iter().for_each(|state| kernel.buffers[state.index()].place = place);
        Launch { arguments: keep_used(&mut kernel, &passed), kernel }
    });
    launches.launches.splice(which..=which, both);
    Ok(())
}

/// Adds memory between launches with these types and sizes.
pub(super) fn placed(
    launches: &mut Launches,
    temporaries: impl Iterator<Item = (DType, Vec<Dim>)>,
) -> Vec<Argument> {
    let first = launches.temporaries.len();
    launches.temporaries.extend(temporaries.map(|(dtype, extents)| Temporary { dtype, extents }));
    (first..launches.temporaries.len()).map(Argument::Temporary).collect()
}

type Pieces = (Vec<Axis>, Block, Stmt, Block);

/// Returns the parallel axes of a kernel, and the statements before the reduction, the reduction, and the statements after it.
fn parts_of(kernel: &Kernel, partition: &Partition) -> Done<Pieces> {
    let axis = &partition.axis;
    let [Stmt::Par { axes, body }] = &kernel.body[..] else {
        return Err("the kernel is not one parallel loop with a reduction in it".into());
    };
    let Some(at) = body.iter().position(|stmt| super::find::place(stmt, axis).is_some()) else {
        return Err(format!("no reduction directly in the kernel's parallel loop has an axis `{axis}`"));
    };
    if !body[..at].iter().all(|stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Name { .. })) {
        return Err(format!("there is more than scalars before the reduction over `{axis}`"));
    }
    Ok((axes.clone(), body[..at].to_vec(), body[at].clone(), body[at + 1..].to_vec()))
}

/// Adds parameters for states after the existing ones. Their extents are not known yet.
pub(super) fn add_buffers(kernel: &mut Kernel, dtypes: &[DType]) -> Vec<BufferId> {
    let names: Vec<String> =
        (0..dtypes.len()).map(|number| free_name(kernel, &format!("state{number}"))).collect();
    let params = kernel.params().count();
    let locals = kernel.buffers.split_off(params);
    let states =
        dtypes.iter().zip(names).map(|(&dtype, name)| kernel.buffer(name, dtype, Vec::new(), Place::InOut));
    let states: Vec<BufferId> = states.collect();
    let mut renaming = Renaming::default();
    for (number, local) in (params..).zip(locals) {
        renaming.buffers.insert(BufferId::new(number as u32), kernel.add(local));
    }
    renaming.block(&mut kernel.body);
    states
}

/// Returns the kernels of both launches.
fn halves(
    mut scheduled: Scheduled,
    parted: Parted,
    states: &[BufferId],
    axes: &[Axis],
    before: Block,
    behind: Block,
) -> (Kernel, Kernel) {
    let Parted { before: constants, parts, one, states: scalars, merge, results } = parted;
    let before = [before, constants].concat();
    let at: Vec<Dim> = axes.iter().map(|axis| Dim::Dynamic(axis.symbol.clone())).collect();
    let part = Dim::Dynamic(parts.symbol.clone());
    let mut body = [before.clone(), vec![one]].concat();
    for (&buffer, &scalar) in states.iter().zip(&scalars) {
        let cell = Cell { buffer, at: [&at[..], std::slice::from_ref(&part)].concat() };
        body.push(Stmt::Store { cell, guard: Guard::default(), scalar });
    }
    let all = axes.iter().cloned().chain([parts.clone()]).collect();
    let mut first = Kernel { body: vec![Stmt::Par { axes: all, body }], ..scheduled.kernel.clone() };
    let cells = states.iter().map(|&buffer| (buffer, at.clone())).collect();
    let merged = scheduled.merged(parts, cells, merge, results);
    let body = [before, vec![merged], behind].concat();
    let mut second = scheduled.kernel;
    second.body = vec![Stmt::Par { axes: axes.to_vec(), body }];
    first.name.push_str("_parts");
    [&mut first, &mut second].into_iter().for_each(forget_unused);
    (first, second)
}

/// Drops unused scalars, which only the other launch needs.
pub(super) fn forget_unused(kernel: &mut Kernel) {
    let [Stmt::Par { body, .. }] = &mut kernel.body[..] else { return };
    for at in (0..body.len()).rev() {
        let Stmt::Let { scalar, .. } = &body[at] else { continue };
        if !uses(&body[at + 1..], *scalar) {
            body.remove(at);
        }
    }
}

/// Returns whether statements use a scalar.
fn uses(block: &[Stmt], scalar: ScalarId) -> bool {
    let mut renamed = block.to_vec();
    let other = ScalarId::new(u32::MAX);
    let mut renaming = Renaming::default();
    renaming.scalars.insert(scalar, other);
    renaming.block(&mut renamed);
    renamed != block
}

/// Drops parameters that are not accessed, and facts about sizes that are unknown without them. Returns the arguments for the others.
pub(super) fn keep_used(kernel: &mut Kernel, passed: &[Argument]) -> Vec<Argument> {
    let mut used = HashSet::new();
    for_each_stmt(&kernel.body, &mut |stmt| match stmt {
        Stmt::Store { cell, .. } | Stmt::Let { value: Definition::Load { cell, .. }, .. } => {
            used.insert(cell.buffer);
        }
        Stmt::Tile(tile) => used.extend(tile.cells().into_iter().map(|cell| cell.buffer)),
        _ => {}
    });
    let params = kernel.buffers.iter().take_while(|b| b.place.is_param()).count();
    let kept = |number: &usize| *number >= params || used.contains(&BufferId::new(*number as u32));
    let mut renaming = Renaming::default();
    let all = std::mem::take(&mut kernel.buffers);
    let mut arguments = Vec::new();
    for (number, buffer) in all.into_iter().enumerate().filter(|(n, _)| kept(n)) {
        renaming.buffers.insert(BufferId::new(number as u32), kernel.add(buffer));
        arguments.extend(passed.get(number).filter(|_| number < params));
    }
    renaming.block(&mut kernel.body);
    let sizes: Vec<_> = kernel.params().flat_map(|b| &b.extents).flat_map(symbols).collect();
    kernel.facts.retain(|fact| symbols(fact.dim()).iter().all(|symbol| sizes.contains(symbol)));
    renumber(kernel);
    arguments
}
