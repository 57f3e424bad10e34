//! Values of the language that models are written in, and how methods take them.

use rlx_ir::{DType, Dim, Named, ReduceOp, RopeStyle, Tensor};

/// A value while a model is built.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Tensor(Tensor),
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    /// An array, a tuple or a vector.
    List(Vec<Value>),
    /// A size, where it is not a number.
    Dim(Dim),
    DType(DType),
    /// The variant of an enum, `Max` of `ReduceOp::Max`.
    Variant(String),
    /// `None`, and what `for` and assignments give.
    Nothing,
}

impl Value {
    /// What it is, for errors.
    pub(crate) fn what(&self) -> String {
        match self {
            Value::Tensor(x) => format!("a tensor {}", x.shape()),
            Value::Int(n) => format!("the integer {n}"),
            Value::Float(x) => format!("the number {x:?}"),
            Value::Bool(b) => b.to_string(),
            Value::Text(text) => format!("the text {text:?}"),
            Value::List(list) => format!("a list of {}", list.len()),
            Value::Dim(dim) => format!("the size {dim}"),
            Value::DType(dtype) => format!("the element type {dtype}"),
            Value::Variant(name) => format!("`{name}`"),
            Value::Nothing => "nothing".into(),
        }
    }

    /// The tensors in it.
    pub(crate) fn tensors(&self) -> Vec<&Tensor> {
        match self {
            Value::Tensor(x) => vec![x],
            Value::List(list) => list.iter().flat_map(Value::tensors).collect(),
            _ => Vec::new(),
        }
    }
}

impl From<Tensor> for Value {
    fn from(x: Tensor) -> Value {
        Value::Tensor(x)
    }
}

impl From<Dim> for Value {
    fn from(dim: Dim) -> Value {
        match dim.as_static().and_then(|n| i64::try_from(n).ok()) {
            Some(n) => Value::Int(n),
            None => Value::Dim(dim),
        }
    }
}

impl From<Vec<Tensor>> for Value {
    fn from(list: Vec<Tensor>) -> Value {
        Value::List(list.into_iter().map(Value::Tensor).collect())
    }
}

/// What a method takes.
pub(crate) trait Argument: Sized {
    /// Its kind, for signatures and errors.
    fn what() -> String;

    /// The value as this kind.
    fn of(value: &Value) -> Option<Self>;
}

macro_rules! arguments {
    ($($ty:ty, $what:literal: $value:ident => $body:expr;)*) => {
        $(impl Argument for $ty {
            fn what() -> String { $what.into() }
            fn of($value: &Value) -> Option<Self> { $body }
        })*
    };
}
arguments! {
    Tensor, "tensor": value => match value { Value::Tensor(x) => Some(x.clone()), _ => None };
    i64, "integer": value => match value { Value::Int(n) => Some(*n), _ => None };
    usize, "integer from 0": value => i64::of(value).and_then(|n| usize::try_from(n).ok());
    f64, "number": value => match value { Value::Float(x) => Some(*x), Value::Int(n) => Some(*n as f64), _ => None };
    bool, "bool": value => match value { Value::Bool(b) => Some(*b), _ => None };
    DType, "DType": value => match value { Value::DType(dtype) => Some(*dtype), _ => None };
    Dim, "size": value => match value { Value::Dim(dim) => Some(dim.clone()), _ => usize::of(value).map(Dim::Static) };
    String, "text": value => match value { Value::Text(text) => Some(text.clone()), _ => None };
    ReduceOp, "ReduceOp": value => variant(value);
    RopeStyle, "RopeStyle": value => variant(value);
}

/// The variant of an enum by its name in Rust.
fn variant<T: Named + Copy + std::fmt::Debug>(value: &Value) -> Option<T> {
    match value {
        Value::Variant(name) => T::VARIANTS.iter().find(|v| format!("{v:?}") == *name).copied(),
        _ => None,
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn what() -> String {
        format!("[{}]", T::what())
    }

    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::List(list) => list.iter().map(T::of).collect(),
            _ => None,
        }
    }
}

impl<T: Argument> Argument for Option<T> {
    fn what() -> String {
        format!("Option<{}>", T::what())
    }

    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Nothing => Some(None),
            // `Some(x)` stands as x.
            _ => T::of(value).map(Some),
        }
    }
}

/// Arguments of a call, taken one after the other.
pub(crate) struct Arguments<'a> {
    name: &'a str,
    values: &'a [Value],
    taken: usize,
    /// What was asked for, as the signature has it.
    signature: Vec<String>,
    problem: Option<String>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(name: &'a str, values: &'a [Value]) -> Self {
        Arguments { name, values, taken: 0, signature: Vec::new(), problem: None }
    }

    /// The next argument; what is wrong is said by [`Arguments::end`], which knows the whole signature.
    pub(crate) fn next<T: Argument>(&mut self, name: &str) -> Option<T> {
        self.signature.push(format!("{name}: {}", T::what()));
        let value = self.values.get(self.taken)?;
        self.taken += 1;
        let read = T::of(value);
        if read.is_none() {
            let problem = format!("`{name}` is {}", value.what());
            self.problem.get_or_insert(problem);
        }
        read
    }

    /// Fails unless there were as many arguments as asked for, and of their kinds.
    pub(crate) fn end(self) -> Result<(), String> {
        let signature = format!("`{}({})`", self.name, self.signature.join(", "));
        if self.values.len() != self.signature.len() {
            let (wanted, got) = (self.signature.len(), self.values.len());
            return Err(format!("{signature} takes {wanted} argument(s), got {got}"));
        }
        match self.problem {
            Some(problem) => Err(format!("{signature}: {problem}")),
            None => Ok(()),
        }
    }
}
