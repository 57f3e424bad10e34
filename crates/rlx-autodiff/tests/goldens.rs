//! Derivatives compared with JAX: the programs and the numbers of `scripts/derivative_goldens.py` and
//! `scripts/indexing_goldens.py`.

use rlx_autodiff::{jvp, linearize, pullback, vjp};
use rlx_ir::{Class, DType, Graph, Literal, Op, eval};

/// A program, and the results of JAX for it.
struct Case {
    program: Graph,
    inputs: Vec<Literal>,
    /// Of the inputs that have a tangent.
    tangents: Vec<Literal>,
    outputs: Vec<Literal>,
    pushed: Vec<Literal>,
    cotangents: Vec<Literal>,
    pulled: Vec<Literal>,
    /// The derivative of `pulled` along `tangents`.
    second: Vec<Literal>,
}

fn is_inexact(dtype: DType) -> bool {
    matches!(dtype.class(), Class::Float | Class::Complex)
}

impl Case {
    fn read(text: &str) -> Case {
        let at = text[1..].find("\ngraph ").expect("a program and its numbers") + 2;
        let program = Graph::parse(&text[..at]).unwrap_or_else(|e| panic!("{e}\n{}", &text[..at]));
        let numbers = Graph::parse(&text[at..]).unwrap_or_else(|e| panic!("{}: {e}", program.name()));
        let mut numbers = numbers.outputs().iter().map(|&o| match numbers.node(o).op() {
            Op::Constant { value } => value.clone(),
            op => panic!("{op:?} is not a constant"),
        });
        let mut take = |n: usize| (&mut numbers).take(n).collect::<Vec<_>>();
        let inputs = take(program.inputs().count());
        let varied = inputs.iter().filter(|x| is_inexact(x.dtype())).count();
        let results = program.outputs().len();
        let tangents = take(varied);
        let [outputs, pushed, cotangents] = [(); 3].map(|()| take(results));
        let (pulled, second) = (take(varied), take(varied));
        assert_eq!(second.len(), varied, "{}", program.name());
        Case { program, inputs, tangents, outputs, pushed, cotangents, pulled, second }
    }

    /// The inputs that have derivatives.
    fn wrt(&self) -> Vec<String> {
        let names = input_names(&self.program).into_iter().zip(&self.inputs);
        names.filter(|(_, x)| is_inexact(x.dtype())).map(|(name, _)| name).collect()
    }
}

fn input_names(graph: &Graph) -> Vec<String> {
    let name = |n: &rlx_ir::Node| match n.op() {
        Op::Input { name } => name.clone(),
        op => panic!("{op:?} is not an input"),
    };
    graph.inputs().map(name).collect()
}

fn run(graph: &Graph, values: &[&[Literal]]) -> Vec<Literal> {
    let names = input_names(graph);
    let values = values.concat();
    assert_eq!(names.len(), values.len(), "{}", graph.name());
    let pairs: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&values).collect();
    eval(graph, &pairs).unwrap_or_else(|e| panic!("{}: {e}", graph.name()))
}

/// The numbers of a tensor, with real and imaginary parts separate.
fn numbers(x: &Literal) -> Vec<f64> {
    let to = if x.dtype().is_complex() { DType::C128 } else { DType::F64 };
    let builder = rlx_ir::Builder::new("numbers");
    let wide = builder.constant(x.clone()).convert(to);
    let wide = eval(&builder.finish(&[&wide]).unwrap(), &[]).unwrap().swap_remove(0);
    wide.bytes().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// The tolerance for results of a few dozen roundings, relative to the largest number.
fn tolerance(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F64 => 1e-10,
        DType::F32 => 1e-5,
        _ => 2e-2,
    }
}

fn compare(case: &str, what: &str, got: &[Literal], want: &[Literal]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("{case}: {what}: {} value(s), not {}", got.len(), want.len()));
    }
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        if g.shape() != w.shape() {
            return Err(format!("{case}: {what} {i}: {}, not {}", g.shape(), w.shape()));
        }
        let (g, w, dtype) = (numbers(g), numbers(w), w.dtype());
        let scale = w.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        // NaN is far from everything.
        let near = |g: f64, w: f64| (g - w).abs() <= tolerance(dtype) * scale;
        let far = |(g, w): (&f64, &f64)| !near(*g, *w);
        if let Some(at) = g.iter().zip(&w).position(far) {
            return Err(format!("{case}: {what} {i}: element {at} is {}, not {}", g[at], w[at]));
        }
    }
    Ok(())
}

fn check(case: &Case) -> Result<(), String> {
    let name = case.program.name();
    let fails = |what: &str, e: rlx_autodiff::Error| format!("{name}: {what}: {e}");
    let Case { inputs, tangents, outputs, pushed, cotangents, pulled, second, .. } = case;
    let wrt = case.wrt();

    let forward = jvp(&case.program, &wrt[..]).map_err(|e| fails("jvp", e))?;
    let both = [&outputs[..], pushed].concat();
    compare(name, "jvp", &run(&forward, &[inputs, tangents]), &both)?;

    let parts = linearize(&case.program, &wrt[..]).map_err(|e| fails("linearize", e))?;
    let kept = run(&parts.forward, &[inputs]);
    compare(name, "linear part", &run(&parts.linear, &[&kept[outputs.len()..], tangents]), pushed)?;

    let reverse = vjp(&case.program, &wrt[..]).map_err(|e| fails("vjp", e))?;
    let both = [&outputs[..], pulled].concat();
    compare(name, "vjp", &run(&reverse, &[inputs, cotangents]), &both)?;

    let parts = pullback(&case.program, &wrt[..]).map_err(|e| fails("pullback", e))?;
    let kept = run(&parts.forward, &[inputs]);
    compare(name, "pullback", &run(&parts.linear, &[&kept[outputs.len()..], cotangents]), pulled)?;

    let twice = jvp(&reverse, &wrt[..]).map_err(|e| fails("jvp of vjp", e))?;
    let all = run(&twice, &[inputs, cotangents, tangents]);
    compare(name, "jvp of vjp", &all[all.len() - second.len()..], second)
}

fn family(text: &str) {
    // Graphs inside ops do not begin a line.
    let lines = text.match_indices("\ngraph ").map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(lines).step_by(2).collect();
    assert!(starts.len() > 10, "the goldens are there");
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let cases = starts.iter().zip(ends).map(|(&start, end)| Case::read(&text[start..end]));
    let failures: Vec<String> = cases.filter_map(|case| check(&case).err()).collect();
    assert!(failures.is_empty(), "{} case(s):\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn contractions() {
    family(include_str!("goldens/contraction.rlx"));
}

#[test]
fn convolutions() {
    family(include_str!("goldens/convolution.rlx"));
}

#[test]
fn normalizations() {
    family(include_str!("goldens/normalization.rlx"));
}

#[test]
fn fourier_transforms() {
    family(include_str!("goldens/fourier.rlx"));
}

#[test]
fn attention() {
    family(include_str!("goldens/attention.rlx"));
}
#[test]
fn factorizations_and_solves() {
    family(include_str!("goldens/linalg.rlx"));
}

#[test]
fn indexing_sorts_reductions_and_windows() {
    family(include_str!("goldens/indexing.rlx"));
}

#[test]
fn householder_reflections() {
    family(include_str!("goldens/householder.rlx"));
}
