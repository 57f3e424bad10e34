//! Recurrent nets.

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

/// Equal parts of the rows of weights, in this order.
fn reordered(args: &Args<'_>, x: &Tensor, order: &[usize]) -> Result<Tensor, Unread> {
    let rows = *args.dims(x)?.first().ok_or("weights have rows")?;
    let len = rows / order.len();
    let parts: Vec<Tensor> = order.iter().map(|&i| x.slice_axis(0, i * len, (i + 1) * len)).collect();
    let [first, rest @ ..] = &parts[..] else { return Err("weights have rows".into()) };
    Ok(first.apply(Op::Concatenate { axis: 0 }, &rest.iter().collect::<Vec<_>>()))
}

/// The results of a net: all states or the last one, then the last ones.
fn results(args: &Args<'_>, all: Vec<Tensor>) -> Read {
    let last = all.get(1).cloned().ok_or("a net has a state")?;
    let sequence = if args.flag("output_sequence", false)? { all[0].clone() } else { last.unsqueeze(0) };
    Ok(std::iter::once(sequence).chain(all.into_iter().skip(1)).collect())
}

/// Whether the net runs from the last step to the first.
fn is_reverse(args: &Args<'_>) -> Result<bool, Unread> {
    match args.text("direction", "forward")? {
        "forward" => Ok(false),
        "reverse" => Ok(true),
        other => Err(format!("nets that run `{other}` are not read").into()),
    }
}

fn only(args: &Args<'_>, name: &str, value: &str) -> Result<(), Unread> {
    match args.text(name, value)? {
        text if text == value => Ok(()),
        text => Err(format!("`{name}` = `{text}` is not read").into()),
    }
}

fn net(args: &Args<'_>, op: Op, states: &[&str], order: &[usize]) -> Read {
    let mut operands = Vec::new();
    for name in states {
        operands.push(args.x(name)?.clone());
    }
    for name in ["weight_ih", "weight_hh"] {
        operands.push(reordered(args, args.x(name)?, order)?);
    }
    if let Some(bias) = args.opt("bias")? {
        operands.push(reordered(args, bias, order)?);
    }
    results(args, args.x("x")?.apply_many(op, &operands.iter().collect::<Vec<_>>()))
}

fn lstm(args: &Args<'_>) -> Read {
    only(args, "recurrent_activation", "sigmoid")?;
    only(args, "cell_activation", "tanh")?;
    only(args, "activation", "tanh")?;
    if args.items.contains_key("peephole") || args.items.contains_key("clip") {
        return Err("nets with peepholes, and those that clip, are not read".into());
    }
    // Input, forget, output, cell here; input, forget, cell, output there.
    net(args, Op::Lstm { reverse: is_reverse(args)? }, &["initial_h", "initial_c"], &[0, 1, 3, 2])
}

fn gru(args: &Args<'_>) -> Read {
    only(args, "recurrent_activation", "sigmoid")?;
    only(args, "activation", "tanh")?;
    if args.flag("reset_after", false)? || args.items.contains_key("input_bias") {
        return Err("nets that reset behind the product are not read".into());
    }
    // Reset, output, update here; reset, update, output there.
    net(args, Op::Gru { reverse: is_reverse(args)? }, &["initial_h"], &[0, 2, 1])
}

fn rnn(args: &Args<'_>) -> Read {
    let activation = match args.text("activation", "tanh")? {
        "tanh" => Activation::Tanh,
        "relu" => Activation::Relu,
        "sigmoid" => Activation::Sigmoid,
        other => return Err(format!("`activation` = `{other}` is not read").into()),
    };
    net(args, Op::Rnn { activation, reverse: is_reverse(args)? }, &["initial_h"], &[0])
}
