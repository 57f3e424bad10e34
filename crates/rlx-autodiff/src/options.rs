//! What a caller may choose about a transform.

/// Choices of transforms; [`Options::default`] suits most programs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Which output is the loss of `grad` and `value_and_grad`; the others are carried along. 0 by default.
    pub loss: usize,
    /// Give zeros for an input that the outputs do not depend on, instead of an error.
    pub allow_unused: bool,
    /// Reverse mode through `while`: how it remembers the values that its body saw.
    pub while_memory: WhileMemory,
}

/// How reverse mode through a `while` loop comes by the values that its body saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WhileMemory {
    /// The loop takes at most this many steps (more is an error of the program: the result stops changing there). It becomes
    /// a scan of that length, whose memory grows with the bound.
    Bounded(usize),
    /// Any number of steps: carried values are kept at about this many places, and the steps between them run again, up to
    /// n²/(2·slots) steps for n. The memory does not depend on the number of steps.
    Checkpoints(usize),
}

impl Default for Options {
    fn default() -> Self {
        Options { loss: 0, allow_unused: false, while_memory: WhileMemory::Checkpoints(64) }
    }
}

impl Options {
    /// The default choices.
    pub fn new() -> Self {
        Options::default()
    }

    /// Takes output `index` as the loss.
    pub fn loss(mut self, index: usize) -> Self {
        self.loss = index;
        self
    }

    /// Gives zeros for inputs that the outputs do not depend on.
    pub fn allow_unused(mut self) -> Self {
        self.allow_unused = true;
        self
    }

    /// Chooses how reverse mode through `while` comes by earlier values.
    pub fn while_memory(mut self, memory: WhileMemory) -> Self {
        self.while_memory = memory;
        self
    }
}
