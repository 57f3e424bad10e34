//! The settings of a training run, stored with its checkpoints and compared with the settings of the run that continues it.

#[cfg(feature = "files")]
use rlx_files::files::{FileError, open_regular};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
#[cfg(feature = "files")]
use std::io::Read;
#[cfg(feature = "files")]
use std::path::Path;

/// A setting of a training run, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value; `None` if it is not given.
    pub value: Option<String>,
    /// Whether changing the value makes it a different run, which cannot continue from the same checkpoints.
    pub fixed: bool,
}

#[cfg(feature = "files")]
impl Setting {
    /// Describes the contents of a file by length and checksum, so that a changed file counts as a changed setting. The setting is not
    /// fixed.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn of_file(name: impl Into<String>, path: &Path) -> Result<Setting, FileError> {
        let (mut file, _) = open_regular(path)?;
        let mut crc = crc32fast::Hasher::new();
        let mut buffer = vec![0; 1 << 18];
        let mut len = 0u64;
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    crc.update(&buffer[..n]);
                    len += n as u64;
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(FileError::io(path, "reading it", e)),
            }
        }
        let value = format!("{len} bytes with the checksum {:08x}", crc.finalize());
        Ok(Setting { name: name.into(), value: Some(value), fixed: false })
    }
}

/// A setting that differs from the one in the checkpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// Its name.
    pub name: String,
    /// The value when the checkpoint was written.
    pub before: Option<String>,
    /// The value now.
    pub now: Option<String>,
    /// Whether the change makes it a different run.
    pub fixed: bool,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "not given".into());
        write!(f, "`{}` was {}, is now {}", self.name, said(&self.before), said(&self.now))
    }
}

/// Prefix of the names of settings in a checkpoint's metadata.
const PREFIX: &str = "setting.";

/// Returns the metadata entries for settings.
pub(crate) fn entries(settings: &[Setting]) -> impl Iterator<Item = (String, String)> + '_ {
    settings.iter().filter_map(|s| Some((format!("{PREFIX}{}", s.name), s.value.clone()?)))
}

/// Returns the settings that differ from a checkpoint's metadata. A setting that only the checkpoint has is not fixed.
pub(crate) fn changed(settings: &[Setting], about: &BTreeMap<String, String>) -> Vec<Changed> {
    let before: BTreeMap<&str, &String> =
        about.iter().filter_map(|(key, value)| Some((key.strip_prefix(PREFIX)?, value))).collect();
    let known: BTreeSet<&str> = settings.iter().map(|s| s.name.as_str()).collect();
    let gone = before.keys().filter(|name| !known.contains(**name));
    let gone = gone.map(|name| Setting { name: name.to_string(), value: None, fixed: false });
    let compared = |setting: Setting| {
        let Setting { name, value: now, fixed } = setting;
        let before = before.get(name.as_str()).map(|value| value.to_string());
        (before != now).then_some(Changed { name, before, now, fixed })
    };
    settings.iter().cloned().chain(gone).filter_map(compared).collect()
}

/// Lists the fixed settings that changed, then the others that are given both then and now.
pub(crate) fn listed(changed: &[Changed]) -> String {
    let both = |c: &&Changed| !c.fixed && c.before.is_some() && c.now.is_some();
    let all = changed.iter().filter(|c| c.fixed).chain(changed.iter().filter(both));
    all.map(Changed::to_string).collect::<Vec<_>>().join("; ")
}
