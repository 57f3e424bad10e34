//! Records earlier tokens for the samplers: how often each one occurred recently, and which tokens would continue a
//! repetition.

use super::Sampling;
use std::collections::VecDeque;

/// The tokens so far, from the prompt and drawn.
pub(super) struct History {
    counts: Vec<f32>,
    window: VecDeque<u32>,
    /// All of them in order, if a sampler looks for repetitions.
    tokens: Vec<u32>,
    /// The penalty on each token's logit for the repetition that it would continue.
    repetition: Vec<f32>,
}

impl History {
    pub(super) fn new(vocab: usize) -> Self {
        let zeros = vec![0.0; vocab];
        History { counts: zeros.clone(), window: VecDeque::new(), tokens: Vec::new(), repetition: zeros }
    }

    pub(super) fn clear(&mut self) {
        self.window.clear();
        self.tokens.clear();
        self.counts.fill(0.0);
    }

    pub(super) fn push(&mut self, token: u32, sampling: &Sampling) {
        if token as usize >= self.counts.len() {
            return;
        }
        if sampling.is_dry() {
            self.tokens.push(token);
        }
        if !sampling.penalises() {
            return;
        }
        self.window.push_back(token);
        self.counts[token as usize] += 1.0;
        if self.window.len() > sampling.penalty_window
            && let Some(old) = self.window.pop_front()
        {
            self.counts[old as usize] -= 1.0;
        }
    }

    /// Returns how often each token occurred recently.
    pub(super) fn counts(&self) -> &[f32] {
        &self.counts
    }

    /// Returns DRY's penalty for each logit, from the last call of [`find_repetitions`](Self::find_repetitions).
    pub(super) fn repetition(&self) -> &[f32] {
        &self.repetition
    }

    /// Computes DRY's penalties: multiplier · base^(n − allowed length) for each token that followed an earlier
    /// occurrence of the last n tokens.
    pub(super) fn find_repetitions(&mut self, sampling: &Sampling) {
        if !sampling.is_dry() {
            return;
        }
        self.repetition.fill(0.0);
        let last = match sampling.dry_window {
            0 => self.tokens.len(),
            n => n.min(self.tokens.len()),
        };
        let backwards: Vec<u32> = self.tokens.iter().rev().take(last).copied().collect();
        // A repetition does not extend across a sequence breaker.
        let limit = backwards.iter().position(|token| sampling.dry_breakers.contains(token)).unwrap_or(last);
        for (at, &length) in prefix_lengths(&backwards).iter().enumerate().skip(1) {
            let length = length.min(limit);
            if length < sampling.dry_allowed_length.max(1) {
                continue;
            }
            let exponent = (length - sampling.dry_allowed_length) as f64;
            let penalty = (sampling.dry_multiplier * sampling.dry_base.powf(exponent)) as f32;
            let place = &mut self.repetition[backwards[at - 1] as usize];
            *place = place.max(penalty.min(f32::MAX));
        }
    }
}

/// Returns, for each position in a list, how long the list from that position on equals the beginning of the list
/// (the Z function; Gusfield, 1997).
fn prefix_lengths(list: &[u32]) -> Vec<usize> {
    let mut lengths = vec![0; list.len()];
    // Of the known parts list[begin..end] that equal the beginning of the list, the one that ends last.
    let (mut begin, mut end) = (0, 0);
    for at in 1..list.len() {
        let known = if at < end { lengths[at - begin].min(end - at) } else { 0 };
        let more = list[known..].iter().zip(&list[at + known..]).take_while(|(a, b)| a == b).count();
        lengths[at] = known + more;
        if at + lengths[at] > end {
            (begin, end) = (at, at + lengths[at]);
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_that_comparing_gives() {
        let mut state = 1u32;
        for len in 0..60 {
            let list: Vec<u32> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> 30
                })
                .collect();
            let same = |at: usize| list.iter().zip(&list[at..]).take_while(|(a, b)| a == b).count();
            let found = prefix_lengths(&list);
            assert!((1..list.len()).all(|at| found[at] == same(at)), "{list:?}");
        }
    }
}
