//! Functions that JAX gives their own derivative: how each is found in a program, and its slopes.
//!
//! `functions.txt` has a row for each form to which JAX 0.10 lowers them (`scripts/function_forms.py` writes it). The
//! ops of the program stay as they are, inside a [`CustomFn`](Op::CustomFn) whose derivative is the slope times the
//! tangent.

use super::cones::{PREFIX, Walk, extracted};
use rlx_ir::{BinaryOp, Builder, DType, Graph, NodeId, Op, Shape, SubGraph, Tensor, UnaryOp};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::f64::consts::{FRAC_1_PI, FRAC_2_SQRT_PI, FRAC_PI_2, PI};
use std::sync::OnceLock;

/// The maximum number of nodes of a function.
const MOST: usize = 4096;

/// The maximum number of constants that are considered as arguments.
const MOST_CONSTANTS: usize = 8;

/// A form to which a function is lowered.
struct KnownFunction {
    name: &'static str,
    /// For each leaf, in the order in which a walk meets them, which arguments it is.
    order: Vec<Vec<usize>>,
}

/// The forms, keyed by their fingerprints.
struct Table {
    forms: HashMap<u64, KnownFunction>,
    /// For each prefix, the numbers of nodes and leaves of the forms that start with it.
    prefixes: HashMap<u64, BTreeSet<(usize, usize)>>,
    roots: HashSet<&'static str>,
}

/// Reads rows of (name, op at the end, prefix, number of nodes, fingerprint, which arguments each leaf is).
fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table { forms: HashMap::new(), prefixes: HashMap::new(), roots: HashSet::new() };
        for row in include_str!("functions.txt").lines().filter(|row| !row.starts_with('#')) {
            let words: Vec<&'static str> = row.split_whitespace().collect();
            let [name, root, prefix, nodes, number, order @ ..] = words.as_slice() else { continue };
            let hexadecimal = |word: &str| u64::from_str_radix(word, 16);
            let (Ok(prefix), Ok(nodes), Ok(number)) =
                (hexadecimal(prefix), nodes.parse(), hexadecimal(number))
            else {
                continue;
            };
            let leaf = |word: &&str| word.split(',').filter_map(|argument| argument.parse().ok()).collect();
            let order: Vec<Vec<usize>> = order.iter().map(leaf).collect();
            table.roots.insert(*root);
            table.prefixes.entry(prefix).or_default().insert((nodes, order.len()));
            table.forms.insert(number, KnownFunction { name, order });
        }
        table
    })
}

/// A function that was found in a graph.
pub(super) struct Found {
    pub(super) members: Vec<NodeId>,
    pub(super) function: SubGraph,
    pub(super) operands: Vec<NodeId>,
}

/// Returns the function that a node is the result of, whatever its arguments are.
pub(super) fn find(graph: &Graph, root: NodeId) -> Option<Found> {
    let table = table();
    let node = graph.node(root);
    if !table.roots.contains(node.op().mnemonic()) || node.is_tuple() || !node.shape().dtype().is_float() {
        return None;
    }
    let mut walk = Walk::new(graph, root, &[]);
    advance(&mut walk, PREFIX)?;
    for &(nodes, leaves) in table.prefixes.get(&walk.prefix())? {
        advance(&mut walk, nodes)?;
        if let Some(form) = table.forms.get(&walk.number()) {
            return found(graph, root, &walk, form);
        }
        // Constant arguments were counted as part of the function.
        let missing = leaves.saturating_sub(walk.leaves().len());
        let mut constants = walk.early_constants();
        constants.truncate(MOST_CONSTANTS);
        for arguments in subsets(&constants, missing) {
            let mut walk = Walk::new(graph, root, &arguments);
            let form = advance(&mut walk, nodes).and_then(|()| table.forms.get(&walk.number()));
            if let Some(form) = form {
                return found(graph, root, &walk, form);
            }
        }
    }
    None
}

/// Passes nodes until `nodes` have been passed. Returns `None` if there are fewer.
fn advance(walk: &mut Walk<'_>, nodes: usize) -> Option<()> {
    while walk.members().len() < nodes {
        walk.step()?;
    }
    Some(())
}

/// Returns the subsets of `count` values, if `count` is not 0.
fn subsets(values: &[NodeId], count: usize) -> Vec<Vec<NodeId>> {
    let bits = |set: &u32| set.count_ones() as usize == count;
    let sets = (1_u32..1 << values.len()).filter(bits);
    let members = |set: u32| (0..values.len()).filter(|i| set >> i & 1 == 1).map(|i| values[i]).collect();
    sets.map(members).collect()
}

/// Returns the function that a node computes from these arguments.
pub(super) fn find_between(graph: &Graph, root: NodeId, arguments: &[NodeId]) -> Option<SubGraph> {
    let mut walk = Walk::new(graph, root, arguments);
    while walk.members().len() < MOST && walk.step().is_some() {}
    let form = table().forms.get(&walk.number())?;
    found(graph, root, &walk, form).filter(|found| found.operands == arguments).map(|found| found.function)
}

fn found(graph: &Graph, root: NodeId, walk: &Walk<'_>, form: &KnownFunction) -> Option<Found> {
    let leaves = walk.leaves();
    if leaves.len() != form.order.len() {
        return None;
    }
    let count = form.order.iter().map(Vec::len).sum();
    let operands: Vec<NodeId> = (0..count)
        .map(|i| form.order.iter().position(|arguments| arguments.contains(&i)).map(|at| leaves[at]))
        .collect::<Option<_>>()?;
    let dims = graph.shape(root).dims();
    let fits = |id: &NodeId| graph.shape(*id).is_scalar() || graph.shape(*id).dims() == dims;
    // A value that is reshaped first is the argument in its new shape.
    let operands: Vec<NodeId> =
        operands.into_iter().map(|id| walk.used_as(id).filter(fits).unwrap_or(id)).collect();
    if !operands.iter().all(fits) {
        return None;
    }
    let forward = extracted(graph, root, &operands)?;
    let function = with_slopes(&forward, &|at| slopes(form.name, at))?;
    Some(Found { members: walk.members().to_vec(), function: SubGraph::new(function), operands })
}

/// Finds samples of the gamma distribution, or their logarithms, as JAX draws them from a key and shapes. Their
/// derivative is that of the quantile at which each sample lies.
pub(super) fn find_gamma_sampler(graph: &Graph, root: NodeId, arguments: &[NodeId]) -> Option<SubGraph> {
    let &[key, shape] = arguments else { return None };
    let dtype = graph.shape(root).dtype();
    let fits =
        graph.shape(shape) == graph.shape(root) && dtype.is_float() && !graph.shape(key).dtype().is_float();
    let forward = extracted(graph, root, arguments).filter(|_| fits)?;
    let loops = |op: &Op| matches!(op, Op::While { .. } | Op::Scan { .. });
    forward.nodes().iter().find(|node| loops(node.op()))?;
    let of_logarithm = is_log_space(&forward)?;
    let function = with_slopes(&forward, &|at| {
        let (alpha, y) = (&at.args[1], &at.y);
        let sample = if of_logarithm { y.exp() } else { y.clone() };
        let tiny =
            full(&sample, if dtype.size() == 8 { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) });
        let sample = if of_logarithm { sample.maximum(&tiny) } else { sample };
        let distribution =
            function_of(&[alpha.shape(), sample.shape()], |x| x[0].binary(BinaryOp::Igamma, &x[1]))?;
        let by_shape = slope_of(&distribution, 0, &[alpha.clone(), sample.clone()])?;
        let log_density = (alpha - 1.0) * sample.log() - &sample - alpha.unary(UnaryOp::Lgamma);
        let slope = -(by_shape / log_density.exp());
        let slope = if of_logarithm { slope / &sample } else { slope };
        let zero = sample.less_equal(&full(&sample, 0.0));
        Some(vec![(1, zero.select(&full(&sample, 0.0), &slope))])
    })?;
    Some(SubGraph::new(function))
}

/// Returns whether the samples are logarithms: the loop over samples then ends in the sum of a logarithm and a boost, instead of a choice.
fn is_log_space(forward: &Graph) -> Option<bool> {
    let mut log_space = None;
    let mut look = |graph: &Graph| {
        for node in graph.nodes() {
            // The boost of samples below 1 is u^(1/a), or the addition of its logarithm.
            if let Op::Binary { op: BinaryOp::Pow } = node.op() {
                log_space = log_space.or(Some(false));
            }
        }
    };
    visit(forward, &mut look);
    let mut logarithm = false;
    visit(forward, &mut |graph| {
        logarithm |=
            graph.nodes().iter().any(|n| matches!(n.op(), Op::Unary { op: UnaryOp::Log | UnaryOp::Log1p }));
    });
    log_space.or(logarithm.then_some(true))
}

fn visit(graph: &Graph, look: &mut dyn FnMut(&Graph)) {
    look(graph);
    for node in graph.nodes() {
        node.op().for_each_graph(&mut |body| visit(body, look));
    }
}

/// The point at which slopes are computed.
pub(super) struct At<'a> {
    /// The arguments.
    pub(super) args: Vec<Tensor>,
    /// The arguments, broadcast to the shape of the result.
    pub(super) xs: Vec<Tensor>,
    /// The result.
    pub(super) y: Tensor,
    forward: &'a Graph,
}

impl At<'_> {
    /// Applies the function to other arguments.
    fn of(&self, args: &[Tensor]) -> Option<Tensor> {
        self.y.builder().inline(self.forward, args).ok()?.pop()
    }

    /// Computes the derivative of the function's ops with respect to one argument. If the argument is an integer of at
    /// most 0, the terms of a series vanish before their derivatives do; if it equals one of `others`, the function has
    /// another form. There the derivative is interpolated from nearby points.
    fn beside(&self, by: usize, others: &[usize]) -> Option<(usize, Tensor)> {
        let x = &self.args[by];
        let precision = if x.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
        // The interpolation error, of fourth order in the distance, balances the error of the loop, which is inverse to the distance.
        let distance = 0.7 * precision.powf(0.2);
        let mut equal = full(x, 0.0).not_equal(&full(x, 0.0));
        for other in others.iter().map(|&other| &self.args[other]) {
            if other.rank() == 0 || other.dims() == x.dims() {
                equal = equal.or(&x.equal(&other.broadcast_to(&x.dims())));
            }
        }
        let from_whole = (x - x.unary(UnaryOp::RoundEven)).abs();
        let ends = from_whole.less(&full(x, distance)).and(&x.less(&full(x, 0.5)));
        // The other form applies to a single point, so that a small distance is enough.
        let beside = equal.select(&full(x, distance / 8.0), &full(x, 0.0));
        let unit = ends.select(&full(x, distance), &beside);
        let mut total: Option<Tensor> = None;
        for (offset, weight) in [(-4.0, -1.0 / 6.0), (-2.0, 4.0 / 6.0), (2.0, 4.0 / 6.0), (4.0, -1.0 / 6.0)] {
            let mut args = self.args.clone();
            args[by] = x + &unit * offset;
            let part = slope_of(self.forward, by, &args)? * weight;
            total = Some(match total {
                Some(total) => total + part,
                None => part,
            });
        }
        Some((by, total?))
    }
}

/// Derivatives with respect to arguments. Those that are not listed are 0.
pub(super) type Slopes = Vec<(usize, Tensor)>;

/// Returns the graph of a function on the inputs of `forward`, with these slopes.
pub(super) fn with_slopes(forward: &Graph, slopes: &dyn Fn(&At<'_>) -> Option<Slopes>) -> Option<Graph> {
    let shapes = forward.input_shapes();
    let builder = Builder::new("jvp");
    let input = |(i, shape): (usize, &Shape)| builder.input(format!("x{i}"), shape.clone());
    let args: Vec<Tensor> = shapes.iter().enumerate().map(input).collect();
    let y = builder.input("y", forward.output_shapes().first()?.clone());
    let tangent = |(i, shape): (usize, &Shape)| {
        let differentiable = shape.dtype().is_float() || shape.dtype().is_complex();
        differentiable.then(|| builder.input(format!("x{i}.tangent"), shape.clone()))
    };
    let tangents: Vec<Option<Tensor>> = shapes.iter().enumerate().map(tangent).collect();
    let repeated = |x: &Tensor| if x.rank() == 0 { x.broadcast_to(&y.dims()) } else { x.clone() };
    let xs = args.iter().map(repeated).collect();
    let at = At { args, xs, y: y.clone(), forward };
    let mut total: Option<Tensor> = None;
    for (i, slope) in slopes(&at)? {
        let Some(tangent) = &tangents[i] else { continue };
        let part = tangent.broadcast_to(&y.dims()) * slope;
        total = Some(match total {
            Some(total) => total + part,
            None => part,
        });
    }
    let jvp = builder.finish(&[&total.unwrap_or_else(|| full(&y, 0.0))]).ok()?;
    let builder = Builder::new("function");
    let args: Vec<Tensor> =
        shapes.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
    let results = builder.custom_fn(&args, forward, Some(&jvp), None);
    builder.finish(&results.iter().collect::<Vec<_>>()).ok()
}

/// Returns a graph on inputs of these shapes.
pub(super) fn function_of(shapes: &[Shape], f: impl FnOnce(&[Tensor]) -> Tensor) -> Option<Graph> {
    let builder = Builder::new("forward");
    let inputs: Vec<Tensor> =
        shapes.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
    builder.finish(&[&f(&inputs)]).ok()
}

/// Returns the derivative of a function of numbers with respect to one argument, in forward mode with a tangent of ones.
fn slope_of(function: &Graph, by: usize, args: &[Tensor]) -> Option<Tensor> {
    let name = function.inputs().nth(by)?.name()?.to_string();
    let moved = rlx_autodiff::jvp(function, name.as_str()).ok()?;
    let one = full(&args[by], 1.0);
    let args: Vec<Tensor> = args.iter().cloned().chain([one]).collect();
    args[by].builder().inline(&moved, &args).ok()?.pop()
}

fn full(x: &Tensor, value: f64) -> Tensor {
    x.scalar_like(value).broadcast_to(&x.dims())
}

/// Returns x with `value` where `pred` holds.
fn except(pred: &Tensor, value: f64, x: &Tensor) -> Tensor {
    pred.select(&full(x, value), x)
}

/// Returns the derivatives of the function with this name.
fn slopes(name: &str, at: &At<'_>) -> Option<Slopes> {
    let (x, y) = (at.xs.last()?, &at.y);
    Some(match name {
        // I₀′ = I₁, scaled by e^−|x|.
        "i0e" => vec![(0, x.unary(UnaryOp::BesselI1e) - x.sign() * y)],
        "i0" => vec![(0, x.abs().exp() * x.unary(UnaryOp::BesselI1e))],
        "dawsn" => vec![(0, 1.0 - 2.0 * x * y)],
        "erfcx" => vec![(0, 2.0 * x * y - FRAC_2_SQRT_PI)],
        "log_ndtr" => vec![(0, inverse_mills_ratio(x, y))],
        "fresnel.0" => vec![(0, (x * x * FRAC_PI_2).sin())],
        "fresnel.1" => vec![(0, (x * x * FRAC_PI_2).cos())],
        "sici.0" => {
            let zero = x.equal(&full(x, 0.0));
            vec![(0, except(&zero, 1.0, &(x.sin() / except(&zero, 1.0, x))))]
        }
        "sici.1" => vec![(0, x.cos() / x)],
        "expi" => vec![(0, x.exp() / x)],
        // E_n′ = −E_(n−1).
        "expn" => {
            let order = &at.args[0];
            let lower = match order.dtype().is_float() {
                true => order - 1.0,
                false => order - order.builder().int(1, order.dtype()).broadcast_to(&order.dims()),
            };
            vec![(1, -at.of(&[lower, at.args[1].clone()])?)]
        }
        // −∫ log t / (t − 1), and −1 at 1.
        "spence" => {
            let one = x.equal(&full(x, 1.0));
            vec![(0, except(&one, -1.0, &(x.log() / (1.0 - except(&one, 2.0, x)))))]
        }
        "poch" => {
            let [z, m] = at.xs.as_slice() else { return None };
            let above = (z + m).unary(UnaryOp::Digamma);
            vec![(0, (&above - z.unary(UnaryOp::Digamma)) * y), (1, above * y)]
        }
        "owens_t" => owens_t(&at.xs[0], &at.xs[1]),
        "sinc" => vec![(0, sinc(x, y))],
        // The mantissa is x times a power of two.
        "frexp" => {
            let passed = x.equal(&full(x, 0.0)).or(&x.unary(UnaryOp::IsFinite).unary(UnaryOp::Not));
            vec![(0, except(&passed, 1.0, &(y / except(&passed, 1.0, x))).stop_gradient())]
        }
        "gammainc" | "gammaincc" => {
            let function = if name == "gammainc" { BinaryOp::Igamma } else { BinaryOp::Igammac };
            let shapes: Vec<Shape> = at.xs.iter().map(Tensor::shape).collect();
            let op = function_of(&shapes, |x| x[0].binary(function, &x[1]))?;
            (0..2).map(|i| Some((i, slope_of(&op, i, &at.xs)?))).collect::<Option<_>>()?
        }
        "betainc" => {
            let shapes: Vec<Shape> = at.xs.iter().map(Tensor::shape).collect();
            let op = function_of(&shapes, |x| x[0].apply(Op::Betainc {}, &[&x[1], &x[2]]))?;
            (0..3).map(|i| Some((i, slope_of(&op, i, &at.xs)?))).collect::<Option<_>>()?
        }
        "hyp1f1" => {
            let [a, b, x] = at.args.as_slice() else { return None };
            // Below 0 with Kummer's transformation (DLMF 13.2.39), because its series does not cancel.
            let below = x.less(&full(x, 0.0)).and(&x.greater(&full(x, -50.0)));
            let negative = except(&below.unary(UnaryOp::Not), 0.0, x);
            let beyond = negative.exp() * at.of(&[b - a, b + 1.0, -&negative])?;
            let above = at.of(&[a + 1.0, b + 1.0, except(&below, 0.0, x)])?;
            let below = below.broadcast_to(&y.dims());
            let slope = at.xs[0].clone() / &at.xs[1] * below.select(&beyond, &above);
            vec![at.beside(0, &[1])?, at.beside(1, &[0])?, (2, slope)]
        }
        "hyp2f1" => {
            let [a, b, c, x] = at.args.as_slice() else { return None };
            let above = at.of(&[a + 1.0, b + 1.0, c + 1.0, x.clone()])?;
            let slope = at.xs[0].clone() * &at.xs[1] / &at.xs[2] * above;
            vec![at.beside(0, &[2])?, at.beside(1, &[2])?, at.beside(2, &[0, 1])?, (3, slope)]
        }
        _ => return None,
    })
}

/// φ(x) / Φ(x), for y = log Φ(x). Far below 0, where both φ and Φ vanish, it uses the asymptotic series (DLMF 7.12.1).
fn inverse_mills_ratio(x: &Tensor, y: &Tensor) -> Tensor {
    let far = x.less(&full(x, -30.0));
    let near = (x * x * -0.5 - (2.0 * PI).ln() / 2.0 - y).exp();
    let beyond = far.select(x, &full(x, -30.0));
    let square = 1.0 / (&beyond * &beyond);
    let series = 1.0 - &square * (1.0 - 3.0 * &square * (1.0 - 5.0 * &square));
    far.select(&(-beyond / series), &near)
}

/// ∂T/∂h = −e^(−h²/2) erf(ah/√2) / (2 √(2π)) and ∂T/∂a = e^(−(1 + a²) h²/2) / (2π (1 + a²)): Owen (1956).
fn owens_t(h: &Tensor, a: &Tensor) -> Slopes {
    let above = a * a + 1.0;
    let error = (a * h * std::f64::consts::FRAC_1_SQRT_2).unary(UnaryOp::Erf);
    let by_h = (h * h * -0.5).exp() * error * (-0.5 / (2.0 * PI).sqrt());
    let by_a = (&above * (h * h * -0.5)).exp() / above * (0.5 * FRAC_1_PI);
    vec![(0, by_h), (1, by_a)]
}

/// (cos πx − sinc x) / x. Near 0 it uses the series, so that derivatives of any order are correct there.
fn sinc(x: &Tensor, y: &Tensor) -> Tensor {
    let near = x.abs().less(&full(x, 0.05));
    let square = (x * PI) * (x * PI);
    // −π² x / 3 · (1 − z/10 + z²/280 − z³/15120), z = (πx)².
    let series = 1.0 - &square * (0.1 - &square * (1.0 / 280.0 - &square * (1.0 / 15120.0)));
    let small = x * (-PI * PI / 3.0) * series;
    let away = except(&near, 1.0, x);
    near.select(&small, &(((&away * PI).cos() - y) / away))
}

/// Returns the row of `functions.txt` for the function from the inputs of a graph to the output with this number.
/// `inputs` says which arguments an input is, if it is several.
pub(crate) fn form_of(name: &str, graph: &Graph, output: usize, inputs: &[String]) -> Option<String> {
    let root = *graph.outputs().get(output)?;
    let ids: Vec<NodeId> = graph.inputs().map(rlx_ir::Node::id).collect();
    let mut walk = Walk::new(graph, root, &ids);
    while walk.members().len() < MOST && walk.step().is_some() {}
    let argument = |leaf: &NodeId| {
        let at = ids.iter().position(|id| id == leaf)?;
        Some(inputs.get(at).cloned().unwrap_or_else(|| at.to_string()))
    };
    let order: Option<Vec<String>> = walk.leaves().iter().map(argument).collect();
    let root = graph.node(root).op().mnemonic();
    let (prefix, nodes, number) = (walk.prefix(), walk.members().len(), walk.number());
    let long_enough = nodes >= PREFIX;
    Some(format!("{name} {root} {prefix:016x} {nodes} {number:016x} {}", order?.join(" ")))
        .filter(|_| long_enough)
}
