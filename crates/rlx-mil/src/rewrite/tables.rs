//! Converts a parameter that is used as a lookup table, instead of the rows that are looked up. This way it is stored once, in the type
//! that is computed with.

use rlx_ir::rewrite::rewrite;
use rlx_ir::{Graph, Op, OpError};

/// Returns the graph with lookups in parameters that already have the type to which the results are converted, or `None` if nothing
/// changes.
///
/// # Errors
/// Fails if an op cannot be defined on the new types.
pub fn with_converted_tables(graph: &Graph) -> Result<Option<Graph>, OpError> {
    rewrite(graph, |rw, node, inputs| {
        let (Op::Convert { dtype }, &[rows]) = (node.op(), inputs) else { return Ok(None) };
        let (Op::Embedding {}, &[table, places]) = (rw.op(rows), rw.node(rows).inputs()) else {
            return Ok(None);
        };
        if !matches!(rw.op(table), Op::Param { .. }) || !dtype.is_float() {
            return Ok(None);
        }
        let converted = rw.add(node.op().clone(), &[table])?;
        Ok::<_, OpError>(Some(vec![rw.add(Op::Embedding {}, &[converted, places])?]))
    })
}
