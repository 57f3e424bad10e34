//! Prints a kernel line by line, with spellings from the [`Language`].

use super::language::{Array, BufferPart, Head, Language, LoopHead, MemoryParam, Variable};
use super::{NameKind, Names, Notation, PrintError, expression, is_of_sizes, place, runs, scalars, sizes};
use crate::elementary::with_operators;
use crate::kernel::{
    Axis, Block, Buffer, BufferId, Carried, Cell, Combiner, Definition, Guard, Joined, Kernel, Place,
    ScalarId, Stmt,
};
use rlx_ir::{DType, Dim, DimError, Symbol};

/// A kernel printed as a function.
#[derive(Clone, PartialEq, Debug)]
pub struct PrintedFunction {
    /// The text. The arguments are the parameters of the kernel, the arrays in `scratch`, and the sizes.
    pub text: String,
    /// The arrays that the caller passes. Their contents may be anything.
    pub scratch: Vec<Scratch>,
    /// The sizes, in order.
    pub sizes: Vec<Symbol>,
}

/// An array of a kernel that the caller allocates.
#[derive(Clone, PartialEq, Debug)]
pub struct Scratch {
    /// The type of its elements.
    pub dtype: DType,
    /// The extents.
    pub extents: Vec<Dim>,
}

/// Prints a kernel as a function with this name.
pub fn print<L: Language>(kernel: &Kernel, name: &str, language: &L) -> Result<PrintedFunction, PrintError> {
    let written = with_operators(kernel, language.has_fma(), &|function| language.lacks(function));
    let kernel = written.as_ref().unwrap_or(kernel);
    let mut names = Names::without(L::WORDS.split(' '));
    (0..kernel.scalars.len()).for_each(|number| names.reserve(&format!("v{number}")));
    let mut printer =
        Printer { kernel, language, out: String::new(), indent: 0, names, slices: Vec::new(), sliced: 0 };
    let (of, sizes) = (|| kernel.name.clone(), sizes(kernel));
    let scratch = printer.large_arrays();
    if let Some(array) = scratch.iter().map(|&id| printer.buffer(id)).find(|b| !is_of_sizes(b, &sizes)) {
        return Err(PrintError::Array { kernel: of(), array: array.name.clone() });
    }
    printer.head(name, &scratch, &sizes);
    printer.block(&kernel.body).map_err(|stop| match stop {
        Stop::Size(error) => PrintError::Size { kernel: of(), error },
        Stop::Op(op) => PrintError::Op { kernel: of(), op, language: L::NAME },
        Stop::Statement(what) => PrintError::Statement { kernel: of(), what, language: L::NAME },
    })?;
    printer.line(L::BLOCK[2]);
    let scratch = scratch.into_iter().map(|id| printer.buffer(id));
    let scratch = scratch.map(|b| Scratch { dtype: b.dtype, extents: b.extents.clone() }).collect();
    Ok(PrintedFunction { text: printer.out, scratch, sizes })
}

/// Why a statement cannot be printed.
enum Stop {
    Size(DimError),
    Op(&'static str),
    Statement(&'static str),
}

impl From<DimError> for Stop {
    fn from(error: DimError) -> Stop {
        Stop::Size(error)
    }
}

struct Printer<'k, L> {
    kernel: &'k Kernel,
    language: &'k L,
    out: String,
    indent: usize,
    names: Names,
    /// The slices that the enclosing loops have taken.
    slices: Vec<Slice>,
    /// The number of slices that have been named.
    sliced: usize,
}

/// A part of a buffer that is indexed by a loop's axis.
struct Slice {
    name: String,
    buffer: BufferId,
    first: Dim,
    axis: Symbol,
}

/// Returns the name of a scalar's variable.
fn var(scalar: ScalarId) -> String {
    format!("v{}", scalar.index())
}

fn vars(scalars: impl Iterator<Item = ScalarId>) -> Vec<String> {
    scalars.map(var).collect()
}

/// Index expressions in a language.
struct Indices<'n, L>(&'n mut Names, &'n L);

impl<L: Language> Notation for Indices<'_, L> {
    fn symbol(&mut self, symbol: &Symbol) -> String {
        self.0.identifier(NameKind::Symbol, symbol.name())
    }

    fn floor_divide(&mut self, a: &str, b: &str, positive: bool) -> String {
        self.1.floor_divide(a, b, positive)
    }

    fn larger(&mut self, a: &str, b: &str) -> String {
        self.1.larger(a, b)
    }
}

impl<'k, L: Language> Printer<'k, L> {
    /// Writes the lines of a text, indented.
    fn line(&mut self, text: impl AsRef<str>) {
        for line in text.as_ref().lines() {
            (0..self.indent).for_each(|_| self.out.push_str("    "));
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    fn buffer(&self, id: BufferId) -> &'k Buffer {
        &self.kernel.buffers[id.index()]
    }

    fn dtype(&self, scalar: ScalarId) -> DType {
        self.kernel.dtype(scalar)
    }

    fn variable(&self, scalar: ScalarId) -> Variable {
        Variable { name: var(scalar), dtype: self.dtype(scalar) }
    }

    fn variables(&self, scalars: impl Iterator<Item = ScalarId>) -> Vec<Variable> {
        scalars.map(|scalar| self.variable(scalar)).collect()
    }

    fn symbol(&mut self, symbol: &Symbol) -> String {
        self.names.identifier(NameKind::Symbol, symbol.name())
    }

    fn name_of(&mut self, buffer: BufferId) -> String {
        let name = &self.buffer(buffer).name;
        self.names.identifier(NameKind::Buffer, name)
    }

    /// Returns the extents of a buffer that is a variable of the function.
    fn as_array(&self, id: BufferId) -> Option<Vec<usize>> {
        let buffer = self.buffer(id);
        let count = Dim::product(buffer.extents.iter().cloned()).as_static()?;
        let is_small = count.checked_mul(buffer.dtype.size())? <= L::ARRAY_BYTES;
        let extents = || buffer.extents.iter().map(Dim::as_static).collect();
        if buffer.place.is_param() || !is_small { None } else { extents() }
    }

    fn buffers(&self) -> impl Iterator<Item = BufferId> {
        (0..self.kernel.buffers.len() as u32).map(BufferId::new)
    }

    fn large_arrays(&self) -> Vec<BufferId> {
        let is_large = |&id: &BufferId| !self.buffer(id).place.is_param() && self.as_array(id).is_none();
        self.buffers().filter(is_large).collect()
    }

    fn head(&mut self, name: &str, scratch: &[BufferId], sizes: &[Symbol]) {
        let params: Vec<BufferId> = self.buffers().filter(|&id| self.buffer(id).place.is_param()).collect();
        let memory = params.iter().chain(scratch).map(|&id| {
            let Buffer { dtype, place, .. } = *self.buffer(id);
            MemoryParam { name: self.name_of(id), buffer: id, dtype, is_written: place != Place::In }
        });
        let memory = memory.collect();
        let sizes = sizes.iter().map(|size| self.symbol(size)).collect();
        self.line(self.language.head(&Head { name, memory, sizes }));
    }

    /// Writes the statements of a block one level deeper.
    fn block(&mut self, block: &Block) -> Result<(), Stop> {
        self.indent += 1;
        let printed = block.iter().try_for_each(|stmt| self.stmt(stmt));
        self.indent -= 1;
        printed
    }

    /// Writes a line inside the block that was printed last.
    fn end(&mut self, text: impl AsRef<str>) {
        self.indent += 1;
        self.line(text);
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Stop> {
        match stmt {
            Stmt::Let { scalar, value } => {
                let text = self.value(*scalar, value)?;
                self.define(*scalar, &text, false);
            }
            Stmt::Name { symbol, scalar, .. } => {
                let symbol = self.symbol(symbol);
                self.line(self.language.name(&symbol, &var(*scalar)));
            }
            Stmt::Array(array) => self.array(*array),
            Stmt::Store { cell, guard, scalar } => {
                let element = self.language.store(self.dtype(*scalar), &var(*scalar));
                let place = self.place(cell)?;
                let guard = if guard.is_empty() { None } else { Some(self.guard(guard)?) };
                self.line(self.language.put(&place, &element, guard.as_deref()));
            }
            Stmt::Barrier => {
                let barrier = self.language.barrier();
                self.line(barrier.ok_or(Stop::Statement("barriers, because it has no groups of lanes"))?);
            }
            Stmt::Tile(_) => return Err(Stop::Statement("tiles: expand them first")),
            Stmt::Par { axes, body } => self.nest(axes, body, |p| p.block(body))?,
            Stmt::For { axis, reverse, carried, body } => {
                self.begin(carried);
                let around = self.count(axis, *reverse, (&[], body))?;
                self.block(body)?;
                self.slices.truncate(around);
                self.next(carried);
            }
            Stmt::While { carried, condition, again, body, bound } => {
                self.begin(carried);
                let bound = self.extent(bound)?;
                self.line(self.language.at_most(&bound));
                self.block(condition)?;
                self.end(self.language.leave_unless(&var(*again)));
                self.block(body)?;
                self.next(carried);
            }
            Stmt::If { condition, then, otherwise, joined } => {
                self.branch(*condition, [then, otherwise], joined)?;
            }
            Stmt::Reduce { axes, combiner, body, elements, results } => {
                self.reduce(axes, combiner, body, elements, results)?;
            }
        }
        Ok(())
    }

    fn define(&mut self, scalar: ScalarId, text: &str, changes: bool) {
        self.line(self.language.define(&self.variable(scalar), text, changes));
    }

    fn value(&mut self, scalar: ScalarId, value: &Definition) -> Result<String, Stop> {
        let (dtype, language) = (self.dtype(scalar), self.language);
        Ok(match value {
            Definition::Constant(constant) => language.constant(dtype, constant.convert(dtype)),
            Definition::Index(index) => language.index(dtype, &self.extent(index)?),
            Definition::Load { cell, guard, fill } => {
                let element = language.load(cell.buffer, dtype, &self.place(cell)?);
                match fill {
                    Some(fill) if !guard.is_empty() => {
                        language.select(&self.guard(guard)?, &element, &var(*fill))
                    }
                    _ => element,
                }
            }
            Definition::Apply { op, args } => {
                let args: Vec<(String, DType)> =
                    args.iter().map(|&arg| (var(arg), self.dtype(arg))).collect();
                scalars::apply(language, op, &args, dtype).ok_or(Stop::Op(op.mnemonic()))?
            }
            Definition::Fma(args) => {
                let [a, b, c] = &args.map(var);
                language.fma(dtype, [a, b, c]).ok_or(Stop::Op("fma"))?
            }
            Definition::Bitcast(x) if self.dtype(*x) == dtype => var(*x),
            Definition::Bitcast(x) => {
                language.bitcast(self.dtype(*x), dtype, &var(*x)).ok_or(Stop::Op("bitcast"))?
            }
            Definition::Holds(guard) if guard.is_empty() => "true".into(),
            Definition::Holds(guard) => self.guard(guard)?,
        })
    }

    fn guard(&mut self, guard: &Guard) -> Result<String, DimError> {
        let conditions = guard.0.iter().map(|index| Ok(format!("{} >= 0", self.extent(index)?)));
        Ok(conditions.collect::<Result<Vec<String>, DimError>>()?.join(" && "))
    }

    fn dim(&mut self, dim: &Dim) -> Result<String, DimError> {
        expression(dim, &mut Indices(&mut self.names, self.language))
    }

    /// Returns an extent. A plain number is written so that its type is clear.
    fn extent(&mut self, dim: &Dim) -> Result<String, DimError> {
        let text = self.dim(dim)?;
        let is_number = text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        Ok(if is_number { self.language.number(&text) } else { text })
    }

    /// Returns an index or a length, which is not negative.
    fn at(&mut self, dim: &Dim) -> Result<String, DimError> {
        match dim.as_static() {
            Some(number) => Ok(number.to_string()),
            None => self.extent(dim).map(|text| self.language.at(&text)),
        }
    }

    fn index(&mut self, at: &Dim) -> Result<String, DimError> {
        Ok(format!("[{}]", self.at(at)?))
    }

    /// Returns an element in memory: of an array by its indices, of a slice that a loop has taken by the loop's index,
    /// and otherwise by its position.
    fn place(&mut self, cell: &Cell) -> Result<String, DimError> {
        if let (Some(order), true) = (self.buffer(cell.buffer).swizzle, self.as_array(cell.buffer).is_some())
        {
            let place = self.at(&place(self.kernel, cell))?;
            if let Some(place) = self.language.swizzled(&place, order) {
                return Ok(format!("{}[{place}]", self.name_of(cell.buffer)));
            }
        }
        if self.as_array(cell.buffer).is_some() && !cell.at.is_empty() {
            let indices = cell.at.iter().map(|at| self.index(at)).collect::<Result<String, DimError>>()?;
            return Ok(self.name_of(cell.buffer) + &indices);
        }
        let place = place(self.kernel, cell);
        let is_there = |slice: &&Slice| {
            slice.buffer == cell.buffer && &place - &slice.first == Dim::Dynamic(slice.axis.clone())
        };
        if let Some(Slice { name, axis, .. }) = self.slices.iter().rev().find(is_there) {
            let (name, axis) = (name.clone(), Dim::Dynamic(axis.clone()));
            return Ok(name + &self.index(&axis)?);
        }
        let name = self.name_of(cell.buffer);
        Ok(name + &self.index(&place)?)
    }

    fn array(&mut self, array: BufferId) {
        let Buffer { dtype, place, swizzle, .. } = *self.buffer(array);
        if let (Some(mut extents), Place::Local(space)) = (self.as_array(array), place) {
            if swizzle.is_some_and(|order| self.language.swizzled("0", order).is_some()) {
                extents = vec![extents.into_iter().product()];
            }
            let name = self.name_of(array);
            self.line(self.language.array(&Array { name, dtype, extents, space }));
        }
    }

    /// Writes the head of a loop around `others` and a body, with the slices that it takes. Returns the number of
    /// slices that enclosing loops had taken.
    fn count(
        &mut self,
        axis: &Axis,
        reverse: bool,
        (others, body): (&[Axis], &[Stmt]),
    ) -> Result<usize, DimError> {
        let around = self.slices.len();
        let extent = self.extent(&axis.extent)?;
        for run in runs(self.kernel, &axis.symbol, others, body) {
            if self.as_array(run.buffer).is_some() {
                continue;
            }
            let of = self.name_of(run.buffer);
            let part = format!("{} part {}", self.buffer(run.buffer).name, self.sliced);
            let name = self.names.identifier(NameKind::Buffer, &part);
            let (first, length) = (&self.at(&run.first)?, &self.at(&axis.extent)?);
            let part = BufferPart { name: &name, of: &of, first, length, is_written: run.is_written };
            if let Some(text) = self.language.part(&part) {
                self.sliced += 1;
                self.line(text);
                let axis = axis.symbol.clone();
                self.slices.push(Slice { name, buffer: run.buffer, first: run.first, axis });
            }
        }
        let variable = &self.symbol(&axis.symbol);
        self.line(self.language.count(&LoopHead { variable, extent: &extent, reverse, level: axis.level }));
        Ok(around)
    }

    /// Writes loops over axes around what `inner` prints of a body.
    fn nest(
        &mut self,
        axes: &[Axis],
        body: &[Stmt],
        inner: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some((axis, others)) = axes.split_first() else {
            self.line(L::BLOCK[0]);
            inner(self)?;
            self.line(L::BLOCK[2]);
            return Ok(());
        };
        let around = self.count(axis, false, (others, body))?;
        if others.is_empty() {
            inner(self)?;
        } else {
            self.indent += 1;
            self.nest(others, body, inner)?;
            self.indent -= 1;
        }
        self.slices.truncate(around);
        self.line(L::BLOCK[2]);
        Ok(())
    }

    /// Defines the variables that a loop changes: the carried scalars inside the body.
    fn begin(&mut self, carried: &[Carried]) {
        carried.iter().for_each(|c| self.define(c.inside, &var(c.first), true));
    }

    /// Ends a loop's body, and defines the results of the loop.
    fn next(&mut self, carried: &[Carried]) {
        self.assign(carried.iter().map(|c| c.inside), carried.iter().map(|c| c.next));
        self.line(L::BLOCK[2]);
        carried.iter().for_each(|c| self.define(c.last, &var(c.inside), false));
    }

    /// Assigns values to variables at the end of a block.
    fn assign(&mut self, to: impl Iterator<Item = ScalarId>, values: impl Iterator<Item = ScalarId>) {
        let variables = self.variables(to);
        if !variables.is_empty() {
            self.end(self.language.assign(&variables, &vars(values)));
        }
    }

    fn branch(
        &mut self,
        condition: ScalarId,
        [then, otherwise]: [&Block; 2],
        joined: &[Joined],
    ) -> Result<(), Stop> {
        let results = self.variables(joined.iter().map(|j| j.result));
        let give = |p: &mut Self, part: fn(&Joined) -> ScalarId| {
            if !results.is_empty() {
                p.end(p.language.give(&results, &vars(joined.iter().map(part))));
            }
        };
        self.line(self.language.branch(&var(condition), &results));
        self.block(then)?;
        give(self, |j| j.then);
        if !joined.is_empty() || !otherwise.is_empty() {
            self.line(L::BLOCK[1]);
            self.block(otherwise)?;
        }
        give(self, |j| j.otherwise);
        self.line(self.language.end_branch(&results));
        Ok(())
    }

    /// Writes a reduction. The results are the state, to which the combiner's step adds each element.
    fn reduce(
        &mut self,
        axes: &[Axis],
        combiner: &Combiner,
        body: &Block,
        elements: &[ScalarId],
        results: &[ScalarId],
    ) -> Result<(), Stop> {
        let identity = results.iter().zip(&combiner.identity);
        identity.for_each(|(&state, &first)| self.define(state, &var(first), true));
        let step = &combiner.step;
        self.nest(axes, body, |p| {
            p.block(body)?;
            p.indent += 1;
            for (&param, &given) in step.params.iter().zip(results.iter().chain(elements)) {
                p.define(param, &var(given), false);
            }
            p.indent -= 1;
            p.block(&step.body)?;
            p.assign(results.iter().copied(), step.results.iter().copied());
            Ok(())
        })
    }
}
