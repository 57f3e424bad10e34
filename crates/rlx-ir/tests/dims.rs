//! Dimensions: every printed dimension reads back as itself, and none changes its value silently.

use rlx_ir::math::random::SplitMix64;
use rlx_ir::text::Parser;
use rlx_ir::{Bindings, DType, Dim, DimError, Graph, Op, OpError, Shape, Symbol};

fn read(text: &str) -> Result<Dim, String> {
    let mut parser = Parser::new(text);
    let dim = parser.dim().map_err(|e| e.to_string())?;
    parser.end().map_err(|e| e.to_string())?;
    Ok(dim)
}

#[test]
fn coefficients_that_overflow_are_errors_with_their_expression() {
    let m = i64::MAX;
    for (text, expression) in [
        (format!("{m}*n+{m}*n-{m}*n-{m}*n"), format!("{m}*n + {m}*n")),
        (format!("floordiv({}*n,-1)", i64::MIN), format!("floordiv({}*n, -1)", i64::MIN)),
        (format!("{}*n*m*-1", i64::MIN), format!("{}*m*n", i64::MIN)),
        (format!("{}*n-{m}*n", i64::MIN), format!("{}*n + ", i64::MIN)),
        (format!("3*{m}*n"), "overflows".to_string()),
        (format!("n+{}", u64::MAX), format!("n + {}", u64::MAX)),
        (format!("max(n,{})", u64::MAX), format!("max(n, {})", u64::MAX)),
        (format!("-{}*n", u64::MAX), "not an integer in range".to_string()),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains(&expression), "{text}: {error}");
    }
    // Single sizes may use all bits.
    assert_eq!(read(&u64::MAX.to_string()), Ok(Dim::Static(usize::MAX)));
}

#[test]
fn short_texts_do_not_multiply_out_without_end() {
    let sum: Vec<String> = (0..20).map(|i| format!("s{i}")).collect();
    let factor = format!("floordiv({},1)", sum.join("+"));
    let error = read(&vec![factor; 20].join("*")).unwrap_err();
    assert!(error.contains("too many terms"), "{error}");
    assert!(error.contains("s0*s1+") && error.contains("at most 4096"), "{error}");
    let mut doubled = Dim::dynamic("n");
    for i in 0..200 {
        doubled = (&doubled * &doubled).larger(&(&doubled + &Dim::dynamic(&format!("s{i}"))));
    }
    assert!(matches!(doubled.check(), Err(DimError::Overflow(_))));
    assert!(doubled.to_string().len() < 1000);
}

/// Sums of this many symbols take minutes if each symbol is added to a copy of the sum so far.
const MANY: usize = 50_000;

#[test]
fn sums_of_many_symbols_are_read_compared_and_bound() {
    let names: Vec<String> = (0..MANY).map(|i| format!("s{i}")).collect();
    let sum = read(&names.join("+")).unwrap();
    let backwards: Vec<Dim> = names.iter().rev().map(|name| Dim::dynamic(name)).collect();
    // The part that differs is too long to be shown.
    assert!(Dim::sum(backwards) == sum && read(&sum.to_string()).as_ref() == Ok(&sum));
    // Subtracting everything again leaves nothing.
    assert_eq!(read(&format!("{sum}-{}", names.join("-"))), Ok(Dim::Static(0)));
    assert_eq!(&sum - &sum, Dim::Static(0));
    let sizes: Bindings = names.iter().map(|name| (Symbol::new(name), 2)).collect();
    assert_eq!((sum.eval(&sizes), sum.bind(&sizes)), (Ok(2 * MANY), Dim::Static(2 * MANY)));
    let thrice = &sum * 3;
    assert!(thrice.floor_div(&Dim::Static(3)) == sum && (&thrice + 1).floor_div(&Dim::Static(3)) == sum);
    assert_eq!(thrice.floor_div(&thrice), Dim::Static(1));
    // Factors of one term are multiplied before the sum is.
    let ones = vec!["1"; MANY].join("*");
    assert!(read(&format!("max({sum},{sum})*{ones}")).as_ref() == Ok(&sum));
    // As the shape rule of an op with many operands computes it.
    let operands: Vec<Shape> =
        names.iter().map(|name| Shape::from_dims(&[Dim::dynamic(name)], DType::F32)).collect();
    let joined = Op::Concatenate { axis: 0 }.infer(&operands).unwrap();
    assert!(joined[0].dims() == [sum]);
    assert_eq!(joined[0].symbols().len(), MANY);
}

#[test]
fn limits_are_named_with_the_expression_that_is_beyond() {
    let product = |sums: usize| {
        let factors: Vec<String> = (0..sums).map(|i| format!("max(a{i}+b{i},a{i}+b{i})")).collect();
        read(&factors.join("*"))
    };
    assert!(product(12).is_ok());
    for sums in [13, 40, 10_000] {
        let error = product(sums).unwrap_err();
        let expected = "has too many terms: a product of sums multiplies out to at most 4096";
        assert!(error.contains(expected) && error.contains("a0*a1*"), "{error}");
        assert!(error.contains("column") && error.len() < 600, "{error}");
    }
    let long: Vec<String> = (0..140_000).map(|i| format!("s{i}")).collect();
    let error = read(&long.join("+")).unwrap_err();
    assert!(error.contains("at most 262144 symbols, numbers and functions"), "{error}");
    // One term more than a sum may have, from operators.
    let sum = Dim::sum(long[..100_000].iter().map(|name| Dim::dynamic(name)));
    let error = (&sum * &Dim::dynamic("n")).check().unwrap_err().to_string();
    assert!(error.contains("(s0+s1+") && error.contains("at most 262144"), "{error}");
}

#[test]
fn functions_nest_to_a_limit() {
    let nested = |levels: usize| {
        let start = (Dim::dynamic("n"), "n".to_string());
        (0..levels).fold(start, |(dim, text), i| match i % 2 {
            0 => ((&dim + 1).floor_div(&Dim::Static(3)), format!("floordiv({text}+1,3)")),
            _ => (dim.larger(&Dim::dynamic("m")), format!("max({text},m)")),
        })
    };
    let (deepest, text) = nested(128);
    assert_eq!((deepest.check(), read(&text).as_ref()), (Ok(()), Ok(&deepest)));
    assert_eq!(read(&deepest.to_string()), Ok(deepest));
    for levels in [129, 4_000] {
        let (dim, text) = nested(levels);
        let error = dim.check().unwrap_err().to_string();
        assert!(error.contains("at most 128 functions may be inside each other"), "{error}");
        let error = read(&text).unwrap_err();
        assert!(error.contains("128"), "{error}");
    }
}

#[test]
fn shape_rules_and_verification_refuse_sizes_that_overflow() {
    let large = Dim::from(i64::MAX as usize);
    let n = Dim::dynamic("n");
    let wide = Shape::from_dims(&[&large * &n], DType::F32);
    let error = Op::Concatenate { axis: 0 }.infer(&[wide.clone(), wide.clone()]).unwrap_err();
    assert!(matches!(error, OpError::Dim(DimError::Overflow(_))), "{error:?}");
    assert!(error.to_string().contains("9223372036854775807*n + 9223372036854775807*n"), "{error}");

    let mut graph = Graph::new("g");
    let x = graph.input("x", Shape::from_dims(&[&(&large * &n) * &n, &(&large * &n) * 2], DType::F32));
    graph.set_outputs(vec![x]);
    let error = rlx_ir::verify(&graph).unwrap_err().to_string();
    assert!(error.contains("9223372036854775807*n * 2"), "{error}");
    assert!(Graph::parse(&graph.to_string()).is_err());
}

#[test]
fn bindings_that_overflow_have_no_value() {
    let dim = &Dim::from(i64::MAX as usize) * &Dim::dynamic("n");
    let sizes = Bindings::from([(Symbol::new("n"), 3)]);
    assert_eq!(dim.eval(&sizes), Err(DimError::Invalid(dim.clone())));
    for dim in [&dim * &Dim::dynamic("m"), dim] {
        let bound = dim.bind(&sizes);
        assert_eq!(bound.check(), Err(DimError::Overflow(bound.clone())));
        assert_eq!(bound.eval(&sizes), Err(DimError::Overflow(bound.clone())));
    }
}

#[test]
fn different_overflows_are_never_equal() {
    let beyond = &Dim::from(i64::MAX as usize) * &(&Dim::dynamic("n") * 2);
    assert_eq!(beyond, &Dim::from(i64::MAX as usize) * &(&Dim::dynamic("n") * 2));
    for other in [&beyond * 2, &beyond + 1, &beyond - 1, beyond.floor_div(&beyond), beyond.offset(0)] {
        assert_ne!(beyond, other);
        assert!(other.check().is_err());
    }
    assert_ne!(&beyond * 2, &beyond * 3);
    assert_ne!(&beyond - &beyond, Dim::Static(0));
}

const NAMES: [&str; 16] =
    ["a", "b", "n", "e", "size", "_x", "inf", "nan", "e5", "floordiv", "max", "a b", "\"\\\n", "é", "0", ""];

/// A random expression of all operators that dimensions have.
fn random(source: &mut SplitMix64, depth: u32) -> Dim {
    if depth == 0 || source.below(5) == 0 {
        return match source.below(4) {
            0 => Dim::Static(source.below(6)),
            1 => Dim::Static(0).offset(source.bits() as i64 >> source.below(64)),
            _ => Dim::dynamic(NAMES[source.below(NAMES.len())]),
        };
    }
    let (a, b) = (random(source, depth - 1), random(source, depth - 1));
    match source.below(6) {
        0 => &a + &b,
        1 => &a - &b,
        2 => &a * &b,
        3 => a.floor_div(&b),
        4 => a.larger(&b),
        _ => a.offset(source.below(9) as i64 - 4),
    }
}

#[test]
fn every_printed_dimension_is_read_as_itself() {
    assert_eq!(read("-a+b"), Ok(&Dim::dynamic("b") - &Dim::dynamic("a")));
    assert_eq!(read("-size-e-5"), Ok(&(&Dim::Static(0) - &Dim::dynamic("size")) - &(&Dim::dynamic("e") + 5)));
    let mut source = SplitMix64::new(7);
    let mut read_again = 0;
    for _ in 0..20_000 {
        let dim = random(&mut source, 4);
        if dim.check().is_err() {
            let again = read(&dim.to_string());
            assert!(again.is_err(), "{dim} overflows and is read as {again:?}");
            continue;
        }
        let text = dim.to_string();
        assert_eq!(read(&text).as_ref(), Ok(&dim), "{text}");
        let shape = Shape::from_dims(&[dim], DType::F32);
        let mut graph = Graph::new("g");
        let x = graph.input("x", shape);
        graph.set_outputs(vec![x]);
        assert_eq!(Graph::parse(&graph.to_string()).as_ref(), Ok(&graph), "{text}");
        read_again += 1;
    }
    assert!(read_again > 10_000, "{read_again}");
}
