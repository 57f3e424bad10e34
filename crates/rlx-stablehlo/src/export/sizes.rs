//! Writes symbolic dimensions: where the sizes of symbols come from, and expressions over them. Sizes are i32 scalars,
//! as in JAX.

use super::constant::dense;
use super::writer::{EmittedValue, Writer, names, signature, ty};
use rlx_escape::mlir_string;
use rlx_ir::{DType, Dim, Literal, Shape, SizeArithmetic, Symbol, Symbols};
use std::collections::HashMap;

/// The sizes that are available in a function or region.
#[derive(Clone, Default)]
pub(super) struct Sizes {
    /// Sizes that have been computed.
    known: HashMap<Dim, EmittedValue>,
    /// For each symbol, a value with an axis of size `a * symbol + b`: the value, the axis, `a` and `b`.
    sources: HashMap<Symbol, SizeSource>,
}

#[derive(Clone)]
struct SizeSource {
    value: EmittedValue,
    axis: usize,
    factor: i64,
    offset: i64,
}

impl Sizes {
    /// Takes the sizes of symbols from these values and forgets what was known about the symbols.
    pub(super) fn learn(&mut self, values: &[EmittedValue]) {
        let mut learnt: HashMap<Symbol, SizeSource> = HashMap::new();
        for value in values {
            for (axis, dim) in value.shape.dims().iter().enumerate() {
                let Some((symbol, factor, offset)) = dim.linear() else { continue };
                let source = SizeSource { value: value.clone(), axis, factor, offset };
                match learnt.get(&symbol) {
                    // An axis that is just the symbol is preferred.
                    Some(other) if other.is_plain() || !source.is_plain() => {}
                    _ => drop(learnt.insert(symbol, source)),
                }
            }
        }
        self.known.retain(|dim, _| {
            let mut symbols = Symbols::default();
            dim.symbols(&mut symbols);
            !symbols.into_vec().iter().any(|symbol| learnt.contains_key(symbol))
        });
        self.sources.extend(learnt);
    }
}

impl SizeSource {
    fn is_plain(&self) -> bool {
        (self.factor, self.offset) == (1, 0)
    }
}

impl Writer<'_, '_> {
    /// Asserts that the sizes of the arguments of `main` match their dimensions. Axes that a symbol's size is taken from need no assertion.
    pub(super) fn assert_sizes(&mut self, inputs: &[EmittedValue]) {
        for input in inputs {
            for (axis, dim) in input.shape.dims().iter().enumerate() {
                let source = dim.linear().and_then(|(symbol, ..)| self.sizes.sources.get(&symbol));
                let is_source = source.is_some_and(|s| s.value.name == input.name && s.axis == axis);
                if dim.as_static().is_some() || (is_source && source.is_some_and(SizeSource::is_plain)) {
                    continue;
                }
                let wanted = self.size(dim);
                let got = self.axis_size(input, axis);
                let operands = [got, wanted];
                let text = format!(
                    "stablehlo.compare EQ, {}, SIGNED : {}",
                    names(&operands),
                    signature(&operands, &[Shape::scalar(DType::Bool)])
                );
                let holds = self.helper(&Shape::scalar(DType::Bool), &text);
                let message = format!(
                    "dimension {axis} of {} is {{0}}, but `{dim}` is {{1}}",
                    input.name.trim_start_matches('%')
                );
                let [got, wanted] = operands;
                let operands = [holds, got, wanted];
                self.statement(&format!(
                    "stablehlo.custom_call @shape_assertion({}) {{api_version = 2 : i32, error_message = {}, \
                     has_side_effect = true}} : {}",
                    names(&operands),
                    mlir_string(&message),
                    signature(&operands, &[])
                ));
            }
        }
    }

    /// Returns the size of a dimension as an i32 scalar.
    pub(super) fn size(&mut self, dim: &Dim) -> EmittedValue {
        if let Some(value) = self.sizes.known.get(dim) {
            return value.clone();
        }
        let value = dim.compute(self).unwrap_or_else(|error| {
            self.problem(error.to_string());
            self.constant(0)
        });
        self.sizes.known.insert(dim.clone(), value.clone());
        value
    }

    /// Returns the sizes as a vector, for ops that take a shape as an operand.
    pub(super) fn shape_vector(&mut self, dims: &[Dim]) -> EmittedValue {
        let item = Shape::new(&[1], DType::I32);
        let vector = Shape::new(&[dims.len()], DType::I32);
        let statics: Option<Vec<i32>> =
            dims.iter().map(|d| d.as_static().and_then(|n| i32::try_from(n).ok())).collect();
        if let Some(literal) = statics.and_then(|sizes| Literal::new(&[dims.len()], &sizes).ok()) {
            let text = format!("stablehlo.constant dense<{}> : {}", dense(&literal), ty(&vector));
            return self.helper(&vector, &text);
        }
        let items: Vec<EmittedValue> = dims
            .iter()
            .map(|dim| {
                let operands = [self.size(dim)];
                let signature = signature(&operands, std::slice::from_ref(&item));
                self.helper(&item, &format!("stablehlo.reshape {} : {signature}", names(&operands)))
            })
            .collect();
        let signature = signature(&items, std::slice::from_ref(&vector));
        self.helper(&vector, &format!("stablehlo.concatenate {}, dim = 0 : {signature}", names(&items)))
    }

    /// Returns the size of an axis of a value.
    pub(super) fn axis_size(&mut self, value: &EmittedValue, axis: usize) -> EmittedValue {
        let size = Shape::scalar(DType::I32);
        let signature = signature(std::slice::from_ref(value), std::slice::from_ref(&size));
        self.helper(
            &size,
            &format!("stablehlo.get_dimension_size {}, dim = {axis} : {signature}", value.name),
        )
    }

    fn calculate(&mut self, operation: &str, a: &EmittedValue, b: &EmittedValue) -> EmittedValue {
        let size = Shape::scalar(DType::I32);
        self.helper(&size, &format!("stablehlo.{operation} {}, {} : {}", a.name, b.name, ty(&size)))
    }
}

impl SizeArithmetic for Writer<'_, '_> {
    type Number = EmittedValue;

    fn constant(&mut self, value: i64) -> EmittedValue {
        if i32::try_from(value).is_err() {
            self.problem(format!("a size of {value} does not fit 32 bits"));
        }
        let size = Shape::scalar(DType::I32);
        self.helper(&size, &format!("stablehlo.constant dense<{value}> : {}", ty(&size)))
    }

    fn symbol(&mut self, symbol: &Symbol) -> EmittedValue {
        let dim = Dim::Dynamic(symbol.clone());
        if let Some(value) = self.sizes.known.get(&dim) {
            return value.clone();
        }
        let Some(source) = self.sizes.sources.get(symbol).cloned() else {
            self.problem(format!(
                "the size of `{symbol}` does not follow from operand shapes; bind it before the export"
            ));
            return self.constant(0);
        };
        let mut value = self.axis_size(&source.value, source.axis);
        if source.offset != 0 {
            let offset = self.constant(source.offset);
            value = self.calculate("subtract", &value, &offset);
        }
        if source.factor != 1 {
            let factor = self.constant(source.factor);
            value = self.calculate("divide", &value, &factor);
        }
        self.sizes.known.insert(dim, value.clone());
        value
    }

    fn add(&mut self, a: &EmittedValue, b: &EmittedValue) -> EmittedValue {
        self.calculate("add", a, b)
    }

    fn multiply(&mut self, a: &EmittedValue, b: &EmittedValue) -> EmittedValue {
        self.calculate("multiply", a, b)
    }

    fn floor_divide(&mut self, a: &EmittedValue, b: &EmittedValue, least: Option<i64>) -> EmittedValue {
        let quotient = self.calculate("divide", a, b);
        if least.is_some_and(|n| n >= 0) {
            return quotient;
        }
        // Division truncates, so that the quotient is one too large if the remainder is negative.
        let (zero, one) = (self.constant(0), self.constant(1));
        let operands = [self.calculate("remainder", a, b), zero];
        let holds = Shape::scalar(DType::Bool);
        let signature = signature(&operands, std::slice::from_ref(&holds));
        let below =
            self.helper(&holds, &format!("stablehlo.compare LT, {}, SIGNED : {signature}", names(&operands)));
        let less = self.calculate("subtract", &quotient, &one);
        let size = ty(&quotient.shape);
        let operands = [below, less, quotient];
        let text = format!("stablehlo.select {} : tensor<i1>, {size}", names(&operands));
        self.helper(&Shape::scalar(DType::I32), &text)
    }

    fn larger(&mut self, a: &EmittedValue, b: &EmittedValue) -> EmittedValue {
        self.calculate("maximum", a, b)
    }
}
