//! States and several functions: what a package keeps between runs, and what its functions share.

use rlx_compile::{CompileOptions, Param, ParamValues, PrecisionPolicy};
use rlx_coreml::{
    Conversion, ConversionError, Dialect, GraphFunction, ImportedModel, Opset, decode, describe,
};
use rlx_ir::{Builder, DType, Graph, Literal, Shape, eval};
use std::collections::BTreeMap;
use std::sync::Arc;

const ROWS: usize = 16;
const WIDTH: usize = 4;

fn conversion(opset: Opset, precision: PrecisionPolicy) -> Conversion {
    let half_scores = precision == PrecisionPolicy::AlwaysF16;
    let dialect = Dialect { half_scores, ..opset.into() };
    Conversion::new(dialect, CompileOptions { precision, ..CompileOptions::new() })
}

/// Returns a function with a cache that x `[n, 4]` times w is written into at `at`, and its sums; a count of its runs; and a state that
/// never changes.
fn cached(rows: usize, dtype: DType) -> GraphFunction {
    let b = Builder::new("cached");
    let cache = b.input("the.cache", Shape::new(&[ROWS, WIDTH], dtype));
    let runs = b.input("runs", Shape::new(&[1], dtype));
    let fixed = b.input("fixed", Shape::new(&[WIDTH], dtype));
    let x = b.input("x", Shape::new(&[rows, WIDTH], dtype));
    let at = b.input("at", Shape::new(&[], DType::I32));
    let w = b.param("w", Shape::new(&[WIDTH, WIDTH], dtype));
    let cache = cache.kv_append(&x.matmul(&w), &at, 0);
    let runs = &runs + &runs.scalar_like(1.0).broadcast_to(&runs.dims());
    let sums = cache.reduce(rlx_ir::ReduceOp::Sum, &[1], false) + runs.broadcast_to(&[ROWS.into()]);
    // States are among the outputs of the graph.
    let graph = b.finish(&[&cache, &sums, &fixed, &runs]).unwrap();
    let states =
        [("runs", 3), ("the.cache", 0), ("fixed", 2)].map(|(name, output)| (name.to_string(), output));
    GraphFunction { name: if rows == 1 { "one" } else { "many" }.into(), graph, states: states.to_vec() }
}

fn weights(dtype: DType) -> ParamValues {
    let values: Vec<f32> = (0..WIDTH * WIDTH).map(|i| (i % 5) as f32 - 2.0).collect();
    let value = Literal::new(&[WIDTH, WIDTH], &values).unwrap();
    let value = if dtype == DType::F16 { half(&value) } else { value };
    ParamValues::from([("w".to_string(), Param::new(Arc::new(value)))])
}

fn half(value: &Literal) -> Literal {
    let bytes: Vec<u8> =
        value.as_slice::<f32>().unwrap().iter().flat_map(|&x| half::f16::from_f32(x).to_le_bytes()).collect();
    Literal::from_bytes(&value.shape().with_dtype(DType::F16), &bytes).unwrap()
}

/// Runs both functions alternately, as graphs and as read back from a package, and compares each output of each run.
fn in_turns(functions: &[GraphFunction], model: &ImportedModel, dtype: DType) {
    let mut of_graph: BTreeMap<String, Literal> = BTreeMap::new();
    let mut of_package: BTreeMap<String, Literal> = BTreeMap::new();
    let zeros = |shape: &Shape| Literal::from_bytes(shape, &vec![0; shape.num_bytes().unwrap()]).unwrap();
    let values = weights(dtype);
    let w = Literal::from_bytes(&Shape::new(&[WIDTH, WIDTH], dtype), values["w"].bytes()).unwrap();
    for run in 0..14usize {
        let function = &functions[usize::from(run % 3 == 0)];
        let rows = if function.name == "one" { 1 } else { 3 };
        let x: Vec<f32> = (0..rows * WIDTH).map(|i| ((i + run) % 7) as f32 * 0.25 - 0.5).collect();
        let x = Literal::new(&[rows, WIDTH], &x).unwrap();
        let x = if dtype == DType::F16 { half(&x) } else { x };
        let at = Literal::scalar(run as i32);
        let mut given: Vec<(&str, &Literal)> = vec![("x", &x), ("at", &at), ("w", &w)];
        for (name, _) in &function.states {
            let node = function.graph.inputs().find(|node| node.name() == Some(name)).unwrap();
            of_graph.entry(name.clone()).or_insert_with(|| zeros(node.shape()));
        }
        given.extend(of_graph.iter().map(|(name, value)| (name.as_str(), value)));
        let wanted = eval(&function.graph, &given).unwrap();
        for (name, output) in &function.states {
            of_graph.insert(name.clone(), wanted[*output].clone());
        }

        let read = model.function(&function.name).unwrap();
        let at = Literal::new(&[1], &[run as i32]).unwrap();
        let mut given = BTreeMap::from([("x".to_string(), x.clone()), ("at".to_string(), at)]);
        for state in &read.states {
            let value = of_package.remove(&state.name).unwrap_or_else(|| zeros(&state.shape));
            given.insert(state.name.clone(), value);
        }
        for (name, bytes) in &read.params {
            let shape = read.graph.named_params().find(|(param, _)| param == name).unwrap().1;
            given.insert(name.clone(), Literal::from_bytes(shape, bytes).unwrap());
        }
        let named: Vec<(&str, &Literal)> = given.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let found = eval(&read.graph, &named).unwrap();
        assert_eq!(read.outputs.len(), 1);
        assert_eq!(found[0], wanted[1], "run {run}");
        for state in &read.states {
            let next =
                state.output.map_or_else(|| given[&state.name].clone(), |output| found[output].clone());
            of_package.insert(state.name.clone(), next);
        }
        // A state that never changes is not written.
        let changing: Vec<&str> = read
            .states
            .iter()
            .filter(|state| state.output.is_some())
            .map(|state| state.name.as_str())
            .collect();
        assert_eq!(changing, ["runs", "the_cache"]);
        assert_eq!(of_package["the_cache"], of_graph["the.cache"], "run {run}");
    }
}

#[test]
fn states_are_kept_and_shared_by_functions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("states.mlpackage");
    let functions = [cached(1, DType::F16), cached(3, DType::F16)];
    let conversion = conversion(Opset::Ios18, PrecisionPolicy::Declared);
    let converted = conversion.write_functions(&functions, &weights(DType::F16), &path).unwrap();
    let names: Vec<&str> = converted.states.iter().map(|state| state.name.as_str()).collect();
    assert_eq!(names, ["the_cache", "runs", "fixed"]);
    assert_eq!((converted.inputs.len(), converted.outputs.len()), (2, 1));
    let model = ImportedModel::open(&path).unwrap();
    assert_eq!(model.functions().collect::<Vec<_>>(), ["many", "one"]);
    assert_eq!(model.default_function(), "one");
    in_turns(&functions, &model, DType::F16);
    let model = decode(rlx_coreml::Package::open(&path).unwrap().model()).unwrap();
    let text = describe(&model, &[]);
    assert!(text.contains("the_cache (state), runs (state), fixed (state)"), "{text}");
    let described = &model.description.as_ref().unwrap().functions;
    assert_eq!(
        described.iter().map(|f| (f.name.as_str(), f.state.len())).collect::<Vec<_>>(),
        [("one", 3), ("many", 3)]
    );

    // A single function is described as the model.
    let main = GraphFunction { name: "main".into(), ..functions[0].clone() };
    conversion.write_functions(&[main], &weights(DType::F16), &path).unwrap();
    let model = decode(rlx_coreml::Package::open(&path).unwrap().model()).unwrap();
    let description = model.description.unwrap();
    assert_eq!((description.state.len(), description.functions.len()), (3, 0));
}

#[test]
fn states_of_f32_are_f16_where_all_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.mlpackage");
    let functions = [cached(1, DType::F32), cached(3, DType::F32)];
    let error = conversion(Opset::Ios18, PrecisionPolicy::Declared)
        .write_functions(&functions, &weights(DType::F32), &path)
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the.cache: it is a state of f32, and those of CoreML are f16"), "{text}");
    assert!(!path.exists());
    let half = conversion(Opset::Ios18, PrecisionPolicy::AlwaysF16);
    let converted = half.write_functions(&functions, &weights(DType::F32), &path).unwrap();
    assert!(converted.states.iter().all(|state| state.dtype == DType::F16));
}

#[test]
fn what_is_wrong_with_states_and_functions_is_told() {
    let values = weights(DType::F16);
    let newest = conversion(Opset::Ios18, PrecisionPolicy::Declared);
    let text = |conversion: &Conversion, functions: &[GraphFunction]| {
        conversion.prepare_functions(functions, &values).err().expect("an error").to_string()
    };
    let one = cached(1, DType::F16);
    let older = conversion(Opset::Ios17, PrecisionPolicy::Declared);
    assert!(
        text(&older, std::slice::from_ref(&one))
            .contains("it is a state, which programs have from iOS 18 on")
    );
    let plain = |name: &str, function: GraphFunction| GraphFunction {
        name: name.into(),
        states: Vec::new(),
        ..function
    };
    let two = [plain("main", one.clone()), plain("other", one.clone())];
    assert_eq!(text(&older, &two), "packages have several functions from iOS 18 on: main, other");
    assert!(text(&newest, &[one.clone(), one.clone()]).contains("[one, one]"));
    assert!(text(&newest, &[]).contains("a package needs at least one function"));
    assert!(text(&newest, &[plain("", one.clone())]).contains("each needs a unique name"));
    let states = |states: &[(&str, usize)]| {
        let states = states.iter().map(|(name, output)| (name.to_string(), *output)).collect();
        text(&newest, &[GraphFunction { states, ..one.clone() }])
    };
    assert_eq!(states(&[("cash", 0)]), "the graph has no input cash to use as a state");
    assert!(
        states(&[("runs", 9)]).contains("does not exist")
            || states(&[("runs", 9)]).contains("has 5 inputs and 4 outputs")
    );
    assert!(states(&[("runs", 0)]).contains("shapes must be equal"));
    assert!(states(&[("runs", 3), ("runs", 3)]).contains("only one alias pair"));
    // A value that only one function uses belongs to the package; a value that none uses is an error.
    let mut more = values.clone();
    more.insert("v".into(), Param::new(Arc::new(Literal::scalar(1f32))));
    let error = newest.prepare_functions(std::slice::from_ref(&one), &more).err().expect("an error");
    assert!(matches!(error, ConversionError::UnknownParams(names) if names == ["v"]));
}

/// Returns a graph with its own weights.
fn affine(name: &str, param: &str) -> (GraphFunction, Literal) {
    let b = Builder::new(name);
    let x = b.input("x", Shape::new(&[2, 64], DType::F32));
    let product = x.matmul(&b.param(param, Shape::new(&[64, 64], DType::F32)));
    let graph: Graph = b.finish(&[&product]).unwrap();
    let values: Vec<f32> = (0..64 * 64).map(|i| (i as f32).sin()).collect();
    (
        GraphFunction { name: name.into(), graph, states: Vec::new() },
        Literal::new(&[64, 64], &values).unwrap(),
    )
}

#[test]
fn weights_that_are_the_same_are_stored_once_whatever_their_names() {
    let (first, value) = affine("first", "a");
    let (second, _) = affine("second", "b");
    let newest = conversion(Opset::Ios18, PrecisionPolicy::Declared);
    let params = |names: &[&str]| -> ParamValues {
        names.iter().map(|name| (name.to_string(), Param::new(Arc::new(value.clone())))).collect()
    };
    let bytes = |functions: &[GraphFunction], names: &[&str]| {
        newest
            .prepare_functions(functions, &params(names))
            .unwrap_or_else(|e| panic!("{e}"))
            .converted
            .bytes
            .1
    };
    let alone = bytes(std::slice::from_ref(&first), &["a"]);
    assert_eq!(bytes(&[first.clone(), second.clone()], &["a", "b"]), alone);
    let mut others = params(&["a", "b"]);
    others.insert("b".into(), Param::new(Arc::new(Literal::new(&[64, 64], &[0.5f32; 64 * 64]).unwrap())));
    let both = newest.prepare_functions(&[first, second], &others).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(both.converted.bytes.1, 2 * alone - 64);
}
