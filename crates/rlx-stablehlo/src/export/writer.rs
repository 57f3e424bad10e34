//! Writes MLIR syntax: functions, lines with SSA names, types, strings and locations. It does not know any ops.

use super::ExportOptions;
use super::sizes::Sizes;
use rlx_escape::mlir_string;
use rlx_ir::{BinaryOp, DType, Graph, Op, Shape};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// A value of the text.
#[derive(Clone, Debug)]
pub(super) struct EmittedValue {
    /// Its SSA name, `%3` or `%5#1`.
    pub(super) name: String,
    /// Its shape.
    pub(super) shape: Shape,
}

/// State that the functions of one module share.
pub(super) struct Module<'o> {
    pub(super) options: &'o ExportOptions,
    /// The finished functions, in the order in which they were started.
    pub(super) functions: Vec<String>,
    names: BTreeSet<String>,
    /// The function of each expansion, keyed by the op and its operands.
    pub(super) expansions: HashMap<String, String>,
    /// Everything that cannot be written.
    pub(super) problems: Vec<String>,
}

impl<'o> Module<'o> {
    pub(super) fn new(options: &'o ExportOptions) -> Self {
        let names = BTreeSet::from(["main".to_string()]);
        Module { options, functions: Vec::new(), names, expansions: HashMap::new(), problems: Vec::new() }
    }

    /// Returns an unused name for a function, based on `wish`.
    pub(super) fn function_name(&mut self, wish: &str) -> String {
        let plain = rlx_escape::words(wish, |c| c == '.');
        let stem =
            if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("f_{plain}") };
        let mut number = 0;
        loop {
            let name = if number == 0 { stem.clone() } else { format!("{stem}_{number}") };
            if self.names.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }

    /// Adds a private function for the graph `body` and returns its name. If it is the expansion of `expanded`, that op
    /// is written inside it as the operation that StableHLO has for it.
    pub(super) fn private_function(&mut self, wish: &str, body: &Graph, expanded: Option<&Op>) -> String {
        let name = self.function_name(wish);
        // The functions that this one calls are finished first. Its place is reserved so that callers precede callees.
        let place = self.functions.len();
        self.functions.push(String::new());
        let inputs = body.inputs().enumerate();
        let inputs: Vec<EmittedValue> = inputs
            .map(|(i, n)| EmittedValue { name: format!("%arg{i}"), shape: n.shape().clone() })
            .collect();
        let mut writer = Writer::new(self);
        writer.guarded = expanded.cloned();
        writer.sizes.learn(&inputs);
        let outputs = writer.graph(body, &inputs);
        writer.finish_block("return", &outputs);
        let text = std::mem::take(&mut writer.text);
        let arguments: Vec<String> = inputs.iter().map(|v| format!("{}: {}", v.name, ty(&v.shape))).collect();
        let results: Vec<Shape> = body.output_shapes();
        self.functions[place] = format!(
            "  func.func private @{name}({}) -> {} {{\n{text}  }}\n",
            arguments.join(", "),
            result_types(&results)
        );
        name
    }
}

/// Writes the lines of one function.
pub(super) struct Writer<'m, 'o> {
    pub(super) module: &'m mut Module<'o>,
    /// The lines written so far in the innermost region.
    pub(super) text: String,
    indent: usize,
    next: usize,
    /// The location of the lines that are being written.
    label: String,
    /// The op whose expansion is being written. Inside it, the op is written as StableHLO's operation.
    pub(super) guarded: Option<Op>,
    /// The symbolic sizes.
    pub(super) sizes: Sizes,
}

impl<'m, 'o> Writer<'m, 'o> {
    pub(super) fn new(module: &'m mut Module<'o>) -> Self {
        Writer {
            module,
            text: String::new(),
            indent: 2,
            next: 0,
            label: String::new(),
            guarded: None,
            sizes: Sizes::default(),
        }
    }

    /// Sets the block of the model that the following lines come from, and returns the previous one.
    pub(super) fn set_label(&mut self, label: &str) -> String {
        std::mem::replace(&mut self.label, label.to_string())
    }

    /// Records that something cannot be written.
    pub(super) fn problem(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        let at = if self.label.is_empty() { problem } else { format!("{}: {problem}", self.label) };
        if !self.module.problems.contains(&at) {
            self.module.problems.push(at);
        }
    }

    fn new_line(&mut self) {
        (0..self.indent).for_each(|_| self.text.push_str("  "));
    }

    /// Returns an unused name for a value or for several values.
    pub(super) fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%{}", self.next - 1)
    }

    /// Writes `names = text` and returns the results.
    pub(super) fn line(&mut self, results: &[Shape], text: &str) -> Vec<EmittedValue> {
        let name = self.fresh();
        self.new_line();
        let many = if results.len() > 1 { format!(":{}", results.len()) } else { String::new() };
        let location =
            if self.label.is_empty() { String::new() } else { format!(" loc({})", mlir_string(&self.label)) };
        // INVARIANT: writing to a String does not fail.
        let _ = writeln!(self.text, "{name}{many} = {text}{location}");
        let value = |(i, shape): (usize, &Shape)| EmittedValue {
            name: if results.len() > 1 { format!("{name}#{i}") } else { name.clone() },
            shape: shape.clone(),
        };
        results.iter().enumerate().map(value).collect()
    }

    /// Writes a line with one result.
    pub(super) fn one(&mut self, result: &Shape, text: &str) -> EmittedValue {
        // INVARIANT: `line` gives as many values as it is given shapes.
        self.line(std::slice::from_ref(result), text).swap_remove(0)
    }

    /// Writes an auxiliary line with one result and without a location.
    pub(super) fn helper(&mut self, result: &Shape, text: &str) -> EmittedValue {
        let label = self.set_label("");
        let value = self.one(result, text);
        self.label = label;
        value
    }

    /// Writes a line without results.
    pub(super) fn statement(&mut self, text: &str) {
        self.new_line();
        let _ = writeln!(self.text, "{text}");
    }

    /// Writes the terminator of a block.
    pub(super) fn finish_block(&mut self, terminator: &str, outputs: &[EmittedValue]) {
        self.new_line();
        let colon = if outputs.is_empty() { "" } else { " : " };
        let _ = writeln!(self.text, "{terminator} {}{colon}{}", names(outputs), types(outputs));
    }

    /// Writes a region in braces. Its block takes the inputs of `body` and computes it.
    pub(super) fn region(&mut self, body: &Graph) -> String {
        self.region_of(&body.input_shapes(), |w, arguments| w.graph(body, arguments))
    }

    /// Writes a region whose block takes values of these shapes.
    pub(super) fn region_of(
        &mut self,
        shapes: &[Shape],
        body: impl FnOnce(&mut Self, &[EmittedValue]) -> Vec<EmittedValue>,
    ) -> String {
        let values = shapes.iter().map(|shape| EmittedValue { name: self.fresh(), shape: shape.clone() });
        let values: Vec<EmittedValue> = values.collect();
        let arguments: Vec<String> = values.iter().map(|v| format!("{}: {}", v.name, ty(&v.shape))).collect();
        let header =
            if values.is_empty() { String::new() } else { format!("^bb0({}):", arguments.join(", ")) };
        self.braces(&header, |w| {
            // A region takes sizes from its own arguments if it can, so that it captures less.
            w.sizes.learn(&values);
            body(w, &values)
        })
    }

    /// Writes a region that applies a function to two scalars.
    pub(super) fn binary_region(&mut self, op: BinaryOp, element: &Shape) -> String {
        self.region_of(&[element.clone(), element.clone()], |w, arguments| {
            w.node(&Op::Binary { op }, arguments, std::slice::from_ref(element))
        })
    }

    /// Writes a region in braces, with the lines that `body` writes, which returns their results.
    pub(super) fn braces(
        &mut self,
        header: &str,
        body: impl FnOnce(&mut Self) -> Vec<EmittedValue>,
    ) -> String {
        let outer = std::mem::take(&mut self.text);
        let label = self.set_label("");
        // Sizes that are computed in a region are not available after it.
        let sizes = self.sizes.clone();
        self.indent += 1;
        let outputs = body(self);
        self.finish_block("stablehlo.return", &outputs);
        self.indent -= 1;
        self.sizes = sizes;
        self.label = label;
        let inner = std::mem::replace(&mut self.text, outer);
        let indent = "  ".repeat(self.indent);
        let header = if header.is_empty() { String::new() } else { format!("{indent}{header}\n") };
        format!("{{\n{header}{inner}{indent}}}")
    }
}

/// Returns the name of an element type.
pub(super) fn element(dtype: DType) -> &'static str {
    match dtype {
        DType::F64 => "f64",
        DType::F32 => "f32",
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::F8E4M3 => "f8E4M3FN",
        DType::F8E5M2 => "f8E5M2",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U8 => "ui8",
        DType::U16 => "ui16",
        DType::U32 => "ui32",
        DType::U64 => "ui64",
        DType::Bool => "i1",
        DType::C64 => "complex<f32>",
        DType::C128 => "complex<f64>",
    }
}

/// Returns the type of a shape. Symbolic dimensions are `?`.
pub(super) fn ty(shape: &Shape) -> String {
    let mut text = String::from("tensor<");
    for dim in shape.dims() {
        let _ = match dim.as_static() {
            Some(n) => write!(text, "{n}x"),
            None => write!(text, "?x"),
        };
    }
    text.push_str(element(shape.dtype()));
    text.push('>');
    text
}

/// Writes `%0, %1`.
pub(super) fn names(values: &[EmittedValue]) -> String {
    values.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Writes `tensor<f32>, tensor<i1>`.
pub(super) fn types(values: &[EmittedValue]) -> String {
    values.iter().map(|v| ty(&v.shape)).collect::<Vec<_>>().join(", ")
}

/// Writes the types after `->`: one type, or several in parentheses.
pub(super) fn result_types(results: &[Shape]) -> String {
    match results {
        [one] => ty(one),
        many => format!("({})", many.iter().map(ty).collect::<Vec<_>>().join(", ")),
    }
}

/// Writes `(tensor<f32>) -> tensor<f32>`.
pub(super) fn signature(operands: &[EmittedValue], results: &[Shape]) -> String {
    format!("({}) -> {}", types(operands), result_types(results))
}

/// Writes `[1, 2]`.
pub(super) fn list<T: std::fmt::Display>(items: &[T]) -> String {
    format!("[{}]", items.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}

/// Writes `array<i64: 1, 2>`.
pub(super) fn array<T: std::fmt::Display>(items: &[T]) -> String {
    if items.is_empty() {
        return "array<i64>".into();
    }
    format!("array<i64: {}>", items.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}

/// Writes `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`: the padding before and after each axis.
pub(super) fn padding(low: &[i64], high: &[i64]) -> String {
    let pairs: Vec<String> = low.iter().zip(high).map(|(l, h)| format!("[{l}, {h}]")).collect();
    if pairs.is_empty() {
        return "dense<> : tensor<0x2xi64>".into();
    }
    format!("dense<[{}]> : tensor<{}x2xi64>", pairs.join(", "), pairs.len())
}

/// Returns whether `%name` is an SSA name.
pub(super) fn is_ssa_name(name: &str) -> bool {
    let mark = |c: char| matches!(c, '$' | '.' | '_' | '-');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || mark(c))
        && name.chars().all(|c| c.is_ascii_alphanumeric() || mark(c))
}

/// Writes `@name`, quoted if necessary.
pub(super) fn symbol(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '$' | '.' | '_'));
    if plain { format!("@{name}") } else { format!("@{}", mlir_string(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_strings_are_quoted_where_they_must_be() {
        assert_eq!(mlir_string("a \"b\"\n\\é"), r#""a \"b\"\0A\\\C3\A9""#);
        assert_eq!(symbol("main"), "@main");
        assert_eq!(symbol("a b"), "@\"a b\"");
        assert!(is_ssa_name("x.0") && !is_ssa_name("0x") && !is_ssa_name("a b") && !is_ssa_name(""));
    }

    #[test]
    fn types_show_symbolic_dimensions_as_unknown() {
        let shape = Shape::from_dims(&[3.into(), "n".into()], DType::F8E4M3);
        assert_eq!(ty(&shape), "tensor<3x?xf8E4M3FN>");
        assert_eq!(ty(&Shape::scalar(DType::C64)), "tensor<complex<f32>>");
    }
}
