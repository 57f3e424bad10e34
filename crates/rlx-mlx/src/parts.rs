//! Divides a long plan into parts, so that MLX computes one part while the graph of the next is made.

use std::ops::Range;

/// Consecutive steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlanPart {
    pub(crate) steps: Range<usize>,
    /// The values that it reads, including constants, and whether no later part reads them. Constants are passed because MLX rejects a
    /// function that captures an array that is also an argument, and a value may be the array of a constant.
    pub(crate) takes: Vec<(usize, bool)>,
    /// The values that it makes and that something after it reads.
    pub(crate) gives: Vec<usize>,
}

/// The values that a step reads and makes, by number.
pub(crate) struct Reads<'a> {
    pub(crate) inputs: &'a [usize],
    pub(crate) makes: Range<usize>,
}

/// Divides steps into parts of at most `most`. All `outputs` are kept until the end.
pub(crate) fn parts(steps: &[Reads<'_>], values: usize, outputs: &[usize], most: usize) -> Vec<PlanPart> {
    // For each value, the number of the part that makes it plus one, and the last part that reads it.
    let (mut maker, mut reader) = (vec![0; values], vec![0; values]);
    for (number, step) in steps.iter().enumerate() {
        let part = number / most + 1;
        step.makes.clone().for_each(|value| maker[value] = part);
        step.inputs.iter().for_each(|&value| reader[value] = part);
    }
    outputs.iter().for_each(|&value| reader[value] = usize::MAX);
    let one = |(index, chunk): (usize, &[Reads<'_>])| {
        let part = index + 1;
        let mut takes: Vec<usize> = chunk.iter().flat_map(|step| step.inputs.iter().copied()).collect();
        takes.retain(|&value| maker[value] != part);
        takes.sort_unstable();
        takes.dedup();
        let makes = chunk.iter().flat_map(|step| step.makes.clone());
        PlanPart {
            steps: index * most..index * most + chunk.len(),
            takes: takes.into_iter().map(|value| (value, reader[value] == part)).collect(),
            gives: makes.filter(|&value| reader[value] > part).collect(),
        }
    };
    steps.chunks(most).enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_what_others_make() {
        // Values 0 and 1 are given. One output is made in the first part, another one in the last.
        let inputs: [&[usize]; 5] = [&[0, 1], &[2], &[0, 3], &[4, 1], &[2, 5]];
        let steps = inputs.iter().enumerate().map(|(i, inputs)| Reads { inputs, makes: i + 2..i + 3 });
        let steps: Vec<Reads<'_>> = steps.collect();
        let made = parts(&steps, 7, &[3, 6], 2);
        assert_eq!(
            made,
            [
                PlanPart { steps: 0..2, takes: vec![(0, false), (1, false)], gives: vec![2, 3] },
                PlanPart { steps: 2..4, takes: vec![(0, true), (1, true), (3, false)], gives: vec![5] },
                PlanPart { steps: 4..5, takes: vec![(2, true), (5, true)], gives: vec![6] },
            ]
        );
    }
}
