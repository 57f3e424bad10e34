//! Graphs whose sizes are symbols, on the device: one model for many sizes, and programs of single sizes that run by it.

use crate::backend::AneBackend;
use crate::engine::Engine;
use crate::loading::{LoadError, Loaded, MAIN, Packaging};
use crate::model::ModelError;
use crate::open::{OpenDim, OpenSizes, axes, probed};
use rlx_compile::{
    Availability, Backend, BackendError, Claims, CompileOptions, Executable, Lowered, Param, Queue, Rates,
};
use rlx_driver::{Device, Env};
use rlx_ir::{Bindings, Dim, Graph, Shape, Symbol};
use rlx_mil::emit::{Feature, MAX_RANK, OpenGraph};
use std::sync::{Arc, Mutex, PoisonError};

/// What becomes of sizes that are symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ModelSizes {
    /// A model for each size.
    #[default]
    Each,
    /// One model for ranges of sizes, where the program allows it: from 1 to 512, or to the next power of two above the largest size so far.
    Ranges,
    /// One model for all sizes, where the program allows it. The Neural Engine takes none such.
    All,
}

/// The least end of a range.
const LEAST_END: usize = 512;

/// Models that are kept, of other parameters or shorter ranges.
const MOST_MODELS: usize = 2;

/// The models of a graph, each for many sizes.
pub(crate) struct OpenModels {
    packaging: Packaging,
    symbols: Vec<Symbol>,
    /// For each symbol an input that has it as a size, and the axis.
    places: Vec<(usize, usize)>,
    /// The axes of the inputs that are no states.
    inputs: Vec<Vec<Dim>>,
    /// The graph at several sizes, and these.
    graphs: Vec<Graph>,
    sizes: Vec<Vec<usize>>,
    /// Whether ranges have an end.
    has_end: bool,
    made: Mutex<MadeModels>,
}

#[derive(Default)]
struct MadeModels {
    /// The ends of ranges, for each symbol: the largest that were asked for.
    ends: Vec<usize>,
    /// The models, the one used last behind.
    list: Vec<OpenModel>,
}

struct OpenModel {
    ends: Vec<usize>,
    params: Vec<Param>,
    loaded: Loaded,
}

impl OpenModels {
    /// The models of a lowered graph with symbols; `at` gives it at certain sizes, if it is the device's as a whole there.
    ///
    /// # Errors
    /// Why one model does not do for all sizes, in words.
    pub(crate) fn new(
        packaging: Packaging,
        graph: &Graph,
        has_end: bool,
        at: impl Fn(&Bindings) -> Result<Graph, String>,
    ) -> Result<OpenModels, String> {
        let symbols: Vec<Symbol> = graph.symbols().into_iter().collect();
        let is_state = |input: usize| packaging.states.iter().any(|state| state.input == input);
        let inputs: Vec<(usize, Vec<Dim>)> = graph
            .inputs()
            .map(|node| node.shape().dims().to_vec())
            .enumerate()
            .filter(|(i, _)| !is_state(*i))
            .collect();
        for (i, dims) in &inputs {
            let is_plain = |dim: &Dim| matches!(dim, Dim::Static(_) | Dim::Dynamic(_));
            let is_open = dims.iter().any(|dim| dim.as_static().is_none());
            if !dims.iter().all(is_plain) || is_open && dims.len() > MAX_RANK {
                let shape = &graph.input_shapes()[*i];
                return Err(format!("input {i} is {shape}: models take a symbol, or a size, for each of {MAX_RANK} axes"));
            }
        }
        let place = |symbol: &Symbol| {
            let of = |dims: &[Dim]| dims.iter().position(|dim| *dim == Dim::Dynamic(symbol.clone()));
            let found = inputs.iter().find_map(|(i, dims)| Some((*i, of(dims)?)));
            found.ok_or_else(|| format!("`{symbol}` is a size of no input"))
        };
        let places = symbols.iter().map(place).collect::<Result<_, _>>()?;
        let sizes = probed(&probes(symbols.len())?);
        let bindings = |sizes: &Vec<usize>| symbols.iter().cloned().zip(sizes.iter().copied()).collect();
        let graphs = sizes.iter().map(|sizes| at(&bindings(sizes))).collect::<Result<Vec<Graph>, _>>()?;
        let inputs = inputs.into_iter().map(|(_, dims)| dims).collect();
        let made = Mutex::default();
        let models = OpenModels { packaging, symbols, places, inputs, graphs, sizes, has_end, made };
        let bounds = models.bounds(&vec![LEAST_END; models.symbols.len()]);
        let checked = models.open(&bounds).check(models.packaging.dialect);
        checked.map_err(|problems| problems.join("; ")).map(|()| models)
    }

    fn open<'a>(&'a self, bounds: &'a [(usize, usize)]) -> OpenGraph<'a> {
        let (graphs, sizes, states) = (&self.graphs, &self.sizes, &self.packaging.states);
        OpenGraph { graphs, sizes, bounds, states }
    }

    /// The least and the largest size of each symbol.
    fn bounds(&self, ends: &[usize]) -> Vec<(usize, usize)> {
        let most = i32::MAX as usize;
        ends.iter().map(|&end| (1, if self.has_end { end.min(most) } else { most })).collect()
    }

    /// A model that runs the graph, which is `of` at certain sizes, with these parameters; what it takes and gives at these sizes. None where
    /// these sizes have a model of their own.
    pub(crate) fn loaded(&self, of: &Graph, params: &[Option<Param>]) -> Result<Option<Loaded>, BackendError> {
        let shapes = of.input_shapes();
        let size = |&(input, axis): &(usize, usize)| shapes.get(input)?.dims().get(axis)?.as_static();
        let Some(sizes) = self.places.iter().map(size).collect::<Option<Vec<usize>>>() else { return Ok(None) };
        // Who makes a model is waited for: others may want the same.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.ends.resize(sizes.len(), LEAST_END);
        let fits = |ends: &[usize]| !self.has_end || sizes.iter().zip(ends).all(|(size, end)| size <= end);
        let are_same = |known: &[Param]| {
            known.len() == params.len()
                && known.iter().zip(params).all(|(known, param)| {
                    param.as_ref().is_some_and(|param| std::ptr::eq(param.bytes(), known.bytes()))
                })
        };
        let found = made.list.iter().position(|model| fits(&model.ends) && are_same(&model.params));
        if let Some(found) = found {
            made.list[found..].rotate_left(1);
        } else {
            let next = |(&size, &end): (&usize, &usize)| Some(size.checked_next_power_of_two()?.max(end));
            let Some(ends) = sizes.iter().zip(&made.ends).map(next).collect::<Option<Vec<usize>>>() else {
                return Ok(None);
            };
            let loaded = match self.load(&ends, params) {
                Ok(loaded) => loaded,
                // The range is longer than what was checked.
                Err(LoadError::Model(ModelError::Unsupported(_))) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            made.ends.clone_from(&ends);
            if made.list.len() >= MOST_MODELS {
                made.list.remove(0);
            }
            made.list.push(OpenModel { ends, params: params.iter().flatten().cloned().collect(), loaded });
        }
        Ok(made.list.last().and_then(|model| self.at(&model.loaded, of)))
    }

    fn load(&self, ends: &[usize], params: &[Option<Param>]) -> Result<Loaded, LoadError> {
        let bounds = self.bounds(ends);
        let open: Vec<OpenDim> = self
            .symbols
            .iter()
            .zip(ends)
            .map(|(symbol, &end)| {
                let sizes = OpenSizes::Range(1, if self.has_end { end } else { usize::MAX });
                OpenDim { symbol: symbol.clone(), sizes }
            })
            .collect();
        let no_axes = |e: &dyn std::error::Error| ModelError::Unsupported(vec![e.to_string()]);
        let axes = self.inputs.iter().map(|dims| axes(dims, &open)).collect::<Result<Vec<_>, _>>();
        let axes = axes.map_err(|e| no_axes(&e))?;
        self.packaging.load(&self.graphs[0], params, |builder, values, weights| {
            builder.open_function(MAIN, self.open(&bounds), axes, values, weights).map(|_| ())
        })
    }

    /// What a model takes and gives where the graph is this one.
    fn at(&self, loaded: &Loaded, of: &Graph) -> Option<Loaded> {
        let sized = |features: &[Feature], shapes: Vec<Shape>, is_state: &dyn Fn(usize) -> bool| {
            let others = shapes.iter().enumerate().filter(|(i, _)| !is_state(*i));
            let sized = |(feature, (_, shape)): (&Feature, (usize, &Shape))| {
                Some(Feature { dims: Feature::sizes(shape)?, ..feature.clone() })
            };
            features.iter().zip(others).map(sized).collect::<Option<Vec<Feature>>>()
        };
        let states = &self.packaging.states;
        let inputs =
            sized(&loaded.inputs, of.input_shapes(), &|i| states.iter().any(|state| state.input == i))?;
        let outputs =
            sized(&loaded.outputs, of.output_shapes(), &|i| states.iter().any(|state| state.output == i))?;
        Some(Loaded { inputs, outputs, ..loaded.clone() })
    }

    /// What `describe` says of it.
    pub(crate) fn describe(&self) -> String {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let range = |(i, symbol): (usize, &Symbol)| match self.has_end {
            true => format!("{symbol} from 1 to {}", made.ends.get(i).unwrap_or(&LEAST_END)),
            false => format!("{symbol} from 1 on"),
        };
        let ranges: Vec<String> = self.symbols.iter().enumerate().map(range).collect();
        format!("one model for {}\n", ranges.join(", "))
    }
}

/// Three sizes for each symbol: primes, each once, so that none is another dimension's, or a product.
fn probes(count: usize) -> Result<Vec<[usize; 3]>, String> {
    let is_prime = |n: &usize| (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let mut primes = (67..LEAST_END).rev().filter(is_prime);
    let mut three = || Some([primes.next()?, primes.next()?, primes.next()?]);
    let probes: Option<Vec<[usize; 3]>> = (0..count).map(|_| three()).collect();
    probes.ok_or_else(|| format!("there are {count} symbols"))
}

/// The device for one graph with symbols: programs of its sizes run by models for many sizes.
pub(crate) struct SizedBackend {
    own: AneBackend,
    models: Arc<OpenModels>,
}

impl SizedBackend {
    pub(crate) fn new(engine: Arc<dyn Engine>, models: OpenModels) -> SizedBackend {
        SizedBackend { own: AneBackend::with_engine(engine), models: Arc::new(models) }
    }
}

impl Backend for SizedBackend {
    fn device(&self) -> Device {
        self.own.device()
    }

    fn availability(&self) -> Availability {
        self.own.availability()
    }

    fn claims(&self) -> &dyn Claims {
        self.own.claims()
    }

    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        self.own.apply_env(options, env)
    }

    fn prepare(&self, lowered: Lowered, _: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        self.own.prepared(lowered, Some(&self.models))
    }

    fn rates(&self) -> Rates {
        self.own.rates()
    }
}
