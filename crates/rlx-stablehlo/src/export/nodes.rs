//! Chooses the family that writes an op, and writes ops that StableHLO lacks.

use super::expansion::expansion;
use super::form::form;
use super::support::{Form, form_of};
use super::writer::{EmittedValue, Writer, names, signature};
use super::{contraction, control, elementwise, indexing, reduction, routines, shaping};
use crate::composite::{ATTRIBUTES, CALL_ATTRIBUTES, CALL_NAME, CALL_VERSION, Composite, VERSION};
use rlx_escape::mlir_string;
use rlx_ir::{Graph, Op, Shape};

impl Writer<'_, '_> {
    /// Writes the nodes of a graph in exported form, with these values for its leaves, and returns its outputs.
    pub(super) fn graph(&mut self, graph: &Graph, leaves: &[EmittedValue]) -> Vec<EmittedValue> {
        let mut values: Vec<Vec<EmittedValue>> = Vec::with_capacity(graph.nodes().len());
        let mut leaves = leaves.iter();
        for node in graph.nodes() {
            let written = match node.op() {
                Op::Input { .. } | Op::Param { .. } => leaves.next().cloned().into_iter().collect(),
                Op::Output { index } => {
                    let source = node.inputs().first().map(|i| &values[i.index()]);
                    source.and_then(|results| results.get(*index)).cloned().into_iter().collect()
                }
                op => {
                    let operands: Vec<EmittedValue> =
                        node.inputs().iter().filter_map(|i| values[i.index()].first().cloned()).collect();
                    let outer = (!node.label().is_empty()).then(|| self.set_label(node.label()));
                    let results = self.node(op, &operands, node.results());
                    if let Some(outer) = outer {
                        self.set_label(&outer);
                    }
                    results
                }
            };
            values.push(written);
        }
        graph.outputs().iter().filter_map(|o| values[o.index()].first().cloned()).collect()
    }

    /// Writes one op.
    pub(super) fn node(
        &mut self,
        op: &Op,
        operands: &[EmittedValue],
        results: &[Shape],
    ) -> Vec<EmittedValue> {
        let shapes: Vec<Shape> = operands.iter().map(|v| v.shape.clone()).collect();
        let written = match form_of(op, &shapes, results) {
            Form::Own => own_form(self, op, operands, results),
            Form::Guarded if self.guarded.as_ref() == Some(op) => own_form(self, op, operands, results),
            // The importer does not read expansions, so the operation alone is enough.
            Form::Named if self.guarded.is_some() || self.module.options.inline_expansions => {
                own_form(self, op, operands, results)
            }
            Form::Guarded | Form::Named | Form::Expanded => self.expanded(op, operands, results),
        };
        written.unwrap_or_else(|| {
            let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
            self.problem(format!("`{}` on ({}) has no StableHLO form", op.mnemonic(), shapes.join(", ")));
            placeholders(results)
        })
    }

    /// Writes the expansion of an op: in place, or as a composite.
    fn expanded(
        &mut self,
        op: &Op,
        operands: &[EmittedValue],
        results: &[Shape],
    ) -> Option<Vec<EmittedValue>> {
        let shapes: Vec<Shape> = operands.iter().map(|v| v.shape.clone()).collect();
        let body = match expansion(op, &shapes)? {
            Ok(body) => form(&body, &mut self.module.problems),
            Err(error) => {
                self.problem(format!("`{}`: {error}", op.mnemonic()));
                return Some(placeholders(results));
            }
        };
        if self.module.options.inline_expansions {
            let outer = self.guarded.replace(op.clone());
            let results = self.graph(&body, operands);
            self.guarded = outer;
            return Some(results);
        }
        let composite = Composite::of(op);
        let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
        let key = format!("{} {}: {}", composite.name, composite.attributes, shapes.join(", "));
        let function = match self.module.expansions.get(&key) {
            Some(function) => function.clone(),
            None => {
                let function = self.module.private_function(&composite.name, &body, Some(op));
                self.module.expansions.insert(key, function.clone());
                function
            }
        };
        let (operands_text, signature) = (names(operands), signature(operands, results));
        let (name, given) = (mlir_string(&composite.name), mlir_string(&composite.attributes));
        let is_static = operands.iter().all(|v| v.shape.is_static()) && results.iter().all(Shape::is_static);
        let text = if is_static {
            let attributes = match composite.attributes.as_str() {
                "" => String::new(),
                _ => format!("composite_attributes = {{{ATTRIBUTES} = {given}}}, "),
            };
            format!(
                "stablehlo.composite {name} {operands_text} {{{attributes}decomposition = @{function}, \
                 version = {VERSION} : i32}} : {signature}"
            )
        } else {
            // JAX's refinement of open sizes enters calls, but not composites.
            format!(
                "func.call @{function}({operands_text}) {{{CALL_NAME} = {name}, {CALL_ATTRIBUTES} = {given}, \
                 {CALL_VERSION} = {VERSION} : i32}} : {signature}"
            )
        };
        Some(self.line(results, &text))
    }
}

/// Returns values in place of those that could not be written. The text is discarded.
fn placeholders(results: &[Shape]) -> Vec<EmittedValue> {
    results.iter().map(|shape| EmittedValue { name: "%error".into(), shape: shape.clone() }).collect()
}

/// Writes the op as the operation that StableHLO has for it.
fn own_form(
    w: &mut Writer<'_, '_>,
    op: &Op,
    xs: &[EmittedValue],
    results: &[Shape],
) -> Option<Vec<EmittedValue>> {
    if let Some(text) = elementwise::text(op, xs, results) {
        if let Some((x, dim)) = elementwise::open_against_known(op, xs, results) {
            w.problem(format!(
                "`{}`: {x} is combined with a value that has a known size where it has `{dim}`; bind it before the export",
                op.mnemonic()
            ));
        }
        return Some(vec![w.one(results.first()?, &text)]);
    }
    // Each family returns `None` for ops of the others.
    if let Some(text) = contraction::text(op, xs, results).or_else(|| routines::text(op, xs, results)) {
        return Some(w.line(results, &text));
    }
    let first = results.first();
    first
        .and_then(|result| shaping::write(w, op, xs, result))
        .map(|value| vec![value])
        .or_else(|| indexing::write(w, op, xs, results))
        .or_else(|| reduction::write(w, op, xs, results))
        .or_else(|| control::write(w, op, xs, results))
}
