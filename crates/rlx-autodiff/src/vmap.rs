//! Entry point for vectorizing a graph.

use crate::batching::{Batched, Batching};
use crate::derivative::add_leaf;
use crate::error::Error;
use crate::options::Options;
use crate::trace;
use crate::wrt::{Leaf, leaves};
use rlx_ir::{Builder, Dim, Graph, Shape, Symbol, Symbols, Tensor};
use std::collections::HashMap;

/// The axes that a graph is mapped over. By default, axis 0 of every input is mapped, parameters are the same for all
/// applications, and results are stacked along axis 0.
///
/// ```
/// use rlx_autodiff::{VmapAxes, vmap};
/// use rlx_ir::{Symbols, Builder, DType, Shape};
///
/// let b = Builder::new("affine");
/// let x = b.input("x", Shape::new(&[4], DType::F32));
/// let offset = b.input("offset", Shape::new(&[4], DType::F32));
/// let graph = b.finish(&[&(&x * 2.0 + &offset)]).unwrap();
///
/// // Maps over axis 1 of `x`, of size 10, with the same `offset` for all; results are stacked along the last axis.
/// let axes = VmapAxes::new().in_axis("x", 1).in_axis("offset", None).out_axes([-1]).size(10);
/// let mapped = vmap(&graph, &axes)?;
/// assert_eq!(mapped.input_shapes(), [Shape::new(&[4, 10], DType::F32), Shape::new(&[4], DType::F32)]);
/// assert_eq!(mapped.output_shapes(), [Shape::new(&[4, 10], DType::F32)]);
/// # Ok::<(), rlx_autodiff::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct VmapAxes {
    in_axes: Option<Vec<Option<i64>>>,
    named: Vec<(String, Option<i64>)>,
    out_axes: Option<Vec<i64>>,
    size: Option<Dim>,
    name: Option<String>,
}

impl VmapAxes {
    /// Maps axis 0 of every input and output.
    pub fn new() -> Self {
        VmapAxes::default()
    }

    /// Sets the mapped axis of each input (then, if there are more entries, of each parameter), or `None` for one that is the
    /// same for all applications. Negative axes count from the end.
    pub fn in_axes(mut self, axes: impl Into<Vec<Option<i64>>>) -> Self {
        self.in_axes = Some(axes.into());
        self
    }

    /// Sets the mapped axis of one input or parameter, by name.
    pub fn in_axis(mut self, name: impl Into<String>, axis: impl Into<Option<i64>>) -> Self {
        self.named.push((name.into(), axis.into()));
        self
    }

    /// Sets the axis along which the results of each output are stacked. Negative axes count from the end.
    pub fn out_axes(mut self, axes: impl Into<Vec<i64>>) -> Self {
        self.out_axes = Some(axes.into());
        self
    }

    /// Sets the number of applications. By default it is a symbolic dimension, `batch` or the name of the axis (with a number
    /// appended if the graph already has that symbol), so that the mapped graph works for any number.
    pub fn size(mut self, size: impl Into<Dim>) -> Self {
        self.size = Some(size.into());
        self
    }

    /// Sets the name by which collectives inside the graph refer to this axis.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The mapped axis of each of `count` arguments that have no names.
    pub(crate) fn positional(&self, count: usize) -> Result<Vec<Option<i64>>, Error> {
        let axes = self.in_axes.clone().unwrap_or_else(|| vec![Some(0); count]);
        if axes.len() != count {
            return Err(Error::Axis(format!("{} in axes for {count} argument(s)", axes.len())));
        }
        Ok(axes)
    }
}

/// The size of the mapped axes of these shapes, which must agree.
pub(crate) fn mapped_size(shapes: &[Shape], in_axes: &[Option<i64>], axes: &VmapAxes) -> Result<Dim, Error> {
    let mut size = axes.size.clone();
    for (i, (shape, axis)) in shapes.iter().zip(in_axes).enumerate() {
        let Some(axis) = axis else { continue };
        let at = position(*axis, shape.rank(), &format!("argument {i} ({shape})"))?;
        let own = shape.dim(at);
        match &size {
            Some(size) if size != own => {
                let message =
                    format!("argument {i} ({shape}) has {own} slices along axis {at}, others have {size}");
                return Err(Error::Axis(message));
            }
            _ => size = Some(own.clone()),
        }
    }
    size.ok_or_else(|| Error::Axis("no argument is mapped; give the size with `VmapAxes::size`".into()))
}

/// The shape of a slice along an axis.
pub(crate) fn without_axis(shape: &Shape, axis: i64) -> Result<Shape, Error> {
    Ok(shape.without_axes(&[position(axis, shape.rank(), &shape.to_string())?]))
}

/// A graph that applies `graph` to each of `size` slices of its mapped inputs and stacks the results. A mapped input of shape S
/// becomes one of shape S with an axis of that size inserted.
pub fn vmap(graph: &Graph, axes: &VmapAxes) -> Result<Graph, Error> {
    vmap_with(graph, axes, &Options::new())
}

/// [`vmap`] with options.
pub fn vmap_with(graph: &Graph, axes: &VmapAxes, options: &Options) -> Result<Graph, Error> {
    let all = leaves(graph);
    let in_axes = resolve_in_axes(graph, &all, axes)?;
    let size = match &axes.size {
        Some(size) => size.clone(),
        None => fresh_size(graph, &in_axes, axes)?,
    };
    let builder = Builder::new(graph.name()).sharing_constants();
    let add = |(leaf, axis): (&Leaf, &Option<i64>)| -> Result<Batched, Error> {
        let Some(axis) = axis else {
            return Ok(Batched::shared(add_leaf(&builder, leaf)));
        };
        let at = position(*axis, leaf.shape.rank() + 1, &format!("`{}`", leaf.name))?;
        let mut dims = leaf.shape.dims().to_vec();
        dims.insert(at, size.clone());
        let value = add_leaf(&builder, &Leaf { shape: leaf.shape.with_dims(dims), ..leaf.clone() });
        Ok(Batched::each(move_axis(&value, at, 0)))
    };
    let values: Vec<Batched> = all.iter().zip(&in_axes).map(add).collect::<Result<_, _>>()?;
    let is_param = |i: &usize| all[*i].is_param;
    let inputs: Vec<Batched> = (0..all.len()).filter(|i| !is_param(i)).map(|i| values[i].clone()).collect();
    let params: Vec<(&str, Batched)> =
        (0..all.len()).filter(is_param).map(|i| (all[i].name.as_str(), values[i].clone())).collect();
    let cx = Batching { builder: &builder, size: size.clone(), axis_name: axes.name.as_deref(), options };
    let results = cx.graph(graph, &inputs, &params)?;
    let out_axes = axes.out_axes.clone().unwrap_or_else(|| vec![0; results.len()]);
    if out_axes.len() != results.len() {
        let message = format!("{} out axes for {} output(s)", out_axes.len(), results.len());
        return Err(Error::Axis(message));
    }
    let place = |(i, (result, axis)): (usize, (&Batched, &i64))| -> Result<Tensor, Error> {
        let front = cx.front(result);
        let at = position(*axis, front.rank(), &format!("output {i}"))?;
        Ok(move_axis(&front, 0, at))
    };
    let outputs: Vec<Tensor> =
        results.iter().zip(&out_axes).enumerate().map(place).collect::<Result<_, _>>()?;
    trace::finish(&builder, &outputs.iter().collect::<Vec<_>>())
}

/// A symbolic size that the graph does not use.
fn fresh_size(graph: &Graph, in_axes: &[Option<i64>], axes: &VmapAxes) -> Result<Dim, Error> {
    if in_axes.iter().all(Option::is_none) {
        let message = format!(
            "no input or parameter of graph {:?} is mapped; map one, or give the number of applications with `VmapAxes::size`",
            graph.name()
        );
        return Err(Error::Axis(message));
    }
    let mut taken = Symbols::default();
    let shapes = graph.nodes().iter().flat_map(|node| node.results());
    shapes.flat_map(Shape::dims).for_each(|dim| dim.symbols(&mut taken));
    let name = axes.name.as_deref().unwrap_or("batch");
    // No dots: the text form writes plain names without quotes.
    let numbered = (2..).map(|n| format!("{name}{n}"));
    let free = |name: &String| !taken.contains(&Symbol::new(name));
    // INVARIANT: the numbers are infinite.
    let name = std::iter::once(name.to_string()).chain(numbered).find(free).unwrap_or_default();
    Ok(Dim::dynamic(&name))
}

fn resolve_in_axes(graph: &Graph, all: &[Leaf], axes: &VmapAxes) -> Result<Vec<Option<i64>>, Error> {
    let inputs = all.iter().filter(|l| !l.is_param).count();
    let mut resolved: Vec<Option<i64>> = all.iter().map(|l| (!l.is_param).then_some(0)).collect();
    if let Some(given) = &axes.in_axes {
        if given.len() != inputs && given.len() != all.len() {
            let message = format!(
                "{} in axes for graph {:?}, which has {inputs} input(s) and {} parameter(s)",
                given.len(),
                graph.name(),
                all.len() - inputs
            );
            return Err(Error::Axis(message));
        }
        resolved[..given.len()].copy_from_slice(given);
    }
    let places: HashMap<&str, usize> = all.iter().enumerate().map(|(i, l)| (l.name.as_str(), i)).collect();
    for (name, axis) in &axes.named {
        let Some(i) = places.get(name.as_str()).copied() else {
            let known: Vec<String> = all.iter().map(|l| format!("`{}`", l.name)).collect();
            let what = format!("`{name}`");
            return Err(Error::UnknownInput { graph: graph.name().into(), what, known: known.join(", ") });
        };
        resolved[i] = *axis;
    }
    Ok(resolved)
}

/// An axis of a tensor of this rank, counted from the end if negative.
fn position(axis: i64, rank: usize, what: &str) -> Result<usize, Error> {
    let from_start = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(from_start) {
        Ok(at) if at < rank => Ok(at),
        _ => Err(Error::Axis(format!(
            "axis {axis} of {what} is out of range for rank {rank}, the mapped axis included"
        ))),
    }
}

/// The tensor with one axis moved.
pub(crate) fn move_axis(x: &Tensor, from: usize, to: usize) -> Tensor {
    let mut perm: Vec<usize> = (0..x.rank()).filter(|&a| a != from).collect();
    perm.insert(to.min(perm.len()), from);
    x.transpose(&perm)
}
