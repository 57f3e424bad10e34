//! The text form of kernels (`.kir`), which is lossless: [`Display`](std::fmt::Display) writes it, [`Kernel::parse`]
//! reads it. Any kernel can be written and read, valid or not; the verifier tells which it is.
//!
//! ```text
//! kernel row_sums(x0: in f32[m,n], y0: out f32[m]) {
//!   par _0<m {
//!     %0: f32 = constant 0.0
//!     %5: f32 = reduce _1<n {
//!       %1 = load x0[_0,_1]
//!       give %1
//!     } from %0 step (%2: f32, %3: f32) {
//!       %4 = add %2, %3
//!       give %4
//!     } merge (%6: f32, %7: f32) {
//!       %8 = add %6, %7
//!       give %8
//!     }
//!     store y0[_0] = %5
//!   }
//! }
//! ```
//!
//! | statement | text |
//! |---|---|
//! | constant, index | `%1: f32 = constant 0.5`, `%1: i64 = index 4*_0+_1` |
//! | load | `%1 = load x[_0] where _0-1>=0 else %0` |
//! | op of the op table | `%1 = add %0, %0`, `%1 = convert %0 {dtype = i8}` |
//! | other values | `%1 = fma %0, %0, %0`, `%1: u32 = bitcast %0`, `%1 = holds (_0-1>=0)` |
//! | symbol | `name _2<n = %1` |
//! | array | `array t0: f32[n]`, `array t0: f32[n] in group` |
//! | barrier | `barrier group` |
//! | store | `store y[_0] = %1 where n-_0-1>=0` |
//! | parallel loop | `par _0<m, _1<n @vector { … }` |
//! | ordered loop | `%4: f32 = for _2<n reverse with %2: f32 = %1 { … next %3 }` |
//! | bounded loop | `%4: f32 = while with %2: f32 = %1 at most n { … again %5 } do { … next %3 }` |
//! | branch | `%4: f32 = if %1 { … give %2 } else { … give %3 }` |
//! | reduction | `%4: f32 = reduce _2<n { … give %1 } from %0 step (…) { … give … } merge (…) { … give … }` |
//! | reduction with an initial value | the same with `from %0 once` |
//!
//! Statements on tiles are described in [`tile`](crate::tile). Facts about the sizes follow the parameters:
//! `facts n%8==0, n-64>=0`.
//!
//! Several launches are written in `launches { … }`: first the memory that they share (`temporary f32[m,n]`,
//! `constant {value = …}`), followed by one `launch (input 0, temporary 0, output 0) kernel … { … }` after another,
//! each with the arguments for its parameters.
//!
//! Scalars are written as numbers, without gaps. The type of a definition may be left out if its operands determine it.
//! Names that are not plain words are written in quotes. If arrays are not made in the order in which the kernel lists
//! them, a clause `local t0: f32[n]` before the body lists them, and `undefined %3: f32` lists scalars that no
//! statement defines. Comments run from `//` to the end of the line.

mod parse;
mod print;
#[cfg(test)]
mod tests;

use crate::kernel::{Definition, Kernel, Place};
use rlx_ir::{Access, DType, Shape};

/// The maximum nesting depth of statements.
pub const MAX_DEPTH: usize = 64;

/// Words that start the value of a definition. An op with such a name is written after `apply`.
const KEYWORDS: [&str; 11] =
    ["constant", "index", "load", "apply", "fma", "bitcast", "holds", "for", "while", "if", "reduce"];

/// The places of parameters, with their words.
const PARAMS: [(Place, &str); 3] = [(Place::In, "in"), (Place::Out, "out"), (Place::InOut, "inout")];

/// Returns the type of a value, if the types that are already known determine it.
fn evident(
    kernel: &Kernel,
    value: &Definition,
    known: &dyn Fn(crate::kernel::ScalarId) -> Option<DType>,
) -> Option<DType> {
    match value {
        Definition::Load { cell, .. } => Some(kernel.buffers[cell.buffer.index()].dtype),
        Definition::Holds(_) => Some(DType::Bool),
        Definition::Fma([a, ..]) => known(*a),
        Definition::Apply { op, args } if op.kind().access() == Access::Elementwise => {
            let operands =
                args.iter().map(|&arg| known(arg).map(Shape::scalar)).collect::<Option<Vec<Shape>>>()?;
            match &op.infer(&operands).ok()?[..] {
                [one] => Some(one.dtype()),
                _ => None,
            }
        }
        Definition::Constant(_)
        | Definition::Index(_)
        | Definition::Bitcast(_)
        | Definition::Apply { .. } => None,
    }
}
