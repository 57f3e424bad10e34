//! Options: where to look for models and where to keep them. The one place of this crate that reads the
//! environment.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How models are found and fetched.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// Folder of everything RLX keeps; models lie in `models/` within it. `None` when no place is known.
    pub cache: Option<PathBuf>,
    /// Use the cache alone, and neither the network nor pip, because this says so (the option or variable that messages name).
    pub offline: Option<&'static str>,
    /// Address of the Hugging Face hub or of a mirror, without a `/` at its end.
    pub endpoint: String,
    /// Token for the hub. It is sent over HTTPS alone.
    pub token: Option<Secret>,
    /// A file of certificates (PEM) to trust in place of the built-in ones.
    pub certificates: Option<PathBuf>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long a transfer may stand still.
    pub stall_timeout: Duration,
    /// How long the transfers of all files of a model may take together, however steadily they come.
    pub fetch_timeout: Duration,
    /// The commands that may be pip, each with its first arguments, in the order in which they are tried.
    pub pip: Vec<Vec<String>>,
    /// How long pip may take.
    pub pip_timeout: Duration,
}

/// Text that is never shown.
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
    /// The options of this process: models in the user's cache ([`rlx_files::cache_dir`]), `RLX_OFFLINE`, and what Hugging
    /// Face's own tools read: `HF_ENDPOINT`, `HF_HUB_OFFLINE`, `HF_TOKEN`, with `SSL_CERT_FILE`.
    pub fn from_env() -> Self {
        let offline = rlx_session::Env::read().is_ok_and(|env| env.offline);
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
