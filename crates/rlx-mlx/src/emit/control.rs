//! Control flow: computes the values that decide, and only makes the selected graphs.

use super::host::literal;
use super::{Declined, Site, Step, StepError, table::claimed};
use crate::launch::Launch;
use crate::plan::{Plan, inner};
use rlx_ir::{Literal, Op};
use rlx_mlx_sys::{MlxArray, MlxError, Slices};
use std::sync::Arc;

/// Number of loop steps for which graphs are made before the carried values are computed.
const STEPS_AHEAD: usize = 8;

fn owned(arrays: &[&MlxArray]) -> Vec<MlxArray> {
    arrays.iter().map(|&array| array.clone()).collect()
}

/// The error of a step if a branch is missing.
fn missing(what: &str) -> StepError {
    StepError::Mlx(MlxError::Argument(format!("there is no {what}")))
}

pub(super) fn conditional(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::If { then_branch, else_branch } = site.op else { return site.decline("here") };
    if site.claiming {
        return claimed();
    }
    let (then_branch, else_branch) = (inner(then_branch, site.mlx)?, inner(else_branch, site.mlx)?);
    Ok(Box::new(move |cx, x| {
        let branch = if cx.is_true(x[0])? { &then_branch } else { &else_branch };
        Ok(cx.call(branch, owned(&x[1..]))?)
    }))
}

pub(super) fn case(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Case { branches } = site.op else { return site.decline("here") };
    if site.claiming {
        return claimed();
    }
    let branches: Vec<Arc<Plan>> =
        branches.iter().map(|branch| inner(branch, site.mlx)).collect::<Result<_, _>>()?;
    Ok(Box::new(move |cx, x| {
        // An index outside the range selects the last branch.
        let last = branches.len().checked_sub(1).ok_or_else(|| missing("branch"))?;
        let at = usize::try_from(cx.whole_number(x[0])?).map_or(last, |index| index.min(last));
        Ok(cx.call(&branches[at], owned(&x[1..]))?)
    }))
}

pub(super) fn while_loop(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::While { cond, body } = site.op else { return site.decline("here") };
    if site.claiming {
        return claimed();
    }
    let (cond, body) = (inner(cond, site.mlx)?, inner(body, site.mlx)?);
    Ok(Box::new(move |cx, x| {
        let mut carried = owned(x);
        loop {
            let goes_on = cx.call(&cond, carried.clone())?;
            if !cx.is_true(goes_on.first().ok_or_else(|| missing("condition"))?)? {
                return Ok(carried);
            }
            carried = cx.call(&body, carried)?;
            cx.async_eval(&carried.iter().collect::<Vec<_>>())?;
        }
    }))
}

/// Returns one slice along the first axis, with that axis removed.
fn slice_of(cx: &Launch<'_>, x: &MlxArray, at: usize) -> Result<MlxArray, MlxError> {
    let dims = x.dims();
    let mut slices = Slices::default();
    slices.push(at, at + 1, 1);
    dims[1..].iter().for_each(|&d| slices.push(0, d, 1));
    cx.reshape(&cx.slice(x, &slices)?, &dims[1..])
}

pub(super) fn scan(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Scan { body, length, num_consts, num_carry, reverse } = site.op else {
        return site.decline("here");
    };
    if site.claiming {
        return claimed();
    }
    // If the length is not static, it is the number of slices.
    let of_slices = || site.operands.get(num_consts + num_carry).map(|x| x.dims[0]);
    let Some(length) = length.as_static().or_else(of_slices) else {
        return site.decline("with a length that is not known yet");
    };
    let (consts, carried, reverse) = (*num_consts, *num_carry, *reverse);
    let body = inner(body, site.mlx)?;
    let results = site.results.clone();
    Ok(Box::new(move |cx, x| {
        let (consts, rest) = x.split_at(consts);
        let (init, xs) = rest.split_at(carried);
        let mut carry = owned(init);
        let mut parts: Vec<Vec<MlxArray>> = vec![Vec::with_capacity(length); results.len() - carried];
        for step in 0..length {
            let at = if reverse { length - 1 - step } else { step };
            let mut arguments = owned(consts);
            arguments.append(&mut carry);
            for x in xs {
                arguments.push(slice_of(cx, x, at)?);
            }
            carry = cx.call(&body, arguments)?;
            let made = carry.split_off(carried.min(carry.len()));
            made.into_iter().zip(&mut parts).for_each(|(y, parts)| parts.push(y));
            if step % STEPS_AHEAD == STEPS_AHEAD - 1 {
                let latest = parts.iter().filter_map(|parts| parts.last());
                cx.async_eval(&carry.iter().chain(latest).collect::<Vec<_>>())?;
            }
        }
        for (mut parts, result) in parts.into_iter().zip(&results[carried..]) {
            if reverse {
                parts.reverse();
            }
            let mut one = vec![1];
            one.extend(&result.dims[1..]);
            let rows: Vec<MlxArray> =
                parts.iter().map(|part| cx.reshape(part, &one)).collect::<Result<_, _>>()?;
            carry.push(match &rows[..] {
                [] => cx.full(&result.dims, &super::movement::zero(cx, result.element)?)?,
                rows => cx.concatenate(&rows.iter().collect::<Vec<_>>(), 0)?,
            });
        }
        Ok(carry)
    }))
}

/// Runs a custom op of the program with its evaluator on the host. The operands are computed and read first.
pub(super) fn custom(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Custom { name, config, results } = site.op else { return site.decline("here") };
    if site.claiming {
        return claimed();
    }
    let Some(op) = rlx_ir::custom::find_custom(name) else {
        return Err(format!("there is no custom op `{name}` in this program"));
    };
    let (config, results) = (config.clone(), results.clone());
    Ok(Box::new(move |cx, x| {
        let failed = |e: &dyn std::fmt::Display| StepError::Mlx(MlxError::Argument(e.to_string()));
        let operands: Vec<Literal> = x.iter().map(|x| literal(cx, x)).collect::<Result<_, _>>()?;
        let made = op.eval(&config, &operands).map_err(|e| failed(&e))?;
        if made.len() != results.len() {
            return Err(missing("result of each shape"));
        }
        Ok(made.iter().map(|value| super::constant_array(cx.mlx(), value)).collect::<Result<_, _>>()?)
    }))
}
