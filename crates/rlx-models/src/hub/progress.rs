//! Reports what a fetch is doing.

/// Receives reports of what a fetch is doing. By default, all methods do nothing.
pub trait Progress {
    /// Reports an event as a line of text, such as which source is tried or what is being waited for.
    fn message(&mut self, _text: &str) {}
    /// Begins a step; `total` is its length in bytes, if known.
    fn begin(&mut self, _what: &str, _total: Option<u64>) {}
    /// Reports that `bytes` more of the current step are done; 0 means that only time has passed.
    fn advance(&mut self, _bytes: u64) {}
    /// Ends the current step, whether it succeeded or not.
    fn end(&mut self) {}
}

/// Ignores all reports.
pub struct Silent;

impl Progress for Silent {}
