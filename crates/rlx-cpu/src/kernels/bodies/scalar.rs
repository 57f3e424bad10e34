//! Compiles elementwise graphs over single elements to instructions on the evaluator's numbers. They are exact on every element type, and
//! avoid the overhead of a kernel per instruction.

use rlx_elementwise::numbers::{load, store};
use rlx_ir::Node;
use rlx_ir::eval::{Scalar, scalar};
use rlx_ir::{BinaryOp, CompareOp, DType, Graph, Op, OpClass, UnaryOp, math};

/// What an instruction computes from up to three registers.
#[derive(Clone, Copy, Debug)]
enum Code {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Compare(CompareOp, bool),
    Select,
    Clamp,
    Betainc,
    Convert,
    ReducePrecision(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Instruction {
    code: Code,
    /// The registers.
    operands: [usize; 3],
    /// The element type of the first operand, and of the result.
    from: DType,
    to: DType,
}

/// A graph over scalars. Registers are the inputs, followed by constants and results in the order in which they appear.
pub(super) struct ScalarProgram {
    inputs: Vec<DType>,
    constants: Vec<(usize, Scalar)>,
    instructions: Vec<(usize, Instruction)>,
    outputs: Vec<(usize, DType)>,
    registers: usize,
}

impl ScalarProgram {
    /// Compiles a graph over scalars; returns `None` if it has ops that are not elementwise.
    pub(super) fn new(graph: &Graph) -> Option<ScalarProgram> {
        let inputs: Vec<DType> = graph.inputs().map(|n| n.shape().dtype()).collect();
        let registers = inputs.len();
        let mut program = ScalarProgram {
            inputs,
            constants: Vec::new(),
            instructions: Vec::new(),
            outputs: Vec::new(),
            registers,
        };
        let args: Vec<usize> = (0..registers).collect();
        let outputs = program.graph(graph, &args)?;
        program.outputs = outputs.into_iter().zip(graph.output_shapes().iter().map(|s| s.dtype())).collect();
        Some(program)
    }

    /// Adds the instructions of a graph on these registers; returns the registers of its outputs.
    fn graph(&mut self, graph: &Graph, args: &[usize]) -> Option<Vec<usize>> {
        let mut results: Vec<Vec<usize>> = Vec::with_capacity(graph.nodes().len());
        let mut args = args.iter();
        for node in graph.nodes() {
            let made = match node.op() {
                Op::Input { .. } => vec![*args.next()?],
                Op::Output { index } => vec![*results[node.inputs()[0].index()].get(*index)?],
                _ => {
                    let operands: Vec<usize> = node
                        .inputs()
                        .iter()
                        .map(|i| results[i.index()].first().copied())
                        .collect::<Option<_>>()?;
                    self.node(graph, node, &operands)?
                }
            };
            results.push(made);
        }
        graph.outputs().iter().map(|o| results[o.index()].first().copied()).collect()
    }

    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    fn node(&mut self, graph: &Graph, node: &Node, operands: &[usize]) -> Option<Vec<usize>> {
        if !node.results().iter().all(|r| r.num_elements() == Some(1)) {
            return None;
        }
        let code = match *node.op() {
            Op::Constant { ref value } => {
                let register = self.register();
                self.constants.push((register, Scalar::read(value.dtype(), value.bytes())));
                return Some(vec![register]);
            }
            Op::Reshape { .. } | Op::BroadcastInDim { .. } | Op::Transpose { .. } => {
                return Some(operands.to_vec());
            }
            Op::Unary { op } => Code::Unary(op),
            Op::Binary { op } => Code::Binary(op),
            Op::Compare { op, total_order } => Code::Compare(op, total_order),
            Op::Select {} => Code::Select,
            Op::Clamp {} => Code::Clamp,
            Op::Betainc {} => Code::Betainc,
            Op::Convert { .. } => Code::Convert,
            Op::ReducePrecision { exponent_bits, mantissa_bits } => {
                Code::ReducePrecision(exponent_bits, mantissa_bits)
            }
            ref op if op.kind().class() == OpClass::Composite => {
                let shapes: Vec<_> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
                return self.graph(&op.decompose(&shapes).ok()?, operands);
            }
            _ => return None,
        };
        let from = graph.shape(*node.inputs().first()?).dtype();
        let mut three = [operands[0]; 3];
        three.iter_mut().zip(operands).for_each(|(slot, &operand)| *slot = operand);
        let register = self.register();
        let to = node.shape().dtype();
        self.instructions.push((register, Instruction { code, operands: three, from, to }));
        Some(vec![register])
    }

    /// Returns the number of instructions in a run.
    pub(super) fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Returns the size of the registers in bytes. They need the alignment of a [`Scalar`].
    pub(super) fn scratch_bytes(&self) -> usize {
        self.registers.saturating_mul(size_of::<Scalar>())
    }

    /// Fills the registers. Must be called before the first run that uses them.
    ///
    /// # Safety
    /// `registers` has room for `scratch_bytes`, is aligned, and is used by this caller only.
    pub(super) unsafe fn begin(&self, registers: *mut u8) {
        let registers = registers.cast::<Scalar>();
        // SAFETY: the caller's promise.
        unsafe {
            (0..self.registers).for_each(|i| registers.add(i).write(Scalar::Int(0)));
            self.constants.iter().for_each(|&(i, x)| registers.add(i).write(x));
        }
    }

    /// Computes the outputs from elements. All inputs are read before any output is written.
    ///
    /// # Safety
    /// `registers` was passed to [`begin`](Self::begin); the pointers are to elements of the declared types.
    #[inline]
    pub(super) unsafe fn run(
        &self,
        registers: *mut u8,
        input: impl Fn(usize) -> *const u8,
        output: impl Fn(usize) -> *mut u8,
    ) {
        // SAFETY: `begin` initialized that many registers.
        let registers = unsafe { std::slice::from_raw_parts_mut(registers.cast::<Scalar>(), self.registers) };
        for (i, &dtype) in self.inputs.iter().enumerate() {
            // SAFETY: the caller's promise.
            registers[i] = unsafe { load(dtype, input(i)) };
        }
        for &(to, ref instruction) in &self.instructions {
            registers[to] = instruction.value(registers);
        }
        for (i, &(from, dtype)) in self.outputs.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { store(dtype, registers[from], output(i)) };
        }
    }
}

impl Instruction {
    #[inline]
    fn value(&self, registers: &[Scalar]) -> Scalar {
        let [a, b, c] = self.operands.map(|i| registers[i]);
        let value = match self.code {
            Code::Unary(op) => scalar::unary(op, self.from, a),
            Code::Binary(op) => scalar::binary(op, self.from, a, b),
            Code::Compare(op, total) => Scalar::Int(scalar::compare(op, a, b, total).into()),
            // The values are passed on unchanged, so every bit of a NaN is kept.
            Code::Select => return if a == Scalar::Int(1) { b } else { c },
            Code::Clamp => {
                let raised = scalar::binary(BinaryOp::Max, self.from, b, a).convert(self.to);
                scalar::binary(BinaryOp::Min, self.from, raised, c)
            }
            Code::Betainc => Scalar::Float(math::betainc(a.to_f64(), b.to_f64(), c.to_f64())),
            Code::Convert => a,
            Code::ReducePrecision(exponent, mantissa) => {
                Scalar::Float(scalar::reduce_precision(a.to_f64(), exponent, mantissa))
            }
        };
        value.convert(self.to)
    }
}
