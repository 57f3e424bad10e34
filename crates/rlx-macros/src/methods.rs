//! The methods of tensors that model bodies can call, as a table from names to functions of the front end.

use crate::value::{Arguments, BuildValue};
use rlx_ir::{DType, Dim, ReduceOp, RopeStyle, Tensor};

macro_rules! methods {
    (
        $( $plain:ident )* ;
        $( $x:ident . $name:ident ( $($arg:ident : $ty:ty),* ) => $body:expr; )*
    ) => {
        /// The names, in the order of the table.
        const NAMES: &[&str] = &[ $(stringify!($plain),)* $(stringify!($name),)* ];

        /// The result of a method, or what is wrong with the call.
        pub(crate) fn call(x: &Tensor, name: &str, values: &[BuildValue]) -> Result<BuildValue, String> {
            #[allow(unused_mut, reason = "methods without arguments take none")]
            let mut arguments = Arguments::new(name, values);
            match name {
                $(stringify!($plain) => {
                    arguments.end()?;
                    Ok(x.$plain().into())
                })*
                $(stringify!($name) => {
                    $(let $arg: Option<$ty> = arguments.next(stringify!($arg));)*
                    arguments.end()?;
                    // INVARIANT: `end` fails if an argument is missing.
                    let missing = || format!("`{name}` lacks an argument");
                    $(let $arg = $arg.ok_or_else(missing)?;)*
                    let $x = x;
                    Ok($body.into())
                })*
                _ => Err(unknown(name)),
            }
        }
    };
}

methods! {
    abs sign exp expm1 log log1p sqrt rsqrt sin cos tanh logistic erf floor ceil logical_not
    relu gelu gelu_tanh silu sigmoid softplus transpose_last stop_gradient;

    x.maximum(rhs: Tensor) => x.maximum(&rhs);
    x.minimum(rhs: Tensor) => x.minimum(&rhs);
    x.pow(rhs: Tensor) => x.pow(&rhs);
    x.and(rhs: Tensor) => x.and(&rhs);
    x.or(rhs: Tensor) => x.or(&rhs);
    x.equal(rhs: Tensor) => x.equal(&rhs);
    x.not_equal(rhs: Tensor) => x.not_equal(&rhs);
    x.less(rhs: Tensor) => x.less(&rhs);
    x.less_equal(rhs: Tensor) => x.less_equal(&rhs);
    x.greater(rhs: Tensor) => x.greater(&rhs);
    x.greater_equal(rhs: Tensor) => x.greater_equal(&rhs);
    x.select(on_true: Tensor, on_false: Tensor) => x.select(&on_true, &on_false);
    x.clip(low: Option<f64>, high: Option<f64>) => x.clip(low, high);
    x.elu(alpha: f64) => x.elu(alpha);
    x.leaky_relu(slope: f64) => x.leaky_relu(slope);
    x.swiglu(up: Tensor) => x.swiglu(&up);

    x.matmul(rhs: Tensor) => x.matmul(&rhs);
    x.lora_matmul(w: Tensor, a: Tensor, b: Tensor, alpha: f64) => x.lora_matmul(&w, &a, &b, alpha);
    x.dense_solve(b: Tensor) => x.dense_solve(&b);
    x.take(indices: Tensor, axis: usize) => x.take(&indices, axis);
    x.embedding(ids: Tensor) => x.embedding(&ids);
    x.gather(indices: Tensor, axis: usize) => x.gather(&indices, axis);
    x.one_hot(depth: usize, dtype: DType) => x.one_hot(depth, dtype);
    x.rope(cos: Tensor, sin: Tensor, style: RopeStyle, seq_axis: usize) => x.rope(&cos, &sin, style, seq_axis);

    x.softmax(axis: usize) => x.softmax(axis);
    x.log_softmax(axis: usize) => x.log_softmax(axis);
    x.logsumexp(axes: Vec<usize>, keep_dims: bool) => x.logsumexp(&axes, keep_dims);
    x.mean(axes: Vec<usize>, keep_dims: bool) => x.mean(&axes, keep_dims);
    x.reduce(kind: ReduceOp, axes: Vec<usize>, keep_dims: bool) => x.reduce(kind, &axes, keep_dims);
    x.cumsum(axis: usize) => x.cumsum(axis);
    x.layer_norm(axis: usize, eps: f64, gamma: Option<Tensor>, beta: Option<Tensor>) =>
        x.layer_norm(axis, eps, gamma.as_ref(), beta.as_ref());
    x.rms_norm(axis: usize, eps: f64, gamma: Option<Tensor>) => x.rms_norm(axis, eps, gamma.as_ref());
    x.pool(kind: ReduceOp, kernel_size: Vec<usize>, stride: Vec<usize>, padding: Vec<usize>) =>
        x.pool(kind, &kernel_size, &stride, &padding);
    x.softmax_cross_entropy(labels: Tensor) => x.softmax_cross_entropy(&labels);
    x.mse(target: Tensor) => x.mse(&target);

    x.reshape(dims: Vec<Dim>) => x.reshape(&dims);
    x.broadcast_to(dims: Vec<Dim>) => x.broadcast_to(&dims);
    x.expand(dims: Vec<Dim>) => x.expand(&dims);
    x.unsqueeze(axis: usize) => x.unsqueeze(axis);
    x.squeeze(axis: usize) => x.squeeze(axis);
    x.transpose(perm: Vec<usize>) => x.transpose(&perm);
    x.slice_axis(axis: usize, start: Dim, limit: Dim) => x.slice_axis(axis, start, limit);
    x.narrow(axis: usize, start: Dim, length: Dim) => x.narrow(axis, start, length);
    x.split(axis: usize, sizes: Vec<Dim>) => x.split(axis, &sizes);
    x.tile(repeats: Vec<usize>) => x.tile(&repeats);
    x.roll(shifts: Vec<i64>, axes: Vec<usize>) => x.roll(&shifts, &axes);
    x.convert(dtype: DType) => x.convert(dtype);
    x.dim(axis: usize) => x.dim(axis);
}

fn unknown(name: &str) -> String {
    format!(
        "tensors have no method `{name}` here; they have {}; any other op is written as `op(\"NAME {{attributes}}\", &[&x])`",
        NAMES.join(", ")
    )
}
