//! Custom ops: the registry that gives `Op::Custom` its shape rule, its evaluation, and its rules for transforms. It does not
//! know backends; a backend uses only the reference evaluation.

use crate::dim::Dim;
use crate::graph::Graph;
use crate::literal::Literal;
use crate::op::OpError;
use crate::shape::Shape;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The rules of a custom op. One implementation may serve many nodes; `config` is the configuration of a node, in a format that
/// the op defines.
pub trait CustomOp: Send + Sync {
    /// Infers the shapes of the results from those of the operands, which may have symbolic dimensions.
    fn infer(&self, config: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError>;

    /// Evaluates the op. [`CustomOp::infer`] has accepted the shapes of the operands.
    fn eval(&self, config: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError>;

    /// The derivative as a graph from (operands…, results…, tangents of operands…) to the tangents of results, linear in the
    /// tangents. Only floats and complex numbers have tangents, of their own shape and type. `None`, the default, means that
    /// there is no such rule. Transforms need this rule or [`CustomOp::vjp`], and derive the other from it.
    fn jvp(&self, config: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        let _ = (config, operands);
        None
    }

    /// The derivative as a graph from (operands…, results…, cotangents of results…) to the cotangents of operands, linear in the
    /// cotangents. `None`, the default, means that there is no such rule.
    fn vjp(&self, config: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        let _ = (config, operands);
        None
    }

    /// The op applied to each of `size` slices, as a graph from operands to results. The operands marked in `batched` have a
    /// leading axis of that size, before their shape in `operands`, and so do all results. `None`, the default, means that there
    /// is no such rule.
    fn batch(
        &self,
        config: &str,
        operands: &[Shape],
        batched: &[bool],
        size: &Dim,
    ) -> Option<Result<Graph, OpError>> {
        let _ = (config, operands, batched, size);
        None
    }
}

/// The error for a custom op whose name is taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a custom op named `{0}` is already registered; choose another name")]
pub struct AlreadyRegistered(pub String);

static REGISTRY: RwLock<BTreeMap<String, Arc<dyn CustomOp>>> = RwLock::new(BTreeMap::new());

/// Registers the rules of the custom op `name` for all graphs of the process. A name keeps its rules, so graphs that were
/// verified with them stay valid.
pub fn register_custom(name: impl Into<String>, op: Arc<dyn CustomOp>) -> Result<(), AlreadyRegistered> {
    let name = name.into();
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if registry.contains_key(&name) {
        return Err(AlreadyRegistered(name));
    }
    registry.insert(name, op);
    Ok(())
}

/// The rules registered for `name`.
pub fn find_custom(name: &str) -> Option<Arc<dyn CustomOp>> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
}

/// The names of all registered ops, in order.
pub fn custom_names() -> Vec<String> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}
