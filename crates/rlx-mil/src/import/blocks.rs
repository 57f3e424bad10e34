//! Blocks of operations: values by name, constants, and blocks inside of operations as graphs.

use super::args::{Args, Item, Read, Unread};
use super::constants::{Constants, Stored};
use super::{contraction, elementwise, indexing, recurrent, reduction, shaping};
use crate::message::{self, BindingKind};
use crate::types::{tensor_of, text_of};
use rlx_ir::{Builder, DType, Graph, Op, Shape, SubGraph, Tensor};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The families of operations.
const FAMILIES: [fn(&str, &Args<'_>) -> Option<Read>; 6] =
    [elementwise::read, shaping::read, indexing::read, reduction::read, contraction::read, recurrent::read];

/// Operations inside of each other that are read.
const MOST_NESTED: usize = 32;

/// Reads blocks.
pub(super) struct Blocks<'c, 'a> {
    pub(super) constants: &'c Constants<'a>,
    /// Everything that could not be read.
    pub(super) problems: Vec<String>,
    /// Tensors of the file of weights that the graph has as parameters.
    pub(super) params: Vec<(String, Stored)>,
}

/// The values of a block that is being read, by name.
pub(super) struct Values<'a> {
    pub(super) builder: &'a Builder,
    pub(super) items: HashMap<String, Item>,
    pub(super) depth: usize,
}

impl Blocks<'_, '_> {
    /// Reads the operations of a block, and gives its outputs.
    pub(super) fn block(&mut self, block: &message::Block, values: &mut Values<'_>) -> Option<Vec<Tensor>> {
        let mut complete = true;
        for operation in &block.operations {
            match self.operation(operation, values) {
                Ok(results) => {
                    for (result, item) in operation.outputs.iter().zip(results) {
                        values.items.insert(result.name.clone(), item);
                    }
                }
                Err(Unread(reason)) => {
                    complete = false;
                    // What follows from a value that is missing is no problem of its own.
                    if reason != MISSING {
                        self.problems.push(format!(
                            "`{}` at {}: {reason}",
                            operation.r#type,
                            name_of(operation)
                        ));
                    }
                }
            }
        }
        let output = |name: &String| match values.items.get(name) {
            Some(Item::Tensor(tensor, _)) => Some(tensor.clone()),
            _ => None,
        };
        let outputs: Option<Vec<Tensor>> = block.outputs.iter().map(output).collect();
        if outputs.is_none() && complete {
            self.problems
                .push(format!("an output of a block is none of its values: {}", block.outputs.join(", ")));
        }
        outputs
    }

    fn operation(
        &mut self,
        operation: &message::Operation,
        values: &mut Values<'_>,
    ) -> Result<Vec<Item>, Unread> {
        if operation.r#type == "const" {
            return Ok(vec![self.constant(operation, values.builder)?]);
        }
        let mut items = BTreeMap::new();
        for (place, argument) in &operation.inputs {
            let mut list = Vec::new();
            for binding in &argument.arguments {
                list.push(match &binding.binding {
                    Some(BindingKind::Name(name)) => values.items.get(name).cloned().ok_or(MISSING)?,
                    Some(BindingKind::Value(value)) => {
                        self.item(value, name_of(operation), values.builder)?
                    }
                    None => return Err(format!("the argument `{place}` is empty").into()),
                });
            }
            items.insert(place.as_str(), list);
        }
        let args = Args { builder: values.builder, items };
        let results = match operation.r#type.as_str() {
            "cond" => self.cond(operation, &args, values)?,
            "while_loop" => self.while_loop(operation, &args, values)?,
            kind => FAMILIES
                .iter()
                .find_map(|read| read(kind, &args))
                .unwrap_or_else(|| Err("this operation has no form among the ops of a graph".into()))?,
        };
        if results.len() < operation.outputs.len() {
            return Err("it gives more values than it was read to".into());
        }
        // What the program says of a result holds: the type of a conversion that was left out, and sizes that were misread.
        let held = |(result, declared): (Tensor, &message::NamedValueType)| {
            let Some((dtype, dims)) = declared.r#type.as_ref().and_then(tensor_of) else { return Ok(result) };
            let dtype = super::constants::dtype(dtype).ok_or("a result has a type that graphs have not")?;
            let result = if result.dtype() == dtype { result } else { result.convert(dtype) };
            match result.shape().static_dims() {
                Some(made) if result.id().is_some() && made != dims => {
                    Err(Unread(format!("it gives {made:?}, and the program says {dims:?}")))
                }
                _ => Ok(result),
            }
        };
        let pairs = results.into_iter().zip(&operation.outputs);
        pairs.map(|pair| Ok(Item::Tensor(held(pair)?, None))).collect()
    }

    /// A constant of the program.
    fn constant(&mut self, operation: &message::Operation, builder: &Builder) -> Result<Item, Unread> {
        let value = operation.attributes.get("val").ok_or("a constant has no value")?;
        self.item(value, name_of(operation), builder)
    }

    /// A value that stands in the program or in the file of weights: a few elements as a constant, many as a parameter.
    fn item(&mut self, value: &message::Value, name: &str, builder: &Builder) -> Result<Item, Unread> {
        if let Some(text) = text_of(value) {
            return Ok(Item::Text(text.to_string()));
        }
        let stored = self.constants.stored(value)?;
        let shape = Shape::new(&stored.dims, stored.dtype);
        if let Some(literal) = self.constants.literal(&stored)? {
            return Ok(Item::Tensor(builder.constant(literal.clone()), Some(literal)));
        }
        let mut unique = name.to_string();
        while self.params.iter().any(|(taken, _)| *taken == unique) {
            unique.push('_');
        }
        let param = builder.param(&unique, shape);
        self.params.push((unique, stored));
        Ok(Item::Tensor(param, None))
    }

    /// A block inside of an operation as a graph, and the values from outside that it reads, which are its last inputs.
    fn inner(
        &mut self,
        block: &message::Block,
        given: &[(String, Shape)],
        outside: &[(String, Tensor)],
        values: &Values<'_>,
    ) -> Result<Graph, Unread> {
        if values.depth >= MOST_NESTED {
            return Err(format!("blocks are nested more than {MOST_NESTED} deep").into());
        }
        let builder = Builder::new("block");
        let mut items = HashMap::new();
        for (name, shape) in given {
            items.insert(name.clone(), Item::Tensor(builder.input(name, shape.clone()), None));
        }
        for (name, tensor) in outside {
            items.insert(name.clone(), Item::Tensor(builder.input(name, tensor.shape()), None));
        }
        // Constants are known inside as well.
        for (name, item) in &values.items {
            match item {
                Item::Tensor(_, Some(literal)) => {
                    let constant = builder.constant(literal.clone());
                    items.entry(name.clone()).or_insert(Item::Tensor(constant, Some(literal.clone())));
                }
                Item::Text(text) => {
                    items.entry(name.clone()).or_insert(Item::Text(text.clone()));
                }
                Item::Tensor(..) => {}
            }
        }
        let before = self.params.len();
        let mut inside = Values { builder: &builder, items, depth: values.depth + 1 };
        let outputs = self.block(block, &mut inside);
        drop(inside);
        if self.params.len() > before {
            return Err("a block inside of an operation has large constants of its own".into());
        }
        let outputs = outputs.ok_or(MISSING)?;
        let mut graph =
            builder.finish(&outputs.iter().collect::<Vec<_>>()).map_err(|e| Unread(e.to_string()))?;
        graph.remove_dead();
        Ok(graph)
    }

    /// The tensors from outside that blocks read.
    fn outside(blocks: &[message::Block], values: &Values<'_>) -> Vec<(String, Tensor)> {
        let mut read = BTreeSet::new();
        blocks.iter().for_each(|block| names_of(block, &mut read));
        let tensor = |name: &&str| match values.items.get(*name) {
            Some(Item::Tensor(tensor, None)) => Some((name.to_string(), tensor.clone())),
            _ => None,
        };
        read.iter().filter_map(|name| tensor(&name)).collect()
    }

    fn cond(&mut self, operation: &message::Operation, args: &Args<'_>, values: &Values<'_>) -> Read {
        let [then, other] = &operation.blocks[..] else { return Err("a choice has two blocks".into()) };
        let outside = Self::outside(&operation.blocks, values);
        let then_branch = SubGraph::new(self.inner(then, &[], &outside, values)?);
        let else_branch = SubGraph::new(self.inner(other, &[], &outside, values)?);
        let pred = args.x("pred")?;
        let given: Vec<&Tensor> = outside.iter().map(|(_, tensor)| tensor).collect();
        Ok(pred.apply_many(Op::If { then_branch, else_branch }, &given))
    }

    /// What a loop reads from outside is carried along.
    fn while_loop(&mut self, operation: &message::Operation, args: &Args<'_>, values: &Values<'_>) -> Read {
        let [test, step] = &operation.blocks[..] else { return Err("a loop has two blocks".into()) };
        let start = args.list("loop_vars")?;
        let outside = Self::outside(&operation.blocks, values);
        let given = |block: &message::Block| -> Result<Vec<(String, Shape)>, Unread> {
            if block.inputs.len() != start.len() {
                return Err("a block of a loop does not take what is carried".into());
            }
            Ok(block.inputs.iter().zip(&start).map(|(input, x)| (input.name.clone(), x.shape())).collect())
        };
        let cond = self.inner(test, &given(test)?, &outside, values)?;
        let mut body = self.inner(step, &given(step)?, &outside, values)?;
        let mut outputs = body.outputs().to_vec();
        let inputs: Vec<rlx_ir::NodeId> = body.inputs().map(|node| node.id()).collect();
        outputs.extend(&inputs[start.len()..]);
        body.set_outputs(outputs);
        let op = Op::While { cond: SubGraph::new(cond), body: SubGraph::new(body) };
        let carried: Vec<&Tensor> =
            start.iter().copied().chain(outside.iter().map(|(_, tensor)| tensor)).collect();
        let [first, rest @ ..] = &carried[..] else { return Err("a loop carries nothing".into()) };
        let mut results = first.apply_many(op, rest);
        results.truncate(start.len());
        Ok(results)
    }
}

/// The reason of an operation that reads what could not be read.
const MISSING: &str = "a value that it reads is missing";

/// The name of an operation.
fn name_of(operation: &message::Operation) -> &str {
    let attribute = operation.attributes.get("name").and_then(text_of);
    attribute
        .or(operation.outputs.first().map(|output| output.name.as_str()))
        .unwrap_or("an operation without a name")
}

/// The names that the operations of a block read.
fn names_of<'a>(block: &'a message::Block, names: &mut BTreeSet<&'a str>) {
    names.extend(block.outputs.iter().map(String::as_str));
    for operation in &block.operations {
        for argument in operation.inputs.values() {
            for binding in &argument.arguments {
                if let Some(BindingKind::Name(name)) = &binding.binding {
                    names.insert(name);
                }
            }
        }
        operation.blocks.iter().for_each(|block| names_of(block, names));
    }
}

/// The type of an input of a function.
pub(super) fn shape_of(input: &message::NamedValueType) -> Result<Shape, Unread> {
    let ty = input.r#type.as_ref().and_then(tensor_of);
    let (dtype, dims) =
        ty.ok_or_else(|| Unread(format!("the input {} is no tensor of known sizes", input.name)))?;
    let dtype: Option<DType> = super::constants::dtype(dtype);
    Ok(Shape::new(
        &dims,
        dtype.ok_or_else(|| Unread(format!("the input {} is of no type of graphs", input.name)))?,
    ))
}
