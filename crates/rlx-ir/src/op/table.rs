//! The op table: one row an op. A row gives the class, the name in the text form, the variant with its attributes,
//! the operands, and where the rules are. From it follow [`Op`], [`OpKind`], the printer and parser of attributes,
//! and the calls to the rules.
//!
//! - `leaf` rows have no rules.
//! - `primitive` rows name a module with `infer(operands: &Shape …, attributes …) -> Result<Shape or shapes, OpError>`
//!   and `eval(&EvalCx, operands: &Value …, attributes …) -> Result<Value or values, OpError>`.
//! - `composite` rows name a function `(operands: &Tensor …, attributes …) -> Result<Tensor or tensors, OpError>`
//!   that builds the decomposition; shape rule, meaning and derivative follow from it.
//!
//! Operands marked `[optional]` may be left out, `[many]` stands for any number. Rules take attributes as
//! [`Attr::Arg`]: small ones by copy, others by reference.

use super::kinds::*;
use super::rules::{OpError, Operand, Operands, Results};
use super::{Attr, OpClass};
use crate::dim::{Bindings, Dim};
use crate::dtype::DType;
use crate::eval::{EvalCx, Value};
use crate::graph::SubGraph;
use crate::literal::Literal;
use crate::ops::*;
use crate::shape::Shape;
use crate::tensor::Tensor;
use crate::text::{ParseError, Parser, Printer};

macro_rules! op_table {
    ($(
        $(#[doc = $doc:literal])*
        $class:ident $name:literal $Variant:ident {
            $( $(#[doc = $field_doc:literal])* $field:ident : $ty:ty ),* $(,)?
        } ( $($operand:ident $([$mark:ident])?),* ) $(=> $($path:ident)::+)?;
    )*) => {
        /// An operation with its attributes. Operands are the inputs of the node that holds it.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Op {
            $( $(#[doc = $doc])* $Variant { $( $(#[doc = $field_doc])* $field: $ty ),* }, )*
        }

        /// An operation without its attributes.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum OpKind {
            $( $(#[doc = $doc])* $Variant, )*
        }

        impl OpKind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [OpKind] = &[$(OpKind::$Variant),*];

            /// The name in the text form, in reports and in options.
            pub const fn name(self) -> &'static str {
                match self { $(OpKind::$Variant => $name),* }
            }

            /// The kind with this name.
            pub fn from_name(name: &str) -> Option<OpKind> {
                match name { $($name => Some(OpKind::$Variant),)* _ => None }
            }

            /// What the op computes.
            pub const fn doc(self) -> &'static str {
                match self { $(OpKind::$Variant => concat!($($doc),*).trim_ascii()),* }
            }

            /// Whether the op is a leaf, a primitive or a composite.
            pub const fn class(self) -> OpClass {
                match self { $(OpKind::$Variant => op_table!(@class $class)),* }
            }

            /// The operands.
            pub const fn operands(self) -> &'static [Operand] {
                match self {
                    $(OpKind::$Variant => const {
                        &[$(Operand::new(stringify!($operand), &[$(stringify!($mark))?])),*]
                    }),*
                }
            }

            /// Names and descriptions of the attributes.
            pub const fn attributes(self) -> &'static [(&'static str, &'static str)] {
                match self {
                    $(OpKind::$Variant => const {
                        &[$((stringify!($field), concat!($($field_doc),*).trim_ascii())),*]
                    }),*
                }
            }
        }

        impl Op {
            /// The op without its attributes.
            pub const fn kind(&self) -> OpKind {
                match self { $(Op::$Variant { .. } => OpKind::$Variant),* }
            }

            /// The shapes of the results for operands of these shapes.
            pub fn infer(&self, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
                Operand::check_arity(self.kind().operands(), operands.len())?;
                match self {
                    $(Op::$Variant { $($field),* } => op_table!(@infer $class self operands
                        ($($operand)*) ($($field)*) $($($path)::+)?)),*
                }
            }

            /// Runs a primitive on values whose shapes were inferred.
            pub(crate) fn eval(&self, cx: &EvalCx<'_>, operands: &[Value]) -> Result<Vec<Value>, OpError> {
                Operand::check_arity(self.kind().operands(), operands.len())?;
                match self {
                    $(Op::$Variant { $($field),* } => op_table!(@eval $class cx operands
                        ($($operand)*) ($($field)*) $($($path)::+)?)),*
                }
            }

            /// Builds a composite's decomposition on `operands`.
            pub(crate) fn expand(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
                Operand::check_arity(self.kind().operands(), operands.len())?;
                match self {
                    $(Op::$Variant { $($field),* } => op_table!(@expand $class operands
                        ($($operand)*) ($($field)*) $($($path)::+)?)),*
                }
            }

            pub(crate) fn print_attributes(&self, p: &mut Printer) {
                match self {
                    $(Op::$Variant { $($field),* } => {
                        $(p.attribute(stringify!($field), |p| Attr::print($field, p));)*
                    })*
                }
                let _ = p;
            }

            pub(crate) fn parse_attributes(kind: OpKind, p: &mut Parser<'_>) -> Result<Op, ParseError> {
                Ok(match kind {
                    $(OpKind::$Variant => Op::$Variant { $($field: p.attribute(stringify!($field))?),* },)*
                })
            }

            /// Replaces bound symbols in the attributes, sub-graphs included.
            pub fn bind(&mut self, bindings: &Bindings) {
                match self {
                    $(Op::$Variant { $($field),* } => { $(Attr::bind($field, bindings);)* })*
                }
                let _ = bindings;
            }

            /// Calls `visit` with each sub-graph.
            pub fn for_each_graph<'a>(&'a self, visit: &mut dyn FnMut(&'a SubGraph)) {
                match self {
                    $(Op::$Variant { $($field),* } => { $(Attr::graphs($field, visit);)* })*
                }
                let _ = visit;
            }

            /// Calls `visit` with each sub-graph, to replace it.
            pub fn for_each_graph_mut(&mut self, visit: &mut dyn FnMut(&mut SubGraph)) {
                match self {
                    $(Op::$Variant { $($field),* } => { $(Attr::graphs_mut($field, visit);)* })*
                }
                let _ = visit;
            }
        }
    };

    (@class leaf) => { OpClass::Leaf };
    (@class primitive) => { OpClass::Primitive };
    (@class composite) => { OpClass::Composite };

    (@infer leaf $self:ident $operands:ident ($($operand:ident)*) ($($field:ident)*)) => {{
        $(let _ = $field;)*
        Err(OpError::attribute("the shape of a leaf is declared, not inferred"))
    }};
    (@infer primitive $self:ident $operands:ident ($($operand:ident)*) ($($field:ident)*) $($path:ident)::+) => {{
        #[allow(unused_mut, unused_variables)]
        let mut list = Operands::new($operands);
        $(let $operand = list.take();)*
        $($path::)+infer($($operand,)* $(Attr::arg($field)),*).map(Results::into_results)
    }};
    (@infer composite $self:ident $operands:ident ($($operand:ident)*) ($($field:ident)*) $($path:ident)::+) => {{
        $(let _ = $field;)*
        crate::tensor::infer_composite($self, $operands)
    }};

    (@eval leaf $cx:ident $operands:ident ($($operand:ident)*) ($($field:ident)*)) => {{
        $(let _ = $field;)*
        Err(OpError::Eval("a leaf has no meaning of its own".into()))
    }};
    (@eval primitive $cx:ident $operands:ident ($($operand:ident)*) ($($field:ident)*) $($path:ident)::+) => {{
        #[allow(unused_mut, unused_variables)]
        let mut list = Operands::new($operands);
        $(let $operand = list.take();)*
        $($path::)+eval($cx, $($operand,)* $(Attr::arg($field)),*).map(Results::into_results)
    }};
    (@eval composite $cx:ident $operands:ident ($($operand:ident)*) ($($field:ident)*) $($path:ident)::+) => {{
        $(let _ = $field;)*
        Err(OpError::Eval("a composite is evaluated through its decomposition".into()))
    }};

    (@expand composite $operands:ident ($($operand:ident)*) ($($field:ident)*) $($path:ident)::+) => {{
        #[allow(unused_mut, unused_variables)]
        let mut list = Operands::new($operands);
        $(let $operand = list.take();)*
        $($path)::+($($operand,)* $(Attr::arg($field)),*).map(Results::into_results)
    }};
    (@expand $class:ident $operands:ident ($($operand:ident)*) ($($field:ident)*) $($($path:ident)::+)?) => {{
        $(let _ = $field;)*
        Err(OpError::attribute("only a composite has a decomposition"))
    }};
}

op_table! {
    // ---- leaves -------------------------------------------------------------------------------------------
    /// A value that each run gives.
    leaf "input" Input { /// Unique among the inputs.
        name: String } ();
    /// A value that is set once and kept.
    leaf "param" Param { /// Unique among the parameters.
        name: String } ();
    /// A value known when the graph is built.
    primitive "constant" Constant { /// The value.
        value: Literal } () => leaf::constant;
    /// 0, 1, 2, … along one axis.
    primitive "iota" Iota {
        /// Dimensions and element type of the result.
        shape: Shape,
        /// The axis along which the value counts.
        axis: usize } () => leaf::iota;
    /// One result of an op with several.
    primitive "output" Output { /// Which result.
        index: usize } (results[many]) => leaf::output;
    /// The size of a dimension, as an i64 scalar.
    primitive "dim_size" DimSize { /// Which dimension.
        axis: usize } (x) => leaf::dim_size;

    // ---- elementwise --------------------------------------------------------------------------------------
    /// An elementwise function of one tensor.
    primitive "unary" Unary { /// Which function.
        op: UnaryOp } (x) => elementwise::unary;
    /// An elementwise function of two tensors of one shape.
    primitive "binary" Binary { /// Which function.
        op: BinaryOp } (lhs, rhs) => elementwise::binary;
    /// Elementwise comparison, as booleans. NaN compares unequal to everything, itself included, unless `total_order`.
    primitive "compare" Compare {
        /// Which comparison.
        op: CompareOp,
        /// Compare floats by the IEEE 754 total order: −NaN < −inf < … < −0 < 0 < … < inf < NaN.
        total_order: bool } (lhs, rhs) => elementwise::compare;
    /// `on_true` where `pred` holds, else `on_false`.
    primitive "select" Select {} (pred, on_true, on_false) => elementwise::select;
    /// min(max(x, low), high); NaN if any of them is NaN.
    primitive "clamp" Clamp {} (low, x, high) => elementwise::clamp;
    /// Regularised incomplete beta function I_x(a, b).
    primitive "betainc" Betainc {} (a, b, x) => elementwise::betainc;

    // ---- element types ------------------------------------------------------------------------------------
    /// Converts the element type. Float to integer truncates toward zero and saturates, NaN gives 0; integer to
    /// integer wraps; to boolean is "not zero"; complex to real drops the imaginary part; rounding is to nearest even.
    primitive "convert" Convert { /// The new element type.
        dtype: DType } (x) => types::convert;
    /// Reads the bytes as another element type. A wider type consumes the last axis, a narrower one adds one.
    primitive "bitcast_convert" BitcastConvert { /// The new element type.
        dtype: DType } (x) => types::bitcast_convert;
    /// Rounds to a narrower floating point format and back.
    primitive "reduce_precision" ReducePrecision {
        /// Bits of the exponent, at least 1.
        exponent_bits: u32,
        /// Bits of the mantissa.
        mantissa_bits: u32 } (x) => types::reduce_precision;

    // ---- shape --------------------------------------------------------------------------------------------
    /// The same elements in row-major order under other dimensions.
    primitive "reshape" Reshape { /// The new dimensions.
        dims: Vec<Dim> } (x) => shaping::reshape;
    /// Permutes the axes: axis i of the result is axis `perm[i]` of x.
    primitive "transpose" Transpose { /// A permutation of the axes.
        perm: Vec<usize> } (x) => shaping::transpose;
    /// Repeats x along new axes and along axes of size 1.
    primitive "broadcast_in_dim" BroadcastInDim {
        /// The dimensions of the result.
        dims: Vec<Dim>,
        /// Where each axis of x goes, strictly increasing or not, no two equal.
        axes: Vec<usize> } (x) => shaping::broadcast_in_dim;
    /// A strided box of x.
    primitive "slice" Slice {
        /// First index an axis.
        starts: Vec<Dim>,
        /// One past the last index an axis.
        limits: Vec<Dim>,
        /// Step an axis, at least 1.
        strides: Vec<usize> } (x) => shaping::slice;
    /// Adds `value` before, after and between elements; negative low and high padding removes elements.
    primitive "pad" Pad {
        /// Elements added before an axis.
        low: Vec<i64>,
        /// Elements added after an axis.
        high: Vec<i64>,
        /// Elements added between neighbours of an axis.
        interior: Vec<usize> } (x, value) => shaping::pad;
    /// Joins tensors along an axis.
    primitive "concatenate" Concatenate { /// The axis.
        axis: usize } (xs[many]) => shaping::concatenate;
    /// Reverses axes.
    primitive "reverse" Reverse { /// The axes.
        axes: Vec<usize> } (x) => shaping::reverse;
    /// A box of x at an offset given by integer scalars, moved inside where it would stick out.
    primitive "dynamic_slice" DynamicSlice { /// Sizes of the box.
        sizes: Vec<Dim> } (x, starts[many]) => shaping::dynamic_slice;
    /// x with a box replaced by `update`; the box is moved inside where it would stick out.
    primitive "dynamic_update_slice" DynamicUpdateSlice {} (x, update, starts[many]) => shaping::dynamic_update_slice;

    // ---- contraction --------------------------------------------------------------------------------------
    /// Products summed over contracting axes, kept apart over batch axes. Result axes: batch, then free axes of lhs,
    /// then free axes of rhs. Without `dtype` sums round once, to the operands' type; f16, bf16 and f8 accumulate wider.
    primitive "dot_general" DotGeneral {
        /// Batch axes of lhs.
        lhs_batch: Vec<usize>,
        /// Batch axes of rhs, in the same order.
        rhs_batch: Vec<usize>,
        /// Contracting axes of lhs.
        lhs_contract: Vec<usize>,
        /// Contracting axes of rhs, in the same order.
        rhs_contract: Vec<usize>,
        /// Element type of products, sums and result; the operands' by default.
        dtype: Option<DType> } (lhs, rhs) => contraction::dot_general;

    // ---- reductions ---------------------------------------------------------------------------------------
    /// Combines all elements along axes, which disappear. An empty axis gives the reducer's identity.
    primitive "reduce" Reduce {
        /// The combiner.
        kind: Reducer,
        /// The axes.
        axes: Vec<usize> } (x) => reduction::reduce;

    // ---- control ------------------------------------------------------------------------------------------
    /// The values themselves; nothing moves across.
    primitive "optimization_barrier" OptimizationBarrier {} (xs[many]) => control::optimization_barrier;

    // ---- composites: activations ---------------------------------------------------------------------------
    /// A named elementwise function.
    composite "activation" Activation { /// Which function.
        kind: Activation } (x) => activation::activation;

    // ---- composites: contraction ---------------------------------------------------------------------------
    /// Matrix product of the last two axes; leading axes broadcast as in NumPy; vectors as in NumPy.
    composite "matmul" Matmul {} (lhs, rhs) => matmul::matmul;

    // ---- composites: normalisation -------------------------------------------------------------------------
    /// e^x / Σ e^x along an axis.
    composite "softmax" Softmax { /// The axis.
        axis: usize } (x) => softmax::softmax;

    // ---- composites: reductions ----------------------------------------------------------------------------
    /// Arithmetic mean along axes.
    composite "mean" Mean { /// The axes.
        axes: Vec<usize>,
        /// Keep the axes with size 1.
        keep_dims: bool } (x) => mean::mean;

    // ---- made by the compiler ------------------------------------------------------------------------------
    /// A group of nodes that one kernel computes; the body says what.
    composite "fusion" Fusion {
        /// Which kernel family runs it.
        kind: FusionKind,
        /// The nodes.
        body: SubGraph } (args[many]) => control::fusion;
}
