//! What a fetch reports while it runs.

/// Receives what a fetch is doing. All methods do nothing by default.
pub trait Progress {
    /// Something worth a line: which source is tried, what is being waited for.
    fn message(&mut self, _text: &str) {}
    /// A step begins; `total` is its length in bytes, where that is known.
    fn begin(&mut self, _what: &str, _total: Option<u64>) {}
    /// `bytes` more of the current step are done; 0 when only time has passed.
    fn advance(&mut self, _bytes: u64) {}
    /// The current step is over, well or not.
    fn end(&mut self) {}
}

/// Tells nothing.
pub struct Silent;

impl Progress for Silent {}
