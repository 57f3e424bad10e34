//! `split`: divides an axis into parts of equal length.
//!
//! *Obligation*: every index runs once, in order in ordered loops and reductions. An `exact` tail requires an extent
//! that is known to be a multiple of the length: from its form, or from a fact, which binding checks.

use super::find::unmarked;
use super::rename::Renaming;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, Carried, Definition, Fact, Guard, Joined, Stmt};
use crate::words::words;
use rlx_ir::{DType, Dim, Symbol};

words! {
    /// How the indices that do not fill a part of a [split](super::Step::Split) axis are handled.
    Tail {
        /// There are none: the extent is known to be a multiple.
        Exact = "exact",
        /// The last part is as long as the others, and only runs the body if the index exists.
        Guard = "guard",
        /// A separate loop runs them.
        Peel = "peel",
    }
}

/// How an axis is split.
pub(super) struct Split {
    pub by: Dim,
    /// The original index: the part times `by`, plus the index in the part.
    pub index: Dim,
    pub extent: Dim,
    pub tail: Tail,
    pub into: [Symbol; 2],
}

impl Scheduled {
    pub fn split(&mut self, axis: &Symbol, by: u32, tail: Tail, into: &[Symbol; 2]) -> Done {
        if by == 0 {
            return Err("a part needs at least one index".into());
        }
        self.name(into)?;
        self.change(axis, |s, stmt, place| {
            let whole = &stmt.axes()[place];
            unmarked(whole)?;
            let extent = whole.extent.clone();
            let tail = match divides(&s.kernel.facts, &extent, by) {
                true => Tail::Exact,
                false if tail == Tail::Exact => {
                    return Err(format!(
                        "{extent} is not known to be a multiple of {by}; state the fact, or say `guard` or `peel`"
                    ));
                }
                false => tail,
            };
            let by = Dim::Static(by as usize);
            let [part, inside] = into.clone().map(Dim::Dynamic);
            let split = Split { index: &(&part * &by) + &inside, by, extent, tail, into: into.clone() };
            match &stmt {
                Stmt::Reduce { .. } if tail != Tail::Exact => {
                    Err(format!("`{axis}` is the axis of a reduction, which cannot have a `{}` tail; use `parts`", tail.word()))
                }
                Stmt::Par { .. } | Stmt::Reduce { .. } => Ok(s.split_space(stmt, axis, place, &split)),
                _ => Ok(s.split_ordered(stmt, axis, &split)),
            }
        })
    }

    /// Splits a parallel loop or a reduction.
    fn split_space(&mut self, mut stmt: Stmt, axis: &Symbol, place: usize, split: &Split) -> Block {
        let rest = (split.tail == Tail::Peel).then(|| self.peeled(&stmt, axis, split));
        if let Stmt::Par { axes, body } | Stmt::Reduce { axes, body, .. } = &mut stmt {
            axes.splice(place..=place, split.axes());
            self.substitute(&Renaming::symbol(axis, split.index.clone()), body);
            if split.tail == Tail::Guard {
                self.guard(body, split, Vec::new());
            }
        }
        std::iter::once(stmt).chain(rest).collect()
    }

    fn split_ordered(&mut self, stmt: Stmt, axis: &Symbol, split: &Split) -> Block {
        let mut rest = (split.tail == Tail::Peel).then(|| self.peeled(&stmt, axis, split));
        let Stmt::For { reverse, mut carried, mut body, .. } = stmt else { return vec![stmt] };
        self.substitute(&Renaming::symbol(axis, split.index.clone()), &mut body);
        if let Some(Stmt::For { carried: rest, .. }) = &mut rest {
            for (main, rest) in carried.iter_mut().zip(rest) {
                match reverse {
                    true => (rest.first, main.first) = (main.first, rest.last),
                    false => (rest.first, main.last, rest.last) = (rest.last, rest.last, main.last),
                }
            }
        }
        if split.tail == Tail::Guard {
            let joined = carried.iter_mut().map(|c| {
                let result = self.kernel.scalar(self.kernel.dtype(c.inside));
                Joined { then: std::mem::replace(&mut c.next, result), otherwise: c.inside, result }
            });
            let joined = joined.collect();
            self.guard(&mut body, split, joined);
        }
        let [part, inside] = split.axes();
        let (mut outer, mut inner) = (carried.clone(), carried);
        for (outer, inner) in outer.iter_mut().zip(&mut inner) {
            let dtype = self.kernel.dtype(outer.inside);
            let (before, after) = (self.kernel.scalar(dtype), self.kernel.scalar(dtype));
            *outer = Carried { inside: before, next: after, ..*outer };
            *inner = Carried { first: before, last: after, ..*inner };
        }
        let inner = Stmt::For { axis: inside, reverse, carried: inner, body };
        let main = Stmt::For { axis: part, reverse, carried: outer, body: vec![inner] };
        let mut loops: Block = std::iter::once(main).chain(rest).collect();
        if reverse {
            loops.reverse();
        }
        loops
    }

    /// Returns the loop over the indices after the last full part, which is a copy of the loop.
    pub fn peeled(&mut self, stmt: &Stmt, axis: &Symbol, split: &Split) -> Stmt {
        let mut renaming = Renaming::default();
        let mut copy = self.fresh.copy(&mut self.kernel, std::slice::from_ref(stmt), &mut renaming);
        let symbol = match renaming.symbols.get(axis) {
            Some(Dim::Dynamic(symbol)) => symbol.clone(),
            _ => axis.clone(),
        };
        let full = &split.extent.floor_div(&split.by) * &split.by;
        let index = &full + &Dim::Dynamic(symbol.clone());
        let mut stmt = copy.remove(0);
        let axes = match &mut stmt {
            Stmt::Par { axes, .. } | Stmt::Reduce { axes, .. } => &mut axes[..],
            Stmt::For { axis, .. } => std::slice::from_mut(axis),
            _ => &mut [],
        };
        for axis in axes.iter_mut().filter(|axis| axis.symbol == symbol) {
            axis.extent = &split.extent - &full;
        }
        let renaming = Renaming::symbol(&symbol, index);
        stmt.blocks_mut().for_each(|block| self.substitute(&renaming, block));
        stmt
    }

    /// Runs a body only if the index exists.
    fn guard(&mut self, body: &mut Block, split: &Split, joined: Vec<Joined>) {
        let condition = self.kernel.scalar(DType::Bool);
        let exists = Guard(vec![(&split.extent - &split.index).offset(-1)]);
        let then = std::mem::take(body);
        *body = vec![
            Stmt::Let { scalar: condition, value: Definition::Holds(exists) },
            Stmt::If { condition, then, otherwise: Block::new(), joined },
        ];
    }
}

impl Split {
    /// Returns the axes of parts, and of indices in a part.
    fn axes(&self) -> [Axis; 2] {
        let parts = match self.tail {
            Tail::Exact | Tail::Peel => self.extent.floor_div(&self.by),
            Tail::Guard => (&self.extent + &self.by).offset(-1).floor_div(&self.by),
        };
        let [part, inside] = self.into.clone();
        [Axis::new(part, parts), Axis::new(inside, self.by.clone())]
    }
}

/// Returns whether an extent is known to be a multiple of a number.
pub(super) fn divides(facts: &[Fact], extent: &Dim, by: u32) -> bool {
    let number = Dim::Static(by as usize);
    let stated = |fact: &Fact| matches!(fact, Fact::Multiple { of, by: m } if of == extent && m % by == 0);
    &extent.floor_div(&number) * &number == *extent || facts.iter().any(stated)
}
