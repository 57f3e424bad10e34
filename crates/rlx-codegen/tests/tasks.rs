//! Launches in tasks: runs of tasks give the same results as a single run, to the bit and without a fault, and formulas
//! estimate what a run does.

use rlx_codegen::Interpreter;
use rlx_codegen::estimate::estimate;
use rlx_codegen::interp::Results;
use rlx_codegen::kernel::{Buffer, Fact, Kernel, Place, Stmt};
use rlx_codegen::lower;
use rlx_codegen::lower::{Argument, Launch, Launches};
use rlx_codegen::schedule::choose::{MACHINES, choose};
use rlx_codegen::schedule::tasks::{Tasks, tasks};
use rlx_conformance::cases;
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, Op, Shape, Symbol, Tensor};

/// Returns small integers, which every type can represent.
fn numbers(shape: &Shape, seed: usize) -> Literal {
    let dims = shape.static_dims().unwrap();
    let count: usize = dims.iter().product();
    let number = |i: usize| ((i * 31 + seed * 7) % 5) as i32;
    match shape.dtype() {
        DType::F32 => Literal::new(&dims, &(0..count).map(|i| number(i) as f32 - 2.0).collect::<Vec<_>>()),
        DType::I32 => Literal::new(&dims, &(0..count).map(|i| number(i) - 2).collect::<Vec<_>>()),
        _ => Literal::from_bytes(shape, &vec![0; shape.num_bytes().unwrap()]),
    }
    .unwrap()
}

/// Runs one kernel on numbers.
fn run(kernel: &Kernel, sizes: &Bindings, inputs: &[Literal]) -> Results {
    let (mut arguments, mut outputs, mut read) = (Vec::new(), Vec::new(), 0);
    for buffer in kernel.params() {
        if buffer.place == Place::In {
            arguments.push(Argument::Input(read));
            read += 1;
        } else {
            arguments.push(Argument::Output(outputs.len()));
            outputs.push(Shape::from_dims(&buffer.extents, buffer.dtype).bind(sizes));
        }
    }
    let launches =
        Launches { launches: vec![Launch { kernel: kernel.clone(), arguments }], ..Launches::default() };
    let inputs: Vec<&Literal> = inputs.iter().collect();
    let results = Interpreter::default().run(&launches, sizes, &inputs, &outputs);
    results.unwrap_or_else(|fault| panic!("{fault}\n{kernel}"))
}

fn inputs(kernel: &Kernel, sizes: &Bindings) -> Vec<Literal> {
    let read = kernel.params().filter(|buffer| buffer.place == Place::In);
    let shape = |buffer: &Buffer| Shape::from_dims(&buffer.extents, buffer.dtype).bind(sizes);
    read.enumerate().map(|(seed, buffer)| numbers(&shape(buffer), seed)).collect()
}

/// Returns the bytes of outputs, assembled from runs of `share` tasks each.
fn in_pieces(tasks: &Tasks, share: usize, at: &Bindings, inputs: &[Literal]) -> Vec<Vec<u8>> {
    let [count, iterations] = [&tasks.count, &tasks.iterations].map(|dim| dim.eval(at).unwrap());
    let written = tasks.kernel.params().filter(|buffer| buffer.place != Place::In).count();
    let mut bytes = vec![Vec::new(); written];
    for first in (0..count).step_by(share) {
        let end = count.min(first + share);
        let mut sizes = at.clone();
        sizes.insert(tasks.first.clone(), first);
        sizes.insert(tasks.run.clone(), end.min(iterations) - first);
        sizes.extend(tasks.last.clone().map(|last| (last, usize::from(end == count))));
        for (all, part) in bytes.iter_mut().zip(run(&tasks.kernel, &sizes, inputs).outputs) {
            all.extend_from_slice(part.bytes());
        }
    }
    bytes
}

/// Returns the kernels of launches as every machine runs them, each once. Symbols are at most `most`.
fn kernels(graph: &Graph, known: &dyn Fn(Argument) -> bool, most: usize) -> Vec<Kernel> {
    let Ok(mut launches) = lower(graph) else { return Vec::new() };
    for launch in &mut launches.launches {
        let bounds = graph.symbols().into_iter().map(|n| &Dim::Static(most) - &Dim::Dynamic(n));
        launch.kernel.facts.extend(bounds.map(Fact::NotNegative));
    }
    let mut kernels: Vec<Kernel> = Vec::new();
    for machine in &MACHINES {
        for launch in choose(&launches, machine, known).unwrap().launches {
            if !kernels.contains(&launch.kernel) {
                kernels.push(launch.kernel);
            }
        }
    }
    kernels
}

fn is_small(kernel: &Kernel) -> bool {
    let extents = kernel.params().flat_map(|buffer| &buffer.extents);
    kernel.params().all(|buffer| buffer.place != Place::InOut)
        && extents.into_iter().all(|extent| extent.as_static().is_some())
        && estimate(kernel, &Bindings::new()).statements < 100_000
}

/// How many launches were divided into tasks and compared with a single run, and how many of them had a remainder.
#[derive(Default)]
struct Tally {
    launches: usize,
    shared: usize,
    with_rest: usize,
}

impl Tally {
    fn check(&mut self, kernel: &Kernel) {
        self.check_at(kernel, &[Bindings::new()]);
    }

    fn check_at(&mut self, kernel: &Kernel, sizes: &[Bindings]) {
        self.launches += 1;
        let Some(tasks) = tasks(kernel) else { return };
        self.shared += 1;
        self.with_rest += usize::from(tasks.last.is_some());
        rlx_codegen::verify(&tasks.kernel).unwrap_or_else(|wrong| panic!("{wrong}\n{}", tasks.kernel));
        for at in sizes {
            let inputs = inputs(kernel, at);
            let whole = run(kernel, at, &inputs).outputs;
            let whole: Vec<&[u8]> = whole.iter().map(Literal::bytes).collect();
            let count = tasks.count.eval(at).unwrap();
            for share in [1, count.div_ceil(2), count.div_ceil(3), count].map(|share| share.max(1)) {
                let pieces = in_pieces(&tasks, share, at, &inputs);
                assert_eq!(pieces, whole, "{share} at {at:?}\n{kernel}\n{}", tasks.kernel);
            }
        }
    }
}

/// Products, attention and rows that schedules divide.
fn of_kinds(dims: [[Dim; 3]; 3]) -> Vec<Graph> {
    let of = |name: &str, dims: &[Dim; 3], make: &dyn Fn(&Builder, &[Dim; 3]) -> Tensor| {
        let b = Builder::new(name);
        let result = make(&b, dims);
        b.finish(&[&result]).unwrap()
    };
    let product = |b: &Builder, [m, k, n]: &[Dim; 3]| {
        let x = b.input("x", Shape::from_dims(&[m.clone(), k.clone()], DType::F32));
        x.matmul(&b.input("w", Shape::from_dims(&[k.clone(), n.clone()], DType::F32)))
    };
    let attention = |b: &Builder, dims: &[Dim; 3]| {
        let operand = |name: &str| b.input(name, Shape::from_dims(dims, DType::F32));
        let (q, k, v) = (operand("q"), operand("k"), operand("v"));
        q.matmul(&k.transpose(&[0, 2, 1])).apply(Op::Softmax { axis: 2 }, &[]).matmul(&v)
    };
    let rows = |b: &Builder, dims: &[Dim; 3]| {
        b.input("x", Shape::from_dims(dims, DType::F32)).apply(Op::Softmax { axis: 2 }, &[])
    };
    let [of_product, of_attention, of_rows] = &dims;
    vec![
        of("product", of_product, &product),
        of("attention", of_attention, &attention),
        of("rows", of_rows, &rows),
    ]
}

/// At sizes that leave a remainder.
fn scheduled() -> Vec<Graph> {
    let dims = [
        [[21, 5, 64], [1, 37, 4], [2, 3, 150]],
        [[1, 7, 96], [3, 16, 4], [2, 3, 150]],
        [[40, 3, 32], [2, 3, 2], [1, 1, 30]],
    ];
    dims.into_iter().flat_map(|dims| of_kinds(dims.map(|dims| dims.map(Dim::Static)))).collect()
}

/// At symbolic sizes.
fn open() -> Vec<Graph> {
    let (n, [three, five, wide]) = (Dim::dynamic("n"), [3, 5, 64].map(Dim::Static));
    let dims = [
        [[&n, &five, &wide], [&three, &n, &five], [&n, &three, &five]],
        [[&five, &three, &n], [&n, &n, &three], [&three, &n, &n]],
        [[&n, &n, &n], [&n, &three, &five], [&three, &five, &n]],
    ];
    dims.into_iter().flat_map(|dims| of_kinds(dims.map(|dims| dims.map(Dim::clone)))).collect()
}

#[test]
fn tasks_are_counted_once_sizes_are_known() {
    let mut tally = Tally::default();
    let is_known = |argument: Argument| argument == Argument::Input(1);
    let sizes = [0, 1, 2, 9, 10, 21, 33, 40].map(|size| Bindings::from([("n".into(), size)]));
    for graph in open() {
        kernels(&graph, &is_known, 40).iter().for_each(|kernel| tally.check_at(kernel, &sizes));
    }
    let Tally { launches, shared, with_rest } = tally;
    assert!(
        2 * shared > launches && with_rest >= 4,
        "{shared} of {launches} launches are tasks, {with_rest} with something left over"
    );
}

#[test]
fn tasks_of_launches_give_what_one_run_gives() {
    let mut tally = Tally::default();
    let is_known = |argument: Argument| argument == Argument::Input(1);
    let wide = [DType::F32, DType::I32];
    let of_table =
        cases::all().into_iter().filter(|case| wide.contains(&case.dtype)).map(|case| case.graph());
    for graph in scheduled().into_iter().chain(of_table) {
        kernels(&graph, &is_known, 0).iter().filter(|kernel| is_small(kernel)).for_each(|k| tally.check(k));
    }
    let Tally { launches, shared, with_rest } = tally;
    assert!(
        2 * shared > launches && with_rest >= 4,
        "{shared} of {launches} launches are tasks, {with_rest} with something left over"
    );
}

#[test]
fn what_tasks_would_share_is_left_alone() {
    let refused = [
        // Columns are not contiguous.
        "kernel k(x: in f32[4], y: out f32[1,4]) { par i<1 { for j<4 { %0 = load x[j] store y[0,j] = %0 } } }",
        "kernel k(x: in f32[3], y: out f32[8]) { par i<3 { %0 = load x[i] par j<2 { store y[i+4*j] = %0 } } }",
        // A later loop writes more than a task, or among the elements of the first one.
        "kernel k(x: in f32[4], y: out f32[8]) {
           par i<4 { %0 = load x[i] store y[i] = %0 } par j<4 { %1 = load x[j] store y[j+4] = %1 } }",
        "kernel k(x: in f32[4], y: out f32[6]) {
           par i<4 { %0 = load x[i] store y[i+floordiv(i,2)] = %0 } par j<2 { %1 = load x[j] store y[3*j+2] = %1 } }",
        // An iteration reads what another one wrote.
        "kernel k(x: in f32[4], y: inout f32[4]) {
           par i<4 { %0 = load x[i] store y[i] = %0 } par j<4 { %1 = load y[3-j] } }",
    ];
    for text in refused {
        let kernel = Kernel::parse(text).unwrap();
        assert!(tasks(&kernel).is_none(), "{kernel}");
    }
}

/// Returns whether every run of the kernel does the same, because nothing depends on a condition.
fn is_plain(kernel: &Kernel) -> bool {
    let text = kernel.to_string();
    !["if ", "while ", " where "].iter().any(|word| text.contains(word))
        && kernel.body.iter().all(|stmt| !matches!(stmt, Stmt::Barrier | Stmt::Tile(_)))
}

#[test]
fn formulas_tell_what_the_interpreter_counts() {
    let (mut equal, mut bounded) = (0, 0);
    let is_known = |argument: Argument| argument == Argument::Input(1);
    for graph in scheduled().into_iter().chain(cases::all().iter().map(|case| case.graph())) {
        for kernel in kernels(&graph, &is_known, 0).iter().filter(|kernel| is_small(kernel)) {
            let mut counted = run(kernel, &Bindings::new(), &inputs(kernel, &Bindings::new())).counts;
            // These are not covered by formulas.
            (counted.transactions, counted.bank_conflicts) = (0, 0);
            counted.applications.retain(|_, times| *times > 0);
            let mut formulas = estimate(kernel, &Bindings::new());
            formulas.applications.retain(|_, times| *times > 0);
            if is_plain(kernel) {
                assert_eq!(formulas, counted, "{kernel}");
                equal += 1;
            } else {
                let pairs = [
                    (formulas.loads, counted.loads),
                    (formulas.stores, counted.stores),
                    (formulas.bytes_loaded, counted.bytes_loaded),
                    (formulas.iterations, counted.iterations),
                    (formulas.flops, counted.flops),
                ];
                assert!(pairs.iter().all(|(formula, count)| formula >= count), "{pairs:?}\n{kernel}");
                bounded += 1;
            }
        }
    }
    assert!(equal > 500 && bounded > 50, "{equal} kernels as the formulas say, {bounded} no more");
}

#[test]
fn sizes_are_bound_in_formulas() {
    let text = "kernel k(x: in f32[n], y: out f32[n]) { par i<n { %0 = load x[i] store y[i] = %0 } }";
    let counts = estimate(&Kernel::parse(text).unwrap(), &Bindings::from_iter([(Symbol::new("n"), 7)]));
    assert_eq!((counts.loads, counts.bytes_stored, counts.iterations), (7, 28, 7));
}
