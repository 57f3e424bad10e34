//! The evaluator as a backend in host memory: it runs every graph as its ops are defined, slowly.

use crate::backend::{Availability, Backend};
use crate::buffer::{Buffer, HostBuffer};
use crate::custom::{
    KernelContext, Operands, PackedOperands, PreparedKernel, Results, Spans, Threads, find_host_kernel,
};
use crate::executable::Executable;
use crate::host_program::{HostEngine, HostProgram};
use crate::instance::Instance;
use crate::queue::Queue;
use rlx_compile::{BackendError, Claim, Claims, Lowered, Param, Rates};
use rlx_driver::Device;
use rlx_ir::{Graph, Literal, Node, NodeId, Op, Shape};
use rlx_pool::Pool;
use std::collections::HashMap;
use std::sync::Arc;

/// A backend that evaluates graphs node by node with [`rlx_ir::eval()`], and custom ops with their [kernels](crate::custom). It completes a device
/// in programs that do not contain the CPU backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvaluatorBackend;

impl Claims for EvaluatorBackend {
    fn claim(&self, _: &Op, _: &[Shape], _: &[Shape]) -> Claim {
        Claim::Native
    }
}

impl Backend for EvaluatorBackend {
    fn device(&self) -> Device {
        Device::Cpu
    }

    fn availability(&self) -> Availability {
        Availability::Present("the evaluator".into())
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let engine = HostEngine::new("the evaluator", |lowered, sizes| {
            Ok(Box::new(EvaluatedProgram::new(lowered.bind(sizes)?.graph())?))
        });
        Ok(Box::new(Instance::new(engine, lowered, self, queue)?))
    }

    fn rates(&self) -> Rates {
        Rates { flops: 1e7, bytes: 1e8, transfer: 1e10, run: 1e-6 }
    }
}

/// The parts that all clones share.
struct EvaluatedGraph {
    graph: Arc<Graph>,
    /// The kernels of custom ops.
    kernels: HashMap<NodeId, Box<dyn PreparedKernel>>,
    /// The threads of the kernels: the calling one.
    pool: Pool,
    /// For each node, how many nodes and outputs read it.
    uses: Vec<usize>,
}

/// A graph of static sizes.
struct EvaluatedProgram {
    shared: Arc<EvaluatedGraph>,
    params: Vec<Option<Param>>,
}

fn failed(node: &Node, error: impl std::fmt::Display) -> BackendError {
    BackendError::in_node(node, error.to_string())
}

impl EvaluatedProgram {
    fn new(graph: Arc<Graph>) -> Result<EvaluatedProgram, BackendError> {
        let mut kernels = HashMap::new();
        let mut uses = vec![0; graph.nodes().len()];
        graph.outputs().iter().for_each(|id| uses[id.index()] += 1);
        for node in graph.nodes() {
            node.inputs().iter().for_each(|id| uses[id.index()] += 1);
            let Op::Custom { name, config, .. } = node.op() else { continue };
            if let Some(kernel) = find_host_kernel(name) {
                let operands: Vec<Shape> = node.inputs().iter().map(|&id| graph.shape(id).clone()).collect();
                kernels.insert(node.id(), kernel.prepare(config, &operands, node.results(), 1)?);
            }
        }
        let pool = Pool::new(1).map_err(|e| BackendError::Unsupported(e.to_string()))?;
        let params = vec![None; graph.params().count()];
        Ok(EvaluatedProgram { shared: Arc::new(EvaluatedGraph { graph, kernels, pool, uses }), params })
    }
}

impl HostProgram for EvaluatedProgram {
    fn clone_on(&self, _: &Arc<dyn Queue>) -> Result<Box<dyn HostProgram>, BackendError> {
        Ok(Box::new(EvaluatedProgram { shared: self.shared.clone(), params: self.params.clone() }))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
    }

    fn run(
        &mut self,
        inputs: &[&[u8]],
        _: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        let EvaluatedGraph { graph, kernels, pool, uses } = &*self.shared;
        let mut left = uses.clone();
        let mut values: Vec<Vec<Literal>> = Vec::with_capacity(graph.nodes().len());
        let (mut given, mut params) = (inputs.iter(), self.params.iter().flatten());
        for node in graph.nodes() {
            let literal =
                |bytes: &[u8]| Literal::from_bytes(node.shape(), bytes).map_err(|e| failed(node, e));
            // INVARIANT: the instance has checked the number of inputs, and that all parameters are set.
            let results = match node.op() {
                Op::Input { .. } => vec![literal(given.next().copied().unwrap_or_default())?],
                Op::Param { .. } => vec![literal(params.next().map_or(&[][..], Param::bytes))?],
                Op::Output { index } => vec![values[node.inputs()[0].index()][*index].clone()],
                _ => {
                    let operands: Vec<&Literal> =
                        node.inputs().iter().map(|id| &values[id.index()][0]).collect();
                    match kernels.get(&node.id()) {
                        Some(kernel) => run_kernel(&**kernel, node, &operands, pool)?,
                        None => evaluated(node, &operands)?,
                    }
                }
            };
            values.push(results);
            for id in node.inputs() {
                left[id.index()] -= 1;
                if left[id.index()] == 0 {
                    values[id.index()] = Vec::new();
                }
            }
        }
        for (id, place) in graph.outputs().iter().zip(outputs) {
            place.copy_from_slice(values[id.index()][0].bytes());
        }
        Ok(())
    }

    fn describe(&self) -> String {
        format!("the evaluator, {} nodes\n", self.shared.graph.nodes().len())
    }
}

/// Evaluates a node.
fn evaluated(node: &Node, operands: &[&Literal]) -> Result<Vec<Literal>, BackendError> {
    let mut alone = Graph::new(node.op().mnemonic());
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let named: Vec<(&str, &Literal)> =
        names.iter().map(String::as_str).zip(operands.iter().copied()).collect();
    let inputs = named.iter().map(|(name, value)| alone.input(*name, value.shape().clone())).collect();
    let id = alone.push(node.op_arc().clone(), inputs, node.results().to_vec());
    let outputs = alone.project(id);
    alone.set_outputs(outputs);
    rlx_ir::eval(&alone, &named).map_err(|e| failed(node, e))
}

/// Where the values of a kernel are.
struct BufferSpans(Vec<(*mut u8, usize)>);

impl BufferSpans {
    fn of(buffers: &mut [HostBuffer]) -> BufferSpans {
        BufferSpans(buffers.iter_mut().map(|buffer| (buffer.as_mut_ptr(), buffer.len())).collect())
    }
}

impl Spans for BufferSpans {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn span(&self, index: usize) -> (*mut u8, usize) {
        self.0[index]
    }
}

/// Runs the kernel of a node on copies of its operands.
fn run_kernel(
    kernel: &dyn PreparedKernel,
    node: &Node,
    operands: &[&Literal],
    pool: &Pool,
) -> Result<Vec<Literal>, BackendError> {
    let copies = operands.iter().map(|value| Ok(HostBuffer::from_bytes(value.bytes())?));
    let mut copies = copies.collect::<Result<Vec<_>, BackendError>>()?;
    // INVARIANT: the graph has static sizes.
    let results = node.results().iter().map(|shape| Ok(HostBuffer::zeroed(shape.num_bytes().unwrap_or(0))?));
    let mut results = results.collect::<Result<Vec<_>, BackendError>>()?;
    let mut scratch = HostBuffer::zeroed(kernel.scratch_bytes())?;
    let (read, written) = (BufferSpans::of(&mut copies), BufferSpans::of(&mut results));
    // SAFETY: each value has its own buffer, which is initialized and which nothing else uses until the kernel returns.
    let (read, written) = unsafe { (Operands::new(&read), Results::new(&written)) };
    let context =
        KernelContext::new(read, written, PackedOperands::new(&()), &mut scratch, Threads::new(pool));
    kernel.run(context).map_err(|e| failed(node, e))?;
    let literal = |(shape, bytes): (&Shape, &HostBuffer)| {
        Literal::from_bytes(shape, bytes).map_err(|e| failed(node, e))
    };
    node.results().iter().zip(&results).map(literal).collect()
}
