//! Crates whose launches are shared between threads.

use crate::crates::{
    Example, calls, content, program, run, rustc, succeeds, write, write_bytes, write_module,
};
use crate::{example, floats};
use rlx_aot::RustEmitter;
use rlx_codegen::judge::difference;
use rlx_ir::{Builder, DType, Literal, Op, Shape, UnaryOp};
use std::path::Path;
use std::process::Command;

/// Returns an emitter of crates with the feature.
pub fn with_threads() -> RustEmitter {
    RustEmitter { threads: true, ..RustEmitter::default() }
}

/// Products, norms and functions that are large enough for several threads, with rows left over after the full tiles.
fn network() -> Example {
    let b = Builder::new("network");
    let x = b.input("x", Shape::new(&[101, 192], DType::F32));
    let w = b.param("w", Shape::new(&[192, 256], DType::F32));
    let v = b.param("v", Shape::new(&[256, 192], DType::F32));
    let hidden = x.matmul(&w).unary(UnaryOp::Tanh);
    let y = (&hidden.matmul(&v) + &x).apply(Op::Softmax { axis: 1 }, &[]);
    let graph = b.finish(&[&y, &hidden]).unwrap();
    let small = |dims: &[usize], seed| {
        let values = floats(dims, seed);
        let values: Vec<f32> = values.as_slice::<f32>().unwrap().iter().map(|x| x / 16.0).collect();
        Literal::new(dims, &values).unwrap()
    };
    let params = [("w", small(&[192, 256], 1)), ("v", small(&[256, 192], 2))];
    example(graph, vec![floats(&[101, 192], 0)], &params)
}

/// A product with few rows, which is shared by columns.
fn few_rows() -> Example {
    let b = Builder::new("rows");
    let x = b.input("x", Shape::new(&[6, 384], DType::F32));
    let w = b.param("w", Shape::new(&[384, 1536], DType::F32));
    let graph = b.finish(&[&x.matmul(&w)]).unwrap();
    example(graph, vec![floats(&[6, 384], 0)], &[("w", floats(&[384, 1536], 1))])
}

/// Attention, which needs arrays for each thread.
fn attention() -> Example {
    let b = Builder::new("attention");
    let operand = |name: &str| b.input(name, Shape::new(&[3, 150, 64], DType::F32));
    let (q, k, v) = (operand("q"), operand("k"), operand("v"));
    let scores = q.matmul(&k.transpose(&[0, 2, 1])).apply(Op::Softmax { axis: 2 }, &[]);
    let graph = b.finish(&[&scores.matmul(&v)]).unwrap();
    example(graph, (0..3).map(|seed| floats(&[3, 150, 64], seed)).collect(), &[])
}

/// Builds a program from this main file, with the crates' feature `threads`.
pub fn build(folder: &Path, options: &[&str]) -> std::path::PathBuf {
    let built = folder.join("program");
    let feature = ["--edition=2024", "--cfg", "feature=\"threads\"", "-o"];
    succeeds(rustc().args(options).args(feature).arg(&built).arg(folder.join("main.rs")));
    built
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mut modules, mut text, mut examples) = (String::new(), String::new(), Vec::new());
    for (number, make) in [network, few_rows, attention].into_iter().enumerate() {
        let shared = write_module(&make(), &with_threads(), &root.join(format!("case_{number}")));
        // On each of four machines.
        assert!(shared >= 4, "{shared} launches of case {number} are shared");
        modules.push_str(&format!("mod case_{number};\n"));
        for threads in
            ["", ".with_threads(1).unwrap()", ".with_threads(2).unwrap()", ".with_threads(3).unwrap()"]
        {
            let example = make();
            text.push_str(&calls(&example, &format!("case_{number}::Model::new(){threads}")));
            examples.push(example);
        }
    }
    write_bytes(root);
    write(&root.join("main.rs"), program(&modules, &text).as_bytes());
    let results = run(&build(root, &["-Coverflow-checks=on", "-Copt-level=1"]), root, &examples);
    for (results, examples) in results.chunks(4).zip(examples.chunks(4)) {
        for (result, expected) in results[0].iter().zip(examples[0].expected()) {
            let difference = difference(result, &expected);
            assert!(difference <= 64.0, "{difference}: {}", examples[0].graph);
        }
        for threads in 1..4 {
            let is_equal = results[threads].iter().zip(&results[0]).all(|(a, b)| a.bytes() == b.bytes());
            assert!(is_equal, "{threads} threads: {}", examples[0].graph);
        }
    }
}

/// Tests a team's jobs: every task runs once, nothing is allocated, and a panic of any thread reaches the caller.
const TEAM: &str = r#"
mod threads;
use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use threads::{Pieces, Team};

/// Counts allocations.
struct Counting;
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn sum(team: &mut Team, out: &mut [usize], fails: impl Fn(usize) -> bool + Sync) {
    let share = team.share(out.len(), usize::MAX);
    let pieces = Pieces::new(share, out.len(), out.chunks_mut(share));
    team.run(|| while let Some((tasks, part)) = pieces.next() {
        assert!(!fails(tasks.start), "task {}", tasks.start);
        part.iter_mut().zip(tasks).for_each(|(out, task)| *out += task);
    });
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    assert!(Team::of(0).is_err());
    for threads in 1..=4 {
        let mut team = Team::of(threads).unwrap();
        let mut out = [0; 10];
        // A thread allocates while it starts.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for round in 0..3000 {
            if round % 100 == 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            sum(&mut team, &mut out, |_| false);
        }
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), before, "a launch allocates");
        assert!(out.iter().enumerate().all(|(task, &sum)| sum == 3000 * task), "{out:?}");
        for failing in 0..10 {
            let caught = catch_unwind(AssertUnwindSafe(|| sum(&mut team, &mut out, |task| task == failing)));
            let begins = failing % 10usize.div_ceil(threads) == 0;
            assert_eq!(caught.is_err(), begins, "task {failing} on {threads} threads");
        }
        // Only a worker panics, whenever one joins in time.
        let (main, seen) = (std::thread::current().id(), AtomicUsize::new(0));
        for _ in 0..200 {
            let caught = catch_unwind(AssertUnwindSafe(|| team.run(|| {
                if std::thread::current().id() != main {
                    seen.fetch_add(1, Ordering::Relaxed);
                    panic!("worker");
                }
                std::thread::sleep(std::time::Duration::from_micros(200));
            })));
            let workers = seen.swap(0, Ordering::Relaxed);
            assert_eq!(caught.is_err(), workers > 0);
        }
        sum(&mut team, &mut out, |_| false);
    }
}
"#;

#[test]
fn a_panic_of_any_thread_reaches_the_caller_and_the_team_lives_on() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let files = network().files(&with_threads()).unwrap();
    let threads = files.iter().find(|file| file.path == "src/threads.rs").unwrap();
    write(&root.join("threads.rs"), &content(threads));
    write(&root.join("main.rs"), TEAM.as_bytes());
    succeeds(&mut Command::new(build(root, &[])));
}

#[test]
fn only_crates_with_the_feature_have_threads() {
    let has_threads = |emitter: RustEmitter| {
        let files = network().files(&emitter).unwrap();
        files.iter().any(|file| String::from_utf8_lossy(&content(file)).contains("threads"))
    };
    assert!(has_threads(with_threads()));
    assert!(!has_threads(RustEmitter::default()));
    assert!(!has_threads(RustEmitter { no_std: true, ..with_threads() }));
}
