//! Checks what the steps of schedules guarantee: kernels that random steps have changed give the same results as
//! before, to the bit, without a fault. Reductions of floats are not split, because that changes the order of
//! additions.

use rlx_codegen::interp::FaultKind;
use rlx_codegen::judge::{judge_launches, sizes};
use rlx_codegen::kernel::{Axis, Buffer, Fact, Kernel, Level, Place, Space, Stmt};
use rlx_codegen::lower::{Argument, GPUS, Launch, Temporary, lower_for};
use rlx_codegen::schedule::choose::{MACHINES, choose, schedule};
use rlx_codegen::schedule::{Partition, Schedule, ScheduleError, Step, Tail, Tree, apply_to_launch};
use rlx_codegen::swizzle::Swizzle;
use rlx_codegen::{Interpreter, Launches, lower};
use rlx_conformance::cases;
use rlx_conformance::random::{generate, symbolic::lifted};
use rlx_conformance::stream::Stream;
use rlx_ir::{
    BinaryOp, Bindings, Builder, ConvolutionSpec, DType, Dim, Graph, Literal, Op, ReduceOp, Shape, Symbol,
    Tensor,
};
use std::collections::BTreeMap;

/// A loop that a step may name.
struct Loop {
    axes: Vec<Axis>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parallel,
    Ordered,
    /// A reduction. Says whether its states are integers.
    Reduction(bool),
}

fn loops(kernel: &Kernel, block: &[Stmt], found: &mut Vec<Loop>) {
    for stmt in block {
        match stmt {
            Stmt::Par { axes, body } => {
                found.push(Loop { axes: axes.clone(), kind: Kind::Parallel });
                loops(kernel, body, found);
            }
            Stmt::For { axis, body, .. } => {
                found.push(Loop { axes: vec![axis.clone()], kind: Kind::Ordered });
                loops(kernel, body, found);
            }
            Stmt::Reduce { axes, body, results, .. } => {
                let exact = results.iter().all(|&r| kernel.dtype(r).is_int());
                found.push(Loop { axes: axes.clone(), kind: Kind::Reduction(exact) });
                loops(kernel, body, found);
            }
            Stmt::While { condition, body, .. } => {
                loops(kernel, condition, found);
                loops(kernel, body, found);
            }
            Stmt::If { then, otherwise, .. } => {
                loops(kernel, then, found);
                loops(kernel, otherwise, found);
            }
            Stmt::Let { .. }
            | Stmt::Name { .. }
            | Stmt::Array(_)
            | Stmt::Store { .. }
            | Stmt::Barrier
            | Stmt::Tile(_) => {}
        }
    }
}

/// Returns a step that may fit a kernel. New names contain `number`.
fn step(stream: &mut Stream, kernel: &Kernel, number: usize) -> Option<Step> {
    let mut all = Vec::new();
    loops(kernel, &kernel.body, &mut all);
    all.retain(|one| !one.axes.is_empty());
    if all.is_empty() {
        return None;
    }
    let Loop { axes, kind } = stream.pick(&all);
    let place = stream.below(axes.len());
    let axis = axes[place].symbol.clone();
    let into = [format!("a{number}"), format!("b{number}")].map(|name| Symbol::new(&name));
    let by = 1 + stream.below(4) as u32;
    let partition = Partition { axis: axes[0].symbol.clone(), by, into: into.clone() };
    Some(match (stream.below(14), kind) {
        (12, Kind::Reduction(true)) if stream.one_in(2) => Step::Chains(Partition { axis, by, into }),
        (11, Kind::Reduction(true)) => {
            let lanes = 1 + stream.below(6) as u32;
            Step::Tree(Tree { axis: axes[0].symbol.clone(), lanes, into })
        }
        (5, Kind::Parallel) if stream.one_in(3) => {
            let [first, last] = [(); 2].map(|()| stream.below(3) as u32);
            Step::Divide { axis, first, last, into: into[0].clone() }
        }
        (7, Kind::Reduction(_)) => Step::Clip { axis },
        (11 | 12, _) if stream.one_in(3) => {
            let arrays: Vec<_> = kernel.buffers.iter().filter(|b| !b.place.is_param()).collect();
            let array = arrays.get(stream.below(arrays.len().max(1)))?.name.clone();
            Step::Place { array, space: *stream.pick(&Space::ALL) }
        }
        (13, _) if stream.one_in(4) => {
            let arrays: Vec<_> = kernel.buffers.iter().filter(|b| !b.place.is_param()).collect();
            let array = arrays.get(stream.below(arrays.len().max(1)))?.name.clone();
            let (bits, to) = (1 + stream.below(2) as u32, stream.below(2) as u32);
            let order = Swizzle { bits, from: to + bits + stream.below(2) as u32, to };
            Step::Swizzle { array, order }
        }
        (11..=13, _) => {
            // Mostly loops that are inside groups.
            let level =
                *stream.pick(&[Level::Group, Level::Group, Level::Lane, Level::Lane, Level::Subgroup]);
            Step::Bind { axis, level }
        }
        (0, Kind::Reduction(true)) => Step::Launches(partition),
        (1, Kind::Reduction(true)) => Step::Parts(partition),
        (2, Kind::Reduction(true)) => Step::Lanes(partition),
        (8 | 9, Kind::Parallel) => {
            Step::Interchange { axes: axes[place..].iter().map(|axis| axis.symbol.clone()).collect() }
        }
        (10, Kind::Parallel) => Step::Nest { axis },
        (10, _) if stream.one_in(3) => {
            let outputs: Vec<&Buffer> = kernel.params().filter(|b| b.place == Place::Out).collect();
            let output = outputs.get(stream.below(outputs.len()))?;
            let axis = stream.below(output.extents.len().max(1)) as u32;
            Step::Unpack { output: output.name.clone(), axis, by }
        }
        (10, _) => {
            let inputs: Vec<&Buffer> = kernel.params().filter(|b| b.place == Place::In).collect();
            let input = inputs.get(stream.below(inputs.len()))?;
            let axis = stream.below(input.extents.len().max(1)) as u32;
            Step::Pack { input: input.name.clone(), axis, by }
        }
        (0, _) => {
            let mut of = |place: Place| {
                let params: Vec<_> = kernel.params().filter(|b| b.place == place).collect();
                params.get(stream.below(params.len())).map(|b| b.name.clone())
            };
            Step::InPlace { output: of(Place::Out)?, input: of(Place::In)? }
        }
        (1..=3, Kind::Parallel | Kind::Ordered) | (3, Kind::Reduction(_)) => {
            Step::Split { axis, by, tail: *stream.pick(&Tail::ALL), into }
        }
        (4, _) => {
            let next = axes[(place + 1) % axes.len()].symbol.clone();
            Step::Fuse { axes: [axis, next], into: into[0].clone() }
        }
        (5, _) => {
            let mut axes: Vec<Symbol> = axes.iter().map(|a| a.symbol.clone()).collect();
            (0..axes.len()).for_each(|at| axes.swap(at, stream.below(at + 1)));
            Step::Reorder { axes }
        }
        (6, _) if stream.one_in(2) => Step::Unroll { axis },
        (6, _) => Step::Bind { axis, level: *stream.pick(&Level::MARKS) },
        _ => {
            let inputs: Vec<&str> =
                kernel.params().filter(|b| b.place == Place::In).map(|b| b.name.as_str()).collect();
            let input = inputs.get(stream.below(inputs.len()))?.to_string();
            let lanes = if stream.one_in(2) { Some(1 + stream.below(5) as u32) } else { None };
            Step::Stage { input, axis, lanes, into: format!("staged{number}") }
        }
    })
}

/// A group with the results of its kernels for some inputs.
struct Trial {
    graph: Graph,
    launches: Launches,
    inputs: Vec<Literal>,
    sizes: Bindings,
    expected: Vec<Literal>,
}

/// Kernels that run longer than this before they are scheduled are left out, and so are scheduled ones that run 64 times as long.
const STATEMENTS: u64 = 1 << 19;

/// Statistics of the trials.
#[derive(Default, Debug)]
struct Tally {
    /// How often each step was applied, and how often it was refused.
    applied: BTreeMap<String, usize>,
    /// The number of graphs without a lowering: those with control flow, or with ops that a library computes.
    unlowered: usize,
    /// The number of groups, and of those that run for too long.
    groups: usize,
    long_groups: usize,
    /// The number of schedules, and of those that make a kernel run for too long, such as one that stages a whole input in many iterations.
    schedules: usize,
    long_schedules: usize,
}

impl Tally {
    fn count(&mut self, what: &str) {
        *self.applied.entry(what.to_string()).or_default() += 1;
    }

    /// Prints the statistics. Fails unless each of these steps was applied often, and almost nothing was left out.
    #[allow(clippy::print_stdout)]
    fn report(&self, often: &[&str]) {
        println!("{self:?}");
        for &step in often {
            assert!(self.applied.get(step).is_some_and(|&count| count > 5), "{step} in {self:?}");
        }
        assert!(self.groups >= 75, "{self:?}");
        assert!(self.long_groups * 100 <= self.groups, "{self:?}");
        assert!(self.long_schedules * 1000 <= self.schedules, "{self:?}");
    }
}

impl Trial {
    /// Returns `None` if there is no lowering, or if it runs for too long.
    fn new(graph: Graph, named: &[(String, Literal)], tally: &mut Tally) -> Option<Trial> {
        let Ok(mut launches) = lower(&graph) else {
            tally.unlowered += 1;
            return None;
        };
        let of = |name: &str| named.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let inputs = graph.inputs().map(|node| of(node.name()?)).collect::<Option<Vec<Literal>>>()?;
        let sizes = sizes(&graph, &inputs.iter().collect::<Vec<_>>());
        launches.launches.iter_mut().for_each(|launch| state_facts(&mut launch.kernel, &sizes));
        let mut trial = Trial { graph, launches, inputs, sizes, expected: Vec::new() };
        tally.groups += 1;
        trial.expected = match trial.run(&trial.launches, STATEMENTS) {
            Ok(outputs) => outputs,
            Err(FaultKind::TooLong { .. }) => {
                tally.long_groups += 1;
                return None;
            }
            Err(fault) => panic!("{fault}\n{}", trial.launches),
        };
        Some(trial)
    }

    fn run(&self, launches: &Launches, statements: u64) -> Result<Vec<Literal>, FaultKind> {
        let inputs: Vec<&Literal> = self.inputs.iter().collect();
        let interpreter = Interpreter { statements, ..Interpreter::default() };
        let results = interpreter.run(launches, &self.sizes, &inputs, &self.graph.output_shapes());
        results.map(|results| results.outputs).map_err(|fault| fault.kind)
    }

    /// Schedules a launch at random, and compares the results.
    fn check(&self, stream: &mut Stream, tally: &mut Tally) {
        tally.schedules += 1;
        let mut which = stream.below(self.launches.launches.len());
        let (mut launches, mut schedule) = (self.launches.clone(), Schedule::default());
        for number in 0..1 + stream.below(6) {
            let Some(step) = step(stream, &launches.launches[which].kernel, number) else { break };
            let one = Schedule(vec![step.clone()]);
            assert_eq!(Schedule::parse(&one.to_string()).as_ref(), Ok(&one));
            match apply_to_launch(&launches, which, &one) {
                Ok(scheduled) => {
                    launches = scheduled;
                    which += usize::from(matches!(step, Step::Pack { .. }));
                    tally.count(step.name());
                    schedule.0.push(step);
                }
                Err(ScheduleError::Step { reason, .. }) => {
                    assert!(!reason.contains("no kernel"), "{step}: {reason}\n{launches}");
                    tally.count("refused");
                }
                Err(error) => panic!("{error}\n{launches}"),
            }
        }
        let outputs = self.run(&launches, STATEMENTS * 64);
        if let Err(FaultKind::TooLong { .. }) = outputs {
            tally.long_schedules += 1;
            return;
        }
        let outputs = outputs.unwrap_or_else(|e| panic!("{e}\n{schedule}\n{}\n{launches}", self.launches));
        // Compared as text, in which NaNs are equal.
        let text = launches.to_string();
        assert_eq!(Launches::parse(&text).map(|read| read.to_string()), Ok(text));
        for (ours, theirs) in outputs.iter().zip(&self.expected) {
            let equal = ours.shape() == theirs.shape() && ours.bytes() == theirs.bytes();
            assert!(equal, "{schedule}: {ours:?} is not {theirs:?}\n{}\n{launches}", self.launches);
        }
    }
}

/// Adds facts about the sizes.
fn state_facts(kernel: &mut Kernel, sizes: &Bindings) {
    for (symbol, &size) in sizes {
        let of = Dim::Dynamic(symbol.clone());
        let known = kernel.params().any(|b| b.extents.contains(&of));
        if known && size > 0 {
            kernel.facts = vec![Fact::Multiple { of: of.clone(), by: size as u32 }, Fact::NotNegative(of)];
        }
    }
}

#[test]
fn kernels_of_ops_give_the_same_under_any_schedule() {
    let mut tally = Tally::default();
    let mut stream = Stream::new(5);
    for case in cases::all().iter().filter(|case| [DType::F32, DType::I32].contains(&case.dtype)) {
        let Some(trial) = Trial::new(case.graph(), &case.inputs(), &mut tally) else { continue };
        (0..3).for_each(|_| trial.check(&mut stream, &mut tally));
    }
    tally.report(&[STEPS, &["parts", "launches"]].concat());
}

#[test]
fn random_graphs_give_the_same_under_any_schedule() {
    let mut tally = Tally::default();
    for seed in 0..1200 {
        let random = generate(seed);
        let mut stream = Stream::new(seed);
        let symbolic = lifted(&random.graph).map(|(graph, _)| graph);
        for graph in [Some(random.graph), symbolic].into_iter().flatten() {
            let Some(trial) = Trial::new(graph, &random.inputs, &mut tally) else { continue };
            (0..12).for_each(|_| trial.check(&mut stream, &mut tally));
        }
    }
    tally.report(STEPS);
}

/// Returns a graph of integers: sums, products, movement and reductions of [n, 6] and [6, 6].
fn integers(stream: &mut Stream) -> Graph {
    let b = Builder::new("integers");
    let (n, six) = (Dim::dynamic("n"), Dim::Static(6));
    let input =
        |name: &str, rows: &Dim| b.input(name, Shape::from_dims(&[rows.clone(), six.clone()], DType::I32));
    let (weights, dims) = (input("w", &six), [n.clone(), six.clone()]);
    let mut values = vec![input("x", &n), input("y", &n)];
    for _ in 0..3 + stream.below(6) {
        let (x, y) = (stream.pick(&values).clone(), stream.pick(&values).clone());
        let kind = *stream.pick(&[ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod]);
        values.push(match stream.below(7) {
            0 => &x + &y,
            1 => x.binary(*stream.pick(&[BinaryOp::Mul, BinaryOp::Sub, BinaryOp::Min]), &y),
            2 => x.apply(Op::Reverse { axes: vec![stream.below(2)] }, &[]),
            3 => x.matmul(&weights),
            4 => x.reduce(kind, &[1], true).broadcast_to(&dims),
            5 => x.reduce(kind, &[0], true).broadcast_to(&dims),
            _ => x.reduce(kind, &[0, 1], true).broadcast_to(&dims),
        });
    }
    let outputs: Vec<&Tensor> = values.iter().rev().take(2).collect();
    b.finish(&outputs).unwrap_or_else(|e| panic!("{e}"))
}

/// Copies inputs into temporaries first, which may then be written over.
fn by_way_of_temporaries(launches: &Launches) -> Launches {
    let mut all = Launches { launches: Vec::new(), ..launches.clone() };
    for launch in &launches.launches {
        let mut launch = launch.clone();
        for (param, argument) in launch.kernel.params().zip(&mut launch.arguments) {
            let Argument::Input(_) = argument else { continue };
            let Buffer { dtype, extents, .. } = param;
            let join = |texts: Vec<String>| texts.join(",");
            let sizes = join(extents.iter().map(Dim::to_string).collect());
            let axes = join(extents.iter().enumerate().map(|(i, extent)| format!("i{i}<{extent}")).collect());
            let at = join((0..extents.len()).map(|i| format!("i{i}")).collect());
            let copy = format!(
                "kernel copy(x: in {dtype}[{sizes}], y: out {dtype}[{sizes}]) {{
                   par {axes} {{ %0 = load x[{at}] store y[{at}] = %0 }} }}"
            );
            let temporary = Argument::Temporary(all.temporaries.len());
            all.temporaries.push(Temporary { dtype: *dtype, extents: extents.clone() });
            let arguments = vec![std::mem::replace(argument, temporary), temporary];
            all.launches.push(Launch { kernel: Kernel::parse(&copy).unwrap(), arguments });
        }
        all.launches.push(launch);
    }
    all
}

#[test]
fn random_graphs_of_integers_give_the_same_under_any_schedule() {
    let mut tally = Tally::default();
    for seed in 0..300 {
        let mut stream = Stream::new(seed);
        let graph = integers(&mut stream);
        let rows = *stream.pick(&[0, 1, 4, 7, 12]);
        let named = [("w", 6), ("x", rows), ("y", rows)].map(|(name, rows)| {
            let elements: Vec<i32> = (0..rows * 6).map(|_| stream.integer(-9, 9) as i32).collect();
            (name.to_string(), Literal::new(&[rows, 6], &elements).unwrap())
        });
        let Some(mut trial) = Trial::new(graph, &named, &mut tally) else { continue };
        (0..10).for_each(|_| trial.check(&mut stream, &mut tally));
        trial.launches = by_way_of_temporaries(&trial.launches);
        (0..10).for_each(|_| trial.check(&mut stream, &mut tally));
    }
    tally.report(&[STEPS, &["parts", "lanes", "launches", "inplace", "place", "tree"]].concat());
}

/// Products in tiles whose factors are computed as they are staged. Groups share their loops over summands, and their
/// tiles are in any order.
#[test]
fn tiles_give_the_same_in_any_parts_and_order() {
    let mut tally = Tally::default();
    for seed in 0..100 {
        let mut stream = Stream::new(seed);
        let dtype = *stream.pick(&[DType::I32, DType::I8]);
        let [rows, inner, columns] = [2 + stream.below(12), 1 + stream.below(90), 2 + stream.below(20)];
        let b = Builder::new("tiles");
        let x = b.input("x", Shape::new(&[rows, inner], dtype));
        let w = b.input("w", Shape::new(&[inner, columns], dtype));
        let product = (&x + &x).matmul(&(&w - &w.scalar_like(1.0)));
        let graph = b.finish(&[&(&product + &product)]).unwrap_or_else(|e| panic!("{e}"));
        let named = [("x", [rows, inner]), ("w", [inner, columns])].map(|(name, dims)| {
            let numbers: Vec<i32> = (0..dims[0] * dims[1]).map(|_| stream.integer(-9, 9) as i32).collect();
            (name.to_string(), Literal::new(&dims, &numbers).unwrap().convert(dtype))
        });
        let Some(mut trial) = Trial::new(graph, &named, &mut tally) else { continue };
        trial.launches = lower_for(&trial.graph, stream.pick(&GPUS)).unwrap();
        for _ in 0..4 {
            let mut launches = trial.launches.clone();
            let into = ["p", "q"].map(Symbol::new);
            let by = 1 + stream.below(4) as u32;
            let split = Step::Launches(Partition { axis: Symbol::new("step"), by, into });
            for step in [Some(split), order(&mut stream, &launches)].into_iter().flatten().rev() {
                let one = Schedule(vec![step.clone()]);
                assert_eq!(Schedule::parse(&one.to_string()).as_ref(), Ok(&one));
                match apply_to_launch(&launches, 0, &one) {
                    Ok(scheduled) => {
                        launches = scheduled;
                        tally.count(step.name());
                    }
                    Err(_) => tally.count("refused"),
                }
            }
            let text = launches.to_string();
            assert_eq!(Launches::parse(&text).as_ref(), Ok(&launches));
            let outputs = trial.run(&launches, STATEMENTS * 64).unwrap_or_else(|e| panic!("{e}\n{launches}"));
            assert_eq!(outputs, trial.expected, "{launches}");
        }
    }
    tally.report(&["launches", "swizzle"]);
}

/// Returns a random order of a tile in the memory of a group.
fn order(stream: &mut Stream, launches: &Launches) -> Option<Step> {
    let shared = |b: &&Buffer| b.place == Place::Local(Space::Group);
    let arrays: Vec<&Buffer> = launches.launches[0].kernel.buffers.iter().filter(shared).collect();
    let array = arrays.get(stream.below(arrays.len().max(1)))?.name.clone();
    let (bits, to) = (1 + stream.below(3) as u32, stream.below(3) as u32);
    Some(Step::Swizzle { array, order: Swizzle { bits, from: to + bits + stream.below(2) as u32, to } })
}

/// The schedules chosen for a machine give the same results as before. The integers are so small that no float sum rounds.
#[test]
fn chosen_schedules_give_the_same() {
    let mut tally = Tally::default();
    for seed in 0..200 {
        let mut stream = Stream::new(seed);
        let rows = *stream.pick(&[1, 4, 7, 12, 37]);
        let dtype = *stream.pick(&[DType::F32, DType::I32]);
        let b = Builder::new("chosen");
        let (inner, columns) = (*stream.pick(&[3, 8, 32, 64]), *stream.pick(&[5, 32, 40, 70]));
        let x = b.input("x", Shape::new(&[rows, inner], dtype));
        let transposed = stream.one_in(2);
        let w =
            b.input("w", Shape::new(&if transposed { [columns, inner] } else { [inner, columns] }, dtype));
        let matrix = if transposed { w.transpose(&[1, 0]) } else { w.clone() };
        let product = x.matmul(&matrix);
        let result = match stream.below(4) {
            0 => product,
            1 => product.maximum(&product.scalar_like(0.0)),
            2 => x.reduce(*stream.pick(&[ReduceOp::Sum, ReduceOp::Max]), &[1], false),
            _ => &x + &x.reduce(ReduceOp::Sum, &[1], true).broadcast_to(x.shape().dims()),
        };
        let graph = b.finish(&[&result]).unwrap_or_else(|e| panic!("{e}"));
        let named: Vec<(String, Literal)> = graph
            .inputs()
            .map(|node| {
                let dims = node.shape().static_dims().unwrap();
                let count: usize = dims.iter().product();
                let numbers: Vec<i32> = (0..count).map(|_| stream.integer(-9, 9) as i32).collect();
                let floats: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
                let value = match dtype {
                    DType::F32 => Literal::new(&dims, &floats),
                    _ => Literal::new(&dims, &numbers),
                };
                (node.name().unwrap_or_default().to_string(), value.unwrap())
            })
            .collect();
        let symbolic = lifted(&graph).map(|(graph, _)| graph);
        for graph in [Some(graph), symbolic].into_iter().flatten() {
            check_chosen(graph, &named, stream.integer(70, 120) as usize, &mut tally);
        }
    }
    tally.report(&["chosen", "chosen for symbols"]);
}

/// Rows of a softmax, whose maximum and sum of exponentials are computed together in vector lanes, are as close to the
/// evaluator as when elements are processed one after another: for rows of any length, rows of infinities, and rows
/// with a NaN.
#[test]
fn rows_of_exponentials_are_shared_by_lanes() {
    let b = Builder::new("softmax");
    let (rows, n) = (Dim::dynamic("rows"), Dim::dynamic("n"));
    let x = b.input("x", Shape::from_dims(&[rows, n.clone()], DType::F32));
    let graph = b.finish(&[&x.softmax(1)]).unwrap_or_else(|e| panic!("{e}"));
    let mut plain = lower(&graph).unwrap();
    plain.launches[0].kernel.facts = vec![Fact::NotNegative(&Dim::Static(4096) - &n)];
    for machine in &MACHINES {
        let chosen = choose(&plain, machine, &|_| false).unwrap();
        assert!(chosen.to_string().contains("@vector"), "on {}: {chosen}", machine.name);
        let mut stream = Stream::new(17);
        for length in [0, 1, 63, 64, 65, 200, 1000] {
            let mut numbers: Vec<f32> =
                (0..3 * length).map(|_| stream.integer(-90, 90) as f32 / 8.0).collect();
            let (infinite, broken) = numbers.split_at_mut(length).1.split_at_mut(length);
            infinite.fill(f32::NEG_INFINITY);
            broken.iter_mut().skip(length / 2).take(1).for_each(|x| *x = f32::NAN);
            let x = Literal::new(&[3, length], &numbers).unwrap();
            let of = |launches: &Launches| judge_launches(&graph, launches, &[&x], &Interpreter::default());
            let (before, after) =
                (of(&plain).unwrap(), of(&chosen).unwrap_or_else(|e| panic!("{e}\n{chosen}")));
            assert!(after <= before + 4.0, "{length} on {}: {after}, {before}", machine.name);
        }
    }
}

/// A convolution over two axes, with padding at the borders. Features are the first or the last axis of an image.
fn convolution(dtype: DType, stream: &mut Stream) -> Graph {
    let b = Builder::new("convolution");
    let (features, out) = (1 + stream.below(3), *stream.pick(&[3, 16, 33]));
    let (tall, wide) = (5 + stream.below(5), 5 + stream.below(20));
    let window = [1 + stream.below(3), 1 + stream.below(3)];
    let is_last = stream.one_in(2);
    let [x, kernel] = match is_last {
        true => [[1, tall, wide, features], [window[0], window[1], features, out]],
        false => [[1, features, tall, wide], [out, features, window[0], window[1]]],
    };
    let (x, kernel) = (b.input("x", Shape::new(&x, dtype)), b.input("kernel", Shape::new(&kernel, dtype)));
    let spec = ConvolutionSpec {
        strides: vec![1 + stream.below(2), 1],
        low: vec![stream.below(2) as i64, stream.below(2) as i64],
        high: vec![stream.below(2) as i64, stream.below(2) as i64],
        rhs_dilation: vec![1, 1 + stream.below(2)],
        reversal: vec![false, stream.one_in(3)],
        ..ConvolutionSpec::plain(2)
    };
    let op = Op::Convolution { spec: if is_last { spec.channels_last() } else { spec }, dtype: None };
    let result: Tensor = x.apply(op, &[&kernel]);
    b.finish(&[&result.maximum(&result.scalar_like(0.0))]).unwrap_or_else(|e| panic!("{e}"))
}

/// Convolutions become tiles, with separate loops for positions at borders.
#[test]
fn chosen_schedules_of_convolutions_give_the_same() {
    let mut tally = Tally::default();
    for seed in 0..80 {
        let mut stream = Stream::new(seed);
        let dtype = *stream.pick(&[DType::F32, DType::I32]);
        let graph = convolution(dtype, &mut stream);
        let named: Vec<(String, Literal)> = graph
            .inputs()
            .map(|node| {
                let dims = node.shape().static_dims().unwrap();
                let count: usize = dims.iter().product();
                let numbers: Vec<i32> = (0..count).map(|_| stream.integer(-9, 9) as i32).collect();
                let value = Literal::new(&dims, &numbers).unwrap().convert(dtype);
                (node.name().unwrap_or_default().to_string(), value)
            })
            .collect();
        let divides = |schedule: &Schedule| schedule.0.iter().any(|step| matches!(step, Step::Divide { .. }));
        let kernel = &lower(&graph).unwrap().launches[0].kernel;
        if divides(&schedule(kernel, &MACHINES[0], &|buffer| buffer.index() == 1)) {
            tally.count("borders");
        }
        check_chosen(graph, &named, 0, &mut tally);
    }
    tally.report(&["chosen", "borders"]);
}

/// Checks what every machine's rules choose for a group whose symbols are at most `most`.
fn check_chosen(graph: Graph, named: &[(String, Literal)], most: usize, tally: &mut Tally) {
    let symbols = graph.symbols();
    let Some(mut trial) = Trial::new(graph, named, tally) else { return };
    for launch in &mut trial.launches.launches {
        let bounds = symbols.iter().map(|n| &Dim::Static(most) - &Dim::Dynamic(n.clone()));
        launch.kernel.facts = bounds.map(Fact::NotNegative).collect();
    }
    for machine in &MACHINES {
        let known = |argument: Argument| argument == Argument::Input(1);
        let chosen = choose(&trial.launches, machine, &known).unwrap_or_else(|e| panic!("{e}"));
        let is_changed = chosen != trial.launches;
        tally.count(match (is_changed, symbols.is_empty()) {
            (true, true) => "chosen",
            (true, false) => "chosen for symbols",
            (false, _) => "left",
        });
        let outputs = trial.run(&chosen, STATEMENTS * 64).unwrap_or_else(|e| panic!("{e}\n{chosen}"));
        assert_eq!(outputs, trial.expected, "on {}:\n{}\n{chosen}", machine.name, trial.launches);
    }
}

/// Steps that random graphs of all types take often.
const STEPS: &[&str] = &[
    "split",
    "fuse",
    "reorder",
    "divide",
    "unroll",
    "nest",
    "interchange",
    "stage",
    "pack",
    "unpack",
    "bind",
    "vector",
];
