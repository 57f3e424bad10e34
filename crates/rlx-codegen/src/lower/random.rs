//! Counter-based ciphers that generate random bits, as scalar functions.

use crate::build::Writer;
use crate::kernel::ScalarId;
use rlx_ir::{BinaryOp, DType, Scalar};

/// Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, 2011), on u32.
pub(super) fn threefry2x32(w: &mut Writer, key: [ScalarId; 2], counter: [ScalarId; 2]) -> [ScalarId; 2] {
    let word = |w: &mut Writer, value: u32| w.constant(DType::U32, Scalar::Int(value.into()));
    let parity = word(w, 0x1BD1_1BDA);
    let both = w.binary(BinaryOp::Xor, key[0], key[1]);
    let schedule = [key[0], key[1], w.binary(BinaryOp::Xor, both, parity)];
    let [mut x0, mut x1] = counter;
    x0 = w.binary(BinaryOp::Add, x0, key[0]);
    x1 = w.binary(BinaryOp::Add, x1, key[1]);
    for group in 0..5usize {
        let rotations: [u32; 4] = if group % 2 == 0 { [13, 15, 26, 6] } else { [17, 29, 16, 24] };
        for distance in rotations {
            x0 = w.binary(BinaryOp::Add, x0, x1);
            let (left, right) = (word(w, distance), word(w, 32 - distance));
            let up = w.binary(BinaryOp::ShiftLeft, x1, left);
            let down = w.binary(BinaryOp::ShiftRightLogical, x1, right);
            let rotated = w.binary(BinaryOp::Or, up, down);
            x1 = w.binary(BinaryOp::Xor, rotated, x0);
        }
        x0 = w.binary(BinaryOp::Add, x0, schedule[(group + 1) % 3]);
        x1 = w.binary(BinaryOp::Add, x1, schedule[(group + 2) % 3]);
        let number = word(w, group as u32 + 1);
        x1 = w.binary(BinaryOp::Add, x1, number);
    }
    [x0, x1]
}
