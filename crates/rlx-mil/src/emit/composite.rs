//! Writes composites for which programs have a single operation.

use super::contraction::batched;
use super::elementwise::float;
use super::value::{Elem, Held, Known, Var, sizes};
use super::writer::{Arg, Const, ProgramWriter, Written};
use rlx_ir::{Activation, Dim, ReduceOp, Shape};

pub(super) fn activation(w: &mut ProgramWriter, kind: Activation, x: &Held) -> Written {
    float(x, "functions")?;
    let v = &x.var;
    let var = match kind {
        Activation::Relu => w.map("relu", v),
        Activation::Relu6 => w.map("relu6", v),
        Activation::Gelu => gelu(w, v, "EXACT"),
        Activation::GeluTanh => gelu(w, v, "TANH_APPROXIMATION"),
        Activation::Silu => w.map("silu", v),
        Activation::Sigmoid => w.map("sigmoid", v),
        Activation::Softplus => w.map("softplus", v),
        Activation::Elu => with_alpha(w, "elu", v, 1.0),
        // In these steps, because 1/6 cannot be represented exactly.
        Activation::HardSigmoid => {
            let moved = w.with("add", v, 3.0);
            let bent = w.map("relu6", &moved);
            w.with("real_div", &bent, 6.0)
        }
        Activation::HardSwish => {
            let moved = w.with("add", v, 3.0);
            let bent = w.map("relu6", &moved);
            let product = w.join("mul", v, &bent);
            w.with("real_div", &product, 6.0)
        }
        Activation::Tanh => w.map("tanh", v),
        Activation::Exp => w.map("exp", v),
        Activation::Sqrt => w.map("sqrt", v),
        Activation::Square => w.map("square", v),
        Activation::Abs => w.map("abs", v),
        _ => return Err(format!("programs have no {kind}").into()),
    };
    Ok(vec![Held { var, dims: x.dims.clone() }])
}

fn gelu(w: &mut ProgramWriter, x: &Var, mode: &'static str) -> Var {
    w.op("gelu", [("x", x.into()), ("mode", mode.into())], x.elem, x.dims.clone())
}

fn with_alpha(w: &mut ProgramWriter, kind: &'static str, x: &Var, alpha: f64) -> Var {
    let alpha = w.scalar(alpha, x.elem);
    w.op(kind, [("x", x.into()), ("alpha", (&alpha).into())], x.elem, x.dims.clone())
}

pub(super) fn elu(w: &mut ProgramWriter, alpha: f64, x: &Held) -> Written {
    float(x, "elu")?;
    Ok(vec![Held { var: with_alpha(w, "elu", &x.var, alpha), dims: x.dims.clone() }])
}

pub(super) fn leaky_relu(w: &mut ProgramWriter, slope: f64, x: &Held) -> Written {
    float(x, "leaky_relu")?;
    Ok(vec![Held { var: with_alpha(w, "leaky_relu", &x.var, slope), dims: x.dims.clone() }])
}

pub(super) fn softmax(w: &mut ProgramWriter, axis: usize, x: &Held) -> Written {
    float(x, "softmax")?;
    let full = w.full(x);
    Ok(vec![Held::whole(w.softmax(&full, axis))])
}

impl ProgramWriter {
    /// Writes softmax of floats along an axis.
    pub(crate) fn softmax(&mut self, x: &Var, axis: usize) -> Var {
        let inputs = [("x", x.into()), ("axis", (axis as i32).into())];
        self.op("softmax", inputs, x.elem, x.dims.clone())
    }
}

pub(super) fn layer_norm(
    w: &mut ProgramWriter,
    axis: usize,
    eps: f64,
    x: &Held,
    gamma: Option<&Held>,
    beta: Option<&Held>,
) -> Written {
    float(x, "norms")?;
    if axis >= x.rank() {
        return Err("a norm needs an axis".into());
    }
    let is_fixed = |of: Option<&Held>| of.is_none_or(|of| of.var.known.is_some());
    let mut full = w.full(x);
    if x.elem() == Elem::F16 && !(is_fixed(gamma) && is_fixed(beta)) {
        // Steps after the norm are not rounded before the end.
        full = w.cast(&full, Elem::F32);
    }
    let elem = full.elem;
    let axes: Vec<usize> = (axis..full.rank()).collect();
    let epsilon = w.epsilon(eps, elem);
    let mut inputs = vec![("x", (&full).into()), ("axes", axes[..].into())];
    let fixed = |of: Option<&Held>| of.filter(|of| of.var.known.is_some() && of.elem() == elem).cloned();
    let (mut rest_gamma, mut rest_beta) = (gamma, beta);
    // A gain or bias that is not known is applied in separate steps, with the sum after the product.
    if let Some(known) = fixed(gamma).filter(|_| beta.is_none() || fixed(beta).is_some()) {
        let known = w.full(&known);
        inputs.push(("gamma", (&known).into()));
        rest_gamma = None;
        if let Some(known) = fixed(beta) {
            let known = w.full(&known);
            inputs.push(("beta", (&known).into()));
            rest_beta = None;
        }
    }
    inputs.push(("epsilon", (&epsilon).into()));
    let mut var = w.op_of("layer_norm", inputs, elem, full.dims.clone());
    if let Some(gamma) = rest_gamma {
        let gamma = w.cast(&gamma.var, elem);
        var = w.join("mul", &var, &gamma);
    }
    if let Some(beta) = rest_beta {
        let beta = w.cast(&beta.var, elem);
        var = w.join("add", &var, &beta);
    }
    Ok(vec![Held::whole(w.cast(&var, x.elem()))])
}

pub(super) fn matmul(w: &mut ProgramWriter, x: &Held, y: &Held) -> Written {
    if x.elem() == Elem::Bool || x.elem() != y.elem() || x.rank() < 2 || y.rank() < 2 {
        return Err("programs have no products of two vectors".into());
    }
    let (x, y) = (w.full(x), w.full(y));
    Ok(vec![Held::whole(batched(w, &x, &y, false)?)])
}

pub(super) fn expand(dims: &[Dim], x: &Held) -> Written {
    let dims = super::shaping::known_sizes(dims)?;
    Ok(vec![Held { var: x.var.clone(), dims }])
}

pub(super) fn clip(w: &mut ProgramWriter, low: Option<f64>, high: Option<f64>, x: &Held) -> Written {
    float(x, "clip")?;
    let mut var = x.var.clone();
    if let (Some(low), None) = (low, high) {
        return Ok(vec![Held { var: with_alpha(w, "threshold", &var, low), dims: x.dims.clone() }]);
    }
    if let Some(low) = low {
        var = w.with("maximum", &var, low);
    }
    if let Some(high) = high {
        var = w.with("minimum", &var, high);
    }
    Ok(vec![Held { var, dims: x.dims.clone() }])
}

/// Writes pooling of images `[N, C, …]`.
pub(super) fn pool(
    w: &mut ProgramWriter,
    op: ReduceOp,
    sizes: &[usize],
    stride: &[usize],
    padding: &[usize],
    x: &Held,
) -> Written {
    let elem = float(x, "pooling")?;
    let kind = match op {
        ReduceOp::Max => "max_pool",
        ReduceOp::Mean => "avg_pool",
        _ => return Err(format!("programs have no pooling by {op}").into()),
    };
    let full = w.full(x);
    let mut dims = full.dims[..2].to_vec();
    for (axis, &size) in sizes.iter().enumerate() {
        // CoreML refuses padding of half a window or more.
        if 2 * padding[axis] > size {
            return Err("padding must be less than half a window".into());
        }
        dims.push((full.dims[axis + 2] + 2 * padding[axis] - size) / stride[axis] + 1);
    }
    let both: Vec<usize> = padding.iter().flat_map(|&n| [n, n]).collect();
    let mut inputs = vec![
        ("x", (&full).into()),
        ("kernel_sizes", sizes.into()),
        ("strides", stride.into()),
        ("pad_type", "custom".into()),
        ("pad", both[..].into()),
        ("ceil_mode", false.into()),
    ];
    if kind == "avg_pool" {
        inputs.push(("exclude_padding_from_average", false.into()));
    }
    Ok(vec![Held::whole(w.op_of(kind, inputs, elem, dims))])
}

/// Writes 1 at each id along a new last axis, and 0 elsewhere. All ids must be in range.
pub(super) fn one_hot(w: &mut ProgramWriter, ids: &Held, depth: usize, result: &Shape) -> Written {
    let (elem, dims) = sizes(result)?;
    let full = w.full(ids);
    // Programs have no one-hot vectors of other types.
    let made = if elem == Elem::Bool { Elem::I32 } else { elem };
    let number = |n: f32| match made {
        Elem::I32 => Arg::Constant(Const::Int(n as i32)),
        elem => Arg::Constant(Const::Float(n, elem)),
    };
    let inputs = vec![
        ("indices", (&full).into()),
        ("one_hot_vector_size", (depth as i32).into()),
        ("axis", (-1).into()),
        ("on_value", number(1.0)),
        ("off_value", number(0.0)),
    ];
    let hot = w.op_of("one_hot", inputs, made, dims);
    Ok(vec![Held::whole(w.cast(&hot, elem))])
}

/// Like [`one_hot`], but writes all zeros for ids that are out of range.
pub(super) fn class_places(w: &mut ProgramWriter, ids: &Held, depth: usize, result: &Shape) -> Written {
    let (elem, _) = sizes(result)?;
    if ids.elem() != Elem::I32 {
        return Err("ids must be i32".into());
    }
    let full = w.full(ids);
    let column = w.reshape(&full, &[&full.dims[..], &[1]].concat());
    let places: Vec<i32> = (0..depth as i32).collect();
    let places = w.ints(&places);
    let hot = w.compare("equal", &column, &places);
    Ok(vec![Held::whole(w.cast(&hot, elem))])
}

/// Writes a draw along an axis. CoreML's generator decides which one; the seed in the key (0, seed) is its seed.
pub(super) fn categorical(w: &mut ProgramWriter, axis: usize, key: &Held, logits: &Held) -> Written {
    let elem = float(logits, "draws")?;
    let seed = match &key.var.known {
        Some(Known::Literal(literal)) => match *literal.bytes().as_chunks::<4>().0 {
            [[0, 0, 0, 0], low] => i32::try_from(u32::from_le_bytes(low)).ok(),
            _ => None,
        },
        // When the op is only checked for support, operands have placeholder values.
        Some(_) => Some(0),
        None => None,
    };
    let seed =
        seed.ok_or("the key of a draw must be (0, seed), a constant of the graph with a seed of 31 bits")?;
    let full = w.full(logits);
    let last: Vec<usize> = (0..full.rank()).filter(|&i| i != axis).chain([axis]).collect();
    let rows = w.transpose(&full, &last);
    let dims = rows.dims[..rows.rank() - 1].to_vec();
    let inputs =
        [("x", (&rows).into()), ("mode", "logits".into()), ("size", 1.into()), ("seed", seed.into())];
    let drawn = w.op("random_categorical", inputs, elem, [&dims[..], &[1]].concat());
    let drawn = w.cast(&drawn, Elem::I32);
    Ok(vec![Held::whole(w.reshape(&drawn, &dims))])
}
