//! The update of one parameter: checks operands, widens them, applies the optimizer's rule, and narrows the results. Owns precision: rules
//! compute only in f32 or f64.

use crate::error::Error;
use crate::optimizer::Optimizer;
use crate::param::Param;
use crate::rules;
use crate::slot::{Initial, MASTER, Slot};
use rlx_ir::{DType, ReduceOp, Shape, Tensor};

/// The operands of an update.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// The parameter.
    pub parameter: &'a Tensor,
    /// The gradient, with the parameter's dimensions and any float type.
    pub gradient: &'a Tensor,
    /// The state, in the order of [`Optimizer::slots`].
    pub state: &'a [Tensor],
    /// The number of updates made before: an integer scalar.
    pub step: &'a Tensor,
    /// The learning rate: a float scalar.
    pub learning_rate: &'a Tensor,
    /// An estimate of the Hessian's diagonal, with the parameter's dimensions. Only Sophia reads it; an update without one keeps the old
    /// estimates.
    pub hessian: Option<&'a Tensor>,
}

/// The results of an update.
#[derive(Clone, Debug)]
pub struct Updated {
    /// The new parameter, with the shape and type of the old one.
    pub parameter: Tensor,
    /// The new state, in the order of [`Optimizer::slots`].
    pub state: Vec<Tensor>,
}

impl Optimizer {
    /// Returns the optimizer's state for a parameter. Parameters of f16, bf16 and 8-bit floats are also kept in f32 (the slot `master`),
    /// and all their state is f32, so that small updates are not lost.
    pub fn slots(&self, param: &Param) -> Result<Vec<Slot>, Error> {
        self.check()?;
        let sizes = param.sizes()?;
        let mut slots = rules::slots(self, param, &sizes);
        if param.shape().dtype() != param.wide() {
            let shape = param.shape().with_dtype(param.wide());
            slots.push(Slot { name: MASTER, shape, initial: Initial::Parameter });
        }
        Ok(slots)
    }

    /// Returns the slot for estimates of the Hessian's diagonal, if the optimizer has one.
    pub fn estimate_slot(&self) -> Option<&'static str> {
        matches!(self, Optimizer::Sophia { .. }).then_some("h")
    }

    /// Returns the new value of [`estimate_slot`](Self::estimate_slot) with an estimate of the Hessian's diagonal, which is the same as
    /// [`update`](Self::update) computes from the estimate. It is for programs that estimate separately from the update. Both operands have
    /// the slot's shape and type. Returns `None` for optimizers without the slot.
    pub fn with_estimate(&self, slot: &Tensor, estimate: &Tensor) -> Option<Tensor> {
        match *self {
            Optimizer::Sophia { b2, .. } => Some(rules::curvature(b2, slot, estimate)),
            _ => None,
        }
    }

    /// Builds the update of a parameter.
    ///
    /// # Errors
    /// Fails if settings are out of range, the parameter is not a float or not of static sizes, or operands do not have the shapes and
    /// types in [`Operands`].
    pub fn update(&self, param: &Param, operands: &Operands<'_>) -> Result<Updated, Error> {
        let slots = self.slots(param)?;
        check(self, param, &slots, operands)?;
        let wide = param.wide();
        let has_master = slots.last().is_some_and(|s| s.name == MASTER);
        let (state, master) = match (has_master, operands.state.split_last()) {
            (true, Some((master, state))) => (state, master),
            _ => (operands.state, operands.parameter),
        };
        let lr = operands.learning_rate.convert(wide);
        let cx = RuleContext {
            param,
            w: master.clone(),
            g: operands.gradient.convert(wide),
            state,
            t: operands.step.convert(wide) + 1.0,
            lr: if param.lr_factor() == 1.0 { lr } else { lr * param.lr_factor() },
            hessian: operands.hessian.map(|h| h.convert(wide)),
        };
        let (w, mut state) = rules::update(self, &cx);
        let parameter = w.convert(param.shape().dtype());
        if has_master {
            state.push(w);
        }
        Ok(Updated { parameter, state })
    }
}

/// The operands of a rule, all in the wide type of the parameter.
pub(crate) struct RuleContext<'a> {
    pub(crate) param: &'a Param,
    /// The parameter.
    pub(crate) w: Tensor,
    /// The gradient.
    pub(crate) g: Tensor,
    /// The state of the rule.
    pub(crate) state: &'a [Tensor],
    /// The number of this update, from 1: a scalar.
    pub(crate) t: Tensor,
    /// The learning rate of this parameter: a scalar.
    pub(crate) lr: Tensor,
    /// An estimate of the Hessian's diagonal.
    pub(crate) hessian: Option<Tensor>,
}

impl RuleContext<'_> {
    /// Returns the running mean with one more value: beta·mean + (1 − beta)·x.
    pub(crate) fn mean(&self, beta: f64, of: &Tensor, x: &Tensor) -> Tensor {
        mean(beta, of, x)
    }

    /// Returns 1 − beta^(t + after), the total weight of a running mean of t values that starts at zero. It is computed with expm1 because
    /// the difference would cancel for beta near 1.
    pub(crate) fn weight(&self, beta: f64, after: f64) -> Tensor {
        if beta == 0.0 {
            return self.t.scalar_like(1.0);
        }
        let t = if after == 0.0 { self.t.clone() } else { &self.t + after };
        -(t * beta.ln()).expm1()
    }

    /// Predicts the mean of gradients one step ahead, without bias: beta·m / (1 − beta^(t+1)) + (1 − beta)·g / (1 − beta^t).
    pub(crate) fn ahead(&self, beta: f64, m: &Tensor) -> Tensor {
        let of_mean = beta / self.weight(beta, 1.0);
        let of_gradient = (1.0 - beta) / self.weight(beta, 0.0);
        of_mean * m + of_gradient * &self.g
    }

    /// Adds weight decay to a direction, if it applies to the parameter.
    pub(crate) fn decayed(&self, direction: Tensor, weight_decay: f64) -> Tensor {
        if weight_decay == 0.0 || !self.param.decays() {
            return direction;
        }
        direction + weight_decay * &self.w
    }

    /// Returns the parameter after a step against a direction: w − lr·direction.
    pub(crate) fn descended(&self, direction: &Tensor) -> Tensor {
        &self.w - &self.lr * direction
    }
}

/// Returns the running mean with one more value: beta·mean + (1 − beta)·x.
pub(crate) fn mean(beta: f64, mean: &Tensor, x: &Tensor) -> Tensor {
    beta * mean + (1.0 - beta) * x
}

/// Returns all axes of a tensor.
pub(crate) fn all_axes(x: &Tensor) -> Vec<usize> {
    (0..x.rank()).collect()
}

/// Returns the Euclidean norm along axes.
pub(crate) fn norm(x: &Tensor, axes: &[usize]) -> Tensor {
    (x * x).reduce(ReduceOp::Sum, axes, false).sqrt()
}

fn check(optimizer: &Optimizer, param: &Param, slots: &[Slot], operands: &Operands<'_>) -> Result<(), Error> {
    let wrong = |operand: String, expected: String, got: Shape| Error::Operand {
        name: param.name().into(),
        operand,
        expected,
        got,
    };
    let exact = |operand: String, expected: &Shape, got: Shape| {
        if got == *expected { Ok(()) } else { Err(wrong(operand, expected.to_string(), got)) }
    };
    if slots.len() != operands.state.len() {
        let (name, expected, got) = (param.name().into(), slots.len(), operands.state.len());
        return Err(Error::State { optimizer: optimizer.name(), name, expected, got });
    }
    exact("the value".into(), param.shape(), operands.parameter.shape())?;
    for (slot, tensor) in slots.iter().zip(operands.state) {
        exact(format!("the state `{}`", slot.name), &slot.shape, tensor.shape())?;
    }
    let floats = [("the gradient", Some(operands.gradient)), ("the Hessian's diagonal", operands.hessian)];
    for (what, tensor) in floats {
        let Some(got) = tensor.map(Tensor::shape) else { continue };
        if got.dims() != param.shape().dims() || !got.dtype().is_float() {
            return Err(wrong(what.into(), format!("a float tensor like {}", param.shape()), got));
        }
    }
    let scalar = |what: &str, tensor: &Tensor, expected: &str, fits: fn(DType) -> bool| {
        let got = tensor.shape();
        let fits = got.is_scalar() && fits(got.dtype());
        if fits { Ok(()) } else { Err(wrong(what.into(), expected.into(), got)) }
    };
    scalar("the step number", operands.step, "an integer scalar", DType::is_int)?;
    scalar("the learning rate", operands.learning_rate, "a float scalar", DType::is_float)?;
    if !param.lr_factor().is_finite() {
        let (of, setting) = (param.name().into(), "lr_factor".into());
        return Err(Error::Setting { of, setting, problem: "must be finite".into() });
    }
    Ok(())
}
