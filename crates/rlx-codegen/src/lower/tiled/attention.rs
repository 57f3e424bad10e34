//! Lowers attention to tiles for groups of lanes. A group has some query rows and iterates over tiles of keys.
//!
//! The scores of a tile are in memory that the lanes share. Lanes hold the sums so far, relative to the maximum score
//! of each row.

use super::machine::{Gpu, Tiling};
use super::product::{MatrixProduct, Position};
use super::{Tiled, at_of, rounded_up, split};
use crate::build::Writer;
use crate::kernel::{BufferId, Cell, Guard, Level, ScalarId, Space};
use crate::lower::attention::OnePass;
use crate::lower::contraction;
use crate::lower::online::ratio;
use crate::lower::rule::Rule;
use crate::lower::{LowerError, Reader};
use crate::tile::Tile;
use rlx_ir::{BinaryOp, DType, Dim, Graph, NodeId, Scalar};

/// The number of rows and of keys of a tile, and of products that are summed at a time.
const ROWS: usize = 16;
const KEYS: usize = 32;
const INNER: usize = 16;
/// The number of lanes along rows, and along keys or elements of a row.
const LANES: [usize; 2] = [4, 8];
/// The maximum number of elements per row of the result that lanes can hold.
const WIDEST: usize = 256;

/// The source of the scores of a tile.
enum Scores<'g> {
    /// The product of a node of the same sizes.
    Tiles(Box<Tiled<'g>>),
    /// Each score is computed separately.
    Elements,
}

/// One product with normalized exponentials, made of tiles.
pub(in crate::lower) struct TiledAttention<'a, 'g> {
    pass: &'a OnePass<'a>,
    scores: Scores<'g>,
    /// The extents of the scores.
    dims: &'g [Dim],
    x: NodeId,
    /// The number of elements of a row of the result.
    width: usize,
    dtype: DType,
}

/// The state that a group holds for its rows.
struct HeldRows {
    scores: BufferId,
    largest: BufferId,
    sums: BufferId,
    /// The factors by which the sums so far are multiplied.
    old: BufferId,
    products: BufferId,
}

impl<'a, 'g> TiledAttention<'a, 'g> {
    /// Returns `None` if the result has rows that are too wide for lanes or of unknown width, or no axis of rows.
    pub fn of(graph: &'g Graph, stored: &[bool], pass: &'a OnePass<'a>, machine: &Gpu) -> Option<Self> {
        let x = pass.attention.pair.x;
        let dims = graph.shape(x).dims();
        let width = pass.free.iter().try_fold(1usize, |n, dim| n.checked_mul(dim.as_static()?))?;
        let lanes = LANES[0] * LANES[1];
        let has_rows = !contraction::spaces(graph, pass.node)?.rows.is_empty();
        if width == 0 || width > WIDEST || !has_rows || lanes > machine.lanes as usize {
            return None;
        }
        let tiling = Tiling { tile: [ROWS, KEYS, INNER], lanes: LANES, instr: None, parts: 1 };
        // The rows of the result correspond to those of the scores.
        let product = scores_of(graph, stored, x).filter(|_| pass.is_plain());
        let scores =
            product.map_or(Scores::Elements, |product| Scores::Tiles(Box::new(Tiled { product, tiling })));
        Some(TiledAttention { pass, scores, dims, x, width, dtype: graph.shape(x).dtype() })
    }

    /// Writes the launch.
    pub fn lower(&self, w: &mut Writer, reader: &mut Reader<'g>, to: BufferId) -> Result<(), LowerError> {
        let Some((rows, batch)) = self.pass.rows().split_last() else { return Ok(()) };
        let tiles = rounded_up(rows, &Dim::Static(ROWS));
        let groups: Vec<(Dim, Level)> =
            batch.iter().cloned().chain([tiles]).map(|extent| (extent, Level::Group)).collect();
        w.par_by(&groups, |w, at| {
            let (tile, batch) = (&at[at.len() - 1], &at[..at.len() - 1]);
            let first = tile * &Dim::Static(ROWS);
            let held = self.begin(w)?;
            let keys = &self.dims[self.dims.len() - 1];
            w.repeat(&rounded_up(keys, &Dim::Static(KEYS)), false, &[], |w, step, _| {
                let begin = (batch, &first, step * &Dim::Static(KEYS));
                self.score(w, reader, &held, (begin.0, begin.1, &begin.2))?;
                w.barrier();
                self.exponentials(w, &held, &begin.2)?;
                let values = self.values(w, reader, (begin.0, begin.1, &begin.2))?;
                w.barrier();
                self.add(w, &held, values)?;
                w.barrier();
                Ok::<_, LowerError>(Vec::new())
            })?;
            self.finish(w, reader, &held, (batch, &first), to)
        })
    }

    /// Returns the width of a row, rounded up so that lanes can share it.
    fn padded(&self) -> usize {
        self.width.next_multiple_of(LANES[1])
    }

    /// Runs a loop over rows and elements of a row. Each element is handled by the lane that holds it.
    fn over(
        &self,
        w: &mut Writer,
        width: usize,
        body: impl FnOnce(&mut Writer, [Dim; 2]) -> Result<(), LowerError>,
    ) -> Result<(), LowerError> {
        let run = [ROWS / LANES[0], width / LANES[1]].map(Dim::Static);
        let [down, across] = LANES.map(Dim::Static);
        let axes = [
            (down, Level::Lane),
            (across, Level::Lane),
            (run[0].clone(), Level::None),
            (run[1].clone(), Level::None),
        ];
        w.par_by(&axes, |w, at| body(w, [&(&at[0] * &run[0]) + &at[2], &(&at[1] * &run[1]) + &at[3]]))
    }

    /// Makes the memory for the rows of a group, before the first key.
    fn begin(&self, w: &mut Writer) -> Result<HeldRows, LowerError> {
        let [rows, keys, width] = [ROWS, KEYS, self.padded()].map(Dim::Static);
        let row = std::slice::from_ref(&rows);
        let scores = w.array_in(Space::Group, self.dtype, &[rows.clone(), keys]);
        let [largest, sums, old] = [(); 3].map(|()| w.array_in(Space::Group, self.dtype, row));
        let products = w.array_in(Space::Lane, self.dtype, &[rows.clone(), width]);
        let zero = w.constant(self.dtype, Scalar::Int(0));
        let lowest = w.constant(self.dtype, Scalar::Float(f64::NEG_INFINITY));
        w.par_by(&[(rows, Level::Lane)], |w, at| {
            w.store(largest, at, lowest);
            w.store(sums, at, zero);
            Ok::<_, LowerError>(())
        })?;
        self.over(w, self.padded(), |w, at| {
            w.store(products, &at, zero);
            Ok(())
        })?;
        Ok(HeldRows { scores, largest, sums, old, products })
    }

    /// Returns the indices of a row of the result.
    fn row(&self, batch: &[Dim], row: &Dim) -> Vec<Dim> {
        [batch, std::slice::from_ref(row)].concat()
    }

    /// Returns the condition under which a row exists.
    fn exists(&self, row: &Dim) -> Guard {
        let rows = self.pass.rows();
        Guard(rows.last().map(|rows| (rows - row).offset(-1)).into_iter().collect())
    }

    /// Fills the tile of scores. Scores that do not exist become the lowest number.
    fn score(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        held: &HeldRows,
        (batch, first, key): (&[Dim], &Dim, &Dim),
    ) -> Result<(), LowerError> {
        let lowest = w.constant(self.dtype, Scalar::Float(f64::NEG_INFINITY));
        let keys = &self.dims[self.dims.len() - 1];
        let below = (keys - key).offset(-1);
        let sum = match &self.scores {
            Scores::Elements => None,
            Scores::Tiles(tiled) => {
                let sum =
                    w.array_in(Space::Lane, tiled.product.accumulator(), &[ROWS, KEYS].map(Dim::Static));
                let begin = Position {
                    batch: batch.to_vec(),
                    row: first.clone(),
                    column: key.clone(),
                    inner: Dim::Static(0),
                };
                tiled.summed(w, reader, &begin, (sum, None))?;
                Some((tiled, sum))
            }
        };
        self.over(w, KEYS, |w, [i, j]| {
            let (row, number) = (first + &i, key + &j);
            let guard = self.exists(&row).and(Guard(vec![&below - &j]));
            let guard = w.unproven(guard);
            let at = [&self.pass.lead(w, &self.row(batch, &row))[..], &[number]].concat();
            if let Some((tiled, sum)) = &sum {
                let node = tiled.product.node;
                let total = w.load(*sum, &[i.clone(), j.clone()]);
                let total = w.convert(total, node.shape().dtype());
                reader.found_where(w, (node.id(), at.clone()), &guard, total);
            }
            let score = reader.element_where(w, self.x, &at, guard, lowest)?;
            w.store(held.scores, &[i, j], score);
            Ok(())
        })
    }

    /// Replaces scores by exponentials and updates the state of their rows.
    fn exponentials(&self, w: &mut Writer, held: &HeldRows, key: &Dim) -> Result<(), LowerError> {
        let keys = &self.dims[self.dims.len() - 1];
        let there = |w: &mut Writer, j: &Dim| {
            let exists = w.unproven(Guard(vec![(&(keys - key) - j).offset(-1)]));
            (!exists.is_empty()).then(|| w.holds(exists))
        };
        w.par_by(&[(Dim::Static(ROWS), Level::Lane)], |w, at| {
            let i = &at[0];
            let before = w.load(held.largest, at);
            let largest = w.repeat(&Dim::Static(KEYS), false, &[before], |w, j, largest| {
                let score = w.load(held.scores, &[i.clone(), j.clone()]);
                Ok::<_, LowerError>(vec![w.binary(BinaryOp::Max, largest[0], score)])
            })?[0];
            let old = ratio(w, before, largest);
            let sum = w.load(held.sums, at);
            let sum = w.binary(BinaryOp::Mul, sum, old);
            let zero = w.constant(self.dtype, Scalar::Int(0));
            let sum = w.repeat(&Dim::Static(KEYS), false, &[sum], |w, j, sum| {
                let cell = [i.clone(), j.clone()];
                let score = w.load(held.scores, &cell);
                let new = ratio(w, score, largest);
                let new = match there(w, j) {
                    Some(exists) => w.select(exists, new, zero),
                    None => new,
                };
                w.store(held.scores, &cell, new);
                Ok::<_, LowerError>(vec![w.binary(BinaryOp::Add, sum[0], new)])
            })?[0];
            w.store(held.largest, at, largest);
            w.store(held.sums, at, sum);
            w.store(held.old, at, old);
            Ok::<_, LowerError>(())
        })
    }

    /// Fills the tile of values. Values that do not exist become 0.
    fn values(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        (batch, first, key): (&[Dim], &Dim, &Dim),
    ) -> Result<BufferId, LowerError> {
        let (width, lanes) = (self.padded(), LANES[0] * LANES[1]);
        let tile = w.array_in(Space::Group, self.dtype, &[KEYS, width].map(Dim::Static));
        let node = self.pass.node.inputs()[1];
        let keys = &self.dims[self.dims.len() - 1];
        let turns = KEYS * width / lanes;
        w.par_by(&[(Dim::Static(lanes), Level::Lane), (Dim::Static(turns), Level::None)], |w, at| {
            let place = &(&at[1] * &Dim::Static(lanes)) + &at[0];
            let [j, d] = split(w, &place, width);
            let number = key + &j;
            let inside = Guard(vec![(keys - &number).offset(-1), (&Dim::Static(self.width) - &d).offset(-1)]);
            let free = crate::lower::movement::unflattened(w, &d, self.pass.free);
            let from = self.pass.value(&self.row(batch, first), &number, &free);
            let zero = w.constant(reader.shape(node).dtype(), Scalar::Int(0));
            let value = reader.element_where(w, node, &from, inside, zero)?;
            let value = w.convert(value, self.dtype);
            w.store(tile, &[j, d], value);
            Ok::<_, LowerError>(())
        })?;
        Ok(tile)
    }

    /// Adds the products of a tile to the sums so far.
    fn add(&self, w: &mut Writer, held: &HeldRows, values: BufferId) -> Result<(), LowerError> {
        self.over(w, self.padded(), |w, at| {
            let so_far = w.load(held.products, &at);
            let old = w.load(held.old, &at[..1]);
            let so_far = w.binary(BinaryOp::Mul, so_far, old);
            w.store(held.products, &at, so_far);
            Ok(())
        })?;
        let run = [ROWS / LANES[0], self.padded() / LANES[1]].map(Dim::Static);
        let [down, across] = LANES.map(Dim::Static);
        let axes = w.axes_by(&[
            (down, Level::Lane),
            (across, Level::Lane),
            (run[0].clone(), Level::None),
            (run[1].clone(), Level::None),
        ]);
        let over = w.named_axis("key", &Dim::Static(KEYS));
        let of = |lane: usize| &(&at_of(&axes[lane]) * &run[lane]) + &at_of(&axes[lane + 2]);
        let (i, d, j) = (of(0), of(1), at_of(&over));
        let cell = |buffer: BufferId, at: [&Dim; 2]| Cell { buffer, at: at.map(Clone::clone).to_vec() };
        w.tile(Tile::Dot {
            sum: cell(held.products, [&i, &d]),
            factors: [cell(held.scores, [&i, &j]), cell(values, [&j, &d])],
            axes,
            over,
        });
        Ok(())
    }

    /// Divides and stores the result.
    fn finish(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        held: &HeldRows,
        (batch, first): (&[Dim], &Dim),
        to: BufferId,
    ) -> Result<(), LowerError> {
        w.barrier();
        self.over(w, self.padded(), |w, [i, d]| {
            let row = first + &i;
            let inside = self.exists(&row).and(Guard(vec![(&Dim::Static(self.width) - &d).offset(-1)]));
            let inside = w.unproven(inside);
            let body = |w: &mut Writer| {
                let (row, free) =
                    (self.row(batch, &row), crate::lower::movement::unflattened(w, &d, self.pass.free));
                let sum = w.load(held.products, &[i.clone(), d.clone()]);
                let state: Vec<ScalarId> =
                    [held.largest, held.sums].map(|of| w.load(of, std::slice::from_ref(&i))).to_vec();
                self.pass.store(w, reader, (&row, &free), (sum, &state), to)?;
                Ok::<_, LowerError>(Vec::new())
            };
            let holds = w.holds(inside);
            w.branch(holds, body, |_| Ok(Vec::new())).map(drop)
        })
    }
}

/// Returns the product that scores are computed from at the same indices, if it is a product of rows and keys.
fn scores_of<'g>(graph: &'g Graph, stored: &[bool], x: NodeId) -> Option<MatrixProduct<'g>> {
    let dims = graph.shape(x).dims();
    let (mut left, mut found) = (vec![x], Vec::new());
    while let Some(id) = left.pop() {
        let node = graph.node(id);
        if stored[id.index()] || graph.shape(id).dims() != dims || found.contains(&id) {
            continue;
        }
        match Rule::of(node.op().kind()) {
            Some(Rule::Contraction) if contraction::spaces(graph, node).is_some() => found.push(id),
            Some(Rule::Elementwise) => left.extend(node.inputs()),
            _ => {}
        }
    }
    let &[root] = &found[..] else { return None };
    let product = MatrixProduct::of(graph, graph.node(root))?;
    let fits = product.rows.len() == 1 && product.columns.len() == 1;
    fits.then_some(product)
}
