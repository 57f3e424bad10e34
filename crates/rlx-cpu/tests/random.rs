//! Compares SplitMix64 bits with the evaluator.

mod harness;

use harness::{EACH, SplitMix64, Tolerance, check, check_node, is_quick, literal, ordinary};
use rlx_ir::eval::Scalar;
use rlx_ir::{Builder, DType, Literal, Op, RngAlgorithm, Shape};

/// Returns words of all values, including the largest, at which counters wrap.
fn words(dims: &[usize], dtype: DType, random: &mut SplitMix64) -> Literal {
    let top = dtype.int_range().unwrap().1;
    literal(dims, dtype, |_| {
        Scalar::Int(if random.below(3) == 0 { top } else { i128::from(random.bits()) & top })
    })
}

#[test]
fn generators_draw_any_shape() {
    const SHAPES: [&[usize]; 14] = [
        &[],
        &[0],
        &[1],
        &[5],
        &[64],
        &[1000],
        &[3, 5],
        &[4, 3],
        &[3, 4],
        &[7, 9, 5],
        &[2, 0, 3],
        &[5, 3, 2, 3],
        &[40_001],
        &[301, 77],
    ];
    let mut random = SplitMix64::new(1);
    for shape in SHAPES.into_iter().filter(|dims| is_quick(dims)) {
        for dtype in [DType::U8, DType::U16, DType::U32, DType::U64].into_iter().step_by(EACH) {
            for (algorithm, length) in
                [(RngAlgorithm::Threefry, 2), (RngAlgorithm::Philox, 2), (RngAlgorithm::Philox, 3)]
            {
                let state = words(&[length], DType::U64, &mut random);
                check_node(Op::RngBits { algorithm, shape: Shape::new(shape, dtype) }, &[state]);
            }
        }
    }
}

#[test]
fn the_block_function_enciphers_each_element() {
    let mut random = SplitMix64::new(2);
    let all = [&[][..], &[0], &[1], &[15], &[16], &[17], &[33, 31], &[50_000]];
    for dims in all.into_iter().filter(|dims| is_quick(dims)) {
        let operands: Vec<Literal> = (0..4).map(|_| words(dims, DType::U32, &mut random)).collect();
        check_node(Op::Threefry2x32 {}, &operands);
    }
}

#[test]
fn the_block_function_may_write_over_an_operand() {
    let b = Builder::new("in_place");
    let key = words(&[40], DType::U32, &mut SplitMix64::new(3));
    let x = b.input("x", Shape::new(&[40], DType::U32));
    let (y, z) = (&x + &x, &x * &x);
    let once = b.apply_many(Op::Threefry2x32 {}, &[&x, &y, &z, &y]);
    let twice = b.apply_many(Op::Threefry2x32 {}, &[&once[0], &once[1], &once[0], &z]);
    let graph = b.finish(&[&twice[0], &twice[1]]).unwrap();
    check(&graph, &[("x", &key)], Tolerance::Exact);
}

#[test]
#[cfg_attr(miri, ignore = "thousands of operations per element")]
fn distributions_from_a_key() {
    let mut random = SplitMix64::new(4);
    let key = words(&[2], DType::U32, &mut random);
    check_node(Op::RngUniform { shape: Shape::new(&[33, 5], DType::F32) }, std::slice::from_ref(&key));
    let logits = ordinary(&[6, 11], DType::F32, &mut random);
    check_node(Op::Categorical { axis: 1 }, &[key, logits]);
}
