//! Parses statements.

use super::ast::{
    Assigned, Ast, CALLER, CallArgs, Expr, ExprId, For, KNOWN, LOOP, Macro, NameId, NamedBlock, Node, Stmt,
    Suffix,
};
use super::error::{Error, Result};
use super::lexer::{Tok, Token, tokens};
use std::collections::HashMap;

/// How deeply brackets and blocks may be nested, counted in calls of the parser.
const DEEPEST: usize = 120;
/// The maximum number of expressions and statements in a template.
const MOST_NODES: usize = 1 << 17;

/// The maximum number of blocks in a template, and of named arguments in a call.
const MOST_BLOCKS: usize = 1000;
const MOST_NAMED: usize = 1000;

/// The context of a statement.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Whether `break` and `continue` are inside a loop.
    in_loop: bool,
    /// Whether unknown filters and tests fail only when they are reached.
    pub(super) soft: bool,
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    nodes: usize,
    /// The number of surrounding loops.
    loops: usize,
    /// Unknown names that would be used, with their lines.
    pub(super) unknown: Vec<(u32, String)>,
    pub(super) around: Around,
    pub(super) ast: Ast,
    interned: HashMap<String, NameId>,
    /// Which special names each surrounding macro uses.
    special: Vec<[bool; 3]>,
}

/// Names that a macro only has if it uses them.
const SPECIAL: [&str; 3] = ["varargs", "kwargs", "caller"];

/// Parses a template.
pub(crate) fn parse(source: &str) -> Result<Ast> {
    let mut parser = Parser {
        tokens: tokens(source)?,
        at: 0,
        depth: 0,
        nodes: 0,
        loops: 0,
        unknown: Vec::new(),
        around: Around { in_loop: false, soft: false },
        ast: Ast::default(),
        interned: HashMap::new(),
        special: Vec::new(),
    };
    for name in KNOWN {
        parser.intern(name.into())?;
    }
    parser.ast.body = parser.body(&[])?;
    Ok(parser.ast)
}

impl Parser {
    pub(super) fn line(&self) -> u32 {
        self.tokens[self.at].line
    }

    pub(super) fn peek(&self) -> &Tok {
        &self.tokens[self.at].tok
    }

    /// Returns the token after the next one.
    pub(super) fn peek_second(&self) -> &Tok {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].tok
    }

    pub(super) fn next(&mut self) -> Tok {
        let tok = std::mem::replace(&mut self.tokens[self.at].tok, Tok::End);
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        tok
    }

    pub(super) fn wrong<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Error::syntax(self.line(), message))
    }

    pub(super) fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.peek() {
            Tok::Data(_) => "text".to_string(),
            Tok::VariableBegin => "`{{`".into(),
            Tok::VariableEnd => "`}}`".into(),
            Tok::BlockBegin => "`{%`".into(),
            Tok::BlockEnd => "`%}`".into(),
            Tok::Name(name) => format!("`{}`", name.chars().take(40).collect::<String>()),
            Tok::Text(_) => "a string".into(),
            Tok::Int(_) | Tok::Float(_) => "a number".into(),
            Tok::Op(op) => format!("`{op}`"),
            Tok::End => "the end of the template".into(),
        };
        self.wrong(format!("expected {wanted}, found {found}"))
    }

    pub(super) fn is_op(&self, op: &str) -> bool {
        matches!(self.peek(), Tok::Op(found) if *found == op)
    }

    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(self.peek(), Tok::Name(found) if found == name)
    }

    pub(super) fn skip_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn skip_name(&mut self, name: &str) -> bool {
        let found = self.is_name(name);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect_op(&mut self, op: &str) -> Result<()> {
        if self.skip_op(op) { Ok(()) } else { self.unexpected(&format!("`{op}`")) }
    }

    pub(super) fn name(&mut self) -> Result<NameId> {
        match self.peek() {
            Tok::Name(_) => {
                let Tok::Name(name) = self.next() else { return self.unexpected("a name") };
                self.intern(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    pub(super) fn intern(&mut self, name: String) -> Result<NameId> {
        if let Some(&id) = self.interned.get(&name) {
            return Ok(id);
        }
        let id = self.ast.names.len() as NameId;
        self.ast.names.push(name.clone());
        self.interned.insert(name, id);
        Ok(id)
    }

    pub(super) fn add(&mut self, expr: Expr) -> Result<ExprId> {
        self.count()?;
        self.ast.exprs.push(expr);
        Ok(self.ast.exprs.len() as ExprId - 1)
    }

    fn count(&mut self) -> Result<()> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return self.wrong(format!("the template has more than {MOST_NODES} expressions and statements"));
        }
        Ok(())
    }

    /// Runs a part of the parser that may call itself.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return self.wrong("the template is nested too deeply");
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Records a variable that an expression reads.
    pub(super) fn used(&mut self, name: NameId) {
        let Some(special) = self.special.last_mut() else { return };
        let text = &self.ast.names[name as usize];
        if let Some(i) = SPECIAL.iter().position(|known| known == text) {
            special[i] = true;
        }
    }

    /// Parses statements up to a tag with one of these names, and leaves that tag unread.
    fn body(&mut self, ends: &[&str]) -> Result<Vec<Node>> {
        let mut body = Vec::new();
        loop {
            let line = self.line();
            if let Some((line, message)) = self.unknown.pop() {
                return Err(Error::syntax(line, message));
            }
            match self.peek() {
                Tok::Data(_) => {
                    if let Tok::Data(text) = self.next() {
                        self.count()?;
                        body.push(Node { line, stmt: Stmt::Text(text) });
                    }
                }
                Tok::VariableBegin => {
                    self.next();
                    let value = self.tuple(true, &[])?;
                    if !matches!(self.peek(), Tok::VariableEnd) {
                        return self.unexpected("`}}`");
                    }
                    self.next();
                    self.count()?;
                    body.push(Node { line, stmt: Stmt::Output(value) });
                }
                Tok::BlockBegin => {
                    self.next();
                    if matches!(self.peek(), Tok::Name(name) if ends.contains(&name.as_str())) {
                        return Ok(body);
                    }
                    let Tok::Name(name) = self.peek().clone() else { return self.unexpected("a statement") };
                    self.count()?;
                    let stmt = self.nested(|parser| parser.statement(&name))?;
                    if !matches!(self.peek(), Tok::BlockEnd) {
                        return self.unexpected("`%}`");
                    }
                    self.next();
                    match stmt {
                        Stmt::Scope(body_of_print) if name == "print" => body.extend(body_of_print),
                        stmt => body.push(Node { line, stmt }),
                    }
                }
                Tok::End if ends.is_empty() => return Ok(body),
                _ => return self.unexpected(&format!("`{}`", ends.join("` or `"))),
            }
        }
    }

    fn block_end(&mut self) -> Result<()> {
        // As in Python, a colon is allowed before the end of a tag.
        self.skip_op(":");
        if matches!(self.peek(), Tok::BlockEnd) {
            self.next();
            return Ok(());
        }
        self.unexpected("`%}`")
    }

    /// Parses the end of the opening tag, the statements, and the name of the closing tag.
    fn block(&mut self, ends: &[&str], around: Around) -> Result<Vec<Node>> {
        self.block_end()?;
        let outer = std::mem::replace(&mut self.around, around);
        let body = self.body(ends);
        self.around = outer;
        body
    }

    /// Like [`Self::block`], but also skips the name of the closing tag.
    fn whole_block(&mut self, end: &str, around: Around) -> Result<Vec<Node>> {
        let body = self.block(&[end], around)?;
        self.next();
        Ok(body)
    }

    fn statement(&mut self, name: &str) -> Result<Stmt> {
        let around = self.around;
        let inner = Around { soft: false, ..around };
        let outside = Around { soft: false, in_loop: false };
        self.next();
        match name {
            "for" => self.for_loop(),
            "if" => self.if_statement(),
            "set" => self.set_statement(),
            "print" => {
                let line = self.line();
                let mut outputs = Vec::new();
                while !matches!(self.peek(), Tok::BlockEnd) {
                    if !outputs.is_empty() {
                        self.expect_op(",")?;
                    }
                    outputs.push(Node { line, stmt: Stmt::Output(self.expression()?) });
                }
                Ok(Stmt::Scope(outputs))
            }
            "macro" => {
                let name = self.target_name()?;
                let decl = self.macro_decl(Some(name), "endmacro")?;
                Ok(Stmt::Macro(decl))
            }
            "call" => {
                let line = self.line();
                let params = if self.is_op("(") { self.signature()? } else { (Vec::new(), Vec::new()) };
                let call = self.expression()?;
                let called = matches!(&self.ast.exprs[call as usize], Expr::Postfix { steps, .. } if matches!(steps.last(), Some(Suffix::Call(_))));
                if !called {
                    return Err(Error::syntax(line, "`call` must be followed by a call"));
                }
                let caller = self.macro_body(None, params, "endcall")?;
                Ok(Stmt::CallBlock { call, caller })
            }
            "generation" => Ok(Stmt::Scope(self.whole_block("endgeneration", outside)?)),
            "filter" => {
                let filters = self.filters()?;
                let body = self.whole_block("endfilter", inner)?;
                Ok(Stmt::Filter { filters, body })
            }
            "with" => {
                let mut pairs = Vec::new();
                while !matches!(self.peek(), Tok::BlockEnd) {
                    if !pairs.is_empty() {
                        self.expect_op(",")?;
                    }
                    let target = self.target(false, false, &[])?;
                    self.expect_op("=")?;
                    pairs.push((target, self.expression()?));
                }
                let body = self.whole_block("endwith", inner)?;
                Ok(Stmt::With { pairs, body })
            }
            "autoescape" => {
                let on = self.expression()?;
                let body = self.whole_block("endautoescape", inner)?;
                Ok(Stmt::Autoescape { on, body })
            }
            "block" => self.block_statement(),
            "break" | "continue" if !around.in_loop => self.wrong(format!("`{name}` outside of a loop")),
            "break" => Ok(Stmt::Break),
            "continue" => Ok(Stmt::Continue),
            "extends" | "include" | "import" | "from" => {
                while !matches!(self.peek(), Tok::BlockEnd | Tok::End) {
                    self.next();
                }
                let name = ["extends", "include", "import", "from"].into_iter().find(|known| *known == name);
                Ok(Stmt::NoLoader(name.unwrap_or("import")))
            }
            _ => self.wrong(format!("unknown statement `{}`", name.chars().take(40).collect::<String>())),
        }
    }

    fn for_loop(&mut self) -> Result<Stmt> {
        self.loops += 1;
        let parsed = self.for_parts();
        self.loops -= 1;
        parsed
    }

    fn for_parts(&mut self) -> Result<Stmt> {
        let outer = self.around;
        let target = self.target(true, false, &["in"])?;
        if !self.skip_name("in") {
            return self.unexpected("`in`");
        }
        let iter = self.tuple(false, &["recursive"])?;
        let inner = Around { in_loop: true, soft: false };
        let test = if self.skip_name("if") {
            self.around = Around { soft: false, ..outer };
            let test = self.expression();
            self.around = outer;
            Some(test?)
        } else {
            None
        };
        let recursive = self.skip_name("recursive");
        let body = self.block(&["endfor", "else"], inner)?;
        let other = if self.skip_name("else") {
            let inner = Around { in_loop: outer.in_loop && !recursive, soft: false };
            self.whole_block("endfor", inner)?
        } else {
            self.next();
            Vec::new()
        };
        Ok(Stmt::For(Box::new(For { target, iter, test, recursive, body, other })))
    }

    fn if_statement(&mut self) -> Result<Stmt> {
        let outer = self.around;
        let soft = Around { soft: true, ..outer };
        let mut arms = Vec::new();
        let mut other = Vec::new();
        loop {
            self.around = soft;
            let test = self.tuple(false, &[]);
            self.around = outer;
            let test = test?;
            let body = self.block(&["elif", "else", "endif"], soft)?;
            arms.push((test, body));
            if self.skip_name("elif") {
                continue;
            }
            if self.skip_name("else") {
                other = self.whole_block("endif", soft)?;
            } else {
                self.next();
            }
            return Ok(Stmt::If { arms, other });
        }
    }

    fn set_statement(&mut self) -> Result<Stmt> {
        let around = Around { soft: false, ..self.around };
        let target = self.target(true, true, &[])?;
        if self.skip_op("=") {
            return Ok(Stmt::Set { target, value: self.tuple(true, &[])? });
        }
        let mut filters = Vec::new();
        if self.is_op("|") {
            self.next();
            filters = self.filters()?;
        }
        let body = self.whole_block("endset", around)?;
        Ok(Stmt::SetBlock { target, filters, body })
    }

    fn block_statement(&mut self) -> Result<Stmt> {
        let name = self.name()?;
        let (mut scoped, mut required) = (false, false);
        if self.is_op("-") {
            return self.wrong("names of blocks cannot contain `-`");
        }
        while let Tok::Name(word) = self.peek() {
            match word.as_str() {
                "scoped" if !scoped && !required => scoped = true,
                "required" if !required => required = true,
                _ => break,
            }
            self.next();
        }
        if self.ast.blocks.iter().any(|block| block.name == name) {
            return self.wrong("a block is defined twice");
        }
        if self.ast.blocks.len() >= MOST_BLOCKS {
            return self.wrong(format!("the template has more than {MOST_BLOCKS} blocks"));
        }
        let index = self.ast.blocks.len() as u32;
        self.ast.blocks.push(NamedBlock { name, scoped, required, body: Vec::new() });
        let body = self.block(&["endblock"], Around { in_loop: false, soft: false })?;
        self.next();
        if let Tok::Name(end) = self.peek()
            && self.interned.get(end) == Some(&name)
        {
            self.next();
        }
        let text = |node: &Node| matches!(&node.stmt, Stmt::Text(text) if text.chars().all(super::unicode::is_space));
        if required && !body.iter().all(text) {
            return self.wrong("a required block may only contain comments and white space");
        }
        self.ast.blocks[index as usize].body = body;
        Ok(Stmt::Block(index))
    }

    fn macro_decl(&mut self, name: Option<NameId>, end: &str) -> Result<u32> {
        let signature = self.signature()?;
        self.macro_body(name, signature, end)
    }

    fn macro_body(
        &mut self,
        name: Option<NameId>,
        signature: (Vec<NameId>, Vec<ExprId>),
        end: &str,
    ) -> Result<u32> {
        let (params, defaults) = signature;
        self.special.push([false; 3]);
        let body = self.whole_block(end, Around { in_loop: false, soft: false });
        let [mut uses_varargs, mut uses_kwargs, mut uses_caller] = self.special.pop().unwrap_or_default();
        let body = body?;
        if let Some(outer) = self.special.last_mut() {
            let used = [uses_varargs, uses_kwargs, uses_caller];
            outer.iter_mut().zip(used).for_each(|(outer, used)| *outer |= used);
        }
        for &param in &params {
            // A declared parameter replaces the special name.
            match self.ast.names[param as usize].as_str() {
                "varargs" => uses_varargs = false,
                "kwargs" => uses_kwargs = false,
                "caller" => uses_caller = false,
                _ => {}
            }
        }
        self.ast.macros.push(Macro { name, params, defaults, body, uses_varargs, uses_kwargs, uses_caller });
        Ok(self.ast.macros.len() as u32 - 1)
    }

    fn signature(&mut self) -> Result<(Vec<NameId>, Vec<ExprId>)> {
        self.expect_op("(")?;
        let (mut params, mut defaults) = (Vec::new(), Vec::new());
        while !self.is_op(")") {
            if !params.is_empty() {
                self.expect_op(",")?;
            }
            let param = self.target_name()?;
            if params.contains(&param) {
                return self.wrong("a parameter is declared twice");
            }
            if params.len() >= 255 {
                return self.wrong("a macro has more than 255 parameters");
            }
            params.push(param);
            if param == CALLER && !self.is_op("=") {
                return self.wrong("the parameter `caller` needs a default");
            }
            if self.skip_op("=") {
                defaults.push(self.expression()?);
            } else if !defaults.is_empty() {
                return self.wrong("a parameter without a default follows one with a default");
            }
        }
        self.next();
        Ok((params, defaults))
    }

    /// Parses a name that can be assigned to.
    fn target_name(&mut self) -> Result<NameId> {
        if let Tok::Name(name) = self.peek()
            && matches!(name.as_str(), "true" | "True" | "false" | "False" | "none" | "None")
        {
            return self.wrong(format!("cannot assign to `{name}`"));
        }
        self.name()
    }

    /// Parses the target of an assignment: names, with or without brackets, and attributes of namespaces.
    fn target(&mut self, tuple: bool, namespace: bool, ends: &[&str]) -> Result<Assigned> {
        let mut targets = Vec::new();
        let mut is_tuple = false;
        loop {
            let ended = match self.peek() {
                Tok::Name(name) => ends.contains(&name.as_str()),
                Tok::Op(op) => matches!(*op, "=" | ")"),
                Tok::BlockEnd => true,
                _ => false,
            };
            if ended {
                break;
            }
            if self.skip_op("(") {
                targets.push(self.nested(|parser| parser.target(true, namespace, &[]))?);
                self.expect_op(")")?;
            } else {
                let name = self.target_name()?;
                if name == LOOP && self.loops > 0 && !self.is_op(".") {
                    return self.wrong("cannot assign to `loop` inside a loop");
                }
                targets.push(if namespace && self.skip_op(".") {
                    self.used(name);
                    Assigned::Attr(name, self.name()?)
                } else {
                    Assigned::Name(name)
                });
            }
            if !tuple || !self.skip_op(",") {
                break;
            }
            is_tuple = true;
        }
        match targets.pop() {
            None => self.unexpected("a name"),
            Some(only) if !is_tuple && targets.is_empty() => Ok(only),
            Some(last) => {
                targets.push(last);
                Ok(Assigned::Tuple(targets))
            }
        }
    }

    /// Parses names and arguments of filters, up to the end of the tag.
    fn filters(&mut self) -> Result<Vec<Suffix>> {
        let mut steps = vec![self.filter()?];
        while self.skip_op("|") {
            steps.push(self.filter()?);
        }
        Ok(steps)
    }

    pub(super) fn call_args(&mut self) -> Result<CallArgs> {
        self.expect_op("(")?;
        let mut args = CallArgs::default();
        let mut first = true;
        while !self.is_op(")") {
            if !first {
                self.expect_op(",")?;
                if self.is_op(")") {
                    break;
                }
            }
            first = false;
            if self.skip_op("*") {
                if args.more.is_some() || args.more_named.is_some() {
                    return self.wrong("invalid order of arguments");
                }
                args.more = Some(self.expression()?);
            } else if self.skip_op("**") {
                if args.more_named.is_some() {
                    return self.wrong("invalid order of arguments");
                }
                args.more_named = Some(self.expression()?);
            } else if matches!(self.peek(), Tok::Name(_)) && matches!(self.peek_second(), Tok::Op("=")) {
                if args.more_named.is_some() {
                    return self.wrong("invalid order of arguments");
                }
                let name = self.name()?;
                self.next();
                if args.named.iter().any(|(known, _)| *known == name) {
                    return self.wrong("an argument is given twice");
                }
                if args.named.len() >= MOST_NAMED {
                    return self.wrong(format!("a call has more than {MOST_NAMED} named arguments"));
                }
                args.named.push((name, self.expression()?));
            } else {
                if args.more.is_some() || args.more_named.is_some() || !args.named.is_empty() {
                    return self.wrong("invalid order of arguments");
                }
                args.pos.push(self.expression()?);
            }
        }
        self.next();
        Ok(args)
    }
}
