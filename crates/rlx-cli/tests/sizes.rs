//! Programs whose tensors do not fit into any machine are refused before anything is allocated.

use std::fs;
use std::process::Command;

const PROGRAMS: &str = include_str!("data/large_sizes.mlir");

/// The memory that a program may plan for, and the total address space of the process in KiB: an allocation that is not
/// counted aborts it.
const LIMIT: &str = "256MiB";
const PROCESS: u32 = 2_500_000;

#[cfg(target_os = "linux")]
#[test]
fn large_sizes_are_refused_by_name_or_run() {
    let dir = tempfile::tempdir().unwrap();
    let (mut refused, mut ran, mut wrong) = (0, 0, Vec::new());
    for program in PROGRAMS.split("// ---- ").skip(1) {
        let (head, text) = program.split_once('\n').unwrap();
        let (name, end) = head.split_once(' ').unwrap();
        let file = dir.path().join(format!("{name}.mlir"));
        fs::write(&file, text).unwrap();
        // `ulimit` is a shell builtin. A run that does not end is killed.
        let script = format!("ulimit -v {PROCESS}; exec timeout 60 \"$0\" run \"$1\" -i 0.5");
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_rlx")])
            .arg(&file)
            .env("RLX_MEMORY_LIMIT", LIMIT)
            .env("RLX_PROGRAM_CACHE", "0")
            .env("RLX_NUM_THREADS", "2")
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_refusal = stderr.contains(" of memory") || stderr.contains("than can be addressed");
        match (end, output.status.code()) {
            ("runs", Some(0)) => ran += 1,
            ("refused", Some(1)) if is_refusal && stderr.lines().count() == 1 => refused += 1,
            (_, code) => wrong.push(format!("{name}: {code:?} {}", stderr.trim())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > 60 && ran > 4, "{refused} {ran}");
}
