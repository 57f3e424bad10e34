//! Groups texts into batches so that little padding is needed.

use std::ops::Range;

/// Batches are padded to a multiple of this many tokens, so that few widths are compiled.
const WIDTH_STEP: usize = 16;

/// The cost of a batch besides its tokens, in tokens: the weights are read again, and products with few rows are
/// slower.
const BATCH_TOKENS: usize = 16;

/// Splits texts, which are sorted by length, into batches of at most `most` texts, and returns the width of each
/// batch. The total number of computed tokens, including padding, is as small as possible. No width exceeds `widest`.
pub(crate) fn batches(lengths: &[usize], most: usize, widest: usize) -> Vec<(Range<usize>, usize)> {
    let width = |longest: usize| longest.next_multiple_of(WIDTH_STEP).min(widest).max(longest.min(1));
    // For the first n texts: the lowest cost in tokens, and where their last batch begins.
    let mut best: Vec<(usize, usize)> = vec![(0, 0)];
    for end in 1..=lengths.len() {
        let width = width(lengths[end - 1]);
        let from = end.saturating_sub(most.max(1));
        let cost = |start: usize| best[start].0 + (end - start) * width + BATCH_TOKENS;
        let cheapest = (from..end).map(|start| (cost(start), start)).min();
        best.extend(cheapest);
    }
    let mut batches = Vec::new();
    let mut end = lengths.len();
    while end > 0 {
        let start = best[end].1;
        batches.push((start..end, width(lengths[end - 1])));
        end = start;
    }
    batches.reverse();
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(batches: &[(Range<usize>, usize)]) -> usize {
        batches.iter().map(|(range, width)| range.len() * width).sum()
    }

    #[test]
    fn every_text_is_in_one_batch_that_is_wide_enough() {
        for most in [1, 2, 3, 7, 32, 1000] {
            let lengths: Vec<usize> = (1..=100).map(|i| i * i / 40 + 1).collect();
            let got = batches(&lengths, most, 256);
            let mut next = 0;
            for (range, width) in &got {
                assert_eq!(range.start, next);
                assert!((1..=most).contains(&range.len()));
                assert!(lengths[range.clone()].iter().all(|length| length <= width), "{range:?} {width}");
                next = range.end;
            }
            assert_eq!(next, lengths.len());
        }
        assert!(batches(&[], 32, 256).is_empty());
        assert_eq!(batches(&[250], 32, 250), [(0..1, 250)]);
    }

    #[test]
    fn texts_of_one_width_share_batches_and_others_are_not_padded_much() {
        assert_eq!(batches(&[9; 70], 32, 256).len(), 3);
        let lengths: Vec<usize> = (0..32).map(|i| 5 + i * 123 / 31).collect();
        let got = batches(&lengths, 32, 256);
        let (needed, computed) = (lengths.iter().sum::<usize>(), tokens(&got));
        assert!(got.len() <= 8 && computed < needed * 5 / 4, "{computed} for {needed} in {}", got.len());
        assert_eq!(batches(&[14, 14, 17], 32, 256), [(0..2, 16), (2..3, 32)]);
        assert_eq!(batches(&[16, 17, 18, 19], 32, 256).len(), 1);
    }
}
