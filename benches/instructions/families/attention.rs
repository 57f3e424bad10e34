//! Attention at MiniLM's size, 12 heads of 128 tokens and 32 numbers: alone, with a padding mask, and its derivative.

use rlx_instructions::{Isa, Program, counted, on_numbers};
use rlx_ir::op::kinds::MaskKind;
use rlx_ir::{AttentionOptions, Builder, DType, Op, Shape};

const TOKENS: usize = 128;
const HEADS: usize = 12;
const WIDTH: usize = HEADS * 32;

fn forward(isa: Isa) -> Program {
    let op = attention(MaskKind::None);
    program(isa, op, &[])
}

fn padded(isa: Isa) -> Program {
    let op = attention(MaskKind::Custom);
    program(isa, op, &[&[1, TOKENS]])
}

fn backward(isa: Isa) -> Program {
    let op = Op::AttentionBackward { options: options(MaskKind::None).unpacked() };
    program(isa, op, &[&[1, TOKENS, WIDTH]])
}

fn options(mask: MaskKind) -> AttentionOptions {
    AttentionOptions { num_heads: Some(HEADS), mask, ..AttentionOptions::default() }
}

fn attention(mask: MaskKind) -> Op {
    options(mask).op()
}

/// `op` on q, k, v and further operands of the given sizes.
fn program(isa: Isa, op: Op, more: &[&[usize]]) -> Program {
    let builder = Builder::new("attention");
    let mut sizes: Vec<&[usize]> = vec![&[1, TOKENS, WIDTH]; 3];
    sizes.extend(more);
    let inputs: Vec<_> =
        (0..sizes.len()).map(|i| builder.input(format!("x{i}"), Shape::new(sizes[i], DType::F32))).collect();
    let outputs = builder.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    let graph = builder.finish(&outputs.iter().collect::<Vec<_>>()).expect("operands of one size");
    on_numbers(isa, &graph)
}

counted!(Program: forward, padded, backward);
