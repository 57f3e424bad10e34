//! Writes gather and scatter.

use super::writer::{EmittedValue, Writer, array, list, names, signature};
use rlx_ir::op::ScatterDims;
use rlx_ir::{Combiner, Op, Shape};

/// Writes the op's line.
pub(super) fn write(
    w: &mut Writer<'_, '_>,
    op: &Op,
    xs: &[EmittedValue],
    results: &[Shape],
) -> Option<Vec<EmittedValue>> {
    let text = match op {
        Op::Gather { dims, slice_sizes } => {
            let sizes: Option<Vec<usize>> = slice_sizes.iter().map(|d| d.as_static()).collect();
            let numbers = numbers(
                "gather",
                &[
                    ("offset_dims", &dims.offset_dims),
                    ("collapsed_slice_dims", &dims.collapsed_slice_dims),
                    ("operand_batching_dims", &dims.operand_batching_dims),
                    ("start_indices_batching_dims", &dims.start_indices_batching_dims),
                    ("start_index_map", &dims.start_index_map),
                ],
                dims.index_vector_dim,
            );
            let (operation, operands, sizes) = match sizes {
                Some(sizes) => ("gather", xs.to_vec(), format!(", slice_sizes = {}", array(&sizes))),
                None => {
                    let sizes = w.shape_vector(slice_sizes);
                    ("dynamic_gather", [xs, &[sizes]].concat(), String::new())
                }
            };
            format!(
                "\"stablehlo.{operation}\"({}) <{{dimension_numbers = {numbers}, indices_are_sorted = false{sizes}}}> : {}",
                names(&operands),
                signature(&operands, results)
            )
        }
        Op::Scatter { dims, combiner } => {
            let element = Shape::scalar(xs.first()?.shape.dtype());
            let region = combination(w, *combiner, &element);
            scatter(xs, dims, &region, results)
        }
        Op::ScatterGraph { dims, body } => {
            let region = w.region(body);
            scatter(xs, dims, &region, results)
        }
        _ => return None,
    };
    Some(w.line(results, &text))
}

/// Writes the line of a scatter with the given region.
fn scatter(xs: &[EmittedValue], dims: &ScatterDims, region: &str, results: &[Shape]) -> String {
    let numbers = numbers(
        "scatter",
        &[
            ("update_window_dims", &dims.update_window_dims),
            ("inserted_window_dims", &dims.inserted_window_dims),
            ("input_batching_dims", &dims.input_batching_dims),
            ("scatter_indices_batching_dims", &dims.scatter_indices_batching_dims),
            ("scatter_dims_to_operand_dims", &dims.scatter_dims_to_operand_dims),
        ],
        dims.index_vector_dim,
    );
    format!(
        "\"stablehlo.scatter\"({}) <{{indices_are_sorted = false, scatter_dimension_numbers = {numbers}, \
         unique_indices = false}}> ({region}) : {}",
        names(xs),
        signature(xs, results)
    )
}

/// Writes `#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>`. Empty lists are left out.
fn numbers(name: &str, lists: &[(&str, &Vec<usize>)], index_vector_dim: usize) -> String {
    let mut fields: Vec<String> = lists
        .iter()
        .filter(|(_, axes)| !axes.is_empty())
        .map(|(field, axes)| format!("{field} = {}", list(axes)))
        .collect();
    fields.push(format!("index_vector_dim = {index_vector_dim}"));
    format!("#stablehlo.{name}<{}>", fields.join(", "))
}

/// Writes the region that combines an old element with an update.
fn combination(w: &mut Writer<'_, '_>, combiner: Combiner, element: &Shape) -> String {
    match combiner.binary() {
        Some(op) => w.binary_region(op, element),
        None => w.region_of(&[element.clone(), element.clone()], |_, arguments| vec![arguments[1].clone()]),
    }
}
