//! `inplace`: writes an output over an input.
//!
//! *Obligation*: of the input, an iteration only reads what it writes itself, before it writes it. Every element of an
//! output is written once, so this holds if each read comes before the only store, in its block, at the same indices.
//! Nothing reads the memory of the input later.

use super::Done;
use super::rename::{Renaming, renumber};
use crate::kernel::{BufferId, Cell, Definition, Guard, Kernel, Place, Stmt};
use crate::lower::{Argument, Launches};
use crate::visit::for_each_stmt;

/// Lets a launch write an output over an input, which must be a temporary that no later launch reads. Returns its number.
pub(super) fn alias(launches: &mut Launches, which: usize, output: &str, input: &str) -> Done<usize> {
    let launch = &launches.launches[which];
    let kernel = &launch.kernel;
    let find = |name: &str, place: Place| {
        let found = kernel.params().position(|b| b.name == name && b.place == place);
        let kind = if place == Place::In { "input" } else { "output" };
        found.ok_or_else(|| format!("`{name}` is not an {kind} of the kernel"))
    };
    let (to, from) = (find(output, Place::Out)?, find(input, Place::In)?);
    let (new, old) = (launch.arguments[to], launch.arguments[from]);
    let Argument::Temporary(number) = old else {
        return Err(format!("`{input}` is passed as `{old}`; only temporaries can be overwritten"));
    };
    let passed = |range: &[crate::lower::Launch], argument: Argument| {
        range.iter().any(|launch| launch.arguments.contains(&argument))
    };
    if passed(&launches.launches[which + 1..], old) {
        return Err(format!("a later launch reads `{old}`, which is passed as `{input}`"));
    }
    if passed(&launches.launches[..which], new) {
        return Err(format!("`{new}`, which is passed as `{output}`, is used earlier"));
    }
    if launch.arguments.iter().filter(|&&argument| argument == old).count() > 1 {
        return Err(format!("`{old}`, which is passed as `{input}`, is passed twice"));
    }
    let aliased = over(kernel, to, from)?;
    let launch = &mut launches.launches[which];
    launch.kernel = aliased;
    launch.arguments.remove(from);
    launches.temporaries.remove(number);
    for argument in launches.launches.iter_mut().flat_map(|launch| &mut launch.arguments) {
        let moved = if *argument == old { new } else { *argument };
        *argument = match moved {
            Argument::Temporary(other) if other > number => Argument::Temporary(other - 1),
            other => other,
        };
    }
    Ok(which)
}

/// Returns the kernel with one parameter instead of two.
fn over(kernel: &Kernel, output: usize, input: usize) -> Done<Kernel> {
    let [to, from] = [output, input].map(|number| BufferId::new(number as u32));
    let (new, old) = (&kernel.buffers[output], &kernel.buffers[input]);
    if (new.dtype, &new.extents) != (old.dtype, &old.extents) {
        return Err(format!("`{}` and `{}` have different shapes", new.name, old.name));
    }
    let mut reads = 0;
    for_each_stmt(&kernel.body, &mut |stmt| {
        // An instruction reads a tile without naming its single elements.
        let of_tile = matches!(stmt, Stmt::Tile(tile) if tile.cells().iter().any(|c| c.buffer == from));
        reads += usize::from(load(stmt, from).is_some() || of_tile);
    });
    match before_store(&kernel.body, to, from) {
        Some(Some(found)) if found == reads => {}
        Some(None) => return Err(format!("`{}` is stored to at several places", new.name)),
        _ => {
            let (new, old) = (&new.name, &old.name);
            return Err(format!("`{old}` is read elsewhere than right before `{new}` is written there"));
        }
    }
    let mut kernel = kernel.clone();
    kernel.buffers[output].place = Place::InOut;
    let mut renaming = Renaming::default();
    for number in 0..kernel.buffers.len() {
        let of = if number == input { output } else { number };
        let moved = of - usize::from(of > input);
        renaming.buffers.insert(BufferId::new(number as u32), BufferId::new(moved as u32));
    }
    kernel.buffers.remove(input);
    renaming.block(&mut kernel.body);
    renumber(&mut kernel);
    Ok(kernel)
}

fn load(stmt: &Stmt, buffer: BufferId) -> Option<(&Cell, &Guard)> {
    match stmt {
        Stmt::Let { value: Definition::Load { cell, guard, .. }, .. } if cell.buffer == buffer => {
            Some((cell, guard))
        }
        _ => None,
    }
}

/// Returns how many reads come before the store in its block, at the same indices and at most where the store is
/// executed. `Some(None)` means that there are several stores, and `None` that there are none.
fn before_store(block: &[Stmt], to: BufferId, from: BufferId) -> Option<Option<usize>> {
    let mut found = None;
    for (at, stmt) in block.iter().enumerate() {
        let here = match stmt {
            Stmt::Store { cell, guard, .. } if cell.buffer == to => {
                let mut reads = 0;
                for_each_stmt(&block[..at], &mut |stmt| {
                    let same = |(read, whenever): (&Cell, &Guard)| {
                        read.at == cell.at && guard.0.iter().all(|condition| whenever.0.contains(condition))
                    };
                    reads += usize::from(load(stmt, from).is_some_and(same));
                });
                Some(Some(reads))
            }
            _ => stmt.blocks().map(|inner| before_store(inner, to, from)).fold(None, either),
        };
        found = either(found, here);
    }
    found
}

/// Combines what was found at two places. `Some(None)` means that there is something at both.
fn either(a: Option<Option<usize>>, b: Option<Option<usize>>) -> Option<Option<usize>> {
    match (a, b) {
        (Some(_), Some(_)) => Some(None),
        (one, other) => one.or(other),
    }
}
