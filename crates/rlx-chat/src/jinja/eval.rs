//! Evaluates expressions.

use super::ast::{Binary, CALLER, CallArgs, Comparison, Expr, ExprId, Suffix};
use super::compare::compare;
use super::contains::contains;
use super::dict::Dict;
use super::error::{Result, fail};
use super::filters::Args;
use super::html::escape_into;
use super::interp::Interp;
use super::iterate::collect;
use super::methods::{attribute, method};
use super::numbers::{binary, negative, positive};
use super::show::show;
use super::slices::{item, slice};
use super::value::{Listing, Missing, TemplateValue, Text};
use std::rc::Rc;

impl<'t> Interp<'t> {
    /// Evaluates an expression.
    pub(crate) fn eval(&mut self, id: ExprId) -> Result<TemplateValue> {
        self.meter.work(1)?;
        match &self.ast.exprs[id as usize] {
            Expr::None => Ok(TemplateValue::None),
            Expr::Bool(value) => Ok(TemplateValue::Bool(*value)),
            Expr::Int(value) => Ok(TemplateValue::Int(*value)),
            Expr::Float(value) => Ok(TemplateValue::Float(*value)),
            Expr::Text(text) => Ok(TemplateValue::Str(self.literal(*text)?)),
            Expr::Name(name) => self.lookup(*name),
            compound => self.nested(|interp| interp.compound(compound)),
        }
    }

    #[inline(never)]
    fn compound(&mut self, expr: &'t Expr) -> Result<TemplateValue> {
        match expr {
            Expr::Tuple(items) => self.listing(items)?.finish_tuple(),
            Expr::List(items) => self.listing(items)?.finish(),
            Expr::Dict(pairs) => self.dict(pairs),
            Expr::Not { odd, operand } => Ok(TemplateValue::Bool(self.eval(*operand)?.is_true() != *odd)),
            Expr::Signs { minus, operand } => {
                let mut value = self.eval(*operand)?;
                for minus in minus.iter().rev() {
                    self.meter.work(1)?;
                    value = if *minus { negative(self, &value)? } else { positive(self, &value)? };
                }
                Ok(value)
            }
            Expr::Chain { first, rest } => self.chain(*first, rest),
            Expr::Concat(parts) => self.concat(parts),
            Expr::And(parts) => self.until(parts, false),
            Expr::Or(parts) => self.until(parts, true),
            Expr::Compare { first, rest } => self.comparisons(*first, rest),
            Expr::If { arms, other } => {
                for (test, value) in arms {
                    if self.eval(*test)?.is_true() {
                        return self.eval(*value);
                    }
                }
                match other {
                    Some(other) => self.eval(*other),
                    None => {
                        Ok(TemplateValue::Undefined(Missing::Other("an `if` without `else` has no value")))
                    }
                }
            }
            Expr::Postfix { base, steps } => self.postfix(*base, steps, None),
            _ => fail("a constant cannot be evaluated in parts"),
        }
    }

    #[inline(never)]
    fn listing(&mut self, items: &[ExprId]) -> Result<Listing> {
        let mut list = Listing::new(&self.meter)?;
        for item in items {
            let value = self.eval(*item)?;
            list.push(value)?;
        }
        Ok(list)
    }

    #[inline(never)]
    fn dict(&mut self, pairs: &[(ExprId, ExprId)]) -> Result<TemplateValue> {
        let mut dict = Dict::new(&self.meter)?;
        for (key, value) in pairs {
            let key = self.eval(*key)?;
            let value = self.eval(*value)?;
            dict.set(key, value)?;
        }
        Ok(TemplateValue::Dict(Rc::new(dict)))
    }

    #[inline(never)]
    fn chain(&mut self, first: ExprId, rest: &[(Binary, ExprId)]) -> Result<TemplateValue> {
        let mut left = self.eval(first)?;
        for (op, right) in rest {
            let right = self.eval(*right)?;
            left = binary(self, *op, &left, &right)?;
        }
        Ok(left)
    }

    #[inline(never)]
    fn concat(&mut self, parts: &[ExprId]) -> Result<TemplateValue> {
        let mut out = Text::new(&self.meter);
        for part in parts {
            let value = self.eval(*part)?;
            show(self, &value, &mut out)?;
        }
        out.finish()
    }

    /// Returns the first value whose truth is `wanted`, or the last value.
    #[inline(never)]
    fn until(&mut self, parts: &[ExprId], wanted: bool) -> Result<TemplateValue> {
        let mut value = TemplateValue::None;
        for part in parts {
            value = self.eval(*part)?;
            if value.is_true() == wanted {
                break;
            }
        }
        Ok(value)
    }

    #[inline(never)]
    fn comparisons(&mut self, first: ExprId, rest: &[(Comparison, ExprId)]) -> Result<TemplateValue> {
        let mut left = self.eval(first)?;
        for (op, right) in rest {
            let right = self.eval(*right)?;
            let holds = match op {
                Comparison::In => contains(self, &right, &left)?,
                Comparison::NotIn => !contains(self, &right, &left)?,
                op => {
                    let orders = !matches!(op, Comparison::Eq | Comparison::Ne);
                    for side in [&left, &right] {
                        if orders && let TemplateValue::Undefined(missing) = side {
                            return fail(self.missing(*missing));
                        }
                    }
                    compare(&self.meter, *op, &left, &right)?
                }
            };
            if !holds {
                return Ok(TemplateValue::Bool(false));
            }
            left = right;
        }
        Ok(TemplateValue::Bool(true))
    }

    /// Runs the call of a call block with its caller.
    pub(super) fn call_with(&mut self, call: ExprId, caller: TemplateValue) -> Result<TemplateValue> {
        let Expr::Postfix { base, steps } = &self.ast.exprs[call as usize] else {
            return fail("`call` must be followed by a call");
        };
        self.nested(|interp| interp.postfix(*base, steps, Some(caller)))
    }

    #[inline(never)]
    fn postfix(
        &mut self,
        base: ExprId,
        steps: &'t [Suffix],
        caller: Option<TemplateValue>,
    ) -> Result<TemplateValue> {
        let mut value = self.eval(base)?;
        let mut i = 0;
        while let Some(step) = steps.get(i) {
            self.meter.work(1)?;
            // The last call receives the caller as an argument.
            let last = |at: usize| caller.clone().filter(|_| at + 1 == steps.len());
            value = match (step, steps.get(i + 1)) {
                (Suffix::Attr(name), Some(Suffix::Call(args))) => {
                    i += 1;
                    self.method_call(value, *name, args, last(i))?
                }
                _ => self.step(value, step, last(i))?,
            };
            i += 1;
        }
        Ok(value)
    }

    /// Calls a method of a value without creating a value for the method.
    #[inline(never)]
    fn method_call(
        &mut self,
        value: TemplateValue,
        name: u32,
        args: &CallArgs,
        caller: Option<TemplateValue>,
    ) -> Result<TemplateValue> {
        let text: &'t str = &self.ast.names[name as usize];
        match method(&value, text) {
            Some(run) => {
                let args = self.args(args, caller)?;
                run.call(self, &value, args)
            }
            None => {
                let callee = self.get_attribute(&value, name)?;
                let args = self.args(args, caller)?;
                self.call(&callee, args)
            }
        }
    }

    #[inline(never)]
    pub(super) fn step(
        &mut self,
        value: TemplateValue,
        step: &'t Suffix,
        caller: Option<TemplateValue>,
    ) -> Result<TemplateValue> {
        match step {
            Suffix::Attr(name) => self.get_attribute(&value, *name),
            Suffix::Item(index) => {
                let index = self.eval(*index)?;
                item(self, &value, &index)
            }
            Suffix::Slice(parts) => {
                let mut bounds = [TemplateValue::None, TemplateValue::None, TemplateValue::None];
                for (bound, part) in bounds.iter_mut().zip(parts.iter()) {
                    if let Some(part) = part {
                        *bound = self.eval(*part)?;
                    }
                }
                slice(self, &value, &bounds)
            }
            Suffix::Call(args) => {
                let args = self.args(args, caller)?;
                self.call(&value, args)
            }
            Suffix::Filter(filter) => {
                let Some(run) = filter.run else {
                    return fail(format!("no filter named `{}`", self.ast.names[filter.name as usize]));
                };
                let args = self.args(&filter.args, None)?;
                run(self, value, args)
            }
            Suffix::Test(test) => {
                let Some(run) = test.run else {
                    return fail(format!("no test named `{}`", self.ast.names[test.name as usize]));
                };
                let args = self.args(&test.args, None)?;
                Ok(TemplateValue::Bool(run(self, &value, args)? != test.negated))
            }
        }
    }

    fn args(&mut self, args: &CallArgs, caller: Option<TemplateValue>) -> Result<Args> {
        let mut out = Args::new(&self.meter)?;
        for value in &args.pos {
            let value = self.eval(*value)?;
            out.push(value)?;
        }
        for (name, value) in &args.named {
            let value = self.eval(*value)?;
            let name = self.name(*name)?;
            out.push_named(name, value)?;
        }
        if let Some(more) = args.more {
            let more = self.eval(more)?;
            for value in collect(&self.meter, &more)?.items().drain(..) {
                out.push(value)?;
            }
        }
        if let Some(more) = args.more_named {
            let TemplateValue::Dict(dict) = self.eval(more)? else { return fail("`**` needs a dictionary") };
            for (key, value) in dict.entries() {
                let TemplateValue::Str(key) = key else { return fail("names of arguments must be strings") };
                out.push_named(key.clone(), value.clone())?;
            }
        }
        if let Some(caller) = caller {
            let name = self.name(CALLER)?;
            out.push_named(name, caller)?;
        }
        Ok(out)
    }

    /// Calls a value.
    #[inline(never)]
    pub(crate) fn call(&mut self, callee: &TemplateValue, args: Args) -> Result<TemplateValue> {
        match callee {
            TemplateValue::Macro(id) => self.call_macro(*id, args),
            TemplateValue::Func(function) => (function.run)(self, args),
            TemplateValue::Method(bound) => match method(&bound.of, &bound.name) {
                Some(run) => run.call(self, &bound.of, args),
                None => fail(format!("no method `{}`", &*bound.name)),
            },
            TemplateValue::Joiner(joiner) => {
                args.bind("joiner", [], 0)?;
                if joiner.used.replace(true) {
                    Ok(joiner.separator.clone())
                } else {
                    TemplateValue::text(&self.meter, "")
                }
            }
            TemplateValue::Block(index) => {
                args.bind("block", [], 0)?;
                let mut out = Text::new(&self.meter);
                self.called(|interp| interp.block(*index, &mut out))?;
                out.finish()
            }
            TemplateValue::Loop(id, serial) => {
                let [items] = args.bind("loop", ["iterable"], 1)?;
                let id = self.live_loop(*id, *serial)?;
                let state = &self.loops[id];
                if !state.decl.recursive {
                    return fail("the loop is not `recursive`");
                }
                let (decl, scope, depth) = (state.decl, state.scope, state.depth + 1);
                let mut out = Text::new(&self.meter);
                let outer = std::mem::replace(&mut self.scope, scope);
                let items = items.unwrap_or(TemplateValue::None);
                let result = self.called(|interp| interp.for_loop(decl, &items, depth, &mut out));
                self.scope = outer;
                result?;
                out.finish()
            }
            TemplateValue::Undefined(missing) => fail(self.missing(*missing)),
            other => fail(format!("a {} cannot be called", other.type_name())),
        }
    }

    /// Returns the index of a loop that is still running.
    pub(super) fn live_loop(&self, id: u32, serial: u32) -> Result<usize> {
        match self.loops.get(id as usize) {
            Some(state) if state.serial == serial => Ok(id as usize),
            _ => fail("the loop has ended"),
        }
    }

    /// Evaluates `value.name`.
    fn get_attribute(&mut self, value: &TemplateValue, name: u32) -> Result<TemplateValue> {
        let text: &'t str = &self.ast.names[name as usize];
        if let TemplateValue::Undefined(missing) = value {
            return fail(self.missing(*missing));
        }
        match attribute(self, value, text)? {
            Some(found) => Ok(found),
            None => Ok(TemplateValue::Undefined(Missing::Attribute(value.type_name(), name))),
        }
    }

    /// Returns a text with the special characters of HTML escaped, unless it already is markup.
    pub(super) fn escaped(&mut self, value: &TemplateValue) -> Result<TemplateValue> {
        if value.as_str().is_some_and(|text| text.is_markup()) {
            return Ok(value.clone());
        }
        let mut text = Text::new(&self.meter);
        show(self, value, &mut text)?;
        let mut out = Text::new(&self.meter);
        escape_into(text.as_str(), &mut out)?;
        out.finish_as(true)
    }
}
