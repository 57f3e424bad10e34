//! The dimension numbers of scatters: which axes of the tensor, the index vectors and the updates correspond.

use super::{Attr, Key};
use crate::text::{ParseError, Parser, Printer};

/// Which axes of a scatter's tensor x, its indices and its updates correspond. The names are those of StableHLO.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ScatterDims {
    /// Axes of the updates that run inside a window, ascending; the others run over the index vectors.
    pub update_window_dims: Vec<usize>,
    /// Axes of x along which a window has size 1 and which the updates leave out, ascending.
    pub inserted_window_dims: Vec<usize>,
    /// Axes of x that are paired with axes of the indices, ascending; a window has size 1 along them.
    pub input_batching_dims: Vec<usize>,
    /// The axes of the indices that are paired with `input_batching_dims`, in the same order.
    pub scatter_indices_batching_dims: Vec<usize>,
    /// The axis of x that each component of an index vector indexes.
    pub scatter_dims_to_operand_dims: Vec<usize>,
    /// The axis of the indices that holds the index vectors, or the rank of the indices if each index is a single number.
    pub index_vector_dim: usize,
}

impl ScatterDims {
    /// The lists of axes, with their names.
    fn lists(&self) -> [(&'static str, &Vec<usize>); 5] {
        [
            ("update_window_dims", &self.update_window_dims),
            ("inserted_window_dims", &self.inserted_window_dims),
            ("input_batching_dims", &self.input_batching_dims),
            ("scatter_indices_batching_dims", &self.scatter_indices_batching_dims),
            ("scatter_dims_to_operand_dims", &self.scatter_dims_to_operand_dims),
        ]
    }
}

impl Attr for ScatterDims {
    type Arg<'a> = &'a ScatterDims;

    fn arg(&self) -> &ScatterDims {
        self
    }

    fn print(&self, p: &mut Printer) {
        p.word("{");
        for (name, axes) in self.lists() {
            p.word(name);
            p.word(" = ");
            axes.print(p);
            p.word(", ");
        }
        p.word("index_vector_dim = ");
        p.display(&self.index_vector_dim);
        p.word("}");
    }

    fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
        p.expect('{')?;
        let mut list = |name: &str| {
            let axes = p.field(name)?;
            p.expect(',')?;
            Ok(axes)
        };
        let dims = ScatterDims {
            update_window_dims: list("update_window_dims")?,
            inserted_window_dims: list("inserted_window_dims")?,
            input_batching_dims: list("input_batching_dims")?,
            scatter_indices_batching_dims: list("scatter_indices_batching_dims")?,
            scatter_dims_to_operand_dims: list("scatter_dims_to_operand_dims")?,
            index_vector_dim: p.field("index_vector_dim")?,
        };
        p.expect('}')?;
        Ok(dims)
    }

    fn key(&self, key: &mut Key) {
        self.lists().iter().for_each(|(_, axes)| axes.key(key));
        self.index_vector_dim.key(key);
    }
}
