//! The op table: one row per op. A row gives the class, the name in the text form, the variant with its
//! attributes, the operands, and where the rules are. From it follow [`Op`], [`OpKind`], the printer and parser
//! of attributes, and the calls to the rules.
//!
//! - `leaf` rows have no rules.
//! - `primitive` rows name a module with `infer(operands: &Shape …, attributes …) -> Result<Shape or shapes, OpError>`
//!   and `eval(&EvalCx, operands: &Value …, attributes …) -> Result<Value or values, OpError>`.
//! - `composite` rows name a function `(operands: &Tensor …, attributes …) -> Result<Tensor or tensors, OpError>`
//!   that builds the decomposition; shape rule, meaning and derivative follow from it.
//!
//! A class may be followed by marks: what an element of a result is made of ([`Access`]), and `stablehlo` where that has an operation.
//!
//! Operands marked `[optional]` may be left out, `[many]` stands for any number. In those marked `[linear]` the op is linear, in all of
//! them together, whatever the attributes are. Rules take attributes as [`Attr::Arg`]: small ones by copy, others by reference.

use super::kinds::*;
use super::rules::{OpError, Operand, Operands, Results};
use super::{Access, Attr, Key, LogitFilter, Marks, OpClass, ScatterDims};
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
        $class:ident $([$($mark:ident),+])? $name:literal $Variant:ident {
            $( $(#[doc = $field_doc:literal])* $field:ident : $ty:ty ),* $(,)?
        } ( $($operand:ident $([$($role:ident),+])?),* ) $(=> $($path:ident)::+)?;
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

            /// What an element of a result is made of.
            pub const fn access(self) -> Access {
                self.marks().access
            }

            /// Whether StableHLO, or its companion CHLO, has an operation for it, on some element types at least.
            pub const fn has_stablehlo(self) -> bool {
                self.marks().stablehlo
            }

            const fn marks(self) -> Marks {
                match self { $(OpKind::$Variant => const { Marks::new(&[$($(stringify!($mark)),+)?]) }),* }
            }

            /// The operands.
            pub const fn operands(self) -> &'static [Operand] {
                match self {
                    $(OpKind::$Variant => const {
                        &[$(Operand::new(stringify!($operand), &[$($(stringify!($role)),+)?])),*]
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

            /// Fails where the number of operands or a graph inside is wrong whatever the shapes are.
            pub(crate) fn check(&self, operands: &[Shape]) -> Result<(), OpError> {
                Operand::check_arity(self.kind().operands(), operands.len())?;
                self.check_nesting(crate::graph::MAX_LOWERED_NESTING)
            }

            /// The shapes of the results for operands of these shapes.
            pub fn infer(&self, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
                self.check(operands)?;
                let results = match self {
                    $(Op::$Variant { $($field),* } => op_table!(@infer $class self operands
                        ($($operand)*) ($($field)*) $($($path)::+)?)),*
                }?;
                results.iter().try_for_each(Shape::check).map_err(OpError::Dim)?;
                Ok(results)
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

            pub(crate) fn attributes_to_key(&self, key: &mut Key) {
                match self {
                    $(Op::$Variant { $($field),* } => { $(Attr::key($field, key);)* })*
                }
                let _ = key;
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

            /// Calls `visit` with each dimension in the attributes, those of sub-graphs included.
            pub fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
                match self {
                    $(Op::$Variant { $($field),* } => { $(Attr::dims($field, visit);)* })*
                }
                let _ = visit;
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
    primitive[stablehlo] "constant" Constant { /// The value.
        value: Literal } () => leaf::constant;
    /// 0, 1, 2, … along one axis.
    primitive[stablehlo] "iota" Iota {
        /// Dimensions and element type of the result.
        shape: Shape,
        /// The axis along which the value counts.
        axis: usize } () => leaf::iota;
    /// One result of an op with several.
    primitive[movement] "output" Output { /// Which result.
        index: usize } (results[many]) => leaf::output;
    /// The size of a dimension, as an i64 scalar.
    primitive[stablehlo] "dim_size" DimSize { /// Which dimension.
        axis: usize } (x) => leaf::dim_size;

    // ---- elementwise --------------------------------------------------------------------------------------
    /// An elementwise function of one tensor.
    primitive[elementwise, stablehlo] "unary" Unary { /// Which function.
        op: UnaryOp } (x) => elementwise::unary;
    /// An elementwise function of two tensors of one shape.
    primitive[elementwise, stablehlo] "binary" Binary { /// Which function.
        op: BinaryOp } (lhs, rhs) => elementwise::binary;
    /// Elementwise comparison, as booleans. NaN compares unequal to everything, itself included, unless `total_order`.
    primitive[elementwise, stablehlo] "compare" Compare {
        /// Which comparison.
        op: CompareOp,
        /// Compare floats by the IEEE 754 total order: −NaN < −inf < … < −0 < 0 < … < inf < NaN.
        total_order: bool } (lhs, rhs) => elementwise::compare;
    /// `on_true` where `pred` holds, else `on_false`.
    primitive[elementwise, stablehlo] "select" Select {} (pred, on_true[linear], on_false[linear]) => elementwise::select;
    /// min(max(x, low), high); NaN if any of them is NaN.
    primitive[elementwise, stablehlo] "clamp" Clamp {} (low, x, high) => elementwise::clamp;
    /// Regularised incomplete beta function I_x(a, b).
    primitive[elementwise] "betainc" Betainc {} (a, b, x) => elementwise::betainc;

    // ---- element types ------------------------------------------------------------------------------------
    /// Converts the element type. Float to integer truncates toward zero and saturates, NaN gives 0; integer to
    /// integer wraps; to boolean is "not zero"; complex to real drops the imaginary part; rounding is to nearest even.
    primitive[elementwise, stablehlo] "convert" Convert { /// The new element type.
        dtype: DType } (x[linear]) => types::convert;
    /// Reads the bytes as another element type. A wider type consumes the last axis, a narrower one adds one.
    primitive[stablehlo] "bitcast_convert" BitcastConvert { /// The new element type.
        dtype: DType } (x) => types::bitcast_convert;
    /// Rounds to a narrower floating point format and back.
    primitive[elementwise, stablehlo] "reduce_precision" ReducePrecision {
        /// Bits of the exponent, at least 1.
        exponent_bits: u32,
        /// Bits of the mantissa.
        mantissa_bits: u32 } (x[linear]) => types::reduce_precision;

    // ---- shape --------------------------------------------------------------------------------------------
    /// The same elements in row-major order under other dimensions.
    primitive[movement, stablehlo] "reshape" Reshape { /// The new dimensions.
        dims: Vec<Dim> } (x[linear]) => shaping::reshape;
    /// Permutes the axes: axis i of the result is axis `perm[i]` of x.
    primitive[movement, stablehlo] "transpose" Transpose { /// A permutation of the axes.
        perm: Vec<usize> } (x[linear]) => shaping::transpose;
    /// Repeats x along new axes and along axes of size 1.
    primitive[movement, stablehlo] "broadcast_in_dim" BroadcastInDim {
        /// The dimensions of the result.
        dims: Vec<Dim>,
        /// Where each axis of x goes, strictly increasing or not, no two equal.
        axes: Vec<usize> } (x[linear]) => shaping::broadcast_in_dim;
    /// A strided slice of x.
    primitive[movement, stablehlo] "slice" Slice {
        /// First index per axis.
        starts: Vec<Dim>,
        /// One past the last index per axis.
        limits: Vec<Dim>,
        /// Step an axis, at least 1.
        strides: Vec<usize> } (x[linear]) => shaping::slice;
    /// Adds `value` before, after and between elements; negative low and high padding removes elements.
    primitive[movement, stablehlo] "pad" Pad {
        /// Elements added before an axis.
        low: Vec<i64>,
        /// Elements added after an axis.
        high: Vec<i64>,
        /// Elements added between neighbors of an axis.
        interior: Vec<usize> } (x[linear], value[linear]) => shaping::pad;
    /// Joins tensors along an axis.
    primitive[movement, stablehlo] "concatenate" Concatenate { /// The axis.
        axis: usize } (xs[many, linear]) => shaping::concatenate;
    /// Reverses axes.
    primitive[movement, stablehlo] "reverse" Reverse { /// The axes.
        axes: Vec<usize> } (x[linear]) => shaping::reverse;
    /// A slice of x at an offset given by integer scalars, moved inside where it would stick out.
    primitive[indexed, stablehlo] "dynamic_slice" DynamicSlice { /// Sizes of the slice.
        sizes: Vec<Dim> } (x[linear], starts[many]) => shaping::dynamic_slice;
    /// x with a slice replaced by `update`; the slice is moved inside where it would stick out.
    primitive[indexed, stablehlo] "dynamic_update_slice" DynamicUpdateSlice {} (x[linear], update[linear], starts[many])
        => shaping::dynamic_update_slice;

    // ---- indexing -----------------------------------------------------------------------------------------
    /// One window of x for each index vector, moved inside where it would stick out. Axes of the result: those of the windows
    /// at `offset_dims`, at the others the axes of the indices without the vectors' own.
    primitive[indexed, stablehlo] "gather" Gather {
        /// Axes of the result that run inside a window, ascending.
        offset_dims: Vec<usize>,
        /// Axes of x along which a window is 1 wide and that the result leaves out, ascending.
        collapsed_slice_dims: Vec<usize>,
        /// Axes of x that run with axes of the indices, ascending; the window is 1 wide along them.
        operand_batching_dims: Vec<usize>,
        /// Those axes of the indices, in the same order.
        start_indices_batching_dims: Vec<usize>,
        /// The axis of x along which each item of an index vector counts.
        start_index_map: Vec<usize>,
        /// The axis of the indices that holds the index vectors; their rank, if a vector is a single number.
        index_vector_dim: usize,
        /// Sizes of a window, one per axis of x.
        slice_sizes: Vec<Dim> } (x[linear], indices) => indexing::gather;
    /// x with one window for each index vector combined with updates. A window that would stick out, even in part, is left
    /// alone. Index vectors take effect in row-major order; sums and products round once, to the type of x.
    primitive[stablehlo] "scatter" Scatter {
        /// Which axes belong together.
        dims: ScatterDims,
        /// What becomes of the old value and the update.
        combiner: Combiner } (x, indices, updates) => indexing::scatter;
    /// Scatter into n tensors at once, by a sub-graph. Operands are (xs…, indices, updates…); the rest is as in `scatter`,
    /// but that each step rounds.
    primitive[stablehlo] "scatter_graph" ScatterGraph {
        /// Which axes belong together.
        dims: ScatterDims,
        /// (old elements…, updates…) to the new elements, all scalars.
        body: SubGraph } (args[many]) => indexing::scatter_graph;

    // ---- sorting ------------------------------------------------------------------------------------------
    /// Sorts tensors of one size together along an axis, by the first `num_keys` of them, lexicographically. NaN sorts
    /// last in ascending order, −0 and 0 are equal, complex numbers go by real, then imaginary part, false before true.
    primitive "sort" Sort {
        /// The axis.
        axis: usize,
        /// Which comes first.
        order: SortOrder,
        /// How many operands decide; the others move along.
        num_keys: usize,
        /// Equal keys keep their order.
        stable: bool } (xs[many]) => sorting::sort;
    /// Sorts tensors of one size together along an axis, by a comparator.
    primitive[stablehlo] "sort_graph" SortGraph {
        /// The axis.
        axis: usize,
        /// Elements of which neither comes before the other keep their order.
        stable: bool,
        /// (an element and another of the first tensor, of the second, …), scalars, to whether the former come first.
        comparator: SubGraph } (xs[many]) => sorting::sort_graph;
    /// The k largest elements along the last axis, largest first, and their i32 indices; of equal ones the first. Floats
    /// go by the total order: NaN before inf, 0 before −0, −NaN after −inf.
    primitive[stablehlo] "top_k" TopK { /// How many; no more than there are.
        k: usize } (x) => sorting::top_k;
    /// The index of the largest or smallest element along an axis, which disappears: of the first NaN if there is one, else
    /// of the first of equals.
    primitive[reduction] "argreduce" ArgReduce {
        /// Which extreme.
        op: ArgOp,
        /// The axis; not empty.
        axis: usize,
        /// The integer type of the index.
        dtype: DType } (x) => sorting::argreduce;

    // ---- contraction --------------------------------------------------------------------------------------
    /// Products summed over contracting axes, kept apart over batch axes. Result axes: batch, then free axes of lhs,
    /// then free axes of rhs. Without `dtype` sums round once, to the operands' type; f16, bf16 and f8 accumulate wider.
    primitive[contraction, stablehlo] "dot_general" DotGeneral {
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
    /// Cross-correlation of x with a kernel; a convolution along axes of `reversal`. Along a spatial axis the kernel moves by
    /// `strides` as long as it fits. Sums round once. Feature groups divide the features of x and the output features of the
    /// kernel; batch groups the batch of x and those output features.
    primitive[contraction, stablehlo] "convolution" Convolution {
        /// Steps between places, one per spatial axis, at least 1.
        strides: Vec<usize>,
        /// Base dilation: elements of x are so far apart, with zeros between them; at least 1.
        lhs_dilation: Vec<usize>,
        /// Window dilation: elements of the kernel are so far apart; at least 1.
        rhs_dilation: Vec<usize>,
        /// Padding with zeros before a spatial axis; negative padding removes.
        low: Vec<i64>,
        /// Padding after a spatial axis; negative padding removes.
        high: Vec<i64>,
        /// Which spatial axes of the kernel are read backwards.
        reversal: Vec<bool>,
        /// The axis of x with the batch.
        lhs_batch_dim: usize,
        /// The axis of x with the features.
        lhs_feature_dim: usize,
        /// The axes of x that the kernel moves along.
        lhs_spatial_dims: Vec<usize>,
        /// The axis of the kernel with the features of x, of one group.
        rhs_in_dim: usize,
        /// The axis of the kernel with the features of the result.
        rhs_out_dim: usize,
        /// Its other axes, in the order of those of x.
        rhs_spatial_dims: Vec<usize>,
        /// The axis of the result with the batch.
        out_batch_dim: usize,
        /// The axis of the result with the features.
        out_feature_dim: usize,
        /// Its other axes, in the order of those of x.
        out_spatial_dims: Vec<usize>,
        /// In how many parts the features are kept apart.
        feature_groups: usize,
        /// In how many parts the batch is kept apart; 1, unless `feature_groups` is.
        batch_groups: usize,
        /// Element type of products, sums and result; the operands' by default.
        dtype: Option<DType> } (x, kernel) => contraction::convolution;
    /// Runs of rows of lhs `[m, k]`, of these sizes one after another, each multiplied by its own matrix of rhs `[groups, k, n]`;
    /// zeros in rows beyond the last run. A run starts where the sizes before it add up to, and what is outside lhs is left out;
    /// where negative sizes make runs overlap, products add up.
    primitive[contraction] "ragged_dot" RaggedDot {
        /// Element type of products, sums and result; the operands' by default.
        dtype: Option<DType> } (lhs, rhs, group_sizes) => contraction::ragged_dot;

    // ---- reductions ---------------------------------------------------------------------------------------
    /// Combines all elements along axes, which disappear. An empty axis gives the reduction's identity.
    primitive[reduction, stablehlo] "reduce" Reduce {
        /// The combiner.
        kind: ReduceOp,
        /// The axes.
        axes: Vec<usize> } (x) => reduction::reduce;
    /// Combines all elements of n tensors of one size along axes, which disappear, by a sub-graph. Operands are
    /// (xs…, initial values…), the latter scalars. Elements come in row-major order; backends may take any order, for which
    /// the body must be associative and commutative, and the initial values its identity.
    primitive[reduction, stablehlo] "reduce_graph" ReduceGraph {
        /// (accumulators…, elements…) to the next accumulators, all scalars.
        body: SubGraph,
        /// The axes.
        axes: Vec<usize> } (args[many]) => reduction::reduce_graph;

    // ---- windows ------------------------------------------------------------------------------------------
    /// Combines what a moving window sees. Padding and gaps are not seen: where there is nothing else, the result is the
    /// reduction's identity. Along an axis the result has one place each `strides` steps, while the window fits.
    primitive[window, stablehlo] "reduce_window" ReduceWindow {
        /// The combiner.
        kind: ReduceOp,
        /// Sizes of the window, one per axis, at least 1.
        window: Vec<usize>,
        /// Steps between places, at least 1.
        strides: Vec<usize>,
        /// Base dilation: elements of x are so far apart; at least 1.
        base_dilation: Vec<usize>,
        /// Window dilation: elements of a window are so far apart; at least 1.
        window_dilation: Vec<usize>,
        /// Padding before an axis; negative padding removes.
        low: Vec<i64>,
        /// Padding after an axis; negative padding removes.
        high: Vec<i64> } (x) => window::reduce_window;
    /// Combines by a sub-graph what a moving window sees of n tensors of one size. Operands are (xs…, initial values…); the
    /// rest is as in `reduce_graph` and `reduce_window`.
    primitive[window, stablehlo] "reduce_window_graph" ReduceWindowGraph {
        /// (accumulators…, elements…) to the next accumulators, all scalars.
        body: SubGraph,
        /// Sizes of the window, one per axis, at least 1.
        window: Vec<usize>,
        /// Steps between places, at least 1.
        strides: Vec<usize>,
        /// Base dilation: elements are so far apart; at least 1.
        base_dilation: Vec<usize>,
        /// Window dilation: elements of a window are so far apart; at least 1.
        window_dilation: Vec<usize>,
        /// Padding before an axis; negative padding removes.
        low: Vec<i64>,
        /// Padding after an axis; negative padding removes.
        high: Vec<i64> } (args[many]) => window::reduce_window_graph;
    /// Each place of a moving window over x selects an element, to which the source's element of that place is sent. The
    /// result has the shape of x and starts as `init`; a window that sees only padding sends nothing.
    primitive[stablehlo] "select_and_scatter" SelectAndScatter {
        /// (the element selected so far, another, in row-major order) to whether the former stays selected.
        select: SubGraph,
        /// (the result's element so far, the source's) to the next, in row-major order of the places.
        scatter: SubGraph,
        /// Sizes of the window, one per axis, at least 1.
        window: Vec<usize>,
        /// Steps between places, at least 1.
        strides: Vec<usize>,
        /// Padding before an axis; negative padding removes.
        low: Vec<i64>,
        /// Padding after an axis; negative padding removes.
        high: Vec<i64> } (x, source, init) => window::select_and_scatter;
    /// Running reductions along an axis. Sums and products round once each result.
    primitive[window] "cumulative" Cumulative {
        /// What is accumulated.
        op: ReduceOp,
        /// The axis.
        axis: usize,
        /// Each result leaves its own element out; the first is the identity.
        exclusive: bool,
        /// From the last element to the first.
        reverse: bool } (x) => window::cumulative;

    // ---- linear algebra -----------------------------------------------------------------------------------
    // Matrices are the last two axes, the leading axes are a batch; f32, f64, c64, c128. A matrix with a NaN or an
    // infinity may give NaN anywhere in its own results.

    /// The triangular factor with positive diagonal of Hermitian positive definite matrices: L of A = L·Lᴴ, or U of
    /// A = Uᴴ·U. One triangle of A is read; the other triangle of the result is zero. Where A is not positive definite
    /// the factor's triangle is NaN.
    primitive[stablehlo] "cholesky" Cholesky { /// Read and give the lower triangle, else the upper.
        lower: bool } (a) => linalg::cholesky;
    /// X of op(A)·X = B, or of X·op(A) = B, with triangular A; also of f16 and bf16. Zeros on the diagonal divide.
    primitive[stablehlo] "triangular_solve" TriangularSolve {
        /// Whether A stands on the left of X.
        left_side: bool,
        /// Read the lower triangle of A, else the upper.
        lower: bool,
        /// Take ones for the diagonal.
        unit_diagonal: bool,
        /// What op does.
        transpose: TransposeOp } (a, b[linear]) => linalg::triangular_solve;
    /// X of A·X = B with tridiagonal A, by elimination with partial pivoting (LAPACK's gtsv), for diagonals `[…, n]` and B
    /// `[…, n, k]`: `A[i, i]` is `diagonal[i]`, `A[i, i − 1]` is `lower[i]`, `A[i, i + 1]` is `upper[i]`; the first of lower and the last of
    /// upper are not read. Where a pivot is zero all of X is NaN.
    primitive "tridiagonal_solve" TridiagonalSolve {} (lower, diagonal, upper, b[linear])
        => linalg::tridiagonal_solve;
    /// P·A = L·U with partial pivoting: L (its diagonal of ones left out) and U in one matrix; for each step the i32 index
    /// of the row exchanged with it; for each row of P·A the i32 index of the row of A.
    primitive "lu" Lu {} (a) => linalg::lu;
    /// A = Q·R with orthonormal columns of Q, as Householder reflections give them: the diagonal of R is real, of either
    /// sign. Results Q and R.
    primitive "qr" Qr { /// Q is square and R as tall as A; otherwise both are cut to min(rows, columns).
        full_matrices: bool } (a) => linalg::qr;
    /// The QR factorization of A `[…, m, n]` as LAPACK's geqrf packs it: R in the upper triangle, and below the diagonal the
    /// vectors v of reflectors H = I − τ·v·vᴴ without their leading ones; and the factors τ `[…, min(m, n)]`. Q is the
    /// product of the H, in their order; the diagonal of R is real.
    primitive "geqrf" Geqrf {} (a) => linalg::geqrf;
    /// The same with columns exchanged (LAPACK's geqp3), A·P = Q·R: the packed form, τ, and for each column of A·P the i32 index of
    /// the column of A. Columns whose element of leading (i32 `[…, n]`) is not zero come first; of the others, at each step the one
    /// that is longest without its part in the span of those before it.
    primitive "geqp3" Geqp3 {} (a, leading) => linalg::geqp3;
    /// The first n columns of the product of the reflectors H = I − τ·v·vᴴ, in their order (LAPACK's orgqr and ungqr): the
    /// vectors below the diagonal of A `[…, m, n]`, as `geqrf` packs them, for τ `[…, k]` with k ≤ n ≤ m.
    primitive "householder_product" HouseholderProduct {} (a, taus) => linalg::householder_product;
    /// A·V = V·diag(λ) of Hermitian matrices, of which one triangle is read: ascending real eigenvalues, and
    /// eigenvectors as columns, each up to a factor of modulus 1.
    primitive "eigh" Eigh { /// Read the lower triangle, else the upper.
        lower: bool } (a) => linalg::eigh;
    /// A·V = V·diag(λ) and Uᴴ·A = diag(λ)·Uᴴ of any square matrix (LAPACK's geev): the complex eigenvalues λ in no particular
    /// order, and as columns the left eigenvectors U and the right ones V, of norm 1, their largest element real. Of a real matrix
    /// complex λ and their vectors come in conjugate pairs, side by side, the positive imaginary part first. All is NaN where
    /// the iteration for λ does not end.
    primitive "eig" Eig {
        /// Give U.
        left: bool,
        /// Give V.
        right: bool } (a) => linalg::eig;
    /// A = U·diag(s)·Vᴴ: results U, the descending real s, and Vᴴ; the vectors are unique up to a factor of modulus 1.
    primitive "svd" Svd { /// U and V are square; otherwise they are cut to min(rows, columns).
        full_matrices: bool } (a) => linalg::svd;

    // ---- quantized storage --------------------------------------------------------------------------------
    /// The f32 values of packed blocks: u8 `[…, bytes per row]` → `[…, values per row]`.
    primitive "dequantize_blocks" DequantizeBlocks { /// The format.
        scheme: QuantScheme } (bytes) => quantized::dequantize_blocks;

    /// Discrete Fourier transforms over the last axes, one per length. fft and ifft are complex to complex; rfft is real (f32,
    /// f64) to the first n/2 + 1 coefficients of the last axis, irfft the inverse of that (imaginary parts that a real
    /// result cannot have are ignored). Inverses are divided by the product of the lengths.
    primitive[stablehlo] "fft" Fft {
        /// Which transform.
        kind: FftKind,
        /// Lengths of the transformed axes, outermost first: one, two or three.
        lengths: Vec<usize> } (x[linear]) => fourier::fft;

    // ---- random -------------------------------------------------------------------------------------------
    /// Random bits from a state, in the bits of XLA: results the next state, and unsigned integers.
    primitive[stablehlo] "rng_bits" RngBits {
        /// The generator.
        algorithm: RngAlgorithm,
        /// Dimensions and unsigned type of the bits.
        shape: Shape } (state) => random::rng_bits;
    /// The Threefry-2x32 block function with 20 rounds: the counter (x0, x1) enciphered with the key (k0, k1), all u32 of
    /// one shape; two results.
    primitive[elementwise] "threefry2x32" Threefry2x32 {} (k0, k1, x0, x1) => random::threefry2x32;

    // ---- control ------------------------------------------------------------------------------------------
    /// The values themselves; nothing moves across.
    primitive[movement, stablehlo] "optimization_barrier" OptimizationBarrier {} (xs[many, linear]) => control::optimization_barrier;
    /// One of two graphs applied to `args`, by a boolean scalar; the other does not run.
    primitive[stablehlo] "if" If {
        /// Runs where pred holds.
        then_branch: SubGraph,
        /// Runs where it does not; takes and gives the same shapes.
        else_branch: SubGraph } (pred, args[many]) => control::branch::conditional;
    /// One of several graphs applied to `args`, by an i32 scalar; the others do not run. An index that is negative or
    /// too large runs the last.
    primitive[stablehlo] "case" Case { /// At least one, all of one signature.
        branches: Vec<SubGraph> } (index, args[many]) => control::branch::case;
    /// Applies `body` to the carried values while `cond` of them holds; gives the last ones.
    primitive[stablehlo] "while" While {
        /// Carried values to a boolean scalar.
        cond: SubGraph,
        /// Carried values to the next ones, of the same shapes.
        body: SubGraph } (init[many]) => control::looping::while_loop;
    /// A loop over the leading axis of its operands (consts…, carry…, xs…), with results (final carry…, stacked ys…).
    primitive "scan" Scan {
        /// (consts…, carry…, a slice of each x…) to (next carry…, a slice of each y…).
        body: SubGraph,
        /// Number of steps: the size of the leading axis of each x and y.
        length: Dim,
        /// How many operands are the same in each step.
        num_consts: usize,
        /// How many values are carried.
        num_carry: usize,
        /// Run from the last slice to the first; ys stay where their xs are.
        reverse: bool } (values[many]) => control::scan;
    /// An op that the program brings along; [`crate::register_custom`] gives its name a shape rule and a meaning.
    primitive[stablehlo] "custom" Custom {
        /// The registered name.
        name: String,
        /// What the node says to the op's rules, in a form of their own.
        config: String,
        /// The shapes of the results, as the op's shape rule gives them.
        results: Vec<Shape> } (args[many]) => control::custom;

    // ---- collectives --------------------------------------------------------------------------------------
    // Participants are the applications of a graph that is mapped over an axis of that name; otherwise there is one.

    /// The values of all participants combined; each gets the result.
    primitive "all_reduce" AllReduce {
        /// The combiner.
        op: ReduceOp,
        /// The name of the mapped axis.
        axis_name: String } (x) => collective::all_reduce;
    /// The values of all participants, in their order, along a new axis, or joined along one; each gets the result.
    primitive "all_gather" AllGather {
        /// The axis of the result.
        axis: usize,
        /// The name of the mapped axis.
        axis_name: String,
        /// How many participants there are.
        size: Dim,
        /// Join along the axis instead of making it.
        tiled: bool } (x[linear]) => collective::all_gather;
    /// The values of all participants combined, of which each gets its part of an axis: one element, so that the axis disappears, or a
    /// run of them.
    primitive "reduce_scatter" ReduceScatter {
        /// The combiner.
        op: ReduceOp,
        /// The axis of x.
        axis: usize,
        /// The name of the mapped axis.
        axis_name: String,
        /// How many participants there are.
        size: Dim,
        /// Part the axis into runs and keep it.
        tiled: bool } (x) => collective::reduce_scatter;
    /// Part i of an axis goes to participant i, which lays the parts that it gets along another in the order of their senders.
    primitive "all_to_all" AllToAll {
        /// The axis of x that is parted: one element each, so that it disappears, or a run of them.
        split_axis: usize,
        /// The axis of the result that is made, or along which parts are joined.
        concat_axis: usize,
        /// The name of the mapped axis.
        axis_name: String,
        /// How many participants there are.
        size: Dim,
        /// Part into runs and join, keeping both axes.
        tiled: bool } (x[linear]) => collective::all_to_all;
    /// Values sent between participants; zeros where nothing is received.
    primitive "permute" Permute {
        /// Who sends, each at most once.
        sources: Vec<usize>,
        /// Who receives from the source at the same place, each at most once.
        targets: Vec<usize>,
        /// The name of the mapped axis.
        axis_name: String } (x[linear]) => collective::permute;
    /// The number of this participant, as an i32 scalar.
    composite "axis_index" AxisIndex { /// The name of the mapped axis.
        axis_name: String } () => collective::axis_index;

    // ---- composites: activations ---------------------------------------------------------------------------
    /// A named elementwise function.
    composite[elementwise] "activation" Activation { /// Which function.
        kind: Activation } (x) => activation::activation;
    /// x for x > 0, else alpha (e^x − 1).
    composite[elementwise] "elu" Elu { /// Minus the limit at −inf.
        alpha: f64 } (x) => elu::elu;
    /// x for x ≥ 0, else slope · x.
    composite[elementwise] "leaky_relu" LeakyRelu { /// Factor of negative values.
        slope: f64 } (x) => leaky_relu::leaky_relu;
    /// min(max(x, low), high); NaN stays NaN.
    composite[elementwise] "clip" Clip {
        /// Lower limit; none by default.
        low: Option<f64>,
        /// Upper limit; none by default.
        high: Option<f64> } (x) => clip::clip;
    /// x itself, as a constant to every derivative.
    composite[elementwise] "stop_gradient" StopGradient {} (x) => stop_gradient::stop_gradient;
    /// silu(gate) · up; f16, bf16 and f8 are computed in f32.
    composite[elementwise] "swiglu" Swiglu {} (gate, up) => swiglu::swiglu;

    // ---- composites: contraction ---------------------------------------------------------------------------
    /// Matrix product of the last two axes; leading axes broadcast as in NumPy; vectors as in NumPy.
    composite[contraction] "matmul" Matmul {} (lhs, rhs) => matmul::matmul;
    /// x·w + (alpha / r) · (x·a)·b for x `[…, k]`, w `[k, n]`, a `[k, r]`, b `[r, n]`.
    composite "lora_matmul" LoraMatMul { /// Factor of the update, before it is divided by r.
        alpha: f64 } (x, w, a, b) => lora_matmul::lora_matmul;

    // ---- composites: normalization -------------------------------------------------------------------------
    /// e^x / Σ e^x along an axis.
    composite "softmax" Softmax { /// The axis.
        axis: usize } (x) => softmax::softmax;
    /// log(e^x / Σ e^x) along an axis; f16, bf16 and f8 are computed in f32.
    composite "log_softmax" LogSoftmax { /// The axis.
        axis: usize } (x) => softmax::log_softmax;
    /// (x − mean) / sqrt(variance + eps) · gamma + beta over the axes from `axis` to the last, with the biased variance.
    /// gamma and beta have the dimensions of those axes. f16, bf16 and f8 are computed in f32.
    composite "layer_norm" LayerNorm {
        /// The first normalized axis.
        axis: usize,
        /// Added to the variance.
        eps: f64 } (x, gamma[optional], beta[optional]) => layer_norm::layer_norm;
    /// Layer normalization of `[N, C, H, W]` over C at each position; gamma and beta are `[C]`.
    composite "layer_norm_2d" LayerNorm2d { /// Added to the variance.
        eps: f64 } (x, gamma[optional], beta[optional]) => layer_norm::layer_norm_2d;
    /// x / sqrt(mean(x²) + eps) · gamma over the axes from `axis` to the last; gamma has the dimensions of those axes.
    /// f16, bf16 and f8 are computed in f32, the product with gamma included.
    composite "rms_norm" RmsNorm {
        /// The first normalized axis.
        axis: usize,
        /// Added to the mean square.
        eps: f64 } (x, gamma[optional]) => rms_norm::rms_norm;
    /// Normalization of `[N, C, …]` over equal runs of channels and all positions; gamma and beta are `[C]`.
    composite "group_norm" GroupNorm {
        /// Number of runs; it divides C.
        groups: usize,
        /// Added to the variance.
        eps: f64 } (x, gamma[optional], beta[optional]) => group_norm::group_norm;
    /// (x − mean) / sqrt(variance + eps) · gamma + beta with given statistics; all four have the size of `axis`.
    composite "batch_norm" BatchNorm {
        /// The feature axis.
        axis: usize,
        /// Added to the variance.
        eps: f64 } (x, gamma, beta, mean, variance) => batch_norm::batch_norm;
    /// Batch normalization with the statistics of x over all axes but `axis`: the result, the mean, the biased variance.
    composite "batch_norm_training" BatchNormTraining {
        /// The feature axis.
        axis: usize,
        /// Added to the variance.
        eps: f64 } (x, gamma, beta) => batch_norm::batch_norm_training;

    // ---- composites: attention -----------------------------------------------------------------------------
    /// softmax(mask(softcap(scale · q·kᵀ))) · v. Operands are `[batch, heads, seq, d]`, or `[batch, seq, heads·d]` with
    /// `num_heads`; the result has the layout of q. Heads of q are a multiple of those of k and v, which each serve
    /// a run of them. Masks align queries with the last keys; a custom mask (booleans, or numbers that are not zero) or
    /// a bias repeats to `[batch, heads, seq_q, seq_k]`, and of rank 2 is `[batch, seq_k]`. A query that may attend to no key
    /// gives zeros. For f16, bf16 and f8 scores and softmax are computed in f32.
    ///
    /// k and v may be caches of fixed capacity: of each sequence only the first `kv_len` rows count, whatever the others hold.
    /// `kv_len` is of integers, `[batch]` or a scalar, and limited to 0 … the capacity; masks align queries with the last rows that count,
    /// so query i is at position kv_len − seq_q + i. k and v may be of other float types than q, or packed (`kv_scheme`): then
    /// all is computed in the type that holds the numbers of all operands, at least f32, and the result is of q's type.
    composite "attention" Attention {
        /// Heads of q; needed for operands of rank 3.
        num_heads: Option<usize>,
        /// Heads of k and v in operands of rank 3; `num_heads` by default.
        num_kv_heads: Option<usize>,
        /// Factor of the scores; 1/sqrt(d) by default.
        scale: Option<f64>,
        /// Which keys a query may attend to.
        mask: MaskKind,
        /// Number of keys in a sliding window.
        window: Option<usize>,
        /// Scores become c·tanh(score / c), before the mask.
        softcap: Option<f64>,
        /// The format of k and v if they are packed blocks, u8 with the bytes of the values in the last axis.
        kv_scheme: Option<QuantScheme> } (q, k, v, mask_values[optional], kv_len[optional]) => attention::attention;
    /// The cotangents of `attention` in reverse mode, from its operands and the cotangent of its result, which has the result's
    /// shape: those of q, k and v, and with the mask `bias` that of the bias. The scores are computed again. Rows of k and v that do not
    /// count have cotangents of 0.
    composite "attention_backward" AttentionBackward {
        /// Heads of q; needed for operands of rank 3.
        num_heads: Option<usize>,
        /// Heads of k and v in operands of rank 3; `num_heads` by default.
        num_kv_heads: Option<usize>,
        /// Factor of the scores; 1/sqrt(d) by default.
        scale: Option<f64>,
        /// Which keys a query may attend to.
        mask: MaskKind,
        /// Number of keys in a sliding window.
        window: Option<usize>,
        /// Scores become c·tanh(score / c), before the mask.
        softcap: Option<f64> } (q, k, v, d_out, mask_values[optional], kv_len[optional])
        => attention::backward::attention_backward;
    /// Rotary position embedding of the last axis. cos and sin are `[seq, rotary_dims / 2]`, or with the batch (axis 0 of x)
    /// before. A pair (a, b) becomes (a·cos − b·sin, b·cos + a·sin). f16, bf16 and f8 are computed in f32.
    composite "rope" Rope {
        /// How elements are paired.
        style: RopeStyle,
        /// Rotary dimensions: how many leading elements of the last axis are rotated; all by default.
        rotary_dims: Option<usize>,
        /// The axis of positions.
        seq_axis: usize } (x, cos, sin) => rope::rope;

    // ---- composites: vision --------------------------------------------------------------------------------
    /// Cross-correlation of images `[N, C, H, W]` with w `[O, C/groups, kH, kW]`, plus a bias `[O]`. Padding is with zeros.
    composite[contraction] "conv2d" Conv2d {
        /// Steps of the kernel: height, width.
        stride: Vec<usize>,
        /// Padding on both sides: height, width.
        padding: Vec<usize>,
        /// Dilation of the kernel, how far apart its elements are: height, width.
        dilation: Vec<usize>,
        /// Groups of channels, each convolved by itself.
        groups: usize } (x, w, bias[optional]) => conv::conv2d;
    /// The transpose of conv2d as a linear map, plus a bias `[O]`: w is `[C, O/groups, kH, kW]`, and an axis of size n becomes
    /// (n − 1)·stride − 2·padding + dilation·(k − 1) + output_padding + 1.
    composite[contraction] "conv_transpose2d" ConvTranspose2d {
        /// Distance between what neighboring elements of x are spread to: height, width.
        stride: Vec<usize>,
        /// What is left out on both sides: height, width.
        padding: Vec<usize>,
        /// What is added at the end: height, width.
        output_padding: Vec<usize>,
        /// Dilation of the kernel, how far apart its elements are: height, width.
        dilation: Vec<usize>,
        /// Groups of channels, each convolved by itself.
        groups: usize } (x, w, bias[optional]) => conv::conv_transpose2d;
    /// x `[N, C, spatial…]` (one to three spatial axes) combined in windows that fit into the padded axes. Padding counts as
    /// the reduction's identity (−inf for a maximum, 0 for a sum); a mean divides by the whole window, padding included.
    composite[window] "pool" Pool {
        /// What is computed of a window.
        kind: ReduceOp,
        /// Sizes of the window, one per spatial axis.
        kernel_size: Vec<usize>,
        /// Steps of the window, one per spatial axis.
        stride: Vec<usize>,
        /// Padding on both sides, one per spatial axis.
        padding: Vec<usize> } (x) => pool::pool;

    // ---- composites: recurrent -----------------------------------------------------------------------------
    // Weights are w_ih [gates·h, in] and w_hh [gates·h, h], biases [gates·h]; f16, bf16 and f8 are computed in f32.

    /// h ← activation(x·w_ihᵀ + b_ih + h·w_hhᵀ + b_hh) along x `[seq, batch, in]`. Results: all h, the last h.
    composite "rnn" Rnn {
        /// What is applied to the sum.
        activation: Activation,
        /// From the last step to the first.
        reverse: bool } (x, h0, w_ih, w_hh, b_ih[optional], b_hh[optional]) => recurrent::rnn;
    /// Long short-term memory along x `[seq, batch, in]`, gates in the order input, forget, cell, output. Results: all h, the
    /// last h, the last c.
    composite "lstm" Lstm { /// From the last step to the first.
        reverse: bool } (x, h0, c0, w_ih, w_hh, b_ih[optional], b_hh[optional]) => recurrent::lstm;
    /// Gated recurrent unit along x `[seq, batch, in]`, gates in the order reset, update, new; the reset gate multiplies
    /// h·w_hhᵀ + b_hh. Results: all h, the last h.
    composite "gru" Gru { /// From the last step to the first.
        reverse: bool } (x, h0, w_ih, w_hh, b_ih[optional], b_hh[optional]) => recurrent::gru;

    // ---- composites: state space ---------------------------------------------------------------------------
    /// The selective state space of Mamba from a zero state: h ← e^(delta·a) ⊙ h + delta·x·b, y = h·c + skip·x for x and
    /// delta `[batch, seq, d]`, a `[d, n]`, b and c `[batch, seq, n]`, skip `[d]`. f16, bf16 and f8 are computed in f32.
    composite "selective_scan" SelectiveScan {} (x, delta, a, b, c, skip[optional]) => selective_scan::selective_scan;
    /// The same from a given state `[batch, d, n]`; the second result is the last state.
    composite "selective_scan_with_state" SelectiveScanWithState {} (x, delta, a, b, c, state, skip[optional])
        => selective_scan::selective_scan_with_state;

    // ---- composites: linear algebra ------------------------------------------------------------------------
    /// x of a·x = b, for a `[n, n]` and b `[n]` or `[n, k]`. A singular matrix gives infinities or NaN.
    composite "dense_solve" DenseSolve {} (a, b[linear]) => dense_solve::dense_solve;
    /// x of a·x = b for each of the matrices a `[…, n, n]`, with b `[…, n]` or `[…, n, k]`.
    composite "batched_dense_solve" BatchedDenseSolve {} (a, b[linear]) => dense_solve::batched_dense_solve;

    /// Q·C or C·Q, or with Qᴴ in place of Q, for the product Q of the reflectors H = I − τ·v·vᴴ in their order (LAPACK's ormqr and
    /// unmqr): their vectors below the diagonal of A `[…, m, n]`, as `geqrf` packs them, and τ `[…, k]` with k ≤ min(m, n).
    composite "ormqr" Ormqr {
        /// Q stands on the left.
        left_side: bool,
        /// Multiply by Qᴴ.
        adjoint: bool } (a, taus, c[linear]) => ormqr::ormqr;

    // ---- composites: indexing and shape --------------------------------------------------------------------
    /// Rows of a table `[rows, d]` for ids of any shape; an id outside the table is moved to its nearest end.
    composite[indexed] "embedding" Embedding {} (table[linear], ids) => take::embedding;
    /// The slices of x along an axis that indices of any shape name, in place of the axis; an index outside the axis is
    /// moved to its nearest end.
    composite[indexed] "take" Take { /// The axis.
        axis: usize } (x[linear], indices) => take::take;
    /// Elements picked one by one along an axis by indices that otherwise have the dimensions of x (`take_along_axis`); an
    /// index outside the axis is moved to its nearest end.
    composite[indexed] "gather_axis" GatherAxis { /// The axis.
        axis: usize } (x[linear], indices) => gather_axis::gather_axis;
    /// x with updates added along an axis: to slices that indices of rank 1 name, or to elements that indices of the rank
    /// of x name (they have the dimensions of x along the other axes). An index outside the axis adds nothing.
    composite "scatter_add" ScatterAdd { /// The axis.
        axis: usize } (x[linear], indices, updates[linear]) => gather_axis::scatter_add;
    /// 1 at the id, otherwise 0, along a new last axis; all 0 for an id outside it.
    composite "one_hot" OneHot {
        /// Size of the new axis.
        depth: usize,
        /// Element type of the result.
        dtype: DType } (ids) => one_hot::one_hot;
    /// x repeated to `dims`: axes are aligned at the end, and size 1 repeats.
    composite[movement] "expand" Expand { /// The dimensions of the result.
        dims: Vec<Dim> } (x[linear]) => rearrange::expand;
    /// A run of elements along an axis.
    composite[movement] "narrow" Narrow {
        /// The axis.
        axis: usize,
        /// The first element.
        start: Dim,
        /// Number of elements.
        length: Dim } (x[linear]) => rearrange::narrow;
    /// Consecutive parts of x along an axis, one result each.
    composite[movement] "split" Split {
        /// The axis.
        axis: usize,
        /// Sizes of the parts; they add up to that of the axis.
        sizes: Vec<Dim> } (x[linear]) => rearrange::split;
    /// x repeated along its axes; the shorter of axes and repeats is filled with 1 in front.
    composite[movement] "tile" Tile { /// How often, an axis.
        repeats: Vec<usize> } (x[linear]) => rearrange::tile;
    /// Elements moved toward the end of axes; those that leave come back at the start.
    composite[movement] "roll" Roll {
        /// By how many places, an axis; toward the start if negative.
        shifts: Vec<i64>,
        /// The axes.
        axes: Vec<usize> } (x[linear]) => rearrange::roll;
    /// A cache with new entries written along an axis from a position on: an integer scalar, or one for each sequence of the batch,
    /// `[batch]` along axis 0. Positions are moved inside, as those of slices: what would stick out past the end goes over the
    /// newest entries, a negative position counts as 0.
    composite[indexed] "kv_append" KvAppend { /// The axis of positions.
        axis: usize } (cache[linear], new[linear], position) => kv_append::kv_append;

    // ---- composites: losses --------------------------------------------------------------------------------
    /// `−log softmax(logits)[label]` over the last axis, one loss per row. Labels are integers, or floats that hold integers;
    /// any other label gives NaN. f16, bf16 and f8 are computed in f32.
    composite "softmax_cross_entropy" SoftmaxCrossEntropy {} (logits, labels) => loss::softmax_cross_entropy;
    /// The mean of (x − target)² over all elements, as a scalar.
    composite "mse" Mse {} (x, target) => loss::mse;

    // ---- composites: quantization --------------------------------------------------------------------------
    /// saturate(round(x / scale) + zero_point), to nearest even. 8-bit floats are not rounded to integers first.
    composite "quantize" Quantize {
        /// The axis of scales and zero points; without one they are scalars.
        axis: Option<usize>,
        /// Element type of the result: i8 i16 i32 u8 u16 f8e4m3 f8e5m2.
        dtype: DType } (x, scale, zero_point[optional]) => quantize::quantize;
    /// (x − zero_point) · scale, in the element type of scale.
    composite "dequantize" Dequantize { /// The axis of scales and zero points; without one they are scalars.
        axis: Option<usize> } (x, scale, zero_point[optional]) => quantize::dequantize;
    /// (clamp(round(x / scale) + zero_point) − zero_point) · scale in floating point; the derivative of the rounding is
    /// the identity.
    composite "fake_quantize" FakeQuantize {
        /// Bits of the simulated integers, 2 to 16.
        bits: u32,
        /// The axis of scales and zero points; without one they are scalars.
        axis: Option<usize>,
        /// Values in ±(2^(bits−1) − 1) without a zero point, instead of 0 … 2^bits − 1.
        symmetric: bool } (x, scale, zero_point[optional]) => quantize::fake_quantize;
    /// x `[…, k]` times the transpose of packed weights, u8 `[n, bytes of k values]`.
    composite "dequant_matmul" DequantMatMul { /// The format of the weights.
        scheme: QuantScheme,
        /// First round x to bytes, 32 values at a time: multiples of their largest magnitude / 127, to nearest even. The derivative of
        /// the rounding is the identity.
        round_x: bool } (x, weights) => quantized::dequant_matmul;
    /// Runs of rows of x `[m, k]`, of these sizes one after another, each times the transpose of its own matrix of packed weights, u8
    /// `[groups, n, bytes of k values]`; as `ragged_dot` where sizes are negative, or add up to more or fewer than m.
    composite "dequant_grouped_matmul" DequantGroupedMatMul { /// The format of the weights.
        scheme: QuantScheme,
        /// First round x to bytes, as `dequant_matmul` does.
        round_x: bool } (x, weights, group_sizes) => quantized::dequant_grouped_matmul;

    // ---- composites: reductions ----------------------------------------------------------------------------
    /// Arithmetic mean along axes.
    composite[reduction] "mean" Mean { /// The axes.
        axes: Vec<usize>,
        /// Keep the axes with size 1.
        keep_dims: bool } (x[linear]) => mean::mean;
    /// log Σ e^x along axes; −inf over no element. f16, bf16 and f8 are computed in f32.
    composite[reduction] "logsumexp" LogSumExp {
        /// The axes.
        axes: Vec<usize>,
        /// Keep the axes with size 1.
        keep_dims: bool } (x) => softmax::logsumexp;
    /// Sums of the elements up to and with each one along an axis.
    composite[window] "cumsum" Cumsum { /// The axis.
        axis: usize } (x[linear]) => cumsum::cumsum;

    // ---- composites: random --------------------------------------------------------------------------------
    /// Uniform floats in [low, high), by default [0, 1), from a key `u32[2]`; the numbers of `jax.random.uniform`.
    composite "rng_uniform" RngUniform { /// Dimensions and float type of the result; low and high broadcast to it.
        shape: Shape } (key, low[optional], high[optional]) => rng_uniform::rng_uniform;
    /// Normally distributed floats or complex numbers from a key `u32[2]`, as `jax.random.normal`.
    composite "rng_normal" RngNormal { /// Dimensions and type of the result.
        shape: Shape } (key) => rng_normal::rng_normal;
    /// i32 indices along an axis, drawn with probability softmax(logits) from a key `u32[2]`, as `jax.random.categorical`.
    composite "categorical" Categorical { /// The axis, which disappears.
        axis: usize } (key, logits) => categorical::categorical;
    /// The next tokens of texts, by logits `[…, vocab]`: filters narrow the tokens that may come next, one after the other, then one is drawn
    /// by `categorical` from the key `u32[2]`. Results: the tokens, i32 `[…]`, and what they were drawn from: logits (f32 or f64) and i32
    /// numbers of the candidates, `[…, n]`, where n is the vocabulary or the least `top_k`; those that are out have −inf and −1.
    /// `counts`, of the dimensions of the logits, says how often tokens were there; `bias` is `[vocab]`; filters that read them need them.
    composite "sample" Sample {
        /// The filters, in the order in which they run.
        filters: Vec<LogitFilter>,
        /// The most likely candidate instead of a draw; of equal ones the first.
        greedy: bool } (key, logits, counts[optional], bias[optional]) => sample::sample;

    // ---- composites: control -------------------------------------------------------------------------------
    /// A graph applied to values, kept as one node.
    composite "call" Call { /// The graph.
        body: SubGraph } (args[many]) => control::call::call;
    /// A graph with derivatives of its own. Its rules take (args…, results…, derivatives…), where only floats and complex
    /// numbers have derivatives, of their own shape and type.
    composite "custom_fn" CustomFn {
        /// The function.
        forward: SubGraph,
        /// (args…, results…, tangents of args…) to (tangents of results…), linear in the tangents.
        jvp: Option<SubGraph>,
        /// (args…, results…, cotangents of results…) to (cotangents of args…), linear in the cotangents.
        vjp: Option<SubGraph> } (args[many]) => control::call::custom_fn;

    /// A graph applied to values, of which reverse mode keeps only what the policy names; the rest is computed again.
    composite "checkpoint" Checkpoint {
        /// The graph.
        body: SubGraph,
        /// What is kept.
        policy: CheckpointPolicy } (args[many]) => control::call::checkpoint;
    /// A linear function of the operands from `known` on, with its transpose: what reverse mode runs instead of transposing the
    /// function op by op.
    composite "linear_call" LinearCall {
        /// (known operands…, linear operands…) to the results, linear in the latter.
        forward: SubGraph,
        /// (known operands…, cotangents of the results…) to the cotangents of the linear operands.
        transpose: SubGraph,
        /// How many operands come before the linear ones.
        known: usize } (args[many]) => control::call::linear_call;

    // ---- made by the compiler ------------------------------------------------------------------------------
    /// A group of nodes that one kernel computes; the body says what.
    composite "fusion" Fusion {
        /// Which kernel family runs it.
        kind: FusionKind,
        /// The nodes.
        body: SubGraph } (args[many]) => control::call::fusion;
}

/// Whether two texts are the same, at compile time.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && a.len() == b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && a.len() == b.len()
}

/// A name that two rows of the table have does not compile.
const _: () = {
    let mut i = 0;
    while i < OpKind::ALL.len() {
        let mut j = 0;
        while j < i {
            assert!(
                !is_same(OpKind::ALL[i].name(), OpKind::ALL[j].name()),
                "two rows of the op table have one name"
            );
            j += 1;
        }
        i += 1;
    }
};
