//! Runs graphs with symbols on the device: one model for many sizes, and programs of single sizes that use it.

use crate::backend::AneBackend;
use crate::engine::Engine;
use crate::loading::{LoadError, Loaded, MAIN, Packaging};
use crate::model::ModelError;
use crate::open::{OpenDim, OpenSizes, Probes, axes, even_probe, is_prime, probed};
use rlx_compile::{BackendError, CompileOptions, Lowered, Param};
use rlx_exec::HostProgram;
use rlx_ir::{Bindings, Dim, Graph, Shape, Symbol};
use rlx_mil::emit::{Feature, MAX_RANK, OpenGraph};
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What becomes of sizes that are symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ModelSizes {
    /// A model for each size.
    #[default]
    Each,
    /// One model for ranges of sizes, where the program allows it: from 1 to 512, or to the next power of two above the largest size so far; no
    /// further than the graph has sizes.
    Ranges,
    /// One model for all sizes, where the program allows it. The Neural Engine takes none such.
    All,
}

/// How far a range reaches if nothing larger is asked for.
const FIRST_END: usize = 512;

/// A size that stands for all larger ones where a graph has no largest one.
const FAR: usize = 1 << 20;

/// Models for many sizes that are kept, of other parameters or shorter ranges.
const MOST_MODELS: usize = 2;

/// Models of single sizes that are kept.
const MOST_SIZES: usize = 4;

/// The models of a graph, each for many sizes.
pub(crate) struct OpenModels {
    packaging: Packaging,
    lowered: Lowered,
    symbols: Vec<Symbol>,
    /// For each symbol an input that has it as a size, and the axis.
    places: Vec<(usize, usize)>,
    /// The axes of the inputs that are no states.
    inputs: Vec<Vec<Dim>>,
    /// Sizes that the graph has, and for each symbol the least one beside these.
    base: Vec<usize>,
    least: Vec<usize>,
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
        lowered: &Lowered,
        has_end: bool,
        at: impl Fn(&Bindings) -> Result<Graph, String>,
    ) -> Result<OpenModels, String> {
        let graph = lowered.graph();
        let symbols: Vec<Symbol> = graph.symbols().into_iter().collect();
        let inputs = open_inputs(graph, &packaging)?;
        let place = |symbol: &Symbol| {
            let of = |dims: &[Dim]| dims.iter().position(|dim| *dim == Dim::Dynamic(symbol.clone()));
            let found = inputs.iter().find_map(|(i, dims)| Some((*i, of(dims)?)));
            found.ok_or_else(|| format!("`{symbol}` is a size of no input"))
        };
        let places = symbols.iter().map(place).collect::<Result<_, _>>()?;
        let inputs = inputs.into_iter().map(|(_, dims)| dims).collect();
        let (lowered, count, made) = (lowered.clone(), symbols.len(), Mutex::default());
        let (graphs, sizes, base, least) = (Vec::new(), Vec::new(), Vec::new(), vec![1; count]);
        let mut models = OpenModels {
            packaging,
            lowered,
            symbols,
            places,
            inputs,
            base,
            least,
            graphs,
            sizes,
            has_end,
            made,
        };
        let base = base_size(&models.lowered)?;
        models.base = vec![base; count];
        models.least = (0..count).map(|i| models.least_of(i)).collect();
        let ends: Vec<usize> = (0..count).map(|i| models.end_of(i, FIRST_END)).collect();
        // Numbers that are equal by chance, as what is left of a range and a constant, make programs look as if they had other operations.
        let mut asked = models.ask_at(&ends, (3, 4), &at);
        for part in [(1, 1), (1, 2)] {
            asked = asked.or_else(|first| models.ask_at(&ends, part, &at).map_err(|_| first));
        }
        asked.map(|()| models)
    }

    /// Asks for the graph at sizes up to this part of the ends, and whether one model does.
    fn ask_at(
        &mut self,
        ends: &[usize],
        (part, of): (usize, usize),
        at: &dyn Fn(&Bindings) -> Result<Graph, String>,
    ) -> Result<(), String> {
        let most: Vec<usize> = ends.iter().map(|end| end * part / of).collect();
        self.sizes = probed(&probes(&self.least, &most, self.has_end)?);
        let graphs = self.sizes.iter().map(|sizes| at(&self.bindings(sizes)));
        self.graphs = graphs.collect::<Result<Vec<Graph>, _>>()?;
        let checked = self.check(ends);
        if checked.is_ok() || !self.least.iter().zip(ends).all(|(least, end)| least < end) {
            return checked;
        }
        // At the least sizes something may be without elements.
        self.least.iter_mut().for_each(|least| *least += 1);
        let again = self.check(ends);
        if again.is_err() {
            self.least.iter_mut().for_each(|least| *least -= 1);
        }
        again.or(checked)
    }

    fn check(&self, ends: &[usize]) -> Result<(), String> {
        let checked = self.open(&self.bounds(ends)).check(self.packaging.dialect);
        checked.map_err(|problems| problems.join("; "))
    }

    fn bindings(&self, sizes: &[usize]) -> Bindings {
        self.symbols.iter().cloned().zip(sizes.iter().copied()).collect()
    }

    /// Whether the graph is one at these sizes.
    fn is_valid(&self, sizes: &[usize]) -> bool {
        self.lowered.bind(&self.bindings(sizes)).is_ok()
    }

    fn is_valid_at(&self, symbol: usize, size: usize) -> bool {
        let mut sizes = self.base.clone();
        sizes[symbol] = size;
        self.is_valid(&sizes)
    }

    fn least_of(&self, symbol: usize) -> usize {
        let base = self.base[symbol];
        (1..base).find(|&size| self.is_valid_at(symbol, size)).unwrap_or(base)
    }

    /// The largest size of a symbol up to this one.
    fn end_of(&self, symbol: usize, end: usize) -> usize {
        if self.is_valid_at(symbol, end) {
            return end;
        }
        let (mut low, mut high) = (self.base[symbol].min(end), end);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.is_valid_at(symbol, middle) { low = middle } else { high = middle }
        }
        low
    }

    fn open<'a>(&'a self, bounds: &'a [(usize, usize)]) -> OpenGraph<'a> {
        let (graphs, sizes, states) = (&self.graphs, &self.sizes, &self.packaging.states);
        OpenGraph { graphs, sizes, bounds, states }
    }

    /// The least and the largest size of each symbol.
    fn bounds(&self, ends: &[usize]) -> Vec<(usize, usize)> {
        let ends = ends.iter().map(|&end| end.min(i32::MAX as usize));
        self.least.iter().copied().zip(ends).collect()
    }

    /// Where ranges end that are to have these sizes.
    fn ends_for(&self, sizes: &[usize], so_far: &[usize]) -> Option<Vec<usize>> {
        let end = |symbol: usize| {
            let (size, so_far) = (sizes[symbol], so_far[symbol]);
            if !self.has_end {
                let end = self.end_of(symbol, FAR);
                return Some(if end == FAR { usize::MAX } else { end.max(size) });
            }
            let wanted = size.checked_next_power_of_two()?.max(so_far);
            Some(self.end_of(symbol, wanted).max(size))
        };
        (0..sizes.len()).map(end).collect()
    }

    /// A model that runs the graph, which is `of` at certain sizes, with these parameters; what it takes and gives at these sizes. None where
    /// these sizes have a model of their own.
    pub(crate) fn loaded(
        &self,
        of: &Graph,
        params: &[Option<Param>],
    ) -> Result<Option<Loaded>, BackendError> {
        let shapes = of.input_shapes();
        let size = |&(input, axis): &(usize, usize)| shapes.get(input)?.dims().get(axis)?.as_static();
        let Some(sizes) = self.places.iter().map(size).collect::<Option<Vec<usize>>>() else {
            return Ok(None);
        };
        // Who makes a model is waited for: others may want the same.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.ends.resize(sizes.len(), FIRST_END);
        if sizes.iter().zip(&self.least).any(|(size, least)| size < least) {
            return Ok(None);
        }
        let fits = |ends: &[usize]| sizes.iter().zip(ends).all(|(size, end)| size <= end);
        let found = made.list.iter().position(|model| fits(&model.ends) && are_same(&model.params, params));
        if let Some(found) = found {
            made.list[found..].rotate_left(1);
        } else {
            let Some(ends) = self.ends_for(&sizes, &made.ends) else { return Ok(None) };
            let loaded = match self.load(&ends, (of, &sizes), params) {
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

    /// The model of ranges with these ends. If a size is beyond the octave that the graph was asked in, the graph at the sizes that are
    /// wanted must fit, too: loops that double have more steps there.
    fn load(
        &self,
        ends: &[usize],
        (of, at): (&Graph, &[usize]),
        params: &[Option<Param>],
    ) -> Result<Loaded, LoadError> {
        let bounds = self.bounds(ends);
        let (mut graphs, mut sizes) = (Cow::Borrowed(&self.graphs[..]), Cow::Borrowed(&self.sizes[..]));
        let octave = |asked: &usize| asked.checked_next_power_of_two().unwrap_or(usize::MAX);
        if at.iter().zip(&self.sizes[0]).any(|(size, asked)| *size > octave(asked)) {
            graphs.to_mut().push(of.clone());
            sizes.to_mut().push(at.to_vec());
        }
        let open_graph =
            || OpenGraph { graphs: &graphs, sizes: &sizes, bounds: &bounds, states: &self.packaging.states };
        let open: Vec<OpenDim> = self
            .symbols
            .iter()
            .zip(self.least.iter().zip(ends))
            .map(|(symbol, (&least, &end))| OpenDim {
                symbol: symbol.clone(),
                sizes: OpenSizes::Range(least, end),
            })
            .collect();
        let no_axes = |e: &dyn std::error::Error| ModelError::Unsupported(vec![e.to_string()]);
        let axes = self.inputs.iter().map(|dims| axes(dims, &open)).collect::<Result<Vec<_>, _>>();
        let axes = axes.map_err(|e| no_axes(&e))?;
        self.packaging.load(&self.graphs[0], params, |builder, values, weights| {
            builder.open_function(MAIN, open_graph(), axes, values, weights).map(|_| ())
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
        let range = |(i, symbol): (usize, &Symbol)| {
            let least = self.least[i];
            match made.list.last().map(|model| model.ends[i]) {
                None => format!("{symbol} from {least}"),
                Some(usize::MAX) => format!("{symbol} from {least} on"),
                Some(end) => format!("{symbol} from {least} to {end}"),
            }
        };
        let ranges: Vec<String> = self.symbols.iter().enumerate().map(range).collect();
        format!("one model for {}\n", ranges.join(", "))
    }
}

/// The inputs that are no states, with their axes: a size, or a symbol.
fn open_inputs(graph: &Graph, packaging: &Packaging) -> Result<Vec<(usize, Vec<Dim>)>, String> {
    let is_state = |input: usize| packaging.states.iter().any(|state| state.input == input);
    let mut inputs = Vec::new();
    for (i, shape) in graph.input_shapes().into_iter().enumerate().filter(|(i, _)| !is_state(*i)) {
        let dims = shape.dims();
        let is_plain = |dim: &Dim| matches!(dim, Dim::Static(_) | Dim::Dynamic(_));
        let is_open = dims.iter().any(|dim| dim.as_static().is_none());
        if !dims.iter().all(is_plain) || is_open && dims.len() > MAX_RANK {
            return Err(format!("input {i} is {shape}: axes are sizes or symbols, {MAX_RANK} at most"));
        }
        inputs.push((i, dims.to_vec()));
    }
    Ok(inputs)
}

/// Three sizes for each symbol, between these: primes, each once, so that none is another dimension's, or a product. The fourth one, to
/// check by, is even, because primes are odd: half of a size, rounded down, is (n − 1)/2 at all of them. It is of another octave where
/// ranges have no end, because loops that double have more steps there.
fn probes(least: &[usize], ends: &[usize], has_end: bool) -> Result<Vec<Probes>, String> {
    let mut taken = Vec::new();
    let mut found: Vec<Option<Probes>> = least.iter().map(|_| None).collect();
    // Short ranges first, for longer ones have others.
    let mut order: Vec<usize> = (0..least.len()).collect();
    order.sort_by_key(|&i| ends[i]);
    for i in order {
        let primes: Vec<usize> =
            (least[i]..=ends[i]).rev().filter(|n| is_prime(*n) && !taken.contains(n)).take(3).collect();
        taken.extend(&primes);
        let probes: [usize; 3] = primes.try_into().map_err(|_| {
            let (least, end) = (least[i], ends[i]);
            format!("the sizes from {least} to {end} are too few to tell how the graph depends on them")
        })?;
        let octave = probes[2].next_power_of_two() / 2;
        let even = match has_end {
            true => even_probe(least[i].max(octave + 1), ends[i], &taken),
            false => even_probe(least[i], octave, &taken),
        };
        taken.extend(even);
        found[i] = Some(Probes { probes, check: even.unwrap_or(probes[2]) });
    }
    Ok(found.into_iter().flatten().collect())
}

/// Models of single sizes that were used last: whoever comes back to a size finds its model. They belong to programs.
#[derive(Default)]
pub(crate) struct RecentModels(Mutex<Vec<RecentModel>>);

struct RecentModel {
    /// The program, which may be gone.
    of: Weak<dyn Any + Send + Sync>,
    params: Vec<Param>,
    loaded: Loaded,
}

impl RecentModels {
    /// The model of a program for these parameters, by `load` where it is not there.
    pub(crate) fn get(
        &self,
        of: Weak<dyn Any + Send + Sync>,
        params: &[Option<Param>],
        load: impl FnOnce() -> Result<Loaded, BackendError>,
    ) -> Result<Loaded, BackendError> {
        // Who loads is waited for: others may want the same.
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|model| model.of.strong_count() > 0);
        let is_it = |model: &RecentModel| {
            std::ptr::addr_eq(model.of.as_ptr(), of.as_ptr()) && are_same(&model.params, params)
        };
        if let Some(found) = list.iter().position(is_it) {
            list[found..].rotate_left(1);
            return Ok(list[list.len() - 1].loaded.clone());
        }
        let loaded = load()?;
        if list.len() >= MOST_SIZES {
            list.remove(0);
        }
        list.push(RecentModel {
            of,
            params: params.iter().flatten().cloned().collect(),
            loaded: loaded.clone(),
        });
        Ok(loaded)
    }
}

/// Whether all parameters are set, and are these.
fn are_same(known: &[Param], params: &[Option<Param>]) -> bool {
    let is_same = |(known, param): (&Param, &Option<Param>)| {
        param.as_ref().is_some_and(|param| std::ptr::eq(param.bytes(), known.bytes()))
    };
    known.len() == params.len() && known.iter().zip(params).all(is_same)
}

/// What programs of the sizes of one graph share.
#[derive(Clone, Default)]
pub(crate) struct SharedModels {
    /// Models for many sizes where these are asked for, or why there are none.
    pub(crate) open: Option<Result<Arc<OpenModels>, String>>,
    /// Those of single sizes.
    pub(crate) recent: Arc<RecentModels>,
}

/// A graph with symbols, which is to have models for many sizes. Symbols that are sizes of states are fixed: what a model keeps does not change
/// its size. So there are models for each of their sizes.
pub(crate) struct OpenGraphs {
    lowered: Lowered,
    /// Whether ranges have an end.
    pub(crate) has_end: bool,
    /// The symbols that are fixed, each with an input that has it as a size, and the axis.
    fixed: Vec<(Symbol, (usize, usize))>,
    made: Mutex<Vec<(Bindings, Result<Arc<OpenModels>, String>)>>,
}

impl OpenGraphs {
    /// Of a lowered graph; `is_kept` says which states the model keeps.
    ///
    /// # Errors
    /// Why one model does not do for all sizes, in words.
    pub(crate) fn new(
        lowered: &Lowered,
        has_end: bool,
        is_kept: impl Fn(&Shape) -> bool,
    ) -> Result<OpenGraphs, String> {
        let graph = lowered.graph();
        let size = base_size(lowered)?;
        let base: Bindings = graph.symbols().into_iter().map(|symbol| (symbol, size)).collect();
        let shapes = graph.input_shapes();
        let mut fixed: Vec<(Symbol, (usize, usize))> = Vec::new();
        let kept = lowered.aliases().iter().filter(|alias| is_kept(&shapes[alias.input].bind(&base)));
        for symbol in kept.flat_map(|alias| shapes[alias.input].symbols()) {
            let plain = Dim::Dynamic(symbol.clone());
            let of = |shape: &Shape| shape.dims().iter().position(|dim| *dim == plain);
            let place = shapes.iter().enumerate().find_map(|(i, shape)| Some((i, of(shape)?)));
            let place = place.ok_or_else(|| format!("`{symbol}` is a size of no input"))?;
            if !fixed.iter().any(|(known, _)| *known == symbol) {
                fixed.push((symbol, place));
            }
        }
        if fixed.len() == base.len() {
            return Err("all of its symbols are sizes of states".into());
        }
        Ok(OpenGraphs { lowered: lowered.clone(), has_end, fixed, made: Mutex::default() })
    }

    /// The graph with its fixed symbols at sizes that it has.
    pub(crate) fn sample(&self) -> Result<Lowered, String> {
        let size = base_size(&self.lowered)?;
        self.at(&self.fixed.iter().map(|(symbol, _)| (symbol.clone(), size)).collect())
    }

    fn at(&self, fixed: &Bindings) -> Result<Lowered, String> {
        let (graph, lowered) = (self.lowered.graph().bind(fixed), &self.lowered);
        Lowered::new(graph, lowered.aliases(), lowered.options(), None).map_err(|e| e.to_string())
    }

    /// The models that run the graph at the sizes that it has here, by `make` if there are none yet.
    fn models(
        &self,
        of: &Graph,
        make: impl FnOnce(&Lowered) -> Result<OpenModels, String>,
    ) -> Option<Result<Arc<OpenModels>, String>> {
        let shapes = of.input_shapes();
        let size = |(symbol, (input, axis)): &(Symbol, (usize, usize))| {
            Some((symbol.clone(), shapes.get(*input)?.dims().get(*axis)?.as_static()?))
        };
        let fixed: Bindings = self.fixed.iter().map(size).collect::<Option<_>>()?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = made.iter().position(|(known, _)| *known == fixed) {
            made[found..].rotate_left(1);
        } else {
            let models = self.at(&fixed).and_then(|lowered| make(&lowered));
            if made.len() >= MOST_SIZES {
                drop(made.remove(0));
            }
            made.push((fixed, models.map(Arc::new)));
        }
        made.last().map(|(_, models)| models.clone())
    }
}

/// A size that all symbols of a graph may have.
fn base_size(lowered: &Lowered) -> Result<usize, String> {
    let symbols = lowered.graph().symbols();
    let is_valid = |size: &usize| {
        let sizes = symbols.iter().map(|symbol| (symbol.clone(), *size)).collect();
        lowered.bind(&sizes).is_ok()
    };
    let found = [64, 32, 16, 8, 4, 2, 1, 128].into_iter().find(is_valid);
    found.ok_or_else(|| "there is no size that does for all of its symbols".into())
}

/// Models that the programs of parts of one graph share, at all its sizes. It is a block of compile options, which are copied to the parts.
#[derive(Clone, Default)]
pub(crate) struct RecentOfSizes(Arc<RecentModels>);

impl PartialEq for RecentOfSizes {
    fn eq(&self, other: &RecentOfSizes) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for RecentOfSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecentOfSizes")
    }
}

/// Makes the programs of one graph: those of its sizes share what can be shared.
pub(crate) struct SizedPrograms {
    own: AneBackend,
    graphs: Option<OpenGraphs>,
    /// None for a graph that has one size.
    recent: Option<Arc<RecentModels>>,
}

impl SizedPrograms {
    /// For a graph with symbols.
    pub(crate) fn new(engine: Arc<dyn Engine>, graphs: Option<OpenGraphs>) -> SizedPrograms {
        SizedPrograms { own: AneBackend::with_engine(engine), graphs, recent: Some(Arc::default()) }
    }

    /// For a graph without symbols. It may be part of a graph with symbols, at certain sizes.
    pub(crate) fn of_one_size(engine: Arc<dyn Engine>, options: &CompileOptions) -> SizedPrograms {
        let recent = options.backend.get::<RecentOfSizes>().map(|models| models.0.clone());
        SizedPrograms { own: AneBackend::with_engine(engine), graphs: None, recent }
    }

    /// The program of the graph at sizes that it may have.
    pub(crate) fn prepared(&self, lowered: Lowered) -> Box<dyn HostProgram> {
        let Some(recent) = &self.recent else { return self.own.prepared(lowered, None) };
        let open = self.graphs.as_ref().and_then(|graphs| {
            graphs.models(lowered.graph(), |open| self.own.models_of(open, graphs.has_end))
        });
        self.own.prepared(lowered, Some(SharedModels { open, recent: recent.clone() }))
    }
}
