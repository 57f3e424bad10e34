//! The values of a program that is being written: element types, sizes, and repetition along axes.

use rlx_ir::{DType, Literal, QuantScheme, Shape};
use std::sync::Arc;

/// Maximum rank of tensors in a program.
pub const MAX_RANK: usize = 5;

/// A size that the run decides.
pub(crate) const OPEN: usize = usize::MAX;

/// The element type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Elem {
    F16,
    F32,
    I32,
    Bool,
    /// Quantized, signed; only used between operations.
    I8,
    /// Quantized, unsigned; only used between operations.
    U8,
}

impl Elem {
    /// Returns the element type that stores values of a type in graphs, if there is one: the same type, or a wider one. `integers` decides
    /// which values of wide integers can be stored.
    pub(crate) fn holding(dtype: DType) -> Option<Elem> {
        Some(match dtype {
            DType::F16 => Elem::F16,
            DType::F32 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => Elem::F32,
            DType::I32 => Elem::I32,
            DType::I8 | DType::I16 | DType::U8 | DType::U16 => Elem::I32,
            DType::I64 | DType::U32 | DType::U64 => Elem::I32,
            DType::Bool => Elem::Bool,
            _ => return None,
        })
    }

    /// Returns its name in arguments of operations.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Elem::F16 => "fp16",
            Elem::F32 => "fp32",
            Elem::I32 => "int32",
            Elem::Bool => "bool",
            Elem::I8 => "int8",
            Elem::U8 => "uint8",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::F32)
    }

    pub(crate) fn dtype(self) -> DType {
        match self {
            Elem::F16 => DType::F16,
            Elem::F32 => DType::F32,
            Elem::I32 => DType::I32,
            Elem::Bool => DType::Bool,
            Elem::I8 => DType::I8,
            Elem::U8 => DType::U8,
        }
    }
}

/// The contents of a known value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Known {
    /// These elements.
    Literal(Literal),
    /// The elements of a parameter of the graph, which has the type `stored`, converted; or if `packed` is set, the numbers in its blocks.
    Param { name: Arc<str>, stored: DType, packed: Option<QuantScheme> },
    /// The elements of another value, split into equal parts along its first axis, with the parts in this order.
    Reordered { of: Arc<Known>, parts: usize, order: Vec<usize> },
    /// Sums of two f32 values.
    Sum(Arc<Known>, Arc<Known>),
}

/// A value in a block.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Var {
    pub(crate) name: Arc<str>,
    pub(crate) elem: Elem,
    pub(crate) dims: Vec<usize>,
    /// Its contents, if they are known.
    pub(crate) known: Option<Known>,
}

impl Var {
    pub(crate) fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Returns the only element, if it is known.
    pub(crate) fn scalar(&self) -> Option<f64> {
        let Some(Known::Literal(literal)) = &self.known else { return None };
        let bytes = literal.bytes();
        if literal.len() != 1 {
            return None;
        }
        Some(match self.elem {
            Elem::F16 => half::f16::from_le_bytes(bytes.try_into().ok()?).to_f64(),
            Elem::F32 => f32::from_le_bytes(bytes.try_into().ok()?).into(),
            Elem::I32 => i32::from_le_bytes(bytes.try_into().ok()?).into(),
            Elem::Bool | Elem::U8 => f64::from(bytes[0]),
            Elem::I8 => f64::from(bytes[0].cast_signed()),
        })
    }
}

/// A value of the graph, stored as a value of the program that broadcasts to its sizes as in NumPy. Operations that broadcast can use it
/// directly.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Held {
    pub(crate) var: Var,
    /// Its sizes in the graph.
    pub(crate) dims: Vec<usize>,
}

impl Held {
    /// Wraps a value that has all of its elements.
    pub(crate) fn whole(var: Var) -> Held {
        Held { dims: var.dims.clone(), var }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.var.dims == self.dims
    }

    pub(crate) fn elem(&self) -> Elem {
        self.var.elem
    }

    pub(crate) fn rank(&self) -> usize {
        self.dims.len()
    }
}

/// Returns the element type and sizes of a value of this shape in a program.
pub(crate) fn sizes(shape: &Shape) -> Result<(Elem, Vec<usize>), String> {
    if shape.rank() > MAX_RANK {
        return Err(format!("{shape} has more than {MAX_RANK} axes"));
    }
    merged_sizes(shape)
}

/// Like [`sizes`], but merges leading axes into one if there are more axes than programs support.
pub(crate) fn merged_sizes(shape: &Shape) -> Result<(Elem, Vec<usize>), String> {
    let elem = Elem::holding(shape.dtype());
    let elem = elem.ok_or_else(|| format!("programs have no values of {}", shape.dtype()))?;
    let mut dims = shape.static_dims().ok_or_else(|| format!("the size of {shape} is not known"))?;
    if let Some(more) = dims.len().checked_sub(MAX_RANK) {
        let front = dims[..=more].iter().try_fold(1, |n: usize, &size| n.checked_mul(size));
        let front = front.ok_or_else(|| format!("{shape} is larger than any memory"))?;
        dims.splice(..=more, [front]);
    }
    if dims.contains(&0) {
        return Err(format!("{shape} has no elements"));
    }
    if dims.iter().any(|&n| i32::try_from(n).is_err()) {
        return Err(format!("{shape} exceeds 32-bit sizes"));
    }
    Ok((elem, dims))
}
