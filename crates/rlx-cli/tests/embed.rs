//! `rlx embed` on a small model: batches, streams, files, signals.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rlx_models::embedder::{EmbedderOptions, SentenceEmbedder};
use tempfile::TempDir;

#[path = "support/tiny.rs"]
mod tiny;

use tiny::{HIDDEN, model, path, rlx, text, vectors};

/// How long a test waits for output that must come. A busy machine may be slow, but a line that is held back never comes.
const PATIENCE: Duration = Duration::from_secs(300);

fn start(dir: &TempDir, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rlx"))
        .env("RLX_PROGRAM_CACHE", "0")
        .args(["embed", "--model", path(dir)])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Writes lines as long as there is a reader.
fn write_for_ever(child: &mut Child) -> thread::JoinHandle<()> {
    let mut input = child.stdin.take().unwrap();
    thread::spawn(move || while input.write_all(b"hello worlds\na\n").is_ok() {})
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The signal that ended the process.
#[cfg(unix)]
fn signal(child: &mut Child) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap())
}

/// Sets the first number of the embedding of the word `hello` to NaN.
fn damage(dir: &TempDir) {
    let path = dir.path().join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let about: serde_json::Value = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
    let table = about["embeddings.word_embeddings.weight"]["data_offsets"][0].as_u64().unwrap() as usize;
    let at = 8 + header + table + 4 * HIDDEN * 4;
    bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_vector_that_is_not_finite_is_an_error_with_the_number_of_its_text() {
    let dir = model();
    damage(&dir);
    assert_eq!(vectors(&text(&["embed", "--json", "--model", path(&dir)], "a\nworld\n")).len(), 2);
    for batch in ["1", "2", "32"] {
        let args = ["embed", "--json", "--model", path(&dir), "--batch", batch];
        // Short texts are computed first, wherever they are in the input.
        let output = rlx(&args, "a\nworld world\nhello a a\nhello\n");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("rlx: text 3: the model returns a vector that contains NaN"), "{said}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("null"));
    }
}

#[test]
fn threads_embed_with_one_embedder_at_once() {
    let dir = model();
    let mut options = EmbedderOptions::default();
    options.compile.program_cache = None;
    let embedder = SentenceEmbedder::load(dir.path(), &options).unwrap();
    let words = ["hello", "world", "worlds", "a"];
    let texts = |thread: usize| -> Vec<String> {
        (0..9)
            .map(|i| {
                words
                    .iter()
                    .cycle()
                    .skip(thread + i)
                    .take(1 + (thread * 3 + i) % 5)
                    .copied()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    };
    let expected: Vec<Vec<Vec<f32>>> = (0..8).map(|thread| embedder.embed(&texts(thread)).unwrap()).collect();
    assert_ne!(expected[0], expected[1]);
    thread::scope(|threads| {
        for (i, expected) in expected.iter().enumerate() {
            let (embedder, texts) = (&embedder, &texts);
            threads.spawn(move || {
                for _ in 0..40 {
                    assert_eq!(embedder.embed(&texts(i)).unwrap(), *expected);
                }
            });
        }
    });
}

#[test]
fn texts_are_embedded_in_order_whatever_the_batch() {
    let dir = model();
    let base = ["embed", "--json", "--model", path(&dir)];
    let lines = "hello worlds\n\na\nhello hello hello hello hello\nworld a\n";
    let all = vectors(&text(&base, lines));
    assert_eq!(all.len(), 5);
    for v in &all {
        assert_eq!(v.len(), HIDDEN);
        assert!((v.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5, "{v:?}");
    }
    assert!(all[0] != all[1] && all[2] != all[4]);
    for extra in [&["--batch", "1"][..], &["--batch", "2", "--threads", "2"], &["--threads", "1"]] {
        let again = vectors(&text(&[&base[..], extra].concat(), lines));
        for (a, b) in all.iter().flatten().zip(again.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "{extra:?}: {a} {b}");
        }
    }
    let quoted = "\"hello worlds\"\n\"\"\n\"a\"\n\"hello hello\\nhello hello hello\"\n\"world a\"\n";
    assert_eq!(vectors(&text(&[&base[..], &["--json-input"]].concat(), quoted)), all);
    let given = ["--", "hello worlds", "", "a", "hello hello hello hello hello", "world a"];
    assert_eq!(vectors(&text(&[&base[..], &given].concat(), "")), all);
    assert!(text(&base, "").is_empty());
    assert!(text(&["embed", "--model", path(&dir), "a"], "").contains("8 numbers, length 1.0000"));
}

#[test]
fn a_bad_line_ends_the_command_after_what_was_good() {
    let dir = model();
    let mut child = Command::new(env!("CARGO_BIN_EXE_rlx"))
        .env("RLX_PROGRAM_CACHE", "0")
        .args(["embed", "--json", "--model", path(&dir)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"hello\nwor\xffld\na\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), vectors(std::str::from_utf8(&output.stdout).unwrap()).len()),
        (Some(1), 1)
    );
    assert_eq!(
        std::str::from_utf8(&output.stderr).unwrap(),
        "rlx: line 2 is not UTF-8: invalid byte 3 (0xff)\n"
    );
}

#[test]
fn sixteen_bits_on_the_cpu_are_for_weights() {
    let dir = model();
    let embed = |precision: &str| {
        let output =
            rlx(&["embed", "--json", "--model", path(&dir), "--precision", precision, "hello world"], "");
        assert!(output.status.success());
        let [out, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (vectors(&out), said)
    };
    for asked in ["f16", "bf16"] {
        let (narrow, said) = embed(asked);
        let held = format!("weights-{asked}");
        assert!(said.contains(&format!("no arithmetic in {asked}")) && said.contains(&held), "{said}");
        assert_eq!((narrow, String::new()), embed(&held));
        assert_ne!(embed("f32").0, embed(&held).0);
    }
}

#[test]
fn a_line_is_answered_while_the_stream_stays_open() {
    let dir = model();
    let mut child = start(&dir, &["--json"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        while output.read_line(&mut line).unwrap() > 0 {
            sender.send(std::mem::take(&mut line)).unwrap();
        }
    });
    let all = vectors(&text(&["embed", "--json", "--model", path(&dir), "hello", "worlds a"], ""));
    for (line, expected) in ["hello\n", "worlds a\n"].into_iter().zip(&all) {
        input.write_all(line.as_bytes()).unwrap();
        let answer = answers.recv_timeout(PATIENCE).expect("an answer before the stream ends");
        let got = vectors(&answer);
        let difference = got[0].iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(difference.fold(0.0, f32::max) < 1e-5, "{answer} {expected:?}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_whole_lines() {
    let dir = model();
    // One computation produces more than a pipe can hold, so the signal comes in the middle of writing.
    let mut child = start(&dir, &["--json", "--batch", "512"]);
    let writer = write_for_ever(&mut child);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut all = String::new();
    for _ in 0..600 {
        output.read_line(&mut all).unwrap();
    }
    interrupt(&child);
    output.read_to_string(&mut all).unwrap();
    assert_eq!(signal(&mut child), Some(2));
    assert!(all.ends_with("]\n"), "{}", all.lines().last().unwrap());
    let all = vectors(&all);
    assert!(all.len() >= 600 && all.iter().all(|vector| vector.len() == HIDDEN));
    writer.join().unwrap();
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_command_as_it_ends_others() {
    let dir = model();
    let mut child = start(&dir, &["--json"]);
    let writer = write_for_ever(&mut child);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    drop(output);
    assert_eq!((signal(&mut child), vectors(&first)[0].len()), (Some(13), HIDDEN));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    writer.join().unwrap();
}

#[test]
fn files_hold_what_the_lines_hold() {
    let dir = model();
    let base = ["embed", "--model", path(&dir)];
    let lines = "hello worlds\n\na\n";
    let expected = text(&[&base[..], &["--json"]].concat(), lines);
    let bytes: Vec<u8> = vectors(&expected).iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let file = |name: &str| dir.path().join(name);
    for name in ["e.jsonl", "e.npy", "e.safetensors"] {
        let out = file(name);
        fs::write(&out, "what was there before").unwrap();
        assert_eq!(text(&[&base[..], &["-o", out.to_str().unwrap()]].concat(), lines), "");
    }
    assert_eq!(fs::read_to_string(file("e.jsonl")).unwrap(), expected);
    let array = rlx_models::npy::read(&file("e.npy")).unwrap();
    assert_eq!((array.shape, &array.bytes), (vec![3, HIDDEN], &bytes));
    let tensors = rlx_models::weights::Weights::open(&file("e.safetensors")).unwrap();
    let tensor = tensors.get("embeddings").unwrap();
    assert_eq!((tensor.shape(), tensor.bytes()), (&[3, HIDDEN][..], &bytes[..]));
    // No texts give an array with no rows.
    text(&[&base[..], &["-o", file("e.npy").to_str().unwrap()]].concat(), "");
    assert_eq!(rlx_models::npy::read(&file("e.npy")).unwrap().shape, [0, HIDDEN]);
    let refused = |out: &str, code: i32, says: &str| {
        let output = rlx(&[&base[..], &["-o", out, "hello"]].concat(), "");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && said.contains(says), "{said}\nneeds {says}");
    };
    refused("e.txt", 2, "must end in .npy, .jsonl or .safetensors");
    refused(file("no/e.npy").to_str().unwrap(), 1, "its folder does not exist");
}

/// The names in a folder that do not belong to the model.
fn made(dir: &TempDir) -> Vec<String> {
    let names = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.') || name.starts_with("e.")).collect()
}

#[cfg(unix)]
#[test]
fn what_is_interrupted_leaves_no_file() {
    for name in ["e.jsonl", "e.npy"] {
        let dir = model();
        let out = dir.path().join(name);
        let mut child = start(&dir, &["--output", out.to_str().unwrap()]);
        let writer = write_for_ever(&mut child);
        let begin = std::time::Instant::now();
        while made(&dir).is_empty() {
            assert!(begin.elapsed() < PATIENCE, "no file was begun");
            thread::sleep(Duration::from_millis(5));
        }
        interrupt(&child);
        assert_eq!((signal(&mut child), made(&dir)), (Some(2), Vec::new()));
        writer.join().unwrap();
    }
}

#[test]
fn a_bad_line_leaves_the_file_that_was_there() {
    let dir = model();
    let out = dir.path().join("e.jsonl");
    fs::write(&out, "before").unwrap();
    let mut child = start(&dir, &["--output", out.to_str().unwrap()]);
    child.stdin.take().unwrap().write_all(b"hello\n\xff\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!((made(&dir), fs::read_to_string(&out).unwrap()), (vec!["e.jsonl".into()], "before".into()));
}

#[test]
fn texts_that_are_cut_are_counted() {
    let dir = model();
    // The tokenizer adds two tokens to each text; the model takes twelve.
    let lines = format!("{}\n{}\na\n{}\n", "a ".repeat(10), "a ".repeat(11), "a ".repeat(5000));
    let embed = |extra: &[&str]| {
        let output = rlx(&[&["embed", "--json", "--model", path(&dir)][..], extra].concat(), &lines);
        assert!(output.status.success());
        assert_eq!(vectors(std::str::from_utf8(&output.stdout).unwrap()).len(), 4);
        String::from_utf8(output.stderr).unwrap()
    };
    let warning = "rlx: warning: 2 of 4 texts were truncated: the model takes at most 12 tokens per text\n";
    assert_eq!(embed(&[]), warning);
    assert_eq!(embed(&["--quiet"]), "");
    assert_eq!(embed(&["--quiet", "--precision", "f16"]), "");
    let said = embed(&["--verbose"]);
    let rate = said.lines().find(|line| line.starts_with("rlx: 4 texts in ")).unwrap();
    let digits = rate.rsplit(": ").next().unwrap().strip_suffix(" texts/s").unwrap();
    assert!(
        digits.trim_start_matches(['0', '.']).chars().filter(char::is_ascii_digit).count() >= 3,
        "{rate}"
    );
}
