//! The table of optimizers: one row per optimizer, with its settings, their defaults and ranges. `rules` defines what each computes.

use crate::setting::table;

table! {
    /// How parameters are updated from their gradients. `lr` is the learning rate, and `t` the number of the update, counted from 1.
    ///
    /// In text form, an optimizer is `adamw`, or with settings, `adamw(weight_decay=0.1, b2=0.95)`; other settings have their defaults.
    #[derive(Clone, Copy, PartialEq, Debug)]
    Optimizer "optimizer", pub constructors {
        /// Gradient descent: v ← momentum·v + g, w ← w − lr·v. Without momentum, there is no state.
        "sgd" Sgd sgd {
            /// Weight of the previous direction; 0 by default.
            momentum: f64 = 0.0, Decay;
        }
        /// Gradient descent with Nesterov's momentum: v ← momentum·v + g, w ← w − lr·(g + momentum·v). (Sutskever et al. 2013.)
        "nesterov" Nesterov nesterov {
            /// Weight of the previous direction.
            momentum: f64 = 0.9, Decay;
        }
        /// Adam: m ← b1·m + (1 − b1)·g, v ← b2·v + (1 − b2)·g², w ← w − lr·m̂ / (√v̂ + eps), where m̂ = m / (1 − b1^t) and
        /// v̂ = v / (1 − b2^t). (Kingma, Ba 2014, <https://arxiv.org/abs/1412.6980>.)
        "adam" Adam adam {
            /// Weight of the old mean of gradients.
            b1: f64 = 0.9, Decay;
            /// Weight of the old mean of squares.
            b2: f64 = 0.999, Decay;
            /// Added to the square root.
            eps: f64 = 1e-8, NotNegative;
        }
        /// Adam with decoupled weight decay, which also subtracts lr·weight_decay·w. (Loshchilov, Hutter 2017,
        /// <https://arxiv.org/abs/1711.05101>.)
        "adamw" AdamW adamw {
            /// Weight of the old mean of gradients.
            b1: f64 = 0.9, Decay;
            /// Weight of the old mean of squares.
            b2: f64 = 0.999, Decay;
            /// Added to the square root.
            eps: f64 = 1e-8, NotNegative;
            /// Weight of the parameter in the step, which lr multiplies; the default is optax's (PyTorch's is 0.01).
            weight_decay: f64 = 1e-4, NotNegative;
        }
        /// Steps of equal size for all elements, with the sign of a mean: u = sign(b1·m + (1 − b1)·g), m ← b2·m + (1 − b2)·g,
        /// w ← w − lr·(u + weight_decay·w). (Chen et al. 2023, <https://arxiv.org/abs/2302.06675>.)
        "lion" Lion lion {
            /// Weight of the old mean in the direction.
            b1: f64 = 0.9, Decay;
            /// Weight of the old mean in the new one.
            b2: f64 = 0.99, Decay;
            /// Weight of the parameter in the step, which lr multiplies.
            weight_decay: f64 = 1e-3, NotNegative;
        }
        /// Updates matrices along their momentum, which Newton–Schulz iterations make orthogonal, and all other parameters with AdamW (with
        /// Nesterov's momentum if `nesterov` is set). A matrix keeps m ← beta·m + (1 − beta)·g, and its direction is scaled by √max(1,
        /// out/in), where `in` is the axis that products sum over: the models of `rlx train` are `[out, in]`. (Jordan 2024,
        /// <https://kellerjordan.github.io/posts/muon/>; bias correction as in optax.)
        "muon" Muon muon {
            /// Weight of the old mean of a matrix's gradients.
            beta: f64 = 0.95, Decay;
            /// Whether directions look one step ahead, as a mean of the new m and g.
            nesterov: bool = true, Finite;
            /// Number of Newton–Schulz iterations.
            ns_steps: usize = 5, NotNegative;
            /// Added to the norm of a matrix, and to AdamW's square root.
            eps: f64 = 1e-8, NotNegative;
            /// Weight of a matrix in its step, which lr multiplies.
            weight_decay: f64 = 0.0, NotNegative;
            /// If not 0, directions are scaled by consistent_rms·√max(in, out) instead; 0.2 makes them about as large as AdamW's. (Liu et
            /// al. 2025, <https://arxiv.org/abs/2502.16982>.)
            consistent_rms: f64 = 0.0, NotNegative;
            /// AdamW's weight of the old mean of gradients.
            adam_b1: f64 = 0.9, Decay;
            /// AdamW's weight of the old mean of squares.
            adam_b2: f64 = 0.999, Decay;
            /// AdamW's weight decay.
            adam_weight_decay: f64 = 0.0, NotNegative;
        }
        /// Divides gradients by an estimate h of the Hessian's diagonal: u = clip(m̂ / max(gamma·h, eps), ±clip_threshold), w ← w − lr·(u +
        /// weight_decay·w). After the first update and each update_interval-th one after it, h includes a new estimate: h ← b2·h + (1 −
        /// b2)·estimate, where the estimate is Hutchinson's, from the update's examples at the old w. (Liu et al. 2023,
        /// <https://arxiv.org/abs/2305.14342>; order and bias correction as in optax.)
        "sophia" Sophia sophia {
            /// Weight of the old mean of gradients.
            b1: f64 = 0.965, Decay;
            /// Weight of the old mean of estimates.
            b2: f64 = 0.99, Decay;
            /// Minimum denominator.
            eps: f64 = 1e-8, Positive;
            /// Factor of h.
            gamma: f64 = 0.01, NotNegative;
            /// Maximum step per element, before it is multiplied by lr; `inf` means no limit.
            clip_threshold: f64 = 1.0, Positive;
            /// Weight of the parameter in the step, which lr multiplies.
            weight_decay: f64 = 1e-4, NotNegative;
            /// Number of updates between estimates of the Hessian's diagonal. Training sessions compute the estimates; code that builds
            /// updates directly passes them as [`Operands::hessian`](crate::Operands).
            update_interval: usize = 10, Count;
        }
        /// AdamW with its direction u scaled to the norm of the parameter: w ← w − lr·(‖w‖/‖u‖)·u, for large batches. (You et al. 2019,
        /// <https://arxiv.org/abs/1904.00962>.)
        "lamb" Lamb lamb {
            /// Weight of the old mean of gradients.
            b1: f64 = 0.9, Decay;
            /// Weight of the old mean of squares.
            b2: f64 = 0.999, Decay;
            /// Added to the square root.
            eps: f64 = 1e-6, NotNegative;
            /// Weight of the parameter in the direction.
            weight_decay: f64 = 0.0, NotNegative;
        }
        /// Divides gradients by the square root of a mean of squares, of which matrices keep only sums of rows and columns. Steps are
        /// limited in size, and relative to the size of the parameter. lr does not scale the weight decay. (Shazeer, Stern 2018,
        /// <https://arxiv.org/abs/1804.04235>.)
        "adafactor" Adafactor adafactor {
            /// The two largest axes are kept as rows and columns if both are at least this long.
            min_dim_size_to_factor: usize = 128, NotNegative;
            /// The old mean of squares has the weight 1 − t^−decay_rate.
            decay_rate: f64 = 0.8, NotNegative;
            /// Whether steps are multiplied by the root mean square of the parameter (at least 10⁻³).
            multiply_by_parameter_scale: bool = true, Finite;
            /// Maximum root mean square of a direction; `inf` means no limit.
            clipping_threshold: f64 = 1.0, Positive;
            /// Weight of the old mean of steps; 0 disables the mean, which then needs no state.
            momentum: f64 = 0.0, Decay;
            /// Share of the parameter that is subtracted in each step.
            weight_decay: f64 = 0.0, NotNegative;
            /// Added to squares.
            eps: f64 = 1e-30, NotNegative;
        }
    }
}

impl Optimizer {
    /// Whether the update after `step` others needs an estimate of the Hessian's diagonal. For Sophia, this is every `update_interval`-th
    /// update, beginning with the first.
    pub fn takes_estimate(&self, step: u64) -> bool {
        match *self {
            Optimizer::Sophia { update_interval, .. } => step.is_multiple_of(update_interval.max(1) as u64),
            _ => false,
        }
    }

    /// Whether the optimizer has weight decay for some parameter, so that a weight-decay mask matters.
    pub fn has_weight_decay(&self) -> bool {
        match *self {
            Optimizer::Sgd { .. } | Optimizer::Nesterov { .. } | Optimizer::Adam { .. } => false,
            Optimizer::AdamW { weight_decay, .. }
            | Optimizer::Lion { weight_decay, .. }
            | Optimizer::Sophia { weight_decay, .. }
            | Optimizer::Lamb { weight_decay, .. }
            | Optimizer::Adafactor { weight_decay, .. } => weight_decay > 0.0,
            Optimizer::Muon { weight_decay, adam_weight_decay, .. } => {
                weight_decay > 0.0 || adam_weight_decay > 0.0
            }
        }
    }
}
