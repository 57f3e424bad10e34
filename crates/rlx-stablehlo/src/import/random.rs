//! Random numbers. `rng` hides its state in StableHLO; here it draws from a key that follows from its place in the text, so
//! that a program gives the same numbers in each run, and in each step of a loop.

use super::site::{Outcome, Problem, Rule, Site, Val, many, one};
use rlx_ir::{Class, DType, Dim, Literal, NodeId, Op, RngAlgorithm, Shape, Tensor};

/// The rule of an operation of this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.rng" => rng,
        "stablehlo.rng_bit_generator" => rng_bit_generator,
        _ => return None,
    })
}

fn rng_bit_generator(site: &mut Site<'_, '_>) -> Outcome<Vec<Val>> {
    let [state] = site.operands()?;
    let wanted = site.fixed(1)?;
    bits(site, state, &wanted)
}

/// `stablehlo.dynamic_rng_bit_generator`, whose second operand is the shape of the bits.
pub(super) fn dynamic_bits(site: &mut Site<'_, '_>) -> Outcome<Vec<Val>> {
    let [state, shape] = site.operands()?;
    let dims = site.dims_of(shape, "the shape of the bits")?;
    let wanted = Shape::from_dims(&dims, site.declared(1)?.dtype);
    bits(site, state, &wanted)
}

fn bits(site: &mut Site<'_, '_>, state: NodeId, wanted: &Shape) -> Outcome<Vec<Val>> {
    let algorithm = match site.fields().need_word("rng_algorithm")? {
        "THREE_FRY" => RngAlgorithm::Threefry,
        // What XLA takes on CPUs where the choice is left to it.
        "PHILOX" | "DEFAULT" => RngAlgorithm::Philox,
        other => return Err(Problem::error(format!("`{other}` is not a random generator"))),
    };
    let dtype = unsigned(wanted.dtype())?;
    let mut results = site.add_all(Op::RngBits { algorithm, shape: wanted.with_dtype(dtype) }, &[state])?;
    if wanted.dtype() != dtype {
        results[1] = site.add(Op::BitcastConvert { dtype: wanted.dtype() }, &[results[1]])?;
    }
    many(results)
}

/// The unsigned type with as many bits.
fn unsigned(dtype: DType) -> Outcome<DType> {
    match (dtype.class(), dtype.size()) {
        (Class::Bool | Class::Complex, _) => {
            Err(Problem::unsupported(format!("RLX draws no bits of type {dtype}")))
        }
        (_, 1) => Ok(DType::U8),
        (_, 2) => Ok(DType::U16),
        (_, 4) => Ok(DType::U32),
        _ => Ok(DType::U64),
    }
}

/// The key of a place in the text.
fn key(site: &mut Site<'_, '_>) -> Outcome<NodeId> {
    let at = site.op.at;
    site.literal(Literal::new(&[2], &[at.line, at.column])?)
}

fn rng(site: &mut Site<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b, size] = site.operands()?;
    let declared = site.declared(0)?;
    let dims = match declared.fixed() {
        Some(shape) => shape.dims().to_vec(),
        None => {
            let known =
                site.im.scope.sizes.get(&size).map(|s| s.iter().map(|s| s.dim.clone()).collect::<Vec<_>>());
            let known = known.filter(|dims| !dims.iter().any(super::sizes::is_unknown));
            known.ok_or_else(|| Problem::unsupported("the shape depends on the values of a run"))?
        }
    };
    let shape = Shape::from_dims(&dims, declared.dtype);
    let key = key(site)?;
    let distribution = site.fields().need_word("rng_distribution")?;
    match (distribution, declared.dtype.class()) {
        ("UNIFORM", Class::Float) => one(site.add(Op::RngUniform { shape }, &[key, a, b])?),
        ("NORMAL", Class::Float) => one(normal(site, &shape, [key, a, b])?),
        ("UNIFORM", Class::Signed | Class::Unsigned | Class::Bool) => {
            one(integers(site, &shape, [key, a, b])?)
        }
        (other, _) => {
            Err(Problem::unsupported(format!("RLX has no {other} distribution of {}", declared.dtype)))
        }
    }
}

/// Normal numbers of this mean and deviation.
fn normal(site: &mut Site<'_, '_>, shape: &Shape, args: [NodeId; 3]) -> Outcome<NodeId> {
    let drawn = site.add(Op::RngNormal { shape: shape.clone() }, &[args[0]])?;
    first(site.expand(&[drawn, args[1], args[2]], |_, x| vec![&x[1] + &(&x[2] * &x[0])])?)
}

/// Integers from a up to b, b itself left out: 64 random bits modulo their distance.
fn integers(site: &mut Site<'_, '_>, shape: &Shape, args: [NodeId; 3]) -> Outcome<NodeId> {
    let state = site.add(Op::BitcastConvert { dtype: DType::U64 }, &[args[0]])?;
    let state = site.reshape(state, &[Dim::Static(1)])?;
    let state = site.add(Op::Concatenate { axis: 0 }, &[state, state])?;
    let bits = Op::RngBits { algorithm: RngAlgorithm::Threefry, shape: shape.with_dtype(DType::U64) };
    let bits = site.add_all(bits, &[state])?[1];
    let dtype = shape.dtype();
    first(site.expand(&[bits, args[1], args[2]], |_, x| {
        let wide = |t: &Tensor| t.convert(DType::I64).convert(DType::U64);
        let (low, high) = (wide(&x[1]), wide(&x[2]));
        let drawn = &low + &(&x[0] % &(&high - &low));
        vec![drawn.convert(dtype)]
    })?)
}

fn first(ids: Vec<NodeId>) -> Outcome<NodeId> {
    ids.first().copied().ok_or_else(|| Problem::error("has no result"))
}
