//! The functions of scripts/control_goldens.py: from w (a scalar), c `[3]` and xs `[4, 3]` to a scalar.

use rlx_autodiff::{checkpoint, custom_jvp};
use rlx_ir::{Builder, CheckpointPolicy, CompareOp, DType, Dim, Graph, Op, ScanOperands, Shape, Tensor};

pub const SHAPES: [&[usize]; 3] = [&[], &[3], &[4, 3]];

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims, DType::F64)
}

/// The graph of a function.
pub fn graph(f: impl Fn(&Builder, &Tensor, &Tensor, &Tensor) -> Tensor) -> Graph {
    let b = Builder::new("program");
    let [w, c, xs] = ["w", "c", "xs"].map(|n| n.to_string());
    let (w, c, xs) =
        (b.input(w, shape(SHAPES[0])), b.input(c, shape(SHAPES[1])), b.input(xs, shape(SHAPES[2])));
    let y = f(&b, &w, &c, &xs);
    b.finish(&[&y]).unwrap()
}

fn dot(a: &Tensor, b: &Tensor) -> Tensor {
    a.matmul(b)
}

fn loss(c: &Tensor, ys: &Tensor) -> Tensor {
    dot(c, c) + dot(ys, ys)
}

fn step(w: &Tensor, c: &Tensor, x: &Tensor) -> Vec<Tensor> {
    let c = (w * c + x).tanh();
    let y = dot(&c, x);
    vec![c, y]
}

fn of_scan(results: &[Tensor]) -> Tensor {
    loss(&results[0], &results[1])
}

fn one(x: &Tensor) -> &[Tensor] {
    std::slice::from_ref(x)
}

fn scanned(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor, reverse: bool) -> Tensor {
    let over = ScanOperands { consts: one(w), carry: one(c), xs: one(xs) };
    of_scan(&b.scan(over, xs.dim(0), reverse, &|_, a| step(&a[0], &a[1], &a[2])))
}

fn scan(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    scanned(b, w, c, xs, false)
}

fn scan_reverse(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    scanned(b, w, c, xs, true)
}

fn scan_map(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    let over = ScanOperands { consts: &[w.clone(), c.clone()], carry: &[], xs: one(xs) };
    let ys = b.scan(over, 4, false, &|_, a| vec![dot(&(&a[0] * &a[2]).sin(), &a[1])]);
    dot(&ys[0], &ys[0])
}

fn scan_empty(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    scanned(b, w, &(c * w), &xs.slice_axis(0, 0, 0), false)
}

fn scan_nested(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    let over = ScanOperands { consts: one(w), carry: one(c), xs: one(xs) };
    let results = b.scan(over, 4, false, &|b, a| {
        let (c, x) = (&a[1], &a[2]);
        let over = ScanOperands { consts: &a[..1], carry: &[dot(c, x)], xs: one(x) };
        let inner = b.scan(over, 3, false, &|_, a| {
            let s = (&a[1] * &a[0] + &a[2]).sin();
            let y = &s * &a[2];
            vec![s, y]
        });
        vec![(c * &inner[0] + &inner[1]).tanh(), inner[0].clone()]
    });
    of_scan(&results)
}

fn branch(b: &Builder, w: &Tensor, c: &Tensor, _: &Tensor) -> Tensor {
    let pred = w.compare(CompareOp::Gt, &w.scalar_like(0.0));
    let on_true = |_: &Builder, a: &[Tensor]| vec![dot(&(&a[1] * &a[0]).sin(), &a[1])];
    let on_false = |_: &Builder, a: &[Tensor]| vec![a[0].exp() * dot(&a[1], &a[1])];
    &b.cond(&pred, &[w.clone(), c.clone()], &on_true, &on_false)[0] * w
}

fn element(c: &Tensor, i: usize) -> Tensor {
    c.slice_axis(0, i, i + 1).reshape(&[])
}

fn case(b: &Builder, w: &Tensor, c: &Tensor, _: &Tensor) -> Tensor {
    let index = (element(c, 0) * 2.0 + 1.5).floor().convert(DType::I32);
    let results = b.case(
        &index,
        &[w.clone(), c.clone()],
        &[&|_, a| vec![dot(&(&a[1] * &a[0]).sin(), &a[1])], &|_, a| vec![a[0].exp() * &a[0]], &|_, a| {
            vec![dot(&a[1], &a[1])]
        }],
    );
    &results[0] * w
}

fn branch_in_scan(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    let over = ScanOperands { consts: one(w), carry: one(c), xs: one(xs) };
    let results = b.scan(over, 4, false, &|b, a| {
        let pred = element(&a[2], 0).compare(CompareOp::Gt, &a[0].scalar_like(0.0));
        let on_true = |_: &Builder, a: &[Tensor]| vec![(&a[0] * &a[1] + &a[2]).tanh()];
        let on_false = |_: &Builder, a: &[Tensor]| vec![&a[1] * a[2].cos()];
        let c = b.cond(&pred, a, &on_true, &on_false).swap_remove(0);
        let y = dot(&c, &a[2]);
        vec![c, y]
    });
    of_scan(&results)
}

fn scan_in_branch(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    let pred = element(c, 0).compare(CompareOp::Gt, &w.scalar_like(0.0));
    let on_true = |b: &Builder, a: &[Tensor]| vec![scan(b, &a[0], &a[1], &a[2])];
    let on_false = |b: &Builder, a: &[Tensor]| vec![scan_map(b, &a[0], &a[1], &a[2])];
    b.cond(&pred, &[w.clone(), c.clone(), xs.clone()], &on_true, &on_false).swap_remove(0)
}

fn growing(b: &Builder, w: &Tensor, x: &Tensor) -> Tensor {
    let more = |_: &Builder, a: &[Tensor]| vec![a[1].less(&(&a[0] + 6.0))];
    let body =
        |_: &Builder, a: &[Tensor]| vec![a[0].clone(), &a[1] * 1.25 + 0.5 + (&a[0] * &a[1]).sin() * 0.1];
    b.while_loop(&[w.clone(), x.clone()], &more, &body).swap_remove(1)
}

fn looped(b: &Builder, w: &Tensor, c: &Tensor, _: &Tensor) -> Tensor {
    growing(b, w, &element(c, 0)) * w + element(c, 1)
}

fn loop_counted(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    let zero = b.int(0, DType::I32);
    let more = |b: &Builder, a: &[Tensor]| vec![a[0].less(&b.int(11, DType::I32))];
    let body = |b: &Builder, a: &[Tensor]| {
        let [i, w, c, xs] = a else { return Vec::new() };
        let row = i % &b.int(4, DType::I32);
        let zero = b.int(0, DType::I32);
        let sizes = vec![Dim::Static(1), Dim::Static(3)];
        let x = xs.apply(Op::DynamicSlice { sizes }, &[&row, &zero]).squeeze(0);
        vec![i + &b.int(1, DType::I32), w.clone(), (w * c + x).sin(), xs.clone()]
    };
    let c = b.while_loop(&[zero, w.clone(), c.clone(), xs.clone()], &more, &body).swap_remove(2);
    dot(&c, &c)
}

fn loop_in_scan(b: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    let over = ScanOperands { consts: one(w), carry: &[element(c, 0)], xs: one(xs) };
    let results = b.scan(over, 4, false, &|b, a| {
        let s = growing(b, &a[0], &(&a[1] - 0.5));
        vec![s.sin() + dot(&a[2], &a[2]), s]
    });
    &results[0] + dot(&results[1], &results[1])
}

fn deep(_: &Builder, w: &Tensor, c: &Tensor, xs: &Tensor) -> Tensor {
    let mut c = c.clone();
    for i in 0..4 {
        let x = xs.slice_axis(0, i, i + 1).squeeze(0);
        let mixed = xs.transpose_last().matmul(&xs.matmul(&c)) + x;
        c = step(w, &c, &mixed).swap_remove(0);
    }
    dot(&c, &c)
}

/// `deep` as a checkpoint.
pub fn deep_with(policy: CheckpointPolicy) -> Graph {
    checkpoint(&graph(deep), policy).unwrap()
}

/// sin(x) · y, with a derivative that is not its true one, which shows which derivative is used.
pub fn ruled() -> (Graph, Graph, Graph) {
    let args = |b: &Builder, names: &[&str]| -> Vec<Tensor> {
        names.iter().map(|n| b.input(*n, shape(&[3]))).collect()
    };
    let b = Builder::new("ruled");
    let xs = args(&b, &["x", "y"]);
    let forward = b.clone().finish(&[&(xs[0].sin() * &xs[1])]).unwrap();
    let b = Builder::new("jvp");
    let a = args(&b, &["x", "y", "z", "dx", "dy"]);
    let tangent = a[0].cos() * 2.0 * &a[1] * &a[3] + a[0].sin() * 3.0 * &a[4];
    let jvp = b.clone().finish(&[&tangent]).unwrap();
    let b = Builder::new("vjp");
    let a = args(&b, &["x", "y", "z", "ct"]);
    let (dx, dy) = (a[0].cos() * 2.0 * &a[1] * &a[3], a[0].sin() * 3.0 * &a[3]);
    let vjp = b.clone().finish(&[&dx, &dy]).unwrap();
    (forward, jvp, vjp)
}

/// The functions that call `rule`.
pub fn with_rule(name: &str, rule: &Graph) -> Graph {
    let apply = |b: &Builder, args: &[Tensor]| b.inline(rule, args).unwrap().swap_remove(0);
    match name {
        "custom_jvp" => graph(|b, w, c, _| dot(&apply(b, &[c * w, c.exp()]), c)),
        _ => graph(|b, w, c, xs| {
            let over = ScanOperands { consts: one(w), carry: one(c), xs: one(xs) };
            of_scan(&b.scan(over, 4, false, &|b, a| {
                let c = apply(b, &[&a[1] * &a[0], a[2].clone()]);
                let y = dot(&c, &a[2]);
                vec![c, y]
            }))
        }),
    }
}

/// The function of this name.
pub fn named(name: &str) -> Graph {
    match name {
        "scan" => graph(scan),
        "scan_reverse" => graph(scan_reverse),
        "scan_map" => graph(scan_map),
        "scan_empty" => graph(scan_empty),
        "scan_nested" => graph(scan_nested),
        "branch" => graph(branch),
        "case" => graph(case),
        "branch_in_scan" => graph(branch_in_scan),
        "scan_in_branch" => graph(scan_in_branch),
        "loop" => graph(looped),
        "loop_counted" => graph(loop_counted),
        "loop_in_scan" => graph(loop_in_scan),
        "deep" => graph(deep),
        "custom_jvp" | "custom_in_scan" => {
            let (forward, jvp, _) = ruled();
            with_rule(name, &custom_jvp(&forward, &jvp).unwrap())
        }
        other => panic!("no function `{other}`"),
    }
}
