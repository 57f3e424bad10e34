//! Prints the conformance matrix of the evaluator: `cargo run -p rlx-conformance --example matrix -- [FAMILY…] [--op OP…]`.

use rlx_conformance::{Args, Evaluator, run};
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut args = Args::default();
    let mut list = &mut args.families;
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "--op" => list = &mut args.ops,
            _ => list.push(arg),
        }
    }
    let report = run(&args, &[&Evaluator]);
    write!(std::io::stdout(), "{report}")
}
