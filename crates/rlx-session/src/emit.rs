//! Emitted programs as folders on disk.

use crate::error::RuntimeError;
use rlx_compile::pipeline::lower_for;
use rlx_compile::{CompileError, CompileOptions, Emitter, ParamValues, emit};
use rlx_files::files::{make_folder, write_atomically};
use rlx_ir::Graph;
use std::fs;
use std::io;
use std::path::Path;

/// Lowers a graph for a target that runs elsewhere, and writes the files that it becomes to the folder `into`, which must not exist yet
/// or be empty. The folder appears whole or not at all.
///
/// # Errors
/// Why the graph does not compile for the target, everything that the target cannot say, and what goes wrong with the files.
pub fn emit_to(
    emitter: &dyn Emitter,
    graph: &Graph,
    params: &ParamValues,
    options: &CompileOptions,
    into: &Path,
) -> Result<(), RuntimeError> {
    refuse_what_is_there(into)?;
    let lowered = lower_for(graph, &[], emitter.target(), emitter.claims(), options)?;
    let files = emit(emitter, &lowered, params).map_err(CompileError::from)?;
    let failed = |action: &str, error: &dyn std::fmt::Display| {
        RuntimeError::Emit(format!("{action} {}: {error}", into.display()))
    };
    let name = into.file_name().ok_or_else(|| failed("cannot write to", &"it has no name"))?;
    let mut unfinished = std::ffi::OsString::from(".");
    unfinished.push(name);
    unfinished.push(format!(".{}.unfinished", std::process::id()));
    let unfinished = into.with_file_name(unfinished);
    let written = (|| {
        for file in &files {
            let path = unfinished.join(&file.path);
            if let Some(folder) = path.parent() {
                make_folder(folder).map_err(|e| failed("cannot make a folder for", &e))?;
            }
            let pieces = |out: &mut dyn io::Write| {
                file.pieces.iter().try_for_each(|piece| out.write_all(piece.bytes()))
            };
            write_atomically(&path, pieces).map_err(|e| failed("cannot write", &e))?;
        }
        // Replaces an empty folder, and fails for one that holds anything.
        fs::rename(&unfinished, into).map_err(|e| failed("cannot rename the finished folder to", &e))
    })();
    if written.is_err() {
        // What was written so far is of no use; that it stays, if it cannot be removed, is not the error to report.
        let _ = fs::remove_dir_all(&unfinished);
    }
    written
}

/// Fails where there is something at a path that is no empty folder.
fn refuse_what_is_there(path: &Path) -> Result<(), RuntimeError> {
    let refused = |what: &str| {
        let path = path.display();
        Err(RuntimeError::Emit(format!("{path} {what}: name a folder that is empty or does not exist yet")))
    };
    match fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
        Ok(true) => refused("is a folder with files in it"),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => refused("is a file"),
        // What else is wrong with the path says itself when the folder is written.
        Ok(false) | Err(_) => Ok(()),
    }
}
