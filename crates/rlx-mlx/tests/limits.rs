//! Limits of MLX's memory that the environment names.

mod present;

use rlx_driver::{Bytes, Env};
use rlx_mlx_sys::Mlx;
use std::process::Command;

const MEMORY: u64 = 3 << 30;
const CACHE: u64 = 5 << 20;

#[test]
fn limits_of_the_environment_are_those_of_mlx() {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "--ignored", "mlx_has_the_limits_of_the_variables"])
        .envs([("RLX_MLX_MEMORY_LIMIT", "3GiB"), ("RLX_MLX_CACHE_LIMIT", "5MiB")])
        .output()
        .expect("it runs again");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "the test above runs it, in a process that has the variables"]
fn mlx_has_the_limits_of_the_variables() {
    let env = Env::read().expect("valid variables");
    assert_eq!((env.mlx_memory_limit, env.mlx_cache_limit), (Some(Bytes(MEMORY)), Some(Bytes(CACHE))));
    if present::backend("mlx_has_the_limits_of_the_variables").is_some() {
        let mlx = Mlx::load(env.mlx_library.as_deref()).expect("MLX is there");
        assert_eq!(mlx.limit_memory(MEMORY), Ok(MEMORY));
        assert_eq!(mlx.limit_cache(CACHE), Ok(CACHE));
    }
}
