//! Hutchinson estimates of the Hessian's diagonal, for Sophia.

use crate::error::Error;
use rlx_autodiff::Wrt;
use rlx_ir::{Builder, DType, Graph, Op, Shape, Tensor};

/// The name of the input that signs are derived from.
pub const KEY: &str = "hutchinson.key";

/// Returns a graph with Hutchinson's estimate of the diagonal of the Hessian of a scalar loss (its first output): u ⊙ H·u for a vector u of
/// random signs. The mean of the estimates is the diagonal.
///
/// The graph has the inputs of `loss`, its parameters, and as the last input the key `hutchinson.key` (`u32[2]`), which must be a new one
/// for each estimate. It returns one estimate for each of `params`, which are parameters or inputs of `loss`, with the same shape and type.
///
/// # Errors
/// Fails if [`rlx_autodiff::hvp`] does, and for parameters with sizes that are not static.
///
/// Source: Bekas, Kokiopoulou, Saad, "An estimator for the diagonal of a matrix", 2007.
pub fn hutchinson(loss: &Graph, params: &[&str]) -> Result<Graph, Error> {
    let names: Vec<String> = params.iter().map(|p| p.to_string()).collect();
    let product = rlx_autodiff::hvp(loss, Wrt::from(&names[..]))?;
    let builder = Builder::new(loss.name());
    let mut args: Vec<Tensor> = Vec::new();
    let tangents = product.outputs().len();
    let inputs: Vec<(String, Shape)> = product
        .inputs()
        .filter_map(|n| match n.op() {
            Op::Input { name } => Some((name.clone(), n.shape().clone())),
            _ => None,
        })
        .collect();
    let (given, of_tangents) = inputs.split_at(inputs.len() - tangents);
    args.extend(given.iter().map(|(name, shape)| builder.input(name, shape.clone())));
    let key = builder.input(KEY, Shape::new(&[2], DType::U32));
    let shapes: Vec<Shape> = of_tangents.iter().map(|t| t.1.clone()).collect();
    let signs = signs(&builder, &key, &shapes, params)?;
    args.extend(signs.iter().cloned());
    // The product's inputs are exactly those of the loss and the tangents, so they match; `finish` would report it otherwise.
    let products = builder
        .inline(&product, &args)
        .unwrap_or_else(|e| vec![builder.error("hutchinson", e.to_string()); tangents]);
    let estimates: Vec<Tensor> = products.iter().zip(&signs).map(|(hu, u)| u * hu).collect();
    Ok(builder.finish(&estimates.iter().collect::<Vec<_>>())?)
}

/// Returns −1 and 1 with equal probability. All signs are parts of one draw, so they are independent.
fn signs(builder: &Builder, key: &Tensor, shapes: &[Shape], names: &[&str]) -> Result<Vec<Tensor>, Error> {
    let mut sizes = Vec::new();
    for (shape, name) in shapes.iter().zip(names) {
        let refused = || Error::Parameter { name: name.to_string(), shape: shape.clone() };
        sizes.push(shape.num_elements().ok_or_else(refused)?);
    }
    let all = Shape::new(&[sizes.iter().sum()], DType::F32);
    let draws = builder.apply(Op::RngUniform { shape: all }, &[key]);
    let mut at = 0;
    let mut part = |(shape, size): (&Shape, &usize)| {
        let draw = draws.slice_axis(0, at, at + size).reshape(shape.dims());
        at += size;
        let (minus, plus) = (draw.scalar_like(-1.0), draw.scalar_like(1.0));
        draw.less(&draw.scalar_like(0.5)).select(&minus, &plus).convert(shape.dtype())
    };
    Ok(shapes.iter().zip(&sizes).map(&mut part).collect())
}
