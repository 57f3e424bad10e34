//! Compares contractions, alone and with epilogues, with the evaluator.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary, wild};
use rlx_compile::CompileOptions;
use rlx_cpu::CpuBackend;
use rlx_exec::compile;
use rlx_ir::eval::Scalar;
use rlx_ir::{Activation, Bindings, Builder, DType, DTypeSet, DotDims, Graph, Literal, Op, Shape};

struct Case {
    lhs: &'static [usize],
    rhs: &'static [usize],
    batch: (&'static [usize], &'static [usize]),
    contract: (&'static [usize], &'static [usize]),
}

const CASES: &[Case] = &[
    Case { lhs: &[1, 1], rhs: &[1, 1], batch: (&[], &[]), contract: (&[1], &[0]) },
    Case { lhs: &[5, 7], rhs: &[7, 3], batch: (&[], &[]), contract: (&[1], &[0]) },
    Case { lhs: &[2, 5, 33], rhs: &[17, 33], batch: (&[], &[]), contract: (&[2], &[1]) },
    Case { lhs: &[64, 96], rhs: &[96, 80], batch: (&[], &[]), contract: (&[1], &[0]) },
    Case { lhs: &[3, 4, 5], rhs: &[3, 5, 6], batch: (&[0], &[0]), contract: (&[2], &[1]) },
    Case { lhs: &[2, 3, 4, 5], rhs: &[3, 5, 2], batch: (&[1], &[0]), contract: (&[0, 3], &[2, 1]) },
    Case { lhs: &[4], rhs: &[4], batch: (&[], &[]), contract: (&[0], &[0]) },
    Case { lhs: &[4], rhs: &[3], batch: (&[], &[]), contract: (&[], &[]) },
    Case { lhs: &[0, 4], rhs: &[4, 3], batch: (&[], &[]), contract: (&[1], &[0]) },
    Case { lhs: &[2, 0], rhs: &[0, 3], batch: (&[], &[]), contract: (&[1], &[0]) },
    Case { lhs: &[1, 300], rhs: &[300, 65], batch: (&[], &[]), contract: (&[1], &[0]) },
];

fn dot(case: &Case, to: DType) -> Op {
    let dims = DotDims {
        lhs_batch: case.batch.0.to_vec(),
        rhs_batch: case.batch.1.to_vec(),
        lhs_contract: case.contract.0.to_vec(),
        rhs_contract: case.contract.1.to_vec(),
    };
    Op::DotGeneral { dims, dtype: Some(to) }
}

/// Returns whether numbers of one type may be summed to another.
fn holds(from: DType, to: DType) -> bool {
    let rank = |dtype: DType| match () {
        () if dtype.is_complex() => 3,
        () if dtype.is_float() => 2,
        () => i32::from(dtype.is_int()),
    };
    rank(from) <= rank(to)
}

/// Sums of integers, and of up to 2048 floats whose products f64 holds exactly, equal the evaluator's. If f32 sums up to 300 products of numbers
/// below 4, each rounding error is below 2⁻²⁴ of 300·16; in f64 it is 2⁻⁵³ of that.
fn tolerance(from: DType, to: DType) -> Tolerance {
    let exact = from.is_float() && from != DType::F64 && to.is_float();
    match to {
        _ if !to.is_float() && !to.is_complex() => Tolerance::Exact,
        DType::F32 if from.is_float() && from != DType::F64 => {
            Tolerance::Close { absolute: 3e-4, relative: 1e-5 }
        }
        _ if exact => Tolerance::Exact,
        DType::C64 => Tolerance::Close { absolute: 3e-4, relative: 1e-5 },
        DType::F64 | DType::C128 => Tolerance::Close { absolute: 1e-12, relative: 1e-13 },
        // Sums in f64 that differ in their last places may be rounded differently.
        _ => Tolerance::Ulps(1),
    }
}

fn check_dot(case: &Case, [from, to]: [DType; 2], constant: bool, [a, b]: &[Literal; 2], within: Tolerance) {
    let mut g = Graph::new("dot");
    let x = g.input("a", Shape::new(case.lhs, from));
    let shape = Shape::new(case.rhs, from);
    let y = if constant { g.param("b", shape) } else { g.input("b", shape) };
    let y = g.try_add(dot(case, to), vec![x, y]).expect("valid");
    g.set_outputs(vec![y]);
    check(&g, &[("a", a), ("b", b)], within);
}

#[test]
fn every_element_type_contracts_as_the_evaluator() {
    let mut random = SplitMix64::new(1);
    for from in DType::ALL {
        for to in DType::ALL.into_iter().filter(|&to| holds(from, to)) {
            for (i, case) in CASES.iter().enumerate() {
                let operands = [case.lhs, case.rhs].map(|dims| ordinary(dims, from, &mut random));
                check_dot(case, [from, to], i % 2 == 0 || from == to, &operands, tolerance(from, to));
            }
        }
    }
}

#[test]
fn any_bits_contract_as_the_evaluator_where_sums_are_exact() {
    let mut random = SplitMix64::new(3);
    let narrow = [DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2];
    let integers = DTypeSet::INT_BOOL.iter();
    for dtype in narrow.into_iter().chain(integers) {
        for case in CASES {
            for constant in [false, true] {
                let operands = [case.lhs, case.rhs].map(|dims| wild(dims, dtype, &mut random));
                check_dot(case, [dtype; 2], constant, &operands, Tolerance::Exact);
            }
        }
    }
}

/// Up to the length of a chain of f64, with and without a rest of a run of K.
#[test]
fn sums_of_exact_products_are_those_of_a_loop() {
    let mut random = SplitMix64::new(6);
    let cases = [
        Case { lhs: &[5, 2048], rhs: &[2048, 7], batch: (&[], &[]), contract: (&[1], &[0]) },
        Case { lhs: &[2, 1999], rhs: &[3, 1999], batch: (&[], &[]), contract: (&[1], &[1]) },
    ];
    for from in [DType::F32, DType::F16, DType::BF16, DType::F8E4M3] {
        for (case, constant) in cases.iter().zip([false, true]) {
            let operands = [case.lhs, case.rhs].map(|dims| ordinary(dims, from, &mut random));
            check_dot(case, [from, DType::F64], constant, &operands, Tolerance::Exact);
        }
    }
}

#[test]
fn long_sums_of_short_integers_do_not_lose_bits() {
    let mut random = SplitMix64::new(4);
    let case = Case { lhs: &[3, 5000], rhs: &[5000, 9], batch: (&[], &[]), contract: (&[1], &[0]) };
    for [from, to] in [[DType::U8, DType::U32], [DType::I8, DType::I32], [DType::U16, DType::U64]] {
        let high = from.int_range().expect("an integer type").1;
        let operands = [case.lhs, case.rhs]
            .map(|dims| literal(dims, from, |_| Scalar::Int(high - random.below(3) as i128)));
        check_dot(&case, [from, to], false, &operands, Tolerance::Exact);
        check_dot(&case, [from, to], true, &operands, Tolerance::Exact);
    }
}

#[test]
fn runs_of_rows_have_matrices_of_their_own() {
    let mut random = SplitMix64::new(5);
    let runs: [(&[usize; 3], &[i64]); 7] = [
        (&[7, 5, 3], &[2, 0, 4]),
        (&[7, 5, 3], &[9, 1]),
        (&[300, 33, 40], &[290, 3, 1]),
        (&[6, 4, 70], &[4, -3, 4, 100]),
        (&[6, 4, 7], &[i64::MAX, i64::MAX, i64::MIN]),
        (&[3, 0, 2], &[1, 1]),
        (&[0, 4, 2], &[1]),
    ];
    for (&[m, k, n], sizes) in runs {
        for from in DType::ALL {
            for to in [from, DType::F32, DType::I64, DType::C64].into_iter().filter(|&to| holds(from, to)) {
                let mut g = Graph::new("ragged");
                let operands = [
                    ordinary(&[m, k], from, &mut random),
                    ordinary(&[sizes.len(), k, n], from, &mut random),
                    literal(&[sizes.len()], DType::I64, |i| Scalar::Int(sizes[i].into())),
                ];
                let inputs = operands.iter().zip(["a", "b", "s"]);
                let inputs = inputs.map(|(x, name)| g.input(name, x.shape().clone())).collect();
                let y = g.try_add(Op::RaggedDot { dtype: Some(to) }, inputs).expect("valid");
                g.set_outputs(vec![y]);
                let [a, b, s] = &operands;
                check(&g, &[("a", a), ("b", b), ("s", s)], tolerance(from, to));
            }
        }
    }
}

#[test]
fn epilogues_follow_the_product() {
    let mut random = SplitMix64::new(2);
    let f32s = |dims: &[usize]| Shape::new(dims, DType::F32);
    for (m, k, n) in [(1, 1, 1), (3, 40, 17), (33, 64, 100), (128, 96, 50)] {
        for kind in
            [Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Silu, Activation::Square]
        {
            for residual in 0..3 {
                let b = Builder::new("linear");
                let x = b.input("x", f32s(&[m, k]));
                let r = b.input("r", f32s(&[m, n]));
                let w = b.param("w", f32s(&[k, n]));
                let bias = b.param("bias", f32s(&[n]));
                let y = (x.matmul(&w) + &bias).activation(kind);
                let y = match residual {
                    0 => &y + &r,
                    1 => &y * &r,
                    _ => y,
                };
                let g = b.finish(&[&y]).expect("valid");
                let values: Vec<(&str, Literal)> = vec![
                    ("x", ordinary(&[m, k], DType::F32, &mut random)),
                    ("r", ordinary(&[m, n], DType::F32, &mut random)),
                    ("w", ordinary(&[k, n], DType::F32, &mut random)),
                    ("bias", ordinary(&[n], DType::F32, &mut random)),
                ];
                let values: Vec<(&str, &Literal)> = values.iter().map(|(n, l)| (*n, l)).collect();
                check(&g, &values, Tolerance::Close { absolute: 2e-3, relative: 2e-5 });
            }
        }
    }
}

/// What the blocked product cannot apply is not part of the group, so the group has a kernel that packs its weights.
#[test]
fn groups_are_what_the_product_can_apply() {
    let b = Builder::new("linear");
    let x = b.input("x", Shape::new(&[33, 64], DType::F32));
    let r = b.input("r", Shape::new(&[33, 100], DType::F32));
    let w = b.param("w", Shape::new(&[64, 100], DType::F32));
    let bias = b.param("bias", Shape::new(&[100], DType::F32));
    let y = (x.matmul(&w) + &bias).activation(Activation::Gelu);
    let y = ((&y + &r).activation(Activation::Tanh) * &r).activation(Activation::Square);
    let g = b.finish(&[&y]).expect("valid");
    let options = CompileOptions::new();
    let compiled = compile(&g, &Bindings::new(), &CpuBackend, &options).expect("compiles");
    let report = compiled.lowered.report().expect("a report");
    let fused: Vec<String> =
        (report.fusions.iter()).map(|group| format!("{}: {}", group.kind, group.ops.join(" "))).collect();
    assert_eq!(
        fused,
        ["contraction: dot_general add activation add", "elementwise: activation mul activation"]
    );
    let text = report.to_string();
    assert!(text.contains("fused contraction: dot_general add activation add ×1"), "{text}");
    let mut random = SplitMix64::new(3);
    let values: Vec<(&str, Literal)> =
        [("x", &[33, 64][..]), ("r", &[33, 100]), ("w", &[64, 100]), ("bias", &[100])]
            .map(|(name, dims)| (name, ordinary(dims, DType::F32, &mut random)))
            .into();
    let values: Vec<(&str, &Literal)> = values.iter().map(|(n, l)| (*n, l)).collect();
    check(&g, &values, Tolerance::Close { absolute: 2e-3, relative: 2e-5 });
}

/// Weights in 16 bits are multiplied as they are stored; a run makes no copy in f32.
#[test]
fn narrow_weights_are_widened_in_the_product() {
    let mut random = SplitMix64::new(4);
    for dtype in [DType::F16, DType::BF16, DType::F8E5M2, DType::I8] {
        for (m, k, n) in [(1, 64, 100), (4, 96, 50), (33, 70, 65)] {
            let b = Builder::new("linear");
            let x = b.input("x", Shape::new(&[m, k], DType::F32));
            let w = b.param("w", Shape::new(&[n, k], dtype));
            let y = x.matmul(&w.convert(DType::F32).transpose_last()).activation(Activation::Relu);
            let g = b.finish(&[&y]).expect("valid");
            let compiled =
                compile(&g, &Bindings::new(), &CpuBackend, &CompileOptions::new()).expect("compiles");
            let report = compiled.lowered.report().expect("a report");
            let fused: Vec<String> = report.fusions.iter().map(|group| group.ops.join(" ")).collect();
            assert_eq!(fused, ["convert dot_general activation"], "{dtype}");
            let values = [
                ("x", ordinary(&[m, k], DType::F32, &mut random)),
                ("w", ordinary(&[n, k], dtype, &mut random)),
            ];
            let values: Vec<(&str, &Literal)> = values.iter().map(|(n, l)| (*n, l)).collect();
            check(&g, &values, Tolerance::Close { absolute: 2e-3, relative: 2e-5 });
        }
    }
}
