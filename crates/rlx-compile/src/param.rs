//! Values of parameters: bytes that somebody else owns, asked for once and shared by all instances of a
//! program.

use rlx_ir::Literal;
use std::sync::Arc;

/// The owner of a parameter's bytes: a literal, a mapped file.
pub trait ParamBytes: Send + Sync {
    /// Little-endian elements, row-major. Asked once, when the parameter is set.
    fn bytes(&self) -> &[u8];

    /// Says that the bytes will not be read for now: kernels have them in a form of their own. They must stay readable, as the same
    /// bytes; what can be had again, as the pages of a mapped file, need not stay in memory. Memory that is the only place of the
    /// bytes stays as it is, which is what happens by default. It may be said again, also while a few of the bytes are being read: what
    /// was looked up since need not stay either.
    fn release(&self) {}
}

impl ParamBytes for Literal {
    fn bytes(&self) -> &[u8] {
        Literal::bytes(self)
    }
}

/// The bytes of a parameter, with what keeps them alive. Cloning shares them.
#[derive(Clone)]
pub struct Param {
    bytes: *const [u8],
    owner: Arc<dyn ParamBytes>,
}

// SAFETY: the bytes are read only, and their owner is `Send + Sync`.
unsafe impl Send for Param {}
// SAFETY: several threads may read the same bytes, which nobody writes while the owner is borrowed.
unsafe impl Sync for Param {}

impl Param {
    /// The bytes that `owner` gives now. It is not asked again: an owner that later gives others changes nothing.
    pub fn new(owner: Arc<dyn ParamBytes>) -> Param {
        let bytes: *const [u8] = owner.bytes();
        Param { bytes, owner }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the slice was borrowed from the owner through a shared reference. The owner lives as long as `self`, which
        // never takes a mutable reference to it, and nobody else can while this `Arc` exists; so the borrow is still good.
        unsafe { &*self.bytes }
    }

    /// Tells the owner that the bytes will not be read for now; see [`ParamBytes::release`].
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

    /// Gives its bytes once.
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
