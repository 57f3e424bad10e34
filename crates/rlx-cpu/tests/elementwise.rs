//! Compares elementwise kernels with the evaluator: every function on every element type, odd sizes, edge cases, broadcasts, and fused
//! programs.

mod harness;

use harness::{SplitMix64, Tolerance, check, ordinary, wild};
use rlx_ir::{
    Activation, BinaryOp, Builder, CompareOp, DType, DTypeSet, Dim, Graph, Literal, Named, Op, Shape, Tensor,
    UnaryOp,
};

const SIZES: [&[usize]; 4] = [&[], &[0], &[37], &[3, 700]];

fn graph_of(op: Op, operands: &[Shape]) -> Graph {
    let mut graph = Graph::new("op");
    let inputs =
        operands.iter().enumerate().map(|(i, s)| graph.input(["a", "b", "c"][i], s.clone())).collect();
    let node = graph.try_add(op, inputs).unwrap();
    graph.set_outputs(vec![node]);
    graph
}

fn check_op(op: &Op, dtypes: &[DType], tolerance: Tolerance, random: &mut SplitMix64) {
    check_sizes(op, dtypes, &SIZES, tolerance, random);
}

fn check_sizes(op: &Op, dtypes: &[DType], sizes: &[&[usize]], tolerance: Tolerance, random: &mut SplitMix64) {
    for dims in sizes {
        let shapes: Vec<Shape> = dtypes.iter().map(|&d| Shape::new(dims, d)).collect();
        let values: Vec<Literal> = dtypes.iter().map(|&d| wild(dims, d, random)).collect();
        let named: Vec<(&str, &Literal)> = ["a", "b", "c"].into_iter().zip(&values).collect();
        check(&graph_of(op.clone(), &shapes), &named, tolerance);
    }
}

/// Maximum difference between vector functions of f32 and the evaluator.
const SINGLE: Tolerance = Tolerance::Ulps(4);

#[test]
fn unary_functions_of_every_type() {
    let mut random = SplitMix64::new(1);
    for &op in UnaryOp::VARIANTS {
        for dtype in op.accepts().iter() {
            let tolerance = match dtype {
                DType::F32 => SINGLE,
                // These are the system's functions; the evaluator's are from the crate `libm`.
                DType::F64 => Tolerance::Ulps(4),
                _ => Tolerance::Exact,
            };
            check_op(&Op::Unary { op }, &[dtype], tolerance, &mut random);
        }
    }
}

#[test]
fn binary_functions_of_every_type() {
    let mut random = SplitMix64::new(2);
    for &op in BinaryOp::VARIANTS {
        for dtype in op.accepts().iter() {
            // Series take long on arbitrary operands.
            let slow =
                matches!(op, BinaryOp::Polygamma | BinaryOp::Zeta | BinaryOp::Igamma | BinaryOp::Igammac);
            let sizes = if slow { &SIZES[..3] } else { &SIZES[..] };
            check_sizes(&Op::Binary { op }, &[dtype; 2], sizes, Tolerance::Exact, &mut random);
        }
    }
}

#[test]
fn comparisons_of_every_type() {
    let mut random = SplitMix64::new(3);
    for &op in CompareOp::VARIANTS {
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        for dtype in DType::ALL {
            if equality || !dtype.is_complex() {
                let op = Op::Compare { op, total_order: false };
                check_op(&op, &[dtype; 2], Tolerance::Exact, &mut random);
            }
            if !dtype.is_complex() {
                let op = Op::Compare { op, total_order: true };
                check_op(&op, &[dtype; 2], Tolerance::Exact, &mut random);
            }
        }
    }
}

#[test]
fn select_clamp_and_betainc() {
    let mut random = SplitMix64::new(4);
    for dtype in DType::ALL {
        check_op(&Op::Select {}, &[DType::Bool, dtype, dtype], Tolerance::Exact, &mut random);
        if !dtype.is_complex() {
            check_op(&Op::Clamp {}, &[dtype; 3], Tolerance::Exact, &mut random);
        }
    }
    for dtype in DTypeSet::FLOAT.iter() {
        check_sizes(&Op::Betainc {}, &[dtype; 3], &SIZES[..3], Tolerance::Exact, &mut random);
        for (exponent_bits, mantissa_bits) in [(5, 10), (8, 7), (2, 1), (4, 3), (11, 52)] {
            let op = Op::ReducePrecision { exponent_bits, mantissa_bits };
            check_op(&op, &[dtype], Tolerance::Exact, &mut random);
        }
    }
}

#[test]
fn conversions_between_all_types() {
    let mut random = SplitMix64::new(5);
    for from in DType::ALL {
        for to in DType::ALL {
            check_op(&Op::Convert { dtype: to }, &[from], Tolerance::Exact, &mut random);
        }
    }
}

#[test]
fn bytes_read_as_another_type() {
    let mut random = SplitMix64::new(6);
    for (from, to, dims) in [
        (DType::F32, DType::I32, vec![5, 7]),
        (DType::I64, DType::F64, vec![1000]),
        (DType::U8, DType::F32, vec![9, 4]),
        (DType::C64, DType::U16, vec![3]),
        (DType::I16, DType::BF16, vec![0]),
    ] {
        // The evaluator has only one NaN, so there must be none.
        let values = ordinary(&dims, from, &mut random);
        check(
            &graph_of(Op::BitcastConvert { dtype: to }, &[Shape::new(&dims, from)]),
            &[("a", &values)],
            Tolerance::Exact,
        );
    }
}

#[test]
fn activations() {
    let mut random = SplitMix64::new(7);
    for &kind in Activation::VARIANTS {
        for dtype in DType::ALL {
            let dims = [5, 300];
            let op = Op::Activation { kind };
            if op.infer(&[Shape::new(&dims, dtype)]).is_err() {
                continue;
            }
            let tolerance = match dtype {
                // For |x| < 4 the functions are accurate to 2⁻²² |x|. The decomposition that the evaluator runs rounds after each of its
                // steps, which is about 2⁻²³ |x| more.
                DType::F32 => Tolerance::Close { absolute: 1.5e-6, relative: 1e-6 },
                // Functions that differ by up to four units in the last place, in a few steps.
                DType::F64 => Tolerance::Close { absolute: 4e-15, relative: 4e-15 },
                _ => Tolerance::Exact,
            };
            let values = ordinary(&dims, dtype, &mut random);
            check(&graph_of(op, &[Shape::new(&dims, dtype)]), &[("a", &values)], tolerance);
        }
    }
}

/// Returns sums of `x` with operands that are broadcast in every way, over index spaces that merge differently.
fn broadcast_graph(dtype: DType, dims: &[usize], parts: &[(&[usize], &[usize])]) -> (Graph, Vec<Shape>) {
    let builder = Builder::new("broadcasts");
    let x = builder.input("x", Shape::new(dims, dtype));
    let full: Vec<Dim> = dims.iter().map(|&d| Dim::Static(d)).collect();
    let mut shapes = vec![Shape::new(dims, dtype)];
    let mut total = x.clone();
    for (i, (own, axes)) in parts.iter().enumerate() {
        let shape = Shape::new(own, dtype);
        let part = builder.input(format!("p{i}"), shape.clone()).broadcast_in_dim(&full, axes);
        total = if i % 2 == 0 { &total * &part } else { &total - &part };
        shapes.push(shape);
    }
    (builder.finish(&[&total]).unwrap(), shapes)
}

#[test]
fn fused_programs_read_operands_repeated_and_permuted() {
    type Part = (&'static [usize], &'static [usize]);
    let cases: [(&[usize], &[Part]); 7] = [
        (&[3, 5], &[(&[5], &[1]), (&[3], &[0]), (&[], &[]), (&[5, 3], &[1, 0])]),
        (&[7, 300], &[(&[300], &[1]), (&[7, 1], &[0, 1]), (&[1, 300], &[0, 1]), (&[300, 7], &[1, 0])]),
        (
            &[2, 3, 4, 5],
            &[(&[3, 5], &[1, 3]), (&[4], &[2]), (&[5, 2], &[3, 0]), (&[2, 1, 4, 1], &[0, 1, 2, 3])],
        ),
        (&[40, 3, 33], &[(&[3], &[1]), (&[33], &[2]), (&[3, 40], &[1, 0])]),
        (&[5000, 2], &[(&[2], &[1]), (&[5000], &[0])]),
        (&[2, 5000], &[(&[5000], &[1]), (&[2], &[0]), (&[1], &[0])]),
        (&[0, 4], &[(&[4], &[1])]),
    ];
    let mut random = SplitMix64::new(8);
    for (dims, parts) in cases {
        for dtype in [DType::F32, DType::BF16, DType::I16, DType::C128, DType::F64] {
            let (graph, shapes) = broadcast_graph(dtype, dims, parts);
            let names: Vec<String> =
                (0..shapes.len()).map(|i| if i == 0 { "x".into() } else { format!("p{}", i - 1) }).collect();
            let values: Vec<Literal> =
                shapes.iter().map(|s| ordinary(&s.static_dims().unwrap(), dtype, &mut random)).collect();
            let named: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&values).collect();
            check(&graph, &named, Tolerance::Exact);
        }
    }
}

/// Returns a random chain of functions in which values are used several times and types change.
fn random_program(
    random: &mut SplitMix64,
    dims: &[usize],
    data: fn(&[usize], DType, &mut SplitMix64) -> Literal,
) -> (Graph, Vec<(String, Literal)>) {
    let builder = Builder::new("random");
    let mut given = Vec::new();
    let mut live: Vec<Tensor> = Vec::new();
    for (i, dtype) in [DType::F32, DType::F32, DType::F16, DType::I32, DType::Bool].into_iter().enumerate() {
        let name = format!("x{i}");
        live.push(builder.input(name.clone(), Shape::new(dims, dtype)));
        given.push((name, data(dims, dtype, random)));
    }
    for _ in 0..12 {
        let a = live[random.below(live.len())].clone();
        let same: Vec<&Tensor> = live.iter().filter(|t| t.dtype() == a.dtype()).collect();
        let b = same[random.below(same.len())].clone();
        let next = match random.below(8) {
            0 => a.convert(
                [DType::F32, DType::I32, DType::Bool, DType::BF16, DType::F64, DType::U8][random.below(6)],
            ),
            1 => a.compare(CompareOp::VARIANTS[random.below(6)], &b),
            2 => a.compare(CompareOp::Le, &b).select(&a, &b),
            3 | 4 if a.dtype() != DType::Bool => {
                a.binary([BinaryOp::Add, BinaryOp::Mul, BinaryOp::Sub, BinaryOp::Div][random.below(4)], &b)
            }
            5 if a.dtype() != DType::Bool => {
                a.unary([UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Sign][random.below(3)])
            }
            6 if a.dtype().is_float() => {
                a.unary([UnaryOp::Sqrt, UnaryOp::Floor, UnaryOp::RoundEven][random.below(3)])
            }
            _ => a.binary([BinaryOp::Max, BinaryOp::Min][random.below(2)], &b),
        };
        live.push(next);
    }
    let outputs: Vec<&Tensor> = live.iter().rev().take(2).collect();
    (builder.finish(&outputs).unwrap(), given)
}

#[test]
fn random_programs_agree_with_the_evaluator() {
    let mut random = SplitMix64::new(9);
    for i in 0..300 {
        let dims: &[usize] = [&[9][..], &[4, 33], &[70, 71]][i % 3];
        let data = if i % 2 == 0 { ordinary } else { wild };
        let (graph, given) = random_program(&mut random, dims, data);
        let named: Vec<(&str, &Literal)> = given.iter().map(|(n, l)| (n.as_str(), l)).collect();
        check(&graph, &named, Tolerance::Exact);
    }
}

#[test]
fn large_programs_split_between_threads() {
    let mut random = SplitMix64::new(10);
    let (graph, shapes) = broadcast_graph(DType::F32, &[513, 1030], &[(&[1030], &[1]), (&[513], &[0])]);
    let values: Vec<Literal> =
        shapes.iter().map(|s| ordinary(&s.static_dims().unwrap(), DType::F32, &mut random)).collect();
    let named: Vec<(&str, &Literal)> = ["x", "p0", "p1"].into_iter().zip(&values).collect();
    check(&graph, &named, Tolerance::Exact);
}

/// Programs with several results: of other types than their operands, reading one another, or equal to operands.
#[test]
fn programs_with_several_results() {
    let mut random = SplitMix64::new(91);
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        for dims in SIZES {
            let b = Builder::new("several");
            let shape = Shape::new(dims, dtype);
            let [x, y, z] = ["x", "y", "z"].map(|name| b.input(name, shape.clone()));
            let sum = &x + &y;
            let next = &sum * &z;
            let smaller = next.compare(CompareOp::Lt, &sum);
            let half = sum.convert(DType::F16);
            let graph = b.finish(&[&sum, &next, &smaller, &half, &(&next - &x), &(-&z), &sum]).unwrap();
            let values = ["x", "y", "z"].map(|name| (name, ordinary(dims, dtype, &mut random)));
            let named: Vec<(&str, &Literal)> = values.iter().map(|(name, value)| (*name, value)).collect();
            check(&graph, &named, Tolerance::Exact);
        }
    }
}

/// More operands, and more values at a time, than a compiled loop has registers for; and numbers that are the same for all elements.
#[test]
fn long_runs_of_arithmetic() {
    let mut random = SplitMix64::new(92);
    for dtype in [DType::F32, DType::F64] {
        for dims in SIZES {
            let b = Builder::new("long");
            let mut values = Vec::new();
            let mut input = |dims: &[usize]| {
                let name = format!("x{}", values.len());
                let x = b.input(name.clone(), Shape::new(dims, dtype));
                values.push((name, ordinary(dims, dtype, &mut random)));
                x
            };
            let tensors: Vec<Tensor> = (0..20).map(|_| input(dims)).collect();
            let numbers: Vec<Tensor> = (0..6).map(|_| input(&[])).collect();
            let scaled: Vec<Tensor> =
                tensors.iter().zip(numbers.iter().cycle()).map(|(x, n)| x * n + x * 0.5).collect();
            let sum = scaled.iter().skip(1).fold(scaled[0].clone(), |sum, x| sum + x);
            let product = scaled.iter().rev().take(5).fold(sum.clone(), |product, x| product * x - &sum);
            let graph = b.finish(&[&sum, &product, &scaled[3]]).unwrap();
            let named: Vec<(&str, &Literal)> = values.iter().map(|(n, v)| (n.as_str(), v)).collect();
            check(&graph, &named, Tolerance::Exact);
        }
    }
}
