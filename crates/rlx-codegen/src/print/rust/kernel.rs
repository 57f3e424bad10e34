//! Statements in Rust.

use super::{Options, RustFunction, STACK_BYTES, Scratch, numbers};
use crate::kernel::{
    Axis, Block, Buffer, BufferId, Carried, Cell, Combiner, Definition, Guard, Joined, Kernel, Place,
    ScalarId, Stmt,
};
use crate::print::{
    NameKind, Names, Notation, PrintError, expression, is_of_sizes, is_word, place, runs, sizes,
};
use rlx_ir::{DType, Dim, DimError, Symbol};
use std::fmt::{Display, Write};

/// Words that no variable may be.
const RESERVED: &str = "abstract as async await become box break const continue crate do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self Self \
    static struct super trait true try type typeof unsafe unsized use virtual where while yield";

/// Whether Rust keeps a word for itself.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.split(' ').any(|reserved| reserved == word)
}

/// A kernel as a function of this name.
pub fn function(kernel: &Kernel, name: &str) -> Result<RustFunction, PrintError> {
    function_with(kernel, name, &Options::default())
}

/// A kernel as a function of this name, as the options say.
pub fn function_with(kernel: &Kernel, name: &str, options: &Options<'_>) -> Result<RustFunction, PrintError> {
    let mut names = Names::without(RESERVED.split(' '));
    (0..kernel.scalars.len()).for_each(|number| names.reserve(&format!("v{number}")));
    let sizes = sizes(kernel);
    let large = |buffer: &&Buffer| !buffer.place.is_param() && on_stack(buffer).is_none();
    let scratch: Vec<&Buffer> = kernel.buffers.iter().filter(large).collect();
    let of = || kernel.name.clone();
    if let Some(array) = scratch.iter().find(|buffer| !is_of_sizes(buffer, &sizes)) {
        return Err(PrintError::Array { kernel: of(), array: array.name.clone() });
    }
    let is_param = |(_, buffer): &(usize, &Buffer)| buffer.place.is_param();
    let params = kernel.buffers.iter().enumerate().filter(is_param).zip(options.packed);
    let packed = params.filter(|(_, packed)| **packed).map(|((index, _), _)| index).collect();
    let fused = options.fused;
    let mut printer = Printer {
        kernel,
        out: String::new(),
        indent: 0,
        names,
        packed,
        fused,
        slices: Vec::new(),
        sliced: 0,
    };
    printer.head(name, &scratch, &sizes);
    printer.block(&kernel.body).map_err(|stop| match stop {
        Stop::Size(error) => PrintError::Size { kernel: of(), error },
        Stop::Op(op) => PrintError::Op { kernel: of(), op, language: "Rust" },
        Stop::Statement(what) => PrintError::Statement { kernel: of(), what, language: "Rust" },
    })?;
    printer.out.push_str("}\n");
    let scratch = scratch.into_iter().map(|b| Scratch { dtype: b.dtype, extents: b.extents.clone() });
    Ok(RustFunction { text: printer.out, scratch: scratch.collect(), sizes })
}

/// The number of elements of an array that is small enough for the stack.
fn on_stack(buffer: &Buffer) -> Option<usize> {
    let count = Dim::product(buffer.extents.iter().cloned()).as_static()?;
    (count.checked_mul(buffer.dtype.size())? <= STACK_BYTES).then_some(count)
}

/// Whether a buffer is an array of the function, and no slice.
fn is_array(buffer: &Buffer) -> bool {
    !buffer.place.is_param() && on_stack(buffer).is_some()
}

/// Why a statement has no text.
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

struct Printer<'k> {
    kernel: &'k Kernel,
    out: String,
    indent: usize,
    names: Names,
    /// Buffers that are passed as bytes, by their indices.
    packed: Vec<usize>,
    /// Whether functions of f32 may use the machine's multiply-add.
    fused: bool,
    /// What the loops around have taken.
    slices: Vec<Slice>,
    /// How many slices have a name.
    sliced: usize,
}

/// Part of a buffer in which a loop's axis is the index.
struct Slice {
    name: String,
    buffer: BufferId,
    first: Dim,
    axis: Symbol,
}

/// The variable of a scalar.
fn var(scalar: ScalarId) -> String {
    format!("v{}", scalar.index())
}

fn tuple(scalars: impl Iterator<Item = ScalarId>) -> String {
    let names: Vec<String> = scalars.map(var).collect();
    if let [one] = &names[..] { one.clone() } else { format!("({})", names.join(", ")) }
}

/// Index expressions are computed in `isize`.
struct Indices<'n>(&'n mut Names);

impl Notation for Indices<'_> {
    fn symbol(&mut self, symbol: &Symbol) -> String {
        self.0.identifier(NameKind::Symbol, symbol.name())
    }

    fn floor_divide(&mut self, a: &str, b: &str, positive: bool) -> String {
        let operand = |x: &str| if is_word(x) { x.to_string() } else { format!("({x})") };
        match positive {
            true => format!("({} / {})", operand(a), operand(b)),
            false => format!("isize::div_euclid({a}, {b})"),
        }
    }

    fn larger(&mut self, a: &str, b: &str) -> String {
        format!("isize::max({a}, {b})")
    }
}

impl Printer<'_> {
    fn line(&mut self, text: impl Display) {
        (0..self.indent).for_each(|_| self.out.push_str("    "));
        // INVARIANT: writing to a String does not fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn head(&mut self, name: &str, scratch: &[&Buffer], sizes: &[Symbol]) {
        let mut arguments = Vec::new();
        let params = self.kernel.buffers.iter().enumerate().filter(|(_, buffer)| buffer.place.is_param());
        let params = params.map(|(index, buffer)| (buffer, self.packed.contains(&index)));
        let params: Vec<_> = params.chain(scratch.iter().map(|&buffer| (buffer, false))).collect();
        for (buffer, packed) in params {
            let mutable = if buffer.place == Place::In { "" } else { "mut " };
            let element = match packed {
                true => format!("[u8; {}]", buffer.dtype.size()),
                false => numbers::stored(buffer.dtype).into(),
            };
            arguments.push(format!(
                "{}: &{mutable}[{element}]",
                self.names.identifier(NameKind::Buffer, &buffer.name)
            ));
        }
        arguments.extend(
            sizes
                .iter()
                .map(|size| format!("{}: usize", self.names.identifier(NameKind::Symbol, size.name()))),
        );
        // What would be wrong stands behind guards that never hold.
        self.line("#[allow(unused, unconditional_panic, arithmetic_overflow, clippy::all)]");
        self.line(format_args!("pub fn {name}({}) {{", arguments.join(", ")));
        self.indent += 1;
        for size in sizes {
            let size = self.names.identifier(NameKind::Symbol, size.name());
            self.line(format_args!("let {size} = {size} as isize;"));
        }
        self.indent -= 1;
    }

    fn dtype(&self, scalar: ScalarId) -> DType {
        self.kernel.dtype(scalar)
    }

    fn dim(&mut self, dim: &Dim) -> Result<String, DimError> {
        expression(dim, &mut Indices(&mut self.names))
    }

    /// The statements, a level deeper.
    fn block(&mut self, block: &Block) -> Result<(), Stop> {
        self.indent += 1;
        let printed = block.iter().try_for_each(|stmt| self.stmt(stmt));
        self.indent -= 1;
        printed
    }

    /// A line inside the block that was printed last.
    fn end(&mut self, text: impl Display) {
        self.indent += 1;
        self.line(text);
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Stop> {
        match stmt {
            Stmt::Let { scalar, value } => {
                let text = self.value(*scalar, value)?;
                self.define("", *scalar, text);
            }
            Stmt::Name { symbol, scalar, .. } => {
                let symbol = self.names.identifier(NameKind::Symbol, symbol.name());
                self.line(format_args!("let {symbol} = {} as isize;", var(*scalar)));
            }
            Stmt::Array(array) => self.array(*array),
            Stmt::Store { cell, guard, scalar } => {
                let element = numbers::store(self.dtype(*scalar), &var(*scalar));
                let place = self.place(cell)?;
                let guard = if guard.is_empty() { None } else { Some(self.guard(guard)?) };
                match guard {
                    None => self.line(format_args!("{place} = {element};")),
                    Some(guard) => self.line(format_args!("if {guard} {{ {place} = {element}; }}")),
                }
            }
            Stmt::Barrier => return Err(Stop::Statement("barriers: it has no groups of lanes")),
            Stmt::Tile(_) => return Err(Stop::Statement("tiles: expand them before")),
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
                self.line(format_args!("for _ in 0..{bound} {{"));
                self.block(condition)?;
                self.end(format_args!("if !{} {{ break; }}", var(*again)));
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

    fn define(&mut self, mutable: &str, scalar: ScalarId, text: impl Display) {
        let dtype = numbers::scalar(self.dtype(scalar));
        self.line(format_args!("let {mutable}{}: {dtype} = {text};", var(scalar)));
    }

    fn value(&mut self, scalar: ScalarId, value: &Definition) -> Result<String, Stop> {
        let dtype = self.dtype(scalar);
        Ok(match value {
            Definition::Constant(constant) => numbers::constant(dtype, *constant),
            Definition::Index(index) => format!("({}) as {dtype}", self.extent(index)?),
            Definition::Load { cell, guard, fill } => {
                let mut place = self.place(cell)?;
                if self.packed.contains(&cell.buffer.index()) {
                    place = numbers::of_bytes(dtype, &place);
                }
                let element = numbers::load(dtype, &place);
                match fill {
                    Some(fill) if !guard.is_empty() => {
                        format!("if {} {{ {element} }} else {{ {} }}", self.guard(guard)?, var(*fill))
                    }
                    _ => element,
                }
            }
            Definition::Apply { op, args } => {
                let args: Vec<(String, DType)> =
                    args.iter().map(|&arg| (var(arg), self.dtype(arg))).collect();
                numbers::apply(op, &args, dtype, self.fused).ok_or(Stop::Op(op.mnemonic()))?
            }
            Definition::Fma(args) => numbers::fma(dtype, args.map(var)),
            Definition::Bitcast(x) => {
                numbers::bitcast(self.dtype(*x), dtype, &var(*x)).ok_or(Stop::Op("bitcast"))?
            }
            Definition::Holds(guard) if guard.is_empty() => "true".into(),
            Definition::Holds(guard) => self.guard(guard)?,
        })
    }

    fn guard(&mut self, guard: &Guard) -> Result<String, DimError> {
        let conditions = guard.0.iter().map(|index| Ok(format!("{} >= 0", self.extent(index)?)));
        Ok(conditions.collect::<Result<Vec<String>, DimError>>()?.join(" && "))
    }

    /// An expression that says its type itself, where it is but a number.
    fn extent(&mut self, dim: &Dim) -> Result<String, DimError> {
        let text = self.dim(dim)?;
        let number = text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        Ok(if number { format!("{text}isize") } else { text })
    }

    /// An element in memory: of an array by its indices, of a slice that a loop has taken by the loop's, else by its place.
    fn place(&mut self, cell: &Cell) -> Result<String, DimError> {
        let buffer = &self.kernel.buffers[cell.buffer.index()];
        if is_array(buffer) && !cell.at.is_empty() {
            let name = self.names.identifier(NameKind::Buffer, &buffer.name);
            let indices = cell.at.iter().map(|at| self.index(at));
            return Ok(format!("{name}{}", indices.collect::<Result<String, DimError>>()?));
        }
        let place = place(self.kernel, cell);
        let is_there = |slice: &&Slice| {
            slice.buffer == cell.buffer && &place - &slice.first == Dim::Dynamic(slice.axis.clone())
        };
        if let Some(Slice { name, axis, .. }) = self.slices.iter().rev().find(is_there) {
            let (name, axis) = (name.clone(), Dim::Dynamic(axis.clone()));
            return Ok(name + &self.index(&axis)?);
        }
        let name = self.names.identifier(NameKind::Buffer, &buffer.name);
        Ok(name + &self.index(&place)?)
    }

    fn index(&mut self, at: &Dim) -> Result<String, DimError> {
        Ok(format!("[{}]", self.unsigned(at)?))
    }

    /// An index or a length, which is not negative.
    fn unsigned(&mut self, dim: &Dim) -> Result<String, DimError> {
        if dim.as_static().is_some() {
            return self.dim(dim);
        }
        let text = self.extent(dim)?;
        Ok(if is_word(&text) { format!("{text} as usize") } else { format!("({text}) as usize") })
    }

    fn array(&mut self, array: BufferId) {
        let buffer = &self.kernel.buffers[array.index()];
        if is_array(buffer) {
            let name = self.names.identifier(NameKind::Buffer, &buffer.name);
            let (element, zero) = (numbers::stored(buffer.dtype), numbers::zero(buffer.dtype));
            let extents = buffer.extents.iter().rev().filter_map(Dim::as_static);
            let extents = if buffer.extents.is_empty() { vec![1] } else { extents.collect() };
            let of = |inner: &str| extents.iter().fold(inner.to_string(), |of, n| format!("[{of}; {n}]"));
            self.line(format_args!("let mut {name}: {} = {};", of(element), of(zero)));
        }
    }

    /// The head of a loop around `others` and a body, with the slices that it takes. How many there were around it.
    fn count(
        &mut self,
        axis: &Axis,
        reverse: bool,
        (others, body): (&[Axis], &[Stmt]),
    ) -> Result<usize, DimError> {
        let around = self.slices.len();
        let extent = self.extent(&axis.extent)?;
        for run in runs(self.kernel, &axis.symbol, others, body) {
            let buffer = &self.kernel.buffers[run.buffer.index()];
            if is_array(buffer) {
                continue;
            }
            let of = self.names.identifier(NameKind::Buffer, &buffer.name);
            let name =
                self.names.identifier(NameKind::Buffer, &format!("{} part {}", buffer.name, self.sliced));
            self.sliced += 1;
            let function = if run.is_written { "part_mut" } else { "part" };
            let (first, length) = (self.unsigned(&run.first)?, self.unsigned(&axis.extent)?);
            self.line(format_args!("let {name} = rt::{function}({of}, {first}, {length});"));
            let Axis { symbol, .. } = axis.clone();
            self.slices.push(Slice { name, buffer: run.buffer, first: run.first, axis: symbol });
        }
        let index = self.names.identifier(NameKind::Symbol, axis.symbol.name());
        match reverse {
            false => self.line(format_args!("for {index} in 0..{extent} {{")),
            true => self.line(format_args!("for {index} in (0..{extent}).rev() {{")),
        }
        Ok(around)
    }

    /// Loops over axes around what `inner` prints of a body.
    fn nest(
        &mut self,
        axes: &[Axis],
        body: &[Stmt],
        inner: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some((axis, others)) = axes.split_first() else {
            self.line("{");
            inner(self)?;
            self.line("}");
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
        self.line("}");
        Ok(())
    }

    /// Variables that a loop changes: what the body calls the carried scalars.
    fn begin(&mut self, carried: &[Carried]) {
        carried.iter().for_each(|c| self.define("mut ", c.inside, var(c.first)));
    }

    /// The end of a loop's body, and what the loop leaves.
    fn next(&mut self, carried: &[Carried]) {
        if !carried.is_empty() {
            let (inside, next) =
                (tuple(carried.iter().map(|c| c.inside)), tuple(carried.iter().map(|c| c.next)));
            self.end(format_args!("{inside} = {next};"));
        }
        self.line("}");
        carried.iter().for_each(|c| self.define("", c.last, var(c.inside)));
    }

    fn branch(
        &mut self,
        condition: ScalarId,
        [then, otherwise]: [&Block; 2],
        joined: &[Joined],
    ) -> Result<(), Stop> {
        let given = |part: fn(&Joined) -> ScalarId| tuple(joined.iter().map(part));
        let results =
            if joined.is_empty() { String::new() } else { format!("let {} = ", given(|j| j.result)) };
        self.line(format_args!("{results}if {} {{", var(condition)));
        self.block(then)?;
        if !joined.is_empty() {
            self.end(given(|j| j.then));
        }
        if !joined.is_empty() || !otherwise.is_empty() {
            self.line("} else {");
            self.block(otherwise)?;
        }
        if !joined.is_empty() {
            self.end(given(|j| j.otherwise));
        }
        self.line(if joined.is_empty() { "}" } else { "};" });
        Ok(())
    }

    /// The results are the state, which each element joins by the combiner's step.
    fn reduce(
        &mut self,
        axes: &[Axis],
        combiner: &Combiner,
        body: &Block,
        elements: &[ScalarId],
        results: &[ScalarId],
    ) -> Result<(), Stop> {
        results
            .iter()
            .zip(&combiner.identity)
            .for_each(|(&state, &first)| self.define("mut ", state, var(first)));
        let step = &combiner.step;
        self.nest(axes, body, |p| {
            p.block(body)?;
            p.indent += 1;
            for (&param, &given) in step.params.iter().zip(results.iter().chain(elements)) {
                p.define("", param, var(given));
            }
            p.indent -= 1;
            p.block(&step.body)?;
            let (state, next) = (tuple(results.iter().copied()), tuple(step.results.iter().copied()));
            p.end(format_args!("{state} = {next};"));
            Ok(())
        })
    }
}
