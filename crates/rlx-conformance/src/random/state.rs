//! The random graph under construction, and what is known about its values.

use super::RandomGraph;
use crate::bound::read;
use crate::bound::{Freedom, Known, keeps_exact};
use crate::case::Inputs;
use crate::data::{Gen, Limits};
use crate::stream::Stream;
use rlx_ir::eval::Scalar;
use rlx_ir::{Class, DType, Dim, Graph, Literal, NodeId, Op, Shape};

/// The maximum number of elements of a value. Large graphs, whose kernels have work for several threads, may have more.
const MOST_ELEMENTS: usize = 1024;
const MOST_OF_LARGE: usize = 1 << 15;
/// One graph in this many is large.
const LARGE: usize = 16;
/// One graph in this many starts from infinities, NaNs, subnormals and zeros of both signs, and contains only ops that
/// give the same bits in every implementation.
const SPECIAL: usize = 12;

/// What is known about the elements of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The interval of every real element. For complex elements, the second number is the maximum modulus.
    pub(super) range: (f64, f64),
    /// Whether every implementation has the same bits, except for signs of zeros.
    pub(super) certain: bool,
    /// Elements are multiples of 2^−grid.
    pub(super) grid: Option<i32>,
    /// Whether the elements are bits of an input that were only moved, including signs of zeros and NaN payloads.
    pub(super) raw: bool,
}

/// A value that ops may use.
#[derive(Clone, Debug)]
pub(super) struct RandomValue {
    pub(super) id: NodeId,
    pub(super) dims: Vec<usize>,
    pub(super) dtype: DType,
    pub(super) facts: Facts,
    /// Whether no op may use the value, because it has elements that are not finite, or that may have any value.
    sealed: bool,
}

impl RandomValue {
    pub(super) fn rank(&self) -> usize {
        self.dims.len()
    }

    pub(super) fn len(&self) -> usize {
        self.dims.iter().product()
    }

    pub(super) fn certain(&self) -> bool {
        self.facts.certain
    }
}

pub(super) struct State {
    pub(super) stream: Stream,
    pub(super) values: Vec<RandomValue>,
    graph: Graph,
    inputs: Inputs,
    known: Vec<Known>,
    used: Vec<bool>,
    most: usize,
    special: bool,
    /// The sizes that shapes are made of, so that values fit each other.
    sizes: Vec<usize>,
    leaves: usize,
}

impl State {
    pub(super) fn new(mut stream: Stream) -> State {
        let large = stream.one_in(LARGE);
        let special = stream.one_in(SPECIAL);
        let size = |stream: &mut Stream| if large { 20 + stream.below(120) } else { Self::size(stream) };
        let sizes = (0..3).map(|_| size(&mut stream)).collect();
        State {
            stream,
            values: Vec::new(),
            graph: Graph::new("random"),
            inputs: Vec::new(),
            known: Vec::new(),
            used: Vec::new(),
            special,
            most: if large { MOST_OF_LARGE } else { MOST_ELEMENTS },
            sizes,
            leaves: 0,
        }
    }

    fn size(stream: &mut Stream) -> usize {
        match stream.below(20) {
            0 => 0,
            1..4 => 1,
            4 => 17,
            5 => 16,
            _ => 2 + stream.below(7),
        }
    }

    /// Returns the number of nodes that compute something.
    pub(super) fn computed(&self) -> usize {
        self.graph.nodes().len() - self.leaves
    }

    /// Returns a random element type, with frequencies as in real programs.
    pub(super) fn dtype(&mut self) -> DType {
        match self.stream.below(32) {
            0..14 => DType::F32,
            14..18 => DType::F64,
            18..20 => DType::BF16,
            20 => DType::F16,
            21 => *self.stream.pick(&[DType::F8E4M3, DType::F8E5M2]),
            22..25 => DType::I32,
            25 => DType::I64,
            26 => *self.stream.pick(&[DType::I8, DType::I16]),
            27 => *self.stream.pick(&[DType::U8, DType::U16, DType::U32, DType::U64]),
            28..30 => DType::Bool,
            30 => DType::C64,
            _ => DType::C128,
        }
    }

    /// Returns random dimensions that share sizes with others and have at most as many elements as the graph's values may have.
    pub(super) fn dims(&mut self) -> Vec<usize> {
        let rank = *self.stream.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 4]);
        let mut dims = Vec::new();
        for _ in 0..rank {
            let size = if self.stream.one_in(8) {
                Self::size(&mut self.stream)
            } else {
                *self.stream.pick(&self.sizes)
            };
            let size = if self.stream.one_in(10) { 1 } else { size };
            if dims.iter().product::<usize>() * size <= self.most {
                dims.push(size);
            }
        }
        dims
    }

    pub(super) fn add_inputs(&mut self) {
        for _ in 0..2 + self.stream.below(3) {
            let (dtype, dims) = (self.dtype(), self.dims());
            self.add_input(dtype, &dims);
        }
    }

    /// Adds an input, parameter or constant with ordinary values. Returns its index in the list of values.
    pub(super) fn add_input(&mut self, dtype: DType, dims: &[usize]) -> usize {
        let (data, range, grid) = match self.stream.below(4) {
            0 => (Gen::Uniform(-2.0, 2.0), (-2.0, 2.0), None),
            1 => (Gen::Uniform(0.5, 3.0), (0.25, 3.0), None),
            2 => (Gen::Quarters(-2, 2), (-2.0, 2.0), Some(2)),
            _ => (Gen::Ints(-4, 4), (-4.0, 4.0), Some(0)),
        };
        let facts = Facts { range, certain: true, grid, raw: true };
        if self.special && matches!(dtype.class(), Class::Float | Class::Complex) {
            // The interval does not depend on particular elements, so that nothing that depends on them is added.
            let range = if dtype.is_float() { (-2.0, 2.0) } else { (0.0, 4.0) };
            return self.add_leaf(Gen::Special, dtype, dims, Facts { range, grid: None, ..facts });
        }
        let facts = match dtype.class() {
            Class::Float => facts,
            Class::Complex => Facts { range: (0.0, 4.0 * std::f64::consts::SQRT_2), ..facts },
            Class::Bool => Facts { range: (0.0, 1.0), grid: Some(0), ..facts },
            // Wrapping integers are defined too, so that some inputs use all bits.
            _ if self.stream.one_in(4) => {
                return self.add_leaf(Gen::Bits, dtype, dims, Facts::of_integers(dtype));
            }
            Class::Unsigned => Facts { range: (0.0, 4.0), grid: Some(0), ..facts },
            Class::Signed => Facts { range: (-4.0, 4.0), grid: Some(0), ..facts },
        };
        self.add_leaf(data, dtype, dims, facts)
    }

    fn add_leaf(&mut self, data: Gen, dtype: DType, dims: &[usize], facts: Facts) -> usize {
        let shape = Shape::new(dims, dtype);
        // INVARIANT: the shape is static.
        let literal = data.literal(&shape, &mut self.stream).expect("a static shape");
        self.add_literal(literal, facts)
    }

    /// Adds a leaf with this value.
    pub(super) fn add_literal(&mut self, literal: Literal, facts: Facts) -> usize {
        let shape = literal.shape().clone();
        let name = format!("x{}", self.inputs.len());
        let id = match self.stream.below(4) {
            0 => self.graph.constant(literal.clone()),
            1 => self.graph.param(&name, shape.clone()),
            _ => self.graph.input(&name, shape.clone()),
        };
        if !matches!(self.graph.node(id).op(), Op::Constant { .. }) {
            self.inputs.push((name, literal));
        }
        self.leaves += 1;
        self.known.push(Known::Exact);
        self.used.push(false);
        self.values.push(RandomValue {
            id,
            dims: shape.static_dims().unwrap_or_default(),
            dtype: shape.dtype(),
            facts,
            sealed: false,
        });
        self.values.len() - 1
    }

    /// Adds an input of i32 from 0 to `count` − 1, with a few values beyond.
    pub(super) fn add_labels(&mut self, dims: &[usize], count: usize) -> RandomValue {
        let high = count as i64;
        let data = if self.stream.one_in(4) { Gen::Ints(-1, high) } else { Gen::Ints(0, (high - 1).max(0)) };
        let facts = Facts { range: (-1.0, high as f64), certain: true, grid: Some(0), raw: true };
        let place = self.add_leaf(data, DType::I32, dims, facts);
        self.values[place].clone()
    }

    /// Returns a random value that `fits`, preferring late ones.
    pub(super) fn choose(&mut self, fits: impl Fn(&RandomValue) -> bool) -> Option<RandomValue> {
        let fitting: Vec<usize> =
            (0..self.values.len()).filter(|&i| !self.values[i].sealed && fits(&self.values[i])).collect();
        if fitting.is_empty() {
            return None;
        }
        let (a, b) = (self.stream.below(fitting.len()), self.stream.below(fitting.len()));
        Some(self.values[fitting[a.max(b)]].clone())
    }

    /// Adds an op with one result. Returns `None` if its rule refuses the operands or the result is too large.
    pub(super) fn apply(
        &mut self,
        op: Op,
        operands: &[&RandomValue],
        range: (f64, f64),
        grid: Option<i32>,
    ) -> Option<RandomValue> {
        self.apply_many(op, operands, &[(range, grid)]).map(|mut list| list.swap_remove(0))
    }

    /// Adds an op with one result per item of `known`.
    pub(super) fn apply_many(
        &mut self,
        op: Op,
        operands: &[&RandomValue],
        known: &[((f64, f64), Option<i32>)],
    ) -> Option<Vec<RandomValue>> {
        let ids: Vec<NodeId> = operands.iter().map(|v| v.id).collect();
        let shapes: Vec<Shape> = ids.iter().map(|&id| self.graph.shape(id).clone()).collect();
        let results = self.graph.infer(&op, &ids).ok()?;
        let sizes: Vec<usize> = results.iter().map(Shape::num_elements).collect::<Option<_>>()?;
        if sizes.iter().any(|&n| n > self.most) || results.len() != known.len() {
            return None;
        }
        let facts: Vec<Facts> = results
            .iter()
            .zip(known)
            .map(|(shape, &(range, grid))| fitted(shape.dtype(), range, grid))
            .collect::<Option<_>>()?;
        let operands_certain = operands.iter().all(|v| v.facts.certain);
        let kept = keeps_exact(&op, &shapes, &results, Freedom::Contract, &[]);
        let on_grid = !self.special && facts.iter().all(|f| f.grid.is_some());
        let certain = operands_certain && (kept || on_grid);
        if self.special && !certain {
            return None;
        }
        // Only moves keep the signs of zeros and the payloads of NaNs.
        let raw = kept && operands.iter().all(|v| v.facts.raw) && is_move(&op);
        let id = self.graph.push(op, ids.clone(), results.clone());
        self.note_node(&ids, exactness(certain));
        let mut values = Vec::new();
        for (index, (shape, facts)) in results.iter().zip(facts).enumerate() {
            let id = if results.len() == 1 {
                id
            } else {
                let projected = self.graph.push(Op::Output { index }, vec![id], vec![shape.clone()]);
                self.note_node(&[id], exactness(certain));
                projected
            };
            let grid = facts.grid.filter(|_| certain);
            let facts = Facts { certain, raw, grid, ..facts };
            let dims = shape.static_dims().unwrap_or_default();
            values.push(RandomValue { id, dims, dtype: shape.dtype(), facts, sealed: false });
        }
        self.values.extend(values.iter().cloned());
        Some(values)
    }

    /// Adds a leaf with this value. Only its elements are known.
    pub(super) fn add_data(&mut self, literal: Literal) -> NodeId {
        let facts = Facts::of_elements(&literal);
        let place = self.add_literal(literal, facts.unwrap_or(Facts::of_integers(DType::I8)));
        self.values[place].sealed = facts.is_none();
        self.values[place].id
    }

    /// Adds the nodes of a graph on these inputs, in order, with what is known about each. Its outputs become values
    /// with these facts, and are sealed if there are none.
    pub(super) fn inline(
        &mut self,
        graph: &Graph,
        leaves: &[NodeId],
        known: &dyn Fn(NodeId) -> Known,
        facts: &[Option<Facts>],
    ) {
        let mut map: Vec<NodeId> = Vec::with_capacity(graph.nodes().len());
        let mut leaves = leaves.iter();
        for node in graph.nodes() {
            if let Op::Input { .. } = node.op()
                && let Some(&leaf) = leaves.next()
            {
                map.push(leaf);
                continue;
            }
            let inputs: Vec<NodeId> = node.inputs().iter().map(|i| map[i.index()]).collect();
            map.push(self.graph.push(node.op().clone(), inputs.clone(), node.results().to_vec()));
            self.note_node(&inputs, known(node.id()));
        }
        for (output, facts) in graph.outputs().iter().zip(facts) {
            let (id, shape) = (map[output.index()], graph.shape(*output));
            let dims = shape.static_dims().unwrap_or_default();
            let sealed = facts.is_none();
            let facts = facts.unwrap_or(Facts::of_integers(DType::I8));
            self.values.push(RandomValue { id, dims, dtype: shape.dtype(), facts, sealed });
        }
    }

    fn note_node(&mut self, operands: &[NodeId], known: Known) {
        operands.iter().for_each(|o| self.used[o.index()] = true);
        self.known.push(known);
        self.used.push(false);
    }

    /// Broadcasts the value to these dimensions as NumPy does, adding a node if needed.
    pub(super) fn broadcast(&mut self, x: &RandomValue, dims: &[usize]) -> Option<RandomValue> {
        if x.dims == dims {
            return Some(x.clone());
        }
        let offset = dims.len().checked_sub(x.rank())?;
        let axes = (offset..dims.len()).collect();
        let op = Op::BroadcastInDim { dims: dims.iter().map(|&n| Dim::Static(n)).collect(), axes };
        self.apply(op, &[x], x.facts.range, x.facts.grid)
    }

    /// Adds an i32 scalar constant or input with this value.
    pub(super) fn index(&mut self, value: i64) -> RandomValue {
        let facts = Facts { range: (value as f64, value as f64), certain: true, grid: Some(0), raw: true };
        let place = self.add_literal(Literal::scalar(value as i32), facts);
        self.values[place].clone()
    }

    /// Makes unused values outputs, at least a few, and leaves some of them dead.
    pub(super) fn finish(mut self, seed: u64) -> RandomGraph {
        let mut outputs: Vec<NodeId> = Vec::new();
        for value in self.values.iter().rev() {
            let unused = !self.used[value.id.index()];
            if unused && outputs.len() < 10 && (outputs.is_empty() || !self.stream.one_in(6)) {
                outputs.push(value.id);
            }
        }
        outputs.reverse();
        self.graph.set_outputs(outputs);
        RandomGraph { seed, graph: self.graph, inputs: self.inputs, known: self.known }
    }
}

fn exactness(certain: bool) -> Known {
    if certain { Known::Exact } else { Known::Nothing }
}

impl Facts {
    /// Returns what is known about given elements: the smallest interval, with a margin for rounding. Returns `None` if
    /// an element is not finite.
    pub(super) fn of_elements(literal: &Literal) -> Option<Facts> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..literal.len() {
            let (x, y) = match read(literal, i) {
                Scalar::Complex(z) => (0.0, z.abs()),
                other => (other.to_f64(), other.to_f64()),
            };
            if !x.is_finite() || !y.is_finite() {
                return None;
            }
            (low, high) = (low.min(x), high.max(y));
        }
        if literal.is_empty() {
            (low, high) = (0.0, 0.0);
        }
        let margin = if literal.dtype().is_int() { 0.0 } else { 0.02 * low.abs().max(high.abs()) };
        fitted(literal.dtype(), (low - margin, high + margin), None).map(|facts| Facts { raw: true, ..facts })
    }

    /// Returns the facts about arbitrary integers of a type.
    pub(super) fn of_integers(dtype: DType) -> Facts {
        let (low, high) = dtype.int_range().unwrap_or((0, 0));
        Facts { range: (low as f64, high as f64), certain: true, grid: Some(0), raw: true }
    }
}

fn is_move(op: &Op) -> bool {
    matches!(
        op,
        Op::Reshape { .. }
            | Op::Transpose { .. }
            | Op::BroadcastInDim { .. }
            | Op::Slice { .. }
            | Op::Reverse { .. }
            | Op::Concatenate { .. }
            | Op::DynamicSlice { .. }
            | Op::Gather { .. }
    )
}

/// Returns what is known about a result whose exact elements are in `range` and multiples of 2^−grid. Returns `None` if
/// a float type could overflow.
fn fitted(dtype: DType, range: (f64, f64), grid: Option<i32>) -> Option<Facts> {
    let facts = Facts { range, certain: true, grid, raw: false };
    match dtype.class() {
        Class::Bool => Some(Facts { range: (0.0, 1.0), grid: Some(0), ..facts }),
        Class::Signed | Class::Unsigned => {
            let whole = Facts::of_integers(dtype).range;
            let inside = range.0 >= whole.0 && range.1 <= whole.1;
            Some(Facts { range: if inside { range } else { whole }, grid: Some(0), ..facts })
        }
        Class::Float | Class::Complex => {
            let limits = Limits::of(dtype);
            let most = range.0.abs().max(range.1.abs());
            // Far from overflow, including rounding. The comparison is also false for a NaN.
            let far = most <= limits.max.sqrt().min(1e12);
            let small = most <= limits.max / 4.0 && most <= 100.0;
            if !far && !small {
                return None;
            }
            let bits = |frac: i32| most.max(1.0).log2().floor() as i32 + 1 + frac;
            let grid = grid.filter(|&g| bits(g) <= limits.digits && 2f64.powi(-g) >= limits.min_normal);
            Some(Facts { grid, ..facts })
        }
    }
}
