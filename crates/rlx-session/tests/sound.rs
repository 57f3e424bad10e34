//! Attempts of safe code to make a run read or write outside of its memory.

use rlx_compile::{Alias, BackendError, CompileOptions, Param};
use rlx_cpu::CpuBackend;
use rlx_driver::DeviceId;
use rlx_exec::buffer::DeviceBuffer;
use rlx_exec::{Arguments, Backend, Buffer, Executable, Value, compile};
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, Shape};
use rlx_session::{Device, ParamBytes, Session};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns y = x * w, with one symbolic size.
fn product() -> Graph {
    let text = "\
graph \"product\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = param {name = \"w\"} : f32[n]
  %2 = mul %0, %1 : f32[n]
  return %2
}
";
    Graph::parse(text).unwrap()
}

#[test]
fn a_parameter_is_never_read_behind_its_end() {
    let mut program = Session::new(Device::Cpu).try_compile(product()).unwrap();
    program.bind_dims(&[("n", 4)]).unwrap();
    program.try_set_param("w", &[2.0; 4]).unwrap();
    assert_eq!(program.try_run(&[("x", &[1.0; 4])]).unwrap(), [[2.0; 4]]);
    program.bind_dims(&[]).unwrap();
    for n in [100usize, 65_536, 3, 0] {
        let error = program.try_run(&[("x", &vec![1.0; n])]).unwrap_err().to_string();
        assert!(error.contains("`w`"), "{error}");
        assert!(program.run_in_place(&[&vec![1.0; n]]).is_err());
        assert!(
            program.bind_dims(&[("n", n)]).and_then(|()| program.try_run(&[("x", &vec![1.0; n])])).is_err()
        );
        program.bind_dims(&[]).unwrap();
    }
    assert_eq!(program.try_run(&[("x", &[1.0; 4])]).unwrap(), [[2.0; 4]]);
    // A parameter may be set before the sizes are known; runs check whether it fits.
    program.try_set_param("w", &[3.0; 6]).unwrap();
    assert!(program.try_run(&[("x", &[1.0; 4])]).is_err());
    assert_eq!(program.try_run(&[("x", &[1.0; 6])]).unwrap(), [[3.0; 6]]);
}

/// Returns its bytes only the first time it is asked.
struct Once(Vec<u64>, AtomicUsize);

impl ParamBytes for Once {
    fn bytes(&self) -> &[u8] {
        match self.1.fetch_add(1, Ordering::Relaxed) {
            0 => bytemuck::cast_slice(&self.0),
            _ => &[],
        }
    }
}

#[test]
fn an_owner_that_changes_its_mind_changes_nothing() {
    let mut program = Session::new(Device::Cpu).try_compile(product()).unwrap();
    let words = vec![0u64; 5000];
    program.set_param_shared("w", Arc::new(Once(words, AtomicUsize::new(0)))).unwrap();
    let x = vec![1.0; 10_000];
    assert_eq!(program.try_run(&[("x", &x)]).unwrap(), [vec![0.0; 10_000]]);
}

#[test]
fn an_executable_checks_what_it_is_given() {
    let bindings = Bindings::from([("n".into(), 8)]);
    let lowered = rlx_exec::lower(&product(), &[], &CpuBackend, &CompileOptions::new()).unwrap();
    let mut unbound = CpuBackend.prepare(lowered, &CpuBackend.queue(0).unwrap()).unwrap();
    let x = [0u64; 8];
    let bytes: &[u8] = bytemuck::cast_slice(&x);
    assert!(unbound.run_on_host(&[&bytes[..32]]).is_err(), "no sizes");
    let mut program = compile(&product(), &bindings, &CpuBackend, &CompileOptions::new()).unwrap().executable;
    assert!(program.run_on_host(&[&bytes[..32]]).is_err(), "no parameter");
    program.set_param(0, Param::new(Arc::new(Literal::new(&[7], &[1.0f32; 7]).unwrap())));
    assert!(program.run_on_host(&[&bytes[..32]]).is_err(), "a short parameter");
    program.set_param(0, Param::new(Arc::new(Literal::new(&[8], &[1.0f32; 8]).unwrap())));
    program.set_param(9, Param::new(Arc::new(Literal::new(&[8], &[1.0f32; 8]).unwrap())));
    for inputs in [&[][..], &[&[][..]], &[&bytes[..28]], &[&bytes[1..33]], &[&bytes[..32], &bytes[..32]]] {
        assert!(program.run_on_host(inputs).is_err(), "{} inputs", inputs.len());
    }
    let run = |inputs: &[Value<'_>], program: &mut dyn Executable| {
        program.run(Arguments { inputs, state: &mut [], outputs: &mut [] })
    };
    assert!(run(&[Value::State(0)], &mut *program).is_err(), "no state");
    let mut short = [0u8; 28];
    let inputs = [Value::Host(&bytes[..32])];
    let outputs: &mut [Option<&mut [u8]>] = &mut [Some(&mut short)];
    assert!(program.run(Arguments { inputs: &inputs, state: &mut [], outputs }).is_err(), "a short place");
    assert!(program.output(0).unwrap().is_empty() && program.output(7).unwrap().is_empty());
    program.run_on_host(&[&bytes[..32]]).unwrap();
    assert_eq!(program.output(0).unwrap(), [0u8; 32]);
}

#[test]
fn a_size_for_which_an_op_is_not_defined_is_an_error() {
    let text = "\
graph \"part\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = slice %0 {starts = [2], limits = [4], strides = [1]} : f32[2]
  return %1
}
";
    let mut program = Session::new(Device::Cpu).try_compile(Graph::parse(text).unwrap()).unwrap();
    assert_eq!(program.try_run(&[("x", &[0., 1., 2., 3., 4.])]).unwrap(), [[2., 3.]]);
    let error = program.try_run(&[("x", &[0., 1., 2.])]).unwrap_err().to_string();
    assert!(error.contains("slice") && error.contains("n = 3"), "{error}");
    assert_eq!(program.try_run(&[("x", &[0., 1., 2., 3.])]).unwrap(), [[2., 3.]]);
}

/// A buffer on a device that reports another size each time.
struct Shrinking(AtomicUsize);

impl DeviceBuffer for Shrinking {
    fn device(&self) -> DeviceId {
        Device::Cpu.ordinal(0)
    }

    fn num_bytes(&self) -> usize {
        if self.0.fetch_add(1, Ordering::Relaxed) == 0 { 4096 } else { 4 }
    }

    fn download(&self, into: &mut [u8]) -> Result<(), BackendError> {
        into.fill(0);
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn buffers_that_report_other_sizes_later_are_refused() {
    let b = Builder::new("sum");
    let (x, total) =
        (b.input("x", Shape::new(&[1024], DType::F32)), b.input("t", Shape::new(&[1024], DType::F32)));
    let graph = b.finish(&[&(&x + &total)]).unwrap();
    let aliases = [Alias { input: 1, output: 0 }];
    let lowered = rlx_exec::lower(&graph, &aliases, &CpuBackend, &CompileOptions::new()).unwrap();
    let mut program = CpuBackend.prepare(lowered, &CpuBackend.queue(0).unwrap()).unwrap();
    let shrinking = |calls| Buffer::Device(Arc::new(Shrinking(AtomicUsize::new(calls))));
    let whole = || Buffer::from_bytes(&[0; 4096]).unwrap();
    for calls in 0..2 {
        for (input, state) in [(shrinking(calls), whole()), (whole(), shrinking(calls))] {
            let mut state = [state];
            let inputs = [Value::Buffer(&input), Value::State(0)];
            let ran = program.run(Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] });
            assert_eq!(ran.is_ok(), calls == 0, "{ran:?}");
        }
    }
}
