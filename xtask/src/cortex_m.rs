//! `cargo xtask cortex-m`: runs an emitted crate on a Cortex-M4 in QEMU, and compares its results with those of this
//! machine bit for bit. The crate contains the digit classifier that `rlx train` trained, without the standard library.

use crate::Outcome;
use crate::checks::{cargo, cargo_command, rustc, target, version};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TARGET: &str = "thumbv7em-none-eabihf";
const EMULATOR: &str = "qemu-system-arm";
const CONFIG: &str = "examples/training/digits.toml";
/// Number of images that the program classifies.
const IMAGES: usize = 100;

/// Trains the network if necessary, writes it as a crate, and runs it on this machine and in QEMU. `rest` has
/// additional arguments for `rlx compile`.
#[allow(clippy::print_stdout)]
pub(crate) fn cortex_m(root: &Path, rest: &[String]) -> Outcome {
    let folder = root.join("examples/cortex-m");
    let build = Build::find(&folder)?;
    if version(&mut Command::new(EMULATOR)).is_none() {
        return Err(format!("{EMULATOR} is not installed: it is in Debian's package of the same name"));
    }
    // A training run that is complete is not repeated.
    rlx(root, &["train", CONFIG])?;
    let digits = made(&folder, "digits")?;
    let mut args = vec!["compile", CONFIG, "--no-std", "--output", &digits];
    args.extend(rest.iter().map(String::as_str));
    rlx(root, &args)?;
    let softmax = made(&folder, "softmax")?;
    let sizes = ["--dim", "rows=1", "--dim", "n=10"];
    let graph = ["compile", "examples/softmax.rlx", "--no-std", "--output", &softmax];
    rlx(root, &[&graph[..], &sizes].concat())?;
    write_images(root, &folder)?;

    let out = target(root).join("cortex-m");
    let here = built_here(&folder, &out)?;
    let expected = printed(&mut Command::new(here))?;
    let program = build.build(&folder, &out)?;
    let mut emulator = Command::new(EMULATOR);
    emulator.args(["-machine", "mps2-an386", "-cpu", "cortex-m4", "-icount", "shift=0", "-display", "none"]);
    emulator.args(["-chardev", "stdio,id=console", "-semihosting-config"]);
    emulator.args(["enable=on,target=native,chardev=console", "-kernel"]).arg(&program);
    let text = printed(&mut emulator)?;
    let Some(measured) = text.strip_prefix(&expected) else {
        return Err(difference(&expected, &text));
    };
    println!(
        "{IMAGES} images, logits and probabilities: the results of the Cortex-M4 are bit for bit those of this machine"
    );
    println!("{}", expected.lines().last().unwrap_or_default());
    println!("{} bytes of weights", weights(&folder)?);
    print!("{measured}");
    Ok(())
}

/// The command `rlx` of this workspace.
fn rlx(root: &Path, args: &[&str]) -> Outcome {
    cargo(root, &[&["run", "--quiet", "--package", "rlx-cli", "--", "--quiet"], args].concat())
}

/// Removes the folder of a crate to be written.
fn made(folder: &Path, name: &str) -> Result<String, String> {
    let path = folder.join(name);
    match std::fs::remove_dir_all(&path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {e}", path.display())),
        _ => Ok(path.display().to_string()),
    }
}

/// Writes the first two of every ten images of the data: the test images, which were not used to choose anything.
fn write_images(root: &Path, folder: &Path) -> Outcome {
    let data = root.join("examples/training/digits.csv.gz");
    let text = printed(Command::new("gzip").arg("--decompress").arg("--stdout").arg(&data))?;
    let test = text.lines().enumerate().filter(|(i, _)| i % 10 < 2).take(IMAGES);
    let numbers = test.flat_map(|(_, line)| line.split(',').map(|number| number.trim().parse::<u8>()));
    let bytes: Vec<u8> = numbers.collect::<Result<_, _>>().map_err(|e| format!("{}: {e}", data.display()))?;
    let path = folder.join("images.bin");
    std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// The size of the weights in bytes.
fn weights(folder: &Path) -> Result<u64, String> {
    let path = folder.join("digits/src/weights.bin");
    std::fs::metadata(&path).map(|file| file.len()).map_err(|e| format!("{}: {e}", path.display()))
}

/// Builds the program for this machine.
fn built_here(folder: &Path, out: &Path) -> Result<PathBuf, String> {
    let mut command = cargo_command(folder);
    command.args(["build", "--quiet", "--release", "--target-dir"]).arg(out);
    printed(&mut command)?;
    Ok(out.join("release").join(format!("cortex-m{}", std::env::consts::EXE_SUFFIX)))
}

/// The tools that build for the target.
struct Build {
    cargo: OsString,
    rustc: OsString,
    /// Whether the core library must be built as well, because its source is installed but the library is not.
    with_core: bool,
    linker: PathBuf,
}

impl Build {
    /// This toolchain if it has the target; otherwise one that has the source of the core library, either this one or
    /// the system's.
    fn find(folder: &Path) -> Result<Build, String> {
        let own = cargo_command(folder).get_program().to_owned();
        let own = (own, rustc(folder).get_program().to_owned());
        let system = (OsString::from("/usr/bin/cargo"), OsString::from("/usr/bin/rustc"));
        let linker = linker(folder, &own.1)?;
        let asked = |rustc: &OsString, what: &[&str]| {
            let output = Command::new(rustc).args(what).current_dir(folder).output().ok()?;
            let path = String::from_utf8(output.stdout).ok()?;
            output.status.success().then(|| PathBuf::from(path.trim()))
        };
        let libraries = asked(&own.1, &["--print", "target-libdir", "--target", TARGET]);
        if libraries.is_some_and(|path| path.is_dir()) {
            return Ok(Build { cargo: own.0, rustc: own.1, with_core: false, linker });
        }
        for (cargo, rustc) in [own, system] {
            let source =
                asked(&rustc, &["--print", "sysroot"]).map(|root| root.join("lib/rustlib/src/rust/library"));
            if source.is_some_and(|path| path.join("core").is_dir()) {
                return Ok(Build { cargo, rustc, with_core: true, linker });
            }
        }
        Err(format!(
            "the core library for {TARGET} is not installed: `rustup target add {TARGET}`, or, without rustup, Debian's packages \
             rustc-web, cargo-web and rust-web-src"
        ))
    }

    fn build(&self, folder: &Path, out: &Path) -> Result<PathBuf, String> {
        let mut command = Command::new(&self.cargo);
        command.current_dir(folder).env("RUSTC", &self.rustc);
        command.args(["build", "--quiet", "--release", "--target", TARGET, "--target-dir"]).arg(out);
        if self.with_core {
            // A stable compiler needs this to build its own library.
            command.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=core");
        }
        let script = folder.join("board.ld");
        let flags = format!("-Clink-arg=-T{}", script.display());
        command.env("CARGO_TARGET_THUMBV7EM_NONE_EABIHF_RUSTFLAGS", flags);
        command.env("CARGO_TARGET_THUMBV7EM_NONE_EABIHF_LINKER", &self.linker);
        // Flags for builds on this machine do not apply to the board.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_INCREMENTAL");
        printed(&mut command)?;
        Ok(out.join(TARGET).join("release/cortex-m"))
    }
}

/// LLVM's linker, from the toolchain or from the system.
fn linker(folder: &Path, rustc: &OsString) -> Result<PathBuf, String> {
    let libraries = Command::new(rustc).args(["--print", "target-libdir"]).current_dir(folder).output();
    let libraries = libraries.map_err(|e| format!("rustc: {e}"))?;
    let libraries = PathBuf::from(String::from_utf8_lossy(&libraries.stdout).trim());
    let own = libraries.with_file_name("bin").join("rust-lld");
    if own.is_file() {
        return Ok(own);
    }
    match version(&mut Command::new("ld.lld")) {
        Some(_) => Ok("ld.lld".into()),
        None => {
            Err("the toolchain has no rust-lld, and ld.lld is not installed: it is in Debian's package lld"
                .into())
        }
    }
}

/// The output of a command, or why it failed.
fn printed(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Output { status, stdout, stderr } = command.output().map_err(|e| format!("{name}: {e}"))?;
    let text = String::from_utf8_lossy(&stdout).into_owned();
    if status.success() {
        return Ok(text);
    }
    Err(format!("{name} failed ({status}): {text}{}", String::from_utf8_lossy(&stderr)))
}

/// A message about the first line that differs.
fn difference(here: &str, there: &str) -> String {
    let mut lines = there.lines();
    for (number, line) in (1..).zip(here.lines()) {
        let other = lines.next().unwrap_or_default();
        if line != other {
            return format!("line {number} differs; this machine:\n{line}\nthe Cortex-M4:\n{other}");
        }
    }
    format!("the Cortex-M4 printed something else:\n{there}")
}
