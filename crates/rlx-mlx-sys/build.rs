//! Builds the shim, a shared library between MLX and this crate, if MLX is installed. Otherwise the crate still builds, and a shim that was
//! built elsewhere can be named at run time.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable with the folder of MLX. If it is set, no other place is searched.
const VARIABLE: &str = "RLX_MLX_DIR";
/// Asks Python for the folder of its package, which contains `include` and `lib` after `pip install mlx` (macOS) or `pip install mlx-cpu`
/// (Linux).
const ASK_PYTHON: &str = "import importlib.util as u; s = u.find_spec('mlx'); print(list(s.submodule_search_locations)[0] if s else '')";
/// Other places where systems install it.
const PREFIXES: &[&str] = &["/opt/homebrew", "/usr/local", "/usr"];

/// An installed MLX, with the folders that a compiler needs.
struct Installed {
    include: PathBuf,
    lib: PathBuf,
}

/// Returns the MLX in a folder, if there is one.
fn under(folder: &Path) -> Option<Installed> {
    let include = folder.join("include");
    let libs = ["lib", "lib64"].map(|lib| folder.join(lib));
    let has = |lib: &Path| ["libmlx.so", "libmlx.dylib"].iter().any(|file| lib.join(file).is_file());
    let lib = libs.into_iter().find(|lib| has(lib))?;
    include.join("mlx/mlx.h").is_file().then_some(Installed { include, lib })
}

/// Finds the installed MLX. Fails if the variable names a folder without one.
fn found() -> Result<Option<Installed>, String> {
    if let Some(folder) = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        let folder = PathBuf::from(folder);
        return under(&folder).map(Some).ok_or_else(|| {
            format!("{VARIABLE} names {}, which does not contain include/mlx/mlx.h and lib/libmlx: name the folder that contains both", folder.display())
        });
    }
    let python = Command::new("python3").args(["-c", ASK_PYTHON]).output().ok();
    let said = python.and_then(|output| String::from_utf8(output.stdout).ok());
    let of_python = said.map(|text| PathBuf::from(text.trim())).filter(|folder| folder.is_dir());
    let places = of_python.into_iter().chain(PREFIXES.iter().map(PathBuf::from));
    Ok(places.into_iter().find_map(|folder| under(&folder)))
}

/// Returns the source files of the shim.
fn sources() -> Vec<PathBuf> {
    let folder = Path::new("shim");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ext| ext == "cpp"));
    sources.sort();
    sources
}

/// Compiles and links the shim, or returns the compiler's or linker's messages.
fn build(mlx: &Installed, out: &Path) -> Result<(), String> {
    let is_apple = env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor == "apple");
    let mut compiler = cc::Build::new();
    compiler.cpp(true).std("c++20").pic(true).opt_level(2).debug(false).warnings(false).cargo_metadata(false);
    let compiler = compiler.include(&mlx.include).include("shim");
    let objects = compiler.files(sources()).try_compile_intermediates().map_err(|e| e.to_string())?;
    let mut link = compiler.try_get_compiler().map_err(|e| e.to_string())?.to_command();
    link.arg(if is_apple { "-dynamiclib" } else { "-shared" }).arg("-o").arg(out).args(objects);
    link.arg("-L").arg(&mlx.lib).arg("-lmlx").arg(format!("-Wl,-rpath,{}", mlx.lib.display()));
    let linked = link.output().map_err(|e| format!("the linker did not start: {e}"))?;
    let said = String::from_utf8_lossy(&linked.stderr).into_owned();
    if linked.status.success() { Ok(()) } else { Err(said) }
}

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-env-changed=VIRTUAL_ENV");
    println!("cargo::rustc-check-cfg=cfg(shim_built)");
    let Some(mlx) = found()? else { return Ok(()) };
    println!("cargo::rerun-if-changed={}", mlx.include.join("mlx/version.h").display());
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?);
    let file = out.join(format!("{}rlx_mlx{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX));
    match build(&mlx, &file) {
        Ok(()) => {
            println!("cargo::rustc-cfg=shim_built");
            println!("cargo::rustc-env=RLX_MLX_BUILT_SHIM={}", file.display());
            Ok(())
        }
        // MLX may be too old, or the compiler may not support C++20. This is an error if the variable names the MLX; otherwise the crate is
        // built without it.
        Err(said) if env::var_os(VARIABLE).is_some() => {
            Err(format!("the shim for the MLX in {} does not build: {said}", mlx.lib.display()))
        }
        Err(said) => {
            let first = said.lines().find(|line| line.contains("error")).unwrap_or(&said);
            println!(
                "cargo::warning=built without MLX: the shim for the one in {} does not build: {first}",
                mlx.lib.display()
            );
            Ok(())
        }
    }
}
