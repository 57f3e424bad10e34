//! Safe bindings to MLX, Apple's array framework: arrays as owned handles, errors as values.
//!
//! MLX is written in C++. The shim (`shim/`), a shared library between MLX and this crate, has a C interface, `rlx_mlx.h`, in which
//! exceptions become status codes. `build.rs` builds the shim if MLX is installed, and it can also be built separately. It is loaded at run
//! time ([`Mlx::load`]), so a program with this crate also runs without MLX. Tests compare the table of functions in this crate with the
//! header.
//!
//! An [`MlxArray`] is a node of a graph that MLX computes when it is asked to ([`Ops::eval`], [`Ops::async_eval`]); the functions of
//! [`Ops`] make nodes. They check shapes, and fail with MLX's message.
//!
//! **FFI-1**: all unsafe code of the MLX backend is in this crate, and no safe function in it reads outside an array or traps. MLX does not
//! check for either, so this crate clamps indices, checks views and makes divisors harmless. Views with overlapping windows are copied,
//! because MLX's reductions of such views write outside their results.

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
pub use codes::{Binary, Combine, ElementType, Factorization, Fourier, Kind, Unary};
pub use contractions::{Convolution, PackedWeights};
pub use error::{LoadError, MlxError};
pub use function::{CompiledFunction, Traced};
pub use fused::{Attention, Rope};
pub use load::{BUILT_SHIM, Mlx};
pub use ops::Ops;
pub use runtime::{DeviceText, MemoryUse, Stream};
pub use shapes::Slices;
