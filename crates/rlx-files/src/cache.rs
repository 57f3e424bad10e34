//! The folder where RLX caches what it can fetch or compute again.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::variables::CACHE_DIR;
use rlx_driver::Env;

/// The location of data that RLX can fetch or compute again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CacheDir {
    /// The system's folder for such data.
    #[default]
    System,
    /// In this folder.
    At(PathBuf),
    /// No data is stored.
    Nowhere,
}

/// Returns the folder for data that RLX caches: `RLX_CACHE_DIR` or, if it is not set, a folder `rlx` in the system's
/// place for caches (`XDG_CACHE_HOME`, `LOCALAPPDATA`, `~/Library/Caches` or `~/.cache`). Each user of the cache has
/// a separate folder within it. The folder may not exist yet.
///
/// Returns `None` if nothing is to be cached: the variable is set to nothing, or there is no such place.
pub fn cache_dir() -> Option<PathBuf> {
    folder(Env::process().get(&CACHE_DIR).ok()?.unwrap_or_default(), |name| env::var_os(name))
}

fn folder(wanted: CacheDir, var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A relative path would be a different folder in each working directory.
    let absolute = |name| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match wanted {
        CacheDir::At(folder) => Some(folder),
        CacheDir::Nowhere => None,
        CacheDir::System => {
            let local = || absolute("LOCALAPPDATA").filter(|_| cfg!(windows));
            let below = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
            let home = || Some(absolute("HOME")?.join(below));
            Some(absolute("XDG_CACHE_HOME").or_else(local).or_else(home)?.join("rlx"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_cache_is_where_the_user_then_the_system_says() {
        let with = |wanted: &CacheDir, vars: &[(&str, &str)]| {
            folder(wanted.clone(), |name| vars.iter().find(|v| v.0 == name).map(|v| v.1.into()))
        };
        let (xdg, home) = (("XDG_CACHE_HOME", "/x"), ("HOME", "/h"));
        assert_eq!(with(&CacheDir::At("mine".into()), &[xdg, home]), Some("mine".into()));
        assert_eq!(with(&CacheDir::Nowhere, &[xdg, home]), None);
        let rows: [(&[(&str, &str)], Option<&str>); 4] = [
            (&[xdg, home], Some("/x/rlx")),
            (&[("XDG_CACHE_HOME", "relative"), home], Some("/h/.cache/rlx")),
            (&[("LOCALAPPDATA", "/l"), home], Some("/h/.cache/rlx")),
            (&[("HOME", "")], None),
        ];
        for (vars, expected) in rows {
            assert_eq!(with(&CacheDir::System, vars), expected.map(PathBuf::from), "{vars:?}");
        }
    }
}
