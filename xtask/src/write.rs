//! Writes files of the repository, either completely or not at all.

use crate::Outcome;
use std::path::Path;

/// Writes a file, either completely or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Outcome {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    std::fs::write(&temporary, text).map_err(failed)?;
    std::fs::rename(&temporary, path).map_err(failed)
}
