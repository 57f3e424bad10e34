//! Kernels of convolutions. This module determines the layout of everything. `blocked` computes convolutions as products of the kernel with
//! patches of x, which `patches` reads into packed blocks; `direct` computes them one position at a time. `finish` applies what follows a
//! convolution in a fused node.

mod blocked;
mod direct;
mod finish;
mod patches;
mod tile;

use super::contraction::epilogue::Chain;
use super::contraction::layout::{Matrix, Offsets};
use super::contraction::number::numbers;
use super::window::taps::{Moves, Taps};
use super::{PrepareContext, missing, sizes};
use crate::exec::OpKernel;
use blocked::Blocked;
use direct::Direct;
use finish::Finish;
pub(crate) use finish::finishes;
use rlx_compile::BackendError;
use rlx_elementwise::compute_type::ComputeType;
use rlx_ir::shape::row_major_strides;
use rlx_ir::{DType, Graph, Op};
use tile::Tiled;

/// A spatial axis: its taps, and strides in elements.
struct Spatial {
    taps: Taps,
    /// Number of taps, even if there are no output positions.
    window: usize,
    x: usize,
    kernel: usize,
    /// Whether the kernel is reversed.
    reversed: bool,
    out: usize,
}

impl Spatial {
    /// Returns the position of a tap's element in the kernel.
    fn kernel_at(&self, tap: usize) -> usize {
        self.kernel * if self.reversed { self.window - 1 - tap } else { tap }
    }
}

/// A convolution in numbers and strides, in elements.
pub(crate) struct ConvPlan {
    /// At least one axis, outermost first.
    spatial: Vec<Spatial>,
    /// Number of images, of features in the result, of features of x in a group, and of groups.
    images: usize,
    features: usize,
    inner: usize,
    groups: usize,
    /// Distance between groups in x.
    x_group: usize,
    x_image: usize,
    x_feature: usize,
    kernel_inner: usize,
    kernel_feature: usize,
    out_image: usize,
    out_feature: usize,
    /// The product of the spatial sizes of the result, which is the number of output positions of an image.
    places: usize,
    taps: usize,
    /// Whether the kernel's features of x are further apart than its taps. Then terms are ordered feature by feature, so that they are read
    /// as they are stored; otherwise tap by tap.
    by_feature: bool,
    from: DType,
    to: DType,
    /// The indices of the operands, and what follows.
    chain: Chain,
    finish: Finish,
}

/// Prepares the kernel of a convolution.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    prepare_node(cx, cx.graph, Chain::bare(cx.node.id()))
}

/// Prepares the kernel of a convolution with an epilogue, inside the body of a fused node.
pub(crate) fn prepare_fused(
    cx: &PrepareContext<'_>,
    body: &Graph,
    chain: Chain,
) -> Result<Box<dyn OpKernel>, BackendError> {
    prepare_node(cx, body, chain)
}

fn prepare_node(
    cx: &PrepareContext<'_>,
    graph: &Graph,
    chain: Chain,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let Some(plan) = ConvPlan::new(graph, chain) else { return missing(cx) };
    let kernel = match numbers(plan.from, plan.to, plan.inner * plan.taps) {
        ComputeType::F32 => blocked::<f32>(cx, plan)?,
        ComputeType::F64 => blocked::<f64>(cx, plan)?,
        ComputeType::U8 => direct::<u8>(cx, plan),
        ComputeType::U16 => direct::<u16>(cx, plan),
        ComputeType::U32 => direct::<u32>(cx, plan),
        _ => direct::<u64>(cx, plan),
    };
    kernel.map_or_else(|| missing(cx), Ok)
}

/// With this few features, copying patches does not pay if this many taps read x together.
const FEW_FEATURES: usize = 16;
const LONG: usize = 32;

type Prepared = Option<Box<dyn OpKernel>>;

fn direct<T: Tiled>(cx: &PrepareContext<'_>, plan: ConvPlan) -> Prepared {
    Some(Box::new(Direct::<T>::new(plan, cx.threads)?))
}

fn blocked<E>(cx: &PrepareContext<'_>, plan: ConvPlan) -> Result<Prepared, BackendError>
where
    E: crate::gemm::Element + Tiled,
    for<'v> super::contraction::view::View<'v>: crate::gemm::Rows<E>,
    for<'p> patches::Patches<'p>: crate::gemm::Rows<E>,
{
    // If a group has only one feature, its patches are not shared, so copying them would not pay.
    if plan.features == plan.groups {
        return Ok(direct::<E>(cx, plan));
    }
    let constant = cx.is_fixed(cx.node.inputs()[plan.chain.operands[1]]);
    let Some(direct) = Direct::<E>::new(plan, cx.threads) else { return Ok(None) };
    if direct.plan.group_features() <= FEW_FEATURES && direct.shared_taps() >= LONG {
        return Ok(Some(Box::new(direct)));
    }
    let blocked = Blocked::<E>::new(direct, constant, cx.cpu, cx.threads)?;
    Ok(blocked.map(|kernel| Box::new(kernel) as Box<dyn OpKernel>))
}

impl ConvPlan {
    /// Plans the convolution at the head of a chain in a graph.
    fn new(graph: &Graph, chain: Chain) -> Option<ConvPlan> {
        let node = graph.node(chain.product);
        let Op::Convolution { spec: how, .. } = node.op() else { return None };
        let operand = |i: usize| graph.shape(node.inputs()[i]);
        let (x, kernel, out) = (sizes(operand(0)), sizes(operand(1)), sizes(node.shape()));
        let [x_strides, k_strides, o_strides] = [&x, &kernel, &out].map(|dims| row_major_strides(dims));
        let axis = |i: usize| {
            let (x_axis, k_axis, o_axis) = (how.x.spatial[i], how.kernel.spatial[i], how.out.spatial[i]);
            let moves = Moves {
                base: x[x_axis],
                window: kernel[k_axis],
                places: out[o_axis],
                stride: how.strides[i],
                base_dilation: how.lhs_dilation[i],
                window_dilation: how.rhs_dilation[i],
                low: how.low[i],
            };
            Spatial {
                taps: Taps::new(&moves),
                window: moves.window,
                x: x_strides[x_axis],
                kernel: k_strides[k_axis],
                reversed: how.reversal[i] && moves.window > 1,
                out: o_strides[o_axis],
            }
        };
        let mut spatial: Vec<Spatial> = (0..how.strides.len()).map(axis).collect();
        if spatial.is_empty() {
            let taps = Taps::new(&Moves::STILL);
            spatial.push(Spatial { taps, window: 1, x: 0, kernel: 0, reversed: false, out: 0 });
        }
        let (images, inner) = (out[how.out.batch], kernel[how.kernel.feature]);
        let (x_image, x_feature) = (x_strides[how.x.batch], x_strides[how.x.feature]);
        Some(ConvPlan {
            images,
            inner,
            features: out[how.out.feature],
            groups: how.groups(),
            x_group: if how.batch_groups > 1 { images * x_image } else { inner * x_feature },
            x_image,
            x_feature,
            kernel_inner: k_strides[how.kernel.feature],
            kernel_feature: k_strides[how.kernel.batch],
            out_image: o_strides[how.out.batch],
            out_feature: o_strides[how.out.feature],
            places: spatial.iter().map(|s| s.taps.places).product(),
            taps: spatial.iter().map(|s| s.window).product(),
            by_feature: spatial.iter().all(|s| s.window <= 1 || k_strides[how.kernel.feature] > s.kernel),
            spatial,
            from: operand(0).dtype(),
            to: node.shape().dtype(),
            finish: Finish::new(node.op()),
            chain,
        })
    }

    /// Returns the number of numbers per element; complex elements have two.
    fn parts(&self) -> usize {
        1 + usize::from(self.to.is_complex())
    }

    /// Returns the number of features of the result in a group.
    fn group_features(&self) -> usize {
        self.features / self.groups.max(1)
    }

    /// Returns whether some tap meets padding or a gap somewhere.
    fn is_padded(&self) -> bool {
        !self.spatial.iter().all(|s| s.taps.see_all())
    }

    /// Returns the kernel's matrices of each group, `[features, terms]`.
    fn kernel_matrix(&self) -> Matrix {
        let inner = (self.inner, self.kernel_inner);
        let terms = if self.spatial.iter().any(|s| s.reversed) {
            Offsets::scattered(self.term_offsets())
        } else {
            let mut axes: Vec<(usize, usize)> = self.spatial.iter().map(|s| (s.window, s.kernel)).collect();
            axes.insert(if self.by_feature { 0 } else { axes.len() }, inner);
            Offsets::new(&axes)
        };
        Matrix {
            batch: Offsets::new(&[(self.groups, self.group_features() * self.kernel_feature)]),
            rows: Offsets::new(&[(self.group_features(), self.kernel_feature)]),
            columns: terms,
        }
    }

    /// Returns the position of each term's element in the kernel.
    fn term_offsets(&self) -> Vec<usize> {
        let mut taps = vec![0];
        for axis in &self.spatial {
            let along = |at: usize| (0..axis.window).map(move |tap| at + axis.kernel_at(tap));
            taps = taps.into_iter().flat_map(along).collect();
        }
        let inner: Vec<usize> = (0..self.inner).map(|i| i * self.kernel_inner).collect();
        let (outer, inner) = if self.by_feature { (inner, taps) } else { (taps, inner) };
        outer.iter().flat_map(|at| inner.iter().map(move |k| at + k)).collect()
    }

    /// Returns the positions of the results for all images.
    fn out_places(&self) -> Offsets {
        let mut axes = vec![(self.images, self.out_image)];
        axes.extend(self.spatial.iter().map(|s| (s.taps.places, s.out)));
        Offsets::new(&axes)
    }
}
