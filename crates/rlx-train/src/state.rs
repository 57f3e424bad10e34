//! The values that persist from step to step: outside any program before the first step, then in the memory of the program that updates
//! them.

use crate::error::TrainError;
use crate::graphs::kept_name;
use rlx_ir::{DType, Shape};
use rlx_session::CompiledGraph;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A parameter or a state tensor of the optimizer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// Where the values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// In [`State::outside`].
    Outside,
    /// In the program of the whole step.
    Fused,
    /// In the program of the update.
    Update,
}

/// Names, shapes, and locations of the values.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The parameters, then the optimizer's state of each.
    pub(crate) values: Vec<Value>,
    pub(crate) home: Home,
    /// The bytes of each value; empty if it is in a program.
    pub(crate) outside: Vec<Vec<u8>>,
}

impl State {
    /// Moves values from outside into a program, whose outputs from `first` on replace them. Each is freed outside before the next one is
    /// moved. If one cannot be moved, all are moved back outside.
    pub(crate) fn enter(
        &mut self,
        home: Home,
        program: &mut CompiledGraph,
        first: usize,
    ) -> Result<(), TrainError> {
        for (i, value) in self.values.iter().enumerate() {
            let put = program.set_handle_typed(&kept_name(first + i), &self.outside[i], value.shape.dtype());
            if let Err(error) = put {
                for (before, outside) in self.outside[..i].iter_mut().enumerate() {
                    *outside = program.handle(&kept_name(first + before))?.to_vec();
                }
                return Err(error.into());
            }
            self.outside[i] = Vec::new();
        }
        self.home = home;
        Ok(())
    }

    /// Copies the values out of the program that they are in.
    pub(crate) fn leave(&mut self, program: &CompiledGraph, first: usize) -> Result<(), TrainError> {
        for i in 0..self.values.len() {
            self.outside[i] = program.handle(&kept_name(first + i))?.to_vec();
        }
        self.home = Home::Outside;
        Ok(())
    }

    /// Returns the index of a value.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.values.iter().position(|v| v.name == name)
    }
}

/// Copies of parameters as f32 on the host, for parameters that are not stored like that. Each is made when it is first requested.
#[derive(Debug)]
pub(crate) struct Copies(Vec<OnceLock<Vec<f32>>>);

impl Copies {
    /// Creates an empty set of copies of `params` parameters.
    pub(crate) fn of(params: usize) -> Self {
        Copies(std::iter::repeat_with(OnceLock::new).take(params).collect())
    }

    /// Returns the copy of a parameter, if there is one.
    pub(crate) fn get(&self, index: usize) -> Option<&[f32]> {
        self.0[index].get().map(Vec::as_slice)
    }

    /// Returns the values of a parameter: the original if it is f32 on the host, otherwise the copy.
    pub(crate) fn floats<'a>(&'a self, index: usize, bytes: Cow<'a, [u8]>, dtype: DType) -> &'a [f32] {
        if let Some(copy) = self.get(index) {
            return copy;
        }
        if let Cow::Borrowed(bytes) = bytes
            && dtype == DType::F32
            && cfg!(target_endian = "little")
            && let Ok(values) = bytemuck::try_cast_slice(bytes)
        {
            return values;
        }
        self.0[index].get_or_init(|| to_f32s(&bytes, dtype))
    }

    /// Drops the copies, because the values change.
    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(|copy| *copy = OnceLock::new());
    }
}

/// Returns the number of elements of a static shape.
pub(crate) fn elements(shape: &Shape) -> usize {
    shape.num_elements().unwrap_or(0)
}

/// Converts little-endian bytes of floats to f32.
pub(crate) fn to_f32s(bytes: &[u8], dtype: DType) -> Vec<f32> {
    let flat = Shape::new(&[bytes.len() / dtype.size()], dtype);
    let literal = rlx_ir::Literal::from_bytes(&flat, bytes).map(|l| l.convert(DType::F32));
    // INVARIANT: the shape was made from the number of bytes.
    literal.map_or_else(
        |_| Vec::new(),
        |l| l.bytes().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
    )
}
