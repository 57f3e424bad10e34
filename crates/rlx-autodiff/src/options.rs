//! Options of a transform.

/// Options of transforms; [`Options::default`] suits most programs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The index of the output that is the loss of `grad` and `value_and_grad`; 0 by default. The other outputs are returned too.
    pub loss: usize,
    /// Return zeros for an input that the outputs do not depend on, instead of an error.
    pub allow_unused: bool,
    /// How reverse mode through `while` gets the values that the body used.
    pub while_memory: WhileMemory,
    /// What reverse mode through `scan` keeps of each step.
    pub scan_memory: ScanMemory,
}

/// What reverse mode through a `scan` loop keeps of the values of its n steps. The policy applies to the outermost scans; while
/// a part is run again, it keeps everything that its derivative uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScanMemory {
    /// Everything that the derivative uses. Nothing runs again.
    Everything,
    /// The carried values of each step. Each step runs again.
    Carries,
    /// The carried values of about √n steps. Each segment of about √n steps runs again, and keeps everything while it does. The
    /// length of the scan must be static.
    Segments,
}

/// How reverse mode through a `while` loop gets the values that its body used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WhileMemory {
    /// The loop takes at most this many steps. It becomes a scan of that length, whose memory grows with the bound (see
    /// [`ScanMemory`]). If the loop takes more steps, its floating point results and derivatives are NaN.
    Bounded(usize),
    /// The loop takes any number of steps. Carried values that change are kept in at most this many slots (three, if it is less):
    /// half of them for the loop, and half for the segment that is run again. For n steps, up to about 4n²/slots² of them run a
    /// third time. The memory does not depend on the number of steps.
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
    /// The default options.
    pub fn new() -> Self {
        Options::default()
    }

    /// Sets the index of the output that is the loss.
    pub fn loss(mut self, index: usize) -> Self {
        self.loss = index;
        self
    }

    /// Returns zeros for inputs that the outputs do not depend on, instead of an error.
    pub fn allow_unused(mut self) -> Self {
        self.allow_unused = true;
        self
    }

    /// Sets how reverse mode through `while` gets earlier values.
    pub fn while_memory(mut self, memory: WhileMemory) -> Self {
        self.while_memory = memory;
        self
    }

    /// Sets what reverse mode through `scan` keeps.
    pub fn scan_memory(mut self, memory: ScanMemory) -> Self {
        self.scan_memory = memory;
        self
    }
}
