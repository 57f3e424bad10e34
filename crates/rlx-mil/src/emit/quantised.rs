//! Affine quantisation to 8 bits, between operations: values of the graph that are integers are held as wider ones.

use super::elementwise::float;
use super::value::{Elem, Held, Known, Var};
use super::writer::{Arg, Declined, Opset, ProgramWriter, Written};
use rlx_ir::{DType, Literal, Scalar};

/// The type that programs store values of 8 bits in.
fn stored(dtype: DType) -> Result<Elem, Declined> {
    match dtype {
        DType::I8 => Ok(Elem::I8),
        DType::U8 => Ok(Elem::U8),
        _ => Err(format!("programs quantise to 8 bits, and not to {dtype}").into()),
    }
}

/// A scale that is a constant of the type that is computed in.
fn scale_of(scale: &Held, elem: Elem) -> Result<&Var, Declined> {
    if scale.elem() != elem || !scale.is_whole() || scale.var.known.is_none() || scale.rank() > 1 {
        return Err("scales are constants, of the type of what they scale".into());
    }
    Ok(&scale.var)
}

/// A zero point, in the type that values are stored in. Its elements are known when the graph is: those of parameters are not.
fn zero_of(w: &mut ProgramWriter, zero: &Held, elem: Elem) -> Result<Var, Declined> {
    let is_known = zero.is_whole() && zero.rank() <= 1;
    let Some(Known::Literal(literal)) = zero.var.known.as_ref().filter(|_| is_known) else {
        return Err("zero points are constants of the graph".into());
    };
    let mut bytes = Vec::new();
    for element in literal.bytes().chunks_exact(literal.dtype().size()) {
        let number = Scalar::read(literal.dtype(), element);
        let held = number.convert(elem.dtype());
        if held.convert(literal.dtype()) != number {
            return Err("a zero point is none of the type that values are stored in".into());
        }
        held.write(elem.dtype(), &mut bytes);
    }
    let shape = literal.shape().with_dtype(elem.dtype());
    let literal = Literal::from_bytes(&shape, &bytes).map_err(|e| Declined(e.to_string()))?;
    Ok(w.known(Known::Literal(literal), elem, zero.dims.clone(), "zero_point"))
}

/// What both operations are given beside the value.
fn given(
    w: &mut ProgramWriter,
    axis: Option<usize>,
    scale: &Var,
    zero: Option<&Held>,
    elem: Elem,
) -> Result<Vec<(&'static str, Arg)>, Declined> {
    if w.opset < Opset::Ios17 {
        return Err("values of 8 bits are there since iOS 17".into());
    }
    let mut inputs = vec![("scale", scale.into())];
    if let Some(zero) = zero {
        let zero = zero_of(w, zero, elem)?;
        if zero.rank() != scale.rank() {
            return Err("a zero point is given for each scale".into());
        }
        inputs.push(("zero_point", (&zero).into()));
    }
    inputs.extend(axis.map(|axis| ("axis", (axis as i32).into())));
    Ok(inputs)
}

/// The value in steps of its scale, as 8 bits.
fn steps(
    w: &mut ProgramWriter,
    axis: Option<usize>,
    elem: Elem,
    x: &Held,
    scale: &Held,
    zero: Option<&Held>,
) -> Result<Var, Declined> {
    if float(x, "quantisation")? != Elem::F32 {
        return Err("quantisation is computed in f32".into());
    }
    let full = w.full(x);
    let mut inputs = given(w, axis, scale_of(scale, Elem::F32)?, zero, elem)?;
    inputs.extend([("input", (&full).into()), ("output_dtype", elem.name().into())]);
    Ok(w.op_of("quantize", inputs, elem, full.dims))
}

/// What steps stand for.
fn numbers(
    w: &mut ProgramWriter,
    axis: Option<usize>,
    x: &Var,
    scale: &Held,
    zero: Option<&Held>,
) -> Result<Var, Declined> {
    let mut inputs = given(w, axis, scale_of(scale, Elem::F32)?, zero, x.elem)?;
    inputs.push(("input", x.into()));
    Ok(w.op_of("dequantize", inputs, Elem::F32, x.dims.clone()))
}

pub(super) fn quantize(
    w: &mut ProgramWriter,
    axis: Option<usize>,
    dtype: DType,
    x: &Held,
    scale: &Held,
    zero: Option<&Held>,
) -> Written {
    let steps = steps(w, axis, stored(dtype)?, x, scale, zero)?;
    Ok(vec![Held::whole(w.cast(&steps, Elem::I32))])
}

pub(super) fn dequantize(
    w: &mut ProgramWriter,
    axis: Option<usize>,
    dtype: DType,
    x: &Held,
    scale: &Held,
    zero: Option<&Held>,
) -> Written {
    let elem = stored(dtype)?;
    let full = w.full(x);
    let steps = w.cast(&full, elem);
    Ok(vec![Held::whole(numbers(w, axis, &steps, scale, zero)?)])
}

/// Values of 0 to 255 and back.
pub(super) fn fake_quantize(
    w: &mut ProgramWriter,
    axis: Option<usize>,
    x: &Held,
    scale: &Held,
    zero: Option<&Held>,
) -> Written {
    let steps = steps(w, axis, Elem::U8, x, scale, zero)?;
    Ok(vec![Held::whole(numbers(w, axis, &steps, scale, zero)?)])
}
