//! A planned program with the kernels of its nodes, which runs on bytes.

use crate::backend::CLAIMS;
use crate::control::Control;
use rlx_codegen::Interpreter;
use rlx_codegen::lower::{Launches, lower, single};
use rlx_compile::memory::{Needs, PlanError, plan_bound, plan_nested};
use rlx_compile::program::Work;
use rlx_compile::{BackendError, Bound, CompileOptions, LegalizeError, Program, Storage, legalize};
use rlx_ir::{Bindings, Graph, Literal, Node, NodeId, Op, OpClass, Shape};
use std::sync::Arc;

/// The bytes of a value.
pub(crate) type Bytes = Vec<u8>;

/// The way to run a node.
enum Prepared {
    Launches(Launches),
    Control(Box<Control>),
    /// The node as a program of simpler ops.
    Expansion(Box<KernelProgram>),
    /// A graph with only this node, for the evaluator.
    Evaluated(Graph),
}

/// A program ready to run.
pub(crate) struct KernelProgram {
    pub(crate) program: Program,
    /// For each class of nodes, the way to run it, if it has to run.
    prepared: Vec<Option<Prepared>>,
    sizes: Bindings,
}

/// The node that failed, and the message.
pub(crate) type Failure = (NodeId, String);

impl KernelProgram {
    /// Lowers each class of nodes, with symbols for sizes where the graph has them, and plans memory for these sizes.
    pub(crate) fn new(bound: &Bound, sizes: &Bindings) -> Result<KernelProgram, BackendError> {
        let program = plan_bound(bound, &mut |_| Needs::default()).map_err(unplanned)?;
        KernelProgram::of(program, sizes.clone())
    }

    /// Creates the program of a static graph inside a node.
    pub(crate) fn nested(graph: &Graph) -> Result<KernelProgram, BackendError> {
        let bound = Bound::unclassified(&Arc::new(graph.clone()));
        let program = plan_nested(&bound, &mut |_| Needs::default(), &[]).map_err(unplanned)?;
        KernelProgram::of(program, Bindings::new())
    }

    fn of(program: Program, sizes: Bindings) -> Result<KernelProgram, BackendError> {
        let bound = &program.bound;
        let mut prepared: Vec<Option<Prepared>> = Vec::new();
        prepared.resize_with(bound.class_graph().nodes().len(), || None);
        for node in program.graph().nodes() {
            let class = &mut prepared[bound.class_of(node.id())];
            let is_value = matches!(node.op(), Op::Output { .. } | Op::Constant { .. });
            if class.is_some() || is_value || node.op().kind().class() == OpClass::Leaf {
                continue;
            }
            *class = Some(prepared_node(&program, node)?);
        }
        Ok(KernelProgram { program, prepared, sizes })
    }

    /// Runs all steps on the bytes of the inputs, and returns the bytes of the outputs in graph order.
    pub(crate) fn run(
        &self,
        inputs: Vec<Bytes>,
        param: &dyn Fn(usize) -> Bytes,
        interpreter: &Interpreter,
    ) -> Result<Vec<Bytes>, Failure> {
        let outputs = self.program.outputs.iter().map(|&output| vec![0; self.program.buffers[output].bytes]);
        let mut memory = Values {
            program: &self.program,
            inputs,
            param,
            arena: vec![0; self.program.arena_bytes],
            outputs: outputs.collect(),
        };
        for step in &self.program.steps {
            let operands = self.program.operands(step).iter().map(|&buffer| memory.read(buffer)).collect();
            let results = match step.work {
                Work::Copy { .. } => operands,
                Work::Kernel(id) => self.node(id, operands, interpreter).map_err(|message| (id, message))?,
            };
            self.program.results(step).zip(&results).for_each(|(buffer, bytes)| memory.write(buffer, bytes));
        }
        Ok(self.program.outputs.iter().map(|&output| memory.read(output)).collect())
    }

    /// Runs the program of a graph inside a node. Such a graph has no parameters.
    pub(crate) fn call(&self, inputs: Vec<Bytes>, interpreter: &Interpreter) -> Result<Vec<Bytes>, String> {
        self.run(inputs, &|_| Bytes::new(), interpreter).map_err(|(id, message)| {
            format!("{id} {}: {message}", self.program.graph().node(id).op().mnemonic())
        })
    }

    fn node(
        &self,
        id: NodeId,
        operands: Vec<Bytes>,
        interpreter: &Interpreter,
    ) -> Result<Vec<Bytes>, String> {
        let bound = &self.program.bound;
        let node = bound.node(id);
        let prepared = self.prepared[bound.class_of(id)].as_ref().ok_or("it has no kernel")?;
        match prepared {
            Prepared::Control(control) => return control.run(operands, interpreter),
            Prepared::Expansion(program) => return program.call(operands, interpreter),
            Prepared::Launches(_) | Prepared::Evaluated(_) => {}
        }
        let shapes = node.inputs().iter().map(|&input| bound.class_graph().shape(input));
        let operands = operands.iter().zip(shapes).map(|(bytes, shape)| Literal::from_bytes(shape, bytes));
        let operands = operands.collect::<Result<Vec<Literal>, _>>().map_err(|e| e.to_string())?;
        let operands: Vec<&Literal> = operands.iter().collect();
        let outputs = match prepared {
            Prepared::Evaluated(graph) => evaluated(graph, &operands)?,
            Prepared::Launches(launches) => {
                let results = interpreter.run(launches, &self.sizes, &operands, node.results());
                results.map_err(|fault| fault.to_string())?.outputs
            }
            Prepared::Control(_) | Prepared::Expansion(_) => Vec::new(),
        };
        Ok(outputs.iter().map(|output| output.bytes().to_vec()).collect())
    }
}

/// Prepares a node of a program.
fn prepared_node(program: &Program, node: &Node) -> Result<Prepared, BackendError> {
    let (bound, graph) = (&program.bound, program.graph());
    let alone = |node: &Node, graph: &Graph| {
        let operands: Vec<Shape> = node.inputs().iter().map(|&input| graph.shape(input).clone()).collect();
        single(node.op(), &operands, node.results())
    };
    let at_sizes = bound.node(node.id());
    let lowered = match node.op() {
        op if op.is_control() => return Ok(Prepared::Control(Box::new(Control::new(at_sizes.op())?))),
        Op::Custom { .. } => return Ok(Prepared::Evaluated(alone(at_sizes, bound.class_graph()))),
        Op::Fusion { body, .. } => lower(body),
        _ => lower(&alone(node, graph)),
    };
    lowered.map(Prepared::Launches).or_else(|why| {
        let unsupported = |e: LegalizeError| BackendError::Unsupported(format!("{why}; {e}"));
        let alone = alone(at_sizes, bound.class_graph());
        let options = CompileOptions::new();
        let legal = legalize(&alone, "interpreter", &CLAIMS, &options).map_err(unsupported)?;
        Ok(Prepared::Expansion(Box::new(KernelProgram::nested(&legal.0)?)))
    })
}

/// Returns the evaluator's results for the inputs of a graph.
fn evaluated(graph: &Graph, inputs: &[&Literal]) -> Result<Vec<Literal>, String> {
    let names = graph.inputs().filter_map(Node::name);
    let named: Vec<(&str, &Literal)> = names.zip(inputs.iter().copied()).collect();
    rlx_ir::eval(graph, &named).map_err(|e| e.to_string())
}

fn unplanned(error: PlanError) -> BackendError {
    BackendError::Unsupported(error.to_string())
}

/// The values of a run.
struct Values<'a> {
    program: &'a Program,
    inputs: Vec<Bytes>,
    param: &'a dyn Fn(usize) -> Bytes,
    arena: Bytes,
    outputs: Vec<Bytes>,
}

impl Values<'_> {
    fn read(&self, buffer: usize) -> Bytes {
        let buffer = &self.program.buffers[buffer];
        match buffer.storage {
            Storage::Input(i) => self.inputs[i].clone(),
            Storage::Param(i) => (self.param)(i),
            Storage::Constant(id) => match self.program.graph().node(id).op() {
                Op::Constant { value } => value.bytes().to_vec(),
                _ => Bytes::new(),
            },
            Storage::Arena(at) => self.arena[at..at + buffer.bytes].to_vec(),
            Storage::Output(i) => self.outputs[i].clone(),
        }
    }

    fn write(&mut self, buffer: usize, bytes: &[u8]) {
        match self.program.buffers[buffer].storage {
            Storage::Input(i) => self.inputs[i].copy_from_slice(bytes),
            Storage::Arena(at) => self.arena[at..at + bytes.len()].copy_from_slice(bytes),
            Storage::Output(i) => self.outputs[i].copy_from_slice(bytes),
            // The plan never places results there.
            Storage::Param(_) | Storage::Constant(_) => {}
        }
    }
}
