//! A model under construction: a builder with the path of the current block.

use rlx_ir::{Builder, DType, Dim, Graph, Shape, Tensor, Violations};

/// Builds a model's graph. `flow.at("encoder").at("layer.0")` names the parameters and nodes built in it. Clones share
/// the model.
#[derive(Clone)]
pub struct Flow {
    builder: Builder,
    path: String,
    dtype: DType,
}

impl Flow {
    /// An empty model whose parameters have this element type.
    pub fn new(name: impl Into<String>, dtype: DType) -> Flow {
        Flow { builder: Builder::new(name), path: String::new(), dtype }
    }

    /// The builder underneath.
    pub fn builder(&self) -> &Builder {
        &self.builder
    }

    /// The element type of parameters.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The path of this part of the model.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The part of the model named `part` inside this one.
    pub fn at(&self, part: &str) -> Flow {
        let path = if self.path.is_empty() { part.to_string() } else { format!("{}.{part}", self.path) };
        Flow { builder: self.builder.clone(), path, dtype: self.dtype }
    }

    /// Builds a part: calls `f` with the flow of `part`; the nodes that it adds have its path.
    pub fn block<R>(&self, part: &str, f: impl FnOnce(&Flow) -> R) -> R {
        let inner = self.at(part);
        self.builder.scoped(part, || f(&inner))
    }

    /// An input, whose value each run provides.
    pub fn input(&self, name: &str, dims: &[Dim], dtype: DType) -> Tensor {
        self.builder.input(name, Shape::from_dims(dims, dtype))
    }

    /// The parameter `name` of this part, with the model's element type.
    pub fn param(&self, name: &str, dims: &[usize]) -> Tensor {
        let full = if self.path.is_empty() { name.to_string() } else { format!("{}.{name}", self.path) };
        self.builder.param(full, Shape::new(dims, self.dtype))
    }

    /// The verified graph with these outputs.
    pub fn finish(self, outputs: &[&Tensor]) -> Result<Graph, Violations> {
        self.builder.finish(outputs)
    }
}
