//! Values of parameters: bytes that are requested from their owner once and shared by all instances of a
//! program.

use rlx_ir::Literal;
use std::sync::Arc;

/// The owner of a parameter's bytes, such as a literal or a mapped file.
pub trait ParamBytes: Send + Sync {
    /// Returns little-endian elements in row-major order. Called once, when the parameter is set.
    fn bytes(&self) -> &[u8];

    /// Notifies the owner that the bytes will not be read for now, because kernels have them in their own form. The same bytes must stay
    /// readable, but memory that can be filled again, such as the pages of a mapped file, may be freed. Memory that holds the only copy of
    /// the bytes must stay, so by default this does nothing. It may be called again, even while a few of the bytes are being read, to free
    /// what has been fetched since the last call.
    fn release(&self) {}
}

impl ParamBytes for Literal {
    fn bytes(&self) -> &[u8] {
        Literal::bytes(self)
    }
}

/// The bytes of a parameter, together with their owner, which keeps them alive. Cloning shares them.
#[derive(Clone)]
pub struct Param {
    bytes: *const [u8],
    owner: Arc<dyn ParamBytes>,
}

// SAFETY: the bytes are only read, and their owner is `Send + Sync`.
unsafe impl Send for Param {}
// SAFETY: several threads may read the same bytes, which nothing writes to while the owner is borrowed.
unsafe impl Sync for Param {}

impl Param {
    /// Creates a parameter with the bytes that `owner` returns now. The owner is not asked again, so returning other bytes later has no
    /// effect.
    pub fn new(owner: Arc<dyn ParamBytes>) -> Param {
        let bytes: *const [u8] = owner.bytes();
        Param { bytes, owner }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the slice was borrowed from the owner through a shared reference. The owner lives as long as `self`, which
        // never takes a mutable reference to it, and nothing else can while this `Arc` exists, so the borrow is still valid.
        unsafe { &*self.bytes }
    }

    /// Notifies the owner that the bytes will not be read for now; see [`ParamBytes::release`].
    pub fn release(&self) {
        self.owner.release();
    }
}

impl std::fmt::Debug for Param {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Param({} bytes)", self.bytes().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Returns its bytes only once.
    struct Fickle(Vec<u8>, AtomicBool);

    impl ParamBytes for Fickle {
        fn bytes(&self) -> &[u8] {
            if self.1.swap(true, Ordering::Relaxed) { &[] } else { &self.0 }
        }
    }

    #[test]
    fn an_owner_is_asked_once() {
        let param = Param::new(Arc::new(Fickle(vec![1, 2, 3], AtomicBool::new(false))));
        let other = param.clone();
        drop(param);
        assert_eq!([other.bytes(), other.bytes()], [[1, 2, 3]; 2]);
    }
}
