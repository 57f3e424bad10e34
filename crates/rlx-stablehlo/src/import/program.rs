//! Walks over a module (functions, blocks and operations in order) and collects errors.

use super::context::{Frame, ImportContext, Outcome, Problem, Val};
use super::narrow;
use super::restored::restored;
use super::rules;
use super::scope::{Scope, flatten};
use super::sizes;
use super::types::{Declared, mlir_type};
use super::{Check, Comparison, Imported};
use crate::composite;
use crate::diagnostics::{Diagnostic, Diagnostics, Position};
use crate::syntax::{Argument, Attribute, Block, Function, Module, Operation, Type};
use rlx_ir::text::Parser;
use rlx_ir::{Dim, NodeId, Symbol, verify};
use std::collections::{HashMap, HashSet};

/// The maximum number of operations and nodes after inlining calls, in addition to those of the text.
const MAX_NODES: usize = 1 << 20;

/// The maximum nesting depth of calls and regions, which are imported recursively.
const MAX_DEPTH: usize = 64;

/// The state of an import.
pub(super) struct Importer<'m> {
    pub(super) module: &'m Module,
    functions: HashMap<&'m str, &'m Function>,
    /// The graph that nodes are added to: that of the program, or of the region that is being read.
    pub(super) scope: Scope,
    /// The number of enclosing regions.
    pub(super) regions: usize,
    /// The functions that are being inlined, outermost first.
    calls: Vec<&'m str>,
    diagnostics: Vec<Diagnostic>,
    /// The number of operations and nodes that may still be added.
    left: usize,
    checks: Vec<(Comparison, NodeId, NodeId)>,
    /// Sizes that are known to be equal to others.
    equal: Vec<(Symbol, Dim)>,
    /// Equalities that the program asserts, including those of `equal`.
    found: Vec<(Symbol, Dim)>,
    /// Whether the program has an open size.
    pub(super) open: bool,
    /// The number of symbols that represent unknown values.
    unknown: usize,
    /// The number of bytes that constants of one repeated element take.
    pub(super) splats: usize,
    /// Whether functions are restored from their lowered form.
    pub(super) restores: bool,
}

impl<'m> Importer<'m> {
    /// Creates an import that knows some sizes to be equal to others.
    pub(super) fn new(module: &'m Module, equal: Vec<(Symbol, Dim)>) -> Self {
        let functions = module.functions.iter().map(|f| (f.name.as_str(), f)).collect();
        let values = module.functions.iter().flat_map(|f| &f.values);
        let is_open = |ty: &Type| matches!(ty, Type::Tensor { dims, .. } if dims.contains(&None));
        Importer {
            module,
            functions,
            scope: Scope::new("main"),
            regions: 0,
            calls: Vec::new(),
            diagnostics: Vec::new(),
            left: MAX_NODES + module.functions.iter().map(|f| f.values.len()).sum::<usize>(),
            checks: Vec::new(),
            found: equal.clone(),
            equal,
            open: values.clone().any(|v| is_open(&v.ty)),
            unknown: 0,
            splats: 0,
            restores: true,
        }
    }

    /// Makes the import leave functions in the primitives of the program.
    pub(super) fn of_primitives(self) -> Self {
        Importer { restores: false, ..self }
    }

    /// Returns the equalities that are known after the import.
    pub(super) fn into_equalities(self) -> Vec<(Symbol, Dim)> {
        self.found
    }

    /// Records that the program asserts `symbol` to be equal to an expression of other symbols.
    pub(super) fn assert_equal(&mut self, symbol: Symbol, dim: Dim) {
        if !self.found.iter().any(|(s, _)| *s == symbol) {
            self.found.push((symbol, dim));
        }
    }

    /// Returns a new symbol for an integer that is unknown when the graph is built.
    pub(super) fn unknown(&mut self) -> Dim {
        self.unknown += 1;
        Dim::dynamic(&format!("{}{}", sizes::UNKNOWN, self.unknown))
    }

    /// Imports the program's entry function.
    pub(super) fn main(&mut self) -> Result<Imported, Diagnostics> {
        let Some(main) = self.entry() else {
            let message = "the module has neither a function `main` nor exactly one public function";
            return Err(Diagnostics::error(Position { line: 1, column: 1 }, message));
        };
        let Some(body) = &main.body else {
            return Err(Diagnostics::error(main.at, format!("`{}` has no body", main.name)));
        };
        let name = if self.module.name.is_empty() { &main.name } else { &self.module.name };
        self.scope = Scope::new(name);
        self.calls = vec![&main.name];
        let mut frame = Frame { function: main, values: HashMap::new() };
        let mut names = HashSet::new();
        for (argument, &id) in main.arguments.iter().zip(&body.arguments) {
            let written = &main.value(id).name;
            let name = match argument.attributes.get(composite::NAME) {
                Some(Attribute::String(name)) => name.clone(),
                _ => unique(&argument.label, written, &mut names),
            };
            let value = match self.argument(argument, name) {
                Ok(value) => value,
                Err(problem) => {
                    self.report(main.value(id).at, "", problem);
                    self.placeholder(&argument.ty)
                }
            };
            frame.values.insert(id, value);
        }
        let results = self.block(&mut frame, body);
        self.check_results(main, &results);
        self.finish(main, flatten(&results))
    }

    fn entry(&self) -> Option<&'m Function> {
        let mut public = self.module.functions.iter().filter(|f| !f.private);
        self.functions.get("main").copied().or_else(|| public.next().filter(|_| public.next().is_none()))
    }

    fn argument(&mut self, argument: &Argument, name: String) -> Outcome<Val> {
        if argument.ty == Type::Token {
            return Ok(Val::Token);
        }
        let declared = Declared::of(&argument.ty)?;
        let stated = stated_dims(argument, declared.dims.len())?;
        let shape = declared.with(|axis| {
            if let Some(dim) = stated.as_ref().map(|dims| &dims[axis]) {
                return dim.clone();
            }
            let symbol = Symbol::new(&format!("{name}_{axis}"));
            let known = self.equal.iter().find(|(s, _)| *s == symbol);
            known.map_or(Dim::Dynamic(symbol), |(_, dim)| dim.clone())
        });
        let parameter = argument.attributes.get(composite::PARAM).is_some();
        let id = if parameter { self.scope.param(name, shape) } else { self.scope.input(name, shape) };
        Ok(Val::Tensor(id))
    }

    /// Returns the verified graph, or all errors.
    fn finish(&mut self, main: &Function, mut outputs: Vec<NodeId>) -> Result<Imported, Diagnostics> {
        let results = outputs.len();
        let mut checks = Vec::new();
        for (how, got, expected) in self.checks.drain(..) {
            checks.push(Check { how, got: outputs.len(), expected: outputs.len() + 1 });
            outputs.extend([got, expected]);
        }
        if outputs.is_empty() && self.diagnostics.is_empty() {
            let message = format!("`{}` does not return a tensor, so there is nothing to compute", main.name);
            return Err(Diagnostics::error(main.at, message));
        }
        if !self.diagnostics.is_empty() {
            self.diagnostics.sort_by_key(|d| d.at);
            self.diagnostics.dedup();
            return Err(Diagnostics(std::mem::take(&mut self.diagnostics)));
        }
        let mut graph = std::mem::replace(&mut self.scope, Scope::new("main")).graph;
        graph.set_label("");
        graph.set_outputs(outputs);
        graph.remove_dead();
        let graph = if self.restores { restored(graph) } else { graph };
        match verify(&graph) {
            Ok(()) => Ok(Imported { graph, results, checks }),
            Err(violations) => Err(Diagnostics::error(main.at, violations.to_string())),
        }
    }

    /// Records that the program compares one value with another.
    pub(super) fn check(&mut self, how: Comparison, got: NodeId, expected: NodeId) -> Outcome<()> {
        if self.regions > 0 {
            return Err(Problem::unsupported("a check inside a branch or loop cannot become a graph output"));
        }
        self.checks.push((how, got, expected));
        Ok(())
    }

    /// Records an error in an operation.
    fn report(&mut self, at: Position, operation: &str, problem: Problem) {
        let Problem { message, unsupported } = problem;
        if !message.is_empty() {
            self.diagnostics.push(Diagnostic { at, operation: operation.into(), message, unsupported });
        }
    }

    /// Returns the number of errors so far.
    pub(super) fn failures(&self) -> usize {
        self.diagnostics.len()
    }

    /// Returns a value of the type, to continue after an error. The graph is discarded at the end.
    fn placeholder(&mut self, ty: &Type) -> Val {
        match (ty, Declared::of(ty)) {
            (Type::Token, _) => Val::Token,
            (Type::Tuple(items), _) => Val::Tuple(items.iter().map(|t| self.placeholder(t)).collect()),
            (_, Ok(declared)) => {
                let shape = declared.with(|_| self.unknown());
                if shape.is_static() && shape.num_bytes().is_none() {
                    return Val::Void;
                }
                Val::Tensor(self.scope.input(String::new(), shape))
            }
            _ => Val::Void,
        }
    }

    /// Runs `inner` one nesting level deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.calls.len() + self.regions > MAX_DEPTH {
            let message = format!("calls and regions nest deeper than {MAX_DEPTH} levels");
            return Err(Problem::unsupported(message));
        }
        inner(self)
    }

    /// Inlines a function.
    pub(super) fn call(&mut self, name: &str, args: &[Val]) -> Outcome<Vec<Val>> {
        let Some(&function) = self.functions.get(name) else {
            return Err(Problem::error(format!("the module has no function `{name}`")));
        };
        let Some(body) = &function.body else {
            return Err(Problem::unsupported(format!("`{name}` is declared, but has no body")));
        };
        if self.calls.contains(&name) {
            return Err(Problem::error(format!("`{name}` calls itself, directly or through others")));
        }
        if body.arguments.len() != args.len() {
            let (takes, got) = (body.arguments.len(), args.len());
            return Err(Problem::error(format!("`{name}` takes {takes} value(s), got {got}")));
        }
        let mut frame = Frame { function, values: HashMap::new() };
        for (i, (&id, arg)) in body.arguments.iter().zip(args).enumerate() {
            self.check_type(&function.value(id).ty, arg)
                .map_err(|p| Problem { message: format!("argument {i} of `{name}`: {}", p.message), ..p })?;
            frame.values.insert(id, arg.clone());
        }
        self.nested(|im| {
            im.calls.push(&function.name);
            let results = im.block(&mut frame, body);
            im.calls.pop();
            im.check_results(function, &results);
            Ok(results)
        })
    }

    fn check_results(&mut self, function: &'m Function, results: &[Val]) {
        let at = function.body.as_ref().and_then(|b| b.operations.last()).map_or(function.at, |op| op.at);
        if results.len() != function.results.len() {
            let (got, wanted) = (results.len(), function.results.len());
            let message =
                format!("`{}` returns {got} value(s), but is declared to return {wanted}", function.name);
            return self.report(at, "func.return", Problem::error(message));
        }
        for (value, (ty, _)) in results.iter().zip(&function.results) {
            if let Err(problem) = self.check_type(ty, value) {
                self.report(at, "func.return", problem);
            }
        }
    }

    /// Fails unless a value may have a declared type.
    pub(super) fn check_type(&self, ty: &Type, value: &Val) -> Outcome<()> {
        match (ty, value) {
            (_, Val::Void) | (Type::Token, Val::Token) => Ok(()),
            (Type::Tuple(types), Val::Tuple(values)) if types.len() == values.len() => {
                types.iter().zip(values).try_for_each(|(t, v)| self.check_type(t, v))
            }
            (Type::Tensor { .. } | Type::Other(_), Val::Tensor(id)) => {
                let (declared, shape) = (Declared::of(ty)?, self.scope.graph.shape(*id));
                if declared.fits(shape) {
                    return Ok(());
                }
                let got = mlir_type(shape);
                Err(Problem::error(format!("is declared as {declared}, but the operands give {got}")))
            }
            _ => Err(Problem::error("is declared with another kind of type than the operands give")),
        }
    }

    /// Imports the operations of a block and returns the operands of its terminator.
    pub(super) fn block(&mut self, frame: &mut Frame<'m>, block: &'m Block) -> Vec<Val> {
        for op in &block.operations {
            if op.name.ends_with(".return") || &*op.name == "return" {
                return operands(frame, op);
            }
            self.operation(frame, op);
        }
        Vec::new()
    }

    fn operation(&mut self, frame: &mut Frame<'m>, op: &'m Operation) {
        let before = self.scope.graph.nodes().len();
        let label = self.scope.graph.label().clone();
        if !op.label.is_empty() {
            self.scope.graph.set_label(op.label.clone());
        }
        let results = match self.imported(frame, op) {
            Ok(results) => results,
            Err(problem) => {
                self.report(op.at, &op.name, problem);
                op.results.iter().map(|&id| self.placeholder(&frame.function.value(id).ty)).collect()
            }
        };
        frame.values.extend(op.results.iter().copied().zip(results));
        self.scope.graph.set_label(label);
        self.spend(1 + self.scope.graph.nodes().len() - before);
    }

    /// Counts added nodes.
    pub(super) fn spend(&mut self, nodes: usize) {
        self.left = self.left.saturating_sub(nodes);
    }

    fn imported(&mut self, frame: &Frame<'m>, op: &'m Operation) -> Outcome<Vec<Val>> {
        if self.left == 0 {
            // One report is enough: the nodes that follow are left out silently.
            let message =
                format!("the program has more than {MAX_NODES} operations once its calls are inlined");
            let reported = self.diagnostics.iter().any(|d| d.message == message);
            return Err(if reported { Problem::error("") } else { Problem::unsupported(message) });
        }
        let rule = rules::find(&op.name)
            .ok_or_else(|| Problem::unsupported("RLX does not know this operation, or cannot express it"))?;
        narrow::check(frame.function, op)?;
        let args = operands(frame, op);
        if args.contains(&Val::Void) {
            return Err(Problem::error(""));
        }
        let results = rule(&mut ImportContext { im: self, frame, op, args: args.clone() })?;
        if results.len() != op.results.len() {
            let (got, wanted) = (results.len(), op.results.len());
            return Err(Problem::error(format!(
                "returns {got} value(s), but is declared to return {wanted}"
            )));
        }
        for (&id, value) in op.results.iter().zip(&results) {
            self.check_type(&frame.function.value(id).ty, value)?;
        }
        sizes::note(self, op, &flatten(&args), &flatten(&results));
        Ok(results)
    }
}

/// Returns the sizes that an argument states in terms of symbols.
fn stated_dims(argument: &Argument, rank: usize) -> Outcome<Option<Vec<Dim>>> {
    let Some(Attribute::String(text)) = argument.attributes.get(composite::DIMS) else { return Ok(None) };
    let wrong =
        |e: &dyn std::fmt::Display| Problem::error(format!("its `{}` {text:?}: {e}", composite::DIMS));
    let text_in_brackets = format!("[{text}]");
    let mut parser = Parser::new(&text_in_brackets);
    let dims =
        parser.list(Parser::dim).and_then(|dims| parser.end().map(|()| dims)).map_err(|e| wrong(&e))?;
    if dims.len() != rank {
        return Err(wrong(&format!("{} size(s), but the rank is {rank}", dims.len())));
    }
    Ok(Some(dims))
}

fn operands(frame: &Frame<'_>, op: &Operation) -> Vec<Val> {
    op.operands.iter().map(|id| frame.values.get(id).cloned().unwrap_or(Val::Void)).collect()
}

/// Returns the name of an argument: its label, or else its name in the text, made different from the names before.
fn unique(label: &str, written: &str, names: &mut HashSet<String>) -> String {
    let first = if label.is_empty() { written } else { label };
    let mut candidates = [first, written].into_iter().map(str::to_string);
    let mut name = candidates.find(|n| !n.is_empty() && !names.contains(n));
    let mut count = 0usize;
    while name.is_none() {
        count += 1;
        name = Some(format!("{first}_{count}")).filter(|n| !names.contains(n));
    }
    let name = name.unwrap_or_default();
    names.insert(name.clone());
    name
}
