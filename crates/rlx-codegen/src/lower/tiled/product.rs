//! Describes sums of products, including convolutions, as matrix products: rows, columns, batches, and the positions of
//! the factors.
//!
//! In a convolution, rows are positions of the window, and sums run over the window and the features.

use crate::build::Writer;
use crate::kernel::Guard;
use crate::lower::contraction::{self, Products, Spaces};
use crate::lower::convolution;
use crate::lower::movement::unflattened;
use rlx_ir::{DType, Dim, Graph, Node, NodeId};

/// A matrix product.
pub(in crate::lower) struct MatrixProduct<'g> {
    pub(super) graph: &'g Graph,
    pub node: &'g Node,
    pub batch: Vec<Dim>,
    pub rows: Vec<Dim>,
    pub columns: Vec<Dim>,
    pub inner: Vec<Dim>,
}

/// A position in a product: one row-major index each for the batch, the row, the column and the summand.
#[derive(Clone)]
pub(in crate::lower) struct Position {
    pub batch: Vec<Dim>,
    pub row: Dim,
    pub column: Dim,
    pub inner: Dim,
}

/// The element of a factor.
pub(super) struct Element {
    pub node: NodeId,
    pub at: Vec<Dim>,
    /// The condition under which it exists.
    pub guard: Guard,
}

impl<'g> MatrixProduct<'g> {
    /// Returns the product that a node computes.
    pub fn of(graph: &'g Graph, node: &'g Node) -> Option<MatrixProduct<'g>> {
        let spaces = contraction::spaces(graph, node).or_else(|| convolution::spaces(graph, node))?;
        let Spaces { batch, rows, columns, inner } = spaces;
        Some(MatrixProduct { graph, node, batch, rows, columns, inner })
    }

    /// Returns the accumulator type.
    pub fn accumulator(&self) -> DType {
        self.products().accumulator()
    }

    /// Returns the type of the factors.
    pub fn factor(&self) -> DType {
        self.graph.shape(self.node.inputs()[0]).dtype()
    }

    pub fn products(&self) -> Products {
        Products::new(self.factor(), self.node.shape().dtype())
    }

    /// Returns the number of batches, as far as it is known.
    pub fn batches(&self) -> usize {
        let known = self.batch.iter().map(|dim| dim.as_static().unwrap_or(1));
        known.fold(1usize, usize::saturating_mul).max(1)
    }

    /// Returns the numbers of rows, columns and summands.
    pub fn sizes(&self) -> [Dim; 3] {
        [&self.rows, &self.columns, &self.inner].map(|dims| Dim::product(dims.iter().cloned()))
    }

    /// Returns the indices of a result.
    pub fn result(&self, w: &Writer, place: &Position) -> Vec<Dim> {
        let (row, column) =
            (unflattened(w, &place.row, &self.rows), unflattened(w, &place.column, &self.columns));
        let of_group = convolution::result(self.node, &place.batch, &row, (&column, &self.columns));
        of_group.unwrap_or_else(|| [&place.batch[..], &row, &column].concat())
    }

    /// Returns the factors at a position. The first does not depend on its column, and the second does not depend on its row.
    pub fn factors(&self, w: &Writer, place: &Position) -> Option<[Element; 2]> {
        let inner = unflattened(w, &place.inner, &self.inner);
        let [a, b] = [self.node.inputs()[0], self.node.inputs()[1]];
        let row = unflattened(w, &place.row, &self.rows);
        let column = unflattened(w, &place.column, &self.columns);
        let at = (&place.batch[..], &row[..], &column[..]);
        if let Some([left, right]) = contraction::factors(self.graph, self.node, at, &inner) {
            return Some([
                Element { node: a, at: left, guard: Guard::default() },
                Element { node: b, at: right, guard: Guard::default() },
            ]);
        }
        let sizes = (self.graph.shape(a).dims(), self.graph.shape(b).dims());
        let at = |column: Dim, row: Dim| self.result(w, &Position { column, row, ..place.clone() });
        // In the feature group of the column, which is that of its first feature.
        let x = convolution::place(self.node, sizes, &at(Dim::Static(0), place.row.clone()), &inner)?;
        let kernel = convolution::place(self.node, sizes, &at(place.column.clone(), Dim::Static(0)), &inner)?;
        let simplified = |at: Vec<Dim>| at.iter().map(|index| w.simplified(index)).collect();
        Some([
            Element { node: a, at: simplified(x.x), guard: x.guard },
            Element { node: b, at: simplified(kernel.kernel), guard: Guard::default() },
        ])
    }
}
