//! The file with the figures of one device: JSON with the conditions under which they hold. A file with any other content is ignored.

use rlx_compile::Rates;
use rlx_driver::Device;
use rlx_files::files::{FileError, make_folder, read_json, write_atomically};
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Version of the measurements and of the file format.
const FORMAT: u32 = 1;
/// Maximum size of a file that is read, in bytes.
const MAX_FILE: u64 = 1 << 16;

#[derive(Serialize, Deserialize)]
struct Content {
    format: u32,
    conditions: String,
    /// FLOPs per second.
    flops: f64,
    /// Bytes of memory per second.
    bytes: f64,
    /// Bytes transferred per second.
    transfer: f64,
    /// Seconds per run.
    run: f64,
}

/// Returns the path of the file for these conditions. Machines that share a folder have separate files.
pub(super) fn path(folder: &Path, device: Device, conditions: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (FORMAT, conditions).hash(&mut hasher);
    folder.join(format!("{device}-{:016x}.json", hasher.finish()))
}

/// Reads the figures. Returns `None` unless the file is complete, was written under these conditions and contains valid figures.
pub(super) fn read(path: &Path, conditions: &str) -> Option<Rates> {
    let content: Content = read_json(path, MAX_FILE).ok()?;
    let Content { flops, bytes, transfer, run, .. } = content;
    let ours = content.format == FORMAT && content.conditions == conditions;
    Some(Rates { flops, bytes, transfer, run }).filter(|rates| ours && rates.are_sound())
}

/// Writes the figures, creating the folder if it does not exist.
pub(super) fn write(path: &Path, conditions: &str, rates: Rates) -> Result<(), FileError> {
    let Rates { flops, bytes, transfer, run } = rates;
    let content = Content { format: FORMAT, conditions: conditions.into(), flops, bytes, transfer, run };
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    write_atomically(path, |out| {
        serde_json::to_writer_pretty(&mut *out, &content)?;
        out.write_all(b"\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const RATES: Rates = Rates { flops: 1.25e11, bytes: 1.5e10, transfer: 1e12, run: 2.5e-6 };
    const HERE: &str = "rlx 0\nthis machine";

    #[test]
    fn what_is_written_is_read_under_the_same_conditions_alone() {
        let dir = tempfile::tempdir().unwrap();
        // The folder is created.
        let file = path(&dir.path().join("a/b"), Device::Cpu, HERE);
        write(&file, HERE, RATES).unwrap();
        assert_eq!(read(&file, HERE), Some(RATES));
        let other = "rlx 0\nanother machine";
        assert_ne!(path(dir.path(), Device::Cpu, other), path(dir.path(), Device::Cpu, HERE));
        assert_eq!(read(&file, other), None);
        write(&file, HERE, Rates { run: 1.0, ..RATES }).unwrap();
        assert_eq!(read(&file, HERE).map(|rates| rates.run), Some(1.0));
    }

    #[test]
    fn whatever_else_stands_there_counts_as_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        assert_eq!(read(&file, HERE), None, "no file");
        assert_eq!(read(dir.path(), HERE), None, "a folder");
        write(&file, HERE, RATES).unwrap();
        let whole = fs::read_to_string(&file).unwrap();
        for end in 0..whole.trim_end().len() {
            fs::write(&file, &whole[..end]).unwrap();
            assert_eq!(read(&file, HERE), None, "{end} bytes of {}", whole.len());
        }
        let flops = "125000000000.0";
        assert!(whole.contains(flops), "{whole}");
        for bad in ["0", "-1.0", "-0.0", "1e999", "NaN", "null", "\"1e9\"", "[]"] {
            fs::write(&file, whole.replace(flops, bad)).unwrap();
            assert_eq!(read(&file, HERE), None, "{bad}");
        }
        let others = [
            whole.replace("\"format\": 1", "\"format\": 2"),
            whole.replace("\"run\"", "\"walk\""),
            whole.replace("this machine", "that machine"),
            format!("{whole}{whole}"),
            format!("{whole}{}", " ".repeat(MAX_FILE as usize)),
            "\u{0}".repeat(whole.len()),
        ];
        for other in others {
            assert_ne!(other, whole);
            fs::write(&file, &other).unwrap();
            assert_eq!(read(&file, HERE), None, "{other:.200}");
        }
        fs::write(&file, b"\xff\xfe").unwrap();
        assert_eq!(read(&file, HERE), None, "not text");
        fs::write(&file, &whole).unwrap();
        assert_eq!(read(&file, HERE), Some(RATES), "the file as it was");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_and_no_panic() {
        let dir = tempfile::tempdir().unwrap();
        // A file in the place of the folder, which (unlike permissions) stops every user.
        fs::write(dir.path().join("calibration"), b"").unwrap();
        let file = path(&dir.path().join("calibration"), Device::Cpu, HERE);
        write(&file, HERE, RATES).expect_err("no folder");
        assert_eq!(read(&file, HERE), None);
    }
}
