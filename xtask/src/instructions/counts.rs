//! Instruction counts by benchmark, and the file of expected counts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// Instructions by instruction set, by benchmark (`family/name`).
pub(super) type Counts = BTreeMap<String, BTreeMap<String, u64>>;

/// What counts depend on besides the code: the tools, with the versions that they print.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tools {
    pub rustc: String,
    pub valgrind: String,
}

impl Tools {
    /// The tools that changed, with their versions then and now. Empty if nothing was counted before.
    pub fn differences<'a>(
        &'a self,
        now: &'a Tools,
    ) -> impl Iterator<Item = (&'static str, &'a str, &'a str)> {
        let both = [
            ("the compiler", self.rustc.as_str(), now.rustc.as_str()),
            ("the tool", self.valgrind.as_str(), now.valgrind.as_str()),
        ];
        both.into_iter().filter(|(_, then, now)| !then.is_empty() && then != now)
    }
}

/// The expected counts.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Expected {
    #[serde(flatten)]
    pub tools: Tools,
    pub counts: Counts,
}

impl Expected {
    /// Reads the file; a missing file expects nothing.
    pub fn read(path: &Path) -> Result<Expected, String> {
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display())),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(Expected::default()),
            Err(e) => Err(format!("{}: {e}", path.display())),
        }
    }

    /// Writes the file, either completely or not at all.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| format!("{}: {e}", path.display()))?;
        crate::write::write(path, &(text + "\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let path = std::env::temp_dir().join(format!("rlx-expected-{}.json", std::process::id()));
        assert_eq!(Expected::read(&path), Ok(Expected::default()));
        let tools = Tools { rustc: "rustc 1".into(), valgrind: "valgrind-3".into() };
        let counts = Counts::from([("rows/softmax".into(), BTreeMap::from([("avx2".into(), 7)]))]);
        let expected = Expected { tools, counts };
        expected.write(&path).unwrap();
        let read = Expected::read(&path);
        std::fs::write(&path, "{").unwrap();
        let broken = Expected::read(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read, Ok(expected));
        assert!(broken.unwrap_err().contains("rlx-expected"));
    }

    #[test]
    fn other_tools_are_named() {
        let then = Tools { rustc: "rustc 1".into(), valgrind: "valgrind-3".into() };
        let now = Tools { rustc: "rustc 2".into(), ..then.clone() };
        let differences: Vec<_> = then.differences(&now).collect();
        assert_eq!(differences, [("the compiler", "rustc 1", "rustc 2")]);
    }
}
