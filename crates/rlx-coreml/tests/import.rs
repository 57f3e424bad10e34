//! Packages as graphs: programs that are written differently from RLX's, and programs that are refused.

use prost::Message;
use rlx_coreml::{ImportError, ImportedModel};
use rlx_ir::{DType, Literal, eval};
use rlx_mil::blob::{BlobType, Blobs};
use rlx_mil::message::*;
use rlx_mil::package::{Package, WEIGHTS};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn dimension(size: Option<u64>) -> Dimension {
    Dimension {
        dimension: Some(match size {
            Some(size) => DimensionKind::Constant(ConstantDimension { size }),
            None => DimensionKind::Unknown(UnknownDimension { variadic: false }),
        }),
    }
}

fn tensor(data_type: DataType, dims: &[Option<u64>]) -> ValueType {
    let dimensions = dims.iter().map(|&size| dimension(size)).collect();
    let ty = TensorType {
        data_type: data_type.into(),
        rank: dims.len() as i64,
        dimensions,
        ..TensorType::default()
    };
    ValueType { r#type: Some(ValueTypeKind::TensorType(ty)) }
}

fn floats(dims: &[u64]) -> ValueType {
    tensor(DataType::Float32, &dims.iter().map(|&n| Some(n)).collect::<Vec<_>>())
}

fn named(name: &str, ty: ValueType) -> NamedValueType {
    NamedValueType { name: name.into(), r#type: Some(ty) }
}

fn operation(kind: &str, inputs: &[(&str, &str)], outputs: Vec<NamedValueType>) -> Operation {
    let argument =
        |name: &str| Argument { arguments: vec![Binding { binding: Some(BindingKind::Name(name.into())) }] };
    let inputs = inputs.iter().map(|(place, name)| (place.to_string(), argument(name))).collect();
    Operation { r#type: kind.into(), inputs, outputs, ..Operation::default() }
}

fn immediate(ty: ValueType, value: TensorValueKind) -> Value {
    let tensor = ImmediateValueKind::Tensor(TensorValue { value: Some(value) });
    let value = Some(ValueKind::ImmediateValue(ImmediateValue { value: Some(tensor) }));
    Value { r#type: Some(ty), value, ..Value::default() }
}

fn blob(ty: ValueType, offset: u64) -> Value {
    let value = Some(ValueKind::BlobFileValue(BlobFileValue { file_name: WEIGHTS.into(), offset }));
    Value { r#type: Some(ty), value, ..Value::default() }
}

fn constant(name: &str, value: Value) -> Operation {
    let mut operation =
        operation("const", &[], vec![NamedValueType { name: name.into(), r#type: value.r#type.clone() }]);
    operation.attributes.insert("val".into(), value);
    operation
}

fn function(inputs: Vec<NamedValueType>, operations: Vec<Operation>, outputs: &[&str]) -> Function {
    let outputs = outputs.iter().map(|name| name.to_string()).collect();
    let block = Block { operations, outputs, ..Block::default() };
    let opset = "CoreML8".to_string();
    Function {
        inputs,
        block_specializations: BTreeMap::from([(opset.clone(), block)]),
        opset,
        ..Function::default()
    }
}

struct Written {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn written(model: &[u8], blobs: &Blobs<'_>) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.mlpackage");
    Package::write(&path, model, blobs).unwrap();
    Written { _folder: folder, path }
}

fn package(main: Function, blobs: &Blobs<'_>) -> Written {
    let functions = BTreeMap::from([("main".to_string(), main)]);
    let ml_program = Some(Program { version: 1, functions, ..Program::default() });
    written(&Model { specification_version: 9, ml_program, ..Model::default() }.encode_to_vec(), blobs)
}

fn error(main: Function, blobs: &Blobs<'_>) -> String {
    let package = package(main, blobs);
    ImportedModel::open(&package.path).unwrap().function("main").unwrap_err().to_string()
}

fn contains(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{text}\nhas not\n{part}"));
}

#[test]
fn models_without_a_program_are_refused_by_their_kind() {
    // Field 500 of length 0.
    let network = written(&[0x08, 0x04, 0xA2, 0x1F, 0x00], &Blobs::new());
    let error = ImportedModel::open(&network.path).unwrap_err();
    assert!(matches!(error, ImportError::NoProgram { .. }));
    contains(&error.to_string(), &["a neural network, not an ML Program", "mlprogram"]);
    let empty = written(&[], &Blobs::new());
    contains(&ImportedModel::open(&empty.path).unwrap_err().to_string(), &["a model without a program"]);
}

#[test]
fn a_damaged_message_is_refused() {
    let damaged = written(&[0x08, 0xFF], &Blobs::new());
    let error = ImportedModel::open(&damaged.path).unwrap_err();
    assert!(matches!(error, ImportError::Damaged { .. }), "{error}");
}

#[test]
fn all_operations_that_are_unknown_are_named_at_once() {
    let operations = vec![
        operation("non_zero", &[("x", "x")], vec![named("a", floats(&[2]))]),
        operation("relu", &[("x", "a")], vec![named("b", floats(&[2]))]),
        operation("fly", &[("x", "x")], vec![named("c", floats(&[2]))]),
    ];
    let error = error(function(vec![named("x", floats(&[2]))], operations, &["b", "c"]), &Blobs::new());
    contains(&error, &["`non_zero` at a", "`fly` at c"]);
    assert!(!error.contains("relu"), "an operation that reads a missing value was reported: {error}");
}

#[test]
fn functions_that_are_not_there_are_named_with_those_that_are() {
    let package = package(function(vec![named("x", floats(&[2]))], Vec::new(), &["x"]), &Blobs::new());
    let model = ImportedModel::open(&package.path).unwrap();
    assert_eq!((model.specification_version(), model.default_function()), (9, "main"));
    contains(&model.function("prefill").unwrap_err().to_string(), &["no function prefill", "main"]);
}

#[test]
fn open_sizes_are_asked_for_and_checked() {
    let ty = || tensor(DataType::Float32, &[None, Some(3)]);
    let relu = operation("relu", &[("x", "x")], vec![named("y", ty())]);
    let package = package(function(vec![named("x", ty())], vec![relu], &["y"]), &Blobs::new());
    let model = ImportedModel::open(&package.path).unwrap();
    contains(&model.function("main").unwrap_err().to_string(), &["without fixed sizes", "x [?, 3]"]);
    let at =
        |sizes: &[usize]| model.function_at("main", &BTreeMap::from([("x".to_string(), sizes.to_vec())]));
    assert_eq!(at(&[5, 3]).unwrap().outputs[0].1.static_dims().unwrap(), [5, 3]);
    for sizes in [&[5, 4][..], &[5]] {
        contains(&at(sizes).unwrap_err().to_string(), &["the input x is [?, 3], not"]);
    }
}

#[test]
fn results_of_other_sizes_than_the_program_says_are_refused() {
    let relu = operation("relu", &[("x", "x")], vec![named("y", floats(&[3]))]);
    let error = error(function(vec![named("x", floats(&[2]))], vec![relu], &["y"]), &Blobs::new());
    contains(&error, &["`relu` at y", "computes [2], but the program declares [3]"]);
}

#[test]
fn weights_are_held_against_the_program() {
    let mut blobs = Blobs::new();
    let at = blobs.add(BlobType::F32, 100, vec![0; 400]).unwrap();
    let main = |ty: ValueType, at: u64| {
        let add = operation("add", &[("x", "w"), ("y", "x")], vec![named("y", floats(&[100]))]);
        function(vec![named("x", floats(&[100]))], vec![constant("w", blob(ty, at)), add], &["y"])
    };
    contains(&error(main(floats(&[200]), at), &blobs), &["`const` at w", "400 bytes, expected 800"]);
    contains(
        &error(main(floats(&[100]), at + 64), &blobs),
        &["`const` at w", "no record begins at byte 128"],
    );
    contains(&error(main(floats(&[100]), at), &Blobs::new()), &["`const` at w", "weight.bin"]);
    contains(
        &error(main(floats(&[u64::MAX, 2]), at), &blobs),
        &["the sizes [18446744073709551615, 2] overflow"],
    );
}

#[test]
fn weights_are_mapped() {
    let mut blobs = Blobs::new();
    let at = blobs.add(BlobType::F32, 100, vec![0; 400]).unwrap();
    let add = operation("add", &[("x", "w"), ("y", "x")], vec![named("y", floats(&[100]))]);
    let constant = constant("w", blob(floats(&[100]), at));
    let package = package(function(vec![named("x", floats(&[100]))], vec![constant, add], &["y"]), &blobs);
    let model = ImportedModel::open(&package.path).unwrap();
    let read = model.function("main").unwrap();
    assert!(matches!(&read.params[..], [(name, std::borrow::Cow::Borrowed(_))] if name == "w"));
}

#[test]
fn states_are_inputs_and_outputs() {
    let state = StateType { wrapped_type: Some(floats(&[2])) };
    let state = ValueType { r#type: Some(ValueTypeKind::StateType(Box::new(state))) };
    let operations = vec![
        operation("read_state", &[("input", "s")], vec![named("old", floats(&[2]))]),
        operation("add", &[("x", "old"), ("y", "x")], vec![named("sum", floats(&[2]))]),
        operation(
            "coreml_update_state",
            &[("state", "s"), ("value", "sum")],
            vec![named("new", floats(&[2]))],
        ),
        operation("mul", &[("x", "new"), ("y", "old")], vec![named("y", floats(&[2]))]),
    ];
    let inputs = vec![named("x", floats(&[2])), named("s", state)];
    let package = package(function(inputs, operations, &["y"]), &Blobs::new());
    let model = ImportedModel::open(&package.path).unwrap();
    let read = model.function("main").unwrap();
    assert_eq!(read.inputs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["x"]);
    assert_eq!(read.outputs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["y"]);
    assert_eq!((read.states[0].name.as_str(), read.states[0].output), ("s", Some(1)));
    let (x, s) = (Literal::new(&[2], &[1.0f32, 2.0]).unwrap(), Literal::new(&[2], &[3.0f32, 4.0]).unwrap());
    let results = eval(&read.graph, &[("x", &x), ("s", &s)]).unwrap();
    assert_eq!(results[0].as_slice::<f32>().unwrap(), [12.0, 24.0]);
    assert_eq!(results[1].as_slice::<f32>().unwrap(), [4.0, 6.0]);
}

#[test]
fn few_bits_are_unpacked_and_checked() {
    let bits =
        |data_type, dims: &[u64]| tensor(data_type, &dims.iter().map(|&n| Some(n)).collect::<Vec<_>>());
    let main = |indices: u64, scale: &[u64]| {
        let data = immediate(
            bits(DataType::Int4, &[1, indices]),
            TensorValueKind::Bytes(RepeatedBytes { values: vec![0x1F, 0x78] }),
        );
        let values = vec![0.5; scale.iter().product::<u64>() as usize];
        let scale = immediate(floats(scale), TensorValueKind::Floats(RepeatedFloats { values }));
        let made = vec![named("w", floats(&[1, indices]))];
        let made = operation("constexpr_blockwise_shift_scale", &[("data", "d"), ("scale", "k")], made);
        let add = operation("add", &[("x", "w"), ("y", "x")], vec![named("y", floats(&[1, indices]))]);
        let operations = vec![constant("d", data), constant("k", scale), made, add];
        function(vec![named("x", floats(&[1, indices]))], operations, &["y"])
    };
    let package = package(main(4, &[1, 1]), &Blobs::new());
    let model = ImportedModel::open(&package.path).unwrap();
    let read = model.function("main").unwrap();
    let params: Vec<Literal> = read
        .params
        .iter()
        .map(|(_, bytes)| Literal::from_bytes(&rlx_ir::Shape::new(&[1, 4], DType::F32), bytes).unwrap())
        .collect();
    assert!(params.is_empty(), "few elements are a constant");
    let x = Literal::new(&[1, 4], &[0.0f32; 4]).unwrap();
    let results = eval(&read.graph, &[("x", &x)]).unwrap();
    // 0xF, 1, 8, 7 as 4-bit numbers, halved.
    assert_eq!(results[0].as_slice::<f32>().unwrap(), [-0.5, 0.5, -4.0, 3.5]);
    contains(&error(main(4, &[1, 3]), &Blobs::new()), &["blocks do not divide"]);
    contains(&error(main(6, &[1, 1]), &Blobs::new()), &["a constant has 2 bytes, expected 3"]);
}
