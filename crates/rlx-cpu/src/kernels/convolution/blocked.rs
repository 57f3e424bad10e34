//! Convolutions as matrix products of the kernel and the patches of x. Which one is on the left follows from the layout of the result, so
//! that contiguous results are written together.

use super::ConvPlan;
use super::direct::Direct;
use super::patches::Patches;
use super::tile::Tiled;
use crate::exec::{LaunchContext, OpKernel, Packed, Packer, Packing, RunError};
use crate::gemm::{
    BatchDim, Element, Epilogue, Gemm, GemmShape, LhsAt, PackedB, Piece, RhsAt, RhsForm, Rows, Steps,
};
use crate::isa::Cpu;
use crate::kernels::contraction::blocked::Side;
use crate::kernels::contraction::layout::{Matrix, Offsets};
use crate::kernels::contraction::view::{MatrixForm, View};
use crate::pool::SharedPtr;
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_elementwise::stored::Line;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A planned convolution.
pub(crate) struct Blocked<E: Element> {
    direct: Direct<E>,
    /// The kernel, `[features, terms]` if it is on the left, otherwise transposed.
    kernel: Matrix,
    side: Side,
    /// Whether the kernel is on the left.
    on_the_left: bool,
    places: Offsets,
    gemm: Gemm<E>,
    packed: Option<Gemm<E>>,
    cpu: Cpu,
}

impl<E: Element + Tiled> Blocked<E> {
    /// Plans the products; returns `None` if their numbers cannot hold the kernel's elements.
    pub(super) fn new(
        direct: Direct<E>,
        constant: bool,
        cpu: Cpu,
        threads: usize,
    ) -> Result<Option<Self>, BackendError> {
        let plan = &direct.plan;
        let complex = plan.parts() == 2;
        let on_the_left = !complex && plan.out_feature != 1;
        let mut kernel = plan.kernel_matrix();
        if !on_the_left {
            std::mem::swap(&mut kernel.rows, &mut kernel.columns);
        }
        let numbers = if complex { MatrixForm::Squares } else { MatrixForm::Real };
        let Some(side) = Side::new::<E>(plan.from, &kernel, numbers) else { return Ok(None) };
        let gemm = |form| {
            let shape = shape(plan, side, on_the_left, form);
            Gemm::new(cpu, shape, threads).map_err(|e| BackendError::Unsupported(e.to_string()))
        };
        let strided = matches!(side, Side::Strided(..));
        let form = if !on_the_left && strided { RhsForm::Strided(side.steps()) } else { RhsForm::Rows };
        let planned = gemm(form)?;
        let packs = constant && !on_the_left && strided && plan.groups == 1;
        let packed = if packs { Some(gemm(RhsForm::Packed)?) } else { None };
        let places = plan.out_places();
        Ok(Some(Blocked { kernel, side, on_the_left, places, gemm: planned, packed, cpu, direct }))
    }

    /// Writes a finished piece of the product to its place in the result.
    fn write(&self, cpu: Cpu, place: SharedPtr<u8>, piece: &Piece<'_, E>) {
        let (plan, size) = (&self.direct.plan, self.direct.size);
        let parts = plan.parts();
        let group = piece.batch * plan.group_features();
        let put = |at: usize, step: usize, from: usize, from_step: usize, len: usize| {
            let line = Line {
                src: piece.elements[from..].as_ptr().cast(),
                src_step: (from_step * size_of::<E>()) as isize,
                dst: place.add(at * size),
                dst_step: (step * size) as isize,
                len,
            };
            // SAFETY: the line lies in the piece and in the result, and each element of the result is written once.
            unsafe { (self.direct.write)(cpu, &line) };
        };
        if !self.on_the_left {
            let first = group + piece.column / parts;
            let at = (self.places.at(piece.row) + first * plan.out_feature) * parts;
            for part in 0..parts {
                let len = piece.elements.len() / parts;
                put(at + part, plan.out_feature * parts, part, parts, len);
            }
            return;
        }
        let feature = (group + piece.row) * plan.out_feature;
        let mut done = 0;
        while done < piece.elements.len() {
            let column = piece.column + done;
            let len = self.places.even_from(column).min(piece.elements.len() - done);
            put(self.places.at(column) + feature, self.places.step(), done, 1, len);
            done += len;
        }
    }
}

/// Returns the shape of the products of all groups. C is not written, so its steps have no meaning.
fn shape(plan: &ConvPlan, side: Side, on_the_left: bool, b: RhsForm) -> GemmShape {
    let parts = plan.parts();
    let (features, places) = (parts * plan.group_features(), plan.images * plan.places);
    let k = parts * plan.inner * plan.taps;
    let (m, n) = if on_the_left { (features, places) } else { (places, features) };
    let step = side.batch();
    let (a_step, b_step) = if on_the_left { (step, 0) } else { (0, step) };
    let batch = BatchDim { size: plan.groups, a: a_step, b: b_step, c: m * n, residual: 0 };
    let a = if on_the_left { side.steps() } else { Steps { row: 0, col: 0 } };
    let batch = if plan.groups == 1 { Vec::new() } else { vec![batch] };
    GemmShape { a, b, batch, ..GemmShape::row_major(m, n, k) }
}

impl<E: Element + Tiled> OpKernel for Blocked<E>
where
    for<'v> View<'v>: Rows<E>,
    for<'p> Patches<'p>: Rows<E>,
{
    fn needs(&self) -> Needs {
        let packed = self.packed.as_ref().map_or(0, Gemm::scratch_bytes);
        let gemm = packed.max(self.gemm.scratch_bytes());
        Needs { scratch_bytes: gemm.max(self.direct.needs().scratch_bytes), in_place: Vec::new() }
    }

    fn packings(&self) -> Vec<Packing> {
        if self.packed.is_none() {
            return Vec::new();
        }
        let (steps, shape) = (self.side.steps(), self.gemm.shape());
        let mut hasher = DefaultHasher::new();
        ("kernel", size_of::<E>(), shape.k, shape.n, steps.row, steps.col).hash(&mut hasher);
        self.cpu.isa().name().hash(&mut hasher);
        // Only NaN sums are computed again, from the kernel as it was passed.
        let chain = &self.direct.plan.chain;
        vec![Packing {
            operands: vec![chain.operands[1]],
            key: hasher.finish(),
            replaces: chain.reads_rhs_once(),
        }]
    }

    fn pack(&self, _index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        let elements: &[E] = bytemuck::try_cast_slice(operands.first()?).ok()?;
        let shape = self.gemm.shape();
        let packed =
            PackedB::pack(packer.pool, self.cpu, shape.k, shape.n, self.side.steps(), elements).ok()?;
        Some(Arc::new(packed))
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        if self.products(cx)? { self.direct.run(cx) } else { Ok(()) }
    }
}

impl<E: Element + Tiled> Blocked<E>
where
    for<'v> View<'v>: Rows<E>,
    for<'p> Patches<'p>: Rows<E>,
{
    /// Computes the result with products. Returns whether it may be wrong: in a product padding is 0, and 0 times infinity is NaN, whereas
    /// a convolution ignores padding.
    fn products(&self, cx: &mut LaunchContext<'_>) -> Result<bool, RunError> {
        let (cx, scratch) = &mut cx.split_scratch::<u8>();
        let plan = &self.direct.plan;
        let [x, kernel] = plan.chain.operands;
        let patches = Patches {
            plan,
            cpu: cx.cpu,
            start: cx.input_ptr(x),
            reading: self.direct.reading,
            turned: self.on_the_left,
        };
        let kernel_at = cx.input_ptr(kernel).cast::<E>();
        let view = self.side.view(cx.cpu, cx.input_ptr(kernel), &self.kernel);
        let packed = cx.packed::<PackedB<E>>(0);
        let (gemm, a, b) = match (self.on_the_left, &view, &self.packed, packed) {
            (true, Some(view), ..) => (&self.gemm, LhsAt::Rows(view), RhsAt::Rows(&patches)),
            (true, None, ..) => (&self.gemm, LhsAt::Strided(kernel_at), RhsAt::Rows(&patches)),
            (false, _, Some(gemm), Some(b)) => (gemm, LhsAt::Rows(&patches), RhsAt::Packed(b)),
            (false, Some(view), ..) => (&self.gemm, LhsAt::Rows(&patches), RhsAt::Rows(view)),
            (false, None, ..) => (&self.gemm, LhsAt::Rows(&patches), RhsAt::Strided(kernel_at)),
        };
        let (cpu, place) = (cx.cpu, SharedPtr::new(cx.output_ptr(0)));
        let (is_padded, not_a_number) = (plan.is_padded(), AtomicBool::new(false));
        let give = |piece: Piece<'_, E>| {
            if is_padded && piece.elements.iter().any(|x| x.partial_cmp(x).is_none()) {
                not_a_number.store(true, Ordering::Relaxed);
            }
            self.write(cpu, place, &piece);
        };
        let by_pieces = plan.finishes_pieces(!self.on_the_left);
        let epilogue = match by_pieces {
            true => plan.epilogue(cx, !self.on_the_left, (0, plan.features)),
            false => Epilogue::none(),
        };
        let epilogue = epilogue.instead_of_store(&give);
        let nowhere = std::ptr::null_mut();
        // SAFETY: operands have the sizes that the product was planned for, and C is not written.
        unsafe { gemm.run_at(cx.pool, a, b, nowhere, &epilogue, scratch) }.map_err(|e| e.to_string())?;
        if !by_pieces {
            plan.finish(cx);
        }
        Ok(not_a_number.into_inner())
    }
}
