//! Values in model bodies, and how methods take them as arguments.

use rlx_ir::{DType, Dim, Named, ReduceOp, RopeStyle, Tensor};

/// A value during the evaluation of a model.
#[derive(Clone, Debug)]
pub(crate) enum BuildValue {
    Tensor(Tensor),
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    /// An array, a tuple or a vector.
    List(Vec<BuildValue>),
    /// A size that is not a number.
    Dim(Dim),
    DType(DType),
    /// A variant of an enum, such as `Max` of `ReduceOp::Max`.
    Variant(String),
    /// `None`, and the value of `for` and assignments.
    Nothing,
}

impl BuildValue {
    /// A description, for error messages.
    pub(crate) fn what(&self) -> String {
        match self {
            BuildValue::Tensor(x) => format!("a tensor {}", x.shape()),
            BuildValue::Int(n) => format!("the integer {n}"),
            BuildValue::Float(x) => format!("the number {x:?}"),
            BuildValue::Bool(b) => b.to_string(),
            BuildValue::Text(text) => format!("the text {text:?}"),
            BuildValue::List(list) => format!("a list of {}", list.len()),
            BuildValue::Dim(dim) => format!("the size {dim}"),
            BuildValue::DType(dtype) => format!("the element type {dtype}"),
            BuildValue::Variant(name) => format!("`{name}`"),
            BuildValue::Nothing => "nothing".into(),
        }
    }

    /// The tensors that it contains.
    pub(crate) fn tensors(&self) -> Vec<&Tensor> {
        match self {
            BuildValue::Tensor(x) => vec![x],
            BuildValue::List(list) => list.iter().flat_map(BuildValue::tensors).collect(),
            _ => Vec::new(),
        }
    }
}

impl From<Tensor> for BuildValue {
    fn from(x: Tensor) -> BuildValue {
        BuildValue::Tensor(x)
    }
}

impl From<Dim> for BuildValue {
    fn from(dim: Dim) -> BuildValue {
        match dim.as_static().and_then(|n| i64::try_from(n).ok()) {
            Some(n) => BuildValue::Int(n),
            None => BuildValue::Dim(dim),
        }
    }
}

impl From<Vec<Tensor>> for BuildValue {
    fn from(list: Vec<Tensor>) -> BuildValue {
        BuildValue::List(list.into_iter().map(BuildValue::Tensor).collect())
    }
}

/// A type of method arguments.
pub(crate) trait Argument: Sized {
    /// A description, for signatures and error messages.
    fn what() -> String;

    /// The value as this type.
    fn of(value: &BuildValue) -> Option<Self>;
}

macro_rules! arguments {
    ($($ty:ty, $what:literal: $value:ident => $body:expr;)*) => {
        $(impl Argument for $ty {
            fn what() -> String { $what.into() }
            fn of($value: &BuildValue) -> Option<Self> { $body }
        })*
    };
}
arguments! {
    Tensor, "tensor": value => match value { BuildValue::Tensor(x) => Some(x.clone()), _ => None };
    i64, "integer": value => match value { BuildValue::Int(n) => Some(*n), _ => None };
    usize, "integer from 0": value => i64::of(value).and_then(|n| usize::try_from(n).ok());
    f64, "number": value => match value { BuildValue::Float(x) => Some(*x), BuildValue::Int(n) => Some(*n as f64), _ => None };
    bool, "bool": value => match value { BuildValue::Bool(b) => Some(*b), _ => None };
    DType, "DType": value => match value { BuildValue::DType(dtype) => Some(*dtype), _ => None };
    Dim, "size": value => match value { BuildValue::Dim(dim) => Some(dim.clone()), _ => usize::of(value).map(Dim::Static) };
    String, "text": value => match value { BuildValue::Text(text) => Some(text.clone()), _ => None };
    ReduceOp, "ReduceOp": value => variant(value);
    RopeStyle, "RopeStyle": value => variant(value);
}

/// The variant of an enum with this Rust name.
fn variant<T: Named + Copy + std::fmt::Debug>(value: &BuildValue) -> Option<T> {
    match value {
        BuildValue::Variant(name) => T::VARIANTS.iter().find(|v| format!("{v:?}") == *name).copied(),
        _ => None,
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn what() -> String {
        format!("[{}]", T::what())
    }

    fn of(value: &BuildValue) -> Option<Self> {
        match value {
            BuildValue::List(list) => list.iter().map(T::of).collect(),
            _ => None,
        }
    }
}

impl<T: Argument> Argument for Option<T> {
    fn what() -> String {
        format!("Option<{}>", T::what())
    }

    fn of(value: &BuildValue) -> Option<Self> {
        match value {
            BuildValue::Nothing => Some(None),
            // `Some(x)` is represented as x.
            _ => T::of(value).map(Some),
        }
    }
}

/// The arguments of a call, taken in order.
pub(crate) struct Arguments<'a> {
    name: &'a str,
    values: &'a [BuildValue],
    taken: usize,
    /// The requested arguments, as in the signature.
    signature: Vec<String>,
    problem: Option<String>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(name: &'a str, values: &'a [BuildValue]) -> Self {
        Arguments { name, values, taken: 0, signature: Vec::new(), problem: None }
    }

    /// The next argument. [`Arguments::end`] reports errors, since only it knows the whole signature.
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

    /// Fails unless the number and types of the arguments match the requested ones.
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
