//! Random graphs: the evaluator stays within the error bounds, which are finite and tight for nearly all elements.

use rlx_conformance::bound::{Freedom, Reference};
use rlx_conformance::compare::Agreement;
use rlx_conformance::random::{compare, generate};
use rlx_conformance::{Evaluator, Target, TargetError};
use rlx_ir::{
    BinaryOp, Builder, DType, Graph, Literal, Op, OpKind, ReduceOp, Shape, Tensor, UnaryOp, verify,
};
use std::collections::BTreeMap;

const SEEDS: u64 = 2000;

#[test]
fn the_evaluator_lies_inside_the_bounds_of_random_graphs() {
    let (mut judged, mut unjudged) = (0, 0);
    for seed in 0..SEEDS {
        match compare(&Evaluator, seed) {
            Ok(verdict) => {
                judged += verdict.judged;
                unjudged += verdict.unjudged;
            }
            Err(failure) => panic!("{failure}"),
        }
    }
    assert!(judged > 100 * unjudged, "{unjudged} of {judged} elements have no finite bound");
}

#[test]
fn random_graphs_are_valid_the_same_each_time_and_varied() {
    let mut kinds: BTreeMap<OpKind, usize> = BTreeMap::new();
    let mut nodes = 0;
    for seed in 0..500 {
        let random = generate(seed);
        verify(&random.graph).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(random.graph, generate(seed).graph);
        assert!(!random.graph.outputs().is_empty());
        nodes += random.graph.nodes().len();
        random.graph.nodes().iter().for_each(|n| *kinds.entry(n.op().kind()).or_default() += 1);
    }
    assert!(kinds.len() >= 45, "only {} kinds: {kinds:?}", kinds.len());
    assert!(nodes >= 500 * 10, "{nodes} nodes");
}

/// A backend with a wrong cosine. Its error is far above rounding, but too small to be obvious.
struct Wrong;

impl Target for Wrong {
    fn name(&self) -> &str {
        "wrong"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let text = graph.to_string().replace(" = cos %", " = sin %");
        let changed = Graph::parse(&text).map_err(|e| TargetError::Failed(e.to_string()))?;
        Evaluator.run(&changed, inputs)
    }
}

#[test]
fn a_wrong_function_is_seen() {
    let with_cosine = (0..SEEDS)
        .filter(|&s| generate(s).graph.to_string().contains(" = cos %"))
        .take(40)
        .collect::<Vec<_>>();
    let seen = with_cosine.iter().filter(|&&s| compare(&Wrong, s).is_err()).count();
    assert!(seen * 2 > with_cosine.len(), "{seen} of {} wrong graphs were seen", with_cosine.len());
}

/// A bound of only the first order would be too tight: each factor is a sum that cancels.
#[test]
fn products_of_rounding_errors_have_a_bound() {
    let builder = Builder::new("canceled");
    let x = builder.input("x", Shape::new(&[3], DType::F32));
    // The exact sum is 0 in each case. What remains depends on the order and on the width of the sum.
    let sum = |x: &Tensor| (x * (1.0 / 3.0)).reduce(ReduceOp::Sum, &[0], false);
    let graph = builder.finish(&[&(&sum(&x) * &sum(&x))]).expect("a valid graph");
    let bytes = [1.0f32, 1.0, -2.0].map(f32::to_le_bytes).concat();
    let values = Literal::from_bytes(&Shape::new(&[3], DType::F32), &bytes).expect("three numbers");
    let inputs = [("x", &values)];
    let reference = Reference::new(&graph, &inputs, Freedom::Contract, &|_| false).expect("a bound");
    for left in [0.0f32, 1e-8, -1e-8, 3e-8] {
        let result = Literal::scalar(left * left);
        reference.check(&[result], Agreement::AnyZeros).expect("within the rounding of a third");
    }
    assert!(reference.check(&[Literal::scalar(1e-10f32)], Agreement::AnyZeros).is_err());
}

/// Rounding moves the arguments by up to some hundreds. Within such an interval a cosine turns, a tangent and a
/// quotient have poles, and a remainder jumps.
#[test]
fn what_turns_between_the_ends_of_its_operands_bound_stays_inside() {
    let len = 4000;
    let bytes: Vec<u8> = (0..len).flat_map(|i| 10f32.powf(i as f32 / 400.0).to_le_bytes()).collect();
    let shape = Shape::new(&[len], DType::F32);
    let values = Literal::from_bytes(&shape, &bytes).expect("four thousand numbers");
    let inputs = [("x", &values)];
    // One third of x, rounded in two ways.
    let graph = |third: &dyn Fn(&Tensor) -> Tensor| {
        let builder = Builder::new("turning");
        let x = builder.input("x", shape.clone());
        let third = third(&x);
        let apart = (&third * 3.0) - &x;
        let seven = third.scalar_like(7.0).broadcast_to(&third.dims());
        let outputs = [
            third.sin(),
            third.cos(),
            third.unary(UnaryOp::Tan),
            apart.unary(UnaryOp::Digamma),
            &third / &apart,
            third.binary(BinaryOp::Rem, &seven),
        ];
        builder.finish(&outputs.iter().collect::<Vec<_>>()).expect("a valid graph")
    };
    let product = graph(&|x| x * (1.0 / 3.0));
    let reference = Reference::new(&product, &inputs, Freedom::Unrounded, &|_| false).expect("a bound");
    let evaluated = Evaluator.run(&graph(&|x| x / 3.0), &inputs).expect("the evaluator runs");
    let verdict = reference.check(&evaluated, Agreement::AnyZeros).expect("inside of the bounds");
    assert!(verdict.share() > 0.5, "{verdict:?}");
}

/// The larger of two numbers that are equal except for rounding is smaller if both are smaller. A bound that moves only
/// one of them at a time does not show this.
#[test]
fn the_larger_of_equal_numbers_may_be_less() {
    let shape = Shape::new(&[3], DType::F32);
    let numbers = |values: [f32; 3]| Literal::new(&[3], &values).expect("three numbers");
    let builder = Builder::new("equal");
    let x = builder.input("x", shape.clone());
    let third = &x * (1.0 / 3.0);
    let limited = third.apply(Op::Clamp {}, &[&third, &builder.input("most", shape)]);
    let graph = builder.finish(&[&limited]).expect("a valid graph");
    // The largest numbers that do not exceed the thirds.
    let most = [7.0f64 * f64::from(1.0f32 / 3.0); 3].map(|exact| {
        let nearest = exact as f32;
        if f64::from(nearest) > exact { nearest.next_down() } else { nearest }
    });
    let inputs = [("x", &numbers([7.0; 3])), ("most", &numbers(most))];
    let reference = Reference::new(&graph, &inputs, Freedom::Contract, &|_| false).expect("a bound");
    let below = |steps: u32| numbers(most.map(|m| f32::from_bits(m.to_bits() - steps)));
    for steps in [0, 1] {
        reference.check(&[below(steps)], Agreement::AnyZeros).expect("within the rounding of a third");
    }
    assert!(reference.check(&[below(9)], Agreement::AnyZeros).is_err());
}

/// Matrix units have no subnormal numbers; products with few terms never run on them.
#[test]
fn only_long_products_may_lose_subnormal_numbers() {
    for (terms, may) in [(31, false), (32, true)] {
        let builder = Builder::new("tiny");
        let shape = Shape::new(&[1, terms], DType::F32);
        let x = builder.input("x", shape);
        let graph = builder.finish(&[&x.matmul(&x.transpose(&[1, 0]))]).expect("a valid graph");
        let values = Literal::new(&[1, terms], &vec![1e-20f32; terms]).expect("numbers");
        let reference =
            Reference::new(&graph, &[("x", &values)], Freedom::Contract, &|_| false).expect("a bound");
        let zero = Literal::new(&[1, 1], &[0.0f32]).expect("a number");
        assert_eq!(reference.check(&[zero], Agreement::AnyZeros).is_ok(), may, "{terms} terms");
        let larger = Literal::new(&[1, 1], &[1e-36f32]).expect("a number");
        assert!(reference.check(&[larger], Agreement::AnyZeros).is_err(), "{terms} terms");
    }
}
