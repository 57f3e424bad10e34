//! Lists of tensors of one type, whose length is known: tensors with one more axis, in front.

use super::args::{Args, Read};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let _ = (kind, args);
    None
}
