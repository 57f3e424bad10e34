//! Parses the text form, in time and memory bounded by its length.

use super::{MAX_DEPTH, PARAMS, evident};
use crate::kernel::{
    Axis, Block, BufferId, Carried, Cell, Combiner, Definition, Fact, Function, Guard, Joined, Kernel, Level,
    Place, ScalarId, Space, Stmt,
};
use crate::lower::{Argument, Launch, Launches, Temporary};
use crate::swizzle::Swizzle;
use crate::tile::Tile;
use crate::words::one_of;
use rlx_ir::text::Parser;
use rlx_ir::{DType, Dim, ParseError, Symbol};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

type Parsed<T> = Result<T, ParseError>;

impl Kernel {
    /// Reads the text form. The result is well formed (its buffers and scalars exist) but not verified.
    pub fn parse(text: &str) -> Result<Kernel, ParseError> {
        let mut parser = Parser::new(text);
        let kernel = Reader::kernel(&mut parser)?;
        parser.end()?;
        Ok(kernel)
    }
}

impl Launches {
    /// Reads the text form. The result is well formed but not verified.
    pub fn parse(text: &str) -> Result<Launches, ParseError> {
        let mut p = Parser::new(text);
        let mut launches = Launches::default();
        word(&mut p, "launches")?;
        p.expect('{')?;
        while p.eat_word("temporary") {
            let (dtype, extents) = shape(&mut p)?;
            launches.temporaries.push(Temporary { dtype, extents });
        }
        while p.eat_word("constant") {
            p.expect('{')?;
            word(&mut p, "value")?;
            p.expect('=')?;
            launches.constants.push(p.literal()?);
            p.expect('}')?;
        }
        while p.eat_word("launch") {
            p.expect('(')?;
            let arguments = separated(&mut p, ')', argument)?;
            launches.launches.push(Launch { kernel: Reader::kernel(&mut p)?, arguments });
        }
        if !p.eat('}') {
            return p.expected("`temporary`, `constant`, `launch` or `}`");
        }
        p.end()?;
        Ok(launches)
    }
}

fn word(p: &mut Parser<'_>, word: &str) -> Parsed<()> {
    if p.eat_word(word) { Ok(()) } else { p.expected(&format!("`{word}`")) }
}

/// Reads what `each` reads, separated by commas, up to a mark that ends it.
fn separated<T>(
    p: &mut Parser<'_>,
    end: char,
    mut each: impl FnMut(&mut Parser<'_>) -> Parsed<T>,
) -> Parsed<Vec<T>> {
    let mut items = Vec::new();
    if p.eat(end) {
        return Ok(items);
    }
    loop {
        items.push(each(p)?);
        if p.eat(end) {
            return Ok(items);
        }
        p.expect(',')?;
    }
}

fn shape(p: &mut Parser<'_>) -> Parsed<(DType, Vec<Dim>)> {
    let dtype = p.dtype()?;
    p.expect('[')?;
    Ok((dtype, separated(p, ']', |p| p.dim())?))
}

fn argument(p: &mut Parser<'_>) -> Parsed<Argument> {
    let of = match p.peek_word() {
        Some("input") => Argument::Input,
        Some("output") => Argument::Output,
        Some("temporary") => Argument::Temporary,
        Some("constant") => Argument::Constant,
        _ => return p.expected("`input`, `output`, `temporary` or `constant` and a number"),
    };
    p.name()?;
    Ok(of(p.integer()?))
}

/// A scalar that a statement defines, with its type if the text states it.
struct Defined {
    scalar: u32,
    dtype: Option<DType>,
    place: usize,
}

struct Reader<'p, 'a> {
    p: &'p mut Parser<'a>,
    kernel: Kernel,
    names: HashMap<String, BufferId>,
    /// The types of the scalars that have been defined.
    types: BTreeMap<u32, DType>,
    /// Where scalars that have not been defined yet are used.
    used: BTreeMap<u32, usize>,
    depth: usize,
}

impl<'p, 'a> Reader<'p, 'a> {
    fn kernel(p: &'p mut Parser<'a>) -> Parsed<Kernel> {
        word(p, "kernel")?;
        let kernel = Kernel::new(p.name()?);
        let mut reader = Reader {
            p,
            kernel,
            names: HashMap::new(),
            types: BTreeMap::new(),
            used: BTreeMap::new(),
            depth: 0,
        };
        reader.params()?;
        if reader.p.eat_word("facts") {
            reader.kernel.facts = reader.many(Self::fact)?;
        }
        if reader.p.eat_word("local") {
            reader.many(|r| r.buffer(true))?;
        }
        if reader.p.eat_word("undefined") {
            reader.many(|r| {
                let defined = r.defined()?;
                r.define(&defined, None)
            })?;
        }
        reader.kernel.body = reader.block("")?.0;
        reader.finish()
    }

    /// Returns the kernel, if its scalars are numbered without gaps.
    fn finish(mut self) -> Parsed<Kernel> {
        if let Some((&number, &place)) = self.used.iter().find(|(number, _)| !self.types.contains_key(number))
        {
            return self.p.error_at(
                place,
                format!("no statement defines `%{number}`, and `undefined` does not list it"),
            );
        }
        for (expected, (number, dtype)) in (0..).zip(self.types) {
            if number != expected {
                let message =
                    format!("scalars are numbered without gaps: there is `%{number}` but no `%{expected}`");
                return self.p.error(message);
            }
            self.kernel.scalar(dtype);
        }
        Ok(self.kernel)
    }

    /// Reads what `each` reads, at least once, separated by commas.
    fn many<T>(&mut self, mut each: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![each(self)?];
        while self.p.eat(',') {
            items.push(each(self)?);
        }
        Ok(items)
    }

    fn params(&mut self) -> Parsed<()> {
        self.p.expect('(')?;
        if self.p.eat(')') {
            return Ok(());
        }
        self.many(|r| r.buffer(false))?;
        self.p.expect(')')
    }

    /// Reads `name: place shape`. A local array has no word for its place.
    fn buffer(&mut self, local: bool) -> Parsed<BufferId> {
        let start = self.p.place();
        let name = self.p.name()?;
        self.shaped(start, name, local)
    }

    /// Reads what follows the name of a buffer.
    fn shaped(&mut self, start: usize, name: String, local: bool) -> Parsed<BufferId> {
        if self.names.contains_key(&name) {
            return self.p.error_at(start, format!("there are two buffers with the name `{name}`"));
        }
        self.p.expect(':')?;
        let place = match local {
            true => Place::Local(Space::Lane),
            false => one_of(self.p, &PARAMS, |(_, word)| word)?.0,
        };
        let (dtype, extents) = shape(self.p)?;
        let place = match local && self.p.eat_word("in") {
            true => Place::Local(one_of(self.p, &Space::ALL, Space::word)?),
            false => place,
        };
        let id = self.kernel.buffer(name.clone(), dtype, extents, place);
        if local && self.p.eat_word("swizzle") {
            self.kernel.buffers[id.index()].swizzle = Some(Swizzle::read(self.p)?);
        }
        self.names.insert(name, id);
        Ok(id)
    }

    fn symbol(&mut self) -> Parsed<Symbol> {
        Ok(Symbol::new(&self.p.name()?))
    }

    fn scalar(&mut self) -> Parsed<ScalarId> {
        let place = self.p.place();
        let number = self.p.numbered()?;
        if !self.types.contains_key(&number) {
            self.used.entry(number).or_insert(place);
        }
        Ok(ScalarId::new(number))
    }

    fn scalars(&mut self) -> Parsed<Vec<ScalarId>> {
        self.many(Self::scalar)
    }

    fn defined(&mut self) -> Parsed<Defined> {
        let place = self.p.place();
        let scalar = self.p.numbered()?;
        let dtype = if self.p.eat(':') { Some(self.p.dtype()?) } else { None };
        Ok(Defined { scalar, dtype, place })
    }

    /// Defines a scalar with the type in the text, or else with the type that its value determines.
    fn define(&mut self, defined: &Defined, evident: Option<DType>) -> Parsed<ScalarId> {
        let &Defined { scalar, dtype, place } = defined;
        let Some(dtype) = dtype.or(evident) else {
            return self.p.error_at(
                place,
                format!("the type of `%{scalar}` does not follow; write `%{scalar}: f32 = …`"),
            );
        };
        let before = *self.types.entry(scalar).or_insert(dtype);
        if before != dtype {
            return self.p.error_at(place, format!("`%{scalar}` is {before} elsewhere and {dtype} here"));
        }
        Ok(ScalarId::new(scalar))
    }

    fn block(&mut self, end: &str) -> Parsed<(Block, Vec<ScalarId>)> {
        if self.depth >= MAX_DEPTH {
            return self.p.error(format!("statements are nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        self.p.expect('{')?;
        let mut block = Block::new();
        let mut scalars = Vec::new();
        while !self.p.eat('}') {
            if !end.is_empty() && self.p.eat_word(end) {
                scalars = self.scalars()?;
                self.p.expect('}')?;
                break;
            }
            block.push(self.stmt(end)?);
        }
        self.depth -= 1;
        Ok((block, scalars))
    }

    fn stmt(&mut self, end: &str) -> Parsed<Stmt> {
        if self.p.at_value() {
            return self.definition();
        }
        match self.p.peek_word() {
            Some("name") => {
                self.p.name()?;
                let axis = self.axis()?;
                self.p.expect('=')?;
                Ok(Stmt::Name { symbol: axis.symbol, extent: axis.extent, scalar: self.scalar()? })
            }
            Some("array") => {
                self.p.name()?;
                self.array()
            }
            Some("store") => {
                self.p.name()?;
                let cell = self.cell()?;
                self.p.expect('=')?;
                let scalar = self.scalar()?;
                Ok(Stmt::Store { cell, scalar, guard: self.whenever()? })
            }
            Some("par") => {
                self.p.name()?;
                Ok(Stmt::Par { axes: self.axes()?, body: self.block("")?.0 })
            }
            Some("barrier") => {
                self.p.name()?;
                word(self.p, "group").map(|()| Stmt::Barrier)
            }
            Some("copy" | "wait" | "dot" | "instr") => self.tile().map(|tile| Stmt::Tile(Box::new(tile))),
            Some("for" | "while" | "if" | "reduce") => self.structured(Vec::new()),
            _ if end.is_empty() => self.p.expected("a statement or `}`"),
            _ => self.p.expected(&format!("a statement, `{end}` or `}}`")),
        }
    }

    fn tile(&mut self) -> Parsed<Tile> {
        match &self.p.name()?[..] {
            "copy" => {
                let axes = if self.p.peek_word() == Some("where") { Vec::new() } else { self.axes()? };
                let within = self.whenever()?;
                self.p.expect('{')?;
                let to = self.cell()?;
                self.p.expect('=')?;
                let (from, guard) = (self.cell()?, self.whenever()?);
                let fill = if self.p.eat_word("else") { Some(self.scalar()?) } else { None };
                self.p.expect('}')?;
                let slot = if self.p.eat_word("slot") { Some(self.p.dim()?) } else { None };
                Ok(Tile::Copy { axes, within, to, from, guard, fill, slot })
            }
            "wait" => Ok(Tile::Wait { slot: self.p.dim()? }),
            "dot" => {
                let axes = if self.p.peek_word() == Some("over") { Vec::new() } else { self.axes()? };
                word(self.p, "over")?;
                let over = self.axis()?;
                self.p.expect('{')?;
                let sum = self.cell()?;
                self.p.expect('+')?;
                self.p.expect('=')?;
                let a = self.cell()?;
                self.p.expect('*')?;
                let factors = [a, self.cell()?];
                self.p.expect('}')?;
                Ok(Tile::Dot { axes, over, sum, factors })
            }
            _ => {
                let row = self.p.name()?;
                self.p.expect('(')?;
                let mut operands = Vec::new();
                while !self.p.eat(')') {
                    if !operands.is_empty() {
                        self.p.expect(',')?;
                    }
                    operands.push(self.cell()?);
                }
                Ok(Tile::Instr { row, operands })
            }
        }
    }

    fn array(&mut self) -> Parsed<Stmt> {
        let place = self.p.place();
        let name = self.p.name()?;
        match self.names.get(&name) {
            _ if self.p.at(':') => self.shaped(place, name, true).map(Stmt::Array),
            Some(&id) => Ok(Stmt::Array(id)),
            None => self.p.expected("`:` and the shape of an array that is not listed before the body"),
        }
    }

    /// Reads what follows the scalars that a statement defines.
    fn definition(&mut self) -> Parsed<Stmt> {
        let results = self.many(Self::defined)?;
        self.p.expect('=')?;
        if let Some("for" | "while" | "if" | "reduce") = self.p.peek_word() {
            let results = results.iter().map(|defined| self.define(defined, None));
            let results = results.collect::<Parsed<Vec<ScalarId>>>()?;
            return self.structured(results);
        }
        let [defined] = &results[..] else {
            return self.p.expected("`for`, `while`, `if` or `reduce`, which define several scalars");
        };
        let value = self.value()?;
        let known = |s: ScalarId| self.types.get(&(s.index() as u32)).copied();
        let evident = evident(&self.kernel, &value, &known);
        Ok(Stmt::Let { scalar: self.define(defined, evident)?, value })
    }

    fn value(&mut self) -> Parsed<Definition> {
        let Some(keyword) = self.p.peek_word() else { return self.p.expected("an op, or what a scalar is") };
        if !super::KEYWORDS.contains(&keyword) {
            return self.apply();
        }
        self.p.name()?;
        match keyword {
            "constant" => self.p.scalar().map(Definition::Constant),
            "index" => self.p.dim().map(Definition::Index),
            "load" => {
                let cell = self.cell()?;
                let guard = self.whenever()?;
                let fill = if self.p.eat_word("else") { Some(self.scalar()?) } else { None };
                Ok(Definition::Load { cell, guard, fill })
            }
            "fma" => {
                let place = self.p.place();
                match self.scalars()?[..] {
                    [a, b, c] => Ok(Definition::Fma([a, b, c])),
                    _ => self.p.error_at(place, "expected three scalars"),
                }
            }
            "bitcast" => self.scalar().map(Definition::Bitcast),
            "holds" => {
                self.p.expect('(')?;
                separated(self.p, ')', condition).map(|guard| Definition::Holds(Guard(guard)))
            }
            _ => self.apply(),
        }
    }

    fn apply(&mut self) -> Parsed<Definition> {
        let mut args = Vec::new();
        let (op, ()) = self.p.op_on(|p| {
            if p.eat('(') {
                return p.expect(')');
            }
            loop {
                args.push((p.place(), p.numbered()?));
                if !p.eat(',') {
                    return Ok(());
                }
            }
        })?;
        for &(place, number) in args.iter().filter(|(_, number)| !self.types.contains_key(number)) {
            self.used.entry(number).or_insert(place);
        }
        Ok(Definition::Apply {
            op: Arc::new(op),
            args: args.into_iter().map(|(_, n)| ScalarId::new(n)).collect(),
        })
    }

    /// Reads a statement with blocks that defines `results`.
    fn structured(&mut self, results: Vec<ScalarId>) -> Parsed<Stmt> {
        let keyword = self.p.name()?;
        match &keyword[..] {
            "for" => {
                let axis = self.axis()?;
                let reverse = self.p.eat_word("reverse");
                let with = self.with()?;
                let place = self.p.place();
                let (body, next) = self.block("next")?;
                Ok(Stmt::For { axis, reverse, carried: self.carried(place, with, next, results)?, body })
            }
            "while" => {
                let with = self.with()?;
                word(self.p, "at")?;
                word(self.p, "most")?;
                let bound = self.p.dim()?;
                let place = self.p.place();
                let (condition, again) = self.block("again")?;
                let [again] = again[..] else {
                    return self
                        .p
                        .error_at(place, "expected a condition that ends in `again` and one scalar");
                };
                word(self.p, "do")?;
                let place = self.p.place();
                let (body, next) = self.block("next")?;
                let carried = self.carried(place, with, next, results)?;
                Ok(Stmt::While { carried, condition, again, body, bound })
            }
            "if" => self.branch(&results),
            _ => self.reduce(results),
        }
    }

    fn branch(&mut self, results: &[ScalarId]) -> Parsed<Stmt> {
        let condition = self.scalar()?;
        let place = self.p.place();
        let (then, ours) = self.block("give")?;
        let (otherwise, theirs) =
            if self.p.eat_word("else") { self.block("give")? } else { (Block::new(), Vec::new()) };
        self.as_many(place, &ours, results)?;
        self.as_many(place, &theirs, results)?;
        let joined = ours.iter().zip(&theirs).zip(results);
        let joined =
            joined.map(|((&then, &otherwise), &result)| Joined { then, otherwise, result }).collect();
        Ok(Stmt::If { condition, then, otherwise, joined })
    }

    fn reduce(&mut self, results: Vec<ScalarId>) -> Parsed<Stmt> {
        let axes = self.axes()?;
        let (body, elements) = self.block("give")?;
        word(self.p, "from")?;
        let identity = if self.p.at_value() { self.scalars()? } else { Vec::new() };
        let once = self.p.eat_word("once");
        word(self.p, "step")?;
        let step = self.function()?;
        word(self.p, "merge")?;
        let merge = self.function()?;
        let combiner = Combiner { identity, once, step, merge };
        Ok(Stmt::Reduce { axes, combiner, body, elements, results })
    }

    fn function(&mut self) -> Parsed<Function> {
        self.p.expect('(')?;
        let mut params = Vec::new();
        while self.p.at_value() {
            let defined = self.defined()?;
            params.push(self.define(&defined, None)?);
            if !self.p.eat(',') {
                break;
            }
        }
        self.p.expect(')')?;
        let (body, results) = self.block("give")?;
        Ok(Function { params, body, results })
    }

    /// Fails unless a block returns as many scalars as the statement defines.
    fn as_many(&self, place: usize, given: &[ScalarId], results: &[ScalarId]) -> Parsed<()> {
        if given.len() == results.len() {
            return Ok(());
        }
        let (given, expected) = (given.len(), results.len());
        self.p.error_at(
            place,
            format!("expected a block that gives {expected} scalars, found one that gives {given}"),
        )
    }

    /// Reads the scalars that a loop carries, each with its first value.
    fn with(&mut self) -> Parsed<Vec<(ScalarId, ScalarId)>> {
        if !self.p.eat_word("with") {
            return Ok(Vec::new());
        }
        self.many(|r| {
            let inside = r.defined()?;
            let inside = r.define(&inside, None)?;
            r.p.expect('=')?;
            Ok((inside, r.scalar()?))
        })
    }

    fn carried(
        &mut self,
        place: usize,
        with: Vec<(ScalarId, ScalarId)>,
        next: Vec<ScalarId>,
        results: Vec<ScalarId>,
    ) -> Parsed<Vec<Carried>> {
        self.as_many(place, &next, &results)?;
        if with.len() != results.len() {
            let (with, results) = (with.len(), results.len());
            return self.p.error_at(place, format!("the loop carries {with} scalars, but defines {results}"));
        }
        let all = with.into_iter().zip(next).zip(results);
        Ok(all.map(|(((inside, first), next), last)| Carried { first, inside, next, last }).collect())
    }

    fn axis(&mut self) -> Parsed<Axis> {
        let symbol = self.symbol()?;
        self.p.expect('<')?;
        let mut axis = Axis::new(symbol, self.p.dim()?);
        if self.p.eat('@') {
            axis.level = one_of(self.p, &Level::MARKS, Level::word)?;
        }
        Ok(axis)
    }

    /// Reads `n%8==0`, or a condition.
    fn fact(&mut self) -> Parsed<Fact> {
        let of = self.p.dim()?;
        if !self.p.at_value() {
            return at_least_zero(self.p).map(|()| Fact::NotNegative(of));
        }
        let by = self.p.numbered()?;
        self.p.expect('=')?;
        self.p.expect('=')?;
        zero(self.p, "`0`: a fact says that a size is a multiple").map(|()| Fact::Multiple { of, by })
    }

    /// Reads the axes before a block.
    fn axes(&mut self) -> Parsed<Vec<Axis>> {
        if self.p.at('{') { Ok(Vec::new()) } else { self.many(Self::axis) }
    }

    fn cell(&mut self) -> Parsed<Cell> {
        let place = self.p.place();
        let name = self.p.name()?;
        let Some(&buffer) = self.names.get(&name) else {
            return self.p.error_at(place, format!("no buffer has the name `{name}` here"));
        };
        self.p.expect('[')?;
        Ok(Cell { buffer, at: separated(self.p, ']', |p| p.dim())? })
    }

    fn whenever(&mut self) -> Parsed<Guard> {
        if !self.p.eat_word("where") {
            return Ok(Guard::default());
        }
        self.many(|r| condition(r.p)).map(Guard)
    }
}

/// Reads `expression>=0`.
fn condition(p: &mut Parser<'_>) -> Parsed<Dim> {
    let index = p.dim()?;
    at_least_zero(p).map(|()| index)
}

fn at_least_zero(p: &mut Parser<'_>) -> Parsed<()> {
    p.expect('>')?;
    p.expect('=')?;
    zero(p, "`0`: a condition says that an expression is at least 0")
}

fn zero(p: &mut Parser<'_>, expected: &str) -> Parsed<()> {
    let place = p.place();
    match p.integer::<i64>()? {
        0 => Ok(()),
        _ => p.error_at(place, format!("expected {expected}")),
    }
}
