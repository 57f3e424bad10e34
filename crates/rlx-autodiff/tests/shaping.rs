//! Ops that move elements: transposes compared with their linear maps, mapping with a loop, and symbolic sizes.

use rlx_autodiff::{Options, VmapAxes, jvp_with, vjp, vmap};
use rlx_ir::eval::Value;
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, Op, Shape, Symbol, Tensor, eval};

/// Numbers that differ from each other and are exact in every float type used here.
fn filled(shape: &Shape, seed: usize) -> Literal {
    let dims = shape.static_dims().unwrap();
    let count: usize = dims.iter().product();
    let number = |i: usize| ((i * 7 + seed * 5) % 23) as f64 - 11.0;
    Value::floats(dims, shape.dtype(), (0..count).map(number).collect()).to_literal().unwrap()
}

fn run(graph: &Graph, values: &[Literal]) -> Vec<Literal> {
    let names: Vec<String> = graph
        .inputs()
        .map(|n| match n.op() {
            Op::Input { name } => name.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    let pairs: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(values).collect();
    eval(graph, &pairs).unwrap_or_else(|e| panic!("{e}\n{graph}"))
}

fn dot(a: &Literal, b: &Literal) -> f64 {
    let (a, b) = (Value::from_literal(a).to_f64s(), Value::from_literal(b).to_f64s());
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(x, y)| x * y).sum()
}

/// ⟨J v, u⟩ = ⟨v, Jᵀ u⟩ at the sizes that `bindings` gives to symbols.
fn check_transpose(graph: &Graph, wrt: &[usize], ints: &[Literal], bindings: &Bindings) {
    let pushed = jvp_with(graph, wrt, &Options::new()).unwrap().bind(bindings);
    let pulled = vjp(graph, wrt).unwrap().bind(bindings);
    let graph = graph.bind(bindings);
    let shapes = graph.input_shapes();
    let mut ints = ints.iter();
    let values: Vec<Literal> = shapes
        .iter()
        .enumerate()
        .map(|(i, s)| if s.dtype().is_float() { filled(s, i) } else { ints.next().unwrap().clone() })
        .collect();
    let tangents: Vec<Literal> = wrt.iter().map(|&i| filled(&shapes[i], i + 10)).collect();
    let cotangent = filled(&graph.output_shapes()[0], 3);
    let jv = run(&pushed, &[values.clone(), tangents.clone()].concat());
    let ju = run(&pulled, &[values, vec![cotangent.clone()]].concat());
    let right: f64 = tangents.iter().zip(&ju[1..]).map(|(v, j)| dot(v, j)).sum();
    assert_eq!(dot(&jv[1], &cotangent), right, "{pulled}");
}

fn of_one(dims: &[usize], f: impl Fn(&Tensor) -> Tensor) -> Graph {
    let b = Builder::new("case");
    let x = b.input("x", Shape::new(dims, DType::F64));
    b.finish(&[&f(&x)]).unwrap()
}

fn dims(sizes: &[usize]) -> Vec<Dim> {
    sizes.iter().map(|&n| Dim::Static(n)).collect()
}

fn slice(starts: &[usize], limits: &[usize], strides: &[usize]) -> Op {
    Op::Slice { starts: dims(starts), limits: dims(limits), strides: strides.to_vec() }
}

#[test]
fn transposes_are_adjoint() {
    let none = Bindings::new();
    for graph in [
        of_one(&[2, 3], |x| x.reshape(&dims(&[3, 1, 2]))),
        of_one(&[2, 3, 4], |x| x.transpose(&[2, 0, 1])),
        of_one(&[3], |x| x.broadcast_in_dim(&dims(&[2, 3, 4]), &[1])),
        of_one(&[3, 1, 2], |x| x.broadcast_in_dim(&dims(&[2, 5, 7, 3]), &[3, 1, 0])),
        of_one(&[1], |x| x.broadcast_in_dim(&dims(&[1, 1]), &[1])),
        of_one(&[], |x| x.broadcast_in_dim(&dims(&[2, 3]), &[])),
        of_one(&[7, 5], |x| x.apply(slice(&[1, 0], &[7, 5], &[2, 3]), &[])),
        of_one(&[7, 5], |x| x.apply(slice(&[6, 2], &[6, 5], &[4, 1]), &[])),
        of_one(&[7], |x| x.apply(slice(&[0], &[7], &[7]), &[])),
        of_one(&[2, 3], |x| x.apply(Op::Reverse { axes: vec![1, 0] }, &[])),
        of_one(&[2, 3], |x| x.apply(Op::Concatenate { axis: 1 }, &[&(x * 2.0), x])),
    ] {
        check_transpose(&graph, &[0], &[], &none);
    }
}

#[test]
fn padding_is_undone() {
    for (n, low, high, interior) in
        [(4, 1, 2, 0), (4, -1, -2, 0), (4, 2, -3, 2), (4, -2, -3, 1), (0, 2, 1, 3), (1, -1, 4, 2)]
    {
        let b = Builder::new("pad");
        let x = b.input("x", Shape::new(&[2, n], DType::F64));
        let value = b.input("value", Shape::scalar(DType::F64));
        let op = Op::Pad { low: vec![1, low], high: vec![0, high], interior: vec![0, interior] };
        let graph = b.finish(&[&x.apply(op, &[&value])]).unwrap();
        check_transpose(&graph, &[0, 1], &[], &Bindings::new());
        check_mapped(&graph, &[true, true], &[]);
        check_mapped(&graph, &[false, true], &[]);
        check_mapped(&graph, &[true, false], &[]);
    }
}

#[test]
fn sizes_may_be_symbols() {
    let n = || Dim::dynamic("n");
    let with = |f: &dyn Fn(&Tensor) -> Tensor| {
        let b = Builder::new("symbolic");
        let x = b.input("x", Shape::from_dims(&[n(), Dim::Static(3)], DType::F64));
        b.finish(&[&f(&x)]).unwrap()
    };
    let strided = |stride: usize| {
        with(&|x: &Tensor| {
            let (starts, strides) = (vec![Dim::Static(1), Dim::Static(0)], vec![stride, 2]);
            x.apply(Op::Slice { starts, limits: x.dims(), strides }, &[])
        })
    };
    let graphs = [
        strided(1),
        strided(2),
        strided(3),
        with(&|x| x.slice_axis(0, 0, &n() - &Dim::Static(1))),
        with(&|x| x.slice_axis(0, n().floor_div(&Dim::Static(2)), n())),
        with(&|x| x.reshape(&[&n() * 3])),
        with(&|x| x.broadcast_in_dim(&[Dim::Static(2), n(), Dim::Static(3)], &[1, 2])),
        with(&|x| x.apply(Op::Concatenate { axis: 0 }, &[x])),
        with(&|x| {
            x.apply(
                Op::Pad { low: vec![2, 0], high: vec![-1, 1], interior: vec![2, 0] },
                &[&x.scalar_like(0.0)],
            )
        }),
    ];
    for graph in &graphs {
        for size in [1, 2, 6, 7] {
            let bindings: Bindings = [(Symbol::new("n"), size)].into_iter().collect();
            check_transpose(graph, &[0], &[], &bindings);
        }
        let mapped = vmap(graph, &VmapAxes::new().size(2)).unwrap();
        assert_eq!(mapped.input_shapes()[0].dims()[1], n());
    }
}

/// The mapped graph on stacked values returns the stacked results of the graph on each.
fn check_mapped(graph: &Graph, batched: &[bool], ints: &[Vec<i64>]) {
    const SIZE: usize = 3;
    let in_axes: Vec<Option<i64>> = batched.iter().map(|&b| b.then_some(0)).collect();
    let mapped = vmap(graph, &VmapAxes::new().in_axes(in_axes).size(SIZE)).unwrap();
    let mut ints = ints.iter();
    let values: Vec<Value> = mapped
        .input_shapes()
        .iter()
        .enumerate()
        .map(|(i, shape)| {
            if shape.dtype().is_float() {
                return Value::from_literal(&filled(shape, i));
            }
            let data = ints.next().unwrap().iter().map(|&v| i128::from(v)).collect();
            Value::ints(shape.static_dims().unwrap(), shape.dtype(), data)
        })
        .collect();
    let literals: Vec<Literal> = values.iter().map(|v| v.to_literal().unwrap()).collect();
    let got = Value::from_literal(&run(&mapped, &literals)[0]).to_f64s();
    let mut want = Vec::new();
    for i in 0..SIZE {
        let own = |(value, &batched): (&Value, &bool)| {
            if !batched {
                return value.to_literal().unwrap();
            }
            let dims = value.dims()[1..].to_vec();
            let count: usize = dims.iter().product();
            let strides = rlx_ir::shape::row_major_strides(&dims);
            let at = |index: &[usize]| i * count + rlx_ir::eval::linear(index, &strides);
            value.pick(&dims, at).to_literal().unwrap()
        };
        let slices: Vec<Literal> = values.iter().zip(batched).map(own).collect();
        want.extend(Value::from_literal(&run(graph, &slices)[0]).to_f64s());
    }
    assert_eq!(got, want, "{mapped}");
}

#[test]
fn boxes_at_offsets_of_each_slice() {
    for dtype in [DType::I8, DType::I32, DType::U64] {
        let b = Builder::new("read");
        let x = b.input("x", Shape::new(&[4, 200], DType::F64));
        let starts = [b.input("i", Shape::scalar(dtype)), b.input("j", Shape::scalar(dtype))];
        let y = x.apply(Op::DynamicSlice { sizes: dims(&[2, 3]) }, &[&starts[0], &starts[1]]);
        let read = b.finish(&[&y]).unwrap();
        let b = Builder::new("write");
        let x = b.input("x", Shape::new(&[4, 200], DType::F64));
        let update = b.input("update", Shape::new(&[2, 3], DType::F64));
        let starts = [b.input("i", Shape::scalar(dtype)), b.input("j", Shape::scalar(dtype))];
        let y = x.apply(Op::DynamicUpdateSlice {}, &[&update, &starts[0], &starts[1]]);
        let write = b.finish(&[&y]).unwrap();
        let below = if dtype == DType::U64 { 0 } else { -5 };
        let each = [vec![0, below, 100], vec![1, 125, 2]];
        for x in [false, true] {
            check_mapped(&read, &[x, true, true], &each);
            check_mapped(&read, &[x, true, false], &[each[0].clone(), vec![7]]);
            for update in [false, true] {
                check_mapped(&write, &[x, update, true, true], &each);
                check_mapped(&write, &[x, update, false, true], &[vec![100], each[1].clone()]);
            }
        }
        check_mapped(&read, &[true, false, false], &[vec![1], vec![100]]);
        check_mapped(&write, &[false, true, false, false], &[vec![100], vec![3]]);
        let scalars = [3, 100].map(|v| Value::ints(vec![], dtype, vec![v]).to_literal().unwrap());
        check_transpose(&read, &[0], &scalars, &Bindings::new());
        check_transpose(&write, &[0, 1], &scalars, &Bindings::new());
        check_transpose(&write, &[1], &scalars, &Bindings::new());
    }
}

#[test]
fn mapped_ops_move_each_slice() {
    for graph in [
        of_one(&[2, 3], |x| x.reshape(&dims(&[3, 1, 2]))),
        of_one(&[2, 3, 4], |x| x.transpose(&[2, 0, 1])),
        of_one(&[3, 1, 2], |x| x.broadcast_in_dim(&dims(&[2, 5, 7, 3]), &[3, 1, 0])),
        of_one(&[], |x| x.broadcast_in_dim(&dims(&[2, 3]), &[])),
        of_one(&[7, 5], |x| x.apply(slice(&[1, 0], &[7, 5], &[2, 3]), &[])),
        of_one(&[2, 3], |x| x.apply(Op::Reverse { axes: vec![1, 0] }, &[])),
        of_one(&[2, 3], |x| {
            x.apply(Op::Concatenate { axis: 1 }, &[&x.scalar_like(2.0).broadcast_to(&x.dims()), x])
        }),
        of_one(&[2, 3], |x| x.clip(Some(-2.0), None).elu(2.0).stop_gradient().swiglu(x)),
        of_one(&[2, 3], |x| x * x.apply(Op::DimSize { axis: 1 }, &[]).convert(DType::F64)),
    ] {
        check_mapped(&graph, &[true], &[]);
    }
}
