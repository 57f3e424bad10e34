//! The environment variables that the device `mlx` reads.

use crate::launch::MlxMode;
use rlx_driver::Bytes;
use rlx_driver::env::{parsed, path, word};
use rlx_mlx_sys::Kind;
use std::path::PathBuf;

rlx_driver::variables! {
    /// The shim library that loads MLX for the device `mlx` (docs/mlx.md describes how to build it).
    pub LIBRARY: PathBuf = "RLX_MLX_LIBRARY" {
        values: "a file",
        parse: path,
        default: "`librlx_mlx.so` (`.dylib`) next to the program, or else the one built with the program",
    }
    /// When MLX computes. `eager`: each node as it is created, so that errors name the node. `lazy`: the whole graph of a run. `compiled`:
    /// the whole graph as a function compiled by MLX, whose graph is built once.
    pub MODE: MlxMode = "RLX_MLX_MODE" {
        values: "eager | lazy | compiled",
        parse: word,
        default: "lazy",
    }
    /// The kind of device that MLX computes on.
    pub DEVICE: Kind = "RLX_MLX_DEVICE" {
        values: "cpu | gpu",
        parse: kind,
        default: "a GPU, if MLX has one",
    }
    /// Soft limit for the memory of all MLX arrays in the process. Above it, MLX waits for running work before it starts more, and exceeds
    /// it only if it must. In contrast, `RLX_MEMORY_LIMIT` applies to each program and is never exceeded.
    pub MEMORY_LIMIT: Bytes = "RLX_MLX_MEMORY_LIMIT" {
        values: "bytes, or a number with MB, GB, MiB or GiB",
        parse: parsed,
        default: "chosen by MLX",
    }
    /// Maximum free memory that MLX keeps for future arrays.
    pub CACHE_LIMIT: Bytes = "RLX_MLX_CACHE_LIMIT" {
        values: "bytes, or a number with MB, GB, MiB or GiB",
        parse: parsed,
        default: "chosen by MLX",
    }
    /// Maximum MLX memory that stays resident on an Apple GPU.
    pub WIRED_LIMIT: Bytes = "RLX_MLX_WIRED_LIMIT" {
        values: "bytes, or a number with MB, GB, MiB or GiB",
        parse: parsed,
        default: "none",
    }
}

fn kind(name: &str) -> Option<Kind> {
    match name.to_ascii_lowercase().as_str() {
        "cpu" => Some(Kind::Cpu),
        "gpu" => Some(Kind::Gpu),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_driver::Env;

    #[test]
    fn every_word_that_is_named_is_accepted() {
        for word in MODE.values.split(" | ") {
            let env = Env::from_iter([("RLX_MLX_MODE", word.to_uppercase())]);
            assert_eq!(env.get(&MODE).map(|mode| mode.map(|mode| mode.to_string())), Ok(Some(word.into())));
        }
        let kind = |word| Env::from_iter([("RLX_MLX_DEVICE", word)]).get(&DEVICE);
        assert_eq!([kind("cpu"), kind("GPU")], [Ok(Some(Kind::Cpu)), Ok(Some(Kind::Gpu))]);
        let error = kind("tpu").expect_err("it is not a kind of MLX");
        assert_eq!(error.to_string(), "RLX_MLX_DEVICE is \"tpu\"; it takes cpu | gpu");
    }
}
