//! Writes recurrent nets for which programs have a single operation. Their weights must be constants.

use super::elementwise::float;
use super::value::{Held, Known, Var};
use super::writer::{Arg, Opset, ProgramWriter, Written};
use rlx_ir::Activation;
use std::sync::Arc;

/// The operands of a recurrent net.
pub(super) struct Recurrent<'a> {
    pub(super) x: &'a Held,
    /// The initial states.
    pub(super) initial: &'a [Held],
    pub(super) weights: [&'a Held; 2],
    /// The bias of x and that of the state.
    pub(super) biases: [Option<&'a Held>; 2],
    pub(super) reverse: bool,
}

/// The names of the initial states, in order.
const INITIAL: [&str; 2] = ["initial_h", "initial_c"];

pub(super) fn lstm(w: &mut ProgramWriter, net: &Recurrent<'_>) -> Written {
    let common = [("recurrent_activation", "sigmoid"), ("cell_activation", "tanh"), ("activation", "tanh")];
    run(w, net, "lstm", &[0, 1, 3, 2], &common)
}

pub(super) fn gru(w: &mut ProgramWriter, net: &Recurrent<'_>) -> Written {
    if net.biases[1].is_some() {
        return Err("programs cannot multiply a bias by the reset gate".into());
    }
    run(w, net, "gru", &[0, 2, 1], &[("recurrent_activation", "sigmoid"), ("activation", "tanh")])
}

pub(super) fn rnn(w: &mut ProgramWriter, activation: Activation, net: &Recurrent<'_>) -> Written {
    let name = match activation {
        Activation::Tanh => "tanh",
        Activation::Relu => "relu",
        Activation::Sigmoid => "sigmoid",
        _ => return Err(format!("recurrent nets have no {activation}").into()),
    };
    run(w, net, "rnn", &[0], &[("activation", name)])
}

/// Writes a net with gates in the order of programs.
fn run(
    w: &mut ProgramWriter,
    net: &Recurrent<'_>,
    kind: &'static str,
    order: &[usize],
    settings: &[(&'static str, &'static str)],
) -> Written {
    let elem = float(net.x, "recurrent nets")?;
    if elem != super::value::Elem::F32 && w.opset < Opset::Ios17 {
        return Err("recurrent nets must be f32 before iOS 17".into());
    }
    let mut known = |held: &Held| {
        let known = held.var.known.clone().filter(|_| held.is_whole()).ok_or("weights must be constants")?;
        Ok::<_, super::writer::Declined>(Arc::new(known))
    };
    let weights = [known(net.weights[0])?, known(net.weights[1])?];
    let bias = match net.biases {
        [Some(a), Some(b)] => Some(Arc::new(Known::Sum(known(a)?, known(b)?))),
        [a, b] => a.or(b).map(&mut known).transpose()?,
    };
    let in_order = |known: Arc<Known>| match order.is_sorted() {
        true => Known::clone(&known),
        false => Known::Reordered { of: known, parts: order.len(), order: order.to_vec() },
    };
    let mut constant =
        |known: Arc<Known>, dims: &[usize], like| w.known(in_order(known), elem, dims.to_vec(), like);
    let [weight_ih, weight_hh] = weights;
    let weight_ih = constant(weight_ih, &net.weights[0].dims, "weight_ih");
    let weight_hh = constant(weight_hh, &net.weights[1].dims, "weight_hh");
    let bias = bias.map(|bias| constant(bias, &net.weights[1].dims[..1], "bias"));
    let turned = |w: &mut ProgramWriter, x: Var| match net.reverse {
        true => {
            w.op("reverse", [("x", (&x).into()), ("axes", Arg::from(&[0usize][..]))], x.elem, x.dims.clone())
        }
        false => x,
    };
    let full = w.full(net.x);
    let x = turned(w, full);
    let mut inputs: Vec<(&'static str, Arg)> = vec![("x", (&x).into())];
    for (name, state) in INITIAL.into_iter().zip(net.initial) {
        let state = w.full(state);
        inputs.push((name, (&state).into()));
    }
    inputs.extend([("weight_ih", (&weight_ih).into()), ("weight_hh", (&weight_hh).into())]);
    inputs.extend(bias.iter().map(|bias| ("bias", bias.into())));
    inputs.extend([("direction", "forward".into()), ("output_sequence", true.into())]);
    inputs.extend(settings.iter().map(|&(name, value)| (name, value.into())));
    let last = net.initial[0].dims.clone();
    let sequence = [&x.dims[..1], &last[..]].concat();
    let mut results = vec![(elem, sequence)];
    results.extend(net.initial.iter().map(|_| (elem, last.clone())));
    let mut results = w.results(kind, inputs, results, Vec::new());
    let all = results.remove(0);
    let all = turned(w, all);
    Ok(std::iter::once(all).chain(results).map(Held::whole).collect())
}

/// Returns the operands of a net in the order of its op: x, initial states, weights, and biases that may be missing.
pub(super) fn operands(x: &[Held], states: usize, reverse: bool) -> Option<Recurrent<'_>> {
    let (first, rest) = x.split_first()?;
    let (initial, rest) = rest.split_at_checked(states)?;
    let [weight_ih, weight_hh, biases @ ..] = rest else { return None };
    Some(Recurrent {
        x: first,
        initial,
        weights: [weight_ih, weight_hh],
        biases: [biases.first(), biases.get(1)],
        reverse,
    })
}
