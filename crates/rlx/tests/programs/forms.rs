//! Forms in `api.md` that no other module here uses: namespaces, names of ops and devices, typed parameters, options,
//! default devices.

use crate::{W, explicit, f32s};
use rlx::ops::{ArgOp, CompareOp};
use rlx::prelude::*;
use rlx::quant::*;
use rlx::runtime::is_available;
use std::collections::HashMap;

/// The ops that programs construct with named fields.
fn named(op: &Op) -> Option<&'static str> {
    Some(match op {
        Op::Pool { .. } => "pool",
        Op::Scan { .. } => "scan",
        Op::If { .. } => "if",
        Op::While { .. } => "while",
        Op::DenseSolve { .. } => "dense_solve",
        Op::FakeQuantize { .. } => "fake_quantize",
        Op::Attention { .. } => "attention",
        Op::DequantMatMul { .. } => "dequant_matmul",
        Op::SelectiveScan { .. } => "selective_scan",
        Op::Custom { .. } => "custom",
        Op::CustomFn { .. } => "custom_fn",
        _ => return None,
    })
}

#[test]
fn ops_have_the_names_that_programs_match() {
    let pool = Op::Pool { kind: ReduceOp::Max, kernel_size: vec![2], stride: vec![2], padding: vec![0] };
    assert_eq!(named(&pool), Some("pool"));
    assert!(explicit().nodes().iter().all(|node| named(node.op()).is_none()));
    let all = [ArgOp::Max, ArgOp::Min];
    assert_ne!(all[0], all[1]);
    assert_ne!(CompareOp::Eq, CompareOp::Ne);
    // Schemes of quantization, by the namespace.
    let scheme: QuantScheme = "q8_0".parse().expect("a scheme");
    assert_eq!(scheme.to_string(), "q8_0");
}

#[test]
fn devices_have_their_names_and_say_whether_they_are_there() {
    let all = [
        Device::Cpu,
        Device::Metal,
        Device::Mlx,
        Device::Ane,
        Device::Cuda,
        Device::Rocm,
        Device::Tpu,
        Device::Gpu,
    ];
    assert!(all.iter().filter(|device| is_available(**device)).any(|device| *device == Device::Cpu));
}

#[test]
fn parameters_and_inputs_are_typed() {
    let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut typed = Session::new(Device::Cpu).compile(explicit());
    typed.set_param_typed("w", &bytes(&W), DType::F32).expect("fits");
    typed.set_param_typed("b", &bytes(&[0.5, -0.5, 0.25]), DType::F32).expect("fits");
    let (x, labels) = ([1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.25, 2.0], [2.0, 0.0]);
    let outputs: Vec<(Vec<u8>, DType)> = typed
        .run_typed(&[("x", &bytes(&x), DType::F32), ("labels", &bytes(&labels), DType::F32)])
        .expect("runs");
    let plain: Vec<Vec<f32>> = crate::compiled(Device::Cpu).run(&[("x", &x), ("labels", &labels)]);
    let plain: Vec<(Vec<u8>, DType)> = plain.iter().map(|values| (bytes(values), DType::F32)).collect();
    assert_eq!(outputs, plain);
}

#[test]
fn options_are_built_in_one_expression() {
    assert_eq!(KernelDispatchPolicy::default(), KernelDispatchPolicy::PreferNative);
    let options = CompileOptions::new()
        .kernel_dispatch(KernelDispatchPolicy::PreferNative)
        .force_common_kinds(vec![OpKind::Softmax])
        .force_native_kinds(vec![OpKind::Matmul]);
    let mut compiled = Session::new(Device::Cpu).with_options(options).compile(explicit());
    compiled.set_param("w", &W);
    compiled.set_param("b", &[0.0; 3]);
    assert_eq!(compiled.run(&[("x", &[0.0; 8]), ("labels", &[0.0; 2])]).len(), 3);
}

#[test]
fn a_session_without_a_device_names_that_of_its_type() {
    let mut g = Graph::new("one");
    let w = g.param("W", f32s(&[1]));
    let loss = g.reduce(w, ReduceOp::Sum, vec![0], false, f32s(&[]));
    g.set_outputs(vec![loss]);
    let init: HashMap<String, Vec<f32>> = HashMap::from([("W".to_string(), vec![1.0])]);
    let config = TrainConfig { lr: 0.1, optimizer: Optimizer::sgd() };
    let cpu: TrainingSession = TrainingSession::new(g.clone(), &["W"], init.clone(), config);
    assert_eq!(cpu.device(), Device::Cpu);
    match CoremlTrainingSession::try_new(g, &["W"], init, config) {
        Ok(session) => assert_eq!(session.device(), Device::Ane),
        Err(error) => assert!(error.to_string().contains("ane"), "{error}"),
    }
}
