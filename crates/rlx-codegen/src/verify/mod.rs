//! The verifier: reports everything that is wrong with a kernel, not just the first thing.
//!
//! Scalars are defined once, before they are used, and in scope. Types match. Symbols are named once. Accesses have an
//! index per axis, and only read and write what they may. Local arrays are made before they are accessed. Outputs are
//! written. Barriers are where all lanes of a group arrive. The interpreter finds what depends on sizes and data:
//! indices outside their buffers, and races between parallel iterations.

mod groups;
mod launches;
#[cfg(test)]
mod tests;
mod tiles;
mod values;

use crate::kernel::{
    Axis, Block, Buffer, BufferId, Carried, Cell, Combiner, Fact, Function, Guard, Joined, Kernel, Level,
    Place, ScalarId, Space, Stmt,
};
use crate::text::MAX_DEPTH;
use groups::Control;
use rlx_ir::{DType, Dim, Symbol, Symbols};
use std::collections::HashSet;
use std::fmt;

/// One error in a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The statement, with those around it (`par _0/for _2/%5`), or an empty string for the kernel itself.
    pub at: String,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// All errors in a kernel. As an error, the list is never empty.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Violations {
    /// The name of the kernel.
    pub kernel: String,
    /// The violations, in the order of the text.
    pub list: Vec<Violation>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at[..] {
            "" => f.write_str(&self.problem),
            at => write!(f, "{at}: {}", self.problem),
        }
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.list.len();
        write!(f, "kernel {:?} has {n} error{}:", self.kernel, if n == 1 { "" } else { "s" })?;
        self.list.iter().try_for_each(|v| write!(f, "\n  {v}"))
    }
}

/// Checks a kernel.
pub fn verify(kernel: &Kernel) -> Result<(), Violations> {
    let mut verifier = Verifier::new(kernel);
    verifier.buffers();
    verifier.facts();
    verifier.block(&kernel.body, |_| ());
    verifier.outputs();
    match verifier.list.is_empty() {
        true => Ok(()),
        false => Err(Violations { kernel: kernel.name.clone(), list: verifier.list }),
    }
}

pub use launches::verify_launches;

struct Verifier<'k> {
    kernel: &'k Kernel,
    list: Vec<Violation>,
    /// The enclosing statements and the current one.
    path: Vec<&'k Stmt>,
    depth: usize,
    /// The scalars that have been defined so far, in scope or not.
    scalars: HashSet<ScalarId>,
    symbols: HashSet<Symbol>,
    arrays: HashSet<BufferId>,
    /// The definitions in scope.
    scope: Scope,
    /// The scalars among them.
    visible: HashSet<ScalarId>,
    /// The symbols in the parameters' extents.
    sizes: Symbols,
    /// The symbols of axes and names anywhere in the kernel, except for those of parameters. All other symbols are sizes.
    counted: HashSet<Symbol>,
    stored: HashSet<BufferId>,
    /// What runs the current statement.
    control: Control,
}

/// The definitions that statements at one place may use, in the order of definition.
#[derive(Default)]
struct Scope {
    scalars: Vec<ScalarId>,
    symbols: Vec<Symbol>,
    arrays: Vec<BufferId>,
}

impl<'k> Verifier<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        let mut counted = HashSet::new();
        crate::visit::for_each_stmt(&kernel.body, &mut |stmt| match stmt {
            Stmt::Name { symbol, .. } => {
                counted.insert(symbol.clone());
            }
            Stmt::Par { axes, .. } | Stmt::Reduce { axes, .. } => {
                counted.extend(axes.iter().map(|axis| axis.symbol.clone()));
            }
            Stmt::For { axis, .. } => {
                counted.insert(axis.symbol.clone());
            }
            Stmt::Tile(tile) => counted.extend(tile.axes().into_iter().map(|axis| axis.symbol.clone())),
            _ => {}
        });
        let mut sizes = Symbols::default();
        kernel.params().flat_map(|b| &b.extents).for_each(|extent| extent.symbols(&mut sizes));
        counted.retain(|symbol| !sizes.contains(symbol));
        Verifier {
            kernel,
            sizes,
            visible: HashSet::new(),
            list: Vec::new(),
            path: Vec::new(),
            depth: 0,
            scalars: HashSet::new(),
            symbols: HashSet::new(),
            arrays: HashSet::new(),
            scope: Scope::default(),
            counted,
            stored: HashSet::new(),
            control: Control::default(),
        }
    }

    fn report(&mut self, problem: impl Into<String>) {
        let at: Vec<String> = self.path.iter().map(|stmt| self.head(stmt)).collect();
        self.list.push(Violation { at: at.join("/"), problem: problem.into() });
    }

    /// Returns a statement in a word or two.
    fn head(&self, stmt: &Stmt) -> String {
        let of = |axes: &[Axis]| axes.iter().map(|a| format!(" {}", a.symbol)).collect::<Vec<_>>().join(",");
        match stmt {
            Stmt::Let { scalar, .. } => scalar.to_string(),
            Stmt::Name { symbol, .. } => format!("name {symbol}"),
            Stmt::Array(array) => format!("array {}", self.name(*array)),
            Stmt::Store { cell, .. } => format!("store {}", self.name(cell.buffer)),
            Stmt::Par { axes, .. } => format!("par{}", of(axes)),
            Stmt::For { axis, .. } => format!("for {}", axis.symbol),
            Stmt::While { .. } => "while".into(),
            Stmt::If { condition, .. } => format!("if {condition}"),
            Stmt::Barrier => "barrier".into(),
            Stmt::Tile(tile) => tiles::head(tile).into(),
            Stmt::Reduce { axes, .. } => format!("reduce{}", of(axes)),
        }
    }

    fn name(&self, buffer: BufferId) -> &'k str {
        self.kernel.buffers.get(buffer.index()).map_or("?", |b| &b.name)
    }

    fn dtype(&self, scalar: ScalarId) -> Option<DType> {
        self.kernel.scalars.get(scalar.index()).copied()
    }

    fn buffers(&mut self) {
        let (mut names, mut local) = (HashSet::new(), false);
        for buffer in &self.kernel.buffers {
            let name = &buffer.name;
            if !names.insert(name) {
                self.report(format!("two buffers are called `{name}`"));
            }
            if buffer.place.is_param() {
                buffer.extents.iter().for_each(|extent| self.dim(extent, "an extent"));
                if local {
                    self.report(format!(
                        "the parameter `{name}` comes after a local array; list parameters first"
                    ));
                }
            }
            local |= !buffer.place.is_param();
        }
    }

    fn facts(&mut self) {
        for fact in &self.kernel.facts {
            if matches!(fact, Fact::Multiple { by: 0, .. }) {
                self.report(format!("the fact `{fact}` divides by 0"));
            }
            self.dim(fact.dim(), "the fact");
            let mut symbols = Symbols::default();
            fact.dim().symbols(&mut symbols);
            for symbol in symbols.into_vec() {
                if !self.sizes.contains(&symbol) {
                    self.report(format!("the fact `{fact}` has `{symbol}`, which is not a parameter's size"));
                }
            }
        }
    }

    fn outputs(&mut self) {
        for (index, buffer) in self.kernel.buffers.iter().enumerate() {
            if buffer.place == Place::Out && !self.stored.iter().any(|b| b.index() == index) {
                self.report(format!("nothing is stored to the output `{}`", buffer.name));
            }
        }
    }

    /// Verifies a block. `at_end` runs additional checks in the scope of the end of the block.
    fn block(&mut self, block: &'k Block, at_end: impl FnOnce(&mut Self)) {
        if self.depth == MAX_DEPTH {
            return self.report(format!("statements are nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        self.scoped(|v| {
            for stmt in block {
                v.path.push(stmt);
                v.stmt(stmt);
                v.path.pop();
            }
            at_end(v);
        });
        self.depth -= 1;
    }

    /// Forgets the definitions of `inner`.
    fn scoped(&mut self, inner: impl FnOnce(&mut Self)) {
        let (scalars, symbols, arrays) =
            (self.scope.scalars.len(), self.scope.symbols.len(), self.scope.arrays.len());
        inner(self);
        self.scope.scalars.drain(scalars..).for_each(|scalar| {
            self.visible.remove(&scalar);
        });
        self.scope.symbols.truncate(symbols);
        self.scope.arrays.truncate(arrays);
    }

    fn stmt(&mut self, stmt: &'k Stmt) {
        match stmt {
            Stmt::Let { scalar, value } => {
                self.value(*scalar, value);
                self.define(*scalar);
            }
            Stmt::Name { symbol, scalar, extent } => {
                self.used(*scalar);
                if self.dtype(*scalar).is_some_and(|dtype| !dtype.is_int()) {
                    self.report(format!("{} is not an integer and cannot be an index", self.typed(*scalar)));
                }
                self.dim(extent, "the extent");
                self.count(symbol);
            }
            Stmt::Array(array) => self.array(*array),
            Stmt::Store { cell, guard, scalar } => self.store(cell, guard, *scalar),
            Stmt::Barrier => self.uniform("a barrier"),
            Stmt::Tile(tile) => self.scoped(|v| v.tile(tile)),
            Stmt::Par { axes, body } => self.scoped(|v| {
                v.axes(axes);
                let around = v.enter(axes);
                v.block(body, |_| ());
                v.control = around;
            }),
            Stmt::For { axis, carried, body, .. } => {
                self.unmarked(std::slice::from_ref(axis));
                self.scoped(|v| {
                    v.axes(std::slice::from_ref(axis));
                    v.begin(carried);
                    v.block(body, |v| v.next(carried));
                });
                self.end(carried);
            }
            Stmt::While { carried, condition, again, body, bound } => {
                self.dim(bound, "the bound");
                self.scoped(|v| {
                    v.begin(carried);
                    v.block(condition, |v| v.boolean(*again, "`again`"));
                    v.block(body, |v| v.next(carried));
                });
                self.end(carried);
            }
            Stmt::If { condition, then, otherwise, joined } => {
                self.boolean(*condition, "the condition");
                self.block(then, |v| joined.iter().for_each(|j| v.used_as(j.then, j.result)));
                self.block(otherwise, |v| joined.iter().for_each(|j| v.used_as(j.otherwise, j.result)));
                joined.iter().for_each(|&Joined { result, .. }| self.define(result));
            }
            Stmt::Reduce { axes, combiner, body, elements, results } => {
                self.combiner(combiner, elements, results);
                self.unmarked(axes);
                self.scoped(|v| {
                    v.axes(axes);
                    let around = v.enter(axes);
                    v.block(body, |v| elements.iter().for_each(|&e| v.used(e)));
                    v.control = around;
                });
                results.iter().for_each(|&result| self.define(result));
            }
        }
    }

    fn define(&mut self, scalar: ScalarId) {
        if self.dtype(scalar).is_none() {
            self.report(format!("{scalar} is not a scalar of this kernel"));
        }
        if !self.scalars.insert(scalar) {
            self.report(format!("{scalar} is already defined; each scalar is defined once"));
        }
        self.scope.scalars.push(scalar);
        self.visible.insert(scalar);
    }

    fn used(&mut self, scalar: ScalarId) {
        if self.visible.contains(&scalar) {
            return;
        }
        let why = match (self.dtype(scalar), self.scalars.contains(&scalar)) {
            (None, _) => "is not a scalar of this kernel",
            (_, true) => "is out of scope here: it is defined in a block that has ended; join or carry it",
            (_, false) => "is used before it is defined",
        };
        self.report(format!("{scalar} {why}"));
    }

    /// Returns a scalar with its type, for messages.
    fn typed(&self, scalar: ScalarId) -> String {
        self.dtype(scalar).map_or(scalar.to_string(), |dtype| format!("{scalar} ({dtype})"))
    }

    /// Checks a use whose type must be that of another scalar.
    fn used_as(&mut self, scalar: ScalarId, like: ScalarId) {
        self.used(scalar);
        self.same_type(scalar, like);
    }

    fn same_type(&mut self, a: ScalarId, b: ScalarId) {
        if self.dtype(a).zip(self.dtype(b)).is_some_and(|(a, b)| a != b) {
            self.report(format!("{} and {} have different types", self.typed(a), self.typed(b)));
        }
    }

    fn boolean(&mut self, scalar: ScalarId, what: &str) {
        self.used(scalar);
        if self.dtype(scalar).is_some_and(|dtype| dtype != DType::Bool) {
            self.report(format!("{what}, {}, is not a boolean", self.typed(scalar)));
        }
    }

    /// Defines the carried scalars inside a body.
    fn begin(&mut self, carried: &[Carried]) {
        carried.iter().for_each(|c| self.used_as(c.first, c.inside));
        carried.iter().for_each(|c| self.define(c.inside));
    }

    /// Checks the values that a body leaves for the next iteration.
    fn next(&mut self, carried: &[Carried]) {
        carried.iter().for_each(|c| self.used_as(c.next, c.inside));
    }

    /// Defines the results of a loop.
    fn end(&mut self, carried: &[Carried]) {
        for &Carried { inside, last, .. } in carried {
            self.define(last);
            self.same_type(last, inside);
        }
    }

    fn axes(&mut self, axes: &[Axis]) {
        axes.iter().for_each(|axis| self.dim(&axis.extent, "the extent"));
        axes.iter().for_each(|axis| self.count(&axis.symbol));
    }

    fn unmarked(&mut self, axes: &[Axis]) {
        for Axis { symbol, level, .. } in axes.iter().filter(|axis| axis.level != Level::None) {
            let word = level.word();
            self.report(format!("`{symbol}` is marked `@{word}`, but only parallel axes can be marked"));
        }
    }

    /// Starts a symbol that counts.
    fn count(&mut self, symbol: &Symbol) {
        if !self.symbols.insert(symbol.clone()) {
            self.report(format!("the symbol `{symbol}` is already named; each axis and name needs its own"));
        }
        if self.sizes.contains(symbol) {
            self.report(format!(
                "the symbol `{symbol}` is a size of a parameter; an axis or name needs its own"
            ));
        }
        self.scope.symbols.push(symbol.clone());
    }

    /// Checks an expression, whose symbols must be known here.
    fn dim(&mut self, dim: &Dim, what: &str) {
        if let Err(error) = dim.check() {
            self.report(format!("{what}: {error}"));
        }
        let mut symbols = Symbols::default();
        dim.symbols(&mut symbols);
        for symbol in symbols.into_vec() {
            if self.counted.contains(&symbol) && !self.scope.symbols.contains(&symbol) {
                self.report(format!("{what} `{dim}` has the symbol `{symbol}`, which is not in scope here"));
            }
        }
    }

    fn array(&mut self, array: BufferId) {
        match self.kernel.buffers.get(array.index()) {
            None => self.report("there is no such buffer"),
            Some(buffer) if buffer.place.is_param() => {
                self.report(format!("`{}` is a parameter, which the caller makes", buffer.name));
            }
            Some(buffer) => {
                buffer.extents.iter().for_each(|extent| self.dim(extent, "the extent"));
                self.shared(buffer);
                self.order(buffer);
            }
        }
        if !self.arrays.insert(array) {
            self.report(format!("`{}` is already made; each array is made in one place", self.name(array)));
        }
        self.scope.arrays.push(array);
    }

    /// Checks the order of the elements of an array.
    fn order(&mut self, buffer: &Buffer) {
        let Some(swizzle) = buffer.swizzle else { return };
        if buffer.place != Place::Local(Space::Group) {
            self.report(format!("`{}` is not in `group`, whose memory has banks", buffer.name));
        }
        let elements = Dim::product(buffer.extents.iter().cloned()).as_static();
        if let Some(problem) = swizzle.problem(elements) {
            self.report(format!("`{}` has no order `{swizzle}`: {problem}", buffer.name));
        }
    }

    fn store(&mut self, cell: &Cell, guard: &Guard, scalar: ScalarId) {
        self.used(scalar);
        self.guard(guard);
        self.cell(cell);
        let Some(buffer) = self.kernel.buffers.get(cell.buffer.index()) else { return };
        self.stored.insert(cell.buffer);
        if !buffer.place.is_written() {
            self.report(format!("`{}` is an input, which cannot be stored to", buffer.name));
        }
        if self.dtype(scalar).is_some_and(|dtype| dtype != buffer.dtype) {
            self.report(format!("{} is stored to `{}` of {}", self.typed(scalar), buffer.name, buffer.dtype));
        }
    }

    fn guard(&mut self, guard: &Guard) {
        guard.0.iter().for_each(|condition| self.dim(condition, "the condition"));
    }

    fn cell(&mut self, cell: &Cell) {
        cell.at.iter().for_each(|index| self.dim(index, "the index"));
        let Some(buffer) = self.kernel.buffers.get(cell.buffer.index()) else {
            return self.report("there is no such buffer");
        };
        let (name, rank, indices) = (&buffer.name, buffer.extents.len(), cell.at.len());
        if rank != indices {
            self.report(format!("`{name}` has {rank} axes, but is given {indices} indices"));
        }
        if !buffer.place.is_param() && !self.scope.arrays.contains(&cell.buffer) {
            self.report(format!(
                "the array `{name}` is not made here; access it after its `array`, in the same block"
            ));
        }
    }

    fn combiner(&mut self, combiner: &'k Combiner, elements: &[ScalarId], results: &[ScalarId]) {
        let Combiner { identity, once: _, step, merge } = combiner;
        identity.iter().for_each(|&s| self.used(s));
        self.alike(results, identity, "the results", "the identity has");
        self.function("step", step, &[identity, elements].concat(), identity);
        self.function("merge", merge, &[&identity[..], identity].concat(), identity);
    }

    fn function(&mut self, what: &str, function: &'k Function, params: &[ScalarId], results: &[ScalarId]) {
        self.alike(&function.params, params, &format!("the operands of {what}"), "it is given");
        self.scoped(|v| {
            function.params.iter().for_each(|&s| v.define(s));
            v.block(&function.body, |v| function.results.iter().for_each(|&s| v.used(s)));
        });
        self.alike(&function.results, results, &format!("the results of {what}"), "the state has");
        if let Some(stmt) = function.body.iter().find(|stmt| !values::is_pure(stmt)) {
            let head = self.head(stmt);
            self.report(format!(
                "{what} has `{head}`: a function defines scalars from scalars, and loads nothing"
            ));
        }
    }

    /// Checks that two lists of scalars have the same types.
    fn alike(&mut self, a: &[ScalarId], b: &[ScalarId], what: &str, others: &str) {
        if a.len() != b.len() {
            return self.report(format!("{what} are {} scalars, but {others} {}", a.len(), b.len()));
        }
        a.iter().zip(b).for_each(|(&a, &b)| self.same_type(a, b));
    }
}
