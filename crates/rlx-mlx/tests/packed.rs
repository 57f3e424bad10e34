//! Tests parameters in packed blocks on MLX: the values that products read from them, and the products.

mod present;

use present::{MODES, session};
use rlx_conformance::bound::{Freedom, Reference};
use rlx_conformance::compare::Agreement;
use rlx_conformance::stream::Stream;
use rlx_ir::{Builder, DType, Graph, Literal, Op, QuantScheme, Shape};
use rlx_mlx::MlxMode;
use rlx_session::{RuntimeError, Session};

/// x `[m, k]` times the transpose of a packed parameter `[n, k]`, or runs of rows of x times the transposes of several.
fn product(scheme: QuantScheme, m: usize, k: usize, weights: &[usize], round_x: bool) -> Graph {
    let b = Builder::new("product");
    let x = b.input("x", Shape::new(&[m, k], DType::F32));
    let w = b.param("w", Shape::new(weights, DType::U8));
    let y = if weights.len() == 2 {
        x.apply(Op::DequantMatMul { scheme, round_x }, &[&w])
    } else {
        let sizes = b.input("sizes", Shape::new(&weights[..1], DType::I32));
        x.apply(Op::DequantGroupedMatMul { scheme, round_x }, &[&w, &sizes])
    };
    b.finish(&[&y]).expect("a valid graph")
}

fn run(
    session: &Session,
    graph: &Graph,
    weights: &[u8],
    inputs: &[(&str, &Literal)],
) -> Result<Literal, RuntimeError> {
    let mut compiled = session.try_compile(graph.clone())?;
    compiled.set_param_typed("w", weights, DType::U8)?;
    let mut outputs = compiled.run_literals(inputs)?;
    Ok(outputs.swap_remove(0))
}

/// Rows with one nonzero number each. A product with them returns the values of packed rows.
fn one_hot(k: usize) -> Literal {
    let values: Vec<f32> = (0..k * k).map(|i| if i / k == i % k { 1.0 } else { 0.0 }).collect();
    Literal::new(&[k, k], &values).expect("as many values")
}

/// Rows with every E2M1 code under each 8-bit scale that is finite with all of them.
fn every_code(scheme: QuantScheme, scales: std::ops::RangeInclusive<u8>, k: usize) -> Vec<u8> {
    let count = scheme.block_bytes() - scheme.block_len() / 2;
    let row = |scale: u8| {
        let block = (0..scheme.block_bytes()).map(move |i| match i.checked_sub(count) {
            None => scale,
            // Each half of a byte goes through all codes, in orders that differ.
            Some(at) => (at * 3 % 16) as u8 | ((at * 5 + 1) % 16 * 16) as u8,
        });
        (0..k / scheme.block_len()).flat_map(move |_| block.clone())
    };
    scales.flat_map(row).collect()
}

/// The last scale is the maximum for which 6, the maximum E2M1 number, stays finite. For NVFP4, all scales except the one that MLX lacks.
#[test]
fn values_of_every_code_and_scale_are_exactly_those_of_the_blocks() {
    let name = "values_of_every_code_and_scale_are_exactly_those_of_the_blocks";
    let Some(session) = session(name, MlxMode::Lazy) else { return };
    for (scheme, last) in [(QuantScheme::NVFP4, 0xfe), (QuantScheme::MXFP4, 0xfc)] {
        let k = 64;
        let weights = every_code(scheme, 0..=last, k);
        let rows = usize::from(last) + 1;
        let mut values = vec![0f32; rows * k];
        scheme.dequantize(&weights, &mut values);
        let x = one_hot(k);
        let row_bytes = weights.len() / rows;
        let graph = product(scheme, k, k, &[rows, row_bytes], false);
        let one = run(&session, &graph, &weights, &[("x", &x)]).expect("it runs");
        // The same rows as matrices of one row each, which one run of x is multiplied with.
        let groups = 3;
        let part: Vec<u8> = weights[weights.len() - groups * row_bytes..].to_vec();
        let tall: Vec<f32> = (0..groups).flat_map(|_| x.as_slice::<f32>().expect("f32").to_vec()).collect();
        let tall = Literal::new(&[groups * k, k], &tall).expect("as many values");
        let sizes = Literal::new(&[groups], &vec![k as i32; groups]).expect("as many values");
        let graph = product(scheme, groups * k, k, &[groups, 1, row_bytes], false);
        let several = run(&session, &graph, &part, &[("x", &tall), ("sizes", &sizes)]).expect("it runs");
        let one = one.as_slice::<f32>().expect("f32");
        for (i, wanted) in values.iter().enumerate() {
            let (row, at) = (i / k, i % k);
            assert_eq!(one[at * rows + row], *wanted, "{scheme}, scale {row:#x}, value {at}");
        }
        assert_eq!(several.as_slice::<f32>().expect("f32"), &values[values.len() - groups * k..], "{scheme}");
    }
}

#[test]
fn a_scale_that_mlx_has_not_is_refused_by_name() {
    let Some(session) = session("a_scale_that_mlx_has_not_is_refused_by_name", MlxMode::Lazy) else { return };
    for scheme in [QuantScheme::NVFP4, QuantScheme::MXFP4] {
        let weights = every_code(scheme, 0xfe..=0xff, 64);
        let graph = product(scheme, 64, 64, &[2, weights.len() / 2], false);
        let error = run(&session, &graph, &weights, &[("x", &one_hot(64))]).expect_err("no such scale");
        let error = error.to_string();
        let says = format!("parameter `w`: a block of {scheme} has the scale 0xff");
        assert!(error.contains(&says), "{error}");
    }
}

/// Quantized rows. Each product must be within the bounds of its definition.
#[test]
fn products_with_packed_parameters_agree_with_the_evaluator() {
    for mode in MODES {
        let Some(session) = session("products_with_packed_parameters_agree_with_the_evaluator", mode) else {
            return;
        };
        let mut stream = Stream::new(11);
        let mut uniform =
            |count: usize| -> Vec<f32> { (0..count).map(|_| stream.uniform(-1.0, 1.0) as f32).collect() };
        for scheme in [QuantScheme::NVFP4, QuantScheme::MXFP4, QuantScheme::Q4_0, QuantScheme::Q6_K] {
            let (m, k, n, groups) = (7, 256, 5, 3);
            let weights = scheme.quantize(&uniform(groups * n * k), None).expect("finite numbers");
            let row = weights.len() / groups / n;
            let x = Literal::new(&[m, k], &uniform(m * k)).expect("as many values");
            let sizes = Literal::new(&[groups], &[3i32, 0, 2]).expect("as many values");
            for (round_x, dims) in [false, true]
                .into_iter()
                .flat_map(|r| [(r, vec![groups * n, row]), (r, vec![groups, n, row])])
            {
                let graph = product(scheme, m, k, &dims, round_x);
                let packed = Literal::new(&dims, &weights).expect("as many bytes");
                let mut inputs = vec![("x", &x)];
                if dims.len() == 3 {
                    inputs.push(("sizes", &sizes));
                }
                let got = run(&session, &graph, &weights, &inputs).expect("it runs");
                inputs.push(("w", &packed));
                let reference = Reference::new(&graph, &inputs, Freedom::Contract, &|_| false);
                let checked = reference.expect("a bound").check(&[got], Agreement::AnyZeros);
                assert!(checked.is_ok(), "{scheme}, {round_x}, {dims:?}: {checked:?}");
            }
        }
    }
}
