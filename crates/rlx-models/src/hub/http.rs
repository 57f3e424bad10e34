//! Fetches files from the Hugging Face hub over HTTPS.

use std::path::Path;
use std::time::{Duration, Instant};

use ureq::config::RedirectAuthHeaders;
use ureq::http::Response;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Timeout};

use super::copy::copy_pinned;
use super::{FetchError, HubOptions, ModelPin, Progress};
use crate::files::read_bounded;

/// The maximum size of a file of certificates, in bytes.
const MAX_CERTIFICATES: u64 = 16 << 20;

/// Fetches every file of `pin` into the folder `into`.
pub(super) fn fetch(
    pin: &ModelPin,
    options: &HubOptions,
    into: &Path,
    progress: &mut dyn Progress,
) -> Result<(), FetchError> {
    let agent = agent(options)?;
    let begin = Instant::now();
    progress.message(&format!("fetching {} from {}", pin.repo, options.endpoint));
    progress.begin(pin.name, Some(pin.len()));
    let done = pin.files.iter().try_for_each(|file| {
        let url = format!("{}/{}/resolve/{}/{}", options.endpoint, pin.repo, pin.revision, file.path);
        let left = || options.fetch_timeout.saturating_sub(begin.elapsed());
        let response = get(&agent, &url, 0, left(), options)?;
        let body = response.into_body().into_reader();
        copy_pinned(body, file, into, progress, |broken| {
            let reason = match left() {
                Duration::ZERO => slow(options),
                _ => format!("the transfer was interrupted: {broken}"),
            };
            FetchError::Connection { url: url.clone(), reason }
        })
    });
    progress.end();
    done
}

pub(super) fn agent(options: &HubOptions) -> Result<Agent, FetchError> {
    let mut config = Agent::config_builder()
        .user_agent(concat!("rlx/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(options.connect_timeout))
        .timeout_connect(Some(options.connect_timeout))
        .timeout_recv_response(Some(options.stall_timeout))
        .timeout_per_read(Some(options.stall_timeout))
        // The hub redirects to its storage, which must not receive the token.
        .redirect_auth_headers(RedirectAuthHeaders::SameHost);
    if let Some(path) = &options.certificates {
        config = config.tls_config(TlsConfig::builder().root_certs(certificates(path)?).build());
    }
    Ok(config.build().into())
}

fn certificates(path: &Path) -> Result<RootCerts, FetchError> {
    let fail = |reason: String| FetchError::Certificates { path: path.to_path_buf(), reason };
    let pem = read_bounded(path, MAX_CERTIFICATES).map_err(|e| fail(e.to_string()))?;
    let mut found = Vec::new();
    for item in parse_pem(&pem) {
        match item {
            Ok(PemItem::Certificate(certificate)) => found.push(certificate),
            Ok(_) => {}
            Err(e) => return Err(fail(e.to_string())),
        }
    }
    if found.is_empty() {
        return Err(fail("it does not contain a certificate".into()));
    }
    Ok(RootCerts::new_with_certs(&found))
}

/// Returns why a transfer that takes too long is given up.
pub(super) fn slow(options: &HubOptions) -> String {
    format!("the files of the model did not arrive within {} seconds", options.fetch_timeout.as_secs_f64())
}

/// Returns the hub's answer as text, of at most `most` bytes.
pub(super) fn text(
    agent: &Agent,
    url: &str,
    most: u64,
    left: Duration,
    options: &HubOptions,
) -> Result<String, FetchError> {
    let body = get(agent, url, 0, left, options)?.into_body().into_with_config().limit(most);
    body.read_to_string().map_err(|e| FetchError::Connection { url: url.into(), reason: e.to_string() })
}

/// Requests a file from byte `from` on. It must arrive within the time `left`.
pub(super) fn get(
    agent: &Agent,
    url: &str,
    from: u64,
    left: Duration,
    options: &HubOptions,
) -> Result<Response<ureq::Body>, FetchError> {
    // Extremely long durations cannot be added to the current time.
    let left = left.min(Duration::from_secs(1 << 30));
    if left.is_zero() {
        return Err(FetchError::Connection { url: url.into(), reason: slow(options) });
    }
    let request = agent.get(url).config().timeout_global(Some(left)).build();
    let mut request = request.header("Accept-Encoding", "identity");
    if from > 0 {
        request = request.header("Range", format!("bytes={from}-"));
    }
    if let Some(token) = &options.token
        && url.starts_with("https://")
    {
        request = request.header("Authorization", format!("Bearer {}", token.0));
    }
    request.call().map_err(|e| match e {
        ureq::Error::StatusCode(status) => FetchError::Status { url: url.into(), status, hint: hint(status) },
        ureq::Error::Timeout(Timeout::Global) => {
            FetchError::Connection { url: url.into(), reason: slow(options) }
        }
        other => FetchError::Connection { url: url.into(), reason: other.to_string() },
    })
}

fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => ": access was denied; HF_TOKEN may be wrong or missing",
        404 => ": the file does not exist",
        407 => ": the proxy requires a password",
        429 => ": too many requests; try again later",
        500.. => ": the server has a problem; try again later",
        _ => "",
    }
}
