//! The spine of the IR: build, verify, print, parse, evaluate.

use rlx_ir::{
    Activation, AttentionOptions, BinaryOp, Builder, DType, Dim, Graph, Literal, MAX_NESTING, Op, ReduceOp,
    Shape, eval, eval_within, verify,
};

fn mlp() -> Graph {
    let b = Builder::new("mlp");
    let x = b.input("x", Shape::from_dims(&["batch".into(), 4.into()], DType::F32));
    let w = b.param("w", Shape::new(&[4, 2], DType::F32));
    let bias = b.param("b", Shape::new(&[2], DType::F32));
    let y = b.scoped("head", || (x.matmul(&w) + &bias).gelu().softmax(1));
    b.finish(&[&y]).expect("a valid graph")
}

#[test]
fn expressions_become_graphs_with_inferred_shapes() {
    let graph = mlp();
    assert_eq!(graph.output_shapes(), [Shape::from_dims(&["batch".into(), 2.into()], DType::F32)]);
    assert!(graph.nodes().iter().filter(|n| n.label() == "head").count() >= 4);
}

#[test]
fn the_evaluator_keeps_within_its_memory() {
    let b = Builder::new("sums");
    let x = b.input("x", Shape::new(&[], DType::F32));
    let large = x.broadcast_to(&[Dim::Static(1000), Dim::Static(1000)]);
    let twice = &large + &large;
    let graph = b.finish(&[&twice.reduce(ReduceOp::Sum, &[0, 1], false)]).unwrap();
    let x = Literal::new(&[], &[0.5f32]).unwrap();
    let within = |bytes: u64| eval_within(&graph, &[("x", &x)], bytes);
    assert_eq!(within(60_000_000).unwrap()[0].as_slice::<f32>().unwrap(), [1e6]);
    let error = within(30_000_000).unwrap_err().to_string();
    assert!(error.contains("not enough memory for its result f32[1000,1000]"), "{error}");
    // Memory that is no longer needed is freed: ten more steps take no more than one.
    let b = Builder::new("chain");
    let x = b.input("x", Shape::new(&[1000, 1000], DType::F32));
    let last = (0..10).fold(x, |x, _| x.exp());
    let graph = b.finish(&[&last]).unwrap();
    let x = Literal::new(&[1000, 1000], &vec![0f32; 1_000_000]).unwrap();
    assert!(eval_within(&graph, &[("x", &x)], 60_000_000).is_ok());
}

#[test]
fn the_text_form_reads_back_equal() {
    let graph = mlp();
    let text = graph.to_string();
    assert_eq!(Graph::parse(&text).expect("parses"), graph, "{text}");
}

#[test]
fn the_evaluator_runs_composites_with_symbolic_dims() {
    let graph = mlp();
    let x = Literal::new(&[1, 4], &[1.0f32, 2.0, 3.0, 4.0]).expect("fits");
    let w = Literal::new(&[4, 2], &[0.5f32, -1.0, 0.25, 0.0, 0.125, 1.0, 0.0, 0.5]).expect("fits");
    let b = Literal::new(&[2], &[0.0f32, -4.0]).expect("fits");
    let out = eval(&graph, &[("x", &x), ("w", &w), ("b", &b)]).expect("runs");
    // x·w + b = (1.375, 0); gelu gives (1.258752, 0), and softmax of that is (0.778806, 0.221194) (SciPy).
    let got = out[0].as_slice::<f32>().expect("f32");
    assert!((got[0] - 0.778_806).abs() < 1e-5 && (got[0] + got[1] - 1.0).abs() < 1e-6, "{got:?}");
}

#[test]
fn the_verifier_lists_every_violation_with_paths() {
    let mut g = Graph::new("bad");
    let x = g.input("x", Shape::new(&[2, 3], DType::F32));
    let y = g.input("x", Shape::new(&[4, 5], DType::F32));
    g.set_label("layer.0");
    let z = g.matmul(x, y, Shape::new(&[2, 5], DType::F32));
    let s = g.binary(BinaryOp::And, z, z, Shape::new(&[2, 5], DType::F32));
    let t = g.activation(Activation::Gelu, s, Shape::new(&[9], DType::F32));
    g.set_outputs(vec![t]);
    let violations = verify(&g).expect_err("invalid");
    let text = violations.to_string();
    assert_eq!(violations.list().len(), 4, "{text}");
    assert!(text.contains("`matmul` at layer.0 on (f32[2,3], f32[4,5])"), "{text}");
}

#[test]
fn front_end_errors_are_collected_and_reported_once_each() {
    let b = Builder::new("bad");
    let x = b.input("x", Shape::new(&[2, 3], DType::F32));
    let y = b.input("y", Shape::new(&[4, 5], DType::F32));
    let void = x.matmul(&y).gelu() + 1.0;
    let other = x.softmax(7);
    let violations = b.finish(&[&void, &other]).expect_err("invalid");
    assert_eq!(violations.list().len(), 2, "{violations}");
}

#[test]
fn reshape_keeps_symbolic_products() {
    let b = Builder::new("heads");
    let dims: Vec<Dim> = vec!["batch".into(), "seq".into(), 384.into()];
    let x = b.input("x", Shape::from_dims(&dims, DType::F32));
    let y = x.reshape(&["batch".into(), "seq".into(), 12.into(), 32.into()]);
    let bad = x.apply(Op::Reshape { dims: vec![Dim::Static(5)] }, &[]);
    assert_eq!(y.rank(), 4);
    assert!(bad.id().is_some(), "a symbolic product may be 5; binding decides");
}

/// A graph with branches inside branches.
fn nested(levels: usize) -> Graph {
    let scalar = Shape::scalar(DType::F32);
    let mut graph = Graph::new("leaf");
    let x = graph.input("x", scalar.clone());
    graph.set_outputs(vec![x]);
    for _ in 0..levels {
        let mut outer = Graph::new("level");
        let x = outer.input("x", scalar.clone());
        let yes = outer.constant(Literal::from_bools(&[], &[true]).expect("fits"));
        let body = graph.into();
        let op = Op::If { then_branch: rlx_ir::SubGraph::clone(&body), else_branch: body };
        let y = outer.add_node(op, vec![yes, x], scalar.clone());
        outer.set_outputs(vec![y]);
        graph = outer;
    }
    graph
}

#[test]
fn nesting_has_a_limit_that_names_the_graph() {
    let graph = nested(3);
    verify(&graph).expect("valid");
    assert_eq!(Graph::parse(&graph.to_string()).expect("parses"), graph);
    // Far deeper than a stack would allow.
    let violations = verify(&nested(200_000)).expect_err("too deep").to_string();
    assert!(
        violations.contains(&format!("\"level\" nests deeper than {MAX_NESTING} levels")),
        "{violations}"
    );
}

#[test]
fn sizes_that_overflow_inside_a_composite_are_refused() {
    let b = Builder::new("huge");
    // Each operand can be addressed, but their scores cannot.
    let q = b.input("q", Shape::new(&[1, 1 << 40, 1], DType::F32));
    let mut graph = b.finish(&[&q]).expect("valid");
    let attention = AttentionOptions { num_heads: Some(1), ..AttentionOptions::default() }.op();
    let error = graph.try_add(attention, vec![graph.outputs()[0]; 3]).expect_err("too large").to_string();
    assert!(error.contains("overflows"), "{error}");
}

#[test]
fn errors_name_the_line_that_made_the_node() {
    let b = Builder::new("lines");
    let x = b.input("x", Shape::new(&[3], DType::F32));
    let y = b.input("y", Shape::new(&[4], DType::F32));
    let (sum, line) = (&x + &y, line!());
    let (product, next) = (x.matmul(&y).relu(), line!());
    let violations = b.finish(&[&sum, &product]).expect_err("shapes that do not fit");
    let places: Vec<_> =
        violations.list().iter().map(|v| v.location.map(|at| (at.file(), at.line()))).collect();
    assert_eq!(places, [Some((file!(), line)), Some((file!(), next))]);
    assert!(violations.to_string().contains(&format!("{}:{line}:", file!())), "{violations}");
}

#[test]
fn an_operand_of_another_builder_is_named_with_the_cure() {
    let (outer, inner) = (Builder::new("outer"), Builder::new("inner"));
    let w = outer.param("w", Shape::new(&[2], DType::F32));
    let x = inner.input("x", Shape::new(&[2], DType::F32));
    let text = inner.finish(&[&(&x * &w)]).expect_err("two builders").to_string();
    for says in ["operand 1 (\"w\", f32[2])", "graph \"outer\"", "builds \"inner\"", "one more operand"] {
        assert!(text.contains(says), "{text}\nneeds {says}");
    }
}

#[test]
fn shared_graphs_inside_have_a_limit_of_nodes() {
    // Both branches are the same graph: small in memory, but practically infinite for passes that visit each use.
    verify(&nested(12)).expect("valid");
    let violations = verify(&nested(30)).expect_err("too many").to_string();
    assert!(violations.contains("\"level\" has more than 67108864 nodes"), "{violations}");
}
