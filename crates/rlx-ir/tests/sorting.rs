//! Sorting, top-k and arg-reductions. Expected values are from `jax.lax` on a CPU; for a comparator and a descending stable sort,
//! from Python's `sorted`.

mod cases;

use cases::{Case, check, refused};

#[test]
fn elements_are_ordered_as_in_jax() {
    check(CASES);
}

#[test]
fn what_cannot_be_sorted_is_refused() {
    let sort = |axis: usize, keys: usize, other: &str| {
        format!(
            "%x = input {{name = \"x\"}} : f32[4,2]\n%y = input {{name = \"y\"}} : {other}\n%t = sort %x, %y {{axis = \
             {axis}, order = ascending, num_keys = {keys}, stable = true}} : (f32[4,2], {other})\n%z = output %t \
             {{index = 0}} : f32[4,2]\nreturn %z"
        )
    };
    let comparator = |parameters: &str, result: &str| {
        format!(
            "%x = input {{name = \"x\"}} : f32[4]\n%z = sort_graph %x {{axis = 0, stable = true, comparator = graph \
             \"c\" {{ {parameters} return {result} }}}} : f32[4]\nreturn %z"
        )
    };
    let one = |x: &str, op: &str, result: &str| {
        format!("%x = input {{name = \"x\"}} : {x}\n%y = {op} : {result}\n%z = neg %x : {x}\nreturn %z")
    };
    let two_inputs = "%a = input {name = \"a\"} : f32[] %b = input {name = \"b\"} : f32[]";
    refused(&[
        (&sort(2, 1, "i32[4,2]"), "axis 2 is out of range for rank 2"),
        (&sort(0, 0, "i32[4,2]"), "num_keys must be between 1 and the number of operands (2), got 0"),
        (&sort(0, 3, "i32[4,2]"), "num_keys"),
        (&sort(0, 1, "i32[4,3]"), "must have the same shape"),
        (&comparator("%a = input {name = \"a\"} : f32[]", "%a"), "comparator takes 1 value(s), got 2"),
        (&comparator(two_inputs, "%a"), "result 0 of comparator must be bool[], is f32[]"),
        (&comparator(two_inputs, "%a, %b"), "comparator must return 1 value(s), returns 2"),
        (
            &one("f32[3]", "top_k %x {k = 4}", "(f32[4], i32[4])"),
            "k is 4, but the last axis of x f32[3] has 3",
        ),
        (&one("f32[]", "top_k %x {k = 0}", "(f32[0], i32[0])"), "x is a scalar"),
        (&one("c64[3]", "top_k %x {k = 1}", "(c64[1], i32[1])"), "element type c64"),
        (&one("f32[0,2]", "argreduce %x {op = max, axis = 0, dtype = i32}", "i32[2]"), "is empty"),
        (&one("f32[129]", "argreduce %x {op = max, axis = 0, dtype = i8}", "i8[]"), "choose a wider dtype"),
        (
            &one("f32[3]", "argreduce %x {op = max, axis = 0, dtype = f32}", "f32[]"),
            "the index has element type f32",
        ),
    ]);
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        name: "special values keep their order among equals",
        body: r#"
  %x0 = constant {value = f32[10] [1.0, nan, inf, -0.0, 0.0, -inf, -nan, 0.0, -0.0, 2.0]} : f32[10]
  %x1 = constant {value = i32[10] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]} : i32[10]
  %t = sort %x0, %x1 {axis = 0, order = ascending, num_keys = 1, stable = true} : (f32[10], i32[10])
  %r0 = output %t {index = 0} : f32[10]
  %r1 = output %t {index = 1} : i32[10]
  return %r0, %r1"#,
        gives: &[
            "f32[10] [-inf, -0.0, 0.0, 0.0, -0.0, 1.0, 2.0, inf, nan, -nan]",
            "i32[10] [5, 3, 4, 7, 8, 0, 9, 2, 1, 6]",
        ],
    },
    Case {
        name: "two keys and a passenger",
        body: r#"
  %x0 = constant {value = u8[2,3] [2, 1, 2, 1, 1, 0]} : u8[2,3]
  %x1 = constant {value = f64[2,3] [0.5, 3.0, -0.5, 2.0, 1.0, nan]} : f64[2,3]
  %x2 = constant {value = i16[2,3] [0, 1, 2, 3, 4, 5]} : i16[2,3]
  %t = sort %x0, %x1, %x2 {axis = 1, order = ascending, num_keys = 2, stable = true} : (u8[2,3], f64[2,3], i16[2,3])
  %r0 = output %t {index = 0} : u8[2,3]
  %r1 = output %t {index = 1} : f64[2,3]
  %r2 = output %t {index = 2} : i16[2,3]
  return %r0, %r1, %r2"#,
        gives: &[
            "u8[2,3] [1, 2, 2, 0, 1, 1]",
            "f64[2,3] [3.0, -0.5, 0.5, nan, 1.0, 2.0]",
            "i16[2,3] [1, 2, 0, 5, 4, 3]",
        ],
    },
    Case {
        name: "along the first axis",
        body: r#"
  %x0 = constant {value = i64[3,2] [3, -1, 2, 7, -8, 0]} : i64[3,2]
  %r = sort %x0 {axis = 0, order = ascending, num_keys = 1, stable = true} : i64[3,2]
  return %r"#,
        gives: &[
            "i64[3,2] [-8, -1, 2, 0, 3, 7]",
        ],
    },
    Case {
        name: "complex numbers",
        body: r#"
  %x0 = constant {value = c64[7] [(1.0, 2.0), (nan, 1.0), (1.0, 1.0), (nan, -1.0), (0.0, nan), (-0.0, 3.0), (0.0, 2.0)]} : c64[7]
  %x1 = constant {value = i8[7] [0, 1, 2, 3, 4, 5, 6]} : i8[7]
  %t = sort %x0, %x1 {axis = 0, order = ascending, num_keys = 1, stable = true} : (c64[7], i8[7])
  %r0 = output %t {index = 0} : c64[7]
  %r1 = output %t {index = 1} : i8[7]
  return %r0, %r1"#,
        gives: &[
            "c64[7] [(0.0, 2.0), (-0.0, 3.0), (0.0, nan), (1.0, 1.0), (1.0, 2.0), (nan, -1.0), (nan, 1.0)]",
            "i8[7] [6, 5, 4, 2, 0, 3, 1]",
        ],
    },
    Case {
        name: "booleans",
        body: r#"
  %x0 = constant {value = bool[4] [true, false, true, false]} : bool[4]
  %x1 = constant {value = u32[4] [0, 1, 2, 3]} : u32[4]
  %t = sort %x0, %x1 {axis = 0, order = ascending, num_keys = 1, stable = true} : (bool[4], u32[4])
  %r0 = output %t {index = 0} : bool[4]
  %r1 = output %t {index = 1} : u32[4]
  return %r0, %r1"#,
        gives: &[
            "bool[4] [false, false, true, true]",
            "u32[4] [1, 3, 0, 2]",
        ],
    },
    Case {
        name: "nothing",
        body: r#"
  %x0 = constant {value = f16[0,2] []} : f16[0,2]
  %r = sort %x0 {axis = 0, order = ascending, num_keys = 1, stable = true} : f16[0,2]
  return %r"#,
        gives: &[
            "f16[0,2] []",
        ],
    },
    Case {
        name: "descending is stable too",
        body: r#"
  %x0 = constant {value = i32[5] [1, 3, 2, 3, 1]} : i32[5]
  %x1 = constant {value = i32[5] [0, 1, 2, 3, 4]} : i32[5]
  %t = sort %x0, %x1 {axis = 0, order = descending, num_keys = 1, stable = true} : (i32[5], i32[5])
  %r0 = output %t {index = 0} : i32[5]
  %r1 = output %t {index = 1} : i32[5]
  return %r0, %r1"#,
        gives: &[
            "i32[5] [3, 3, 2, 1, 1]",
            "i32[5] [1, 3, 2, 0, 4]",
        ],
    },
    Case {
        name: "descending puts NaN first",
        body: r#"
  %x0 = constant {value = f64[5] [1.0, nan, -0.0, inf, 0.0]} : f64[5]
  %r = sort %x0 {axis = 0, order = descending, num_keys = 1, stable = true} : f64[5]
  return %r"#,
        gives: &[
            "f64[5] [nan, inf, 1.0, -0.0, 0.0]",
        ],
    },
    Case {
        name: "total order, lowest index of equals",
        body: r#"
  %x = constant {value = f32[10] [1.0, nan, inf, -0.0, 0.0, -inf, -nan, 0.0, -0.0, 2.0]} : f32[10]
  %t = top_k %x {k = 10} : (f32[10], i32[10])
  %r0 = output %t {index = 0} : f32[10]
  %r1 = output %t {index = 1} : i32[10]
  return %r0, %r1"#,
        gives: &[
            "f32[10] [nan, inf, 2.0, 1.0, 0.0, 0.0, -0.0, -0.0, -inf, -nan]",
            "i32[10] [1, 2, 9, 0, 4, 7, 3, 8, 5, 6]",
        ],
    },
    Case {
        name: "rows",
        body: r#"
  %x = constant {value = i32[2,3] [3, 1, 3, 0, 5, 5]} : i32[2,3]
  %t = top_k %x {k = 2} : (i32[2,2], i32[2,2])
  %r0 = output %t {index = 0} : i32[2,2]
  %r1 = output %t {index = 1} : i32[2,2]
  return %r0, %r1"#,
        gives: &[
            "i32[2,2] [3, 3, 5, 5]",
            "i32[2,2] [0, 2, 1, 2]",
        ],
    },
    Case {
        name: "booleans",
        body: r#"
  %x = constant {value = bool[4] [true, false, true, true]} : bool[4]
  %t = top_k %x {k = 3} : (bool[3], i32[3])
  %r0 = output %t {index = 0} : bool[3]
  %r1 = output %t {index = 1} : i32[3]
  return %r0, %r1"#,
        gives: &[
            "bool[3] [true, true, true]",
            "i32[3] [0, 2, 3]",
        ],
    },
    Case {
        name: "none wanted",
        body: r#"
  %x = constant {value = f16[2,1] [1.0, 2.0]} : f16[2,1]
  %t = top_k %x {k = 0} : (f16[2,0], i32[2,0])
  %r0 = output %t {index = 0} : f16[2,0]
  %r1 = output %t {index = 1} : i32[2,0]
  return %r0, %r1"#,
        gives: &[
            "f16[2,0] []",
            "i32[2,0] []",
        ],
    },
    Case {
        name: "bf16",
        body: r#"
  %x = constant {value = bf16[4] [1.0, 2.0, 2.0, -3.0]} : bf16[4]
  %t = top_k %x {k = 2} : (bf16[2], i32[2])
  %r0 = output %t {index = 0} : bf16[2]
  %r1 = output %t {index = 1} : i32[2]
  return %r0, %r1"#,
        gives: &[
            "bf16[2] [2.0, 2.0]",
            "i32[2] [1, 2]",
        ],
    },
    Case {
        name: "first NaN is the largest",
        body: r#"
  %x = constant {value = f32[10] [1.0, nan, inf, -0.0, 0.0, -inf, -nan, 0.0, -0.0, 2.0]} : f32[10]
  %r = argreduce %x {op = max, axis = 0, dtype = i32} : i32[]
  return %r"#,
        gives: &[
            "i32[] [1]",
        ],
    },
    Case {
        name: "first NaN is the smallest",
        body: r#"
  %x = constant {value = f32[10] [1.0, nan, inf, -0.0, 0.0, -inf, -nan, 0.0, -0.0, 2.0]} : f32[10]
  %r = argreduce %x {op = min, axis = 0, dtype = i64} : i64[]
  return %r"#,
        gives: &[
            "i64[] [1]",
        ],
    },
    Case {
        name: "first of equals, rows",
        body: r#"
  %x = constant {value = i16[3,3] [2, 5, 5, 7, -1, -1, 7, 0, 5]} : i16[3,3]
  %r = argreduce %x {op = max, axis = 1, dtype = i32} : i32[3]
  return %r"#,
        gives: &[
            "i32[3] [1, 0, 0]",
        ],
    },
    Case {
        name: "first of equals, columns",
        body: r#"
  %x = constant {value = i16[3,3] [2, 5, 5, 7, -1, -1, 7, 0, 5]} : i16[3,3]
  %r = argreduce %x {op = min, axis = 0, dtype = u8} : u8[3]
  return %r"#,
        gives: &[
            "u8[3] [0, 1, 1]",
        ],
    },
    Case {
        name: "zeros of both signs are equal",
        body: r#"
  %x = constant {value = f64[2] [-0.0, 0.0]} : f64[2]
  %r = argreduce %x {op = max, axis = 0, dtype = i32} : i32[]
  return %r"#,
        gives: &[
            "i32[] [0]",
        ],
    },
    Case {
        name: "unsigned and large",
        body: r#"
  %x = constant {value = u64[3] [18446744073709551615, 9223372036854775808, 0]} : u64[3]
  %r = argreduce %x {op = min, axis = 0, dtype = i32} : i32[]
  return %r"#,
        gives: &[
            "i32[] [2]",
        ],
    },
    Case {
        name: "booleans",
        body: r#"
  %x = constant {value = bool[2,2] [false, true, true, true]} : bool[2,2]
  %r = argreduce %x {op = max, axis = 1, dtype = i32} : i32[2]
  return %r"#,
        gives: &[
            "i32[2] [1, 0]",
        ],
    },
    Case {
        name: "no rows",
        body: r#"
  %x = constant {value = f32[0,3] []} : f32[0,3]
  %r = argreduce %x {op = max, axis = 1, dtype = i32} : i32[0]
  return %r"#,
        gives: &[
            "i32[0] []",
        ],
    },
    Case {
        name: "a comparator of two tensors",
        body: r#"
  %a = constant {value = f32[5] [-3.0, 1.0, 3.0, -1.0, 2.0]} : f32[5]
  %b = constant {value = i32[5] [1, 2, 1, 5, 0]} : i32[5]
  %t = sort_graph %a, %b {axis = 0, stable = true, comparator = graph "by" {
    %p = input {name = "p"} : f32[]
    %q = input {name = "q"} : f32[]
    %r = input {name = "r"} : i32[]
    %s = input {name = "s"} : i32[]
    %pa = abs %p : f32[]
    %qa = abs %q : f32[]
    %less = compare %pa, %qa {op = lt, total_order = false} : bool[]
    %same = compare %pa, %qa {op = eq, total_order = false} : bool[]
    %more = compare %r, %s {op = gt, total_order = false} : bool[]
    %tie = and %same, %more : bool[]
    %out = or %less, %tie : bool[]
    return %out
  }} : (f32[5], i32[5])
  %r0 = output %t {index = 0} : f32[5]
  %r1 = output %t {index = 1} : i32[5]
  return %r0, %r1"#,
        gives: &[
            "f32[5] [-1.0, 1.0, 2.0, -3.0, 3.0]",
            "i32[5] [5, 2, 0, 1, 1]",
        ],
    },
    Case {
        name: "a comparator that is not an order still permutes: always true reverses",
        body: r#"
  %a = constant {value = i32[1,5] [0, 1, 2, 3, 4]} : i32[1,5]
  %r = sort_graph %a {axis = 1, stable = false, comparator = graph "yes" {
    %p = input {name = "p"} : i32[]
    %q = input {name = "q"} : i32[]
    %t = constant {value = bool[] [true]} : bool[]
    return %t
  }} : i32[1,5]
  return %r"#,
        gives: &[
            "i32[1,5] [4, 3, 2, 1, 0]",
        ],
    },
];
