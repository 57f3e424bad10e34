//! Keys of ops: bytes with which passes find nodes that compute the same values.

use crate::dim::Dim;
use crate::graph::Graph;
use crate::literal::Literal;
use crate::op::Op;
use crate::shape::Shape;
use std::fmt::Display;

/// Constants with more bytes than this are compared by address.
const MAX_COMPARED: usize = 256;

/// A key under construction. While the values that it was made from are alive, two keys are equal only if those values are the
/// same: floats are compared by their bits, and graphs inside ops without names and labels.
#[derive(Clone, Default, Debug)]
pub struct Key(Vec<u8>);

impl Key {
    /// Clears the key, keeping its memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        // Most numbers are small and take one byte; others are marked with 255 and written in full.
        match u8::try_from(number) {
            Ok(small @ 0..=254) => self.0.push(small),
            _ => {
                self.0.push(255);
                self.0.extend(number.to_le_bytes());
            }
        }
    }

    /// Adds the length of `bytes`, then the bytes.
    pub fn text(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// Adds a value by its text form.
    pub(crate) fn display(&mut self, value: &dyn Display) {
        self.text(value.to_string().as_bytes());
    }

    /// Adds a dimension.
    pub fn dim(&mut self, dim: &Dim) {
        match dim {
            Dim::Static(size) => {
                self.0.push(0);
                self.number(*size as u64);
            }
            Dim::Dynamic(symbol) => {
                self.0.push(1);
                self.text(symbol.name().as_bytes());
            }
            Dim::Expr(_) => {
                self.0.push(2);
                self.display(dim);
            }
        }
    }

    /// Adds a shape.
    pub fn shape(&mut self, shape: &Shape) {
        self.0.push(shape.dtype() as u8);
        self.number(shape.rank() as u64);
        shape.dims().iter().for_each(|dim| self.dim(dim));
    }

    pub(crate) fn literal(&mut self, value: &Literal) {
        self.shape(value.shape());
        if value.bytes().len() <= MAX_COMPARED {
            self.0.extend(value.bytes());
        } else {
            self.number(value.bytes().as_ptr().addr() as u64);
        }
    }

    /// Adds an op with its attributes.
    pub fn op(&mut self, op: &Op) {
        self.number(op.kind() as u64);
        op.attributes_to_key(self);
    }

    pub(crate) fn graph(&mut self, graph: &Graph) {
        self.number(graph.nodes().len() as u64);
        for node in graph.nodes() {
            match node.op() {
                Op::Input { .. } => self.number(node.op().kind() as u64),
                op => self.op(op),
            }
            self.number(node.results().len() as u64);
            node.results().iter().for_each(|shape| self.shape(shape));
            self.number(node.inputs().len() as u64);
            node.inputs().iter().for_each(|input| self.number(input.index() as u64));
        }
        self.number(graph.outputs().len() as u64);
        graph.outputs().iter().for_each(|output| self.number(output.index() as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, DType, SubGraph};

    fn key(op: &Op) -> Vec<u8> {
        let mut key = Key::default();
        key.op(op);
        key.bytes().to_vec()
    }

    #[test]
    fn floats_are_told_apart_by_their_bits() {
        let norm = |eps: f64| key(&Op::RmsNorm { axis: 1, eps });
        assert_ne!(norm(0.0), norm(-0.0));
        assert_eq!(norm(f64::NAN), norm(f64::NAN));
        assert_ne!(norm(1e-5), norm(1e-6));
    }

    #[test]
    fn lists_do_not_run_into_each_other() {
        let broadcast = |dims: &[usize], axes: &[usize]| {
            let dims = dims.iter().map(|&n| Dim::Static(n)).collect();
            key(&Op::BroadcastInDim { dims, axes: axes.to_vec() })
        };
        assert_ne!(broadcast(&[2, 1], &[]), broadcast(&[2], &[1]));
        assert_ne!(broadcast(&[254], &[]), broadcast(&[255], &[]));
        assert_ne!(broadcast(&[255], &[]), broadcast(&[256], &[]));
    }

    #[test]
    fn names_and_labels_of_graphs_inside_make_no_difference() {
        let body = |name: &str, op: BinaryOp| {
            let mut graph = Graph::new(name);
            let shape = Shape::scalar(DType::F32);
            let (a, b) = (graph.input(format!("{name}0"), shape.clone()), graph.input("b", shape.clone()));
            graph.set_label(name);
            let result = graph.binary(op, a, b, shape);
            graph.set_outputs(vec![result]);
            key(&Op::ReduceGraph { axes: vec![0], body: SubGraph::new(graph) })
        };
        assert_eq!(body("x", BinaryOp::Add), body("y", BinaryOp::Add));
        assert_ne!(body("x", BinaryOp::Add), body("x", BinaryOp::Mul));
    }
}
