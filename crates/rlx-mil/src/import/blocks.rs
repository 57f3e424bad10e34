//! Reads blocks of operations: values by name, constants, and states.

use super::args::{Args, Item, MISSING, Read, Room, Unread};
use super::compressed::{self, Given};
use super::constants::{Constants, Stored};
use super::{
    contraction, elementwise, fold, images, indexing, lists, randoms, recurrent, reduction, shaping,
    suppression,
};
use crate::message::{self, BindingKind};
use crate::types::{data_type_of, dims_of, text_of};
use rlx_ir::{Builder, DType, Shape, Tensor};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The families of operations.
pub(super) const FAMILIES: [fn(&str, &Args<'_>) -> Option<Read>; 10] = [
    elementwise::read,
    shaping::read,
    indexing::read,
    reduction::read,
    contraction::read,
    recurrent::read,
    images::read,
    randoms::read,
    lists::read,
    suppression::read,
];

/// Reads blocks.
pub(super) struct Blocks<'c, 'a> {
    pub(super) constants: &'c Constants<'a>,
    /// Messages about everything that could not be read.
    pub(super) problems: Vec<String>,
    /// Tensors of the weights file that are parameters of the graph.
    pub(super) params: Vec<(String, Rc<Stored>)>,
    /// Names of inputs and parameters, each with how often it was requested again.
    pub(super) taken: HashMap<String, usize>,
    /// The values of the states, and whether the function has changed them.
    pub(super) states: BTreeMap<String, (Tensor, bool)>,
    pub(super) room: Rc<Room>,
}

/// The values of a block that is being read, by name.
pub(super) struct Values<'a> {
    pub(super) builder: &'a Builder,
    pub(super) items: HashMap<String, Item>,
    pub(super) depth: usize,
}

impl Blocks<'_, '_> {
    /// Reads the operations of a block, and returns its outputs.
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
                    // An operation that reads a missing value is not a separate problem.
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
        let output = |name: &String| match self.value(name, values) {
            Ok(Item::Tensor(tensor, _)) => Some(tensor),
            _ => None,
        };
        let outputs: Option<Vec<Tensor>> = block.outputs.iter().map(output).collect();
        if outputs.is_none() && complete {
            self.problems
                .push(format!("an output of a block is not among its values: {}", block.outputs.join(", ")));
        }
        outputs
    }

    fn operation(
        &mut self,
        operation: &message::Operation,
        values: &mut Values<'_>,
    ) -> Result<Vec<Item>, Unread> {
        let kind = operation.r#type.as_str();
        match kind {
            "const" => return Ok(vec![self.constant(operation)?]),
            "read_state" => return self.read_state(operation, values),
            "coreml_update_state" | "write_state" => return self.update_state(operation, values),
            _ if compressed::is_compressed(kind) => return self.compressed(operation, values),
            _ => {}
        }
        let mut items = BTreeMap::new();
        for (place, argument) in &operation.inputs {
            let mut list = Vec::new();
            for binding in &argument.arguments {
                list.push(match &binding.binding {
                    Some(BindingKind::Name(name)) => self.value(name, values)?,
                    Some(BindingKind::Value(value)) => {
                        let item = self.item(value)?;
                        self.placed(item, name_of(operation), values)?
                    }
                    None => return Err(format!("the argument `{place}` is empty").into()),
                });
            }
            items.insert(place.as_str(), list);
        }
        let room = Rc::clone(&self.room);
        let args = Args { builder: values.builder, room: &room, items };
        if let Some(literals) = fold::known(kind, &args, &operation.outputs) {
            let known = |literal| {
                Item::Tensor(values.builder.constant(rlx_ir::Literal::clone(&literal)), Some(literal))
            };
            return Ok(literals.into_iter().map(known).collect());
        }
        let results = match kind {
            "cond" => self.cond(operation, &args, values)?,
            "while_loop" => self.while_loop(operation, &args, values)?,
            kind => FAMILIES
                .iter()
                .find_map(|read| read(kind, &args))
                .unwrap_or_else(|| Err("graphs have no ops for this operation".into()))?,
        };
        // A tensor without a node has its own error, which the graph reports at the end.
        let failed = results.iter().find(|result| result.id().is_none()).cloned();
        if results.len() < operation.outputs.len() && failed.is_none() {
            return Err("it declares more outputs than the operation has".into());
        }
        let results = match failed {
            Some(failed) => vec![failed; operation.outputs.len()],
            None => results,
        };
        let pairs = results.into_iter().zip(&operation.outputs);
        pairs.map(|(result, declared)| Ok(Item::Tensor(held(result, declared)?, None))).collect()
    }

    /// Returns the value with a name.
    pub(super) fn value(&mut self, name: &str, values: &mut Values<'_>) -> Result<Item, Unread> {
        let item = values.items.get(name).cloned().ok_or(MISSING)?;
        let Item::Stored(_) = item else { return Ok(item) };
        let placed = self.placed(item, name, values)?;
        values.items.insert(name.into(), placed.clone());
        Ok(placed)
    }

    /// Reads a constant of the program.
    fn constant(&mut self, operation: &message::Operation) -> Result<Item, Unread> {
        self.item(operation.attributes.get("val").ok_or("a constant has no value")?)
    }

    /// Reads a value that is stored in the program or in the weights file.
    fn item(&self, value: &message::Value) -> Result<Item, Unread> {
        match text_of(value) {
            Some(text) => Ok(Item::Text(text.to_string())),
            None => Ok(Item::Stored(Rc::new(self.constants.stored(value)?))),
        }
    }

    /// Adds a constant to the graph: small ones as constants, large ones as parameters, which only functions have.
    fn placed(&mut self, item: Item, name: &str, values: &Values<'_>) -> Result<Item, Unread> {
        let Item::Stored(stored) = item else { return Ok(item) };
        if !stored.is_param() || values.depth > 0 {
            let literal = self.constants.literal(&stored)?;
            return Ok(Item::Tensor(values.builder.constant(literal.clone()), Some(literal)));
        }
        let mut unique = name.to_string();
        while self.taken.contains_key(&unique) {
            let again = self.taken.entry(name.to_string()).or_default();
            *again += 1;
            unique = format!("{name}_{again}");
        }
        self.taken.insert(unique.clone(), 0);
        let param = values.builder.param(&unique, stored.shape()?);
        self.params.push((unique, stored));
        Ok(Item::Tensor(param, None))
    }

    /// Reads a compressed constant.
    fn compressed(
        &mut self,
        operation: &message::Operation,
        values: &Values<'_>,
    ) -> Result<Vec<Item>, Unread> {
        let mut given: Given<'_> = BTreeMap::new();
        let mut give = |place, item| match item {
            Item::Stored(stored) => {
                given.insert(place, stored);
                Ok(())
            }
            Item::Tensor(_, Some(literal)) => {
                Stored::of(&literal).map(|x| drop(given.insert(place, Rc::new(x))))
            }
            Item::Text(_) => Ok(()),
            Item::Tensor(_, None) => Err(Unread(format!("the parameter `{place}` is not a constant"))),
        };
        for (place, argument) in &operation.inputs {
            for binding in &argument.arguments {
                let item = match &binding.binding {
                    Some(BindingKind::Name(name)) => values.items.get(name).cloned().ok_or(MISSING)?,
                    Some(BindingKind::Value(value)) => self.item(value)?,
                    None => return Err(format!("the argument `{place}` is empty").into()),
                };
                give(place.as_str(), item)?;
            }
        }
        for (place, value) in &operation.attributes {
            if place != "name" {
                give(place.as_str(), self.item(value)?)?;
            }
        }
        let made = compressed::read(&operation.r#type, &given, self.constants)?;
        let declared = operation.outputs.first().and_then(|output| output.r#type.as_ref()).and_then(dims_of);
        match (made.first(), declared) {
            (Some(first), Some(dims)) if first.dims != dims => {
                Err(format!("it computes {:?}, but the program declares {dims:?}", first.dims).into())
            }
            _ => Ok(made.into_iter().map(|stored| Item::Stored(Rc::new(stored))).collect()),
        }
    }

    /// Returns the state that an operation names.
    fn state(
        &self,
        operation: &message::Operation,
        place: &str,
        values: &Values<'_>,
    ) -> Result<String, Unread> {
        if values.depth > 0 {
            return Err("states can only be read and changed by functions, not in other operations".into());
        }
        let binding = operation.inputs.get(place).and_then(|argument| argument.arguments.first());
        match binding.and_then(|binding| binding.binding.as_ref()) {
            Some(BindingKind::Name(name)) if self.states.contains_key(name) => Ok(name.clone()),
            _ => Err(format!("`{place}` is not a state of the function").into()),
        }
    }

    fn read_state(&self, operation: &message::Operation, values: &Values<'_>) -> Result<Vec<Item>, Unread> {
        let state = self.state(operation, "input", values)?;
        let (tensor, _) = self.states.get(&state).ok_or(MISSING)?;
        Ok(vec![Item::Tensor(tensor.clone(), None)])
    }

    fn update_state(
        &mut self,
        operation: &message::Operation,
        values: &mut Values<'_>,
    ) -> Result<Vec<Item>, Unread> {
        let is_plain = operation.r#type == "write_state";
        let (state, value) = if is_plain { ("input", "data") } else { ("state", "value") };
        let state = self.state(operation, state, values)?;
        let binding = operation.inputs.get(value).and_then(|argument| argument.arguments.first());
        let item = match binding.and_then(|binding| binding.binding.as_ref()) {
            Some(BindingKind::Name(name)) => self.value(name, values)?,
            _ => return Err("the new value of a state is missing".into()),
        };
        let Item::Tensor(tensor, _) = &item else {
            return Err("the new value of a state is not a tensor".into());
        };
        let held = self.states.get(&state).map(|(held, _)| held.shape());
        if held.is_none_or(|held| held != tensor.shape()) {
            return Err("the new value of a state has another type".into());
        }
        self.states.insert(state, (tensor.clone(), true));
        Ok(vec![item])
    }
}

/// Adapts a result to its declared type, if a conversion was omitted. Fails if its sizes differ.
fn held(result: Tensor, declared: &message::NamedValueType) -> Result<Tensor, Unread> {
    let Some(ty) = &declared.r#type else { return Ok(result) };
    let Some(data_type) = data_type_of(ty) else { return Ok(result) };
    let dtype = super::constants::dtype(data_type).ok_or("a result has an unsupported type")?;
    let result = if result.dtype() == dtype { result } else { result.convert(dtype) };
    match (result.shape().static_dims(), dims_of(ty)) {
        (Some(made), Some(dims)) if result.id().is_some() && made != dims => {
            Err(Unread(format!("it computes {made:?}, but the program declares {dims:?}")))
        }
        _ => Ok(result),
    }
}

/// Returns the name of an operation.
fn name_of(operation: &message::Operation) -> &str {
    let attribute = operation.attributes.get("name").and_then(text_of);
    attribute
        .or(operation.outputs.first().map(|output| output.name.as_str()))
        .unwrap_or("an operation without a name")
}

/// Returns the type of an input of a function, or of a state's value. `sizes` applies if the program leaves the sizes open.
pub(super) fn shape_of(
    name: &str,
    ty: &message::ValueType,
    sizes: Option<&[usize]>,
) -> Result<Shape, Unread> {
    let data_type = data_type_of(ty).ok_or_else(|| Unread(format!("the input {name} is not a tensor")))?;
    let dtype: Option<DType> = super::constants::dtype(data_type);
    let dtype = dtype.ok_or_else(|| Unread(format!("the input {name} has an unsupported type")))?;
    let open = crate::types::open_dims_of(ty).unwrap_or_default();
    let dims: Option<Vec<usize>> = match sizes {
        None => open.iter().copied().collect(),
        Some(sizes) => {
            let fits = |(open, &size): (&Option<usize>, &usize)| {
                open.is_none_or(|open| open == size).then_some(size)
            };
            let dims = open.iter().zip(sizes).map(fits).collect();
            if open.len() == sizes.len() { dims } else { None }
        }
    };
    let text = || open.iter().map(|n| n.map_or("?".into(), |n| n.to_string())).collect::<Vec<_>>().join(", ");
    match (dims, sizes) {
        (Some(dims), _) => Ok(Shape::new(&dims, dtype)),
        (None, None) => Err(Unread(format!("the input {name} has sizes that are not fixed: [{}]", text()))),
        (None, Some(sizes)) => Err(Unread(format!("the input {name} is [{}], not {sizes:?}", text()))),
    }
}
