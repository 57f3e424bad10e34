//! Compares convolutions of every layout, type and geometry with the evaluator.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary, wild};
use rlx_compile::CompileOptions;
use rlx_cpu::CpuBackend;
use rlx_exec::compile;
use rlx_ir::eval::Scalar;
use rlx_ir::{
    Activation, BinaryOp, Bindings, ConvolutionAxes, ConvolutionSpec, DType, DTypeSet, Graph, Literal,
    NodeId, Op, Shape,
};

/// A convolution. Sizes are in the order batch, features, spatial; those of the kernel are output features, features, spatial.
#[derive(Clone, Copy)]
struct Case {
    x: &'static [usize],
    kernel: &'static [usize],
    strides: &'static [usize],
    lhs_dilation: &'static [usize],
    rhs_dilation: &'static [usize],
    low: &'static [i64],
    high: &'static [i64],
    reversal: &'static [bool],
    /// Numbers of feature groups and of batch groups.
    groups: (usize, usize),
}

const PLAIN: Case = Case {
    x: &[2, 3, 9, 11],
    kernel: &[5, 3, 3, 2],
    strides: &[1, 1],
    lhs_dilation: &[1, 1],
    rhs_dilation: &[1, 1],
    low: &[0, 0],
    high: &[0, 0],
    reversal: &[false, false],
    groups: (1, 1),
};

const CASES: &[Case] = &[
    PLAIN,
    Case { low: &[1, 1], high: &[1, 0], ..PLAIN },
    Case { strides: &[2, 3], low: &[2, 1], high: &[1, 3], ..PLAIN },
    Case { lhs_dilation: &[2, 3], low: &[1, 2], high: &[2, 0], ..PLAIN },
    Case { rhs_dilation: &[2, 4], low: &[3, 1], high: &[0, 2], strides: &[1, 2], ..PLAIN },
    Case { reversal: &[true, false], low: &[1, 1], high: &[1, 1], ..PLAIN },
    Case { reversal: &[true, true], lhs_dilation: &[3, 2], rhs_dilation: &[2, 1], strides: &[2, 1], ..PLAIN },
    Case { low: &[-2, -1], high: &[-1, -3], ..PLAIN },
    Case { x: &[2, 6, 7, 8], kernel: &[6, 1, 3, 3], low: &[1, 1], high: &[1, 1], groups: (6, 1), ..PLAIN },
    Case { x: &[1, 6, 7, 8], kernel: &[9, 2, 3, 3], low: &[1, 1], high: &[1, 1], groups: (3, 1), ..PLAIN },
    Case { x: &[6, 2, 5, 6], kernel: &[6, 2, 2, 3], groups: (1, 3), low: &[0, 2], ..PLAIN },
    Case { x: &[2, 40, 6, 5], kernel: &[70, 40, 1, 1], ..PLAIN },
    Case { x: &[3, 7, 1, 13], kernel: &[1, 7, 1, 4], strides: &[1, 2], ..PLAIN },
    Case { x: &[2, 3, 2, 2], kernel: &[4, 3, 5, 5], low: &[3, 4], high: &[4, 3], ..PLAIN },
    // Nothing: no images, no features, no output positions, no terms.
    Case { x: &[0, 3, 9, 11], ..PLAIN },
    Case { kernel: &[0, 3, 3, 2], ..PLAIN },
    Case { kernel: &[5, 3, 10, 2], ..PLAIN },
    Case { x: &[2, 0, 9, 11], kernel: &[5, 0, 3, 2], ..PLAIN },
    Case { x: &[2, 3, 0, 4], low: &[2, 0], high: &[2, 0], ..PLAIN },
    // One axis, three axes, none.
    Case {
        x: &[2, 5, 60],
        kernel: &[8, 5, 7],
        strides: &[2],
        lhs_dilation: &[1],
        rhs_dilation: &[2],
        low: &[4],
        high: &[5],
        reversal: &[false],
        ..PLAIN
    },
    Case {
        x: &[2, 3, 4, 5, 6],
        kernel: &[4, 3, 2, 3, 2],
        strides: &[1, 2, 1],
        lhs_dilation: &[1, 1, 2],
        rhs_dilation: &[1, 1, 3],
        low: &[0, 1, 1],
        high: &[1, 1, 2],
        reversal: &[false, true, false],
        ..PLAIN
    },
    Case {
        x: &[5, 6],
        kernel: &[7, 6],
        strides: &[],
        lhs_dilation: &[],
        rhs_dilation: &[],
        low: &[],
        high: &[],
        reversal: &[],
        ..PLAIN
    },
];

/// Which axes are the batch and the features in x, the kernel and the result.
#[derive(Clone, Copy, Debug)]
enum Layout {
    ChannelsFirst,
    ChannelsLast,
    /// Features are last only in x; the batch is last in the result, and its axes are reversed.
    Mixed,
}

/// The axis of each role in a tensor of this rank: batch, features, spatial.
fn roles(rank: usize, layout: Layout, operand: usize) -> Vec<usize> {
    match (layout, operand) {
        (Layout::ChannelsFirst, _) | (Layout::Mixed, 1) => (0..rank).collect(),
        // In the kernel, output features are last and features come before them.
        (Layout::ChannelsLast, 1) => [rank - 1, rank - 2].into_iter().chain(0..rank - 2).collect(),
        (Layout::ChannelsLast, _) | (Layout::Mixed, 0) => {
            [0, rank - 1].into_iter().chain(1..rank - 1).collect()
        }
        (Layout::Mixed, _) => (0..rank).rev().collect(),
    }
}

fn arranged(dims: &[usize], roles: &[usize]) -> Vec<usize> {
    let mut out = vec![0; dims.len()];
    roles.iter().zip(dims).for_each(|(&axis, &n)| out[axis] = n);
    out
}

fn op(case: &Case, layout: Layout, dtype: DType) -> Op {
    let rank = case.x.len();
    let [x, kernel, out] =
        [0, 1, 2].map(|operand| ConvolutionAxes::from_ordered(&roles(rank, layout, operand)));
    let spec = ConvolutionSpec {
        strides: case.strides.to_vec(),
        lhs_dilation: case.lhs_dilation.to_vec(),
        rhs_dilation: case.rhs_dilation.to_vec(),
        low: case.low.to_vec(),
        high: case.high.to_vec(),
        reversal: case.reversal.to_vec(),
        x,
        kernel,
        out,
        feature_groups: case.groups.0,
        batch_groups: case.groups.1,
    };
    Op::Convolution { spec, dtype: Some(dtype) }
}

/// Checks a case with elements that a function computes for each size.
fn check_case(
    case: &Case,
    layout: Layout,
    to: DType,
    constant: bool,
    mut make: impl FnMut(&[usize], usize) -> Literal,
    within: Tolerance,
) {
    let rank = case.x.len();
    let x = make(&arranged(case.x, &roles(rank, layout, 0)), 0);
    let kernel = make(&arranged(case.kernel, &roles(rank, layout, 1)), 1);
    let mut g = Graph::new("convolution");
    let a = g.input("x", x.shape().clone());
    let b =
        if constant { g.param("k", kernel.shape().clone()) } else { g.input("k", kernel.shape().clone()) };
    let y = g.try_add(op(case, layout, to), vec![a, b]).expect("valid");
    g.set_outputs(vec![y]);
    check(&g, &[("x", &x), ("k", &kernel)], within);
}

/// Sums of at most 100 products of numbers below 4. Sums in f64, from which results in f32 or narrower are computed, may differ in their
/// last places.
fn tolerance(from: DType, to: DType) -> Tolerance {
    match to {
        _ if !to.is_float() && !to.is_complex() => Tolerance::Exact,
        DType::F32 | DType::C64 if from.real() != DType::F64 => {
            Tolerance::Close { absolute: 1e-4, relative: 1e-5 }
        }
        DType::F64 | DType::C128 => Tolerance::Close { absolute: 1e-12, relative: 1e-13 },
        DType::C64 => Tolerance::Close { absolute: 1e-6, relative: 1e-6 },
        _ => Tolerance::Ulps(1),
    }
}

const LAYOUTS: [Layout; 3] = [Layout::ChannelsFirst, Layout::ChannelsLast, Layout::Mixed];

#[test]
fn every_geometry_and_layout_of_floats() {
    let mut random = SplitMix64::new(1);
    for case in CASES {
        for layout in LAYOUTS {
            for dtype in [DType::F32, DType::F64, DType::BF16, DType::C64] {
                let make = |dims: &[usize], _| ordinary(dims, dtype, &mut random);
                check_case(
                    case,
                    layout,
                    dtype,
                    matches!(layout, Layout::ChannelsLast),
                    make,
                    tolerance(dtype, dtype),
                );
            }
        }
    }
}

#[test]
fn every_type_of_elements_and_results() {
    let mut random = SplitMix64::new(2);
    let holds = |from: DType, to: DType| match () {
        () if to.is_complex() => true,
        () if to.is_float() => !from.is_complex(),
        () => to.is_int() && from.is_int(),
    };
    for (i, case) in [CASES[2], CASES[6], CASES[9], CASES[10]].iter().enumerate() {
        for from in DTypeSet::NUMBER.iter() {
            for to in [from, DType::F32, DType::F16, DType::I32, DType::I64, DType::C128] {
                if holds(from, to) {
                    let make = |dims: &[usize], _| ordinary(dims, from, &mut random);
                    check_case(case, LAYOUTS[i % 3], to, i % 2 == 0, make, tolerance(from, to));
                }
            }
        }
    }
}

#[test]
fn integers_of_any_bits_wrap() {
    let mut random = SplitMix64::new(3);
    for case in [CASES[2], CASES[8], CASES[11]] {
        for dtype in DTypeSet::INT.iter() {
            let make = |dims: &[usize], _| wild(dims, dtype, &mut random);
            check_case(&case, Layout::ChannelsFirst, dtype, false, make, Tolerance::Exact);
        }
    }
}

#[test]
fn padding_is_not_seen_by_infinite_kernels() {
    let mut random = SplitMix64::new(4);
    for case in [CASES[1], CASES[3], CASES[8], CASES[9]] {
        for layout in LAYOUTS {
            for dtype in [DType::F32, DType::BF16, DType::C128] {
                let make = |dims: &[usize], operand: usize| {
                    literal(dims, dtype, |i| match (operand, i % 7) {
                        (1, 3) => Scalar::Float(f64::INFINITY).convert(dtype),
                        (1, 5) => Scalar::Float(-0.0).convert(dtype),
                        _ => Scalar::Float((random.below(9) as f64 - 4.0) / 2.0).convert(dtype),
                    })
                };
                check_case(&case, layout, dtype, true, make, tolerance(dtype, dtype));
            }
        }
    }
}

#[test]
fn not_a_number_spreads_as_far_as_it_is_seen() {
    let mut random = SplitMix64::new(5);
    for case in [CASES[0], CASES[1], CASES[8]] {
        for layout in LAYOUTS {
            let make = |dims: &[usize], operand: usize| {
                let n: usize = dims.iter().product();
                let culprit = if operand == 0 { random.below(n) } else { n };
                literal(dims, DType::F32, |i| {
                    Scalar::Float(if i == culprit { f64::NAN } else { random.unit() - 0.5 })
                })
            };
            check_case(&case, layout, DType::F32, false, make, tolerance(DType::F32, DType::F32));
        }
    }
}

#[test]
fn images_of_a_model() {
    let mut random = SplitMix64::new(6);
    let case = Case {
        x: &[2, 24, 20, 21],
        kernel: &[50, 24, 3, 3],
        low: &[1, 1],
        high: &[1, 1],
        strides: &[2, 1],
        ..PLAIN
    };
    for layout in LAYOUTS {
        for constant in [false, true] {
            let make = |dims: &[usize], _| ordinary(dims, DType::F32, &mut random);
            // Sums of 216 products.
            let within = Tolerance::Close { absolute: 3e-4, relative: 1e-5 };
            check_case(&case, layout, DType::F32, constant, make, within);
        }
    }
}

/// Long kernels and long lines, with integers, whose sums are exact in any order.
#[test]
fn long_kernels() {
    let mut random = SplitMix64::new(7);
    let line = Case {
        x: &[2, 3, 1500],
        kernel: &[3, 1, 700],
        strides: &[1],
        lhs_dilation: &[1],
        rhs_dilation: &[1],
        low: &[0],
        high: &[0],
        reversal: &[false],
        groups: (3, 1),
    };
    let cases = [
        line,
        Case { low: &[350], high: &[349], reversal: &[true], ..line },
        Case { low: &[-7], high: &[900], strides: &[3], ..line },
        Case { low: &[20], strides: &[2], kernel: &[3, 1, 100], rhs_dilation: &[5], ..line },
        // Distances for which each tap reads separately.
        Case { low: &[20], strides: &[9], ..line },
        Case { kernel: &[3, 1, 5], rhs_dilation: &[300], high: &[40], ..line },
        Case { lhs_dilation: &[3], kernel: &[3, 1, 400], low: &[11], strides: &[2], ..line },
        // Several blocks of taps, and several runs of output positions.
        Case { x: &[1, 1, 5600], kernel: &[1, 1, 5000], low: &[1000], groups: (1, 1), ..line },
        Case { x: &[1, 2, 2600], kernel: &[1, 2, 30], high: &[29], groups: (1, 1), ..line },
        // Features computed by products, with few output positions and with many.
        Case { x: &[2, 3, 900], kernel: &[4, 3, 600], low: &[100], groups: (1, 1), ..line },
        Case {
            x: &[1, 1, 900],
            kernel: &[6, 1, 300],
            strides: &[2],
            rhs_dilation: &[2],
            groups: (1, 1),
            ..line
        },
        Case { x: &[1, 1, 9], kernel: &[1, 1, 40], low: &[39], high: &[39], groups: (1, 1), ..line },
    ];
    for (i, case) in cases.into_iter().enumerate() {
        for (j, dtype) in [DType::F32, DType::BF16, DType::I64, DType::C64].into_iter().enumerate() {
            let make = |dims: &[usize], _| {
                literal(dims, dtype, |_| Scalar::Int(random.below(5) as i128 - 2).convert(dtype))
            };
            check_case(&case, LAYOUTS[(i + j) % 3], dtype, false, make, Tolerance::Exact);
        }
    }
    for case in [cases[1], cases[2], cases[5]] {
        let make = |dims: &[usize], operand: usize| {
            literal(dims, DType::F32, |i| {
                let number = random.below(5) as f64 - 2.0;
                Scalar::Float(if operand == 1 && i % 97 == 5 { f64::INFINITY } else { number })
            })
        };
        check_case(&case, Layout::ChannelsFirst, DType::F32, false, make, Tolerance::Exact);
    }
}

/// What follows a convolution in [`followed`].
#[derive(Clone, Copy, Debug)]
enum Behind {
    Bias,
    BiasAndRelu,
    /// A residual that is added before the activation, added after it, or multiplied.
    Before,
    After,
    Times,
}

/// Returns a convolution followed by a bias and more, and its operands.
fn followed(
    case: &Case,
    layout: Layout,
    behind: Behind,
    make: &mut dyn FnMut(&[usize], usize) -> Literal,
) -> (Graph, Vec<(&'static str, Literal)>) {
    let rank = case.x.len();
    let x = make(&arranged(case.x, &roles(rank, layout, 0)), 0);
    let kernel = make(&arranged(case.kernel, &roles(rank, layout, 1)), 1);
    let dtype = x.dtype();
    let mut g = Graph::new("convolution");
    let [a, k] = [("x", &x), ("k", &kernel)].map(|(name, value)| g.input(name, value.shape().clone()));
    let conv = g.try_add(op(case, layout, dtype), vec![a, k]).expect("valid");
    let dims = g.shape(conv).static_dims().expect("static");
    let feature = roles(rank, layout, 2)[1];
    let bias = make(&[dims[feature]], 2);
    let b = g.input("bias", bias.shape().clone());
    let repeat = Op::BroadcastInDim { dims: Shape::new(&dims, dtype).dims().to_vec(), axes: vec![feature] };
    let b = g.try_add(repeat, vec![b]).expect("valid");
    let mut values = vec![("x", x), ("k", kernel), ("bias", bias)];
    let binary = |g: &mut Graph, op, a: NodeId, b| g.try_add(Op::Binary { op }, vec![a, b]).expect("valid");
    let activate = |g: &mut Graph, x, kind| g.try_add(Op::Activation { kind }, vec![x]).expect("valid");
    let sum = binary(&mut g, BinaryOp::Add, conv, b);
    let y = match behind {
        Behind::Bias => sum,
        Behind::BiasAndRelu => activate(&mut g, sum, Activation::Relu),
        Behind::Before | Behind::After | Behind::Times => {
            let residual = make(&dims, 3);
            let r = g.input("r", residual.shape().clone());
            values.push(("r", residual));
            match behind {
                Behind::Before => {
                    let sum = binary(&mut g, BinaryOp::Add, sum, r);
                    activate(&mut g, sum, Activation::Relu)
                }
                Behind::After => {
                    let active = activate(&mut g, sum, Activation::Silu);
                    binary(&mut g, BinaryOp::Add, active, r)
                }
                _ => {
                    let active = activate(&mut g, sum, Activation::Gelu);
                    binary(&mut g, BinaryOp::Mul, active, r)
                }
            }
        }
    };
    g.set_outputs(vec![y]);
    (g, values)
}

/// Returns the ops of the group that contains the convolution.
fn group_of(g: &Graph) -> Option<String> {
    let compiled = compile(g, &Bindings::new(), &CpuBackend, &CompileOptions::new()).expect("compiles");
    let report = compiled.lowered.report().expect("a report");
    report.fusions.iter().map(|group| group.ops.join(" ")).find(|ops| ops.contains("convolution"))
}

#[test]
fn epilogues_follow_the_convolution() {
    let mut random = SplitMix64::new(8);
    let behind = [Behind::Bias, Behind::BiasAndRelu, Behind::Before, Behind::After, Behind::Times];
    // Computed with products of patches, by groups, and position by position; images of one position, long lines, and nothing at all.
    let long = Case { x: &[2, 24, 20, 21], kernel: &[50, 24, 3, 3], low: &[1, 1], high: &[1, 1], ..PLAIN };
    let cases = [CASES[1], CASES[8], CASES[9], CASES[10], CASES[12], CASES[14], CASES[16], CASES[21], long];
    for case in cases {
        for layout in LAYOUTS {
            for (behind, dtype) in behind.into_iter().zip([DType::F32, DType::F64].into_iter().cycle()) {
                let mut make = |dims: &[usize], _| ordinary(dims, dtype, &mut random);
                let (g, values) = followed(&case, layout, behind, &mut make);
                let values: Vec<(&str, &Literal)> = values.iter().map(|(n, l)| (*n, l)).collect();
                check(&g, &values, Tolerance::Close { absolute: 5e-3, relative: 1e-4 });
                // If features are among output positions, nothing can follow.
                let joins = !matches!(layout, Layout::Mixed);
                let nothing = g.shape(g.outputs()[0]).static_dims().expect("static").contains(&0);
                if !nothing {
                    assert_eq!(group_of(&g).is_some(), joins, "{layout:?} {behind:?}");
                }
            }
        }
    }
}

/// Where padding meets infinity, the sums are computed again, and what follows is applied again.
#[test]
fn epilogues_follow_sums_that_are_made_again() {
    let mut random = SplitMix64::new(9);
    for case in [CASES[1], CASES[9]] {
        for layout in [Layout::ChannelsFirst, Layout::ChannelsLast] {
            for behind in [Behind::BiasAndRelu, Behind::Before, Behind::Times] {
                let mut make = |dims: &[usize], operand: usize| {
                    literal(dims, DType::F32, |i| {
                        let infinite = operand == 1 && i % 7 == 3;
                        let number = (random.below(9) as f64 - 4.0) / 2.0;
                        Scalar::Float(if infinite { f64::INFINITY } else { number })
                    })
                };
                let (g, values) = followed(&case, layout, behind, &mut make);
                let values: Vec<(&str, &Literal)> = values.iter().map(|(n, l)| (*n, l)).collect();
                check(&g, &values, Tolerance::Close { absolute: 1e-4, relative: 1e-5 });
            }
        }
    }
}
