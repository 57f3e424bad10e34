//! The samplers, one row each.

use super::{Choice, Sampling};
use rlx_ir::{Candidates, DType, LogitFilter, OpError, ReduceOp, Tensor};

/// A sampler: its name, the condition for being active, and what it does.
struct SamplerRow {
    name: &'static str,
    is_on: fn(&Sampling) -> bool,
    work: SamplerWork,
}

/// What a sampler does.
enum SamplerWork {
    /// Uses filters of the op `sample`.
    Filters(fn(&Sampling) -> Vec<LogitFilter>),
    /// Uses steps that the op does not have.
    Steps(fn(Candidates, &Choice, &Sampling) -> Candidates),
}

macro_rules! samplers {
    ($($(#[$meta:meta])* $kind:ident $name:literal if $is_on:expr => $work:expr;)*) => {
        /// A sampler. The order here is the default one.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum SamplerKind {
            $($(#[$meta])* $kind,)*
        }

        impl SamplerKind {
            /// All samplers in their default order.
            pub const ALL: &[SamplerKind] = &[$(SamplerKind::$kind),*];

            fn row(self) -> SamplerRow {
                match self {
                    $(SamplerKind::$kind => SamplerRow { name: $name, is_on: $is_on, work: $work },)*
                }
            }
        }
    };
}

samplers! {
    /// Adds the configured biases to logits.
    Bias "bias" if |s| !s.bias.is_empty() => SamplerWork::Filters(|_| vec![LogitFilter::Bias]);
    /// Makes tokens that occurred recently less likely, or more.
    Penalties "penalties" if |s| s.penalises() => SamplerWork::Filters(penalties);
    /// Makes tokens that continue a repetition less likely.
    Dry "dry" if |s| s.is_dry() => SamplerWork::Steps(dry);
    /// Keeps tokens whose logits are close to the largest one, relative to the spread of all logits.
    TopNSigma "top_n_sigma" if |s| s.top_n_sigma > 0.0 => SamplerWork::Steps(top_n_sigma);
    /// Keeps the most likely tokens.
    TopK "top_k" if |s| s.top_k > 0 => SamplerWork::Filters(|s| vec![LogitFilter::TopK(s.top_k.min(i32::MAX as usize))]);
    /// Keeps the tokens closest to average surprise.
    Typical "typical" if |s| s.typical_p < 1.0 => SamplerWork::Filters(|s| vec![LogitFilter::Typical(s.typical_p)]);
    /// Keeps the most likely tokens up to a total probability.
    TopP "top_p" if |s| s.top_p < 1.0 => SamplerWork::Filters(|s| vec![LogitFilter::TopP(s.top_p)]);
    /// Keeps tokens that are not much less likely than the most likely one.
    MinP "min_p" if |s| s.min_p > 0.0 => SamplerWork::Filters(|s| vec![LogitFilter::MinP(s.min_p)]);
    /// Randomly removes the most likely tokens.
    Xtc "xtc" if |s| s.xtc_probability > 0.0 => SamplerWork::Steps(xtc);
    /// Flattens or sharpens the distribution.
    Temperature "temperature" if |s| s.temperature != 0.0 && s.temperature != 1.0
        => SamplerWork::Filters(|s| vec![LogitFilter::Temperature(s.temperature)]);
    /// Keeps tokens up to a maximum surprise, which adapts to the surprise of the drawn tokens.
    Mirostat "mirostat" if |s| s.mirostat_tau > 0.0 => SamplerWork::Steps(mirostat);
}

impl SamplerKind {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the sampler with this name.
    pub fn named(name: &str) -> Option<Self> {
        SamplerKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns the filters of the op `sample` that implement the sampler: none if it is off, `None` if the op does
    /// not have it.
    pub(super) fn filters(self, sampling: &Sampling) -> Option<Vec<LogitFilter>> {
        let row = self.row();
        match row.work {
            _ if !(row.is_on)(sampling) => Some(Vec::new()),
            SamplerWork::Filters(filters) => Some(filters(sampling)),
            SamplerWork::Steps(_) => None,
        }
    }

    /// Returns the candidates that the sampler keeps.
    pub(super) fn apply(
        self,
        candidates: Candidates,
        choice: &Choice,
        sampling: &Sampling,
    ) -> Result<Candidates, OpError> {
        let row = self.row();
        match row.work {
            _ if !(row.is_on)(sampling) => Ok(candidates),
            SamplerWork::Filters(filters) => {
                filters(sampling).into_iter().try_fold(candidates, |c, filter| {
                    c.filtered(filter, Some(&choice.counts), Some(&choice.bias))
                })
            }
            SamplerWork::Steps(steps) => Ok(steps(candidates, choice, sampling)),
        }
    }
}

/// The repetition penalty is that of CTRL (Keskar et al. 2019); frequency and presence penalties are those of OpenAI.
fn penalties(s: &Sampling) -> Vec<LogitFilter> {
    let repetition = (s.repetition_penalty != 1.0).then_some(LogitFilter::Repetition(s.repetition_penalty));
    let frequency = (s.frequency_penalty != 0.0).then_some(LogitFilter::Frequency(s.frequency_penalty));
    let presence = (s.presence_penalty != 0.0).then_some(LogitFilter::Presence(s.presence_penalty));
    [repetition, frequency, presence].into_iter().flatten().collect()
}

/// Weidmann, 2024: <https://github.com/oobabooga/text-generation-webui/pull/5677>.
fn dry(c: Candidates, choice: &Choice, _: &Sampling) -> Candidates {
    let logits = c.logits() - &c.of(&choice.repetition);
    c.with_logits(logits)
}

/// Tang et al., 2024: <https://arxiv.org/abs/2411.07641>. Tokens that were already removed do not count.
fn top_n_sigma(c: Candidates, _: &Choice, s: &Sampling) -> Candidates {
    let x = c.logits();
    let dims = x.dims();
    let zero = x.scalar_like(0.0).broadcast_to(&dims);
    let is_in = x.greater(&x.scalar_like(f64::NEG_INFINITY));
    let sum = |x: &Tensor| x.reduce(ReduceOp::Sum, &[0], true);
    let count = sum(&is_in.convert(DType::F32));
    let mean = sum(&is_in.select(x, &zero)) / &count;
    let off = is_in.select(&(x - mean.broadcast_to(&dims)), &zero);
    let deviation = (sum(&(&off * &off)) / count).sqrt();
    let least = x.reduce(ReduceOp::Max, &[0], true) - deviation * s.top_n_sigma;
    let which = x.greater_equal(&least);
    c.keep(&which)
}

/// Weidmann, 2024: <https://github.com/oobabooga/text-generation-webui/pull/6335>.
fn xtc(c: Candidates, choice: &Choice, s: &Sampling) -> Candidates {
    let c = c.sorted();
    let x = c.logits();
    let likely = x.softmax(0).greater_equal(&x.scalar_like(s.xtc_threshold)).convert(DType::F32);
    // The number of likely tokens after each one. It is 0 for the last likely token, which is kept.
    let behind = likely.reduce(ReduceOp::Sum, &[0], true) - likely.cumsum(0);
    let fate = choice.chance.less_equal(&choice.chance.scalar_like(s.xtc_probability)).convert(DType::F32);
    let left_out = likely * behind * fate.broadcast_to(&x.dims());
    c.keep(&left_out.less_equal(&left_out.scalar_like(0.0)))
}

/// Mirostat 2 (Basu et al., 2020, <https://arxiv.org/abs/2007.14966>).
fn mirostat(c: Candidates, choice: &Choice, _: &Sampling) -> Candidates {
    let c = c.sorted();
    let surprise = -c.logits().log_softmax(0) / std::f64::consts::LN_2;
    // The most likely token is kept whatever its surprise.
    let least = surprise.reduce(ReduceOp::Min, &[0], true);
    c.keep(&surprise.less_equal(&choice.surprise.maximum(&least)))
}
