//! Environment variables: every `RLX_` variable is read here into typed options. Every name that starts with
//! `RLX_`, and what RLX must know of other programs' variables, is read here, once a call, into typed options;
//! [`TABLE`] documents them, and docs/environment.md is made from it.

use crate::memory::Bytes;
use crate::pass::PrintIr;
use std::path::PathBuf;

/// One variable, as the docs show it.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it may be set to.
    pub values: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// Every variable that RLX reads.
pub const TABLE: &[Variable] = &[
    Variable {
        name: "RLX_NUM_THREADS",
        values: "1, 2, …",
        doc: "Threads of the CPU backend; the number of available cores by default.",
    },
    Variable {
        name: "RLX_KERNEL_DISPATCH",
        values: "native | common",
        doc: "Run composites as the backend's own kernels (default), or decomposed into primitives.",
    },
    Variable {
        name: "RLX_DISPATCH_REPORT",
        values: "0 | 1",
        doc: "Print before each compile how every node will run, on standard error.",
    },
    Variable {
        name: "RLX_VERBOSE",
        values: "0 | 1",
        doc: "Print what the compiler does on standard error: the dispatch report, and how long each pass took.",
    },
    Variable {
        name: "RLX_PRINT_IR",
        values: "before | after | changed, or one of them with :PASS",
        doc: "Print the graph before or after each pass of the compiler, or after those that changed it, on standard error; with \
              `:PASS` around one pass alone: precision, legalize, simplify, patterns, fuse or schedule.",
    },
    Variable {
        name: "RLX_PROGRAM_CACHE",
        values: "0 | 1",
        doc: "Whether compiled programs are kept in `programs/` of the cache folder and read from there; the command line does by \
              default, a program that uses the library only if it asks for it.",
    },
    Variable {
        name: "RLX_MEMORY_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "The most memory that a program may plan for; what the machine has by default. A program that needs more is refused \
              before it runs.",
    },
    Variable {
        name: "RLX_CPU_ISA",
        values: "baseline | avx2 | avx512 | amx | neon",
        doc: "Instruction set of the CPU kernels; the best that the processor has by default.",
    },
    Variable {
        name: "RLX_CACHE_DIR",
        values: "a folder, or nothing",
        doc: "Where RLX keeps what it can fetch or compute again, such as models and measurements of devices; `rlx` in the \
              user's cache directory by default. Set to nothing, it keeps nothing.",
    },
    Variable {
        name: "RLX_NO_MMAP",
        values: "0 | 1",
        doc: "Copy files of weights into memory instead of mapping them (docs/security.md), as `--no-mmap` does: for files that another \
              process may change or shorten while they are in use.",
    },
    Variable {
        name: "RLX_OFFLINE",
        values: "0 | 1",
        doc: "Fetch nothing: a model that is not in the cache is an error, before the network or pip is asked. `--offline` and \
              `HF_HUB_OFFLINE` say the same.",
    },
    Variable {
        name: "RLX_PJRT_PLUGIN",
        values: "a file",
        doc: "The PJRT plugin behind the device `tpu`: any shared library with a function `GetPjrtApi`. By default \
              `libtpu.so`, where the system looks for libraries; the folder into which pip installs it is not one of \
              them.",
    },
    Variable {
        name: "RLX_PJRT_OPTIONS",
        values: "name=value, blanks between several",
        doc: "Options that the PJRT plugin is started with, such as `preallocate=false memory_fraction=0.5` of XLA's for NVIDIA \
              GPUs. A value is `true` or `false`, an integer, a number with a point, integers in brackets as in `[0,1]`, or else text.",
    },
    Variable {
        name: "RLX_COREML_HOST_DEQUANT",
        values: "0 | 1",
        doc: "Unpack quantized weights before they are written into a CoreML package, also where the package could keep them packed.",
    },
    Variable {
        name: "RLX_COREML_FLEXIBLE_INPUTS",
        values: "0 | 1",
        doc: "On the device `ane`, of a graph whose sizes are symbols: one CoreML model for ranges of sizes, and not one for each. A range is \
              from 1 to 512, or to the next power of two above; a larger size makes a new model. Where a number of the program is no affine \
              function of the sizes, or a part of the graph is the host's, each size has its own model, and \
              `RLX_DISPATCH_REPORT` and `RLX_VERBOSE` say why.",
    },
    Variable {
        name: "RLX_COREML_NATIVE_FLEX",
        values: "0 | 1",
        doc: "The same with ranges that have no end: one CoreML model for all sizes. The Neural Engine takes no such model: CoreML runs it on \
              the CPU or the GPU.",
    },
    Variable {
        name: "RLX_COREML_UNITS",
        values: "cpu | gpu | ane | all",
        doc: "The units that CoreML may use on the device `ane`: the CPU alone, or with the GPU, with the Neural Engine (default), or \
              all of them.",
    },
    Variable {
        name: "RLX_MLX_LIBRARY",
        values: "a file",
        doc: "The shim behind the device `mlx`, with which MLX is loaded (docs/mlx.md says how it is built). By default `librlx_mlx.so` \
              (`.dylib`) beside the program, then the one that was built with it.",
    },
    Variable {
        name: "RLX_MLX_MODE",
        values: "eager | lazy | compiled",
        doc: "When MLX computes: each node when it is made, so that a failure names it; the whole graph of a run (default); or the \
              whole graph by a function that MLX has compiled, whose graph is made once.",
    },
    Variable {
        name: "RLX_MLX_DEVICE",
        values: "cpu | gpu",
        doc: "The kind of device that MLX computes on; a GPU where it has one by default.",
    },
    Variable {
        name: "RLX_MLX_MEMORY_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "The memory that all arrays of MLX in the process should stay within: beyond it MLX waits for work under way before it \
              begins more, and takes more where it must. What MLX chooses by default. `RLX_MEMORY_LIMIT` is for each program, and refuses.",
    },
    Variable {
        name: "RLX_MLX_CACHE_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "The most free memory that MLX keeps for arrays to come; what MLX chooses by default.",
    },
    Variable {
        name: "RLX_MLX_WIRED_LIMIT",
        values: "bytes, or a number with MB, GB, MiB or GiB",
        doc: "The most memory of MLX's that stays resident on a GPU of Apple's; none by default.",
    },
    Variable {
        name: "TPU_SKIP_MDS_QUERY",
        values: "0 | 1",
        doc: "A variable of libtpu: with 1 it does not ask the metadata server of a cloud machine, which takes minutes \
              where there is none. RLX compiles for absent TPUs only if it is set, and does not set it.",
    },
];

/// How composites run where the backend has a kernel of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KernelDispatch {
    /// As the backend's kernel.
    #[default]
    Native,
    /// Decomposed.
    Common,
}

/// Where RLX keeps what it can fetch or compute again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CacheDir {
    /// In the folder that the system has for it.
    #[default]
    System,
    /// In this folder.
    At(PathBuf),
    /// Nowhere.
    Nowhere,
}

/// The environment, read.
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
    /// `TPU_SKIP_MDS_QUERY`: set, and to no word that means no.
    pub tpu_skip_mds_query: bool,
}

/// A variable with a value that it does not take.
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
            // Another program's variable: what it takes is not for us to check.
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

/// Pairs `name=value` between blanks.
fn named_values(text: &str) -> Option<Vec<(String, String)>> {
    let pair = |word: &str| {
        let (name, value) = word.split_once('=')?;
        (!name.is_empty()).then(|| (name.to_string(), value.to_string()))
    };
    text.split_whitespace().map(pair).collect()
}

/// One of the words that the variable takes, in small letters.
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
                format!("RLX_PJRT_OPTIONS is {bad:?}; it takes name=value, blanks between several")
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
            "# Environment variables\n\nOptions that a program sets by itself win over these. A value that a variable \
             does not take is an error.\n\n| variable | values | what it does |\n|---|---|---|\n",
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
