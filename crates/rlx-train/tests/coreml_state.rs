//! The state of a session on the device `ane`, with the interpreter of programs in place of CoreML, behaves as on every device, wherever it
//! is stored.

use rlx_coreml::{AneBackend, InterpretedEngine};
use rlx_ir::{Builder, DType, Literal, Shape};
use rlx_session::{CompileOptions, CompiledGraph, Device, RuntimeError, Session, register_backend};
use std::sync::Arc;

/// Returns a program that sums its inputs in f16, and returns twice the sum.
fn summed() -> CompiledGraph {
    let b = Builder::new("summed");
    let x = b.input("x", Shape::new(&[3], DType::F16));
    let total = b.input("total", Shape::new(&[3], DType::F16));
    let next = &x + &total;
    let graph = b.finish(&[&next, &(&next * 2.0)]).unwrap();
    let options = CompileOptions::new().state("total", 0);
    Session::new(Device::Ane).with_options(options).try_compile(graph).unwrap()
}

fn halves(numbers: [f32; 3]) -> Literal {
    Literal::new(&[3], &numbers).unwrap().convert(DType::F16)
}

/// Runs it, and returns twice the sum.
fn add(program: &mut CompiledGraph, numbers: [f32; 3]) -> Result<Literal, RuntimeError> {
    Ok(program.run_literals(&[("x", &halves(numbers))])?.remove(1))
}

fn total(program: &CompiledGraph) -> Vec<u8> {
    program.handle("total").unwrap().into_owned()
}

#[test]
fn a_session_reads_copies_and_saves_what_the_model_keeps() {
    register_backend(Arc::new(AneBackend::with_engine(Arc::new(InterpretedEngine::default()))));
    let mut program = summed();
    assert!(add(&mut program, [1.0; 3]).is_err(), "the state is not set");
    program.set_handle_typed("total", &[0; 6], DType::F16).unwrap();
    assert_eq!(add(&mut program, [1.0, 2.0, 3.0]).unwrap(), halves([2.0, 4.0, 6.0]));
    assert_eq!(add(&mut program, [1.0, 0.5, 0.0]).unwrap(), halves([4.0, 5.0, 6.0]));
    assert!(program.describe().unwrap().contains("1 states stay with the model"));
    assert_eq!(total(&program), halves([2.0, 2.5, 3.0]).bytes());
    // A clone starts with a copy, and a program from `without_state` with none.
    let mut clone = program.clone();
    let mut without = program.without_state().unwrap();
    assert!(add(&mut without, [1.0; 3]).is_err());
    assert_eq!(add(&mut clone, [1.0; 3]).unwrap(), halves([6.0, 7.0, 8.0]));
    assert_eq!(total(&program), halves([2.0, 2.5, 3.0]).bytes());
    assert_eq!(add(&mut program, [0.0, 0.0, 1.0]).unwrap(), halves([4.0, 5.0, 8.0]));
    assert_eq!(total(&clone), halves([3.0, 3.5, 4.0]).bytes());
    // Part of it is written, and all of it is saved and restored.
    let five = Literal::new(&[1], &[5.0f32]).unwrap().convert(DType::F16);
    program.write_state("total", &[1], &five).unwrap();
    assert_eq!(add(&mut program, [0.0; 3]).unwrap(), halves([4.0, 10.0, 8.0]));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.safetensors");
    program.save_state(&file).unwrap();
    add(&mut program, [7.0; 3]).unwrap();
    program.restore_state(&file).unwrap();
    assert_eq!(total(&program), halves([2.0, 5.0, 4.0]).bytes());
    assert_eq!(add(&mut program, [1.0; 3]).unwrap(), halves([6.0, 12.0, 10.0]));
}
