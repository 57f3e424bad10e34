//! Transfers that can be interrupted and resumed: bytes that arrived are kept and not requested again.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};
use ureq::Agent;

use super::copy::hex;
use super::error::LocalError;
use super::http;
use super::{FetchError, HubOptions, Progress};

/// A file to fetch.
pub(super) struct PartialFile<'a> {
    /// Its address.
    pub(super) url: &'a str,
    /// The file to write to. It may already contain bytes from an earlier transfer.
    pub(super) path: &'a Path,
    /// Its length.
    pub(super) len: u64,
}

impl PartialFile<'_> {
    /// Fetches the missing bytes, flushes the file to the disk, and returns its SHA-256.
    ///
    /// # Errors
    /// Fails if the server does not answer with the file, or with one of the wrong length.
    pub(super) fn fetch(
        &self,
        agent: &Agent,
        left: &dyn Fn() -> Duration,
        options: &HubOptions,
        progress: &mut dyn Progress,
    ) -> Result<String, FetchError> {
        let mut hash = Sha256::new();
        let mut have = self.read(&mut hash)?;
        if have > self.len {
            hash = Sha256::new();
            have = 0;
        }
        progress.advance(have);
        if have < self.len || have == 0 {
            let answer = http::get(agent, self.url, have, left(), options)?;
            if have > 0 && answer.status().as_u16() != 206 {
                // The server ignored the range and sends the whole file.
                hash = Sha256::new();
                have = 0;
            }
            let body = answer.into_body().into_reader();
            self.append(body, have, &mut hash, left, options, progress)?;
        }
        Ok(hex(&hash.finalize()))
    }

    fn local(&self, action: &'static str, error: io::Error) -> FetchError {
        LocalError::new(self.path, action, error).into()
    }

    /// Hashes the bytes that already arrived, and returns their number.
    fn read(&self, hash: &mut Sha256) -> Result<u64, FetchError> {
        let regular = fs::metadata(self.path).and_then(|meta| match meta.is_file() {
            true => File::open(self.path),
            false => Err(io::Error::other("not a regular file")),
        });
        let file = match regular {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(e) => return Err(self.local("reading", e)),
        };
        let mut file = file.take(self.len.saturating_add(1));
        let (mut buffer, mut have) = (vec![0; 1 << 17], 0);
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(have),
                Ok(n) => {
                    hash.update(&buffer[..n]);
                    have += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.local("reading", e)),
            }
        }
    }

    /// Writes the bytes that follow the first `have` bytes.
    fn append(
        &self,
        mut input: impl Read,
        mut have: u64,
        hash: &mut Sha256,
        left: &dyn Fn() -> Duration,
        options: &HubOptions,
        progress: &mut dyn Progress,
    ) -> Result<(), FetchError> {
        let mut open = File::options();
        let open = if have > 0 { open.append(true) } else { open.write(true).create(true).truncate(true) };
        let mut file = open.open(self.path).map_err(|e| self.local("creating", e))?;
        let mut buffer = vec![0; 1 << 17];
        loop {
            let n = match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    let reason = match left() {
                        Duration::ZERO => http::slow(options),
                        _ => format!("the transfer was interrupted after {have} of {} bytes: {e}", self.len),
                    };
                    return Err(FetchError::Connection { url: self.url.into(), reason });
                }
            };
            have += n as u64;
            if have > self.len {
                // This is a different file, which must not fill the disk.
                drop(file);
                let _ = fs::remove_file(self.path);
                return Err(self.other_length(have));
            }
            hash.update(&buffer[..n]);
            file.write_all(&buffer[..n]).map_err(|e| self.local("writing", e))?;
            progress.advance(n as u64);
        }
        if have != self.len {
            return Err(self.other_length(have));
        }
        file.sync_all().map_err(|e| self.local("writing", e))
    }

    fn other_length(&self, got: u64) -> FetchError {
        let reason = format!("expected {} bytes, received {got}", self.len);
        FetchError::Connection { url: self.url.into(), reason }
    }
}
