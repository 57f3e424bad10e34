//! Palettes: a few numbers, each of which represents the values nearest to it.

/// Maximum number of values from which a palette is computed; they are sampled evenly.
const SAMPLE: usize = 1 << 18;
/// Maximum number of steps, after which the palette is used as it is.
const STEPS: usize = 100;

/// Returns `count` numbers in ascending order that approximate these values, found with Lloyd's algorithm (k-means) from evenly spaced
/// quantiles. If there are many values, a sample is used. Values that are not finite are ignored; if there are no others, every number
/// is 0.
pub fn palette(values: &[f32], count: usize) -> Vec<f32> {
    let step = values.len().div_ceil(SAMPLE).max(1);
    let mut sorted: Vec<f32> = values.iter().step_by(step).copied().filter(|x| x.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    if sorted.is_empty() || count == 0 {
        return vec![0.0; count];
    }
    // Sums of the first n values, from which the mean of any run follows directly.
    let mut sums = Vec::with_capacity(sorted.len() + 1);
    sums.push(0.0f64);
    for &x in &sorted {
        sums.push(sums[sums.len() - 1] + f64::from(x));
    }
    let quantile = |i: usize| sorted[(2 * i + 1) * sorted.len() / (2 * count)];
    let mut palette: Vec<f32> = (0..count).map(quantile).collect();
    for _ in 0..STEPS {
        let mut start = 0;
        let mut next = Vec::with_capacity(count);
        for i in 0..count {
            let end = match palette.get(i + 1) {
                Some(&above) => start + sorted[start..].partition_point(|&x| x <= middle(palette[i], above)),
                None => sorted.len(),
            };
            // A number that is nearest to no value stays unchanged.
            let mean = (sums[end] - sums[start]) / (end - start).max(1) as f64;
            next.push(if end > start { mean as f32 } else { palette[i] });
            start = end;
        }
        next.sort_unstable_by(f32::total_cmp);
        if next == palette {
            break;
        }
        palette = next;
    }
    palette
}

/// Returns the index of the number of a palette, in ascending order, that is nearest to a value; the first one for NaN.
pub fn nearest(palette: &[f32], x: f32) -> usize {
    let mut at = 0;
    let mut len = palette.len().saturating_sub(1);
    // Finds the first number whose midpoint with the next one is not below x.
    while len > 0 {
        let half = len / 2;
        let (i, above) = (at + half, at + half + 1);
        if middle(palette[i], palette[above]) < x {
            (at, len) = (above, len - half - 1);
        } else {
            len = half;
        }
    }
    at
}

fn middle(a: f32, b: f32) -> f32 {
    a / 2.0 + b / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_found() {
        let values: Vec<f32> =
            (0..400).map(|i| [-2.0, 0.5, 0.75, 9.0][i % 4] + (i % 7) as f32 * 1e-3).collect();
        let found = palette(&values, 4);
        for (number, near) in found.iter().zip([-2.0, 0.5, 0.75, 9.0]) {
            assert!((number - near).abs() < 0.01, "{found:?}");
        }
        assert!(palette(&[], 4) == [0.0; 4] && palette(&[f32::NAN, 3.0], 2) == [3.0; 2]);
    }

    #[test]
    fn the_nearest_is_as_near_as_any() {
        let found = palette(&(0..1000).map(|i| ((i * i) as f32).sin()).collect::<Vec<f32>>(), 16);
        assert!(found.is_sorted());
        for i in -150..=150 {
            let x = i as f32 / 100.0;
            let distance = (found[nearest(&found, x)] - x).abs();
            assert!(found.iter().all(|number| (number - x).abs() >= distance - 1e-6), "{x}");
        }
        assert_eq!(
            [nearest(&found, f32::NAN), nearest(&found, f32::INFINITY), nearest(&[1.0], 7.0)],
            [0, 15, 0]
        );
    }
}
