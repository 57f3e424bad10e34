//! Two devices of one plugin: XLA's plugin for the CPU has four. Memory is counted, which other tests of the process would change.

mod plugins;

use rlx_ir::{Builder, DType, Shape};
use rlx_session::{Buffer, CompileOptions, Device, Session, register_backend};
use rlx_tpu::TpuBackend;
use std::sync::Arc;

fn f32s(buffer: &Buffer) -> [f32; 3] {
    let mut values = [0f32; 3];
    buffer.read(bytemuck::cast_slice_mut(&mut values)).expect("a value");
    values
}

#[test]
fn programs_and_values_are_on_the_device_of_their_session() {
    let name = "programs_and_values_are_on_the_device_of_their_session";
    if plugins::named(name).is_none() {
        return;
    }
    register_backend(Arc::new(TpuBackend::new()));
    let b = Builder::new("line");
    let shape = Shape::new(&[3], DType::F32);
    let (x, w, sum) = (b.input("x", shape.clone()), b.param("w", shape.clone()), b.input("sum", shape));
    let y = &x * &w;
    let graph = b.finish(&[&(&sum + &y), &y]).expect("a valid graph");
    let devices = [Device::Tpu.ordinal(0), Device::Tpu.ordinal(1)];
    let backend = rlx_session::backend_for(Device::Tpu).expect("registered");
    let count = backend.device_count();
    assert!(count >= 2, "the plugin has one device alone");
    let mut programs = devices.map(|device| {
        let options = CompileOptions { state: vec![("sum".into(), 0)], ..CompileOptions::new() };
        let session = Session::new(device).with_options(options);
        let queue = session.new_queue().expect("a queue");
        let mut program = session.with_queue(queue).try_compile(graph.clone()).expect("it compiles");
        program.set_param("w", &[2.0, 3.0, 4.0]);
        program.set_handle("sum", &[0.0; 3]).expect("a state");
        program
    });
    let one = Buffer::from_bytes(bytemuck::cast_slice(&[1f32; 3])).expect("memory");
    for (program, device) in programs.iter_mut().zip(devices) {
        let held = backend.memory(device.ordinal).expect("its memory").in_use;
        let outputs = program.run_buffers(&[("x", &one)]).expect("it runs");
        program.queue().wait().expect("the queue ends");
        assert_eq!(outputs.iter().map(Buffer::device).collect::<Vec<_>>(), [Some(device); 2]);
        assert_eq!(outputs.iter().map(f32s).collect::<Vec<_>>(), [[2.0, 3.0, 4.0]; 2]);
        // The parameter, the state and the other output.
        assert!(backend.memory(device.ordinal).expect("its memory").in_use >= held + 36);
    }
    // A value of one device is an input on the other.
    let [first, second] = &mut programs;
    let there = first.run_buffers(&[("x", &one)]).expect("it runs").swap_remove(1);
    let outputs = second.run_buffers(&[("x", &there)]).expect("it runs");
    assert_eq!(f32s(&outputs[0]), [6.0, 12.0, 20.0]);
    assert_eq!(outputs[0].device(), Some(devices[1]));
    // A queue of one device is refused on the other, and so is a device that is not there.
    let refused = |session: Session| session.try_compile(graph.clone()).expect_err("refused").to_string();
    let of_first = Session::new(devices[0]).new_queue().expect("a queue");
    assert_eq!(of_first.device(), devices[0]);
    assert_eq!(
        refused(Session::new(devices[1]).with_queue(of_first)),
        "the queue belongs to device `tpu`; this session runs on `tpu:1`"
    );
    assert_eq!(
        refused(Session::new(Device::Tpu.ordinal(count))),
        format!("tpu:{count} is not there: there are {count}, from `tpu` to `tpu:{}`", count - 1)
    );
}
