//! Runs kernels from text on numbers, for tests.

use crate::interp::{FaultKind, Interpreter};
use crate::kernel::Kernel;
use crate::lower::{Argument, Launches};
use rlx_ir::{Bindings, DType, Literal, Shape, Symbol};

/// Parses a kernel that the verifier accepts.
pub(crate) fn parsed(text: &str) -> Kernel {
    let kernel = Kernel::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    crate::verify(&kernel).unwrap_or_else(|e| panic!("{e}\n{text}"));
    kernel
}

/// Returns launches, each described by its arguments and the text of its kernel.
pub(crate) fn launches(kernels: &[(&str, &str)], temporaries: &str) -> Launches {
    let launches: Vec<String> =
        kernels.iter().map(|(arguments, kernel)| format!("launch ({arguments}) {kernel}")).collect();
    let text = format!("launches {{\n{temporaries}\n{}\n}}", launches.join("\n"));
    Launches::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Returns integers that fit a byte.
fn numbers(shape: &Shape, seed: i64) -> Literal {
    let dims = shape.static_dims().expect("sizes are bound");
    let count = dims.iter().product::<usize>() as i64;
    let numbers = (0..count).map(|i| (i * i * 31 + 7 * i + 3 * seed) % 101 - 50);
    let literal = match shape.dtype() {
        DType::F32 => Literal::new(&dims, &numbers.map(|i| i as f32).collect::<Vec<_>>()),
        DType::I8 => Literal::new(&dims, &numbers.map(|i| i as i8).collect::<Vec<_>>()),
        _ => Literal::new(&dims, &numbers.map(|i| i as i32).collect::<Vec<_>>()),
    };
    literal.unwrap_or_else(|e| panic!("{e}"))
}

/// Runs launches at these sizes. The inputs and outputs follow from their arguments.
pub(crate) fn run(
    launches: &Launches,
    sizes: &[(&str, usize)],
    interpreter: &Interpreter,
) -> Result<Vec<Literal>, FaultKind> {
    let sizes: Bindings = sizes.iter().map(|&(name, size)| (Symbol::new(name), size)).collect();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for launch in &launches.launches {
        for (param, argument) in launch.kernel.params().zip(&launch.arguments) {
            let shape =
                Shape::from_dims(&param.extents, param.dtype).eval(&sizes).unwrap_or_else(|e| panic!("{e}"));
            match argument {
                Argument::Input(number) if *number == inputs.len() => {
                    inputs.push(numbers(&shape, inputs.len() as i64));
                }
                Argument::Output(number) if *number == outputs.len() => outputs.push(shape),
                _ => {}
            }
        }
    }
    let inputs: Vec<&Literal> = inputs.iter().collect();
    let results = interpreter.run(launches, &sizes, &inputs, &outputs);
    results.map(|results| results.outputs).map_err(|fault| fault.kind)
}
