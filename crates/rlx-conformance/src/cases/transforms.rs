//! Cases of Fourier transforms and counter-based random bits.

use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{DType, DTypeSet, FftKind, Op, RngAlgorithm, Shape};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let lengths: [(&[usize], &[usize]); 11] = [
        (&[8], &[8]),
        (&[3, 7], &[7]),
        (&[2, 12], &[12]),
        (&[1], &[1]),
        (&[2, 3, 5], &[3, 5]),
        (&[2, 4, 3], &[2, 4, 3]),
        (&[0, 6], &[6]),
        (&[31], &[31]),
        (&[2, 97], &[97]),
        (&[360], &[360]),
        (&[9, 180], &[180]),
    ];
    for (sizes, lengths) in lengths {
        for kind in [FftKind::Fft, FftKind::Ifft, FftKind::Rfft] {
            rows.push(fft(kind, lengths).x(sizes, Gen::Uniform(-1.0, 1.0)));
        }
        // The last axis of a half spectrum.
        let mut half = sizes.to_vec();
        if let Some(last) = half.last_mut() {
            *last = *last / 2 + 1;
        }
        rows.push(fft(FftKind::Irfft, lengths).x(&half, Gen::Uniform(-1.0, 1.0)));
    }
    rows.push(fft(FftKind::Fft, &[4]).x(&[3, 4], Gen::Values(&[1.0, 0.0, -1.0, 0.5, 2.0])));
    rows.extend(random());
    rows
}

fn fft(kind: FftKind, lengths: &[usize]) -> Row {
    let row = Row::new(Op::Fft { kind, lengths: lengths.to_vec() }).note(format!("{kind} {lengths:?}"));
    row.within(Bound::Norm(32.0)).any_zero()
}

fn random() -> Vec<Row> {
    let mut rows = Vec::new();
    for algorithm in [RngAlgorithm::Threefry, RngAlgorithm::Philox] {
        for sizes in [&[][..], &[7], &[3, 5], &[2, 0], &[1031]] {
            let states: &[usize] = if algorithm == RngAlgorithm::Threefry { &[2] } else { &[2, 3] };
            for &words in states {
                let make = move |dtype| Op::RngBits { algorithm, shape: Shape::new(sizes, dtype) };
                let row = Row::of(make).note(format!("{algorithm} {sizes:?}"));
                rows.push(row.is(DType::U64, &[words], Gen::Bits));
            }
        }
    }
    for sizes in [&[][..], &[9], &[3, 5], &[0], &[1031]] {
        let row = Row::new(Op::Threefry2x32 {});
        rows.push(
            (0..4).fold(row, |row, _| row.is(DType::U32, sizes, Gen::Bits)).only(DTypeSet::of(&[DType::U32])),
        );
    }
    rows
}
