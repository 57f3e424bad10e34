//! Options for where to look for models and where to store them. This is the only place in the crate that reads the
//! environment.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use rlx_driver::Env;

use crate::variables::OFFLINE;

/// Options for finding and fetching models.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// The folder of everything that RLX caches; models are in `models/` within it. `None` if there is no such
    /// folder.
    pub cache: Option<PathBuf>,
    /// If set, only the cache is used, and neither the network nor pip. The value is the option or variable that
    /// asked for this, for messages.
    pub offline: Option<&'static str>,
    /// The address of the Hugging Face hub or of a mirror, without a trailing `/`.
    pub endpoint: String,
    /// The token for the hub. It is only sent over HTTPS.
    pub token: Option<Secret>,
    /// A file of certificates (PEM) to trust instead of the built-in ones.
    pub certificates: Option<PathBuf>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long a transfer may stall.
    pub stall_timeout: Duration,
    /// How long the transfers of all files of a model may take together, even if they make steady progress.
    pub fetch_timeout: Duration,
    /// The commands to try for pip, in order, each with its first arguments.
    pub pip: Vec<Vec<String>>,
    /// How long pip may take.
    pub pip_timeout: Duration,
}

/// Text that is never printed.
#[derive(Clone)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Default for HubOptions {
    fn default() -> Self {
        let commands: &[&[&str]] = if cfg!(windows) {
            &[&["py", "-m", "pip"], &["python", "-m", "pip"], &["pip"]]
        } else {
            &[&["python3", "-m", "pip"], &["pip3"], &["pip"]]
        };
        HubOptions {
            cache: None,
            offline: None,
            endpoint: "https://huggingface.co".into(),
            token: None,
            certificates: None,
            connect_timeout: Duration::from_secs(5),
            stall_timeout: Duration::from_secs(30),
            fetch_timeout: Duration::from_secs(7200),
            pip: commands.iter().map(|c| c.iter().map(|w| (*w).to_string()).collect()).collect(),
            pip_timeout: Duration::from_secs(1800),
        }
    }
}

impl HubOptions {
    /// Returns the options of this process: models in the user's cache ([`rlx_files::cache_dir`]), `RLX_OFFLINE`, and
    /// the variables of Hugging Face's own tools: `HF_ENDPOINT`, `HF_HUB_OFFLINE` and `HF_TOKEN`, with
    /// `SSL_CERT_FILE`.
    pub fn from_env() -> Self {
        // An invalid value must not open the network.
        let offline = Env::process().is_on(&OFFLINE) != Ok(false);
        Self::from_lookup(rlx_files::cache_dir(), offline, |name| env::var_os(name))
    }

    fn from_lookup(cache: Option<PathBuf>, offline: bool, var: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name| var(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let text = |name| var(name).and_then(|v| v.into_string().ok()).filter(|v| !v.is_empty());
        let defaults = Self::default();
        let hub_offline = text("HF_HUB_OFFLINE")
            .is_some_and(|v| ["1", "true", "yes", "on"].contains(&v.to_lowercase().as_str()));
        let offline = if offline { Some("RLX_OFFLINE") } else { hub_offline.then_some("HF_HUB_OFFLINE") };
        HubOptions {
            cache,
            offline,
            endpoint: text("HF_ENDPOINT").map_or(defaults.endpoint, |e| e.trim_end_matches('/').into()),
            token: text("HF_TOKEN").map(Secret),
            certificates: path("SSL_CERT_FILE"),
            ..defaults
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> HubOptions {
        HubOptions::from_lookup(None, false, |name| {
            vars.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v))
        })
    }

    #[test]
    fn the_variables_of_hugging_face_are_honored() {
        let options =
            with(&[("HF_ENDPOINT", "http://mirror/"), ("HF_HUB_OFFLINE", "TRUE"), ("HF_TOKEN", "t0p")]);
        assert_eq!((options.endpoint.as_str(), options.offline), ("http://mirror", Some("HF_HUB_OFFLINE")));
        assert!(!format!("{options:?}").contains("t0p"));
        assert_eq!(with(&[("HF_HUB_OFFLINE", "0")]).offline, None);
        assert_eq!(HubOptions::from_lookup(None, true, |_| None).offline, Some("RLX_OFFLINE"));
    }
}
