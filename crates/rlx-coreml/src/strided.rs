//! Copies arrays with arbitrary strides to row-major order, because CoreML may pad outputs and states.

use std::ops::Range;

/// Copies elements of `size` bytes, which are `strides` elements apart in `source`, to `target` in row-major order. Returns `None`, with
/// the contents of `target` undefined, if an element is outside of either.
#[cfg_attr(not(target_vendor = "apple"), allow(dead_code))]
pub(crate) fn copy_strided(
    source: &[u8],
    strides: &[usize],
    dims: &[usize],
    size: usize,
    target: &mut [u8],
) -> Option<()> {
    let len = target.len();
    for_runs(strides, dims, size, len, |at, run| {
        target.get_mut(run.clone())?.copy_from_slice(source.get(at..at.checked_add(run.len())?)?);
        Some(())
    })
}

/// Does the reverse: copies elements in row-major order to their positions in `target`. Bytes between them do not change.
#[cfg_attr(not(target_vendor = "apple"), allow(dead_code))]
pub(crate) fn fill_strided(
    target: &mut [u8],
    strides: &[usize],
    dims: &[usize],
    size: usize,
    source: &[u8],
) -> Option<()> {
    for_runs(strides, dims, size, source.len(), |at, run| {
        target.get_mut(at..at.checked_add(run.len())?)?.copy_from_slice(source.get(run)?);
        Some(())
    })
}

/// Calls `f` with the pieces of an array of `len` bytes: the start of each among the strided elements, and its byte range in row-major
/// order.
fn for_runs(
    strides: &[usize],
    dims: &[usize],
    size: usize,
    len: usize,
    mut f: impl FnMut(usize, Range<usize>) -> Option<()>,
) -> Option<()> {
    if dims.contains(&0) {
        return (len == 0).then_some(());
    }
    // The innermost axes that are contiguous are copied at once.
    let mut run = 1usize;
    let mut outer = dims.len();
    while outer > 0 && (strides.get(outer - 1) == Some(&run) || dims[outer - 1] == 1) {
        run = run.checked_mul(dims[outer - 1])?;
        outer -= 1;
    }
    let bytes = run.checked_mul(size)?;
    let mut index = vec![0usize; outer];
    let count = dims[..outer].iter().try_fold(1usize, |count, &n| count.checked_mul(n))?;
    if count.checked_mul(bytes) != Some(len) {
        return None;
    }
    for row in 0..count {
        let at = index
            .iter()
            .zip(strides)
            .try_fold(0usize, |at, (&i, &step)| at.checked_add(i.checked_mul(step)?))?;
        f(at.checked_mul(size)?, row * bytes..(row + 1) * bytes)?;
        for axis in (0..outer).rev() {
            index[axis] += 1;
            if index[axis] < dims[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{copy_strided, fill_strided};

    fn copied(source: &[u8], strides: &[usize], dims: &[usize], size: usize) -> Option<Vec<u8>> {
        let mut target = vec![0xff; dims.iter().product::<usize>() * size];
        copy_strided(source, strides, dims, size, &mut target).map(|()| target)
    }

    #[test]
    fn padded_rows_come_together() {
        let source: Vec<u8> = (0..32).collect();
        assert_eq!(
            copied(&source, &[8, 1], &[2, 3], 2),
            Some(vec![0, 1, 2, 3, 4, 5, 16, 17, 18, 19, 20, 21])
        );
        assert_eq!(copied(&source, &[3, 1], &[2, 3], 1), Some(vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(copied(&source, &[1, 4], &[2, 3], 1), Some(vec![0, 4, 8, 1, 5, 9]));
        assert_eq!(
            copied(&source, &[16, 8, 99, 1], &[2, 2, 1, 2], 1),
            Some(vec![0, 1, 8, 9, 16, 17, 24, 25])
        );
        assert_eq!(copied(&source, &[7], &[1], 4), Some(vec![0, 1, 2, 3]));
        assert_eq!(copied(&source, &[], &[], 2), Some(vec![0, 1]));
        assert_eq!(copied(&source, &[1, 1], &[0, 3], 2), Some(vec![]));
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let source = [0; 16];
        assert_eq!(copied(&source, &[8, 1], &[2, 9], 1), None);
        assert_eq!(copied(&source, &[usize::MAX, 1], &[3, 2], 1), None);
        assert_eq!(copy_strided(&source, &[2, 1], &[2, 2], 1, &mut [0; 5]), None);
        assert_eq!(copy_strided(&source, &[2, 1], &[2, 2], 1, &mut [0; 3]), None);
        assert_eq!(fill_strided(&mut [0; 16], &[8, 1], &[2, 9], 1, &[0; 18]), None);
        assert_eq!(fill_strided(&mut [0; 16], &[2, 1], &[2, 2], 1, &[0; 3]), None);
    }

    #[test]
    fn what_is_filled_comes_back_and_nothing_between_changes() {
        let rows: Vec<u8> = (1..13).collect();
        let mut padded = [0xff; 32];
        fill_strided(&mut padded, &[8, 1], &[2, 3], 2, &rows).unwrap();
        assert_eq!(copied(&padded, &[8, 1], &[2, 3], 2), Some(rows));
        assert_eq!(padded.iter().filter(|byte| **byte == 0xff).count(), 32 - 12);
    }
}
