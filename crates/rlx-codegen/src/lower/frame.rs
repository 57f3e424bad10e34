//! Assembles the launches of a group: what each reads and writes, and the memory between them.

use super::attention::{Attention, OnePass};
use super::rows::Rows;
use super::tiled::{Gpu, Tiled, TiledAttention, Written};
use super::{Argument, Launch, Launches, LowerError, Reader, Source, Temporary, leaf, stored, whole};
use crate::build::Writer;
use crate::kernel::{BufferId, Place};
use crate::schedule::choose::{by_groups, swizzles};
use crate::schedule::{Schedule, Step, apply, apply_to_launch};
use rlx_ir::{DType, Dim, Graph, Node, NodeId, Op, Shape, Symbol};
use std::collections::HashMap;

/// One result of a node.
type NodeResult = (NodeId, usize);

/// A group that is being lowered.
pub(super) struct Frame<'g> {
    graph: &'g Graph,
    /// Which nodes are stored.
    stored: &'g [bool],
    /// The machine whose groups of lanes compute matrix products.
    machine: Option<&'g Gpu>,
    /// Which nodes an output needs.
    live: Vec<bool>,
    /// The memory of the values that are stored so far.
    places: HashMap<NodeResult, Argument>,
    lowered: Launches,
}

/// Lowers a group without composites to launches. The results of `stored` nodes, which include attentions, are stored.
/// Outputs are computed row by row if there are rows.
pub(super) fn launches(
    graph: &Graph,
    stored: &[bool],
    (attentions, rows): (&[Attention], Option<&Rows<'_>>),
    machine: Option<&'_ Gpu>,
) -> Result<Launches, LowerError> {
    let mut frame = Frame {
        graph,
        stored,
        machine,
        live: graph.live(),
        places: HashMap::new(),
        lowered: Launches::default(),
    };
    for (i, input) in graph.inputs().enumerate() {
        frame.places.insert((input.id(), 0), Argument::Input(i));
    }
    frame.constants();
    for node in graph.nodes() {
        if !stored[node.id().index()] {
            continue;
        }
        let results = frame.results_of(node);
        let attention = attentions.iter().find(|attention| attention.product == node.id());
        match (attention, &results[..]) {
            (Some(attention), &[Some(to)]) => attention.lower(&mut frame, node, to)?,
            _ if whole::is_whole(node.op()) => whole::lower(&mut frame, node, &results)?,
            _ => frame.elements_of(node, &results)?,
        }
        for (index, place) in results.into_iter().enumerate() {
            place.and_then(|place| frame.places.insert((node.id(), index), place));
        }
    }
    frame.outputs(rows)?;
    Ok(frame.finish())
}

impl<'g> Frame<'g> {
    /// Puts constants in memory if their elements differ.
    fn constants(&mut self) {
        for node in self.graph.nodes().iter().filter(|node| self.live[node.id().index()]) {
            let Op::Constant { value } = node.op() else { continue };
            if leaf::repeated(value).is_none() {
                self.places.insert((node.id(), 0), Argument::Constant(self.lowered.constants.len()));
                self.lowered.constants.push(value.clone());
            }
        }
    }

    /// Returns tiled attention, if there is a machine that wants it.
    pub(super) fn tiled_attention<'a>(&self, pass: &'a OnePass<'a>) -> Option<TiledAttention<'a, 'g>> {
        TiledAttention::of(self.graph, self.stored, pass, self.machine?)
    }

    /// Returns the shape of a node's only or first result.
    pub(super) fn shape(&self, id: NodeId) -> &'g Shape {
        self.graph.shape(id)
    }

    /// Adds memory between launches.
    pub(super) fn temporary(&mut self, dtype: DType, extents: &[Dim]) -> Argument {
        self.lowered.temporaries.push(Temporary { dtype, extents: extents.to_vec() });
        Argument::Temporary(self.lowered.temporaries.len() - 1)
    }

    /// Adds a launch that reads elements of `reads` and writes `writes`. Stored values among the former are loaded from memory.
    pub(super) fn launch(
        &mut self,
        reads: &[NodeId],
        writes: &[(Argument, Place)],
        body: impl FnOnce(&mut Writer, &mut Reader<'g>, &[BufferId]) -> Result<(), LowerError>,
    ) -> Result<(), LowerError> {
        let mut w = Writer::new(self.graph.name());
        let mut arguments = Vec::new();
        let mut buffers: HashMap<Argument, BufferId> = HashMap::new();
        let mut sources = vec![None; self.graph.nodes().len()];
        for (id, place) in self.loaded(reads) {
            let buffer = *buffers.entry(place).or_insert_with(|| {
                arguments.push(place);
                self.param(&mut w, place, Place::In)
            });
            sources[id.index()] = Some(Source::Buffer(buffer));
        }
        let written: Vec<BufferId> =
            writes.iter().map(|&(to, place)| self.param(&mut w, to, place)).collect();
        arguments.extend(writes.iter().map(|&(to, _)| to));
        body(&mut w, &mut Reader::new(self.graph, sources), &written)?;
        self.lowered.launches.push(Launch { kernel: w.finish(), arguments });
        Ok(())
    }

    /// Adds a launch that computes values of the same size together, one element of each at a time.
    fn elements(&mut self, values: &[(NodeId, Argument)]) -> Result<(), LowerError> {
        let ids: Vec<NodeId> = values.iter().map(|&(id, _)| id).collect();
        let writes: Vec<(Argument, Place)> = values.iter().map(|&(_, to)| (to, Place::Out)).collect();
        let graph = self.graph;
        let tiled = self.machine.and_then(|machine| Tiled::of(graph, self.stored, &ids, machine));
        if let Some(tiled) = tiled {
            let mut written = Written::default();
            self.launch(&ids, &writes, |w, reader, buffers| {
                let values: Vec<(NodeId, BufferId)> =
                    ids.iter().copied().zip(buffers.iter().copied()).collect();
                written = tiled.lower(w, reader, &values)?;
                Ok(())
            })?;
            return self.scheduled_tiles(&tiled, written);
        }
        self.launch(&ids, &writes, |w, reader, buffers| {
            let mut left: Vec<(NodeId, BufferId)> =
                ids.iter().copied().zip(buffers.iter().copied()).collect();
            while let Some(&(first, _)) = left.first() {
                let dims = graph.shape(first).dims();
                let (together, others) =
                    left.into_iter().partition(|(id, _)| graph.shape(*id).dims() == dims);
                left = others;
                let together: Vec<(NodeId, BufferId)> = together;
                w.par(dims, |w, at| {
                    for &(id, buffer) in &together {
                        let scalar = reader.element(w, id, at)?;
                        w.store(buffer, at, scalar);
                    }
                    Ok::<(), LowerError>(())
                })?;
            }
            Ok(())
        })
    }

    /// Schedules the last launch, which consists of tiles: groups share long sums, instructions compute tiles, and copies are made ahead.
    fn scheduled_tiles(&mut self, tiled: &Tiled<'_>, written: Written) -> Result<(), LowerError> {
        let Some(last) = self.lowered.launches.len().checked_sub(1) else { return Ok(()) };
        let refused = |error| LowerError::Schedule(Box::new(error));
        let mut step = Symbol::new("step");
        if let Some(partition) = tiled.partition().filter(|_| written.adds) {
            step = partition.into[1].clone();
            let split = Schedule(vec![Step::Launches(partition)]);
            self.lowered = apply_to_launch(&self.lowered, last, &split).map_err(refused)?;
        }
        let schedule = tiled.schedule(written.copies.then_some(step));
        let launch = &mut self.lowered.launches[last];
        launch.kernel = apply(&launch.kernel, &schedule).map_err(refused)?;
        if let Some(machine) = self.machine {
            let orders = Schedule(swizzles(&launch.kernel, machine.banks, machine.subgroup));
            launch.kernel = apply(&launch.kernel, &orders).map_err(refused)?;
        }
        Ok(())
    }

    /// Adds a launch that converts the values in one place to the type of a shape, and stores them in another.
    pub(super) fn converted(
        &mut self,
        from: Argument,
        (to, shape): (Argument, &Shape),
    ) -> Result<(), LowerError> {
        let places = [(from, Place::In), (to, Place::Out)];
        self.launch(&[], &places, |w, _, buffers| {
            w.par(shape.dims(), |w, at| {
                let scalar = w.load(buffers[0], at);
                let scalar = w.convert(scalar, shape.dtype());
                w.store(buffers[1], at, scalar);
                Ok(())
            })
        })
    }

    /// Adds a launch for the elements of a node's results.
    fn elements_of(&mut self, node: &Node, results: &[Option<Argument>]) -> Result<(), LowerError> {
        let mut values = Vec::new();
        for (index, place) in results.iter().enumerate() {
            let id = self.projection(node, index);
            id.zip(*place).into_iter().for_each(|value| values.push(value));
        }
        self.elements(&values)
    }

    /// Adds a launch for the outputs of the group that are not stored yet.
    fn outputs(&mut self, rows: Option<&Rows<'_>>) -> Result<(), LowerError> {
        let outputs = self.graph.outputs().iter().enumerate();
        let outputs = outputs.map(|(i, &id)| (id, Argument::Output(i)));
        let left: Vec<(NodeId, Argument)> =
            outputs.filter(|&(id, to)| self.places.get(&self.value(id)) != Some(&to)).collect();
        match rows {
            _ if left.is_empty() => Ok(()),
            Some(rows) => rows.lower(self, &left),
            None => self.elements(&left),
        }
    }

    fn finish(self) -> Launches {
        let mut lowered = self.lowered;
        for launch in &mut lowered.launches {
            let grouped = self.machine.and_then(|machine| by_groups(&launch.kernel, machine));
            launch.kernel = grouped.unwrap_or_else(|| std::mem::take(&mut launch.kernel));
        }
        if lowered.launches.len() > 1 {
            let launches = lowered.launches.iter_mut().enumerate();
            launches.for_each(|(i, launch)| launch.kernel.name = format!("{}_{i}", launch.kernel.name));
        }
        lowered
    }

    /// Returns the result that a node represents.
    fn value(&self, id: NodeId) -> NodeResult {
        match self.graph.node(id).op() {
            Op::Output { index } => (self.graph.node(id).inputs()[0], *index),
            _ => (id, 0),
        }
    }

    /// Returns a node that represents a result, if one is needed.
    fn projection(&self, node: &Node, index: usize) -> Option<NodeId> {
        if !node.is_tuple() {
            return Some(node.id());
        }
        let nodes = self.graph.nodes().iter();
        let mut others = nodes.map(Node::id).filter(|&id| id != node.id());
        others.find(|&id| self.live[id.index()] && self.value(id) == (node.id(), index))
    }

    /// Returns where the results of a node are stored: in the group's outputs, or in memory between launches, or
    /// nowhere if nothing reads them.
    fn results_of(&mut self, node: &Node) -> Vec<Option<Argument>> {
        let mut results = Vec::new();
        for (index, shape) in node.results().iter().enumerate() {
            let is_this = |&id: &NodeId| self.value(id) == (node.id(), index);
            let output = self.graph.outputs().iter().position(is_this);
            let is_read = self.projection(node, index).is_some();
            results.push(match output {
                Some(output) => Some(Argument::Output(output)),
                None if is_read => Some(self.temporary(shape.dtype(), shape.dims())),
                None => None,
            });
        }
        results
    }

    /// Returns what is loaded for elements of these values, and from where.
    fn loaded(&self, reads: &[NodeId]) -> Vec<(NodeId, Argument)> {
        let mut seen = vec![false; self.graph.nodes().len()];
        let mut left: Vec<NodeId> = reads.iter().rev().copied().collect();
        let mut loaded = Vec::new();
        while let Some(id) = left.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.places.get(&self.value(id)) {
                Some(&place) => loaded.push((id, place)),
                None => match stored::passed_on(self.graph, self.graph.node(id)) {
                    Some(id) => left.push(id),
                    None => left.extend(self.graph.node(id).inputs().iter().rev()),
                },
            }
        }
        loaded.sort_by_key(|&(_, place)| match place {
            Argument::Input(i) => (0, i),
            Argument::Output(i) => (1, i),
            Argument::Temporary(i) => (2, i),
            Argument::Constant(i) => (3, i),
        });
        loaded
    }

    fn param(&self, w: &mut Writer, argument: Argument, place: Place) -> BufferId {
        match argument {
            Argument::Input(i) => {
                let shape = self.graph.inputs().nth(i).map(Node::shape);
                let (dtype, dims) = shape.map_or((DType::F32, &[][..]), |s| (s.dtype(), s.dims()));
                w.param(&format!("x{i}"), dtype, dims, place)
            }
            Argument::Output(i) => {
                let shape = self.graph.shape(self.graph.outputs()[i]);
                w.param(&format!("y{i}"), shape.dtype(), shape.dims(), place)
            }
            Argument::Temporary(i) => {
                let Temporary { dtype, extents } = &self.lowered.temporaries[i];
                w.param(&format!("z{i}"), *dtype, extents, place)
            }
            Argument::Constant(i) => {
                let shape = self.lowered.constants[i].shape();
                w.param(&format!("c{i}"), shape.dtype(), shape.dims(), place)
            }
        }
    }
}
