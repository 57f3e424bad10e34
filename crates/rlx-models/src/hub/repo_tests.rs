//! Models that are not pinned, from a server on this machine that interrupts transfers, lies and resumes.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::super::Silent;
use super::super::copy::hex;
use super::*;

const REVISION: &str = "0123456789abcdef0123456789abcdef01234567";

fn weights() -> Vec<u8> {
    (0..300_000u32).map(|i| (i * 7) as u8).collect()
}

/// How the server behaves.
#[derive(Clone, Default)]
struct Behavior {
    /// The number of bytes after which it interrupts the first transfer of the weights.
    breaks_at: Option<usize>,
    /// It answers range requests with whole files.
    ignores_ranges: bool,
    /// The weights differ from the described ones.
    damaged: bool,
    /// Its description of the model.
    listing: Option<String>,
    /// The status of its answers.
    status: Option<u16>,
}

struct Server {
    endpoint: String,
    asked: Arc<Mutex<Vec<String>>>,
}

fn listing() -> String {
    let hash = hex(&Sha256::digest(weights()));
    format!(
        r#"{{"sha":"{REVISION}","siblings":[{{"rfilename":"config.json","size":2}},{{"rfilename":"README.md","size":9}},
        {{"rfilename":"onnx/model.onnx","size":5}},{{"rfilename":"../evil.json","size":5}},{{"rfilename":"tokenizer.json","size":2}},
        {{"rfilename":"model.safetensors","size":300000,"lfs":{{"sha256":"{hash}","size":300000}}}},
        {{"rfilename":"m-q8_0.gguf","size":300000,"lfs":{{"sha256":"{hash}","size":300000}}}},
        {{"rfilename":"s-00001-of-00002.gguf","size":2}},{{"rfilename":"s-00002-of-00002.gguf","size":2}}]}}"#
    )
}

fn serve(behavior: Behavior) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    thread::spawn(move || {
        let mut behavior = behavior;
        for stream in listener.incoming().flatten() {
            let _ = reply(&stream, &mut behavior, &log);
        }
    });
    Server { endpoint, asked }
}

fn reply(mut stream: &TcpStream, behavior: &mut Behavior, log: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_string();
    let mut from = 0;
    while let Some(line) = lines.next().transpose()?.filter(|l| !l.is_empty()) {
        if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().unwrap();
        }
    }
    log.lock().unwrap().push(format!("{path} {from}"));
    if let Some(status) = behavior.status {
        return write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    let is_large = path.ends_with("model.safetensors") || path.ends_with("m-q8_0.gguf");
    let mut body = match path.as_str() {
        _ if path.starts_with("/api/") => behavior.listing.clone().unwrap_or_else(listing).into_bytes(),
        _ if is_large => weights(),
        _ => b"{}".to_vec(),
    };
    if is_large && behavior.damaged {
        body[1000] ^= 1;
    }
    let partial = from > 0 && !behavior.ignores_ranges;
    let (status, body) = if partial { (206, body[from..].to_vec()) } else { (200, body) };
    let len = body.len();
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n")?;
    let sent = behavior.breaks_at.take_if(|_| is_large).unwrap_or(len);
    stream.write_all(&body[..sent])
}

fn options(cache: &Path, endpoint: &str) -> HubOptions {
    HubOptions {
        cache: Some(cache.to_path_buf()),
        endpoint: endpoint.into(),
        stall_timeout: Duration::from_secs(5),
        ..HubOptions::default()
    }
}

fn resolve(name: &str, options: &HubOptions) -> Result<PathBuf, RepoError> {
    RepoId::parse(name).unwrap().resolve(options, &mut Silent)
}

/// Makes a cache, and a server with this behavior.
fn setting(behavior: Behavior) -> (TempDir, Server, HubOptions) {
    let (cache, server) = (tempfile::tempdir().unwrap(), serve(behavior));
    let options = options(cache.path(), &server.endpoint);
    (cache, server, options)
}

/// Returns the visible files in the model's folder.
fn files(cache: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(cache.path().join("models/org/m")).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

#[test]
fn ids_are_told_from_paths() {
    let parts = |name| RepoId::parse(name).map(|id| (id.organization, id.model, id.file));
    assert_eq!(parts("Qwen/Qwen3-0.6B"), Some(("Qwen".into(), "Qwen3-0.6B".into(), None)));
    assert_eq!(parts("a/b:c-q4_k_m.gguf"), Some(("a".into(), "b".into(), Some("c-q4_k_m.gguf".into()))));
    for name in ["minilm", "./a", "../a", "a/b/c", "a/b.gguf", "a/b:../c", "a/b:.rlx-pins.json", "/a", "a/"] {
        assert_eq!(parts(name), None, "{name}");
    }
}

#[test]
fn a_model_is_fetched_once_with_what_it_needs_of_the_commit() {
    let (cache, server, options) = setting(Behavior::default());
    for _ in 0..2 {
        let folder = resolve("org/m", &options).unwrap();
        assert_eq!(folder, cache.path().join("models/org/m"));
        assert_eq!(fs::read(folder.join("model.safetensors")).unwrap(), weights());
    }
    assert_eq!(files(&cache), ["config.json", "model.safetensors", "tokenizer.json"]);
    let asked = server.asked.lock().unwrap().clone();
    assert_eq!(asked[0], "/api/models/org/m/revision/main?blobs=true 0");
    assert_eq!(asked[1], format!("/org/m/resolve/{REVISION}/config.json 0"));
    assert_eq!(asked.len(), 4);
    // Offline, it is available, and what was not fetched is named.
    let offline = HubOptions { offline: Some("--offline"), ..options };
    assert!(resolve("org/m", &offline).is_ok());
    let error = resolve("org/m:m-q8_0.gguf", &offline).unwrap_err().to_string();
    assert!(error.contains("--offline forbids") && error.contains("lacks m-q8_0.gguf"), "{error}");
}

#[test]
fn one_file_is_fetched_with_its_other_parts() {
    let (cache, _, options) = setting(Behavior::default());
    let file = resolve("org/m:m-q8_0.gguf", &options).unwrap();
    assert_eq!(fs::read(file).unwrap(), weights());
    assert_eq!(files(&cache), ["m-q8_0.gguf"]);
    resolve("org/m:s-00001-of-00002.gguf", &options).unwrap();
    assert_eq!(files(&cache), ["m-q8_0.gguf", "s-00001-of-00002.gguf", "s-00002-of-00002.gguf"]);
    let error = resolve("org/m:other.gguf", &options).unwrap_err().to_string();
    assert!(error.contains("no file \"other.gguf\"; it has m-q8_0.gguf, model.safetensors"), "{error}");
}

#[test]
fn what_came_before_a_transfer_broke_off_is_not_fetched_again() {
    for ignores_ranges in [false, true] {
        let (cache, server, options) =
            setting(Behavior { breaks_at: Some(200_000), ignores_ranges, ..Behavior::default() });
        let error = resolve("org/m", &options).unwrap_err();
        assert!(matches!(error, RepoError::Fetch { .. }), "{error}");
        assert!(error.to_string().contains("the next try continues"), "{error}");
        assert_eq!(files(&cache), ["config.json"]);
        let folder = resolve("org/m", &options).unwrap();
        assert_eq!(fs::read(folder.join("model.safetensors")).unwrap(), weights());
        let asked = server.asked.lock().unwrap().concat();
        assert!(asked.contains("model.safetensors 200000"), "{asked}");
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
    }
}

#[test]
fn a_file_that_is_not_the_one_that_was_named_is_refused_and_removed() {
    let (cache, _, options) = setting(Behavior { damaged: true, ..Behavior::default() });
    let error = resolve("org/m", &options).unwrap_err();
    assert!(matches!(&error, RepoError::Wrong { file, .. } if file == "model.safetensors"), "{error}");
    assert_eq!(files(&cache), ["config.json"]);
    assert!(error.to_string().contains("SHA-256"), "{error}");
}

#[test]
fn a_file_that_is_longer_or_shorter_than_was_said_is_refused() {
    for (said, is) in [("300000", "299999"), ("300000", "300001")] {
        let listing = listing().replace(&format!("\"size\":{said}"), &format!("\"size\":{is}"));
        let (cache, _, options) = setting(Behavior { listing: Some(listing), ..Behavior::default() });
        let error = resolve("org/m", &options).unwrap_err().to_string();
        assert!(error.contains(&format!("expected {is} bytes")), "{error}");
        assert_eq!(files(&cache), ["config.json"]);
    }
}

#[test]
fn answers_that_are_none_are_refused() {
    let rows: [(&str, &str); 6] = [
        ("", "EOF while parsing"),
        ("[1]", "it does not name a commit"),
        (r#"{"sha":"../../x","siblings":[]}"#, "it does not name a commit"),
        (r#"{"sha":"0123456789abcdef0123456789abcdef01234567"}"#, "it does not list files"),
        (
            r#"{"sha":"0123456789abcdef0123456789abcdef01234567","siblings":[{"rfilename":"config.json"}]}"#,
            "the length of \"config.json\"",
        ),
        (
            r#"{"sha":"0123456789abcdef0123456789abcdef01234567","siblings":[{"rfilename":"a.gguf","size":18446744073709551615}]}"#,
            "more than 4 TiB",
        ),
    ];
    for (listing, says) in rows {
        let (_cache, _, options) = setting(Behavior { listing: Some(listing.into()), ..Behavior::default() });
        let error = resolve("org/m", &options).unwrap_err().to_string();
        assert!(error.contains(says), "{listing}: {error}");
    }
    let only =
        r#"{"sha":"0123456789abcdef0123456789abcdef01234567","siblings":[{"rfilename":"a.gguf","size":1}]}"#;
    let (_cache, _, options) = setting(Behavior { listing: Some(only.into()), ..Behavior::default() });
    let error = resolve("org/m", &options).unwrap_err().to_string();
    assert!(error.contains("no file \"model.safetensors\"; it has a.gguf"), "{error}");
}

#[test]
fn a_hub_that_refuses_or_is_not_there_is_an_error_that_says_so() {
    let (cache, _, refusing) = setting(Behavior { status: Some(401), ..Behavior::default() });
    let error = resolve("org/m", &refusing).unwrap_err().to_string();
    assert!(error.contains("401") && error.contains("HF_TOKEN"), "{error}");
    let error = resolve("org/m", &options(cache.path(), "http://127.0.0.1:1")).unwrap_err().to_string();
    assert!(
        error.contains("could not be fetched") && error.contains("put its files into that folder"),
        "{error}"
    );
    let slow = HubOptions { fetch_timeout: Duration::ZERO, ..refusing };
    assert!(resolve("org/m", &slow).unwrap_err().to_string().contains("within 0 seconds"));
}

#[test]
fn a_folder_that_somebody_filled_is_used_as_it_is() {
    let cache = tempfile::tempdir().unwrap();
    let folder = cache.path().join("models/org/m");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.gguf"), "x").unwrap();
    let options = options(cache.path(), "http://127.0.0.1:1");
    assert_eq!(resolve("org/m:a.gguf", &options).unwrap(), folder.join("a.gguf"));
    assert_eq!(resolve("org/m", &options).unwrap(), folder);
    let none = HubOptions { cache: None, ..options };
    assert!(matches!(resolve("org/m", &none), Err(RepoError::Cache(HubError::NoCacheFolder))));
}
