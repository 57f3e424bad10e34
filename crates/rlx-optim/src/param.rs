//! The description of a parameter for optimizers, and masks that select parameters by rank or name.

use crate::error::Error;
use rlx_ir::{DType, Shape};

/// A parameter as an optimizer sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    name: String,
    shape: Shape,
    decays: bool,
    lr_factor: f64,
    as_matrix: bool,
    layout: MatrixLayout,
}

/// Which axis of a matrix products sum over. Muon's steps depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MatrixLayout {
    /// `[in, out]`: products sum over rows, as in x·W. JAX's libraries use it, and optax by default.
    #[default]
    InOut,
    /// `[out, in]`: products sum over columns, as in x·Wᵀ. PyTorch's `Linear` uses it.
    OutIn,
}

impl Param {
    /// Creates a parameter with weight decay, and with the common learning rate.
    pub fn new(name: impl Into<String>, shape: Shape) -> Param {
        Param {
            name: name.into(),
            shape,
            decays: true,
            lr_factor: 1.0,
            as_matrix: true,
            layout: MatrixLayout::InOut,
        }
    }

    /// Sets whether weight decay applies to the parameter. It usually does not apply to biases and the scales of normalizations.
    pub fn with_decay(mut self, decays: bool) -> Param {
        self.decays = decays;
        self
    }

    /// Sets the parameter's learning rate to `factor` times the common one.
    pub fn with_lr_factor(mut self, factor: f64) -> Param {
        self.lr_factor = factor;
        self
    }

    /// Sets whether an optimizer with a separate rule for matrices (Muon) uses it for this parameter, if it is a matrix. Embeddings and
    /// output heads are usually excluded.
    pub fn with_matrix_rule(mut self, as_matrix: bool) -> Param {
        self.as_matrix = as_matrix;
        self
    }

    /// Sets how the parameter is laid out, if it is a matrix.
    pub fn with_layout(mut self, layout: MatrixLayout) -> Param {
        self.layout = layout;
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the shape and element type.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether weight decay applies.
    pub fn decays(&self) -> bool {
        self.decays
    }

    /// Returns the factor of the learning rate.
    pub fn lr_factor(&self) -> f64 {
        self.lr_factor
    }

    /// Returns how the parameter is laid out, if it is a matrix.
    pub fn layout(&self) -> MatrixLayout {
        self.layout
    }

    /// Whether the rule for matrices applies.
    pub(crate) fn is_matrix(&self) -> bool {
        self.as_matrix && self.shape.rank() == 2
    }

    /// Returns the element type in which updates are computed and state is kept: f64 for f64, otherwise f32.
    pub fn wide(&self) -> DType {
        if self.shape.dtype() == DType::F64 { DType::F64 } else { DType::F32 }
    }

    /// Returns the sizes, or an error if the parameter cannot be optimized.
    pub(crate) fn sizes(&self) -> Result<Vec<usize>, Error> {
        let sizes = self.shape.static_dims().filter(|_| self.shape.dtype().is_float());
        sizes.ok_or_else(|| Error::Parameter { name: self.name.clone(), shape: self.shape.clone() })
    }
}

/// Selects parameters, such as those with weight decay.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Mask {
    /// All parameters.
    #[default]
    All,
    /// No parameters.
    None,
    /// Parameters with at least this many axes; 2 excludes biases and the scales of normalizations.
    MinRank(usize),
    /// Parameters with a name that matches one of the patterns, in which `*` matches any text.
    Named(Vec<String>),
    /// Parameters with a name that matches none of the patterns.
    Except(Vec<String>),
}

impl Mask {
    /// Whether the mask selects the parameter.
    pub fn chooses(&self, name: &str, shape: &Shape) -> bool {
        match self {
            Mask::All => true,
            Mask::None => false,
            Mask::MinRank(rank) => shape.rank() >= *rank,
            Mask::Named(patterns) => patterns.iter().any(|p| matches(p, name)),
            Mask::Except(patterns) => !patterns.iter().any(|p| matches(p, name)),
        }
    }
}

/// Whether `name` matches `pattern`, in which `*` matches any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    // Matching each part as early as possible leaves the most text for later parts.
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_names() {
        let cases = [
            ("w", "w", true),
            ("w", "w2", false),
            ("*.bias", "layer.0.bias", true),
            ("*.bias", "layer.0.bias2", false),
            ("layer.*.w", "layer.0.w", true),
            ("layer.*.w", "layer.w", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
            ("ab*b", "ab", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn masks_choose_by_rank_and_name() {
        let (matrix, vector) = (Shape::new(&[2, 3], DType::F32), Shape::new(&[3], DType::F32));
        assert!(Mask::MinRank(2).chooses("w", &matrix) && !Mask::MinRank(2).chooses("b", &vector));
        let biases = vec!["*bias".to_string()];
        assert!(Mask::Named(biases.clone()).chooses("l.bias", &vector));
        assert!(!Mask::Except(biases).chooses("l.bias", &vector));
        assert!(Mask::All.chooses("x", &vector) && !Mask::None.chooses("x", &vector));
    }
}
