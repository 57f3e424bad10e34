//! Runs every command that README, docs and `--help` show, on small files instead of large ones, and compares its
//! output with the shown one. Commands that cannot run here are listed with the reason.

mod collected;
mod files;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{command, inherit};
use collected::{Shown, collected};

/// Commands that do not run here, and why. A command that is no longer shown must be removed from this list.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo run --release -- embed \"A sentence to embed.\"", "builds the program, and fetches a model"),
    ("cargo xtask test", "runs this test"),
    (
        "rlx generate ./new-model -p \"Once upon a time\"",
        "the model needs a version of RLX that does not exist yet",
    ),
    (
        "cd minilm-crate && cargo run --release --example embed -- \"The weather is lovely today.\"",
        "builds a crate with its dependencies",
    ),
    (
        "cargo build --release -p rlx-cli --features blas-openblas",
        "builds the program with a library that may be missing",
    ),
    ("apt-get install libopenblas-dev", "installs a library"),
    (
        "MKLROOT=DIR cargo build --release -p rlx-cli --features blas-mkl",
        "builds the program with a library that may be missing",
    ),
    ("LD_LIBRARY_PATH=DIR/lib target/release/rlx devices", "needs a program that was built with a library"),
    (
        "cargo run -p rlx-coreml --example segments -- whiten.rlx",
        "builds an example; whiten.rlx is a file that the reader writes",
    ),
    ("cargo run --release -- embed minilm --device ane \"How are you?\"", "needs a Neural Engine"),
    ("cargo test -p rlx-coreml --test device --test hybrid", "runs other tests"),
    ("cargo run --release -- coreml lint minilm.mlpackage", "builds the program"),
    (
        "python run.py gradient.mlir pendulum.inputs.safetensors --expect pendulum.grad.outputs.safetensors",
        "needs JAX",
    ),
    ("cargo run -p rlx-codegen --example kernels -- examples/softmax.rlx", "builds an example"),
    ("cargo run -p rlx-codegen --example kernels -- examples/product.rlx webgpu", "builds an example"),
    (
        "cargo run --release --features mlx -- embed --device mlx \"Shall I compare thee to a summer's day?\"",
        "needs MLX",
    ),
    ("RLX_MLX_LIBRARY=$PWD/librlx_mlx.so rlx devices", "needs MLX"),
    ("RLX_MLX_DEVICE=gpu rlx devices", "needs MLX"),
    (
        "for mode in lazy compiled eager; do RLX_MLX_MODE=$mode rlx embed --device mlx \"A sentence to embed.\"; done",
        "needs MLX",
    ),
    ("scripts/check_mlx.sh [FOLDER OF STABLEHLO'S OWN TEST PROGRAMS]", "needs MLX"),
    (
        "RLX_PJRT_PLUGIN=$PWD/plugins/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so rlx devices",
        "needs a PJRT plugin",
    ),
    ("rlx bench step.mlir --input batch.npy --device tpu", "needs a TPU"),
    ("rlx train examples/training/digits.toml", "trains for a minute; tests/train.rs does"),
    ("rlx train examples/training/digits.toml --fresh", "trains for a minute; tests/train.rs does"),
    (
        "rlx train examples/training/digits.toml --steps 1600",
        "trains for minutes; tests/train.rs trains less",
    ),
    ("rlx train examples/training/digits.toml --test", "trains for a minute; tests/train.rs does"),
    ("scripts/fetch_text.py", "needs a network"),
    ("rlx train examples/training/text.toml", "trains for an hour, on a text from the network"),
    (
        "rlx sample examples/training/text.toml \"And the king said\" --seed 1",
        "needs the model that an hour of training makes",
    ),
    ("rlx sample examples/training/text.toml \"It was \"", "needs the model that an hour of training makes"),
    (
        "rlx sample examples/training/text.toml \"It was \" --temperature 0 --bytes 100",
        "needs the model that an hour of training makes",
    ),
    (
        "rlx sample examples/training/text.toml \"It was \" --top-k 20 --seed 7",
        "needs the model that an hour of training makes",
    ),
    ("scripts/fetch_text.py --prose --out crates/rlx-tiny-model/text.txt", "needs a network"),
    ("rlx train crates/rlx-tiny-model/train.toml", "trains for hours"),
    (
        "rlx generate crates/rlx-tiny-model/run/model -p \"In the beginning\"",
        "needs the model that hours of training make",
    ),
    ("rlx train examples/training/minilm.toml", "trains for an hour"),
    (
        "rlx embed --model examples/training/minilm-run/model \"x² summed over an axis\"",
        "needs the model that an hour of training makes",
    ),
    ("rlx devices --calibrate", "measures for seconds in a debug build; tests/cli.rs does it"),
    ("rlx bench train --threads 2 --json", "takes a minute in a debug build; .ci/run does it"),
    ("rlx profile train --threads 2 --output trace.json", "takes a minute in a debug build"),
    (
        "rlx compile examples/training/digits.toml --no-std -o digits",
        "needs a trained model; tests/compile.rs does it",
    ),
    (
        "rlx generate --lora ./notes-adapter -p \"A tensor is\" -n 30 --seed 2 --temp 0.6",
        "needs an adapter that PEFT trained",
    ),
    ("rlx perplexity notes.txt --window 128 --lora ./notes-adapter", "needs an adapter that PEFT trained"),
    (
        "rlx completions bash > ~/.local/share/bash-completion/completions/rlx",
        "writes into the home folder; tests/cli.rs prints it",
    ),
    ("rlx completions zsh > \"${fpath[1]}/_rlx\"", "is for zsh; tests/cli.rs prints it"),
    (
        "rlx completions fish > ~/.config/fish/completions/rlx.fish",
        "writes into the home folder; tests/cli.rs prints it",
    ),
];

/// Commands with outputs of large models, or outputs that vary between runs: they run, but their output is not compared.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("rlx inspect minilm.mlpackage", "of MiniLM"),
    ("rlx inspect qwen3.mlpackage", "of Qwen3"),
    ("rlx inspect minilm.mlpackage | grep weights", "of MiniLM"),
    ("rlx coreml lint minilm.mlpackage", "of MiniLM"),
    ("rlx convert qwen3-iq3_m.gguf -o qwen3.mlpackage", "of Qwen3"),
    ("rlx generate -p \"In the beginning\" -n 3 --temp 0 --json --logprobs 2", "has times"),
    ("rlx bench llm --pp 128 --tg 32 --threads 2 --json", "has times"),
    (
        "rlx perplexity model.gguf text.txt --window 128 --save-logits base.logits",
        "of a model that is not here",
    ),
    ("rlx perplexity model-q4_k_m.gguf text.txt --kl-divergence base.logits", "of a model that is not here"),
    ("rlx perplexity notes.txt --window 128", "of a text that is not here"),
    ("rlx convert model -o model.gguf", "names the hash of another tokenizer"),
    (
        "rlx convert model.gguf -o model-q4_k_m.gguf --quantize q4_k_m --dry-run",
        "of a model that is not here",
    ),
    ("rlx devices", "of another machine"),
    (
        "rlx generate -p \"In the beginning\" -n 50",
        "a word that is drawn late depends on the last bits of logits, which differ between instruction sets",
    ),
];

/// Parts of commands that are replaced here, where files are small.
const REPLACED: &[(&str, &str)] = &[
    // The tokenizer of the small model is not a known one.
    ("rlx convert ./qwen3 -o qwen3-q4_k_m.gguf", "rlx convert ./qwen3 -o qwen3-q4_k_m.gguf --pre llama-bpe"),
    // Runs that take long in a debug build.
    ("rlx bench llm model.gguf --pp 512 --tg 128", "rlx bench llm model.gguf --rounds 1 --pp 16 --tg 2"),
    ("rlx bench llm --pp 128 --tg 32", "rlx bench llm --rounds 1 --pp 16 --tg 2"),
    ("rlx bench minilm", "rlx bench minilm --seconds 0"),
    ("--seq 128", "--seq 16"),
    ("--time 100", "--time 2"),
    ("vmap model.rlx", "vmap step.rlx"),
    ("9906 1917", "31 455"),
    ("-n 100", "-n 8"),
    ("--window 1024 --windows 20", "--window 64 --windows 2"),
    ("--window 256", "--window 64"),
    ("--dim capacity=2048", "--dim capacity=64"),
];

#[test]
fn lists_have_no_stale_entries() {
    let shown: BTreeSet<String> = collected().into_iter().map(|shown| shown.command).collect();
    let listed = NOT_RUN.iter().chain(NOT_COMPARED);
    let stale: Vec<&str> =
        listed.map(|(command, _)| *command).filter(|command| !shown.contains(*command)).collect();
    assert!(stale.is_empty(), "no page shows these any more: {stale:#?}");
    for (from, _) in REPLACED {
        assert!(shown.iter().any(|command| command.contains(from)), "no page shows {from}");
    }
    assert!(shown.len() > 100, "{} commands were found", shown.len());
}

#[test]
fn every_command_that_is_shown_runs() {
    let workshop = files::workshop();
    let mut seen = BTreeSet::new();
    let shown: Vec<Shown> = collected()
        .into_iter()
        .filter(|shown| !NOT_RUN.iter().any(|(command, _)| *command == shown.command))
        .filter(|shown| seen.insert((shown.command.clone(), shown.output.clone())))
        .collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(shown) = shown.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(problem) = check(workshop.path(), shown) {
                wrong.lock().unwrap().push(format!("{}: `{}`\n{problem}", shown.place, shown.command));
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} commands:\n\n{}", wrong.len(), shown.len(), wrong.join("\n\n"));
}

/// Commands in the text of pages: checks that the command exists, with these options.
#[test]
fn commands_in_sentences_exist() {
    let names = collected::subcommands();
    let (mut found, mut wrong) = (0, Vec::new());
    for (page, text) in collected::pages() {
        for span in collected::inline(&text) {
            let words: Vec<&str> = span.split_whitespace().skip(1).collect();
            let is_name = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let Some(name) = words.iter().find(|word| !word.starts_with('-')) else { continue };
            found += 1;
            if *name == "help" || name.chars().any(|c| c.is_uppercase() || c == '…') {
                continue;
            }
            if !names.iter().any(|known| known == name) {
                wrong.push(format!("{page}: `{span}`: there is no command {name}"));
                continue;
            }
            let mut asked = vec![*name];
            if ["transform", "coreml"].contains(name) {
                asked.extend(words.iter().skip(1).take(1).filter(is_name).copied());
            }
            asked.push("--help");
            let help = command(&crate::support::root(), &asked).output().unwrap();
            let help = String::from_utf8_lossy(&help.stdout).into_owned();
            for option in words.iter().filter_map(|word| word.strip_prefix("--")) {
                let end =
                    option.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(option.len());
                let option = &option[..end];
                if !option.is_empty() && !help.contains(&format!("--{option}")) {
                    wrong.push(format!(
                        "{page}: `{span}`: {} has no --{option}",
                        asked[..asked.len() - 1].join(" ")
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty() && found > 50, "{found} commands; wrong ones: {wrong:#?}");
}

/// Runs a command in a separate folder, and compares the part of its output that is shown.
fn check(workshop: &Path, shown: &Shown) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    files::link(workshop, dir.path());
    let mut line = shown.command.clone();
    for (from, to) in REPLACED {
        line = line.replace(from, to);
    }
    // jq and Graphviz may not be installed; only the command before them is run.
    for filter in ["| jq", "| dot "] {
        line = line.split(filter).next().unwrap_or_default().into();
    }
    let before =
        files::before(&shown.command).map_or(String::new(), |before| format!("{before} >/dev/null && "));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{before}{line}")).current_dir(dir.path());
    inherit(&mut shell, &command(dir.path(), &[]));
    let path = std::env::var("PATH").unwrap_or_default();
    shell.env("PATH", format!("{}:{path}", workshop.join("bin").display())).env("HOME", dir.path());
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let is_compared = !NOT_COMPARED.iter().any(|(command, _)| *command == shown.command);
    let fails = shown.output.as_ref().is_some_and(|output| output.starts_with("rlx: "));
    if output.status.success() == fails && (is_compared || !fails) {
        return Err(format!("{}: {said}", output.status));
    }
    match &shown.output {
        Some(expected) if is_compared => compare(expected, if fails { &said } else { &out }, dir.path()),
        _ => Ok(()),
    }
}

/// A line `…` matches any lines, and `…` in a line matches any text.
fn compare(expected: &str, got: &str, dir: &Path) -> Result<(), String> {
    let cache = dir.join("cache").display().to_string();
    let got = got.replace(&cache, "~/.cache/rlx");
    let (mut left, mut from) = (got.trim_end(), true);
    for part in expected.trim_end().split('…') {
        let part = part.trim_matches('\n');
        match left.find(part) {
            Some(at) if at == 0 || !from => left = &left[at + part.len()..],
            _ => return Err(format!("it prints\n{got}\nand the page shows\n{expected}")),
        }
        from = false;
    }
    let is_open = expected.trim_end().ends_with('…');
    if left.trim().is_empty() || is_open {
        return Ok(());
    }
    Err(format!("it prints\n{got}\nand the page ends before\n{left}"))
}

/// The profile in README makes every crate of RLX fast in debug builds: either all crates, or each crate with kernels by name.
#[test]
fn the_profile_for_debug_builds_has_every_kernel() {
    let readme = fs::read_to_string(crate::support::root().join("README.md")).unwrap();
    let block = readme
        .split("```toml")
        .skip(1)
        .find_map(|rest| rest.split("```").next().filter(|block| block.contains("[profile")))
        .expect("a profile");
    let toml: toml::Table = block.parse().expect("TOML");
    let packages = toml["profile"]["dev"]["package"].as_table().expect("packages");
    let is_fast = |name: &str| {
        packages.get(name).and_then(|package| package.get("opt-level")).and_then(toml::Value::as_integer)
            == Some(3)
    };
    // A crate with kernels contains vector code, or is a dependency of such crates.
    let crates = crate::support::root().join("crates");
    let mut kernels = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("rlx-simd") || folder.ends_with("rlx-simd") {
            kernels.push(folder.file_name().unwrap().to_str().unwrap().to_string());
        }
    }
    assert!(
        ["rlx-packed", "rlx-gemm", "rlx-cpu", "rlx-simd"]
            .iter()
            .all(|name| kernels.iter().any(|kernel| kernel == name)),
        "{kernels:?}"
    );
    let slow: Vec<&String> = kernels.iter().filter(|name| !is_fast("*") && !is_fast(name)).collect();
    assert!(slow.is_empty(), "{slow:?} would be slow in debug builds of programs that follow README.md");
}
