//! MLX, Apple's array framework, in Rust: arrays as owned handles, errors as values.
//!
//! MLX is C++. Between it and this crate stands a shared library of its own, the shim (`shim/`), with a C interface; `build.rs` builds it
//! where there is an MLX, and it can be built apart. It is loaded at run time ([`Mlx::load`]), so that a program with this crate runs
//! without MLX too.
//!
//! An [`MlxArray`] is a node of a graph that MLX computes when it is asked to ([`Ops::eval`], [`Ops::async_eval`]); the functions of [`Ops`]
//! make nodes. They check shapes, and fail with what MLX says. Nothing here reads outside of an array: what MLX does not check
//! (indices, sizes of views, division by zero) is checked or made harmless here.

#[allow(unsafe_code)]
mod array;
mod check;
mod codes;
#[allow(unsafe_code)]
mod contractions;
mod error;
#[allow(unsafe_code)]
mod ffi;
#[allow(unsafe_code)]
mod function;
#[allow(unsafe_code)]
mod fused;
#[allow(unsafe_code)]
mod indices;
#[allow(unsafe_code)]
mod load;
#[allow(unsafe_code)]
mod ops;
#[allow(unsafe_code)]
mod reductions;
#[allow(unsafe_code)]
mod runtime;
#[allow(unsafe_code)]
mod shapes;

pub use array::MlxArray;
pub use codes::{Binary, Combine, ElementType, Factorisation, Fourier, Kind, Unary};
pub use contractions::{Convolution, PackedWeights};
pub use error::{LoadError, MlxError};
pub use function::{CompiledFunction, Traced};
pub use fused::{Attention, Rope};
pub use load::{BUILT_SHIM, Mlx};
pub use ops::Ops;
pub use runtime::{DeviceText, MemoryUse, Stream};
pub use shapes::Slices;
