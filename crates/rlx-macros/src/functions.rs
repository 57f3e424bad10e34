//! The functions that model bodies can call: parameters, constants, and any op in text form.

use crate::files::{Weights, different};
use crate::value::{Arguments, BuildValue};
use rlx_ir::{Builder, DType, Literal, Op, Shape, Tensor};

/// The names, for error messages.
pub(crate) const NAMES: &str = "param, scalar, constant, iota, op, Some";

/// The state that functions work on.
pub(crate) struct Functions<'a> {
    pub(crate) builder: Builder,
    pub(crate) weights: Option<&'a Weights>,
    /// The parameters so far.
    params: Vec<(String, Tensor)>,
}

impl<'a> Functions<'a> {
    pub(crate) fn new(name: &str, weights: Option<&'a Weights>) -> Self {
        Functions { builder: Builder::new(name), weights, params: Vec::new() }
    }

    /// The result of a function, or what is wrong with the call. `declared` is the type given in the call.
    pub(crate) fn call(
        &mut self,
        name: &str,
        declared: Option<Shape>,
        values: &[BuildValue],
    ) -> Result<BuildValue, String> {
        match name {
            "param" => {
                let [param] = one::<String>(name, values, "name")?;
                Ok(self.param(param, declared)?.into())
            }
            "scalar" => {
                let mut arguments = Arguments::new(name, values);
                let (value, dtype) = (arguments.next::<f64>("value"), arguments.next::<DType>("dtype"));
                arguments.end()?;
                let (Some(value), Some(dtype)) = (value, dtype) else { return Err(lacks(name)) };
                Ok(self.builder.scalar(value, dtype).into())
            }
            "constant" => match values {
                [value] => Ok(self.builder.constant(literal(value)?).into()),
                _ => Err(format!("`constant(value)` takes 1 argument, got {}", values.len())),
            },
            "iota" => {
                let mut arguments = Arguments::new(name, values);
                let dims = arguments.next::<Vec<rlx_ir::Dim>>("dims");
                let (axis, dtype) = (arguments.next::<usize>("axis"), arguments.next::<DType>("dtype"));
                arguments.end()?;
                let (Some(dims), Some(axis), Some(dtype)) = (dims, axis, dtype) else {
                    return Err(lacks(name));
                };
                Ok(self.builder.iota(Shape::from_dims(&dims, dtype), axis).into())
            }
            "op" => {
                let mut arguments = Arguments::new(name, values);
                let (text, operands) =
                    (arguments.next::<String>("op"), arguments.next::<Vec<Tensor>>("operands"));
                arguments.end()?;
                let (Some(text), Some(operands)) = (text, operands) else { return Err(lacks(name)) };
                self.op(&text, &operands)
            }
            "Some" => match values {
                [value] => Ok(value.clone()),
                _ => Err(format!("`Some` takes 1 argument, got {}", values.len())),
            },
            _ => Err(format!("there is no function `{name}` here; known are {NAMES}")),
        }
    }

    fn param(&mut self, name: String, declared: Option<Shape>) -> Result<Tensor, String> {
        let stored = self.weights.map(|weights| weights.shape(&name)).transpose()?;
        let shape = match (declared, stored) {
            (Some(declared), Some(stored)) if declared != stored => {
                return Err(different(&name, &declared, &stored));
            }
            (_, Some(shape)) | (Some(shape), None) => shape,
            (None, None) => {
                return Err(format!(
                    "the shape of `{name}` is not known: give its type, such as `param::<[[f32; 2]; 4]>({name:?})`, or a file of weights"
                ));
            }
        };
        if let Some((_, param)) = self.params.iter().find(|(n, _)| *n == name) {
            if param.shape() != shape {
                return Err(format!("parameter `{name}` is {} elsewhere, but {shape} here", param.shape()));
            }
            return Ok(param.clone());
        }
        let param = self.builder.param(name.clone(), shape);
        self.params.push((name, param.clone()));
        Ok(param)
    }

    fn op(&self, text: &str, operands: &[Tensor]) -> Result<BuildValue, String> {
        let text = text.trim();
        let end = text.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(text.len());
        let op = Op::from_text(&text[..end], text[end..].trim()).map_err(|e| e.to_string())?;
        if matches!(op, Op::Input { .. } | Op::Param { .. }) {
            return Err("inputs are the arguments of the function; parameters come from `param`".into());
        }
        let mut results = self.builder.apply_many(op, &operands.iter().collect::<Vec<_>>());
        Ok(if results.len() == 1 { results.swap_remove(0).into() } else { results.into() })
    }
}

fn one<T: crate::value::Argument>(name: &str, values: &[BuildValue], what: &str) -> Result<[T; 1], String> {
    let mut arguments = Arguments::new(name, values);
    let value = arguments.next(what);
    arguments.end()?;
    Ok([value.ok_or_else(|| lacks(name))?])
}

// Never shown: the argument list has already reported a missing argument.
fn lacks(name: &str) -> String {
    format!("`{name}` lacks an argument")
}

/// A constant from nested lists of numbers with equal lengths at each depth.
fn literal(value: &BuildValue) -> Result<Literal, String> {
    let (mut dims, mut numbers) = (Vec::new(), Vec::new());
    collect(value, 0, &mut dims, &mut numbers)?;
    let integers: Option<Vec<i32>> = numbers
        .iter()
        .map(|n| match n {
            BuildValue::Int(n) => i32::try_from(*n).ok(),
            _ => None,
        })
        .collect();
    let made = match integers {
        Some(integers) => Literal::new(&dims, &integers),
        None => {
            let float = |n: &BuildValue| match n {
                BuildValue::Float(x) => Ok(*x as f32),
                other => Err(format!("{} among floating-point numbers", other.what())),
            };
            Literal::new(&dims, &numbers.iter().map(float).collect::<Result<Vec<f32>, _>>()?)
        }
    };
    made.map_err(|e| e.to_string())
}

fn collect(
    value: &BuildValue,
    depth: usize,
    dims: &mut Vec<usize>,
    numbers: &mut Vec<BuildValue>,
) -> Result<(), String> {
    match value {
        BuildValue::List(list) if numbers.is_empty() && dims.len() == depth => dims.push(list.len()),
        BuildValue::List(list) if dims.get(depth) == Some(&list.len()) => {}
        BuildValue::Int(_) | BuildValue::Float(_) if dims.len() == depth => {
            numbers.push(value.clone());
            return Ok(());
        }
        _ => {
            return Err(
                "a constant is a number, or nested lists of numbers with equal lengths at each depth".into(),
            );
        }
    }
    let BuildValue::List(list) = value else { return Ok(()) };
    list.iter().try_for_each(|inner| collect(inner, depth + 1, dims, numbers))
}
