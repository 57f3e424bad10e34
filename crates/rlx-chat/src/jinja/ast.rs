//! The syntax tree of a template. Chains of operators, attributes, calls, filters and `elif` are lists, so that only
//! brackets and blocks nest.

use super::filters::FilterFn;
use super::predicates::TestFn;

/// An expression, by its index in [`Ast::exprs`].
pub(crate) type ExprId = u32;
/// A name, by its index in [`Ast::names`].
pub(crate) type NameId = u32;

/// Names that have the same index in all templates.
pub(crate) const KNOWN: [&str; 4] = ["loop", "varargs", "kwargs", "caller"];
pub(crate) const LOOP: NameId = 0;
pub(crate) const VARARGS: NameId = 1;
pub(crate) const KWARGS: NameId = 2;
pub(crate) const CALLER: NameId = 3;

#[derive(Debug, Default)]
pub(crate) struct Ast {
    pub(crate) body: Vec<Node>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) names: Vec<String>,
    /// The strings of literals.
    pub(crate) texts: Vec<String>,
    pub(crate) macros: Vec<Macro>,
    pub(crate) blocks: Vec<NamedBlock>,
}

#[derive(Debug)]
pub(crate) enum Expr {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(u32),
    Name(NameId),
    Tuple(Vec<ExprId>),
    List(Vec<ExprId>),
    Dict(Vec<(ExprId, ExprId)>),
    /// One or more `not`.
    Not {
        odd: bool,
        operand: ExprId,
    },
    /// Signs before an operand, the innermost last; `true` is minus.
    Signs {
        minus: Vec<bool>,
        operand: ExprId,
    },
    /// Operators of one precedence level, from left to right.
    Chain {
        first: ExprId,
        rest: Vec<(Binary, ExprId)>,
    },
    Concat(Vec<ExprId>),
    And(Vec<ExprId>),
    Or(Vec<ExprId>),
    Compare {
        first: ExprId,
        rest: Vec<(Comparison, ExprId)>,
    },
    /// `then if test else …`: pairs of test and value.
    If {
        arms: Vec<(ExprId, ExprId)>,
        other: Option<ExprId>,
    },
    Postfix {
        base: ExprId,
        steps: Vec<Suffix>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Rem,
    Pow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
}

/// What follows a value.
#[derive(Debug)]
pub(crate) enum Suffix {
    Attr(NameId),
    Item(ExprId),
    Slice(Box<[Option<ExprId>; 3]>),
    Call(Box<CallArgs>),
    Filter(Box<FilterCall>),
    Test(Box<TestCall>),
}

#[derive(Debug, Default)]
pub(crate) struct CallArgs {
    pub(crate) pos: Vec<ExprId>,
    pub(crate) named: Vec<(NameId, ExprId)>,
    /// `*values`
    pub(crate) more: Option<ExprId>,
    /// `**values`
    pub(crate) more_named: Option<ExprId>,
}

#[derive(Debug)]
pub(crate) struct FilterCall {
    pub(crate) name: NameId,
    /// `None` if there is no such filter. It fails only when it is reached.
    pub(crate) run: Option<FilterFn>,
    pub(crate) args: CallArgs,
}

#[derive(Debug)]
pub(crate) struct TestCall {
    pub(crate) name: NameId,
    pub(crate) run: Option<TestFn>,
    pub(crate) args: CallArgs,
    pub(crate) negated: bool,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) line: u32,
    pub(crate) stmt: Stmt,
}

#[derive(Debug)]
pub(crate) enum Stmt {
    /// Text of the template itself.
    Text(String),
    Output(ExprId),
    If {
        arms: Vec<(ExprId, Vec<Node>)>,
        other: Vec<Node>,
    },
    For(Box<For>),
    Set {
        target: Assigned,
        value: ExprId,
    },
    SetBlock {
        target: Assigned,
        filters: Vec<Suffix>,
        body: Vec<Node>,
    },
    With {
        pairs: Vec<(Assigned, ExprId)>,
        body: Vec<Node>,
    },
    /// A macro, by its index in [`Ast::macros`].
    Macro(u32),
    /// What is called, and the macro that it receives as `caller`.
    CallBlock {
        call: ExprId,
        caller: u32,
    },
    Filter {
        filters: Vec<Suffix>,
        body: Vec<Node>,
    },
    /// A block, by its index in [`Ast::blocks`].
    Block(u32),
    /// Statements with separate variables.
    Scope(Vec<Node>),
    /// `autoescape`, which is only allowed with a false value.
    Autoescape {
        on: ExprId,
        body: Vec<Node>,
    },
    Break,
    Continue,
    /// A statement that needs other templates.
    NoLoader(&'static str),
}

#[derive(Debug)]
pub(crate) enum Assigned {
    Name(NameId),
    /// An attribute of a namespace.
    Attr(NameId, NameId),
    Tuple(Vec<Assigned>),
}

#[derive(Debug)]
pub(crate) struct For {
    pub(crate) target: Assigned,
    pub(crate) iter: ExprId,
    pub(crate) test: Option<ExprId>,
    pub(crate) recursive: bool,
    pub(crate) body: Vec<Node>,
    pub(crate) other: Vec<Node>,
}

#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) name: Option<NameId>,
    pub(crate) params: Vec<NameId>,
    /// The defaults of the last parameters.
    pub(crate) defaults: Vec<ExprId>,
    pub(crate) body: Vec<Node>,
    pub(crate) uses_varargs: bool,
    pub(crate) uses_kwargs: bool,
    pub(crate) uses_caller: bool,
}

#[derive(Debug)]
pub(crate) struct NamedBlock {
    pub(crate) name: NameId,
    pub(crate) scoped: bool,
    pub(crate) required: bool,
    pub(crate) body: Vec<Node>,
}
