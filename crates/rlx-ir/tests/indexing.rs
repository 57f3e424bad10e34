//! Gather and scatter. Expected values are from `jax.lax` on a CPU.

mod cases;

use cases::{Case, check, refused};
use rlx_ir::{Combiner, DType, Dim, GatherDims, Graph, Literal, Op, ReduceOp, ScatterDims, Shape, eval};

#[test]
fn boxes_are_read_and_written_as_in_jax() {
    check(CASES);
}

#[test]
fn wrong_dimension_numbers_are_named() {
    refused(&[
        (&gather("f32[]", "[1]", "[0]", "[0]", "1", "[1, 2]"), "indices has element type f32"),
        (&gather("i32[2,1]", "[1]", "[0]", "[0]", "3", "[1, 2]"), "index_vector_dim 3 is out of range"),
        (
            &gather("i32[2,1]", "[]", "[0]", "[0]", "1", "[1, 2]"),
            "must together list as many axes as x has (2)",
        ),
        (
            &gather("i32[2,1]", "[2]", "[0]", "[0]", "1", "[1, 2]"),
            "offset_dims: axis 2 is out of range for rank 2",
        ),
        (
            &gather("i32[2,1]", "[1]", "[0]", "[0, 1]", "1", "[1, 2]"),
            "each of the 1 items of an index vector",
        ),
        (&gather("i32[2,1]", "[1]", "[0]", "[0]", "1", "[2, 2]"), "must have size 1, got 2"),
        (&gather("i32[2,1]", "[1]", "[0]", "[0]", "1", "[1, 3]"), "a slice of 3 along axis 1 does not fit"),
        (&gather("i32[2,1]", "[1]", "[0]", "[0]", "1", "[1]"), "slice_sizes must have 2 items"),
        (&gather("i32[2,1]", "[1, 0]", "[]", "[0]", "1", "[1, 2]"), "offset_dims must be ascending"),
        (
            &scatter("f32[2,3]", "add"),
            "window axis 1 of updates f32[2,3] does not fit into axis 1 of x f32[4,2]",
        ),
        (&scatter("f32[3,2]", "add"), "counts indices i32[2,1] and must have size 2"),
        (&scatter("f16[2,2]", "add"), "must have the element type of x f32[4,2]"),
        (&scatter("f32[2]", "add"), "must have 1 window axes"),
        (
            "%x = input {name = \"x\"} : f32[4]\n%y = scatter_graph %x, %x {dims = {update_window_dims = [], \
             inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], \
             scatter_dims_to_operand_dims = [], index_vector_dim = 0}, body = graph \"b\" { %0 = input {name = \
             \"a\"} : f32[] return %0 }} : f32[4]\nreturn %y",
            "takes n tensors, indices and n updates",
        ),
    ]);
}

fn gather(indices: &str, offset: &str, collapsed: &str, map: &str, vector: &str, sizes: &str) -> String {
    format!(
        "%x = input {{name = \"x\"}} : f32[4,2]\n%i = input {{name = \"i\"}} : {indices}\n%y = gather %x, %i \
         {{offset_dims = {offset}, collapsed_slice_dims = {collapsed}, operand_batching_dims = [], \
         start_indices_batching_dims = [], start_index_map = {map}, index_vector_dim = {vector}, \
         slice_sizes = {sizes}}} : f32[2,2]\nreturn %y"
    )
}

fn scatter(updates: &str, combiner: &str) -> String {
    format!(
        "%x = input {{name = \"x\"}} : f32[4,2]\n%i = input {{name = \"i\"}} : i32[2,1]\n%u = input {{name = \"u\"}} \
         : {updates}\n%y = scatter %x, %i, %u {{dims = {{update_window_dims = [1], inserted_window_dims = [0], \
         input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], \
         index_vector_dim = 1}}, combiner = {combiner}}} : f32[4,2]\nreturn %y"
    )
}

#[test]
fn sizes_may_be_symbolic() {
    let mut g = Graph::new("rows");
    let rows = ["n".into(), Dim::Static(2)];
    let x = g.input("x", Shape::from_dims(&rows, DType::F32));
    let i = g.input("i", Shape::from_dims(&["m".into(), Dim::Static(1)], DType::I32));
    let op = Op::Gather {
        dims: GatherDims {
            offset_dims: vec![1],
            collapsed_slice_dims: vec![0],
            operand_batching_dims: vec![],
            start_indices_batching_dims: vec![],
            start_index_map: vec![0],
            index_vector_dim: 1,
        },
        slice_sizes: vec![Dim::Static(1), Dim::Static(2)],
    };
    let read = g.try_add(op, vec![x, i]).expect("fits");
    let op = Op::Scatter {
        dims: ScatterDims {
            update_window_dims: vec![1],
            inserted_window_dims: vec![0],
            input_batching_dims: vec![],
            scatter_indices_batching_dims: vec![],
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
        },
        combiner: Combiner::Reduce(ReduceOp::Sum),
    };
    let written = g.try_add(op, vec![x, i, read]).expect("fits");
    g.set_outputs(vec![read, written]);
    assert_eq!(g.shape(read), &Shape::from_dims(&["m".into(), Dim::Static(2)], DType::F32));
    assert_eq!(g.shape(written), &Shape::from_dims(&rows, DType::F32));
    let x = Literal::new(&[3, 2], &[1f32, 2., 3., 4., 5., 6.]).expect("fits");
    let i = Literal::new(&[2, 1], &[2i32, 0]).expect("fits");
    let out = eval(&g, &[("x", &x), ("i", &i)]).expect("runs");
    assert_eq!(out[0].as_slice::<f32>(), Ok(&[5f32, 6., 1., 2.][..]));
    assert_eq!(out[1].as_slice::<f32>(), Ok(&[2f32, 4., 3., 4., 10., 12.][..]));
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        name: "rows, clamped at both ends",
        body: r#"
  %x = constant {value = f32[4,2] [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]} : f32[4,2]
  %i = constant {value = i32[4,1] [2, -5, 99, 0]} : i32[4,1]
  %r = gather %x, %i {offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 2]} : f32[4,2]
  return %r"#,
        gives: &[
            "f32[4,2] [4.0, 5.0, 0.0, 1.0, 6.0, 7.0, 0.0, 1.0]",
        ],
    },
    Case {
        name: "a matrix of rows, unsigned indices",
        body: r#"
  %x = constant {value = i16[4,3] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]} : i16[4,3]
  %i = constant {value = u8[2,2,1] [0, 3, 250, 1]} : u8[2,2,1]
  %r = gather %x, %i {offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 2, slice_sizes = [1, 3]} : i16[2,2,3]
  return %r"#,
        gives: &[
            "i16[2,2,3] [0, 1, 2, 9, 10, 11, 9, 10, 11, 3, 4, 5]",
        ],
    },
    Case {
        name: "windows, offset axes first",
        body: r#"
  %x = constant {value = f64[4,5] [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0]} : f64[4,5]
  %i = constant {value = i64[3,2] [1, 4, 3, 0, 0, 2]} : i64[3,2]
  %r = gather %x, %i {offset_dims = [0, 1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 1, slice_sizes = [2, 3]} : f64[2,3,3]
  return %r"#,
        gives: &[
            "f64[2,3,3] [7.0, 10.0, 2.0, 8.0, 11.0, 3.0, 9.0, 12.0, 4.0, 12.0, 15.0, 7.0, 13.0, 16.0, 8.0, 14.0, 17.0, 9.0]",
        ],
    },
    Case {
        name: "windows, offset axes around, map reversed",
        body: r#"
  %x = constant {value = i32[4,5] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]} : i32[4,5]
  %i = constant {value = i64[3,2] [1, 4, 3, 0, 0, 2]} : i64[3,2]
  %r = gather %x, %i {offset_dims = [0, 2], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1, 0], index_vector_dim = 1, slice_sizes = [2, 3]} : i32[2,3,3]
  return %r"#,
        gives: &[
            "i32[2,3,3] [11, 12, 13, 2, 3, 4, 10, 11, 12, 16, 17, 18, 7, 8, 9, 15, 16, 17]",
        ],
    },
    Case {
        name: "single elements",
        body: r#"
  %x = constant {value = c64[3] [(1.0, 2.0), (3.0, -1.0), (0.0, -4.0)]} : c64[3]
  %i = constant {value = i32[2,1] [2, 0]} : i32[2,1]
  %r = gather %x, %i {offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1]} : c64[2]
  return %r"#,
        gives: &[
            "c64[2] [(0.0, -4.0), (1.0, 2.0)]",
        ],
    },
    Case {
        name: "batching axes",
        body: r#"
  %x = constant {value = f16[2,3,4] [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0]} : f16[2,3,4]
  %i = constant {value = i32[2,2,2] [1, 2, 2, 0, 0, 9, 1, 1]} : i32[2,2,2]
  %r = gather %x, %i {offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1, 2], index_vector_dim = 2, slice_sizes = [1, 1, 2]} : f16[2,2,2]
  return %r"#,
        gives: &[
            "f16[2,2,2] [6.0, 7.0, 20.0, 21.0, 2.0, 3.0, 17.0, 18.0]",
        ],
    },
    Case {
        name: "no index at all",
        body: r#"
  %x = constant {value = bool[3] [true, false, true]} : bool[3]
  %i = constant {value = i32[0,1] []} : i32[0,1]
  %r = gather %x, %i {offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [2]} : bool[0,2]
  return %r"#,
        gives: &[
            "bool[0,2] []",
        ],
    },
    Case {
        name: "empty vectors",
        body: r#"
  %x = constant {value = u16[2,3] [0, 1, 2, 3, 4, 5]} : u16[2,3]
  %i = constant {value = i32[2,0] []} : i32[2,0]
  %r = gather %x, %i {offset_dims = [1, 2], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [], index_vector_dim = 1, slice_sizes = [1, 2]} : u16[2,1,2]
  return %r"#,
        gives: &[
            "u16[2,1,2] [0, 1, 0, 1]",
        ],
    },
    Case {
        name: "scalar index vectors, vector axis in front",
        body: r#"
  %x = constant {value = i32[4,5] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]} : i32[4,5]
  %i = constant {value = i64[2,3] [1, 3, 0, 4, 0, 2]} : i64[2,3]
  %r = gather %x, %i {offset_dims = [0, 1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 0, slice_sizes = [2, 3]} : i32[2,3,3]
  return %r"#,
        gives: &[
            "i32[2,3,3] [7, 10, 2, 8, 11, 3, 9, 12, 4, 12, 15, 7, 13, 16, 8, 14, 17, 9]",
        ],
    },
    Case {
        name: "implicit vector axis",
        body: r#"
  %x = constant {value = f32[4,2] [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]} : f32[4,2]
  %i = constant {value = i32[2] [3, 1]} : i32[2]
  %r = gather %x, %i {offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 2]} : f32[2,2]
  return %r"#,
        gives: &[
            "f32[2,2] [6.0, 7.0, 2.0, 3.0]",
        ],
    },
    Case {
        name: "set rows, out of range skipped",
        body: r#"
  %x = constant {value = f32[4,2] [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]} : f32[4,2]
  %i = constant {value = i64[4,1] [2, -1, 4, 0]} : i64[4,1]
  %u = constant {value = f32[4,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]} : f32[4,2]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = set} : f32[4,2]
  return %r"#,
        gives: &[
            "f32[4,2] [7.0, 8.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0]",
        ],
    },
    Case {
        name: "windows that stick out are skipped whole",
        body: r#"
  %x = constant {value = f32[5] [0.0, 0.0, 0.0, 0.0, 0.0]} : f32[5]
  %i = constant {value = i64[5,1] [0, 3, 4, -1, 2]} : i64[5,1]
  %u = constant {value = f32[5,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]} : f32[5,2]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = add} : f32[5]
  return %r"#,
        gives: &[
            "f32[5] [1.0, 2.0, 9.0, 13.0, 4.0]",
        ],
    },
    Case {
        name: "the later index vector wins",
        body: r#"
  %x = constant {value = f32[4] [0.0, 0.0, 0.0, 0.0]} : f32[4]
  %i = constant {value = i64[2,1] [0, 1]} : i64[2,1]
  %u = constant {value = f32[2,2] [1.0, 2.0, 3.0, 4.0]} : f32[2,2]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [0], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = set} : f32[4]
  return %r"#,
        gives: &[
            "f32[4] [1.0, 2.0, 4.0, 0.0]",
        ],
    },
    Case {
        name: "duplicates add, i8 wraps",
        body: r#"
  %x = constant {value = i8[3] [100, 1, 2]} : i8[3]
  %i = constant {value = i32[4,1] [0, 0, 2, 0]} : i32[4,1]
  %u = constant {value = i8[4] [20, 20, 3, 7]} : i8[4]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = add} : i8[3]
  return %r"#,
        gives: &[
            "i8[3] [-109, 1, 5]",
        ],
    },
    Case {
        name: "multiply",
        body: r#"
  %x = constant {value = f64[3] [2.0, 3.0, 4.0]} : f64[3]
  %i = constant {value = u32[3,1] [1, 1, 0]} : u32[3,1]
  %u = constant {value = f64[3] [0.5, 5.0, -1.0]} : f64[3]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = mul} : f64[3]
  return %r"#,
        gives: &[
            "f64[3] [-2.0, 7.5, 4.0]",
        ],
    },
    Case {
        name: "minimum with NaN",
        body: r#"
  %x = constant {value = f32[4] [2.0, nan, 4.0, 1.0]} : f32[4]
  %i = constant {value = i64[4,1] [0, 1, 2, 3]} : i64[4,1]
  %u = constant {value = f32[4] [nan, 1.0, -0.0, 5.0]} : f32[4]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = min} : f32[4]
  return %r"#,
        gives: &[
            "f32[4] [nan, nan, -0.0, 1.0]",
        ],
    },
    Case {
        name: "maximum of unsigned",
        body: r#"
  %x = constant {value = u8[3] [200, 3, 0]} : u8[3]
  %i = constant {value = i64[3,1] [0, 2, 2]} : i64[3,1]
  %u = constant {value = u8[3] [100, 9, 4]} : u8[3]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = max} : u8[3]
  return %r"#,
        gives: &[
            "u8[3] [200, 3, 9]",
        ],
    },
    Case {
        name: "complex add",
        body: r#"
  %x = constant {value = c64[2] [(1.0, 1.0), (2.0, 0.0)]} : c64[2]
  %i = constant {value = i64[2,1] [1, 1]} : i64[2,1]
  %u = constant {value = c64[2] [(0.0, 0.5), (1.0, -1.0)]} : c64[2]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = add} : c64[2]
  return %r"#,
        gives: &[
            "c64[2] [(1.0, 1.0), (3.0, -0.5)]",
        ],
    },
    Case {
        name: "batching axes",
        body: r#"
  %x = constant {value = i32[2,3,2] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]} : i32[2,3,2]
  %i = constant {value = i64[2,2,1] [1, 0, 2, 2]} : i64[2,2,1]
  %u = constant {value = i32[2,2,2] [1, 2, 3, 4, 5, 6, 7, 8]} : i32[2,2,2]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2}, combiner = add} : i32[2,3,2]
  return %r"#,
        gives: &[
            "i32[2,3,2] [3, 4, 1, 2, 0, 0, 0, 0, 0, 0, 12, 14]",
        ],
    },
    Case {
        name: "two-dimensional windows, map reversed",
        body: r#"
  %x = constant {value = i64[4,4] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]} : i64[4,4]
  %i = constant {value = i64[3,2] [0, 1, 2, 2, 3, 0]} : i64[3,2]
  %u = constant {value = i64[2,3,2] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]} : i64[2,3,2]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [0, 2], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1}, combiner = add} : i64[4,4]
  return %r"#,
        gives: &[
            "i64[4,4] [0, 0, 0, 0, 1, 2, 0, 0, 7, 8, 3, 4, 0, 0, 9, 10]",
        ],
    },
    Case {
        name: "booleans set",
        body: r#"
  %x = constant {value = bool[3] [false, true, false]} : bool[3]
  %i = constant {value = i64[3,1] [0, 1, 5]} : i64[3,1]
  %u = constant {value = bool[3] [true, false, true]} : bool[3]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = set} : bool[3]
  return %r"#,
        gives: &[
            "bool[3] [true, false, false]",
        ],
    },
    Case {
        name: "no update",
        body: r#"
  %x = constant {value = f16[3] [0.0, 1.0, 2.0]} : f16[3]
  %i = constant {value = i32[0,1] []} : i32[0,1]
  %u = constant {value = f16[0] []} : f16[0]
  %r = scatter %x, %i, %u {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, combiner = add} : f16[3]
  return %r"#,
        gives: &[
            "f16[3] [0.0, 1.0, 2.0]",
        ],
    },
    Case {
        name: "two tensors by a graph that is not commutative",
        body: r#"
  %x = constant {value = f32[3] [1.0, 2.0, 3.0]} : f32[3]
  %y = constant {value = i32[3] [10, 20, 30]} : i32[3]
  %i = constant {value = i32[4,1] [2, 0, 2, 7]} : i32[4,1]
  %u = constant {value = f32[4] [0.5, 2.0, 3.0, 9.0]} : f32[4]
  %v = constant {value = i32[4] [1, 2, 3, 4]} : i32[4]
  %t = scatter_graph %x, %y, %i, %u, %v {dims = {update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}, body = graph "mix" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : i32[]
    %c = input {name = "c"} : f32[]
    %d = input {name = "d"} : i32[]
    %e = mul %a, %c : f32[]
    %f = convert %b {dtype = f32} : f32[]
    %g = sub %e, %f : f32[]
    %h = sub %b, %d : i32[]
    return %g, %h
  }} : (f32[3], i32[3])
  %r0 = output %t {index = 0} : f32[3]
  %r1 = output %t {index = 1} : i32[3]
  return %r0, %r1"#,
        gives: &[
            "f32[3] [-8.0, 2.0, -114.5]",
            "i32[3] [8, 20, 26]",
        ],
    },
];
