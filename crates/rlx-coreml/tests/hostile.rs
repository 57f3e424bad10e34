//! Programs with wrong numbers: they are read or refused in bounded time, and never cause a panic. Programs of the conformance table are
//! read repeatedly, each time with a different number changed: an element of a constant, a size of an input, or a setting of an operation.

#[allow(dead_code, unused_imports)]
#[path = "../examples/graphs/mod.rs"]
mod graphs;

use prost::Message;
use rlx_compile::CompileOptions;
use rlx_conformance::case::borrowed;
use rlx_coreml::{Dialect, ModelBuilder, Opset, lowered};
use rlx_ir::{DType, Graph, Literal};
use rlx_mil::blob::{BlobFile, Blobs};
use rlx_mil::import;
use rlx_mil::message::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const NUMBERS: [i32; 8] = [-1, 0, 1, 3, 1 << 16, i32::MAX, i32::MIN, i32::MIN + 1];

/// Number of elements of a constant that are changed.
const ELEMENTS: usize = 6;

/// Maximum time for reading a program of the table, with any number, on a machine that does other things too.
const LONGEST: Duration = Duration::from_secs(5);

/// A number in a program.
enum Number<'a> {
    Size(&'a mut Dimension),
    Int(&'a mut i32),
    Bool(&'a mut bool),
    Float(&'a mut f32),
}

impl Number<'_> {
    fn set(self, number: i32) {
        match self {
            Number::Size(dimension) => {
                let size = number.unsigned_abs().into();
                dimension.dimension = Some(DimensionKind::Constant(ConstantDimension { size }));
            }
            Number::Int(x) => *x = number,
            Number::Bool(x) => *x = !*x,
            Number::Float(x) => *x = number as f32,
        }
    }
}

fn rank(output: &NamedValueType) -> usize {
    output.r#type.as_ref().and_then(|ty| ty.sizes()).map_or(0, |sizes| sizes.len())
}

/// For each value of a program, what reads it: the operations with the argument's name, and the axes of their results.
type Readers = BTreeMap<String, String>;

fn readers_of(main: &Function) -> Readers {
    let mut found = BTreeMap::new();
    main.block_specializations.values().for_each(|block| readers(block, &mut found));
    let joined = |readers: BTreeSet<String>| readers.into_iter().collect::<Vec<_>>().join(" ");
    found.into_iter().map(|(name, readers)| (name, joined(readers))).collect()
}

fn readers(block: &Block, readers: &mut BTreeMap<String, BTreeSet<String>>) {
    for operation in &block.operations {
        let ranks: Vec<usize> = operation.outputs.iter().map(rank).collect();
        for (place, argument) in &operation.inputs {
            for binding in &argument.arguments {
                if let Some(BindingKind::Name(name)) = &binding.binding {
                    let reader = format!("{}.{place}{ranks:?}", operation.r#type);
                    readers.entry(name.clone()).or_default().insert(reader);
                }
            }
        }
        operation.blocks.iter().for_each(|block| self::readers(block, readers));
    }
}

/// Calls `with` for each number of a function, with the readers of its value and its position in the value.
fn numbers(main: &mut Function, named: &Readers, with: &mut dyn FnMut(&str, usize, Number<'_>)) {
    for input in &mut main.inputs {
        let Some(ValueTypeKind::TensorType(ty)) = input.r#type.as_mut().and_then(|ty| ty.r#type.as_mut())
        else {
            continue;
        };
        let reader = named.get(&input.name).map_or("", String::as_str);
        for (axis, dimension) in ty.dimensions.iter_mut().enumerate() {
            with(reader, axis, Number::Size(dimension));
        }
    }
    main.block_specializations.values_mut().for_each(|block| numbers_of(block, named, with));
}

fn numbers_of(block: &mut Block, named: &Readers, with: &mut dyn FnMut(&str, usize, Number<'_>)) {
    for operation in &mut block.operations {
        operation.blocks.iter_mut().for_each(|block| numbers_of(block, named, with));
        let reader = operation.outputs.first().and_then(|output| named.get(&output.name));
        let reader = reader.map_or("", String::as_str);
        let Some(Value { value: Some(ValueKind::ImmediateValue(value)), .. }) =
            operation.attributes.get_mut("val")
        else {
            continue;
        };
        let Some(ImmediateValueKind::Tensor(TensorValue { value: Some(value) })) = &mut value.value else {
            continue;
        };
        match value {
            TensorValueKind::Ints(list) => {
                let few = list.values.iter_mut().take(ELEMENTS).enumerate();
                few.for_each(|(i, x)| with(reader, i, Number::Int(x)));
            }
            TensorValueKind::Bools(list) => {
                let few = list.values.iter_mut().take(ELEMENTS).enumerate();
                few.for_each(|(i, x)| with(reader, i, Number::Bool(x)));
            }
            TensorValueKind::Floats(list) => {
                let few = list.values.iter_mut().take(2).enumerate();
                few.for_each(|(i, x)| with(reader, i, Number::Float(x)));
            }
            _ => {}
        }
    }
}

/// Removes the declared results of a program, so that wrong sizes get further.
fn silent(main: &mut Function) {
    let operations = main.block_specializations.values_mut().flat_map(|block| &mut block.operations);
    operations.filter(|operation| operation.r#type != "const").for_each(|operation| {
        operation.outputs.iter_mut().for_each(|output| output.r#type = None);
    });
}

/// Returns a program and its weights file, or `None` if programs cannot express the graph.
fn written(graph: &Graph, inputs: &[(&str, &Literal)]) -> Option<(Function, Vec<u8>)> {
    let dialect = Dialect { own_random: true, ..Opset::Ios18.into() };
    let lowered = lowered(graph, &[], dialect, &CompileOptions::new()).ok()?;
    let value = |name: &str| inputs.iter().find(|(n, _)| *n == name).map(|(_, value)| value.bytes().into());
    let (mut weights, mut builder) = (Blobs::new(), ModelBuilder::new(dialect));
    builder.function("main", lowered.graph(), &value, &mut weights).ok()?;
    let mut file = Vec::new();
    weights.write_to(&mut file).expect("it is written to memory");
    let model = Model::decode(&builder.finish().expect("it is small")[..]).expect("it was written");
    let main = model.ml_program.expect("it has a program").functions.remove("main");
    Some((main.expect("it was written"), file))
}

/// What was read, and the longest time that it took.
#[derive(Default)]
struct Done {
    programs: usize,
    read: usize,
    longest: Duration,
    slowest: String,
    seen: HashMap<String, u32>,
    /// Number of positions of the same kind that are changed.
    alike: u32,
}

impl Done {
    /// Reads a program with wrong numbers in each kind of position that has rarely been tried.
    fn read(&mut self, main: &Function, file: &[u8]) {
        self.programs += 1;
        let (named, mut places, mut at) = (readers_of(main), Vec::new(), 0);
        numbers(&mut main.clone(), &named, &mut |reader, i, number| {
            let key = format!("{reader} {i}");
            let is_bool = matches!(number, Number::Bool(_));
            let seen = self.seen.entry(key.clone()).or_default();
            *seen += 1;
            if *seen <= self.alike {
                places.push((at, key, is_bool));
            }
            at += 1;
        });
        let blobs = BlobFile::open(file).expect("it was written");
        let records = |_: &str, at: u64| blobs.get(at).map(|blob| blob.bytes).map_err(|e| e.to_string());
        for (at, key, is_bool) in places {
            for &number in if is_bool { &NUMBERS[..1] } else { &NUMBERS } {
                let (mut changed, mut here) = (main.clone(), 0);
                numbers(&mut changed, &named, &mut |_, _, place| {
                    if here == at {
                        place.set(number);
                    }
                    here += 1;
                });
                for is_silent in [false, true] {
                    if is_silent {
                        silent(&mut changed);
                    }
                    let start = Instant::now();
                    let _ = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                        import::function(&changed, "main", &records)
                    }));
                    let took = start.elapsed();
                    self.read += 1;
                    if took > self.longest {
                        (self.longest, self.slowest) = (took, format!("{number} at {key}"));
                    }
                }
            }
        }
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn wrong_numbers_in_programs_are_no_panics() {
    let places: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let found = Arc::clone(&places);
    panic::set_hook(Box::new(move |info| {
        found.lock().unwrap_or_else(|e| e.into_inner()).insert(info.to_string());
    }));
    // By default, the most common types in programs; all types for the given ops, or for `all` ops.
    let wanted = std::env::var("RLX_HOSTILE_OPS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|op| !op.is_empty()).collect();
    let mut done = Done { alike: if wanted.is_empty() { 1 } else { 2 }, ..Done::default() };
    for case in rlx_conformance::cases::all() {
        let is_wanted = match &wanted[..] {
            [] => matches!(case.dtype, DType::F32 | DType::I32 | DType::Bool),
            ["all"] => true,
            ops => ops.contains(&case.op.mnemonic()),
        };
        if !is_wanted {
            continue;
        }
        let (graph, inputs) = (case.graph(), case.inputs());
        if let Some((main, file)) = written(&graph, &borrowed(&inputs)) {
            done.read(&main, &file);
        }
    }
    // Graphs that no case of the table has.
    for example in graphs::all().iter().filter(|_| wanted.is_empty() || wanted == ["all"]) {
        let given: Vec<(&str, &Literal)> =
            example.values.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let (main, file) = written(&example.graph, &given).expect(example.kind);
        done.read(&main, &file);
    }
    let _ = panic::take_hook();
    let places = places.lock().unwrap_or_else(|e| e.into_inner());
    assert!(
        places.is_empty(),
        "panics:\n{}",
        places.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    );
    let Done { programs, read, longest, slowest, .. } = done;
    println!("{read} readings of {programs} programs, the longest {longest:?}: {slowest}");
    assert!(read > 10, "{read} programs were read");
    assert!(longest < LONGEST, "{longest:?} for {slowest}");
}
