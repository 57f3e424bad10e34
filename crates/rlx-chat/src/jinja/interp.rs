//! Runs the statements of a template, with its variables, macros, namespaces and loops. Expressions are in `eval.rs`.

use super::ast::{
    Assigned, Ast, CALLER, ExprId, For, KWARGS, LOOP, Macro, NameId, Node, Stmt, Suffix, VARARGS,
};
use super::dict::Dict;
use super::error::{Result, fail};
use super::filters::{Args, GLOBALS};
use super::iterate::Items;
use super::meter::{Charge, Meter};
use super::show::show;
use super::value::{Missing, Str, TemplateValue, Text};
use std::rc::Rc;

/// How deeply statements, expressions and macros may be nested.
const DEEPEST: usize = 300;
/// How many levels a call counts as, since it uses more of the stack than a statement.
const CALL: usize = 3;
/// The scope of the template itself.
const ROOT: u32 = u32::MAX;

/// How a statement ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
}

/// The variables of a block.
struct Scope {
    parent: u32,
    vars: Vec<(NameId, TemplateValue)>,
    /// Whether a macro may still read them.
    captured: bool,
    charge: Charge,
}

/// A macro with the variables around it.
#[derive(Clone, Copy)]
pub(super) struct Closure {
    pub(super) decl: u32,
    pub(super) scope: u32,
}

pub(super) struct LoopState<'t> {
    pub(super) decl: &'t For,
    pub(super) serial: u32,
    pub(super) items: Items,
    /// Items that were fetched but not yet run.
    pub(super) ahead: Vec<TemplateValue>,
    /// The scope that contains the loop.
    pub(super) scope: u32,
    pub(super) index: usize,
    pub(super) depth: usize,
    pub(super) before: Option<TemplateValue>,
    pub(super) current: Option<TemplateValue>,
    pub(super) changed: Option<TemplateValue>,
    _charge: Charge,
}

pub(crate) struct Interp<'t> {
    pub(crate) ast: &'t Ast,
    pub(crate) meter: Rc<Meter>,
    /// The time for `strftime_now`, in seconds since 1970.
    pub(crate) now: u64,
    root: Vec<Option<TemplateValue>>,
    scopes: Vec<Scope>,
    pub(super) scope: u32,
    pub(super) macros: Vec<Closure>,
    pub(super) namespaces: Vec<Dict>,
    pub(super) loops: Vec<LoopState<'t>>,
    serial: u32,
    /// The strings of literals and names, once they have been used.
    texts: Vec<Option<Str>>,
    names: Vec<Option<Str>>,
    depth: usize,
    charge: Charge,
}

impl<'t> Interp<'t> {
    pub(crate) fn new(
        ast: &'t Ast,
        meter: Rc<Meter>,
        now: u64,
        variables: impl Fn(&str) -> Option<Result<TemplateValue>>,
    ) -> Result<Self> {
        let size = ast.names.len() * (size_of::<Option<TemplateValue>>() + 8) + ast.texts.len() * 8 + 1024;
        let charge = Charge::new(&meter, size)?;
        meter.work(ast.names.len())?;
        let mut root = Vec::with_capacity(ast.names.len());
        for name in &ast.names {
            let global = || GLOBALS.iter().find(|global| global.name == name).map(TemplateValue::Func);
            root.push(match variables(name) {
                Some(value) => Some(value?),
                None if name == "self" => Some(TemplateValue::Itself),
                None => global(),
            });
        }
        Ok(Interp {
            ast,
            meter,
            now,
            root,
            scopes: Vec::new(),
            scope: ROOT,
            macros: Vec::new(),
            namespaces: Vec::new(),
            loops: Vec::new(),
            serial: 0,
            texts: vec![None; ast.texts.len()],
            names: vec![None; ast.names.len()],
            depth: 0,
            charge,
        })
    }

    /// Runs the template.
    pub(crate) fn run(&mut self) -> Result<String> {
        let mut out = Text::new(&self.meter);
        let ast = self.ast;
        self.body(&ast.body, &mut out)?;
        Ok(out.into_string())
    }

    /// Runs code that may call itself.
    pub(super) fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.deeper(1, run)
    }

    /// Runs something that a template calls.
    pub(super) fn called<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.deeper(CALL, run)
    }

    fn deeper<T>(&mut self, levels: usize, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth + levels > DEEPEST {
            return fail("the template calls itself too many times, or is nested too deeply");
        }
        self.depth += levels;
        let result = run(self);
        self.depth -= levels;
        result
    }

    pub(super) fn name(&mut self, id: NameId) -> Result<Str> {
        if let Some(Some(known)) = self.names.get(id as usize) {
            return Ok(known.clone());
        }
        let mut text = Text::new(&self.meter);
        text.push(&self.ast.names[id as usize])?;
        let text = text.finish_str()?;
        self.names[id as usize] = Some(text.clone());
        Ok(text)
    }

    pub(super) fn literal(&mut self, id: u32) -> Result<Str> {
        if let Some(Some(known)) = self.texts.get(id as usize) {
            return Ok(known.clone());
        }
        let mut text = Text::new(&self.meter);
        text.push(&self.ast.texts[id as usize])?;
        let text = text.finish_str()?;
        self.texts[id as usize] = Some(text.clone());
        Ok(text)
    }

    /// Describes a missing thing for a message.
    pub(crate) fn missing(&self, missing: Missing) -> String {
        let name = |id: NameId| self.ast.names.get(id as usize).map_or("", String::as_str);
        match missing {
            Missing::Variable(id) => format!("`{}` is undefined", name(id)),
            Missing::Attribute(of, id) => format!("a {of} has no attribute `{}`", name(id)),
            Missing::Other(what) => what.to_string(),
        }
    }

    /// Returns the value of a variable.
    pub(super) fn lookup(&self, name: NameId) -> Result<TemplateValue> {
        let mut at = self.scope;
        while let Some(scope) = self.scopes.get(at as usize) {
            self.meter.work(1 + scope.vars.len() / 8)?;
            if let Some((_, value)) = scope.vars.iter().find(|(known, _)| *known == name) {
                return Ok(value.clone());
            }
            at = scope.parent;
        }
        let found = self.root.get(name as usize).cloned().flatten();
        Ok(found.unwrap_or(TemplateValue::Undefined(Missing::Variable(name))))
    }

    pub(super) fn assign(&mut self, name: NameId, value: TemplateValue) -> Result<()> {
        let Some(scope) = self.scopes.get_mut(self.scope as usize) else {
            self.root[name as usize] = Some(value);
            return Ok(());
        };
        self.meter.work(1 + scope.vars.len() / 8)?;
        match scope.vars.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => {
                if scope.vars.len() == scope.vars.capacity() {
                    let more = scope.vars.capacity().max(2);
                    scope.charge.grow(more * size_of::<(NameId, TemplateValue)>())?;
                    scope.vars.reserve_exact(more);
                }
                scope.vars.push((name, value));
            }
        }
        Ok(())
    }

    /// Runs code with a new scope inside of another one.
    pub(super) fn scoped<T>(&mut self, parent: u32, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = self.scope;
        let first = self.scopes.len();
        // The vector of scopes may allocate twice the size of its elements.
        let charge = Charge::new(&self.meter, 2 * size_of::<Scope>() + 16)?;
        self.scopes.push(Scope { parent, vars: Vec::new(), captured: false, charge });
        self.scope = first as u32;
        let result = run(self);
        self.scope = outer;
        while self.scopes.len() > first && self.scopes.last().is_some_and(|scope| !scope.captured) {
            self.scopes.pop();
        }
        result
    }

    /// Keeps the variables that a macro may read.
    pub(super) fn capture(&mut self) -> Result<u32> {
        let mut at = self.scope;
        while let Some(scope) = self.scopes.get_mut(at as usize).filter(|scope| !scope.captured) {
            self.meter.work(1)?;
            scope.captured = true;
            at = scope.parent;
        }
        Ok(self.scope)
    }

    pub(super) fn closure(&mut self, decl: u32) -> Result<TemplateValue> {
        let scope = self.capture()?;
        self.charge.grow(2 * size_of::<Closure>())?;
        self.macros.push(Closure { decl, scope });
        Ok(TemplateValue::Macro(self.macros.len() as u32 - 1))
    }

    pub(super) fn namespace(&mut self, attributes: Dict) -> Result<TemplateValue> {
        self.charge.grow(2 * size_of::<Dict>())?;
        self.namespaces.push(attributes);
        Ok(TemplateValue::Namespace(self.namespaces.len() as u32 - 1))
    }

    pub(super) fn decl(&self, decl: u32) -> &'t Macro {
        &self.ast.macros[decl as usize]
    }

    pub(super) fn body(&mut self, body: &'t [Node], out: &mut Text) -> Result<Flow> {
        for node in body {
            self.meter.work(1)?;
            let flow = match &node.stmt {
                Stmt::Text(text) => {
                    out.push(text)?;
                    Flow::Next
                }
                Stmt::Output(value) => {
                    self.output(*value, out).map_err(|e| e.at(node.line))?;
                    Flow::Next
                }
                stmt => self.nested(|interp| interp.statement(stmt, out)).map_err(|e| e.at(node.line))?,
            };
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn output(&mut self, value: ExprId, out: &mut Text) -> Result<()> {
        let value = self.eval(value)?;
        show(self, &value, out)
    }

    #[inline(never)]
    fn statement(&mut self, stmt: &'t Stmt, out: &mut Text) -> Result<Flow> {
        match stmt {
            Stmt::If { arms, other } => self.if_statement(arms, other, out),
            Stmt::For(decl) => {
                let items = self.eval(decl.iter)?;
                self.for_loop(decl, &items, 0, out)
            }
            Stmt::Set { target, value } => {
                let value = self.eval(*value)?;
                self.set(target, value)?;
                Ok(Flow::Next)
            }
            Stmt::SetBlock { target, filters, body } => {
                let (value, flow) = self.captured(body, filters)?;
                if flow == Flow::Next {
                    self.set(target, value)?;
                }
                Ok(flow)
            }
            Stmt::Filter { filters, body } => {
                let (value, flow) = self.captured(body, filters)?;
                if flow == Flow::Next {
                    show(self, &value, out)?;
                }
                Ok(flow)
            }
            Stmt::With { pairs, body } => self.with(pairs, body, out),
            Stmt::Macro(decl) => {
                let value = self.closure(*decl)?;
                if let Some(name) = self.decl(*decl).name {
                    self.assign(name, value)?;
                }
                Ok(Flow::Next)
            }
            Stmt::CallBlock { call, caller } => {
                let caller = self.closure(*caller)?;
                let value = self.call_with(*call, caller)?;
                show(self, &value, out)?;
                Ok(Flow::Next)
            }
            Stmt::Block(index) => {
                self.block(*index, out)?;
                Ok(Flow::Next)
            }
            Stmt::Scope(body) => self.scoped(self.scope, |interp| interp.body(body, out)),
            Stmt::Autoescape { on, body } => {
                if self.eval(*on)?.is_true() {
                    return fail("`autoescape true` is not supported");
                }
                self.scoped(self.scope, |interp| interp.body(body, out))
            }
            Stmt::Break => Ok(Flow::Break),
            Stmt::Continue => Ok(Flow::Continue),
            Stmt::NoLoader(name) => {
                fail(format!("`{name}` needs other templates, which chat templates do not have"))
            }
            Stmt::Text(_) | Stmt::Output(_) => fail("text is not a statement"),
        }
    }

    #[inline(never)]
    fn if_statement(
        &mut self,
        arms: &'t [(ExprId, Vec<Node>)],
        other: &'t [Node],
        out: &mut Text,
    ) -> Result<Flow> {
        for (test, body) in arms {
            if self.eval(*test)?.is_true() {
                return self.body(body, out);
            }
        }
        self.body(other, out)
    }

    #[inline(never)]
    fn with(&mut self, pairs: &'t [(Assigned, ExprId)], body: &'t [Node], out: &mut Text) -> Result<Flow> {
        let mut values = super::value::Listing::new(&self.meter)?;
        for (_, value) in pairs {
            let value = self.eval(*value)?;
            values.push(value)?;
        }
        self.scoped(self.scope, |interp| {
            for ((target, _), value) in pairs.iter().zip(values.items().drain(..)) {
                interp.set(target, value)?;
            }
            interp.body(body, out)
        })
    }

    /// Returns the output of statements after applying filters.
    #[inline(never)]
    fn captured(&mut self, body: &'t [Node], filters: &'t [Suffix]) -> Result<(TemplateValue, Flow)> {
        let mut text = Text::new(&self.meter);
        let flow = self.scoped(self.scope, |interp| interp.body(body, &mut text))?;
        let mut value = text.finish()?;
        for step in filters {
            value = self.step(value, step, None)?;
        }
        Ok((value, flow))
    }

    pub(super) fn set(&mut self, target: &'t Assigned, value: TemplateValue) -> Result<()> {
        match target {
            Assigned::Name(name) => self.assign(*name, value),
            Assigned::Attr(name, attr) => {
                let TemplateValue::Namespace(id) = self.lookup(*name)? else {
                    return fail("only attributes of namespaces can be set");
                };
                let attr = self.name(*attr)?;
                self.set_attribute(id, attr, value)
            }
            Assigned::Tuple(targets) => {
                let mut items = Items::of(&value)?;
                for (i, target) in targets.iter().enumerate() {
                    let Some(item) = items.next(&self.meter)? else {
                        return fail(format!("cannot assign {i} values to {} names", targets.len()));
                    };
                    self.nested(|interp| interp.set(target, item))?;
                }
                if items.next(&self.meter)?.is_some() {
                    return fail(format!("cannot assign more values than names ({})", targets.len()));
                }
                Ok(())
            }
        }
    }

    pub(super) fn set_attribute(&mut self, namespace: u32, name: Str, value: TemplateValue) -> Result<()> {
        if name.starts_with('_') {
            return fail("attributes of namespaces cannot begin with `_`");
        }
        match self.namespaces.get_mut(namespace as usize) {
            Some(attributes) => attributes.set(TemplateValue::Str(name), value),
            None => fail("the namespace does not exist"),
        }
    }

    pub(super) fn block(&mut self, index: u32, out: &mut Text) -> Result<()> {
        let block = &self.ast.blocks[index as usize];
        if block.required {
            return fail("a required block is not defined");
        }
        let parent = if block.scoped { self.scope } else { ROOT };
        self.scoped(parent, |interp| interp.body(&block.body, out))?;
        Ok(())
    }

    /// Runs a loop over the items of a value.
    #[inline(never)]
    pub(super) fn for_loop(
        &mut self,
        decl: &'t For,
        value: &TemplateValue,
        depth: usize,
        out: &mut Text,
    ) -> Result<Flow> {
        // Templates iterate over `tools` even if there are none, which Python refuses.
        let items = if matches!(value, TemplateValue::None) { Items::None } else { Items::of(value)? };
        let _charge = Charge::new(&self.meter, 2 * size_of::<LoopState<'_>>() + 64)?;
        self.serial = self.serial.wrapping_add(1);
        let id = self.loops.len();
        let (serial, scope) = (self.serial, self.scope);
        let (ahead, before, current, changed) = (Vec::new(), None, None, None);
        let state = LoopState {
            decl,
            serial,
            items,
            ahead,
            scope,
            index: 0,
            depth,
            before,
            current,
            changed,
            _charge,
        };
        self.loops.push(state);
        let result = self.iterations(decl, id, out);
        self.loops.truncate(id);
        if result? { Ok(Flow::Next) } else { self.scoped(self.scope, |interp| interp.body(&decl.other, out)) }
    }

    /// Runs a loop, and returns whether it had any items.
    fn iterations(&mut self, decl: &'t For, id: usize, out: &mut Text) -> Result<bool> {
        let value = TemplateValue::Loop(id as u32, self.loops[id].serial);
        let mut any = false;
        while let Some(item) = self.next_item(id)? {
            any = true;
            let state = &mut self.loops[id];
            state.index += 1;
            state.before = state.current.replace(item.clone());
            let flow = self.scoped(self.scope, |interp| {
                interp.assign(LOOP, value.clone())?;
                interp.set(&decl.target, item)?;
                interp.body(&decl.body, out)
            })?;
            if flow == Flow::Break {
                break;
            }
        }
        Ok(any)
    }

    /// Returns the next item of a loop that passes its filter.
    fn next_item(&mut self, id: usize) -> Result<Option<TemplateValue>> {
        let state = &mut self.loops[id];
        if !state.ahead.is_empty() {
            // These items are in reverse order.
            return Ok(state.ahead.pop());
        }
        self.fetch(id)
    }

    /// Fetches the next item that passes the filter from the values of a loop.
    fn fetch(&mut self, id: usize) -> Result<Option<TemplateValue>> {
        loop {
            let meter = self.meter.clone();
            let state = &mut self.loops[id];
            let (decl, scope) = (state.decl, state.scope);
            let Some(item) = state.items.next(&meter)? else { return Ok(None) };
            let Some(test) = decl.test else { return Ok(Some(item)) };
            let passes = self.called(|interp| {
                interp.scoped(scope, |interp| {
                    interp.set(&decl.target, item.clone())?;
                    Ok(interp.eval(test)?.is_true())
                })
            })?;
            if passes {
                return Ok(Some(item));
            }
        }
    }

    /// Returns the item after the current one without consuming it.
    pub(super) fn peek_item(&mut self, id: usize) -> Result<Option<TemplateValue>> {
        if self.loops[id].ahead.is_empty()
            && let Some(item) = self.fetch(id)?
        {
            self.loops[id].ahead.push(item);
        }
        Ok(self.loops[id].ahead.last().cloned())
    }

    /// Returns how many items are left.
    pub(super) fn remaining(&mut self, id: usize) -> Result<usize> {
        let state = &self.loops[id];
        if state.decl.test.is_none()
            && let Some(length) = state.items.len()
        {
            if let Items::Chars(text, _) = &state.items {
                self.meter.bytes(text.len())?;
            }
            return Ok(length + state.ahead.len());
        }
        let mut rest = Vec::new();
        while let Some(item) = self.fetch(id)? {
            // There are two vectors of items, and each may have allocated twice its length.
            self.loops[id]._charge.grow(4 * size_of::<TemplateValue>())?;
            rest.push(item);
        }
        let state = &mut self.loops[id];
        if !rest.is_empty() {
            rest.reverse();
            rest.append(&mut state.ahead);
            state.ahead = rest;
        }
        Ok(state.ahead.len())
    }

    /// Runs a macro.
    #[inline(never)]
    pub(super) fn call_macro(&mut self, id: u32, args: Args) -> Result<TemplateValue> {
        let Some(closure) = self.macros.get(id as usize).copied() else {
            return fail("the macro does not exist");
        };
        let decl = self.decl(closure.decl);
        self.called(|interp| {
            interp.scoped(closure.scope, |interp| {
                interp.bind(decl, args)?;
                let mut out = Text::new(&interp.meter);
                interp.body(&decl.body, &mut out)?;
                out.finish()
            })
        })
    }

    /// Assigns arguments to the variables of a macro.
    fn bind(&mut self, decl: &'t Macro, args: Args) -> Result<()> {
        let name = decl.name.map_or("caller", |name| self.ast.names[name as usize].as_str());
        let Args { pos, mut named, .. } = args;
        let given = pos.len();
        let mut pos = pos.into_iter();
        for (i, param) in decl.params.iter().enumerate() {
            let text = &self.ast.names[*param as usize];
            self.meter.work(1 + named.len())?;
            let by_name = named.iter().position(|(known, _)| **known == **text);
            let value = match (pos.next(), by_name) {
                (Some(_), Some(_)) => return fail(format!("macro `{name}` got two values for `{text}`")),
                (Some(value), None) => value,
                (None, Some(at)) => named.remove(at).1,
                (None, None) => {
                    let first = decl.params.len() - decl.defaults.len();
                    match i.checked_sub(first).and_then(|i| decl.defaults.get(i)) {
                        Some(default) => self.eval(*default)?,
                        None => {
                            TemplateValue::Undefined(Missing::Other("an argument of a macro was not given"))
                        }
                    }
                }
            };
            self.assign(*param, value)?;
        }
        if decl.uses_caller {
            let at = named.iter().position(|(known, _)| **known == *"caller");
            let caller = at.map(|at| named.remove(at).1);
            let caller = caller.unwrap_or(TemplateValue::Undefined(Missing::Other("no caller is defined")));
            self.assign(CALLER, caller)?;
        }
        if decl.uses_kwargs {
            let mut kwargs = Dict::new(&self.meter)?;
            for (key, value) in named.drain(..) {
                kwargs.set(TemplateValue::Str(key), value)?;
            }
            self.assign(KWARGS, TemplateValue::Dict(Rc::new(kwargs)))?;
        } else if let Some((key, _)) = named.first() {
            let key: String = key.chars().take(40).collect();
            return fail(format!("macro `{name}` takes no argument `{key}`"));
        }
        if decl.uses_varargs {
            let varargs = super::value::Listing::of(&self.meter, pos)?.finish_tuple()?;
            self.assign(VARARGS, varargs)?;
        } else if given > decl.params.len() {
            return fail(format!(
                "macro `{name}` takes at most {} arguments, not {given}",
                decl.params.len()
            ));
        }
        Ok(())
    }
}
