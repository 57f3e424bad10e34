//! Compares large products, computed with the library that this is built with (`--features blas-openblas`, …), with the evaluator.
#![cfg(feature = "_blas")]

mod harness;

use harness::{SplitMix64, Tolerance, check, ordinary};
use rlx_ir::{Activation, Builder, DType, Literal, Shape};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns a lock that is held while calls are counted, because the library has only one counter.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What follows the product.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Nothing,
    Bias(Activation),
    BiasAndResidual(Activation),
}

/// Checks x·w or x·wᵀ with what follows, in every way of compiling; returns whether the library was called.
fn is_called([m, k, n]: [usize; 3], dtype: DType, transposed: bool, constant: bool, then: Then) -> bool {
    let mut random = SplitMix64::new((m * n * k) as u64);
    let b = Builder::new("linear");
    let shape = |dims: &[usize]| Shape::new(dims, dtype);
    let w_dims = if transposed { [n, k] } else { [k, n] };
    let x = b.input("x", shape(&[m, k]));
    let w = if constant { b.param("w", shape(&w_dims)) } else { b.input("w", shape(&w_dims)) };
    let (bias, r) = (b.param("bias", shape(&[n])), b.input("r", shape(&[m, n])));
    let product = if transposed { x.matmul(&w.transpose(&[1, 0])) } else { x.matmul(&w) };
    let y = match then {
        Then::Nothing => product,
        Then::Bias(kind) => (&product + &bias).activation(kind),
        Then::BiasAndResidual(kind) => &(&product + &bias).activation(kind) + &r,
    };
    let g = b.finish(&[&y]).expect("valid");
    let operands = [("x", vec![m, k]), ("w", w_dims.to_vec()), ("bias", vec![n]), ("r", vec![m, n])];
    let values: Vec<(&str, Literal)> =
        operands.iter().map(|(name, dims)| (*name, ordinary(dims, dtype, &mut random))).collect();
    let values: Vec<(&str, &Literal)> = values.iter().map(|(name, value)| (*name, value)).collect();
    let within = match dtype {
        DType::F64 => Tolerance::Close { absolute: 1e-11, relative: 1e-13 },
        // The rounding errors of sums of that many products of numbers below 4.
        _ => Tolerance::Close { absolute: 2e-3, relative: 2e-5 },
    };
    let before = rlx_blas::calls();
    check(&g, &values, within);
    rlx_blas::calls() > before
}

#[test]
fn large_products_are_the_librarys_and_small_ones_ours() {
    let _alone = alone();
    let large = [150, 160, 170];
    for dtype in [DType::F32, DType::F64] {
        for then in [
            Then::Nothing,
            Then::Bias(Activation::Gelu),
            Then::Bias(Activation::Silu),
            Then::BiasAndResidual(Activation::Relu),
        ] {
            for transposed in [false, true] {
                let called = is_called(large, dtype, transposed, transposed, then);
                assert!(called, "{dtype:?} {then:?}, transposed {transposed}");
            }
        }
        // Several pieces.
        assert!(is_called([65, 300, 1030], dtype, false, true, Then::Bias(Activation::Tanh)));
        assert!(!is_called([16, 160, 170], dtype, false, true, Then::Nothing), "our code, not the library");
        assert!(!is_called([64, 64, 64], dtype, false, false, Then::Nothing), "our code, not the library");
    }
}

#[test]
fn other_element_types_are_ours() {
    let _alone = alone();
    let before = rlx_blas::calls();
    let mut random = SplitMix64::new(9);
    let b = Builder::new("narrow");
    let shape = Shape::new(&[130, 130], DType::BF16);
    let y = b.input("x", shape.clone()).matmul(&b.param("w", shape));
    let g = b.finish(&[&y]).expect("valid");
    let [x, w] = [0; 2].map(|_| ordinary(&[130, 130], DType::BF16, &mut random));
    check(&g, &[("x", &x), ("w", &w)], Tolerance::Ulps(1));
    assert_eq!(rlx_blas::calls(), before);
}

#[test]
fn the_library_says_what_it_is() {
    let name = rlx_blas::describe();
    let expected = match () {
        () if cfg!(feature = "blas-openblas") => "OpenBLAS",
        () if cfg!(feature = "blas-mkl") => "Math Kernel Library",
        () => "Accelerate",
    };
    assert!(name.contains(expected), "{name}");
    let rlx_exec::Availability::Present(line) = rlx_exec::Backend::availability(&rlx_cpu::CpuBackend) else {
        panic!("the CPU is always present")
    };
    assert!(line.contains(&name), "{line}");
}
