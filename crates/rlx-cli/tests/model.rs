//! The commands on a graph, and on a whole model that is small enough to create here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use rlx_models::weights::{StoredType, Tensor, save};
use serde_json::Value;

#[path = "support/tiny.rs"]
mod tiny;

use tiny::{HIDDEN, WIDE, model, path, rlx, text, vectors};

#[test]
fn a_model_whose_weights_are_of_another_is_refused_with_a_list() {
    let dir = model();
    let file = dir.path().join("config.json");
    let config =
        fs::read_to_string(&file).unwrap().replace("\"num_hidden_layers\":1", "\"num_hidden_layers\":2");
    fs::write(&file, config).unwrap();
    let output = rlx(&["embed", "--model", path(&dir), "a"], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("16 missing") && said.contains("encoder.layer.1.output.dense.bias"), "{said}");
}

#[test]
fn a_model_is_inspected_and_measured() {
    let dir = model();
    let shown = text(&["inspect", path(&dir)], "");
    for line in [
        "BERT, 1 layers, 8 wide",
        "8 known, at most 12 per text",
        "result     8 numbers, scaled",
        "weights    792 parameters in 21 tensors of F32, 3.1 KiB",
        "  792 parameters in 21 tensors, 3.1 KiB",
        "  encoder.layer.0     1     24         600      2.3 KiB\n",
        "more kinds of steps; --steps lists every step",
    ] {
        assert!(shown.contains(line), "{shown}\nneeds {line}");
    }
    let dot = text(&["inspect", path(&dir), "--dot"], "");
    assert!(dot.starts_with("digraph") && dot.contains("word_embeddings"), "{dot}");
    assert!(dot.contains("subgraph \"cluster_encoder.layer.0\" {"), "{dot}");
    let args = ["bench", path(&dir), "--batch", "2", "--seq", "12", "--seconds", "0", "--json"];
    let report: Value = serde_json::from_str(&text(&args, "")).unwrap();
    for key in ["median_ms", "p90_ms", "p99_ms", "gflops"] {
        assert!(report[key].as_f64().is_some_and(|v| v > 0.0), "{report}");
    }
    assert_eq!((report["runs"].as_u64(), report["seq"].as_u64()), (Some(10), Some(12)));
    let output = rlx(&["bench", path(&dir), "--seq", "13"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("at most 12 tokens"));
}

#[test]
fn a_model_is_inspected_on_a_screen_or_in_full() {
    let dir = model();
    // The file has one tensor more than the model.
    let file = dir.path().join("model.safetensors");
    let weights = rlx_models::weights::Weights::open(&file).unwrap();
    let mut tensors: Vec<_> = weights
        .iter()
        .map(|t| Tensor { name: t.name(), stored: t.stored_type(), shape: t.shape(), bytes: t.bytes() })
        .collect();
    let stored = StoredType::from_tag("F32").unwrap();
    tensors.push(Tensor { name: "pooler.dense.bias", stored, shape: &[HIDDEN], bytes: &[0; 4 * HIDDEN] });
    let larger = dir.path().join("larger.safetensors");
    save(&larger, &tensors, &BTreeMap::new()).unwrap();
    fs::rename(&larger, &file).unwrap();
    let shown = text(&["inspect", path(&dir)], "");
    assert!(shown.lines().count() < 45, "{shown}");
    assert!(shown.contains("792 parameters in 21 tensors of F32, 3.1 KiB\nnot used   8 numbers"), "{shown}");
    assert!(shown.contains("does not use: pooler.dense.bias\n"), "{shown}");
    assert!(!shown.contains("param "), "{shown}");
    let tensors = text(&["inspect", path(&dir), "--tensors"], "");
    assert!(tensors.contains("F32 [8] pooler.dense.bias, 32 bytes\n"), "{tensors}");
    assert!(tensors.contains("  param   \"encoder.layer.0.output.dense.bias\" f32[8]\n"), "{tensors}");
    // Steps have the same names as in a profile, and every step is listed.
    let steps = text(&["inspect", path(&dir), "--steps", "--dim", "batch=2", "--dim", "seq=12"], "");
    let profile =
        text(&["profile", path(&dir), "--batch", "2", "--seq", "12", "--runs", "1", "--top", "99"], "");
    let mut found = 0;
    for line in profile.lines().skip(3) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (times, name) = (words[2].parse::<usize>().unwrap(), words[5..].join(" "));
        let lines = steps.lines().filter(|step| {
            step.split_whitespace().skip(1).collect::<Vec<_>>().join(" ").split(" @ ").next() == Some(&name)
        });
        assert_eq!(lines.count(), times, "{name}\n{steps}");
        found += times;
    }
    assert!(profile.contains(&format!("in {found} steps")), "{profile}");
}

/// A trace in the format that <https://ui.perfetto.dev> opens: the JSON object of the Trace Event Format ("Trace Event
/// Format", Google, §JSON Object Format, §Complete Events), with times in microseconds.
#[test]
fn a_profile_lists_the_steps_and_writes_a_trace() {
    let dir = model();
    let file = dir.path().join("trace.json");
    let out = file.to_str().unwrap();
    let args = ["profile", path(&dir), "--batch", "2", "--seq", "12", "--runs", "3", "-o", out];
    let begin = Instant::now();
    let table = text(&args, "");
    let longest = begin.elapsed().as_secs_f64() * 1e6;
    let trace: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let mut end = 0.0;
    let mut took = 0.0;
    for event in events {
        let text = |key: &str| event[key].as_str().unwrap_or_else(|| panic!("{key} in {event}"));
        let number = |key: &str| event[key].as_f64().unwrap_or_else(|| panic!("{key} in {event}"));
        assert!(text("ph") == "X" && !text("name").is_empty() && !text("cat").is_empty(), "{event}");
        assert!(event["pid"].is_u64() && event["tid"].is_u64() && event["args"].is_object(), "{event}");
        // Steps of a thread follow each other; rounding may shift them by half a nanosecond.
        assert!(number("dur") >= 0.0 && number("ts") >= end - 5e-4, "{event} begins before {end}");
        end = number("ts") + number("dur");
        took += number("dur");
    }
    assert!(end < longest, "{end} µs in a process of {longest} µs");
    // The table has the same times per run, in milliseconds.
    let first = table.lines().next().unwrap();
    let words: Vec<&str> = first.split(' ').collect();
    let [ms, "ms", "per", "run", "in", steps, "steps,", ..] = words[..] else { panic!("{first}") };
    assert_eq!(3 * steps.parse::<usize>().unwrap(), events.len());
    assert!((ms.parse::<f64>().unwrap() - took / 3e3).abs() <= 5.1e-4, "{first}, the trace has {took} µs");
    // Each of the three runs has the layer's six products with weights: 2 × 12 tokens, 8 and 16 wide.
    let flops: f64 = events.iter().map(|e| e["args"]["flops"].as_f64().unwrap()).sum();
    let products = 2.0 * 24.0 * (4 * HIDDEN * HIDDEN + 2 * HIDDEN * WIDE) as f64;
    assert!(flops > 3.0 * products && flops < 30.0 * products, "{flops}, the products alone {products}");
    let output = rlx(&["profile", path(&dir), "--seq", "13"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("at most 12 tokens"));
}

const HELLO: &str = "graph \"hello\" {
  %0 = input {name = \"x\"} : f32[1,4]
  %1 = param {name = \"w\"} : f32[4,2]
  %2 = matmul %0, %1 : f32[1,2]
  return %2
}
";

fn write_f32(path: &Path, shape: &[usize], values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    rlx_models::npy::write(path, rlx_ir::DType::F32, shape, &bytes).unwrap();
}

#[test]
fn a_graph_runs_on_files() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let arg = |name: &str, file: &str| format!("{name}={}", at(file).display());
    fs::write(at("g.rlx"), HELLO).unwrap();
    write_f32(&at("x.npy"), &[1, 4], &[1.0, 2.0, 3.0, 4.0]);
    write_f32(&at("w.npy"), &[4, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let (graph, out) = (at("g.rlx").display().to_string(), at("out").display().to_string());
    let (x, w) = (arg("x", "x.npy"), arg("w", "w.npy"));
    assert_eq!(text(&["run", &graph, "-i", &x, "-i", &w, "-o", &out], ""), "out0: f32[1,2]\n[[50. 60.]]\n");
    let array = rlx_models::npy::read(&at("out/out0.npy")).unwrap();
    assert_eq!(
        (array.shape, array.bytes),
        (vec![1, 2], [50f32, 60.0].iter().flat_map(|v| v.to_le_bytes()).collect())
    );
    text(&["run", &graph, "-i", &x, "-i", &w, "-o", &out, "--format", "safetensors"], "");
    assert!(at("out/outputs.safetensors").exists());
    let shown = text(&["inspect", &graph], "");
    for part in ["graph \"hello\"", "param   \"w\" f32[4,2]", "On cpu"] {
        assert!(shown.contains(part), "{shown}\nneeds {part}");
    }
    let turned = arg("w", "turned.npy");
    write_f32(&at("turned.npy"), &[2, 4], &[0.0; 8]);
    let unknown = arg("y", "x.npy");
    let rows: [(&[&str], &str); 4] = [
        (&["-i", &x], "w"),
        (&["-i", &w], "x"),
        (&["-i", &x, "-i", &turned], "declared as f32[4,2], but got f32[2,4]"),
        (&["-i", &x, "-i", &w, "-i", &unknown], "`y`"),
    ];
    for (args, says) in rows {
        let output = rlx(&[&["run", &graph][..], args].concat(), "");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(says), "{args:?}: {said}\nneeds {says}");
    }
    fs::write(at("g.rlx"), HELLO.replace("%0, %1", "%0, %9")).unwrap();
    let output = rlx(&["inspect", &graph], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && said.contains("g.rlx") && said.contains("%9"), "{said}");
}

/// The mean difference between the cosine of each anchor with its own positive and those with the others (vectors have
/// length 1).
fn apart(model: &str, pairs: &str) -> f32 {
    let column = |i: usize| {
        pairs.lines().map(|line| line.split('\t').nth(i).unwrap().to_string() + "\n").collect::<String>()
    };
    let embedded = |i| vectors(&text(&["embed", "--model", model, "--json"], &column(i)));
    let (anchors, positives) = (embedded(0), embedded(1));
    let mut sum = 0.0;
    for (i, a) in anchors.iter().enumerate() {
        for (j, p) in positives.iter().enumerate() {
            let cosine: f32 = a.iter().zip(p).map(|(x, y)| x * y).sum();
            sum += if i == j { cosine } else { -cosine / (positives.len() - 1) as f32 };
        }
    }
    sum / anchors.len() as f32
}

#[test]
fn a_model_is_fine_tuned_on_pairs_and_embeds() {
    let dir = model();
    let pairs = "hello\tworld a\na a\tworlds\nworld\ta hello hello\nhellos a\thello\n";
    fs::write(dir.path().join("pairs.tsv"), pairs).unwrap();
    let config = "[model]\nkind = \"embedding\"\nbase = \".\"\n[data]\npath = \"pairs.tsv\"\n\
                  [optimizer]\nname = \"adamw\"\nlr = 0.002\n[run]\nbatch = 2\nsteps = 500\ndir = \"run\"\n";
    let path = dir.path().join("c.toml");
    fs::write(&path, config).unwrap();
    let train = |config: &str| {
        fs::write(&path, config).unwrap();
        rlx(&["train", path.to_str().unwrap()], "")
    };
    // Each of the two pairs is repeated so often that both are trained on, whichever lines are drawn for validation: a
    // fifth of them.
    let trained = "hello\tworld a\nworld\ta hello hello\n";
    fs::write(dir.path().join("repeated.tsv"), trained.repeat(5)).unwrap();
    let output = train(&config.replace("pairs.tsv", "repeated.tsv"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (before, after) = (dir.path().to_str().unwrap(), dir.path().join("run/model"));
    let after = after.to_str().unwrap();
    let (was, is) = (apart(before, trained), apart(after, trained));
    assert!(is > was + 0.5, "{was} to {is}");
    // Errors name the place.
    let fails = |config: &str, says: &str| {
        let output = train(config);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(says), "{said}\nneeds {says}");
    };
    fails(&config.replace("batch = 2", "batch = 3"), "4 pair(s) are too few for batches of 3");
    fails(
        &config.replace("base = \".\"", "base = \".\"\nscale = 0.0"),
        "c.toml:4: `model.scale` is 0; it must be above 0",
    );
    fails(&config.replace("base = \".\"", "base = \".\"\nmax_tokens = 2"), "the longest input is 2 tokens");
    fails(&config.replace("base = \".\"", "base = \"none\""), "\"none\"");
    fs::write(dir.path().join("pairs.tsv"), "hello\tworld\nhello\n").unwrap();
    fails(config, "pairs.tsv:2: it has 1 column(s)");
}
