//! Finds runs of arithmetic on one float type that become compiled loops, as long as there are enough registers.

use super::dag::{Definition, ExprDag, SsaValue};
use crate::isa::Cpu;
use rlx_elementwise::compiled::{Arithmetic, LoopSource, LoopSpec, MachineCode, compile};
use rlx_elementwise::compute_type::ComputeType;
use rlx_elementwise::tile::Formula;
use std::sync::Arc;

/// The values that one loop computes.
#[derive(Debug)]
pub(crate) struct Segment {
    /// In order. Only the loop reads them, except for the outputs.
    pub(crate) values: Vec<SsaValue>,
    /// The values of the loop's pointers: first those that it reads, then those that it stores.
    pub(crate) inputs: Vec<SsaValue>,
    pub(crate) outputs: Vec<SsaValue>,
    pub(crate) code: Arc<MachineCode>,
}

/// What is known about the values of a program.
pub(crate) struct Usage<'a> {
    /// The last value that uses each value; beyond all of them for results.
    pub(crate) last: &'a [usize],
    /// Values that are never computed.
    pub(crate) skipped: &'a [bool],
    /// Operands that are a single stored number for every index.
    pub(crate) uniform: &'a [bool],
}

/// Finds the loops of a program, in order.
pub(crate) fn segments(dag: &ExprDag, usage: &Usage<'_>, cpu: Cpu) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut run: Vec<SsaValue> = Vec::new();
    let mut end = |run: &mut Vec<SsaValue>| {
        compile_run(dag, usage, cpu, run, &mut segments);
        run.clear();
    };
    for (i, value) in dag.values.iter().enumerate() {
        let Definition::Apply { code, .. } = value else { continue };
        if usage.skipped[i] {
            continue;
        }
        let compute = dag.compute_types[i];
        let joins = code.formula.is_some() && matches!(compute, ComputeType::F32 | ComputeType::F64);
        if !joins || run.last().is_some_and(|last| dag.compute_types[last.0] != compute) {
            end(&mut run);
        }
        if joins {
            run.push(SsaValue(i));
        }
    }
    end(&mut run);
    segments
}

/// Compiles a run to one loop, or to two for its halves if it is too long. A single instruction stays as it is.
fn compile_run(dag: &ExprDag, usage: &Usage<'_>, cpu: Cpu, run: &[SsaValue], segments: &mut Vec<Segment>) {
    if run.len() < 2 {
        return;
    }
    let writer = LoopWriter::new(dag, usage, run);
    let spec = writer.spec();
    let code = match compile(&spec, cpu) {
        Ok(code) => code,
        Err(error) if error.is_size() => {
            let (first, second) = run.split_at(run.len() / 2);
            compile_run(dag, usage, cpu, first, segments);
            return compile_run(dag, usage, cpu, second, segments);
        }
        // Its instructions run one after the other.
        Err(_) => return,
    };
    segments.push(Segment { values: run.to_vec(), inputs: writer.inputs, outputs: writer.outputs, code });
}

/// A value of a loop that is being built.
#[derive(Clone, Copy, PartialEq)]
enum LoopValue {
    Source(usize),
    Step(usize),
}

/// Translates values of a program to values of a loop.
struct LoopWriter<'a> {
    dag: &'a ExprDag,
    uniform: &'a [bool],
    is_double: bool,
    inputs: Vec<SsaValue>,
    outputs: Vec<SsaValue>,
    sources: Vec<LoopSource>,
    steps: Vec<(Arithmetic, [LoopValue; 2])>,
    /// The loop's values for those of the program.
    values: Vec<(SsaValue, LoopValue)>,
}

impl<'a> LoopWriter<'a> {
    fn new(dag: &'a ExprDag, usage: &Usage<'a>, run: &[SsaValue]) -> LoopWriter<'a> {
        let end = run[run.len() - 1].0;
        let mut writer = LoopWriter {
            dag,
            uniform: usage.uniform,
            is_double: dag.compute_types[end] == ComputeType::F64,
            inputs: Vec::new(),
            outputs: run.iter().copied().filter(|value| usage.last[value.0] > end).collect(),
            sources: Vec::new(),
            steps: Vec::new(),
            values: Vec::new(),
        };
        for &value in run {
            if let Definition::Apply { code, args, .. } = &dag.values[value.0]
                && let Some(formula) = code.formula
            {
                let computed = writer.formula(formula, args);
                writer.values.push((value, computed));
            }
        }
        writer
    }

    fn spec(&self) -> LoopSpec {
        let number = |value| match value {
            LoopValue::Source(i) => i,
            LoopValue::Step(i) => self.sources.len() + i,
        };
        let found =
            |value| self.values.iter().find(|known| known.0 == value).map_or(0, |known| number(known.1));
        let stores = self.outputs.iter().enumerate().map(|(i, &value)| (found(value), self.inputs.len() + i));
        LoopSpec {
            is_double: self.is_double,
            sources: self.sources.clone(),
            steps: self.steps.iter().map(|&(arithmetic, args)| (arithmetic, args.map(number))).collect(),
            stores: stores.collect(),
            streams: self.inputs.len() + self.outputs.len(),
        }
    }

    fn formula(&mut self, formula: Formula, args: &[SsaValue]) -> LoopValue {
        let x = self.value(args[0]);
        let y = args.get(1).map_or(x, |&arg| self.value(arg));
        match formula {
            Formula::Add => self.step(Arithmetic::Add, [x, y]),
            Formula::Sub => self.step(Arithmetic::Sub, [x, y]),
            Formula::Mul | Formula::Square => self.step(Arithmetic::Mul, [x, y]),
            Formula::Div => self.step(Arithmetic::Div, [x, y]),
            Formula::Max => self.step(Arithmetic::Maximum, [x, y]),
            Formula::Min => self.step(Arithmetic::Minimum, [x, y]),
            Formula::Sqrt => self.step(Arithmetic::Sqrt, [x, x]),
            Formula::Neg => {
                let sign = self.number(-0.0);
                self.step(Arithmetic::Xor, [x, sign])
            }
            Formula::Abs => {
                let magnitude = self.bits(if self.is_double { !(1 << 63) } else { !(1 << 31) });
                self.step(Arithmetic::And, [x, magnitude])
            }
            Formula::Relu => {
                let zero = self.number(0.0);
                self.step(Arithmetic::Maximum, [x, zero])
            }
            Formula::Reciprocal => {
                let one = self.number(1.0);
                self.step(Arithmetic::Div, [one, x])
            }
            Formula::InverseRoot => {
                let (one, root) = (self.number(1.0), self.step(Arithmetic::Sqrt, [x, x]));
                self.step(Arithmetic::Div, [one, root])
            }
        }
    }

    fn step(&mut self, arithmetic: Arithmetic, args: [LoopValue; 2]) -> LoopValue {
        self.steps.push((arithmetic, args));
        LoopValue::Step(self.steps.len() - 1)
    }

    /// Returns a number of the loop's type.
    fn number(&mut self, x: f32) -> LoopValue {
        self.bits(if self.is_double { f64::from(x).to_bits() } else { u64::from(x.to_bits()) })
    }

    fn bits(&mut self, bits: u64) -> LoopValue {
        let bits = if self.is_double { bits } else { bits & u64::from(u32::MAX) };
        self.source(LoopSource::Constant(bits))
    }

    fn source(&mut self, source: LoopSource) -> LoopValue {
        let found = self.sources.iter().position(|&known| known == source);
        LoopValue::Source(found.unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        }))
    }

    /// Returns the loop's value for a value of the program: an earlier step, or a source.
    fn value(&mut self, value: SsaValue) -> LoopValue {
        if let Some(known) = self.values.iter().find(|known| known.0 == value) {
            return known.1;
        }
        let source = match &self.dag.values[value.0] {
            Definition::Constant { bytes } => {
                let mut first = [0; 8];
                first.copy_from_slice(&bytes[..8]);
                return self.bits(u64::from_le_bytes(first));
            }
            _ if self.uniform[value.0] => LoopSource::Uniform(self.inputs.len()),
            _ => LoopSource::Moving(self.inputs.len()),
        };
        self.inputs.push(value);
        let source = self.source(source);
        self.values.push((value, source));
        source
    }
}
