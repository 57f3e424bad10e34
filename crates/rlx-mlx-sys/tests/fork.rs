//! A process that forks after MLX was loaded: the child gets an error instead of waiting for threads that it does not have.

#![cfg(unix)]

use rlx_mlx_sys::{Binary, ElementType, Kind, Mlx, MlxArray, MlxError, Ops};

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}

#[test]
fn a_child_is_told_and_the_parent_goes_on() {
    let Ok(mlx) = Mlx::load(None) else { return };
    let s = mlx.stream(Kind::Cpu, 0).expect("a stream");
    let ops = Ops::new(&s, &s);
    let x = MlxArray::from_bytes(mlx, &2.0f32.to_le_bytes(), &[], ElementType::F32).expect("an array");
    let doubled = ops.binary(Binary::Add, &x, &x).expect("a graph");
    assert_eq!(ops.bytes(&doubled), Ok(4.0f32.to_le_bytes().to_vec()));
    // SAFETY: the child only calls functions of this crate, which fail there, and ends immediately.
    let child = unsafe { fork() };
    if child == 0 {
        let refused = ops.binary(Binary::Add, &x, &x).and_then(|y| ops.bytes(&y));
        let told = refused == Err(MlxError::Forked) && mlx.stream(Kind::Cpu, 0).is_err();
        // SAFETY: nothing of the parent runs on exit.
        unsafe { _exit(i32::from(!told)) };
    }
    let mut status = -1;
    // SAFETY: the status is written through a pointer that lives.
    let ended = unsafe { waitpid(child, &raw mut status, 0) };
    assert_eq!((ended, status), (child, 0));
    let again = ops.binary(Binary::Multiply, &doubled, &x).and_then(|y| ops.bytes(&y));
    assert_eq!(again, Ok(8.0f32.to_le_bytes().to_vec()));
}
