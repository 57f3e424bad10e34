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

  check         formatting, lints, links of the docs, tidy, notes about dependencies
  test          every test of the workspace
  neon          the kernels' tests on aarch64 by QEMU, and emitted crates (needs `rustup target add aarch64-unknown-linux-gnu` and Debian's
                gcc-aarch64-linux-gnu and qemu-user-static; arguments choose other tests: --tests runs them all)
  cortex-m      trained digits as a crate without the standard library, on a Cortex-M4 in QEMU, held against this machine bit for bit
                (needs `rustup target add thumbv7em-none-eabihf` and Debian's qemu-system-arm; other arguments are those of
                `rlx compile`: --dtype mixed-f16)
  miri          tests of the pool, the executor and memory by Miri, on portable kernels (needs `rustup component add miri
                rust-src --toolchain nightly`; arguments choose other tests)
  fuzz          the fuzz targets, one after the other (needs `rustup toolchain install nightly` and `cargo install cargo-fuzz`;
                --minutes N: for each; --target NAME, as often as wanted: only these; arguments after -- are libFuzzer's)
  tidy          the tail of the code base; fails on what ARCHITECTURE.md forbids
  map           writes docs/map.md, a line per source file, and the layers in ARCHITECTURE.md (--check: writes nothing, fails where
                either is out of date; tidy does this too)
  dependencies  holds dependencies.toml, the notes about third-party crates with unsafe code or a build script, against what `rlx`
                is built from; writes docs/dependencies.md (--check: writes nothing, fails where the page is out of date)
  conformance   every op on every present device against the evaluator; writes docs/conformance.md
                (--op NAME, --family NAME and --device NAME, each as often as wanted: only these; --seeds N: each case
                on the devices with N draws of values; --no-docs: print alone. Only a whole run writes the page);
                with --jaxlib PYTHON [--plugin FILE] every op as StableHLO in XLA, with --reimport what the importer reads back of
                it (--inline: ops that StableHLO lacks written as what they expand to);
                with --random N [--seed S] [--isa NAME | --device interpreter|mlx] so many random graphs, compiled for the CPU, or for
                the interpreter of kernels, in every way;
                --device interpreter: by the kernels that ops are lowered to, run element by element
  conformance stablehlo --dir DIR [--device NAME]
                every StableHLO program (.mlir) of a folder that checks itself, on the evaluator and the CPU
  conformance transforms
                derivatives and vectorization of every op (--ops NAME,…, --families NAME,…, --dtypes NAME,… and --small: only these;
                --device NAME: another device than the CPU;
                --verbose: every failure and skipped case; --docs: a whole run writes docs/transforms.md)
  bench-peers   RLX beside its peers, as benches/peers/README.md says; a whole run writes docs/benchmarks.md
                (--python PYTHON: an environment that has the peers, in place of one made under target/; other arguments are
                the driver's: `cargo xtask bench-peers --help`)
  bench-compile how time and memory of compiling grow with the graph; a whole run writes docs/compile-time.md and its plot (--family NAME
                and --size N, as often as wanted: only these; --million: 1,000,000 nodes as well; --limit SECONDS: when a graph is
                given up, 120 by default; --no-docs: print alone; --python PYTHON: one that has matplotlib)
  bench-instructions
                instructions of the CPU kernels, held against benches/instructions/expected.json (needs valgrind and gungraun-runner;
                --update: write down what was counted; --family NAME, as often as wanted: only these)
  bench         `rlx bench minilm` over the standard sizes (arguments are passed on)
  help          this text
";

/// What a command failed with.
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

/// Without its feature a command runs itself again with it: the compiler is built only for who needs it.
#[cfg(not(all(feature = "conformance", feature = "compile-time")))]
fn again(feature: &str, command: &str, args: &[String]) -> Outcome {
    let mut all =
        vec!["run", "--quiet", "--release", "--package", "xtask", "--features", feature, "--", command];
    all.extend(args.iter().map(String::as_str));
    checks::cargo(&root(), &all)
}
