//! Writes states: values that a model keeps between its runs. In a graph, they are inputs with next values that are outputs; a function
//! reads them, and writes the next value as soon as it is known. Operations that follow read the state again, as CoreML's own converter
//! does.

use super::value::{Elem, Held, Var, sizes};
use super::writer::{Dialect, Opset, ProgramWriter};
use super::{Feature, lower};
use crate::message;
use rlx_ir::{Node, NodeId, Shape};
use std::sync::Arc;

/// The operation that changes a state; it has no result.
pub(super) const WRITE: &str = "write_state";

/// An input of a graph that is a state, with the output that is its next value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatePair {
    /// The index of the input.
    pub input: usize,
    /// The index of the output.
    pub output: usize,
}

impl StatePair {
    /// Returns the pair of an input.
    pub(super) fn of_input(pairs: &[StatePair], input: usize) -> Option<StatePair> {
        pairs.iter().find(|pair| pair.input == input).copied()
    }
}

/// Whether programs of a dialect can keep values of this shape between runs without changing their elements.
pub fn is_kept(shape: &Shape, dialect: Dialect) -> bool {
    held(shape, dialect.opset, false).is_ok()
}

/// Returns the element type and sizes of a state.
fn held(shape: &Shape, opset: Opset, is_half: bool) -> Result<(Elem, Vec<usize>), String> {
    if opset < Opset::Ios18 {
        return Err("it is a state, which programs have from iOS 18 on".into());
    }
    let (elem, dims) = sizes(shape)?;
    // In f16 programs, states are f16 like all computed values.
    if elem != Elem::F16 && !(elem == Elem::F32 && is_half) {
        let dtype = shape.dtype();
        return Err(format!(
            "it is a state of {dtype}, and those of CoreML are f16: keep it in f16, or compute in f16"
        ));
    }
    if dims.is_empty() {
        return Err("it is a state without axes, but those of CoreML have at least one".into());
    }
    Ok((elem, dims))
}

/// The states of a function.
#[derive(Default)]
pub(super) struct StateUpdates(Vec<KeptState>);

struct KeptState {
    /// Its name in the function.
    name: Arc<str>,
    dims: Vec<usize>,
    /// The node that computes its next value, or `None` if the value does not change.
    next: Option<NodeId>,
}

impl StateUpdates {
    /// Reads a state, which is the input `node` of a graph and has this node as its next value.
    pub(super) fn read(
        &mut self,
        w: &mut ProgramWriter,
        name: &str,
        node: &Node,
        next: Option<NodeId>,
    ) -> Result<Held, String> {
        let (elem, dims) = held(node.shape(), w.opset, w.half_scores)?;
        let name = w.name(name);
        let next = next.filter(|&next| next != node.id());
        self.0.push(KeptState { name: name.clone(), dims: dims.clone(), next });
        Ok(Held::whole(value(w, &name, &dims, elem)))
    }

    /// Writes the states with this node as next value, and replaces the value by the state's new contents.
    pub(super) fn write(&self, w: &mut ProgramWriter, node: NodeId, held: &mut Held) {
        for KeptState { name, dims, .. } in self.0.iter().filter(|state| state.next == Some(node)) {
            let elem = held.elem();
            let full = w.full(held);
            let next = w.cast(&full, Elem::F16);
            let state = Var { name: name.clone(), elem: Elem::F16, dims: dims.clone(), known: None };
            w.results(
                WRITE,
                vec![("input", (&state).into()), ("data", (&next).into())],
                Vec::new(),
                Vec::new(),
            );
            *held = Held::whole(value(w, name, dims, elem));
        }
    }

    /// Returns the states as inputs of the function.
    pub(super) fn inputs(&self) -> impl Iterator<Item = message::NamedValueType> {
        self.0.iter().map(|KeptState { name, dims, .. }| {
            let wrapped = lower::tensor(Elem::F16, dims);
            let state = message::StateType { wrapped_type: Some(wrapped) };
            let ty = message::ValueType { r#type: Some(message::ValueTypeKind::StateType(state.into())) };
            message::NamedValueType { name: name.to_string(), r#type: Some(ty) }
        })
    }

    /// Returns the states as the model describes them.
    pub(super) fn features(&self) -> Vec<Feature> {
        let feature = |KeptState { name, dims, .. }: &KeptState| Feature {
            name: name.to_string(),
            dtype: Elem::F16.dtype(),
            dims: dims.clone(),
        };
        self.0.iter().map(feature).collect()
    }
}

/// Reads the value of a state in this type.
fn value(w: &mut ProgramWriter, name: &Arc<str>, dims: &[usize], elem: Elem) -> Var {
    let state = Var { name: name.clone(), elem: Elem::F16, dims: dims.to_vec(), known: None };
    let held = w.op("read_state", [("input", (&state).into())], Elem::F16, dims.to_vec());
    w.cast(&held, elem)
}
