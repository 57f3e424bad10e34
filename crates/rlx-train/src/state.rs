//! What persists from step to step: outside any program before the first step, then in the memory of the
//! program that updates it.

use crate::error::TrainError;
use crate::graphs::kept_name;
use rlx_ir::{DType, Shape};
use rlx_session::CompiledGraph;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A parameter or a state of the optimizer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// Where the values lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// In [`State::outside`].
    Outside,
    /// In the program of the whole step.
    Fused,
    /// In the program of the update.
    Update,
}

/// Names, shapes, and where the values lie.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The parameters, then what the optimizer keeps for each.
    pub(crate) values: Vec<Value>,
    pub(crate) home: Home,
    /// The bytes of each value; empty where they lie in a program.
    pub(crate) outside: Vec<Vec<u8>>,
}

impl State {
    /// Puts values that lie outside into a program, whose outputs from `first` on replace them. Each is freed outside before the
    /// next is put. Where one cannot be put all come back, and lie outside.
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

    /// Copies the values out of the program that they lie in.
    pub(crate) fn leave(&mut self, program: &CompiledGraph, first: usize) -> Result<(), TrainError> {
        for i in 0..self.values.len() {
            self.outside[i] = program.handle(&kept_name(first + i))?.to_vec();
        }
        self.home = Home::Outside;
        Ok(())
    }

    /// The index of a value.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.values.iter().position(|v| v.name == name)
    }
}

/// Parameters as f32 on the host, for those that are not there already: each is made when it is first asked for.
#[derive(Debug)]
pub(crate) struct Copies(Vec<OnceLock<Vec<f32>>>);

impl Copies {
    /// None yet, of so many parameters.
    pub(crate) fn of(params: usize) -> Self {
        Copies(std::iter::repeat_with(OnceLock::new).take(params).collect())
    }

    /// The copy of a parameter, if it was made.
    pub(crate) fn get(&self, index: usize) -> Option<&[f32]> {
        self.0[index].get().map(Vec::as_slice)
    }

    /// The values of a parameter: where they are if they are f32 on the host, else the copy.
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

    /// Forgets the copies: the values change.
    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(|copy| *copy = OnceLock::new());
    }
}

/// The number of elements of a static shape.
pub(crate) fn elements(shape: &Shape) -> usize {
    shape.num_elements().unwrap_or(0)
}

/// Little-endian bytes of floats as f32.
pub(crate) fn to_f32s(bytes: &[u8], dtype: DType) -> Vec<f32> {
    let flat = Shape::new(&[bytes.len() / dtype.size()], dtype);
    let literal = rlx_ir::Literal::from_bytes(&flat, bytes).map(|l| l.convert(DType::F32));
    // INVARIANT: the shape was made from the number of bytes.
    literal.map_or_else(
        |_| Vec::new(),
        |l| l.bytes().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
    )
}
