//! Writes operations that were recognized in a graph.

use super::shaping::dims_of;
use super::value::{Elem, Held};
use super::writer::{Arg, Const, Opset, ProgramWriter, Written};
use crate::recognize::{Setting, operation as form_of};
use rlx_ir::{DType, Shape};

pub(super) fn operation(
    w: &mut ProgramWriter,
    name: &str,
    config: &str,
    x: &[Held],
    results: &[Shape],
) -> Written {
    let (kind, form) = form_of(name, config).ok_or_else(|| format!("programs have no operation `{name}`"))?;
    let (given, [result]) = (w.all_full(x), results) else { return Err("it must have one result".into()) };
    let elem =
        Elem::holding(result.dtype()).filter(|elem| elem.is_float()).ok_or("it must compute floats")?;
    if kind == "resample" && w.opset < Opset::Ios16 && given.iter().any(|var| var.elem == Elem::F16) {
        return Err("positions in an image must be f32 before iOS 16".into());
    }
    let mut inputs: Vec<(&'static str, Arg)> = Vec::new();
    for (place, var) in form.operands.iter().zip(&given) {
        match inputs.last_mut() {
            Some((last, Arg::Vars(names))) if last == place => names.push(var.name.clone()),
            _ => inputs.push((place, var.into())),
        }
    }
    for (name, setting) in form.settings {
        let arg = match setting {
            Setting::Bool(value) => Arg::from(value),
            Setting::Int(value) => Arg::from(value),
            Setting::Count(value) => Arg::Constant(Const::Count(value)),
            Setting::Pairs(rows) => Arg::Constant(Const::Pairs(rows)),
            Setting::Ints(values) => Arg::from(values),
            Setting::Text(text) => Arg::from(text),
            Setting::Float(value, dtype) => {
                let elem = if dtype == DType::F16 { Elem::F16 } else { Elem::F32 };
                Arg::Constant(Const::Float(value, elem))
            }
        };
        inputs.push((name, arg));
    }
    Ok(vec![Held::whole(w.op_of(kind, inputs, elem, dims_of(result)?))])
}
