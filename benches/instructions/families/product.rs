//! Matrix products: the layers of MiniLM, a single row, 16-bit weights, and an operand that is packed during the product.

use rlx_cpu::gemm::{Activation, Epilogue, Gemm, GemmShape, Narrow, PackedB, Rhs, RhsForm, Steps};
use rlx_cpu::isa::{Cpu, Isa};
use rlx_cpu::pool::Pool;
use rlx_instructions::counted;

/// A planned product and its operands.
struct Product {
    gemm: Gemm<f32>,
    pool: Pool,
    a: Vec<f32>,
    b: Vec<f32>,
    packed: Option<PackedB<f32>>,
    bias: Vec<f32>,
    activation: Activation,
    c: Vec<f32>,
    scratch: Vec<u8>,
}

impl Product {
    fn run(&mut self) {
        let rhs = match &self.packed {
            Some(packed) => Rhs::Packed(packed),
            None => Rhs::Strided(&self.b),
        };
        let epilogue = Epilogue::none().column_bias(&self.bias).activation(self.activation);
        let (c, scratch) = (&mut self.c, &mut self.scratch);
        self.gemm.run(&self.pool, &self.a, rhs, c, &epilogue, scratch).expect("the operands fit");
    }
}

/// How B is stored.
enum Form {
    Packed,
    Narrow(Narrow),
    RowMajor,
}

/// An m×k by k×n product with a bias, run once.
fn product(isa: Isa, [m, k, n]: [usize; 3], form: Form, activation: Activation) -> Product {
    let cpu = Cpu::with_isa(isa).expect("the machine has the instructions");
    let numbers = |len: usize| (0..len).map(|i| (i % 13) as f32 * 0.125 - 0.75).collect::<Vec<f32>>();
    let (a, b, steps) = (numbers(m * k), numbers(k * n), Steps::row_major(n));
    let narrow = |kind: Narrow| -> Vec<u16> {
        // Ones and zeros are exact in 16 bits.
        let one = if matches!(kind, Narrow::Bf16) { 0x3f80 } else { 0x3c00 };
        (0..k * n).map(|i| if i % 3 == 0 { one } else { 0 }).collect()
    };
    let pool = Pool::new(1).expect("a pool of the caller alone");
    let packed = match form {
        Form::Packed => Some(PackedB::pack(&pool, cpu, k, n, steps, &b)),
        Form::Narrow(kind) => Some(PackedB::pack_narrow(&pool, cpu, k, n, steps, kind, &narrow(kind))),
        Form::RowMajor => None,
    };
    let packed = packed.transpose().expect("B is as long as its shape");
    let b_form = if packed.is_some() { RhsForm::Packed } else { RhsForm::Strided(steps) };
    let shape = GemmShape { b: b_form, ..GemmShape::row_major(m, n, k) };
    let gemm = Gemm::new(cpu, shape, 1).expect("a valid shape");
    let scratch = vec![0; gemm.scratch_bytes()];
    let (bias, c) = (numbers(n), vec![0.0; m * n]);
    let mut product = Product { gemm, pool, a, b, packed, bias, activation, c, scratch };
    product.run();
    product
}

const LAYER: [usize; 3] = [128, 384, 1536];
const ROW: [usize; 3] = [1, 384, 1536];

fn layer(isa: Isa) -> Product {
    product(isa, LAYER, Form::Packed, Activation::Identity)
}

fn layer_gelu(isa: Isa) -> Product {
    product(isa, LAYER, Form::Packed, Activation::Gelu)
}

fn layer_f16(isa: Isa) -> Product {
    product(isa, LAYER, Form::Narrow(Narrow::F16), Activation::Identity)
}

fn layer_bf16(isa: Isa) -> Product {
    product(isa, LAYER, Form::Narrow(Narrow::Bf16), Activation::Identity)
}

fn row(isa: Isa) -> Product {
    product(isa, ROW, Form::Packed, Activation::Identity)
}

fn row_bf16(isa: Isa) -> Product {
    product(isa, ROW, Form::Narrow(Narrow::Bf16), Activation::Identity)
}

fn unpacked(isa: Isa) -> Product {
    product(isa, [128, 384, 384], Form::RowMajor, Activation::Identity)
}

counted!(Product: layer, layer_gelu, layer_f16, layer_bf16, row, row_bf16, unpacked);
