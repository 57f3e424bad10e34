//! Standard input, which a command reads for a file named `-`, or by default. At most one argument of a command line
//! may use it.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rlx_models::files::{read_bounded, text_of};

use crate::failure::Failure;

/// The name of standard input in messages.
pub const NAME: &str = "standard input";

/// Whether standard input was already used.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether the name of a file means standard input.
pub fn is_meant(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether the user would have to type the input.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// All of standard input, at most `limit` bytes, for `what`, the argument given as `-`.
pub fn read(what: &str, limit: u64) -> Result<Vec<u8>, Failure> {
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Err(Failure::usage(format!("{what}: only one file can be `-`, {NAME}")));
    }
    let failed = |problem: String| Failure::Failed(format!("{NAME}: {problem}").into());
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|e| failed(format!("it cannot be read: {e}")))?;
    if bytes.len() as u64 > limit {
        return Err(failed(format!("{what} is longer than {limit} bytes")));
    }
    Ok(bytes)
}

/// The bytes of a file, or of standard input for `-`, at most `limit`. `what` describes the contents in messages.
pub fn file(path: &Path, what: &str, limit: u64) -> Result<Vec<u8>, Failure> {
    if is_meant(path) { read(what, limit) } else { Ok(read_bounded(path, limit)?) }
}

/// Like [`file`], for text.
pub fn text_file(path: &Path, what: &str, limit: u64) -> Result<String, Failure> {
    let bytes = file(path, what, limit)?;
    Ok(text_of(if is_meant(path) { Path::new(NAME) } else { path }, bytes)?)
}

/// The piped input; `None` if standard input is a terminal, empty or closed.
pub fn piped(what: &str, limit: u64) -> Result<Option<Vec<u8>>, Failure> {
    if is_terminal() || TAKEN.load(Ordering::Relaxed) {
        return Ok(None);
    }
    Ok(Some(read(what, limit)?).filter(|bytes| !bytes.is_empty()))
}

/// The piped text, without the final line break.
pub fn piped_text(what: &str, limit: u64) -> Result<Option<String>, Failure> {
    let Some(bytes) = piped(what, limit)? else { return Ok(None) };
    let mut text = text_of(Path::new(NAME), bytes)?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}
