//! Reductions, windows, sorts and indexed reads and writes: tangents compared with central differences, cotangents with tangents,
//! second derivatives with differences of gradients, mapped programs with loops.

use rlx_autodiff::{Options, VmapAxes, grad, grad_with, jvp, vjp, vmap};
use rlx_ir::{
    AttentionOptions, Builder, Combiner, DType, Dim, GatherDims, Graph, Literal, LogitFilter, MaskKind,
    Named, Op, ReduceOp, ScatterDims, Shape, SortOrder, SubGraph, Tensor, UndilatedWindow, WindowSpec, eval,
};

/// Numbers of both signs without ties.
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

/// Checks a graph of f64 tensors with respect to all its inputs.
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

/// Compares a mapped graph with one run per slice.
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
    for kind in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
        for axes in [vec![1], vec![0, 2], vec![0, 1, 2], vec![]] {
            unary(&[2, 3, 4], Op::Reduce { kind, axes });
        }
    }
}

#[test]
fn running_reductions() {
    use ReduceOp::{LogSumExp, Max, Min, Prod, Sum};
    for op in [Sum, Prod, Max, Min, LogSumExp] {
        for (exclusive, reverse, n) in
            [(false, false, 5), (true, false, 6), (false, true, 7), (true, true, 1)]
        {
            // The first exclusive result is infinite, so there is no difference of it.
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

fn window(kind: ReduceOp, n: usize, [size, stride, base, dilation]: [usize; 4], [low, high]: [i64; 2]) -> Op {
    let spec = WindowSpec {
        window: vec![1, size, n],
        strides: vec![1, stride, 1],
        base_dilation: vec![1, base, 1],
        window_dilation: vec![1, dilation, 1],
        low: vec![0, low, 1],
        high: vec![0, high, 0],
    };
    Op::ReduceWindow { kind, spec }
}

#[test]
fn windows() {
    for kind in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod] {
        for along in [[2, 1, 1, 1], [3, 2, 1, 1], [2, 3, 1, 2], [3, 2, 2, 1], [2, 2, 3, 2]] {
            for padding in [[0, 0], [1, 2], [-1, 1]] {
                if matches!(kind, ReduceOp::Sum | ReduceOp::Prod) || (along[2] == 1 && padding[1] < 2) {
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
    // Indices outside are clamped.
    check(&program(&[&[4, 3]], |b, x| vec![x[0].take(&indices(b, &[2, 3], &[0, 3, 3, -7, 1, 9]), 0)]));
    check(&program(&[&[3, 4]], |b, x| vec![x[0].gather(&indices(b, &[3, 2], &[0, 3, -1, 2, 9, 9]), 1)]));
    check(&program(&[&[4, 5]], |b, x| {
        let gather = Op::Gather {
            dims: GatherDims {
                offset_dims: vec![0, 2],
                collapsed_slice_dims: vec![],
                operand_batching_dims: vec![],
                start_indices_batching_dims: vec![],
                start_index_map: vec![1, 0],
                index_vector_dim: 0,
            },
            slice_sizes: vec![2.into(), 3.into()],
        };
        vec![x[0].apply(gather, &[&indices(b, &[2, 3], &[0, 4, 1, -2, 2, 3])])]
    }));
}

#[test]
fn scatters() {
    for &combiner in Combiner::VARIANTS {
        // The same place twice, and one window that goes out of bounds.
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
fn scatters_by_graphs() {
    let rows = |at: usize| ScatterDims {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: at,
        ..ScatterDims::default()
    };
    check(&program(&[&[4, 3], &[4, 3], &[5, 3], &[5, 3]], |b, x| {
        let at = indices(b, &[5], &[2, 0, 2, -1, 2]);
        b.apply_many(Op::ScatterGraph { dims: rows(1), body: affine() }, &[&x[0], &x[1], &at, &x[2], &x[3]])
    }));
    for body in [|x: &[Tensor]| vec![x[1].clone()], |x: &[Tensor]| vec![&x[1] * &x[0]]] {
        check(&program(&[&[4, 3], &[5, 2]], |b, x| {
            let body = scalars(&[DType::F64; 2], body);
            let at = indices(b, &[5, 1], &[2, 0, 2, 4, 1]);
            vec![x[0].apply(Op::ScatterGraph { dims: rows(1), body }, &[&at, &x[1]])]
        }));
    }
}

/// Integers that differ between the slices of a batch, some of them outside of an axis of size four.
fn ids(x: &Tensor) -> Tensor {
    (x * 5.0).convert(DType::I32)
}

#[test]
fn composites_that_pick_elements() {
    for each in [true, false] {
        let at = |b: &Builder, x: &Tensor, dims: &[usize]| match each {
            true => ids(x),
            false => indices(
                b,
                dims,
                &(0..dims.iter().product::<usize>() as i32).map(|i| i % 6 - 1).collect::<Vec<_>>(),
            ),
        };
        let both = |y: Tensor, x: &Tensor| vec![y, x.sin()];
        check(&program(&[&[4, 3], &[2, 3]], |b, x| both(x[0].embedding(&at(b, &x[1], &[2, 3])), &x[1])));
        for axis in [0, 1] {
            check(&program(&[&[4, 3], &[2]], |b, x| both(x[0].take(&at(b, &x[1], &[2]), axis), &x[1])));
            let aligned: &[usize] = if axis == 0 { &[2, 3] } else { &[4, 2] };
            check(&program(&[&[4, 3], aligned], |b, x| {
                both(x[0].gather(&at(b, &x[1], aligned), axis), &x[1])
            }));
            check(&program(&[&[4, 3], aligned, aligned], |b, x| {
                both(x[0].scatter_add(axis, &at(b, &x[1], aligned), &x[2]), &x[1])
            }));
            check(&program(&[&[4, 3], &[2], aligned], |b, x| {
                both(x[0].scatter_add(axis, &at(b, &x[1], &[2]), &x[2]), &x[1])
            }));
            check(&program(&[&[4, 3], &[], aligned], |b, x| {
                both(x[0].kv_append(&x[2], &at(b, &x[1], &[]), axis), &x[1])
            }));
        }
        // One position per sequence, and as many rows as there are positions.
        check(&program(&[&[2, 4, 3], &[2], &[2, 2, 3]], |b, x| {
            let at = at(b, &x[1], &[2]);
            let cache = x[0].kv_append(&x[2], &at, 1);
            let q = x[2].reshape(&[2, 1, 2, 3].map(Dim::Static));
            let cache = cache.reshape(&[2, 1, 4, 3].map(Dim::Static));
            let options = AttentionOptions { mask: MaskKind::Causal, ..Default::default() };
            both(q.attention_cached(&cache, &cache.sin(), &at, None, options), &x[1])
        }));
        check(&program(&[&[2, 1, 3, 2], &[], &[2, 1, 4, 2], &[2, 4]], |b, x| {
            let (at, k) = (at(b, &x[1], &[]), &x[2]);
            let options = AttentionOptions { mask: MaskKind::Bias, ..Default::default() };
            both(x[0].attention_cached(k, &k.sin(), &at, Some(&x[3]), options), &x[1])
        }));
        check(&program(&[&[4], &[4, 3]], |b, x| {
            both(at(b, &x[0], &[4]).one_hot(3, DType::F64) * &x[1], &x[0])
        }));
    }
    check(&program(&[&[2, 3, 5, 4]], |_, x| vec![x[0].pool(ReduceOp::Max, &[2, 3], &[2, 1], &[1, 1])]));
    check(&program(&[&[2, 3, 5, 4]], |_, x| vec![x[0].pool(ReduceOp::Mean, &[2, 2], &[1, 2], &[0, 1])]));
    check(&program(&[&[2, 3]], |_, x| vec![x[0].cumsum(1)]));
}

/// A graph over scalars.
fn scalars(dtypes: &[DType], f: impl Fn(&[Tensor]) -> Vec<Tensor>) -> SubGraph {
    let b = Builder::new("body");
    let inputs: Vec<Tensor> =
        dtypes.iter().enumerate().map(|(i, &d)| b.input(format!("x{i}"), Shape::scalar(d))).collect();
    let outputs = f(&inputs);
    SubGraph::new(b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap())
}

/// The composition of two maps x ↦ p·x + s, which is associative but not commutative.
fn affine() -> SubGraph {
    scalars(&[DType::F64; 4], |x| vec![&x[0] * &x[2], &x[1] * &x[2] + &x[3]])
}

#[test]
fn reductions_by_graphs() {
    for n in [0, 1, 5, 8] {
        for axes in [vec![0], vec![1], vec![0, 1]] {
            check(&program(&[&[n, 3], &[n, 3]], |b, x| {
                let op = Op::ReduceGraph { body: affine(), axes: axes.clone() };
                let inits = [b.scalar(1.0, DType::F64), b.scalar(0.0, DType::F64)];
                b.apply_many(op, &[&x[0], &x[1], &inits[0], &inits[1]])
            }));
        }
    }
    // An initial value that is an operand, and a named reduction.
    check(&program(&[&[4, 3], &[]], |_, x| {
        let body = scalars(&[DType::F64; 2], |x| vec![x[0].maximum(&x[1])]);
        vec![x[0].apply(Op::ReduceGraph { body, axes: vec![0] }, &[&x[1]])]
    }));
    check(&program(&[&[4, 3], &[]], |_, x| {
        let body = scalars(&[DType::F64; 2], |x| vec![(x[0].exp() + x[1].exp()).log()]);
        vec![x[0].apply(Op::ReduceGraph { body, axes: vec![0] }, &[&x[1]])]
    }));
}

#[test]
fn windows_by_graphs() {
    let spec = WindowSpec {
        window: vec![3, 2],
        strides: vec![2, 1],
        base_dilation: vec![2, 1],
        window_dilation: vec![1, 2],
        low: vec![1, -1],
        high: vec![4, 2],
    };
    let windowed = |body: SubGraph| Op::ReduceWindowGraph { body, spec: spec.clone() };
    check(&program(&[&[4, 3], &[4, 3]], |b, x| {
        let inits = [b.scalar(1.0, DType::F64), b.scalar(0.0, DType::F64)];
        b.apply_many(windowed(affine()), &[&x[0], &x[1], &inits[0], &inits[1]])
    }));
    check(&program(&[&[4, 3]], |b, x| {
        let body = scalars(&[DType::F64; 2], |x| vec![&x[1] + &x[0]]);
        vec![x[0].apply(windowed(body), &[&b.scalar(0.0, DType::F64)])]
    }));
}

#[test]
fn sorts_by_graphs() {
    check(&program(&[&[2, 5], &[2, 5]], |b, x| {
        let comparator = scalars(&[DType::F64; 4], |x| vec![x[0].cos().less(&x[1].cos())]);
        b.apply_many(Op::SortGraph { axis: 1, stable: true, comparator }, &[&x[0], &x[1]])
    }));
}

#[test]
fn selections() {
    for combine in [|x: &[Tensor]| vec![&x[0] + &x[1]], |x: &[Tensor]| vec![x[0].maximum(&x[1])]] {
        check(&program(&[&[5, 6], &[3, 3], &[]], |_, x| {
            let op = Op::SelectAndScatter {
                select: scalars(&[DType::F64; 2], |x| vec![x[0].greater_equal(&x[1])]),
                scatter: scalars(&[DType::F64; 2], combine),
                spec: UndilatedWindow::new(vec![3, 2], vec![2, 2], vec![1, 0], vec![1, 0]),
            };
            vec![x[0].apply(op, &[&x[1], &x[2]])]
        }));
    }
}

#[test]
fn cross_entropy() {
    check(&program(&[&[3, 4]], |b, x| vec![x[0].softmax_cross_entropy(&indices(b, &[3], &[2, 0, 3]))]));
}

/// The results of keys drawn together and one at a time.
#[test]
fn random_numbers_of_many_keys() {
    let keys = Literal::new(&[3, 2], &[1u32, 2, 0, 7, u32::MAX, 5]).unwrap();
    let shape = Shape::new(&[2, 3], DType::F32);
    let draws: [(&str, &dyn Fn(&Tensor) -> Tensor); 4] = [
        ("uniform", &|key| key.rng_uniform(shape.clone())),
        ("normal", &|key| key.apply(Op::RngNormal { shape: shape.clone() }, &[])),
        ("categorical", &|key| {
            let logits = key.builder().iota(shape.clone(), 1);
            logits.categorical(key, 1)
        }),
        ("sample", &|key| {
            let logits = key.builder().iota(shape.clone(), 1);
            let filters = [LogitFilter::TopK(3), LogitFilter::TopP(0.9), LogitFilter::Temperature(2.0)];
            let [token, ..] = logits.sample(key, None, None, &filters, false);
            token
        }),
    ];
    for (what, draw) in draws {
        let b = Builder::new(what);
        let graph = b.clone().finish(&[&draw(&b.input("key", Shape::new(&[2], DType::U32)))]).unwrap();
        let mapped = vmap(&graph, &VmapAxes::new().size(3)).unwrap();
        let all = run(&mapped, std::slice::from_ref(&keys)).swap_remove(0);
        for (i, key) in keys.as_slice::<u32>().unwrap().chunks(2).enumerate() {
            let one = run(&graph, &[Literal::new(&[2], key).unwrap()]).swap_remove(0);
            let n = one.bytes().len();
            assert_eq!(&all.bytes()[i * n..(i + 1) * n], one.bytes(), "{what} {i}");
        }
    }
}

/// The logits that filters of `sample` keep are those that were given, and those of filtered-out tokens are constant. Neither
/// tokens nor keys have derivatives.
#[test]
fn gradients_of_draws_of_tokens() {
    let (typical, nucleus) = (LogitFilter::Typical(0.6), LogitFilter::TopP(0.7));
    for filters in [&[LogitFilter::TopK(4)][..], &[nucleus], &[typical], &[LogitFilter::MinP(0.3)]] {
        let b = Builder::new("draw");
        let logits = b.input("logits", Shape::new(&[9], DType::F64));
        let key = b.input("key", Shape::new(&[2], DType::U32));
        let [token, kept, ids] = logits.sample(&key, None, None, filters, false);
        let weight = kept.exp().reduce(ReduceOp::Sum, &[0], false);
        let number = token.convert(DType::F64);
        let graph = b.finish(&[&weight, &ids, &number, &token]).unwrap();
        let values = [filled(&Shape::new(&[9], DType::F64), 3), Literal::new(&[2], &[1u32, 2]).unwrap()];
        let ids = run(&graph, &values).swap_remove(1);
        let ids = ids.as_slice::<i32>().unwrap();
        let x = floats(&values[0]);
        let want = (0..9).map(|i| if ids.contains(&i) { x[i as usize].exp() } else { 0.0 });
        let want = Literal::new(&[9], &want.collect::<Vec<_>>()).unwrap();
        assert!((1..9).contains(&ids.iter().filter(|id| **id >= 0).count()), "{ids:?}");
        let slope = grad(&graph, "logits").unwrap();
        close("gradient", &slope, &run(&slope, &values), &[want], 1e-12);
        let refused = |loss: usize, wrt: &str| {
            grad_with(&graph, wrt, &Options::new().loss(loss)).unwrap_err().to_string()
        };
        assert!(refused(0, "key").contains("`key` has element type u32"), "{}", refused(0, "key"));
        // The id of a token jumps.
        let flat = grad_with(&graph, "logits", &Options::new().loss(2)).unwrap();
        assert!(floats(&run(&flat, &values)[0]).iter().all(|&x| x == 0.0));
        assert!(refused(3, "logits").contains("output 3 of \"draw\" is i32[]"), "{}", refused(3, "logits"));
    }
}

#[test]
fn random_bits_of_many_states() {
    let b = Builder::new("bits");
    let state = b.input("state", Shape::new(&[2], DType::U64));
    let op = Op::RngBits { algorithm: rlx_ir::RngAlgorithm::Threefry, shape: Shape::new(&[3], DType::U32) };
    let graph = b.clone().finish(&state.apply_many(op, &[]).iter().collect::<Vec<_>>()).unwrap();
    let mapped = vmap(&graph, &VmapAxes::new().size(2)).unwrap();
    let states = [1u64, 2, 3, u64::MAX];
    let all = run(&mapped, &[Literal::new(&[2, 2], &states).unwrap()]);
    for (i, state) in states.chunks(2).enumerate() {
        for (all, one) in all.iter().zip(run(&graph, &[Literal::new(&[2], state).unwrap()])) {
            let n = one.bytes().len();
            assert_eq!(&all.bytes()[i * n..(i + 1) * n], one.bytes());
        }
    }
}

/// Compares transforms of a program with a symbolic first axis with those of the bound program.
#[test]
fn sizes_that_are_not_known_yet() {
    let table: [(&str, &dyn Fn(&Builder, &Tensor) -> Tensor); 10] = [
        ("sum", &|_, x| x.reduce(ReduceOp::Sum, &[0], false)),
        ("max", &|_, x| x.reduce(ReduceOp::Max, &[0], false)),
        ("prod", &|_, x| x.reduce(ReduceOp::Sum, &[0, 1], false)),
        ("take", &|b, x| x.take(&indices(b, &[3], &[-1, 2, 77]), 0)),
        ("scatter", &|b, x| {
            let dims = ScatterDims {
                update_window_dims: vec![1],
                inserted_window_dims: vec![0],
                scatter_dims_to_operand_dims: vec![0],
                index_vector_dim: 1,
                ..ScatterDims::default()
            };
            let updates = x.slice_axis(0, 0, 3).sin();
            x.apply(
                Op::Scatter { dims, combiner: Combiner::Reduce(ReduceOp::Max) },
                &[&indices(b, &[3], &[-1, 4, 1]), &updates],
            )
        }),
        ("windows", &|_, x| {
            let sum = window(ReduceOp::Sum, 2, [3, 2, 1, 1], [1, 1]);
            let max = window(ReduceOp::Max, 2, [3, 2, 1, 1], [1, 1]);
            let x = x.unsqueeze(0);
            x.apply(sum, &[]) * x.apply(max, &[])
        }),
        ("cumsum", &|_, x| x.cumsum(0)),
        ("cumprod", &|_, x| {
            let running =
                |op, exclusive, reverse| x.apply(Op::Cumulative { op, axis: 0, exclusive, reverse }, &[]);
            running(ReduceOp::Prod, true, true) * running(ReduceOp::LogSumExp, false, false)
        }),
        ("reduce_graph", &|b, x| {
            let op = Op::ReduceGraph { body: affine(), axes: vec![0] };
            let inits = [b.scalar(1.0, DType::F64), b.scalar(0.0, DType::F64)];
            b.apply(op, &[x, &x.cos(), &inits[0], &inits[1]])
        }),
        ("sort", &|_, x| {
            let op = Op::Sort { axis: 0, order: SortOrder::Ascending, num_keys: 1, stable: true };
            x.apply(op, &[])
        }),
    ];
    for (what, f) in table {
        let b = Builder::new(what);
        let x = b.input("x0", Shape::from_dims(&["n".into(), 2.into()], DType::F64));
        let y = f(&b, &x.sin());
        let graph =
            b.finish(&[&(&y * &y).reduce(ReduceOp::Sum, &(0..y.rank()).collect::<Vec<_>>(), false)]).unwrap();
        let gradient = rlx_autodiff::grad(&graph, "x0").unwrap_or_else(|e| panic!("{what}: {e}"));
        let second = jvp(&gradient, "x0").unwrap_or_else(|e| panic!("{what}: {e}"));
        let bindings = rlx_ir::Bindings::from([(rlx_ir::Symbol::new("n"), 5)]);
        let bound = graph.bind(&bindings);
        let values: Vec<Literal> = (1..3).map(|i| filled(&Shape::new(&[5, 2], DType::F64), i)).collect();
        let want = jvp(&rlx_autodiff::grad(&bound, "x0").unwrap(), "x0").unwrap();
        close(what, &second, &run(&second.bind(&bindings), &values), &run(&want, &values), 1e-12);
        let mapped = vmap(&gradient, &VmapAxes::new().size(1)).unwrap_or_else(|e| panic!("{what}: {e}"));
        let lifted = values[0].reshaped(&Shape::new(&[1, 5, 2], DType::F64)).unwrap();
        let got = run(&mapped.bind(&bindings), &[lifted]).swap_remove(0);
        let got = got.reshaped(&Shape::new(&[5, 2], DType::F64)).unwrap();
        close(what, &mapped, &[got], &run(&gradient.bind(&bindings), &values[..1]), 1e-12);
    }
}
