//! Caches lowered programs on disk, under a hash of what they were made from. A process that compiles what an
//! earlier one compiled reads the graph instead. Owns the file's form and when it counts; a file that is
//! missing, damaged or somebody else's is a compile.
//!
//! A file holds everything the program depends on (the *key*) beside the program, and a check sum over both. It counts only if the
//! key is equal byte for byte, so that no two programs can be taken for each other; and if the program is what lowering could have
//! made: a valid graph, of ops that the backend claims, with the inputs, parameters, outputs and alias pairs that were asked for.
//! That it computes the same is not checked: whoever can write to the folder and knows the form can put another program into it.

use rlx_compile::pipeline::lower_verified;
use rlx_compile::{Alias, Backend, CompileError, CompileOptions, Lowered, VERSIONS, is_legal};
use rlx_files::files::{read_text, write_unsynced};
use rlx_ir::{Dim, Graph, Op, Symbols, verify_lowered};
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// What tells this build of the compiler from others of the same version, whatever program it is a part of (`build.rs`).
const BUILD: &str = env!("RLX_BUILD_ID");
/// The first word of a file, with the version of its form.
const MAGIC: &str = "rlx-program-3";
/// How the names of files end.
const EXTENSION: &str = "rlx-program";
/// The longest file that is written or read.
const MAX_FILE: u64 = 32 << 20;
/// Programs with more bytes of constants are not kept: their text takes longer to write and read than a compile.
const MAX_CONSTANTS: usize = 1 << 20;
/// What compiles faster is not worth a file.
const WORTH_KEEPING: Duration = Duration::from_millis(1);
/// The most files in a folder; the oldest go first.
const MAX_FILES: usize = 512;

/// The user's folder for programs: `programs` where RLX keeps what it can compute again ([`rlx_files::cache_dir`]), for
/// [`CompileOptions::program_cache`]. `None` where nothing is to be kept.
pub fn programs_dir() -> Option<PathBuf> {
    Some(rlx_files::cache_dir()?.join("programs"))
}

/// The lowered graph of one that the verifier has accepted: from a file in `folder` if an earlier compile left it there, else by a compile, which leaves
/// one. What comes from a file has no dispatch report.
pub(crate) fn read_or_lower(
    folder: &Path,
    graph: &Graph,
    aliases: &[Alias],
    backend: &dyn Backend,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    let Some(key) = key(graph, aliases, backend, options) else {
        return lower_verified(graph, aliases, backend.device().name(), backend.claims(), options);
    };
    let path = folder.join(format!("{:016x}.{EXTENSION}", hash(&[&key])));
    let fits = |found: &Graph| {
        same_signature(found, graph) && has_known_symbols(found, graph) && is_legal(found, backend.claims())
    };
    let found = read(&path, &key).filter(fits);
    if let Some(lowered) = found.and_then(|found| Lowered::new(found, aliases, options, None).ok()) {
        return Ok(lowered);
    }
    let start = Instant::now();
    let lowered = lower_verified(graph, aliases, backend.device().name(), backend.claims(), options)?;
    if start.elapsed() >= WORTH_KEEPING {
        keep(&path, &key, lowered.graph());
    }
    Ok(lowered)
}

/// Everything that lowering depends on, as text; `None` if this program is not kept.
fn key(graph: &Graph, aliases: &[Alias], backend: &dyn Backend, options: &CompileOptions) -> Option<String> {
    let claims = backend.claims_key()?;
    if !may_be_kept(graph, &mut 0) {
        return None;
    }
    let options = CompileOptions { program_cache: None, memory_limit: None, ..options.clone() };
    let mut key = format!(
        "rlx {} {BUILD} {}
",
        env!("CARGO_PKG_VERSION"),
        VERSIONS.join(" ")
    );
    // INVARIANT: writing to a String does not fail.
    let _ = write!(key, "{} {claims}\n{aliases:?}\n{options:?}\n{graph}", backend.device());
    Some(key)
}

/// Whether the text says all of the graph, and is short. Ops that a program brings along mean what that program says.
fn may_be_kept(graph: &Graph, constants: &mut usize) -> bool {
    graph.nodes().iter().all(|node| {
        match node.op() {
            Op::Custom { .. } => return false,
            Op::Constant { value } => *constants += value.bytes().len(),
            _ => {}
        }
        let mut kept = *constants <= MAX_CONSTANTS;
        node.op().for_each_graph(&mut |body| kept = kept && may_be_kept(body, constants));
        kept
    })
}

fn hash(parts: &[&str]) -> u64 {
    // Its keys are fixed, and another release of Rust is another program.
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// The graph in the file, if the file is whole and was made from `key`.
fn read(path: &Path, key: &str) -> Option<Graph> {
    let text = read_text(path, MAX_FILE).ok()?;
    let (head, body) = text.split_once('\n')?;
    let mut words = head.split(' ');
    let [magic, sum, len] = [words.next()?, words.next()?, words.next()?];
    let (found, program) = body.split_at_checked(len.parse().ok()?)?;
    if magic != MAGIC || found != key || u64::from_str_radix(sum, 16) != Ok(hash(&[key, program])) {
        return None;
    }
    let graph = Graph::parse(program).ok()?;
    verify_lowered(&graph).is_ok().then_some(graph)
}

/// Whether a lowered graph takes and gives what the graph takes and gives.
fn same_signature(lowered: &Graph, graph: &Graph) -> bool {
    let names = |graph: &Graph| -> Vec<Option<String>> {
        graph.inputs().chain(graph.params()).map(|leaf| leaf.name().map(String::from)).collect()
    };
    let shapes = |graph: &Graph| [graph.input_shapes(), graph.output_shapes()];
    names(lowered) == names(graph) && shapes(lowered) == shapes(graph)
}

/// Whether binding the symbols of a graph binds every size of a lowered one.
fn has_known_symbols(lowered: &Graph, graph: &Graph) -> bool {
    let (mut symbols, mut known) = (Symbols::default(), Symbols::default());
    visit_dims(lowered, &mut |dim| dim.symbols(&mut symbols));
    graph.symbols().iter().for_each(|symbol| known.add(symbol));
    symbols.into_vec().iter().all(|symbol| known.contains(symbol))
}

/// Calls `visit` with each size of a graph and of the graphs inside its nodes.
fn visit_dims(graph: &Graph, visit: &mut dyn FnMut(&Dim)) {
    graph.for_each_dim(visit);
    for node in graph.nodes() {
        node.op().for_each_graph(&mut |body| visit_dims(body, visit));
    }
}

/// Leaves the program in a file. A folder that cannot be written to, or a full disk, keeps nothing.
fn keep(path: &Path, key: &str, graph: &Graph) {
    let program = graph.to_string();
    if (key.len() + program.len()) as u64 > MAX_FILE - 4096 {
        return;
    }
    let Some(folder) = path.parent() else { return };
    let sum = hash(&[key, &program]);
    let write =
        |out: &mut dyn std::io::Write| write!(out, "{MAGIC} {sum:016x} {}\n{key}{program}", key.len());
    if fs::create_dir_all(folder).is_ok() && write_unsynced(path, write).is_ok() {
        remove_oldest(folder);
    }
}

/// Removes programs until the folder holds no more than it may.
fn remove_oldest(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let ours = path.extension().is_some_and(|extension| extension == EXTENSION);
            Some((fs::metadata(&path).ok()?.modified().ok()?, path)).filter(|_| ours)
        })
        .collect();
    if files.len() > MAX_FILES {
        files.sort();
        for (_, path) in &files[..files.len() - MAX_FILES] {
            // Another process may have removed it.
            let _ = fs::remove_file(path);
        }
    }
}
