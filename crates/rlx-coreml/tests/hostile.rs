//! Programs whose numbers are wrong: read or refused, and never a panic. Each program of the conformance table is read again and again, each
//! time with another number in one of its constants, sizes of inputs, or settings.

use prost::Message;
use rlx_compile::CompileOptions;
use rlx_compile::pipeline::lower_for;
use rlx_conformance::{Args, Target, TargetError, run};
use rlx_coreml::{CoremlClaims, ModelBuilder, Opset};
use rlx_ir::{Graph, Literal, eval};
use rlx_mil::blob::{BlobFile, Blobs};
use rlx_mil::import;
use rlx_mil::message::*;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::panic;
use std::sync::{Arc, Mutex};

const NUMBERS: [i32; 8] = [-1, 0, 1, 3, 1 << 16, i32::MAX, i32::MIN, i32::MIN + 1];

/// Programs of the same operations that are read.
const ALIKE: u32 = 2;

struct Hostile {
    read: Cell<u64>,
    seen: RefCell<HashMap<Vec<String>, u32>>,
}

/// The operations of a program, and of how many axes their results are.
fn signature(main: &Function) -> Vec<String> {
    let operations = main.block_specializations.values().flat_map(|block| &block.operations);
    let rank = |output: &NamedValueType| {
        output.r#type.as_ref().and_then(|ty| ty.sizes()).map_or(0, |sizes| sizes.len())
    };
    let named = |operation: &Operation| {
        format!("{}{:?}", operation.r#type, operation.outputs.iter().map(rank).collect::<Vec<_>>())
    };
    operations.filter(|operation| operation.r#type != "const").map(named).collect()
}

fn failed(e: impl ToString) -> TargetError {
    TargetError::Failed(e.to_string())
}

/// Calls what is given with every number that can be changed, until it has changed one: `at` counts them.
fn change(main: &mut Function, mut at: usize, number: i32) -> bool {
    let mut next = |change: &mut dyn FnMut()| {
        let here = at == 0;
        at = at.wrapping_sub(1);
        if here {
            change();
        }
        here
    };
    for input in &mut main.inputs {
        let Some(ValueTypeKind::TensorType(ty)) = input.r#type.as_mut().and_then(|ty| ty.r#type.as_mut())
        else {
            continue;
        };
        for dimension in &mut ty.dimensions {
            let size = number.unsigned_abs().into();
            let changed = Some(DimensionKind::Constant(ConstantDimension { size }));
            if next(&mut || dimension.dimension = changed.clone()) {
                return true;
            }
        }
    }
    for block in main.block_specializations.values_mut() {
        for operation in &mut block.operations {
            let Some(Value { value: Some(ValueKind::ImmediateValue(value)), .. }) =
                operation.attributes.get_mut("val")
            else {
                continue;
            };
            let Some(ImmediateValueKind::Tensor(TensorValue { value: Some(value) })) = &mut value.value
            else {
                continue;
            };
            let changed = match value {
                TensorValueKind::Ints(list) => list.values.iter_mut().any(|x| next(&mut || *x = number)),
                TensorValueKind::Bools(list) => list.values.iter_mut().any(|x| next(&mut || *x = !*x)),
                TensorValueKind::Floats(list) => {
                    list.values.iter_mut().take(2).any(|x| next(&mut || *x = number as f32))
                }
                _ => false,
            };
            if changed {
                return true;
            }
        }
    }
    false
}

/// The program as it is, without what it says of results, so that wrong sizes go further.
fn silent(main: &mut Function) {
    let operations = main.block_specializations.values_mut().flat_map(|block| &mut block.operations);
    operations.filter(|operation| operation.r#type != "const").for_each(|operation| {
        operation.outputs.iter_mut().for_each(|output| output.r#type = None);
    });
}

impl Target for Hostile {
    fn name(&self) -> &str {
        "hostile"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let opset = Opset::Ios18;
        let lowered =
            lower_for(graph, &[], "coreml", &CoremlClaims { dialect: opset.into() }, &CompileOptions::new())
                .map_err(|e| TargetError::Unsupported(e.to_string()))?;
        let lowered = lowered.graph();
        let value =
            |name: &str| inputs.iter().find(|(n, _)| *n == name).map(|(_, value)| value.bytes().into());
        let (mut weights, mut builder) = (Blobs::new(), ModelBuilder::new(opset.into()));
        let emitted = builder.function("main", lowered, &value, &mut weights);
        emitted.map_err(|e| TargetError::Unsupported(e.to_string()))?;
        let bytes = builder.finish().map_err(failed)?;
        let mut file = Vec::new();
        weights.write_to(&mut file).map_err(failed)?;
        let blobs = BlobFile::open(&file).map_err(failed)?;
        let model = Model::decode(&bytes[..]).map_err(failed)?;
        let main = &model.ml_program.ok_or_else(|| failed("no program"))?.functions["main"];
        let records = |_: &str, at: u64| blobs.get(at).map(|blob| blob.bytes).map_err(|e| e.to_string());
        let mut seen = self.seen.borrow_mut();
        let seen = seen.entry(signature(main)).or_default();
        *seen += 1;
        let numbers = if *seen > ALIKE { &[][..] } else { &NUMBERS };
        for &number in numbers {
            for at in 0.. {
                let mut changed = main.clone();
                if !change(&mut changed, at, number) {
                    break;
                }
                let read = |main: &Function| {
                    let _ = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                        import::function(main, "main", &records)
                    }));
                };
                read(&changed);
                silent(&mut changed);
                read(&changed);
                self.read.set(self.read.get() + 2);
            }
        }
        eval(graph, inputs).map_err(failed)
    }
}

#[test]
fn wrong_numbers_in_programs_are_no_panics() {
    let target = Hostile { read: Cell::new(0), seen: RefCell::default() };
    let places: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let found = Arc::clone(&places);
    panic::set_hook(Box::new(move |info| {
        found.lock().unwrap_or_else(|e| e.into_inner()).insert(info.to_string());
    }));
    let ops = std::env::var("RLX_HOSTILE_OPS").unwrap_or("reduce_window,slice,pad,reshape".into());
    let ops = ops.split(',').filter(|op| !op.is_empty()).map(String::from).collect();
    let report = run(&Args { ops, ..Args::default() }, &[&target]);
    let _ = panic::take_hook();
    let places = places.lock().unwrap_or_else(|e| e.into_inner());
    assert!(
        places.is_empty(),
        "panics:\n{}",
        places.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    );
    assert!(report.failures().is_empty(), "{:?}", report.failures());
    assert!(target.read.get() > 10, "{} programs were read", target.read.get());
}
