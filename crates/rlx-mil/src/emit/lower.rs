//! Lowers written blocks to messages: drops operations that nothing reads, and turns constants into operations. Small constants store their
//! elements in the operation, large ones in the weights file.

use super::compressed::ParamValue;
use super::constants::{ParamBytes, value_of};
use super::state::WRITE;
use super::unpacking::Unpacking;
use super::value::{Elem, Known, Var};
use super::writer::{Arg, Const, Operation, Opset, WrittenBlock};
use crate::blob::{BlobError, BlobType, Blobs};
use crate::message::{self, ValueTypeKind};
use crate::types::{self, data_type};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Minimum number of elements of constants in the weights file.
const IN_FILE: usize = 10;

/// Converts blocks to messages.
pub(crate) struct Lowering<'a, 'p> {
    opset: Opset,
    params: &'a ParamBytes<'a, 'p>,
    /// The destination of constants that are not stored in the program.
    weights: &'a mut Blobs<'p>,
    /// Packed parameters that are not packed in the program, and why.
    pub(crate) unpacked: Vec<(String, String)>,
    /// For each open block, the names of the constants that are settings of operations, by type and value.
    constants: Vec<HashMap<String, Arc<str>>>,
    taken: HashSet<Arc<str>>,
}

impl<'a, 'p> Lowering<'a, 'p> {
    /// Creates the lowering of a function with these inputs.
    pub(crate) fn new(
        opset: Opset,
        taken: &[Var],
        params: &'a ParamBytes<'a, 'p>,
        weights: &'a mut Blobs<'p>,
    ) -> Lowering<'a, 'p> {
        let (unpacked, constants) = (Vec::new(), Vec::new());
        let taken = taken.iter().map(|var| var.name.clone()).collect();
        Lowering { opset, params, weights, unpacked, constants, taken }
    }

    /// Lowers a block with the operations that its outputs need.
    pub(crate) fn block(&mut self, block: &WrittenBlock) -> Result<message::Block, String> {
        let live = live(&block.operations, &block.outputs);
        self.taken
            .extend(block.operations.iter().flat_map(|op| op.outputs.iter().map(|var| var.name.clone())));
        self.constants.push(HashMap::new());
        let mut operations = Vec::new();
        for (operation, _) in block.operations.iter().zip(live).filter(|(_, live)| *live) {
            let lowered = self.operation(operation, &mut operations);
            operations.push(lowered?);
        }
        self.constants.pop();
        Ok(message::Block {
            inputs: block.inputs.iter().map(named).collect(),
            outputs: block.outputs.iter().map(|var| var.name.to_string()).collect(),
            operations,
            attributes: BTreeMap::new(),
        })
    }

    fn operation(
        &mut self,
        operation: &Operation,
        before: &mut Vec<message::Operation>,
    ) -> Result<message::Operation, String> {
        if let ("const", [var]) = (operation.kind, &operation.outputs[..]) {
            return self.constant(var, before);
        }
        let mut inputs = BTreeMap::new();
        for (place, arg) in &operation.inputs {
            let names: Vec<Arc<str>> = match arg {
                Arg::Vars(names) => names.clone(),
                Arg::Constant(constant) => vec![self.setting(&operation.name, place, constant, before)],
            };
            let binding = |name: Arc<str>| message::Binding {
                binding: Some(message::BindingKind::Name(name.to_string())),
            };
            inputs.insert(
                place.to_string(),
                message::Argument { arguments: names.into_iter().map(binding).collect() },
            );
        }
        Ok(message::Operation {
            r#type: operation.kind.into(),
            inputs,
            outputs: operation.outputs.iter().map(named).collect(),
            blocks: operation.blocks.iter().map(|block| self.block(block)).collect::<Result<_, _>>()?,
            attributes: BTreeMap::from([("name".into(), types::text(&operation.name))]),
        })
    }

    /// Returns the operation for a constant. Operations that it needs are added before it.
    fn constant(
        &mut self,
        var: &Var,
        before: &mut Vec<message::Operation>,
    ) -> Result<message::Operation, String> {
        let known =
            var.known.as_ref().ok_or_else(|| format!("the constant `{}` has no elements", var.name))?;
        let count: usize = var.dims.iter().product();
        if let Some(operation) = self.packed(known, var, before)? {
            return Ok(operation);
        }
        let ty = tensor(var.elem, &var.dims);
        // Weights files cannot store booleans.
        if count < IN_FILE || var.elem == Elem::Bool {
            let bytes = known.bytes(var.elem, self.params)?;
            return Ok(constant(&var.name, types::tensor_value(ty, data_type(var.elem), &bytes)));
        }
        let in_file = match var.elem {
            Elem::F16 => BlobType::F16,
            Elem::F32 => BlobType::F32,
            Elem::I32 => BlobType::I32,
            Elem::Bool | Elem::U8 => BlobType::U8,
            Elem::I8 => BlobType::I8,
        };
        let source = known.source(var.elem, count, self.params)?;
        let count = count as u64;
        let at = match known {
            // Functions share parameters.
            Known::Param { name, stored, packed } => {
                let identity = value_of(self.params, name, *packed)?.identity();
                let identity = format!("{in_file} of {stored} of {identity}");
                self.weights.add_named(identity, in_file, count, || source)
            }
            _ => self.weights.add(in_file, count, source),
        };
        let at = at.map_err(|e| told(&var.name, &e))?;
        Ok(constant(&var.name, types::blob_value(ty, at)))
    }

    /// Returns the operation for a parameter that stays packed.
    fn packed(
        &mut self,
        known: &Known,
        var: &Var,
        before: &mut Vec<message::Operation>,
    ) -> Result<Option<message::Operation>, String> {
        let Known::Param { name, packed, .. } = known else { return Ok(None) };
        let param = value_of(self.params, name, *packed)?;
        let ParamValue::Packed(value) = &param else { return Ok(None) };
        value.check(var.dims.iter().product(), name)?;
        let form = match value.form(self.opset, var.elem, &var.dims) {
            Ok(form) => form,
            Err(reason) => {
                self.unpacked.push((name.to_string(), reason));
                return Ok(None);
            }
        };
        let between = form.between().into_iter();
        let names = between.map(|value| self.free(&format!("{}_{value}", var.name))).collect();
        let (opset, elem, dims) = (self.opset, var.elem, &var.dims[..]);
        let identity = param.identity();
        let unpacking = Unpacking { opset, elem, dims, weights: self.weights, identity, names };
        let written = unpacking.operations(value, &form, &var.name);
        let mut operations = written.map_err(|e| told(name, &e))?;
        let last = operations.pop();
        before.extend(operations);
        Ok(last)
    }

    /// Returns a name that is not in use.
    fn free(&mut self, like: &str) -> Arc<str> {
        let mut name: Arc<str> = like.into();
        let mut number = 0;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{like}_{number}").into();
        }
        name
    }

    /// Returns the name of a constant that is a setting of an operation.
    fn setting(
        &mut self,
        operation: &str,
        place: &str,
        setting: &Const,
        before: &mut Vec<message::Operation>,
    ) -> Arc<str> {
        let key = format!("{setting:?}");
        if let Some(name) = self.constants.iter().find_map(|constants| constants.get(&key)) {
            return name.clone();
        }
        let name = self.free(&format!("{operation}_{place}"));
        before.push(constant(&name, types::setting(setting)));
        if let Some(constants) = self.constants.last_mut() {
            constants.insert(key, name.clone());
        }
        name
    }
}

/// Describes what is wrong with the elements of a constant.
fn told(name: &str, error: &BlobError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("the constant `{name}`: {error}: {source}"),
        None => format!("the constant `{name}`: {error}"),
    }
}

/// Returns the operation for a constant.
fn constant(name: &str, value: message::Value) -> message::Operation {
    let ty = value.r#type.clone();
    message::Operation {
        r#type: "const".into(),
        inputs: BTreeMap::new(),
        outputs: vec![message::NamedValueType { name: name.into(), r#type: ty }],
        blocks: Vec::new(),
        attributes: BTreeMap::from([("name".into(), types::text(name)), ("val".into(), value)]),
    }
}

/// Returns a value and its type.
pub(crate) fn named(var: &Var) -> message::NamedValueType {
    message::NamedValueType { name: var.name.to_string(), r#type: Some(tensor(var.elem, &var.dims)) }
}

/// Returns the type of a tensor.
pub(crate) fn tensor(elem: Elem, dims: &[usize]) -> message::ValueType {
    message::ValueType { r#type: Some(ValueTypeKind::TensorType(types::tensor_type(data_type(elem), dims))) }
}

/// For each operation, returns whether an output of the block needs it.
fn live(operations: &[Operation], outputs: &[Var]) -> Vec<bool> {
    let mut read: HashSet<&str> = outputs.iter().map(|var| &*var.name).collect();
    let mut live = vec![false; operations.len()];
    for (operation, live) in operations.iter().zip(&mut live).rev() {
        *live = operation.kind == WRITE || operation.outputs.iter().any(|var| read.contains(&*var.name));
        if *live {
            reads(operation, &mut read);
        }
    }
    live
}

/// Adds the values that an operation reads, including those in nested blocks.
fn reads<'a>(operation: &'a Operation, read: &mut HashSet<&'a str>) {
    for (_, arg) in &operation.inputs {
        if let Arg::Vars(names) = arg {
            read.extend(names.iter().map(|name| &**name));
        }
    }
    for block in &operation.blocks {
        read.extend(block.outputs.iter().map(|var| &*var.name));
        block.operations.iter().for_each(|operation| reads(operation, read));
    }
}
