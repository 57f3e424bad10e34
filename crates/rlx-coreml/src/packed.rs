//! Replaces packed parameters of a graph by parameters of numbers, which the program stores in packed form.

use rlx_ir::op::Recent;
use rlx_ir::rewrite::rewrite;
use rlx_ir::{DType, Graph, Node, NodeId, Op, OpError, QuantScheme, Shape};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Returns the graph with some packed parameters replaced by f32 `[…, numbers of a row]`, and the formats by the names of these parameters.
/// It replaces parameters that the graph only unpacks in one format: in products, as a whole, or in rows.
///
/// # Errors
/// Fails if a product cannot be decomposed.
pub(crate) fn unpacked(graph: &Graph) -> Result<(Graph, BTreeMap<String, QuantScheme>), OpError> {
    let named = named_formats(graph);
    if named.is_empty() {
        return Ok((graph.clone(), named));
    }
    let products = decomposed(graph, &named)?;
    let graph = products.as_ref().unwrap_or(graph);
    let scheme_of = |node: &Node| match node.op() {
        Op::Param { name } => named.get(name).copied(),
        _ => None,
    };
    let numbers = rewrite(graph, |rw, node, inputs| {
        if let Some(scheme) = scheme_of(node) {
            let shape = numbers_of(node.shape(), scheme);
            return Ok(Some(vec![rw.graph().push(node.op().clone(), Vec::new(), vec![shape])]));
        }
        Ok::<_, OpError>(match (node.op(), inputs) {
            // The node unpacks the parameter, which is now already numbers. The same applies to rows of it.
            (op, &[x]) if op.unpacks().is_some() && rw.shape(x).dtype() == DType::F32 => Some(vec![x]),
            (Op::Embedding {}, &[table, _]) if rw.shape(table).dtype() == DType::F32 => {
                Some(vec![rw.add(Op::Embedding {}, inputs)?])
            }
            _ => None,
        })
    })?;
    Ok((numbers.unwrap_or_else(|| graph.clone()), named))
}

/// Returns the graph with packed parameters unpacked as a whole, if the graph only unpacks them: products with them become an unpacking and
/// a product of numbers, and rows become rows of numbers. Returns `None` if there are none.
///
/// # Errors
/// Fails if a product cannot be decomposed.
pub(crate) fn opened(graph: &Graph) -> Result<Option<Graph>, OpError> {
    let named = named_formats(graph);
    if named.is_empty() {
        return Ok(None);
    }
    let products = decomposed(graph, &named)?;
    let graph = products.as_ref().unwrap_or(graph);
    let rows_of = |id: NodeId| {
        let node = graph.node(id);
        match (node.op(), node.inputs()) {
            (Op::Embedding {}, &[table, ids]) => {
                let name = graph.node(table).name().filter(|name| named.contains_key(*name));
                name.map(|_| (table, ids))
            }
            _ => None,
        }
    };
    let rows = rewrite(graph, |rw, node, _| {
        let rows = node.inputs().first().filter(|_| matches!(node.op().unpacks(), Some((0, _))));
        let Some((table, ids)) = rows.and_then(|&rows| rows_of(rows)) else { return Ok(None) };
        let numbers = rw.add(node.op().clone(), &[rw.mapped(table)])?;
        Ok::<_, OpError>(Some(vec![rw.add(Op::Embedding {}, &[numbers, rw.mapped(ids)])?]))
    })?;
    let Some(mut opened) = rows.or(products) else { return Ok(None) };
    opened.remove_dead();
    Ok(Some(opened))
}

/// Returns the packed parameters that a graph only unpacks, with their formats.
fn named_formats(graph: &Graph) -> BTreeMap<String, QuantScheme> {
    let found = formats(graph);
    found.iter().filter_map(|(id, scheme)| Some((graph.node(*id).name()?.to_string(), *scheme))).collect()
}

/// Returns the shape of the numbers in packed bytes.
fn numbers_of(bytes: &Shape, scheme: QuantScheme) -> Shape {
    let mut dims = bytes.static_dims().unwrap_or_default();
    if let Some(row) = dims.last_mut() {
        *row = *row / scheme.block_bytes() * scheme.block_len();
    }
    Shape::new(&dims, DType::F32)
}

/// Decomposes products with these parameters.
fn decomposed(graph: &Graph, named: &BTreeMap<String, QuantScheme>) -> Result<Option<Graph>, OpError> {
    let mut recent = Recent::default();
    rewrite(graph, |rw, node, inputs| {
        let is_product = node.op().unpacks().is_some_and(|(operand, _)| operand == 1);
        let is_packed = |id: &NodeId| matches!(rw.op(*id), Op::Param { name } if named.contains_key(name));
        if !is_product || !inputs.get(1).is_some_and(is_packed) {
            return Ok(None);
        }
        let operands: Vec<Shape> = inputs.iter().map(|&id| rw.shape(id).clone()).collect();
        let body = recent.decompose(node.op(), &operands)?;
        Ok(Some(rw.graph().inline(&body, inputs)))
    })
}

/// Returns the packed parameters with their formats.
fn formats(graph: &Graph) -> HashMap<NodeId, QuantScheme> {
    let mut found: HashMap<NodeId, QuantScheme> = HashMap::new();
    let mut excluded: Vec<NodeId> = graph.outputs().to_vec();
    let is_packed = |id: NodeId| {
        let node = graph.node(id);
        matches!(node.op(), Op::Param { .. }) && node.shape().dtype() == DType::U8
    };
    // Nodes that look up rows of tables, which must be unpacked in turn.
    let mut rows: HashMap<NodeId, NodeId> = HashMap::new();
    let mut unpacked_rows: HashSet<NodeId> = HashSet::new();
    for node in graph.nodes() {
        for (place, &operand) in node.inputs().iter().enumerate() {
            let table = rows.get(&operand).copied();
            let param = table.or(is_packed(operand).then_some(operand));
            let Some(param) = param else { continue };
            let scheme = match (node.op(), node.op().unpacks()) {
                // Looked-up rows may only be unpacked directly, and not by a product.
                (_, Some((operand, scheme))) if operand == place && (operand == 0 || table.is_none()) => {
                    scheme
                }
                (Op::Embedding {}, _) if place == 0 && table.is_none() => {
                    rows.insert(node.id(), param);
                    continue;
                }
                _ => {
                    excluded.push(param);
                    continue;
                }
            };
            unpacked_rows.insert(operand);
            if *found.entry(param).or_insert(scheme) != scheme {
                excluded.push(param);
            }
        }
    }
    // Bytes that leave the graph are not unpacked.
    let leaving =
        rows.iter().filter(|(row, _)| graph.outputs().contains(row) || !unpacked_rows.contains(row));
    excluded.extend(leaving.map(|(_, param)| *param));
    found.retain(|param, scheme| {
        let row = graph.shape(*param).dims().last().and_then(|row| row.as_static());
        let whole = row.is_some_and(|row| row.is_multiple_of(scheme.block_bytes()));
        whole && !excluded.contains(param)
    });
    found
}
