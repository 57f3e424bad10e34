//! Random bits as functions of a key or state, the same on every device. The generators are in [`crate::math::random`].

/// XLA's generator, which maps a state to the next state and bits.
pub(crate) mod rng_bits {
    use crate::dim::Dim;
    use crate::dtype::{DType, DTypeSet};
    use crate::eval::{EvalCx, Value, sizes};
    use crate::math::random::{Algorithm, BitWidth, rng_bit_generator};
    use crate::op::OpError;
    use crate::op::kinds::RngAlgorithm;
    use crate::shape::Shape;

    pub(crate) fn infer(
        state: &Shape,
        algorithm: RngAlgorithm,
        shape: &Shape,
    ) -> Result<[Shape; 2], OpError> {
        OpError::check_dtype("state", state.dtype(), DTypeSet::of(&[DType::U64]))?;
        OpError::check_dtype("the result", shape.dtype(), DTypeSet::UNSIGNED)?;
        let (words, stated): (&[usize], _) = match algorithm {
            RngAlgorithm::Threefry => (&[2], "u64[2]"),
            RngAlgorithm::Philox => (&[2, 3], "u64[2] or u64[3]"),
        };
        match state.dims() {
            [Dim::Static(n)] if words.contains(n) => Ok([state.clone(), shape.clone()]),
            _ => Err(OpError::shape(format!("the state of {algorithm} must be {stated}, got {state}"))),
        }
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        state: &Value,
        algorithm: RngAlgorithm,
        shape: &Shape,
    ) -> Result<[Value; 2], OpError> {
        let algorithm = match algorithm {
            RngAlgorithm::Threefry => Algorithm::ThreeFry,
            RngAlgorithm::Philox => Algorithm::Philox,
        };
        let width = match shape.dtype().bits() {
            8 => BitWidth::W8,
            16 => BitWidth::W16,
            32 => BitWidth::W32,
            _ => BitWidth::W64,
        };
        let words: Vec<u64> = state.to_ints().iter().map(|&w| w as u64).collect();
        let dims = sizes(&cx.results()[1]);
        let drawn = rng_bit_generator(algorithm, &words, &dims, width)
            .ok_or_else(|| OpError::Eval(format!("the state has {} words", words.len())))?;
        let value = |dims, dtype, words: Vec<u64>| {
            Value::ints(dims, dtype, words.into_iter().map(i128::from).collect())
        };
        let next = value(state.dims().to_vec(), DType::U64, drawn.state);
        Ok([next, value(dims, shape.dtype(), drawn.bits)])
    }
}

/// The block function of Threefry-2x32, elementwise.
pub(crate) mod threefry2x32 {
    use crate::dtype::{DType, DTypeSet};
    use crate::eval::{EvalCx, Value};
    use crate::math::random;
    use crate::op::OpError;
    use crate::ops::elementwise::merge;
    use crate::shape::Shape;

    pub(crate) fn infer(k0: &Shape, k1: &Shape, x0: &Shape, x1: &Shape) -> Result<[Shape; 2], OpError> {
        OpError::check_dtype("k0", k0.dtype(), DTypeSet::of(&[DType::U32]))?;
        let mut known = k0.clone();
        for (name, operand) in [("k1", k1), ("x0", x0), ("x1", x1)] {
            OpError::check_same("k0", k0, name, operand)?;
            known = merge(&known, operand);
        }
        Ok([known.clone(), known])
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        k0: &Value,
        k1: &Value,
        x0: &Value,
        x1: &Value,
    ) -> Result<[Value; 2], OpError> {
        let words = |v: &Value| -> Vec<u32> { v.to_ints().iter().map(|&w| w as u32).collect() };
        let (k0, k1, x0, x1) = (words(k0), words(k1), words(x0), words(x1));
        let blocks: Vec<[u32; 2]> =
            (0..x0.len()).map(|i| random::threefry2x32([k0[i], k1[i]], [x0[i], x1[i]])).collect();
        let half = |which: usize| {
            let data = blocks.iter().map(|b| i128::from(b[which])).collect();
            Value::ints(cx.dims(), DType::U32, data)
        };
        Ok([half(0), half(1)])
    }
}
