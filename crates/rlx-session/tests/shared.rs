//! Compiled graphs that many threads run at once.

use rlx_ir::{Builder, DType, Dim, Graph, Literal, Shape};
use rlx_session::{CompileOptions, CompiledGraph, CpuOptions, Device, RuntimeError, Session, SharedGraph};

const THREADS: usize = 8;

const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<CompiledGraph>();
const _: () = is_shared::<SharedGraph>();
const _: () = is_shared::<Session>();

/// Returns x·w for any number of rows.
fn program() -> CompiledGraph {
    let b = Builder::new("product");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("rows"), 3.into()], DType::F32));
    let w = b.param("w", Shape::new(&[3, 2], DType::F32));
    let graph = b.finish(&[&x.matmul(&w)]).expect("valid");
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(2));
    let mut program = Session::new(Device::Cpu).with_options(options).try_compile(graph).expect("compiles");
    program.try_set_param("w", &[1.0, 0.0, 0.0, 1.0, 0.5, -2.0]).expect("fits");
    program
}

/// Returns rows that differ per thread and run, and their products with w.
fn rows(thread: usize, run: usize) -> (Vec<f32>, Vec<f32>) {
    let count = 1 + (thread * 5 + run) % 11;
    let x: Vec<f32> = (0..count * 3).map(|i| ((i * 7 + thread * 31 + run) % 17) as f32 - 8.0).collect();
    let y = x.chunks(3).flat_map(|r| [r[0] + 0.5 * r[2], r[1] - 2.0 * r[2]]).collect();
    (x, y)
}

#[test]
fn threads_run_one_graph_at_once_with_their_own_results() {
    let shared = SharedGraph::new(program()).expect("without a state");
    std::thread::scope(|threads| {
        for thread in 0..THREADS {
            let shared = &shared;
            threads.spawn(move || {
                for run in 0..200 {
                    let (x, y) = rows(thread, run);
                    match run % 4 {
                        0 => assert_eq!(shared.try_run(&[("x", &x)]).expect("runs"), [y]),
                        1 => {
                            let out = shared.run_typed(&[("x", bytemuck::cast_slice(&x), DType::F32)]);
                            assert_eq!(out.expect("runs")[0].0, bytemuck::cast_slice::<f32, u8>(&y));
                        }
                        2 => {
                            let x = Literal::new(&[x.len() / 3, 3], &x).expect("fits");
                            let out = shared.run_literals(&[("x", &x)]).expect("runs");
                            assert_eq!(out[0].as_slice::<f32>().expect("f32"), y);
                        }
                        _ => {
                            let mut out = vec![0f32; y.len()];
                            shared
                                .run_into(
                                    &[bytemuck::cast_slice(&x)],
                                    &mut [bytemuck::cast_slice_mut(&mut out)],
                                )
                                .expect("runs");
                            assert_eq!(out, y);
                        }
                    }
                }
            });
        }
    });
}

#[test]
fn threads_clone_one_graph_at_once() {
    let program = program();
    std::thread::scope(|threads| {
        for thread in 0..THREADS {
            let program = &program;
            threads.spawn(move || {
                for run in 0..50 {
                    let (x, y) = rows(thread, run);
                    assert_eq!(program.clone().try_run(&[("x", &x)]).expect("runs"), [y]);
                }
            });
        }
    });
}

#[test]
fn a_graph_that_keeps_something_is_not_shared() {
    let text = "\
graph \"counter\" {
  %0 = input {name = \"out0\"} : f32[2]
  %1 = input {name = \"x\"} : f32[2]
  %2 = add %0, %1 : f32[2]
  return %2
}
";
    let session =
        |donate| Session::new(Device::Cpu).with_options(CompileOptions::new().donate_handles(donate));
    let compile =
        |donate| session(donate).try_compile(Graph::parse(text).expect("parses")).expect("compiles");
    let refused = |program| match SharedGraph::new(program).map(|_| ()) {
        Err(RuntimeError::SharedState(name)) => assert_eq!(name, "out0"),
        other => panic!("{other:?}"),
    };
    refused(compile(true));
    let mut fed = compile(false);
    assert!(SharedGraph::new(fed.clone()).is_ok());
    fed.set_handle("out0", &[1.0, 2.0]).expect("fits");
    refused(fed);
}

#[test]
fn an_error_on_one_thread_leaves_the_others_their_graph() {
    let shared = SharedGraph::new(program()).expect("without a state");
    std::thread::scope(|threads| {
        for thread in 0..THREADS {
            let shared = &shared;
            threads.spawn(move || {
                for run in 0..50 {
                    assert!(shared.try_run(&[("x", &[1.0; 4])]).is_err());
                    assert!(shared.try_run(&[("y", &[1.0; 3])]).is_err());
                    let (x, y) = rows(thread, run);
                    assert_eq!(shared.try_run(&[("x", &x)]).expect("runs"), [y]);
                }
            });
        }
    });
}
