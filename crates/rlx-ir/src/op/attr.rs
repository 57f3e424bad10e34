//! Attributes: how the values inside an op are printed, parsed, bound to sizes and passed to its rules.

use crate::dim::{Bindings, Dim};
use crate::dtype::DType;
use crate::graph::{Graph, SubGraph};
use crate::literal::Literal;
use crate::op::Key;
use crate::op::kinds::*;
use crate::shape::Shape;
use crate::text::{ParseError, Parser, Printer};

/// A value inside an [`Op`](crate::Op).
pub trait Attr: Sized {
    /// How a rule takes the value: by copy if that is cheap, otherwise by reference.
    type Arg<'a>
    where
        Self: 'a;

    /// The value as rules take it.
    fn arg(&self) -> Self::Arg<'_>;

    /// Writes the value's text form.
    fn print(&self, p: &mut Printer);

    /// Reads the value's text form.
    fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError>;

    /// Writes the value as the attribute `name` of an op; a structure may write each of its fields as an attribute instead.
    fn print_named(&self, name: &str, p: &mut Printer) {
        p.attribute(name, |p| self.print(p));
    }

    /// Reads what [`print_named`](Attr::print_named) writes.
    fn parse_named(name: &str, p: &mut Parser<'_>) -> Result<Self, ParseError> {
        p.attribute(name)
    }

    /// Adds the names and descriptions of the attributes that [`print_named`](Attr::print_named) writes.
    fn describe(name: &'static str, doc: &'static str, list: &mut Vec<(&'static str, &'static str)>) {
        list.push((name, doc));
    }

    /// Adds the value to a key.
    fn key(&self, key: &mut Key);

    /// Replaces bound symbols.
    fn bind(&mut self, _bindings: &Bindings) {}

    /// Calls `visit` with each dimension inside, including those of sub-graphs.
    fn dims(&self, _visit: &mut dyn FnMut(&Dim)) {}

    /// Calls `visit` with each graph inside.
    fn graphs<'a>(&'a self, _visit: &mut dyn FnMut(&'a SubGraph)) {}

    /// Calls `visit` with a mutable reference to each graph inside.
    fn graphs_mut(&mut self, _visit: &mut dyn FnMut(&mut SubGraph)) {}
}

macro_rules! by_copy {
    ($($t:ty, |$v:ident, $p:ident| $print:expr, |$q:ident| $parse:expr, |$n:ident, $k:ident| $key:expr;)*) => {$(
        impl Attr for $t {
            type Arg<'a> = $t;
            fn arg(&self) -> $t {
                *self
            }
            fn print(&self, $p: &mut Printer) {
                let $v = self;
                $print
            }
            fn parse($q: &mut Parser<'_>) -> Result<Self, ParseError> {
                $parse
            }
            fn key(&self, $k: &mut Key) {
                let $n = *self;
                $key
            }
        }
    )*};
}

by_copy! {
    bool, |v, p| p.word(if *v { "true" } else { "false" }), |p| p.boolean(), |n, key| key.number(u64::from(n));
    i64, |v, p| p.display(v), |p| p.integer(), |n, key| key.number(n as u64);
    usize, |v, p| p.display(v), |p| p.integer(), |n, key| key.number(n as u64);
    u32, |v, p| p.display(v), |p| p.integer(), |n, key| key.number(u64::from(n));
    f64, |v, p| p.float(*v), |p| p.float(), |n, key| key.number(n.to_bits());
    DType, |v, p| p.display(v), |p| p.dtype(), |n, key| key.number(n as u64);
}

macro_rules! by_name {
    ($($t:ty),*) => { by_copy! { $($t, |v, p| p.word(v.name()), |p| p.named(), |n, key| key.text(n.name().as_bytes());)* } };
}
by_name!(
    UnaryOp,
    BinaryOp,
    CompareOp,
    ReduceOp,
    ArgOp,
    Combiner,
    SortOrder,
    TransposeOp,
    FftKind,
    RngAlgorithm,
    Activation,
    MaskKind,
    RopeStyle,
    FusionKind,
    CheckpointPolicy,
    QuantScheme
);

macro_rules! by_reference {
    ($t:ty as $arg:ty {
        |$v:ident, $p:ident| $print:expr, |$q:ident| $parse:expr, |$w:ident, $k:ident| $key:expr $(, $($more:tt)*)?
    }) => {
        impl Attr for $t {
            type Arg<'a> = &'a $arg;
            fn arg(&self) -> &$arg {
                self
            }
            fn print(&self, $p: &mut Printer) {
                let $v = self;
                $print
            }
            fn parse($q: &mut Parser<'_>) -> Result<Self, ParseError> {
                $parse
            }
            fn key(&self, $k: &mut Key) {
                let $w = self;
                $key
            }
            $($($more)*)?
        }
    };
}

by_reference!(String as str { |v, p| p.string(v), |p| p.string(), |v, key| key.text(v.as_bytes()) });
by_reference!(Literal as Literal { |v, p| p.literal(v), |p| p.literal(), |v, key| key.literal(v) });
by_reference!(Dim as Dim { |v, p| p.display(v), |p| p.dim(), |v, key| key.dim(v),
    fn bind(&mut self, bindings: &Bindings) {
        *self = Dim::bind(self, bindings);
    }
    fn dims(&self, visit: &mut dyn FnMut(&Dim)) {
        visit(self);
    }
});
by_reference!(Shape as Shape { |v, p| p.display(v), |p| p.shape(), |v, key| key.shape(v),
    fn bind(&mut self, bindings: &Bindings) {
        *self = Shape::bind(self, bindings);
    }
    fn dims(&self, visit: &mut dyn FnMut(&Dim)) {
        Shape::dims(self).iter().for_each(visit);
    }
});
by_reference!(SubGraph as Graph { |v, p| p.graph(v), |p| p.graph().map(SubGraph::new), |v, key| key.graph(v),
    fn bind(&mut self, bindings: &Bindings) {
        *self = SubGraph::new(Graph::bind(self, bindings));
    }
    fn dims(&self, visit: &mut dyn FnMut(&Dim)) {
        self.for_each_dim(visit);
    }
    fn graphs<'a>(&'a self, visit: &mut dyn FnMut(&'a SubGraph)) {
        visit(self);
    }
    fn graphs_mut(&mut self, visit: &mut dyn FnMut(&mut SubGraph)) {
        visit(self);
    }
});

impl<T: Attr> Attr for Vec<T> {
    type Arg<'a>
        = &'a [T]
    where
        T: 'a;

    fn arg(&self) -> &[T] {
        self
    }

    fn print(&self, p: &mut Printer) {
        p.list(self, |p, item| item.print(p));
    }

    fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
        p.list(T::parse)
    }

    fn key(&self, key: &mut Key) {
        key.number(self.len() as u64);
        self.iter().for_each(|item| item.key(key));
    }

    fn bind(&mut self, bindings: &Bindings) {
        self.iter_mut().for_each(|item| item.bind(bindings));
    }

    fn dims(&self, visit: &mut dyn FnMut(&Dim)) {
        self.iter().for_each(|item| item.dims(visit));
    }

    fn graphs<'a>(&'a self, visit: &mut dyn FnMut(&'a SubGraph)) {
        self.iter().for_each(|item| item.graphs(visit));
    }

    fn graphs_mut(&mut self, visit: &mut dyn FnMut(&mut SubGraph)) {
        self.iter_mut().for_each(|item| item.graphs_mut(visit));
    }
}

impl<T: Attr> Attr for Option<T> {
    type Arg<'a>
        = Option<T::Arg<'a>>
    where
        T: 'a;

    fn arg(&self) -> Option<T::Arg<'_>> {
        self.as_ref().map(|value| value.arg())
    }

    fn print(&self, p: &mut Printer) {
        match self {
            Some(value) => value.print(p),
            None => p.word("none"),
        }
    }

    fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
        if p.eat_word("none") { Ok(None) } else { T::parse(p).map(Some) }
    }

    fn key(&self, key: &mut Key) {
        key.number(u64::from(self.is_some()));
        self.iter().for_each(|item| item.key(key));
    }

    fn bind(&mut self, bindings: &Bindings) {
        self.iter_mut().for_each(|item| item.bind(bindings));
    }

    fn dims(&self, visit: &mut dyn FnMut(&Dim)) {
        self.iter().for_each(|item| item.dims(visit));
    }

    fn graphs<'a>(&'a self, visit: &mut dyn FnMut(&'a SubGraph)) {
        self.iter().for_each(|item| item.graphs(visit));
    }

    fn graphs_mut(&mut self, visit: &mut dyn FnMut(&mut SubGraph)) {
        self.iter_mut().for_each(|item| item.graphs_mut(visit));
    }
}
