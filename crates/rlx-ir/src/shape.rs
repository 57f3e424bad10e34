//! Shapes: dimensions and an element type. Owns size arithmetic; does not know ops.

use crate::dim::{Bindings, Dim, DimError, Symbol, Symbols};
use crate::dtype::DType;
use std::fmt;
use std::sync::Arc;

/// The dimensions and the element type of a tensor, row-major. No dimensions means a scalar.
///
/// ```
/// use rlx_ir::{Bindings, DType, Dim, Shape, Symbol};
///
/// let image = Shape::new(&[3, 32, 48], DType::U8);
/// assert_eq!((image.rank(), image.num_bytes()), (3, Some(4608)));
///
/// // Sizes may be symbols, and expressions of them.
/// let tokens = Shape::from_dims(&[Dim::dynamic("batch"), Dim::dynamic("seq"), 384.into()], DType::F32);
/// assert_eq!(tokens.to_string(), "f32[batch,seq,384]");
/// assert_eq!(tokens.num_elements(), None);
/// let sizes = Bindings::from([(Symbol::new("batch"), 2), (Symbol::new("seq"), 7)]);
/// assert_eq!(tokens.eval(&sizes), Ok(Shape::new(&[2, 7, 384], DType::F32)));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Shape {
    /// Shared, because shapes are copied far more often than made.
    dims: Arc<[Dim]>,
    dtype: DType,
}

impl Shape {
    /// A shape of static sizes.
    pub fn new(dims: &[usize], dtype: DType) -> Self {
        Shape { dims: dims.iter().map(|&n| Dim::Static(n)).collect(), dtype }
    }

    /// A shape of static and symbolic dimensions; an empty slice is a scalar.
    pub fn from_dims(dims: &[Dim], dtype: DType) -> Self {
        Shape { dims: dims.into(), dtype }
    }

    /// A scalar.
    pub fn scalar(dtype: DType) -> Self {
        Shape { dims: Arc::default(), dtype }
    }

    /// The dimensions.
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// Dimension `axis`.
    ///
    /// # Panics
    /// Panics if there is no such axis.
    pub fn dim(&self, axis: usize) -> &Dim {
        &self.dims[axis]
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Whether the rank is 0.
    pub fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }

    /// The sizes, if all are static.
    pub fn static_dims(&self) -> Option<Vec<usize>> {
        self.dims.iter().map(Dim::as_static).collect()
    }

    /// Whether every dimension is static.
    pub fn is_static(&self) -> bool {
        self.dims.iter().all(|d| d.as_static().is_some())
    }

    /// Number of elements, if all dimensions are static and the product does not overflow.
    pub fn num_elements(&self) -> Option<usize> {
        // Kernels ask for this in each run, so it does not allocate.
        let (mut nonzero, mut empty) = (Some(1usize), false);
        for dim in self.dims.iter() {
            match dim.as_static()? {
                0 => empty = true,
                n => nonzero = nonzero.and_then(|product| product.checked_mul(n)),
            }
        }
        if empty { nonzero.map(|_| 0) } else { nonzero }
    }

    /// Size in bytes, if all dimensions are static and nothing overflows.
    pub fn num_bytes(&self) -> Option<usize> {
        self.num_elements()?.checked_mul(self.dtype.size()).filter(|&n| n <= isize::MAX as usize)
    }

    /// Fails if the arithmetic that made a dimension overflowed; see [`Dim::check`].
    pub fn check(&self) -> Result<(), DimError> {
        self.dims.iter().try_for_each(Dim::check)
    }

    /// The product of all dimensions.
    pub fn num_elements_dim(&self) -> Dim {
        Dim::product(self.dims.iter().cloned())
    }

    /// The same dimensions with another element type.
    pub fn with_dtype(&self, dtype: DType) -> Self {
        Shape { dims: self.dims.clone(), dtype }
    }

    /// The same element type with other dimensions.
    pub fn with_dims(&self, dims: Vec<Dim>) -> Self {
        Shape { dims: dims.into(), dtype: self.dtype }
    }

    /// The shape without the listed axes.
    pub fn without_axes(&self, axes: &[usize]) -> Self {
        let dims = self.dims.iter().enumerate().filter(|(i, _)| !axes.contains(i)).map(|(_, d)| d.clone());
        Shape { dims: dims.collect(), dtype: self.dtype }
    }

    /// The shape with every bound symbol replaced.
    pub fn bind(&self, bindings: &Bindings) -> Self {
        Shape { dims: self.dims.iter().map(|d| d.bind(bindings)).collect(), dtype: self.dtype }
    }

    /// The shape with every symbol replaced by its size. Fails if a size is missing or invalid.
    pub fn eval(&self, bindings: &Bindings) -> Result<Self, DimError> {
        let dims: Result<Arc<[Dim]>, _> =
            self.dims.iter().map(|d| d.eval(bindings).map(Dim::Static)).collect();
        Ok(Shape { dims: dims?, dtype: self.dtype })
    }

    /// The symbols of the shape, each once.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut out = Symbols::default();
        self.dims.iter().for_each(|d| d.symbols(&mut out));
        out.into_vec()
    }

    /// Whether the shapes have the same element type and rank, and no two static sizes differ.
    pub fn compatible(&self, other: &Shape) -> bool {
        self.dtype == other.dtype
            && self.rank() == other.rank()
            && self.dims.iter().zip(other.dims.iter()).all(|(a, b)| a.compatible(b))
    }
}

/// The product of `sizes`, unless it overflows even when zeros are left out. So a shape whose strides cannot be computed is
/// rejected, although it has no elements.
pub fn checked_product(sizes: &[usize]) -> Option<usize> {
    let nonzero = sizes.iter().filter(|&&n| n > 0).try_fold(1usize, |acc, &n| acc.checked_mul(n))?;
    Some(if sizes.contains(&0) { 0 } else { nonzero })
}

/// Row-major strides of these sizes, in elements. For sizes that [`checked_product`] rejects the strides are not exact, but
/// shapes with such sizes are rejected.
pub fn row_major_strides(sizes: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; sizes.len()];
    for i in (1..sizes.len()).rev() {
        strides[i - 1] = strides[i].saturating_mul(sizes[i]);
    }
    strides
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (i, d) in self.dims.iter().enumerate() {
            write!(f, "{}{d}", if i > 0 { "," } else { "" })?;
        }
        write!(f, "]")
    }
}

/// The dimensions that two lists of dimensions broadcast to, as in NumPy; `None` if they do not broadcast.
pub fn broadcast_dims(a: &[Dim], b: &[Dim]) -> Option<Vec<Dim>> {
    let rank = a.len().max(b.len());
    let one = Dim::Static(1);
    let at =
        |dims: &[Dim], i: usize| (i + dims.len()).checked_sub(rank).map_or(one.clone(), |j| dims[j].clone());
    (0..rank)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y => Some(x),
            (x, y) if x == one => Some(y),
            (x, y) if y == one => Some(x),
            // Two different symbols may be bound to the same size. The static size is more specific than a symbol.
            (Dim::Static(n), other) | (other, Dim::Static(n)) if other.as_static().is_none() => {
                Some(Dim::Static(n))
            }
            (x, y) if x.as_static().is_none() && y.as_static().is_none() => Some(x),
            _ => None,
        })
        .collect()
}
