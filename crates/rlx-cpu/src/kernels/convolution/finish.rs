//! Applies bias, activation and residual of a fused node to the sums of a convolution.

use super::ConvPlan;
use crate::exec::LaunchContext;
use crate::gemm::{Element, Epilogue, apply};
use bytemuck::Pod;
use rlx_ir::{DType, Op};

/// Where the feature dimension is in the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Finish {
    /// Last, after the output positions.
    Last {
        /// Whether images come first and positions are in the order of the convolution's axes.
        in_order: bool,
    },
    /// After images and before positions.
    Second,
    /// Elsewhere; nothing can follow.
    Elsewhere,
}

impl Finish {
    /// Determines where the op's features are.
    pub(super) fn new(op: &Op) -> Finish {
        let Op::Convolution { spec, .. } = op else {
            return Finish::Elsewhere;
        };
        let rank = spec.out.spatial.len() + 2;
        match (spec.out.batch, spec.out.feature) {
            (batch, last) if last + 1 == rank => {
                Finish::Last { in_order: batch == 0 && spec.out.spatial.is_sorted() }
            }
            (0, 1) => Finish::Second,
            _ => Finish::Elsewhere,
        }
    }
}

/// Returns whether something may follow the convolution in its kernel.
pub(crate) fn finishes(op: &Op) -> bool {
    Finish::new(op) != Finish::Elsewhere
}

impl ConvPlan {
    /// Returns the epilogue of a product whose rows (or columns, if `by_column`) are features. The residual has the steps of the result.
    pub(super) fn epilogue<'a, E: Element + Pod>(
        &self,
        cx: &'a LaunchContext<'_>,
        by_column: bool,
        (image, row_step): (usize, usize),
    ) -> Epilogue<'a, E> {
        let mut epilogue = Epilogue::none().activation(self.chain.activation);
        if let Some(bias) = self.chain.bias {
            let bias = cx.input::<E>(bias);
            epilogue = if by_column { epilogue.column_bias(bias) } else { epilogue.row_bias(bias) };
        }
        if let Some((residual, join)) = self.chain.residual {
            let start = cx.input_ptr(residual).cast::<E>().wrapping_add(image * self.features * self.places);
            // SAFETY: the residual has the result's shape and does not overlap it.
            epilogue = unsafe { epilogue.residual_at(join, start, row_step) };
        }
        epilogue
    }

    /// Returns whether what follows can be applied to pieces of a product whose columns (if `by_column`) or rows are features.
    pub(super) fn finishes_pieces(&self, by_column: bool) -> bool {
        let in_order = by_column && self.finish == Finish::Last { in_order: true };
        self.groups == 1 && (self.chain.residual.is_none() || in_order)
    }

    /// Applies what follows to sums that are stored in the result.
    pub(super) fn finish(&self, cx: &LaunchContext<'_>) {
        match self.to {
            DType::F32 => self.finish_in::<f32>(cx),
            DType::F64 => self.finish_in::<f64>(cx),
            _ => {}
        }
    }

    fn finish_in<E: Element + Pod>(&self, cx: &LaunchContext<'_>) {
        if self.chain.is_bare() {
            return;
        }
        let (out, places) = (cx.output_ptr(0).cast::<E>(), self.images * self.places);
        // SAFETY: the result belongs to this kernel, and the operands of what follows cover it.
        unsafe {
            if let Finish::Last { .. } = self.finish {
                let epilogue = self.epilogue::<E>(cx, true, (0, self.features));
                return apply(&epilogue, (cx.cpu, cx.pool), out, [places, self.features]);
            }
            for image in 0..self.images {
                let epilogue = self.epilogue::<E>(cx, false, (image, self.places));
                let start = out.wrapping_add(image * self.features * self.places);
                apply(&epilogue, (cx.cpu, cx.pool), start, [self.features, self.places]);
            }
        }
    }
}
