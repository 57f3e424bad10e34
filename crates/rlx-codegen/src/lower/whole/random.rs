//! Lowers random bits to blocks of a generator in parallel, each of which computes several neighboring elements.
//!
//! The generators are those of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
//! XLA's choice determines which element comes from which block; see [`rlx_ir::math::random::rng_bit_generator`].

use crate::build::Writer;
use crate::kernel::{BufferId, Guard, Place, ScalarId};
use crate::lower::frame::Frame;
use crate::lower::movement::{flattened, unflattened};
use crate::lower::random::threefry2x32;
use crate::lower::{Argument, LowerError, Reader};
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Node, NodeId, Op, RngAlgorithm, Scalar, Shape};

type Lowered = Result<(), LowerError>;

pub(super) fn rng_bits(frame: &mut Frame<'_>, node: &Node, results: &[Option<Argument>]) -> Lowered {
    let (Op::RngBits { algorithm, shape }, &[state], &[next, bits]) = (node.op(), node.inputs(), results)
    else {
        return Ok(());
    };
    let words = &frame.shape(state).dims()[0];
    let mut draw =
        Draw { state, words: words.as_static().unwrap_or(2), shape, algorithm: *algorithm, pairs: None };
    draw.pairs = draw.pairs(node)?;
    let blocks = draw.blocks();
    if let Some(next) = next {
        frame.launch(&[state], &[(next, Place::Out)], |w, reader, buffers| {
            w.par(&[], |w, _| {
                let words = draw.next_state(w, reader, &Dim::product(blocks.iter().cloned()))?;
                let words = words.into_iter().enumerate();
                words.for_each(|(i, word)| w.store(buffers[0], &[Dim::Static(i)], word));
                Ok(())
            })
        })?;
    }
    let Some(bits) = bits else { return Ok(()) };
    frame.launch(&[state], &[(bits, Place::Out)], |w, reader, buffers| {
        w.par(&blocks, |w, at| match draw.algorithm {
            RngAlgorithm::Threefry => draw.threefry(w, reader, buffers[0], (at, &blocks)),
            RngAlgorithm::Philox => draw.philox(w, reader, buffers[0], &at[0]),
        })
    })
}

/// What is drawn.
struct Draw<'a> {
    state: NodeId,
    /// The number of words of the state.
    words: usize,
    shape: &'a Shape,
    algorithm: RngAlgorithm,
    /// The axis along which a block of Threefry computes two neighbors, or `None` if it computes one element.
    pairs: Option<usize>,
}

impl Draw<'_> {
    fn is_wide(&self) -> bool {
        self.shape.dtype() == DType::U64
    }

    /// For narrow Threefry draws, returns the first even axis, or else the first of the longest axes.
    fn pairs(&self, node: &Node) -> Result<Option<usize>, LowerError> {
        let dims = self.shape.dims();
        if self.is_wide() || dims.is_empty() || self.algorithm == RngAlgorithm::Philox {
            return Ok(None);
        }
        // A single axis is used whatever its size.
        if dims.len() == 1 {
            return Ok(Some(0));
        }
        let sizes: Vec<Option<usize>> = dims.iter().map(Dim::as_static).collect();
        for (axis, size) in sizes.iter().enumerate() {
            match size {
                Some(size) if size % 2 == 0 => return Ok(Some(axis)),
                Some(_) => {}
                None => {
                    let why = "the axis along which its bits are paired depends on symbolic sizes";
                    return Err(LowerError::operands(node.op(), std::slice::from_ref(self.shape), why));
                }
            }
        }
        let longest = sizes.iter().max();
        Ok(sizes.iter().position(|size| Some(size) == longest))
    }

    /// Returns the blocks as an index space.
    fn blocks(&self) -> Vec<Dim> {
        let mut dims = self.shape.dims().to_vec();
        match (self.algorithm, self.pairs) {
            (RngAlgorithm::Threefry, Some(axis)) => {
                dims[axis] = dims[axis].offset(1).floor_div(&Dim::Static(2));
                dims
            }
            (RngAlgorithm::Threefry, None) => dims,
            (RngAlgorithm::Philox, _) => {
                let each = if self.is_wide() { 2 } else { 4 };
                vec![Dim::product(dims).offset(each - 1).floor_div(&Dim::Static(each as usize))]
            }
        }
    }

    fn word(&self, w: &mut Writer, reader: &mut Reader<'_>, word: usize) -> Result<ScalarId, LowerError> {
        reader.element(w, self.state, &[Dim::Static(word)])
    }

    /// Returns the counter. Philox counts in 128 bits; a state of two words lacks the high words, which are then the key.
    fn counter(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        by: &Dim,
    ) -> Result<[ScalarId; 2], LowerError> {
        let low = self.word(w, reader, 1)?;
        let by = w.index(DType::U64, by);
        let sum = w.binary(BinaryOp::Add, low, by);
        let high = self.word(w, reader, if self.words > 2 { 2 } else { 0 })?;
        let overflows = w.compare(CompareOp::Lt, sum, low);
        let carry = w.convert(overflows, DType::U64);
        Ok([sum, w.binary(BinaryOp::Add, high, carry)])
    }

    fn next_state(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        blocks: &Dim,
    ) -> Result<Vec<ScalarId>, LowerError> {
        let key = self.word(w, reader, 0)?;
        let [low, high] = self.counter(w, reader, blocks)?;
        Ok([key, low, high][..self.words.min(3)].to_vec())
    }

    /// Computes one block of Threefry: an element, or two neighbors.
    fn threefry(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        to: BufferId,
        (at, blocks): (&[Dim], &[Dim]),
    ) -> Lowered {
        let (key, counter) = (self.word(w, reader, 0)?, self.word(w, reader, 1)?);
        let block = w.index(DType::U64, &flattened(at, blocks));
        let counter = w.binary(BinaryOp::Add, counter, block);
        let (key, counter) = (halves(w, key), halves(w, counter));
        let [low, high] = threefry2x32(w, key, counter);
        if self.is_wide() {
            let bits = joined(w, low, high);
            w.store(to, at, bits);
            return Ok(());
        }
        let [low, high] = [low, high].map(|bits| w.convert(bits, self.shape.dtype()));
        let dims = self.shape.dims();
        let Some(axis) = self.pairs else {
            w.store(to, at, low);
            return Ok(());
        };
        let mut at = at.to_vec();
        at[axis] = &at[axis] * 2;
        w.store(to, &at, low);
        at[axis] = at[axis].offset(1);
        let exists = Guard(vec![(&dims[axis] - &at[axis]).offset(-1)]);
        w.store_guarded(to, &at, exists, high);
        Ok(())
    }

    /// Computes one block of Philox: four elements, or two wide ones.
    fn philox(&self, w: &mut Writer, reader: &mut Reader<'_>, to: BufferId, block: &Dim) -> Lowered {
        let key = self.word(w, reader, 0)?;
        let [low, high] = self.counter(w, reader, block)?;
        let (key, low, high) = (halves(w, key), halves(w, low), halves(w, high));
        let x = philox4x32(w, key, [low[0], low[1], high[0], high[1]]);
        let made = match self.is_wide() {
            true => vec![joined(w, x[0], x[1]), joined(w, x[2], x[3])],
            false => x.map(|bits| w.convert(bits, self.shape.dtype())).to_vec(),
        };
        let count = Dim::product(self.shape.dims().iter().cloned());
        for (i, &bits) in made.iter().enumerate() {
            let place = (block * made.len()).offset(i as i64);
            let exists = Guard(vec![(&count - &place).offset(-1)]);
            let at = unflattened(w, &place, self.shape.dims());
            w.store_guarded(to, &at, exists, bits);
        }
        Ok(())
    }
}

/// Splits a number into its words, the low one first.
fn halves(w: &mut Writer, x: ScalarId) -> [ScalarId; 2] {
    let distance = w.constant(DType::U64, Scalar::Int(32));
    let high = w.binary(BinaryOp::ShiftRightLogical, x, distance);
    [w.convert(x, DType::U32), w.convert(high, DType::U32)]
}

/// Joins two words, the low one first, to a number.
fn joined(w: &mut Writer, low: ScalarId, high: ScalarId) -> ScalarId {
    let (low, high) = (w.convert(low, DType::U64), w.convert(high, DType::U64));
    let distance = w.constant(DType::U64, Scalar::Int(32));
    let high = w.binary(BinaryOp::ShiftLeft, high, distance);
    w.binary(BinaryOp::Or, low, high)
}

fn number(w: &mut Writer, x: u32) -> ScalarId {
    w.constant(DType::U32, Scalar::Int(x.into()))
}

/// The Philox-4x32 block function with ten rounds.
fn philox4x32(w: &mut Writer, mut key: [ScalarId; 2], counter: [ScalarId; 4]) -> [ScalarId; 4] {
    let factors = [0xD251_1F53, 0xCD9E_8D57].map(|factor| w.constant(DType::U64, Scalar::Int(factor)));
    let steps = [number(w, 0x9E37_79B9), number(w, 0xBB67_AE85)];
    let mut x = counter;
    for _ in 0..10 {
        let mut product = |x: ScalarId, factor: ScalarId| {
            let x = w.convert(x, DType::U64);
            let product = w.binary(BinaryOp::Mul, x, factor);
            halves(w, product)
        };
        let (first, second) = (product(x[0], factors[0]), product(x[2], factors[1]));
        let mut mixed = |high: ScalarId, x: ScalarId, key: ScalarId| {
            let mixed = w.binary(BinaryOp::Xor, high, x);
            w.binary(BinaryOp::Xor, mixed, key)
        };
        x = [mixed(second[1], x[1], key[0]), second[0], mixed(first[1], x[3], key[1]), first[0]];
        key = [w.binary(BinaryOp::Add, key[0], steps[0]), w.binary(BinaryOp::Add, key[1], steps[1])];
    }
    x
}
