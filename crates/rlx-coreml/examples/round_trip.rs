//! Writes every case of the conformance table as an ML Program, reads it back and evaluates it:
//! `cargo run -p rlx-coreml --example round_trip -- [--ops NAME,…] [--families NAME,…] [--opset ios15|ios16|ios17|ios18] [--share N] [--dump DIR] [--skips] [--open] [--graphs [--f16]] [--page [--check]]`.
//!
//! With `--share N`, only every N-th of the cases of each op that become programs is run, beginning with the first; the others are not
//! counted.
//!
//! With `--open`, one size of each case is decided by the run, if possible, and each program runs at several sizes.
//!
//! With `--page`, it writes docs/coreml-ops.md: the operations that were written for each op that is alone in a case, with their first
//! opsets.
//!
//! Separate graphs (`graphs/`) follow, which become operations that no case of the table becomes. `--graphs` runs only these, and `--f16`
//! runs them in f16, where results need to have the same direction as in f32.
//!
//! With `--dump`, each program is also written, with its inputs and the evaluator's results, for `scripts/judge_coreml.py`:
//! `DIR/N/model.mlmodel`, `DIR/N/weights/weight.bin`, and `DIR/N/case.bin`, whose parts `DIR/N/case.json` describes.

#[path = "graphs/mod.rs"]
pub mod graphs;

use graphs::{Example, KeptExample, OpenExample, SIZE, Table, opened, page, repeated};
use prost::Message;
use rlx_compile::{CompileOptions, Param, ParamValues, PrecisionPolicy};
use rlx_conformance::{Args, Case, Counts, Report, Target, TargetError, cases, run};
use rlx_coreml::{
    Conversion, Converted, Dialect, Feature, ModelBuilder, OpenDim, OpenSizes, Opset, Prepared, lowered,
};
use rlx_ir::{Bindings, DType, FloatFormat, Graph, Literal, Op, Scalar, Shape, Symbol};
use rlx_mil::blob::{BlobFile, Blobs};
use rlx_mil::import::{ImportedFunction, ImportedParam, ParamSource};
use rlx_mil::{import, message};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs the table's cases as programs of an opset, read back.
pub struct RoundTrip {
    opset: Opset,
    dump: Option<PathBuf>,
    dumped: Cell<usize>,
    /// Of the programs of each op, one in this many is run.
    share: usize,
    met: RefCell<BTreeMap<String, usize>>,
    /// Whether random numbers may come from CoreML's generator: the import uses the same seeds.
    own_random: Cell<bool>,
    precision: PrecisionPolicy,
    table: RefCell<Table>,
}

/// Records the operations of a block.
fn note(block: &message::Block, opset: Opset, row: &mut BTreeMap<String, Opset>) {
    for operation in block.operations.iter().filter(|operation| operation.r#type != "const") {
        row.entry(operation.r#type.clone()).and_modify(|first| *first = (*first).min(opset)).or_insert(opset);
        operation.blocks.iter().for_each(|block| note(block, opset, row));
    }
}

/// Marks the message about an integer that does not fit in a model's inputs and outputs.
const BEYOND: &str = "has no equal value in";

/// Why a case is not counted.
const LEFT_OUT: &str = "none of the share that is taken";

/// Returns the ops of a graph that compute something.
fn computing(graph: &Graph) -> impl Iterator<Item = &Op> {
    let is_leaf =
        |op: &Op| matches!(op, Op::Input { .. } | Op::Param { .. } | Op::Output { .. } | Op::Constant { .. });
    graph.nodes().iter().map(|node| node.op()).filter(move |op| !is_leaf(op))
}

/// Returns their names.
fn ops_of(graph: &Graph) -> String {
    computing(graph).map(|op| op.mnemonic()).collect::<Vec<_>>().join(" ")
}

/// Returns the only op of a graph, if there is just one.
fn only_op(graph: &Graph) -> String {
    let mut ops = computing(graph);
    match (ops.next(), ops.next()) {
        (Some(op), None) => op.mnemonic().to_string(),
        _ => String::new(),
    }
}

fn failed(e: impl ToString) -> TargetError {
    TargetError::Failed(e.to_string())
}

impl Target for RoundTrip {
    fn name(&self) -> &str {
        "mil"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let opset = self.opset;
        let dialect = Dialect { own_random: self.own_random.get(), ..opset.into() };
        let options = CompileOptions { precision: self.precision, ..CompileOptions::new() };
        let lowered =
            lowered(graph, &[], dialect, &options).map_err(|e| TargetError::Unsupported(e.to_string()))?;
        let lowered = lowered.graph();
        let value =
            |name: &str| inputs.iter().find(|(n, _)| *n == name).map(|(_, value)| value.bytes().into());
        let mut weights = Blobs::new();
        let mut builder = ModelBuilder::new(dialect);
        let emitted = builder.function("main", lowered, &value, &mut weights);
        let emitted = emitted.map_err(|e| TargetError::Unsupported(e.to_string()))?.clone();
        if self.leaves_out(graph) {
            return Err(TargetError::Unsupported(LEFT_OUT.into()));
        }
        let bytes = builder.finish().map_err(failed)?;
        let mut file = Vec::new();
        weights.write_to(&mut file).map_err(failed)?;
        let blobs = BlobFile::open(&file).map_err(failed)?;
        let model = message::Model::decode(&bytes[..]).map_err(failed)?;
        let program = model.ml_program.ok_or_else(|| failed("no program"))?;
        let records = |_: &str, at: u64| blobs.get(at).map(|blob| blob.bytes).map_err(|e| e.to_string());
        for block in program.functions["main"].block_specializations.values() {
            note(block, opset, self.table.borrow_mut().entry(only_op(graph)).or_default());
        }
        let imported = import::function(&program.functions["main"], "main", &records);
        let imported = imported.map_err(|problems| failed(problems.join("; ")))?;
        // The inputs of the model, with its names and types.
        let mut given: Vec<(String, Literal)> = Vec::new();
        let named = lowered.inputs().filter_map(|node| node.name());
        for (name, feature) in named.zip(&emitted.inputs) {
            let (_, value) = inputs.iter().find(|(n, _)| *n == name).ok_or_else(|| failed("no input"))?;
            let value = recast(value, &Shape::new(&feature.dims, feature.dtype));
            // An input that CoreML does not support is not a fault of the program.
            let value = value.map_err(|e| TargetError::Unsupported(e.to_string()))?;
            given.push((feature.name.clone(), value));
        }
        if let Some(folder) = &self.dump {
            let wanted = rlx_ir::eval(graph, inputs).map_err(failed)?;
            let wanted: Result<Vec<Literal>, TargetError> = wanted
                .iter()
                .zip(&emitted.outputs)
                .map(|(value, feature)| recast(value, &Shape::new(&feature.dims, feature.dtype)))
                .collect();
            let outputs: Vec<String> = emitted.outputs.iter().map(|feature| feature.name.clone()).collect();
            self.write(folder, graph, &bytes, &file, &given, &outputs, &wanted?).map_err(failed)?;
        }
        given.extend(values_of(&imported, &blobs).map_err(failed)?);
        let given: Vec<(&str, &Literal)> = given.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let results = rlx_ir::eval(&imported.graph, &given).map_err(failed)?;
        results.iter().zip(lowered.output_shapes()).map(|(result, shape)| recast(result, &shape)).collect()
    }
}

impl RoundTrip {
    /// Creates a round trip with this opset.
    pub fn new(opset: Opset) -> RoundTrip {
        RoundTrip {
            opset,
            dump: None,
            dumped: Cell::new(0),
            share: 1,
            met: RefCell::default(),
            own_random: Cell::new(false),
            precision: PrecisionPolicy::Declared,
            table: RefCell::default(),
        }
    }

    /// Whether a graph does not belong to the share that is run.
    fn leaves_out(&self, graph: &Graph) -> bool {
        let mut met = self.met.borrow_mut();
        let met = met.entry(ops_of(graph)).or_default();
        *met += 1;
        !(*met - 1).is_multiple_of(self.share)
    }

    /// Returns the kinds of operations so far.
    pub fn kinds(&self) -> BTreeSet<String> {
        self.table.borrow().values().flat_map(BTreeMap::keys).cloned().collect()
    }

    /// Runs a separate graph.
    ///
    /// # Errors
    /// Returns what is wrong with the program or its results.
    pub fn example(&self, example: &Example) -> Result<(), String> {
        let given: Vec<(&str, &Literal)> =
            example.values.iter().map(|(name, value)| (name.as_str(), value)).collect();
        self.own_random.set(true);
        self.met.take();
        let got = self.run(&example.graph, &given);
        self.own_random.set(false);
        let got = got.map_err(|error| format!("{error:?}"))?;
        let want = rlx_ir::eval(&example.graph, &given).map_err(|error| error.to_string())?;
        let agree = if self.precision == PrecisionPolicy::Declared { agree } else { point_alike };
        let differ = got.iter().zip(&want).find(|(got, want)| !agree(got, want));
        differ.map_or(Ok(()), |(got, want)| Err(format!("{got:?} instead of {want:?}")))
    }

    /// Runs a graph of open sizes at each of its sizes, as one program.
    ///
    /// # Errors
    /// Returns what is wrong with the program or its results.
    pub fn open_example(&self, example: &OpenExample) -> Result<(), String> {
        let params: ParamValues = example
            .params
            .iter()
            .map(|(name, value)| (name.clone(), Param::new(Arc::new(value.clone()))))
            .collect();
        let program = self.open_program(&example.graph, &example.open, &params)?;
        for sizes in example.sizes {
            let bindings: Bindings =
                example.open.iter().zip(*sizes).map(|(dim, &size)| (dim.symbol.clone(), size)).collect();
            let bound = example.graph.bind(&bindings);
            let dims = bound.input_shapes()[0].static_dims().ok_or("a size is left open")?;
            let given = [("x".to_string(), (example.x)(&dims))];
            self.at_sizes(&program, &bound, &given, &example.params, agree)
                .map_err(|problem| format!("at {sizes:?}: {problem}"))?;
        }
        Ok(())
    }

    /// Runs a case of the table with a size that the run decides, at several sizes. Returns `None` if it has no such size, or if programs
    /// cannot express it.
    ///
    /// # Errors
    /// Returns what is wrong with the program or its results.
    pub fn opened_case(&self, case: &Case) -> Result<Option<usize>, String> {
        let (graph, inputs) = (case.graph(), case.inputs_of(0));
        let Some((open, least)) = opened(&graph) else { return Ok(None) };
        let most = (4 * least).max(64);
        let dims = [OpenDim { symbol: Symbol::new(SIZE), sizes: OpenSizes::Range(least, most) }];
        if self.leaves_out(&graph) {
            return Ok(None);
        }
        let program = match self.open_program(&open, &dims, &ParamValues::new()) {
            Ok(program) => program,
            Err(_) => return Ok(None),
        };
        let sizes = [least, least + 1, 2 * least + 1, most];
        for size in sizes {
            let bound = open.bind(&Bindings::from([(Symbol::new(SIZE), size)]));
            let values: Option<Vec<(String, Literal)>> = inputs
                .iter()
                .map(|(name, value)| {
                    let node = bound.inputs().find(|node| node.name() == Some(name))?;
                    Some((name.to_string(), repeated(value, node.shape())?))
                })
                .collect();
            let values = values.ok_or("an input has no elements")?;
            let same = |got: &Literal, want: &Literal| alike(got, want);
            match self.at_sizes(&program, &bound, &values, &[], same) {
                // An input that CoreML does not support is not a fault of the program.
                Err(problem) if problem.contains(BEYOND) => return Ok(None),
                ran => ran.map_err(|problem| format!("at {size}: {problem}"))?,
            }
        }
        Ok(Some(sizes.len()))
    }

    /// Returns a graph of open sizes as a program.
    fn open_program(
        &self,
        graph: &Graph,
        open: &[OpenDim],
        params: &ParamValues,
    ) -> Result<OpenProgram, String> {
        let text = |e: &dyn std::fmt::Display| e.to_string();
        let options = CompileOptions { precision: self.precision, ..CompileOptions::new() };
        let prepared = Conversion::new(self.opset.into(), options)
            .prepare_open(graph, open, params)
            .map_err(|e| text(&e))?;
        let mut weights = Vec::new();
        prepared.weights.write_to(&mut weights).map_err(|e| text(&e))?;
        let model = message::Model::decode(&prepared.model[..]).map_err(|e| text(&e))?;
        let function = model.ml_program.ok_or("no program")?.functions["main"].clone();
        for block in function.block_specializations.values() {
            note(block, self.opset, self.table.borrow_mut().entry(String::new()).or_default());
        }
        let Prepared { converted, model, .. } = prepared;
        Ok(OpenProgram { function, model, weights, converted })
    }

    /// Runs a program of open sizes at the sizes of a graph.
    fn at_sizes(
        &self,
        program: &OpenProgram,
        bound: &Graph,
        given: &[(String, Literal)],
        params: &[(String, Literal)],
        agree: impl Fn(&Literal, &Literal) -> bool,
    ) -> Result<(), String> {
        let blobs = BlobFile::open(&program.weights).map_err(|e| e.to_string())?;
        let records = |_: &str, at: u64| blobs.get(at).map(|blob| blob.bytes).map_err(|e| e.to_string());
        let named = |values: &[(String, Literal)], graph: &Graph| -> Result<Vec<Literal>, String> {
            let values: Vec<(&str, &Literal)> =
                values.iter().map(|(name, value)| (name.as_str(), value)).collect();
            rlx_ir::eval(graph, &values).map_err(|e| e.to_string())
        };
        let want = named(&[given, params].concat(), bound)?;
        // The inputs of the model, with its names and types.
        let (mut leaves, mut at) = (Vec::new(), BTreeMap::new());
        for (node, feature) in bound.inputs().zip(&program.converted.inputs) {
            let (_, value) = given.iter().find(|(n, _)| Some(n.as_str()) == node.name()).ok_or("no input")?;
            let dims = Feature::sizes(node.shape()).ok_or("an input has no form")?;
            let value = recast(value, &Shape::new(&dims, feature.dtype)).map_err(|e| format!("{e:?}"))?;
            at.insert(feature.name.clone(), dims);
            leaves.push((feature.name.clone(), value));
        }
        let read = import::function_at(&program.function, "main", &at, &records).map_err(|e| e.join("; "))?;
        let inputs = leaves.clone();
        leaves.extend(values_of(&read, &blobs)?);
        let got = named(&leaves, &read.graph)?;
        let mut wanted = Vec::new();
        for ((got, want), feature) in got.iter().zip(&want).zip(&program.converted.outputs) {
            let back = recast(got, want.shape()).map_err(|e| format!("{e:?}"))?;
            if !agree(&back, want) {
                return Err(format!("{back:?} instead of {want:?}"));
            }
            let dims = Feature::sizes(want.shape()).ok_or("an output has no form")?;
            wanted.push(recast(want, &Shape::new(&dims, feature.dtype)).map_err(|e| format!("{e:?}"))?);
        }
        if let Some(folder) = &self.dump {
            let names: Vec<String> =
                program.converted.outputs.iter().map(|feature| feature.name.clone()).collect();
            self.write(folder, bound, &program.model, &program.weights, &inputs, &names, &wanted)
                .map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Runs a function with packed weights, and a state if it has one.
    ///
    /// # Errors
    /// Returns what is wrong with the program or its results.
    pub fn kept_example(&self, example: &KeptExample) -> Result<(), String> {
        if self.opset < example.since {
            return Ok(());
        }
        let text = |e: &dyn std::fmt::Display| e.to_string();
        let (function, values) = (&example.function, example.values());
        let conversion = Conversion {
            weights: example.weights,
            ..Conversion::new(self.opset.into(), CompileOptions::new())
        };
        let prepared = conversion.prepare_functions(std::slice::from_ref(function), &values);
        let prepared = prepared.map_err(|e| text(&e))?;
        let mut file = Vec::new();
        prepared.weights.write_to(&mut file).map_err(|e| text(&e))?;
        let blobs = BlobFile::open(&file).map_err(|e| text(&e))?;
        let model = message::Model::decode(&prepared.model[..]).map_err(|e| text(&e))?;
        let written = &model.ml_program.ok_or("no program")?.functions[&function.name];
        for block in written.block_specializations.values() {
            note(block, self.opset, self.table.borrow_mut().entry(String::new()).or_default());
        }
        let records = |_: &str, at: u64| blobs.get(at).map(|blob| blob.bytes).map_err(|e| e.to_string());
        let read = import::function_at(written, &function.name, &BTreeMap::new(), &records);
        let read = read.map_err(|e| e.join("; "))?;
        let named = |values: &[(String, Literal)]| -> Result<Vec<Literal>, String> {
            let values: Vec<(&str, &Literal)> =
                values.iter().map(|(name, value)| (name.as_str(), value)).collect();
            rlx_ir::eval(&read.graph, &values).map_err(|e| e.to_string())
        };
        let got = named(&[example.inputs.clone(), values_of(&read, &blobs)?].concat())?;
        let own: Vec<(&str, &Literal)> = example
            .inputs
            .iter()
            .chain(&example.params)
            .map(|(name, value)| (name.as_str(), value))
            .collect();
        let want = rlx_ir::eval(&function.graph, &own).map_err(|e| text(&e))?;
        // The outputs of the function come first, then the values of its states.
        let fits = match (&got[..], &want[..]) {
            ([got], [want]) => point_alike(got, want),
            ([given, held], [next, result]) => point_alike(given, result) && held.dtype() == next.dtype(),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(format!("{got:?} instead of {want:?}"))
    }

    #[allow(clippy::too_many_arguments)]
    fn write(
        &self,
        folder: &std::path::Path,
        graph: &Graph,
        model: &[u8],
        weights: &[u8],
        inputs: &[(String, Literal)],
        names: &[String],
        outputs: &[Literal],
    ) -> std::io::Result<()> {
        let number = self.dumped.replace(self.dumped.get() + 1);
        let folder = folder.join(number.to_string());
        fs::create_dir_all(folder.join("weights"))?;
        fs::write(folder.join("model.mlmodel"), model)?;
        fs::write(folder.join("weights/weight.bin"), weights)?;
        let mut data = Vec::new();
        let mut part = |name: &str, value: &Literal| {
            let at = data.len();
            data.extend_from_slice(value.bytes());
            format!(
                "{{\"name\": {name:?}, \"dtype\": {:?}, \"dims\": {:?}, \"at\": {at}}}",
                value.dtype().name(),
                value.dims()
            )
        };
        let inputs: Vec<String> = inputs.iter().map(|(name, value)| part(name, value)).collect();
        let outputs: Vec<String> = names.iter().zip(outputs).map(|(name, value)| part(name, value)).collect();
        let text = graph.to_string();
        let types: Vec<&str> = graph.output_shapes().iter().map(|shape| shape.dtype().name()).collect();
        let json = format!(
            "{{\"graph\": {text:?}, \"types\": {types:?}, \"inputs\": [{}], \"outputs\": [{}]}}",
            inputs.join(", "),
            outputs.join(", ")
        );
        fs::write(folder.join("case.json"), json.replace("\\u{", "\\\\u{").replace("\\'", "'"))?;
        fs::write(folder.join("case.bin"), data)
    }
}

/// A program of open sizes.
struct OpenProgram {
    function: message::Function,
    model: Vec<u8>,
    weights: Vec<u8>,
    converted: Converted,
}

/// Whether values are equal up to rounding in their type, relative to the largest of them.
fn alike(got: &Literal, want: &Literal) -> bool {
    let Some(format) = FloatFormat::of(want.dtype()).filter(|_| want.dtype().is_float()) else {
        return got == want;
    };
    let numbers = |value: &Literal| -> Vec<f64> {
        let element = |bytes: &[u8]| Scalar::read(value.dtype(), bytes).to_f64();
        value.bytes().chunks_exact(value.dtype().size()).map(element).collect()
    };
    let (got, want) = (numbers(got), numbers(want));
    let most = want.iter().filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
    let near = |(a, b): (&f64, &f64)| {
        a == b
            || a.is_nan() && b.is_nan()
            || (a - b).abs() <= 16.0 * format.epsilon() * (b.abs() + most) + 1e-37
    };
    got.len() == want.len() && got.iter().zip(&want).all(near)
}

/// Returns the values of the parameters of an imported function.
fn values_of(read: &ImportedFunction, blobs: &BlobFile<'_>) -> Result<Vec<(String, Literal)>, String> {
    let value = |param: &ImportedParam| match &param.source {
        ParamSource::Record { offset, .. } => {
            let blob = blobs.get(*offset).map_err(|e| e.to_string())?;
            Literal::from_bytes(&param.shape, blob.bytes).map_err(|e| e.to_string())
        }
        ParamSource::Made(value) => Ok(value.clone()),
    };
    read.params.iter().map(|param| Ok((param.name.clone(), value(param)?))).collect()
}

/// Whether values are equal up to a few units in the last place of their type.
fn agree(got: &Literal, want: &Literal) -> bool {
    let (Ok(a), Ok(b), DType::F32) = (got.as_slice::<f32>(), want.as_slice::<f32>(), want.dtype()) else {
        return got == want;
    };
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 4.0 * f32::EPSILON * b.abs().max(8.0);
    a.len() == b.len() && a.iter().zip(b).all(near)
}

/// Whether floats have the same direction within the precision of f16; integers must be equal.
fn point_alike(got: &Literal, want: &Literal) -> bool {
    let (Ok(a), Ok(b)) = (got.as_slice::<f32>(), want.as_slice::<f32>()) else { return got == want };
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) >= 0.9999 * (dot(a, a) * dot(b, b)).sqrt()
}

/// Converts an input or output: other sizes with the same number of elements, in the type that stores them, and back.
fn recast(value: &Literal, shape: &Shape) -> Result<Literal, TargetError> {
    let (from, to) = (value.dtype(), shape.dtype());
    let mut bytes = Vec::with_capacity(value.len() * to.size());
    for element in value.bytes().chunks_exact(from.size()) {
        let number = Scalar::read(from, element);
        let recast = number.convert(to);
        if let (Scalar::Int(a), Scalar::Int(b)) = (number, recast)
            && a != b
        {
            return Err(failed(format!("{a} of {from} {BEYOND} {to}")));
        }
        recast.write(to, &mut bytes);
    }
    Literal::from_bytes(shape, &bytes).map_err(failed)
}

/// Describes how many cases of the table became programs, and how many of these are right.
fn said(report: &Report) -> String {
    let Counts { passed, failed, skipped, .. } = report.of_target("mil");
    let skipped = skipped - report.debt().get(&("mil", LEFT_OUT)).unwrap_or(&0);
    let all = passed + failed + skipped;
    format!(
        "{all} cases: {passed} are right as programs, {failed} are not, {skipped} cannot be written as programs"
    )
}

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() {
    let (mut args, mut skips, mut table, mut alone) = (Args::default(), false, false, false);
    let (mut checks, mut opens) = (false, false);
    let mut target = RoundTrip::new(Opset::Ios18);
    let mut given = std::env::args().skip(1);
    while let Some(arg) = given.next() {
        let mut value = || given.next().unwrap_or_default();
        match arg.as_str() {
            "--ops" => args.ops = value().split(',').map(Into::into).collect(),
            "--families" => args.families = value().split(',').map(Into::into).collect(),
            "--share" => match value().parse() {
                Ok(share) if share > 0 => target.share = share,
                _ => panic!("`--share` needs a number"),
            },
            "--dump" => target.dump = Some(value().into()),
            "--opset" => {
                target.opset = match value().as_str() {
                    "ios15" => Opset::Ios15,
                    "ios16" => Opset::Ios16,
                    "ios17" => Opset::Ios17,
                    _ => Opset::Ios18,
                };
            }
            "--f16" => target.precision = PrecisionPolicy::AlwaysF16,
            "--page" => table = true,
            "--check" => checks = true,
            "--graphs" => alone = true,
            "--open" => opens = true,
            _ => skips = true,
        }
    }
    if table {
        for opset in Opset::ALL {
            target.opset = opset;
            println!("{}: {}", opset.name(), said(&run(&args, &[&target])));
            graphs::all().iter().for_each(|example| _ = target.example(example));
            graphs::open().iter().for_each(|example| _ = target.open_example(example));
            graphs::kept().iter().for_each(|example| _ = target.kept_example(example));
        }
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/coreml-ops.md");
        let text = page(&target.table.borrow());
        if !checks {
            fs::write(path, text).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != text {
            eprintln!("docs/coreml-ops.md is out of date: run without --check");
            std::process::exit(1);
        }
        return;
    }
    let mut failures = 0;
    if opens {
        let wants = |case: &&Case| {
            (args.ops.is_empty() || args.ops.iter().any(|op| op == case.op.mnemonic()))
                && (args.families.is_empty() || args.families.iter().any(|family| family == case.family))
        };
        let (mut programs, mut runs) = (0, 0);
        for case in cases::all().iter().filter(wants) {
            match target.opened_case(case) {
                Ok(None) => {}
                Ok(Some(sizes)) => (programs, runs) = (programs + 1, runs + sizes),
                Err(problem) => {
                    failures += 1;
                    println!("FAILED {}: {problem}", case.name);
                }
            }
        }
        println!(
            "{programs} cases with an open size as programs, {runs} runs, {failures} of them were wrong"
        );
    } else if !alone {
        let report = run(&args, &[&target]);
        failures += report.failures().len();
        report.failures().iter().for_each(|note| println!("FAILED {note:?}"));
        if skips {
            let skips = report.skips().iter().filter(|note| note.message != LEFT_OUT);
            skips.for_each(|note| println!("skipped {note:?}"));
        }
        println!("{}", said(&report));
    }
    if args.ops.is_empty() && args.families.is_empty() && !opens {
        let mut examples = graphs::all();
        // The numbers that are drawn depend on each bit of the operands.
        examples.retain(|e| target.precision == PrecisionPolicy::Declared || !e.kind.starts_with("random_"));
        let mut failed = |name: &str, problem: String| {
            failures += 1;
            println!("FAILED {name}: {problem}");
        };
        for example in &examples {
            _ = target.example(example).map_err(|problem| failed(example.kind, problem));
        }
        for example in graphs::open() {
            _ = target.open_example(&example).map_err(|problem| failed(example.name, problem));
        }
        for example in graphs::kept() {
            let problem = |problem| failed("packed weights and a state", problem);
            _ = target.kept_example(&example).map_err(problem);
        }
        let (open, kept) = (graphs::open().len(), graphs::kept().len());
        println!(
            "and {} separate graphs, {open} with open sizes, {kept} with packed weights",
            examples.len()
        );
    }
    if failures > 0 {
        std::process::exit(1);
    }
}
