//! Lowers products to tiles for groups of lanes, for machines without a library. A group computes a tile of the result
//! and sums over tiles of the factors, which its lanes copy into shared memory.
//!
//! Factors are computed while they are copied, and what follows from the product at the same indices is computed before
//! it is stored. Prologues and epilogues therefore work as in any other launch. Elements of tiles that are outside the
//! factors are 0.

mod attention;
mod machine;
mod nested;
mod product;

pub(super) use attention::TiledAttention;
pub use machine::{APPLE, CDNA, GPUS, Gpu, SM80, WEBGPU};
pub(super) use nested::recompute;

use super::rule::Rule;
use super::{LowerError, Reader};
use crate::build::Writer;
use crate::kernel::{Axis, BufferId, Cell, Guard, Level, ScalarId, Space};
use crate::schedule::{Partition, Schedule, Step};
use crate::tile::Tile;
use machine::{Tiling, tiling};
use product::{Element, MatrixProduct, Position};
use rlx_ir::{BinaryOp, DType, Dim, Graph, NodeId, Scalar, Symbol, UnaryOp};

/// A launch of results that follow from one product.
pub(super) struct Tiled<'g> {
    product: MatrixProduct<'g>,
    tiling: Tiling,
}

/// Properties of the loop over summands in a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Written {
    /// Whether both factors are copied unchanged.
    pub copies: bool,
    /// Whether the loop only adds.
    pub adds: bool,
}

impl<'g> Tiled<'g> {
    /// Returns the launch of these values if they have the same sizes and follow from one product at the same indices.
    pub fn of(graph: &'g Graph, stored: &[bool], values: &[NodeId], machine: &Gpu) -> Option<Tiled<'g>> {
        let dims = graph.shape(*values.first()?).dims();
        let mut roots = Vec::new();
        let mut left = values.to_vec();
        let mut seen = vec![false; graph.nodes().len()];
        while let Some(id) = left.pop() {
            let node = graph.node(id);
            if std::mem::replace(&mut seen[id.index()], true) || stored[id.index()] && !values.contains(&id) {
                continue;
            }
            match Rule::of(node.op().kind()) {
                Some(Rule::Contraction) => roots.push(id),
                Some(Rule::Elementwise) if graph.shape(id).dims() == dims => left.extend(node.inputs()),
                _ => {}
            }
        }
        let &[root] = &roots[..] else { return None };
        let product = MatrixProduct::of(graph, graph.node(root))?;
        let fits =
            values.iter().all(|&id| graph.shape(id).dims() == dims) && product.node.shape().dims() == dims;
        let is_real = product.accumulator().is_float() || product.accumulator().is_int();
        // Products with a single row or column are not tiled.
        let [rows, columns, _] = product.sizes();
        let many = [&rows, &columns].iter().all(|size| size.as_static().is_none_or(|size| size > 1));
        let tiling = tiling(&product, machine)?;
        (fits && is_real && many).then_some(Tiled { product, tiling })
    }

    /// Returns how the loop over summands is split, if groups share it.
    pub fn partition(&self) -> Option<Partition> {
        let [_, _, inner] = self.product.sizes();
        let steps = rounded_up(&inner, &Dim::Static(self.tiling.tile[2]));
        let by = match steps.as_static() {
            Some(steps) => steps.div_ceil(self.tiling.parts),
            None => machine::UNKNOWN.div_ceil(self.tiling.tile[2] * self.tiling.parts),
        };
        let into = ["part", "stage"].map(Symbol::new);
        let partition = Partition { axis: Symbol::new("step"), by: u32::try_from(by).ok()?, into };
        (self.tiling.parts > 1).then_some(partition)
    }

    /// Returns the schedule of the launch's kernel: instructions, and copies ahead in the loop of an axis if nothing is
    /// computed during the copies.
    pub fn schedule(&self, ahead: Option<Symbol>) -> Schedule {
        let instr = self.tiling.instr.map(|row| Step::Tensorise {
            axis: Symbol::new("rows"),
            row: row.name.into(),
            into: ["ti", "tj", "tk"].map(Symbol::new),
        });
        let ahead = ahead.map(|axis| Step::Pipeline { axis, slots: 2 });
        Schedule(instr.into_iter().chain(ahead).collect())
    }

    /// Writes the launch.
    pub fn lower(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        values: &[(NodeId, BufferId)],
    ) -> Result<Written, LowerError> {
        let mut watches = false;
        let [tall, wide, _] = self.tiling.tile.map(Dim::Static);
        let [rows, columns, _] = self.product.sizes();
        let tiles = [rounded_up(&rows, &tall), rounded_up(&columns, &wide)];
        let groups: Vec<Dim> = self.product.batch.iter().cloned().chain(tiles).collect();
        let groups: Vec<(Dim, Level)> = groups.into_iter().map(|extent| (extent, Level::Group)).collect();
        w.par_by(&groups, |w, at| {
            let (batch, corner) = at.split_at(self.product.batch.len());
            let begin = Position {
                batch: batch.to_vec(),
                row: &corner[0] * &tall,
                column: &corner[1] * &wide,
                inner: Dim::Static(0),
            };
            let dtype = self.product.accumulator();
            let space = if self.tiling.instr.is_some() { Space::Subgroup } else { Space::Lane };
            let sum = w.array_in(space, dtype, &[tall.clone(), wide.clone()]);
            self.clear(w, sum)?;
            let odd = self.watched(w, &begin)?;
            watches = odd.is_some();
            self.add_products(w, reader, &begin, (sum, odd))?;
            let Some(odd) = odd else { return self.store(w, reader, (&begin, Some(sum)), values) };
            let any = self.any(w, odd)?;
            let none = w.unary(UnaryOp::Not, any);
            for (holds, sum) in [(any, None), (none, Some(sum))] {
                let mut store = |w: &mut Writer| self.store(w, reader, (&begin, sum), values);
                w.branch(holds, |w| store(w).map(|()| Vec::new()), |_| Ok(Vec::new()))?;
            }
            Ok::<_, LowerError>(())
        })?;
        let is_copied = |which| self.copied(reader, which, None).is_some();
        Ok(Written { copies: !watches && is_copied(0) && is_copied(1), adds: !watches })
    }

    /// Fills a tile with the sums of products that start at this position.
    fn summed(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        begin: &Position,
        (sum, odd): (BufferId, Option<BufferId>),
    ) -> Result<(), LowerError> {
        self.clear(w, sum)?;
        self.add_products(w, reader, begin, (sum, odd))
    }

    fn clear(&self, w: &mut Writer, sum: BufferId) -> Result<(), LowerError> {
        let zero = w.constant(self.product.accumulator(), Scalar::Int(0));
        self.over_tile(w, |w, at| {
            w.store(sum, &at, zero);
            Ok(())
        })
    }

    /// Sums over tiles of the factors.
    fn add_products(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        begin: &Position,
        (sum, odd): (BufferId, Option<BufferId>),
    ) -> Result<(), LowerError> {
        let [_, _, inner] = self.product.sizes();
        let deep = Dim::Static(self.tiling.tile[2]);
        let steps = w.named_axis("step", &rounded_up(&inner, &deep));
        w.repeat_by(steps, false, &[], |w, step, _| {
            let begin = Position { inner: step * &deep, ..begin.clone() };
            let a = self.staged(w, reader, &begin, (0, None))?;
            let b = self.staged(w, reader, &begin, (1, odd))?;
            w.barrier();
            self.dot(w, sum, [a, b]);
            w.barrier();
            Ok::<_, LowerError>(Vec::new())
        })?;
        Ok(())
    }

    /// Runs a loop over the elements of the tile. Each is handled by the lane or subgroup that holds it.
    fn over_tile(
        &self,
        w: &mut Writer,
        body: impl FnOnce(&mut Writer, [Dim; 2]) -> Result<(), LowerError>,
    ) -> Result<(), LowerError> {
        let (axes, of) = match self.tiling.instr {
            Some(row) => {
                let [tall, wide] = [row.shape[0] as usize, row.shape[1] as usize];
                let times = [self.tiling.tile[0] / tall, self.tiling.tile[1] / wide];
                ([times, [tall, wide]], Level::Subgroup)
            }
            None => ([self.tiling.lanes, self.tiling.run()], Level::Lane),
        };
        let [[down, across], [tall, wide]] = axes.map(|pair| pair.map(Dim::Static));
        let axes =
            [(down, of), (across.clone(), of), (tall.clone(), Level::None), (wide.clone(), Level::None)];
        w.par_by(&axes, |w, at| {
            let row = &(&at[0] * &tall) + &at[2];
            let column = &(&at[1] * &wide) + &at[3];
            body(w, [row, column])
        })
    }

    /// Returns the tile of a factor, with an element for each row (or column) and summand.
    fn staged(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        begin: &Position,
        (which, odd): (usize, Option<BufferId>),
    ) -> Result<BufferId, LowerError> {
        let [tall, wide, deep] = self.tiling.tile;
        let extents = if which == 0 { [tall, deep] } else { [deep, wide] };
        let tile = w.array_in(Space::Group, self.product.factor(), &extents.map(Dim::Static));
        let lanes = self.tiling.all_lanes();
        let turns = (extents[0] * extents[1]).div_ceil(lanes);
        let axes = [(Dim::Static(lanes), Level::Lane), (Dim::Static(turns), Level::None)];
        let zero = w.constant(self.product.factor(), Scalar::Int(0));
        let all = extents[0] * extents[1];
        if let Some((buffer, node)) = self.copied(reader, which, odd) {
            let axes: Vec<Axis> = w.axes_by(&axes);
            let element = &(&at_of(&axes[1]) * &Dim::Static(lanes)) + &at_of(&axes[0]);
            let at = split(w, &element, extents[1]);
            let element_of = self.element(w, begin, which, &at)?;
            debug_assert_eq!(element_of.node, node);
            let within = w.unproven(Guard(vec![(&Dim::Static(all) - &element).offset(-1)]));
            let guard = w.unproven(element_of.guard);
            let fill = (!guard.is_empty()).then_some(zero);
            w.tile(Tile::Copy {
                axes,
                within,
                to: Cell { buffer: tile, at: at.to_vec() },
                from: Cell { buffer, at: element_of.at },
                guard,
                fill,
                slot: None,
            });
            return Ok(tile);
        }
        if odd.is_none() && self.staged_products(w, reader, begin, (which, tile))? {
            return Ok(tile);
        }
        w.par_by(&axes[..1], |w, lane| {
            let first: Vec<ScalarId> = odd.iter().map(|&odd| w.load(odd, lane)).collect();
            let last = w.repeat(&Dim::Static(turns), false, &first, |w, turn, before| {
                let element = &(turn * &Dim::Static(lanes)) + &lane[0];
                let at = split(w, &element, extents[1]);
                let Element { node, at: from, guard } = self.element(w, begin, which, &at)?;
                let value = reader.element_where(w, node, &from, guard, zero)?;
                let within = w.unproven(Guard(vec![(&Dim::Static(all) - &element).offset(-1)]));
                w.store_guarded(tile, &at, within, value);
                let noted = before.iter().map(|&before| {
                    let is_finite = w.unary(UnaryOp::IsFinite, value);
                    let is_odd = w.unary(UnaryOp::Not, is_finite);
                    w.binary(BinaryOp::Or, before, is_odd)
                });
                Ok::<_, LowerError>(noted.collect())
            })?;
            odd.iter().zip(last).for_each(|(&odd, any)| w.store(odd, lane, any));
            Ok::<_, LowerError>(())
        })?;
        Ok(tile)
    }

    /// Returns the memory that contains a factor unchanged, and the factor.
    fn copied(&self, reader: &Reader<'_>, which: usize, odd: Option<BufferId>) -> Option<(BufferId, NodeId)> {
        let node = self.product.node.inputs()[which];
        reader.buffer_of(node).filter(|_| odd.is_none()).map(|buffer| (buffer, node))
    }

    /// Returns the element of a factor at indices of its tile, and the condition under which it exists.
    fn element(
        &self,
        w: &Writer,
        begin: &Position,
        which: usize,
        at: &[Dim; 2],
    ) -> Result<Element, LowerError> {
        let [rows, columns, inner] = self.product.sizes();
        let place = match which {
            0 => Position { row: &begin.row + &at[0], inner: &begin.inner + &at[1], ..begin.clone() },
            _ => Position { inner: &begin.inner + &at[0], column: &begin.column + &at[1], ..begin.clone() },
        };
        let below = |index: &Dim, size: &Dim| Guard(vec![(size - index).offset(-1)]);
        let of = if which == 0 { below(&place.row, &rows) } else { below(&place.column, &columns) };
        let inside = of.and(below(&place.inner, &inner));
        let factors = self.product.factors(w, &place).ok_or(LowerError::unruled(self.product.node))?;
        let [a, b] = factors;
        let element = if which == 0 { a } else { b };
        Ok(Element { guard: inside.and(element.guard), ..element })
    }

    fn dot(&self, w: &mut Writer, sum: BufferId, factors: [BufferId; 2]) {
        let [tall, wide, deep] = self.tiling.tile.map(Dim::Static);
        let over = w.named_axis("summand", &deep);
        let k = at_of(&over);
        let (axes, at) = match self.tiling.instr {
            Some(_) => {
                let axes = vec![w.named_axis("rows", &tall), w.named_axis("columns", &wide)];
                let at = [at_of(&axes[0]), at_of(&axes[1])];
                (axes, at)
            }
            None => {
                let ([down, across], [tall, wide]) =
                    (self.tiling.lanes.map(Dim::Static), self.tiling.run().map(Dim::Static));
                let axes = w.axes_by(&[
                    (down, Level::Lane),
                    (across, Level::Lane),
                    (tall.clone(), Level::None),
                    (wide.clone(), Level::None),
                ]);
                let of = |lane: usize, inside: usize, run: &Dim| {
                    &(&at_of(&axes[lane]) * run) + &at_of(&axes[inside])
                };
                let at = [of(0, 2, &tall), of(1, 3, &wide)];
                (axes, at)
            }
        };
        let [i, j] = at;
        let cell = |buffer: BufferId, at: [&Dim; 2]| Cell { buffer, at: at.map(Clone::clone).to_vec() };
        let [a, b] = factors;
        w.tile(Tile::Dot {
            sum: cell(sum, [&i, &j]),
            factors: [cell(a, [&i, &k]), cell(b, [&k, &j])],
            axes,
            over,
        });
    }

    /// Stores what follows from the tile. Without `sum`, each element is summed separately.
    fn store(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        (begin, sum): (&Position, Option<BufferId>),
        values: &[(NodeId, BufferId)],
    ) -> Result<(), LowerError> {
        let [rows, columns, _] = self.product.sizes();
        self.over_tile(w, |w, [i, j]| {
            let place = Position { row: &begin.row + &i, column: &begin.column + &j, ..begin.clone() };
            let exists = Guard(vec![(&rows - &place.row).offset(-1), (&columns - &place.column).offset(-1)]);
            let exists = w.unproven(exists);
            let mut body = |w: &mut Writer| {
                let at = self.product.result(w, &place);
                if let Some(sum) = sum {
                    let total = w.load(sum, &[i.clone(), j.clone()]);
                    let total = w.convert(total, self.product.node.shape().dtype());
                    reader.found(w, self.product.node.id(), at.clone(), total);
                }
                for &(id, buffer) in values {
                    let scalar = reader.element(w, id, &at)?;
                    w.store(buffer, &at, scalar);
                }
                Ok::<_, LowerError>(Vec::new())
            };
            if exists.is_empty() {
                return body(w).map(drop);
            }
            let holds = w.holds(exists);
            w.branch(holds, body, |_| Ok(Vec::new())).map(drop)
        })
    }

    /// Returns memory in which lanes note that a factor is not finite where the other one is 0 because of padding:
    /// their product would be NaN, although padding adds nothing. Returns `None` if this cannot happen.
    fn watched(&self, w: &mut Writer, begin: &Position) -> Result<Option<BufferId>, LowerError> {
        let factors = self.product.factors(w, begin).ok_or(LowerError::unruled(self.product.node))?;
        let is_float = self.product.factor().is_float();
        if !is_float || factors[0].guard.is_empty() {
            return Ok(None);
        }
        let lanes = Dim::Static(self.tiling.all_lanes());
        let odd = w.array_in(Space::Group, DType::Bool, std::slice::from_ref(&lanes));
        let no = w.constant(DType::Bool, Scalar::Int(0));
        w.par_by(&[(lanes, Level::Lane)], |w, at| {
            w.store(odd, at, no);
            Ok::<_, LowerError>(())
        })?;
        Ok(Some(odd))
    }

    /// Returns whether any lane has noted something.
    fn any(&self, w: &mut Writer, odd: BufferId) -> Result<ScalarId, LowerError> {
        w.barrier();
        let none = w.constant(DType::Bool, Scalar::Int(0));
        let lanes = Dim::Static(self.tiling.all_lanes());
        let any = w.repeat(&lanes, false, &[none], |w, lane, so_far| {
            let one = w.load(odd, std::slice::from_ref(lane));
            Ok::<_, LowerError>(vec![w.binary(BinaryOp::Or, so_far[0], one)])
        })?;
        Ok(any[0])
    }
}

fn rounded_up(of: &Dim, by: &Dim) -> Dim {
    (of + by).offset(-1).floor_div(by)
}

fn at_of(axis: &Axis) -> Dim {
    Dim::Dynamic(axis.symbol.clone())
}

/// Converts a row-major position to indices of rows of this length.
fn split(w: &Writer, element: &Dim, length: usize) -> [Dim; 2] {
    let length = Dim::Static(length);
    let row = w.simplified(&element.floor_div(&length));
    let column = w.simplified(&(element - &(&row * &length)));
    [row, column]
}
