//! Converts MLIR types to shapes.

use super::context::{Outcome, Problem};
use crate::syntax::{ElementType, Type};
use rlx_ir::{DType, Dim, Shape};

/// The declared type of a tensor: sizes, which may be open, and its element type.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Declared {
    pub(super) dims: Vec<Option<usize>>,
    pub(super) dtype: DType,
}

/// Returns the element type in the graph.
pub(super) fn dtype(element: &ElementType) -> Outcome<DType> {
    match element {
        ElementType::Known(dtype) => Ok(*dtype),
        ElementType::Index => Ok(DType::I64),
        ElementType::Narrow(narrow) => Ok(narrow.held),
        ElementType::Other(name) => Err(Problem::unsupported(format!(
            "RLX has no element type `{name}`; convert the values to a type that it has"
        ))),
    }
}

impl Declared {
    /// Returns the declared tensor type of `ty`.
    pub(super) fn of(ty: &Type) -> Outcome<Declared> {
        match ty {
            Type::Tensor { dims, element } => Ok(Declared { dims: dims.clone(), dtype: dtype(element)? }),
            Type::Element(element) => Ok(Declared { dims: Vec::new(), dtype: dtype(element)? }),
            Type::Other(text) => Err(Problem::unsupported(format!("RLX has no type `{text}`"))),
            _ => Err(Problem::error("a tensor is expected here")),
        }
    }

    /// Returns the shape if every size is declared.
    pub(super) fn fixed(&self) -> Option<Shape> {
        let dims: Option<Vec<usize>> = self.dims.iter().copied().collect();
        dims.map(|dims| Shape::new(&dims, self.dtype))
    }

    /// Returns the shape with `open` for each size that is not declared.
    pub(super) fn with(&self, mut open: impl FnMut(usize) -> Dim) -> Shape {
        let dims: Vec<Dim> =
            self.dims.iter().enumerate().map(|(i, d)| d.map_or_else(|| open(i), Dim::Static)).collect();
        Shape::from_dims(&dims, self.dtype)
    }

    /// Returns whether a value of this shape may have the type.
    pub(super) fn fits(&self, shape: &Shape) -> bool {
        shape.dtype() == self.dtype
            && shape.rank() == self.dims.len()
            && self.dims.iter().zip(shape.dims()).all(|(declared, dim)| match (declared, dim) {
                (Some(n), Dim::Static(m)) => n == m,
                _ => true,
            })
    }
}

/// Returns the name of an element type in MLIR.
fn mlir_name(dtype: DType) -> String {
    match dtype {
        DType::F8E4M3 => "f8E4M3FN".into(),
        DType::F8E5M2 => "f8E5M2".into(),
        DType::Bool => "i1".into(),
        DType::C64 => "complex<f32>".into(),
        DType::C128 => "complex<f64>".into(),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => format!("ui{}", dtype.bits()),
        other => other.name().into(),
    }
}

impl std::fmt::Display for Declared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("tensor<")?;
        for dim in &self.dims {
            match dim {
                Some(n) => write!(f, "{n}x")?,
                None => f.write_str("?x")?,
            }
        }
        write!(f, "{}>", mlir_name(self.dtype))
    }
}

/// Writes a shape as the type in MLIR.
pub(super) fn mlir_type(shape: &Shape) -> String {
    Declared { dims: shape.dims().iter().map(Dim::as_static).collect(), dtype: shape.dtype() }.to_string()
}
