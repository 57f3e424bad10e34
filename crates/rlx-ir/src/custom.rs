//! Ops that a program brings along: the registry that gives `Op::Custom` its shape rule and its meaning. It knows
//! nothing of graphs or backends; a backend asks it for nothing but the reference meaning.

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
