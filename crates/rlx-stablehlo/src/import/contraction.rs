//! Imports products: `dot_general` and its special forms.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, one};
use rlx_ir::{DType, DotDims, NodeId, Op, ReduceOp};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.dot_general" => dot_general,
        "stablehlo.dot" => dot,
        "stablehlo.einsum" => einsum,
        "stablehlo.unary_einsum" => unary_einsum,
        "chlo.ragged_dot" => ragged_dot,
        _ => return None,
    })
}

/// Converts both operands to one element type. Also returns the accumulator type if it differs.
pub(super) fn aligned(
    cx: &mut ImportContext<'_, '_>,
    lhs: NodeId,
    rhs: NodeId,
    dtype: DType,
) -> Outcome<(NodeId, NodeId, Option<DType>)> {
    let same = cx.dtype(lhs) == cx.dtype(rhs);
    let (lhs, rhs) = if same { (lhs, rhs) } else { (cx.convert(lhs, dtype)?, cx.convert(rhs, dtype)?) };
    let sums = (cx.dtype(lhs) != dtype).then_some(dtype);
    Ok((lhs, rhs, sums))
}

fn product(cx: &mut ImportContext<'_, '_>, lhs: NodeId, rhs: NodeId, dims: DotDims) -> Outcome<NodeId> {
    let (lhs, rhs, dtype) = aligned(cx, lhs, rhs, cx.declared(0)?.dtype)?;
    cx.add(Op::DotGeneral { dims, dtype }, &[lhs, rhs])
}

fn dot_general(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [lhs, rhs] = cx.operands()?;
    let fields = cx.fields().need_fields("dot_dimension_numbers")?;
    let dims = DotDims {
        lhs_batch: fields.axes("lhs_batching_dimensions")?,
        rhs_batch: fields.axes("rhs_batching_dimensions")?,
        lhs_contract: fields.axes("lhs_contracting_dimensions")?,
        rhs_contract: fields.axes("rhs_contracting_dimensions")?,
    };
    one(product(cx, lhs, rhs, dims)?)
}

fn dot(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [lhs, rhs] = cx.operands()?;
    let (left, right) = (cx.rank(lhs), cx.rank(rhs));
    if ![left, right].iter().all(|r| (1..=2).contains(r)) {
        return Err(Problem::error(format!("takes vectors and matrices, got ranks {left} and {right}")));
    }
    let dims = DotDims::contracting(&[left - 1], &[0]);
    one(product(cx, lhs, rhs, dims)?)
}

/// Returns the subscripts of one operand of an einsum.
fn letters(text: &str) -> Outcome<Vec<char>> {
    let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let repeated = letters.iter().enumerate().any(|(i, c)| letters[..i].contains(c));
    if repeated || !letters.iter().all(char::is_ascii_alphabetic) {
        return Err(Problem::unsupported(format!("the subscripts `{text}` are not distinct letters")));
    }
    Ok(letters)
}

/// Sums a tensor over the axes with letters that are not in `keep`.
fn summed(cx: &mut ImportContext<'_, '_>, x: NodeId, own: &mut Vec<char>, keep: &[char]) -> Outcome<NodeId> {
    if cx.rank(x) != own.len() {
        return Err(Problem::error(format!(
            "an operand of rank {} has {} subscripts",
            cx.rank(x),
            own.len()
        )));
    }
    let axes: Vec<usize> = (0..own.len()).filter(|&i| !keep.contains(&own[i])).collect();
    if axes.is_empty() {
        return Ok(x);
    }
    own.retain(|c| keep.contains(c));
    cx.add(Op::Reduce { kind: ReduceOp::Sum, axes }, &[x])
}

/// Rearranges a tensor from the axes `own` to the axes `wanted`.
fn arranged(cx: &mut ImportContext<'_, '_>, x: NodeId, own: &[char], wanted: &[char]) -> Outcome<NodeId> {
    let perm: Option<Vec<usize>> = wanted.iter().map(|c| own.iter().position(|o| o == c)).collect();
    let perm = perm.filter(|p| p.len() == own.len());
    let perm = perm.ok_or_else(|| Problem::error("a subscript of the result is in no operand"))?;
    let same = perm.iter().copied().eq(0..own.len());
    if same { Ok(x) } else { cx.add(Op::Transpose { perm }, &[x]) }
}

fn einsum(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [lhs, rhs] = cx.operands()?;
    let config = cx.fields().need_word("einsum_config")?;
    let malformed = || Problem::error(format!("`{config}` is not of the form `ab,bc->ac`"));
    let (operands, result) = config.split_once("->").ok_or_else(malformed)?;
    let (a, b) = operands.split_once(',').ok_or_else(malformed)?;
    let (mut a, mut b, result) = (letters(a)?, letters(b)?, letters(result)?);
    let lhs = summed(cx, lhs, &mut a, &[b.clone(), result.clone()].concat())?;
    let rhs = summed(cx, rhs, &mut b, &[a.clone(), result.clone()].concat())?;
    let mut dims = DotDims::default();
    let (mut batch, mut free) = (Vec::new(), Vec::new());
    for (i, c) in a.iter().enumerate() {
        match b.iter().position(|o| o == c) {
            Some(j) if result.contains(c) => {
                dims.lhs_batch.push(i);
                dims.rhs_batch.push(j);
                batch.push(*c);
            }
            Some(j) => {
                dims.lhs_contract.push(i);
                dims.rhs_contract.push(j);
            }
            None => free.push(*c),
        }
    }
    free.extend(b.iter().filter(|c| !a.contains(c)));
    let product = product(cx, lhs, rhs, dims)?;
    one(arranged(cx, product, &[batch, free].concat(), &result)?)
}

fn unary_einsum(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let config = cx.fields().need_word("einsum_config")?;
    let parts = config.split_once("->");
    let (own, result) =
        parts.ok_or_else(|| Problem::error(format!("`{config}` is not of the form `ab->ba`")))?;
    let (mut own, result) = (letters(own)?, letters(result)?);
    let x = summed(cx, x, &mut own, &result)?;
    one(arranged(cx, x, &own, &result)?)
}

/// Multiplies consecutive groups of rows of lhs by one matrix each.
fn ragged_dot(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [lhs, rhs, group_sizes] = cx.operands()?;
    let fields = cx.fields().need_fields("ragged_dot_dimension_numbers")?;
    let list = |name: &str| fields.axes(name);
    let plain = list("lhs_batching_dimensions")?.is_empty()
        && list("rhs_batching_dimensions")?.is_empty()
        && list("lhs_contracting_dimensions")? == [1]
        && list("rhs_contracting_dimensions")? == [1]
        && list("lhs_ragged_dimensions")? == [0]
        && list("rhs_group_dimensions")? == [0]
        && [cx.rank(lhs), cx.rank(rhs), cx.rank(group_sizes)] == [2, 3, 1];
    if !plain {
        return Err(Problem::unsupported(
            "RLX only has ragged products of rows [m,k] with matrices [groups,k,n]",
        ));
    }
    let (lhs, rhs, dtype) = aligned(cx, lhs, rhs, cx.declared(0)?.dtype)?;
    one(cx.add(Op::RaggedDot { dtype }, &[lhs, rhs, group_sizes])?)
}
