//! Imports random numbers. `rng` hides its state in StableHLO. Here it draws from a key that depends on its position in
//! the text, so that a program draws the same numbers in each run, and in each step of a loop.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use rlx_ir::{Class, DType, Dim, Literal, NodeId, Op, RngAlgorithm, Shape, Tensor};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.rng" => rng,
        "stablehlo.rng_bit_generator" => rng_bit_generator,
        _ => return None,
    })
}

fn rng_bit_generator(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [state] = cx.operands()?;
    let wanted = cx.fixed(1)?;
    bits(cx, state, &wanted)
}

/// Imports `stablehlo.dynamic_rng_bit_generator`, whose second operand is the shape of the bits.
pub(super) fn dynamic_bits(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [state, shape] = cx.operands()?;
    let dims = cx.dims_of(shape, "the shape of the bits")?;
    let wanted = Shape::from_dims(&dims, cx.declared(1)?.dtype);
    bits(cx, state, &wanted)
}

fn bits(cx: &mut ImportContext<'_, '_>, state: NodeId, wanted: &Shape) -> Outcome<Vec<Val>> {
    let algorithm = match cx.fields().need_word("rng_algorithm")? {
        "THREE_FRY" => RngAlgorithm::Threefry,
        // The algorithm that XLA chooses on CPUs by default.
        "PHILOX" | "DEFAULT" => RngAlgorithm::Philox,
        other => return Err(Problem::error(format!("`{other}` is not a random generator"))),
    };
    let dtype = unsigned(wanted.dtype())?;
    let mut results = cx.add_all(Op::RngBits { algorithm, shape: wanted.with_dtype(dtype) }, &[state])?;
    if wanted.dtype() != dtype {
        results[1] = cx.add(Op::BitcastConvert { dtype: wanted.dtype() }, &[results[1]])?;
    }
    many(results)
}

/// Returns the unsigned type of the same width.
fn unsigned(dtype: DType) -> Outcome<DType> {
    match (dtype.class(), dtype.size()) {
        (Class::Bool | Class::Complex, _) => {
            Err(Problem::unsupported(format!("RLX cannot draw random bits of type {dtype}")))
        }
        (_, 1) => Ok(DType::U8),
        (_, 2) => Ok(DType::U16),
        (_, 4) => Ok(DType::U32),
        _ => Ok(DType::U64),
    }
}

/// Returns the key of a position in the text.
fn key(cx: &mut ImportContext<'_, '_>) -> Outcome<NodeId> {
    let at = cx.op.at;
    cx.literal(Literal::new(&[2], &[at.line, at.column])?)
}

fn rng(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b, size] = cx.operands()?;
    let declared = cx.declared(0)?;
    let dims = match declared.fixed() {
        Some(shape) => shape.dims().to_vec(),
        None => {
            let known =
                cx.im.scope.sizes.get(&size).map(|s| s.iter().map(|s| s.dim.clone()).collect::<Vec<_>>());
            let known = known.filter(|dims| !dims.iter().any(super::sizes::is_unknown));
            known.ok_or_else(|| Problem::unsupported("the shape depends on run-time values"))?
        }
    };
    let shape = Shape::from_dims(&dims, declared.dtype);
    let key = key(cx)?;
    let distribution = cx.fields().need_word("rng_distribution")?;
    match (distribution, declared.dtype.class()) {
        ("UNIFORM", Class::Float) => one(cx.add(Op::RngUniform { shape }, &[key, a, b])?),
        ("NORMAL", Class::Float) => one(normal(cx, &shape, [key, a, b])?),
        ("UNIFORM", Class::Signed | Class::Unsigned | Class::Bool) => one(integers(cx, &shape, [key, a, b])?),
        (other, _) => {
            Err(Problem::unsupported(format!("RLX has no {other} distribution of {}", declared.dtype)))
        }
    }
}

/// Draws normal numbers with this mean and standard deviation.
fn normal(cx: &mut ImportContext<'_, '_>, shape: &Shape, args: [NodeId; 3]) -> Outcome<NodeId> {
    let drawn = cx.add(Op::RngNormal { shape: shape.clone() }, &[args[0]])?;
    first(cx.expand(&[drawn, args[1], args[2]], |_, x| vec![&x[1] + &(&x[2] * &x[0])])?)
}

/// Draws integers from a up to, but not including, b: 64 random bits modulo their difference.
fn integers(cx: &mut ImportContext<'_, '_>, shape: &Shape, args: [NodeId; 3]) -> Outcome<NodeId> {
    let state = cx.add(Op::BitcastConvert { dtype: DType::U64 }, &[args[0]])?;
    let state = cx.reshape(state, &[Dim::Static(1)])?;
    let state = cx.add(Op::Concatenate { axis: 0 }, &[state, state])?;
    let bits = Op::RngBits { algorithm: RngAlgorithm::Threefry, shape: shape.with_dtype(DType::U64) };
    let bits = cx.add_all(bits, &[state])?[1];
    let dtype = shape.dtype();
    first(cx.expand(&[bits, args[1], args[2]], |_, x| {
        let wide = |t: &Tensor| t.convert(DType::I64).convert(DType::U64);
        let (low, high) = (wide(&x[1]), wide(&x[2]));
        let drawn = &low + &(&x[0] % &(&high - &low));
        vec![drawn.convert(dtype)]
    })?)
}

fn first(ids: Vec<NodeId>) -> Outcome<NodeId> {
    ids.first().copied().ok_or_else(|| Problem::error("has no result"))
}
