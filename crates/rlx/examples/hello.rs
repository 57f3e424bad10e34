//! A first program: computes what three kinds of fruit cost in two shops, on the CPU.
//!
//! `cargo run -p rlx --example hello` prints `[6.5, 7.25]`.

use rlx::prelude::*;

#[allow(clippy::print_stdout)]
fn main() {
    let mut g = Graph::new("shopping");
    let amounts = g.input("amounts", Shape::new(&[1, 3], DType::F32));
    let prices = g.param("prices", Shape::new(&[3, 2], DType::F32));
    let totals = g.matmul(amounts, prices, Shape::new(&[1, 2], DType::F32));
    g.set_outputs(vec![totals]);

    let mut compiled = Session::new(Device::Cpu).compile(g);
    compiled.set_param("prices", &[1.5, 1.25, 0.5, 1.0, 3.0, 3.75]);
    let out = compiled.run(&[("amounts", &[2.0, 1.0, 1.0])]);
    println!("{:?}", out[0]);
}
