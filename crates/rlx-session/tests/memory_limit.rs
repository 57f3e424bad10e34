//! The memory that a program may plan for: a program that needs more is refused with the op's name, and a smaller size runs afterwards.
#![cfg(feature = "cpu")]

use rlx_compile::{BackendError, BindError, CompileError};
use rlx_ir::{Builder, DType, Dim, Graph, Shape};
use rlx_session::{CompileOptions, CompiledGraph, Device, RuntimeError, Session};

/// Returns the products of all pairs of numbers, added to their running sums: n² elements for n.
fn pairs() -> Graph {
    let b = Builder::new("pairs");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("n")], DType::F32));
    let (column, row) =
        (x.reshape(&[Dim::dynamic("n"), 1.into()]), x.reshape(&[1.into(), Dim::dynamic("n")]));
    let products = b.scoped("square", || column.matmul(&row));
    b.finish(&[&(products.cumsum(1) + &products)]).unwrap()
}

fn compiled(limit: u64) -> CompiledGraph {
    let options = CompileOptions::new().memory_limit(limit);
    Session::new(Device::Cpu).try_compile_with_options(pairs(), &options).unwrap()
}

#[test]
fn a_size_that_needs_more_is_refused_and_a_smaller_one_runs() {
    let mut compiled = compiled(1 << 20);
    let large = vec![1.0; 1000];
    let error = compiled.try_run(&[("x", &large)]).unwrap_err();
    let RuntimeError::Compile(CompileError::Bind(BindError::Backend(refused))) = &error else {
        panic!("{error:?}")
    };
    assert!(
        matches!(refused, BackendError::MemoryLimit { bytes: 4_000_000, limit: 0x10_0000, .. }),
        "{refused:?}"
    );
    let message = error.to_string();
    assert!(message.contains("`dot_general` of (f32[1000,1], f32[1,1000]) at square"), "{message}");
    assert_eq!(compiled.try_run(&[("x", &[3.0, 2.0])]).unwrap(), [[18.0, 21.0, 12.0, 14.0]]);
    // Each value fits, but not both together: the error names the step that needs most of the arena.
    let most = vec![1.0; 500];
    let message = self::compiled(1_500_000).try_run(&[("x", &most)]).unwrap_err().to_string();
    assert!(message.starts_with("the working memory of the program, of which `"), "{message}");
}

#[test]
fn copies_of_outputs_count_and_a_run_without_them_passes() {
    let x = vec![1.0; 350];
    let mut free = compiled(1 << 30);
    free.run_in_place(&[&x]).unwrap();
    let limit = free.arena_bytes() as u64 + 400_000;
    let refused = compiled(limit).try_run(&[("x", &x)]);
    let Err(RuntimeError::Backend(BackendError::MemoryLimit { bytes: 490_000, .. })) = refused else {
        panic!("{:?}", refused.map(|outputs| outputs.len()))
    };
    let mut compiled = compiled(limit);
    compiled.run_in_place(&[&x]).unwrap();
    assert_eq!(compiled.output_bytes(0).len(), 490_000);
    let mut output = vec![0; 490_000];
    compiled.run_into(&[bytemuck::cast_slice(&x)], &mut [&mut output]).unwrap();
    assert_eq!(output, free.output_bytes(0));
}
