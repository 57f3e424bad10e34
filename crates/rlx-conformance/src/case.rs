//! Rows and cases: a row is an op with operands of open element type, and becomes a case for each type that the
//! op accepts. A row is an op with operands whose element type is left open; it becomes one case for each
//! element type that the op's shape rule accepts. Owns how a case's graph, inputs and key follow from it.

use crate::bound::Verdict;
use crate::data::Gen;
use crate::stream::{FNV_START, Stream, fnv1a};
use rlx_ir::{Builder, DType, DTypeSet, Graph, Literal, NodeId, Op, OpKind, Shape, Tensor};

/// The element type of an operand, where the row's own is `T`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Type {
    /// `T`.
    Same,
    /// The type of the real part of `T`.
    Real,
    /// This type, whatever `T` is.
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
    /// By the error bound that [`crate::bound`] derives from the graph; results that no rounding reaches must agree
    /// bit for bit.
    Derived,
    /// Not at all: the operands are chosen so that nothing rounds, whatever the order.
    Exact,
    /// By this many units of rounding of the largest magnitude of a result: for factorizations and transforms, whose
    /// error is stated for the whole (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, ch. 10, 19, 24).
    Norm(f64),
}

/// Whether a zero of the result has a sign that the op defines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Zeros {
    /// Yes: it is compared.
    Signed,
    /// No: sums of zeros of both signs depend on their order.
    Unsigned,
}

/// The least share of a case's elements of which a wrong value would be found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged {
    /// From 0 to 1.
    pub least: f64,
    /// Why it is less than the table's; empty for the table's own.
    pub reason: &'static str,
}

impl Judged {
    /// What the table asks of a case that says nothing else.
    pub const TABLE: Judged = Judged { least: 0.9, reason: "" };

    /// Fails where too few elements were judged, and where none was.
    pub(crate) fn enough(self, verdict: Verdict) -> Result<(), String> {
        let Verdict { judged, unjudged } = verdict;
        if verdict.share() >= self.least && (judged > 0 || unjudged == 0) {
            return Ok(());
        }
        let (all, least) = (judged + unjudged, 100.0 * self.least);
        Err(format!("only {judged} of {all} elements could be judged, the case asks for {least} %"))
    }
}

/// From an op's operands and results to what is compared.
pub type Finish = fn(&[Tensor], &[Tensor]) -> Vec<Tensor>;

type MakeOp = Box<dyn Fn(DType) -> Op + Send + Sync>;

/// One row of the table: an op with its attributes, and how to make its operands.
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
    /// A row for an op whose attributes depend on the row's element type.
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

    /// A row for an op that is the same for every element type.
    pub fn new(op: Op) -> Row {
        Row::of(move |_| op.clone())
    }

    /// Adds an operand of the row's element type.
    pub fn x(self, dims: &[usize], data: Gen) -> Row {
        self.typed(Type::Same, dims, data)
    }

    /// Adds an operand of a certain element type.
    pub fn is(self, dtype: DType, dims: &[usize], data: Gen) -> Row {
        self.typed(Type::Is(dtype), dims, data)
    }

    /// Adds an operand.
    pub fn typed(mut self, dtype: Type, dims: &[usize], data: Gen) -> Row {
        self.operands.push(Operand { dims: dims.to_vec(), dtype, data });
        self
    }

    /// Says what sets the row apart from others of the op.
    pub fn note(mut self, note: impl Into<String>) -> Row {
        self.note = note.into();
        self
    }

    /// Restricts the element types, for a row that only makes sense for some.
    pub fn only(mut self, dtypes: DTypeSet) -> Row {
        self.dtypes = dtypes;
        self
    }

    /// States how a backend's result may differ.
    pub fn within(mut self, bound: Bound) -> Row {
        self.bound = bound;
        self
    }

    /// The sign of a zero of the result is not defined.
    pub fn any_zero(mut self) -> Row {
        self.zeros = Zeros::Unsigned;
        self
    }

    /// Asks for a smaller share of judged elements than the table does of cases of these types, for a reason.
    pub fn judged(mut self, dtypes: DTypeSet, least: f64, reason: &'static str) -> Row {
        self.judged = Some((dtypes, Judged { least, reason }));
        self
    }

    /// Compares what `finish` makes of the operands and the results, where the results themselves are not unique (the
    /// eigenvectors of a matrix have any phase; the matrix that they make up again has none).
    pub fn compare(mut self, finish: Finish) -> Row {
        self.finish = Some(finish);
        self
    }

    /// The cases of the row: one for each element type that the op accepts.
    pub fn expand(&self, family: &'static str) -> Vec<Case> {
        self.dtypes.iter().filter_map(|dtype| self.case(family, dtype)).collect()
    }

    /// The case of one element type, whether or not the row is restricted to others.
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

    /// What the op accepts in the place of each operand, whatever types the row is restricted to: the element types of a whole row,
    /// and of operands of a type of their own every other one. An op without operands accepts the types of its results.
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

    /// The op, the row's note and its operands, for messages about a row that has no case.
    pub fn describe(&self) -> String {
        format!("{:?} {} {:?}", (self.make)(DType::F32), self.note, self.operands)
    }
}

/// One op on operands of certain shapes and values.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique among all cases.
    pub name: String,
    /// The family file that it comes from.
    pub family: &'static str,
    /// The op.
    pub op: Op,
    /// The row's element type.
    pub dtype: DType,
    /// How a backend's result may differ from the evaluator's.
    pub bound: Bound,
    /// Whether signs of zeros are compared.
    pub zeros: Zeros,
    /// The least share of elements that must be judged.
    pub judged: Judged,
    operands: Vec<(Shape, Gen)>,
    finish: Option<Finish>,
}

/// Values by name.
pub type Inputs = Vec<(String, Literal)>;

impl Case {
    /// The shapes of the operands.
    pub fn operands(&self) -> Vec<Shape> {
        self.operands.iter().map(|o| o.0.clone()).collect()
    }

    /// The kind of the op.
    pub fn kind(&self) -> OpKind {
        self.op.kind()
    }

    /// A graph of the op: inputs `x0`, `x1`, …, and as outputs all its results, or what the row compares of them.
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
        // INVARIANT: a row makes a case only of operands that the rule accepts.
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

    /// The inputs' values; the same at each call and on each platform.
    pub fn inputs(&self) -> Inputs {
        self.inputs_of(0)
    }

    /// Other values by the same description for each seed; those of seed 0 are the ones that goldens know.
    pub fn inputs_of(&self, seed: u64) -> Inputs {
        let stream = Stream::new(fnv1a(FNV_START, self.name.as_bytes()).wrapping_add(seed));
        let make = |(i, (shape, data)): (usize, &(Shape, Gen))| {
            // INVARIANT: rows state static shapes.
            let literal = data.literal(shape, &mut stream.split(i as u64)).expect("a static shape");
            (format!("x{i}"), literal)
        };
        self.operands.iter().enumerate().map(make).collect()
    }

    /// A hash of the graph and the inputs, by which a golden knows what it was computed for.
    pub fn key(&self, graph: &Graph, inputs: &Inputs) -> u64 {
        let start = fnv1a(FNV_START, graph.to_string().as_bytes());
        inputs.iter().fold(start, |hash, (_, literal)| fnv1a(hash, literal.bytes()))
    }
}

/// Inputs as the evaluator takes them.
pub fn borrowed(inputs: &Inputs) -> Vec<(&str, &Literal)> {
    inputs.iter().map(|(name, literal)| (name.as_str(), literal)).collect()
}
