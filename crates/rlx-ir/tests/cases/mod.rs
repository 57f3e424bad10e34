//! Runs cases that are written in the text form: the lines of a graph without inputs, and the literals that it must return.

use rlx_ir::text::Parser;
use rlx_ir::{DType, Graph, Literal, eval, verify};

/// A graph and its expected results.
pub struct Case {
    /// What the case is about.
    pub name: &'static str,
    /// The lines of the graph.
    pub body: &'static str,
    /// One literal per output.
    pub gives: &'static [&'static str],
}

/// The graph of these lines.
pub fn graph(name: &str, body: &str) -> Graph {
    let text = format!("graph {name:?} {{\n{body}\n}}");
    Graph::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"))
}

/// Checks every case: it verifies, its text form reads back equal, and the evaluator returns the expected results.
pub fn check(cases: &[Case]) {
    for case in cases {
        let graph = graph(case.name, case.body);
        let text = graph.to_string();
        assert_eq!(Graph::parse(&text).as_ref(), Ok(&graph), "{}: {text}", case.name);
        let got = eval(&graph, &[]).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert_eq!(got.len(), case.gives.len(), "{}: number of outputs", case.name);
        for (i, (got, gives)) in got.iter().zip(case.gives).enumerate() {
            let wanted = Parser::new(gives).literal().unwrap_or_else(|e| panic!("{}: {e}", case.name));
            assert_eq!(got.shape(), wanted.shape(), "{}: shape of output {i}", case.name);
            let (got, wanted) = (numbers(got), numbers(&wanted));
            let close = got.iter().zip(&wanted).all(|(a, b)| agrees(*a, *b, tolerance(case, i)));
            assert!(close, "{}: output {i} is\n{got:?}, not\n{wanted:?}", case.name);
        }
    }
}

/// Checks that each graph is rejected, with a message that contains the words.
pub fn refused(cases: &[(&str, &str)]) {
    for (body, words) in cases {
        let violations = verify(&graph("refused", body)).expect_err(words).to_string();
        assert!(violations.contains(words), "expected `{words}` in: {violations}");
    }
}

/// Exact for integers, a few roundings for floats.
fn tolerance(case: &Case, output: usize) -> f64 {
    match case.gives[output].split('[').next().and_then(DType::from_name) {
        Some(DType::F64 | DType::C128) => 1e-14,
        Some(DType::F32 | DType::C64) => 5e-7,
        Some(DType::F16) => 1e-3,
        Some(DType::BF16) => 8e-3,
        _ => 0.0,
    }
}

fn agrees(a: f64, b: f64, tolerance: f64) -> bool {
    if a.is_nan() || b.is_nan() {
        return a.is_nan() && b.is_nan();
    }
    if a == b {
        return a.is_sign_negative() == b.is_sign_negative();
    }
    (a - b).abs() <= tolerance * b.abs().max(1.0)
}

/// The elements as f64, complex numbers as two of them. All integers of the cases are exact in f64.
pub fn numbers(literal: &Literal) -> Vec<f64> {
    let bytes = literal.bytes();
    macro_rules! read {
        ($t:ty) => {
            bytemuck::cast_slice::<u8, $t>(bytes).iter().map(|&x| x as f64).collect()
        };
    }
    match literal.dtype() {
        DType::F64 | DType::C128 => read!(f64),
        DType::F32 | DType::C64 => read!(f32),
        DType::F16 => bytemuck::cast_slice::<u8, half::f16>(bytes).iter().map(|x| x.to_f64()).collect(),
        DType::BF16 => bytemuck::cast_slice::<u8, half::bf16>(bytes).iter().map(|x| x.to_f64()).collect(),
        DType::I8 => read!(i8),
        DType::I16 => read!(i16),
        DType::I32 => read!(i32),
        DType::I64 => read!(i64),
        DType::U16 => read!(u16),
        DType::U32 => read!(u32),
        DType::U64 => read!(u64),
        DType::U8 | DType::Bool | DType::F8E4M3 | DType::F8E5M2 => read!(u8),
    }
}
