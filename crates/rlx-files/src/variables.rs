//! The environment variables that readers of files and users of the cache folder read.

use crate::cache::CacheDir;
use rlx_driver::env::switch;

rlx_driver::variables! {
    /// The folder for data that RLX can fetch or compute again, such as models and measurements of devices. If set to nothing, no data is
    /// kept.
    pub CACHE_DIR: CacheDir = "RLX_CACHE_DIR" {
        values: "a folder, or nothing",
        parse: cache_dir,
        default: "`rlx` in the user's cache directory",
        accepts_empty: true,
    }
    /// Copy weight files into memory instead of mapping them (docs/security.md), like `--no-mmap`. Use this for files that another process
    /// may change or shorten while they are in use.
    pub NO_MMAP: bool = "RLX_NO_MMAP" { values: "0 | 1", parse: switch }
}

fn cache_dir(folder: &str) -> Option<CacheDir> {
    Some(if folder.is_empty() { CacheDir::Nowhere } else { CacheDir::At(folder.into()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_driver::Env;

    #[test]
    fn an_empty_cache_folder_is_none_and_not_the_default() {
        assert_eq!(Env::default().get(&CACHE_DIR), Ok(None));
        let cache = |value| Env::from_iter([("RLX_CACHE_DIR", value)]).get(&CACHE_DIR);
        assert_eq!(cache("/c"), Ok(Some(CacheDir::At("/c".into()))));
        assert_eq!(cache(""), Ok(Some(CacheDir::Nowhere)));
    }
}
