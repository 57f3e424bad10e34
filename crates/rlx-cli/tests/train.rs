//! `rlx train` as users see it: it learns, survives being killed, and reports errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/training").join(name)
}

/// The digits example in a separate folder, with lines replaced.
fn config(dir: &Path, replaced: &[(&str, &str)]) -> PathBuf {
    let mut text = fs::read_to_string(example("digits.toml")).expect("the example");
    for (from, to) in replaced {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    fs::copy(example("digits.csv.gz"), dir.join("digits.csv.gz")).expect("a copy");
    let path = dir.join("digits.toml");
    fs::write(&path, text).expect("a config");
    path
}

fn train(config: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rlx"));
    command.env("RLX_PROGRAM_CACHE", "0");
    command.arg("train").arg(config).env("RLX_NUM_THREADS", "2");
    command
}

/// A small and short training with many checkpoints.
const SHORT: [(&str, &str); 6] = [
    ("channels = 32", "channels = 4"),
    ("hidden = 64", "hidden = 16"),
    ("batch = 32", "batch = 16"),
    ("steps = 800\nseed", "steps = 120\nseed"),
    ("checkpoint_every = 100", "checkpoint_every = 5"),
    ("evaluate_every = 50", "evaluate_every = 30"),
];

fn parameters(dir: &Path) -> Vec<u8> {
    fs::read(dir.join("digits-run/model.safetensors")).expect("parameters")
}

#[test]
fn digits_are_learnt_to_98_percent() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = config(dir.path(), &[]);
    let output = train(&path).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("validation_accuracy ") && !text.contains("test_"), "{text}");
    // Completed work is not repeated: only the test is run, with the parameters that were best in validation.
    let tested = train(&path).arg("--test").output().expect("it runs");
    let said = String::from_utf8_lossy(&tested.stdout).into_owned();
    assert!(tested.status.success() && said.contains("800 step(s)"), "{said}");
    let number = |text: &str, name: &str| -> f64 {
        let word = text.split(&format!("{name} ")).nth(1).and_then(|t| t.split([',', '\n']).next());
        word.and_then(|w| w.parse().ok()).unwrap_or_else(|| panic!("{name}: {text}"))
    };
    assert!(number(&said, "test_accuracy") >= 0.98, "{said}");
    let run = dir.path().join("digits-run");
    let csv = fs::read_to_string(run.join("metrics.csv")).expect("metrics");
    // The validation loss is next to the loss of the step after which it was measured.
    assert_eq!(csv.lines().count(), 802);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..4], ["step", "loss", "validation_loss", "validation_accuracy"]);
    let evaluated: Vec<&str> = rows[1..].iter().filter(|row| !row[2].is_empty()).map(|row| row[0]).collect();
    assert_eq!((evaluated.len(), evaluated[0], evaluated[1], rows[1][1]), (17, "0", "50", ""));
    assert!(rows[51][0] == "50" && rows[51][1..3].iter().all(|cell| cell.parse::<f64>().is_ok()));
    let jsonl = fs::read_to_string(run.join("metrics.jsonl")).expect("metrics");
    assert!(!jsonl.contains("test_"));
    let evaluated =
        jsonl.lines().filter_map(|l| l.split("\"validation_loss\":").nth(1)?.split(['}', ',']).next());
    let best = evaluated.map(|l| l.parse::<f64>().expect("a loss")).fold(f64::INFINITY, f64::min);
    assert!((number(&said, "validation_loss") - best).abs() < 1e-4, "{said} {best}");
    assert!(fs::read(run.join("loss.png")).expect("a picture").starts_with(b"\x89PNG"));
    assert!(fs::read_to_string(run.join("loss.svg")).expect("a picture").contains(">validation</text>"));
}

#[test]
fn a_step_is_a_graph_and_what_it_is_given() {
    let dir = tempfile::tempdir().expect("a folder");
    let config = config(dir.path(), &SHORT);
    let rlx = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_rlx")).args(args).current_dir(dir.path()).output();
        let output = output.expect("it starts");
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, _, said) = rlx(&["train", config.to_str().unwrap(), "--graph", "step.rlx"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!dir.path().join("digits-run").exists());
    // The loss of the step is that of the first step of the run.
    let (code, out, said) = rlx(&["run", "step.rlx", "-i", "step.safetensors", "-o", "out"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, _, said) = rlx(&["train", config.to_str().unwrap(), "--steps", "1"]);
    assert_eq!(code, Some(0), "{said}");
    let metrics = fs::read_to_string(dir.path().join("digits-run/metrics.jsonl")).expect("metrics");
    let number = metrics.split("\"loss\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
    let loss: f32 = number.expect("a loss").trim().parse().expect("a number");
    let first: f32 = out.split_whitespace().find_map(|word| word.parse().ok()).expect("a number");
    assert!((loss - first).abs() < 1e-5, "{loss} and {first}: {out}");
    let (code, _, said) = rlx(&["train", config.to_str().unwrap(), "--graph", "step.txt"]);
    assert!(code == Some(2) && said.contains("step.txt"), "{code:?}: {said}");
    let (code, _, said) = rlx(&["train", config.to_str().unwrap(), "--graph", "step.rlx", "--fresh"]);
    assert!(code == Some(2) && said.contains("--fresh"), "{said}");
}

#[test]
fn a_training_that_is_killed_ends_with_the_same_parameters() {
    let reference = tempfile::tempdir().expect("a folder");
    let begin = Instant::now();
    let status = train(&config(reference.path(), &SHORT)).stdout(Stdio::null()).status().expect("it runs");
    let whole = begin.elapsed();
    assert!(status.success());
    let dir = tempfile::tempdir().expect("a folder");
    let path = config(dir.path(), &SHORT);
    let mut kills = 0;
    for i in 0..4 {
        let mut child = train(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(whole.mul_f64(0.25 + 0.12 * f64::from(i)));
        if child.try_wait().expect("a state").is_none() {
            child.kill().expect("a kill");
            kills += 1;
        }
        child.wait().expect("an end");
    }
    assert!(kills >= 1, "no run was killed: {whole:?} a run");
    let status = train(&path).stdout(Stdio::null()).status().expect("it runs");
    assert!(status.success());
    assert_eq!(parameters(dir.path()), parameters(reference.path()));
    let steps = |dir: &Path| {
        let text = fs::read_to_string(dir.join("digits-run/metrics.csv")).expect("metrics");
        // All columns except for the last, which is the time of a step.
        let columns = |line: &str| line.rsplit_once(',').map(|(columns, _)| columns.to_string());
        text.lines().map(columns).collect::<Vec<_>>()
    };
    assert_eq!(steps(dir.path()), steps(reference.path()));
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_a_checkpoint() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = config(dir.path(), &[("steps = 800\nseed", "steps = 1000000\nseed")]);
    let child = train(&path).stdout(Stdio::piped()).spawn().expect("it starts");
    let metrics = dir.path().join("digits-run/metrics.csv");
    let begin = Instant::now();
    while fs::read_to_string(&metrics).map_or(0, |t| t.lines().count()) < 5 {
        assert!(begin.elapsed() < Duration::from_secs(300), "no step was taken");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.starts_with("stopped after"), "{text}");
    assert!(fs::read_dir(dir.path().join("digits-run/checkpoints")).expect("a folder").count() >= 1);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let refused = |replaced: &[(&str, &str)]| {
        let output = train(&config(dir.path(), replaced)).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let error = refused(&[("batch = 32", "batch = 0")]);
    assert!(error.contains("digits.toml:21: `run.batch` is 0; it must be at least 1"), "{error}");
    for shift in ["8", "100", "18446744073709551615"] {
        let error = refused(&[("shift = 1", &format!("shift = {shift}"))]);
        let expected = format!("`data.shift` is {shift}; the images are 8 × 8 pixels, so 0 to 7 is allowed");
        assert!(error.contains("digits.toml:") && error.contains(&expected), "{error}");
    }
    let error = refused(&[("test = 2 }", "test = 0 }")]);
    assert!(error.contains("digits.toml:10: `data.split` needs shares of at least 1"), "{error}");
    let error = refused(&[("train = 6, validation = 2", "train = 1, validation = 1000000")]);
    assert!(error.contains("0 image(s) to train on, 1795 for validation and 2 for the test"), "{error}");
    let error = refused(&[
        ("schedule = \"warmup_cosine(peak=0.008, warmup=20)\"", "lr = 1e20"),
        ("steps = 800\nseed", "steps = 5\nseed"),
    ]);
    assert!(error.contains("the loss is") || error.contains("the gradient norm is"), "{error}");
}

#[test]
fn a_file_that_cannot_be_used_is_one_line_with_its_setting() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("empty"), "").expect("a file");
    fs::create_dir(dir.path().join("model")).expect("a folder");
    let said = |config: &Path, expected: &str| {
        let output = train(config).env("RLX_OFFLINE", "1").output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{error}");
        // Lines after the first list valid values.
        let (first, rest) = error.split_once('\n').unwrap_or((&error, ""));
        let is_list = rest.lines().all(|line| line.starts_with("  "));
        assert!(first.contains(expected) && is_list, "{error}\n{expected}");
    };
    let path = |name: &str| config(dir.path(), &[("path = \"digits.csv.gz\"", &format!("path = {name:?}"))]);
    let names = "digits.toml:8: `data.path` cannot be used: ";
    for (name, problem) in
        [("nothing.gz", "no such file"), ("empty", "it is empty"), ("model", "this is a directory")]
    {
        let path = path(name);
        said(&path, &format!("{names}{}: {problem}", dir.path().join(name).display()));
    }
    said(&path("digits.toml"), "digits.toml: it is not CSV in gzip: invalid gzip header");
    let path = config(dir.path(), &[("dir = \"digits-run\"", "dir = \"empty\"")]);
    said(&path, "`run.dir` cannot be used: ");
    let pairs = fs::read_to_string(example("minilm.toml")).expect("the example");
    fs::copy(example("ops.tsv"), dir.path().join("ops.tsv")).expect("a copy");
    let base = |name: &str| {
        let path = dir.path().join("pairs.toml");
        fs::write(&path, pairs.replace("base = \"minilm\"", &format!("base = {name:?}"))).expect("a config");
        path
    };
    said(&base("nothing"), "pairs.toml:4: `model.base` cannot be used: there is no model \"nothing\"");
    said(&base("model"), "model/config.json: no such file");
    fs::write(dir.path().join("model/config.json"), "").expect("a file");
    said(&base("model"), "model/config.json: it is empty");
    for (name, problem) in
        [("nothing.toml", "no such file"), ("empty", "it is empty"), ("model", "this is a directory")]
    {
        let path = dir.path().join(name);
        said(&path, &format!("rlx: the configuration {}: {problem}", path.display()));
    }
}

#[test]
fn a_training_that_goes_on_names_what_was_changed() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = |replaced: &[(&str, &str)], options: &[&str]| {
        let all: Vec<(&str, &str)> = SHORT[..3].iter().chain(replaced).copied().collect();
        let output = train(&config(dir.path(), &all)).args(options).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, _, said) = run(&[], &["--steps", "3"]);
    assert!(code == Some(0) && !said.contains("changed"), "{said}");
    // A change that makes it a different run is refused, and the message shows what changed.
    for (replaced, named) in [
        (("seed = 1", "seed = 2"), "`run.seed` was 1, is now 2"),
        (("test = 2 }", "test = 1 }"), "`data.split` was { train = 6, validation = 2, test = 2 }, is now "),
        (("adamw(weight_decay=0.01)", "sgd"), "`optimizer.name` was adamw, is now sgd"),
    ] {
        let (code, _, said) = run(&[replaced], &["--steps", "4"]);
        assert!(code == Some(1) && said.contains(named), "{said}");
        assert!(
            said.contains("`run.steps` was 3, is now 4; use the earlier ones, choose another folder, or "),
            "{said}"
        );
    }
    // Other changes are reported once, in one line.
    let harmless = [
        ("shift = 1", "shift = 2"),
        ("adamw(weight_decay=0.01)", "adamw(weight_decay=0.02)"),
        ("checkpoint_every = 100", "checkpoint_every = 7"),
        ("warmup=20)", "warmup=10)"),
    ];
    let (code, text, said) = run(&harmless, &["--steps", "5"]);
    let line =
        said.lines().find(|line| line.contains("changed since then: ")).unwrap_or_else(|| panic!("{said}"));
    for named in [
        "`data.shift` was 1, is now 2",
        "`optimizer.name(weight_decay)` was 0.01, is now 0.02",
        "`optimizer.schedule` was \"warmup_cosine(peak=0.008, warmup=20)\", is now ",
        "`run.steps` was 3, is now 5",
        "`run.checkpoint_every` was 100, is now 7",
    ] {
        assert!(line.contains(named), "{line}\n{named}");
    }
    assert!(
        code == Some(0) && text.starts_with("done: 5 step(s)") && line.matches(" was ").count() == 5,
        "{text}{line}"
    );
    let (_, _, said) = run(&harmless, &["--steps", "5"]);
    assert!(!said.contains("changed") && said.contains("training is complete, with 5 of 5 steps"), "{said}");
    // Another folder is not a change.
    fs::rename(dir.path().join("digits-run"), dir.path().join("other")).expect("renamed");
    let moved: Vec<_> =
        harmless.iter().copied().chain([("dir = \"digits-run\"", "dir = \"other\"")]).collect();
    let (code, _, said) = run(&moved, &["--steps", "5"]);
    assert!(code == Some(0) && said.contains("continuing from") && !said.contains("changed"), "{said}");
    // Other examples under the same path.
    let data = dir.path().join("digits.csv.gz");
    let both = fs::read(&data).expect("the examples").repeat(2);
    let path = config(dir.path(), &SHORT[..3].iter().copied().chain(moved).collect::<Vec<_>>());
    fs::write(&data, &both).expect("a file");
    let output = train(&path).args(["--steps", "5"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let named = "changed since then: `data.path(contents)` was 57523 bytes with the checksum ";
    assert!(
        output.status.success() && said.contains(named) && said.contains(", is now 115046 bytes"),
        "{said}"
    );
}

#[test]
fn a_schedule_ends_with_the_run_unless_it_has_a_length() {
    let last_rate = |replaced: &[(&str, &str)]| {
        let dir = tempfile::tempdir().expect("a folder");
        let all: Vec<(&str, &str)> = SHORT[..3].iter().chain(replaced).copied().collect();
        let output = train(&config(dir.path(), &all)).args(["--steps", "40"]).output().expect("it runs");
        assert!(output.status.success());
        let csv = fs::read_to_string(dir.path().join("digits-run/metrics.csv")).expect("metrics");
        let rate = csv.lines().last().and_then(|line| line.split(',').nth(5)?.parse::<f64>().ok());
        (rate.expect("a rate"), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (rate, said) = last_rate(&[]);
    assert!(rate < 1e-4 && !said.contains("schedule"), "{rate} {said}");
    let (rate, said) = last_rate(&[("warmup=20)", "warmup=20, steps=800)")]);
    let note = "rlx: the schedule of the learning rate ends after 800 steps, the run after 40: the last rate is 0.00799; a schedule";
    assert!(rate > 7e-3 && said.lines().filter(|line| line.starts_with(note)).count() == 1, "{rate} {said}");
}

/// The configuration of a tiny language model, with lines replaced.
fn language(dir: &Path, replaced: &[(&str, &str)]) -> PathBuf {
    let mut text = fs::read_to_string(example("text.toml")).expect("the example");
    let small = [
        ("layers = 4", "layers = 1"),
        ("width = 128", "width = 16"),
        ("context = 128", "context = 16"),
        ("steps = 1000\nseed", "steps = 80\nseed"),
        ("peak=0.002, warmup=50", "peak=0.02, warmup=5"),
    ];
    for (from, to) in small.iter().chain(replaced) {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    fs::write(dir.join("text.txt"), "abcdefgh".repeat(200)).expect("a text");
    let path = dir.join("text.toml");
    fs::write(&path, text).expect("a config");
    path
}

/// The output of `rlx sample`, and its messages.
fn sample(config: &Path, options: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rlx"));
    command.env("RLX_PROGRAM_CACHE", "0");
    let output = command.arg("sample").arg(config).args(options).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_language_model_goes_on_with_a_text() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = language(dir.path(), &[]);
    let (code, _, said) = sample(&path, &["abc"]);
    assert!(code == Some(1) && said.contains("no trained model; `rlx train"), "{said}");
    assert!(train(&path).output().expect("it runs").status.success());
    // The model has learned which letter follows each letter.
    let (code, text, said) = sample(&path, &["abc", "--temperature", "0", "--bytes", "13"]);
    assert_eq!((code, text.as_str(), said.as_str()), (Some(0), "abcdefghabcdefgh\n", ""));
    let (_, one, _) = sample(&path, &["abc", "--top-k", "1", "--temperature", "5", "--bytes", "13"]);
    assert_eq!(one, text);
    let hot = |seed| sample(&path, &["abc", "--temperature", "5", "--seed", seed, "--bytes", "60"]).1;
    assert_eq!(hot("1"), hot("1"));
    assert_ne!(hot("1"), hot("2"));
    let newest = dir.path().join("text-run/checkpoints/step-0000000080.safetensors");
    let newest = newest.to_str().expect("a name");
    assert_eq!(sample(&path, &["abc", "--temperature", "0", "--bytes", "13", "--weights", newest]).1, text);
    for (options, says) in
        [(["--temperature", "-1"], "-1"), (["--top-k", "0"], "0 is not in"), (["--bytes", "x"], "invalid")]
    {
        let (code, _, said) = sample(&path, &["abc", options[0], options[1]]);
        assert!(code == Some(2) && said.contains(says), "{said}");
    }
    // Files that do not belong to this model: other sizes, sizes that do not show in shapes, not a file of tensors, a
    // truncated file.
    let foreign = |replaced: &[(&str, &str)], options: &[&str], says: &str| {
        let config = language(dir.path(), replaced);
        let (code, _, said) = sample(&config, &[&["abc"], options].concat());
        assert!(code == Some(1) && said.contains(says), "{said}\nneeds {says}");
    };
    foreign(&[("layers = 1", "layers = 2")], &[], "`layers.1.norm1.weight` is missing");
    foreign(
        &[("width = 16", "width = 32")],
        &[],
        "`tokens.weight` has the shape [256, 16], expected [256, 32]",
    );
    foreign(&[("heads = 4", "heads = 2")], &[], "it was trained as");
    foreign(&[], &["--weights", path.to_str().expect("a name")], "text.toml");
    let cut = dir.path().join("cut.safetensors");
    let whole = fs::read(dir.path().join("text-run/model.safetensors")).expect("parameters");
    fs::write(&cut, &whole[..whole.len() / 2]).expect("a file");
    foreign(&[], &["--weights", cut.to_str().expect("a name")], "truncated");
}

#[test]
fn one_training_at_a_time_has_a_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let replaced = [&SHORT[..3], &[("steps = 800\nseed", "steps = 100000000\nseed")]].concat();
    let path = config(dir.path(), &replaced);
    let run = dir.path().join("digits-run");
    let mut first = train(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let begin = Instant::now();
    while !run.join("metrics.csv").exists() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    for options in [&[][..], &["--fresh"]] {
        let second = train(&path).args(options).output().expect("it runs");
        let error = String::from_utf8_lossy(&second.stderr).into_owned();
        assert!(second.status.code() == Some(1) && error.lines().count() == 1, "{error}");
        let expected = format!("where another training run writes (process {}, for ", first.id());
        assert!(error.contains(&expected) && error.contains(&run.display().to_string()), "{error}");
        assert!(error.contains("digits.toml:") && error.contains("`run.dir`"), "{error}");
    }
    // The lock of a killed training is released.
    first.kill().expect("it runs still");
    first.wait().expect("it ends");
    let third = train(&path).args(["--fresh", "--steps", "2"]).output().expect("it runs");
    assert!(third.status.success(), "{}", String::from_utf8_lossy(&third.stderr));
}

#[test]
fn files_that_no_training_wrote_are_not_replaced() {
    let dir = tempfile::tempdir().expect("a folder");
    let replaced = [&SHORT[..], &[("dir = \"digits-run\"", "dir = \".\"")]].concat();
    let path = config(dir.path(), &replaced);
    let again = |options: &[&str]| {
        let output = train(&path).args(["--steps", "2"]).args(options).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // A complete safetensors file without tensors, written by another program.
    let mut tensors = 2u64.to_le_bytes().to_vec();
    tensors.extend(b"{}");
    let png: &[u8] = b"\x89PNG";
    let theirs: [(&str, &[u8]); 7] = [
        ("model.safetensors", &tensors),
        ("metrics.jsonl", b"{\"step\": 3, \"acc\": 0.5}\n"),
        ("metrics.csv", b"step,loss,acc\n"),
        ("loss.png", png),
        ("loss.svg", b"<svg/>"),
        ("checkpoints/step-7.safetensors", &tensors),
        ("model/config.json", b"{}"),
    ];
    for (name, bytes) in theirs {
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, bytes).expect("a file");
        for options in [&[][..], &["--fresh"]] {
            let (code, error) = again(options);
            let named = if name.starts_with("model/") { "model" } else { name };
            let named = dir.path().join(".").join(named).display().to_string();
            assert!(code == Some(1) && error.contains("files that no training run wrote"), "{name}: {error}");
            assert!(error.contains("`run.dir`") && error.contains(&named), "{name}: {error}");
            assert_eq!(fs::read(&file).expect("it is still there"), bytes, "{name}");
        }
        match name.split_once('/') {
            Some((folder, _)) => fs::remove_dir_all(dir.path().join(folder)).expect("it goes"),
            None => fs::remove_file(file).expect("it goes"),
        }
    }
    // A pipe in place of such a file does not block.
    #[cfg(unix)]
    for name in ["metrics.jsonl", "metrics.csv"] {
        let pipe = dir.path().join(name);
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let (code, error) = again(&[]);
        assert!(code == Some(1) && error.contains(name), "{name}: {error}");
        fs::remove_file(pipe).expect("it goes");
    }
    // A run replaces its own files, and leaves other files unchanged.
    fs::write(dir.path().join("notes.txt"), "mine").expect("a file");
    for options in [&[][..], &["--fresh"], &[]] {
        let (code, error) = again(options);
        assert_eq!(code, Some(0), "{error}");
    }
    assert_eq!(fs::read(dir.path().join("notes.txt")).expect("it stays"), b"mine");
    fs::write(dir.path().join("model.safetensors"), &tensors).expect("a file");
    let (code, error) = again(&["--fresh"]);
    assert!(code == Some(1) && error.contains("model.safetensors"), "{error}");
}
