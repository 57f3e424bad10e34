//! Compares fused programs of 16-bit and 8-bit floats with the evaluator: each node rounds to its own type, whatever holds its value inside
//! a program.

mod harness;

use harness::{SplitMix64, Tolerance, check, ordinary, wild};
use rlx_ir::{
    BinaryOp, Builder, CompareOp, DType, Dim, Graph, Literal, Named, Op, ReduceOp, Shape, Tensor, UnaryOp,
};

const NARROW: [DType; 4] = [DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2];

fn check_values(graph: &Graph, values: &[Literal], tolerance: Tolerance) {
    let named: Vec<(&str, &Literal)> = ["a", "b", "c", "d"].into_iter().zip(values).collect();
    check(graph, &named, tolerance);
}

/// Returns a sum of two operands of type `dtype`, followed by `then`.
fn of_sum(dtype: DType, dims: &[usize], then: impl Fn(&Tensor) -> Tensor) -> Graph {
    let builder = Builder::new("sum");
    let (a, b) = (builder.input("a", Shape::new(dims, dtype)), builder.input("b", Shape::new(dims, dtype)));
    builder.finish(&[&then(&(&a + &b))]).unwrap()
}

#[test]
fn a_sum_is_rounded_before_it_is_converted() {
    let mut random = SplitMix64::new(1);
    for from in NARROW {
        for to in DType::ALL {
            let dims = [3, 77];
            let values = [ordinary(&dims, from, &mut random), ordinary(&dims, from, &mut random)];
            check_values(&of_sum(from, &dims, |x| x.convert(to)), &values, Tolerance::Exact);
        }
    }
}

#[test]
fn a_sum_is_rounded_before_it_is_reduced() {
    let mut random = SplitMix64::new(2);
    for dtype in NARROW {
        for axes in [&[0][..], &[1], &[0, 1]] {
            let dims = [9, 130];
            let values = [ordinary(&dims, dtype, &mut random), ordinary(&dims, dtype, &mut random)];
            for kind in [ReduceOp::Sum, ReduceOp::Max] {
                let graph = of_sum(dtype, &dims, |x| x.reduce(kind, axes, false));
                check_values(&graph, &values, Tolerance::Exact);
                let wide = |x: &Tensor| x.convert(DType::F32).reduce(kind, axes, false);
                // A sum of f32 is rounded once, from an f64 whose own rounding depends on the order.
                check_values(&of_sum(dtype, &dims, wide), &values, Tolerance::Ulps(1));
                let after = |x: &Tensor| (x.reduce(kind, axes, false) * 0.3).convert(DType::F32);
                check_values(&of_sum(dtype, &dims, after), &values, Tolerance::Exact);
            }
        }
    }
}

#[test]
fn a_sum_is_rounded_before_it_is_normalized() {
    let mut random = SplitMix64::new(3);
    for dtype in NARROW {
        let dims = [5, 96];
        let values = [ordinary(&dims, dtype, &mut random), ordinary(&dims, dtype, &mut random)];
        // The norm is computed in f32, where a different last place may change the rounding to the narrow type.
        let graph = of_sum(dtype, &dims, |x| x.layer_norm(1, 1e-5, None, None));
        check_values(&graph, &values, Tolerance::Ulps(1));
        let graph = of_sum(dtype, &dims, |x| x.apply(Op::Softmax { axis: 1 }, &[]));
        check_values(&graph, &values, Tolerance::Ulps(1));
    }
}

/// Returns a random tree of functions in narrow types and in the types that they are converted to.
fn random_program(
    random: &mut SplitMix64,
    dims: &[usize],
    data: fn(&[usize], DType, &mut SplitMix64) -> Literal,
) -> (Graph, Vec<Literal>) {
    let builder = Builder::new("random");
    let narrow = [NARROW[random.below(4)], NARROW[random.below(4)]];
    let types = [narrow[0], narrow[1], narrow[0], DType::F32];
    let rows: Vec<Dim> = dims.iter().map(|&n| Dim::Static(n)).collect();
    let (mut live, mut given): (Vec<Tensor>, Vec<Literal>) = (Vec::new(), Vec::new());
    for (name, dtype) in ["a", "b", "c", "d"].into_iter().zip(types) {
        // The second is a row that is broadcast.
        let own = if name == "b" { &dims[dims.len() - 1..] } else { dims };
        let x = builder.input(name, Shape::new(own, dtype));
        live.push(x.broadcast_in_dim(&rows, &(dims.len() - own.len()..dims.len()).collect::<Vec<_>>()));
        given.push(data(own, dtype, random));
    }
    for _ in 0..10 {
        let a = live[random.below(live.len())].clone();
        let same: Vec<&Tensor> = live.iter().filter(|t| t.dtype() == a.dtype()).collect();
        let b = same[random.below(same.len())].clone();
        let next = match random.below(7) {
            0 | 1 => a.convert([narrow[0], narrow[1], DType::F32, DType::F64][random.below(4)]),
            2 => a.compare(CompareOp::VARIANTS[random.below(6)], &b).select(&b, &a),
            // In f32 and f64, the functions of the CPU and of the evaluator differ in the last places.
            3 if NARROW.contains(&a.dtype()) => a.unary([UnaryOp::Tanh, UnaryOp::Exp][random.below(2)]),
            4 => a.unary([UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Floor][random.below(3)]),
            5 => a.binary([BinaryOp::Mul, BinaryOp::Div][random.below(2)], &b),
            _ => a.binary([BinaryOp::Add, BinaryOp::Sub, BinaryOp::Max][random.below(3)], &b),
        };
        live.push(next);
    }
    let last = &live[live.len() - 1];
    (builder.finish(&[last, &live[live.len() - 3]]).unwrap(), given)
}

#[test]
fn random_programs_of_narrow_types_agree_with_the_evaluator() {
    let mut random = SplitMix64::new(4);
    for i in 0..300 {
        let dims: &[usize] = [&[11][..], &[4, 33], &[3, 700]][i % 3];
        let data = if i % 2 == 0 { ordinary } else { wild };
        let (graph, values) = random_program(&mut random, dims, data);
        check_values(&graph, &values, Tolerance::Exact);
    }
}

/// Comparisons by the total order of stored values, computed ones, constants and broadcast ones. Results depend on which NaN an operand
/// holds.
#[test]
fn total_order_within_programs() {
    let mut random = SplitMix64::new(5);
    let dims = [4, 90];
    for dtype in NARROW.into_iter().chain([DType::F32, DType::F64]) {
        let builder = Builder::new("order");
        let (a, b) =
            (builder.input("a", Shape::new(&dims, dtype)), builder.input("b", Shape::new(&dims[1..], dtype)));
        let c = builder.input("c", Shape::new(&dims, dtype));
        let row = b.broadcast_in_dim(&[Dim::Static(4), Dim::Static(90)], &[1]);
        let nan = wild(&[], dtype, &mut SplitMix64::new(77));
        let constant = builder.constant(nan).broadcast_to(&a.dims());
        let totally = |op, x: &Tensor, y: &Tensor| x.apply(Op::Compare { op, total_order: true }, &[y]);
        let mut outputs = Vec::new();
        for &op in CompareOp::VARIANTS {
            outputs.push(totally(op, &a, &row).select(&c, &a));
            outputs.push(totally(op, &a, &constant).select(&c, &a));
            outputs.push(totally(op, &c.abs(), &row).select(&c, &a));
        }
        let graph = builder.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
        // Computed values are not NaN, because which NaN an operation computes is not specified.
        let values = [
            wild(&dims, dtype, &mut random),
            wild(&dims[1..], dtype, &mut random),
            ordinary(&dims, dtype, &mut random),
        ];
        check_values(&graph, &values, Tolerance::Exact);
    }
}
