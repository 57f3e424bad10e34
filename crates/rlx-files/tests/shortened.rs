//! Files that another process shortens while they are mapped: what the reader prints, and how it ends. Each reader is
//! a separate process.

#![cfg(unix)]
#![allow(clippy::print_stdout)] // A reader reports to the test that it has opened the file.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use rlx_files::contents::{Access, Contents, explain_lost_files, never_map};

/// The variable that tells a reader what to do, and with which file.
const VARIABLE: &str = "RLX_SHORTENED_READER";
/// The length of the file: several pages on any system.
const BYTES: usize = 1 << 20;

extern "C" fn own_handler(_: libc::c_int) {
    // SAFETY: a handler may end the process.
    unsafe { libc::_exit(42) }
}

fn install_own() {
    let handler: extern "C" fn(libc::c_int) = own_handler;
    // SAFETY: the handler is a function of the type that `signal` takes.
    unsafe { libc::signal(libc::SIGBUS, handler as libc::sighandler_t) };
}

/// What a reader does after the file was shortened.
fn reader(does: &str, path: &Path) {
    match does {
        "silent" => (),
        "copies" => never_map(),
        "foreign and handled" => {
            install_own();
            explain_lost_files().expect("a handler");
        }
        _ => {
            explain_lost_files().expect("a handler");
            explain_lost_files().expect("the same handler");
        }
    }
    // Other files are mapped before and at the same time.
    drop(Contents::open(Path::new("Cargo.toml"), Access::Map).expect("this crate"));
    let other = Contents::open(Path::new("Cargo.toml"), Access::Map).expect("this crate");
    let contents = Contents::open(path, Access::Map).expect("the file");
    // SAFETY: the test itself changes the file, to see what happens.
    let foreign =
        unsafe { memmap2::Mmap::map(&std::fs::File::open(path).expect("the file")) }.expect("a map");
    println!("opened");
    std::io::stdout().flush().expect("said");
    let _ = std::io::stdin().read(&mut [0; 1]).expect("told");
    match does {
        // Rust's own handler ignores the first signal, and lets the next one end the process.
        // SAFETY: a signal is sent to this process.
        "sent" => unsafe {
            libc::raise(libc::SIGBUS);
            libc::raise(libc::SIGBUS);
        },
        "foreign" | "foreign and handled" => {
            drop(contents);
            assert_eq!(foreign[BYTES - 1], 7);
        }
        _ => assert_eq!(contents.as_slice()[BYTES - 1], 7),
    }
    assert!(!other.as_slice().is_empty());
}

/// Returns how a reader ends whose file is shortened, and what it prints on standard error.
fn shortened(does: &str, variables: &[(&str, &str)]) -> (ExitStatus, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model\n\u{1b}[31m.bin");
    std::fs::write(&path, vec![7; BYTES]).expect("a file");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "a_file_that_is_shortened_is_named", "--nocapture"]);
    command.env(VARIABLE, format!("{does}:{}", path.display())).envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a reader");
    // Its output is read to the end, since it would fail when writing otherwise.
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.ends_with("opened")), "{does}: the reader did not open the file");
    OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(10)).expect("shortened");
    child.stdin.take().expect("its input").write_all(b"\n").expect("told");
    let mut said = String::new();
    child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    lines.for_each(drop);
    (child.wait().expect("an end"), said)
}

#[test]
fn a_file_that_is_shortened_is_named() {
    if let Ok(told) = std::env::var(VARIABLE) {
        let (does, path) = told.split_once(':').expect("what to do, and a file");
        return reader(does, Path::new(path));
    }
    let (status, said) = shortened("explains", &[]);
    assert_eq!(status.signal(), Some(libc::SIGBUS), "{status}: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("rlx: /") && said.contains("model\\n\\u{1b}[31m.bin: the file was shortened"),
        "{said}"
    );
    assert!(said.contains("RLX_NO_MMAP=1"), "{said}");
    // A library does not handle a signal unasked.
    let (status, said) = shortened("silent", &[]);
    assert_eq!((status.signal(), said.as_str()), (Some(libc::SIGBUS), ""));
    // Signals that do not concern a mapped file have their previous effect.
    for does in ["foreign", "sent"] {
        let (status, said) = shortened(does, &[]);
        assert_eq!((status.signal(), said.as_str()), (Some(libc::SIGBUS), ""), "{does}");
    }
    let (status, said) = shortened("foreign and handled", &[]);
    assert_eq!((status.code(), said.as_str()), (Some(42), ""));
    // Nothing happens if the file was read.
    for (does, variables) in [("copies", &[][..]), ("explains", &[("RLX_NO_MMAP", "1")][..])] {
        let (status, said) = shortened(does, variables);
        assert!(status.success(), "{does} {variables:?}: {status}: {said}");
    }
}
