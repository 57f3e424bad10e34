//! Verifies several launches: their kernels and their arguments.

use super::{Violation, Violations, verify};
use crate::kernel::{Buffer, Place};
use crate::lower::{Argument, Launches};
use rlx_ir::Literal;
use std::collections::HashSet;

/// Checks the kernels of launches, that arguments match parameters, and that temporaries are written before they are read.
pub fn verify_launches(launches: &Launches) -> Result<(), Violations> {
    let mut list = Vec::new();
    let mut written = HashSet::new();
    for (number, launch) in launches.launches.iter().enumerate() {
        let at = format!("launch {number}");
        if let Err(wrong) = verify(&launch.kernel) {
            let within = |v: Violation| Violation { at: format!("{at}/{}", v.at), ..v };
            list.extend(wrong.list.into_iter().map(within));
        }
        let mut report = |problem: String| list.push(Violation { at: at.clone(), problem });
        let params: Vec<&Buffer> = launch.kernel.params().collect();
        if params.len() != launch.arguments.len() {
            report(format!(
                "the kernel has {} parameters, but is passed {}",
                params.len(),
                launch.arguments.len()
            ));
            continue;
        }
        let mut passed = HashSet::new();
        for (&param, &argument) in params.iter().zip(&launch.arguments) {
            if let Some(problem) = mismatch(param, argument, launches, &written) {
                report(format!("`{}`, which is passed as `{argument}`, {problem}", param.name));
            }
            if !passed.insert(argument) && param.place.is_written() {
                report(format!("`{argument}` is passed twice, and `{}` is written", param.name));
            }
        }
        let of_written = params.iter().zip(&launch.arguments).filter(|(param, _)| param.place.is_written());
        written.extend(of_written.map(|(_, argument)| *argument));
    }
    let kernel = launches.launches.first().map_or(String::new(), |launch| launch.kernel.name.clone());
    if list.is_empty() { Ok(()) } else { Err(Violations { kernel, list }) }
}

/// Returns why a parameter does not accept this argument.
fn mismatch(
    param: &Buffer,
    argument: Argument,
    launches: &Launches,
    written: &HashSet<Argument>,
) -> Option<&'static str> {
    match argument {
        Argument::Input(_) => (param.place != Place::In).then_some("is written, but inputs are only read"),
        Argument::Constant(i) => match launches.constants.get(i).map(Literal::shape) {
            None => Some("does not exist"),
            Some(shape) if shape.dtype() != param.dtype || shape.dims() != param.extents => {
                Some("has another shape")
            }
            Some(_) => (param.place != Place::In).then_some("is written, but constants are only read"),
        },
        Argument::Temporary(i) => match launches.temporaries.get(i) {
            None => Some("does not exist"),
            Some(t) if t.dtype != param.dtype || t.extents != param.extents => Some("has another shape"),
            Some(_) => unwritten(param, argument, written),
        },
        Argument::Output(_) => unwritten(param, argument, written),
    }
}

fn unwritten(param: &Buffer, argument: Argument, written: &HashSet<Argument>) -> Option<&'static str> {
    // A kernel that both reads and writes it may write it first.
    let missing = param.place == Place::In && !written.contains(&argument);
    missing.then_some("is read before a launch has written it")
}
