//! Tests that values that a narrow type cannot represent stay in f32. Typical graphs run in f16 and bf16 and are compared with
//! NumPy's values in f32 (in f64 where a comment says so).

use rlx_compile::PrecisionPolicy::{self, AlwaysBF16, AlwaysF16, AutoMixed};
use rlx_compile::precision::apply_precision;
use rlx_ir::{
    Activation, Builder, CompareOp, DType, Graph, Literal, Op, ReduceOp, Shape, Tensor, UnaryOp, eval,
};

/// Evaluates a function of inputs `x0`, `x1`, … with these values, in a precision.
fn computed(policy: PrecisionPolicy, given: &[Literal], f: impl FnOnce(&[Tensor]) -> Tensor) -> Vec<f32> {
    let builder = Builder::new("main");
    let names: Vec<String> = (0..given.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<Tensor> =
        names.iter().zip(given).map(|(name, value)| builder.input(name, value.shape().clone())).collect();
    let graph = builder.finish(&[&f(&inputs)]).unwrap();
    let precise = apply_precision(&graph, policy).unwrap().unwrap_or(graph);
    let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(given).collect();
    eval(&precise, &given).unwrap()[0].convert(DType::F32).as_slice::<f32>().unwrap().to_vec()
}

/// A graph from the lines of its text.
fn graph(lines: &str) -> Graph {
    Graph::parse(&format!("graph \"main\" {{\n{lines}\n}}")).unwrap()
}

fn floats(dims: &[usize], numbers: &[f32]) -> Literal {
    Literal::new(dims, numbers).unwrap()
}

/// Fails unless the numbers agree up to `tolerance`, relative to themselves or to 1.
#[track_caller]
fn agree(got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len());
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance * b.abs().max(1.0);
    assert!(got.iter().zip(want).all(near), "{got:?} instead of {want:?}");
}

/// x and y broadcast, combined.
fn joint(x: &Tensor, y: &Tensor, f: impl FnOnce(&Tensor, &Tensor) -> Tensor) -> Tensor {
    let (x, y) = x.broadcast_with(y);
    f(&x, &y)
}

fn sum(x: &Tensor) -> Tensor {
    x.reduce(ReduceOp::Sum, &[x.rank() - 1], true)
}

/// A mean as JAX writes it: a sum and a divisor.
fn mean(x: &Tensor, count: f64) -> Tensor {
    sum(x) / count
}

#[test]
fn means_of_many_have_their_divisor() {
    for policy in [AlwaysF16, AlwaysBF16] {
        for (count, number) in [(65_536, 0.5), (70_000, 1.0), (100_000, -3.0)] {
            let x = floats(&[1, count], &vec![number; count]);
            agree(&computed(policy, std::slice::from_ref(&x), |x| mean(&x[0], count as f64)), &[number], 0.0);
            agree(&computed(policy, &[x], |x| x[0].mean(&[1], false)), &[number], 0.0);
        }
    }
    // f16 itself, as CoreML's `reduce_mean` is read.
    let ones = floats(&[70_000], &vec![1.0; 70_000]).convert(DType::F16);
    agree(&computed(PrecisionPolicy::Declared, &[ones], |x| x[0].mean(&[0], false)), &[1.0], 0.0);
}

#[test]
fn norms_have_their_epsilon() {
    let rows: Vec<f32> = (0..8).map(|i| (i as f32 - 3.0) * 1e-4).chain([0.0; 8]).collect();
    let unit = |x: &[Tensor]| {
        let root = (sum(&(&x[0] * &x[0])) + 1e-12).unary(UnaryOp::Sqrt);
        joint(&x[0], &root, |x, root| x / root)
    };
    let inverse = |x: &[Tensor]| {
        let root = (sum(&(&x[0] * &x[0])) + 1e-12).unary(UnaryOp::Rsqrt);
        joint(&x[0], &root, |x, root| x * root)
    };
    let mut want = vec![
        -0.452_266_5,
        -0.301_511_02,
        -0.150_755_51,
        0.0,
        0.150_755_51,
        0.301_511_02,
        0.452_266_5,
        0.603_022_04,
    ];
    want.extend([0.0; 8]);
    let x = floats(&[2, 8], &rows);
    agree(&computed(AlwaysF16, std::slice::from_ref(&x), unit), &want, 2e-3);
    agree(&computed(AlwaysF16, &[x], inverse), &want, 2e-3);
    // Constant rows: 0 · 1 / √1e-12, as MiniLM has it; and rows whose squares are beyond f16.
    let norm = |x: &[Tensor]| {
        let centered = joint(&x[0], &mean(&x[0], 64.0), |x, mean| x - mean);
        let root = (mean(&(&centered * &centered), 64.0) + 1e-12).unary(UnaryOp::Sqrt);
        joint(&centered, &root, |x, root| x / root)
    };
    let wide: Vec<f32> = (0..64).map(|i| -300.0 + 800.0 / 63.0 * i as f32).collect();
    let x = floats(&[2, 64], &[vec![1.0; 64], wide.clone()].concat());
    let got = computed(AlwaysF16, &[x], norm);
    agree(&got[..64], &[0.0; 64], 0.0);
    agree(&got[64..68], &[-1.705_195_7, -1.651_062_5, -1.596_929_3, -1.542_796_1], 2e-3);
    let rms = |x: &[Tensor]| {
        let root = (mean(&(&x[0] * &x[0]), 64.0) + 1e-6).unary(UnaryOp::Rsqrt);
        joint(&x[0], &root, |x, root| x * root)
    };
    let got = computed(AlwaysF16, &[floats(&[1, 64], &wide)], rms);
    agree(&got[..4], &[-1.176_457_4, -1.126_660_2, -1.076_863_2, -1.027_066], 2e-3);
    // The difference of moments of numbers that are far from 0.
    let x = floats(&[1, 8], &[10.1, 9.9, 10.2, 9.8, 10.05, 9.95, 10.15, 9.85]);
    let moments = |x: &[Tensor]| {
        let mean_of_all = mean(&x[0], 8.0);
        mean(&(&x[0] * &x[0]), 8.0) - &mean_of_all * &mean_of_all
    };
    // In f64: 0.01875.
    agree(&computed(AlwaysF16, &[x], moments), &[0.018_75], 1e-4);
}

#[test]
fn masks_of_large_numbers_leave_what_counts() {
    let scores = floats(&[2, 4], &[1.0, 2.0, 3.0, -20.0, 4.0, 5.0, 6.0, 7.0]);
    let want = [0.268_941_4, 0.731_058_6, 0.0, 0.0, 0.25, 0.25, 0.25, 0.25];
    let mask = floats(&[2, 4], &[1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for number in [-1e9, -1e30, f64::from(f32::MIN)] {
        let added = |x: &[Tensor]| (&x[0] + (1.0 - &x[1]) * number).softmax(1);
        let by_hand = |x: &[Tensor]| {
            let x = &x[0] + (1.0 - &x[1]) * number;
            let most = x.reduce(ReduceOp::Max, &[1], true);
            let e = joint(&x, &most, |x, most| x - most).unary(UnaryOp::Exp);
            joint(&e, &sum(&e), |e, sum| e / sum)
        };
        let chosen = |x: &[Tensor]| {
            let counts = x[1].compare(CompareOp::Ne, &x[1].scalar_like(0.0));
            counts.select(&x[0], &x[0].scalar_like(number)).softmax(1)
        };
        for policy in [AlwaysF16, AutoMixed, PrecisionPolicy::AlwaysF32] {
            let given = [scores.clone(), mask.clone()];
            agree(&computed(policy, &given, added), &want, 1e-3);
            agree(&computed(policy, &given, by_hand), &want, 1e-3);
            agree(&computed(policy, &given, chosen), &want, 1e-3);
            // The mask as whole numbers.
            let given = [scores.clone(), mask.convert(DType::I32)];
            let converted = |x: &[Tensor]| (&x[0] + (1.0 - x[1].convert(DType::F32)) * number).softmax(1);
            agree(&computed(policy, &given, converted), &want, 1e-3);
        }
    }
}

#[test]
fn angles_and_places_are_exact() {
    let places = [0.0f32, 1.0, 2047.0, 2049.0, 4095.0, 30_000.0];
    let frequencies = [1.0f32, 0.1, 0.01, 0.001];
    // In f64.
    let want = [
        1.0,
        1.0,
        1.0,
        1.0,
        0.540_302_3,
        0.995_004_2,
        0.999_95,
        0.999_999_5,
        0.249_715_26,
        -0.879_265_9,
        -0.049_627_36,
        -0.458_408_53,
        0.776_572_04,
        -0.767_106_7,
        -0.069_591_46,
        -0.460_185_1,
        -0.065_976,
        0.459_863_34,
        -0.994_033_2,
        -0.578_908_13,
        -0.596_429_5,
        -0.975_682_2,
        -0.022_096_62,
        0.154_251_45,
    ];
    let angles = |places: &Tensor, x: &[Tensor]| {
        let column = places.unsqueeze(1);
        joint(&column, &x[1].unsqueeze(0), |a, b| a * b).unary(UnaryOp::Cos)
    };
    let outer = |x: &[Tensor]| x[0].unsqueeze(1).matmul(&x[1].unsqueeze(0)).unary(UnaryOp::Cos);
    let given = [floats(&[6], &places), floats(&[4], &frequencies)];
    let whole = [given[0].convert(DType::I32), given[1].clone()];
    for policy in [AlwaysF16, AlwaysBF16] {
        agree(&computed(policy, &given, |x| angles(&x[0], x)), &want, 1e-4);
        agree(&computed(policy, &whole, |x| angles(&x[0].convert(DType::F32), x)), &want, 1e-4);
        agree(&computed(policy, &given, outer), &want, 1e-4);
    }
    // 3,001 positions, which f16 cannot distinguish, as numbers and as indices.
    for policy in [AlwaysF16, AlwaysBF16] {
        let table: Vec<f32> = (0..3001).map(|i| (i % 7) as f32).collect();
        let got = computed(policy, &[floats(&[3001], &table)], |x| {
            let shape = Shape::new(&[3001], DType::F32);
            let iota = x[0].builder().iota(shape, 0);
            let place = (iota + 0.5).unary(UnaryOp::Floor).convert(DType::I32);
            x[0].apply(Op::Take { axis: 0 }, &[&place])
        });
        assert_eq!(got, table);
    }
}

#[test]
fn sums_and_counts_are_whole() {
    let ones = floats(&[1, 3001], &vec![1.0; 3001]);
    for policy in [AlwaysF16, AlwaysBF16] {
        let last = |x: &Tensor| x.slice_axis(1, 3000, 3001);
        agree(&computed(policy, std::slice::from_ref(&ones), |x| sum(&x[0])), &[3001.0], 0.0);
        agree(
            &computed(policy, std::slice::from_ref(&ones), |x| {
                last(&x[0].apply(Op::Cumsum { axis: 1 }, &[]))
            }),
            &[3001.0],
            0.0,
        );
        let counted =
            |x: &[Tensor]| sum(&x[0].compare(CompareOp::Gt, &x[0].scalar_like(0.0)).convert(DType::F32));
        agree(&computed(policy, std::slice::from_ref(&ones), counted), &[3001.0], 0.0);
    }
    // Sums in a loop.
    let graph = graph(
        "%0 = input {name = \"acc\"} : f32[1]
         %1 = input {name = \"xs\"} : f32[3001,1]
         %2 = scan %0, %1 {body = graph \"step\" {
             %0 = input {name = \"acc\"} : f32[1]
             %1 = input {name = \"x\"} : f32[1]
             %2 = add %0, %1 : f32[1]
             return %2
         }, length = 3001, num_consts = 0, num_carry = 1, reverse = false} : f32[1]
         return %2",
    );
    let precise = apply_precision(&graph, AlwaysF16).unwrap().unwrap_or(graph);
    let got =
        eval(&precise, &[("acc", &floats(&[1], &[0.0])), ("xs", &floats(&[3001, 1], &vec![1.0; 3001]))]);
    agree(got.unwrap()[0].as_slice().unwrap(), &[3001.0], 0.0);
}

#[test]
fn exponentials_and_logarithms_come_back() {
    let x = floats(&[1, 3], &[0.0, 20.0, -60.0]);
    let logarithm = |x: &[Tensor]| x[0].softmax(1).unary(UnaryOp::Log);
    agree(&computed(AlwaysF16, std::slice::from_ref(&x), logarithm), &[-20.0, 0.0, -80.0], 1e-3);
    let sums = |x: &[Tensor]| sum(&x[0].unary(UnaryOp::Exp)).unary(UnaryOp::Log);
    agree(&computed(AlwaysF16, &[x], sums), &[20.0], 1e-3);
    let x = floats(&[4], &[20.0, -20.0, 80.0, -3.0]);
    let softplus = |x: &[Tensor]| (x[0].unary(UnaryOp::Exp) + 1.0).unary(UnaryOp::Log);
    agree(&computed(AlwaysF16, &[x], softplus), &[20.0, 2.061_153_7e-9, 80.0, 0.048_587_35], 2e-3);
    let x = floats(&[6], &[50.0, -50.0, 300.0, -300.0, 1.0, -1.0]);
    let gelu = |x: &[Tensor]| {
        let x = &x[0];
        let inner = (x + x * x * x * 0.044_715) * (2.0 / std::f64::consts::PI).sqrt();
        x * ((inner.unary(UnaryOp::Tanh) + 1.0) * 0.5)
    };
    let want = [50.0, 0.0, 300.0, 0.0, 0.841_192, -0.158_808];
    agree(&computed(AlwaysF16, std::slice::from_ref(&x), gelu), &want, 2e-3);
    agree(&computed(AlwaysF16, &[x], |x| x[0].activation(Activation::GeluTanh)), &want, 2e-3);
}

#[test]
fn products_that_are_too_large_for_halves_stay() {
    // 3e5 · 2 + 1: f16 cannot represent the factor.
    let x = floats(&[1, 2], &[2.0, 1.0]);
    for policy in [AlwaysF16, AutoMixed] {
        let got = computed(policy, std::slice::from_ref(&x), |x| {
            let weights = x[0].builder().constant(floats(&[2, 1], &[3e5, 1.0]));
            x[0].matmul(&weights)
        });
        agree(&got, &[600_001.0], 1e-6);
    }
    let ones = floats(&[1, 70_000], &vec![1.0; 70_000]);
    let got = computed(AlwaysF16, &[ones], |x| {
        let all = x[0].scalar_like(1.0).broadcast_to(&[70_000.into(), 1.into()]);
        x[0].matmul(&all) / 70_000.0
    });
    agree(&got, &[1.0], 1e-6);
    let x: Vec<f32> = (0..64).map(|i| 10.0 * i as f32 - 300.0).collect();
    let y: Vec<f32> = x.iter().rev().map(|x| 5.0 - x).collect();
    let cosine = |x: &[Tensor]| {
        let norm = |x: &Tensor| sum(&(x * x)).unary(UnaryOp::Sqrt);
        sum(&(&x[0] * &x[1])) / (norm(&x[0]) * norm(&x[1]))
    };
    agree(&computed(AlwaysF16, &[floats(&[1, 64], &x), floats(&[1, 64], &y)], cosine), &[0.990_887_5], 1e-3);
}

#[test]
fn what_halves_hold_is_computed_in_them() {
    let graph = graph(
        "%0 = input {name = \"x\"} : f32[4,64]
         %1 = param {name = \"w\"} : f32[64,64]
         %2 = matmul %0, %1 : f32[4,64]
         %3 = activation %2 {kind = gelu} : f32[4,64]
         %4 = mul %3, %2 : f32[4,64]
         %5 = softmax %4 {axis = 1} : f32[4,64]
         %6 = param {name = \"g\"} : f32[64]
         %7 = rms_norm %5, %6 {axis = 1, eps = 1e-6} : f32[4,64]
         return %7",
    );
    let half = apply_precision(&graph, AlwaysF16).unwrap().unwrap();
    let wide = half.nodes().iter().filter(|node| node.shape().dtype() == DType::F32);
    let kinds: Vec<&str> = wide.map(|node| node.op().mnemonic()).collect();
    assert_eq!(kinds, ["input", "param", "param", "convert"], "{half}");
}
