//! Every setting of `rlx train` has an effect in every kind of training that accepts it. A different value changes the
//! trained parameters, or whatever else the setting is about. A setting that a kind does not use is refused by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[path = "support/tiny.rs"]
#[allow(dead_code, reason = "the tests of whole models use the rest")]
mod tiny;

use tiny::{model, rlx};

/// What a different value of a setting changes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Changes {
    /// The trained parameters.
    Parameters,
    /// The files of the run, but not the parameters.
    Files,
    /// Nothing except speed.
    Nothing,
}

use Changes::{Files, Nothing, Parameters};

/// A setting, a different value for it, what that changes, and further settings to use with both values.
type Row = (&'static str, &'static str, Changes, &'static [(&'static str, &'static str)]);

/// The settings that all kinds have.
const COMMON: [Row; 14] = [
    ("optimizer.name", "\"lion\"", Parameters, &[]),
    ("optimizer.lr", "0.02", Parameters, &[]),
    ("optimizer.schedule", "\"cosine(from=0.01)\"", Parameters, &[]),
    ("optimizer.clip", "0.001", Parameters, &[("optimizer.name", "\"sgd\"")]),
    ("optimizer.decay", "\"matrices\"", Parameters, &[("optimizer.name", "\"adamw(weight_decay=0.5)\"")]),
    ("run.batch", "3", Parameters, &[]),
    ("run.steps", "3", Parameters, &[]),
    ("run.seed", "2", Parameters, &[]),
    ("run.dir", "\"other\"", Files, &[]),
    ("run.checkpoint_every", "1", Files, &[]),
    ("run.evaluate_every", "1", Files, &[]),
    ("run.keep", "1", Files, &[]),
    ("run.threads", "2", Nothing, &[]),
    ("run.precision", "\"bf16\"", Parameters, &[]),
];

/// The best evaluation, with a learning rate so high that it is not the last one.
const fn best(with: &'static [(&'static str, &'static str)]) -> Row {
    ("run.choose", "\"best\"", Parameters, with)
}

const LONG: Row = best(&[("optimizer.lr", "30.0"), ("run.evaluate_every", "1")]);

/// A configuration as its settings.
type Config = BTreeMap<&'static str, String>;

fn configuration(kind: &[(&'static str, &str)]) -> Config {
    let common = [
        ("optimizer.name", "\"adamw\""),
        ("optimizer.lr", "0.01"),
        ("run.batch", "4"),
        ("run.steps", "4"),
        ("run.seed", "1"),
        ("run.dir", "\"run\""),
        ("run.checkpoint_every", "2"),
        ("run.evaluate_every", "2"),
        ("run.threads", "1"),
    ];
    common.iter().chain(kind).map(|(key, value)| (*key, value.to_string())).collect()
}

fn text(config: &Config) -> String {
    let mut text = String::new();
    for table in ["model", "data", "optimizer", "run"] {
        text.push_str(&format!("[{table}]\n"));
        for (key, value) in config {
            let own = key.strip_prefix(table).and_then(|rest| rest.strip_prefix('.'));
            text.extend(own.map(|name| format!("{name} = {value}\n")));
        }
    }
    text
}

/// The parameters after training a configuration in a separate folder, and the names and contents of all other files,
/// without times.
fn trained(dir: &Path, config: &Config, number: usize) -> (Vec<u8>, BTreeMap<String, Vec<u8>>) {
    let own = dir.join(format!("run{number}"));
    fs::create_dir(&own).unwrap();
    fs::write(own.join("c.toml"), text(config)).unwrap();
    let output = rlx(&["train", own.join("c.toml").to_str().unwrap(), "-q"], "");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{}", text(config));
    let (mut parameters, mut files) = (Vec::new(), BTreeMap::new());
    let mut folders = vec![own.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&own).unwrap().to_str().unwrap().to_string();
            match path.file_name().and_then(|n| n.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("model.safetensors") => parameters = fs::read(&path).unwrap(),
                Some("metrics.csv") => {
                    let table = fs::read_to_string(&path).unwrap();
                    let untimed = table.lines().map(|line| line.rsplit_once(',').map_or(line, |l| l.0));
                    files.insert(name, untimed.collect::<Vec<_>>().join("\n").into_bytes());
                }
                // It contains times, and the other files contain the text of the settings.
                Some("metrics.jsonl" | "c.toml") => {}
                _ => drop(files.insert(name, Vec::new())),
            }
        }
    }
    assert!(!parameters.is_empty(), "{files:?}");
    (parameters, files)
}

/// The settings of a kind on the page of all settings.
fn listed(kind: &str) -> BTreeSet<String> {
    let page = String::from_utf8(rlx(&["train", "--settings"], "").stdout).unwrap();
    let (mut found, mut table) = (BTreeSet::new(), None);
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let name = title.strip_prefix('[').and_then(|t| t.split_once(']'));
            let of_kind = |rest: &str| rest.is_empty() || rest.contains(&format!("\"{kind}\""));
            table = name.filter(|(_, rest)| of_kind(rest)).map(|(name, _)| name.to_string());
        }
        let row = line.strip_prefix("| `").and_then(|rest| rest.split_once("` |"));
        if let (Some(table), Some((name, _))) = (&table, row) {
            found.insert(format!("{table}.{name}"));
        }
    }
    found
}

fn check(dir: &Path, kind: &str, base: &Config, rows: &[Row], refused: &[(&str, &str)]) {
    let mut all: BTreeSet<String> = rows.iter().map(|row| row.0.to_string()).collect();
    all.extend(refused.iter().map(|row| row.0.to_string()));
    all.insert("model.kind".into());
    assert_eq!(all, listed(kind), "a setting of the page has no row here, or a row no setting");
    let mut runs = 0;
    let mut run = |config: &Config| {
        runs += 1;
        trained(dir, config, runs)
    };
    let usual = run(base);
    for (key, value, changes, with) in rows {
        let mut before = base.clone();
        before.extend(with.iter().map(|(key, value)| (*key, value.to_string())));
        let mut config = before.clone();
        if *key == "optimizer.schedule" {
            config.remove("optimizer.lr");
        }
        config.insert(key, value.to_string());
        let before = if with.is_empty() { usual.clone() } else { run(&before) };
        let after = run(&config);
        let differs = (before.0 != after.0, before.1 != after.1);
        match changes {
            // The file also describes the model, so the parameters themselves must differ.
            Parameters => assert!(differs.0 && tensors(&before.0) != tensors(&after.0), "{kind}: {key}"),
            Files => assert_eq!(differs, (false, true), "{kind}: {key}"),
            Nothing => assert_eq!(differs, (false, false), "{kind}: {key}"),
        }
    }
    for (key, value) in refused {
        let mut text = text(base);
        let (table, name) = key.split_once('.').unwrap();
        text = text.replace(&format!("[{table}]\n"), &format!("[{table}]\n{name} = {value}\n"));
        fs::write(dir.join("refused.toml"), text).unwrap();
        let output = rlx(&["train", dir.join("refused.toml").to_str().unwrap()], "");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(&format!("`{key}`")), "{kind}: {said}");
    }
}

/// The bytes of a safetensors file after its header.
fn tensors(file: &[u8]) -> &[u8] {
    let header = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    &file[8 + header..]
}

const OF_IMAGES: [(&str, &str); 2] =
    [("data.split", "{ train = 1, validation = 1, test = 1 }"), ("data.shift", "1")];

fn words(count: usize) -> String {
    (0..count)
        .map(|i| format!("the {} sat on mat number {i}. ", ["cat", "dog", "bird"][i * i % 7 % 3]))
        .collect()
}

#[test]
fn settings_of_classifiers_matter() {
    let dir = tempfile::tempdir().unwrap();
    let digits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/training/digits.csv.gz");
    fs::copy(&digits, dir.path().join("digits.csv.gz")).unwrap();
    // The file twice is a different list of images.
    let mut twice = fs::read(&digits).unwrap();
    twice.extend_from_within(..);
    fs::write(dir.path().join("twice.csv.gz"), twice).unwrap();
    let base = configuration(&[
        ("model.kind", "\"convnet\""),
        ("model.channels", "2"),
        ("model.hidden", "4"),
        ("data.path", "\"../digits.csv.gz\""),
    ]);
    let own: [Row; 6] = [
        best(&[("optimizer.lr", "1.0"), ("run.evaluate_every", "1")]),
        ("model.channels", "3", Parameters, &[]),
        ("model.hidden", "5", Parameters, &[]),
        ("data.path", "\"../twice.csv.gz\"", Parameters, &[]),
        ("data.split", OF_IMAGES[0].1, Parameters, &[]),
        ("data.shift", OF_IMAGES[1].1, Parameters, &[]),
    ];
    check(dir.path(), "convnet", &base, &[&own[..], &COMMON].concat(), &[]);
}

#[test]
fn settings_of_decoders_of_bytes_matter() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("text"), words(60)).unwrap();
    fs::write(dir.path().join("other"), words(80)).unwrap();
    let base = configuration(&[
        ("model.kind", "\"gpt\""),
        ("model.layers", "1"),
        ("model.width", "8"),
        ("model.heads", "2"),
        ("model.context", "8"),
        ("data.path", "\"../text\""),
    ]);
    let own: [Row; 7] = [
        LONG,
        ("model.layers", "2", Parameters, &[]),
        ("model.width", "12", Parameters, &[]),
        ("model.heads", "4", Parameters, &[]),
        ("model.context", "9", Parameters, &[]),
        ("model.intermediate", "12", Parameters, &[]),
        ("data.path", "\"../other\"", Parameters, &[]),
    ];
    check(dir.path(), "gpt", &base, &[&own[..], &COMMON].concat(), &OF_IMAGES);
}

#[test]
fn settings_of_language_models_matter() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("text"), words(400)).unwrap();
    fs::write(dir.path().join("other"), words(500)).unwrap();
    for (name, heads) in [("a.json", 2), ("b.json", 4)] {
        let config = serde_json::json!({
            "model_type": "llama", "vocab_size": 270, "hidden_size": 8, "intermediate_size": 12,
            "num_hidden_layers": 1, "num_attention_heads": heads, "num_key_value_heads": 2,
            "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
            "tie_word_embeddings": true, "hidden_act": "silu"
        });
        fs::write(dir.path().join(name), config.to_string()).unwrap();
    }
    let base = configuration(&[
        ("model.kind", "\"llm\""),
        ("model.config", "\"../a.json\""),
        ("model.context", "8"),
        ("data.path", "\"../text\""),
    ]);
    let own: [Row; 4] = [
        LONG,
        ("model.config", "\"../b.json\"", Parameters, &[]),
        ("model.context", "9", Parameters, &[]),
        ("data.path", "\"../other\"", Parameters, &[]),
    ];
    check(dir.path(), "llm", &base, &[&own[..], &COMMON].concat(), &OF_IMAGES);
}

#[test]
fn settings_of_encoders_matter() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (model(), model());
    let config = two.path().join("config.json");
    fs::write(&config, fs::read_to_string(&config).unwrap().replace("\"gelu\"", "\"relu\"")).unwrap();
    let word = |i: usize| ["hello", "world", "a", "worlds"][i % 4];
    let pairs = |count: usize| -> String {
        (0..count)
            .map(|i| {
                format!(
                    "{} {} {}\t{} {} {} a\n",
                    word(i),
                    word(i / 4),
                    word(i / 3),
                    word(i + 1),
                    word(i / 2),
                    word(i / 5)
                )
            })
            .collect()
    };
    fs::write(dir.path().join("pairs.tsv"), pairs(40)).unwrap();
    fs::write(dir.path().join("other.tsv"), pairs(48)).unwrap();
    let [one, two] = [&one, &two].map(|dir| format!("{:?}", dir.path()));
    let two: &'static str = two.leak();
    let base = configuration(&[
        ("model.kind", "\"embedding\""),
        ("model.base", &one),
        ("data.path", "\"../pairs.tsv\""),
    ]);
    let own: [Row; 5] = [
        LONG,
        ("model.base", two, Parameters, &[]),
        ("model.scale", "5", Parameters, &[]),
        ("model.max_tokens", "4", Parameters, &[]),
        ("data.path", "\"../other.tsv\"", Parameters, &[]),
    ];
    check(dir.path(), "embedding", &base, &[&own[..], &COMMON].concat(), &OF_IMAGES);
}
