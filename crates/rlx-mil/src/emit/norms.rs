//! Writes normalizations with given statistics, and of groups of channels.

use super::elementwise::float;
use super::value::{Elem, Held, Var};
use super::writer::{ProgramWriter, Written};

/// The operands of a batch norm, each with one number per channel.
pub(super) struct Statistics<'a> {
    pub(super) gamma: &'a Held,
    pub(super) beta: &'a Held,
    pub(super) mean: &'a Held,
    pub(super) variance: &'a Held,
}

/// Returns one number per channel, followed by axes of size 1.
fn per_channel(w: &mut ProgramWriter, x: &Held, behind: usize) -> Var {
    let mut dims = vec![1; behind + 1];
    dims[0] = x.dims[0];
    let full = w.full(x);
    w.reshape(&full, &dims)
}

/// Writes a batch norm: as its own operation if the statistics are known, otherwise in steps.
pub(super) fn batch_norm(
    w: &mut ProgramWriter,
    axis: usize,
    eps: f64,
    x: &Held,
    of: &Statistics<'_>,
) -> Written {
    let given = [("mean", of.mean), ("variance", of.variance), ("gamma", of.gamma), ("beta", of.beta)];
    if x.elem() != Elem::F32 || given.iter().any(|(_, held)| held.elem() != Elem::F32) {
        return Err("norms are computed in f32".into());
    }
    let full = w.full(x);
    let are_known = given.iter().all(|(_, held)| held.var.known.is_some());
    if axis == 1 && (3..=5).contains(&x.rank()) && are_known {
        let epsilon = w.scalar(eps, Elem::F32);
        let mut inputs = vec![("x", (&full).into())];
        for (place, held) in given {
            let known = match held.var.scalar() {
                Some(number) => w.filled(number, Elem::F32, &held.dims),
                None => held.var.clone(),
            };
            inputs.push((place, (&known).into()));
        }
        inputs.push(("epsilon", (&epsilon).into()));
        return Ok(vec![Held::whole(w.op_of("batch_norm", inputs, Elem::F32, full.dims.clone()))]);
    }
    let behind = x.rank() - axis - 1;
    let [mean, variance, gamma, beta] = given.map(|(_, held)| per_channel(w, held, behind));
    let epsilon = w.scalar(eps, Elem::F32);
    let spread = w.join("add", &variance, &epsilon);
    let none = w.scalar(0.0, Elem::F32);
    let inputs = [("x", (&spread).into()), ("epsilon", (&none).into())];
    let root = w.op("rsqrt", inputs, Elem::F32, spread.dims.clone());
    let factor = w.join("mul", &root, &gamma);
    let centered = w.join("sub", &full, &mean);
    let scaled = w.join("mul", &centered, &factor);
    Ok(vec![Held::whole(w.join("add", &scaled, &beta))])
}

/// Writes a group norm: groups of channels (axis 1) become the channels of an instance norm.
pub(super) fn group_norm(
    w: &mut ProgramWriter,
    groups: usize,
    eps: f64,
    x: &Held,
    gamma: Option<&Held>,
    beta: Option<&Held>,
) -> Written {
    float(x, "norms")?;
    let all_f32 = [Some(x), gamma, beta].into_iter().flatten().all(|held| held.elem() == Elem::F32);
    if !all_f32 || x.rank() < 2 {
        return Err("norms are computed in f32".into());
    }
    let full = w.full(x);
    let count = full.dims.iter().product::<usize>() / (x.dims[0] * groups);
    let flat = w.reshape(&full, &[x.dims[0], groups, count]);
    let epsilon = w.scalar(eps, Elem::F32);
    let inputs = [("x", (&flat).into()), ("epsilon", (&epsilon).into())];
    let even = w.op("instance_norm", inputs, Elem::F32, flat.dims.clone());
    let mut var = w.reshape(&even, &full.dims);
    for (kind, held) in [("mul", gamma), ("add", beta)] {
        if let Some(held) = held {
            let numbers = per_channel(w, held, x.rank() - 2);
            var = w.join(kind, &var, &numbers);
        }
    }
    Ok(vec![Held::whole(var)])
}
