//! Writes parameters that are packed blocks as constants that stay packed in the file. The graph unpacks such a parameter; in the program,
//! the constant has the unpacked numbers.

use super::value::{Elem, Held, Known};
use super::writer::{ProgramWriter, Written};
use rlx_ir::{DType, Graph, NodeId, Op, QuantScheme, Shape};
use std::collections::{BTreeMap, HashSet};

/// Returns the parameters of a graph that are packed blocks of one format each and are only unpacked.
pub fn packed_params(graph: &Graph) -> BTreeMap<String, QuantScheme> {
    let mut found: BTreeMap<String, QuantScheme> = BTreeMap::new();
    let name_of = |id: NodeId| {
        let node = graph.node(id);
        let is_bytes = matches!(node.op(), Op::Param { .. }) && node.shape().dtype() == DType::U8;
        node.name().filter(|_| is_bytes)
    };
    let mut others: HashSet<&str> = graph.outputs().iter().filter_map(|&id| name_of(id)).collect();
    for node in graph.nodes() {
        for (place, &operand) in node.inputs().iter().enumerate() {
            let Some(name) = name_of(operand) else { continue };
            match node.op().unpacks() {
                Some((0, scheme)) if place == 0 && *found.entry(name.into()).or_insert(scheme) == scheme => {}
                _ => _ = others.insert(name),
            }
        }
    }
    found.retain(|name, _| !others.contains(name.as_str()));
    found
}

/// Writes the numbers of packed bytes as a constant, because programs have no bitwise operations.
pub(super) fn unpacked(w: &mut ProgramWriter, scheme: QuantScheme, x: &Held, result: &Shape) -> Written {
    let Some(Known::Param { name, stored: DType::U8, .. }) = x.var.known.clone().filter(|_| x.is_whole())
    else {
        return Err("programs can only unpack parameters".into());
    };
    if w.packed.as_ref().is_some_and(|packed| packed.get(&*name) != Some(&scheme)) {
        return Err("a packed parameter must be unpacked in one format and not be read otherwise".into());
    }
    let (elem, dims) = super::value::sizes(result)?;
    if elem != Elem::F32 {
        return Err("blocks can only be unpacked to f32".into());
    }
    let numbers = w.once(format!("the numbers of {name}"), |w| {
        let known = Known::Param { name: name.clone(), stored: DType::F32, packed: Some(scheme) };
        w.known(known, elem, dims, &name)
    });
    Ok(vec![Held::whole(numbers)])
}
