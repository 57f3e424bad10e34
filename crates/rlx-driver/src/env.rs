//! Environment variables: every `RLX_` variable is read here into typed options. The variables of other programs that
//! RLX needs are read here as well, once per call. [`TABLE`] documents all of them, and docs/environment.md is
//! generated from it.

use crate::memory::Bytes;
use crate::pass::PrintIr;
use std::path::PathBuf;

/// An environment variable, as documented.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The values it accepts.
    pub values: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// Every variable that RLX reads.
pub const TABLE: &[Variable] = &[
    Variable {
        name: "RLX_NUM_THREADS",
        values: "1, 2, …",
        doc: "Number of threads of the CPU backend. Default: the number of available cores.",
    },
    Variable {
        name: "RLX_KERNEL_DISPATCH",
        values: "native | common",
        doc: "Run composites with the backend's own kernels (default), or decomposed into primitives.",
    },
    Variable {
        name: "RLX_DISPATCH_REPORT",
        values: "0 | 1",
        doc: "Before each compilation, print on standard error how every node will run.",
    },
    Variable {
        name: "RLX_VERBOSE",
        values: "0 | 1",
        doc: "Print on standard error what the compiler does: the dispatch report, and the time of each pass.",
    },
    Variable {
        name: "RLX_PRINT_IR",
        values: "before | after | changed, or one of them with :PASS",
        doc: "Print the graph on standard error before or after each compiler pass, or after each pass that changed it. With \
              `:PASS`, print it for that pass only: precision, legalize, simplify, patterns, fuse or schedule.",
    },
    Variable {
        name: "RLX_PROGRAM_CACHE",
        values: "0 | 1",
        doc: "Store compiled programs in `programs/` in the cache folder, and load them from there. Default: 1 for the command line; \
              for a program that uses the library, 0 unless it asks for the cache.",
    },
    Variable {
        name: "RLX_MEMORY_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "Maximum memory that a program may plan for. A program that needs more is refused before it runs. Default: the memory \
              of the machine.",
    },
    Variable {
        name: "RLX_CPU_ISA",
        values: "baseline | avx2 | avx512 | amx | neon",
        doc: "Instruction set of the CPU kernels. Default: the best that the processor supports.",
    },
    Variable {
        name: "RLX_CACHE_DIR",
        values: "a folder, or nothing",
        doc: "The folder for data that RLX can fetch or compute again, such as models and measurements of devices. If set to \
              nothing, no data is kept. Default: `rlx` in the user's cache directory.",
    },
    Variable {
        name: "RLX_NO_MMAP",
        values: "0 | 1",
        doc: "Copy weight files into memory instead of mapping them (docs/security.md), like `--no-mmap`. Use this for files that \
              another process may change or shorten while they are in use.",
    },
    Variable {
        name: "RLX_OFFLINE",
        values: "0 | 1",
        doc: "Never use the network or pip; a model that is not in the cache is an error. `--offline` and `HF_HUB_OFFLINE` do the \
              same.",
    },
    Variable {
        name: "RLX_PJRT_PLUGIN",
        values: "a file",
        doc: "The PJRT plugin for the device `tpu`: any shared library with a function `GetPjrtApi`. Default: `libtpu.so`, in the \
              system's library search path, which does not include the folder into which pip installs it.",
    },
    Variable {
        name: "RLX_PJRT_OPTIONS",
        values: "name=value, separated by spaces",
        doc: "Options for starting the PJRT plugin, such as `preallocate=false memory_fraction=0.5` for XLA's plugin for NVIDIA \
              GPUs. A value is `true` or `false`, an integer, a number with a decimal point, integers in brackets such as `[0,1]`, \
              or otherwise text.",
    },
    Variable {
        name: "RLX_COREML_HOST_DEQUANT",
        values: "0 | 1",
        doc: "Unpack quantized weights before they are written to a CoreML package, even if the package could store them packed.",
    },
    Variable {
        name: "RLX_COREML_FLEXIBLE_INPUTS",
        values: "0 | 1",
        doc: "On the device `ane`, for a graph with symbolic sizes: build one CoreML model per range of sizes instead of one per \
              size. A range goes from 1 to 512, or to the next larger power of two; a larger size needs a new model. If a number in \
              the program is not an affine function of the sizes, or part of the graph runs on the host, each size gets its own \
              model, and `RLX_DISPATCH_REPORT` and `RLX_VERBOSE` show why.",
    },
    Variable {
        name: "RLX_COREML_NATIVE_FLEX",
        values: "0 | 1",
        doc: "Like `RLX_COREML_FLEXIBLE_INPUTS`, but with unbounded ranges: one CoreML model for all sizes. The Neural Engine does \
              not support such models, so CoreML runs them on the CPU or the GPU.",
    },
    Variable {
        name: "RLX_COREML_UNITS",
        values: "cpu | gpu | ane | all",
        doc: "The compute units that CoreML may use on the device `ane`: only the CPU (`cpu`), the CPU and the GPU (`gpu`), the CPU \
              and the Neural Engine (`ane`, the default), or all of them.",
    },
    Variable {
        name: "RLX_MLX_LIBRARY",
        values: "a file",
        doc: "The shim library that loads MLX for the device `mlx` (docs/mlx.md describes how to build it). Default: `librlx_mlx.so` \
              (`.dylib`) next to the program, or else the one built with the program.",
    },
    Variable {
        name: "RLX_MLX_MODE",
        values: "eager | lazy | compiled",
        doc: "When MLX computes. `eager`: each node as it is created, so that errors name the node. `lazy` (default): the whole \
              graph of a run. `compiled`: the whole graph as a function compiled by MLX, whose graph is built once.",
    },
    Variable {
        name: "RLX_MLX_DEVICE",
        values: "cpu | gpu",
        doc: "The kind of device that MLX computes on. Default: a GPU, if MLX has one.",
    },
    Variable {
        name: "RLX_MLX_MEMORY_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "Soft limit for the memory of all MLX arrays in the process. Above it, MLX waits for running work before it starts \
              more, and exceeds it only if it must. In contrast, `RLX_MEMORY_LIMIT` applies to each program and is never exceeded. \
              Default: chosen by MLX.",
    },
    Variable {
        name: "RLX_MLX_CACHE_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "Maximum free memory that MLX keeps for future arrays. Default: chosen by MLX.",
    },
    Variable {
        name: "RLX_MLX_WIRED_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "Maximum MLX memory that stays resident on an Apple GPU. Default: none.",
    },
    Variable {
        name: "TPU_SKIP_MDS_QUERY",
        values: "0 | 1",
        doc: "A variable of libtpu: with 1, libtpu does not query the metadata server of a cloud machine, which takes minutes if \
              there is none. RLX does not set this variable, and compiles for absent TPUs only if it is set.",
    },
];

/// How to run composites for which the backend has its own kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KernelDispatch {
    /// With the backend's kernel.
    #[default]
    Native,
    /// Decomposed into primitives.
    Common,
}

/// The location of data that RLX can fetch or compute again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CacheDir {
    /// The system's folder for such data.
    #[default]
    System,
    /// In this folder.
    At(PathBuf),
    /// No data is stored.
    Nowhere,
}

/// The parsed environment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Env {
    /// `RLX_NUM_THREADS`.
    pub num_threads: Option<usize>,
    /// `RLX_KERNEL_DISPATCH`.
    pub kernel_dispatch: Option<KernelDispatch>,
    /// `RLX_DISPATCH_REPORT`.
    pub dispatch_report: bool,
    /// `RLX_VERBOSE`.
    pub verbose: bool,
    /// `RLX_PRINT_IR`.
    pub print_ir: Option<PrintIr>,
    /// `RLX_PROGRAM_CACHE`.
    pub program_cache: Option<bool>,
    /// `RLX_MEMORY_LIMIT`.
    pub memory_limit: Option<Bytes>,
    /// `RLX_CPU_ISA`, not yet checked against the processor.
    pub cpu_isa: Option<String>,
    /// `RLX_CACHE_DIR`.
    pub cache_dir: CacheDir,
    /// `RLX_NO_MMAP`.
    pub no_mmap: bool,
    /// `RLX_OFFLINE`.
    pub offline: bool,
    /// `RLX_PJRT_PLUGIN`.
    pub pjrt_plugin: Option<PathBuf>,
    /// `RLX_PJRT_OPTIONS`: names with values, which the plugin's backend reads.
    pub pjrt_options: Vec<(String, String)>,
    /// `RLX_COREML_HOST_DEQUANT`.
    pub coreml_host_dequant: bool,
    /// `RLX_COREML_FLEXIBLE_INPUTS`.
    pub coreml_flexible_inputs: bool,
    /// `RLX_COREML_NATIVE_FLEX`.
    pub coreml_native_flex: bool,
    /// `RLX_COREML_UNITS`.
    pub coreml_units: Option<String>,
    /// `RLX_MLX_LIBRARY`.
    pub mlx_library: Option<PathBuf>,
    /// `RLX_MLX_MODE`.
    pub mlx_mode: Option<String>,
    /// `RLX_MLX_DEVICE`.
    pub mlx_device: Option<String>,
    /// `RLX_MLX_MEMORY_LIMIT`.
    pub mlx_memory_limit: Option<Bytes>,
    /// `RLX_MLX_CACHE_LIMIT`.
    pub mlx_cache_limit: Option<Bytes>,
    /// `RLX_MLX_WIRED_LIMIT`.
    pub mlx_wired_limit: Option<Bytes>,
    /// `TPU_SKIP_MDS_QUERY`: whether it is set, to anything but a word for "no".
    pub tpu_skip_mds_query: bool,
}

/// A variable has an invalid value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} is {value:?}; it takes {values}")]
pub struct EnvError {
    name: &'static str,
    value: String,
    values: &'static str,
}

impl Env {
    /// Reads the process environment.
    pub fn read() -> Result<Env, EnvError> {
        Env::from_lookup(|name| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()))
    }

    /// Reads variables through `lookup`. An empty value counts as unset, except that of `RLX_CACHE_DIR`.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Env, EnvError> {
        let get = |name: &str| lookup(name).filter(|v| !v.is_empty());
        Ok(Env {
            num_threads: parsed(&get, "RLX_NUM_THREADS", |v| v.parse().ok().filter(|&n: &usize| n > 0))?,
            kernel_dispatch: parsed(&get, "RLX_KERNEL_DISPATCH", |v| match v {
                "native" => Some(KernelDispatch::Native),
                "common" => Some(KernelDispatch::Common),
                _ => None,
            })?,
            dispatch_report: parsed(&get, "RLX_DISPATCH_REPORT", switch)?.unwrap_or(false),
            verbose: parsed(&get, "RLX_VERBOSE", switch)?.unwrap_or(false),
            print_ir: parsed(&get, "RLX_PRINT_IR", |v| v.parse().ok())?,
            program_cache: parsed(&get, "RLX_PROGRAM_CACHE", switch)?,
            memory_limit: parsed(&get, "RLX_MEMORY_LIMIT", |v| v.parse().ok())?,
            cpu_isa: chosen(&get, "RLX_CPU_ISA")?,
            cache_dir: match lookup("RLX_CACHE_DIR") {
                None => CacheDir::System,
                Some(nothing) if nothing.is_empty() => CacheDir::Nowhere,
                Some(folder) => CacheDir::At(folder.into()),
            },
            no_mmap: parsed(&get, "RLX_NO_MMAP", switch)?.unwrap_or(false),
            offline: parsed(&get, "RLX_OFFLINE", switch)?.unwrap_or(false),
            pjrt_plugin: get("RLX_PJRT_PLUGIN").map(PathBuf::from),
            pjrt_options: parsed(&get, "RLX_PJRT_OPTIONS", named_values)?.unwrap_or_default(),
            coreml_host_dequant: parsed(&get, "RLX_COREML_HOST_DEQUANT", switch)?.unwrap_or(false),
            coreml_flexible_inputs: parsed(&get, "RLX_COREML_FLEXIBLE_INPUTS", switch)?.unwrap_or(false),
            coreml_native_flex: parsed(&get, "RLX_COREML_NATIVE_FLEX", switch)?.unwrap_or(false),
            coreml_units: chosen(&get, "RLX_COREML_UNITS")?,
            mlx_library: get("RLX_MLX_LIBRARY").map(PathBuf::from),
            mlx_mode: chosen(&get, "RLX_MLX_MODE")?,
            mlx_device: chosen(&get, "RLX_MLX_DEVICE")?,
            mlx_memory_limit: parsed(&get, "RLX_MLX_MEMORY_LIMIT", |v| v.parse().ok())?,
            mlx_cache_limit: parsed(&get, "RLX_MLX_CACHE_LIMIT", |v| v.parse().ok())?,
            mlx_wired_limit: parsed(&get, "RLX_MLX_WIRED_LIMIT", |v| v.parse().ok())?,
            // This is another program's variable, so we do not check its value.
            tpu_skip_mds_query: get("TPU_SKIP_MDS_QUERY").is_some_and(|v| switch(&v).unwrap_or(true)),
        })
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "0" | "false" | "off" => Some(false),
        "1" | "true" | "on" => Some(true),
        _ => None,
    }
}

/// Pairs `name=value`, separated by whitespace.
fn named_values(text: &str) -> Option<Vec<(String, String)>> {
    let pair = |word: &str| {
        let (name, value) = word.split_once('=')?;
        (!name.is_empty()).then(|| (name.to_string(), value.to_string()))
    };
    text.split_whitespace().map(pair).collect()
}

/// One of the words that the variable accepts, in lower case.
fn chosen(get: &impl Fn(&str) -> Option<String>, name: &'static str) -> Result<Option<String>, EnvError> {
    let words = TABLE.iter().find(|v| v.name == name).map_or("", |v| v.values);
    parsed(get, name, |value| {
        let value = value.to_ascii_lowercase();
        words.split(" | ").any(|word| word == value).then_some(value)
    })
}

fn parsed<T>(
    get: &impl Fn(&str) -> Option<String>,
    name: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, EnvError> {
    let Some(value) = get(name) else { return Ok(None) };
    match parse(&value) {
        Some(parsed) => Ok(Some(parsed)),
        None => {
            let values = TABLE.iter().find(|v| v.name == name).map_or("", |v| v.values);
            Err(EnvError { name, value, values })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Result<Env, EnvError> {
        Env::from_lookup(|name| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_string()))
    }

    #[test]
    fn values_are_typed_and_bad_ones_named() {
        let good = env(&[("RLX_NUM_THREADS", "3"), ("RLX_VERBOSE", "1"), ("RLX_KERNEL_DISPATCH", "common")]);
        let expected = Env {
            num_threads: Some(3),
            verbose: true,
            kernel_dispatch: Some(KernelDispatch::Common),
            ..Env::default()
        };
        assert_eq!(good, Ok(expected));
        let bad = env(&[("RLX_NUM_THREADS", "0")]).expect_err("zero threads");
        assert_eq!(bad.to_string(), "RLX_NUM_THREADS is \"0\"; it takes 1, 2, …");
        for name in ["RLX_CPU_ISA", "RLX_COREML_UNITS", "RLX_MLX_MODE", "RLX_MLX_DEVICE"] {
            let bad = env(&[(name, "fast")]).expect_err(name).to_string();
            assert!(bad.starts_with(&format!("{name} is \"fast\"; it takes ")), "{bad}");
        }
        assert_eq!(env(&[("RLX_CPU_ISA", "AVX2")]).map(|env| env.cpu_isa), Ok(Some("avx2".into())));
    }

    #[test]
    fn options_of_a_plugin_are_pairs() {
        let options = |text| env(&[("RLX_PJRT_OPTIONS", text)]).map(|env| env.pjrt_options);
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(options(" a=1  b=[0,1] c="), Ok(vec![pair("a", "1"), pair("b", "[0,1]"), pair("c", "")]));
        assert_eq!(options(""), Ok(Vec::new()));
        for bad in ["a", "=1", "a=1 b"] {
            let said = options(bad).expect_err("no pairs").to_string();
            assert_eq!(
                said,
                format!("RLX_PJRT_OPTIONS is {bad:?}; it takes name=value, separated by spaces")
            );
        }
    }

    #[test]
    fn an_empty_cache_folder_is_none_and_not_the_default() {
        let cache = |pairs| env(pairs).map(|env| env.cache_dir);
        assert_eq!(cache(&[]), Ok(CacheDir::System));
        assert_eq!(cache(&[("RLX_CACHE_DIR", "/c")]), Ok(CacheDir::At("/c".into())));
        assert_eq!(cache(&[("RLX_CACHE_DIR", "")]), Ok(CacheDir::Nowhere));
    }

    #[test]
    fn the_page_in_the_docs_is_this_table() {
        let mut page = String::from(
            "# Environment variables\n\nOptions that a program sets itself take precedence over these variables. An invalid \
             value is an error.\n\n| variable | values | what it does |\n|---|---|---|\n",
        );
        for Variable { name, values, doc } in TABLE {
            page.push_str(&format!("| `{name}` | {} | {doc} |\n", values.replace('|', "or")));
        }
        expect_test::expect_file!["../../../docs/environment.md"].assert_eq(&page);
    }

    #[test]
    fn every_variable_read_is_documented() {
        let asked = std::cell::RefCell::new(Vec::new());
        let _ = Env::from_lookup(|name| {
            asked.borrow_mut().push(name.to_string());
            None
        });
        let documented: Vec<&str> = TABLE.iter().map(|v| v.name).collect();
        assert_eq!(asked.into_inner(), documented);
    }
}
