//! Tests limits of MLX's memory that are set in the environment.

mod present;

use rlx_driver::Env;
use rlx_mlx::variables::{CACHE_LIMIT, LIBRARY, MEMORY_LIMIT};
use rlx_mlx_sys::Mlx;
use std::process::Command;

/// Checks the limits in a process with the variables. Without them, it starts such a process.
#[test]
fn limits_of_the_environment_are_those_of_mlx() {
    let name = "limits_of_the_environment_are_those_of_mlx";
    let limit = |variable| Env::process().get(variable).expect("valid variables");
    let (Some(memory), Some(cache)) = (limit(&MEMORY_LIMIT), limit(&CACHE_LIMIT)) else {
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", name])
            .envs([("RLX_MLX_MEMORY_LIMIT", "3GiB"), ("RLX_MLX_CACHE_LIMIT", "5MiB")])
            .output()
            .expect("it runs again");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    };
    if present::backend(name).is_some() {
        let library = Env::process().get(&LIBRARY).expect("valid variables");
        let mlx = Mlx::load(library.as_deref()).expect("MLX is there");
        assert_eq!(mlx.limit_memory(memory.0), Ok(memory.0));
        assert_eq!(mlx.limit_cache(cache.0), Ok(cache.0));
    }
}
