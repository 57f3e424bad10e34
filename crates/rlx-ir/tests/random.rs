//! Random bits and numbers, which equal those of JAX and XLA bit for bit where bits define them.

use rlx_ir::DType::{U8, U16, U32, U64};
use rlx_ir::{Builder, DType, Dim, Graph, Literal, Op, RngAlgorithm, Shape, Tensor, eval};

/// Builds a graph with inputs x0, x1, …, checks that its text form reads back equal, and evaluates it.
fn run(args: &[&Literal], build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>) -> Vec<Literal> {
    let b = Builder::new("test");
    let names: Vec<String> = (0..args.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<Tensor> = names.iter().zip(args).map(|(n, a)| b.input(n, a.shape().clone())).collect();
    let outputs = build(&b, &inputs);
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).expect("a valid graph");
    assert_eq!(Graph::parse(&graph.to_string()).expect("parses"), graph);
    let named: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(args.iter().copied()).collect();
    eval(&graph, &named).expect("runs")
}

fn u32s(dims: &[usize], data: &[u32]) -> Literal {
    Literal::new(dims, data).expect("fits")
}

fn key() -> Literal {
    u32s(&[2], &[0x1234_5678, 0x9abc_def0])
}

/// The bits of each element.
fn bits(x: &Literal) -> Vec<u64> {
    let size = x.dtype().size();
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    x.bytes().chunks_exact(size).map(word).collect()
}

/// A number that depends on every bit and on the order.
fn checksum(x: &Literal) -> u64 {
    let step =
        |sum: u64, word| sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(word).wrapping_add(1);
    bits(x).into_iter().fold(0, step)
}

const T: RngAlgorithm = RngAlgorithm::Threefry;
const P: RngAlgorithm = RngAlgorithm::Philox;

/// Generator, state, dimensions and type of the draw; the next state and the checksum of the bits.
type Draw = (RngAlgorithm, [u64; 2], &'static [usize], DType, [u64; 2], u64);

/// Written by `jax.lax.rng_bit_generator` on the CPU.
#[rustfmt::skip]
const DRAWS: &[Draw] = &[
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[], U8, [0x123456789abcdef0, 0xfedcba987654322], 0x1b),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[1], U16, [0x123456789abcdef0, 0xfedcba987654322], 0xf11b),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[1], U32, [0x123456789abcdef0, 0xfedcba987654322], 0x1324f11b),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[1], U64, [0x123456789abcdef0, 0xfedcba987654322], 0x2ae1effe1324f11b),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[5], U8, [0x123456789abcdef0, 0xfedcba987654324], 0x3157da0e809d73e6),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[8], U16, [0x123456789abcdef0, 0xfedcba987654325], 0x36c8276317bb09f1),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[8], U32, [0x123456789abcdef0, 0xfedcba987654325], 0x4710cc44f0d309f1),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[8], U64, [0x123456789abcdef0, 0xfedcba987654329], 0x44a1f1381aba8135),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U8, [0x123456789abcdef0, 0xfedcba98765432a], 0xf704f1ff80f8c707),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U16, [0x123456789abcdef0, 0xfedcba98765432a], 0x87bb44353a225b07),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U32, [0x123456789abcdef0, 0xfedcba98765432a], 0x1ae5ebc1b2545b07),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U64, [0x123456789abcdef0, 0xfedcba987654330], 0x38e15259fce54c27),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 4], U16, [0x123456789abcdef0, 0xfedcba987654327], 0x469939f7b78f1151),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 4], U32, [0x123456789abcdef0, 0xfedcba987654327], 0x74a8d82c9ed91151),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 4], U64, [0x123456789abcdef0, 0xfedcba98765432d], 0x578a8bee22e63834),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[2, 3, 3], U8, [0x123456789abcdef0, 0xfedcba98765432a], 0x8488e41aee5b5beb),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U8, [0x123456789abcdef0, 0xfedcba987654345], 0xe2a72d6a9174fa5b),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U16, [0x123456789abcdef0, 0xfedcba987654345], 0xe71d4c704ffe885b),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U32, [0x123456789abcdef0, 0xfedcba987654345], 0x9a31b32de6ae885b),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U64, [0x123456789abcdef0, 0xfedcba987654360], 0xe7024efe177f00e7),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[0], U8, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[2, 0], U16, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[2, 0], U32, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (T, [0x123456789abcdef0, 0xfedcba987654321], &[2, 0], U64, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (T, [0x7, 0xfffffffffffffffe], &[], U8, [0x7, 0xffffffffffffffff], 0x98),
    (T, [0x7, 0xfffffffffffffffe], &[1], U16, [0x7, 0xffffffffffffffff], 0xdd98),
    (T, [0x7, 0xfffffffffffffffe], &[1], U32, [0x7, 0xffffffffffffffff], 0xc423dd98),
    (T, [0x7, 0xfffffffffffffffe], &[1], U64, [0x7, 0xffffffffffffffff], 0xa14fabeac423dd98),
    (T, [0x7, 0xfffffffffffffffe], &[5], U8, [0x7, 0x1], 0xa545b68f8f2868b6),
    (T, [0x7, 0xfffffffffffffffe], &[8], U16, [0x7, 0x2], 0xebcb33e0811d66b9),
    (T, [0x7, 0xfffffffffffffffe], &[8], U32, [0x7, 0x2], 0x39aab3eff8eb66b9),
    (T, [0x7, 0xfffffffffffffffe], &[8], U64, [0x7, 0x6], 0x6e0384d778d8a383),
    (T, [0x7, 0xfffffffffffffffe], &[3, 5], U8, [0x7, 0x7], 0xfbc54e6b4091070f),
    (T, [0x7, 0xfffffffffffffffe], &[3, 5], U16, [0x7, 0x7], 0x8f6857e37377da0f),
    (T, [0x7, 0xfffffffffffffffe], &[3, 5], U32, [0x7, 0x7], 0xef5dd1f74597da0f),
    (T, [0x7, 0xfffffffffffffffe], &[3, 5], U64, [0x7, 0xd], 0xcdfe1bcd711fe575),
    (T, [0x7, 0xfffffffffffffffe], &[3, 4], U16, [0x7, 0x4], 0x7beffd05a9d55c01),
    (T, [0x7, 0xfffffffffffffffe], &[3, 4], U32, [0x7, 0x4], 0xdae42dde85df5c01),
    (T, [0x7, 0xfffffffffffffffe], &[3, 4], U64, [0x7, 0xa], 0x9e61bd37d1a551b0),
    (T, [0x7, 0xfffffffffffffffe], &[2, 3, 3], U8, [0x7, 0x7], 0xc3a366fd107dd84c),
    (T, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U8, [0x7, 0x22], 0x856f2903163ae5e5),
    (T, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U16, [0x7, 0x22], 0xbc169212c0d9b5e5),
    (T, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U32, [0x7, 0x22], 0x6f0d36bb2923b5e5),
    (T, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U64, [0x7, 0x3d], 0x9362e94ed3fe7ace),
    (T, [0x7, 0xfffffffffffffffe], &[0], U8, [0x7, 0xfffffffffffffffe], 0x0),
    (T, [0x7, 0xfffffffffffffffe], &[2, 0], U16, [0x7, 0xfffffffffffffffe], 0x0),
    (T, [0x7, 0xfffffffffffffffe], &[2, 0], U32, [0x7, 0xfffffffffffffffe], 0x0),
    (T, [0x7, 0xfffffffffffffffe], &[2, 0], U64, [0x7, 0xfffffffffffffffe], 0x0),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[], U8, [0x123456789abcdef0, 0xfedcba987654322], 0xf2),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[1], U16, [0x123456789abcdef0, 0xfedcba987654322], 0x3f2),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[1], U32, [0x123456789abcdef0, 0xfedcba987654322], 0xff2403f2),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[1], U64, [0x123456789abcdef0, 0xfedcba987654322], 0xe3e6ba8ff2403f2),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[5], U8, [0x123456789abcdef0, 0xfedcba987654323], 0x4987733d04715c97),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[8], U16, [0x123456789abcdef0, 0xfedcba987654323], 0xc112b3f877301d3),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[8], U32, [0x123456789abcdef0, 0xfedcba987654323], 0x68e270aa6e6f01d3),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[8], U64, [0x123456789abcdef0, 0xfedcba987654325], 0xa2fb5742787da1d),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U8, [0x123456789abcdef0, 0xfedcba987654325], 0xf4e8e5e353b70958),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U16, [0x123456789abcdef0, 0xfedcba987654325], 0x67fe03cab4c2b758),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U32, [0x123456789abcdef0, 0xfedcba987654325], 0xb012a8bd0ad2b758),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 5], U64, [0x123456789abcdef0, 0xfedcba987654329], 0xfc8d302bfe50b957),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 4], U16, [0x123456789abcdef0, 0xfedcba987654324], 0x4d770170217eeac8),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 4], U32, [0x123456789abcdef0, 0xfedcba987654324], 0x97ddb4e5010aeac8),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 4], U64, [0x123456789abcdef0, 0xfedcba987654327], 0x81297f02e0b752f3),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[2, 3, 3], U8, [0x123456789abcdef0, 0xfedcba987654326], 0x8f3dcd14389e974c),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U8, [0x123456789abcdef0, 0xfedcba987654331], 0xf107a61954b2dea),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U16, [0x123456789abcdef0, 0xfedcba987654331], 0x1eb14e5182e57eea),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U32, [0x123456789abcdef0, 0xfedcba987654331], 0xd6cd2c0733c47eea),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[3, 3, 7], U64, [0x123456789abcdef0, 0xfedcba987654341], 0xcfbb26ddf97dbec1),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[0], U8, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[2, 0], U16, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[2, 0], U32, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (P, [0x123456789abcdef0, 0xfedcba987654321], &[2, 0], U64, [0x123456789abcdef0, 0xfedcba987654321], 0x0),
    (P, [0x7, 0xfffffffffffffffe], &[], U8, [0x7, 0xffffffffffffffff], 0x9a),
    (P, [0x7, 0xfffffffffffffffe], &[1], U16, [0x7, 0xffffffffffffffff], 0x149a),
    (P, [0x7, 0xfffffffffffffffe], &[1], U32, [0x7, 0xffffffffffffffff], 0x2b94149a),
    (P, [0x7, 0xfffffffffffffffe], &[1], U64, [0x7, 0xffffffffffffffff], 0x6b622e262b94149a),
    (P, [0x7, 0xfffffffffffffffe], &[5], U8, [0x7, 0x0], 0x95e4f6b84cf8bea1),
    (P, [0x7, 0xfffffffffffffffe], &[8], U16, [0x7, 0x0], 0x57bc7ddedf1216e3),
    (P, [0x7, 0xfffffffffffffffe], &[8], U32, [0x7, 0x0], 0xae8f7b8b91116e3),
    (P, [0x7, 0xfffffffffffffffe], &[8], U64, [0x7, 0x2], 0xe9a5e07970442107),
    (P, [0x7, 0xfffffffffffffffe], &[3, 5], U8, [0x7, 0x2], 0xeb1b4f1b272d0c9f),
    (P, [0x7, 0xfffffffffffffffe], &[3, 5], U16, [0x7, 0x2], 0x36ef1bbe1095399f),
    (P, [0x7, 0xfffffffffffffffe], &[3, 5], U32, [0x7, 0x2], 0x2d9ffe426d4b399f),
    (P, [0x7, 0xfffffffffffffffe], &[3, 5], U64, [0x7, 0x6], 0xff2da8824b21b764),
    (P, [0x7, 0xfffffffffffffffe], &[3, 4], U16, [0x7, 0x1], 0x99d22438c0719308),
    (P, [0x7, 0xfffffffffffffffe], &[3, 4], U32, [0x7, 0x1], 0xfc197247a0579308),
    (P, [0x7, 0xfffffffffffffffe], &[3, 4], U64, [0x7, 0x4], 0xc7d263d7f9050adf),
    (P, [0x7, 0xfffffffffffffffe], &[2, 3, 3], U8, [0x7, 0x3], 0xde2b83f25c456add),
    (P, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U8, [0x7, 0xe], 0xf25224d8af258bf),
    (P, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U16, [0x7, 0xe], 0x697601d7b3e542bf),
    (P, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U32, [0x7, 0xe], 0xe6efd1b0387142bf),
    (P, [0x7, 0xfffffffffffffffe], &[3, 3, 7], U64, [0x7, 0x1e], 0x686329c45cc189e9),
    (P, [0x7, 0xfffffffffffffffe], &[0], U8, [0x7, 0xfffffffffffffffe], 0x0),
    (P, [0x7, 0xfffffffffffffffe], &[2, 0], U16, [0x7, 0xfffffffffffffffe], 0x0),
    (P, [0x7, 0xfffffffffffffffe], &[2, 0], U32, [0x7, 0xfffffffffffffffe], 0x0),
    (P, [0x7, 0xfffffffffffffffe], &[2, 0], U64, [0x7, 0xfffffffffffffffe], 0x0),
];

#[test]
fn bits_and_states_are_those_of_xla() {
    for &(algorithm, state, dims, dtype, next, sum) in DRAWS {
        let state = Literal::new(&[2], &state).expect("fits");
        let shape = Shape::new(dims, dtype);
        let op = Op::RngBits { algorithm, shape: shape.clone() };
        let out = run(&[&state], |_, t| t[0].apply_many(op, &[]));
        assert_eq!(out[0].as_slice::<u64>().expect("u64"), next, "{algorithm} {shape}");
        assert_eq!(out[1].shape(), &shape);
        assert_eq!(checksum(&out[1]), sum, "{algorithm} {shape}");
    }
}

#[test]
fn a_philox_state_of_three_words_counts_in_128_bits() {
    let draw = |state: &[u64]| {
        let state = Literal::new(&[state.len()], state).expect("fits");
        let op = Op::RngBits { algorithm: P, shape: Shape::new(&[8], DType::U32) };
        run(&[&state], |_, t| t[0].apply_many(op, &[]))
    };
    let first = draw(&[7, u64::MAX, 5]);
    assert_eq!(first[0].as_slice::<u64>().expect("u64"), [7, 1, 6]);
    let drawn =
        [0x234f1fc1, 0xff3718ec, 0x2775c467, 0xb9e2b3ee, 0xacdf7a04, 0xae3d6a15, 0x39a162d0, 0x57f2fb31];
    assert_eq!(bits(&first[1]), drawn);
    // With two words, the key is the high word of the counter.
    let (two, three) = (draw(&[7, 9]), draw(&[7, 9, 7]));
    assert_eq!(two[1], three[1]);
    assert_eq!(bits(&two[1])[..2], [0x9c6e911a, 0xe66bd3a4]);
    assert_eq!(two[0].as_slice::<u64>().expect("u64"), [7, 11]);
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let infer = |algorithm, state: Shape, dtype| {
        Op::RngBits { algorithm, shape: Shape::new(&[2], dtype) }.infer(&[state]).map_err(|e| e.to_string())
    };
    let state = |n| Shape::new(&[n], DType::U64);
    assert!(infer(P, state(3), DType::U32).is_ok());
    let message = infer(T, state(3), DType::U32).expect_err("too long");
    assert_eq!(message, "the state of threefry2x32 must be u64[2], got u64[3]");
    let message = infer(P, Shape::scalar(DType::U64), DType::U32).expect_err("a scalar");
    assert_eq!(message, "the state of philox4x32 must be u64[2] or u64[3], got u64[]");
    assert!(infer(T, state(2), DType::F32).expect_err("floats").contains("expected u8, u16, u32, u64"));
    let symbolic = Shape::from_dims(&["n".into()], DType::U64);
    assert!(infer(T, symbolic, DType::U32).expect_err("unknown length").contains("got u64[n]"));
}

#[test]
fn threefry_is_that_of_jax() {
    // The first three are the known answers that the algorithm's authors published.
    let k0 = u32s(&[4], &[0, 0x1319_8a2e, 0xffff_ffff, 9]);
    let k1 = u32s(&[4], &[0, 0x0370_7344, 0xffff_ffff, 8]);
    let x0 = u32s(&[4], &[0, 0x243f_6a88, 0xffff_ffff, 123]);
    let x1 = u32s(&[4], &[0, 0x85a3_08d3, 0xffff_ffff, 456]);
    let out =
        run(&[&k0, &k1, &x0, &x1], |b, t| b.apply_many(Op::Threefry2x32 {}, &[&t[0], &t[1], &t[2], &t[3]]));
    assert_eq!(bits(&out[0]), [0x6b20_0159, 0xc492_3a9c, 0x1cb9_96fc, 0x6835_0170]);
    assert_eq!(bits(&out[1]), [0x99ba_4efe, 0x483d_f7a0, 0xbb00_2be7, 0x7563_2f3b]);
    let u = Shape::new(&[2], DType::U32);
    let wrong = [u.clone(), u.clone(), u.clone(), Shape::new(&[3], DType::U32)];
    let message = Op::Threefry2x32 {}.infer(&wrong).expect_err("two lengths").to_string();
    assert_eq!(message, "k0 and x1 must have the same shape, got u32[2] and u32[3]");
}

#[test]
fn uniform_numbers_are_those_of_jax_bit_for_bit() {
    let cases: [(&[usize], DType, &[u64]); 7] = [
        (&[2, 3], DType::F32, &[0x3e9b26e0, 0x3e144320, 0x3f4940ec, 0x3f0bff38, 0x3ddaec10, 0x3f44597e]),
        (&[], DType::F32, &[0x3e9b26e0]),
        (
            &[5],
            DType::F64,
            &[
                0x3feda5006f34176e,
                0x3fdf1347f5565774,
                0x3fd84bb8bf6a1b80,
                0x3fc6be67bcd341f8,
                0x3fec790e4c5f12be,
            ],
        ),
        (&[5], DType::F16, &[0x3708, 0x3a4c, 0x3b64, 0x3338, 0x3814]),
        (&[5], DType::BF16, &[0x3f3a, 0x3f1e, 0x3f38, 0x3f50, 0x3f34]),
        (&[8], DType::F8E4M3, &[0x32, 0x30, 0x32, 0x34, 0x32, 0x28, 0x20, 0x30]),
        (&[8], DType::F8E5M2, &[0x38, 0x38, 0x38, 0x3a, 0x38, 0x34, 0x00, 0x38]),
    ];
    for (dims, dtype, wanted) in cases {
        let out = run(&[&key()], |_, t| vec![t[0].rng_uniform(Shape::new(dims, dtype))]);
        assert_eq!(bits(&out[0]), wanted, "{dtype}");
    }
    let out = run(&[&key()], |_, t| vec![t[0].rng_uniform(Shape::new(&[10_000], DType::F32))]);
    assert_eq!(checksum(&out[0]), 0x1a05_ee96_fa86_ed20);
    let out = run(&[&key()], |_, t| vec![t[0].rng_uniform(Shape::new(&[3, 0], DType::F32))]);
    assert_eq!(out[0].dims(), [3, 0]);
}

#[track_caller]
fn near(got: &Literal, wanted: &[f64], tolerance: f64) {
    let got: Vec<f64> = match got.dtype() {
        DType::F64 => got.as_slice::<f64>().expect("f64").to_vec(),
        DType::F32 => got.as_slice::<f32>().expect("f32").iter().map(|&x| f64::from(x)).collect(),
        DType::F16 => got.as_slice::<half::f16>().expect("f16").iter().map(|x| x.to_f64()).collect(),
        DType::C128 => got.as_slice::<[f64; 2]>().expect("c128").concat(),
        _ => got.as_slice::<[f32; 2]>().expect("c64").concat().into_iter().map(f64::from).collect(),
    };
    assert_eq!(got.len(), wanted.len());
    for (g, w) in got.iter().zip(wanted) {
        assert!((g - w).abs() <= tolerance * w.abs().max(1.0), "{got:?} instead of {wanted:?}");
    }
}

#[test]
fn uniform_numbers_fill_the_interval_asked_for() {
    let (low, high) = (Literal::scalar(-3.0f32), Literal::scalar(5.0f32));
    let shape = Shape::new(&[2, 3], DType::F32);
    let out = run(&[&key(), &low, &high], |_, t| {
        vec![t[0].apply(Op::RngUniform { shape: shape.clone() }, &[&t[1], &t[2]])]
    });
    let wanted = [
        -0.5757522583007812,
        -1.8417015075683594,
        3.289175033569336,
        1.3749046325683594,
        -2.1448354721069336,
        3.1359243392944336,
    ];
    near(&out[0], &wanted, 1e-6);
    let low = Literal::new(&[3], &[-1.0, 0.0, 1.0]).expect("fits");
    let high = Literal::new(&[2, 1], &[2.0, 3.0]).expect("fits");
    let shape = Shape::new(&[2, 3], DType::F64);
    let out = run(&[&key(), &low, &high], |_, t| {
        vec![t[0].apply(Op::RngUniform { shape: shape.clone() }, &[&t[1], &t[2]])]
    });
    let wanted = [
        1.7791754260853818,
        0.9711036483520119,
        1.379621684005933,
        -0.289257174683315,
        2.6693319773564843,
        1.253936299539145,
    ];
    near(&out[0], &wanted, 1e-14);
    // Without an upper limit it is 1; an empty interval gives its lower limit.
    let one = Literal::scalar(1.0f64);
    let out =
        run(&[&key(), &one], |_, t| vec![t[0].apply(Op::RngUniform { shape: shape.clone() }, &[&t[1]])]);
    near(&out[0], &[1.0; 6], 0.0);
}

#[test]
fn normal_numbers_are_those_of_jax() {
    let cases: [(&[usize], DType, &[f64], f64); 5] = [
        (
            &[2, 4],
            DType::F32,
            &[
                -0.5157029032707214,
                -1.0590550899505615,
                0.7931230068206787,
                0.11773985624313354,
                -1.2432080507278442,
                0.7289718985557556,
                -0.5768215656280518,
                -0.9881836175918579,
            ],
            3e-7,
        ),
        (
            &[4],
            DType::F64,
            &[1.4494341318134352, -0.03622412661832157, -0.30647453201597175, -0.9242207146831533],
            1e-14,
        ),
        (
            &[3],
            DType::C128,
            &[
                -0.2890545945930114,
                -0.3031527780667429,
                -0.28754429763840234,
                0.11548025735987867,
                -0.2475633367452111,
                -0.7199378439897094,
            ],
            1e-14,
        ),
        (
            &[3],
            DType::C64,
            &[
                -0.6003121137619019,
                -0.05689675733447075,
                -0.17603671550750732,
                -0.23002929985523224,
                0.3127223253250122,
                -0.3108820617198944,
            ],
            3e-7,
        ),
        (&[4], DType::F16, &[-0.1517333984375, 0.79736328125, 1.43359375, -0.75244140625], 1e-3),
    ];
    for (dims, dtype, wanted, tolerance) in cases {
        let out = run(&[&key()], |_, t| vec![t[0].rng_normal(Shape::new(dims, dtype))]);
        assert_eq!(out[0].shape(), &Shape::new(dims, dtype));
        near(&out[0], wanted, tolerance);
    }
}

#[test]
fn normal_numbers_have_mean_zero_and_variance_one() {
    let out = run(&[&key()], |_, t| vec![t[0].rng_normal(Shape::new(&[20_000], DType::F32))]);
    let x = out[0].as_slice::<f32>().expect("f32");
    let mean = x.iter().map(|&v| f64::from(v)).sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>() / x.len() as f64;
    assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
}

#[test]
fn categorical_draws_are_those_of_jax() {
    let inf = f32::INFINITY;
    let rows = [0.0f32, 1.0, 2.0, -1.0, 3.0, -2.0, 0.5, 0.0, -inf, 0.0, -inf, 0.0];
    let logits = Literal::new(&[3, 4], &rows).expect("fits");
    for (axis, wanted) in [(1, vec![2, 0, 3]), (0, vec![1, 2, 0, 2])] {
        let out = run(&[&key(), &logits], |_, t| vec![t[1].categorical(&t[0], axis)]);
        assert_eq!(out[0].as_slice::<i32>().expect("i32"), wanted);
    }
    let logits = Literal::new(&[3, 4], &rows.map(f64::from)).expect("fits");
    let out = run(&[&key(), &logits], |_, t| vec![t[1].categorical(&t[0], 1)]);
    assert_eq!(out[0].as_slice::<i32>().expect("i32"), [0, 0, 1]);
    let logits = Literal::new(&[4], &rows[..4]).expect("fits");
    let out = run(&[&key(), &logits], |_, t| {
        vec![t[1].broadcast_to(&[Dim::Static(4000), Dim::Static(4)]).categorical(&t[0], 1)]
    });
    let drawn = out[0].as_slice::<i32>().expect("i32");
    assert_eq!(drawn[..20], [2, 1, 2, 2, 1, 0, 2, 2, 2, 2, 2, 0, 2, 0, 3, 1, 2, 2, 2, 1]);
    let counts = [0, 1, 2, 3].map(|i| drawn.iter().filter(|&&d| d == i).count());
    assert_eq!(counts, [378, 915, 2591, 116]);
}

#[test]
fn not_a_number_among_the_logits_terminates() {
    let logits = Literal::new(&[3], &[0.0f32, f32::NAN, 1.0]).expect("fits");
    let out = run(&[&key(), &logits], |_, t| vec![t[1].categorical(&t[0], 0)]);
    assert_eq!(out[0].as_slice::<i32>().expect("i32"), [1]);
}

#[test]
fn shapes_may_be_symbolic() {
    let b = Builder::new("symbolic");
    let key_input = b.input("key", Shape::new(&[2], DType::U32));
    let logits = b.input("logits", Shape::from_dims(&["rows".into(), 4.into()], DType::F32));
    let noise = key_input.rng_uniform(Shape::from_dims(&["rows".into(), 3.into()], DType::F32));
    let drawn = logits.categorical(&key_input, 1);
    let graph = b.finish(&[&noise, &drawn]).expect("valid");
    let values = Literal::new(&[2, 4], &[0.0f32; 8]).expect("fits");
    let out = eval(&graph, &[("key", &key()), ("logits", &values)]).expect("runs");
    let wanted = [0x3e9b26e0, 0x3e144320, 0x3f4940ec, 0x3f0bff38, 0x3ddaec10, 0x3f44597e];
    assert_eq!(bits(&out[0]), wanted);
    assert_eq!(out[1].dims(), [2]);
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let (key, f32_shape) = (Shape::new(&[2], DType::U32), Shape::new(&[4], DType::F32));
    let uniform = |dtype| Op::RngUniform { shape: Shape::new(&[4], dtype) };
    let cases = [
        (uniform(DType::F32), vec![Shape::new(&[2], DType::U64)], "a key must be u32[2], got u64[2]"),
        (uniform(DType::F32), vec![Shape::new(&[4], DType::U32)], "a key must be u32[2], got u32[4]"),
        (uniform(DType::I32), vec![key.clone()], "the result has element type i32"),
        (
            uniform(DType::F32),
            vec![key.clone(), Shape::scalar(DType::F64)],
            "low is f64, the result f32; convert low",
        ),
        (uniform(DType::F32), vec![key.clone(), Shape::new(&[3], DType::F32)], "in `broadcast_in_dim`"),
        (Op::RngNormal { shape: Shape::new(&[4], DType::Bool) }, vec![key.clone()], "element type bool"),
        (Op::Categorical { axis: 1 }, vec![key.clone(), f32_shape], "axis 1 is out of range for rank 1"),
        (Op::Categorical { axis: 0 }, vec![key, Shape::new(&[4], DType::I32)], "logits has element type i32"),
    ];
    for (op, operands, wanted) in cases {
        let message = op.infer(&operands).expect_err("invalid").to_string();
        assert!(message.contains(wanted), "{message}\n  lacks: {wanted}");
    }
}
