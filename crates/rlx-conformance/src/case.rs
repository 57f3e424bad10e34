//! Rows and cases: a row is an op with operands of open element type, and becomes a case for each type that the op
//! accepts. Owns how a case's graph, inputs and key follow from its row.

use crate::bound::Verdict;
use crate::data::Gen;
use crate::stream::{FNV_START, Stream, fnv1a};
use rlx_ir::{Builder, DType, DTypeSet, Graph, Literal, NodeId, Op, OpKind, Shape, Tensor};

/// The element type of an operand, where `T` is that of the row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Type {
    /// `T`.
    Same,
    /// The type of the real part of `T`.
    Real,
    /// This type, regardless of `T`.
    Is(DType),
}

impl Type {
    fn resolve(self, dtype: DType) -> DType {
        match self {
            Type::Same => dtype,
            Type::Real => dtype.real(),
            Type::Is(fixed) => fixed,
        }
    }
}

#[derive(Clone, Debug)]
struct Operand {
    dims: Vec<usize>,
    dtype: Type,
    data: Gen,
}

/// How the result of a backend may differ from the evaluator's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// By the error bound that [`crate::bound`] derives from the graph. Results that are not affected by rounding must agree bit for bit.
    Derived,
    /// Not at all: the operands are chosen so that nothing rounds, in any order of operations.
    Exact,
    /// By this many units of rounding of the largest magnitude of a result. Used for factorizations and transforms,
    /// whose error is stated for the whole result (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, ch.
    /// 10, 19, 24).
    Norm(f64),
}

/// Whether the op defines the sign of a zero in the result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Zeros {
    /// Yes: the sign is compared.
    Signed,
    /// No: the sign of a sum of zeros of both signs depends on the order.
    Unsigned,
}

/// The minimum share of a case's elements for which a wrong value would be detected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged {
    /// From 0 to 1.
    pub least: f64,
    /// Why it is less than the table's. Empty for the table's own share.
    pub reason: &'static str,
}

impl Judged {
    /// The share that the table requires of cases without their own.
    pub const TABLE: Judged = Judged { least: 0.9, reason: "" };

    /// Fails if too few elements were judged, or none at all.
    pub(crate) fn enough(self, verdict: Verdict) -> Result<(), String> {
        let Verdict { judged, unjudged } = verdict;
        if verdict.share() >= self.least && (judged > 0 || unjudged == 0) {
            return Ok(());
        }
        let (all, least) = (judged + unjudged, 100.0 * self.least);
        Err(format!("only {judged} of {all} elements could be judged, the case asks for {least} %"))
    }
}

/// Maps an op's operands and results to the tensors to compare.
pub type Finish = fn(&[Tensor], &[Tensor]) -> Vec<Tensor>;

type MakeOp = Box<dyn Fn(DType) -> Op + Send + Sync>;

/// One row of the table: an op with its attributes, and a description of its operands.
pub struct Row {
    make: MakeOp,
    note: String,
    operands: Vec<Operand>,
    dtypes: DTypeSet,
    bound: Bound,
    zeros: Zeros,
    judged: Option<(DTypeSet, Judged)>,
    finish: Option<Finish>,
}

impl Row {
    /// Creates a row for an op whose attributes depend on the row's element type.
    pub fn of(make: impl Fn(DType) -> Op + Send + Sync + 'static) -> Row {
        Row {
            make: Box::new(make),
            note: String::new(),
            operands: Vec::new(),
            dtypes: DTypeSet::ALL,
            bound: Bound::Derived,
            zeros: Zeros::Signed,
            judged: None,
            finish: None,
        }
    }

    /// Creates a row for an op that is the same for every element type.
    pub fn new(op: Op) -> Row {
        Row::of(move |_| op.clone())
    }

    /// Adds an operand of the row's element type.
    pub fn x(self, dims: &[usize], data: Gen) -> Row {
        self.typed(Type::Same, dims, data)
    }

    /// Adds an operand of a fixed element type.
    pub fn is(self, dtype: DType, dims: &[usize], data: Gen) -> Row {
        self.typed(Type::Is(dtype), dims, data)
    }

    /// Adds an operand.
    pub fn typed(mut self, dtype: Type, dims: &[usize], data: Gen) -> Row {
        self.operands.push(Operand { dims: dims.to_vec(), dtype, data });
        self
    }

    /// Describes what distinguishes the row from other rows of the op.
    pub fn note(mut self, note: impl Into<String>) -> Row {
        self.note = note.into();
        self
    }

    /// Restricts the element types, for rows that only make sense for some.
    pub fn only(mut self, dtypes: DTypeSet) -> Row {
        self.dtypes = dtypes;
        self
    }

    /// Sets how a backend's result may differ.
    pub fn within(mut self, bound: Bound) -> Row {
        self.bound = bound;
        self
    }

    /// Declares that the sign of a zero in the result is not defined.
    pub fn any_zero(mut self) -> Row {
        self.zeros = Zeros::Unsigned;
        self
    }

    /// Requires a smaller share of judged elements for cases of these types than the table does, for a reason.
    pub fn judged(mut self, dtypes: DTypeSet, least: f64, reason: &'static str) -> Row {
        self.judged = Some((dtypes, Judged { least, reason }));
        self
    }

    /// Compares what `finish` computes from the operands and the results, because the results themselves are not
    /// unique. For example, the eigenvectors of a matrix have an arbitrary phase, but the matrix that they reconstruct
    /// does not.
    pub fn compare(mut self, finish: Finish) -> Row {
        self.finish = Some(finish);
        self
    }

    /// Returns the cases of the row: one for each element type that the op accepts.
    pub fn expand(&self, family: &'static str) -> Vec<Case> {
        self.dtypes.iter().filter_map(|dtype| self.case(family, dtype)).collect()
    }

    /// Returns the case of one element type, even if the row is restricted to others.
    pub fn of_type(&self, family: &'static str, dtype: DType) -> Option<Case> {
        self.case(family, dtype)
    }

    fn case(&self, family: &'static str, dtype: DType) -> Option<Case> {
        let op = (self.make)(dtype);
        let operands: Vec<(Shape, Gen)> =
            self.operands.iter().map(|o| (Shape::new(&o.dims, o.dtype.resolve(dtype)), o.data)).collect();
        let shapes: Vec<Shape> = operands.iter().map(|o| o.0.clone()).collect();
        op.infer(&shapes).ok()?;
        let operand_text: Vec<String> = operands.iter().map(|(s, g)| format!("{s} {g:?}")).collect();
        let note = if self.note.is_empty() { String::new() } else { format!(" ({})", self.note) };
        let name = format!("{}{note} {dtype}: {}", op.mnemonic(), operand_text.join(", "));
        let finish = self.finish;
        let Row { bound, zeros, .. } = *self;
        let judged = self.judged.filter(|(dtypes, _)| dtypes.contains(dtype)).map_or(Judged::TABLE, |j| j.1);
        Some(Case { name, family, op, dtype, operands, bound, zeros, judged, finish })
    }

    /// Returns the types that the op accepts for each operand, regardless of the row's restriction: all element types
    /// of the row and, for operands with a type of their own, all other types in their place. For an op without
    /// operands, these are the types of its results.
    pub fn accepts(&self) -> Vec<(usize, DType)> {
        let mut accepted = Vec::new();
        for dtype in DType::ALL {
            let op = (self.make)(dtype);
            let shape = |o: &Operand| Shape::new(&o.dims, o.dtype.resolve(dtype));
            let shapes: Vec<Shape> = self.operands.iter().map(shape).collect();
            let Ok(results) = op.infer(&shapes) else { continue };
            let own = if shapes.is_empty() { &results[..1] } else { &shapes };
            accepted.extend(own.iter().enumerate().map(|(i, s)| (i, s.dtype())));
            for (i, operand) in self.operands.iter().enumerate() {
                let Type::Is(_) = operand.dtype else { continue };
                for other in DType::ALL {
                    let mut shapes = shapes.clone();
                    shapes[i] = shapes[i].with_dtype(other);
                    if op.infer(&shapes).is_ok() {
                        accepted.push((i, other));
                    }
                }
            }
        }
        accepted
    }

    /// Describes the op, the row's note and its operands, for messages about a row without cases.
    pub fn describe(&self) -> String {
        format!("{:?} {} {:?}", (self.make)(DType::F32), self.note, self.operands)
    }
}

/// One op on operands of certain shapes and values.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name, which is unique among all cases.
    pub name: String,
    /// The family that it belongs to.
    pub family: &'static str,
    /// The op.
    pub op: Op,
    /// The row's element type.
    pub dtype: DType,
    /// How the result of a backend may differ from the evaluator's.
    pub bound: Bound,
    /// Whether signs of zeros are compared.
    pub zeros: Zeros,
    /// The minimum share of elements that must be judged.
    pub judged: Judged,
    operands: Vec<(Shape, Gen)>,
    finish: Option<Finish>,
}

/// Values by name.
pub type Inputs = Vec<(String, Literal)>;

impl Case {
    /// Returns the shapes of the operands.
    pub fn operands(&self) -> Vec<Shape> {
        self.operands.iter().map(|o| o.0.clone()).collect()
    }

    /// Returns the kind of the op.
    pub fn kind(&self) -> OpKind {
        self.op.kind()
    }

    /// Returns a graph of the op. Its inputs are `x0`, `x1`, …, and its outputs are all results, or what the row compares.
    pub fn graph(&self) -> Graph {
        if let Some(finish) = self.finish {
            return self.finished(finish);
        }
        let mut graph = Graph::new(self.op.mnemonic());
        let ids: Vec<NodeId> = self
            .operands
            .iter()
            .enumerate()
            .map(|(i, (shape, _))| graph.input(format!("x{i}"), shape.clone()))
            .collect();
        let shapes: Vec<Shape> = self.operands.iter().map(|o| o.0.clone()).collect();
        // INVARIANT: a row only makes a case of operands that the rule accepts.
        let results = self.op.infer(&shapes).unwrap_or_default();
        let count = results.len();
        let id = graph.push(self.op.clone(), ids, results.clone());
        let outputs = if count == 1 {
            vec![id]
        } else {
            let project = |(index, shape)| graph.push(Op::Output { index }, vec![id], vec![shape]);
            results.into_iter().enumerate().map(project).collect()
        };
        graph.set_outputs(outputs);
        graph
    }

    fn finished(&self, finish: Finish) -> Graph {
        let builder = Builder::new(self.op.mnemonic());
        let inputs: Vec<Tensor> = self
            .operands
            .iter()
            .enumerate()
            .map(|(i, (shape, _))| builder.input(format!("x{i}"), shape.clone()))
            .collect();
        let results = builder.apply_many(self.op.clone(), &inputs.iter().collect::<Vec<_>>());
        let outputs = finish(&inputs, &results);
        // INVARIANT: a row's comparison fits every element type that its op accepts; the table's tests build all graphs.
        builder.finish(&outputs.iter().collect::<Vec<_>>()).expect("the row compares what it can")
    }

    /// Returns the values of the inputs, which are the same at each call and on each platform.
    pub fn inputs(&self) -> Inputs {
        self.inputs_of(0)
    }

    /// Returns different values with the same description for each seed. Those of seed 0 are the ones that goldens were computed for.
    pub fn inputs_of(&self, seed: u64) -> Inputs {
        let stream = Stream::new(fnv1a(FNV_START, self.name.as_bytes()).wrapping_add(seed));
        let make = |(i, (shape, data)): (usize, &(Shape, Gen))| {
            // INVARIANT: rows state static shapes.
            let literal = data.literal(shape, &mut stream.split(i as u64)).expect("a static shape");
            (format!("x{i}"), literal)
        };
        self.operands.iter().enumerate().map(make).collect()
    }

    /// Returns a hash of the graph and the inputs, with which a golden identifies what it was computed for.
    pub fn key(&self, graph: &Graph, inputs: &Inputs) -> u64 {
        let start = fnv1a(FNV_START, graph.to_string().as_bytes());
        inputs.iter().fold(start, |hash, (_, literal)| fnv1a(hash, literal.bytes()))
    }
}

/// Returns inputs in the form that the evaluator takes.
pub fn borrowed(inputs: &Inputs) -> Vec<(&str, &Literal)> {
    inputs.iter().map(|(name, literal)| (name.as_str(), literal)).collect()
}
