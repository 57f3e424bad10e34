//! Collectives. Mapped over the axis that they name, they agree with JAX (`scripts/collective_goldens.py`), before and after
//! derivatives; without a map, they are those of one participant.

use rlx_autodiff::{VmapAxes, grad, jvp, vmap};
use rlx_ir::eval::Value;
use rlx_ir::{Builder, DType, Dim, Graph, Literal, Op, ReduceOp, ScanOperands, Shape, Tensor, eval};

const PARTICIPANTS: usize = 4;

/// The sum of x with weights that distinguish all elements and participants.
fn numbered(x: &Tensor) -> Tensor {
    let b = x.builder();
    let count: usize = x.shape().num_elements().unwrap();
    let weights = b.iota(Shape::new(&[count], x.dtype()), 0).reshape(&x.dims()) / 8.0 + 1.0;
    let axes: Vec<usize> = (0..x.rank()).collect();
    (x * weights).reduce(ReduceOp::Sum, &axes, false) * (b.axis_index("i").convert(x.dtype()) + 1.0)
}

/// A sum over the participants in each step of a loop.
fn looped(x: &Tensor) -> Tensor {
    let b = x.builder();
    let start = b.scalar(1.0, x.dtype()).broadcast_to(&[Dim::Static(3)]);
    let operands = ScanOperands { carry: &[start], xs: std::slice::from_ref(x), ..Default::default() };
    let results = b.scan(operands, 4, false, &|b, v| {
        let carry = (&v[0] * &v[1]).psum("i") / 4.0 + &v[1];
        let y = &carry * (b.axis_index("i").convert(carry.dtype()) + 1.0);
        vec![carry, y]
    });
    numbered(&results[1]) + results[0].reduce(ReduceOp::Sum, &[0], false)
}

/// The loss of one participant as a function of x `[4, 3]`.
fn loss(name: &str, x: &Tensor) -> Tensor {
    let squared = || x * x;
    numbered(&match name {
        "psum" => squared().psum("i") * x,
        "psum_of_constant" => x / x.builder().scalar(2.0, DType::F64).psum("i"),
        "pmean" => squared().pmean("i") * x,
        "pmax" => x.pmax("i"),
        "pmin" => x.pmin("i"),
        "all_gather" => squared().all_gather("i", PARTICIPANTS, 1, false),
        "all_gather_tiled" => squared().all_gather("i", PARTICIPANTS, 1, true),
        "psum_scatter" => squared().psum_scatter("i", PARTICIPANTS, 0, false),
        "psum_scatter_tiled" => squared().psum_scatter("i", PARTICIPANTS, 0, true),
        "all_to_all" => squared().all_to_all("i", PARTICIPANTS, 0, 1, false),
        "all_to_all_tiled" => squared().all_to_all("i", PARTICIPANTS, 0, 1, true),
        "ppermute" => squared().ppermute("i", &[(0, 1), (1, 2), (2, 3), (3, 0)]),
        "ppermute_partial" => squared().ppermute("i", &[(0, 3), (2, 1)]),
        "loop" => return looped(x),
        other => panic!("no program {other}"),
    })
}

fn program(name: &str) -> Graph {
    let b = Builder::new(name);
    let x = b.input("x", Shape::new(&[4, 3], DType::F64));
    let y = loss(name, &x);
    b.finish(&[&y]).unwrap()
}

fn over_i() -> VmapAxes {
    VmapAxes::new().name("i").size(PARTICIPANTS)
}

/// The sum of the first output over all axes.
fn summed(graph: &Graph) -> Graph {
    let b = Builder::new("sum");
    let inputs: Vec<Tensor> =
        graph.input_shapes().into_iter().enumerate().map(|(i, s)| b.input(format!("x{i}"), s)).collect();
    let y = b.inline(graph, &inputs).unwrap().swap_remove(0);
    let axes: Vec<usize> = (0..y.rank()).collect();
    b.finish(&[&y.reduce(ReduceOp::Sum, &axes, false)]).unwrap()
}

fn point() -> Literal {
    let x = (0..48).map(|i| ((i * 7 % 11) as f64 - 5.0) / 4.0).collect();
    Value::floats(vec![PARTICIPANTS, 4, 3], DType::F64, x).to_literal().unwrap()
}

fn run(graph: &Graph, x: &Literal) -> Vec<f64> {
    let Some(Op::Input { name }) = graph.inputs().next().map(|n| n.op()) else { panic!("no input") };
    let results = eval(graph, &[(name, x)]).unwrap_or_else(|e| panic!("{e}\n{graph}"));
    Value::from_literal(&results[0]).to_f64s()
}

fn close(what: &str, got: &[f64], want: &str) {
    let want: Vec<f64> = want.split_whitespace().map(|n| n.parse().unwrap()).collect();
    assert_eq!(got.len(), want.len(), "{what}");
    for (g, w) in got.iter().zip(&want) {
        assert!((g - w).abs() <= 1e-12 * w.abs().max(1.0), "{what}:\n  got  {got:?}\n  want {want:?}");
    }
}

fn goldens() -> Vec<Vec<&'static str>> {
    let lines = include_str!("goldens/collectives.txt").lines();
    lines.map(|line| line.split('|').map(str::trim).collect()).collect()
}

#[test]
fn mapped_programs_are_those_of_jax() {
    for case in goldens() {
        let (name, graph) = (case[0], program(case[0]));
        let mapped = vmap(&graph, &over_i()).unwrap();
        close(name, &run(&mapped, &point()), case[1]);
        if case[3].is_empty() {
            continue;
        }
        let each = if case[2].is_empty() { case[3] } else { case[2] };
        let mapped_gradient = vmap(&grad(&graph, ["x"]).unwrap(), &over_i()).unwrap();
        close(&format!("vmap of grad of {name}"), &run(&mapped_gradient, &point()), each);
        let gradient = grad(&summed(&mapped), [0]).unwrap();
        close(&format!("grad of vmap of {name}"), &run(&gradient, &point()), case[3]);
    }
}

#[test]
fn extremes_have_the_derivative_of_a_reduction() {
    for name in ["pmax", "pmin"] {
        let graph = program(name);
        let of_reduction = grad(&summed(&vmap(&graph, &over_i()).unwrap()), [0]).unwrap();
        let of_collective = vmap(&grad(&graph, ["x"]).unwrap(), &over_i()).unwrap();
        assert_eq!(run(&of_collective, &point()), run(&of_reduction, &point()));
    }
}

#[test]
fn collectives_over_another_axis_stay() {
    for case in goldens() {
        let graph = program(case[0]);
        let twice = vmap(&vmap(&graph, &VmapAxes::new().name("j").size(2)).unwrap(), &over_i().out_axes([1]));
        let x = Value::from_literal(&point());
        let row = x.len();
        let doubled: Vec<f64> = (0..2 * row)
            .map(|k| {
                // [participants, 2, 4, 3]; the second entry of each participant is twice the first.
                let (participant, rest) = (k / 24, k % 24);
                x.to_f64s()[participant * 12 + rest % 12] * (1 + rest / 12) as f64
            })
            .collect();
        let stacked = Value::floats(vec![PARTICIPANTS, 2, 4, 3], DType::F64, doubled).to_literal().unwrap();
        let got = run(&twice.unwrap(), &stacked);
        close(case[0], &got[..PARTICIPANTS], case[1]);
        let scaled: Vec<f64> = x.to_f64s().iter().map(|v| v * 2.0).collect();
        let scaled = Value::floats(x.dims().to_vec(), DType::F64, scaled).to_literal().unwrap();
        assert_eq!(got[PARTICIPANTS..], run(&vmap(&graph, &over_i()).unwrap(), &scaled)[..], "{}", case[0]);
    }
}

#[test]
fn alone_a_program_is_the_only_participant() {
    let b = Builder::new("alone");
    let x = b.input("x", Shape::new(&[3], DType::F64));
    let sum = x.psum("i") + x.pmean("i") + x.pmax("i") + x.ppermute("i", &[(0, 0)]);
    let moved =
        sum.all_gather("i", 1, 0, false).all_to_all("i", 1, 0, 1, false).psum_scatter("i", 1, 1, false);
    let y = (moved + x.ppermute("i", &[])) * (b.axis_index("i").convert(DType::F64) + 1.0);
    let graph = b.finish(&[&y]).unwrap();
    assert_eq!(Graph::parse(&graph.to_string()).unwrap(), graph);
    let x = Literal::new(&[3], &[1.0, -2.0, 0.5]).unwrap();
    assert_eq!(run(&graph, &x), [4.0, -8.0, 2.0]);
    let tangent = jvp(&graph, ["x"]).unwrap();
    let results = eval(&tangent, &[("x", &x), ("x.tangent", &x)]).unwrap();
    assert_eq!(Value::from_literal(&results[1]).to_f64s(), [4.0, -8.0, 2.0]);
}

#[test]
fn groups_that_nothing_makes_are_refused() {
    let of = |f: &dyn Fn(&Tensor) -> Tensor| {
        let b = Builder::new("group");
        let x = b.input("x", Shape::new(&[4], DType::F64));
        b.finish(&[&f(&x)]).unwrap()
    };
    let x = Literal::new(&[4], &[1.0; 4]).unwrap();
    for graph in [
        of(&|x| x.all_gather("i", 4, 0, true)),
        of(&|x| x.psum_scatter("i", 4, 0, false)),
        of(&|x| x.all_to_all("i", 2, 0, 0, true)),
        of(&|x| x.ppermute("i", &[(0, 1)])),
    ] {
        let message = eval(&graph, &[("x", &x)]).unwrap_err().to_string();
        assert!(message.contains("\"i\"") && message.contains("nothing maps over"), "{message}");
        let message = vmap(&graph, &over_i().size(1)).unwrap_err().to_string();
        assert!(message.contains("\"i\""), "{message}");
    }
}
