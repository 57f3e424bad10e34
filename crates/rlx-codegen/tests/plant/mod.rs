//! Kernels with one fault each.

use rlx_codegen::Launches;
use rlx_codegen::kernel::{Block, Cell, Definition, Function, Kernel, ScalarId, Stmt};
use rlx_ir::{DType, Op, Scalar};
use std::collections::HashSet;
use std::sync::Arc;

/// The fault in a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mutation {
    /// A condition of a guard is missing.
    DroppedGuard,
    /// An index is one too large.
    ShiftedIndex,
    /// Two indices of an element are exchanged.
    SwappedIndices,
    /// A store is missing.
    DroppedStore,
    /// The two values of a selection are exchanged.
    SwappedSelection,
    /// Operands of a function that does not commute are exchanged.
    SwappedOperands,
    /// A loop that runs in order runs in parallel.
    ParallelLoop,
    /// A loop that runs in order runs backwards.
    ReversedLoop,
    /// A loop runs once too few.
    ShortLoop,
    /// A loop runs once too many.
    LongLoop,
    /// A combiner starts with something other than its identity.
    WrongIdentity,
    /// A combiner forgets one of the two states that it merges.
    ForgottenState,
}

impl Mutation {
    /// All kinds of faults.
    pub const ALL: [Mutation; 12] = [
        Mutation::DroppedGuard,
        Mutation::ShiftedIndex,
        Mutation::SwappedIndices,
        Mutation::DroppedStore,
        Mutation::SwappedSelection,
        Mutation::SwappedOperands,
        Mutation::ParallelLoop,
        Mutation::ReversedLoop,
        Mutation::ShortLoop,
        Mutation::LongLoop,
        Mutation::WrongIdentity,
        Mutation::ForgottenState,
    ];
}

/// Returns all launches with one fault, with its location.
pub fn mutants(launches: &Launches) -> Vec<(Mutation, String, Launches)> {
    let mut all = Vec::new();
    for (number, launch) in launches.launches.iter().enumerate() {
        for mutation in Mutation::ALL {
            for site in 0.. {
                let mut mutant = launches.clone();
                let kernel = &mut mutant.launches[number].kernel;
                let Some(place) = plant(kernel, mutation, site) else { break };
                if kernel != &launch.kernel {
                    all.push((mutation, format!("launch {number}, {place}"), mutant));
                }
            }
        }
    }
    all
}

/// Plants a fault at the site with this number. Returns the location, or `None` if there are fewer sites.
fn plant(kernel: &mut Kernel, mutation: Mutation, site: usize) -> Option<String> {
    let mut planter = Planter {
        mutation,
        left: site,
        dtypes: kernel.scalars.clone(),
        identities: identities(&kernel.body),
    };
    planter.block(&mut kernel.body)
}

/// Returns the scalars that combiners start with.
fn identities(block: &Block) -> HashSet<ScalarId> {
    let mut found = HashSet::new();
    for stmt in block {
        if let Stmt::Reduce { combiner, .. } = stmt {
            found.extend(combiner.identity.iter().copied());
        }
        inner(stmt).into_iter().for_each(|block| found.extend(identities(block)));
    }
    found
}

fn inner(stmt: &Stmt) -> Vec<&Block> {
    match stmt {
        Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => vec![body],
        Stmt::While { condition, body, .. } => vec![condition, body],
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
        _ => Vec::new(),
    }
}

struct Planter {
    mutation: Mutation,
    /// The number of sites before the one that is wanted.
    left: usize,
    dtypes: Vec<DType>,
    identities: HashSet<ScalarId>,
}

impl Planter {
    /// Returns whether this site is the one that is wanted.
    fn here(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == usize::MAX
    }

    /// Returns which of `count` sites is the one that is wanted, if it is among them.
    fn one_of(&mut self, count: usize) -> Option<usize> {
        (0..count).find(|_| self.here())
    }

    fn block(&mut self, block: &mut Block) -> Option<String> {
        for at in 0..block.len() {
            if self.mutation == Mutation::DroppedStore
                && matches!(block[at], Stmt::Store { .. })
                && self.here()
            {
                block.remove(at);
                return Some(format!("statement {at}"));
            }
            if let Some(place) = self.stmt(&mut block[at]) {
                return Some(place);
            }
        }
        None
    }

    fn stmt(&mut self, stmt: &mut Stmt) -> Option<String> {
        let text = format!("{stmt:?}");
        let planted = match self.mutation {
            Mutation::ParallelLoop | Mutation::ReversedLoop | Mutation::ShortLoop | Mutation::LongLoop => {
                self.looped(stmt)
            }
            Mutation::ForgottenState => self.forgotten(stmt),
            Mutation::DroppedStore => false,
            _ => self.plain(stmt),
        };
        if planted {
            return Some(text);
        }
        match stmt {
            Stmt::Par { body, .. } | Stmt::For { body, .. } => self.block(body),
            Stmt::Reduce { body, combiner, .. } => self
                .block(&mut combiner.step.body)
                .or_else(|| self.block(&mut combiner.merge.body))
                .or_else(|| self.block(body)),
            Stmt::While { condition, body, .. } => self.block(condition).or_else(|| self.block(body)),
            Stmt::If { then, otherwise, .. } => self.block(then).or_else(|| self.block(otherwise)),
            _ => None,
        }
    }

    fn plain(&mut self, stmt: &mut Stmt) -> bool {
        match stmt {
            Stmt::Store { cell, guard, .. } => self.access(cell, &mut guard.0),
            Stmt::Let { value: Definition::Load { cell, guard, .. }, .. } => self.access(cell, &mut guard.0),
            Stmt::Let { value: Definition::Holds(guard), .. } => self.guard(&mut guard.0),
            Stmt::Let { value: Definition::Apply { op, args }, .. } => self.applied(op, args),
            Stmt::Let { scalar, value: Definition::Constant(value) } => {
                let planted = self.mutation == Mutation::WrongIdentity
                    && self.identities.contains(scalar)
                    && self.here();
                if planted {
                    *value = another(*value).convert(self.dtypes[scalar.index()]);
                }
                planted
            }
            _ => false,
        }
    }

    fn access(&mut self, cell: &mut Cell, guard: &mut Vec<rlx_ir::Dim>) -> bool {
        match self.mutation {
            Mutation::DroppedGuard => self.guard(guard),
            Mutation::ShiftedIndex => {
                let Some(axis) = self.one_of(cell.at.len()) else { return false };
                cell.at[axis] = cell.at[axis].offset(1);
                true
            }
            Mutation::SwappedIndices => {
                let Some(axis) = self.one_of(cell.at.len().saturating_sub(1)) else { return false };
                cell.at.swap(axis, axis + 1);
                true
            }
            _ => false,
        }
    }

    fn guard(&mut self, guard: &mut Vec<rlx_ir::Dim>) -> bool {
        if self.mutation != Mutation::DroppedGuard {
            return false;
        }
        let Some(condition) = self.one_of(guard.len()) else { return false };
        guard.remove(condition);
        true
    }

    fn applied(&mut self, op: &Arc<Op>, args: &mut [ScalarId]) -> bool {
        use rlx_ir::BinaryOp::{Atan2, Div, Pow, Rem, ShiftLeft, Sub};
        let swap = match (self.mutation, &**op) {
            (Mutation::SwappedSelection, Op::Select {}) => (1, 2),
            (Mutation::SwappedOperands, Op::Binary { op: Sub | Div | Pow | Rem | Atan2 | ShiftLeft }) => {
                (0, 1)
            }
            _ => return false,
        };
        let planted = args[swap.0] != args[swap.1] && self.here();
        if planted {
            args.swap(swap.0, swap.1);
        }
        planted
    }

    fn looped(&mut self, stmt: &mut Stmt) -> bool {
        match (self.mutation, &mut *stmt) {
            (Mutation::ParallelLoop, Stmt::For { axis, carried, body, .. }) if carried.is_empty() => {
                let planted = self.here();
                if planted {
                    *stmt = Stmt::Par { axes: vec![axis.clone()], body: std::mem::take(body) };
                }
                planted
            }
            (Mutation::ReversedLoop, Stmt::For { reverse, .. }) => {
                let planted = self.here();
                *reverse ^= planted;
                planted
            }
            (
                Mutation::ShortLoop | Mutation::LongLoop,
                Stmt::Par { axes, .. } | Stmt::Reduce { axes, .. },
            ) => {
                let Some(axis) = self.one_of(axes.len()) else { return false };
                axes[axis].extent = axes[axis].extent.offset(self.step());
                true
            }
            (Mutation::ShortLoop | Mutation::LongLoop, Stmt::For { axis, .. }) => {
                let planted = self.here();
                if planted {
                    axis.extent = axis.extent.offset(self.step());
                }
                planted
            }
            _ => false,
        }
    }

    fn step(&self) -> i64 {
        if self.mutation == Mutation::ShortLoop { -1 } else { 1 }
    }

    fn forgotten(&mut self, stmt: &mut Stmt) -> bool {
        let Stmt::Reduce { combiner, .. } = stmt else { return false };
        let state = combiner.identity.len();
        let Some(which) = self.one_of(2) else { return false };
        let Function { params, results, .. } = &mut combiner.merge;
        *results = params[which * state..][..state].to_vec();
        true
    }
}

/// Returns a number that is not an identity if the given one is.
fn another(value: Scalar) -> Scalar {
    match value {
        Scalar::Float(x) if x.is_infinite() => Scalar::Float(-x),
        Scalar::Float(x) => Scalar::Float(x + 1.0),
        Scalar::Int(x @ 0..=1) => Scalar::Int(x + 1),
        Scalar::Int(x) => Scalar::Int(!x),
        Scalar::Complex(z) => Scalar::Float(z.re + 1.0),
    }
}
