//! The run-time part of `#[rlx_model]`: models embedded in a program, with Rust arrays in and out.

use crate::compiled::CompiledGraph;
use crate::error::RuntimeError;
use crate::session::Session;
use rlx_ir::{DType, Graph};

/// A graph and its weights, embedded in the program.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// The graph in text form, verified when the program was built.
    pub program: &'static str,
    /// The little-endian bytes of the parameters.
    pub weights: &'static [u8],
    /// For each embedded parameter its name, and the begin and end of its bytes. Other parameters are set later.
    pub params: &'static [(&'static str, usize, usize)],
}

impl Embedded {
    /// Compiles the graph and sets the embedded parameters.
    pub fn load(&self, session: &Session) -> Result<CompiledGraph, RuntimeError> {
        let graph = Graph::parse(self.program).map_err(|e| RuntimeError::Embedded(e.to_string()))?;
        let mut compiled = session.try_compile(graph)?;
        for &(name, start, end) in self.params {
            let declared =
                compiled.params().find(|(known, _)| *known == name).map(|(_, shape)| shape.dtype());
            let (Some(dtype), Some(bytes)) = (declared, self.weights.get(start..end)) else {
                let problem = format!("the weights of parameter `{name}` are not in the program");
                return Err(RuntimeError::Embedded(problem));
            };
            compiled.set_param_typed(name, bytes, dtype)?;
        }
        Ok(compiled)
    }
}

/// Numbers, and arrays of them of any depth: the Rust types of tensors with known shapes.
pub trait Array: Sized {
    /// The element type.
    const DTYPE: DType;

    /// Returns a value that is all zeros.
    fn zeros() -> Self;

    /// Returns the elements of all these arrays in row-major order, as bytes.
    fn bytes(arrays: &[Self]) -> &[u8];

    /// Sets the elements of all these arrays from bytes. Returns `false` unless the length matches.
    fn fill(arrays: &mut [Self], bytes: &[u8]) -> bool;
}

macro_rules! numbers {
    ($($ty:ident $dtype:ident)*) => {$(
        impl Array for $ty {
            const DTYPE: DType = DType::$dtype;

            fn zeros() -> Self {
                <$ty>::default()
            }

            fn bytes(arrays: &[Self]) -> &[u8] {
                bytemuck::cast_slice(arrays)
            }

            fn fill(arrays: &mut [Self], bytes: &[u8]) -> bool {
                let own: &mut [u8] = bytemuck::cast_slice_mut(arrays);
                let fits = own.len() == bytes.len();
                if fits {
                    own.copy_from_slice(bytes);
                }
                fits
            }
        }
    )*};
}
numbers! { f32 F32 f64 F64 i8 I8 i16 I16 i32 I32 i64 I64 u8 U8 u16 U16 u32 U32 u64 U64 }

impl Array for bool {
    const DTYPE: DType = DType::Bool;

    fn zeros() -> Self {
        false
    }

    fn bytes(arrays: &[Self]) -> &[u8] {
        bytemuck::cast_slice(arrays)
    }

    fn fill(arrays: &mut [Self], bytes: &[u8]) -> bool {
        arrays.iter_mut().zip(bytes).for_each(|(b, byte)| *b = *byte != 0);
        arrays.len() == bytes.len()
    }
}

impl<T: Array, const N: usize> Array for [T; N] {
    const DTYPE: DType = T::DTYPE;

    fn zeros() -> Self {
        std::array::from_fn(|_| T::zeros())
    }

    fn bytes(arrays: &[Self]) -> &[u8] {
        T::bytes(arrays.as_flattened())
    }

    fn fill(arrays: &mut [Self], bytes: &[u8]) -> bool {
        T::fill(arrays.as_flattened_mut(), bytes)
    }
}

/// Returns an array as an input for [`CompiledGraph::run_typed`].
pub fn value<'a, T: Array>(name: &'a str, array: &'a T) -> (&'a str, &'a [u8], DType) {
    (name, T::bytes(std::slice::from_ref(array)), T::DTYPE)
}

/// Returns an output of [`CompiledGraph::run_typed`] as an array.
pub fn array<T: Array>(output: Option<(Vec<u8>, DType)>) -> Result<T, RuntimeError> {
    let mut array = T::zeros();
    match output {
        Some((bytes, dtype)) if dtype == T::DTYPE && T::fill(std::slice::from_mut(&mut array), &bytes) => {
            Ok(array)
        }
        _ => Err(RuntimeError::Embedded(
            "an output does not have the shape that the program was built with".into(),
        )),
    }
}
