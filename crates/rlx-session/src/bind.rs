//! Finds the sizes of symbolic dimensions from explicit bindings, shapes or element counts.

use crate::error::RuntimeError;
use crate::signature::Named;
use rlx_ir::{Bindings, Dim, Shape, Symbol};
use std::collections::{HashMap, VecDeque};

/// Adds the sizes that the shape of an input determines to `bindings`.
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

/// Fails unless the shape of an input, with its symbols bound, is `got`.
pub(crate) fn check_bound(bindings: &Bindings, input: &Named, got: &Shape) -> Result<(), RuntimeError> {
    if input.shape.eval(bindings)? == *got { Ok(()) } else { Err(mismatch(input, got)) }
}

fn mismatch(input: &Named, got: &Shape) -> RuntimeError {
    RuntimeError::WrongShape { name: input.name.clone(), declared: input.shape.clone(), got: got.clone() }
}

/// Solves for the symbols of `inputs` from element counts. An input determines a symbol if it is the input's only unknown one and is the
/// size of a dimension on its own. A symbol that is found may allow others to be solved.
pub(crate) fn bind_lengths(
    bindings: &mut Bindings,
    inputs: &[(&Named, usize)],
    wanted: &[Symbol],
) -> Result<(), RuntimeError> {
    // For each symbol, the inputs that may become solvable once it is known.
    let mut mentions: HashMap<Symbol, Vec<usize>> = HashMap::new();
    for (at, (input, _)) in inputs.iter().enumerate() {
        for symbol in input.shape.symbols() {
            mentions.entry(symbol).or_default().push(at);
        }
    }
    let mut waiting: VecDeque<usize> = (0..inputs.len()).collect();
    while let Some(at) = waiting.pop_front() {
        let (input, elements) = &inputs[at];
        if let Some(symbol) = solve(bindings, &input.shape, *elements) {
            waiting.extend(mentions.get(&symbol).into_iter().flatten());
        }
    }
    let unknown: Vec<&str> = wanted.iter().filter(|s| !bindings.contains_key(s)).map(Symbol::name).collect();
    if unknown.is_empty() { Ok(()) } else { Err(RuntimeError::AmbiguousDims(unknown.join(", "))) }
}

/// Returns the symbol that the input determines, if any, after binding it.
fn solve(bindings: &mut Bindings, shape: &Shape, elements: usize) -> Option<Symbol> {
    let mut unknown = None;
    let mut known = 1usize;
    for dim in shape.dims() {
        match (dim.eval(bindings), dim) {
            (Ok(size), _) => known = known.saturating_mul(size),
            (Err(_), Dim::Dynamic(symbol)) if unknown.is_none() => unknown = Some(symbol),
            _ => return None,
        }
    }
    let symbol = unknown.filter(|_| known > 0 && elements.is_multiple_of(known.max(1)))?;
    bindings.insert(symbol.clone(), elements / known);
    Some(symbol.clone())
}
