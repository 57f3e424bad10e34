//! `launches` on a loop that adds products of tiles to sums. The first launch has groups for runs of its iterations,
//! all in parallel, which store partial sums. The second adds these, and continues with what followed the loop.
//!
//! *Obligation*: to values made outside it, the loop only adds products, and those tiles were 0 before, so the partial
//! sums of its runs add up to its sums. They are always added in the order of the runs. Integer results are identical
//! to the bit; floats are summed in another order.

use super::launches::{add_buffers, keep_used, placed};
use super::parts::{runs_of, symbols};
use super::rename::Renaming;
use super::{Done, Partition, Scheduled};
use crate::build::sum_of;
use crate::kernel::{
    Axis, Block, BufferId, Cell, Combiner, Definition, Function, Guard, Kernel, Level, Place, ScalarId,
    Space, Stmt,
};
use crate::lower::{Argument, Launch, Launches};
use crate::tile::Tile;
use crate::visit::{defined_symbols, each_cell, for_each_stmt};
use rlx_ir::{DType, Dim, Symbol};
use std::collections::HashSet;

/// A kernel around a loop that adds to tiles.
struct Contraction {
    groups: Vec<Axis>,
    before: Block,
    counter: Axis,
    body: Block,
    behind: Block,
    sums: Vec<Cleared>,
}

/// A tile that is 0 when the loop begins.
struct Cleared {
    array: BufferId,
    zero: ScalarId,
    /// The number of the statement before the loop that fills it with 0.
    by: usize,
}

/// Returns whether an axis is that of an ordered loop.
pub(super) fn is_ordered(kernel: &Kernel, axis: &Symbol) -> bool {
    let mut found = false;
    for_each_stmt(&kernel.body, &mut |stmt| {
        found |= matches!(stmt, Stmt::For { axis: counter, .. } if counter.symbol == *axis);
    });
    found
}

/// Replaces one launch by two.
pub(super) fn split(launches: &mut Launches, which: usize, partition: &Partition) -> Done {
    let launch = &launches.launches[which];
    let contraction = contraction(&launch.kernel, &partition.axis)?;
    if launch.kernel.params().any(|buffer| buffer.place == Place::InOut) {
        return Err("the kernel overwrites what it reads".into());
    }
    if partition.by == 0 {
        return Err("a part needs at least one iteration".into());
    }
    let array = |kernel: &Kernel, sum: &Cleared| kernel.buffers[sum.array.index()].clone();
    let tiles: Vec<_> = contraction.sums.iter().map(|sum| array(&launch.kernel, sum)).collect();
    let dtypes: Vec<DType> = tiles.iter().map(|tile| tile.dtype).collect();
    let known = defined_symbols(&launch.kernel.body);
    let parts = runs_of(partition, &contraction.counter.extent);
    let mut sizes = tiles.iter().flat_map(|tile| &tile.extents).chain([&parts.extent]);
    if let Some(size) = sizes.find(|size| symbols(size).iter().any(|symbol| known.contains(symbol))) {
        return Err(format!("there are {size} partial sums, a number that differs from group to group"));
    }
    let mut scheduled = Scheduled::new(&launch.kernel);
    let states = add_buffers(&mut scheduled.kernel, &dtypes);
    scheduled.name(&partition.into)?;
    let all = |tile: &crate::kernel::Buffer| -> Vec<Dim> {
        let groups = contraction.groups.iter().chain([&parts]).map(|axis| axis.extent.clone());
        groups.chain(tile.extents.iter().cloned()).collect()
    };
    let extents: Vec<Vec<Dim>> = tiles.iter().map(all).collect();
    for (state, extents) in states.iter().zip(&extents) {
        scheduled.kernel.buffers[state.index()].extents.clone_from(extents);
    }
    let temporaries: Vec<Argument> = placed(launches, dtypes.into_iter().zip(extents));
    let passed = [&launches.launches[which].arguments[..], &temporaries].concat();
    let (first, second) = halves(scheduled, partition, &states)?;
    let both = [(first, Place::Out), (second, Place::In)].map(|(mut kernel, place)| {
        states.iter().for_each(|state| kernel.buffers[state.index()].place = place);
        Launch { arguments: keep_used(&mut kernel, &passed), kernel }
    });
    launches.launches.splice(which..=which, both);
    Ok(())
}

/// Returns the kernel around a loop, if the loop only adds to tiles.
fn contraction(kernel: &Kernel, axis: &Symbol) -> Done<Contraction> {
    let [Stmt::Par { axes, body }] = &kernel.body[..] else {
        return Err(format!("the kernel is not one parallel loop with that of `{axis}` in it"));
    };
    let at = body.iter().position(|stmt| super::find::place(stmt, axis).is_some());
    let at = at.ok_or_else(|| format!("`{axis}` is not directly in the kernel's parallel loop"))?;
    let Stmt::For { axis: counter, reverse: false, carried, body: inner } = &body[at] else {
        return Err(format!("`{axis}` is not an axis of a loop that counts upwards"));
    };
    if !carried.is_empty() {
        return Err(format!("the loop of `{axis}` hands scalars on"));
    }
    let (before, behind) = (body[..at].to_vec(), body[at + 1..].to_vec());
    let sums = cleared(kernel, &before)?;
    only_adds(kernel, axis, inner, &sums)?;
    Ok(Contraction {
        groups: axes.clone(),
        before,
        counter: counter.clone(),
        body: inner.clone(),
        behind,
        sums,
    })
}

/// Returns the tiles that statements make and fill with 0, if apart from that they only compute scalars.
fn cleared(kernel: &Kernel, before: &Block) -> Done<Vec<Cleared>> {
    let mut sums = Vec::new();
    let mut zeros = HashSet::new();
    for (by, stmt) in before.iter().enumerate() {
        match stmt {
            Stmt::Let { scalar, value } => {
                if matches!(value, Definition::Constant(value) if value.to_f64() == 0.0) {
                    zeros.insert(*scalar);
                }
            }
            Stmt::Array(_) | Stmt::Name { .. } | Stmt::Barrier => {}
            Stmt::Par { body, .. } => match &body[..] {
                [Stmt::Store { cell, guard, scalar }] if guard.is_empty() && zeros.contains(scalar) => {
                    sums.push(Cleared { array: cell.buffer, zero: *scalar, by });
                }
                _ => return Err("an earlier loop does more than fill a tile with 0".into()),
            },
            _ => return Err("there is more before the loop than scalars and tiles filled with 0".into()),
        }
    }
    let is_shared = |sum: &&Cleared| {
        let place = kernel.buffers[sum.array.index()].place;
        !matches!(place, Place::Local(Space::Lane | Space::Subgroup))
    };
    match sums.iter().find(is_shared) {
        Some(sum) => {
            Err(format!("`{}` is not held by lanes or subgroups", kernel.buffers[sum.array.index()].name))
        }
        None => Ok(sums),
    }
}

/// Refuses a loop that does anything else to values made outside it than adding to these tiles.
fn only_adds(kernel: &Kernel, axis: &Symbol, body: &Block, sums: &[Cleared]) -> Done {
    let mut made = HashSet::new();
    for_each_stmt(body, &mut |stmt| {
        if let Stmt::Array(array) = stmt {
            made.insert(*array);
        }
    });
    let mut added: HashSet<BufferId> = HashSet::new();
    let mut other = None;
    for_each_stmt(body, &mut |stmt| {
        let adds =
            matches!(stmt, Stmt::Tile(tile) if matches!(**tile, Tile::Dot { .. } | Tile::Instr { .. }));
        let mut cells = Vec::new();
        if matches!(stmt, Stmt::Let { .. } | Stmt::Store { .. } | Stmt::Tile(_)) {
            each_cell(&mut stmt.clone(), &mut |cell, writes| cells.push((cell.buffer, writes)));
        }
        for (buffer, writes) in cells {
            let is_sum = sums.iter().any(|sum| sum.array == buffer);
            match kernel.buffers[buffer.index()].place {
                _ if made.contains(&buffer) => {}
                Place::In if !writes => {}
                _ if is_sum && adds && writes => {
                    added.insert(buffer);
                }
                _ => other = Some(buffer),
            }
        }
    });
    let name = |buffer: BufferId| &kernel.buffers[buffer.index()].name;
    match (other, sums.iter().find(|sum| !added.contains(&sum.array))) {
        (Some(buffer), _) => {
            Err(format!("the loop of `{axis}` does more to `{}` than add products", name(buffer)))
        }
        (_, Some(sum)) => Err(format!("the loop of `{axis}` adds nothing to `{}`", name(sum.array))),
        _ if sums.is_empty() => Err(format!("the loop of `{axis}` does not add to a tile that starts at 0")),
        _ => Ok(()),
    }
}

/// Returns the kernels of both launches.
fn halves(mut s: Scheduled, partition: &Partition, states: &[BufferId]) -> Done<(Kernel, Kernel)> {
    let ranges = s.ranges();
    let Contraction { groups, before, counter, mut body, behind, sums } =
        contraction(&s.kernel, &partition.axis)?;
    let (mut parts, inside, index) = super::parts::run(partition, &counter.extent, &ranges);
    if groups.iter().any(|axis| axis.level == Level::Group) {
        parts.level = Level::Group;
    }
    s.substitute(&Renaming::symbol(&partition.axis, index), &mut body);
    let mut first = before.clone();
    first.push(Stmt::For { axis: inside, reverse: false, carried: Vec::new(), body });
    let at: Vec<Dim> = groups.iter().map(|axis| Dim::Dynamic(axis.symbol.clone())).collect();
    let mut second = before.clone();
    for (sum, &state) in sums.iter().zip(states) {
        let mut stored = s.fresh.copy(&mut s.kernel, &before[sum.by..=sum.by], &mut Renaming::default());
        for stmt in &mut stored {
            leave(&mut s.kernel, stmt, &partial(state, &at, &parts.symbol));
        }
        first.extend(stored);
        let part = s.fresh.like(&parts.symbol);
        let axis = Axis::new(part.clone(), parts.extent.clone());
        add_up(&mut s, &mut second[sum.by], axis, (sum.zero, &partial(state, &at, &part)));
    }
    second.extend(behind);
    let all = groups.iter().cloned().chain([parts]).collect();
    let mut one = Kernel { body: vec![Stmt::Par { axes: all, body: first }], ..s.kernel.clone() };
    one.name.push_str("_parts");
    let mut next = Kernel { body: vec![Stmt::Par { axes: groups, body: second }], ..s.kernel };
    [&mut one, &mut next].into_iter().for_each(super::launches::forget_unused);
    Ok((one, next))
}

/// Returns where the tile of a part begins.
fn partial(state: BufferId, groups: &[Dim], part: &Symbol) -> Cell {
    Cell { buffer: state, at: [groups, &[Dim::Dynamic(part.clone())]].concat() }
}

/// Returns an element of a tile.
fn element(tile: &Cell, at: &[Dim]) -> Cell {
    Cell { buffer: tile.buffer, at: [&tile.at[..], at].concat() }
}

/// Turns a loop that fills a tile into one that stores it.
fn leave(kernel: &mut Kernel, stmt: &mut Stmt, to: &Cell) {
    let Stmt::Par { body, .. } = stmt else { return };
    let [Stmt::Store { cell, scalar, .. }] = &mut body[..] else { return };
    let total = kernel.scalar(kernel.dtype(*scalar));
    let value = Definition::Load { cell: cell.clone(), guard: Guard::default(), fill: None };
    *cell = element(to, &cell.at);
    *scalar = total;
    body.insert(0, Stmt::Let { scalar: total, value });
}

/// Turns a loop that fills a tile with 0 into one that fills it with the sums of all parts.
fn add_up(s: &mut Scheduled, stmt: &mut Stmt, part: Axis, (zero, from): (ScalarId, &Cell)) {
    let Stmt::Par { body, .. } = stmt else { return };
    let [Stmt::Store { cell, scalar, .. }] = &mut body[..] else { return };
    let dtype = s.kernel.dtype(zero);
    let [one, total] = [(); 2].map(|()| s.kernel.scalar(dtype));
    let value = Definition::Load { cell: element(from, &cell.at), guard: Guard::default(), fill: None };
    *scalar = total;
    let [step, merge] = [(); 2].map(|()| sum(&mut s.kernel, dtype));
    let combiner = Combiner { identity: vec![zero], once: false, step, merge };
    let reduce = Stmt::Reduce {
        axes: vec![part],
        combiner,
        body: vec![Stmt::Let { scalar: one, value }],
        elements: vec![one],
        results: vec![total],
    };
    body.insert(0, reduce);
}

/// Returns the sum of two scalars as a function.
fn sum(kernel: &mut Kernel, dtype: DType) -> Function {
    let [a, b, sum] = [(); 3].map(|()| kernel.scalar(dtype));
    let value = sum_of(a, b);
    Function { params: vec![a, b], body: vec![Stmt::Let { scalar: sum, value }], results: vec![sum] }
}
