//! Cases of gather and scatter, with index vectors inside, at the edges and outside, some of them repeated.

use super::dims;
use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{
    BinaryOp, Builder, Combiner, DType, DTypeSet, GatherDims, Named, Op, ReduceOp, Shape, SubGraph, Tensor,
};

const DATA: Gen = Gen::Bits;
const NEAR: Gen = Gen::Ints(-2, 6);
const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F32, DType::BF16, DType::I64]);
const INDEX_TYPES: [DType; 7] =
    [DType::I64, DType::U8, DType::I8, DType::U32, DType::I16, DType::U16, DType::U64];

/// The dimension numbers of a gather, which are used for scatter under the names that it has for them.
#[derive(Clone, Copy)]
struct Numbers {
    offset: &'static [usize],
    collapsed: &'static [usize],
    operand_batch: &'static [usize],
    index_batch: &'static [usize],
    map: &'static [usize],
    vector: usize,
    sizes: &'static [usize],
}

/// The shapes of the operand, the indices, and the result (of a gather) or the updates (of a scatter).
type Shapes = (Numbers, &'static [usize], &'static [usize], &'static [usize]);

const ROWS: Numbers = Numbers {
    offset: &[1],
    collapsed: &[0],
    operand_batch: &[],
    index_batch: &[],
    map: &[0],
    vector: 1,
    sizes: &[1, 3],
};

const TABLE: [Shapes; 9] = [
    // Whole rows, chosen by a list of single numbers.
    (ROWS, &[5, 3], &[4], &[4, 3]),
    // The same with vectors of one item.
    (ROWS, &[5, 3], &[4, 1], &[4, 3]),
    // Single elements, chosen by pairs in the order (column, row).
    (
        Numbers { offset: &[], collapsed: &[0, 1], map: &[1, 0], vector: 1, sizes: &[1, 1], ..ROWS },
        &[5, 4],
        &[6, 2],
        &[6],
    ),
    // Windows that keep both axes, with the index vector in the first axis.
    (
        Numbers { offset: &[1, 2], collapsed: &[], map: &[0, 1], vector: 0, sizes: &[2, 2], ..ROWS },
        &[5, 4],
        &[2, 3],
        &[3, 2, 2],
    ),
    // Indices of rank 2, and a window axis before theirs.
    (
        Numbers { offset: &[0], collapsed: &[1], map: &[1], vector: 2, sizes: &[3, 1], ..ROWS },
        &[3, 6],
        &[2, 4],
        &[3, 2, 4],
    ),
    // One batch axis on both sides.
    (
        Numbers {
            offset: &[2],
            collapsed: &[1],
            operand_batch: &[0],
            index_batch: &[0],
            map: &[1],
            vector: 2,
            sizes: &[1, 1, 3],
        },
        &[2, 5, 3],
        &[2, 4, 1],
        &[2, 4, 3],
    ),
    // No index vectors, no elements, and a whole tensor.
    (ROWS, &[5, 3], &[0], &[0, 3]),
    (Numbers { sizes: &[1, 0], ..ROWS }, &[5, 0], &[4], &[4, 0]),
    (
        Numbers { offset: &[0, 1], collapsed: &[], map: &[], vector: 0, sizes: &[2, 3], ..ROWS },
        &[2, 3],
        &[0],
        &[2, 3],
    ),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (i, (numbers, operand, indices, updates)) in TABLE.into_iter().enumerate() {
        rows.push(gather(i, numbers).x(operand, DATA).is(DType::I32, indices, NEAR));
        for &combiner in Combiner::VARIANTS {
            let data = match combiner {
                Combiner::Set => DATA,
                Combiner::Reduce(ReduceOp::Sum | ReduceOp::Prod) => Gen::Quarters(-2, 2),
                Combiner::Reduce(_) => Gen::Uniform(-60.0, 60.0),
            };
            let row = || scatter(i, numbers, combiner);
            // Zeros of both signs have no order among equal sums.
            rows.push(
                row()
                    .any_zero()
                    .within(Bound::Exact)
                    .x(operand, data)
                    .is(DType::I32, indices, NEAR)
                    .x(updates, data),
            );
        }
        let row = scatter_graph(i, numbers).any_zero().within(Bound::Exact).x(operand, Gen::Ints(-4, 4)).is(
            DType::I32,
            indices,
            NEAR,
        );
        rows.push(row.x(updates, Gen::Ints(-4, 4)));
    }
    for index in INDEX_TYPES {
        let far = Gen::Values(&[0.0, 4.0, 5.0, 100.0, -1.0, -100.0, 2.0]);
        rows.push(gather(0, ROWS).only(PRIMARY).x(&[5, 3], DATA).is(index, &[7], far));
        let row =
            scatter(0, ROWS, Combiner::Reduce(ReduceOp::Sum)).only(PRIMARY).x(&[5, 3], Gen::Ints(-9, 9));
        rows.push(row.is(index, &[7], far).x(&[7, 3], Gen::Ints(-9, 9)));
        for combiner in [
            Combiner::Set,
            Combiner::Reduce(ReduceOp::Prod),
            Combiner::Reduce(ReduceOp::Min),
            Combiner::Reduce(ReduceOp::Max),
        ] {
            let row = scatter(0, ROWS, combiner).only(PRIMARY).any_zero().within(Bound::Exact);
            let row = row.x(&[5, 3], Gen::Ints(-9, 9));
            rows.push(row.is(index, &[7], far).x(&[7, 3], Gen::Ints(-3, 3)));
        }
        let row = scatter_graph(0, ROWS).only(PRIMARY).any_zero().within(Bound::Exact);
        rows.push(row.x(&[5, 3], Gen::Ints(-4, 4)).is(index, &[7], far).x(&[7, 3], Gen::Ints(-4, 4)));
    }
    let large = Numbers { sizes: &[1, 65], ..ROWS };
    rows.push(gather(0, large).only(PRIMARY).x(&[301, 65], DATA).is(DType::I32, &[517], Gen::Ints(-9, 320)));
    let some = Numbers { sizes: &[1, 33], ..ROWS };
    for combiner in [
        Combiner::Set,
        Combiner::Reduce(ReduceOp::Prod),
        Combiner::Reduce(ReduceOp::Min),
        Combiner::Reduce(ReduceOp::Max),
    ] {
        // Few updates share a position, so that products stay in range and exact.
        let row = scatter(0, some, combiner).only(PRIMARY).any_zero().within(Bound::Exact);
        let row = row.x(&[41, 33], Gen::Ints(-3, 3)).is(DType::I32, &[23], Gen::Ints(-2, 45));
        rows.push(row.x(&[23, 33], Gen::Ints(-2, 2)));
    }
    let row = scatter_graph(0, some).only(PRIMARY).any_zero().within(Bound::Exact);
    let row = row.x(&[41, 33], Gen::Ints(-4, 4)).is(DType::I32, &[23], Gen::Ints(-2, 45));
    rows.push(row.x(&[23, 33], Gen::Ints(-4, 4)));
    let row = scatter(0, large, Combiner::Reduce(ReduceOp::Sum))
        .only(PRIMARY)
        .any_zero()
        .x(&[301, 65], Gen::Quarters(-2, 2));
    rows.push(row.is(DType::I32, &[517], Gen::Ints(-9, 320)).x(&[517, 65], Gen::Quarters(-2, 2)));
    rows
}

fn gather(which: usize, n: Numbers) -> Row {
    let op = Op::Gather { dims: gather_dims(n), slice_sizes: dims(n.sizes) };
    Row::new(op).note(format!("numbers {which}"))
}

fn gather_dims(n: Numbers) -> GatherDims {
    GatherDims {
        offset_dims: n.offset.to_vec(),
        collapsed_slice_dims: n.collapsed.to_vec(),
        operand_batching_dims: n.operand_batch.to_vec(),
        start_indices_batching_dims: n.index_batch.to_vec(),
        start_index_map: n.map.to_vec(),
        index_vector_dim: n.vector,
    }
}

fn scatter(which: usize, n: Numbers, combiner: Combiner) -> Row {
    let op = Op::Scatter { dims: gather_dims(n).to_scatter(), combiner };
    Row::new(op).note(format!("{combiner} numbers {which}"))
}

/// old·2 + update, which depends on the order.
fn scatter_graph(which: usize, n: Numbers) -> Row {
    Row::of(move |dtype| Op::ScatterGraph { dims: gather_dims(n).to_scatter(), body: twice_and_add(dtype) })
        .note(format!("numbers {which}"))
}

fn twice_and_add(dtype: DType) -> SubGraph {
    scalar_body(dtype, 2, |x| vec![x[0].binary(BinaryOp::Add, &x[0]).binary(BinaryOp::Add, &x[1])])
}

/// Returns a graph of `n` scalar inputs of type `dtype`.
pub(super) fn scalar_body(dtype: DType, n: usize, f: impl Fn(&[Tensor]) -> Vec<Tensor>) -> SubGraph {
    let builder = Builder::new("body");
    let inputs: Vec<Tensor> = (0..n).map(|i| builder.input(format!("a{i}"), Shape::scalar(dtype))).collect();
    let outputs = f(&inputs);
    // A body that does not accept the type makes an op that cannot be inferred, and so there is no case.
    builder.finish(&outputs.iter().collect::<Vec<_>>()).unwrap_or_else(|_| rlx_ir::Graph::new("none")).into()
}
