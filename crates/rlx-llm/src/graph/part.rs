//! A part of the model under construction: builds its ops and looks up how its parameters are stored.
//!
//! A graph asks for its parameters as it is built ([`Parameters`]), and the implementation finds their tensors, so
//! there is no separate list of parameters.

use super::adapted::{AdaptedMatrix, LowRank, low_rank_names};
use crate::spec::{NormKind, NormSpec};
use rlx_flow::Flow;
use rlx_flow::blocks::contract_last;
use rlx_gguf::TensorType;
use rlx_ir::{DType, Op, Shape, Tensor};

/// What a parameter is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A matrix `[outputs, inputs]` or an embedding table. It stays as it is stored.
    Matrix,
    /// A vector of f32, such as a bias.
    Vector,
    /// Decay rates, which are f32 and negative.
    Decay,
    /// The weights of a norm, in f32.
    Norm,
}

/// Decides how the parameters of a graph are stored.
pub trait Parameters {
    /// Returns how the parameter `name` with these dimensions is stored. Parameters that may share a tensor are asked
    /// for in the order of their rows in that tensor.
    fn storage(&self, name: &str, dims: &[usize], role: Role) -> TensorType;

    /// Returns the rank of the update of the matrix `name` with these dimensions, or 0 if it has none.
    fn rank(&self, _name: &str, _dims: &[usize]) -> usize {
        0
    }
}

/// Stores all parameters in this type.
impl Parameters for DType {
    fn storage(&self, _: &str, _: &[usize], role: Role) -> TensorType {
        TensorType::Plain(if role == Role::Matrix { *self } else { DType::F32 })
    }
}

/// A part of the model under construction.
#[derive(Clone)]
pub(super) struct ModelPart<'a> {
    pub(super) flow: Flow,
    parameters: &'a dyn Parameters,
}

impl<'a> ModelPart<'a> {
    /// Creates the part for the whole model.
    pub(super) fn new(flow: Flow, parameters: &'a dyn Parameters) -> ModelPart<'a> {
        ModelPart { flow, parameters }
    }

    /// Builds the part `name` inside this one.
    pub(super) fn block<R>(&self, name: &str, f: impl FnOnce(&ModelPart<'a>) -> R) -> R {
        self.flow.block(name, |flow| f(&ModelPart { flow: flow.clone(), parameters: self.parameters }))
    }

    fn param(&self, name: &str, dims: &[usize], role: Role) -> (Tensor, TensorType) {
        let full = format!("{}.{name}", self.flow.path());
        let storage = self.parameters.storage(&full, dims, role);
        let shape = match (storage, dims) {
            (TensorType::Plain(dtype), _) => Shape::new(dims, dtype),
            (TensorType::Blocks(scheme), [lead @ .., last]) => {
                let bytes = last / scheme.block_len() * scheme.block_bytes();
                Shape::new(&[lead, &[bytes]].concat(), DType::U8)
            }
            (TensorType::Blocks(_), []) => Shape::new(dims, DType::U8),
        };
        (self.flow.builder().param(full, shape), storage)
    }

    /// Returns the matrix `weight` of this part.
    pub(super) fn matrix(&self, rows: usize, columns: usize) -> AdaptedMatrix {
        self.stored_matrix(&[rows, columns])
    }

    /// Returns the matrices `weight` of this part, one for each expert.
    pub(super) fn stack(&self, count: usize, rows: usize, columns: usize) -> AdaptedMatrix {
        self.stored_matrix(&[count, rows, columns])
    }

    fn stored_matrix(&self, dims: &[usize]) -> AdaptedMatrix {
        let (stored, storage) = self.param("weight", dims, Role::Matrix);
        self.adapted(Matrix { stored, storage }, dims)
    }

    /// Returns a matrix that is used as `weight` of this part, with the update of that parameter.
    pub(super) fn adapted(&self, base: Matrix, dims: &[usize]) -> AdaptedMatrix {
        let full = format!("{}.weight", self.flow.path());
        let rank = self.parameters.rank(&full, dims);
        let low_rank = (rank > 0).then(|| {
            let (lead, last) = dims.split_at(dims.len().saturating_sub(2));
            let shapes = [[rank, last[1]], [last[0], rank]].map(|matrix| [lead, &matrix].concat());
            let [a, b] = low_rank_names(&full);
            let param =
                |name, shape: &[usize]| self.flow.builder().param(name, Shape::new(shape, DType::F32));
            LowRank { a: param(a, &shapes[0]), b: param(b, &shapes[1]) }
        });
        AdaptedMatrix { base, low_rank }
    }

    /// Returns the vector `name` of this part.
    pub(super) fn vector(&self, name: &str, dims: &[usize]) -> Tensor {
        self.param(name, dims, Role::Vector).0
    }

    /// Returns decay rates of this part.
    pub(super) fn decay(&self, name: &str, dims: &[usize]) -> Tensor {
        self.param(name, dims, Role::Decay).0
    }

    /// Computes x `[…, inputs]` · Wᵀ → f32 `[…, outputs]`, where W `[outputs, inputs]` is `weight` of the part
    /// `name`, and adds its `bias` if it has one.
    pub(super) fn linear(
        &self,
        name: &str,
        x: &Tensor,
        (inputs, outputs): (usize, usize),
        bias: bool,
    ) -> Tensor {
        self.block(name, |part| {
            let product = part.matrix(outputs, inputs).project(x);
            if bias { product + part.vector("bias", &[outputs]) } else { product }
        })
    }

    /// Computes the norm over the last axis, with `weight` and `bias` of the part `name`.
    pub(super) fn norm(&self, name: &str, x: &Tensor, spec: &NormSpec) -> Tensor {
        let last = x.rank().saturating_sub(1);
        let width = x.dim(last).as_static().unwrap_or_default();
        self.block(name, |part| {
            let weight = part.param("weight", &[width], Role::Norm).0;
            match spec.kind {
                NormKind::Rms => x.rms_norm(last, spec.eps, Some(&weight)),
                NormKind::Layer => {
                    let bias = part.vector("bias", &[width]);
                    x.layer_norm(last, spec.eps, Some(&weight), Some(&bias))
                }
            }
        })
    }
}

/// A matrix as it is stored. Its values are exact in f32, so products with it are exact up to the rounding of sums.
#[derive(Clone)]
pub(super) struct Matrix {
    stored: Tensor,
    storage: TensorType,
}

impl Matrix {
    /// Computes x · Wᵀ.
    pub(super) fn project(&self, x: &Tensor) -> Tensor {
        match self.storage {
            TensorType::Plain(_) => contract_last(x, &self.stored.convert(DType::F32)),
            TensorType::Blocks(scheme) => x.rounded_dequant_matmul(&self.stored, scheme),
        }
    }

    /// For a stack: multiplies each run of rows of x `[rows, inputs]` by the transpose of its own matrix; `sizes` has
    /// the lengths of the runs.
    pub(super) fn project_runs(&self, x: &Tensor, sizes: &Tensor) -> Tensor {
        match self.storage {
            TensorType::Plain(_) => {
                let values = self.stored.convert(DType::F32).transpose_last();
                x.apply(Op::RaggedDot { dtype: None }, &[&values, sizes])
            }
            TensorType::Blocks(scheme) => x.rounded_dequant_grouped_matmul(&self.stored, sizes, scheme),
        }
    }

    /// Returns the rows selected by `ids`. Only these are unpacked.
    pub(super) fn rows(&self, ids: &Tensor) -> Tensor {
        let rows = self.stored.embedding(ids);
        match self.storage {
            TensorType::Plain(_) => rows.convert(DType::F32),
            TensorType::Blocks(scheme) => rows.dequantize_blocks(scheme),
        }
    }
}
