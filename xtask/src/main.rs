//! The project's own tooling: `cargo xtask COMMAND`. Each command is a module.

#[cfg(feature = "conformance")]
mod allowances;
mod checks;
#[cfg(feature = "compile-time")]
mod compile_time;
#[cfg(feature = "conformance")]
mod conformance;
mod cortex_m;
mod debt;
mod dependencies;
mod fuzz;
mod instructions;
mod map;
mod miri;
mod neon;
#[cfg(feature = "conformance")]
mod outside;
mod peers;
#[cfg(feature = "conformance")]
mod programs;
#[cfg(feature = "conformance")]
mod random;
mod tidy;
#[cfg(feature = "conformance")]
mod transforms;
mod write;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  check         check formatting, lints, links in the docs, tidy, and the notes about dependencies
  test          run every test of the workspace
  neon          run the kernels' tests on aarch64 in QEMU, and crates written by `rlx compile` (needs `rustup target add
                aarch64-unknown-linux-gnu` and Debian's gcc-aarch64-linux-gnu and qemu-user-static; arguments select other
                tests: --tests runs all of them)
  cortex-m      run a trained digit classifier as a crate without the standard library on a Cortex-M4 in QEMU, and compare its
                results bit for bit with those of this machine (needs `rustup target add thumbv7em-none-eabihf` and Debian's
                qemu-system-arm; other arguments are passed to `rlx compile`: --dtype mixed-f16)
  miri          run tests of the thread pool, the executor and memory under Miri, with portable kernels (needs `rustup component
                add miri rust-src --toolchain nightly`; arguments select other tests)
  fuzz          run the fuzz targets in turn (needs `rustup toolchain install nightly` and `cargo install cargo-fuzz`;
                --minutes N: time per target; --target NAME, can be repeated: run only these; arguments after -- are passed to
                libFuzzer)
  tidy          report the outliers of the code base, and fail if a rule of ARCHITECTURE.md is broken
  map           write docs/map.md, a line per source file, and the layers in ARCHITECTURE.md (--check: write nothing, and fail if
                either is out of date; tidy does this too)
  dependencies  compare dependencies.toml, the notes about third-party crates with unsafe code or a build script, with what `rlx`
                is built from, and write docs/dependencies.md (--check: write nothing, and fail if the page is out of date)
  conformance   check every op on every available device against the evaluator, and write docs/conformance.md
                (--op NAME, --family NAME and --device NAME, can be repeated: run only these; --seeds N: run each case on the
                devices with N draws of values; --no-docs: only print. Only a full run writes the page);
                with --jaxlib PYTHON [--plugin FILE]: run every op as StableHLO in XLA; with --reimport: also run what the
                importer reads back (--inline: write ops that StableHLO lacks as their expansions);
                with --random N [--seed S] [--isa NAME | --device interpreter|mlx]: compile N random graphs for the CPU, the
                interpreter of kernels or MLX, in every way;
                --device interpreter: run the kernels that ops are lowered to, element by element
  conformance stablehlo --dir DIR [--device NAME]
                run every self-checking StableHLO program (.mlir) of a folder, on the evaluator and the CPU
  conformance transforms
                check derivatives and vectorization of every op (--ops NAME,…, --families NAME,…, --dtypes NAME,… and --small:
                run only these; --device NAME: a device other than the CPU;
                --verbose: print every failure and skipped case; --docs: write docs/transforms.md after a full run)
  bench-peers   compare RLX with its peers (see benches/peers/README.md); a full run writes docs/benchmarks.md
                (--python PYTHON: a Python that has the peers, instead of an environment made under target/; other arguments
                are passed to the driver: `cargo xtask bench-peers --help`)
  bench-compile measure how time and memory of compiling grow with the graph; a full run writes docs/compile-time.md and its plot
                (--family NAME and --size N, can be repeated: run only these; --million: also run 1,000,000 nodes; --limit
                SECONDS: stop a measurement after this time, 120 by default; --no-docs: only print; --python PYTHON: a Python
                that has matplotlib)
  bench-instructions
                count the instructions of the CPU kernels, and compare them with benches/instructions/expected.json (needs
                valgrind and gungraun-runner; --update: store the new counts; --family NAME, can be repeated: run only these)
  bench         run `rlx bench minilm` over the standard sizes (arguments are passed on)
  help          print this text
";

/// The error message of a command that failed.
type Outcome = Result<(), String>;

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_else(|| "help".into());
    let rest: Vec<String> = args.collect();
    let outcome = match command.as_str() {
        "check" => checks::check(&root()),
        "test" => checks::test(&root(), &rest),
        "tidy" => tidy::tidy(&root()),
        "map" => map::map(&root(), &rest),
        "dependencies" => dependencies::dependencies(&root(), &rest),
        "neon" => neon::neon(&root(), &rest),
        "cortex-m" => cortex_m::cortex_m(&root(), &rest),
        "miri" => miri::miri(&root(), &rest),
        "fuzz" => fuzz::fuzz(&root(), &rest),
        "bench-peers" => peers::bench(&root(), &rest),
        "bench-instructions" => instructions::bench(&root(), &rest),
        "bench" => checks::bench(&root(), &rest),
        "bench-compile" => bench_compile(&rest),
        "conformance" => conformance(&rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("`{other}` is not a command\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

#[cfg(feature = "conformance")]
fn conformance(args: &[String]) -> Outcome {
    match args.first().map(String::as_str) {
        Some("stablehlo") => programs::run(&args[1..]),
        Some("transforms") => transforms::run(&root(), &args[1..]),
        _ if random::wanted(args) => random::run(args),
        _ => conformance::run(&root(), args),
    }
}

#[cfg(feature = "compile-time")]
fn bench_compile(args: &[String]) -> Outcome {
    compile_time::bench(&root(), args)
}

#[cfg(not(feature = "compile-time"))]
fn bench_compile(args: &[String]) -> Outcome {
    again("compile-time", "bench-compile", args)
}

#[cfg(not(feature = "conformance"))]
fn conformance(args: &[String]) -> Outcome {
    again("conformance", "conformance", args)
}

/// Without its feature, a command runs itself again with it, so the compiler is built only for the commands that need it.
#[cfg(not(all(feature = "conformance", feature = "compile-time")))]
fn again(feature: &str, command: &str, args: &[String]) -> Outcome {
    let mut all =
        vec!["run", "--quiet", "--release", "--package", "xtask", "--features", feature, "--", command];
    all.extend(args.iter().map(String::as_str));
    checks::cargo(&root(), &all)
}
