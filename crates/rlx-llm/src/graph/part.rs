//! A place in the model: what is built there, and how the parameters there are stored.
//!
//! A graph asks for its parameters as it is built ([`Parameters`]), and the implementation finds their tensors:
//! there is no list of parameters beside the graph.

use super::adapted::{AdaptedMatrix, LowRank, low_rank_names};
use crate::spec::{NormKind, NormSpec};
use rlx_flow::Flow;
use rlx_flow::blocks::contract_last;
use rlx_gguf::TensorType;
use rlx_ir::{DType, Op, Shape, Tensor};

/// What a parameter is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A matrix, `[outputs, inputs]`, or a table of embeddings: it stays as it is stored.
    Matrix,
    /// Numbers of f32: biases.
    Vector,
    /// Rates of decay, f32 and negative.
    Decay,
    /// The weights of a norm, f32.
    Norm,
}

/// Says how the parameters that a graph asks for are stored.
pub trait Parameters {
    /// How the parameter `name` of these dimensions is stored. Those that may lie together in one tensor are asked for in the order in
    /// which they lie there.
    fn storage(&self, name: &str, dims: &[usize], role: Role) -> TensorType;

    /// The rank of what is added to the matrix `name` of these dimensions; 0 where nothing is.
    fn rank(&self, _name: &str, _dims: &[usize]) -> usize {
        0
    }
}

/// All parameters are numbers of this type.
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
    /// The whole model.
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

    /// The matrix `weight` of this part.
    pub(super) fn matrix(&self, rows: usize, columns: usize) -> AdaptedMatrix {
        self.stored_matrix(&[rows, columns])
    }

    /// The matrices `weight` of this part, as many as there are experts.
    pub(super) fn stack(&self, count: usize, rows: usize, columns: usize) -> AdaptedMatrix {
        self.stored_matrix(&[count, rows, columns])
    }

    fn stored_matrix(&self, dims: &[usize]) -> AdaptedMatrix {
        let (stored, storage) = self.param("weight", dims, Role::Matrix);
        self.adapted(Matrix { stored, storage }, dims)
    }

    /// A matrix that stands for `weight` of this part, with what is added to that.
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

    /// Numbers of this part.
    pub(super) fn vector(&self, name: &str, dims: &[usize]) -> Tensor {
        self.param(name, dims, Role::Vector).0
    }

    /// Rates of decay of this part.
    pub(super) fn decay(&self, name: &str, dims: &[usize]) -> Tensor {
        self.param(name, dims, Role::Decay).0
    }

    /// x `[…, inputs]` · Wᵀ → f32 `[…, outputs]`, with W `[outputs, inputs]` as `weight` of the part `name`, and its `bias` if it has one.
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

    /// The norm of the last axis, by `weight` and `bias` of the part `name`.
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

/// A matrix as it is stored. Its values are exact in f32, and so are products with them but for the sums.
#[derive(Clone)]
pub(super) struct Matrix {
    stored: Tensor,
    storage: TensorType,
}

impl Matrix {
    /// x · Wᵀ.
    pub(super) fn project(&self, x: &Tensor) -> Tensor {
        match self.storage {
            TensorType::Plain(_) => contract_last(x, &self.stored.convert(DType::F32)),
            TensorType::Blocks(scheme) => x.rounded_dequant_matmul(&self.stored, scheme),
        }
    }

    /// Of a stack: runs of rows of x `[rows, inputs]`, of these sizes, each times the transpose of its own matrix.
    pub(super) fn project_runs(&self, x: &Tensor, sizes: &Tensor) -> Tensor {
        match self.storage {
            TensorType::Plain(_) => {
                let values = self.stored.convert(DType::F32).transpose_last();
                x.apply(Op::RaggedDot { dtype: None }, &[&values, sizes])
            }
            TensorType::Blocks(scheme) => x.rounded_dequant_grouped_matmul(&self.stored, sizes, scheme),
        }
    }

    /// The rows that `ids` name: only those are unpacked.
    pub(super) fn rows(&self, ids: &Tensor) -> Tensor {
        let rows = self.stored.embedding(ids);
        match self.storage {
            TensorType::Plain(_) => rows.convert(DType::F32),
            TensorType::Blocks(scheme) => rows.dequantize_blocks(scheme),
        }
    }
}
