//! Writes reductions, windows and sorts, with regions that say what happens to elements.

use super::constant::dense;
use super::elementwise::binary_name;
use super::writer::{EmittedValue, Writer, array, list, names, padding, signature, ty};
use rlx_ir::eval::{Scalar, scalar};
use rlx_ir::{DType, Literal, Op, ReduceOp, Shape, WindowSpec};

/// Writes the op's line, and before it the identity of the reduction.
pub(super) fn write(
    w: &mut Writer<'_, '_>,
    op: &Op,
    xs: &[EmittedValue],
    results: &[Shape],
) -> Option<Vec<EmittedValue>> {
    let text = match op {
        Op::Reduce { kind, axes } => {
            let x = xs.first()?;
            let operands = [x.clone(), identity(w, *kind, x.shape.dtype())?];
            format!(
                "stablehlo.reduce({} init: {}) applies {} across dimensions = {} : {}",
                operands[0].name,
                operands[1].name,
                binary_name(kind.binary()?)?,
                list(axes),
                signature(&operands, results)
            )
        }
        Op::ReduceGraph { body, axes } => {
            let region = w.region(body);
            let (names, signature) = (names(xs), signature(xs, results));
            format!(
                "\"stablehlo.reduce\"({names}) <{{dimensions = {}}}> ({region}) : {signature}",
                array(axes)
            )
        }
        Op::ReduceWindow { kind, spec } => {
            let x = xs.first()?;
            let init = identity(w, *kind, x.shape.dtype())?;
            let region = w.binary_region(kind.binary()?, &init.shape);
            let operands = [x.clone(), init];
            windowed(spec, &operands, &region, results)
        }
        Op::ReduceWindowGraph { body, spec } => {
            let region = w.region(body);
            windowed(spec, xs, &region, results)
        }
        Op::SelectAndScatter { select, scatter, spec } => {
            let (select, scatter) = (w.region(select), w.region(scatter));
            format!(
                "\"stablehlo.select_and_scatter\"({}) <{{padding = {}, window_dimensions = {}, \
                 window_strides = {}}}> ({select}, {scatter}) : {}",
                names(xs),
                padding(&spec.low, &spec.high),
                array(&spec.window),
                array(&spec.strides),
                signature(xs, results)
            )
        }
        Op::SortGraph { axis, stable, comparator } => {
            let region = w.region(comparator);
            let (names, signature) = (names(xs), signature(xs, results));
            format!(
                "\"stablehlo.sort\"({names}) <{{dimension = {axis} : i64, is_stable = {stable}}}> ({region}) : {signature}"
            )
        }
        _ => return None,
    };
    Some(w.line(results, &text))
}

/// Returns the reduction over a moving window with the given region.
fn windowed(spec: &WindowSpec, operands: &[EmittedValue], region: &str, results: &[Shape]) -> String {
    format!(
        "\"stablehlo.reduce_window\"({}) <{{base_dilations = {}, padding = {}, window_dilations = {}, \
         window_dimensions = {}, window_strides = {}}}> ({region}) : {}",
        names(operands),
        array(&spec.base_dilation),
        padding(&spec.low, &spec.high),
        array(&spec.window_dilation),
        array(&spec.window),
        array(&spec.strides),
        signature(operands, results)
    )
}

/// Writes the identity of the reduction as a constant.
fn identity(w: &mut Writer<'_, '_>, kind: ReduceOp, dtype: DType) -> Option<EmittedValue> {
    let shape = Shape::scalar(dtype);
    let mut bytes = Vec::with_capacity(dtype.size());
    let identity = scalar::identity(kind, dtype)?.convert(dtype);
    identity.write(dtype, &mut bytes);
    debug_assert_eq!(Scalar::read(dtype, &bytes), identity);
    let literal = Literal::from_bytes(&shape, &bytes).ok()?;
    Some(w.helper(&shape, &format!("stablehlo.constant dense<{}> : {}", dense(&literal), ty(&shape))))
}
