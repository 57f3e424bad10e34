//! Control flow at its edges: loops of zero and of many steps, branches that are not taken, the program's own ops and rules, and
//! error messages.

use rlx_autodiff::{
    Error, Options, VmapAxes, WhileMemory, custom_vjp, grad, grad_with, jvp, value_and_grad_with, vjp, vmap,
};
use rlx_ir::{
    Builder, CustomOp, DType, Dim, Graph, Literal, Op, OpError, ScanOperands, Shape, SubGraph, Tensor,
    UnaryOp, eval, register_custom,
};
use std::sync::Arc;

fn scalar() -> Shape {
    Shape::scalar(DType::F64)
}

fn of_one(f: impl Fn(&Builder, &Tensor) -> Tensor) -> Graph {
    let b = Builder::new("program");
    let x = b.input("x", scalar());
    let y = f(&b, &x);
    b.finish(&[&y]).unwrap()
}

fn run(graph: &Graph, inputs: &[&[f64]]) -> Vec<f64> {
    let literal = |(node, values): (&rlx_ir::Node, &&[f64])| {
        let dims = node.shape().static_dims().unwrap();
        rlx_ir::eval::Value::floats(dims, DType::F64, values.to_vec()).to_literal().unwrap()
    };
    let literals: Vec<Literal> = graph.inputs().zip(inputs).map(literal).collect();
    let name = |node: &rlx_ir::Node| match node.op() {
        Op::Input { name } => name.clone(),
        other => panic!("{other:?}"),
    };
    let names: Vec<String> = graph.inputs().map(name).collect();
    let pairs: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&literals).collect();
    let results = eval(graph, &pairs).unwrap_or_else(|e| panic!("{e}\n{graph}"));
    results.iter().flat_map(|l| rlx_ir::eval::Value::from_literal(l).to_f64s()).collect()
}

#[track_caller]
fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{got:?} {want:?}");
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= 1e-9 * w.abs().max(1.0), "{got:?}, not {want:?}");
    }
}

/// Multiplies x by the factor until it is below 1.
fn shrinking(factor: f64) -> Graph {
    of_one(|b, x| {
        let more = |_: &Builder, a: &[Tensor]| vec![a[0].scalar_like(1.0).less(&a[0])];
        let body = |_: &Builder, a: &[Tensor]| vec![&a[0] * factor];
        b.while_loop(std::slice::from_ref(x), &more, &body).swap_remove(0)
    })
}

#[test]
fn loops_of_no_steps_and_of_many() {
    let graph = shrinking(0.99);
    for memory in [WhileMemory::Checkpoints(0), WhileMemory::Checkpoints(6), WhileMemory::Bounded(1000)] {
        let gradient = grad_with(&graph, ["x"], &Options::new().while_memory(memory)).unwrap();
        for x in [0.5f64, 1.5, 20.0, 9000.0] {
            let steps = (1.0 / x).log(0.99).ceil().max(0.0);
            close(&run(&gradient, &[&[x]]), &[0.99f64.powf(steps)]);
        }
    }
}

#[test]
fn memory_does_not_depend_on_the_number_of_steps() {
    let options = Options::new().while_memory(WhileMemory::Checkpoints(6));
    let gradient = grad_with(&shrinking(0.99), ["x"], &options).unwrap();
    gradient.for_each_dim(&mut |dim| assert!(dim.as_static().is_some_and(|n| n <= 7), "{dim}"));
}

#[test]
fn a_bound_that_is_too_small_gives_no_number() {
    let options = Options::new().while_memory(WhileMemory::Bounded(3));
    let both = value_and_grad_with(&shrinking(0.5), ["x"], &options).unwrap();
    close(&run(&both, &[&[6.0]]), &[0.75, 0.125]);
    assert!(run(&both, &[&[100.0]]).iter().all(|x| x.is_nan()));
}

#[test]
fn a_condition_that_is_the_same_for_all_stays_a_scalar() {
    let graph = of_one(|b, x| {
        let more = |b: &Builder, a: &[Tensor]| vec![a[0].less(&b.int(5, DType::I32))];
        let body = |b: &Builder, a: &[Tensor]| vec![&a[0] + &b.int(1, DType::I32), a[1].sin()];
        b.while_loop(&[b.int(0, DType::I32), x.clone()], &more, &body).swap_remove(1)
    });
    let mapped = vmap(&graph, &VmapAxes::new().size(3)).unwrap();
    assert!(!mapped.to_string().contains("select"), "{mapped}");
    let xs = [0.5, 1.0, -2.0];
    let sines = xs.map(|x: f64| (0..5).fold(x, |x, _| x.sin()));
    close(&run(&mapped, &[&xs]), &sines);
}

#[test]
fn a_branch_that_is_not_taken_leaves_no_trace() {
    let graph = of_one(|b, x| {
        let positive = x.scalar_like(0.0).less(x);
        let root = |_: &Builder, a: &[Tensor]| vec![a[0].log()];
        let zero = |_: &Builder, a: &[Tensor]| vec![&a[0] * 2.0];
        b.cond(&positive, std::slice::from_ref(x), &root, &zero).swap_remove(0)
    });
    let axes = VmapAxes::new().size(3);
    let xs = [4.0, -1.0, 0.0];
    close(&run(&vmap(&graph, &axes).unwrap(), &[&xs]), &[4f64.ln(), -2.0, 0.0]);
    let gradients = vmap(&grad(&graph, ["x"]).unwrap(), &axes).unwrap();
    close(&run(&gradients, &[&xs]), &[0.25, 2.0, 2.0]);
}

/// x³ with rules for its derivative and its batch, or without either.
struct Cube {
    rules: bool,
}

impl CustomOp for Cube {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands.to_vec())
    }

    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        let x = rlx_ir::eval::Value::from_literal(&operands[0]);
        let cubes = x.to_f64s().iter().map(|x| x * x * x).collect();
        let made = rlx_ir::eval::Value::floats(x.dims().to_vec(), DType::F64, cubes).to_literal();
        Ok(vec![made.map_err(|e| OpError::Eval(e.to_string()))?])
    }

    fn jvp(&self, _: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        self.rules.then(|| {
            let b = Builder::new("jvp");
            let [x, _, t] = ["x", "y", "t"].map(|n| b.input(n, operands[0].clone()));
            let tangent = t * (&x * &x * 3.0);
            b.finish(&[&tangent]).map_err(|e| OpError::Eval(e.to_string()))
        })
    }

    fn batch(&self, _: &str, operands: &[Shape], _: &[bool], size: &Dim) -> Option<Result<Graph, OpError>> {
        self.rules.then(|| {
            let b = Builder::new("batch");
            let dims = [std::slice::from_ref(size), operands[0].dims()].concat();
            let x = b.input("x", operands[0].with_dims(dims));
            let y = cube(&b, "cube", &x);
            b.finish(&[&y]).map_err(|e| OpError::Eval(e.to_string()))
        })
    }
}

fn cube(b: &Builder, name: &str, x: &Tensor) -> Tensor {
    b.apply(Op::Custom { name: name.into(), config: String::new(), results: vec![x.shape()] }, &[x])
}

#[test]
fn ops_of_the_program_bring_their_rules() {
    register_custom("cube", Arc::new(Cube { rules: true })).unwrap();
    let graph = of_one(|b, x| cube(b, "cube", &(x * 2.0)));
    let gradient = grad(&graph, ["x"]).unwrap();
    close(&run(&gradient, &[&[3.0]]), &[216.0]);
    close(&run(&jvp(&graph, ["x"]).unwrap(), &[&[3.0], &[0.5]]), &[216.0, 108.0]);
    close(&run(&grad(&gradient, ["x"]).unwrap(), &[&[3.0]]), &[144.0]);
    let axes = VmapAxes::new().size(2);
    close(&run(&vmap(&graph, &axes).unwrap(), &[&[1.0, 3.0]]), &[8.0, 216.0]);
    close(&run(&vmap(&gradient, &axes).unwrap(), &[&[1.0, 3.0]]), &[24.0, 216.0]);
}

#[test]
fn an_op_without_rules_is_named_with_its_path() {
    register_custom("bare", Arc::new(Cube { rules: false })).unwrap();
    let graph = of_one(|b, x| {
        let over = ScanOperands { consts: &[], carry: std::slice::from_ref(x), xs: &[] };
        b.scan(over, 3, false, &|b, a| vec![b.scoped("layer", || cube(b, "bare", &a[0]))]).swap_remove(0)
    });
    for error in [grad(&graph, ["x"]).unwrap_err(), vmap(&graph, &VmapAxes::new().size(2)).unwrap_err()] {
        let Error::NoRule { op, path, why, .. } = &error else { panic!("{error}") };
        assert_eq!((op.as_str(), path.as_str()), ("custom", "scan/layer"), "{error}");
        assert!(why.contains("`bare`"), "{error}");
    }
}

#[test]
fn a_rule_that_clips_gradients() {
    let forward = of_one(|_, x| x * 3.0);
    let b = Builder::new("vjp");
    let [_, _, ct] = ["x", "y", "ct"].map(|n| b.input(n, scalar()));
    let clipped = ct.minimum(&ct.scalar_like(1.0));
    let vjp = b.finish(&[&clipped]).unwrap();
    let rule = custom_vjp(&forward, &vjp).unwrap();
    let graph = of_one(|b, x| b.inline(&rule, std::slice::from_ref(x)).unwrap().swap_remove(0) * 5.0);
    close(&run(&grad(&graph, ["x"]).unwrap(), &[&[2.0]]), &[1.0]);
}

#[test]
fn integers_among_the_arguments_have_no_derivatives() {
    let (x, n) = (scalar(), Shape::scalar(DType::I32));
    let b = Builder::new("forward");
    let y = b.input("x", x.clone()) * b.input("n", n.clone()).convert(DType::F64);
    let forward = b.finish(&[&y]).unwrap();
    let b = Builder::new("jvp");
    b.input("x", x.clone());
    let factor = b.input("n", n).convert(DType::F64);
    b.input("y", x.clone());
    let tangent = b.input("dx", x) * factor * 10.0;
    let jvp_rule = b.finish(&[&tangent]).unwrap();
    let graph = of_one(|b, x| {
        b.custom_fn(&[x.clone(), b.int(4, DType::I32)], &forward, Some(&jvp_rule), None).swap_remove(0)
    });
    close(&run(&grad(&graph, ["x"]).unwrap(), &[&[2.0]]), &[40.0]);
    close(&run(&jvp(&graph, ["x"]).unwrap(), &[&[2.0], &[1.0]]), &[8.0, 40.0]);
}

#[test]
fn a_linear_call_runs_the_transpose_that_it_brings() {
    let b = Builder::new("forward");
    let y = b.input("k", scalar()) * b.input("x", scalar());
    let forward = b.finish(&[&y]).unwrap();
    let b = Builder::new("transpose");
    let back = b.input("k", scalar()) * b.input("ct", scalar()) * 100.0;
    let transpose = b.finish(&[&back]).unwrap();
    let op =
        Op::LinearCall { forward: SubGraph::new(forward), transpose: SubGraph::new(transpose), known: 1 };
    let graph = of_one(|b, x| b.apply(op.clone(), &[&x.sin(), x]));
    let x = 0.7f64;
    // The known operand goes through the function, the linear one through the transpose.
    close(&run(&grad(&graph, ["x"]).unwrap(), &[&[x]]), &[x.cos() * x + 100.0 * x.sin()]);
    close(&run(&jvp(&graph, ["x"]).unwrap(), &[&[x], &[1.0]]), &[x.sin() * x, x.cos() * x + x.sin()]);
    let mapped = vmap(&grad(&graph, ["x"]).unwrap(), &VmapAxes::new().size(2)).unwrap();
    let want = [0.7f64, -0.2].map(|x| x.cos() * x + 100.0 * x.sin());
    close(&run(&mapped, &[&[0.7, -0.2]]), &want);
}

#[test]
fn a_call_stays_a_call() {
    let body = of_one(|_, x| x.sin());
    let graph = of_one(|b, x| b.call(&body, std::slice::from_ref(x)).swap_remove(0));
    for transformed in [grad(&graph, ["x"]), jvp(&graph, ["x"]), vmap(&graph, &VmapAxes::new().size(2))] {
        let transformed = transformed.unwrap().to_string();
        assert!(transformed.contains("call"), "{transformed}");
    }
    close(&run(&grad(&graph, ["x"]).unwrap(), &[&[0.3]]), &[0.3f64.cos()]);
}

/// Two branches of x and a factor that all rows share: factor · log x above 0, 2x elsewhere.
fn guarded_log() -> Graph {
    let b = Builder::new("program");
    let (x, factor) = (b.input("x", scalar()), b.input("factor", scalar()));
    let positive = x.greater(&x.scalar_like(0.0));
    let log = |_: &Builder, xs: &[Tensor]| vec![&xs[1] * xs[0].log()];
    let twice = |_: &Builder, xs: &[Tensor]| vec![&xs[0] * 2.0];
    let y = b.cond(&positive, &[x, factor], &log, &twice).swap_remove(0);
    b.finish(&[&y]).unwrap()
}

/// The results of JAX for the same (0.10, `jax.vjp(jax.vmap(f, (0, None)), …)` and its `jax.jvp`): at 0 and −1 the logarithm or
/// its slope is not finite, and no derivative comes from there.
#[test]
fn a_branch_not_taken_gives_no_derivative() {
    let mapped = vmap(&guarded_log(), &VmapAxes::new().in_axis("factor", None).size(3)).unwrap();
    let (x, factor, ones) = (&[4.0, 0.0, -1.0][..], &[3.0][..], &[1.0; 3][..]);
    let back = vjp(&mapped, ["x", "factor"]).unwrap();
    let log = 4f64.ln();
    close(&run(&back, &[x, factor, ones]), &[3.0 * log, 0.0, -2.0, 0.75, 2.0, 2.0, log]);
    let forth = jvp(&mapped, ["x"]).unwrap();
    close(&run(&forth, &[x, factor, ones]), &[3.0 * log, 0.0, -2.0, 0.75, 2.0, 2.0]);
    // −factor / x² with respect to x, and 1 / x with respect to the factor.
    let second = jvp(&back, ["x"]).unwrap();
    close(&run(&second, &[x, factor, ones, ones])[7..], &[0.75, 2.0, 2.0, -0.1875, 0.0, 0.0, 0.25]);
    let twice = vmap(&mapped, &VmapAxes::new().in_axis("factor", None).size(1)).unwrap();
    let back = vjp(&twice, ["x", "factor"]).unwrap();
    close(&run(&back, &[x, factor, ones])[3..], &[0.75, 2.0, 2.0, log]);
}

/// √(factor x − 1), n times: rows that end sooner still run, on values that the loop was not meant for.
#[test]
fn steps_after_the_end_of_a_row_give_no_derivative() {
    let b = Builder::new("program");
    let (x, n, factor) =
        (b.input("x", scalar()), b.input("n", Shape::scalar(DType::I32)), b.input("factor", scalar()));
    let init = [b.int(0, DType::I32), x, n, factor];
    let more = |_: &Builder, xs: &[Tensor]| vec![xs[0].less(&xs[2])];
    let step = |b: &Builder, xs: &[Tensor]| {
        let next = (&xs[1] * &xs[3] - 1.0).unary(UnaryOp::Sqrt);
        vec![&xs[0] + &b.int(1, DType::I32), next, xs[2].clone(), xs[3].clone()]
    };
    let y = b.while_loop(&init, &more, &step).swap_remove(1);
    let graph = b.finish(&[&y]).unwrap();
    let mapped = vmap(&graph, &VmapAxes::new().in_axis("factor", None).size(3)).unwrap();
    for memory in [WhileMemory::Bounded(4), WhileMemory::Checkpoints(4)] {
        let options = Options::new().while_memory(memory);
        let back = rlx_autodiff::vjp_with(&mapped, ["x", "factor"], &options).unwrap();
        let n = Literal::new(&[3], &[1i32, 0, 2]).unwrap();
        let given = |values: &[f64]| Literal::new(&[values.len()], values).unwrap();
        let factor = Literal::scalar(1.0);
        let (x, ones) = (given(&[2.0, 1.0, 5.0]), given(&[1.0; 3]));
        let inputs = [("x", &x), ("n", &n), ("factor", &factor), ("out0.cotangent", &ones)];
        let out = eval(&back, &inputs).unwrap();
        // With respect to x: 1/2, 1, and 1/8 for √(√(x − 1) − 1) at 5. With respect to the factor: x/2, 0, and (√(x − 1) + x / (2
        // √(x − 1))) / 2.
        close(out[1].as_slice::<f64>().unwrap(), &[0.5, 1.0, 0.125]);
        close(out[2].as_slice::<f64>().unwrap(), &[1.0 + (2.0 + 5.0 / 4.0) / 2.0]);
    }
}

/// Three times its operand. The op is linear, so each rule that it provides is the op itself, under this name.
struct Triple {
    name: &'static str,
    jvp: bool,
    vjp: bool,
}

impl Triple {
    fn op(&self, config: String, shape: Shape) -> Op {
        Op::Custom { name: self.name.into(), config, results: vec![shape] }
    }

    fn rule(&self, config: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        let b = Builder::new("rule");
        let [_, _, t] = ["x", "y", "t"].map(|n| b.input(n, operands[0].clone()));
        // A configuration that grows, so that it never names an op seen before.
        let config = if config.is_empty() { String::new() } else { format!("{config}+") };
        let through = b.apply(self.op(config, operands[0].clone()), &[&t]);
        Some(b.finish(&[&through]).map_err(|e| OpError::Eval(e.to_string())))
    }
}

impl CustomOp for Triple {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands.to_vec())
    }

    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        let x = rlx_ir::eval::Value::from_literal(&operands[0]);
        let tripled = x.to_f64s().iter().map(|x| 3.0 * x).collect();
        let made = rlx_ir::eval::Value::floats(x.dims().to_vec(), DType::F64, tripled).to_literal();
        Ok(vec![made.map_err(|e| OpError::Eval(e.to_string()))?])
    }

    fn jvp(&self, config: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        self.jvp.then(|| self.rule(config, operands)).flatten()
    }

    fn vjp(&self, config: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        self.vjp.then(|| self.rule(config, operands)).flatten()
    }
}

/// Rules may use their own op (those of products do). It is an error only if deriving a rule would need that same rule again.
#[test]
fn rules_may_use_their_own_op() {
    for (name, with_jvp, with_vjp) in
        [("triple_jvp", true, false), ("triple_vjp", false, true), ("triple_both", true, true)]
    {
        register_custom(name, Arc::new(Triple { name, jvp: with_jvp, vjp: with_vjp })).unwrap();
        for config in ["", "grows"] {
            let op = Triple { name, jvp: false, vjp: false }.op(config.into(), scalar());
            let graph = of_one(|b, x| b.apply(op.clone(), &[&(x * 2.0)]));
            let says = |error: Error| {
                let text = error.to_string();
                assert!(text.contains(name) && text.contains("implement both"), "{text}");
            };
            match grad(&graph, ["x"]) {
                Ok(gradient) => close(&run(&gradient, &[&[5.0]]), &[6.0]),
                Err(error) if !with_vjp => says(error),
                other => panic!("{name}, {config}: {other:?}"),
            }
            match jvp(&graph, ["x"]) {
                Ok(tangent) => assert_eq!(run(&tangent, &[&[5.0], &[1.0]]).last(), Some(&6.0)),
                Err(error) if !with_jvp => says(error),
                other => panic!("{name}, {config}: {other:?}"),
            }
        }
    }
}
