//! Determines which keys count for a query, by position or from a mask operand.

use std::ops::Range;

/// The keys that a query may attend to by its position. The queries are the last positions of the sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Visible {
    /// All keys.
    All,
    /// The keys not after the query; of these only the last `window`, if there is one.
    Causal {
        /// Number of keys in the window.
        window: Option<usize>,
    },
}

impl Visible {
    /// Returns the keys of query `at`; the range may be empty.
    #[inline(always)]
    pub(crate) fn keys(self, at: usize, seq_q: usize, seq_k: usize) -> Range<usize> {
        match self {
            Visible::All => 0..seq_k,
            Visible::Causal { window } => {
                // One past the newest key, counting keys before the first: at + 1 + seq_k − seq_q.
                let end = (at + 1 + seq_k).saturating_sub(seq_q);
                let start = match window {
                    Some(window) => end.saturating_sub(window),
                    None => 0,
                };
                start.min(seq_k)..end.min(seq_k)
            }
        }
    }
}

/// What the elements of a mask operand mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    /// f32 values that are added to scores.
    Bias,
    /// Words of `bytes` bytes (1, 2, 4 or 8) that are nonzero where a key counts. In floats the highest bit is only a sign.
    Mask {
        /// Size of a word.
        bytes: usize,
        /// Whether words are floats.
        float: bool,
    },
}

/// A mask or bias with its strides in elements; a stride is 0 along axes that it is repeated over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// What its elements mean.
    pub kind: OperandKind,
    /// From one sequence to the next.
    pub batch: usize,
    /// From one query head to the next.
    pub head: usize,
    /// From one query to the next.
    pub query: usize,
    /// From one key to the next.
    pub key: usize,
}

impl Operand {
    #[inline(always)]
    pub(crate) fn offset(&self, batch: usize, head: usize, query: usize, key: usize) -> usize {
        batch * self.batch + head * self.head + query * self.query + key * self.key
    }

    fn in_place(&self) -> bool {
        let f32s = matches!(self.kind, OperandKind::Bias | OperandKind::Mask { bytes: 4, float: true });
        f32s && self.key == 1
    }

    /// Returns `count` elements starting at `offset` as f32: the numbers of a bias, or of a mask, 0 where a key does not count. They are
    /// computed in `room` unless the operand contains them in this form, or `ready` says that they have been computed before.
    ///
    /// # Safety
    /// The operand has these elements, and `room` is valid for `count`.
    pub(crate) unsafe fn row(
        &self,
        start: *const u8,
        offset: usize,
        count: usize,
        room: *mut f32,
        ready: bool,
    ) -> *const f32 {
        // SAFETY: the caller vouches for elements and room; operands are aligned to their elements.
        unsafe {
            if self.in_place() {
                return start.cast::<f32>().add(offset);
            }
            let room = std::slice::from_raw_parts_mut(room, count);
            match self.kind {
                _ if ready => {}
                OperandKind::Bias => {
                    let from = start.cast::<f32>().add(offset);
                    room.iter_mut().enumerate().for_each(|(i, to)| *to = *from.add(i * self.key));
                }
                OperandKind::Mask { bytes: 1, float } => self.truths::<u8>(start, offset, float, room),
                OperandKind::Mask { bytes: 2, float } => self.truths::<u16>(start, offset, float, room),
                OperandKind::Mask { bytes: 4, float } => self.truths::<u32>(start, offset, float, room),
                OperandKind::Mask { float, .. } => self.truths::<u64>(start, offset, float, room),
            }
            room.as_ptr()
        }
    }

    /// Writes 1 for nonzero words and 0 for others.
    ///
    /// # Safety
    /// The operand has the words.
    unsafe fn truths<W: Word>(&self, start: *const u8, offset: usize, float: bool, room: &mut [f32]) {
        for (i, to) in room.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the words.
            let word = unsafe { *start.cast::<W>().add(offset + i * self.key) };
            *to = if word.is_zero(float) { 0.0 } else { 1.0 };
        }
    }
}

/// One word of a mask.
trait Word: Copy {
    /// Returns whether it is 0; for floats also whether it is −0.
    fn is_zero(self, float: bool) -> bool;
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Word for $word {
            #[inline(always)]
            fn is_zero(self, float: bool) -> bool {
                self << u32::from(float) == 0
            }
        }
    )*};
}

words!(u8, u16, u32, u64);
