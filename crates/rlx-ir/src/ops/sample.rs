//! Draws the next token of a text: filters narrow the candidates, then one is drawn.
//!
//! A filter is a method of [`Candidates`], and a row of [`LogitFilter`].

use crate::dim::Dim;
use crate::dtype::DType;
use crate::op::kinds::ReduceOp;
use crate::op::{LogitFilter, Op, OpError};
use crate::ops::precision::check_float;
use crate::ops::rng_uniform::check_key;
use crate::shape::Shape;
use crate::tensor::Tensor;

/// Tokens that may come next, along the last axis. A token that was filtered out has the logit −inf, or is missing.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The dimensions of the logits of all tokens.
    all: Vec<Dim>,
    logits: Tensor,
    /// The ids of the tokens; if `None`, all tokens in order.
    ids: Option<Tensor>,
    count: usize,
    /// Whether the largest logit comes first.
    sorted: bool,
}

impl Candidates {
    /// Takes all tokens as candidates, with their logits `[…, vocab]`.
    ///
    /// # Errors
    /// [`OpError`] if the logits are not floats or are a scalar, or if the size of the vocabulary is 0 or symbolic.
    pub fn new(logits: &Tensor) -> Result<Self, OpError> {
        check_float("logits", logits)?;
        match logits.dims().last() {
            Some(&Dim::Static(count)) if (1..=i32::MAX as usize).contains(&count) => Ok(Candidates {
                all: logits.dims(),
                logits: logits.widened(),
                ids: None,
                count,
                sorted: false,
            }),
            _ => Err(OpError::shape(format!(
                "logits must be […, vocab] with a vocabulary of a size that is known and at least 1, got {}",
                logits.shape()
            ))),
        }
    }

    fn axis(&self) -> usize {
        self.logits.rank().saturating_sub(1)
    }

    /// The logits of the candidates.
    pub fn logits(&self) -> &Tensor {
        &self.logits
    }

    /// The ids of the candidates, i32.
    pub fn ids(&self) -> Tensor {
        match &self.ids {
            Some(ids) => ids.clone(),
            None => {
                let shape = Shape::from_dims(&self.logits.dims(), DType::I32);
                self.logits.builder().iota(shape, self.axis())
            }
        }
    }

    /// The entry of each candidate in `values`, which has one value per token of the vocabulary, for all rows or for each row.
    pub fn of(&self, values: &Tensor) -> Tensor {
        let mut dims = self.logits.dims();
        if let Some(vocab) = values.dims().pop() {
            dims.pop();
            dims.push(vocab);
        }
        let values = values.convert(self.logits.dtype()).broadcast_to(&dims);
        match &self.ids {
            Some(ids) => values.gather(ids, self.axis()),
            None => values,
        }
    }

    /// The candidates with other logits, in no particular order.
    pub fn with_logits(self, logits: Tensor) -> Self {
        Candidates { logits, sorted: false, ..self }
    }

    /// Filters out the candidates for which `which` is false.
    pub fn keep(self, which: &Tensor) -> Self {
        let out = self.logits.scalar_like(f64::NEG_INFINITY).broadcast_to(&self.logits.dims());
        Candidates { logits: which.select(&self.logits, &out), ..self }
    }

    /// The candidates at the positions in `order`, which are `count` many.
    fn in_order(self, order: &Tensor, logits: Tensor, count: usize, sorted: bool) -> Self {
        let ids = self.ids.as_ref().map_or_else(|| order.clone(), |ids| ids.gather(order, self.axis()));
        Candidates { logits, ids: Some(ids), count, sorted, ..self }
    }

    /// The k candidates with the largest logits, largest first; of equal ones, the first.
    pub fn largest(self, k: usize) -> Self {
        let k = k.min(self.count);
        if self.sorted && k == self.count {
            return self;
        }
        let (logits, order) = self.logits.top_k(k);
        self.in_order(&order, logits, k, true)
    }

    /// All candidates, largest logit first.
    pub fn sorted(self) -> Self {
        let count = self.count;
        self.largest(count)
    }

    /// Adds to each logit the entry of its token in `bias`.
    fn bias(self, bias: &Tensor) -> Self {
        let logits = &self.logits + &self.of(bias);
        self.with_logits(logits)
    }

    /// Divides positive logits by the penalty, and multiplies negative ones by it, for tokens with a count above 0 (CTRL, Keskar
    /// et al. 2019).
    fn repetition(self, counts: &Tensor, penalty: f64) -> Self {
        let x = &self.logits;
        let zero = x.scalar_like(0.0);
        let repeated = x.greater(&zero).select(&(x / penalty), &(x * penalty));
        let logits = self.of(counts).greater(&zero).select(&repeated, x);
        self.with_logits(logits)
    }

    /// Subtracts the penalty from a logit once per occurrence of its token.
    fn frequency(self, counts: &Tensor, penalty: f64) -> Self {
        let logits = &self.logits - &(self.of(counts) * penalty);
        self.with_logits(logits)
    }

    /// Subtracts the penalty from the logits of tokens that have occurred.
    fn presence(self, counts: &Tensor, penalty: f64) -> Self {
        let seen = self.of(counts).greater(&self.logits.scalar_like(0.0)).convert(self.logits.dtype());
        let logits = &self.logits - &(seen * penalty);
        self.with_logits(logits)
    }

    /// Divides the logits by `temperature`.
    fn temperature(self, temperature: f64) -> Self {
        Candidates { logits: &self.logits / temperature, ..self }
    }

    /// Keeps the most likely tokens, until their probabilities add up to p (nucleus sampling, Holtzman et al. 2020).
    fn top_p(self, p: f64) -> Self {
        let c = self.sorted();
        let probabilities = c.logits.softmax(c.axis());
        c.keep_until(&probabilities, p)
    }

    /// Keeps the candidates for which the probabilities of those before them add up to less than p.
    fn keep_until(self, probabilities: &Tensor, p: f64) -> Self {
        let before = probabilities.cumsum(self.axis()) - probabilities;
        // The first candidate stays, whatever p is.
        let p = p.max(f64::from(f32::MIN_POSITIVE));
        let which = before.less(&self.logits.scalar_like(p));
        self.keep(&which)
    }

    /// Keeps tokens whose probability is at least this share of the largest one.
    fn min_p(self, share: f64) -> Self {
        let axis = self.axis();
        let least = self.logits.reduce(ReduceOp::Max, &[axis], true) + share.ln();
        let which = self.logits.greater_equal(&least);
        self.keep(&which)
    }

    /// Keeps the tokens whose surprise is nearest to the average, until their probabilities add up to p (Meister et al. 2022).
    fn typical(self, p: f64) -> Self {
        let axis = self.axis();
        let logs = self.logits.log_softmax(axis);
        let probabilities = logs.exp();
        let zero = logs.scalar_like(0.0).broadcast_to(&logs.dims());
        let finite = probabilities.greater(&zero);
        let terms = finite.select(&(&probabilities * &logs), &zero);
        let entropy = -terms.reduce(ReduceOp::Sum, &[axis], true);
        let last = logs.scalar_like(f64::NEG_INFINITY).broadcast_to(&logs.dims());
        let (_, order) = finite.select(&-(-&logs - entropy).abs(), &last).top_k(self.count);
        let logits = self.logits.gather(&order, axis);
        let count = self.count;
        self.in_order(&order, logits, count, false).keep_until(&probabilities.gather(&order, axis), p)
    }

    /// Applies a filter. It may need `counts`, which has the dimensions of all logits and says how often each token has occurred,
    /// or `bias`, `[vocab]`.
    ///
    /// # Errors
    /// [`OpError`] if the setting is out of range, or an operand that the filter needs is missing or has another shape.
    pub fn filtered(
        self,
        filter: LogitFilter,
        counts: Option<&Tensor>,
        bias: Option<&Tensor>,
    ) -> Result<Self, OpError> {
        filter.check()?;
        let all = self.all.clone();
        let vocab = &all[all.len() - 1..];
        let counts = || check_operand("counts", counts, &all, filter);
        Ok(match filter {
            LogitFilter::Bias => self.bias(check_operand("bias", bias, vocab, filter)?),
            LogitFilter::Repetition(penalty) => self.repetition(counts()?, penalty),
            LogitFilter::Frequency(penalty) => self.frequency(counts()?, penalty),
            LogitFilter::Presence(penalty) => self.presence(counts()?, penalty),
            LogitFilter::TopK(k) => self.largest(k),
            LogitFilter::Typical(p) => self.typical(p),
            LogitFilter::TopP(p) => self.top_p(p),
            LogitFilter::MinP(share) => self.min_p(share),
            LogitFilter::Temperature(temperature) => self.temperature(temperature),
        })
    }

    /// The id of the token drawn with `key`, or of the most likely token without a key.
    pub fn draw(&self, key: Option<&Tensor>) -> Tensor {
        let axis = self.axis();
        let place = match key {
            Some(key) => self.logits.categorical(key, axis),
            None => self.logits.argmax(axis),
        };
        let Some(ids) = &self.ids else { return place };
        let mut dims = place.dims();
        let drawn = dims.clone();
        dims.push(Dim::Static(1));
        ids.gather(&place.reshape(&dims), axis).reshape(&drawn)
    }

    /// The results of `sample`: the [drawn](Self::draw) token, and the logits and ids of the candidates. The ids of those that
    /// were filtered out are −1.
    pub fn results(&self, key: Option<&Tensor>) -> [Tensor; 3] {
        let (logits, ids) = (&self.logits, self.ids());
        let out = logits.equal(&logits.scalar_like(f64::NEG_INFINITY));
        let ids = out.select(&ids.scalar_like(-1.0).broadcast_to(&ids.dims()), &ids);
        [self.draw(key), logits.clone(), ids]
    }
}

fn check_operand<'a>(
    name: &'static str,
    given: Option<&'a Tensor>,
    dims: &[Dim],
    filter: LogitFilter,
) -> Result<&'a Tensor, OpError> {
    let Some(given) = given else {
        return Err(OpError::attribute(format!("the filter {} needs the operand {name}", filter.name())));
    };
    let wanted = Shape::from_dims(dims, given.dtype());
    OpError::check_same(name, &given.shape(), "an operand that fits the logits", &wanted)?;
    Ok(given)
}

/// Applies the filters in order, and draws. Returns the token, and the logits and ids of the candidates.
pub(crate) fn sample(
    key: &Tensor,
    logits: &Tensor,
    counts: Option<&Tensor>,
    bias: Option<&Tensor>,
    filters: &[LogitFilter],
    greedy: bool,
) -> Result<[Tensor; 3], OpError> {
    check_key(key)?;
    let mut candidates = Candidates::new(logits)?;
    for (name, operand) in [("counts", counts), ("bias", bias)] {
        if let Some(operand) = operand {
            check_float(name, operand)?;
        }
    }
    for filter in filters {
        candidates = candidates.filtered(*filter, counts, bias)?;
    }
    Ok(candidates.results((!greedy).then_some(key)))
}

impl Tensor {
    /// Samples the next tokens, i32 `[…]`, from these logits `[…, vocab]`. Also returns the logits and i32 ids of the candidates,
    /// `[…, n]`, which are −inf and −1 for those that were filtered out. Filters run in order. `key` is `u32[2]`. `counts` has
    /// the dimensions of the logits and says how often each token has occurred; `bias` is `[vocab]`. They are required by the
    /// filters that read them. If `greedy`, returns the most likely token.
    #[track_caller]
    pub fn sample(
        &self,
        key: &Tensor,
        counts: Option<&Tensor>,
        bias: Option<&Tensor>,
        filters: &[LogitFilter],
        greedy: bool,
    ) -> [Tensor; 3] {
        // An optional operand before another one that is given must be given too.
        let zeros =
            bias.filter(|_| counts.is_none()).map(|_| self.scalar_like(0.0).broadcast_to(&self.dims()));
        let operands: Vec<&Tensor> =
            [Some(self), counts.or(zeros.as_ref()), bias].into_iter().flatten().collect();
        key.apply_array(Op::Sample { filters: filters.to_vec(), greedy }, &operands)
    }
}
