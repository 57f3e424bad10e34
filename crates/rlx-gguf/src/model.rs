//! The files of a model, opened once for all their readers: settings, tensors, tokenizer and chat templates.

use crate::error::GgufError;
use crate::file::Gguf;
use std::path::{Path, PathBuf};

/// The files of a model: a GGUF file, which contains everything, or a folder.
///
/// Programs open the files once and pass them to everything that reads the model. A GGUF file is then mapped and its header checked
/// once, and all readers see the same file, even if another one takes its place. A clone shares the open file. In a folder, each reader
/// opens the files that it needs.
#[derive(Clone, Debug)]
pub struct ModelFiles {
    path: PathBuf,
    gguf: Option<Gguf>,
}

impl ModelFiles {
    /// Opens the model at `path`. This is a GGUF file if its name ends in `.gguf`, and otherwise a folder or a file in a folder.
    ///
    /// # Errors
    /// The same as [`Gguf::open`]. A missing folder is an error of its readers.
    pub fn open(path: &Path) -> Result<ModelFiles, GgufError> {
        let is_gguf = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf"));
        let gguf = is_gguf.then(|| Gguf::open(path)).transpose()?;
        Ok(ModelFiles { path: path.to_path_buf(), gguf })
    }

    /// Returns the path of the file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the GGUF file, or `None` if the model is in a folder.
    pub fn gguf(&self) -> Option<&Gguf> {
        self.gguf.as_ref()
    }
}

impl From<Gguf> for ModelFiles {
    /// Uses a GGUF file that is already open.
    fn from(file: Gguf) -> ModelFiles {
        let path = file.paths().next().map(Path::to_path_buf).unwrap_or_default();
        ModelFiles { path, gguf: Some(file) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GgufWriter;

    /// A file with one key.
    fn written(path: &Path, value: &str) {
        let mut writer = GgufWriter::new();
        writer.set("general.name", value.into());
        writer.write(path).unwrap();
    }

    fn name(files: &ModelFiles) -> String {
        files.gguf().unwrap().get("general.name").unwrap().as_str().unwrap().to_string()
    }

    #[test]
    fn the_name_tells_a_file_from_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ModelFiles::open(dir.path()).unwrap();
        assert!(folder.gguf().is_none() && folder.path() == dir.path());
        let path = dir.path().join("a.GGUF");
        assert!(ModelFiles::open(&path).is_err(), "there is no such file");
        written(&path, "one");
        let files = ModelFiles::open(&path).unwrap();
        assert_eq!((files.path(), name(&files).as_str()), (&*path, "one"));
        let again = ModelFiles::from(files.gguf().unwrap().clone());
        assert_eq!((again.path(), name(&again).as_str()), (&*path, "one"));
    }

    #[cfg(unix)]
    #[test]
    fn open_files_stay_the_same_when_another_takes_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.gguf");
        written(&path, "one");
        let files = ModelFiles::open(&path).unwrap();
        let clone = files.clone();
        std::fs::remove_file(&path).unwrap();
        written(&path, "two");
        assert_eq!([name(&files), name(&clone)], ["one", "one"]);
        assert_eq!(name(&ModelFiles::open(&path).unwrap()), "two");
    }
}
