//! Divides nodes into segments. A segment runs on one side, and reads only segments before it.

use rlx_ir::{Graph, NodeId};

/// Where a segment runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The device.
    Device,
    /// The host.
    Host,
}

/// The nodes of a segment, in graph order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Division {
    pub(crate) place: Side,
    pub(crate) nodes: Vec<NodeId>,
}

/// Divides the nodes that have a place into as few segments with alternating sides as possible. A node without a place is computed in each
/// segment that reads it.
///
/// A node's segment is the first one on its side that is not earlier than the segments of its operands. Both sides are tried as the first,
/// and the better division is returned.
pub(crate) fn divide(graph: &Graph, places: &[Option<Side>]) -> Vec<Division> {
    let first = |first: Side| {
        let mut levels: Vec<Option<usize>> = Vec::with_capacity(places.len());
        let mut segments: Vec<Division> = Vec::new();
        for (node, place) in graph.nodes().iter().zip(places) {
            let latest = node.inputs().iter().filter_map(|id| levels[id.index()]).max().unwrap_or(0);
            let Some(place) = *place else {
                levels.push(None);
                continue;
            };
            let is_of_level = (place == first) == latest.is_multiple_of(2);
            let level = latest + usize::from(!is_of_level);
            while segments.len() <= level {
                let place = if segments.len().is_multiple_of(2) { first } else { other(first) };
                segments.push(Division { place, nodes: Vec::new() });
            }
            segments[level].nodes.push(node.id());
            levels.push(Some(level));
        }
        segments.retain(|segment| !segment.nodes.is_empty());
        segments
    };
    let (device, host) = (first(Side::Device), first(Side::Host));
    if host.len() < device.len() { host } else { device }
}

fn other(place: Side) -> Side {
    match place {
        Side::Device => Side::Host,
        Side::Host => Side::Device,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{Builder, DType, Op, Shape, Tensor};

    /// Divides chains with the given sides that meet in a node on the device.
    fn divided(chains: &[&str]) -> Vec<(Side, usize)> {
        let b = Builder::new("chains");
        let shape = Shape::new(&[2], DType::F32);
        let ends: Vec<Tensor> = chains
            .iter()
            .enumerate()
            .map(|(i, chain)| {
                // Only the host runs sines.
                let x = b.input(format!("x{i}"), shape.clone());
                chain.chars().fold(x, |x, side| if side == 'h' { x.sin() } else { x.exp() })
            })
            .collect();
        let sum = ends.iter().skip(1).fold(ends[0].clone(), |sum, end| &sum + end);
        let graph = b.finish(&[&sum]).unwrap();
        let place = |op: &Op| match op {
            Op::Input { .. } => None,
            op if op.mnemonic() == "sin" => Some(Side::Host),
            _ => Some(Side::Device),
        };
        let places: Vec<Option<Side>> = graph.nodes().iter().map(|node| place(node.op())).collect();
        divide(&graph, &places).iter().map(|segment| (segment.place, segment.nodes.len())).collect()
    }

    #[test]
    fn segments_are_as_few_as_the_longest_alternation() {
        use Side::{Device, Host};
        assert_eq!(divided(&["dd"]), [(Device, 2)]);
        assert_eq!(divided(&["hh"]), [(Host, 2)]);
        assert_eq!(divided(&["dhd", "hdd"]), [(Device, 1), (Host, 2), (Device, 4)]);
        // Each chain alternates twice. If the host begins, they form two segments with the sum instead of three.
        assert_eq!(divided(&["hd", "hd"]), [(Host, 2), (Device, 3)]);
        assert_eq!(divided(&["dh", "hd", "h"]), [(Device, 1), (Host, 3), (Device, 3)]);
    }
}
