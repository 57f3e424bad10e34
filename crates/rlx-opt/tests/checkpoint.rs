//! Checkpoints through the compiler: values to be recomputed are not merged with the earlier ones.

use rlx_autodiff::grad;
use rlx_compile::schedule::{peak_bytes, schedule};
use rlx_compile::simplify::simplify;
use rlx_compile::{ClaimsNone, CompileOptions, legalize};
use rlx_ir::eval::Value;
use rlx_ir::{Builder, CheckpointPolicy, DType, Graph, Literal, ReduceOp, Shape, Tensor, eval};

const LAYERS: usize = 64;

/// A chain of layers whose reverse mode stores values of each; in checkpointed blocks of 8 if a policy is given.
fn chain(policy: Option<CheckpointPolicy>) -> Graph {
    let b = Builder::new("chain");
    let w = b.input("w", Shape::new(&[256], DType::F64));
    let mut h = b.input("x", Shape::new(&[256], DType::F64));
    let block = |w: &Tensor, h: &Tensor| (0..8).fold(h.clone(), |h, _| (h * w).sin());
    for _ in 0..LAYERS / 8 {
        h = match policy {
            None => block(&w, &h),
            Some(policy) => b
                .checkpoint(policy, &[w.clone(), h.clone()], &|_, a| vec![block(&a[0], &a[1])])
                .swap_remove(0),
        };
    }
    b.finish(&[&h.reduce(ReduceOp::Sum, &[0], false)]).expect("valid")
}

/// The gradient as a backend without its own claims would run it.
fn compiled(policy: Option<CheckpointPolicy>) -> Graph {
    let gradient = grad(&chain(policy), ["w", "x"]).expect("differentiable");
    let (legal, _) = legalize(&gradient, "null", &ClaimsNone, &CompileOptions::new()).expect("legal");
    schedule(simplify(legal), &[])
}

fn peak(graph: &Graph) -> usize {
    peak_bytes(graph, &(0..graph.nodes().len()).collect::<Vec<_>>())
}

fn run(graph: &Graph) -> Vec<Literal> {
    let values = |seed: usize| {
        let numbers = (0..256).map(|i| ((i * 7 + seed) % 23) as f64 / 16.0).collect();
        Value::floats(vec![256], DType::F64, numbers).to_literal().expect("a literal")
    };
    eval(graph, &[("w", &values(1)), ("x", &values(2))]).expect("runs")
}

/// The gradient by x is bit for bit the same; that by w, which every layer uses, is summed in a different order.
fn check_same(got: &Graph, want: &Graph) {
    let (got, want) = (run(got), run(want));
    assert_eq!(got[1], want[1]);
    let numbers = |l: &Literal| Value::from_literal(l).to_f64s();
    let (got, want) = (numbers(&got[0]), numbers(&want[0]));
    let scale = want.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    let furthest = got.iter().zip(&want).fold(0.0f64, |m, (g, w)| m.max((g - w).abs()));
    assert!(furthest <= 1e-14 * scale, "{furthest} of {scale}");
}

#[test]
fn a_chain_of_checkpoints_needs_less_memory_and_gives_the_same() {
    let plain = compiled(None);
    let again = compiled(Some(CheckpointPolicy::Nothing));
    check_same(&again, &plain);
    let (before, after) = (peak(&plain), peak(&again));
    assert!(after * 2 < before, "{after} of {before} bytes");
    let sines = |g: &Graph| g.to_string().matches("sin ").count();
    assert!(sines(&again) > sines(&plain), "nothing is computed again");
}

#[test]
fn a_checkpoint_that_keeps_everything_computes_nothing_again() {
    let plain = compiled(None);
    let kept = compiled(Some(CheckpointPolicy::Everything));
    check_same(&kept, &plain);
    assert_eq!(peak(&kept), peak(&plain));
}
