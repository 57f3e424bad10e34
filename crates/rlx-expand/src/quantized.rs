//! Expands packed blocks into arithmetic on their bytes, with the decoders of `rlx-quant`.

use crate::applied::{Applied, BlockValue, Lookup};
use crate::build::Expression;
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Literal, Op, OpError, QuantScheme, Tensor, UnaryOp};
use rlx_quant::arithmetic::{PackedBlock, Place};

/// The most runs of neighboring bytes that are concatenated. With more runs, the bytes are gathered.
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
    let BlockValue(values) = scheme.decode(&packed, &InBlock((0..scheme.block_len()).collect()));
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

/// The position at which each value of a block finds something, or a single one if it is the same for all.
#[derive(Clone)]
struct InBlock(Vec<usize>);

/// Numbers along the last axis, one per value or one for all.
type Numbers = BlockValue<Tensor>;

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

    /// Ranges of consecutive positions.
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
    type Int = Numbers;

    fn byte(&self, at: &InBlock) -> Numbers {
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
        BlockValue(bytes.convert(DType::I32))
    }

    fn int(&self, place: &InBlock) -> Numbers {
        BlockValue(place.constant(&self.bytes))
    }
}

impl Applied for Tensor {
    fn int(&self, value: i32) -> Tensor {
        self.int_like(value.into())
    }

    fn float(&self, value: f32) -> Tensor {
        self.scalar_like(value.into())
    }

    fn unary(&self, op: UnaryOp) -> Tensor {
        Tensor::unary(self, op)
    }

    fn binary(&self, op: BinaryOp, other: &Tensor) -> Tensor {
        Tensor::binary(self, op, other)
    }

    fn compare(&self, op: CompareOp, other: &Tensor) -> Tensor {
        Tensor::compare(self, op, other)
    }

    fn select(&self, yes: &Tensor, no: &Tensor) -> Tensor {
        Tensor::select(self, yes, no)
    }

    fn convert(&self, dtype: DType) -> Tensor {
        Tensor::convert(self, dtype)
    }

    fn bitcast(&self, dtype: DType) -> Tensor {
        Expression::bitcast(self, dtype)
    }
}

impl Lookup for Tensor {
    fn lookup(&self, table: &'static [u16]) -> Tensor {
        let entries: Vec<i32> = table.iter().map(|&entry| entry.into()).collect();
        numbers(self, &entries).take(self, 0)
    }
}
