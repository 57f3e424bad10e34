//! `swizzle`: reorders the elements of a tile in the memory of a group.
//!
//! *Obligation*: every element has a different position. Indices do not change, so the rest of the kernel stays the
//! same. The interpreter puts elements where the order says, and counts bank conflicts there.

use super::{Done, Scheduled};
use crate::kernel::{Place, Space};
use crate::swizzle::Swizzle;
use rlx_ir::Dim;

impl Scheduled {
    pub fn swizzle(&mut self, array: &str, swizzle: Swizzle) -> Done {
        let Some(buffer) = self.kernel.buffers.iter_mut().find(|b| b.name == array && !b.place.is_param())
        else {
            return Err(format!("the kernel makes no array `{array}`"));
        };
        if buffer.place != Place::Local(Space::Group) {
            return Err(format!("`{array}` is not in `group`, whose memory has banks"));
        }
        let elements = Dim::product(buffer.extents.iter().cloned()).as_static();
        if let Some(problem) = swizzle.problem(elements) {
            return Err(format!("`{array}` has no such order: {problem}"));
        }
        buffer.swizzle = Some(swizzle);
        Ok(())
    }
}
