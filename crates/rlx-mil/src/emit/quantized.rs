//! Writes affine quantization to 8 bits between operations. The graph's 8-bit integers are stored in wider types.

use super::value::{Elem, Held, Known, Var};
use super::writer::{Arg, Declined, Opset, ProgramWriter, Written};
use rlx_ir::{DType, Literal, Scalar};

/// Returns the type in which programs store 8-bit values.
fn stored(dtype: DType) -> Result<Elem, Declined> {
    match dtype {
        DType::I8 => Ok(Elem::I8),
        DType::U8 => Ok(Elem::U8),
        _ => Err(format!("programs quantize to 8 bits, not to {dtype}").into()),
    }
}

/// Returns a scale, which must be a constant in the type that the program computes in.
fn scale_of(scale: &Held, elem: Elem) -> Result<&Var, Declined> {
    if scale.elem() != elem || !scale.is_whole() || scale.var.known.is_none() || scale.rank() > 1 {
        return Err("scales must be constants with the type of the scaled values".into());
    }
    Ok(&scale.var)
}

/// Returns a zero point in the type of the stored values. Its elements must be known with the graph, unlike those of parameters.
fn zero_of(w: &mut ProgramWriter, zero: &Held, elem: Elem) -> Result<Var, Declined> {
    let is_known = zero.is_whole() && zero.rank() <= 1;
    let Some(Known::Literal(literal)) = zero.var.known.as_ref().filter(|_| is_known) else {
        return Err("zero points must be constants of the graph".into());
    };
    let mut bytes = Vec::new();
    for element in literal.bytes().chunks_exact(literal.dtype().size()) {
        let number = Scalar::read(literal.dtype(), element);
        let held = number.convert(elem.dtype());
        if held.convert(literal.dtype()) != number {
            return Err("a zero point does not fit in the type of the stored values".into());
        }
        held.write(elem.dtype(), &mut bytes);
    }
    let shape = literal.shape().with_dtype(elem.dtype());
    let literal = Literal::from_bytes(&shape, &bytes).map_err(|e| Declined(e.to_string()))?;
    Ok(w.known(Known::Literal(literal), elem, zero.dims.clone(), "zero_point"))
}

/// Returns the inputs of both operations, besides the value.
fn given(
    w: &mut ProgramWriter,
    axis: Option<usize>,
    scale: &Var,
    zero: Option<&Held>,
    elem: Elem,
) -> Result<Vec<(&'static str, Arg)>, Declined> {
    if w.opset < Opset::Ios17 {
        return Err("programs have 8-bit values since iOS 17".into());
    }
    let mut inputs = vec![("scale", scale.into())];
    if let Some(zero) = zero {
        let zero = zero_of(w, zero, elem)?;
        if zero.rank() != scale.rank() {
            return Err("there must be one zero point per scale".into());
        }
        inputs.push(("zero_point", (&zero).into()));
    }
    inputs.extend(axis.map(|axis| ("axis", (axis as i32).into())));
    Ok(inputs)
}

/// Returns a scale or zero point with sizes that broadcast to those of x.
fn beside(w: &mut ProgramWriter, of: &Held, axis: Option<usize>, rank: usize) -> Result<Var, Declined> {
    let full = w.full(of);
    let full = w.cast(&full, Elem::F32);
    Ok(match axis {
        Some(axis) => w.reshape(&full, &[&full.dims[..], &vec![1; rank - 1 - axis][..]].concat()),
        None => full,
    })
}

/// How values are quantized.
#[derive(Clone, Copy)]
pub(super) struct Quantized<'a> {
    pub(super) axis: Option<usize>,
    pub(super) scale: &'a Held,
    pub(super) zero: Option<&'a Held>,
}

impl Quantized<'_> {
    /// Returns the inputs of 8-bit operations, if they are used.
    fn given(self, w: &mut ProgramWriter, elem: Elem) -> Option<Vec<(&'static str, Arg)>> {
        given(w, self.axis, scale_of(self.scale, Elem::F32).ok()?, self.zero, elem).ok()
    }

    /// Returns the value in steps of the scale, as integers between the limits of a type.
    fn steps(self, w: &mut ProgramWriter, elem: Elem, x: &Held) -> Result<Var, Declined> {
        let full = w.full(x);
        if let Some(mut inputs) = self.given(w, elem) {
            inputs.extend([("input", (&full).into()), ("output_dtype", elem.name().into())]);
            return Ok(w.op_of("quantize", inputs, elem, full.dims));
        }
        let scale = beside(w, self.scale, self.axis, x.rank())?;
        let ratio = w.join("real_div", &full, &scale);
        let mut steps = w.map("round", &ratio);
        if let Some(zero) = self.zero {
            let zero = beside(w, zero, self.axis, x.rank())?;
            steps = w.join("add", &steps, &zero);
        }
        let (least, most) = if elem == Elem::I8 { (-128.0, 127.0) } else { (0.0, 255.0) };
        let above = w.with("maximum", &steps, least);
        Ok(w.with("minimum", &above, most))
    }

    /// Returns the numbers that steps represent.
    fn numbers(self, w: &mut ProgramWriter, steps: &Var, elem: Elem) -> Result<Var, Declined> {
        if let Some(mut inputs) = self.given(w, elem) {
            let steps = w.cast(steps, elem);
            inputs.push(("input", (&steps).into()));
            return Ok(w.op_of("dequantize", inputs, Elem::F32, steps.dims));
        }
        let mut steps = w.cast(steps, Elem::F32);
        let rank = steps.rank();
        if let Some(zero) = self.zero {
            let zero = beside(w, zero, self.axis, rank)?;
            steps = w.join("sub", &steps, &zero);
        }
        let scale = beside(w, self.scale, self.axis, rank)?;
        Ok(w.join("mul", &steps, &scale))
    }

    fn check(self, of: Elem) -> Result<(), Declined> {
        let is_number = |held: &Held| held.elem() != Elem::Bool;
        if of != Elem::F32 || self.scale.elem() != Elem::F32 || !self.zero.is_none_or(is_number) {
            return Err("quantization is computed in f32".into());
        }
        Ok(())
    }
}

pub(super) fn quantize(w: &mut ProgramWriter, dtype: DType, x: &Held, of: Quantized<'_>) -> Written {
    of.check(x.elem())?;
    let mut steps = of.steps(w, stored(dtype)?, x)?;
    if steps.elem == Elem::F32 {
        let numbers = w.compare("equal", &steps, &steps);
        let zero = w.scalar(0.0, Elem::F32);
        steps = w.choose(&numbers, &steps, &zero);
    }
    Ok(vec![Held::whole(w.cast(&steps, Elem::I32))])
}

pub(super) fn dequantize(w: &mut ProgramWriter, dtype: DType, x: &Held, of: Quantized<'_>) -> Written {
    of.check(Elem::F32)?;
    let full = w.full(x);
    Ok(vec![Held::whole(of.numbers(w, &full, stored(dtype)?)?)])
}

/// Quantizes to values from 0 to 255 and back.
pub(super) fn fake_quantize(w: &mut ProgramWriter, x: &Held, of: Quantized<'_>) -> Written {
    of.check(x.elem())?;
    let steps = of.steps(w, Elem::U8, x)?;
    Ok(vec![Held::whole(of.numbers(w, &steps, Elem::U8)?)])
}
