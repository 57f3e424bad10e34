//! The samplers: one row each.

use super::{Candidates, Sampling};
use rlx_ir::{DType, ReduceOp, Tensor};

/// A sampler: its name, whether settings switch it on, and what it does.
struct SamplerRow {
    name: &'static str,
    is_on: fn(&Sampling) -> bool,
    apply: fn(Candidates, &Sampling) -> Candidates,
}

macro_rules! samplers {
    ($($(#[$meta:meta])* $kind:ident $name:literal if $is_on:expr => $apply:expr;)*) => {
        /// A sampler. The order here is the default one.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum SamplerKind {
            $($(#[$meta])* $kind,)*
        }

        impl SamplerKind {
            /// All, in their default order.
            pub const ALL: &[SamplerKind] = &[$(SamplerKind::$kind),*];

            fn row(self) -> SamplerRow {
                match self {
                    $(SamplerKind::$kind => SamplerRow { name: $name, is_on: $is_on, apply: $apply },)*
                }
            }
        }
    };
}

samplers! {
    /// Adds what was set to the logits of tokens.
    Bias "bias" if |s| !s.bias.is_empty() => bias;
    /// Makes tokens that were there lately less likely, or more.
    Penalties "penalties" if |s| s.penalises() => penalties;
    /// Makes tokens less likely that go on with a repetition.
    Dry "dry" if |s| s.is_dry() => dry;
    /// Keeps tokens whose logits are near the largest, measured by how far all are apart.
    TopNSigma "top_n_sigma" if |s| s.top_n_sigma > 0.0 => top_n_sigma;
    /// Keeps the most likely tokens.
    TopK "top_k" if |s| s.top_k > 0 => top_k;
    /// Keeps tokens that are about as surprising as the average.
    Typical "typical" if |s| s.typical_p < 1.0 => typical;
    /// Keeps the most likely tokens up to a probability.
    TopP "top_p" if |s| s.top_p < 1.0 => top_p;
    /// Keeps tokens that are not much less likely than the most likely one.
    MinP "min_p" if |s| s.min_p > 0.0 => min_p;
    /// Leaves the most likely tokens out now and then.
    Xtc "xtc" if |s| s.xtc_probability > 0.0 => xtc;
    /// Flattens the distribution, or sharpens it.
    Temperature "temperature" if |s| s.temperature != 0.0 && s.temperature != 1.0 => temperature;
    /// Keeps tokens up to a surprise, which follows that of the tokens that were drawn.
    Mirostat "mirostat" if |s| s.mirostat_tau > 0.0 => mirostat;
}

impl SamplerKind {
    /// The name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The sampler with a name.
    pub fn named(name: &str) -> Option<Self> {
        SamplerKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    pub(super) fn apply(self, candidates: Candidates, sampling: &Sampling) -> Candidates {
        let row = self.row();
        if (row.is_on)(sampling) { (row.apply)(candidates, sampling) } else { candidates }
    }
}

fn bias(c: Candidates, _: &Sampling) -> Candidates {
    let bias = c.bias.take(&c.ids, 0);
    Candidates { logits: &c.logits + &bias, sorted: false, ..c }
}

/// Repetition as in CTRL (Keskar et al. 2019), frequency and presence as OpenAI has them.
fn penalties(c: Candidates, s: &Sampling) -> Candidates {
    let counts = c.counts.take(&c.ids, 0);
    let zero = c.logits.scalar_like(0.0);
    let seen = counts.greater(&zero);
    let repeated = c
        .logits
        .greater(&zero)
        .select(&(&c.logits / s.repetition_penalty), &(&c.logits * s.repetition_penalty));
    let logits = seen.select(&repeated, &c.logits);
    let presence = seen.convert(DType::F32) * s.presence_penalty;
    Candidates { logits: logits - counts * s.frequency_penalty - presence, sorted: false, ..c }
}

/// Weidmann, 2024: <https://github.com/oobabooga/text-generation-webui/pull/5677>.
fn dry(c: Candidates, _: &Sampling) -> Candidates {
    let repetition = c.repetition.take(&c.ids, 0);
    Candidates { logits: &c.logits - &repetition, sorted: false, ..c }
}

/// Tang et al., 2024: <https://arxiv.org/abs/2411.07641>. Tokens that are out already do not count.
fn top_n_sigma(c: Candidates, s: &Sampling) -> Candidates {
    let dims = c.logits.dims();
    let zero = c.logits.scalar_like(0.0).broadcast_to(&dims);
    let is_in = c.logits.greater(&c.logits.scalar_like(f64::NEG_INFINITY));
    let sum = |x: &Tensor| x.reduce(ReduceOp::Sum, &[0], true);
    let count = sum(&is_in.convert(DType::F32));
    let mean = sum(&is_in.select(&c.logits, &zero)) / &count;
    let off = is_in.select(&(&c.logits - mean.broadcast_to(&dims)), &zero);
    let deviation = (sum(&(&off * &off)) / count).sqrt();
    let least = c.logits.reduce(ReduceOp::Max, &[0], true) - deviation * s.top_n_sigma;
    let logits = keep(&c.logits, &c.logits.greater_equal(&least));
    Candidates { logits, ..c }
}

/// Weidmann, 2024: <https://github.com/oobabooga/text-generation-webui/pull/6335>.
fn xtc(c: Candidates, s: &Sampling) -> Candidates {
    let count = c.count;
    let c = largest(c, count);
    let likely =
        c.logits.softmax(0).greater_equal(&c.logits.scalar_like(s.xtc_threshold)).convert(DType::F32);
    // Of the likely tokens in front, the last one stays.
    let behind = likely.reduce(ReduceOp::Sum, &[0], true) - likely.cumsum(0);
    let fate = c.chance.less_equal(&c.chance.scalar_like(s.xtc_probability)).convert(DType::F32);
    let left_out = likely * behind * fate.broadcast_to(&c.logits.dims());
    let logits = keep(&c.logits, &left_out.less_equal(&left_out.scalar_like(0.0)));
    Candidates { logits, ..c }
}

/// Mirostat 2 (Basu et al., 2020, <https://arxiv.org/abs/2007.14966>).
fn mirostat(c: Candidates, _: &Sampling) -> Candidates {
    let count = c.count;
    let c = largest(c, count);
    let surprise = -c.logits.log_softmax(0) / std::f64::consts::LN_2;
    // The most likely token stays whatever its surprise is.
    let least = surprise.reduce(ReduceOp::Min, &[0], true);
    let logits = keep(&c.logits, &surprise.less_equal(&c.surprise.maximum(&least)));
    Candidates { logits, ..c }
}

fn top_k(c: Candidates, s: &Sampling) -> Candidates {
    largest(c, s.top_k)
}

/// The k largest, largest first.
fn largest(c: Candidates, k: usize) -> Candidates {
    let k = k.min(c.count);
    if c.sorted && k == c.count {
        return c;
    }
    let (logits, order) = c.logits.top_k(k);
    Candidates { logits, ids: c.ids.take(&order, 0), count: k, sorted: true, ..c }
}

/// Nucleus sampling (Holtzman et al. 2020).
fn top_p(c: Candidates, s: &Sampling) -> Candidates {
    let count = c.count;
    let c = largest(c, count);
    let logits = keep_until(&c.logits, &c.logits.softmax(0), s.top_p);
    Candidates { logits, ..c }
}

/// The logits, without those in front of which the probabilities of others add up to p.
fn keep_until(logits: &Tensor, probabilities: &Tensor, p: f64) -> Tensor {
    let before = probabilities.cumsum(0) - probabilities;
    // The first stays whatever p is.
    let p = p.max(f64::from(f32::MIN_POSITIVE));
    keep(logits, &before.less(&logits.scalar_like(p)))
}

fn keep(logits: &Tensor, which: &Tensor) -> Tensor {
    which.select(logits, &logits.scalar_like(f64::NEG_INFINITY).broadcast_to(&logits.dims()))
}

fn min_p(c: Candidates, s: &Sampling) -> Candidates {
    let least = c.logits.reduce(ReduceOp::Max, &[0], true) + s.min_p.ln();
    let logits = keep(&c.logits, &c.logits.greater_equal(&least));
    Candidates { logits, ..c }
}

/// Locally typical sampling (Meister et al. 2022).
fn typical(c: Candidates, s: &Sampling) -> Candidates {
    let logs = c.logits.log_softmax(0);
    let probabilities = logs.exp();
    let zero = logs.scalar_like(0.0).broadcast_to(&logs.dims());
    let finite = probabilities.greater(&zero);
    let terms = finite.select(&(&probabilities * &logs), &zero);
    let entropy = -terms.reduce(ReduceOp::Sum, &[0], true);
    let surprise = finite
        .select(&-(-&logs - entropy).abs(), &logs.scalar_like(f64::NEG_INFINITY).broadcast_to(&logs.dims()));
    let (_, order) = surprise.top_k(c.count);
    let logits = keep_until(&c.logits.take(&order, 0), &probabilities.take(&order, 0), s.typical_p);
    Candidates { logits, ids: c.ids.take(&order, 0), sorted: false, ..c }
}

fn temperature(c: Candidates, s: &Sampling) -> Candidates {
    Candidates { logits: &c.logits / s.temperature, ..c }
}
