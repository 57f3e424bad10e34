//! Reductions, windows, sorts and indexed reads and writes: tangents against central differences, cotangents against tangents,
//! second derivatives against differences of gradients, mapped programs against loops.

use rlx_autodiff::{VmapAxes, jvp, vjp, vmap};
use rlx_ir::{
    Builder, Combiner, CumulativeOp, DType, Graph, Literal, Op, Reducer, ScatterDims, Shape, SortOrder,
    Tensor, eval,
};

/// Numbers without ties, of either sign.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    (0..n).map(next).collect()
}

fn filled(shape: &Shape, seed: u64) -> Literal {
    let dims = shape.static_dims().unwrap();
    Literal::new(&dims, &numbers(dims.iter().product(), seed)).unwrap()
}

fn run(graph: &Graph, values: &[Literal]) -> Vec<Literal> {
    let names: Vec<String> = graph
        .inputs()
        .map(|n| match n.op() {
            Op::Input { name } => name.clone(),
            _ => String::new(),
        })
        .collect();
    assert_eq!(names.len(), values.len(), "{graph}");
    let pairs: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(values).collect();
    eval(graph, &pairs).unwrap_or_else(|e| panic!("{e}\n{graph}"))
}

fn floats(x: &Literal) -> &[f64] {
    x.as_slice::<f64>().unwrap()
}

fn moved(x: &[Literal], t: &[Literal], by: f64) -> Vec<Literal> {
    let at = |(x, t): (&Literal, &Literal)| {
        let sum: Vec<f64> = floats(x).iter().zip(floats(t)).map(|(x, t)| x + by * t).collect();
        Literal::new(&x.dims(), &sum).unwrap()
    };
    x.iter().zip(t).map(at).collect()
}

fn inner(a: &[Literal], b: &[Literal]) -> f64 {
    a.iter().zip(b).flat_map(|(a, b)| floats(a).iter().zip(floats(b)).map(|(a, b)| a * b)).sum()
}

fn close(what: &str, graph: &Graph, got: &[Literal], want: &[Literal], bound: f64) {
    assert_eq!(got.len(), want.len(), "{what}: {graph}");
    for (g, w) in got.iter().zip(want) {
        assert_eq!(g.shape(), w.shape(), "{what}: {graph}");
        for (a, b) in floats(g).iter().zip(floats(w)) {
            assert!((a - b).abs() <= bound * b.abs().max(1.0), "{what}: {g:?}, not {w:?}\n{graph}");
        }
    }
}

/// Checks a graph of f64 tensors in all its inputs.
fn check(graph: &Graph) {
    let names: Vec<String> = (0..graph.inputs().count()).map(|i| format!("x{i}")).collect();
    let shapes = graph.input_shapes();
    let values =
        |seed: u64| -> Vec<Literal> { shapes.iter().zip(seed..).map(|(s, i)| filled(s, i)).collect() };
    let (x, t) = (values(1), values(100));
    let u: Vec<Literal> = graph.output_shapes().iter().zip(200..).map(|(s, i)| filled(s, i)).collect();
    let outputs = u.len();

    let pushed = jvp(graph, names.clone()).unwrap_or_else(|e| panic!("{e}\n{graph}"));
    let tangents = run(&pushed, &[&x[..], &t].concat()).split_off(outputs);
    let step = 1e-6;
    let slope = |f: &dyn Fn(&[Literal]) -> Vec<Literal>| {
        let (after, before) = (f(&moved(&x, &t, step)), f(&moved(&x, &t, -step)));
        let at = |(a, b): (&Literal, &Literal)| {
            let d: Vec<f64> = floats(a).iter().zip(floats(b)).map(|(a, b)| (a - b) / (2.0 * step)).collect();
            Literal::new(&a.dims(), &d).unwrap()
        };
        after.iter().zip(&before).map(at).collect::<Vec<_>>()
    };
    close("jvp", graph, &tangents, &slope(&|x| run(graph, x)), 1e-8);

    let pulled = vjp(graph, names.clone()).unwrap_or_else(|e| panic!("{e}\n{graph}"));
    let gradient = |x: &[Literal]| run(&pulled, &[x, &u].concat()).split_off(outputs);
    let (forward, backward) = (inner(&tangents, &u), inner(&t, &gradient(&x)));
    assert!((forward - backward).abs() <= 1e-12 * forward.abs().max(1.0), "{forward} {backward}\n{pulled}");

    let second = jvp(&pulled, names.clone()).unwrap_or_else(|e| panic!("{e}\n{pulled}"));
    let second = run(&second, &[&x[..], &u, &t].concat()).split_off(2 * outputs + x.len());
    close("second", graph, &second, &slope(&gradient), 1e-7);

    for every in [true, false] {
        let axes: Vec<Option<i64>> = (0..x.len()).map(|i| (every || i == 0).then_some(0)).collect();
        mapped(graph, &axes);
        mapped(&pulled, &[&axes[..], &vec![every.then_some(0); outputs]].concat());
    }
}

/// A mapped graph against one run a slice.
fn mapped(graph: &Graph, axes: &[Option<i64>]) {
    let size = 3;
    let batched =
        vmap(graph, &VmapAxes::new().size(size).in_axes(axes)).unwrap_or_else(|e| panic!("{e}\n{graph}"));
    let shapes = graph.input_shapes();
    let values: Vec<Literal> = batched.input_shapes().iter().zip(300..).map(|(s, i)| filled(s, i)).collect();
    let all = run(&batched, &values);
    for slice in 0..size {
        let part = |x: &Literal, shape: &Shape| {
            let n = shape.num_elements().unwrap();
            Literal::new(&shape.static_dims().unwrap(), &floats(x)[slice * n..(slice + 1) * n]).unwrap()
        };
        let own = values.iter().zip(&shapes).zip(axes);
        let own: Vec<Literal> =
            own.map(|((x, s), axis)| if axis.is_some() { part(x, s) } else { x.clone() }).collect();
        let want = run(graph, &own);
        let got: Vec<Literal> = all.iter().zip(&want).map(|(x, w)| part(x, w.shape())).collect();
        close("vmap", graph, &got, &want, 1e-12);
    }
}

fn program(shapes: &[&[usize]], f: impl Fn(&Builder, &[Tensor]) -> Vec<Tensor>) -> Graph {
    let b = Builder::new("program");
    let inputs: Vec<Tensor> =
        shapes.iter().enumerate().map(|(i, s)| b.input(format!("x{i}"), Shape::new(s, DType::F64))).collect();
    let outputs = f(&b, &inputs);
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
}

fn unary(shape: &[usize], op: Op) {
    check(&program(&[shape], |_, x| vec![x[0].apply(op.clone(), &[])]));
}

#[test]
fn reductions() {
    for kind in [Reducer::Sum, Reducer::Prod, Reducer::Max, Reducer::Min] {
        for axes in [vec![1], vec![0, 2], vec![0, 1, 2], vec![]] {
            unary(&[2, 3, 4], Op::Reduce { kind, axes });
        }
    }
}

#[test]
fn running_reductions() {
    use CumulativeOp::{LogSumExp, Max, Min, Prod, Sum};
    for op in [Sum, Prod, Max, Min, LogSumExp] {
        for (exclusive, reverse, n) in
            [(false, false, 5), (true, false, 6), (false, true, 7), (true, true, 1)]
        {
            // The first exclusive result is infinite, of which no difference can be taken.
            if !exclusive || matches!(op, Sum | Prod) {
                unary(&[2, n, 2], Op::Cumulative { op, axis: 1, exclusive, reverse });
            }
        }
    }
}

#[test]
fn sorts() {
    for (order, num_keys) in [(SortOrder::Ascending, 1), (SortOrder::Descending, 2)] {
        check(&program(&[&[2, 5], &[2, 5]], |b, x| {
            let op = Op::Sort { axis: 1, order, num_keys, stable: true };
            b.apply_many(op, &[&x[0], &x[1]])
        }));
    }
    check(&program(&[&[3, 5]], |_, x| vec![x[0].apply_many(Op::TopK { k: 3 }, &[]).swap_remove(0)]));
}

fn window(kind: Reducer, n: usize, [size, stride, base, dilation]: [usize; 4], [low, high]: [i64; 2]) -> Op {
    Op::ReduceWindow {
        kind,
        window: vec![1, size, n],
        strides: vec![1, stride, 1],
        base_dilation: vec![1, base, 1],
        window_dilation: vec![1, dilation, 1],
        low: vec![0, low, 1],
        high: vec![0, high, 0],
    }
}

#[test]
fn windows() {
    for kind in [Reducer::Sum, Reducer::Max, Reducer::Min, Reducer::Prod] {
        for along in [[2, 1, 1, 1], [3, 2, 1, 1], [2, 3, 1, 2], [3, 2, 2, 1], [2, 2, 3, 2]] {
            for padding in [[0, 0], [1, 2], [-1, 1]] {
                if matches!(kind, Reducer::Sum | Reducer::Prod) || (along[2] == 1 && padding[1] < 2) {
                    unary(&[2, 7, 3], window(kind, 2, along, padding));
                }
            }
        }
    }
}

fn indices(b: &Builder, dims: &[usize], values: &[i32]) -> Tensor {
    b.constant(Literal::new(dims, values).unwrap())
}

#[test]
fn gathers() {
    // Indices outside are moved to the nearest end.
    check(&program(&[&[4, 3]], |b, x| vec![x[0].take(&indices(b, &[2, 3], &[0, 3, 3, -7, 1, 9]), 0)]));
    check(&program(&[&[3, 4]], |b, x| vec![x[0].gather(&indices(b, &[3, 2], &[0, 3, -1, 2, 9, 9]), 1)]));
    check(&program(&[&[4, 5]], |b, x| {
        let gather = Op::Gather {
            offset_dims: vec![0, 2],
            collapsed_slice_dims: vec![],
            operand_batching_dims: vec![],
            start_indices_batching_dims: vec![],
            start_index_map: vec![1, 0],
            index_vector_dim: 0,
            slice_sizes: vec![2.into(), 3.into()],
        };
        vec![x[0].apply(gather, &[&indices(b, &[2, 3], &[0, 4, 1, -2, 2, 3])])]
    }));
}

#[test]
fn scatters() {
    for combiner in [Combiner::Set, Combiner::Add, Combiner::Mul, Combiner::Min, Combiner::Max] {
        // Twice the same place, and one box that sticks out.
        if combiner != Combiner::Mul {
            check(&program(&[&[4, 3], &[5, 2]], |b, x| {
                let dims = ScatterDims {
                    update_window_dims: vec![1],
                    inserted_window_dims: vec![0],
                    scatter_dims_to_operand_dims: vec![0, 1],
                    index_vector_dim: 1,
                    ..ScatterDims::default()
                };
                let at = indices(b, &[5, 2], &[0, 0, 2, 1, 0, 1, 3, 2, 2, 1]);
                vec![x[0].apply(Op::Scatter { dims, combiner }, &[&at, &x[1]])]
            }));
        }
        check(&program(&[&[3, 4], &[3]], |b, x| {
            let dims = ScatterDims {
                inserted_window_dims: vec![1],
                input_batching_dims: vec![0],
                scatter_indices_batching_dims: vec![0],
                scatter_dims_to_operand_dims: vec![1],
                index_vector_dim: 1,
                ..ScatterDims::default()
            };
            vec![x[0].apply(Op::Scatter { dims, combiner }, &[&indices(b, &[3], &[2, -1, 0]), &x[1]])]
        }));
    }
}

#[test]
fn cross_entropy() {
    check(&program(&[&[3, 4]], |b, x| vec![x[0].softmax_cross_entropy(&indices(b, &[3], &[2, 0, 3]))]));
}
