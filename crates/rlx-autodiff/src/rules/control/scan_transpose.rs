//! The transpose of a linear `scan`: a loop in the other direction. It carries cotangents of the carried
//! values, and sums those of the constants.

use super::scan::{Role, Scan, marked, run};
use crate::backward::{Arg, Backward, Cotangents, TransposedGraph, transpose_graph};
use crate::error::Error;
use crate::split::mark;
use crate::trace;
use rlx_ir::{Op, Shape, Tensor};

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let scan = Scan::of(op)?;
    let linear = linear_inputs(&scan, operands)?;
    let Some((body, has)) = transposed_body(cx, &scan, &linear, cts)? else {
        return Ok(vec![None; operands.len()]);
    };
    let (own, own_results) = (scan.roles(), scan.result_roles());
    let inputs: Vec<usize> = (0..own.len()).collect();
    let given = marked(&inputs, &body.given);
    let sums: Vec<usize> = given.iter().copied().filter(|&i| own[i] == Role::Const).collect();
    let known: Vec<usize> = inputs.iter().copied().filter(|&i| !linear[i]).collect();
    let shapes: Vec<Shape> = scan.body.input_shapes();

    // The transposed body also takes the sums so far. Carried values and sums are returned in the order in which they are taken.
    let sum_shapes = sums.iter().map(|&i| shapes[i].clone());
    let step_shapes: Vec<Shape> = body.graph.input_shapes().into_iter().chain(sum_shapes).collect();
    let step = trace::graph(body.graph.name(), step_shapes, |builder, xs| {
        let (xs, sums) = xs.split_at(xs.len() - sums.len());
        let mut sums = sums.iter();
        let results = builder.inline(&body.graph, xs)?;
        let added = results.into_iter().zip(&given).map(|(ct, &i)| match (own[i], &mut sums) {
            (Role::Const, sums) => sums.next().map_or_else(|| ct.clone(), |sum| sum + &ct),
            _ => ct,
        });
        let added: Vec<Tensor> = added.collect();
        let order = carried_first(&given, &own);
        Ok(order.into_iter().map(|k| added[k].clone()).collect())
    })?;
    let order = carried_first(&given, &own);
    let result_roles: Vec<Role> =
        order.iter().map(|&k| if own[given[k]] == Role::Slice { Role::Slice } else { Role::Carry }).collect();
    let mut roles: Vec<Role> = known.iter().map(|&i| own[i]).collect();
    roles.extend(marked(&own_results, &has));
    roles.extend(vec![Role::Carry; sums.len()]);

    let mut args: Vec<Tensor> =
        known.iter().map(|&i| operands[i].known().cloned()).collect::<Result<_, _>>()?;
    let all = cts.all(cx.builder);
    args.extend(marked(&all, &has));
    args.extend(sums.iter().map(|&i| trace::zeros(cx.builder, &shapes[i])));
    let back = Scan { reverse: !scan.reverse, ..scan.clone() };
    let results = run(cx.builder, &back, &step, &roles, &result_roles, &args)?;
    let mut of_inputs = vec![None; operands.len()];
    for (&k, ct) in order.iter().zip(results) {
        of_inputs[given[k]] = operands[given[k]].is_linear().then_some(ct);
    }
    Ok(of_inputs)
}

/// Indices into `given`: carried values, consts, slices.
fn carried_first(given: &[usize], own: &[Role]) -> Vec<usize> {
    let of = |role: Role| (0..given.len()).filter(move |&k| own[given[k]] == role);
    of(Role::Carry).chain(of(Role::Const)).chain(of(Role::Slice)).collect()
}

/// Which inputs of the body are linear. All carried values are, even if the first one is known (to be zero).
fn linear_inputs(scan: &Scan, operands: &[Arg]) -> Result<Vec<bool>, Error> {
    let first = operands.iter().map(Arg::is_linear).collect();
    let ((), linear) = scan.spread(first, |linear| {
        let marks = mark(&scan.body, linear);
        Ok(((), scan.body.outputs().iter().map(|o| marks[o.index()]).collect()))
    })?;
    match linear[scan.consts..scan.consts + scan.carry].iter().position(|l| !l) {
        Some(i) => {
            let why =
                format!("it carries value {i}, which its linear operands do not reach, besides linear ones");
            Err(Error::no_rule("transpose", why))
        }
        None => Ok(linear),
    }
}

/// The transpose of the body, and which of its results have a cotangent. A carried value has one if it gets one in any step.
fn transposed_body(
    cx: &Backward<'_>,
    scan: &Scan,
    linear: &[bool],
    cts: &Cotangents<'_>,
) -> Result<Option<(TransposedGraph, Vec<bool>)>, Error> {
    let mut has: Vec<bool> = cts.each().iter().map(Option::is_some).collect();
    loop {
        let mut wants = vec![false; linear.len()];
        wants[scan.consts..scan.consts + scan.carry].copy_from_slice(&has[..scan.carry]);
        let Some(body) = transpose_graph(&scan.body, linear, &has, &wants, cx.options)? else {
            return Ok(None);
        };
        let before = has.clone();
        let carried = &body.given[scan.consts..scan.consts + scan.carry];
        has.iter_mut().zip(carried).for_each(|(h, g)| *h |= g);
        if has == before {
            return Ok(Some((body, has)));
        }
    }
}
