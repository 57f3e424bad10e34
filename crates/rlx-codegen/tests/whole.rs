//! Ops with separate launches, in groups and at sizes that the conformance table does not have.

mod support;

use expect_test::expect;
use rlx_codegen::judge::{self, interpret, judge};
use rlx_codegen::{Interpreter, LowerError, lower};
use rlx_ir::{
    BinaryOp, Builder, Combiner, CompareOp, DType, Dim, Graph, Literal, Op, ReduceOp, RngAlgorithm,
    ScatterDims, Shape, SortOrder, SubGraph, Tensor, UnaryOp,
};
use support::group;

fn f32s(dims: &[Dim]) -> Shape {
    Shape::from_dims(dims, DType::F32)
}

/// Numbers of which several are equal, including zeros of both signs and NaN.
fn ties(dims: &[usize]) -> Literal {
    let number = |i: usize| match i % 11 {
        3 => f32::NAN,
        5 => -0.0,
        7 => 0.0,
        _ => ((i * i * 7 + i) % 23) as f32 - 9.0,
    };
    Literal::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>()).unwrap()
}

fn small(dims: &[usize]) -> Literal {
    let number = |i: usize| ((i * 5 + i * i * 3) % 17) as f32 / 8.0 - 0.75;
    Literal::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>()).unwrap()
}

fn exactly(group: &Graph, inputs: &[&Literal]) {
    let distance = judge(group, inputs).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(distance, 0.0, "{group}");
}

fn launches(group: &Graph) -> usize {
    lower(group).unwrap().launches.len()
}

#[test]
fn lines_of_any_length_are_sorted_stably() {
    let n = Dim::dynamic("n");
    for (dims, sizes) in [
        (vec![n.clone(), Dim::Static(3)], vec![[0, 3], [1, 3], [2, 3], [37, 3], [64, 3]]),
        (vec![Dim::Static(4099), Dim::Static(1)], vec![[4099, 1]]),
    ] {
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            let sorted = group(&[f32s(&dims), f32s(&dims)], |x| {
                let place = x[0].builder().iota(Shape::from_dims(&dims, DType::I32), 0);
                let sort = Op::Sort { axis: 0, order, num_keys: 2, stable: true };
                x[0].apply_many(sort, &[&x[1], &place])
            });
            for sizes in &sizes {
                exactly(&sorted, &[&ties(sizes), &small(sizes)]);
            }
        }
    }
}

#[test]
fn a_comparator_that_is_no_order_gives_a_permutation() {
    let comparator = {
        let b = Builder::new("before");
        let (x, y) = (b.input("x", Shape::scalar(DType::F32)), b.input("y", Shape::scalar(DType::F32)));
        SubGraph::new(b.finish(&[&x.compare(CompareOp::Lt, &y)]).unwrap())
    };
    let n = Dim::dynamic("n");
    let sorted =
        group(&[f32s(&[n])], |x| vec![x[0].apply(Op::SortGraph { axis: 0, stable: true, comparator }, &[])]);
    for n in [0, 1, 5, 100] {
        let x = ties(&[n]);
        let mut ours: Vec<u32> = interpret(&sorted, &[&x]).unwrap().outputs[0]
            .as_slice::<f32>()
            .unwrap()
            .iter()
            .map(|x| x.to_bits())
            .collect();
        let mut theirs: Vec<u32> = x.as_slice::<f32>().unwrap().iter().map(|x| x.to_bits()).collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs);
    }
}

#[test]
fn results_that_nobody_reads_are_not_made() {
    let indices = group(&[Shape::new(&[2, 9], DType::F32)], |x| {
        vec![x[0].apply_many(Op::TopK { k: 4 }, &[])[1].clone()]
    });
    exactly(&indices, &[&ties(&[2, 9])]);
    let lowered = lower(&indices).unwrap();
    assert_eq!((lowered.launches.len(), lowered.temporaries.len()), (1, 0));
}

#[test]
fn operands_are_computed_where_they_are_read_once() {
    let n = Dim::dynamic("n");
    let sums = group(&[f32s(&[n.clone(), Dim::Static(4)])], |x| {
        let running = Op::Cumulative { op: ReduceOp::Max, axis: 0, exclusive: true, reverse: true };
        let doubled = &x[0] + &x[0];
        let all = doubled.apply(running, &[]);
        vec![all.clone(), &all + &doubled]
    });
    for n in [0, 1, 6] {
        exactly(&sums, &[&small(&[n, 4])]);
    }
    // The running maximum is itself an output, and the values computed from it read it.
    let lowered = lower(&sums).unwrap();
    assert_eq!((lowered.launches.len(), lowered.temporaries.len()), (2, 0));
    // A sort reads its operands in its own order, so a computed operand is stored.
    let sorted = group(&[Shape::new(&[5], DType::F32)], |x| {
        let sort = Op::Sort { axis: 0, order: SortOrder::Ascending, num_keys: 1, stable: true };
        vec![x[0].unary(UnaryOp::Exp).apply(sort, &[])]
    });
    exactly(&sorted, &[&ties(&[5])]);
    assert_eq!(lower(&sorted).unwrap().temporaries.len(), 1);
}

#[test]
fn one_value_may_be_several_outputs() {
    let doubled = group(&[Shape::new(&[6], DType::F32)], |x| {
        let sums =
            x[0].apply(Op::Cumulative { op: ReduceOp::Min, axis: 0, exclusive: false, reverse: false }, &[]);
        vec![sums.clone(), x[0].clone(), sums]
    });
    exactly(&doubled, &[&small(&[6])]);
}

fn rows(combiner: Combiner) -> Op {
    let dims = ScatterDims {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        ..ScatterDims::default()
    };
    Op::Scatter { dims, combiner }
}

#[test]
fn updates_to_one_row_combine_in_their_order() {
    let (rows_of_x, n, d) = (Dim::dynamic("rows"), Dim::dynamic("n"), Dim::dynamic("d"));
    for combiner in [Combiner::Set, Combiner::Reduce(ReduceOp::Sum), Combiner::Reduce(ReduceOp::Max)] {
        let shapes = [
            f32s(&[rows_of_x.clone(), d.clone()]),
            Shape::from_dims(std::slice::from_ref(&n), DType::I32),
            f32s(&[n.clone(), d.clone()]),
        ];
        let updated = group(&shapes, |x| {
            let doubled = &x[2] + &x[2];
            vec![x[0].unary(UnaryOp::Neg).apply(rows(combiner), &[&x[1], &doubled])]
        });
        // Row 2 is updated three times; −1 and 5 are out of range.
        let indices = Literal::new(&[6], &[2i32, -1, 0, 2, 5, 2]).unwrap();
        exactly(&updated, &[&small(&[5, 3]), &indices, &small(&[6, 3])]);
        let none = Literal::new::<i32>(&[0], &[]).unwrap();
        exactly(&updated, &[&small(&[5, 3]), &none, &small(&[0, 3])]);
    }
}

#[test]
fn narrow_sums_of_updates_round_once() {
    let shapes =
        [Shape::new(&[2, 1], DType::BF16), Shape::new(&[300], DType::I32), Shape::new(&[300, 1], DType::F32)];
    let summed = group(&shapes, |x| {
        let updates = x[2].convert(DType::BF16);
        let sums = x[0].apply(rows(Combiner::Reduce(ReduceOp::Sum)), &[&x[1], &updates]);
        vec![sums.convert(DType::F32)]
    });
    // 300 ones: in bf16 the sum of ones stops at 256.
    let zeros = Literal::from_bytes(&shapes[0], &[0; 4]).unwrap();
    let ones = Literal::new(&[300, 1], &[1f32; 300]).unwrap();
    let inputs = [&zeros, &Literal::new(&[300], &[1i32; 300]).unwrap(), &ones];
    exactly(&summed, &inputs);
    let sums = interpret(&summed, &inputs).unwrap().outputs.remove(0);
    assert_eq!(sums.as_slice::<f32>().unwrap(), [0.0, 300.0]);
}

#[test]
fn random_bits_of_symbolic_sizes_are_the_evaluators() {
    let state = Literal::new(&[2], &[0x1234_5678_9abc_def0u64, u64::MAX - 1]).unwrap();
    let n = Dim::dynamic("n");
    let drawn = |algorithm: RngAlgorithm, dims: Vec<Dim>, dtype: DType| {
        group(&[Shape::new(&[2], DType::U64), f32s(std::slice::from_ref(&n))], |x| {
            let op = Op::RngBits { algorithm, shape: Shape::from_dims(&dims, dtype) };
            let drawn = x[0].apply_many(op, &[]);
            vec![drawn[0].clone(), drawn[1].clone(), &x[1] + &x[1]]
        })
    };
    let (one, two) = (vec![n.clone()], vec![n.clone(), Dim::Static(3)]);
    for n in [0, 1, 2, 7] {
        let sized = small(&[n]);
        for dtype in [DType::U8, DType::U32, DType::U64] {
            for algorithm in [RngAlgorithm::Threefry, RngAlgorithm::Philox] {
                exactly(&drawn(algorithm, one.clone(), dtype), &[&state, &sized]);
            }
            exactly(&drawn(RngAlgorithm::Philox, two.clone(), dtype), &[&state, &sized]);
        }
        exactly(&drawn(RngAlgorithm::Threefry, two.clone(), DType::U64), &[&state, &sized]);
    }
    // Whether n is even determines the axis along which narrow draws are paired.
    let refused = lower(&drawn(RngAlgorithm::Threefry, two, DType::U32));
    assert!(matches!(refused, Err(LowerError::Operands { op: "rng_bits", .. })), "{refused:?}");
}

/// Judges a group of rows on small numbers. Returns the number of launches, and how often `exp` was applied.
fn normalized(
    shapes: &[Shape],
    sizes: &[&[usize]],
    body: impl FnOnce(&[Tensor]) -> Vec<Tensor>,
) -> (usize, u64) {
    let group = group(shapes, body);
    let literals: Vec<Literal> = sizes.iter().map(|dims| small(dims)).collect();
    let inputs: Vec<&Literal> = literals.iter().collect();
    let distance = judge(&group, &inputs).unwrap_or_else(|e| panic!("{e}"));
    assert!(distance < 8.0, "{distance} units in the last place");
    let applied = interpret(&group, &inputs).unwrap().counts.applications;
    (launches(&group), applied.get("exp").copied().unwrap_or(0))
}

#[test]
fn a_softmax_and_its_producer_are_one_launch_and_each_exponential_is_taken_once() {
    let (m, n) = (Dim::dynamic("m"), Dim::dynamic("n"));
    let softmax = |x: &[Tensor]| vec![(&x[0] + &x[1]).softmax(1)];
    let fixed = [m, Dim::Static(7)];
    let shapes = [f32s(&fixed), f32s(&fixed)];
    assert_eq!(normalized(&shapes, &[&[4, 7], &[4, 7]], softmax), (1, 4 * 7));
    let shapes = [f32s(&[Dim::Static(4), n.clone()]), f32s(&[Dim::Static(4), n])];
    assert_eq!(normalized(&shapes, &[&[4, 7], &[4, 7]], softmax).0, 1);
}

#[test]
fn normalizations_are_one_launch() {
    let images = [Shape::new(&[2, 6, 3, 2], DType::F32), Shape::new(&[6], DType::F32)];
    let sizes: [&[usize]; 2] = [&[2, 6, 3, 2], &[6]];
    let of = |body: fn(&[Tensor]) -> Vec<Tensor>| normalized(&images, &sizes, body).0;
    assert_eq!(of(|x| vec![x[0].group_norm(3, 1e-5, Some(&x[1]), Some(&x[1]))]), 1);
    assert_eq!(of(|x| x[0].batch_norm_training(1, 1e-5, &x[1], &x[1]).to_vec()), 1);
    assert_eq!(of(|x| vec![x[0].layer_norm_2d(1e-5, Some(&x[1]), None)]), 1);
    let rows = [Shape::new(&[5, 6], DType::F32), Shape::new(&[6], DType::F32)];
    let of = |body: fn(&[Tensor]) -> Vec<Tensor>| normalized(&rows, &[&[5, 6], &[6]], body).0;
    assert_eq!(
        of(|x| vec![(&x[0] + &x[0]).layer_norm(1, 1e-5, Some(&x[1]), Some(&x[1])).unary(UnaryOp::Tanh)]),
        1
    );
    assert_eq!(of(|x| vec![x[0].rms_norm(1, 1e-5, Some(&x[1]))]), 1);
    assert_eq!(of(|x| vec![x[0].log_softmax(1), x[0].logsumexp(&[1], false)]), 1);
}

/// Returns the number of reductions in the text of a group's launches.
fn reductions(group: &Graph) -> usize {
    lower(group).unwrap().to_string().matches("= reduce ").count()
}

#[test]
fn rows_of_unknown_length_are_read_once_for_two_reductions() {
    let dims = [Dim::dynamic("m"), Dim::dynamic("n")];
    let gamma = Shape::from_dims(&dims[1..], DType::F32);
    let bodies: [fn(&[Tensor]) -> Vec<Tensor>; 6] = [
        |x| vec![x[0].softmax(1)],
        |x| vec![x[0].log_softmax(1)],
        |x| vec![x[0].logsumexp(&[1], true), x[0].unary(UnaryOp::Neg)],
        |x| vec![x[0].layer_norm(1, 1e-5, Some(&x[1]), None)],
        // The squares are not relative to the mean.
        |x| {
            let off = &x[0] - &x[0].reduce(ReduceOp::Sum, &[1], true);
            vec![(&off * &off).reduce(ReduceOp::Sum, &[1], false), off]
        },
        |x| {
            let centered = &x[0] - &x[0].mean(&[1], true);
            vec![(&centered * &centered).reduce(ReduceOp::Sum, &[1], false), &centered * &centered]
        },
    ];
    for body in bodies {
        let group = group(&[f32s(&dims), gamma.clone()], body);
        assert_eq!((launches(&group), reductions(&group)), (1, 1), "{group}");
        for sizes in [[0, 4], [2, 0], [3, 1], [2, 9], [2, 300]] {
            let (x, gamma) = (small(&sizes), small(&[sizes[1]]));
            let distance = judge(&group, &[&x, &gamma]).unwrap_or_else(|e| panic!("{e}"));
            assert!(distance < 64.0, "{distance} units in the last place of {sizes:?}\n{group}");
            // States of parts merge to the state of all.
            let (inputs, launches) = ([&x, &gamma], lower(&group).unwrap());
            let parts = Interpreter { elements_per_part: Some(4), ..Interpreter::default() };
            let parts = parts.run(&launches, &judge::sizes(&group, &inputs), &inputs, &group.output_shapes());
            let whole = interpret(&group, &inputs).unwrap();
            for (part, whole) in parts.unwrap().outputs.iter().zip(&whole.outputs) {
                let distance = judge::difference(part, whole);
                assert!(distance < 64.0, "{distance} units in the last place of {sizes:?}\n{group}");
            }
        }
    }
}

#[test]
fn infinities_and_nan_of_a_row_are_the_evaluators() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let rows: [[f32; 4]; 8] = [
        [-inf, -inf, -inf, -inf],
        [-inf, 1.0, -inf, 2.0],
        [1.0, inf, 2.0, -inf],
        [inf, 1.0, inf, inf],
        [nan, 1.0, 2.0, 3.0],
        [1.0, -inf, nan, inf],
        [-1e38, 1.5e38, 0.0, -0.0],
        [-inf, nan, -inf, -inf],
    ];
    let dims = [Dim::dynamic("m"), Dim::dynamic("n")];
    let bodies: [fn(&Tensor) -> Tensor; 4] = [
        |x| x.softmax(1),
        |x| x.log_softmax(1),
        |x| x.logsumexp(&[1], true).broadcast_to(&x.dims()),
        |x| x.layer_norm(1, 1e-5, None, None),
    ];
    for body in bodies {
        let group = group(&[f32s(&dims)], |x| vec![body(&x[0])]);
        for row in rows {
            let x = Literal::new(&[1, 4], &row).unwrap();
            let distance = judge(&group, &[&x]).unwrap_or_else(|e| panic!("{e}"));
            assert!(distance < 2.0, "{distance} units in the last place of {row:?}\n{group}");
        }
    }
}

#[test]
fn what_is_not_made_of_rows_is_not_computed_row_by_row() {
    // Each element of a transposed softmax belongs to another row.
    let turned = normalized(&[Shape::new(&[4, 4], DType::F32)], &[&[4, 4]], |x| {
        vec![x[0].softmax(1).transpose(&[1, 0]).binary(BinaryOp::Add, &x[0].softmax(1))]
    });
    assert!(turned.0 > 1, "{turned:?}");
}

#[test]
fn a_running_sum_of_narrow_numbers_is_carried_in_a_wide_one() {
    let sums = group(&[Shape::from_dims(&[Dim::dynamic("n"), Dim::Static(2)], DType::BF16)], |x| {
        vec![(&x[0] + &x[0]).cumsum(0)]
    });
    expect![[r#"
        launches {
          launch (input 0, output 0) kernel group(x0: in bf16[n,2], y0: out bf16[n,2]) {
            par _0<2 {
              %0: f64 = constant 0.0
              %7: f64 = for _1<n with %1: f64 = %0 {
                %2 = load x0[_1,_0]
                %3 = add %2, %2
                %4 = convert %3 {dtype = f64}
                %5 = add %1, %4
                %6 = convert %5 {dtype = bf16}
                store y0[_1,_0] = %6
                next %5
              }
            }
          }
        }
    "#]]
    .assert_eq(&lower(&sums).unwrap().to_string());
}

#[test]
fn index_vectors_follow_each_other_and_rows_run_beside_each_other() {
    let sizes = ["rows", "d", "n"].map(Dim::dynamic);
    let [rows_of_x, d, n] = &sizes;
    let shapes = [
        f32s(&[rows_of_x.clone(), d.clone()]),
        Shape::from_dims(std::slice::from_ref(n), DType::I32),
        f32s(&[n.clone(), d.clone()]),
    ];
    let added = group(&shapes, |x| vec![x[0].apply(rows(Combiner::Reduce(ReduceOp::Sum)), &[&x[1], &x[2]])]);
    expect![[r#"
        launches {
          temporary f64[rows,d]
          launch (input 0, temporary 0) kernel group_0(x0: in f32[rows,d], z0: out f64[rows,d]) {
            par _0<rows, _1<d {
              %0 = load x0[_0,_1]
              %1 = convert %0 {dtype = f64}
              store z0[_0,_1] = %1
            }
          }
          launch (input 1, input 2, temporary 0) kernel group_1(x1: in i32[n], x2: in f32[n,d], z0: inout f64[rows,d]) {
            par _0<d {
              for _1<n {
                %0 = load x1[_1]
                %1 = convert %0 {dtype = i64}
                %2: i64 = constant 0
                %3: i64 = index rows
                %4 = compare %1, %2 {op = ge, total_order = false}
                %5 = compare %1, %3 {op = lt, total_order = false}
                %6 = and %4, %5
                if %6 {
                  name _2<rows = %1
                  %7 = load x2[_1,_0]
                  %8 = load z0[_2,_0]
                  %9 = convert %7 {dtype = f64}
                  %10 = add %8, %9
                  store z0[_2,_0] = %10
                }
              }
            }
          }
          launch (temporary 0, output 0) kernel group_2(z0: in f64[rows,d], y0: out f32[rows,d]) {
            par _0<rows, _1<d {
              %0 = load z0[_0,_1]
              %1 = convert %0 {dtype = f32}
              store y0[_0,_1] = %1
            }
          }
        }
    "#]].assert_eq(&lower(&added).unwrap().to_string());
}
