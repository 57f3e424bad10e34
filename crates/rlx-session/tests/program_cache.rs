//! Programs cached on disk: compiled programs are read again, and no file in the folder causes harm.

use rlx_compile::{BackendError, Claim, Claims, CompileOptions, Lowered, Rates};
use rlx_cpu::CpuBackend;
use rlx_exec::{Availability, Backend, Executable, Queue};
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Activation, BinaryOp, DType, FusionKind, Graph, Op, Shape};
use rlx_session::{CompiledGraph, Device, Session, register_backend};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The CPU, counting lowerings: a lowered graph never contains `elu`.
struct Counting;

impl Claims for Counting {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        LOWERED.fetch_add(usize::from(matches!(op, Op::Elu { .. })), Ordering::Relaxed);
        CpuBackend.claim(op, operands, results)
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        CpuBackend.fuses(kind)
    }

    fn accepts(&self, kind: FusionKind, body: &Graph) -> bool {
        CpuBackend.accepts(kind, body)
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        CpuBackend.elementwise(op, dtype)
    }
}

static LOWERED: AtomicUsize = AtomicUsize::new(0);
/// All tests of this program share the counter.
static ALONE: Mutex<()> = Mutex::new(());

impl Backend for Counting {
    fn device(&self) -> Device {
        Device::Cpu
    }

    fn availability(&self) -> Availability {
        CpuBackend.availability()
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn claims_key(&self) -> Option<String> {
        CpuBackend.claims_key()
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        CpuBackend.prepare(lowered, queue)
    }

    fn rates(&self) -> Rates {
        CpuBackend.rates()
    }
}

/// Returns a graph that takes long enough to compile to be cached. `last` is the function of its last node.
fn graph(last: Activation) -> Graph {
    let mut g = Graph::new("long");
    let shape = Shape::new(&[2, 3], DType::F32);
    let x = g.input("x", shape.clone());
    let mut y = x;
    for _ in 0..400 {
        let sum = g.binary(BinaryOp::Add, y, x, shape.clone());
        y = g.activation(Activation::Tanh, sum, shape.clone());
    }
    let y = g.push(Op::Elu { alpha: 1.0 }, vec![y], vec![shape.clone()]);
    let y = g.activation(last, y, shape);
    g.set_outputs(vec![y]);
    g
}

const X: [f32; 6] = [0.1, -0.2, 0.3, -0.4, 0.5, -0.6];

/// Returns the result, and whether the program was lowered for it.
fn run(folder: &Path, last: Activation) -> (Vec<f32>, bool) {
    let options = CompileOptions::new().program_cache(folder);
    let before = LOWERED.load(Ordering::Relaxed);
    let mut compiled = Session::new(Device::Cpu).with_options(options).try_compile(graph(last)).unwrap();
    let lowered = LOWERED.load(Ordering::Relaxed) > before;
    (compiled.try_run(&[("x", &X)]).unwrap().remove(0), lowered)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

fn alone() -> std::sync::MutexGuard<'static, ()> {
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    register_backend(Arc::new(Counting));
    guard
}

#[test]
fn what_was_compiled_once_is_read() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("not/there/yet");
    let (expected, lowered) = run(&folder, Activation::Sigmoid);
    assert!(lowered);
    let kept = files(&folder);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(run(&folder, Activation::Sigmoid), (expected.clone(), false));
    // Another program, and the same one with another option, are separate entries.
    let (other, lowered) = run(&folder, Activation::Relu);
    assert!(lowered);
    assert_ne!(other, expected);
    assert_eq!(files(&folder).len(), 2);
    let options = CompileOptions { fuse: false, ..CompileOptions::new() }.program_cache(&folder);
    let before = LOWERED.load(Ordering::Relaxed);
    let session = Session::new(Device::Cpu).with_options(options);
    let unfused: CompiledGraph = session.try_compile(graph(Activation::Sigmoid)).unwrap();
    assert!(LOWERED.load(Ordering::Relaxed) > before);
    assert!(unfused.lowered_graph().nodes().len() > 400);
}

#[test]
fn a_program_that_was_read_is_the_one_that_was_made_and_can_report() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let options = CompileOptions::new().program_cache(dir.path());
    let compile = || {
        Session::new(Device::Cpu)
            .with_options(options.clone())
            .try_compile(graph(Activation::Sigmoid))
            .unwrap()
    };
    let made = compile();
    let before = LOWERED.load(Ordering::Relaxed);
    let read = compile();
    assert_eq!(LOWERED.load(Ordering::Relaxed), before);
    assert_eq!(read.lowered_graph(), made.lowered_graph());
    assert_eq!(read.dispatch_report().unwrap(), made.dispatch_report().unwrap());
}

#[test]
fn one_program_serves_all_sizes() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let text = graph(Activation::Sigmoid).to_string().replace("[2,3]", "[N,3]");
    let options = CompileOptions::new().program_cache(dir.path());
    let session = Session::new(Device::Cpu).with_options(options);
    let sizes = |rows: usize| {
        let mut compiled = session.try_compile(Graph::parse(&text).unwrap()).unwrap();
        compiled.try_run(&[("x", &X[..3 * rows])]).unwrap().remove(0)
    };
    let two = sizes(2);
    assert_eq!(sizes(1), two[..3]);
    assert_eq!(sizes(2), two);
    assert_eq!(files(dir.path()).len(), 1);
}

#[test]
fn a_damaged_or_foreign_file_is_a_compile_and_is_replaced() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let (expected, _) = run(dir.path(), Activation::Sigmoid);
    let path = files(dir.path()).remove(0);
    let whole = fs::read(&path).unwrap();

    let mut damaged: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\n".to_vec(),
        b"rlx-program-1 0 0\n".to_vec(),
        b"rlx-program-1 0 99999999999999999999\n".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        b"{\"json\": true}\n".to_vec(),
        [&whole[..], b" "].concat(),
    ];
    damaged.extend((1..20).map(|i| whole[..whole.len() * i / 20].to_vec()));
    damaged.extend((0..160).map(|i| {
        let mut bytes = whole.clone();
        let at = (bytes.len() - 1) * i / 159;
        bytes[at] ^= 1 << (i % 8);
        bytes
    }));
    for bytes in damaged {
        fs::write(&path, &bytes).unwrap();
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        assert_eq!(
            run(dir.path(), Activation::Sigmoid),
            (expected.clone(), true),
            "{} bytes: {head}",
            bytes.len()
        );
        assert_eq!(fs::read(&path).unwrap().len(), whole.len(), "the file is whole again");
    }
    assert_eq!(run(dir.path(), Activation::Sigmoid), (expected, false));
}

#[test]
fn a_file_of_another_program_under_this_ones_name_is_a_compile() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let (expected, _) = run(dir.path(), Activation::Sigmoid);
    let ours = files(dir.path()).remove(0);
    let (_, _) = run(dir.path(), Activation::Relu);
    let theirs = files(dir.path()).into_iter().find(|path| *path != ours).unwrap();
    fs::copy(&theirs, &ours).unwrap();
    assert_eq!(run(dir.path(), Activation::Sigmoid), (expected, true));
}

/// Returns the key and the program of a file.
fn parts(path: &Path) -> (String, String) {
    let text = fs::read_to_string(path).unwrap();
    let (head, body) = text.split_once('\n').unwrap();
    let (key, program) = body.split_at(head.rsplit(' ').next().unwrap().parse().unwrap());
    (key.into(), program.into())
}

/// Writes a file with a valid checksum, whatever its contents.
fn forge(path: &Path, key: &str, program: &str) {
    let mut hasher = DefaultHasher::new();
    let both: &[&str] = &[key, program];
    both.hash(&mut hasher);
    let sum = hasher.finish();
    fs::write(path, format!("rlx-program-3 {sum:016x} {}\n{key}{program}", key.len())).unwrap();
}

#[test]
fn a_program_that_no_lowering_makes_is_a_compile_though_its_sum_is_right() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let (expected, _) = run(dir.path(), Activation::Sigmoid);
    let path = files(dir.path()).remove(0);
    let (key, program) = parts(&path);
    forge(&path, &key, &program);
    assert_eq!(run(dir.path(), Activation::Sigmoid), (expected.clone(), false), "the forger knows the form");
    let simple = |text: &str| format!("graph \"long\" {text}");
    let replaced = |from: &str, to: &str| {
        assert!(program.contains(from), "{from} in {}", &program[..200]);
        program.replacen(from, to, 1)
    };
    let unlowered = graph(Activation::Sigmoid).to_string();
    let of_other_shape = unlowered.replace("[2,3]", "[3,2]");
    let larger = unlowered.replace("[2,3]", "[1099511627776,1099511627776]");
    for program in [
        unlowered.clone(),
        of_other_shape,
        larger,
        replaced("\"x\"", "\"z\""),
        program[..program.len() / 2].to_string(),
        program.repeat(2),
        String::new(),
        simple("{ }"),
        simple("{ %0 = input \"x\" : f32[2,3] return %7 }"),
    ] {
        forge(&path, &key, &program);
        let head = &program[..program.len().min(80)];
        assert_eq!(run(dir.path(), Activation::Sigmoid), (expected.clone(), true), "{head}");
    }
}

/// Random changes with a valid checksum may give another program, but cause no harm.
#[test]
fn programs_that_were_changed_at_random_do_no_harm() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let (expected, _) = run(dir.path(), Activation::Sigmoid);
    let path = files(dir.path()).remove(0);
    let (key, program) = parts(&path);
    let mut random = SplitMix64::new(5);
    for _ in 0..300 {
        let mut bytes = program.clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let (at, from) = (random.below(bytes.len()), random.below(bytes.len()));
            match random.below(3) {
                0 => bytes[at] = b"0123456789%,[]()x"[random.below(17)],
                1 => bytes[at] = bytes[from],
                _ => drop(bytes.drain(at.min(from)..at.max(from).min(at.min(from) + 40))),
            }
        }
        let Ok(program) = String::from_utf8(bytes) else { continue };
        forge(&path, &key, &program);
        let options = CompileOptions::new().program_cache(dir.path());
        let compiled =
            Session::new(Device::Cpu).with_options(options).try_compile(graph(Activation::Sigmoid));
        let result = compiled.expect("at worst a compile").try_run(&[("x", &X)]);
        assert_eq!(result.expect("it runs").remove(0).len(), expected.len());
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_keeps_nothing() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    let (first, lowered) = run(&file, Activation::Sigmoid);
    assert!(lowered);
    assert_eq!(run(&file.join("under"), Activation::Sigmoid), (first, true));
    assert_eq!(fs::read(&file).unwrap(), b"x");
}

#[test]
fn the_oldest_programs_go() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    for i in 0..600 {
        fs::write(dir.path().join(format!("{i:03}.rlx-program")), "old").unwrap();
    }
    fs::write(dir.path().join("note.txt"), "not a program").unwrap();
    let (expected, _) = run(dir.path(), Activation::Sigmoid);
    assert_eq!(files(dir.path()).len(), 513);
    assert!(dir.path().join("note.txt").exists());
    assert_eq!(run(dir.path(), Activation::Sigmoid), (expected, false));
}
