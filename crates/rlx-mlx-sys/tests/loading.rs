//! Which shims are loaded, in a separate process: the first valid one stays loaded.

#![allow(clippy::print_stdout, clippy::print_stderr)] // A child tells its parent, and who runs the tests what is skipped.

use rlx_mlx_sys::{BUILT_SHIM, LoadError, Mlx};
use std::path::Path;

#[test]
fn a_process_has_one_shim_and_files_that_are_none_are_named() {
    let missing = Mlx::load(Some(Path::new("/nowhere/librlx_mlx.so")));
    assert_eq!(
        missing.expect_err("no file").to_string(),
        "RLX_MLX_LIBRARY names /nowhere/librlx_mlx.so, which is not a file"
    );
    let text = Mlx::load(Some(Path::new("Cargo.toml"))).expect_err("no library");
    assert!(matches!(text, LoadError::Load { .. }), "{text}");
    assert!(text.to_string().starts_with("Cargo.toml cannot be loaded: "), "{text}");
    let Some(built) = BUILT_SHIM.map(Path::new).filter(|file| file.is_file()) else {
        println!("skipped: there is no MLX");
        return;
    };
    let mlx = Mlx::load(Some(built)).expect("MLX");
    let folder = std::env::temp_dir().join(format!("rlx-mlx-loading-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let copy = folder.join("copy.so");
    std::fs::copy(built, &copy).expect("a copy");
    // Arrays of two shims would have different types under the same name.
    let another = Mlx::load(Some(&copy)).expect_err("another shim");
    assert!(matches!(another, LoadError::Another { .. }), "{another}");
    #[cfg(unix)]
    {
        let link = folder.join("link.so");
        std::os::unix::fs::symlink(built, &link).expect("a link");
        assert_eq!(Mlx::load(Some(&link)), Ok(mlx));
    }
    assert_eq!(Mlx::load(Some(built)), Ok(mlx));
    std::fs::remove_dir_all(&folder).expect("removed");
}
