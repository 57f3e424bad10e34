//! Calls every safe function with invalid arguments, in separate processes: whatever MLX does not check must be an error, and must never
//! end the process.

#![allow(clippy::print_stdout, clippy::print_stderr)] // A child tells its parent, and who runs the tests what is skipped.

mod cases;
mod draw;

use cases::CASES;
use draw::Draw;
use rlx_mlx_sys::{Kind, LoadError, Mlx, Ops};
use std::io::Write;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// The arguments of a child: the case, the first number, and the number after the last one.
const VARIABLE: &str = "RLX_MLX_HOSTILE";
/// Number of times each case is drawn, unless `RLX_MLX_HOSTILE_ROUNDS` sets more.
const ROUNDS: u64 = 150;
/// Maximum time of one round, after which the child ends with SIGABRT.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of elements of a result that is computed.
const COMPUTED: usize = 1 << 20;

fn mlx() -> Option<Mlx> {
    match Mlx::load(None) {
        Ok(mlx) => Some(mlx),
        Err(e) => {
            assert_eq!(e, LoadError::Missing);
            println!("skipped: there is no MLX");
            None
        }
    }
}

/// Runs the rounds of one case, and prints each number before its round.
fn run(case: usize, first: u64, end: u64) {
    let Some(mlx) = mlx() else { return };
    let says = end == first + 1;
    let (began, done) = (std::sync::Mutex::new(Instant::now()), std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (began, done) = (&began, &done);
        scope.spawn(move || {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
                if began.lock().is_ok_and(|began| began.elapsed() > PATIENCE) {
                    // Not `exit`, which would wait for threads of MLX.
                    std::process::abort();
                }
            }
        });
        let stream = mlx.stream(Kind::Cpu, 0).expect("a stream");
        let mut fits = 0;
        for seed in first..end {
            let mut out = std::io::stdout().lock();
            writeln!(out, "round {seed}").and_then(|()| out.flush()).expect("written");
            *began.lock().expect("the time") = Instant::now();
            let ops = Ops::new(&stream, &stream);
            let given = CASES[case].1(&mut Draw::new(ops, seed, says));
            if says {
                eprintln!("  gives {given:?}");
            }
            let given = given.unwrap_or_default();
            fits += usize::from(!given.is_empty());
            for array in given {
                if array.len() <= COMPUTED {
                    // An error is a valid result.
                    let _ = ops.bytes(&array);
                }
            }
            // MLX must still work.
            let sum = ops.int(2).and_then(|a| ops.binary(rlx_mlx_sys::Binary::Add, &a, &a));
            assert_eq!(sum.and_then(|sum| ops.bytes(&sum)), Ok(4i32.to_le_bytes().to_vec()));
        }
        println!("arguments fit {fits} times");
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

fn child(case: usize, first: u64, end: u64) -> (ExitStatus, String, String) {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", "safe_functions_end_no_process", "--nocapture"]);
    command.env(VARIABLE, format!("{case} {first} {end}"));
    let output = command.output().expect("a child");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status, text(&output.stdout), text(&output.stderr))
}

/// Returns the rounds of a case that end the process, with their arguments.
fn fallen(case: usize, rounds: u64, most: usize) -> Vec<String> {
    let (mut fallen, mut first) = (Vec::new(), 0);
    while first < rounds && fallen.len() < most {
        let (status, said, _) = child(case, first, rounds);
        if status.success() {
            // Refusing everything is not valid. Functions that work with the process make no arrays.
            if first == 0 && said.contains("arguments fit 0 times") && !CASES[case].0.contains(&"load") {
                fallen.push(format!("{:?}: no arguments fit in {rounds} rounds", CASES[case].0));
            }
            break;
        }
        let last = said.lines().filter_map(|line| line.strip_prefix("round ")?.parse().ok()).next_back();
        let last: u64 = last.unwrap_or(first);
        let (again, _, arguments) = child(case, last, last + 1);
        let names = CASES[case].0;
        fallen.push(format!("{names:?} round {last}: {status} (alone: {again})\n{arguments}"));
        first = last + 1;
    }
    fallen
}

#[test]
fn safe_functions_end_no_process() {
    if let Ok(told) = std::env::var(VARIABLE) {
        let told: Vec<u64> = told.split(' ').map(|n| n.parse().expect("a number")).collect();
        return run(told[0] as usize, told[1], told[2]);
    }
    if mlx().is_none() {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let rounds = number("RLX_MLX_HOSTILE_ROUNDS").unwrap_or(ROUNDS);
    let most = number("RLX_MLX_HOSTILE_MOST").unwrap_or(1) as usize;
    let next = std::sync::atomic::AtomicUsize::new(0);
    let all = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get().min(8)) {
            scope.spawn(|| {
                loop {
                    let case = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if case >= CASES.len() {
                        break;
                    }
                    let fallen = fallen(case, rounds, most);
                    all.lock().expect("the list").extend(fallen);
                }
            });
        }
    });
    let all: Vec<String> = all.into_inner().expect("the list");
    assert!(all.is_empty(), "{} ended the process:\n{}", all.len(), all.join("\n"));
}

#[test]
fn every_safe_function_has_a_case() {
    let sources = [
        include_str!("../../src/array.rs"),
        include_str!("../../src/contractions.rs"),
        include_str!("../../src/function.rs"),
        include_str!("../../src/fused.rs"),
        include_str!("../../src/indices.rs"),
        include_str!("../../src/load.rs"),
        include_str!("../../src/ops.rs"),
        include_str!("../../src/reductions.rs"),
        include_str!("../../src/runtime.rs"),
        include_str!("../../src/shapes.rs"),
    ];
    // Functions of enum elements compute nothing.
    let mut missing = Vec::new();
    for line in sources.iter().flat_map(|source| source.lines()) {
        let Some(name) = line.trim_start().strip_prefix("pub fn ") else { continue };
        let name = name.split(['(', '<']).next().unwrap_or("");
        let called = |(names, _): &&(&[&str], cases::Case)| names.contains(&name);
        if !CASES.iter().any(|case| called(&case)) {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "no case calls {missing:?}");
}
