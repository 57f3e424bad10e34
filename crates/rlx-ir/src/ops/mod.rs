//! What each op does: a shape rule and an evaluation per primitive, a decomposition per composite.
//!
//! A primitive is a module with `infer` (the shape rule) and `eval` (the evaluation); a composite is a function that builds its
//! decomposition. The table in [`crate::op`] names them.
//!
//! **IR-4**: no rule knows a backend, and no rule panics on operands that `infer` accepted, whatever their
//! values.

// Primitives, by family.
pub(crate) mod body;
pub(crate) mod collective;
pub(crate) mod contraction;
pub(crate) mod control;
pub(crate) mod element;
pub(crate) mod elementwise;
pub(crate) mod fourier;
pub(crate) mod indexing;
pub(crate) mod leaf;
pub(crate) mod linalg;
pub(crate) mod lines;
pub(crate) mod quantized;
pub(crate) mod random;
pub(crate) mod reduction;
pub(crate) mod scalar;
pub(crate) mod shaping;
pub(crate) mod sorting;
pub(crate) mod types;
pub(crate) mod window;

// Composites, one per file.
pub(crate) mod activation;
pub(crate) mod attention;
pub(crate) mod batch_norm;
pub(crate) mod categorical;
pub(crate) mod clip;
pub(crate) mod conv;
pub(crate) mod cumsum;
pub(crate) mod dense_solve;
pub(crate) mod elu;
pub(crate) mod gather_axis;
pub(crate) mod group_norm;
pub(crate) mod kv_append;
pub(crate) mod layer_norm;
pub(crate) mod leaky_relu;
pub(crate) mod lora_matmul;
pub(crate) mod loss;
pub(crate) mod matmul;
pub(crate) mod mean;
pub(crate) mod one_hot;
pub(crate) mod ormqr;
pub(crate) mod pool;
pub(crate) mod quantize;
pub(crate) mod rearrange;
pub(crate) mod recurrent;
pub(crate) mod rms_norm;
pub(crate) mod rng_normal;
pub(crate) mod rng_uniform;
pub(crate) mod rope;
pub(crate) mod sample;
pub(crate) mod selective_scan;
pub(crate) mod softmax;
pub(crate) mod stop_gradient;
pub(crate) mod swiglu;
pub(crate) mod take;

// What composites share.
pub(crate) mod norm;
pub(crate) mod precision;
pub(crate) mod results;
pub(crate) mod size;
