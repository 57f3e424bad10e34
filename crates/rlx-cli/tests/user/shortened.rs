//! Files that another process shortens while the command has them mapped.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use super::support::command;

/// Elements of the only tensor: a quarter of a gigabyte of zeros, which takes no space on the disk, and takes longer to
/// convert than to shorten.
const VALUES: u64 = 1 << 26;

fn has_mapped(process: u32, name: &str) -> bool {
    fs::read_to_string(format!("/proc/{process}/maps")).is_ok_and(|maps| maps.contains(name))
}

/// How a conversion ends, and what it prints, if its source is shortened as soon as it is open.
fn shortened(dir: &Path, option: Option<&str>) -> (ExitStatus, String) {
    let path = dir.join("long.safetensors");
    let header = format!(
        r#"{{"w":{{"dtype":"F32","shape":[1024,{}],"data_offsets":[0,{}]}}}}"#,
        VALUES / 1024,
        4 * VALUES
    );
    let mut file = File::create(&path).unwrap();
    file.write_all(&(header.len() as u64).to_le_bytes()).unwrap();
    file.write_all(header.as_bytes()).unwrap();
    file.set_len(8 + header.len() as u64 + 4 * VALUES).unwrap();
    let mut args = vec!["convert", "long.safetensors", "out.gguf", "--quantize", "q4_0"];
    args.extend(option);
    let mut child = command(dir, &args).spawn().unwrap();
    let began = Instant::now();
    while option.is_none() && !has_mapped(child.id(), "long.safetensors") {
        assert!(began.elapsed() < Duration::from_secs(60), "the file is not mapped");
        thread::sleep(Duration::from_millis(1));
    }
    if option.is_none() {
        OpenOptions::new().write(true).open(&path).unwrap().set_len(4096).unwrap();
    }
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap(), said)
}

#[test]
fn a_file_that_is_shortened_is_named_before_the_signal_ends_the_command() {
    let dir = tempfile::tempdir().unwrap();
    // A file that is shortened between its mapping and the check of its length is an error, and not yet a signal.
    let is_early = |(_, said): &(ExitStatus, String)| said.contains("while it was opened");
    let ended = (0..20).map(|_| shortened(dir.path(), None)).find(|ended| !is_early(ended));
    let (status, said) = ended.expect("a file that is shortened after it was opened");
    // SIGBUS on Linux.
    assert_eq!(status.signal(), Some(7), "{status}: {said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("rlx: long.safetensors: the file was shortened"), "{said}");
    assert!(last.contains("--no-mmap") && last.contains("RLX_NO_MMAP=1"), "{said}");
    assert!(!dir.path().join("out.gguf").exists(), "a part of a file has a name");
}

#[test]
fn a_file_that_is_copied_is_not_mapped() {
    let dir = tempfile::tempdir().unwrap();
    let (status, said) = shortened(dir.path(), Some("--no-mmap"));
    assert!(status.success(), "{status}: {said}");
}
