//! The state of a compiled graph, as callers see it. A *handle* is the name of an input that reads a state buffer.

use super::CompiledGraph;
use crate::error::RuntimeError;
use crate::signature::{check_dtype, feeding_output};
use crate::state::Content;
use rlx_files::weights::{StoredType, Tensor, Weights, save};
use rlx_ir::{DType, Literal, Shape};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

impl CompiledGraph {
    /// Sets the state that input `name` reads; runs then no longer need the input. If an output updates it (see
    /// [`CompileOptions::state`](crate::CompileOptions)), or the name is `out{i}` for output i, each run stores the next value in it.
    pub fn set_handle(&mut self, name: &str, values: &[f32]) -> Result<(), RuntimeError> {
        self.set_handle_typed(name, bytemuck::cast_slice(values), DType::F32)
    }

    /// [`set_handle`](CompiledGraph::set_handle) for any element type, as little-endian bytes.
    pub fn set_handle_typed(&mut self, name: &str, bytes: &[u8], dtype: DType) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let index = self.shared.signature.input(name)?;
        let declared = &self.shared.signature.inputs[index].shape;
        check_dtype(name, declared.dtype(), dtype)?;
        let fed_by = feeding_output(name).filter(|&o| o < self.shared.signature.outputs.len());
        if let Some(output) = fed_by {
            check_dtype(name, dtype, self.shared.signature.outputs[output].dtype())?;
        }
        if !bytes.len().is_multiple_of(dtype.size()) {
            return Err(RuntimeError::PartialElement { name: name.into(), bytes: bytes.len(), dtype });
        }
        if let Some(expected) = declared.num_elements().filter(|&n| n != bytes.len() / dtype.size()) {
            let (shape, got) = (declared.clone(), bytes.len() / dtype.size());
            return Err(RuntimeError::WrongLength { name: name.into(), shape, expected, got });
        }
        self.uncheck();
        self.states.set(index, fed_by, bytes)
    }

    /// Returns the bytes of the state that input `name` reads, copied if they are on a device.
    pub fn handle(&self, name: &str) -> Result<Cow<'_, [u8]>, RuntimeError> {
        self.check_idle()?;
        let index = self.shared.signature.input(name)?;
        let (state, buffer) = self.states.get(index).ok_or_else(|| no_handle(name))?;
        if state.content == Content::Lost {
            return Err(RuntimeError::StateLost(name.into()));
        }
        if let Some(bytes) = buffer.host() {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut bytes = vec![0; buffer.num_bytes()];
        buffer.read(&mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    /// Whether a run that failed or panicked left a state half updated. Runs that need that state fail until it is set again.
    pub fn has_lost_state(&self) -> bool {
        self.states.any_lost()
    }

    /// Drops the state that input `name` reads; runs must then be given the input again.
    pub fn clear_handle(&mut self, name: &str) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let index = self.shared.signature.input(name)?;
        self.uncheck();
        if self.states.clear(index)? { Ok(()) } else { Err(no_handle(name)) }
    }

    /// Returns another compiled graph that shares the program and parameters with this one and has no state yet. (A clone starts with a
    /// copy of the state.)
    pub fn without_state(&self) -> Result<CompiledGraph, RuntimeError> {
        let mut fresh = self.clone();
        fresh.states.clear_all()?;
        fresh.uncheck();
        Ok(fresh)
    }

    /// Returns the window of a state that begins at `starts` and has `sizes` along the axes, such as rows of a cache.
    pub fn read_state(&self, name: &str, starts: &[usize], sizes: &[usize]) -> Result<Literal, RuntimeError> {
        let shape = self.state_shape(name)?;
        let window = Window::new(name, &shape, starts, sizes)?;
        let bytes = self.handle(name)?;
        let mut part = Vec::with_capacity(window.num_bytes());
        window.for_each_run(|at, len| part.extend_from_slice(&bytes[at..at + len]));
        Ok(Literal::from_bytes(&Shape::new(sizes, shape.dtype()), &part)?)
    }

    /// Writes `value` into a state, beginning at `starts` along the axes. Elements outside this window do not change.
    pub fn write_state(&mut self, name: &str, starts: &[usize], value: &Literal) -> Result<(), RuntimeError> {
        let shape = self.state_shape(name)?;
        check_dtype(name, shape.dtype(), value.dtype())?;
        let sizes = value.shape().static_dims().unwrap_or_default();
        let window = Window::new(name, &shape, starts, &sizes)?;
        let index = self.shared.signature.input(name)?;
        // A state that has a shape was set, but a failed run may have lost it since.
        let lost = || RuntimeError::StateLost(name.into());
        let buffer = self.states.get_mut(index).ok_or_else(lost)?.host_mut()?;
        let mut from = value.bytes();
        window.for_each_run(|at, len| {
            let (run, rest) = from.split_at(len);
            buffer[at..at + len].copy_from_slice(run);
            from = rest;
        });
        Ok(())
    }

    /// Returns the inputs that read a state, set or not.
    pub(crate) fn state_inputs(&self) -> impl Iterator<Item = &str> {
        self.states.inputs().map(|input| self.input_name(input))
    }

    /// Returns each state with the name of its input.
    pub fn state(&self) -> Result<Vec<(String, Literal)>, RuntimeError> {
        let mut all = Vec::new();
        for input in self.states.inputs() {
            if self.states.get(input).is_some() {
                let name = self.input_name(input);
                let shape = self.state_shape(name)?;
                all.push((name.to_string(), Literal::from_bytes(&shape, &self.handle(name)?)?));
            }
        }
        Ok(all)
    }

    /// Writes all states to a safetensors file. A failure leaves no partial file.
    pub fn save_state(&self, path: &Path) -> Result<(), RuntimeError> {
        let refuse = |problem: String| RuntimeError::StateFile(problem);
        let all = self.state()?;
        let dims: Vec<Vec<usize>> =
            all.iter().map(|(_, value)| value.shape().static_dims().unwrap_or_default()).collect();
        let mut tensors = Vec::with_capacity(all.len());
        for ((name, value), shape) in all.iter().zip(&dims) {
            let stored = StoredType::of(value.dtype())
                .ok_or_else(|| refuse(format!("`{name}` is {}, which safetensors lacks", value.dtype())))?;
            tensors.push(Tensor { name, stored, shape, bytes: value.bytes() });
        }
        save(path, &tensors, &BTreeMap::new()).map_err(|e| refuse(e.to_string()))
    }

    /// Sets the states stored in a file of [`save_state`](CompiledGraph::save_state). Sets none of them unless all fit.
    pub fn restore_state(&mut self, path: &Path) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let file = Weights::open(path).map_err(|e| RuntimeError::StateFile(e.to_string()))?;
        let mut restored = Vec::with_capacity(file.len());
        for tensor in file.iter() {
            let index = self.shared.signature.input(tensor.name())?;
            let declared = &self.shared.signature.inputs[index].shape;
            let dtype = tensor.dtype().map_err(|e| RuntimeError::StateFile(e.to_string()))?;
            let shape = Shape::new(tensor.shape(), dtype);
            if !declared.compatible(&shape) {
                let (name, declared) = (tensor.name().to_string(), declared.clone());
                return Err(RuntimeError::WrongShape { name, declared, got: shape });
            }
            restored.push((tensor.name(), tensor.bytes(), dtype));
        }
        restored.into_iter().try_for_each(|(name, bytes, dtype)| self.set_handle_typed(name, bytes, dtype))
    }

    /// Returns the shape of a state: as declared, with its symbols as last bound.
    fn state_shape(&self, name: &str) -> Result<Shape, RuntimeError> {
        let index = self.shared.signature.input(name)?;
        let (_, buffer) = self.states.get(index).ok_or_else(|| no_handle(name))?;
        let shape = self.shared.signature.inputs[index].shape.eval(&self.bindings)?;
        let expected = shape.num_elements().unwrap_or(usize::MAX);
        let got = buffer.num_bytes() / shape.dtype().size();
        if expected == got {
            return Ok(shape);
        }
        Err(RuntimeError::WrongLength { name: name.into(), shape, expected, got })
    }
}

fn no_handle(name: &str) -> RuntimeError {
    RuntimeError::UnknownName { what: "handle", name: name.into(), known: "see `set_handle`".into() }
}

/// A window of a dense tensor: a start and a size along each axis.
struct Window {
    /// Extent of the tensor, and start and size of the window, along each axis.
    axes: Vec<[usize; 3]>,
    element_bytes: usize,
}

impl Window {
    fn new(name: &str, shape: &Shape, starts: &[usize], sizes: &[usize]) -> Result<Window, RuntimeError> {
        let refuse =
            |problem: String| RuntimeError::StateRange { name: name.into(), shape: shape.clone(), problem };
        let extents = shape.static_dims().unwrap_or_default();
        if starts.len() != extents.len() || sizes.len() != extents.len() {
            let (starts, sizes) = (starts.len(), sizes.len());
            return Err(refuse(format!(
                "a window needs one start and one size per axis, got {starts} and {sizes}"
            )));
        }
        let axes =
            extents.iter().zip(starts).zip(sizes).map(|((&extent, &start), &size)| [extent, start, size]);
        let axes: Vec<[usize; 3]> = axes.collect();
        let outside =
            |[extent, start, size]: &[usize; 3]| start.checked_add(*size).is_none_or(|end| end > *extent);
        if let Some(axis) = axes.iter().position(outside) {
            let [_, start, size] = axes[axis];
            return Err(refuse(format!("{size} rows from {start} on exceed axis {axis}")));
        }
        Ok(Window { axes, element_bytes: shape.dtype().size() })
    }

    fn num_bytes(&self) -> usize {
        self.axes.iter().map(|a| a[2]).product::<usize>() * self.element_bytes
    }

    /// Calls `visit` with the offset and length in bytes of each run of consecutive elements.
    fn for_each_run(&self, mut visit: impl FnMut(usize, usize)) {
        if self.num_bytes() == 0 {
            return;
        }
        // Trailing axes that the window covers entirely belong to one run.
        let whole = self.axes.iter().rev().take_while(|[extent, _, size]| extent == size).count();
        let outer = (self.axes.len() - whole).saturating_sub(1);
        let inner: usize =
            self.axes[outer..].iter().skip(1).map(|a| a[0]).product::<usize>() * self.element_bytes;
        let [_, first, count] = self.axes.get(outer).copied().unwrap_or([1, 0, 1]);
        let mut index = vec![0usize; outer];
        loop {
            let row = self.axes[..outer]
                .iter()
                .zip(&index)
                .fold(0, |at, ([extent, start, _], i)| at * extent + start + i);
            let extent = self.axes.get(outer).map_or(1, |a| a[0]);
            visit((row * extent + first) * inner, count * inner);
            let Some(axis) = (0..outer).rev().find(|&axis| index[axis] + 1 < self.axes[axis][2]) else {
                break;
            };
            index[axis] += 1;
            index[axis + 1..].fill(0);
        }
    }
}
