//! A backend in one file: the evaluator as a device with its own arrays. Use it as the starting point for a new backend.

use rlx_compile::{BackendError, BindError, Claims, ClaimsAll, Lowered, Rates};
use rlx_driver::{Device, DeviceId};
use rlx_exec::buffer::DeviceBuffer;
use rlx_exec::{
    At, Availability, Backend, CachedParams, Engine, EngineMemory, Executable, Instance, Pack, ProgramLayout,
    ProgramRun, Queue,
};
use rlx_ir::{Bindings, Graph, Literal, Node, Shape};
use std::any::Any;
use std::sync::Arc;

/// A value on the device.
struct Array(Literal);

impl DeviceBuffer for Array {
    fn device(&self) -> DeviceId {
        Device::Interpreter.into()
    }

    fn num_bytes(&self) -> usize {
        self.0.bytes().len()
    }

    fn download(&self, into: &mut [u8]) -> Result<(), BackendError> {
        into.copy_from_slice(self.0.bytes());
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The engine.
struct Evaluate;

/// A graph at certain sizes.
struct SizedGraph {
    graph: Arc<Graph>,
    layout: ProgramLayout,
}

fn failed(error: impl std::fmt::Display) -> BackendError {
    BackendError::Run { op: "evaluator".into(), label: String::new(), message: error.to_string() }
}

fn literal(shape: Option<&Shape>, bytes: &[u8]) -> Result<Literal, BackendError> {
    Literal::from_bytes(shape.ok_or_else(|| failed("there is no such value"))?, bytes).map_err(failed)
}

impl Engine for Evaluate {
    type Program = SizedGraph;
    type Params = CachedParams<(), Literal>;
    type Packed = Vec<Literal>;
    type Worker = ();

    const MEMORY: EngineMemory = EngineMemory::Device;

    fn name(&self) -> &'static str {
        "the evaluator"
    }

    fn prepare(&self, lowered: &Lowered, sizes: &Bindings) -> Result<SizedGraph, BindError> {
        let graph = lowered.bind(sizes)?.graph();
        let layout = ProgramLayout::of_graph(&graph, lowered.aliases(), false)?;
        Ok(SizedGraph { graph, layout })
    }

    fn layout<'p>(&self, program: &'p SizedGraph) -> &'p ProgramLayout {
        &program.layout
    }

    fn worker(&self, _: &Arc<SizedGraph>, _: &Arc<dyn Queue>, _: Option<&()>) -> Result<(), BackendError> {
        Ok(())
    }

    fn pack(
        &self,
        at: At<'_, Self>,
        current: Option<&Vec<Literal>>,
        _: Pack,
    ) -> Result<Option<Vec<Literal>>, BackendError> {
        if current.is_some() || !at.params.are_set() {
            return Ok(None);
        }
        let layout = &at.program.layout;
        let params = (0..).map_while(|index| Some((index, at.params.param(index)?)));
        let uploaded = params
            .map(|(index, param)| param.get((), |value| literal(layout.param_shape(index), value.bytes())));
        uploaded.collect::<Result<_, _>>().map(Some)
    }

    fn launch(
        &self,
        at: At<'_, Self>,
        params: Option<&Vec<Literal>>,
        mut run: ProgramRun<'_, '_>,
    ) -> Result<(), BackendError> {
        let SizedGraph { graph, layout } = &**at.program;
        let upload = |index: usize, bytes: &[u8]| literal(layout.input_shape(index), bytes).map(Array);
        let fits = |index: usize, array: &Array| layout.input_shape(index) == Some(array.0.shape());
        let operands = run.operands(upload, fits)?;
        let name = |node: &'_ Node| node.name().unwrap_or_default().to_string();
        let names: Vec<String> = graph.inputs().chain(graph.params()).map(name).collect();
        let values = operands.iter().map(|operand| &operand.array().0).chain(params.into_iter().flatten());
        let named: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(values).collect();
        let outputs = rlx_ir::eval(graph, &named).map_err(failed)?;
        run.leave(outputs.into_iter().map(Array))
    }

    fn describe(&self, current: Option<(&SizedGraph, &())>) -> String {
        current.map_or_else(String::new, |(program, ())| format!("{} nodes\n", program.graph.nodes().len()))
    }
}

/// The evaluator as a backend.
pub struct Skeleton;

impl Backend for Skeleton {
    fn device(&self) -> Device {
        Device::Interpreter
    }

    fn availability(&self) -> Availability {
        Availability::Present("the evaluator".into())
    }

    fn claims(&self) -> &dyn Claims {
        &ClaimsAll
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(Instance::new(Evaluate, lowered, self.claims(), queue)?))
    }

    fn rates(&self) -> Rates {
        Rates { flops: 1e6, bytes: 1e7, transfer: 1e9, run: 1e-4 }
    }
}
