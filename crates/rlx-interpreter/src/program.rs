//! A planned program with the kernels of its nodes, which runs on bytes.

use crate::backend::CLAIMS;
use rlx_codegen::Interpreter;
use rlx_codegen::lower::{Launches, lower, single};
use rlx_compile::memory::{Class, Kernels, Needs, plan_bound, plan_nested};
use rlx_compile::program::{Copied, Region};
use rlx_compile::{
    BackendError, Bound, Call, CompileOptions, LegalizeError, Place, Program, Storage, legalize,
};
use rlx_exec::{Device, walk};
use rlx_ir::{Bindings, Graph, Literal, Node, NodeId, Op, Shape};
use std::sync::Arc;

/// The bytes of a value.
pub(crate) type Bytes = Vec<u8>;

/// The way to run a node.
enum Prepared {
    Launches(Launches),
    /// The node as a program of simpler ops.
    Expansion(Box<KernelProgram>),
    /// A graph with only this node, for the evaluator.
    Evaluated(Graph),
}

/// A program ready to run.
pub(crate) struct KernelProgram {
    pub(crate) program: Program,
    /// For each graph of the program, the way to run each class of nodes that has a kernel.
    prepared: Vec<Vec<Option<Prepared>>>,
    sizes: Bindings,
}

/// The node that failed, and the message.
pub(crate) type Failure = (NodeId, String);

/// The kernels of a program that is being planned.
#[derive(Default)]
struct Lowering(Vec<Vec<Option<Prepared>>>);

impl Kernels for Lowering {
    type Error = BackendError;

    fn prepare(&mut self, class: Class<'_>) -> Result<Needs, BackendError> {
        let of_graph = class.bound.class_graph().nodes().len();
        self.0.resize_with(self.0.len().max(class.graph + 1), Vec::new);
        self.0[class.graph].resize_with(of_graph, || None);
        self.0[class.graph][class.node.id().index()] = Some(prepared_class(class)?);
        Ok(Needs::default())
    }
}

impl KernelProgram {
    /// Lowers each class of nodes, with symbols for sizes where the graph has them, and plans memory for these sizes.
    pub(crate) fn new(bound: &Bound, sizes: &Bindings) -> Result<KernelProgram, BackendError> {
        let mut lowering = Lowering::default();
        let program = plan_bound(bound, &mut lowering)?;
        Ok(KernelProgram { program, prepared: lowering.0, sizes: sizes.clone() })
    }

    /// Creates the program of a static graph inside a node.
    fn nested(graph: Graph) -> Result<KernelProgram, BackendError> {
        let mut lowering = Lowering::default();
        let program = plan_nested(&Bound::unclassified(&Arc::new(graph)), &mut lowering)?;
        Ok(KernelProgram { program, prepared: lowering.0, sizes: Bindings::new() })
    }

    /// Runs all actions on the bytes of the inputs, and returns the bytes of the outputs in graph order.
    pub(crate) fn run(
        &self,
        inputs: Vec<Bytes>,
        param: &dyn Fn(usize) -> Bytes,
        interpreter: &Interpreter,
    ) -> Result<Vec<Bytes>, Failure> {
        let outputs = self.program.outputs.iter();
        let outputs = outputs.map(|&output| vec![0; self.program.buffers()[output].bytes]);
        let mut memory = RunMemory {
            kernels: self,
            interpreter,
            inputs,
            param,
            arena: vec![0; self.program.arena_bytes],
            outputs: outputs.collect(),
        };
        let mut variables = vec![0; self.program.variables];
        walk(&self.program.actions, &mut variables, &mut memory)?;
        let output = |&output: &usize| {
            let buffer = &self.program.buffers()[output];
            memory.read(buffer.place.at(&variables), buffer.bytes)
        };
        Ok(self.program.outputs.iter().map(output).collect())
    }

    /// Runs the program of a graph inside a node. Such a graph has no parameters.
    fn call(&self, inputs: Vec<Bytes>, interpreter: &Interpreter) -> Result<Vec<Bytes>, String> {
        self.run(inputs, &|_| Bytes::new(), interpreter).map_err(|(id, message)| {
            format!("{id} {}: {message}", self.program.graph().node(id).op().mnemonic())
        })
    }

    fn node(
        &self,
        call: &Call,
        operands: Vec<Bytes>,
        interpreter: &Interpreter,
    ) -> Result<Vec<Bytes>, String> {
        let bound = self.program.graph_of(call);
        let node = bound.node(call.node);
        let of_graph = self.prepared.get(self.program.blocks[call.block].graph);
        let prepared = of_graph.and_then(|of_graph| of_graph.get(bound.class_of(call.node))?.as_ref());
        let prepared = prepared.ok_or("it has no kernel")?;
        if let Prepared::Expansion(program) = prepared {
            return program.call(operands, interpreter);
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
            Prepared::Expansion(_) => Vec::new(),
        };
        Ok(outputs.iter().map(|output| output.bytes().to_vec()).collect())
    }
}

/// Prepares a class of nodes.
fn prepared_class(Class { bound, node: at_sizes, .. }: Class<'_>) -> Result<Prepared, BackendError> {
    let classes = bound.class_graph();
    let alone = |node: &Node, graph: &Graph| {
        let operands: Vec<Shape> = node.inputs().iter().map(|&input| graph.shape(input).clone()).collect();
        single(node.op(), &operands, node.results())
    };
    // Its sizes may be symbols.
    let graph = bound.lowered_graph();
    let node = graph.node(bound.first_of(at_sizes.id().index()));
    let lowered = match node.op() {
        Op::Custom { .. } => return Ok(Prepared::Evaluated(alone(at_sizes, classes))),
        Op::Fusion { body, .. } => lower(body),
        _ => lower(&alone(node, graph)),
    };
    lowered.map(Prepared::Launches).or_else(|why| {
        let unsupported = |e: LegalizeError| BackendError::Unsupported(format!("{why}; {e}"));
        let alone = alone(at_sizes, classes);
        let options = CompileOptions::new();
        let legal = legalize(&alone, "interpreter", &CLAIMS, &options).map_err(unsupported)?;
        Ok(Prepared::Expansion(Box::new(KernelProgram::nested(legal.0)?)))
    })
}

/// Returns the evaluator's results for the inputs of a graph.
fn evaluated(graph: &Graph, inputs: &[&Literal]) -> Result<Vec<Literal>, String> {
    let names = graph.inputs().filter_map(Node::name);
    let named: Vec<(&str, &Literal)> = names.zip(inputs.iter().copied()).collect();
    rlx_ir::eval(graph, &named).map_err(|e| e.to_string())
}

/// The memory of a run.
struct RunMemory<'a> {
    kernels: &'a KernelProgram,
    interpreter: &'a Interpreter,
    inputs: Vec<Bytes>,
    param: &'a dyn Fn(usize) -> Bytes,
    arena: Bytes,
    outputs: Vec<Bytes>,
}

impl RunMemory<'_> {
    fn read(&self, Region { storage, offset }: Region, bytes: usize) -> Bytes {
        let part = |whole: &[u8], at: usize| whole[at..at + bytes].to_vec();
        match storage {
            Storage::Input(i) => part(&self.inputs[i], offset),
            Storage::Param(i) => part(&(self.param)(i), offset),
            Storage::Constant(graph, id) => {
                match self.kernels.program.graphs[graph].lowered_graph().node(id).op() {
                    Op::Constant { value } => part(value.bytes(), offset),
                    _ => Bytes::new(),
                }
            }
            Storage::Arena(at) => part(&self.arena, at + offset),
            Storage::Output(i) => part(&self.outputs[i], offset),
        }
    }

    fn write(&mut self, Region { storage, offset }: Region, bytes: &[u8]) {
        let (whole, at) = match storage {
            Storage::Input(i) => (&mut self.inputs[i], offset),
            Storage::Arena(at) => (&mut self.arena, at + offset),
            Storage::Output(i) => (&mut self.outputs[i], offset),
            // The plan never places results there.
            Storage::Param(_) | Storage::Constant(..) => return,
        };
        whole[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn scalar<const N: usize>(&self, place: &Place, variables: &[usize]) -> [u8; N] {
        self.read(place.at(variables), N).first_chunk().copied().unwrap_or([0; N])
    }
}

impl Device for RunMemory<'_> {
    type Error = Failure;

    fn call(&mut self, call: &Call, variables: &[usize]) -> Result<(), Failure> {
        let program = &self.kernels.program;
        let operands = program.operands_of(call);
        let operands =
            operands.map(|operand| self.read(operand.place.at(variables), operand.bytes)).collect();
        let results = self.kernels.node(call, operands, self.interpreter);
        let results = results.map_err(|message| program.failure(call, message))?;
        for (buffer, bytes) in program.results_of(call).iter().zip(&results) {
            self.write(buffer.place.at(variables), bytes);
        }
        Ok(())
    }

    fn copy(&mut self, Copied { from, to, bytes, .. }: &Copied, variables: &[usize]) -> Result<(), Failure> {
        let value = self.read(from.at(variables), *bytes);
        self.write(to.at(variables), &value);
        Ok(())
    }

    fn boolean(&mut self, place: &Place, variables: &[usize]) -> Result<bool, Failure> {
        Ok(self.scalar(place, variables) == [1])
    }

    fn index(&mut self, place: &Place, variables: &[usize]) -> Result<i32, Failure> {
        Ok(i32::from_le_bytes(self.scalar(place, variables)))
    }
}
