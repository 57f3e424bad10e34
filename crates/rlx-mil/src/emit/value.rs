//! Values of a program that is being written: element types, sizes, and repetition along axes.

use rlx_ir::{DType, Literal, QuantScheme, Shape};
use std::sync::Arc;

/// The largest rank that tensors of a program have.
pub const MAX_RANK: usize = 5;

/// A size that the run decides.
pub(crate) const OPEN: usize = usize::MAX;

/// What elements of a value are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Elem {
    F16,
    F32,
    I32,
    Bool,
    /// Quantized: between operations alone.
    I8,
    /// The same without a sign.
    U8,
}

impl Elem {
    /// The element type that holds values of one of graphs, if there is one: the same, or a wider one. `integers` says which values of wide
    /// integers are held.
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

    /// As arguments of operations name it.
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

/// What a value that is known holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Known {
    /// These elements.
    Literal(Literal),
    /// Those of a parameter of the graph, which has this type, converted; or numbers that its bytes hold as blocks of a format.
    Param { name: Arc<str>, stored: DType, packed: Option<QuantScheme> },
    /// Those of another value, which is cut into so many equal parts along its first axis, in this order of the parts.
    Reordered { of: Arc<Known>, parts: usize, order: Vec<usize> },
    /// Sums of two values of f32.
    Sum(Arc<Known>, Arc<Known>),
}

/// A value of a block.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Var {
    pub(crate) name: Arc<str>,
    pub(crate) elem: Elem,
    pub(crate) dims: Vec<usize>,
    /// What it holds, where that is known.
    pub(crate) known: Option<Known>,
}

impl Var {
    pub(crate) fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The only element, where it is known.
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

/// A value of the graph: one of the program that broadcasts to its sizes as in NumPy, for operations that broadcast take it as it is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Held {
    pub(crate) var: Var,
    /// Its sizes in the graph.
    pub(crate) dims: Vec<usize>,
}

impl Held {
    /// A value that has all of its elements.
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

/// The element type and sizes that a value of this shape has in a program.
pub(crate) fn sizes(shape: &Shape) -> Result<(Elem, Vec<usize>), String> {
    if shape.rank() > MAX_RANK {
        return Err(format!("{shape} has more than {MAX_RANK} axes"));
    }
    merged_sizes(shape)
}

/// The same where a value of more axes than programs have is under fewer: the ones in front are one.
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
        return Err(format!("{shape} is larger than 32-bit sizes say"));
    }
    Ok((elem, dims))
}
