//! Packed weights on the device `ane`: the loaded package stores them packed, and the results are those of the CPU.

#[path = "../examples/packed_weights.rs"]
#[allow(dead_code)]
mod example;
mod paired;
mod uses;

use example::{DIMS, Stored, blocks, weights};
use paired::ane;
use rlx_compile::{CompileOptions, Param, ParamValues, PrecisionPolicy};
use rlx_coreml::{
    AneBackend, CoremlOptions, CoremlProgram, Engine, EngineError, InterpretedEngine, LoadOptions,
    LoadedModel, Opset, Package, WeightOptions, decode,
};
use rlx_cpu::CpuBackend;
use rlx_driver::Env;
use rlx_exec::{
    Availability, Backend, Executable, HostEngine, HostProgram, HostWorker, Instance, compile, lower,
};
use rlx_hybrid::HybridProgram;
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, QuantScheme, Shape};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use uses::uses;

/// The interpreter, recording for each package the bytes of its weights and how they are unpacked.
struct Weighing {
    opset: Opset,
    found: Mutex<Vec<(u64, BTreeSet<String>)>>,
}

impl Weighing {
    fn new(opset: Opset) -> Arc<Weighing> {
        Arc::new(Weighing { opset, found: Mutex::default() })
    }
}

impl Engine for Weighing {
    fn availability(&self) -> Availability {
        InterpretedEngine::default().availability()
    }
    fn opset(&self) -> Opset {
        self.opset
    }
    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        let model = decode(Package::open(package).unwrap().model()).unwrap();
        let functions = model.ml_program.unwrap().functions.into_values();
        let blocks = functions.flat_map(|function| function.block_specializations.into_values());
        let kinds = blocks.flat_map(|block| block.operations).map(|operation| operation.r#type);
        let kinds = kinds.filter(|kind| kind.starts_with("constexpr_")).collect();
        let file = package.join("Data/com.apple.CoreML/weights/weight.bin");
        let bytes = file.metadata().map_or(0, |file| file.len());
        self.found.lock().unwrap().push((bytes, kinds));
        InterpretedEngine { opset: self.opset }.load(package, options)
    }
}

fn on_device(graph: &Graph, engine: &Arc<Weighing>, options: CoremlOptions) -> Box<dyn Executable> {
    in_precision(graph, engine, options, PrecisionPolicy::Declared)
}

fn in_precision(
    graph: &Graph,
    engine: &Arc<Weighing>,
    options: CoremlOptions,
    precision: PrecisionPolicy,
) -> Box<dyn Executable> {
    let backend = ane(engine.clone());
    let options = CompileOptions::new().with_backend(options).precision(precision);
    let lowered = lower(graph, &[], &backend, &options).unwrap();
    backend.prepare(lowered, &backend.queue(0).unwrap()).unwrap()
}

/// Whether the program of an executable is one of these.
fn is_a<P: HostProgram>(executable: &dyn Executable) -> bool {
    let worker = executable.as_any().downcast_ref::<Instance<HostEngine>>().and_then(Instance::worker);
    worker.and_then(HostWorker::program::<P>).is_some()
}

fn on_cpu(graph: &Graph) -> Box<dyn Executable> {
    compile(graph, &Bindings::new(), &CpuBackend, &CompileOptions::new()).unwrap().executable
}

/// Runs a graph with these values of its parameters and inputs.
fn run(executable: &mut dyn Executable, graph: &Graph, values: &[(&str, &[u8])]) -> Vec<Vec<f32>> {
    let value = |name: Option<&str>| values.iter().find(|(given, _)| Some(*given) == name).unwrap().1;
    for (index, node) in graph.params().enumerate() {
        let literal = Literal::from_bytes(node.shape(), value(node.name())).unwrap();
        executable.set_param(index, Param::new(Arc::new(literal)));
    }
    let inputs: Vec<&[u8]> = graph.inputs().map(|node| value(node.name())).collect();
    executable.run_on_host(&inputs).unwrap();
    let output = |i| {
        let bytes = executable.output(i).unwrap();
        bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
    };
    (0..graph.outputs().len()).map(output).collect()
}

fn assert_near(found: &[Vec<f32>], wanted: &[Vec<f32>], what: &str) {
    for (found, wanted) in found.iter().zip(wanted) {
        let scale = wanted.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let off = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off <= 1e-5 * scale && scale > 0.0, "{what}: {off} of {scale}");
    }
}

#[test]
fn weights_stay_packed_and_give_what_the_cpu_gives() {
    let x: Vec<f32> = weights()[..3 * DIMS[1]].iter().map(|x| x * 7.0).collect();
    let ids = [0i32, 47, 6, 13];
    let numbers = (DIMS[0] * DIMS[1] * 4) as u64;
    let mut formats = 0;
    for scheme in QuantScheme::ALL.iter().copied().filter(|scheme| DIMS[1].is_multiple_of(scheme.block_len()))
    {
        let Stored { values, .. } = blocks(scheme);
        let graph = uses(scheme, true);
        let given: [(&str, &[u8]); 3] = [
            ("w", values["w"].bytes()),
            ("x", bytemuck::cast_slice(&x)),
            ("ids", bytemuck::cast_slice(&ids)),
        ];
        let wanted = run(&mut *on_cpu(&graph), &graph, &given);
        for unpacks in [false, true] {
            let engine = Weighing::new(Opset::Ios18);
            let mut executable = on_device(&graph, &engine, CoremlOptions::new().host_dequant(unpacks));
            assert!(is_a::<CoremlProgram>(&*executable), "{scheme}: {}", executable.describe());
            let found = run(&mut *executable, &graph, &given);
            assert_near(&found, &wanted, scheme.name());
            let packages = engine.found.lock().unwrap();
            let [(file, kinds)] = &packages[..] else { panic!("{scheme}: {} packages", packages.len()) };
            let stays = !unpacks && !scheme.is_grid();
            assert_eq!(kinds.is_empty(), !stays, "{scheme}: {kinds:?}");
            // The file is that of a package, except for constants of the surrounding program.
            let packaged = packaged(&graph, &values, PrecisionPolicy::Declared);
            let least = if stays { packaged } else { numbers };
            assert!((least..least + 4096).contains(file), "{scheme}: {file} bytes, {packaged} in a package");
            let text = executable.describe();
            let told = if unpacks {
                "1 packed parameters, unpacked as they are written"
            } else {
                "1 packed parameters\n"
            };
            assert!(text.contains(told), "{text}");
            assert_eq!(text.contains("have no form in programs"), scheme.is_grid() && !unpacks, "{text}");
        }
        formats += 1;
    }
    assert!(formats >= 20, "{formats}");
}

/// Returns the bytes of the weights of a package.
fn packaged(graph: &Graph, values: &ParamValues, precision: PrecisionPolicy) -> u64 {
    let conversion = example::conversion(Opset::Ios18, precision, WeightOptions::default());
    conversion.prepare(graph, values).unwrap().converted.bytes.1
}

#[test]
fn in_f16_the_weights_take_hardly_more_room_than_their_blocks() {
    let x: Vec<f32> = weights()[..3 * DIMS[1]].to_vec();
    for (scheme, most) in [(QuantScheme::Q4_0, 1.02), (QuantScheme::Q8_0, 1.02), (QuantScheme::Q4_K, 1.13)] {
        let Stored { values, bytes, .. } = blocks(scheme);
        let b = Builder::new("product");
        let w = b.param("w", Shape::new(&[DIMS[0], bytes / DIMS[0]], DType::U8));
        let product = b.input("x", Shape::new(&[3, DIMS[1]], DType::F32)).dequant_matmul(&w, scheme);
        let graph = b.finish(&[&product]).unwrap();
        let given: [(&str, &[u8]); 2] = [("w", values["w"].bytes()), ("x", bytemuck::cast_slice(&x))];
        let wanted = run(&mut *on_cpu(&graph), &graph, &given);
        let engine = Weighing::new(Opset::Ios18);
        let mut executable = in_precision(&graph, &engine, CoremlOptions::new(), PrecisionPolicy::AlwaysF16);
        let found = run(&mut *executable, &graph, &given);
        let scale = wanted[0].iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let off = found[0].iter().zip(&wanted[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off <= 5e-3 * scale, "{scheme}: {off} of {scale}");
        let file = engine.found.lock().unwrap()[0].0;
        assert!(file as f64 <= most * bytes as f64 + 256.0, "{scheme}: {file} bytes for {bytes}");
    }
}

#[test]
fn older_systems_get_them_unpacked_and_it_is_told() {
    let scheme = QuantScheme::Q4_0;
    let Stored { values, .. } = blocks(scheme);
    let graph = uses(scheme, true);
    let x = weights()[..3 * DIMS[1]].to_vec();
    let given: [(&str, &[u8]); 3] =
        [("w", values["w"].bytes()), ("x", bytemuck::cast_slice(&x)), ("ids", &[0; 16])];
    let engine = Weighing::new(Opset::Ios17);
    let mut executable = on_device(&graph, &engine, CoremlOptions::new());
    let found = run(&mut *executable, &graph, &given);
    assert_near(&found, &run(&mut *on_cpu(&graph), &graph, &given), "q4_0");
    assert!(engine.found.lock().unwrap()[0].1.is_empty());
    let text = executable.describe();
    assert!(text.contains("`w` is unpacked in the package: programs before iOS 18 have no blocks"), "{text}");
}

#[test]
fn what_is_more_than_weights_is_the_hosts() {
    let scheme = QuantScheme::Q8_0;
    let Stored { values, .. } = blocks(scheme);
    let bytes = values["w"].bytes();
    let x = weights()[..3 * DIMS[1]].to_vec();
    let given: [(&str, &[u8]); 3] = [("w", bytes), ("x", bytemuck::cast_slice(&x)), ("ids", &[0; 16])];
    // Blocks that are an input of each run.
    let graph = uses(scheme, false);
    let mut executable = on_device(&graph, &Weighing::new(Opset::Ios18), CoremlOptions::new());
    assert!(is_a::<HybridProgram>(&*executable));
    let found = run(&mut *executable, &graph, &given);
    assert_near(&found, &run(&mut *on_cpu(&graph), &graph, &given), "q8_0");
    // A parameter that is read in two formats.
    let b = Builder::new("both");
    let w = b.param("w", Shape::new(&[4, 306], DType::U8));
    let values = [w.dequantize_blocks(QuantScheme::Q8_0), w.dequantize_blocks(QuantScheme::Q1_0)];
    let graph = b.finish(&[&values[0], &values[1]]).unwrap();
    let mut executable = on_device(&graph, &Weighing::new(Opset::Ios18), CoremlOptions::new());
    let text = executable.describe();
    assert!(text.contains("a packed parameter must be unpacked in one format"), "{text}");
    let bytes: Vec<u8> = (0..4 * 306).map(|i| if i % 34 < 2 { 0x30 } else { (i % 251) as u8 }).collect();
    let found = run(&mut *executable, &graph, &[("w", &bytes)]);
    let wanted = run(&mut *on_cpu(&graph), &graph, &[("w", &bytes)]);
    assert_eq!(format!("{found:?}"), format!("{wanted:?}"));
}

#[test]
fn the_environment_says_whether_they_are_unpacked() {
    let unpacks = |value: &str, own: Option<bool>| {
        let env = Env::from_iter([("RLX_COREML_HOST_DEQUANT", value)]);
        let own = CoremlOptions { host_dequant: own, ..CoremlOptions::new() };
        let mut options = CompileOptions::new().with_backend(own);
        AneBackend::new().apply_env(&mut options, &env).unwrap();
        options.backend.get::<CoremlOptions>().unwrap().host_dequant
    };
    assert_eq!([unpacks("1", None), unpacks("0", None)], [Some(true), None]);
    assert_eq!([unpacks("1", Some(false)), unpacks("0", Some(true))], [Some(false), Some(true)]);
}
