//! Reads recurrent nets.

use super::args::{Args, Read, Unread};
use rlx_ir::{Activation, Op, Tensor};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    Some(match kind {
        "lstm" => lstm(args),
        "gru" => gru(args),
        "rnn" => rnn(args),
        _ => return None,
    })
}

/// Splits the rows of weights into equal parts, and returns them in this order.
fn reordered(args: &Args<'_>, x: &Tensor, order: &[usize]) -> Result<Tensor, Unread> {
    let rows = *args.dims(x)?.first().ok_or("weights need rows")?;
    let len = rows / order.len();
    let parts: Vec<Tensor> = order.iter().map(|&i| x.slice_axis(0, i * len, (i + 1) * len)).collect();
    let [first, rest @ ..] = &parts[..] else { return Err("weights need rows".into()) };
    Ok(first.apply(Op::Concatenate { axis: 0 }, &rest.iter().collect::<Vec<_>>()))
}

/// Returns the directions in which a net runs, each with the suffix of its weights' names.
fn ways(args: &Args<'_>) -> Result<&'static [(bool, &'static str)], Unread> {
    match args.text("direction", "forward")? {
        "forward" => Ok(&[(false, "")]),
        "reverse" => Ok(&[(true, "")]),
        "bidirectional" => Ok(&[(false, ""), (true, "_back")]),
        other => Err(format!("unknown direction `{other}` of a recurrent net").into()),
    }
}

fn only(args: &Args<'_>, name: &str, value: &str) -> Result<(), Unread> {
    match args.text(name, value)? {
        text if text == value => Ok(()),
        text => Err(format!("`{name}` = `{text}` is not supported").into()),
    }
}

/// Reads a net: its op by direction, the names of its states, and the order of the gates in the op.
fn net(args: &Args<'_>, op: impl Fn(bool) -> Op, states: &[&str], order: &[usize]) -> Read {
    let ways = ways(args)?;
    let mut results: Vec<Vec<Tensor>> = Vec::new();
    for (way, &(reverse, end)) in ways.iter().enumerate() {
        let mut operands = Vec::new();
        for name in states {
            let state = args.x(name)?;
            let width = *args.dims(state)?.last().ok_or("a state needs an axis")? / ways.len();
            let axis = state.rank() - 1;
            operands.push(state.slice_axis(axis, way * width, (way + 1) * width));
        }
        for name in ["weight_ih", "weight_hh"] {
            operands.push(reordered(args, args.x(&format!("{name}{end}"))?, order)?);
        }
        // Biases are added to the product with x; a bias that the reset gate multiplies is a separate operand.
        for bias in biases(args, end)? {
            operands.push(reordered(args, &bias, order)?);
        }
        results.push(args.x("x")?.apply_many(op(reverse), &operands.iter().collect::<Vec<_>>()));
    }
    let joined = |n: usize| -> Result<Tensor, Unread> {
        let parts: Option<Vec<&Tensor>> = results.iter().map(|way| way.get(n)).collect();
        match parts.ok_or("a net needs states")?[..] {
            [only] => Ok(only.clone()),
            [first, ref rest @ ..] => {
                let axis = args.dims(first)?.len().checked_sub(1).ok_or("a state needs an axis")?;
                Ok(first.apply(Op::Concatenate { axis }, rest))
            }
            [] => Err("a net must run in at least one direction".into()),
        }
    };
    let last: Result<Vec<Tensor>, Unread> = (1..=states.len()).map(&joined).collect();
    let last = last?;
    let sequence = if args.flag("output_sequence", false)? { joined(0)? } else { last[0].unsqueeze(0) };
    Ok(std::iter::once(sequence).chain(last).collect())
}

/// Returns the biases in the order of the op's operands.
fn biases(args: &Args<'_>, end: &str) -> Result<Vec<Tensor>, Unread> {
    let bias = args.opt(&format!("bias{end}"))?;
    if !args.flag("reset_after", false)? {
        return Ok(bias.into_iter().cloned().collect());
    }
    let Some(inner) = bias else { return Ok(args.opt("input_bias")?.into_iter().cloned().collect()) };
    let outer = args.opt("input_bias")?.cloned();
    Ok(vec![
        outer.unwrap_or_else(|| inner.scalar_like(0.0).broadcast_in_dim(&inner.dims(), &[])),
        inner.clone(),
    ])
}

fn lstm(args: &Args<'_>) -> Read {
    only(args, "recurrent_activation", "sigmoid")?;
    only(args, "cell_activation", "tanh")?;
    only(args, "activation", "tanh")?;
    if ["peephole", "peephole_back", "clip"].iter().any(|name| args.items.contains_key(name)) {
        return Err("nets with peepholes or clipping are not supported".into());
    }
    // The order is input, forget, output, cell here, but input, forget, cell, output in the op.
    net(args, |reverse| Op::Lstm { reverse }, &["initial_h", "initial_c"], &[0, 1, 3, 2])
}

fn gru(args: &Args<'_>) -> Read {
    only(args, "recurrent_activation", "sigmoid")?;
    only(args, "activation", "tanh")?;
    if args.items.contains_key("input_bias") && !args.flag("reset_after", false)? {
        return Err("nets with two biases that reset before the product are not supported".into());
    }
    // The order is reset, output, update here, but reset, update, output in the op.
    net(args, |reverse| Op::Gru { reverse }, &["initial_h"], &[0, 2, 1])
}

fn rnn(args: &Args<'_>) -> Read {
    let activation = match args.text("activation", "tanh")? {
        "tanh" => Activation::Tanh,
        "relu" => Activation::Relu,
        "sigmoid" => Activation::Sigmoid,
        other => return Err(format!("`activation` = `{other}` is not supported").into()),
    };
    net(args, |reverse| Op::Rnn { activation, reverse }, &["initial_h"], &[0])
}
