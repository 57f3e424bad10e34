//! Compares vectorized graphs with a loop. Each operand is mapped alone, and all are mapped together, over batches of
//! one and of three, along the first and the last axis.

use super::point::evaluate;
use crate::case::{Case, Inputs, borrowed};
use crate::matrix::compare;
use crate::report::Outcome;
use rlx_autodiff::VmapAxes;
use rlx_ir::{Graph, Literal, Shape};

/// The sizes of the mapped axis.
const SIZES: [usize; 2] = [1, 3];

/// Checks a case over batches.
pub(super) fn check(case: &Case) -> Outcome {
    let count = case.operands().len();
    if count == 0 {
        return super::subject::not_applicable("it has no operands to map over");
    }
    let mut patterns: Vec<Vec<bool>> = (0..count).map(|i| (0..count).map(|j| i == j).collect()).collect();
    if count > 1 {
        patterns.push(vec![true; count]);
    }
    let graph = case.graph();
    for (n, pattern) in patterns.iter().enumerate() {
        for size in SIZES {
            // Both the first and the last axis occur in every case with an operand that is not a scalar.
            let last = (n + size / 2) % 2 == 1;
            if let Err(message) = mapped(case, &graph, pattern, size, last) {
                let axis = if last { "last" } else { "first" };
                return Outcome::Failed(format!(
                    "mapped {pattern:?}, {size} along the {axis} axis: {message}"
                ));
            }
        }
    }
    nested(case, &graph).map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// Returns the inputs of the `n`-th slice. Operands that are not mapped are those of the first slice.
fn slice(draws: &[Inputs], pattern: &[bool], n: usize) -> Inputs {
    let of = |(i, mapped): (usize, &bool)| draws[if *mapped { n } else { 0 }][i].clone();
    pattern.iter().enumerate().map(of).collect()
}

fn axes(shapes: &[Shape], pattern: &[bool], last: bool) -> Vec<Option<i64>> {
    let axis = |(shape, mapped): (&Shape, &bool)| mapped.then(|| if last { shape.rank() as i64 } else { 0 });
    shapes.iter().zip(pattern).map(axis).collect()
}

fn mapped(case: &Case, graph: &Graph, pattern: &[bool], size: usize, last: bool) -> Result<(), String> {
    let draws: Vec<Inputs> = (0..size as u64).map(|seed| case.inputs_of(seed)).collect();
    let in_axes = axes(&case.operands(), pattern, last);
    let values: Vec<Literal> = in_axes
        .iter()
        .enumerate()
        .map(|(i, axis)| match axis {
            Some(axis) => stack(&draws.iter().map(|d| &d[i].1).collect::<Vec<_>>(), *axis as usize),
            None => draws[0][i].1.clone(),
        })
        .collect();
    let out_axes: Vec<i64> =
        graph.output_shapes().iter().map(|s| if last { s.rank() as i64 } else { 0 }).collect();
    let over = VmapAxes::new().in_axes(in_axes).out_axes(out_axes.clone()).size(size);
    let vectorized = rlx_autodiff::vmap(graph, &over).map_err(|e| e.to_string())?;
    let got = evaluate(&vectorized, &values)?;
    for n in 0..size {
        let inputs = slice(&draws, pattern, n);
        let outputs: Vec<Literal> =
            got.iter().zip(&out_axes).map(|(y, axis)| unstack(y, *axis as usize, n)).collect();
        let verdict = compare(case, graph, &borrowed(&inputs), &outputs, &[]);
        verdict.and_then(|v| case.judged.enough(v)).map_err(|m| format!("slice {n}: {m}"))?;
    }
    Ok(())
}

/// Maps two nested axes: the first operand over the outer one, all operands over the inner one.
fn nested(case: &Case, graph: &Graph) -> Result<(), String> {
    let (outer, inner) = (2, 3);
    let count = case.operands().len();
    let draws: Vec<Inputs> = (0..(outer * inner) as u64).map(|seed| case.inputs_of(seed)).collect();
    let at = |i: usize, o: usize, n: usize| &draws[if i == 0 { o * inner + n } else { n }][i].1;
    let inner_over = VmapAxes::new().size(inner);
    let outer_axes: Vec<Option<i64>> = (0..count).map(|i| (i == 0).then_some(0)).collect();
    let outer_over = VmapAxes::new().in_axes(outer_axes).size(outer);
    let once = rlx_autodiff::vmap(graph, &inner_over).map_err(|e| e.to_string())?;
    let twice = rlx_autodiff::vmap(&once, &outer_over).map_err(|e| format!("mapped twice: {e}"))?;
    let row = |i: usize, o: usize| stack(&(0..inner).map(|n| at(i, o, n)).collect::<Vec<_>>(), 0);
    let value = |i: usize| match i {
        0 => stack(&(0..outer).map(|o| row(0, o)).collect::<Vec<_>>().iter().collect::<Vec<_>>(), 0),
        _ => row(i, 0),
    };
    let got = evaluate(&twice, &(0..count).map(value).collect::<Vec<_>>())?;
    for o in 0..outer {
        for n in 0..inner {
            let name = |i: usize| (format!("x{i}"), at(i, o, n).clone());
            let inputs: Inputs = (0..count).map(name).collect();
            let outputs: Vec<Literal> = got.iter().map(|y| unstack(&unstack(y, 0, o), 0, n)).collect();
            compare(case, graph, &borrowed(&inputs), &outputs, &[])
                .and_then(|v| case.judged.enough(v))
                .map_err(|m| format!("mapped twice, slice {o}, {n}: {m}"))?;
        }
    }
    Ok(())
}

/// Stacks tensors of one shape along a new axis.
fn stack(parts: &[&Literal], axis: usize) -> Literal {
    let shape = parts[0].shape();
    let dims = shape.static_dims().unwrap_or_default();
    let row = dims[axis..].iter().product::<usize>() * shape.dtype().size();
    let rows: usize = dims[..axis].iter().product();
    let mut bytes = Vec::new();
    for i in 0..rows {
        parts.iter().for_each(|p| bytes.extend_from_slice(&p.bytes()[i * row..(i + 1) * row]));
    }
    let mut dims = dims;
    dims.insert(axis, parts.len());
    // INVARIANT: the number of bytes is that of all parts together.
    Literal::from_bytes(&Shape::new(&dims, shape.dtype()), &bytes).expect("the elements of all parts")
}

/// Returns one of the tensors that are stacked along an axis.
fn unstack(whole: &Literal, axis: usize, n: usize) -> Literal {
    let mut dims = whole.shape().static_dims().unwrap_or_default();
    let size = dims.remove(axis);
    let dtype = whole.dtype();
    let row = dims[axis..].iter().product::<usize>() * dtype.size();
    let rows: usize = dims[..axis].iter().product();
    let start = |i: usize| (i * size + n) * row;
    let bytes: Vec<u8> = (0..rows).flat_map(|i| whole.bytes()[start(i)..start(i) + row].to_vec()).collect();
    // INVARIANT: the bytes are those of one slice.
    Literal::from_bytes(&Shape::new(&dims, dtype), &bytes).expect("the elements of a slice")
}
