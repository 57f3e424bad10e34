//! Prints the text form.

use super::{KEYWORDS, PARAMS, evident};
use crate::kernel::{
    Axis, Block, Buffer, Cell, Definition, Fact, Function, Guard, Joined, Kernel, Level, Place, ScalarId,
    Space, Stmt,
};
use crate::lower::{Argument, Launches};
use crate::tile::Tile;
use crate::visit::{for_each_definition, for_each_stmt};
use rlx_ir::{DType, Dim, Op, Symbol};
use std::fmt::{self, Display, Formatter, Write};

impl Display for ScalarId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.index())
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self);
        printer.kernel();
        f.write_str(&printer.out)
    }
}

impl Display for Launches {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "launches {{")?;
        for temporary in &self.temporaries {
            writeln!(f, "  temporary {}", shape(temporary.dtype, &temporary.extents))?;
        }
        for value in &self.constants {
            writeln!(f, "  constant {}", Op::Constant { value: value.clone() }.attributes_text())?;
        }
        for launch in &self.launches {
            let kernel = launch.kernel.to_string().trim_end().replace('\n', "\n  ");
            writeln!(f, "  launch ({}) {kernel}", separated(&launch.arguments))?;
        }
        writeln!(f, "}}")
    }
}

impl Display for Fact {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Multiple { of, by } => write!(f, "{of}%{by}==0"),
            Fact::NotNegative(dim) => write!(f, "{dim}>=0"),
        }
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Input(i) => write!(f, "input {i}"),
            Argument::Output(i) => write!(f, "output {i}"),
            Argument::Temporary(i) => write!(f, "temporary {i}"),
            Argument::Constant(i) => write!(f, "constant {i}"),
        }
    }
}

/// Returns a name, in quotes unless it is a plain word, as symbols are printed in dimensions.
fn name(text: &str) -> Dim {
    Dim::Dynamic(Symbol::new(text))
}

fn separated(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn shape(dtype: DType, extents: &[Dim]) -> String {
    let extents: Vec<String> = extents.iter().map(Dim::to_string).collect();
    format!("{dtype}[{}]", extents.join(","))
}

struct Printer<'k> {
    kernel: &'k Kernel,
    out: String,
    indent: usize,
    /// Which scalars the text has defined so far.
    defined: Vec<bool>,
    /// Whether arrays are declared where they are made.
    arrays_in_body: bool,
    /// Which buffers have been declared.
    declared: Vec<bool>,
}

impl<'k> Printer<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        Printer {
            kernel,
            out: String::new(),
            indent: 0,
            defined: vec![false; kernel.scalars.len()],
            arrays_in_body: arrays_in_order(kernel),
            declared: kernel.buffers.iter().map(|b| b.place.is_param()).collect(),
        }
    }

    fn write(&mut self, text: impl Display) {
        // INVARIANT: writing to a String does not fail.
        let _ = write!(self.out, "{text}");
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        (0..self.indent).for_each(|_| self.out.push_str("  "));
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        let (params, locals): (Vec<&Buffer>, Vec<&Buffer>) =
            kernel.buffers.iter().partition(|b| b.place.is_param());
        let params: Vec<String> = params.into_iter().map(buffer).collect();
        self.write(format_args!("kernel {}({})", name(&kernel.name), params.join(", ")));
        if !kernel.facts.is_empty() {
            self.write(format_args!(" facts {}", separated(&kernel.facts)));
        }
        if !self.arrays_in_body {
            let locals: Vec<String> = locals.into_iter().map(buffer).collect();
            self.write(format_args!(" local {}", locals.join(", ")));
            self.declared.fill(true);
        }
        self.undefined();
        self.write(" ");
        self.block(&kernel.body, "", &[]);
        self.write("\n");
    }

    /// Lists the scalars that nothing defines.
    fn undefined(&mut self) {
        let mut defined = vec![false; self.kernel.scalars.len()];
        for_each_stmt(&self.kernel.body, &mut |stmt| {
            for_each_definition(stmt, &mut |scalar| defined[scalar.index()] = true);
        });
        let missing = (0..).zip(&defined).filter(|(_, defined)| !**defined);
        let missing: Vec<ScalarId> = missing.map(|(number, _)| ScalarId::new(number)).collect();
        if !missing.is_empty() {
            let missing = self.typed(&missing);
            self.write(format_args!(" undefined {missing}"));
        }
    }

    /// Returns scalars with their types, which are known from here on.
    fn typed(&mut self, scalars: &[ScalarId]) -> String {
        scalars.iter().for_each(|s| self.defined[s.index()] = true);
        let typed: Vec<String> = scalars.iter().map(|&s| format!("{s}: {}", self.kernel.dtype(s))).collect();
        typed.join(", ")
    }

    /// Writes a block in braces, with scalars after a word at its end.
    fn block(&mut self, block: &Block, word: &str, scalars: &[ScalarId]) {
        self.write("{");
        self.indent += 1;
        for stmt in block {
            self.new_line();
            self.stmt(stmt);
        }
        if !scalars.is_empty() {
            self.new_line();
            self.write(format_args!("{word} {}", separated(scalars)));
        }
        self.indent -= 1;
        self.new_line();
        self.write("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { scalar, value } => self.definition(*scalar, value),
            Stmt::Name { symbol, scalar, extent } => {
                self.write(format_args!("name {}<{extent} = {scalar}", name(symbol.name())));
            }
            Stmt::Array(id) => {
                let array = &self.kernel.buffers[id.index()];
                match std::mem::replace(&mut self.declared[id.index()], true) {
                    false => self.write(format_args!("array {}", buffer(array))),
                    true => self.write(format_args!("array {}", name(&array.name))),
                }
            }
            Stmt::Store { cell, guard, scalar } => {
                let cell = self.cell(cell);
                self.write(format_args!("store {cell} = {scalar}{}", whenever(guard)));
            }
            Stmt::Barrier => self.write("barrier group"),
            Stmt::Tile(tile) => self.tile(tile),
            Stmt::Par { axes, body } => {
                self.write("par ");
                self.axes(axes);
                self.block(body, "", &[]);
            }
            Stmt::For { axis, reverse, carried, body } => {
                let scalars = |part: fn(&crate::kernel::Carried) -> ScalarId| {
                    carried.iter().map(part).collect::<Vec<_>>()
                };
                self.results(&scalars(|c| c.last));
                self.write("for ");
                self.axes(std::slice::from_ref(axis));
                self.write(if *reverse { "reverse " } else { "" });
                self.with(&scalars(|c| c.inside), &scalars(|c| c.first));
                self.block(body, "next", &scalars(|c| c.next));
            }
            Stmt::While { carried, condition, again, body, bound } => {
                let scalars = |part: fn(&crate::kernel::Carried) -> ScalarId| {
                    carried.iter().map(part).collect::<Vec<_>>()
                };
                self.results(&scalars(|c| c.last));
                self.write("while ");
                self.with(&scalars(|c| c.inside), &scalars(|c| c.first));
                self.write(format_args!("at most {bound} "));
                self.block(condition, "again", &[*again]);
                self.write(" do ");
                self.block(body, "next", &scalars(|c| c.next));
            }
            Stmt::If { condition, then, otherwise, joined } => {
                self.branch(*condition, [then, otherwise], joined)
            }
            Stmt::Reduce { axes, combiner, body, elements, results } => {
                self.results(results);
                self.write("reduce ");
                self.axes(axes);
                self.block(body, "give", elements);
                let space = if combiner.identity.is_empty() { "" } else { " " };
                let once = if combiner.once { " once" } else { "" };
                self.write(format_args!(" from{space}{}{once} step ", separated(&combiner.identity)));
                self.function(&combiner.step);
                self.write(" merge ");
                self.function(&combiner.merge);
            }
        }
    }

    fn tile(&mut self, tile: &Tile) {
        match tile {
            Tile::Copy { axes, within, to, from, guard, fill, slot } => {
                self.write("copy ");
                self.axes(axes);
                if !within.is_empty() {
                    self.write(format_args!("{} ", whenever(within).trim_start()));
                }
                let (to, from) = (self.cell(to), self.cell(from));
                self.write(format_args!("{{ {to} = {from}{}", whenever(guard)));
                fill.iter().for_each(|fill| self.write(format_args!(" else {fill}")));
                self.write(" }");
                slot.iter().for_each(|slot| self.write(format_args!(" slot {slot}")));
            }
            Tile::Wait { slot } => self.write(format_args!("wait {slot}")),
            Tile::Dot { axes, over, sum, factors: [a, b] } => {
                self.write("dot ");
                self.axes(axes);
                self.write("over ");
                self.axes([over]);
                let [sum, a, b] = [sum, a, b].map(|cell| self.cell(cell));
                self.write(format_args!("{{ {sum} += {a} * {b} }}"));
            }
            Tile::Instr { row, operands } => {
                let operands: Vec<String> = operands.iter().map(|cell| self.cell(cell)).collect();
                self.write(format_args!("instr {}({})", name(row), operands.join(", ")));
            }
        }
    }

    fn definition(&mut self, scalar: ScalarId, value: &Definition) {
        let known = |s: ScalarId| self.defined[s.index()].then(|| self.kernel.dtype(s));
        let dtype = self.kernel.dtype(scalar);
        let told = evident(self.kernel, value, &known) == Some(dtype);
        self.defined[scalar.index()] = true;
        match told {
            true => self.write(format_args!("{scalar} = ")),
            false => self.write(format_args!("{scalar}: {dtype} = ")),
        }
        match value {
            Definition::Constant(constant) => self.write(format_args!("constant {constant}")),
            Definition::Index(index) => self.write(format_args!("index {index}")),
            Definition::Load { cell, guard, fill } => {
                let cell = self.cell(cell);
                self.write(format_args!("load {cell}{}", whenever(guard)));
                if let Some(fill) = fill {
                    self.write(format_args!(" else {fill}"));
                }
            }
            Definition::Apply { op, args } => {
                let apply = if KEYWORDS.contains(&op.mnemonic()) { "apply " } else { "" };
                let args = if args.is_empty() { "()".to_string() } else { separated(args) };
                self.write(format_args!("{apply}{} {args}", op.mnemonic()));
                let attributes = op.attributes_text();
                if !attributes.is_empty() {
                    self.write(format_args!(" {attributes}"));
                }
            }
            Definition::Fma(args) => self.write(format_args!("fma {}", separated(args))),
            Definition::Bitcast(x) => self.write(format_args!("bitcast {x}")),
            Definition::Holds(guard) => self.write(format_args!("holds ({})", conditions(guard))),
        }
    }

    fn branch(&mut self, condition: ScalarId, [then, otherwise]: [&Block; 2], joined: &[Joined]) {
        let scalars = |part: fn(&Joined) -> ScalarId| joined.iter().map(part).collect::<Vec<_>>();
        self.results(&scalars(|j| j.result));
        self.write(format_args!("if {condition} "));
        self.block(then, "give", &scalars(|j| j.then));
        if !otherwise.is_empty() || !joined.is_empty() {
            self.write(" else ");
            self.block(otherwise, "give", &scalars(|j| j.otherwise));
        }
    }

    /// Writes what a statement defines.
    fn results(&mut self, scalars: &[ScalarId]) {
        if !scalars.is_empty() {
            let typed = self.typed(scalars);
            self.write(format_args!("{typed} = "));
        }
    }

    /// Writes what a loop carries, with the first values.
    fn with(&mut self, inside: &[ScalarId], first: &[ScalarId]) {
        for (i, (inside, first)) in inside.iter().zip(first).enumerate() {
            let typed = self.typed(std::slice::from_ref(inside));
            self.write(format_args!("{}{typed} = {first}", if i == 0 { "with " } else { ", " }));
        }
        self.write(if inside.is_empty() { "" } else { " " });
    }

    fn function(&mut self, function: &Function) {
        let params = self.typed(&function.params);
        self.write(format_args!("({params}) "));
        self.block(&function.body, "give", &function.results);
    }

    fn axes<'a>(&mut self, axes: impl IntoIterator<Item = &'a Axis>) {
        let axes: Vec<String> = axes.into_iter().map(axis).collect();
        self.write(axes.join(", "));
        self.write(if axes.is_empty() { "" } else { " " });
    }

    fn cell(&self, cell: &Cell) -> String {
        let at: Vec<String> = cell.at.iter().map(Dim::to_string).collect();
        format!("{}[{}]", name(&self.kernel.buffers[cell.buffer.index()].name), at.join(","))
    }
}

/// Returns whether each array is made before it is accessed, in the order in which the kernel lists them.
fn arrays_in_order(kernel: &Kernel) -> bool {
    let mut made = kernel.buffers.iter().take_while(|b| b.place.is_param()).count();
    let mut in_order = true;
    for_each_stmt(&kernel.body, &mut |stmt| match stmt {
        Stmt::Array(buffer) if buffer.index() == made => made += 1,
        Stmt::Array(buffer)
        | Stmt::Store { cell: Cell { buffer, .. }, .. }
        | Stmt::Let { value: Definition::Load { cell: Cell { buffer, .. }, .. }, .. } => {
            in_order &= buffer.index() < made
        }
        Stmt::Tile(tile) => in_order &= tile.cells().iter().all(|cell| cell.buffer.index() < made),
        _ => {}
    });
    in_order && made == kernel.buffers.len()
}

fn buffer(buffer: &Buffer) -> String {
    let param = PARAMS.iter().find(|(place, _)| *place == buffer.place);
    let place = param.map(|(_, word)| format!("{word} ")).unwrap_or_default();
    let space = match buffer.place {
        Place::Local(space) if space != Space::Lane => format!(" in {}", space.word()),
        _ => String::new(),
    };
    let order = buffer.swizzle.map(|order| format!(" swizzle {order}")).unwrap_or_default();
    format!("{}: {place}{}{space}{order}", name(&buffer.name), shape(buffer.dtype, &buffer.extents))
}

fn axis(axis: &Axis) -> String {
    let counted = format!("{}<{}", name(axis.symbol.name()), axis.extent);
    match axis.level {
        Level::None => counted,
        level => format!("{counted} @{}", level.word()),
    }
}

fn conditions(guard: &Guard) -> String {
    guard.0.iter().map(|g| format!("{g}>=0")).collect::<Vec<_>>().join(", ")
}

fn whenever(guard: &Guard) -> String {
    if guard.is_empty() { String::new() } else { format!(" where {}", conditions(guard)) }
}
