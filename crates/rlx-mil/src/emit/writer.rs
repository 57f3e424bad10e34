//! The blocks that are being written: operations, constants and names. Families decide what operations mean.

use super::value::{Elem, Held, Known, Var};
use rlx_ir::{FloatFormat, Literal, QuantScheme, Shape};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Why an op cannot be written in this form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Declined(pub(crate) String);

impl From<String> for Declined {
    fn from(reason: String) -> Declined {
        Declined(reason)
    }
}

impl From<&str> for Declined {
    fn from(reason: &str) -> Declined {
        Declined(reason.into())
    }
}

/// The result of writing an op.
pub(crate) type Written = Result<Vec<Held>, Declined>;

/// The opset that a program uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Opset {
    /// iOS 15, macOS 12.
    Ios15,
    /// iOS 16, macOS 13.
    Ios16,
    /// iOS 17, macOS 14.
    Ios17,
    /// iOS 18, macOS 15.
    Ios18,
}

/// The systems with names for opsets.
const SYSTEMS: [(&str, u32); 5] = [("ios", 15), ("ipados", 15), ("tvos", 15), ("macos", 12), ("watchos", 8)];

impl Opset {
    /// All opsets, the oldest first.
    pub const ALL: [Opset; 4] = [Opset::Ios15, Opset::Ios16, Opset::Ios17, Opset::Ios18];

    /// Returns the opset of a system: `ios16`, `macos15`, `watchos9` and so on.
    pub fn of_system(name: &str) -> Option<Opset> {
        let (system, first) = SYSTEMS.iter().find(|(system, _)| name.starts_with(system))?;
        let version: u32 = name[system.len()..].parse().ok()?;
        Opset::ALL.get(version.checked_sub(*first)? as usize).copied()
    }

    /// Returns its name in functions.
    pub fn name(self) -> &'static str {
        match self {
            Opset::Ios15 => "CoreML5",
            Opset::Ios16 => "CoreML6",
            Opset::Ios17 => "CoreML7",
            Opset::Ios18 => "CoreML8",
        }
    }

    /// Returns the version of CoreML's specification for a model with this opset.
    pub fn specification_version(self) -> i32 {
        match self {
            Opset::Ios15 => 6,
            Opset::Ios16 => 7,
            Opset::Ios17 => 8,
            Opset::Ios18 => 9,
        }
    }
}

/// How programs are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// The opset.
    pub opset: Opset,
    /// Whether f16 attention may compute its scores in f16, as the Neural Engine does, instead of in f32, as the op is defined.
    pub half_scores: bool,
    /// Whether random numbers may come from CoreML's generator: different numbers than the op's, with the same distribution. Otherwise,
    /// random ops are not supported, because programs have no bitwise operations.
    pub own_random: bool,
}

impl From<Opset> for Dialect {
    fn from(opset: Opset) -> Dialect {
        Dialect { opset, half_scores: false, own_random: false }
    }
}

/// An argument of an operation.
#[derive(Clone)]
pub(crate) enum Arg {
    /// Values, by name.
    Vars(Vec<Arc<str>>),
    /// A constant that only this operation uses.
    Constant(Const),
}

/// A constant argument.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Const {
    Bool(bool),
    Int(i32),
    /// An unsigned 32-bit number.
    Count(u32),
    Ints(Vec<i32>),
    /// Rows of two numbers.
    Pairs(Vec<[i32; 2]>),
    Bools(Vec<bool>),
    Text(&'static str),
    /// A number in one of the float types.
    Float(f32, Elem),
}

impl From<bool> for Arg {
    fn from(value: bool) -> Arg {
        Arg::Constant(Const::Bool(value))
    }
}

impl From<i32> for Arg {
    fn from(value: i32) -> Arg {
        Arg::Constant(Const::Int(value))
    }
}

impl From<Vec<i32>> for Arg {
    fn from(values: Vec<i32>) -> Arg {
        Arg::Constant(Const::Ints(values))
    }
}

impl From<Vec<bool>> for Arg {
    fn from(values: Vec<bool>) -> Arg {
        Arg::Constant(Const::Bools(values))
    }
}

impl From<&[usize]> for Arg {
    fn from(values: &[usize]) -> Arg {
        // Sizes and positions fit in 32 bits: `sizes` has checked them.
        Arg::Constant(Const::Ints(values.iter().map(|&n| n as i32).collect()))
    }
}

impl From<&'static str> for Arg {
    fn from(text: &'static str) -> Arg {
        Arg::Constant(Const::Text(text))
    }
}

impl From<&Var> for Arg {
    fn from(var: &Var) -> Arg {
        Arg::Vars(vec![var.name.clone()])
    }
}

impl From<&[Var]> for Arg {
    fn from(vars: &[Var]) -> Arg {
        Arg::Vars(vars.iter().map(|var| var.name.clone()).collect())
    }
}

/// An operation of a block.
pub(crate) struct Operation {
    pub(crate) kind: &'static str,
    /// Its name, unique in the program.
    pub(crate) name: Arc<str>,
    pub(crate) inputs: Vec<(&'static str, Arg)>,
    pub(crate) outputs: Vec<Var>,
    pub(crate) blocks: Vec<WrittenBlock>,
}

/// A block: its inputs, operations and outputs.
#[derive(Default)]
pub(crate) struct WrittenBlock {
    pub(crate) inputs: Vec<Var>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) outputs: Vec<Var>,
}

/// Writes a function, block by block.
pub(crate) struct ProgramWriter {
    pub(crate) opset: Opset,
    pub(crate) half_scores: bool,
    pub(crate) own_random: bool,
    /// The open blocks, the innermost last, each with its constants.
    open: Vec<(Vec<Operation>, HashMap<(Elem, Vec<usize>, Vec<u8>), Var>)>,
    taken: HashSet<Arc<str>>,
    /// How often each name was requested.
    asked: HashMap<Arc<str>, usize>,
    /// Values of the outermost block that are written only once, by key.
    once: HashMap<String, Var>,
    /// The packed parameters with their formats; `None` if the graph is not known, in which case any parameter may be packed.
    pub(crate) packed: Option<BTreeMap<String, QuantScheme>>,
    /// What could not be written.
    pub(crate) problems: Vec<String>,
    /// The place in the model that operations belong to, which becomes part of their names.
    pub(crate) label: String,
}

impl ProgramWriter {
    pub(crate) fn new(dialect: Dialect) -> ProgramWriter {
        let Dialect { opset, half_scores, own_random } = dialect;
        ProgramWriter {
            opset,
            half_scores,
            own_random,
            open: vec![Default::default()],
            taken: HashSet::new(),
            asked: HashMap::new(),
            once: HashMap::new(),
            packed: None,
            problems: Vec::new(),
            label: String::new(),
        }
    }

    /// Writes a value at most once per key, in the outermost block, where all blocks can use it.
    pub(crate) fn once(&mut self, name: String, write: impl FnOnce(&mut ProgramWriter) -> Var) -> Var {
        if self.open.len() > 1 {
            return write(self);
        }
        if let Some(var) = self.once.get(&name) {
            return var.clone();
        }
        let var = write(self);
        self.once.insert(name, var.clone());
        var
    }

    /// Returns a unique name similar to this one.
    pub(crate) fn name(&mut self, like: &str) -> Arc<str> {
        let like: Arc<str> = rlx_escape::identifier(like, '_').into();
        let count = self.asked.entry(like.clone()).or_insert(0);
        loop {
            let name: Arc<str> = if *count == 0 { like.clone() } else { format!("{like}_{count}").into() };
            *count += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    fn named(&mut self, what: &str) -> Arc<str> {
        if self.label.is_empty() {
            return self.name(what);
        }
        let like = format!("{}_{what}", self.label);
        self.name(&like)
    }

    fn push(&mut self, operation: Operation) {
        // INVARIANT: the outermost block is not closed before the end.
        if let Some((operations, _)) = self.open.last_mut() {
            operations.push(operation);
        }
    }

    /// Writes an operation with one result.
    pub(crate) fn op<const N: usize>(
        &mut self,
        kind: &'static str,
        inputs: [(&'static str, Arg); N],
        elem: Elem,
        dims: Vec<usize>,
    ) -> Var {
        self.op_of(kind, inputs.into(), elem, dims)
    }

    /// Like [`op`](Self::op), but accepts a variable number of inputs.
    pub(crate) fn op_of(
        &mut self,
        kind: &'static str,
        inputs: Vec<(&'static str, Arg)>,
        elem: Elem,
        dims: Vec<usize>,
    ) -> Var {
        let name = self.named(kind);
        let var = Var { name: name.clone(), elem, dims, known: None };
        self.push(Operation { kind, name, inputs, outputs: vec![var.clone()], blocks: Vec::new() });
        var
    }

    /// Writes an operation on one value, with this name for its result.
    pub(crate) fn renamed(&mut self, kind: &'static str, x: &Var, name: Arc<str>) -> Var {
        let var = Var { name: name.clone(), known: None, ..x.clone() };
        let inputs = vec![("x", x.into())];
        self.push(Operation { kind, name, inputs, outputs: vec![var.clone()], blocks: Vec::new() });
        var
    }

    /// Writes an operation with results of these types, and nested blocks.
    pub(crate) fn results(
        &mut self,
        kind: &'static str,
        inputs: Vec<(&'static str, Arg)>,
        results: Vec<(Elem, Vec<usize>)>,
        blocks: Vec<WrittenBlock>,
    ) -> Vec<Var> {
        let name = self.named(kind);
        let mut output = |(elem, dims)| Var { name: self.name(&name), elem, dims, known: None };
        let outputs: Vec<Var> = results.into_iter().map(&mut output).collect();
        self.push(Operation { kind, name, inputs, outputs: outputs.clone(), blocks });
        outputs
    }

    /// Writes a block inside the current one.
    pub(crate) fn block(
        &mut self,
        inputs: Vec<(Elem, Vec<usize>)>,
        write: impl FnOnce(&mut ProgramWriter, &[Var]) -> Result<Vec<Var>, Declined>,
    ) -> Result<WrittenBlock, Declined> {
        let mut input = |(elem, dims)| Var { name: self.name("carried"), elem, dims, known: None };
        let inputs: Vec<Var> = inputs.into_iter().map(&mut input).collect();
        self.open.push(Default::default());
        let outputs = write(self, &inputs);
        let (operations, _) = self.open.pop().unwrap_or_default();
        Ok(WrittenBlock { inputs, operations, outputs: outputs? })
    }

    /// Whether a value is a constant, or computed only from constants.
    pub(crate) fn is_constant(&self, x: &Var) -> bool {
        let made: HashMap<&str, &Operation> = self
            .open
            .iter()
            .flat_map(|(operations, _)| operations)
            .flat_map(|op| op.outputs.iter().map(move |var| (&*var.name, op)))
            .collect();
        let (mut next, mut seen) = (vec![&*x.name], HashSet::new());
        if x.known.is_some() {
            return true;
        }
        while let Some(name) = next.pop() {
            // Inputs and values carried by loops are not computed by an operation.
            let Some(op) = made.get(name).filter(|op| op.blocks.is_empty()) else { return false };
            let args = op.inputs.iter().filter_map(|(_, arg)| match arg {
                Arg::Vars(names) => Some(names),
                Arg::Constant(_) => None,
            });
            next.extend(args.flatten().map(|name| &**name).filter(|name| seen.insert(*name)));
        }
        true
    }

    /// Returns the source of a value that transposes matrices.
    pub(crate) fn turned(&self, x: &Var) -> Option<Var> {
        let last = x.rank().checked_sub(1).filter(|&last| last > 0)?;
        let operations = || self.open.iter().rev().flat_map(|(operations, _)| operations.iter().rev());
        let made_by =
            |name: &Arc<str>| operations().find(|op| op.outputs.iter().any(|var| var.name == *name));
        let made = made_by(&x.name).filter(|made| made.kind == "transpose")?;
        let input = |place: &str| made.inputs.iter().find(|(at, _)| *at == place).map(|(_, arg)| arg);
        let (Some(Arg::Vars(names)), Some(Arg::Constant(Const::Ints(perm)))) = (input("x"), input("perm"))
        else {
            return None;
        };
        let is_turned = |(axis, &from): (usize, &i32)| {
            let wanted = if axis + 1 < last { axis } else { 2 * last - 1 - axis };
            usize::try_from(from) == Ok(wanted)
        };
        let source = names.first().filter(|_| perm.iter().enumerate().all(is_turned))?;
        made_by(source)?.outputs.iter().find(|var| var.name == *source).cloned()
    }

    /// Returns the operations of the outermost block.
    pub(crate) fn finish(mut self) -> Vec<Operation> {
        self.open.pop().unwrap_or_default().0
    }

    /// Writes a known value.
    pub(crate) fn known(&mut self, known: Known, elem: Elem, dims: Vec<usize>, like: &str) -> Var {
        let key = match &known {
            Known::Literal(literal) if literal.len() < 10 => {
                Some((elem, dims.clone(), literal.bytes().to_vec()))
            }
            _ => None,
        };
        if let Some(key) = &key
            && let Some(var) = self.open.iter().find_map(|(_, constants)| constants.get(key))
        {
            return var.clone();
        }
        let name = self.named(like);
        let var = Var { name: name.clone(), elem, dims, known: Some(known) };
        let outputs = vec![var.clone()];
        let operation = Operation { kind: "const", name, inputs: Vec::new(), outputs, blocks: Vec::new() };
        // Large constants go in the outermost block, where nested blocks can use them.
        let block = if key.is_some() { self.open.last_mut() } else { self.open.first_mut() };
        if let Some((operations, _)) = block {
            operations.push(operation);
        }
        if let (Some(key), Some((_, constants))) = (key, self.open.last_mut()) {
            constants.insert(key, var.clone());
        }
        var
    }

    /// Writes a tensor of these elements.
    pub(crate) fn literal(&mut self, literal: Literal) -> Result<Var, Declined> {
        let (elem, dims) = super::value::sizes(literal.shape())?;
        let literal = super::constants::held(literal, elem)?;
        Ok(self.known(Known::Literal(literal), elem, dims, "const"))
    }

    /// Writes a scalar.
    pub(crate) fn scalar(&mut self, value: f64, elem: Elem) -> Var {
        self.filled(value, elem, &[])
    }

    /// Returns the number that a norm adds to avoid division by 0. In f16, it is at least the minimum positive number, as in coremltools.
    pub(crate) fn epsilon(&mut self, value: f64, elem: Elem) -> Var {
        let least = FloatFormat::of(elem.dtype()).map_or(0.0, FloatFormat::min_subnormal);
        self.scalar(if value > 0.0 { value.max(least) } else { value }, elem)
    }

    /// Writes a tensor of equal elements.
    pub(crate) fn filled(&mut self, value: f64, elem: Elem, dims: &[usize]) -> Var {
        let count = dims.iter().product();
        let bytes = match elem {
            Elem::F16 => half::f16::from_f64(value).to_le_bytes().repeat(count),
            Elem::F32 => (value as f32).to_le_bytes().repeat(count),
            Elem::I32 => (value as i32).to_le_bytes().repeat(count),
            Elem::Bool => vec![u8::from(value != 0.0); count],
            Elem::I8 => vec![(value as i8).cast_unsigned(); count],
            Elem::U8 => vec![value as u8; count],
        };
        // INVARIANT: the number of bytes matches the shape.
        let literal = Literal::from_bytes(&Shape::new(dims, elem.dtype()), &bytes);
        let literal = literal.unwrap_or_else(|_| Literal::scalar(0f32));
        self.known(Known::Literal(literal), elem, dims.to_vec(), "const")
    }

    /// Writes a vector of integers.
    pub(crate) fn ints(&mut self, values: &[i32]) -> Var {
        let bytes: Vec<u8> = values.iter().flat_map(|n| n.to_le_bytes()).collect();
        // INVARIANT: the number of bytes matches the shape.
        let literal = Literal::from_bytes(&Shape::new(&[values.len()], rlx_ir::DType::I32), &bytes);
        let literal = literal.unwrap_or_else(|_| Literal::scalar(0i32));
        self.known(Known::Literal(literal), Elem::I32, vec![values.len()], "const")
    }
}
