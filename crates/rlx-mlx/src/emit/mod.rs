//! Emits nodes of a graph as MLX steps. [`table::TABLE`] has a line per op, and names a function in one of the files next to it,
//! which contain a family of ops each.

mod arithmetic;
mod attention;
mod composite;
mod contraction;
mod control;
mod convolution;
mod elementwise;
mod folds;
mod fourier;
mod host;
mod indexing;
mod linalg;
mod movement;
mod packed;
mod prepared;
mod reduction;
mod rope;
mod shaping;
mod sorting;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod windows;

pub(crate) use host::{COARSE, is_coarse};
pub(crate) use packed::{WORDS, packing_of, scale_type};
pub(crate) use prepared::{Preparation, Prepared, prepared};
pub(crate) use rope::Angles;
pub(crate) use shaping::{constant as constant_array, text as shape_text};
pub(crate) use table::{declined, emit};
pub(crate) use types::element_type;

use crate::launch::Launch;
use rlx_compile::{Claims, CompileOptions, legalize};
use rlx_ir::{Literal, Op, Shape};
use rlx_mlx_sys::{ElementType, Mlx, MlxArray, MlxError};

/// A function from the arrays of a node's operands to the arrays of its results.
pub(crate) type Step =
    Box<dyn Fn(&Launch<'_>, &[&MlxArray]) -> Result<Vec<MlxArray>, StepError> + Send + Sync>;

/// Why a node cannot be expressed in MLX, in words.
pub(crate) type Declined = String;

/// The step of a node, or why there is none.
pub(crate) type Emit = fn(&Site<'_>) -> Result<Step, Declined>;

/// An error in a step.
#[derive(Debug)]
pub(crate) enum StepError {
    /// MLX failed.
    Mlx(MlxError),
    /// A node of a graph inside the op failed.
    Inner(Box<crate::plan::PlanError>),
}

impl From<MlxError> for StepError {
    fn from(error: MlxError) -> StepError {
        StepError::Mlx(error)
    }
}

impl From<crate::plan::PlanError> for StepError {
    fn from(error: crate::plan::PlanError) -> StepError {
        StepError::Inner(Box::new(error))
    }
}

/// The sizes and type of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ArrayType {
    pub(crate) dims: Vec<usize>,
    pub(crate) element: ElementType,
}

impl ArrayType {
    /// Returns the array type for a value of this shape, or why there is none.
    pub(crate) fn of(shape: &Shape) -> Result<ArrayType, Declined> {
        let element = element_type(shape.dtype())?;
        let dims = shape.static_dims().ok_or_else(|| format!("{shape} has no sizes yet"))?;
        match dims.iter().find(|&&d| i32::try_from(d).is_err()) {
            Some(d) => Err(format!("MLX has no array with a dimension of {d}")),
            None => Ok(ArrayType { dims, element }),
        }
    }

    pub(crate) fn rank(&self) -> usize {
        self.dims.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.dims.contains(&0)
    }
}

/// A node to be emitted.
pub(crate) struct Site<'a> {
    pub(crate) op: &'a Op,
    pub(crate) operands: Vec<ArrayType>,
    pub(crate) results: Vec<ArrayType>,
    /// The values of operands that are constants.
    pub(crate) constants: Vec<Option<&'a Literal>>,
    /// Whether the caller only asks if the op can be expressed. Graphs inside the op are then ignored.
    pub(crate) claiming: bool,
    /// Whether packed weights are passed in MLX's layout instead of blocks.
    pub(crate) packed: bool,
    /// What the angles of a rotation consist of, if the graph shows it.
    pub(crate) angles: Option<Angles>,
    /// The MLX library that the node is emitted for.
    pub(crate) mlx: Option<Mlx>,
}

impl Site<'_> {
    /// Returns the first operand.
    pub(crate) fn x(&self) -> &ArrayType {
        &self.operands[0]
    }

    /// Returns the first result.
    pub(crate) fn result(&self) -> &ArrayType {
        &self.results[0]
    }

    pub(crate) fn decline<T>(&self, why: &str) -> Result<T, Declined> {
        Err(format!("MLX has no `{}` {why}", self.op.mnemonic()))
    }
}

/// Makes the step of an op from its definition: a graph of simpler ops, legalized for `claims`.
pub(crate) fn defined(site: &Site<'_>, claims: &dyn Claims) -> Result<Step, Declined> {
    let shape = |operand: &ArrayType| Shape::new(&operand.dims, types::dtype(operand.element));
    let operands: Vec<Shape> = site.operands.iter().map(shape).collect();
    let body = site.op.decompose(&operands).map_err(|e| e.to_string())?;
    let (legal, _) = legalize(&body, "mlx", claims, &CompileOptions::new()).map_err(|e| e.to_string())?;
    let plan = crate::plan::inner(&legal, site.mlx)?;
    Ok(Box::new(move |cx, x| {
        let arguments = x.iter().map(|&x| x.clone()).collect();
        plan.run(cx, arguments).map_err(StepError::from)
    }))
}

/// Makes a step with one result.
pub(crate) fn step(
    f: impl Fn(&Launch<'_>, &[&MlxArray]) -> Result<MlxArray, MlxError> + Send + Sync + 'static,
) -> Result<Step, Declined> {
    Ok(Box::new(move |cx, x| Ok(vec![f(cx, x)?])))
}

/// Makes a step with several results.
pub(crate) fn steps(
    f: impl Fn(&Launch<'_>, &[&MlxArray]) -> Result<Vec<MlxArray>, MlxError> + Send + Sync + 'static,
) -> Result<Step, Declined> {
    Ok(Box::new(move |cx, x| Ok(f(cx, x)?)))
}
