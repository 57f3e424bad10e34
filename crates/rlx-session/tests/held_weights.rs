//! Weights that are stored in 16 bits: the results are as if the weights had been rounded before, and nothing else is rounded.

use half::{bf16, f16};
use rlx_compile::{CompileOptions, PrecisionPolicy};
use rlx_driver::Device;
use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_session::{CpuOptions, Session};

const K: usize = 70;
const N: usize = 45;

fn layer(rows: usize) -> Graph {
    let b = Builder::new("layer");
    let x = b.input("x", Shape::new(&[rows, K], DType::F32));
    let w = b.param("w", Shape::new(&[K, N], DType::F32));
    let bias = b.param("b", Shape::new(&[N], DType::F32));
    let y = x.matmul(&w) + &bias.broadcast_to(Shape::new(&[rows, N], DType::F32).dims());
    b.finish(&[&y]).unwrap()
}

fn numbers(count: usize, step: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * step).sin()).collect()
}

fn run(rows: usize, policy: PrecisionPolicy, w: &[f32]) -> Vec<f32> {
    let options = CompileOptions::new().precision(policy).with_backend(CpuOptions::new().num_threads(2));
    let mut compiled = Session::new(Device::Cpu).with_options(options).try_compile(layer(rows)).unwrap();
    compiled.try_set_param("w", w).unwrap();
    compiled.try_set_param("b", &numbers(N, 0.3)).unwrap();
    compiled.try_run(&[("x", &numbers(rows * K, 0.7))]).unwrap().remove(0)
}

#[test]
fn only_weights_are_rounded() {
    let w = numbers(K * N, 1.1);
    let halves: Vec<f32> = w.iter().map(|&x| f16::from_f32(x).to_f32()).collect();
    let brains: Vec<f32> = w.iter().map(|&x| bf16::from_f32(x).to_f32()).collect();
    for rows in [1, 16, 33] {
        let exact = run(rows, PrecisionPolicy::Declared, &w);
        let held = run(rows, PrecisionPolicy::WeightsF16, &w);
        assert_eq!(held, run(rows, PrecisionPolicy::Declared, &halves));
        assert_ne!(held, exact);
        let (held, expected) =
            (run(rows, PrecisionPolicy::WeightsBF16, &w), run(rows, PrecisionPolicy::Declared, &brains));
        // A matrix unit computes products with so few rows only with bf16 weights: the same numbers in another order.
        if rows == 16 {
            let farthest =
                |other: &[f32]| held.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            // Sums of 70 products below 1 differ by at most 70 · 2⁻²⁴ of their magnitudes; other weights differ hundreds of times as much.
            assert!(farthest(&expected) <= 2e-5, "{}", farthest(&expected));
            assert!(farthest(&exact) >= 5e-3, "{}", farthest(&exact));
        } else {
            assert_eq!(held, expected);
        }
    }
}

#[test]
fn what_is_too_large_for_f16_stays() {
    let mut w = numbers(K * N, 1.1);
    w[17] = 1e6;
    assert_eq!(run(16, PrecisionPolicy::WeightsF16, &w), run(16, PrecisionPolicy::Declared, &w));
}

#[test]
fn precisions_have_names() {
    for name in PrecisionPolicy::names() {
        name.parse::<PrecisionPolicy>().unwrap();
    }
    let error = "f17".parse::<PrecisionPolicy>().unwrap_err().to_string();
    assert!(error.contains("f17") && error.contains("weights-f16"), "{error}");
}

#[test]
fn a_weight_that_f16_does_not_have_is_refused_where_it_is_read_in_f16() {
    let builder = Builder::new("beyond");
    let x = builder.input("x", Shape::new(&[1, 2], DType::F32));
    let w = builder.param("w", Shape::new(&[2, 2], DType::F32));
    let graph = builder.finish(&[&x.matmul(&w)]).unwrap();
    let set = |policy: PrecisionPolicy, w: &[f32]| {
        let options = CompileOptions::new().precision(policy);
        let mut compiled =
            Session::new(Device::Cpu).with_options(options).try_compile(graph.clone()).unwrap();
        compiled.try_set_param("w", w)
    };
    let large = [1.0, 7e4, f32::INFINITY, 2.0];
    for policy in [PrecisionPolicy::AlwaysF16, PrecisionPolicy::AutoMixed] {
        let message = set(policy, &large).unwrap_err().to_string();
        assert!(message.contains("`w` contains 70000"), "{message}");
        set(policy, &[1.0, 65504.0, f32::NEG_INFINITY, 2.0]).unwrap();
    }
    for policy in [PrecisionPolicy::Declared, PrecisionPolicy::AlwaysBF16, PrecisionPolicy::AutoMixedBF16] {
        set(policy, &large).unwrap();
    }
}
