//! Contractions with the blocked product and its epilogue. Operands of its own type are used in place; others are read into it, and results
//! of other types are written from it. A right-hand side that does not change is packed once.

use super::epilogue::Chain;
use super::layout::{Matrix, Product};
use super::number::Number;
use super::view::{MatrixForm, Reading, View};
use crate::exec::{LaunchContext, OpKernel, Packed, Packer, Packing, RunError};
use crate::gemm::{
    BatchDim, Element, Epilogue, Gemm, GemmShape, LhsAt, Narrow, PackedB, Piece, RhsAt, RhsForm, Rows, Steps,
};
use crate::isa::Cpu;
use crate::pool::SharedPtr;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_elementwise::stored::{Line, LineFn, writer};
use rlx_ir::DType;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// How an operand enters the product.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    /// In the product's own type, with strides in elements: from batch to batch, then within a matrix.
    Strided(usize, Steps),
    /// In 16 bits, with strides like those of `Strided`; only for right-hand sides.
    Narrow(Narrow, usize, Steps),
    /// Element by element.
    Read(Reading, MatrixForm),
}

impl Side {
    /// Determines how an operand of type `dtype` enters a product of numbers `E`.
    pub(crate) fn new<E: Number>(dtype: DType, matrix: &Matrix, numbers: MatrixForm) -> Option<Side> {
        let own = matches!((dtype, size_of::<E>()), (DType::F32, 4) | (DType::F64, 8));
        match matrix.strides() {
            Some(s) if own && numbers == MatrixForm::Real => {
                Some(Side::Strided(s.batch, Steps { row: s.row, col: s.column }))
            }
            _ => Some(Side::Read(Reading::new(dtype, E::COMPUTE)?, numbers)),
        }
    }

    /// Like [`new`](Side::new), for a right-hand side, which products widen themselves if it has 16 bits.
    pub(crate) fn of_rhs<E: Number>(dtype: DType, matrix: &Matrix, numbers: MatrixForm) -> Option<Side> {
        let form = match dtype {
            DType::F16 => Some(Narrow::F16),
            DType::BF16 => Some(Narrow::Bf16),
            _ => None,
        };
        match (form, matrix.strides()) {
            (Some(form), Some(s)) if numbers == MatrixForm::Real => {
                Some(Side::Narrow(form, s.batch, Steps { row: s.row, col: s.column }))
            }
            _ => Side::new::<E>(dtype, matrix, numbers),
        }
    }

    /// Returns the form in which products read a right-hand side.
    pub(crate) fn rhs_form(self) -> RhsForm {
        match self {
            Side::Strided(_, steps) => RhsForm::Strided(steps),
            Side::Narrow(_, _, steps) => RhsForm::Narrow(steps),
            Side::Read(..) => RhsForm::Rows,
        }
    }

    /// Returns the steps of a matrix; they have no meaning for one that is read element by element.
    pub(crate) fn steps(self) -> Steps {
        self.strided().1
    }

    /// Returns the distance between the matrices of an operand with strides.
    pub(crate) fn batch(self) -> usize {
        self.strided().0
    }

    /// Returns a view of the operand at `start` if the product reads it element by element.
    pub(crate) fn view<'m>(self, cpu: Cpu, start: *const u8, matrix: &'m Matrix) -> Option<View<'m>> {
        let Side::Read(reading, numbers) = self else { return None };
        Some(View { cpu, start, matrix, reading, numbers })
    }

    fn strided(self) -> (usize, Steps) {
        match self {
            Side::Strided(batch, steps) | Side::Narrow(_, batch, steps) => (batch, steps),
            Side::Read(..) => (0, Steps { row: 0, col: 0 }),
        }
    }
}

/// The form in which the right-hand side is packed once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Form {
    /// In the product's own type.
    Own,
    /// In 16 bits, which is the type of these elements.
    Sixteen(DType),
}

/// A planned contraction.
pub(crate) struct Blocked<E: Element> {
    product: Product,
    sides: [Side; 2],
    gemm: Gemm<E>,
    packed: Option<(Gemm<E>, Form)>,
    chain: Chain,
    /// Writes results if their type is not the product's, and the size of one in bytes.
    write: Option<(LineFn, usize)>,
    cpu: Cpu,
}

/// Returns the shape of the product in its own numbers; complex elements are pairs of them.
fn shape(p: &Product, sides: [Side; 2], complex: bool, b: RhsForm) -> GemmShape {
    let parts = if complex { 2 } else { 1 };
    let ((lhs, a), (rhs, _)) = (sides[0].strided(), sides[1].strided());
    let (m, k, n) = (p.m, parts * p.k, parts * p.n);
    let batch = BatchDim { size: p.batch, a: lhs, b: rhs, c: m * n, residual: m * n };
    GemmShape { m, n, k, a, b, c_row: n, batch: if p.batch == 1 { Vec::new() } else { vec![batch] } }
}

impl<E: Element + Number> Blocked<E> {
    /// Plans a product of operands of the types `stored`, with results of type `to`. `constant` says whether the right-hand side keeps its
    /// value between runs. Returns `None` if the product's numbers cannot hold such elements.
    pub(crate) fn new(
        product: Product,
        (stored, to): ([DType; 2], DType),
        chain: Chain,
        constant: bool,
        cpu: Cpu,
        threads: usize,
    ) -> Result<Option<Self>, BackendError> {
        let numbers =
            if to.is_complex() { [MatrixForm::Pairs, MatrixForm::Squares] } else { [MatrixForm::Real; 2] };
        let lhs = Side::new::<E>(stored[0], &product.lhs, numbers[0]);
        let rhs = Side::of_rhs::<E>(stored[1], &product.rhs, numbers[1]);
        let direct = matches!((to.real(), size_of::<E>()), (DType::F32, 4) | (DType::F64, 8));
        let write = writer(E::COMPUTE, to.real()).map(|write| (write, to.real().size()));
        let (Some(lhs), Some(rhs), Some(write)) = (lhs, rhs, write) else { return Ok(None) };
        let sides = [lhs, rhs];
        let plan = |form| {
            let shape = shape(&product, sides, to.is_complex(), form);
            Gemm::new(cpu, shape, threads).map_err(|e| BackendError::Unsupported(e.to_string()))
        };
        let gemm = plan(rhs.rhs_form())?;
        let packs = constant && product.batch == 1 && product.rhs.strides().is_some() && !to.is_complex();
        let form = match rhs {
            Side::Strided(..) => Some(Form::Own),
            Side::Narrow(..) => Some(Form::Sixteen(stored[1])),
            Side::Read(..) => (stored[1].size() == 1).then_some(Form::Sixteen(stored[1])),
        };
        // A library packs its operands itself.
        let form = form.filter(|_| !(direct && gemm.is_for_library()));
        let packed = match form.filter(|_| packs) {
            Some(form) => Some((plan(RhsForm::Packed)?, form)),
            None => None,
        };
        let write = (!direct).then_some(write);
        Ok(Some(Blocked { product, sides, gemm, packed, chain, write, cpu }))
    }

    fn rhs_steps(&self) -> Option<Steps> {
        let strides = self.product.rhs.strides()?;
        Some(Steps { row: strides.row, col: strides.column })
    }

    /// Returns a view of the operand if the product reads it element by element.
    fn view(&self, cx: &LaunchContext<'_>, side: usize) -> Option<View<'_>> {
        let matrix = if side == 0 { &self.product.lhs } else { &self.product.rhs };
        self.sides[side].view(cx.cpu, cx.input_ptr(self.chain.operands[side]), matrix)
    }
}

/// Returns f32 numbers rounded to a 16-bit type, or `None` if the type cannot hold them.
fn shortened(held: Option<DType>, bytes: &[u8]) -> Option<(Narrow, Vec<u16>)> {
    let numbers: &[f32] = bytemuck::try_cast_slice(bytes).ok()?;
    let mut bits = vec![0u16; numbers.len()];
    match held? {
        DType::F16 => {
            let largest = rlx_ir::FloatFormat::F16.max() as f32;
            // Numbers that are not finite are no reason to store the others in 32 bits.
            if numbers.iter().any(|x| x.is_finite() && x.abs() > largest) {
                return None;
            }
            bits.reinterpret_cast_mut::<half::f16>().convert_from_f32_slice(numbers);
            Some((Narrow::F16, bits))
        }
        DType::BF16 => {
            bits.reinterpret_cast_mut::<half::bf16>().convert_from_f32_slice(numbers);
            Some((Narrow::Bf16, bits))
        }
        _ => None,
    }
}

/// Returns the bits of elements of at most 8 bits as 16-bit floats with the same values.
fn halves(dtype: DType, bytes: &[u8]) -> Vec<u16> {
    let of = |byte: u8| {
        let x = rlx_ir::eval::Scalar::read(dtype, &[byte]).to_f64();
        half::f16::from_f64(x).to_bits()
    };
    let table: Vec<u16> = (0..=u8::MAX).map(of).collect();
    bytes.iter().map(|&byte| table[usize::from(byte)]).collect()
}

impl<E: Element + Number> OpKernel for Blocked<E>
where
    for<'v> View<'v>: Rows<E>,
{
    fn needs(&self) -> Needs {
        let packed = self.packed.as_ref().map_or(0, |p| p.0.scratch_bytes());
        // The residual is read element by element before the result is written over it, unless a library writes sums first.
        let residual = self.chain.residual.filter(|_| !self.gemm.is_for_library());
        let in_place = residual.iter().map(|r| r.0).filter(|r| !self.chain.operands.contains(r));
        Needs { scratch_bytes: packed.max(self.gemm.scratch_bytes()), in_place: in_place.collect() }
    }

    fn packings(&self) -> Vec<Packing> {
        let (Some((_, form)), Some(steps)) = (&self.packed, self.rhs_steps()) else { return Vec::new() };
        let mut hasher = DefaultHasher::new();
        ("matrix", size_of::<E>(), form, self.product.k, self.product.n, steps.row, steps.col)
            .hash(&mut hasher);
        (self.cpu.isa().name()).hash(&mut hasher);
        let replaces = self.chain.reads_rhs_once();
        vec![Packing { operands: vec![self.chain.operands[1]], key: hasher.finish(), replaces }]
    }

    fn pack(&self, _index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        let (&bytes, &Packer { held, pool, .. }) = (operands.first()?, packer);
        let (steps, k, n) = (self.rhs_steps()?, self.product.k, self.product.n);
        let packed: PackedB<E> = match self.packed.as_ref()?.1 {
            Form::Own => match shortened(held.filter(|_| size_of::<E>() == 4), bytes) {
                Some((form, bits)) => PackedB::pack_narrow(pool, self.cpu, k, n, steps, form, &bits).ok()?,
                None => {
                    PackedB::pack(pool, self.cpu, k, n, steps, bytemuck::try_cast_slice(bytes).ok()?).ok()?
                }
            },
            Form::Sixteen(dtype) => {
                let converted;
                let (form, bits) = match dtype {
                    DType::BF16 => (Narrow::Bf16, bytemuck::try_cast_slice(bytes).ok()?),
                    DType::F16 => (Narrow::F16, bytemuck::try_cast_slice(bytes).ok()?),
                    _ => {
                        converted = halves(dtype, bytes);
                        (Narrow::F16, converted.as_slice())
                    }
                };
                PackedB::pack_narrow(pool, self.cpu, k, n, steps, form, bits).ok()?
            }
        };
        Some(Arc::new(packed))
    }

    fn can_wait(&self, _index: usize) -> bool {
        // The matrix unit sums in another order if it computes the product in only one of the two forms.
        let mut plans = self.packed.iter().map(|packed| &packed.0).chain([&self.gemm]);
        matches!(self.sides[1], Side::Narrow(..)) && !plans.any(Gemm::is_for_unit)
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let (cx, scratch) = &mut cx.split_scratch::<u8>();
        let [lhs, rhs] = self.chain.operands;
        let (lhs_view, rhs_view) = (self.view(cx, 0), self.view(cx, 1));
        let a = match &lhs_view {
            Some(view) => LhsAt::Rows(view),
            None => LhsAt::Strided(cx.input_ptr(lhs).cast::<E>()),
        };
        let packed = cx.packed::<PackedB<E>>(0);
        let (gemm, b) = match (&self.packed, packed, &rhs_view, self.sides[1]) {
            (Some((gemm, _)), Some(b), ..) => (gemm, RhsAt::Packed(b)),
            (.., Some(view), _) => (&self.gemm, RhsAt::Rows(view)),
            (.., Side::Narrow(form, ..)) => (&self.gemm, RhsAt::Narrow(form, cx.input_ptr(rhs).cast())),
            _ => (&self.gemm, RhsAt::Strided(cx.input_ptr(rhs).cast::<E>())),
        };
        let bias = self.chain.bias.map(|i| cx.input::<E>(i));
        let mut epilogue = Epilogue::none().activation(self.chain.activation);
        if let Some(bias) = bias {
            epilogue = epilogue.column_bias(bias);
        }
        if let Some((residual, join)) = self.chain.residual {
            let start = cx.input_ptr(residual).cast::<E>();
            // SAFETY: the residual has the result's shape, and it is either the result's memory or does not overlap it.
            epilogue = unsafe { epilogue.residual_at(join, start, self.product.n) };
        }
        let place = SharedPtr::new(cx.output_ptr(0));
        let (cpu, m, n) = (cx.cpu, gemm.shape().m, gemm.shape().n);
        let give = |piece: Piece<'_, E>| {
            let Some((write, size)) = self.write else { return };
            let at = (piece.batch * m + piece.row) * n + piece.column;
            let line = Line {
                src: piece.elements.as_ptr().cast(),
                src_step: size_of::<E>() as isize,
                dst: place.add(at * size),
                dst_step: size as isize,
                len: piece.elements.len(),
            };
            // SAFETY: the piece lies in the result, and each piece comes once.
            unsafe { write(cpu, &line) };
        };
        if self.write.is_some() {
            epilogue = epilogue.instead_of_store(&give);
        }
        let c = cx.output_ptr(0).cast::<E>();
        // SAFETY: operands and result have the sizes that the product was planned for, and the result overlaps neither operand nor bias,
        // because `needs` names only the residual.
        unsafe { gemm.run_at(cx.pool, a, b, c, &epilogue, scratch) }.map_err(|e| e.to_string())
    }
}
