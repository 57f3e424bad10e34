//! All output to the terminal: text for people, payloads, and notes on standard error. Names, labels and messages from
//! files reach a terminal only through this module, so control characters are escaped here and nowhere else.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

pub use rlx_escape::terminal as escaped;

use crate::failure::Failure;

/// Prints text for people on standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    write(escaped(text).as_bytes())
}

/// Prints data for other programs, such as JSON, a graph or a script. The bytes are unchanged unless standard output is
/// a terminal.
pub fn payload(bytes: &[u8]) -> Result<(), Failure> {
    Payload::open().add(bytes).map_err(Failure::output)
}

/// Prints a report, either JSON or text for people.
pub fn report(is_json: bool, text: &str) -> Result<(), Failure> {
    if is_json { payload(text.as_bytes()) } else { print(text) }
}

fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::output)
}

/// Unescaped standard output, for lines without control characters.
pub fn stream() -> Box<dyn Write + Send> {
    Box::new(io::stdout())
}

/// Standard output for a payload that is printed in pieces.
pub struct Payload {
    out: io::StdoutLock<'static>,
    is_terminal: bool,
    /// On a terminal, the first bytes of a character that is not complete yet.
    begun: Vec<u8>,
}

impl Payload {
    /// Opens standard output.
    pub fn open() -> Payload {
        let out = io::stdout().lock();
        Payload { is_terminal: out.is_terminal(), out, begun: Vec::new() }
    }

    /// Writes and flushes more bytes. On a terminal, text is escaped as in [`print`].
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_terminal {
            self.begun.extend_from_slice(bytes);
            let shown = shown(&mut self.begun);
            self.out.write_all(shown.as_bytes())?;
        } else {
            self.out.write_all(bytes)?;
        }
        self.out.flush()
    }
}

/// The bytes as text that is safe for a terminal. The bytes of an incomplete character at the end stay in `bytes`.
fn shown(bytes: &mut Vec<u8>) -> String {
    let mut out = String::new();
    let mut kept = Vec::new();
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        out.push_str(&escaped(chunk.valid()));
        let is_begun = std::str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
        if is_begun && chunks.peek().is_none() {
            kept = chunk.invalid().to_vec();
        } else {
            // An invalid byte is printed as an escape, since terminals that do not use UTF-8 interpret some of them as
            // control characters.
            chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
        }
    }
    *bytes = kept;
    out
}

/// Prints a note on standard error, in lines that begin with the name of the command.
pub fn note(text: &str) {
    // If this fails, there is nowhere left to report it.
    let _ = writeln!(io::stderr().lock(), "rlx: {}", escaped(text));
}

/// Prints lines that a library reports because the user asked for them on standard error.
pub fn reported(lines: &str) {
    // If this fails, there is nowhere left to report it.
    let _ = io::stderr().lock().write_all(escaped(lines).as_bytes());
}

/// Prints help or the version on standard output, or an error of the command line on standard error.
pub fn of_command_line(error: &clap::Error) -> Result<(), Failure> {
    let text = error.render().to_string();
    let is_safe = matches!(escaped(&text), Cow::Borrowed(_));
    if error.use_stderr() {
        // With colors, if nothing needs escaping.
        let _ = if is_safe { error.print() } else { write!(io::stderr().lock(), "{}", escaped(&text)) };
        return Ok(());
    }
    error.print().and_then(|()| io::stdout().flush()).map_err(Failure::output)
}

/// Reports on standard error that memory has run out. Does not allocate.
pub fn out_of_memory(bytes: usize) {
    let advice = "use a smaller --batch, --context or model, or fewer --threads";
    let _ = writeln!(
        io::stderr(),
        "rlx: out of memory: the system refused a request for {bytes} bytes; {advice}"
    );
}

/// Whether standard error is a terminal.
pub fn notes_are_seen() -> bool {
    io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_shown_when_they_are_whole() {
        let mut bytes = Vec::new();
        let mut said = String::new();
        for byte in "é\u{9b}→".bytes().chain([0xff, b'a', 0xe2, 0x86, b'b', 0xe2]) {
            bytes.push(byte);
            said.push_str(&shown(&mut bytes));
        }
        assert_eq!((said.as_str(), &bytes[..]), ("é\\u{9b}→\\xffa\\xe2\\x86b", &[0xe2][..]));
    }

    /// No other file of this program writes to standard output or standard error.
    #[test]
    fn nothing_else_prints() {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                // Except this file, and a program that is written into crates.
                let is_rust = path.extension().is_some_and(|e| e == "rs");
                if !is_rust || path.ends_with("src/output.rs") || path.ends_with("ahead/example.rs") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                for word in ["io::stdout(", "io::stderr(", "println!(", "print!(", "dbg!("] {
                    if text.contains(word) {
                        found.push(format!("{}: {word}", path.display()));
                    }
                }
            }
        }
        assert!(found.is_empty(), "{found:#?}");
    }
}
