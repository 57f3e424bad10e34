//! Materializes values that broadcast: with all their axes, or with all their elements.

use super::value::{Held, Var};
use super::writer::ProgramWriter;

/// Returns the sizes that both broadcast to, as in NumPy. The caller knows that they are compatible.
pub(crate) fn joint(a: &[usize], b: &[usize]) -> Vec<usize> {
    let rank = a.len().max(b.len());
    let size = |dims: &[usize], axis: usize| (axis + dims.len()).checked_sub(rank).map_or(1, |at| dims[at]);
    (0..rank).map(|axis| size(a, axis).max(size(b, axis))).collect()
}

impl ProgramWriter {
    /// Reshapes a value to sizes with the same number of elements.
    pub(crate) fn reshape(&mut self, x: &Var, dims: &[usize]) -> Var {
        if x.dims == dims {
            return x.clone();
        }
        if dims.is_empty() {
            let axes: Vec<usize> = (0..x.rank()).collect();
            return self.op("squeeze", [("x", x.into()), ("axes", axes[..].into())], x.elem, Vec::new());
        }
        if x.rank() == 0 {
            let axes: Vec<usize> = (0..dims.len()).collect();
            return self.op(
                "expand_dims",
                [("x", x.into()), ("axes", axes[..].into())],
                x.elem,
                dims.to_vec(),
            );
        }
        self.op("reshape", [("x", x.into()), ("shape", dims.into())], x.elem, dims.to_vec())
    }

    /// Returns the value with as many axes as in the graph.
    pub(crate) fn aligned(&mut self, x: &Held) -> Var {
        let mut dims = vec![1; x.rank() - x.var.rank()];
        dims.extend(&x.var.dims);
        self.reshape(&x.var, &dims)
    }

    /// Returns the value with all of its elements.
    pub(crate) fn full(&mut self, x: &Held) -> Var {
        if x.is_whole() {
            return x.var.clone();
        }
        if let Some(value) = x.var.scalar() {
            return self.filled(value, x.elem(), &x.dims);
        }
        let aligned = self.aligned(x);
        let repeats: Vec<usize> = x.dims.iter().zip(&aligned.dims).map(|(to, from)| to / from).collect();
        if repeats.iter().all(|&n| n == 1) {
            return aligned;
        }
        self.op(
            "tile",
            [("x", (&aligned).into()), ("reps", repeats[..].into())],
            aligned.elem,
            x.dims.clone(),
        )
    }

    /// Returns the values with all of their elements.
    pub(crate) fn all_full(&mut self, xs: &[Held]) -> Vec<Var> {
        xs.iter().map(|x| self.full(x)).collect()
    }
}
