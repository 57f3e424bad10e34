//! Caches lowered programs on disk, under a hash of everything that they were made from. A process that compiles what an earlier one
//! compiled reads the lowered graph instead. This module owns the file format and decides when a file is valid; a file that is missing,
//! damaged or foreign leads to a compile.
//!
//! A file contains everything that the program depends on (the *key*), the program, and a checksum of both. It is valid only if the key is
//! equal byte for byte, so that no two programs can be confused, and if lowering could have made the program: it is a valid graph of ops
//! that the backend claims, and has the requested inputs, parameters, outputs and alias pairs. Whether it computes the same values is not
//! checked: anyone who can write to the folder and knows the format can put another program into it.

use rlx_compile::pipeline::lower_verified;
use rlx_compile::{Alias, CompileError, CompileOptions, Lowered, VERSIONS, is_legal};
use rlx_exec::Backend;
use rlx_files::files::{read_text, write_unsynced};
use rlx_ir::{Dim, Graph, Op, Symbols, verify_lowered};
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Tells this build of the compiler apart from others of the same version, whichever program it is linked into (`build.rs`).
const BUILD: &str = env!("RLX_BUILD_ID");
/// The first word of a file, with the format version.
const MAGIC: &str = "rlx-program-3";
/// Extension of the files.
const EXTENSION: &str = "rlx-program";
/// Maximum size of a file that is written or read, in bytes.
const MAX_FILE: u64 = 32 << 20;
/// Maximum bytes of constants in a cached program. The text of larger programs takes longer to write and read than a compile.
const MAX_CONSTANTS: usize = 1 << 20;
/// Minimum compile time for which a file is worthwhile.
const WORTH_KEEPING: Duration = Duration::from_millis(1);
/// Maximum number of files in a folder; the oldest are removed first.
const MAX_FILES: usize = 512;

/// Returns the user's folder for programs, for [`CompileOptions::program_cache`]. It is `programs` in the folder where RLX caches what it
/// can compute again ([`rlx_files::cache_dir`]). Returns `None` if nothing is to be cached.
pub fn programs_dir() -> Option<PathBuf> {
    Some(rlx_files::cache_dir()?.join("programs"))
}

/// Returns the lowered form of a graph that the verifier has accepted. Reads it from a file in `folder` if an earlier compile left it
/// there; otherwise lowers the graph and leaves a file. A program that was read from a file has no dispatch report.
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

/// Returns everything that lowering depends on, as text; `None` if this program is not cached.
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

/// Whether the text describes the graph completely, and is short. Custom ops are defined by the program that contains them, so text does
/// not describe them.
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
    // The hasher's keys are fixed. Another release of Rust may hash differently, but it also makes another build.
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// Reads the graph in the file. Returns `None` unless the file is complete and was made from `key`.
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

/// Whether a lowered graph has the inputs, parameters and outputs of the graph.
fn same_signature(lowered: &Graph, graph: &Graph) -> bool {
    let names = |graph: &Graph| -> Vec<Option<String>> {
        graph.inputs().chain(graph.params()).map(|leaf| leaf.name().map(String::from)).collect()
    };
    let shapes = |graph: &Graph| [graph.input_shapes(), graph.output_shapes()];
    names(lowered) == names(graph) && shapes(lowered) == shapes(graph)
}

/// Whether binding the symbols of a graph binds every size in its lowered graph.
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

/// Stores the program in a file. If the folder cannot be written to or the disk is full, nothing is stored.
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

/// Removes the oldest programs until the folder has at most `MAX_FILES`.
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
            // Another process may have removed the file already.
            let _ = fs::remove_file(path);
        }
    }
}
