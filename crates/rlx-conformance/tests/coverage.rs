//! The table covers each primitive in every element type that its rule accepts, at odd, zero and large sizes. There is
//! no list of exceptions: every primitive accepts operands (or, for leaves, attributes) without elements.

use rlx_conformance::Case;
use rlx_conformance::cases::FAMILIES;
use rlx_conformance::golden::{Goldens, directory};
use rlx_ir::{DType, Op, OpClass, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// If operands and results together have at least this many elements they are large: more than a block of any kernel.
const LARGE: usize = 1000;

/// Returns an op with the attribute that decides what it computes and which types it accepts.
fn variant(op: &Op) -> String {
    let name = op.mnemonic();
    match op {
        Op::Reduce { kind, .. } | Op::ReduceWindow { kind, .. } => format!("{name} {kind}"),
        Op::Cumulative { op, .. } => format!("{name} {op}"),
        Op::AllReduce { op, .. } | Op::ReduceScatter { op, .. } => format!("{name} {op}"),
        Op::ArgReduce { op, .. } => format!("{name} {op}"),
        Op::Compare { op, total_order, .. } => format!("{name} {op} {total_order}"),
        Op::Scatter { combiner, .. } => format!("{name} {combiner}"),
        Op::Fft { kind, .. } => format!("{name} {kind}"),
        Op::RngBits { algorithm, .. } => format!("{name} {algorithm}"),
        Op::Convert { dtype } | Op::BitcastConvert { dtype } | Op::Quantize { dtype, .. } => {
            format!("{name} {dtype}")
        }
        Op::Activation { kind } => format!("{name} {kind}"),
        Op::Attention { options } => format!("{name} {}", options.mask),
        Op::AttentionBackward { options } => format!("{name} {}", options.mask),
        Op::Rope { style, .. } => format!("{name} {style}"),
        Op::Pool { kind, .. } => format!("{name} {kind}"),
        Op::DequantMatMul { scheme, .. } | Op::DequantGroupedMatMul { scheme, .. } => {
            format!("{name} {scheme}")
        }
        _ => name.to_string(),
    }
}

/// Returns the operand of the op table that the operand at `i` belongs to.
fn operand(op: &Op, i: usize) -> usize {
    let listed = op.kind().operands();
    listed.iter().position(|o| o.variadic).map_or(i, |many| i.min(many))
}

fn is_primitive(op: &Op) -> bool {
    // Leaves have rules about what they contain; inputs and parameters are in every graph.
    op.kind().class() == OpClass::Primitive
}

fn shapes(case: &Case) -> Vec<Shape> {
    let operands = case.operands();
    let results = case.op.infer(&operands).unwrap_or_default();
    operands.into_iter().chain(results).collect()
}

fn elements(shape: &Shape) -> usize {
    shape.num_elements().unwrap_or(0)
}

#[test]
fn every_primitive_has_a_case_in_every_type_that_it_accepts() {
    let (mut accepted, mut covered) = (BTreeSet::new(), BTreeSet::new());
    for family in FAMILIES {
        for row in family.rows() {
            let cases = row.expand(family.name);
            let Some(first) = cases.first().filter(|c| is_primitive(&c.op)) else { continue };
            let name = variant(&first.op);
            accepted.extend(row.accepts().into_iter().map(|(i, d)| (name.clone(), operand(&first.op, i), d)));
            for case in &cases {
                let all = shapes(case);
                let own = if case.operands().is_empty() { &all[..1] } else { &all[..case.operands().len()] };
                covered.extend(
                    own.iter().enumerate().map(|(i, s)| (name.clone(), operand(&case.op, i), s.dtype())),
                );
            }
        }
    }
    assert!(accepted.len() > 1000, "{}", accepted.len());
    let missing: Vec<String> =
        accepted.difference(&covered).map(|(op, i, d)| format!("{op}: operand {i} of {d}")).collect();
    assert!(missing.is_empty(), "accepted types without a case:\n{}", missing.join("\n"));
}

/// Composites, element types that they accept, and why no outside golden judges them there.
const WITHOUT_GOLDEN: &[(&str, DType, &str)] = &[];

#[test]
fn every_composite_has_an_outside_golden_in_every_type_that_it_takes() {
    let (mut takes, mut judged) = (BTreeSet::new(), BTreeSet::new());
    for family in FAMILIES {
        let goldens = Goldens::load(&directory(), family.name).expect("the goldens of the family");
        for row in family.rows() {
            for dtype in DType::ALL {
                let Some(case) = row.of_type(family.name, dtype) else { continue };
                if case.kind().class() == OpClass::Composite {
                    takes.insert((variant(&case.op), dtype));
                }
            }
            for case in row.expand(family.name) {
                if goldens.get(case.key(&case.graph(), &case.inputs())).is_some() {
                    judged.insert((variant(&case.op), case.dtype));
                }
            }
        }
    }
    assert!(takes.len() > 500, "{}", takes.len());
    let listed: BTreeSet<(String, DType)> =
        WITHOUT_GOLDEN.iter().map(|(op, dtype, _)| (op.to_string(), *dtype)).collect();
    let without: BTreeSet<(String, DType)> = takes.difference(&judged).cloned().collect();
    let missing: Vec<String> = without.difference(&listed).map(|(op, d)| format!("{op} of {d}")).collect();
    assert!(missing.is_empty(), "{} composites without a golden:\n{}", missing.len(), missing.join("\n"));
    let stale: Vec<_> = listed.difference(&without).collect();
    assert!(stale.is_empty(), "listed, and not without a golden: {stale:?}");
}

/// The sizes in the cases of an op in one element type.
#[derive(Default)]
struct Sizes {
    odd: bool,
    zero: bool,
    largest: usize,
}

#[test]
fn every_primitive_has_cases_of_odd_zero_and_large_sizes() {
    let mut seen: BTreeMap<(String, DType), Sizes> = BTreeMap::new();
    let mut largest: BTreeMap<String, usize> = BTreeMap::new();
    for case in FAMILIES.iter().flat_map(|f| f.cases()).filter(|c| is_primitive(&c.op)) {
        let shapes = shapes(&case);
        let sizes = seen.entry((variant(&case.op), case.dtype)).or_default();
        let odd = |s: &Shape| s.static_dims().unwrap_or_default().iter().any(|n| n % 2 == 1 && *n > 1);
        sizes.odd |= shapes.iter().any(odd);
        sizes.zero |= shapes.iter().any(|s| elements(s) == 0);
        sizes.largest = sizes.largest.max(shapes.iter().map(elements).sum());
        let most = largest.entry(variant(&case.op)).or_default();
        *most = sizes.largest.max(*most);
    }
    let mut missing = Vec::new();
    for ((op, dtype), sizes) in &seen {
        if !sizes.odd {
            missing.push(format!("{op} {dtype}: an odd size"));
        }
        if !sizes.zero {
            missing.push(format!("{op} {dtype}: a size of zero"));
        }
    }
    let small =
        largest.iter().filter(|(_, n)| **n < LARGE).map(|(op, n)| format!("{op}: a large size, not {n}"));
    missing.extend(small);
    assert!(missing.is_empty(), "{} missing:\n{}", missing.len(), missing.join("\n"));
}
