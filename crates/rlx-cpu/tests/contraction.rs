//! Contractions, alone and with epilogues, against the evaluator.

mod harness;

use harness::{Random, Tolerance, check, ordinary};
use rlx_ir::{Activation, Builder, DType, Graph, Literal, Op, Shape};

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

fn dot(case: &Case) -> Op {
    Op::DotGeneral {
        lhs_batch: case.batch.0.to_vec(),
        rhs_batch: case.batch.1.to_vec(),
        lhs_contract: case.contract.0.to_vec(),
        rhs_contract: case.contract.1.to_vec(),
        dtype: None,
    }
}

/// Sums of up to 300 products of numbers below 4 in f32: each of the roundings is below 2⁻²⁴ of 300·16.
fn tolerance(dtype: DType) -> Tolerance {
    match dtype {
        DType::F32 | DType::C64 => Tolerance::Close { absolute: 3e-4, relative: 1e-5 },
        DType::F64 | DType::C128 => Tolerance::Close { absolute: 1e-12, relative: 1e-13 },
        _ => Tolerance::Exact,
    }
}

#[test]
fn every_element_type_contracts_as_the_evaluator() {
    let mut random = Random(1);
    for dtype in DType::ALL {
        for case in CASES {
            let mut g = Graph::new("dot");
            let a = g.input("a", Shape::new(case.lhs, dtype));
            let b = g.param("b", Shape::new(case.rhs, dtype));
            let y = g.try_add(dot(case), vec![a, b]).expect("valid");
            g.set_outputs(vec![y]);
            let a = ordinary(case.lhs, dtype, &mut random);
            let b = ordinary(case.rhs, dtype, &mut random);
            check(&g, &[("a", &a), ("b", &b)], tolerance(dtype));
        }
    }
}

#[test]
fn epilogues_follow_the_product() {
    let mut random = Random(2);
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
