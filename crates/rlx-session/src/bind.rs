//! Sizes of symbolic dimensions from what a caller gives: explicit bindings, shapes, or only lengths.

use crate::error::RuntimeError;
use crate::signature::Named;
use rlx_ir::{Bindings, Dim, Shape, Symbol};

/// Adds to `bindings` what the shape of an input says.
pub(crate) fn bind_shape(bindings: &mut Bindings, input: &Named, got: &Shape) -> Result<(), RuntimeError> {
    if !input.shape.compatible(got) {
        return Err(mismatch(input, got));
    }
    for (dim, size) in input.shape.dims().iter().zip(got.dims()) {
        if let (Dim::Dynamic(symbol), Some(size)) = (dim, size.as_static()) {
            let bound = *bindings.entry(symbol.clone()).or_insert(size);
            if bound != size {
                return Err(mismatch(input, got));
            }
        }
    }
    Ok(())
}

/// Fails unless the bound shape of an input is `got`.
pub(crate) fn check_bound(bindings: &Bindings, input: &Named, got: &Shape) -> Result<(), RuntimeError> {
    if input.shape.eval(bindings)? == *got { Ok(()) } else { Err(mismatch(input, got)) }
}

fn mismatch(input: &Named, got: &Shape) -> RuntimeError {
    RuntimeError::WrongShape { name: input.name.clone(), declared: input.shape.clone(), got: got.clone() }
}

/// Solves for the symbols of `inputs` from element counts: an input with one unknown symbol that stands alone in one
/// dimension determines it; what it determines may let others be solved.
pub(crate) fn bind_lengths(
    bindings: &mut Bindings,
    inputs: &[(&Named, usize)],
    wanted: &[Symbol],
) -> Result<(), RuntimeError> {
    loop {
        let before = bindings.len();
        for (input, elements) in inputs {
            solve(bindings, &input.shape, *elements);
        }
        if bindings.len() == before {
            break;
        }
    }
    let unknown: Vec<&str> = wanted.iter().filter(|s| !bindings.contains_key(s)).map(Symbol::name).collect();
    if unknown.is_empty() { Ok(()) } else { Err(RuntimeError::AmbiguousDims(unknown.join(", "))) }
}

fn solve(bindings: &mut Bindings, shape: &Shape, elements: usize) {
    let mut unknown = None;
    let mut known = 1usize;
    for dim in shape.dims() {
        match (dim.eval(bindings), dim) {
            (Ok(size), _) => known = known.saturating_mul(size),
            (Err(_), Dim::Dynamic(symbol)) if unknown.is_none() => unknown = Some(symbol),
            _ => return,
        }
    }
    if let (Some(symbol), true) = (unknown, known > 0 && elements.is_multiple_of(known.max(1))) {
        bindings.insert(symbol.clone(), elements / known);
    }
}
