//! Tests programs on the interpreter: sizes, state, parameters, and errors that name their node.

use rlx_codegen::Interpreter;
use rlx_interpreter::InterpreterBackend;
use rlx_ir::Graph;
use rlx_session::{CompileOptions, CompiledGraph, Device, Session, register_backend};
use std::sync::Arc;

/// y = w·x + sum(state), state' = state + sum(x): one symbolic size, and a state of fixed size.
const RUNNING: &str = "\
graph \"running\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = input {name = \"out1\"} : f32[4]
  %2 = param {name = \"w\"} : f32[]
  %3 = reduce %1 {kind = sum, axes = [0]} : f32[]
  %4 = broadcast_in_dim %3 {dims = [n], axes = []} : f32[n]
  %5 = broadcast_in_dim %2 {dims = [n], axes = []} : f32[n]
  %6 = mul %0, %5 : f32[n]
  %7 = add %6, %4 : f32[n]
  %8 = reduce %0 {kind = sum, axes = [0]} : f32[]
  %9 = broadcast_in_dim %8 {dims = [4], axes = []} : f32[4]
  %10 = add %1, %9 : f32[4]
  return %7, %10
}
";

fn compiled(options: CompileOptions) -> CompiledGraph {
    register_backend(Arc::new(InterpreterBackend));
    let graph = Graph::parse(RUNNING).unwrap_or_else(|e| panic!("{e}"));
    Session::new(Device::Interpreter).with_options(options).try_compile(graph).unwrap()
}

#[test]
fn state_and_parameters_are_those_of_all_sizes() {
    for donate in [false, true] {
        let mut program = compiled(CompileOptions::new().donate_handles(donate));
        program.set_handle("out1", &[1.0; 4]).unwrap();
        program.set_param("w", &[2.0]);
        let mut state = 1.0;
        for n in [2usize, 3, 2, 4, 0] {
            let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let y = program.try_run(&[("x", &x)]).unwrap();
            let expected: Vec<f32> = x.iter().map(|x| 2.0 * x + 4.0 * state).collect();
            state += x.iter().sum::<f32>();
            assert_eq!((&y[0], &y[1]), (&expected, &vec![state; 4]), "donated: {donate}, n = {n}");
        }
    }
}

#[test]
fn faults_name_the_node() {
    let few = Interpreter { statements: 10, ..Interpreter::default() };
    let mut program = compiled(CompileOptions::new().with_backend(few));
    program.set_handle("out1", &[1.0; 4]).unwrap();
    program.set_param("w", &[2.0]);
    let message = program.try_run(&[("x", &[1.0; 50])]).unwrap_err().to_string();
    assert!(message.contains("kernel `") && message.contains("more than 10 statements"), "{message}");
}
