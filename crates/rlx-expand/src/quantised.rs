//! Packed blocks as arithmetic on their bytes: the decoders of `rlx-quant`, on tensors of all blocks at once.

use crate::build::Expression;
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Literal, Op, OpError, QuantScheme, Tensor};
use rlx_quant::arithmetic::{Float, Int, PackedBlock, Place};

/// Runs of neighbouring bytes that are put together; more than these are gathered.
const RUNS: usize = 8;

/// The f32 values of packed blocks along the last axis.
pub(crate) fn dequantize_blocks(bytes: &Tensor, scheme: QuantScheme) -> Result<Vec<Tensor>, OpError> {
    let last = bytes.rank() - 1;
    let mut dims = bytes.dims();
    let Some(row) = dims[last].as_static() else {
        return Err(OpError::shape(format!(
            "a row of {} has no size yet; bind its symbol first",
            bytes.shape()
        )));
    };
    let blocks = row / scheme.block_bytes();
    dims.splice(last.., [blocks, scheme.block_bytes()].map(Dim::Static));
    let packed = Packed { bytes: bytes.reshape(&dims), axis: last + 1 };
    let Single(values) = scheme.decode(&packed, &InBlock((0..scheme.block_len()).collect()));
    dims.splice(last + 1.., [Dim::Static(scheme.block_len())]);
    let values = values.broadcast_to(&dims);
    dims.splice(last.., [Dim::Static(blocks * scheme.block_len())]);
    Ok(vec![values.reshape(&dims)])
}

/// Blocks, whose bytes are along the last axis.
struct Packed {
    bytes: Tensor,
    axis: usize,
}

/// Where each value of a block finds something; one place if all find it there.
#[derive(Clone)]
struct InBlock(Vec<usize>);

/// i32 numbers along the last axis, one per value or one for all.
#[derive(Clone)]
struct Integer(Tensor);

/// The same of f32.
#[derive(Clone)]
struct Single(Tensor);

impl InBlock {
    fn of(places: impl Iterator<Item = usize>) -> InBlock {
        let places: Vec<usize> = places.collect();
        let alike = places.windows(2).all(|pair| pair[0] == pair[1]);
        InBlock(if alike { places.into_iter().take(1).collect() } else { places })
    }

    fn each(&self, f: impl Fn(usize) -> usize) -> InBlock {
        InBlock::of(self.0.iter().map(|&place| f(place)))
    }

    fn both(&self, other: &InBlock, f: impl Fn(usize, usize) -> usize) -> InBlock {
        let (a, b) = (&self.0, &other.0);
        InBlock::of((0..a.len().max(b.len())).map(|i| f(a[i.min(a.len() - 1)], b[i.min(b.len() - 1)])))
    }

    /// Ranges of places that follow each other.
    fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for &place in &self.0 {
            match runs.last_mut() {
                Some(run) if run.end == place => run.end += 1,
                _ => runs.push(place..place + 1),
            }
        }
        runs
    }

    fn constant(&self, like: &Tensor) -> Tensor {
        let values: Vec<i32> = self.0.iter().map(|&place| place as i32).collect();
        numbers(like, &values)
    }
}

fn numbers(like: &Tensor, values: &[i32]) -> Tensor {
    match Literal::new(&[values.len()], values) {
        Ok(literal) => like.builder().constant(literal),
        Err(e) => like.builder().error("dequantize_blocks", e.to_string()),
    }
}

impl Place for InBlock {
    fn plus(&self, other: &Self) -> Self {
        self.both(other, |a, b| a + b)
    }

    fn minus(&self, other: &Self) -> Self {
        self.both(other, |a, b| a - b)
    }

    fn times(&self, other: &Self) -> Self {
        self.both(other, |a, b| a * b)
    }

    fn offset(&self, distance: usize) -> Self {
        self.each(|place| place + distance)
    }

    fn scaled(&self, factor: usize) -> Self {
        self.each(|place| place * factor)
    }

    fn div(&self, divisor: usize) -> Self {
        self.each(|place| place / divisor)
    }
}

impl PackedBlock for Packed {
    type Place = InBlock;
    type Int = Integer;

    fn byte(&self, at: &InBlock) -> Integer {
        let runs = at.runs();
        let bytes = if runs.len() > RUNS {
            self.bytes.take(&at.constant(&self.bytes), self.axis)
        } else {
            let parts: Vec<Tensor> =
                runs.iter().map(|run| self.bytes.slice_axis(self.axis, run.start, run.end)).collect();
            let (first, others) = (&parts[0], parts[1..].iter().collect::<Vec<_>>());
            if others.is_empty() {
                first.clone()
            } else {
                first.apply(Op::Concatenate { axis: self.axis }, &others)
            }
        };
        Integer(bytes.convert(DType::I32))
    }

    fn int(&self, place: &InBlock) -> Integer {
        Integer(place.constant(&self.bytes))
    }
}

impl Integer {
    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        Integer(self.0.binary(op, &other.0))
    }
}

impl Int for Integer {
    type Float = Single;

    fn constant(&self, value: i32) -> Self {
        Integer(self.0.int_like(value.into()))
    }

    fn plus(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Add, other)
    }

    fn minus(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Sub, other)
    }

    fn times(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Mul, other)
    }

    fn and(&self, other: &Self) -> Self {
        self.binary(BinaryOp::And, other)
    }

    fn or(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Or, other)
    }

    fn xor(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Xor, other)
    }

    fn shl(&self, distance: &Self) -> Self {
        self.binary(BinaryOp::ShiftLeft, distance)
    }

    fn shr(&self, distance: &Self) -> Self {
        self.binary(BinaryOp::ShiftRightLogical, distance)
    }

    fn below(&self, limit: i32) -> Self {
        Integer(self.0.compare(CompareOp::Lt, &self.0.int_like(limit.into())).convert(DType::I32))
    }

    fn lookup(&self, table: &'static [u16]) -> Self {
        let entries: Vec<i32> = table.iter().map(|&entry| entry.into()).collect();
        Integer(numbers(&self.0, &entries).take(&self.0, 0))
    }

    fn float(&self) -> Single {
        Single(self.0.convert(DType::F32))
    }

    fn half(&self) -> Single {
        Single(self.0.convert(DType::U16).bitcast(DType::F16).convert(DType::F32))
    }

    fn single(&self) -> Single {
        Single(self.0.bitcast(DType::F32))
    }
}

impl Float for Single {
    fn plus(&self, other: &Self) -> Self {
        Single(&self.0 + &other.0)
    }

    fn minus(&self, other: &Self) -> Self {
        Single(&self.0 - &other.0)
    }

    fn times(&self, other: &Self) -> Self {
        Single(&self.0 * &other.0)
    }

    fn scaled(&self, factor: f32) -> Self {
        Single(&self.0 * f64::from(factor))
    }

    fn offset(&self, distance: f32) -> Self {
        Single(&self.0 + f64::from(distance))
    }
}
