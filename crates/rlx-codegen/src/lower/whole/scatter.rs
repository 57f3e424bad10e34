//! Lowers scatters: a copy of the tensors, followed by the updates in the order of their index vectors.
//!
//! The result does not depend on the order in which a machine runs iterations. A loop runs over the index vectors in
//! order, and only disjoint cells run in parallel: along axes of x that index vectors do not index, and along batch
//! axes.

use crate::build::Writer;
use crate::kernel::{BufferId, Guard, Place, ScalarId};
use crate::lower::frame::Frame;
use crate::lower::movement::unflattened;
use crate::lower::reduction::{accumulator, chain_accumulator};
use crate::lower::{Argument, LowerError, Reader};
use rlx_ir::{
    BinaryOp, Combiner, CompareOp, DType, Dim, Graph, Node, NodeId, Op, ReduceOp, Scalar, ScatterDims,
};

type Lowered = Result<(), LowerError>;

/// The maximum number of updates that are summed in f32 in one chain.
const SHORT: usize = 2048;

/// How old elements and updates are combined.
#[derive(Clone, Copy)]
enum Update<'a> {
    /// The update replaces the element.
    Set,
    /// A function of both.
    Combine(BinaryOp),
    /// The results of the graph for (old elements…, updates…).
    Graph(&'a Graph),
}

pub(super) fn scatter(frame: &mut Frame<'_>, node: &Node, results: &[Option<Argument>]) -> Lowered {
    let (Op::Scatter { dims, combiner }, &[x, indices, updates], &[Some(to)]) =
        (node.op(), node.inputs(), results)
    else {
        return Ok(());
    };
    let update = combiner.binary().map_or(Update::Set, Update::Combine);
    let dtype = frame.shape(x).dtype();
    let operands = Operands { dims, xs: &[x], indices, updates: &[updates] };
    // All updates may be of the same element.
    let updates = Dim::product(operands.layout(frame).extents(Loop::Vectors));
    let wide = match combiner {
        Combiner::Reduce(ReduceOp::Sum | ReduceOp::Prod) if updates.as_static().is_none_or(|n| n > SHORT) => {
            chain_accumulator(dtype)
        }
        Combiner::Reduce(_) => accumulator(dtype),
        Combiner::Set => dtype,
    };
    let sizes = frame.shape(x).dims();
    // Sums and products are rounded once, so those of narrow numbers are computed in a wide type.
    let target = if wide == dtype { to } else { frame.temporary(wide, sizes) };
    copy(frame, x, target, wide)?;
    operands.apply(frame, &[target], update)?;
    if target == to {
        return Ok(());
    }
    frame.converted(target, (to, frame.shape(x)))
}

pub(super) fn scatter_graph(frame: &mut Frame<'_>, node: &Node, results: &[Option<Argument>]) -> Lowered {
    let Op::ScatterGraph { dims, body } = node.op() else { return Ok(()) };
    let (xs, rest) = node.inputs().split_at(node.inputs().len() / 2);
    let targets: Vec<Argument> = xs
        .iter()
        .zip(results)
        .map(|(&x, to)| to.unwrap_or_else(|| frame.temporary(frame.shape(x).dtype(), frame.shape(x).dims())))
        .collect();
    for (&x, &to) in xs.iter().zip(&targets) {
        copy(frame, x, to, frame.shape(x).dtype())?;
    }
    let operands = Operands { dims, xs, indices: rest[0], updates: &rest[1..] };
    operands.apply(frame, &targets, Update::Graph(body))
}

/// Adds a launch that stores a value as another type.
fn copy(frame: &mut Frame<'_>, x: NodeId, to: Argument, dtype: DType) -> Lowered {
    let dims = frame.shape(x).dims();
    frame.launch(&[x], &[(to, Place::Out)], |w, reader, buffers| {
        w.par(dims, |w, at| {
            let element = reader.element(w, x, at)?;
            let element = w.convert(element, dtype);
            w.store(buffers[0], at, element);
            Ok(())
        })
    })
}

/// The operands of a scatter.
struct Operands<'a> {
    dims: &'a ScatterDims,
    xs: &'a [NodeId],
    indices: NodeId,
    updates: &'a [NodeId],
}

/// What an axis of the updates counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    /// Cells of this axis of x, which index vectors do not index.
    Free(usize),
    /// Index vectors along this axis of the indices, each with its own part of this axis of x.
    Batch(usize, usize),
    /// Other index vectors, along this axis of the indices.
    Vectors(usize),
    /// Cells of this axis of x, starting where an index vector points.
    Window(usize),
}

/// The loop that contains an axis of the updates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loop {
    /// No two iterations access the same cell.
    Beside,
    /// In order.
    Vectors,
    /// For one index vector, no two iterations access the same cell.
    Window,
}

impl Along {
    fn of_loop(self) -> Loop {
        match self {
            Along::Free(_) | Along::Batch(..) => Loop::Beside,
            Along::Vectors(_) => Loop::Vectors,
            Along::Window(_) => Loop::Window,
        }
    }
}

/// The axes of the updates and their extents, and the extents of x.
struct Layout<'a> {
    dims: &'a ScatterDims,
    axes: Vec<Along>,
    sizes: &'a [Dim],
    x_sizes: &'a [Dim],
    indices_rank: usize,
}

impl<'a> Operands<'a> {
    fn layout<'b>(&self, frame: &Frame<'b>) -> Layout<'b>
    where
        'a: 'b,
    {
        let dims = self.dims;
        let (x_sizes, sizes) = (frame.shape(self.xs[0]).dims(), frame.shape(self.updates[0]).dims());
        let indices_rank = frame.shape(self.indices).rank();
        let windows = dims.windows();
        let mut windowed = windows.x_window(x_sizes.len()).into_iter();
        let mut counted = windows.index_axes(indices_rank).into_iter();
        let along = |axis: usize| {
            // INVARIANT of `infer`: the updates have an axis for each window axis and each axis of the indices.
            if dims.update_window_dims.contains(&axis) {
                let to = windowed.next().unwrap_or(0);
                let is_pointed_to = dims.scatter_dims_to_operand_dims.contains(&to);
                return if is_pointed_to { Along::Window(to) } else { Along::Free(to) };
            }
            let from = counted.next().unwrap_or(0);
            let batch = dims.scatter_indices_batching_dims.iter().position(|&a| a == from);
            batch.map_or(Along::Vectors(from), |i| Along::Batch(from, dims.input_batching_dims[i]))
        };
        Layout { dims, axes: (0..sizes.len()).map(along).collect(), sizes, x_sizes, indices_rank }
    }

    /// Adds a launch that updates `targets`, which contain the initial values.
    fn apply(&self, frame: &mut Frame<'_>, targets: &[Argument], update: Update<'_>) -> Lowered {
        let layout = self.layout(frame);
        let places: Vec<(Argument, Place)> = targets.iter().map(|&to| (to, Place::InOut)).collect();
        let reads: Vec<NodeId> = std::iter::once(self.indices).chain(self.updates.iter().copied()).collect();
        frame.launch(&reads, &places, |w, reader, buffers| {
            w.par(&layout.extents(Loop::Beside), |w, beside| {
                let vectors = layout.extents(Loop::Vectors);
                w.repeat(&Dim::product(vectors.iter().cloned()), false, &[], |w, number, _| {
                    let vector = unflattened(w, number, &vectors);
                    let numbers = layout.index_vector(w, reader, self.indices, beside, &vector)?;
                    let fits = layout.fits(w, &numbers);
                    let updated = |w: &mut Writer| {
                        let starts = layout.starts(w, &numbers);
                        let mut element = |w: &mut Writer, window: &[Dim]| {
                            let from = layout.merged(beside, &vector, window);
                            let to = layout.cell(&starts, &from);
                            self.update(w, reader, buffers, (&from, &to), update)
                        };
                        match &layout.extents(Loop::Window)[..] {
                            [] => element(w, &[])?,
                            windows => w.par(windows, element)?,
                        }
                        Ok(Vec::new())
                    };
                    w.branch(fits, updated, |_| Ok(Vec::new()))
                })?;
                Ok(())
            })
        })
    }

    /// Replaces the elements of the targets at `to` by the combination of them and the updates at `from`.
    fn update(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        targets: &[BufferId],
        (from, to): (&[Dim], &[Dim]),
        update: Update<'_>,
    ) -> Lowered {
        let new = self.updates.iter().map(|&id| reader.element(w, id, from));
        let new = new.collect::<Result<Vec<ScalarId>, LowerError>>()?;
        let results = match update {
            Update::Set => new,
            Update::Combine(op) => {
                let old = w.load(targets[0], to);
                let wide = w.convert(new[0], w.dtype(old));
                vec![w.binary(op, old, wide)]
            }
            Update::Graph(body) => {
                let mut args: Vec<ScalarId> = targets.iter().map(|&target| w.load(target, to)).collect();
                args.extend(new);
                Reader::applied(w, body, &args)?
            }
        };
        targets.iter().zip(results).for_each(|(&target, result)| w.store(target, to, result));
        Ok(())
    }
}

impl Layout<'_> {
    /// Returns the extents of the updates' axes in a loop.
    fn extents(&self, of: Loop) -> Vec<Dim> {
        let axes = self.axes.iter().zip(self.sizes).filter(|(along, _)| along.of_loop() == of);
        axes.map(|(_, size)| size.clone()).collect()
    }

    /// Returns the indices of an element of the updates, in the order of their axes.
    fn merged(&self, beside: &[Dim], vector: &[Dim], window: &[Dim]) -> Vec<Dim> {
        let (mut beside, mut vector, mut window) = (beside.iter(), vector.iter(), window.iter());
        let index = |along: &Along| match along.of_loop() {
            Loop::Beside => beside.next(),
            Loop::Vectors => vector.next(),
            Loop::Window => window.next(),
        };
        self.axes.iter().filter_map(index).cloned().collect()
    }

    /// Returns the items of an index vector.
    fn index_vector(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        indices: NodeId,
        beside: &[Dim],
        vector: &[Dim],
    ) -> Result<Vec<ScalarId>, LowerError> {
        let mut at = vec![Dim::Static(0); self.indices_rank];
        let (mut beside, mut vector) = (beside.iter(), vector.iter());
        for along in &self.axes {
            match along {
                Along::Free(_) => {
                    beside.next();
                }
                Along::Window(_) => {}
                Along::Batch(axis, _) => at[*axis].clone_from(beside.next().unwrap_or(&Dim::Static(0))),
                Along::Vectors(axis) => at[*axis].clone_from(vector.next().unwrap_or(&Dim::Static(0))),
            }
        }
        let items = 0..self.dims.scatter_dims_to_operand_dims.len();
        let item = |i: usize| {
            if let Some(item) = at.get_mut(self.dims.index_vector_dim) {
                *item = Dim::Static(i);
            }
            let number = reader.element(w, indices, &at)?;
            Ok(w.convert(number, DType::I64))
        };
        items.map(item).collect()
    }

    /// Returns the number of positions of a window along an axis of x that index vectors index.
    fn places(&self, axis: usize) -> Dim {
        let is_window = |along: &Along| *along == Along::Window(axis);
        let width = self.axes.iter().position(is_window).map_or(Dim::Static(1), |i| self.sizes[i].clone());
        (&self.x_sizes[axis] - &width).offset(1)
    }

    /// Returns whether the window of an index vector is inside x.
    fn fits(&self, w: &mut Writer, numbers: &[ScalarId]) -> ScalarId {
        // Windows are at most as long as x, which is known for static sizes.
        let is_longer = |(along, size): (&Along, &Dim)| match along {
            Along::Free(axis) if self.x_sizes[*axis] != *size => Some(&self.x_sizes[*axis] - size),
            _ => None,
        };
        let slack: Vec<Dim> = self.axes.iter().zip(self.sizes).filter_map(is_longer).collect();
        let mut conditions = Vec::new();
        if !slack.is_empty() {
            conditions.push(w.holds(Guard(slack)));
        }
        for (&number, &axis) in numbers.iter().zip(&self.dims.scatter_dims_to_operand_dims) {
            let (zero, end) =
                (w.constant(DType::I64, Scalar::Int(0)), w.index(DType::I64, &self.places(axis)));
            conditions.push(w.compare(CompareOp::Ge, number, zero));
            conditions.push(w.compare(CompareOp::Lt, number, end));
        }
        let all = conditions.into_iter().reduce(|a, b| w.binary(BinaryOp::And, a, b));
        all.unwrap_or_else(|| w.constant(DType::Bool, Scalar::Int(1)))
    }

    /// Returns where a window that fits starts, along each axis of x that index vectors index.
    fn starts(&self, w: &mut Writer, numbers: &[ScalarId]) -> Vec<(usize, Dim)> {
        let axes = self.dims.scatter_dims_to_operand_dims.iter().zip(numbers);
        axes.map(|(&axis, &number)| (axis, w.named(number, &self.places(axis)))).collect()
    }

    /// Returns the cell of x that an element of the updates goes to.
    fn cell(&self, starts: &[(usize, Dim)], from: &[Dim]) -> Vec<Dim> {
        let mut cell = vec![Dim::Static(0); self.x_sizes.len()];
        starts.iter().for_each(|(axis, start)| cell[*axis] = start.clone());
        for (along, index) in self.axes.iter().zip(from) {
            match along {
                Along::Free(axis) | Along::Batch(_, axis) => cell[*axis] = index.clone(),
                Along::Window(axis) => cell[*axis] = &cell[*axis] + index,
                Along::Vectors(_) => {}
            }
        }
        cell
    }
}
