//! Lowers values of packed blocks, by running the decoders of `rlx-quant` on scalars of a kernel.

use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use crate::kernel::ScalarId;
use rlx_expand::{Applied, BlockValue, Lookup};
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Node, QuantScheme, Scalar, UnaryOp};
use rlx_quant::arithmetic::{PackedBlock, Place};
use std::cell::RefCell;

/// The maximum length of a table from which a kernel selects entries. Formats with longer tables are expanded to gathers.
const ENTRIES: usize = 16;

/// Returns the decoded value at an index of `node`'s operand.
pub(super) fn element(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
    scheme: QuantScheme,
) -> Lowered {
    let Some((value, row)) = at.split_last() else { return Err(LowerError::unruled(node)) };
    let block = value.floor_div(&Dim::Static(scheme.block_len()));
    let within = w.simplified(&(value - &(&block * scheme.block_len())));
    let start = &block * scheme.block_bytes();
    let kernel = Kernel(RefCell::new(Written { reader, w, node, row, start, refused: None }));
    let BlockValue(KernelNumber { scalar, .. }) = scheme.decode(&&kernel, &Within(within));
    match kernel.0.into_inner().refused {
        Some(refused) => Err(refused),
        None => Ok(scalar),
    }
}

/// The kernel that is being written, and the position of the block.
struct Written<'a, 'g> {
    reader: &'a mut Reader<'g>,
    w: &'a mut Writer,
    node: &'a Node,
    row: &'a [Dim],
    start: Dim,
    /// The error of the first value that could not be written. The scalar in its place has no meaning.
    refused: Option<LowerError>,
}

struct Kernel<'a, 'g>(RefCell<Written<'a, 'g>>);

/// A position in the block.
#[derive(Clone)]
struct Within(Dim);

/// A scalar of the kernel.
#[derive(Clone, Copy)]
struct KernelNumber<'k, 'a, 'g> {
    kernel: &'k Kernel<'a, 'g>,
    scalar: ScalarId,
}

impl Place for Within {
    fn plus(&self, other: &Self) -> Self {
        Within(&self.0 + &other.0)
    }

    fn minus(&self, other: &Self) -> Self {
        Within(&self.0 - &other.0)
    }

    fn times(&self, other: &Self) -> Self {
        Within(&self.0 * &other.0)
    }

    fn offset(&self, distance: usize) -> Self {
        Within(self.0.offset(distance as i64))
    }

    fn scaled(&self, factor: usize) -> Self {
        Within(&self.0 * factor)
    }

    fn div(&self, divisor: usize) -> Self {
        Within(self.0.floor_div(&Dim::Static(divisor)))
    }
}

impl<'a, 'g> Kernel<'a, 'g> {
    fn number(&self, write: impl FnOnce(&mut Written<'a, 'g>) -> Lowered) -> KernelNumber<'_, 'a, 'g> {
        let mut state = self.0.borrow_mut();
        let scalar = write(&mut state).unwrap_or_else(|refused| {
            state.refused.get_or_insert(refused);
            state.w.constant(DType::I32, Scalar::Int(0))
        });
        KernelNumber { kernel: self, scalar }
    }
}

impl<'k, 'a, 'g> PackedBlock for &'k Kernel<'a, 'g> {
    type Place = Within;
    type Int = BlockValue<KernelNumber<'k, 'a, 'g>>;

    fn byte(&self, at: &Within) -> Self::Int {
        BlockValue(self.number(|state| {
            let at = [state.row, &[&state.start + &at.0]].concat();
            let byte = state.reader.element(state.w, state.node.inputs()[0], &at)?;
            Ok(state.w.convert(byte, DType::I32))
        }))
    }

    fn int(&self, place: &Within) -> Self::Int {
        BlockValue(self.number(|state| Ok(state.w.index(DType::I32, &state.w.simplified(&place.0)))))
    }
}

impl KernelNumber<'_, '_, '_> {
    fn next(&self, write: impl FnOnce(&mut Writer) -> ScalarId) -> Self {
        self.kernel.number(|state| Ok(write(state.w)))
    }
}

impl Applied for KernelNumber<'_, '_, '_> {
    fn int(&self, value: i32) -> Self {
        self.next(|w| w.constant(DType::I32, Scalar::Int(value.into())))
    }

    fn float(&self, value: f32) -> Self {
        self.next(|w| w.constant(DType::F32, Scalar::Float(value.into())))
    }

    fn unary(&self, op: UnaryOp) -> Self {
        self.next(|w| w.unary(op, self.scalar))
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        self.next(|w| w.binary(op, self.scalar, other.scalar))
    }

    fn compare(&self, op: CompareOp, other: &Self) -> Self {
        self.next(|w| w.compare(op, self.scalar, other.scalar))
    }

    fn select(&self, yes: &Self, no: &Self) -> Self {
        self.next(|w| w.select(self.scalar, yes.scalar, no.scalar))
    }

    fn convert(&self, dtype: DType) -> Self {
        self.next(|w| w.convert(self.scalar, dtype))
    }

    fn bitcast(&self, dtype: DType) -> Self {
        self.next(|w| w.bitcast(self.scalar, dtype))
    }
}

impl Lookup for KernelNumber<'_, '_, '_> {
    fn lookup(&self, table: &'static [u16]) -> Self {
        self.kernel.number(|state| {
            if table.len() > ENTRIES {
                let why = "a kernel has no table of this length; it is expanded first";
                return Err(LowerError::NotLowered { op: state.node.op().mnemonic(), why });
            }
            let w = &mut *state.w;
            let mut found = w.constant(DType::I32, Scalar::Int(0));
            for (i, &entry) in table.iter().enumerate() {
                let at = w.constant(DType::I32, Scalar::Int(i as i128));
                let is_here = w.compare(CompareOp::Eq, self.scalar, at);
                let entry = w.constant(DType::I32, Scalar::Int(entry.into()));
                found = w.select(is_here, entry, found);
            }
            Ok(found)
        })
    }
}
