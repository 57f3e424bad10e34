//! Converts inputs and outputs of a model, for which CoreML has only arrays of f32, f16 and i32.

use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use std::borrow::Cow;

/// Whether integers of a type may not fit in the integers of CoreML.
pub(crate) fn is_wide(dtype: DType) -> bool {
    matches!(dtype, DType::I64 | DType::U32 | DType::U64)
}

/// Converts elements of type `from` to elements of type `to`.
///
/// # Errors
/// Returns a message with the first integer that does not fit in `to`.
pub(crate) fn recast(bytes: &[u8], from: DType, to: DType) -> Result<Cow<'_, [u8]>, String> {
    if from == to {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut out = Vec::with_capacity(bytes.len() / from.size() * to.size());
    for (index, element) in bytes.chunks_exact(from.size()).enumerate() {
        let number = Scalar::read(from, element);
        let recast = number.convert(to);
        if let (Scalar::Int(a), Scalar::Int(b)) = (number, recast)
            && a != b
        {
            return Err(format!(
                "element {index} is {a}, which does not fit in {to} (CoreML's integers are i32)"
            ));
        }
        recast.write(to, &mut out);
    }
    Ok(Cow::Owned(out))
}
