//! Elementwise programs: an activation, the update of a parameter with its moments, and 16-bit arithmetic.

use rlx_instructions::{Isa, Program, counted, on_numbers};
use rlx_ir::{Builder, DType, Shape, Tensor, UnaryOp};

fn gelu(isa: Isa) -> Program {
    program(isa, DType::F32, &["x"], |x| vec![x[0].gelu()])
}

/// The AdamW update without bias correction: three results in one pass.
fn adamw(isa: Isa) -> Program {
    program(isa, DType::F32, &["parameter", "gradient", "mean", "square"], |x| {
        let [parameter, gradient, mean, square] = x else { unreachable!("four names were given") };
        let mean = mean * 0.9 + &(gradient * 0.1);
        let square = square * 0.999 + &(&(gradient * gradient) * 0.001);
        let step = &mean / &(square.unary(UnaryOp::Sqrt) + 1e-8);
        let parameter = parameter * 0.99999 - &(step * 0.001);
        vec![parameter, mean, square]
    })
}

fn bf16(isa: Isa) -> Program {
    program(isa, DType::BF16, &["x", "y", "z"], |x| vec![&x[0] * &x[1] + &x[2]])
}

/// The program that `build` makes of operands with these names, at the size of MiniLM's widest activations.
fn program(isa: Isa, dtype: DType, names: &[&str], build: fn(&[Tensor]) -> Vec<Tensor>) -> Program {
    let builder = Builder::new("elementwise");
    let shape = Shape::new(&[128, 1536], dtype);
    let inputs: Vec<Tensor> = names.iter().map(|name| builder.input(*name, shape.clone())).collect();
    let outputs = build(&inputs);
    on_numbers(isa, &builder.finish(&outputs.iter().collect::<Vec<_>>()).expect("operands of one size"))
}

counted!(Program: gelu, adamw, bf16);
