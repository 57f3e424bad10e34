//! Runs of a compiled graph: inputs checked and converted, sizes bound, outputs given.

use super::CompiledGraph;
use crate::bind::{bind_lengths, bind_shape, check_bound};
use crate::error::RuntimeError;
use crate::handles::Handle;
use crate::inputs::{Conversion, InputList, converted, to_f32s};
use crate::signature::{Named, check_dtype, check_length};
use rlx_ir::{Bindings, DType, Literal, Shape};
use std::borrow::Cow;

/// Where an output lies in the working memory after [`CompiledGraph::run_slots`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Offset from [`CompiledGraph::arena_ptr`] in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// Shape and element type.
    pub shape: Shape,
}

impl CompiledGraph {
    /// Runs with inputs by name and returns one vector an output.
    ///
    /// # Panics
    /// With the full message where [`try_run`](CompiledGraph::try_run) fails.
    pub fn run(&mut self, inputs: &[(&str, &[f32])]) -> Vec<Vec<f32>> {
        self.try_run(inputs).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Runs with f32 inputs by name, converted to their declared element types, and returns each output converted to
    /// f32. Symbolic dimensions take their sizes from the lengths where those determine them.
    pub fn try_run(&mut self, inputs: &[(&str, &[f32])]) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        self.execute(&given, Conversion::FromF32)?;
        Ok((0..self.shared.signature.outputs.len()).map(|i| self.output_f32(i)).collect())
    }

    /// Runs with inputs by name as little-endian bytes of their declared element types; returns each output's bytes
    /// and element type.
    pub fn run_typed(
        &mut self,
        inputs: &[(&str, &[u8], DType)],
    ) -> Result<Vec<(Vec<u8>, DType)>, RuntimeError> {
        self.execute(inputs, Conversion::None)?;
        let outputs = self.shared.signature.outputs.iter().enumerate();
        Ok(outputs.map(|(i, shape)| (self.output_bytes(i).to_vec(), shape.dtype())).collect())
    }

    /// Runs with inputs by name as little-endian bytes of their declared element types; the outputs stay where they are, and
    /// [`output_bytes`](CompiledGraph::output_bytes) shows them.
    pub fn run_kept(&mut self, inputs: &[(&str, &[u8], DType)]) -> Result<(), RuntimeError> {
        self.execute(inputs, Conversion::None)
    }

    /// Runs with tensors by name; their shapes bind symbolic dimensions.
    pub fn run_literals(&mut self, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, RuntimeError> {
        let mut bindings = self.explicit.clone();
        for (name, literal) in inputs {
            let input = &self.shared.signature.inputs[self.shared.signature.input(name)?];
            bind_shape(&mut bindings, input, literal.shape())?;
        }
        for (name, literal) in inputs {
            let input = &self.shared.signature.inputs[self.shared.signature.input(name)?];
            check_bound(&bindings, input, literal.shape())?;
        }
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, l)| (*name, l.bytes(), l.dtype())).collect();
        let outer = std::mem::replace(&mut self.explicit, bindings);
        let result = self.execute(&given, Conversion::None);
        self.explicit = outer;
        result?;
        let bindings = self.current_bindings();
        let outputs = self.shared.signature.outputs.iter().enumerate();
        outputs
            .map(|(i, shape)| Ok(Literal::from_bytes(&shape.eval(&bindings)?, self.output_bytes(i))?))
            .collect()
    }

    /// Runs with f32 inputs in order, and returns where the outputs lie behind [`arena_ptr`](CompiledGraph::arena_ptr).
    /// Nothing is copied, and after the first run with these sizes nothing is allocated but the returned list.
    pub fn run_slots(&mut self, inputs: &[&[f32]]) -> Result<Vec<Slot>, RuntimeError> {
        self.run_in_place(inputs)?;
        let bindings = self.current_bindings();
        let Some(current) = self.instances.current() else { return Ok(Vec::new()) };
        let executable = &current.executable;
        let outputs = self.shared.signature.outputs.iter().enumerate();
        outputs
            .map(|(i, shape)| {
                let (offset, bytes) = (executable.output_offset(i), executable.output(i).len());
                Ok(Slot { offset, bytes, shape: shape.eval(&bindings)? })
            })
            .collect()
    }

    /// Runs with f32 inputs in order; the outputs stay in the working memory, where
    /// [`output_bytes`](CompiledGraph::output_bytes) shows them. A run with the sizes of the run before allocates
    /// nothing.
    pub fn run_in_place(&mut self, inputs: &[&[f32]]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let views = InputList::of(inputs.iter().map(|values| bytemuck::cast_slice(values)));
        if !self.is_checked(views.as_slice()) {
            self.check_in_place(inputs)?;
        }
        match self.instances.current_mut() {
            Some(current) => Ok(current.executable.run(views.as_slice())?),
            None => Ok(()),
        }
    }

    /// Whether the current instance ran with inputs of these lengths.
    fn is_checked(&self, views: &[&[u8]]) -> bool {
        let checked = self.instances.current().and_then(|current| current.checked.as_ref());
        checked.is_some_and(|lengths| lengths.iter().copied().eq(views.iter().map(|v| v.len())))
    }

    /// Checks f32 inputs in order and selects their instance.
    fn check_in_place(&mut self, inputs: &[&[f32]]) -> Result<(), RuntimeError> {
        let expected = self.shared.signature.inputs.len();
        if inputs.len() != expected {
            return Err(RuntimeError::InputCount { expected, got: inputs.len() });
        }
        let named: Vec<(&Named, usize)> =
            self.shared.signature.inputs.iter().zip(inputs).map(|(n, v)| (n, v.len())).collect();
        let mut bindings = self.explicit.clone();
        if !self.shared.symbols.is_empty() {
            bind_lengths(&mut bindings, &named, &self.shared.symbols)?;
        }
        for (input, elements) in named {
            check_dtype(&input.name, input.shape.dtype(), DType::F32)?;
            check_length(&input.name, &input.shape.eval(&bindings)?, elements * size_of::<f32>())?;
        }
        self.instance(&bindings)?;
        self.check_params()?;
        if let Some(current) = self.instances.current_mut() {
            current.checked = Some(inputs.iter().map(|values| size_of_val(*values)).collect());
        }
        Ok(())
    }

    /// The first byte of the working memory of the last run.
    pub fn arena_ptr(&self) -> *const u8 {
        self.instances.current().map_or(std::ptr::null(), |i| i.executable.arena().0)
    }

    /// Size of the working memory of the last run in bytes; parameters are not part of it.
    pub fn arena_bytes(&self) -> usize {
        self.instances.current().map_or(0, |i| i.executable.arena().1)
    }

    /// The bytes of output `index` of the last run; none before the first run.
    pub fn output_bytes(&self, index: usize) -> &[u8] {
        self.instances.current().map_or(&[], |i| i.executable.output(index))
    }

    pub(super) fn output_f32(&self, index: usize) -> Vec<f32> {
        let (bytes, dtype) = (self.output_bytes(index), self.shared.signature.outputs[index].dtype());
        if dtype == DType::F32 {
            return to_f32s(bytes);
        }
        let shape = Shape::new(&[bytes.len() / dtype.size()], dtype);
        let literal = Literal::from_bytes(&shape, bytes).map(|l| l.convert(DType::F32));
        // INVARIANT: the shape was made from the number of bytes.
        literal.map_or_else(|_| Vec::new(), |l| to_f32s(l.bytes()))
    }

    pub(super) fn check_idle(&self) -> Result<(), RuntimeError> {
        if self.pending.is_some() {
            return Err(RuntimeError::Pending("a background run is pending; call `sync_pending` first"));
        }
        Ok(())
    }

    /// Checks and converts the inputs and runs them.
    fn execute(
        &mut self,
        given: &[(&str, &[u8], DType)],
        conversion: Conversion,
    ) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let values = self.gather(given, conversion)?;
        let bindings = self.bindings_for(&values)?;
        self.instance(&bindings)?;
        self.check_params()?;
        let Some(current) = self.instances.current_mut() else { return Ok(()) };
        let views: Vec<&[u8]> = values
            .iter()
            .enumerate()
            .map(|(i, v)| v.as_deref().or_else(|| self.handles.get(i).map(Handle::bytes)).unwrap_or(&[]))
            .collect();
        let ran = current.executable.run(&views);
        match ran {
            Ok(()) => self.feed_handles(),
            Err(_) => self.handles.drop_inside(),
        }
        Ok(ran?)
    }

    /// One value an input, `None` where a handle holds it.
    pub(super) fn gather<'a>(
        &self,
        given: &[(&str, &'a [u8], DType)],
        conversion: Conversion,
    ) -> Result<Vec<Option<Cow<'a, [u8]>>>, RuntimeError> {
        let signature = &self.shared.signature;
        let mut values: Vec<Option<Cow<'a, [u8]>>> = vec![None; signature.inputs.len()];
        for (name, bytes, dtype) in given {
            let index = signature.input(name)?;
            if values[index].is_some() {
                return Err(RuntimeError::DuplicateInput((*name).into()));
            }
            let declared = signature.inputs[index].shape.dtype();
            if bytes.len() % dtype.size() != 0 {
                let (name, bytes) = ((*name).into(), bytes.len());
                return Err(RuntimeError::PartialElement { name, bytes, dtype: *dtype });
            }
            values[index] = Some(match conversion {
                Conversion::FromF32 if declared != *dtype => Cow::Owned(converted(bytes, *dtype, declared)?),
                _ => {
                    check_dtype(name, declared, *dtype)?;
                    // Kernels read whole elements and take booleans as 0 or 1.
                    let aligned = bytes.as_ptr().align_offset(dtype.size().min(8)) == 0;
                    if aligned && *dtype != DType::Bool {
                        Cow::Borrowed(*bytes)
                    } else {
                        Cow::Owned(converted(bytes, *dtype, *dtype)?)
                    }
                }
            });
        }
        let missing: Vec<&str> = (0..values.len())
            .filter(|&i| values[i].is_none() && self.handles.get(i).is_none())
            .map(|i| signature.inputs[i].name.as_str())
            .collect();
        if missing.is_empty() { Ok(values) } else { Err(RuntimeError::MissingInputs(missing.join(", "))) }
    }

    pub(super) fn bindings_for(&self, values: &[Option<Cow<'_, [u8]>>]) -> Result<Bindings, RuntimeError> {
        let inputs = &self.shared.signature.inputs;
        let length = |i: usize| {
            let held = || self.handles.get(i).map_or(0, Handle::len);
            values[i].as_deref().map_or_else(held, <[u8]>::len)
        };
        let mut bindings = self.explicit.clone();
        if !self.shared.symbols.is_empty() {
            let lengths: Vec<(&Named, usize)> =
                inputs.iter().enumerate().map(|(i, n)| (n, length(i) / n.shape.dtype().size())).collect();
            bind_lengths(&mut bindings, &lengths, &self.shared.symbols)?;
        }
        for (i, input) in inputs.iter().enumerate() {
            check_length(&input.name, &input.shape.eval(&bindings)?, length(i))?;
        }
        Ok(bindings)
    }
}
