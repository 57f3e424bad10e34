//! The PJRT API on a plugin for the CPU: arrays, programs, errors, threads, memory.

mod plugins;

use plugins::client;
use rlx_ir::DType;
use rlx_tpu::pjrt::{Client, PjrtBuffer, PjrtError, Plugin, Value};
use std::path::Path;

fn bytes<T: bytemuck::Pod>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

fn f32s(buffer: &PjrtBuffer) -> Vec<f32> {
    let mut values = vec![0f32; buffer.dims().unwrap().iter().product()];
    buffer.download(bytemuck::cast_slice_mut(&mut values)).unwrap();
    values
}

fn vector(client: &Client, values: &[f32]) -> PjrtBuffer {
    client.upload(0, DType::F32, &[values.len()], bytes(values)).unwrap()
}

const SUM_AND_PRODUCT: &str = "\
module {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.multiply %a, %b : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
";

#[test]
fn a_plugin_says_what_it_is() {
    let Some(client) = client("a_plugin_says_what_it_is") else { return };
    assert!(!client.platform().is_empty());
    assert!(client.device_count() >= 1);
    assert!(!client.device(0).unwrap().kind.is_empty());
    assert_eq!(client.plugin().version().0, 0);
    let attributes = client.plugin().attributes().unwrap();
    let stablehlo = attributes.iter().find(|(name, _)| name == "stablehlo_current_version");
    assert!(matches!(stablehlo, Some((_, Value::Integers(version))) if version.len() == 3), "{attributes:?}");
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    let Some(client) = client("a_device_that_is_not_there_is_an_error") else { return };
    let count = client.device_count();
    let error = client.device(count).unwrap_err();
    assert_eq!(error.to_string(), format!("there is no device {count} of {count}"));
}

#[test]
fn arrays_of_every_type_come_back_as_they_went() {
    let Some(client) = client("arrays_of_every_type_come_back_as_they_went") else { return };
    for dtype in DType::ALL {
        for dims in [&[][..], &[1], &[7], &[3, 5], &[2, 3, 4], &[0], &[4, 0, 2]] {
            let count = dims.iter().product::<usize>() * dtype.size();
            let sent: Vec<u8> = match dtype {
                DType::Bool => (0..count).map(|i| (i % 3 == 0) as u8).collect(),
                _ => (0..count).map(|i| (i * 37 + 11) as u8).collect(),
            };
            let buffer = client.upload(0, dtype, dims, &sent).unwrap();
            assert_eq!((buffer.dtype().unwrap(), buffer.dims().unwrap()), (dtype, dims.to_vec()));
            let mut back = vec![0u8; count];
            buffer.download(&mut back).unwrap();
            assert_eq!(back, sent, "{dtype} {dims:?}");
        }
    }
}

#[test]
fn arrays_of_a_wrong_size_are_refused() {
    let Some(client) = client("arrays_of_a_wrong_size_are_refused") else { return };
    let error = client.upload(0, DType::F32, &[3], &[0; 8]).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "8 bytes do not make [3] elements of f32");
    let error = client.upload(0, DType::F32, &[usize::MAX, 2], &[]).map(|_| ()).unwrap_err();
    assert!(matches!(error, PjrtError::Argument(_)));
    let buffer = vector(&client, &[1.0, 2.0]);
    assert_eq!(
        buffer.download(&mut [0; 4]).unwrap_err().to_string(),
        "an array of 8 bytes does not go into 4"
    );
}

#[test]
fn a_program_has_several_arguments_and_results() {
    let Some(client) = client("a_program_has_several_arguments_and_results") else { return };
    let program = client.compile(SUM_AND_PRODUCT).unwrap();
    assert_eq!(program.outputs(), 2);
    assert_eq!(program.output_shapes().unwrap()[0], rlx_ir::Shape::new(&[4], DType::F32));
    let (a, b) = (vector(&client, &[1.0, 2.0, 3.0, 4.0]), vector(&client, &[10.0, 20.0, 30.0, 40.0]));
    let results = program.execute(&[&a, &b]).unwrap();
    assert_eq!(f32s(&results[0]), [11.0, 22.0, 33.0, 44.0]);
    assert_eq!(f32s(&results[1]), [10.0, 40.0, 90.0, 160.0]);
    assert_eq!(f32s(&a), [1.0, 2.0, 3.0, 4.0], "arguments stay as they are");
}

#[test]
fn a_donated_argument_gives_its_memory_to_the_result() {
    let Some(client) = client("a_donated_argument_gives_its_memory_to_the_result") else { return };
    let text = SUM_AND_PRODUCT.replacen("tensor<4xf32>", "tensor<4xf32> {tf.aliasing_output = 0 : i32}", 1);
    let program = client.compile(&text).unwrap();
    let (a, b) = (vector(&client, &[1.0, 2.0, 3.0, 4.0]), vector(&client, &[10.0, 20.0, 30.0, 40.0]));
    for donated in [false, true] {
        let results = program.execute_donated(&[&a, &b], &[donated, false]).unwrap();
        assert_eq!(f32s(&results[0]), [11.0, 22.0, 33.0, 44.0]);
        assert_eq!((a.is_deleted().unwrap(), b.is_deleted().unwrap()), (donated, false));
    }
    assert!(a.download(&mut [0; 16]).is_err(), "its memory is the result's");
    assert!(program.execute(&[&a, &b]).is_err());
}

#[test]
fn results_are_row_major_whatever_the_layout_on_the_device() {
    let Some(client) = client("results_are_row_major_whatever_the_layout_on_the_device") else { return };
    let transpose = "module { func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {\n\
                     %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n\
                     return %0 : tensor<3x2xf32> } }";
    let a = client.upload(0, DType::F32, &[2, 3], bytes(&[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])).unwrap();
    let results = client.compile(transpose).unwrap().execute(&[&a]).unwrap();
    assert_eq!(f32s(&results[0]), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

#[test]
fn bad_programs_are_errors_with_the_plugins_words() {
    let Some(client) = client("bad_programs_are_errors_with_the_plugins_words") else { return };
    for text in ["", "not a module", "module { func.func @other() { return } }", "module {"] {
        let error = client.compile(text).map(|_| ()).unwrap_err();
        assert!(
            matches!(&error, PjrtError::Call { function: "PJRT_Client_Compile", .. }),
            "{text:?}: {error}"
        );
    }
    let wrong = SUM_AND_PRODUCT.replace("stablehlo.add", "stablehlo.nonsense");
    let error = client.compile(&wrong).map(|_| ()).unwrap_err();
    assert!(
        error.code().is_some() && error.to_string().contains("'stablehlo.nonsense' is unknown"),
        "{error}"
    );
}

#[test]
fn wrong_arguments_are_errors() {
    let Some(client) = client("wrong_arguments_are_errors") else { return };
    let program = client.compile(SUM_AND_PRODUCT).unwrap();
    let (four, three) = (vector(&client, &[1.0; 4]), vector(&client, &[1.0; 3]));
    for arguments in [&[&four][..], &[&four, &four, &four], &[&four, &three]] {
        let error = program.execute(arguments).map(|_| ()).unwrap_err();
        assert!(matches!(&error, PjrtError::Call { .. }), "{error}");
    }
}

#[test]
fn files_that_are_no_plugins_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.so");
    std::fs::write(&text, "not a library").unwrap();
    assert!(matches!(Plugin::load(&text), Err(PjrtError::Load { .. })));
    let absent = folder.path().join("absent.so");
    assert!(matches!(Plugin::load(&absent), Err(PjrtError::Load { .. })));
    if cfg!(target_os = "linux") {
        let error = Plugin::load(Path::new("libm.so.6")).unwrap_err();
        assert_eq!(error.to_string(), "libm.so.6 is not a PJRT plugin: it has no function `GetPjrtApi`");
    }
}

#[test]
fn a_program_runs_on_several_threads_at_once() {
    let Some(client) = client("a_program_runs_on_several_threads_at_once") else { return };
    let program = client.compile(SUM_AND_PRODUCT).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let (client, program) = (&client, program.clone());
            scope.spawn(move || {
                for i in 0..50u8 {
                    let (x, y) = (f32::from(thread), f32::from(i));
                    let (a, b) = (vector(client, &[x; 4]), vector(client, &[y; 4]));
                    let results = program.execute(&[&a, &b]).unwrap();
                    assert_eq!((f32s(&results[0]), f32s(&results[1])), (vec![x + y; 4], vec![x * y; 4]));
                }
            });
        }
    });
}

/// Resident memory of this process in bytes.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
#[cfg(target_os = "linux")]
fn runs_leak_no_memory() {
    let Some(client) = client("runs_leak_no_memory") else { return };
    const ELEMENTS: usize = 1 << 16;
    let text = SUM_AND_PRODUCT.replace("4xf32", &format!("{ELEMENTS}xf32"));
    let program = client.compile(&text).unwrap();
    let values = vec![1f32; ELEMENTS];
    let run = |times: usize| {
        for _ in 0..times {
            let (a, b) = (vector(&client, &values), vector(&client, &values));
            let results = program.execute(&[&a, &b]).unwrap();
            assert_eq!(f32s(&results[1])[ELEMENTS - 1], 1.0);
        }
    };
    run(50);
    let before = resident();
    run(1000);
    let grown = resident().saturating_sub(before);
    // Every leaked array of a run would be 256 KiB: 1000 runs hold back less than 64 of them.
    assert!(grown < 64 * ELEMENTS * 4, "{grown} bytes more after 1000 runs");
}

#[test]
fn programs_that_fail_to_compile_leak_nothing_and_the_client_goes_on() {
    let name = "programs_that_fail_to_compile_leak_nothing_and_the_client_goes_on";
    let Some(client) = client(name) else { return };
    for _ in 0..100 {
        assert!(client.compile("module {").is_err());
    }
    assert_eq!(client.compile(SUM_AND_PRODUCT).unwrap().outputs(), 2);
}

#[test]
fn a_plugin_is_loaded_once_and_clients_can_be_several() {
    let Some(path) = plugins::named("a_plugin_is_loaded_once_and_clients_can_be_several") else { return };
    let plugin = Plugin::load(&path).unwrap();
    let program = {
        let client = Client::new(&plugin).unwrap();
        client.compile(SUM_AND_PRODUCT).unwrap()
        // The client goes out of scope; the program keeps it alive.
    };
    let other = Client::new(&Plugin::load(&path).unwrap()).unwrap();
    assert_eq!(program.outputs(), 2);
    assert_eq!(f32s(&vector(&other, &[5.0])), [5.0]);
}
