//! Custom ops: the registry that gives `Op::Custom` its shape rule, its meaning, and its rules for transforms.
//! It knows nothing of backends; a backend asks it for nothing but the reference meaning.

use crate::dim::Dim;
use crate::graph::Graph;
use crate::literal::Literal;
use crate::op::OpError;
use crate::shape::Shape;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The rules of a custom op. One implementation may serve many nodes; `config` is what a node says about itself, in a
/// form of the op's own.
pub trait CustomOp: Send + Sync {
    /// The shapes of the results for operands of these shapes, which may have symbolic dimensions.
    fn infer(&self, config: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError>;

    /// The results for these operands, whose shapes [`CustomOp::infer`] has accepted.
    fn eval(&self, config: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError>;

    /// The derivative as a graph from (operands…, results…, tangents of operands…) to the tangents of results, linear in the
    /// tangents. Only floats and complex numbers have tangents, of their own shape and type. `None`, as by default: there is
    /// no such rule. Transforms need this one or [`CustomOp::vjp`], and derive the other from it.
    fn jvp(&self, config: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        let _ = (config, operands);
        None
    }

    /// The derivative as a graph from (operands…, results…, cotangents of results…) to the cotangents of operands, linear in
    /// the cotangents. `None` as by default: there is no such rule.
    fn vjp(&self, config: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        let _ = (config, operands);
        None
    }

    /// The op applied to each of `size` slices, as a graph from the operands, of which those that `batched` marks have an axis
    /// of that size in front of their shape in `operands`, to the results, all with such an axis in front. `None` as by
    /// default: there is no such rule.
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

/// The name of a custom op is taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a custom op named `{0}` is already registered; choose another name")]
pub struct AlreadyRegistered(pub String);

static REGISTRY: RwLock<BTreeMap<String, Arc<dyn CustomOp>>> = RwLock::new(BTreeMap::new());

/// Gives `name` its rules, for all graphs of the process. A name keeps its rules: graphs that were verified with
/// them stay valid.
pub fn register_custom(name: impl Into<String>, op: Arc<dyn CustomOp>) -> Result<(), AlreadyRegistered> {
    let name = name.into();
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if registry.contains_key(&name) {
        return Err(AlreadyRegistered(name));
    }
    registry.insert(name, op);
    Ok(())
}

/// The rules that `name` has.
pub fn find_custom(name: &str) -> Option<Arc<dyn CustomOp>> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
}

/// The names that have rules, in order.
pub fn custom_names() -> Vec<String> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}
