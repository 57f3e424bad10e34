//! dot_general, convolution and ragged_dot. Expected values are from `jax.lax` on a CPU.

mod cases;

use cases::{Case, check, refused};
use rlx_ir::{ConvolutionSpec, DType, Dim, Graph, Literal, Op, Shape, eval};

#[test]
fn products_are_summed_as_in_jax() {
    check(CASES);
}

fn convolution(x: &str, kernel: &str, spatial: &str, groups: (usize, usize), dtype: &str) -> String {
    format!(
        "%x = input {{name = \"x\"}} : {x}\n%k = input {{name = \"k\"}} : {kernel}\n%y = convolution %x, %k {{strides = \
         [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, \
         lhs_feature_dim = 1, lhs_spatial_dims = {spatial}, rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], \
         out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = {}, batch_groups = {}, \
         dtype = {dtype}}} : f32[1,3,4]\nreturn %y",
        groups.0, groups.1
    )
}

#[test]
fn operands_that_do_not_fit_are_named() {
    let dot = |rhs: &str, contract: &str, dtype: &str| {
        format!(
            "%x = input {{name = \"x\"}} : f32[2,3]\n%y = input {{name = \"y\"}} : {rhs}\n%z = dot_general %x, %y \
             {{lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = {contract}, dtype = {dtype}}} : \
             f32[2,2]\nreturn %z"
        )
    };
    let ragged = |rhs: &str, sizes: &str| {
        format!(
            "%x = input {{name = \"x\"}} : f32[2,3]\n%y = input {{name = \"y\"}} : {rhs}\n%s = input {{name = \"s\"}} : \
             {sizes}\n%z = ragged_dot %x, %y, %s {{dtype = none}} : f32[2,2]\nreturn %z"
        )
    };
    let one = (1, 1);
    refused(&[
        (&dot("f32[4,2]", "[0]", "none"), "axis 1 of lhs has size 3, axis 0 of rhs has size 4"),
        (&dot("f64[3,2]", "[0]", "none"), "lhs is f32, rhs is f64"),
        (&dot("f32[3,2]", "[0, 1]", "none"), "the same number of batch and contracting axes"),
        (&dot("f32[3,2]", "[0]", "i32"), "dtype i32 cannot hold sums of f32"),
        (&ragged("f32[2,4,2]", "i32[2]"), "rows of lhs f32[2,3] have 3 elements"),
        (&ragged("f32[2,3,2]", "i32[3]"), "has 2 matrices, but group_sizes has 3"),
        (&ragged("f32[2,3,2]", "f32[2]"), "group_sizes has element type f32"),
        (&ragged("f32[3,2]", "i32[2]"), "takes lhs [m,k], rhs [groups,k,n] and group_sizes [groups]"),
        (&convolution("f32[1,2]", "f32[3,2,1]", "[2]", one, "none"), "x must have 3 axes"),
        (
            &convolution("f32[1,2,4]", "f32[3,2,1]", "[2, 2]", one, "none"),
            "lhs_spatial_dims must have 1 items",
        ),
        (
            &convolution("f32[1,2,4]", "f32[3,2,1]", "[1]", one, "none"),
            "dimension numbers of lhs: axis 1 is listed twice",
        ),
        (&convolution("f32[1,2,4]", "f32[3,1,1]", "[2]", one, "none"), "x f32[1,2,4] has 2 features"),
        (
            &convolution("f32[1,2,4]", "f32[3,1,1]", "[2]", (2, 1), "none"),
            "2 groups do not divide the 3 output features",
        ),
        (
            &convolution("f32[1,2,4]", "f32[2,2,1]", "[2]", (1, 2), "none"),
            "2 groups do not divide the 1 batches",
        ),
        (&convolution("f32[1,2,4]", "f32[2,2,1]", "[2]", (0, 1), "none"), "must be at least 1"),
        (&convolution("f32[1,2,4]", "f32[3,2,1]", "[2]", one, "u8"), "dtype u8 cannot hold sums of f32"),
        (&convolution("bool[1,2,4]", "bool[3,2,1]", "[2]", one, "none"), "x has element type bool"),
    ]);
}

#[test]
fn symbolic_sizes_come_through() {
    let mut g = Graph::new("symbolic");
    let x = g.input("x", Shape::from_dims(&["batch".into(), 1.into(), "n".into()], DType::F32));
    let kernel = g.input("k", Shape::new(&[1, 1, 3], DType::F32));
    let spec = ConvolutionSpec { strides: vec![2], high: vec![1], ..ConvolutionSpec::plain(1) };
    let op = Op::Convolution { spec, dtype: None };
    let y = g.try_add(op, vec![x, kernel]).expect("fits");
    g.set_outputs(vec![y]);
    let (batch, n) = (Dim::dynamic("batch"), Dim::dynamic("n"));
    let places = n.offset(-2).floor_div(&Dim::Static(2)).offset(1);
    assert_eq!(g.shape(y), &Shape::from_dims(&[batch, Dim::Static(1), places], DType::F32));
    let k = Literal::new(&[1, 1, 3], &[1f32, 10., 100.]).expect("fits");
    for (n, gives) in [(0, &[][..]), (1, &[]), (2, &[21f32]), (5, &[321., 543.])] {
        let x: Vec<f32> = (1..=n).map(|i| i as f32).collect();
        let x = Literal::new(&[1, 1, n], &x).expect("fits");
        let out = eval(&g, &[("x", &x), ("k", &k)]).expect("runs");
        assert_eq!(out[0].as_slice::<f32>(), Ok(gives), "{n} elements");
    }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        name: "dot_general: a matrix product",
        body: r#"
  %a = constant {value = f32[2,3] [0.35, 0.82, 0.33, -1.3, 0.91, 0.45]} : f32[2,3]
  %b = constant {value = f32[3,2] [-0.54, 0.58, 0.36, 0.29, 0.03, 0.55]} : f32[3,2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[2,2]
  return %r"#,
        gives: &[
            "f32[2,2] [0.116100006, 0.62229997, 1.0431, -0.24259993]",
        ],
    },
    Case {
        name: "dot_general: batches, axes in any place",
        body: r#"
  %a = constant {value = f64[3,2,2] [-0.74, -0.16, -0.48, 0.6, 0.04, -0.29, -0.78, -0.26, 0.01, -0.28, 1.29, 1.01]} : f64[3,2,2]
  %b = constant {value = f64[2,2,3] [-2.71, -1.89, -0.17, -0.42, 0.21, 0.22, 2.12, -1.11, -0.38, 2.04, 0.65, 0.66]} : f64[2,2,3]
  %r = dot_general %a, %b {lhs_batch = [0], rhs_batch = [2], lhs_contract = [1], rhs_contract = [0], dtype = none} : f64[3,2,2]
  return %r"#,
        gives: &[
            "f64[3,2,2] [0.9877999999999998, -0.6684, 1.7056, 1.2912, 0.7902000000000001, -0.49860000000000004, 0.8367, -0.22990000000000002, -0.4919, 0.8536, -0.3362, 0.605]",
        ],
    },
    Case {
        name: "dot_general: two contracting axes, given crosswise",
        body: r#"
  %a = constant {value = f64[2,3,2] [-0.51, -1.65, 0.17, 0.11, -1.23, -0.68, -0.07, -0.94, -0.1, 0.1, 0.04, -0.51]} : f64[2,3,2]
  %b = constant {value = f64[2,2,3] [0.59, 0.89, 0.32, -0.82, 0.73, -0.5, 0.88, -1.07, 0.91, -0.02, -1.25, -0.31]} : f64[2,2,3]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1, 2], rhs_contract = [2, 0], dtype = none} : f64[2,2]
  return %r"#,
        gives: &[
            "f64[2,2] [-2.7317, 1.2636, -1.5158, 0.01629999999999999]",
        ],
    },
    Case {
        name: "dot_general: nothing to sum",
        body: r#"
  %a = constant {value = f32[2,0] []} : f32[2,0]
  %b = constant {value = f32[0,2] []} : f32[0,2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[2,2]
  return %r"#,
        gives: &[
            "f32[2,2] [0.0, 0.0, 0.0, 0.0]",
        ],
    },
    Case {
        name: "dot_general: an outer product",
        body: r#"
  %a = constant {value = i16[2] [1, 2]} : i16[2]
  %b = constant {value = i16[3] [3, 4, 5]} : i16[3]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = [], dtype = none} : i16[2,3]
  return %r"#,
        gives: &[
            "i16[2,3] [3, 4, 5, 6, 8, 10]",
        ],
    },
    Case {
        name: "dot_general: integers wrap",
        body: r#"
  %a = constant {value = i8[2] [100, 100]} : i8[2]
  %b = constant {value = i8[2] [2, 3]} : i8[2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], dtype = none} : i8[]
  return %r"#,
        gives: &[
            "i8[] [-12]",
        ],
    },
    Case {
        name: "dot_general: i8 summed in i32",
        body: r#"
  %a = constant {value = i8[2,2] [100, 100, -128, 127]} : i8[2,2]
  %b = constant {value = i8[2] [2, 3]} : i8[2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = i32} : i32[2]
  return %r"#,
        gives: &[
            "i32[2] [500, 125]",
        ],
    },
    Case {
        name: "dot_general: f16 summed in f32",
        body: r#"
  %a = constant {value = f16[3] [2048.0, 1.0, 1.0]} : f16[3]
  %b = constant {value = f16[3] [1.0, 1.0, 1.0]} : f16[3]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], dtype = f32} : f32[]
  return %r"#,
        gives: &[
            "f32[] [2050.0]",
        ],
    },
    Case {
        name: "dot_general: u64 wraps",
        body: r#"
  %a = constant {value = u64[2] [9223372036854775808, 3]} : u64[2]
  %b = constant {value = u64[2] [2, 5]} : u64[2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], dtype = none} : u64[]
  return %r"#,
        gives: &[
            "u64[] [15]",
        ],
    },
    Case {
        name: "dot_general: complex",
        body: r#"
  %a = constant {value = c64[2,2] [(0.05, 0.2), (0.27, -0.47), (-0.98, 0.24), (-1.11, 0.76)]} : c64[2,2]
  %b = constant {value = c64[2,2] [(-1.65, -0.81), (0.25, 0.75), (1.22, 0.25), (-0.3, 0.9)]} : c64[2,2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : c64[2,2]
  return %r"#,
        gives: &[
            "c64[2,2] [(0.5264, -0.87640005), (0.20449996, 0.47149998), (0.2672, 1.0475), (-0.77599996, -1.902)]",
        ],
    },
    Case {
        name: "dot_general: booleans: whether any pair holds",
        body: r#"
  %a = constant {value = bool[2,2] [true, false, false, true]} : bool[2,2]
  %b = constant {value = bool[2,2] [false, true, true, true]} : bool[2,2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : bool[2,2]
  return %r"#,
        gives: &[
            "bool[2,2] [false, true, true, true]",
        ],
    },
    Case {
        name: "dot_general: infinity times zero",
        body: r#"
  %a = constant {value = f64[2] [inf, 1.0]} : f64[2]
  %b = constant {value = f64[2] [0.0, 1.0]} : f64[2]
  %r = dot_general %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], dtype = none} : f64[]
  return %r"#,
        gives: &[
            "f64[] [-nan]",
        ],
    },
    Case {
        name: "convolution: two axes, strided and padded",
        body: r#"
  %x = constant {value = f32[1,2,4,3] [-0.35, -1.48, -0.11, -0.45, 0.78, 0.19, -1.63, -1.2, 0.88, 0.68, -0.64, -0.0, 0.45, 0.47, 0.88, 0.26, -0.09, -0.26, 1.06, -2.25, -0.14, 0.03, -1.43, 0.33]} : f32[1,2,4,3]
  %k = constant {value = f32[2,2,3,2] [-0.65, 0.86, -0.13, 0.67, 1.22, 0.38, -0.88, -1.51, 1.75, -0.11, -0.69, 0.14, -0.19, 0.85, 0.03, 0.01, -0.71, 0.47, -1.03, 0.67, 1.52, -1.52, -2.47, 0.62]} : f32[2,2,3,2]
  %r = convolution %x, %k {strides = [2, 1], lhs_dilation = [1, 1], rhs_dilation = [1, 1], low = [1, 0], high = [1, 1], reversal = [false, false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2, 3], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2, 3], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2, 3], feature_groups = 1, batch_groups = 1, dtype = none} : f32[1,2,2,3]
  return %r"#,
        gives: &[
            "f32[1,2,2,3] [-0.6549, 1.8939, 1.9654999, 2.7462995, -2.7962, -0.4818, -0.06760001, -1.0720999, 1.8416, 3.6464, 0.8885001, -0.76980007]",
        ],
    },
    Case {
        name: "convolution: NHWC with a kernel HWIO",
        body: r#"
  %x = constant {value = f32[1,3,3,2] [2.55, -1.0, -1.25, 0.59, -0.84, -0.51, -0.35, 0.53, -0.41, 0.28, -0.18, -0.84, -0.32, -0.95, 0.01, -1.12, -1.09, 1.46]} : f32[1,3,3,2]
  %k = constant {value = f32[2,2,2,3] [-0.05, -0.05, 0.51, -0.42, -0.23, 0.43, 0.28, -1.16, 0.83, -0.59, -1.06, -0.9, -0.39, 1.63, -1.18, 0.16, -2.14, -0.0, 0.9, -0.24, -0.63, 0.23, 0.7, 0.66]} : f32[2,2,2,3]
  %r = convolution %x, %k {strides = [1, 1], lhs_dilation = [1, 1], rhs_dilation = [1, 1], low = [0, 1], high = [0, 0], reversal = [false, false], lhs_batch_dim = 0, lhs_feature_dim = 3, lhs_spatial_dims = [1, 2], rhs_in_dim = 2, rhs_out_dim = 3, rhs_spatial_dims = [0, 1], out_batch_dim = 0, out_feature_dim = 3, out_spatial_dims = [1, 2], feature_groups = 1, batch_groups = 1, dtype = none} : f32[1,2,3,3]
  return %r"#,
        gives: &[
            "f32[1,2,3,3] [1.1108999, -1.4430001, 3.5868, -0.48889998, -0.48319992, 0.15809998, -0.2701, -0.3705001, -0.5792, -0.91719997, -0.74399996, -1.1929, -0.76089996, 0.79940003, -0.91080004, -0.48019996, 4.752, 2.1564002]",
        ],
    },
    Case {
        name: "convolution: channels last out of channels first, spatial axes exchanged",
        body: r#"
  %x = constant {value = f64[2,1,3,4] [1.97, 0.21, -0.59, -0.13, -0.07, 0.11, -0.03, 0.17, -1.67, 0.83, -0.57, -1.17, 0.64, 1.32, 0.49, 0.16, -0.93, 2.87, 0.88, -1.14, -0.78, 0.09, -1.55, 0.17]} : f64[2,1,3,4]
  %k = constant {value = f64[2,1,2,2] [-0.46, 1.23, 0.96, -2.71, 0.04, -1.62, 1.11, 0.17]} : f64[2,1,2,2]
  %r = convolution %x, %k {strides = [1, 2], lhs_dilation = [1, 1], rhs_dilation = [1, 1], low = [0, 0], high = [0, 0], reversal = [false, false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2, 3], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [3, 2], out_batch_dim = 1, out_feature_dim = 3, out_spatial_dims = [2, 0], feature_groups = 1, batch_groups = 1, dtype = none} : f64[2,2,2,2]
  return %r"#,
        gives: &[
            "f64[2,2,2,2] [-1.0888, 0.444, -4.1655999999999995, 2.9658, -7.9488, 3.4853000000000005, 1.9796999999999998, 4.4274000000000004, -0.35100000000000003, -0.09040000000000001, 2.6466, 0.912, 4.1, -1.4222000000000001, -3.8664, 1.3097000000000003]",
        ],
    },
    Case {
        name: "convolution: one axis, both dilations",
        body: r#"
  %x = constant {value = f64[1,1,4] [0.55, -1.07, 1.83, 2.02]} : f64[1,1,4]
  %k = constant {value = f64[1,1,3] [-1.06, 0.37, -0.67]} : f64[1,1,3]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [2], rhs_dilation = [2], low = [2], high = [3], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : f64[1,1,8]
  return %r"#,
        gives: &[
            "f64[1,1,8] [0.9204000000000001, 0.0, -2.205, 0.0, 0.45790000000000003, 0.0, -1.1924000000000001, 0.0]",
        ],
    },
    Case {
        name: "convolution: negative padding",
        body: r#"
  %x = constant {value = f64[1,1,6] [-0.02, -1.27, 1.87, -0.97, -0.3, 0.5]} : f64[1,1,6]
  %k = constant {value = f64[1,1,2] [-0.65, -0.24]} : f64[1,1,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [-1], high = [-2], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : f64[1,1,2]
  return %r"#,
        gives: &[
            "f64[1,1,2] [0.3767, -0.9827]",
        ],
    },
    Case {
        name: "convolution: negative padding into gaps",
        body: r#"
  %x = constant {value = f64[1,1,3] [-0.56, -0.13, -1.17]} : f64[1,1,3]
  %k = constant {value = f64[1,1,2] [-0.44, -0.21]} : f64[1,1,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [3], rhs_dilation = [1], low = [-1], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : f64[1,1,5]
  return %r"#,
        gives: &[
            "f64[1,1,5] [0.0, 0.0273, 0.0572, 0.0, 0.24569999999999997]",
        ],
    },
    Case {
        name: "convolution: feature groups",
        body: r#"
  %x = constant {value = f32[1,4,3] [-0.33, 0.06, -0.29, 0.75, -0.32, -0.14, -0.66, -0.53, -1.26, 0.52, -1.14, -0.75]} : f32[1,4,3]
  %k = constant {value = f32[6,2,2] [0.36, 0.4, -0.4, -2.02, 0.42, 0.26, -1.41, 0.77, -0.7, -1.13, 0.1, -0.18, 0.2, -1.61, 1.81, -0.6, -1.54, 0.62, -0.35, 0.32, -0.34, -0.06, 0.25, -0.75]} : f32[6,2,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 2, batch_groups = 1, dtype = none} : f32[1,6,2]
  return %r"#,
        gives: &[
            "f32[1,6,2] [0.25159997, 0.3164, -1.4269, 0.2932, 0.2958, 0.2789, 2.3465, 0.30920005, 0.14100002, 0.19399996, 1.2412, 0.5333]",
        ],
    },
    Case {
        name: "convolution: depthwise",
        body: r#"
  %x = constant {value = f64[1,3,4] [0.68, -0.47, -0.87, 0.08, 0.45, -0.23, -0.86, 0.62, -1.76, -1.03, 0.04, -1.36]} : f64[1,3,4]
  %k = constant {value = f64[3,1,2] [0.03, -0.05, 0.9, -0.91, -0.63, 0.33]} : f64[3,1,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [1], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 3, batch_groups = 1, dtype = none} : f64[1,3,4]
  return %r"#,
        gives: &[
            "f64[1,3,4] [-0.034, 0.0439, 0.029400000000000003, -0.0301, -0.40950000000000003, 0.6143000000000001, 0.5756, -1.3382, -0.5808, 0.7689, 0.6621, -0.47400000000000003]",
        ],
    },
    Case {
        name: "convolution: batch groups",
        body: r#"
  %x = constant {value = f64[4,2,3] [-2.46, 3.1, -0.7, -0.73, 0.86, -0.04, -1.78, 0.63, 0.86, -0.45, -0.28, 0.49, -0.91, 0.44, 0.2, -0.67, -1.39, -0.23, -0.88, 1.0, 0.14, 0.78, 0.13, 0.26]} : f64[4,2,3]
  %k = constant {value = f64[4,2,2] [-0.78, 0.67, 1.78, -0.31, -0.59, -0.16, -0.48, -0.7, 0.14, -0.29, 1.44, 0.0, 0.32, 0.95, -0.3, 1.44]} : f64[4,2,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 2, dtype = none} : f64[2,4,2]
  return %r"#,
        gives: &[
            "f64[2,4,2] [2.4298, -1.3438, 0.7037999999999999, -2.1018, -1.2198, -1.9979999999999998, -1.6737999999999997, 0.4165999999999999, 1.0963, -0.5655, 1.3614, -0.7179, 0.71, 0.28659999999999997, 0.6215999999999999, 0.7884]",
        ],
    },
    Case {
        name: "convolution: a reversed axis",
        body: r#"
  %x = constant {value = f64[1,1,3,3] [-0.63, -0.81, -0.37, -0.11, -1.4, -0.04, -1.67, 1.39, -0.08]} : f64[1,1,3,3]
  %k = constant {value = f64[1,1,2,2] [-0.64, -0.91, -0.38, -0.22]} : f64[1,1,2,2]
  %r = convolution %x, %k {strides = [1, 1], lhs_dilation = [1, 1], rhs_dilation = [1, 1], low = [0, 0], high = [0, 0], reversal = [true, false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2, 3], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2, 3], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2, 3], feature_groups = 1, batch_groups = 1, dtype = none} : f64[1,1,2,2]
  return %r"#,
        gives: &[
            "f64[1,1,2,2] [1.762, 1.3215999999999999, 0.15370000000000014, -0.27599999999999997]",
        ],
    },
    Case {
        name: "convolution: three axes",
        body: r#"
  %x = constant {value = f64[1,1,2,3,2] [-1.04, -0.92, -0.19, -0.52, 0.94, 1.14, 0.02, 0.47, -1.34, 0.64, -0.03, 0.48]} : f64[1,1,2,3,2]
  %k = constant {value = f64[1,1,2,2,1] [1.6, -2.28, 0.26, -1.1]} : f64[1,1,2,2,1]
  %r = convolution %x, %k {strides = [1, 1, 1], lhs_dilation = [1, 1, 1], rhs_dilation = [1, 1, 1], low = [0, 0, 1], high = [0, 0, 0], reversal = [false, false, false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2, 3, 4], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2, 3, 4], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2, 3, 4], feature_groups = 1, batch_groups = 1, dtype = none} : f64[1,1,1,2,3]
  return %r"#,
        gives: &[
            "f64[1,1,1,2,3] [0.0, 0.24840000000000018, -0.8682000000000003, 0.0, -2.7625999999999995, -3.7927999999999997]",
        ],
    },
    Case {
        name: "convolution: no axis is a matrix product",
        body: r#"
  %x = constant {value = f64[2,3] [0.59, -1.31, -0.5, 0.2, 0.61, 0.07]} : f64[2,3]
  %k = constant {value = f64[4,3] [-0.79, -0.55, 0.88, -0.01, -1.68, 0.84, 0.42, 0.87, -0.34, 0.83, -1.06, 0.57]} : f64[4,3]
  %r = convolution %x, %k {strides = [], lhs_dilation = [], rhs_dilation = [], low = [], high = [], reversal = [], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [], feature_groups = 1, batch_groups = 1, dtype = none} : f64[2,4]
  return %r"#,
        gives: &[
            "f64[2,4] [-0.18559999999999993, 1.7749000000000001, -0.7219, 1.5933000000000002, -0.43190000000000006, -0.968, 0.5909, -0.44070000000000004]",
        ],
    },
    Case {
        name: "convolution: a kernel that does not fit",
        body: r#"
  %x = constant {value = f64[1,1,2] [-0.49, 0.67]} : f64[1,1,2]
  %k = constant {value = f64[2,1,3] [1.01, -0.74, -0.05, 0.04, 1.19, 0.71]} : f64[2,1,3]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : f64[1,2,0]
  return %r"#,
        gives: &[
            "f64[1,2,0] []",
        ],
    },
    Case {
        name: "convolution: no batch",
        body: r#"
  %x = constant {value = f32[0,2,3] []} : f32[0,2,3]
  %k = constant {value = f32[1,2,2] [-1.22, 0.46, 0.75, 2.12]} : f32[1,2,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : f32[0,1,2]
  return %r"#,
        gives: &[
            "f32[0,1,2] []",
        ],
    },
    Case {
        name: "convolution: no features",
        body: r#"
  %x = constant {value = f32[1,0,3] []} : f32[1,0,3]
  %k = constant {value = f32[2,0,2] []} : f32[2,0,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : f32[1,2,2]
  return %r"#,
        gives: &[
            "f32[1,2,2] [0.0, 0.0, 0.0, 0.0]",
        ],
    },
    Case {
        name: "convolution: integers",
        body: r#"
  %x = constant {value = i32[1,2,4] [-3, 4, -5, 1, 0, 3, 4, -2]} : i32[1,2,4]
  %k = constant {value = i32[1,2,2] [-2, 4, 1, 3]} : i32[1,2,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : i32[1,1,3]
  return %r"#,
        gives: &[
            "i32[1,1,3] [31, -13, 12]",
        ],
    },
    Case {
        name: "convolution: i8 summed in i32",
        body: r#"
  %x = constant {value = i8[1,2,3] [-121, 121, -18, -78, 37, -7]} : i8[1,2,3]
  %k = constant {value = i8[1,2,2] [59, -30, -54, 28]} : i8[1,2,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = i32} : i32[1,1,2]
  return %r"#,
        gives: &[
            "i32[1,1,2] [-5521, 5485]",
        ],
    },
    Case {
        name: "convolution: complex",
        body: r#"
  %x = constant {value = c64[1,1,3] [(-0.0, -0.18), (0.99, -0.1), (-0.9, 1.14)]} : c64[1,1,3]
  %k = constant {value = c64[1,1,2] [(0.58, 0.68), (-0.75, 0.77)]} : c64[1,1,2]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [1], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : c64[1,1,3]
  return %r"#,
        gives: &[
            "c64[1,1,3] [(0.1386, 0.135), (-0.5431, 0.73289996), (0.43940002, -0.93279994)]",
        ],
    },
    Case {
        name: "convolution: f16 rounds once (NumPy in f64)",
        body: r#"
  %x = constant {value = f16[1,1,4] [2048.0, 1.0, 1.0, 1.0]} : f16[1,1,4]
  %k = constant {value = f16[1,1,3] [1.0, 1.0, 1.0]} : f16[1,1,3]
  %r = convolution %x, %k {strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [0], high = [0], reversal = [false], lhs_batch_dim = 0, lhs_feature_dim = 1, lhs_spatial_dims = [2], rhs_in_dim = 1, rhs_out_dim = 0, rhs_spatial_dims = [2], out_batch_dim = 0, out_feature_dim = 1, out_spatial_dims = [2], feature_groups = 1, batch_groups = 1, dtype = none} : f16[1,1,2]
  return %r"#,
        gives: &[
            "f16[1,1,2] [2050.0, 3.0]",
        ],
    },
    Case {
        name: "ragged_dot: rows beyond the groups are zero",
        body: r#"
  %a = constant {value = f64[4,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]} : f64[4,2]
  %b = constant {value = f64[3,2,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]} : f64[3,2,2]
  %s = constant {value = i64[3] [1, 0, 2]} : i64[3]
  %r = ragged_dot %a, %b, %s {dtype = none} : f64[4,2]
  return %r"#,
        gives: &[
            "f64[4,2] [7.0, 10.0, 71.0, 78.0, 111.0, 122.0, 0.0, 0.0]",
        ],
    },
    Case {
        name: "ragged_dot: groups that reach beyond the rows",
        body: r#"
  %a = constant {value = f32[4,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]} : f32[4,2]
  %b = constant {value = f32[3,2,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]} : f32[3,2,2]
  %s = constant {value = i32[3] [3, 3, 2]} : i32[3]
  %r = ragged_dot %a, %b, %s {dtype = none} : f32[4,2]
  return %r"#,
        gives: &[
            "f32[4,2] [7.0, 10.0, 15.0, 22.0, 23.0, 34.0, 91.0, 106.0]",
        ],
    },
    Case {
        name: "ragged_dot: negative sizes overlap",
        body: r#"
  %a = constant {value = f64[4,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]} : f64[4,2]
  %b = constant {value = f64[3,2,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]} : f64[3,2,2]
  %s = constant {value = i64[3] [3, -2, 2]} : i64[3]
  %r = ragged_dot %a, %b, %s {dtype = none} : f64[4,2]
  return %r"#,
        gives: &[
            "f64[4,2] [7.0, 10.0, 86.0, 100.0, 134.0, 156.0, 0.0, 0.0]",
        ],
    },
    Case {
        name: "ragged_dot: integers in a wider type",
        body: r#"
  %a = constant {value = i8[2,2] [100, 100, 1, 2]} : i8[2,2]
  %b = constant {value = i8[2,2,1] [100, 1, 3, 4]} : i8[2,2,1]
  %s = constant {value = i32[2] [1, 1]} : i32[2]
  %r = ragged_dot %a, %b, %s {dtype = i32} : i32[2,1]
  return %r"#,
        gives: &[
            "i32[2,1] [10100, 11]",
        ],
    },
    Case {
        name: "ragged_dot: no rows",
        body: r#"
  %a = constant {value = f32[0,2] []} : f32[0,2]
  %b = constant {value = f32[1,2,3] [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]} : f32[1,2,3]
  %s = constant {value = i32[1] [0]} : i32[1]
  %r = ragged_dot %a, %b, %s {dtype = none} : f32[0,3]
  return %r"#,
        gives: &[
            "f32[0,3] []",
        ],
    },
];
