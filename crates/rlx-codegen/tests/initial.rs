//! Initial values of reductions by graphs count once, whatever the schedule.

mod support;

use rlx_codegen::judge::judge_launches;
use rlx_codegen::kernel::{Level, Stmt};
use rlx_codegen::schedule::{Partition, Schedule, Step, Tree, apply_to_launch};
use rlx_codegen::{Interpreter, Launches, lower};
use rlx_ir::{
    BinaryOp, Builder, DType, Dim, Graph, Literal, Op, Shape, SubGraph, Symbol, Tensor, WindowSpec,
};
use support::group;

type Body = fn(&[Tensor]) -> Vec<Tensor>;

/// How many accumulators a body has, whether it commutes as its text shows, and the body: a sum, a product and a maximum, whose identities are
/// known; the product of complex numbers, whose identity the text does not show; and x ↦ ax + b behind another such function.
const BODIES: [(usize, bool, Body); 3] = [
    (3, true, |x| vec![&x[0] + &x[3], &x[1] * &x[4], x[2].binary(BinaryOp::Max, &x[5])]),
    (2, true, |x| vec![&(&x[0] * &x[2]) - &(&x[1] * &x[3]), &(&x[0] * &x[3]) + &(&x[1] * &x[2])]),
    (2, false, |x| vec![&x[0] * &x[2], &(&x[1] * &x[2]) + &x[3]]),
];

/// A reduction of integers along the last axis, which is a symbol. Initial values are inputs.
fn reduction(states: usize, body: Body, rows: &[usize], op: impl FnOnce(SubGraph) -> Op) -> Graph {
    let b = Builder::new("body");
    let scalar = Shape::scalar(DType::I32);
    let scalars: Vec<Tensor> = (0..2 * states).map(|i| b.input(format!("a{i}"), scalar.clone())).collect();
    let next = body(&scalars);
    let body = SubGraph::new(b.finish(&next.iter().collect::<Vec<_>>()).unwrap());
    let mut dims: Vec<Dim> = rows.iter().map(|&size| Dim::Static(size)).collect();
    dims.push(Dim::dynamic("n"));
    let inputs = [vec![Shape::from_dims(&dims, DType::I32); states], vec![scalar; states]].concat();
    group(&inputs, |x| x[0].apply_many(op(body), &x[1..].iter().collect::<Vec<_>>()))
}

fn numbers(dims: &[usize], seed: usize) -> Literal {
    let number = |i: usize| ((i * i * 31 + 7 * i + 13 * seed) % 101) as i32 - 50;
    Literal::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>()).unwrap()
}

/// Compares launches with the evaluator, at several sizes.
fn check(graph: &Graph, launches: &Launches, rows: &[usize], sizes: &[usize]) {
    for &n in sizes {
        let count = graph.inputs().count();
        let dims = [rows, &[n]].concat();
        let inputs: Vec<Literal> =
            (0..count).map(|i| if i < count / 2 { numbers(&dims, i) } else { numbers(&[], i + 5) }).collect();
        let inputs: Vec<&Literal> = inputs.iter().collect();
        for elements_per_part in [None, Some(2)] {
            let interpreter = Interpreter { elements_per_part, ..Interpreter::default() };
            let distance = judge_launches(graph, launches, &inputs, &interpreter);
            let distance = distance.unwrap_or_else(|e| panic!("{e}\n{launches}"));
            assert_eq!(distance, 0.0, "n = {n}, {elements_per_part:?}\n{launches}");
        }
    }
}

/// The first axis of the first loop that is wanted.
fn axis(block: &[Stmt], reduces: bool) -> Option<Symbol> {
    block.iter().find_map(|stmt| match stmt {
        Stmt::Reduce { axes, .. } if reduces => axes.first().map(|axis| axis.symbol.clone()),
        Stmt::Par { axes, .. } if !reduces => axes.first().map(|axis| axis.symbol.clone()),
        Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => axis(body, reduces),
        _ => None,
    })
}

fn partition(launches: &Launches) -> Partition {
    let axis = axis(&launches.launches[0].kernel.body, true).unwrap_or_else(|| panic!("{launches}"));
    Partition { axis, by: 3, into: ["part", "inside"].map(Symbol::new) }
}

#[test]
fn initial_values_count_once_in_every_schedule() {
    for (states, commutes, body) in BODIES {
        let graph = reduction(states, body, &[2], |body| Op::ReduceGraph { body, axes: vec![1] });
        let launches = lower(&graph).unwrap();
        let partition = partition(&launches);
        let row = axis(&launches.launches[0].kernel.body, false).unwrap_or_else(|| panic!("{launches}"));
        let tree = Tree { axis: partition.axis.clone(), lanes: 5, into: partition.into.clone() };
        let schedules = [
            vec![],
            vec![Step::Chains(partition.clone())],
            vec![Step::Parts(partition.clone())],
            vec![Step::Launches(partition.clone())],
            vec![Step::Bind { axis: row, level: Level::Group }, Step::Tree(tree)],
            vec![Step::Lanes(partition)],
        ];
        for schedule in schedules.map(Schedule) {
            let is_refused = !commutes && matches!(schedule.0[..], [Step::Lanes(_)]);
            match apply_to_launch(&launches, 0, &schedule) {
                Ok(scheduled) => {
                    assert!(!is_refused, "{schedule}\n{scheduled}");
                    check(&graph, &scheduled, &[2], &[0, 1, 2, 3, 7, 14]);
                }
                Err(error) => assert!(is_refused, "{error}"),
            }
        }
    }
}

#[test]
fn windows_are_divided_where_an_identity_is_known() {
    for (states, _, body) in BODIES {
        let spec = WindowSpec { strides: vec![2], low: vec![1], high: vec![2], ..WindowSpec::plain(&[7]) };
        let graph = reduction(states, body, &[], |body| Op::ReduceWindowGraph { body, spec });
        let launches = lower(&graph).unwrap();
        check(&graph, &launches, &[], &[4, 9, 20]);
        let chains = Schedule(vec![Step::Chains(partition(&launches))]);
        match apply_to_launch(&launches, 0, &chains) {
            Ok(scheduled) => check(&graph, &scheduled, &[], &[4, 9, 20]),
            Err(error) => assert!(states == 2 && error.to_string().contains("initial value"), "{error}"),
        }
    }
}
