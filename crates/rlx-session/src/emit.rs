//! Writes emitted programs as folders, complete or not at all.

use crate::error::RuntimeError;
use rlx_compile::pipeline::lower_for;
use rlx_compile::{CompileError, CompileOptions, Emitter, ParamValues, emit};
use rlx_files::files::NewFolder;
use rlx_files::folders::UnfinishedFolder;
use rlx_ir::Graph;
use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

/// Lowers a graph for a target that runs elsewhere, and writes the resulting files to the folder `into`, which must be empty or not exist
/// yet. The folder appears complete or not at all.
///
/// # Errors
/// Fails if the graph does not compile for the target, if the target cannot express an op, or if a file cannot be written.
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
    let failed = |action: &str, error: &dyn Error| {
        let cause = error.source().map_or(String::new(), |cause| format!(": {cause}"));
        RuntimeError::Emit(format!("{action} {}: {error}{cause}", into.display()))
    };
    let around = into.parent().filter(|around| !around.as_os_str().is_empty());
    let around =
        around.map(NewFolder::make).transpose().map_err(|e| failed("cannot make a folder for", &e))?;
    let mut folder = UnfinishedFolder::create(into).map_err(|e| failed("cannot write to", &e))?;
    for file in &files {
        let pieces =
            |out: &mut dyn io::Write| file.pieces.iter().try_for_each(|piece| out.write_all(piece.bytes()));
        folder.write(&file.path, pieces).map_err(|e| failed("cannot write", &e))?;
    }
    folder.finish().map_err(|e| failed("cannot rename the finished folder to", &e))?;
    if let Some(around) = around {
        around.keep();
    }
    Ok(())
}

/// Fails if something other than an empty folder exists at the path.
fn refuse_what_is_there(path: &Path) -> Result<(), RuntimeError> {
    let refused = |what: &str| {
        let path = path.display();
        Err(RuntimeError::Emit(format!("{path} {what}: name a folder that is empty or does not exist yet")))
    };
    match fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
        Ok(true) => refused("is a folder with files in it"),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => refused("is a file"),
        // Any other problem with the path is reported when the folder is written.
        Ok(false) | Err(_) => Ok(()),
    }
}
