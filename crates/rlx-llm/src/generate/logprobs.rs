//! Log probabilities of tokens under the model's own logits, before any sampler.

/// The log probability of a token, and the most likely alternatives.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenLogprobs {
    /// The natural logarithm of the token's probability.
    pub logprob: f64,
    /// The most likely tokens with their log probabilities, most likely first.
    pub top: Vec<(u32, f64)>,
}

impl TokenLogprobs {
    /// Computes the log probability of `token` for these logits, and the `top` most likely tokens.
    pub(super) fn of(logits: &[f32], token: u32, top: usize) -> Self {
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = logits.iter().map(|&x| f64::from(x - largest).exp()).sum();
        let logprob = |x: f32| f64::from(x - largest) - sum.ln();
        let mut order: Vec<u32> = (0..logits.len() as u32).collect();
        let by = |a: &u32, b: &u32| logits[*b as usize].total_cmp(&logits[*a as usize]).then(a.cmp(b));
        let top = top.min(order.len());
        if top < order.len() {
            order.select_nth_unstable_by(top, by);
            order.truncate(top);
        }
        order.sort_unstable_by(by);
        let top = order.into_iter().map(|id| (id, logprob(logits[id as usize]))).collect();
        TokenLogprobs { logprob: logits.get(token as usize).map_or(f64::NEG_INFINITY, |&x| logprob(x)), top }
    }
}

#[cfg(test)]
mod tests {
    use super::TokenLogprobs;

    #[test]
    fn probabilities_are_those_of_a_softmax() {
        // math.log(math.exp(x) / (math.exp(1) + math.exp(2) + math.exp(3)))
        let found = TokenLogprobs::of(&[1.0, 3.0, 2.0], 2, 2);
        assert!((found.logprob + 1.407_605_964_444_380_1).abs() < 1e-12);
        let top: Vec<(u32, f64)> = found.top.iter().map(|(id, p)| (*id, (p * 1e6).round() / 1e6)).collect();
        assert_eq!(top, [(1, -0.407606), (2, -1.407606)]);
        assert_eq!(TokenLogprobs::of(&[0.0; 3], 0, 9).top.len(), 3);
    }
}
