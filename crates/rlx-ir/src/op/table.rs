//! The op table: one row per op. A row gives the class, the name in the text form, the variant with its attributes, the operands,
//! and the path of the rules. [`Op`], [`OpKind`], the printer and parser of attributes, and the calls to the rules are generated
//! from it.
//!
//! - `leaf` rows have no rules.
//! - `primitive` rows name a module with `infer(operands: &Shape …, attributes …) -> Result<Shape or shapes, OpError>`
//!   and `eval(&EvalCx, operands: &Value …, attributes …) -> Result<Value or values, OpError>`.
//! - `composite` rows name a function `(operands: &Tensor …, attributes …) -> Result<Tensor or tensors, OpError>` that builds the
//!   decomposition; the shape rule, the evaluation and the derivative follow from it.
//!
//! A class may be followed by marks: what an element of a result is computed from ([`Access`]), and `stablehlo` if StableHLO or
//! CHLO has an operation for the op.
//!
//! An operand marked `[optional]` may be left out, and one marked `[many]` takes any number of values. The op is linear in all
//! operands marked `[linear]` taken together, whatever its attributes are. Rules take attributes as [`Attr::Arg`]: small ones by
//! copy, others by reference. A function marked `[together]` takes its operands as one parameter: an array, or a pair, of what it would
//! otherwise take separately.

use super::kinds::*;
use super::rules::{OpError, Operand, Operands, Results};
use super::{
    Access, AttentionOptions, Attr, ConvolutionSpec, DotDims, GatherDims, Key, LogitFilter, Marks, OpClass,
    OpFamily, ScatterDims, UndilatedWindow, UnpackedAttention, WindowSpec,
};
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
        } ( $($operand:ident $([$($role:ident),+])?),* ) $(=> $([$how:ident])? $($path:ident)::+)?;
    )*) => {
        /// An operation with its attributes. Its operands are the inputs of the node that contains it.
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

            /// The family, which is the module that has the rules of the op.
            pub const fn family(self) -> OpFamily {
                match self {
                    $(OpKind::$Variant => const { op_table!(@family $class $($($path)::+)?) }),*
                }
            }

            /// What an element of a result is computed from.
            pub const fn access(self) -> Access {
                self.marks().access
            }

            /// Whether StableHLO, or its companion CHLO, has an operation for the op, at least for some element types.
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

            /// Names and descriptions of the attributes in the text form.
            pub fn attributes(self) -> Vec<(&'static str, &'static str)> {
                let mut list = Vec::new();
                match self {
                    $(OpKind::$Variant => {
                        $(<$ty as Attr>::describe(
                            stringify!($field),
                            concat!($($field_doc),*).trim_ascii(),
                            &mut list,
                        );)*
                    })*
                }
                list
            }
        }

        impl Op {
            /// The op without its attributes.
            pub const fn kind(&self) -> OpKind {
                match self { $(Op::$Variant { .. } => OpKind::$Variant),* }
            }

            /// Fails if the number of operands is wrong, or a graph inside the op nests too deep or is too large.
            pub(crate) fn check(&self, operands: &[Shape]) -> Result<(), OpError> {
                Operand::check_arity(self.kind().operands(), operands.len())?;
                self.check_nesting(crate::graph::MAX_LOWERED_NESTING)
            }

            /// Infers the shapes of the results from those of the operands.
            pub fn infer(&self, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
                self.check(operands)?;
                let results = match self {
                    $(Op::$Variant { $($field),* } => op_table!(@infer $class self operands
                        ($($operand)*) ($($field)*) $($([$how])? $($path)::+)?)),*
                }?;
                results.iter().try_for_each(Shape::check).map_err(OpError::Dim)?;
                Ok(results)
            }

            /// Evaluates a primitive. The shapes of its results have been inferred.
            pub(crate) fn eval(&self, cx: &EvalCx<'_>, operands: &[Value]) -> Result<Vec<Value>, OpError> {
                Operand::check_arity(self.kind().operands(), operands.len())?;
                match self {
                    $(Op::$Variant { $($field),* } => op_table!(@eval $class cx operands
                        ($($operand)*) ($($field)*) $($([$how])? $($path)::+)?)),*
                }
            }

            /// Builds a composite's decomposition on `operands`.
            pub(crate) fn expand(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
                Operand::check_arity(self.kind().operands(), operands.len())?;
                match self {
                    $(Op::$Variant { $($field),* } => op_table!(@expand $class operands
                        ($($operand)*) ($($field)*) $($([$how])? $($path)::+)?)),*
                }
            }

            pub(crate) fn print_attributes(&self, p: &mut Printer) {
                match self {
                    $(Op::$Variant { $($field),* } => {
                        $(Attr::print_named($field, stringify!($field), p);)*
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
                    $(OpKind::$Variant => Op::$Variant { $($field: Attr::parse_named(stringify!($field), p)?),* },)*
                })
            }

            /// Replaces the bound symbols in the attributes, including those of sub-graphs.
            pub fn bind(&mut self, bindings: &Bindings) {
                match self {
                    $(Op::$Variant { $($field),* } => { $(Attr::bind($field, bindings);)* })*
                }
                let _ = bindings;
            }

            /// Calls `visit` with each dimension in the attributes, including those of sub-graphs.
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

            /// Calls `visit` with a mutable reference to each sub-graph.
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

    (@family leaf) => { OpFamily::Leaf };
    (@family primitive $module:ident $(:: $rest:ident)*) => {
        match OpFamily::of_module(stringify!($module)) {
            Some(family) => family,
            None => panic!("the rules of a primitive are in the module of a family"),
        }
    };
    (@family composite $module:ident $(:: $rest:ident)*) => {
        match OpFamily::of_module(stringify!($module)) {
            Some(family) => family,
            None => OpFamily::Composite,
        }
    };

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
    (@infer composite $self:ident $operands:ident ($($operand:ident)*) ($($field:ident)*) $([$how:ident])? $($path:ident)::+) => {{
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
    (@eval composite $cx:ident $operands:ident ($($operand:ident)*) ($($field:ident)*) $([$how:ident])? $($path:ident)::+) => {{
        $(let _ = $field;)*
        Err(OpError::Eval("a composite is evaluated through its decomposition".into()))
    }};

    (@expand composite $operands:ident ($($operand:ident)*) ($($field:ident)*) [together] $($path:ident)::+) => {{
        let operands = Operands::new($operands).take();
        $($path)::+(operands, $(Attr::arg($field)),*).map(Results::into_results)
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
    /// A value that each run provides.
    leaf "input" Input { /// Unique among the inputs.
        name: String } ();
    /// A value that is set once and kept between runs.
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
    /// One of the results of an op that has several.
    primitive[movement] "output" Output { /// Which result.
        index: usize } (results[many]) => leaf::output;
    /// The size of a dimension, as an i64 scalar.
    primitive[stablehlo] "dim_size" DimSize { /// Which dimension.
        axis: usize } (x) => leaf::dim_size;

    // ---- elementwise --------------------------------------------------------------------------------------
    /// An elementwise function of one tensor.
    primitive[elementwise, stablehlo] "unary" Unary { /// Which function.
        op: UnaryOp } (x) => elementwise::unary;
    /// An elementwise function of two tensors of the same shape.
    primitive[elementwise, stablehlo] "binary" Binary { /// Which function.
        op: BinaryOp } (lhs, rhs) => elementwise::binary;
    /// Elementwise comparison with a boolean result. Without `total_order`, NaN compares unequal to everything, including itself.
    primitive[elementwise, stablehlo] "compare" Compare {
        /// Which comparison.
        op: CompareOp,
        /// Compare floats by the IEEE 754 total order: −NaN < −inf < … < −0 < 0 < … < inf < NaN.
        total_order: bool } (lhs, rhs) => elementwise::compare;
    /// `on_true` where `pred` is true, `on_false` elsewhere.
    primitive[elementwise, stablehlo] "select" Select {} (pred, on_true[linear], on_false[linear]) => elementwise::select;
    /// min(max(x, low), high); NaN if any of the three is NaN.
    primitive[elementwise, stablehlo] "clamp" Clamp {} (low, x, high) => elementwise::clamp;
    /// Regularized incomplete beta function I_x(a, b).
    primitive[elementwise] "betainc" Betainc {} (a, b, x) => elementwise::betainc;

    // ---- element types ------------------------------------------------------------------------------------
    /// Converts the element type. Floats convert to integers by truncation toward zero with saturation, and NaN gives 0. Integers
    /// wrap when converted to other integer types. A boolean result is true where x is not zero. Complex numbers lose their
    /// imaginary part when converted to real ones. Rounding is to nearest even.
    primitive[elementwise, stablehlo] "convert" Convert { /// The new element type.
        dtype: DType } (x[linear]) => types::convert;
    /// Reinterprets the bytes as another element type. A wider type consumes the last axis; a narrower one adds an axis.
    primitive[stablehlo] "bitcast_convert" BitcastConvert { /// The new element type.
        dtype: DType } (x) => types::bitcast_convert;
    /// Rounds to a narrower floating point format and back.
    primitive[elementwise, stablehlo] "reduce_precision" ReducePrecision {
        /// Bits of the exponent, at least 1.
        exponent_bits: u32,
        /// Bits of the mantissa.
        mantissa_bits: u32 } (x[linear]) => types::reduce_precision;

    // ---- shape --------------------------------------------------------------------------------------------
    /// The same elements, in row-major order, with other dimensions.
    primitive[movement, stablehlo] "reshape" Reshape { /// The new dimensions.
        dims: Vec<Dim> } (x[linear]) => shaping::reshape;
    /// Permutes the axes: axis i of the result is axis `perm[i]` of x.
    primitive[movement, stablehlo] "transpose" Transpose { /// A permutation of the axes.
        perm: Vec<usize> } (x[linear]) => shaping::transpose;
    /// Repeats x along new axes and along axes of size 1.
    primitive[movement, stablehlo] "broadcast_in_dim" BroadcastInDim {
        /// The dimensions of the result.
        dims: Vec<Dim>,
        /// The axis of the result that each axis of x becomes, in any order, without repetition.
        axes: Vec<usize> } (x[linear]) => shaping::broadcast_in_dim;
    /// A strided slice of x.
    primitive[movement, stablehlo] "slice" Slice {
        /// First index along each axis.
        starts: Vec<Dim>,
        /// One past the last index along each axis.
        limits: Vec<Dim>,
        /// Step along each axis, at least 1.
        strides: Vec<usize> } (x[linear]) => shaping::slice;
    /// Adds `value` before, after and between elements. Negative `low` and `high` remove elements.
    primitive[movement, stablehlo] "pad" Pad {
        /// Elements added before each axis.
        low: Vec<i64>,
        /// Elements added after each axis.
        high: Vec<i64>,
        /// Elements added between neighbors along each axis.
        interior: Vec<usize> } (x[linear], value[linear]) => shaping::pad;
    /// Joins tensors along an axis.
    primitive[movement, stablehlo] "concatenate" Concatenate { /// The axis.
        axis: usize } (xs[many, linear]) => shaping::concatenate;
    /// Reverses x along axes.
    primitive[movement, stablehlo] "reverse" Reverse { /// The axes.
        axes: Vec<usize> } (x[linear]) => shaping::reverse;
    /// The slice of x that starts at the given integer scalars, one per axis. A start that would take the slice out of bounds is
    /// clamped.
    primitive[indexed, stablehlo] "dynamic_slice" DynamicSlice { /// Sizes of the slice.
        sizes: Vec<Dim> } (x[linear], starts[many]) => shaping::dynamic_slice;
    /// x with the slice at `starts` replaced by `update`. A start that would take the slice out of bounds is clamped.
    primitive[indexed, stablehlo] "dynamic_update_slice" DynamicUpdateSlice {} (x[linear], update[linear], starts[many])
        => shaping::dynamic_update_slice;

    // ---- indexing -----------------------------------------------------------------------------------------
    /// One window of x per index vector; a window that would go out of bounds is moved inside. The axes of the windows become
    /// those at `offset_dims` of the result, and the axes of the indices, without the one that holds the vectors, become the
    /// others.
    primitive[indexed, stablehlo] "gather" Gather {
        /// Which axes of x, the indices and the result correspond.
        dims: GatherDims,
        /// Sizes of a window, one per axis of x.
        slice_sizes: Vec<Dim> } (x[linear], indices) => indexing::gather;
    /// x with one window per index vector combined with its updates. A window that would go out of bounds, even in part, is
    /// skipped. Index vectors take effect in row-major order. Sums and products round once, to the element type of x.
    primitive[stablehlo] "scatter" Scatter {
        /// Which axes of x, the indices and the updates correspond.
        dims: ScatterDims,
        /// How an old value and an update combine.
        combiner: Combiner } (x, indices, updates) => indexing::scatter;
    /// Scatters into n tensors at once with a sub-graph. Operands are (xs…, indices, updates…). Otherwise as `scatter`, except
    /// that each step rounds.
    primitive[stablehlo] "scatter_graph" ScatterGraph {
        /// Which axes of the tensors, the indices and the updates correspond.
        dims: ScatterDims,
        /// (old elements…, updates…) to the new elements, all scalars.
        body: SubGraph } (args[many]) => indexing::scatter_graph;

    // ---- sorting ------------------------------------------------------------------------------------------
    /// Sorts tensors of the same dimensions together along an axis, lexicographically by the first `num_keys` of them. NaN sorts
    /// last in ascending order, −0 equals 0, complex numbers compare by real part and then by imaginary part, and false comes
    /// before true.
    primitive "sort" Sort {
        /// The axis.
        axis: usize,
        /// Ascending or descending.
        order: SortOrder,
        /// How many operands are compared; the others are reordered with them.
        num_keys: usize,
        /// Whether equal keys keep their order.
        stable: bool } (xs[many]) => sorting::sort;
    /// Sorts tensors of the same dimensions together along an axis with a comparator.
    primitive[stablehlo] "sort_graph" SortGraph {
        /// The axis.
        axis: usize,
        /// Whether elements keep their order if neither comes before the other.
        stable: bool,
        /// (an element and another of the first tensor, of the second, …), all scalars, to whether the first of each pair comes
        /// first.
        comparator: SubGraph } (xs[many]) => sorting::sort_graph;
    /// The k largest elements along the last axis, largest first, and their i32 indices; of equal elements, the first comes
    /// first. Floats compare by the total order: NaN before inf, 0 before −0, −NaN after −inf.
    primitive[stablehlo] "top_k" TopK { /// How many elements, at most the size of the last axis.
        k: usize } (x) => sorting::top_k;
    /// The index of the largest or smallest element along an axis, which disappears. If there are NaNs it is the index of the
    /// first one; otherwise, of equal elements, that of the first.
    primitive[reduction] "argreduce" ArgReduce {
        /// Largest or smallest.
        op: ArgOp,
        /// The axis, which must not be empty.
        axis: usize,
        /// The integer type of the index.
        dtype: DType } (x) => sorting::argreduce;

    // ---- contraction --------------------------------------------------------------------------------------
    /// Sums of products over the contracting axes, separately for each index of the batch axes. The result has the batch axes,
    /// then the free axes of lhs, then the free axes of rhs. Without `dtype`, sums round once, to the operands' type; f16, bf16
    /// and f8 accumulate in a wider type.
    primitive[contraction, stablehlo] "dot_general" DotGeneral {
        /// Which axes of the operands correspond.
        dims: DotDims,
        /// Element type of products, sums and result; that of the operands by default.
        dtype: Option<DType> } (lhs, rhs) => contraction::dot_general;
    /// Cross-correlation of x with a kernel, or convolution along the axes that `reversal` marks. Along each spatial axis the
    /// kernel moves by `strides` as long as it fits. Sums round once. Feature groups split the features of x and the output
    /// features of the kernel; batch groups split the batch of x and the output features.
    primitive[contraction, stablehlo] "convolution" Convolution {
        /// How the kernel moves, which axes correspond, and the groups.
        spec: ConvolutionSpec,
        /// Element type of products, sums and result; that of the operands by default.
        dtype: Option<DType> } (x, kernel) => contraction::convolution;
    /// Multiplies consecutive groups of rows of lhs `[m, k]`, with the sizes `group_sizes`, each by its own matrix of rhs
    /// `[groups, k, n]`. Rows after the last group are zero. A group starts at the sum of the sizes before it, and the part
    /// outside lhs is ignored. Where negative sizes make groups overlap, their products are added.
    primitive[contraction] "ragged_dot" RaggedDot {
        /// Element type of products, sums and result; that of the operands by default.
        dtype: Option<DType> } (lhs, rhs, group_sizes) => contraction::ragged_dot;

    // ---- reductions ---------------------------------------------------------------------------------------
    /// Combines all elements along axes, which disappear. Along an empty axis the result is the reduction's identity.
    primitive[reduction, stablehlo] "reduce" Reduce {
        /// The combiner.
        kind: ReduceOp,
        /// The axes.
        axes: Vec<usize> } (x) => reduction::reduce;
    /// Combines all elements of n tensors of the same dimensions along axes, which disappear, with a sub-graph. Operands are
    /// (xs…, initial values…); the initial values are scalars. The evaluator combines elements in row-major order. Backends may
    /// use any order, so the body must be associative and commutative, and the initial values must be its identity.
    primitive[reduction, stablehlo] "reduce_graph" ReduceGraph {
        /// (accumulators…, elements…) to the next accumulators, all scalars.
        body: SubGraph,
        /// The axes.
        axes: Vec<usize> } (args[many]) => reduction::reduce_graph;

    // ---- windows ------------------------------------------------------------------------------------------
    /// Combines the elements in a moving window. Padding and gaps do not count: a window that contains nothing else gives the
    /// reduction's identity. The window moves by `strides` along each axis as long as it fits, and the result has one element per
    /// position.
    primitive[window, stablehlo] "reduce_window" ReduceWindow {
        /// The combiner.
        kind: ReduceOp,
        /// The window and how it moves.
        spec: WindowSpec } (x) => window::reduce_window;
    /// Combines the elements of n tensors of the same dimensions in a moving window with a sub-graph. Operands are (xs…, initial
    /// values…). Otherwise as `reduce_graph` and `reduce_window`.
    primitive[window, stablehlo] "reduce_window_graph" ReduceWindowGraph {
        /// (accumulators…, elements…) to the next accumulators, all scalars.
        body: SubGraph,
        /// The window and how it moves.
        spec: WindowSpec } (args[many]) => window::reduce_window_graph;
    /// Selects an element of x at each position of a moving window, and scatters the source's element for that position to it.
    /// The result has the shape of x and starts as `init`. A window that contains only padding selects nothing.
    primitive[stablehlo] "select_and_scatter" SelectAndScatter {
        /// (the element selected so far, another one), in row-major order, to whether the first stays selected.
        select: SubGraph,
        /// (the result's element so far, the source's element) to the result's next one, in row-major order of the positions.
        scatter: SubGraph,
        /// The window and how it moves.
        spec: UndilatedWindow } (x, source, init) => window::select_and_scatter;
    /// Running reductions along an axis. Each result of a sum or product rounds once.
    primitive[window] "cumulative" Cumulative {
        /// What is accumulated.
        op: ReduceOp,
        /// The axis.
        axis: usize,
        /// Whether each result leaves out its own element; the first result is then the identity.
        exclusive: bool,
        /// Whether to run from the last element to the first.
        reverse: bool } (x) => window::cumulative;

    // ---- linear algebra -----------------------------------------------------------------------------------
    // Matrices are the last two axes; the leading axes are a batch. Element types are f32, f64, c64 and c128. A matrix that
    // contains a NaN or an infinity may give NaN anywhere in its own results.

    /// The triangular factor, with a positive diagonal, of Hermitian positive definite matrices: L of A = L·Lᴴ, or U of A = Uᴴ·U.
    /// Only one triangle of A is read, and the other triangle of the result is zero. If A is not positive definite, the factor's
    /// triangle is NaN.
    primitive[stablehlo] "cholesky" Cholesky { /// Read and return the lower triangle, instead of the upper.
        lower: bool } (a) => linalg::cholesky;
    /// Solves op(A)·X = B or X·op(A) = B for X, with triangular A; f16 and bf16 are accepted too. A zero on the
    /// diagonal causes a division by zero.
    primitive[stablehlo] "triangular_solve" TriangularSolve {
        /// Whether A is on the left of X.
        left_side: bool,
        /// Read the lower triangle of A, instead of the upper.
        lower: bool,
        /// Treat the diagonal as ones.
        unit_diagonal: bool,
        /// Whether op is the identity, the transpose or the adjoint.
        transpose: TransposeOp } (a, b[linear]) => linalg::triangular_solve;
    /// Solves A·X = B with tridiagonal A by elimination with partial pivoting (LAPACK's gtsv), for diagonals `[…, n]` and B
    /// `[…, n, k]`: `A[i, i]` is `diagonal[i]`, `A[i, i − 1]` is `lower[i]`, and `A[i, i + 1]` is `upper[i]`. The first element
    /// of lower and the last of upper are not read. If a pivot is zero, all of X is NaN.
    primitive "tridiagonal_solve" TridiagonalSolve {} (lower, diagonal, upper, b[linear])
        => linalg::tridiagonal_solve;
    /// P·A = L·U with partial pivoting. Results are L and U in one matrix, without the ones on the diagonal of L; for each step,
    /// the i32 index of the row exchanged with it; and for each row of P·A, the i32 index of the row of A.
    primitive "lu" Lu {} (a) => linalg::lu;
    /// A = Q·R with Q from Householder reflections; the columns of Q are orthonormal, and the diagonal of R is real, of either
    /// sign. Results are Q and R.
    primitive "qr" Qr { /// Whether Q is square and R has as many rows as A. Otherwise both have only min(rows, columns).
        full_matrices: bool } (a) => linalg::qr;
    /// The QR factorization of A `[…, m, n]` as LAPACK's geqrf packs it. The first result has R in its upper triangle and, below
    /// the diagonal, the vectors v of the reflectors H = I − τ·v·vᴴ without their leading ones; the second is the factors τ
    /// `[…, min(m, n)]`. Q is the product of the H in order, and the diagonal of R is real.
    primitive "geqrf" Geqrf {} (a) => linalg::geqrf;
    /// The QR factorization A·P = Q·R with column pivoting, as LAPACK's geqp3 packs it. Results are the packed form and τ of
    /// `geqrf`, and for each column of A·P the i32 index of the column of A. Columns for which leading (i32 `[…, n]`) is not zero
    /// come first. Of the others, each step takes the column with the longest component orthogonal to the columns before it.
    primitive "geqp3" Geqp3 {} (a, leading) => linalg::geqp3;
    /// The first n columns of the product, in order, of the reflectors H = I − τ·v·vᴴ (LAPACK's orgqr and ungqr). The vectors v
    /// are below the diagonal of A `[…, m, n]`, as `geqrf` packs them, and τ is `[…, k]` with k ≤ n ≤ m.
    primitive "householder_product" HouseholderProduct {} (a, taus) => linalg::householder_product;
    /// A·V = V·diag(λ) of Hermitian matrices, of which only one triangle is read. Results are the real eigenvalues, ascending,
    /// and the eigenvectors as columns, each unique up to a factor of modulus 1.
    primitive "eigh" Eigh { /// Read the lower triangle, instead of the upper.
        lower: bool } (a) => linalg::eigh;
    /// A·V = V·diag(λ) and Uᴴ·A = diag(λ)·Uᴴ of any square matrix (LAPACK's geev). Results are the complex eigenvalues λ in no
    /// particular order, and as columns the left eigenvectors U and the right eigenvectors V, of norm 1 and with a real largest
    /// element. The complex λ of a real matrix, and their vectors, come in adjacent conjugate pairs, positive imaginary part
    /// first. All results are NaN if the iteration for λ does not converge.
    primitive "eig" Eig {
        /// Return U.
        left: bool,
        /// Return V.
        right: bool } (a) => linalg::eig;
    /// A = U·diag(s)·Vᴴ. Results are U, the descending real s, and Vᴴ. The vectors are unique up to a factor of modulus 1.
    primitive "svd" Svd { /// Whether U and V are square. Otherwise they have only min(rows, columns) vectors.
        full_matrices: bool } (a) => linalg::svd;

    // ---- quantized storage --------------------------------------------------------------------------------
    /// The f32 values of packed blocks: u8 `[…, bytes per row]` → `[…, values per row]`.
    primitive "dequantize_blocks" DequantizeBlocks { /// The format.
        scheme: QuantScheme } (bytes) => quantized::dequantize_blocks;

    /// Discrete Fourier transforms over the last axes, one per length. fft and ifft map complex numbers to complex numbers. rfft
    /// maps real numbers (f32, f64) to the first n/2 + 1 coefficients of the last axis, and irfft is its inverse; irfft ignores
    /// imaginary parts that no real result can have. Inverses are divided by the product of the lengths.
    primitive[stablehlo] "fft" Fft {
        /// Which transform.
        kind: FftKind,
        /// Lengths of the transformed axes, outermost first: one, two or three of them.
        lengths: Vec<usize> } (x[linear]) => fourier::fft;

    // ---- random -------------------------------------------------------------------------------------------
    /// Random bits from a state, bit for bit those of XLA. Results are the next state and unsigned integers.
    primitive[stablehlo] "rng_bits" RngBits {
        /// The generator.
        algorithm: RngAlgorithm,
        /// Dimensions and unsigned type of the bits.
        shape: Shape } (state) => random::rng_bits;
    /// The Threefry-2x32 block function with 20 rounds: encrypts the counter (x0, x1) with the key (k0, k1). All operands and
    /// both results are u32 of the same shape.
    primitive[elementwise] "threefry2x32" Threefry2x32 {} (k0, k1, x0, x1) => random::threefry2x32;

    // ---- control ------------------------------------------------------------------------------------------
    /// Returns its operands; the compiler moves nothing across it.
    primitive[movement, stablehlo] "optimization_barrier" OptimizationBarrier {} (xs[many, linear]) => control::optimization_barrier;
    /// Applies one of two graphs to `args`, chosen by a boolean scalar; the other does not run.
    primitive[stablehlo] "if" If {
        /// Runs if pred is true.
        then_branch: SubGraph,
        /// Runs if pred is false; has the same signature.
        else_branch: SubGraph } (pred, args[many]) => control::branch::conditional;
    /// Applies one of several graphs to `args`, chosen by an i32 scalar; the others do not run. An index that is negative or too
    /// large selects the last one.
    primitive[stablehlo] "case" Case { /// At least one; all have the same signature.
        branches: Vec<SubGraph> } (index, args[many]) => control::branch::case;
    /// Applies `body` to the carried values while `cond` of them is true. Returns the last values.
    primitive[stablehlo] "while" While {
        /// Carried values to a boolean scalar.
        cond: SubGraph,
        /// Carried values to the next ones, of the same shapes.
        body: SubGraph } (init[many]) => control::looping::while_loop;
    /// A loop over the leading axis of its operands. Operands are (consts…, carry…, xs…), and results are (final carry…, stacked
    /// ys…).
    primitive "scan" Scan {
        /// (consts…, carry…, a slice of each x…) to (next carry…, a slice of each y…).
        body: SubGraph,
        /// Number of steps: the size of the leading axis of each x and y.
        length: Dim,
        /// Number of operands that are the same in each step.
        num_consts: usize,
        /// Number of carried values.
        num_carry: usize,
        /// Whether to run from the last slice to the first. Each slice of ys stays at the index of its slice of xs.
        reverse: bool } (values[many]) => control::scan;
    /// An op that the program defines; [`crate::register_custom`] gives its name a shape rule and an evaluation.
    primitive[stablehlo] "custom" Custom {
        /// The registered name.
        name: String,
        /// Configuration passed to the op's rules, in a format that the op defines.
        config: String,
        /// The shapes of the results, which must be those of the op's shape rule.
        results: Vec<Shape> } (args[many]) => control::custom;

    // ---- collectives --------------------------------------------------------------------------------------
    // The participants are the instances of a graph that is mapped over an axis of that name. Outside of a map there is one.

    /// Combines the values of all participants; each of them gets the result.
    primitive "all_reduce" AllReduce {
        /// The combiner.
        op: ReduceOp,
        /// The name of the mapped axis.
        axis_name: String } (x) => collective::all_reduce;
    /// Stacks the values of all participants, in order, along a new axis, or joins them along an existing one. Each participant
    /// gets the result.
    primitive "all_gather" AllGather {
        /// The axis of the result.
        axis: usize,
        /// The name of the mapped axis.
        axis_name: String,
        /// Number of participants.
        size: Dim,
        /// Whether to join along the axis instead of adding it.
        tiled: bool } (x[linear]) => collective::all_gather;
    /// Combines the values of all participants, and splits the result along an axis. Each participant gets its part: one element,
    /// so that the axis disappears, or a block of elements.
    primitive "reduce_scatter" ReduceScatter {
        /// The combiner.
        op: ReduceOp,
        /// The axis of x.
        axis: usize,
        /// The name of the mapped axis.
        axis_name: String,
        /// Number of participants.
        size: Dim,
        /// Whether to split the axis into blocks and keep it.
        tiled: bool } (x) => collective::reduce_scatter;
    /// Sends part i of an axis to participant i, and assembles the received parts along another axis in the order of their
    /// senders.
    primitive "all_to_all" AllToAll {
        /// The axis of x to split, into single elements, so that it disappears, or into blocks.
        split_axis: usize,
        /// The axis of the result that is added, or along which the parts are joined.
        concat_axis: usize,
        /// The name of the mapped axis.
        axis_name: String,
        /// Number of participants.
        size: Dim,
        /// Whether to split into blocks and join, which keeps both axes.
        tiled: bool } (x[linear]) => collective::all_to_all;
    /// Sends values between participants. A participant that receives nothing gets zeros.
    primitive "permute" Permute {
        /// The senders, each at most once.
        sources: Vec<usize>,
        /// The receiver for each sender, each at most once.
        targets: Vec<usize>,
        /// The name of the mapped axis.
        axis_name: String } (x[linear]) => collective::permute;
    /// The index of this participant, as an i32 scalar.
    composite "axis_index" AxisIndex { /// The name of the mapped axis.
        axis_name: String } () => collective::axis_index;

    // ---- composites: activations ---------------------------------------------------------------------------
    /// A named elementwise function.
    composite[elementwise] "activation" Activation { /// Which function.
        kind: Activation } (x) => activation::activation;
    /// x where x > 0, alpha · (e^x − 1) elsewhere.
    composite[elementwise] "elu" Elu { /// Minus the limit at −inf.
        alpha: f64 } (x) => elu::elu;
    /// x where x ≥ 0, slope · x elsewhere.
    composite[elementwise] "leaky_relu" LeakyRelu { /// Factor of negative values.
        slope: f64 } (x) => leaky_relu::leaky_relu;
    /// min(max(x, low), high); NaN if x is NaN.
    composite[elementwise] "clip" Clip {
        /// Lower limit; none by default.
        low: Option<f64>,
        /// Upper limit; none by default.
        high: Option<f64> } (x) => clip::clip;
    /// x itself, treated as a constant by every derivative.
    composite[elementwise] "stop_gradient" StopGradient {} (x) => stop_gradient::stop_gradient;
    /// silu(gate) · up; f16, bf16 and f8 are computed in f32.
    composite[elementwise] "swiglu" Swiglu {} (gate, up) => swiglu::swiglu;

    // ---- composites: contraction ---------------------------------------------------------------------------
    /// Matrix product over the last two axes. Leading axes broadcast, and vectors are handled, as in NumPy.
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
    /// Normalization of `[N, C, …]` over groups of consecutive channels and all positions; gamma and beta are `[C]`.
    composite "group_norm" GroupNorm {
        /// Number of groups; must divide C.
        groups: usize,
        /// Added to the variance.
        eps: f64 } (x, gamma[optional], beta[optional]) => group_norm::group_norm;
    /// (x − mean) / sqrt(variance + eps) · gamma + beta with given statistics. gamma, beta, mean and variance have the size of
    /// `axis`.
    composite "batch_norm" BatchNorm {
        /// The feature axis.
        axis: usize,
        /// Added to the variance.
        eps: f64 } (x, gamma, beta, mean, variance) => [together] batch_norm::batch_norm;
    /// Batch normalization with the statistics of x over all axes except `axis`. Results are the normalized x, the mean and the
    /// biased variance.
    composite "batch_norm_training" BatchNormTraining {
        /// The feature axis.
        axis: usize,
        /// Added to the variance.
        eps: f64 } (x, gamma, beta) => batch_norm::batch_norm_training;

    // ---- composites: attention -----------------------------------------------------------------------------
    /// softmax(mask(softcap(scale · q·kᵀ))) · v. Operands are `[batch, heads, seq, d]`, or `[batch, seq, heads·d]` with
    /// `num_heads`; the result has the layout of q. The number of heads of q is a multiple of that of k and v; each head of k and
    /// v serves a group of consecutive heads of q. Masks align the queries with the last keys. A custom mask (booleans, or
    /// numbers where nonzero means true) or a bias broadcasts to `[batch, heads, seq_q, seq_k]`; one of rank 2 is
    /// `[batch, seq_k]`. A query that may attend to no key gives zeros. For f16, bf16 and f8, scores and softmax are computed in
    /// f32.
    ///
    /// k and v may be caches of fixed capacity: only the first `kv_len` rows of each sequence count, whatever the other rows
    /// contain. `kv_len` is an integer tensor, `[batch]` or a scalar, and is clamped to 0 … the capacity. Masks align the queries
    /// with the last rows that count, so query i is at position kv_len − seq_q + i. k and v may have other float types than q, or
    /// be packed (`kv_scheme`). Everything is then computed in a type that represents the numbers of all operands, at least f32,
    /// and the result has the type of q.
    composite "attention" Attention {
        /// The number of heads, the scale of the scores, the mask, and the format of k and v.
        options: AttentionOptions } (q, k, v, mask_values[optional], kv_len[optional]) => attention::attention;
    /// The cotangents of `attention` in reverse mode, from its operands and the cotangent of its result, which has the result's
    /// shape. Results are the cotangents of q, k and v, and with the mask `bias` that of the bias. Scores are recomputed. Rows of
    /// k and v that do not count have cotangents of 0.
    composite "attention_backward" AttentionBackward {
        /// The number of heads, the scale of the scores, and the mask.
        options: UnpackedAttention } (q, k, v, d_out, mask_values[optional], kv_len[optional])
        => [together] attention::backward::attention_backward;
    /// Rotary position embedding of the last axis. cos and sin are `[seq, rotary_dims / 2]`, or have the batch (axis 0 of x) as
    /// an additional leading axis. A pair (a, b) becomes (a·cos − b·sin, b·cos + a·sin). f16, bf16 and f8 are computed in f32.
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
        /// Window dilation, the distance between elements of the kernel: height, width.
        dilation: Vec<usize>,
        /// Groups of channels, which are convolved separately.
        groups: usize } (x, w, bias[optional]) => [together] conv::conv2d;
    /// The transpose of conv2d as a linear map, plus a bias `[O]`. w is `[C, O/groups, kH, kW]`, and an axis of size n gets the
    /// size (n − 1)·stride − 2·padding + dilation·(k − 1) + output_padding + 1.
    composite[contraction] "conv_transpose2d" ConvTranspose2d {
        /// Base dilation, the distance in the result between neighboring elements of x: height, width.
        stride: Vec<usize>,
        /// Elements removed on both sides: height, width.
        padding: Vec<usize>,
        /// Elements added at the end: height, width.
        output_padding: Vec<usize>,
        /// Window dilation, the distance between elements of the kernel: height, width.
        dilation: Vec<usize>,
        /// Groups of channels, which are convolved separately.
        groups: usize } (x, w, bias[optional]) => [together] conv::conv_transpose2d;
    /// x `[N, C, spatial…]` (one to three spatial axes) reduced over windows that fit into the padded axes. Padding counts as the
    /// reduction's identity (−inf for a maximum, 0 for a sum); a mean divides by the size of the whole window, padding included.
    composite[window] "pool" Pool {
        /// The reduction.
        kind: ReduceOp,
        /// Sizes of the window, one per spatial axis.
        kernel_size: Vec<usize>,
        /// Steps of the window, one per spatial axis.
        stride: Vec<usize>,
        /// Padding on both sides, one per spatial axis.
        padding: Vec<usize> } (x) => pool::pool;

    // ---- composites: recurrent -----------------------------------------------------------------------------
    // Weights are w_ih [gates·h, in] and w_hh [gates·h, h], and biases are [gates·h]. f16, bf16 and f8 are computed in f32.

    /// h ← activation(x·w_ihᵀ + b_ih + h·w_hhᵀ + b_hh) along x `[seq, batch, in]`. Results are all h and the last h.
    composite "rnn" Rnn {
        /// The function applied to the sum.
        activation: Activation,
        /// Whether to run from the last step to the first.
        reverse: bool } (x, h0, w_ih, w_hh, b_ih[optional], b_hh[optional]) => [together] recurrent::rnn;
    /// Long short-term memory along x `[seq, batch, in]`, with gates in the order input, forget, cell, output. Results are all h,
    /// the last h and the last c.
    composite "lstm" Lstm { /// Whether to run from the last step to the first.
        reverse: bool } (x, h0, c0, w_ih, w_hh, b_ih[optional], b_hh[optional]) => [together] recurrent::lstm;
    /// Gated recurrent unit along x `[seq, batch, in]`, with gates in the order reset, update, new. The reset gate multiplies
    /// h·w_hhᵀ + b_hh. Results are all h and the last h.
    composite "gru" Gru { /// Whether to run from the last step to the first.
        reverse: bool } (x, h0, w_ih, w_hh, b_ih[optional], b_hh[optional]) => [together] recurrent::gru;

    // ---- composites: state space ---------------------------------------------------------------------------
    /// The selective state space of Mamba, starting from a zero state: h ← e^(delta·a) ⊙ h + delta·x·b, y = h·c + skip·x. x and
    /// delta are `[batch, seq, d]`, a is `[d, n]`, b and c are `[batch, seq, n]`, and skip is `[d]`. f16, bf16 and f8 are
    /// computed in f32.
    composite "selective_scan" SelectiveScan {} (x, delta, a, b, c, skip[optional]) => selective_scan::selective_scan;
    /// `selective_scan` from a given state `[batch, d, n]`; the second result is the last state.
    composite "selective_scan_with_state" SelectiveScanWithState {} (x, delta, a, b, c, state, skip[optional])
        => [together] selective_scan::selective_scan_with_state;

    // ---- composites: linear algebra ------------------------------------------------------------------------
    /// Solves a·x = b for x, with a `[n, n]` and b `[n]` or `[n, k]`. A singular matrix gives infinities or NaN.
    composite "dense_solve" DenseSolve {} (a, b[linear]) => dense_solve::dense_solve;
    /// Solves a·x = b for x, for each of the matrices a `[…, n, n]`, with b `[…, n]` or `[…, n, k]`.
    composite "batched_dense_solve" BatchedDenseSolve {} (a, b[linear]) => dense_solve::batched_dense_solve;

    /// Q·C or C·Q, or the same with Qᴴ, for the product Q, in order, of the reflectors H = I − τ·v·vᴴ (LAPACK's ormqr and unmqr).
    /// The vectors v are below the diagonal of A `[…, m, n]`, as `geqrf` packs them, and τ is `[…, k]` with k ≤ min(m, n).
    composite "ormqr" Ormqr {
        /// Whether Q is on the left of C.
        left_side: bool,
        /// Multiply by Qᴴ.
        adjoint: bool } (a, taus, c[linear]) => ormqr::ormqr;

    // ---- composites: indexing and shape --------------------------------------------------------------------
    /// Rows of a table `[rows, d]` for ids of any shape. An id outside the table is clamped.
    composite[indexed] "embedding" Embedding {} (table[linear], ids) => take::embedding;
    /// The slices of x along an axis at indices of any shape, whose axes replace that axis. An index outside the axis is clamped.
    composite[indexed] "take" Take { /// The axis.
        axis: usize } (x[linear], indices) => take::take;
    /// The elements of x along an axis at the given indices, which have the dimensions of x except along that axis
    /// (`take_along_axis`). An index outside the axis is clamped.
    composite[indexed] "gather_axis" GatherAxis { /// The axis.
        axis: usize } (x[linear], indices) => gather_axis::gather_axis;
    /// x with updates added along an axis. Indices of rank 1 name slices; indices of the rank of x name elements, and have the
    /// dimensions of x along the other axes. An update whose index is outside the axis is skipped.
    composite "scatter_add" ScatterAdd { /// The axis.
        axis: usize } (x[linear], indices, updates[linear]) => gather_axis::scatter_add;
    /// 1 at the id and 0 elsewhere, along a new last axis; all 0 for an id outside that axis.
    composite "one_hot" OneHot {
        /// Size of the new axis.
        depth: usize,
        /// Element type of the result.
        dtype: DType } (ids) => one_hot::one_hot;
    /// x broadcast to `dims`: axes are aligned at the end, and axes of size 1 repeat.
    composite[movement] "expand" Expand { /// The dimensions of the result.
        dims: Vec<Dim> } (x[linear]) => rearrange::expand;
    /// A range of elements along an axis.
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
        /// Sizes of the parts; they add up to the size of the axis.
        sizes: Vec<Dim> } (x[linear]) => rearrange::split;
    /// x repeated along its axes. If x has fewer axes than there are repeats, or more, ones are prepended to the shorter list.
    composite[movement] "tile" Tile { /// Number of repetitions along each axis.
        repeats: Vec<usize> } (x[linear]) => rearrange::tile;
    /// Shifts elements toward the end of axes; those that leave an axis come back at its start.
    composite[movement] "roll" Roll {
        /// Shift along each axis; negative shifts go toward the start.
        shifts: Vec<i64>,
        /// The axes.
        axes: Vec<usize> } (x[linear]) => rearrange::roll;
    /// A cache with new entries written along an axis, starting at `position`: an integer scalar, or `[batch]` with one position
    /// per entry of axis 0. Positions are clamped as in slices: entries that would go past the end overwrite the newest ones, and
    /// a negative position counts as 0.
    composite[indexed] "kv_append" KvAppend { /// The axis of positions.
        axis: usize } (cache[linear], new[linear], position) => kv_append::kv_append;

    // ---- composites: losses --------------------------------------------------------------------------------
    /// `−log softmax(logits)[label]` over the last axis, one loss per row. Labels are integers, or floats that hold integers;
    /// any other label gives NaN. f16, bf16 and f8 are computed in f32.
    composite "softmax_cross_entropy" SoftmaxCrossEntropy {} (logits, labels) => loss::softmax_cross_entropy;
    /// The mean of (x − target)² over all elements, as a scalar.
    composite "mse" Mse {} (x, target) => loss::mse;

    // ---- composites: quantization --------------------------------------------------------------------------
    /// saturate(round(x / scale) + zero_point), rounding to nearest even. For 8-bit floats there is no rounding to integers
    /// first.
    composite "quantize" Quantize {
        /// The axis of scales and zero points; if there is none, they are scalars.
        axis: Option<usize>,
        /// Element type of the result: i8 i16 i32 u8 u16 f8e4m3 f8e5m2.
        dtype: DType } (x, scale, zero_point[optional]) => quantize::quantize;
    /// (x − zero_point) · scale, in the element type of scale.
    composite "dequantize" Dequantize { /// The axis of scales and zero points; if there is none, they are scalars.
        axis: Option<usize> } (x, scale, zero_point[optional]) => quantize::dequantize;
    /// (clamp(round(x / scale) + zero_point) − zero_point) · scale in floating point; the derivative of the rounding is
    /// the identity.
    composite "fake_quantize" FakeQuantize {
        /// Bits of the simulated integers, 2 to 16.
        bits: u32,
        /// The axis of scales and zero points; if there is none, they are scalars.
        axis: Option<usize>,
        /// Whether integers range over ±(2^(bits−1) − 1), without a zero point, instead of 0 … 2^bits − 1.
        symmetric: bool } (x, scale, zero_point[optional]) => quantize::fake_quantize;
    /// x `[…, k]` times the transpose of packed weights, u8 `[n, bytes of k values]`.
    composite "dequant_matmul" DequantMatMul { /// The format of the weights.
        scheme: QuantScheme,
        /// Whether to round x to bytes first, in groups of 32 values: to multiples of the group's largest magnitude / 127, to
        /// nearest even. The derivative of the rounding is the identity.
        round_x: bool } (x, weights) => quantized::dequant_matmul;
    /// Multiplies consecutive groups of rows of x `[m, k]`, with the sizes `group_sizes`, each by the transpose of its own matrix
    /// of packed weights, u8 `[groups, n, bytes of k values]`. Sizes that are negative, or do not add up to m, are handled as in
    /// `ragged_dot`.
    composite "dequant_grouped_matmul" DequantGroupedMatMul { /// The format of the weights.
        scheme: QuantScheme,
        /// Whether to round x to bytes first, as `dequant_matmul` does.
        round_x: bool } (x, weights, group_sizes) => quantized::dequant_grouped_matmul;

    // ---- composites: reductions ----------------------------------------------------------------------------
    /// Arithmetic mean along axes.
    composite[reduction] "mean" Mean { /// The axes.
        axes: Vec<usize>,
        /// Keep the axes with size 1.
        keep_dims: bool } (x[linear]) => mean::mean;
    /// log Σ e^x along axes; −inf along an empty axis. f16, bf16 and f8 are computed in f32.
    composite[reduction] "logsumexp" LogSumExp {
        /// The axes.
        axes: Vec<usize>,
        /// Keep the axes with size 1.
        keep_dims: bool } (x) => softmax::logsumexp;
    /// Sums of the elements up to and including each one along an axis.
    composite[window] "cumsum" Cumsum { /// The axis.
        axis: usize } (x[linear]) => cumsum::cumsum;

    // ---- composites: random --------------------------------------------------------------------------------
    /// Uniform floats in [low, high), by default [0, 1), from a key `u32[2]`; the same numbers as `jax.random.uniform`.
    composite "rng_uniform" RngUniform { /// Dimensions and float type of the result; low and high broadcast to it.
        shape: Shape } (key, low[optional], high[optional]) => rng_uniform::rng_uniform;
    /// Normally distributed floats or complex numbers from a key `u32[2]`, as `jax.random.normal`.
    composite "rng_normal" RngNormal { /// Dimensions and type of the result.
        shape: Shape } (key) => rng_normal::rng_normal;
    /// i32 indices along an axis, drawn with the probabilities softmax(logits) from a key `u32[2]`, as `jax.random.categorical`.
    composite "categorical" Categorical { /// The axis, which disappears.
        axis: usize } (key, logits) => categorical::categorical;
    /// Samples the next token of each text from logits `[…, vocab]`: filters narrow the candidates one after the other, then
    /// `categorical` draws one with the key `u32[2]`. Results are the tokens, i32 `[…]`; the logits of the candidates (f32 or
    /// f64), `[…, n]`; and their token ids, i32 `[…, n]`. n is the size of the vocabulary, or the smallest `top_k`. Candidates
    /// that were filtered out have the logit −inf and the id −1. `counts` has the dimensions of the logits and says how often
    /// each token has occurred; `bias` is `[vocab]`. They are required by the filters that read them.
    composite "sample" Sample {
        /// The filters, in the order in which they run.
        filters: Vec<LogitFilter>,
        /// Whether to take the most likely candidate instead of drawing one; of equal candidates, the first.
        greedy: bool } (key, logits, counts[optional], bias[optional]) => sample::sample;

    // ---- composites: control -------------------------------------------------------------------------------
    /// A graph applied to values, kept as one node.
    composite "call" Call { /// The graph.
        body: SubGraph } (args[many]) => control::call::call;
    /// A graph with user-defined derivatives. Its rules take (args…, results…, derivatives…). Only floats and complex numbers
    /// have derivatives, of their own shape and type.
    composite "custom_fn" CustomFn {
        /// The function.
        forward: SubGraph,
        /// (args…, results…, tangents of args…) to (tangents of results…), linear in the tangents.
        jvp: Option<SubGraph>,
        /// (args…, results…, cotangents of results…) to (cotangents of args…), linear in the cotangents.
        vjp: Option<SubGraph> } (args[many]) => control::call::custom_fn;

    /// A graph applied to values. Reverse mode keeps only what the policy names, and recomputes the rest.
    composite "checkpoint" Checkpoint {
        /// The graph.
        body: SubGraph,
        /// What reverse mode keeps.
        policy: CheckpointPolicy } (args[many]) => control::call::checkpoint;
    /// A function that is linear in the operands from `known` on, with its transpose. Reverse mode runs that, instead of
    /// transposing the function op by op.
    composite "linear_call" LinearCall {
        /// (known operands…, linear operands…) to the results, linear in the latter.
        forward: SubGraph,
        /// (known operands…, cotangents of the results…) to the cotangents of the linear operands.
        transpose: SubGraph,
        /// Number of operands before the linear ones.
        known: usize } (args[many]) => control::call::linear_call;

    // ---- made by the compiler ------------------------------------------------------------------------------
    /// A group of nodes that one kernel computes.
    composite "fusion" Fusion {
        /// The kernel family that runs it.
        kind: FusionKind,
        /// The nodes.
        body: SubGraph } (args[many]) => control::call::fusion;
}

/// Whether two strings are equal, at compile time.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && a.len() == b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && a.len() == b.len()
}

/// Fails to compile if two rows of the table have the same name.
const _: () = {
    let mut i = 0;
    while i < OpKind::ALL.len() {
        let mut j = 0;
        while j < i {
            assert!(
                !is_same(OpKind::ALL[i].name(), OpKind::ALL[j].name()),
                "two rows of the op table have the same name"
            );
            j += 1;
        }
        i += 1;
    }
};
