//! Options of a transform.

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
    /// Reverse mode through `scan`: what it keeps of each step.
    pub scan_memory: ScanMemory,
}

/// What reverse mode through a `scan` loop keeps of the values of its n steps. The policy is about the outermost scans: what
/// runs again keeps everything that its derivative uses while it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScanMemory {
    /// Everything that the derivative uses: nothing runs again.
    Everything,
    /// The carried values of each step: each step runs again.
    Carries,
    /// The carried values of about √n steps: each segment of about √n steps runs again, and keeps everything while it does.
    /// The length of the scan must be static.
    Segments,
}

/// How reverse mode through a `while` loop comes by the values that its body saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WhileMemory {
    /// The loop takes at most this many steps. It becomes a scan of that length, whose memory grows with the bound
    /// ([`ScanMemory`] says how). A loop that takes more has NaN as floating point results and derivatives.
    Bounded(usize),
    /// Any number of steps: carried values that change are kept at no more than this many places (three, if it is less), half
    /// of them in the loop and half in the segment that is run again. Up to about 4n²/slots² steps run a third time for n.
    /// The memory does not depend on the number of steps.
    Checkpoints(usize),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            loss: 0,
            allow_unused: false,
            while_memory: WhileMemory::Checkpoints(64),
            scan_memory: ScanMemory::Everything,
        }
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

    /// Chooses what reverse mode through `scan` keeps.
    pub fn scan_memory(mut self, memory: ScanMemory) -> Self {
        self.scan_memory = memory;
        self
    }
}
