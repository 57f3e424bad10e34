//! Sums of products as products of matrices: what rows, columns and batches are, and where the factors lie. A convolution is one whose
//! rows are places of the window, and whose sums run over the window and the features.

use crate::build::Writer;
use crate::kernel::Guard;
use crate::lower::contraction::Products;
use crate::lower::convolution;
use crate::lower::movement::unflattened;
use rlx_ir::{DType, Dim, Graph, Node, NodeId, Op};

/// A product of matrices.
pub(in crate::lower) struct Product<'g> {
    pub(super) graph: &'g Graph,
    pub node: &'g Node,
    pub batch: Vec<Dim>,
    pub rows: Vec<Dim>,
    pub columns: Vec<Dim>,
    pub inner: Vec<Dim>,
}

/// The place of a product: an index each, in row-major order, of a batch, a row, a column and of what is summed.
#[derive(Clone)]
pub(in crate::lower) struct Place {
    pub batch: Vec<Dim>,
    pub row: Dim,
    pub column: Dim,
    pub inner: Dim,
}

/// The element of a factor.
pub(super) struct Element {
    pub node: NodeId,
    pub at: Vec<Dim>,
    /// Where it exists.
    pub guard: Guard,
}

impl<'g> Product<'g> {
    /// The product that a node is.
    pub fn of(graph: &'g Graph, node: &'g Node) -> Option<Product<'g>> {
        let shape = |operand: usize| graph.shape(node.inputs()[operand]);
        let dims =
            |axes: &[usize]| axes.iter().map(|&axis| node.shape().dim(axis).clone()).collect::<Vec<_>>();
        let one = |dim: Dim| vec![dim];
        let product = match node.op() {
            Op::DotGeneral { lhs_batch, lhs_contract, rhs_contract, .. } => {
                let rows = shape(0).rank() - lhs_batch.len() - lhs_contract.len();
                let split = lhs_batch.len() + rows;
                // Of two names for a size the one that is known.
                let extent = |(&l, &r): (&usize, &usize)| match shape(1).dim(r) {
                    size @ Dim::Static(_) => size.clone(),
                    _ => shape(0).dim(l).clone(),
                };
                Product {
                    graph,
                    node,
                    batch: node.shape().dims()[..lhs_batch.len()].to_vec(),
                    rows: node.shape().dims()[lhs_batch.len()..split].to_vec(),
                    columns: node.shape().dims()[split..].to_vec(),
                    inner: lhs_contract.iter().zip(rhs_contract).map(extent).collect(),
                }
            }
            Op::Convolution {
                out_batch_dim,
                out_feature_dim,
                out_spatial_dims,
                feature_groups,
                batch_groups,
                rhs_in_dim,
                rhs_spatial_dims,
                ..
            } => {
                let groups = feature_groups * batch_groups;
                let features = node.shape().dim(*out_feature_dim).floor_div(&Dim::Static(groups));
                let window = rhs_spatial_dims.iter().chain([rhs_in_dim]);
                Product {
                    graph,
                    node,
                    batch: one(Dim::Static(groups)),
                    rows: dims(&[std::slice::from_ref(out_batch_dim), out_spatial_dims].concat()),
                    columns: one(features),
                    inner: window.map(|&axis| shape(1).dim(axis).clone()).collect(),
                }
            }
            _ => return None,
        };
        Some(product)
    }

    /// The type in which sums are added up.
    pub fn accumulator(&self) -> DType {
        self.products().accumulator()
    }

    /// The type of what is multiplied.
    pub fn factor(&self) -> DType {
        self.graph.shape(self.node.inputs()[0]).dtype()
    }

    pub fn products(&self) -> Products {
        Products::new(self.factor(), self.node.shape().dtype())
    }

    /// How many batches there are, as far as it is known.
    pub fn batches(&self) -> usize {
        let known = self.batch.iter().map(|dim| dim.as_static().unwrap_or(1));
        known.fold(1usize, usize::saturating_mul).max(1)
    }

    /// How many rows, columns and summands there are.
    pub fn sizes(&self) -> [Dim; 3] {
        [&self.rows, &self.columns, &self.inner].map(|dims| Dim::product(dims.iter().cloned()))
    }

    /// The indices of a result.
    pub fn result(&self, w: &Writer, place: &Place) -> Vec<Dim> {
        let (row, column) =
            (unflattened(w, &place.row, &self.rows), unflattened(w, &place.column, &self.columns));
        let Op::Convolution { out_batch_dim, out_feature_dim, out_spatial_dims, .. } = self.node.op() else {
            return [&place.batch[..], &row, &column].concat();
        };
        let mut at = vec![Dim::Static(0); self.node.shape().rank()];
        at[*out_batch_dim] = row[0].clone();
        out_spatial_dims.iter().zip(&row[1..]).for_each(|(&axis, index)| at[axis] = index.clone());
        at[*out_feature_dim] = &(&place.batch[0] * &self.columns[0]) + &column[0];
        at
    }

    /// The factors at a place. The first does not depend on its column, nor the second on its row.
    pub fn factors(&self, w: &Writer, place: &Place) -> Option<[Element; 2]> {
        let inner = unflattened(w, &place.inner, &self.inner);
        let [a, b] = [self.node.inputs()[0], self.node.inputs()[1]];
        match self.node.op() {
            Op::DotGeneral { .. } => {
                let row = unflattened(w, &place.row, &self.rows);
                let column = unflattened(w, &place.column, &self.columns);
                let [left, right] = crate::lower::contraction::factors(
                    self.graph,
                    self.node,
                    (&place.batch, &row, &column),
                    &inner,
                )?;
                let always = Guard::default;
                Some([
                    Element { node: a, at: left, guard: always() },
                    Element { node: b, at: right, guard: always() },
                ])
            }
            _ => {
                let sizes = (self.graph.shape(a).dims(), self.graph.shape(b).dims());
                let at = |column: Dim, row: Dim| self.result(w, &Place { column, row, ..place.clone() });
                // Of the group of the column's feature, which is that of its first one.
                let x = convolution::place(self.node, sizes, &at(Dim::Static(0), place.row.clone()), &inner)?;
                let kernel =
                    convolution::place(self.node, sizes, &at(place.column.clone(), Dim::Static(0)), &inner)?;
                let simplified = |at: Vec<Dim>| at.iter().map(|index| w.simplified(index)).collect();
                Some([
                    Element { node: a, at: simplified(x.x), guard: x.guard },
                    Element { node: b, at: simplified(kernel.kernel), guard: Guard::default() },
                ])
            }
        }
    }
}
