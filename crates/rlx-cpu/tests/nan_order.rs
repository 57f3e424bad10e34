//! The signs of NaN that operations compute from numbers. In the total order of floats, which sorting and `top_k` follow, they determine
//! whether NaN comes first or last. The expected signs are those of JAX 0.10 on x86-64 (`np.signbit` of `jax.jit(f)(x)`). For a NaN operand
//! no sign is promised.
#![cfg(target_arch = "x86_64")]

mod harness;

use harness::{literal, run, ways};
use rlx_ir::eval::Scalar;
use rlx_ir::{BinaryOp, Builder, DType, Literal, Op, Shape, UnaryOp};

const INF: f64 = f64::INFINITY;

/// Operands for which the result is NaN, and whether its sign is set in f32 and in f64; `None` where docs/cpu.md says that our sign
/// differs.
type Case<Op> = (Op, &'static [f64], [Option<bool>; 2]);

const UNARY: &[Case<UnaryOp>] = &[
    (UnaryOp::Log, &[-1.0], [Some(true), None]),
    (UnaryOp::Log1p, &[-2.0], [Some(true), None]),
    (UnaryOp::Sqrt, &[-1.0], [Some(true); 2]),
    (UnaryOp::Rsqrt, &[-1.0], [Some(true); 2]),
    (UnaryOp::Sin, &[INF], [Some(true); 2]),
    (UnaryOp::Cos, &[INF], [Some(true); 2]),
    (UnaryOp::Tan, &[INF], [Some(true); 2]),
    (UnaryOp::Asin, &[2.0], [Some(true), None]),
    (UnaryOp::Acos, &[2.0], [Some(true), None]),
    (UnaryOp::Digamma, &[-1.0], [Some(false); 2]),
    (UnaryOp::ErfInv, &[2.0], [Some(false), None]),
];

const BINARY: &[Case<BinaryOp>] = &[
    (BinaryOp::Add, &[INF, -INF], [Some(true); 2]),
    (BinaryOp::Sub, &[INF, INF], [Some(true); 2]),
    (BinaryOp::Mul, &[0.0, INF], [Some(true); 2]),
    (BinaryOp::Div, &[0.0, 0.0], [Some(true); 2]),
    (BinaryOp::Rem, &[1.0, 0.0], [Some(true); 2]),
    (BinaryOp::Rem, &[INF, 1.0], [Some(true); 2]),
    (BinaryOp::Pow, &[-2.0, 0.5], [Some(true); 2]),
];

/// Number of elements, enough for whole vectors and a remainder.
const COUNT: usize = 37;

/// Checks the results, in every way in which a program is compiled.
fn check(op: &Op, operands: &[f64], expected: [Option<bool>; 2]) {
    for (dtype, expected) in [DType::F32, DType::F64].into_iter().zip(expected) {
        let Some(expected) = expected else { continue };
        let b = Builder::new("nan");
        let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
        let inputs: Vec<_> = names.iter().map(|name| b.input(name, Shape::new(&[COUNT], dtype))).collect();
        let graph =
            b.finish(&[&inputs[0].apply(op.clone(), &inputs[1..].iter().collect::<Vec<_>>())]).unwrap();
        let values: Vec<Literal> =
            operands.iter().map(|&x| literal(&[COUNT], dtype, |_| Scalar::Float(x))).collect();
        let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&values).collect();
        for options in ways() {
            let result = run(&graph, &values, &options).remove(0);
            for bytes in result.bytes().chunks_exact(dtype.size()) {
                let x = Scalar::read(dtype, bytes).to_f64();
                assert!(x.is_nan(), "{op:?} of {operands:?} in {dtype}: {x}");
                assert_eq!(
                    x.is_sign_negative(),
                    expected,
                    "{op:?} of {operands:?} in {dtype}: {:?}",
                    options.backend
                );
            }
        }
    }
}

#[test]
fn nan_has_the_sign_that_xla_gives_it() {
    for &(op, operands, expected) in UNARY {
        check(&Op::Unary { op }, operands, expected);
    }
    for &(op, operands, expected) in BINARY {
        check(&Op::Binary { op }, operands, expected);
    }
}

/// `jax.lax.top_k(jnp.log(x), 4)` of the same x: the logarithm of a negative number comes last.
#[test]
fn the_logarithm_of_a_negative_number_is_below_all_others() {
    let b = Builder::new("top");
    let x = b.input("x", Shape::new(&[4], DType::F32));
    let top = b.apply_many(Op::TopK { k: 4 }, &[&x.unary(UnaryOp::Log)]);
    let graph = b.finish(&[&top[1]]).unwrap();
    let x = Literal::new(&[4], &[-1.0f32, 1.0, 0.0, 2.0]).unwrap();
    for options in ways() {
        let order = run(&graph, &[("x", &x)], &options).remove(0);
        assert_eq!(order.as_slice::<i32>().unwrap(), [3, 1, 2, 0]);
    }
}
