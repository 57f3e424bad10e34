//! A C-like language for groups of lanes: what is printed without slices, tuples and branches with a value, and with
//! loops that are spread over lanes.

use super::*;
use crate::kernel::{BufferId, Level, Space};
use crate::swizzle::Swizzle;
use expect_test::expect;
use rlx_ir::{BinaryOp, CompareOp, DType, Scalar, UnaryOp};

struct Lanes;

impl Language for Lanes {
    const NAME: &'static str = "C";
    const WORDS: &'static str = "for if while float int";
    const ARRAY_BYTES: usize = 1 << 15;

    fn lacks(&self, function: UnaryOp) -> bool {
        function == UnaryOp::Rsqrt
    }
}

impl Scalars for Lanes {
    fn stored(&self, dtype: DType) -> &'static str {
        self.scalar(dtype)
    }

    fn scalar(&self, dtype: DType) -> &'static str {
        match dtype {
            DType::Bool => "bool",
            DType::I32 => "int",
            _ => "float",
        }
    }

    fn constant(&self, _: DType, value: Scalar) -> String {
        match value {
            Scalar::Int(x) => x.to_string(),
            Scalar::Float(x) => format!("{x:?}f"),
            Scalar::Complex(z) => self.complex(&z.re.to_string(), &z.im.to_string()),
        }
    }

    fn index(&self, dtype: DType, index: &str) -> String {
        self.truncated(DType::I64, dtype, index)
    }

    fn load(&self, _: BufferId, _: DType, place: &str) -> String {
        place.to_string()
    }

    fn store(&self, _: DType, x: &str) -> String {
        x.to_string()
    }

    fn wide(&self, _: DType, x: &str) -> String {
        x.to_string()
    }

    fn round(&self, _: DType, x: &str) -> String {
        x.to_string()
    }

    fn rounded(&self, _: DType, x: String) -> String {
        x
    }

    fn truncated(&self, _: DType, to: DType, x: &str) -> String {
        format!("({})({x})", self.scalar(to))
    }

    fn complex(&self, re: &str, im: &str) -> String {
        format!("complex({re}, {im})")
    }

    fn bitcast(&self, _: DType, _: DType, _: &str) -> Option<String> {
        None
    }

    fn select(&self, condition: &str, a: &str, b: &str) -> String {
        format!("{condition} ? {a} : {b}")
    }

    fn total_order(&self, _: CompareOp, _: &str, _: &str) -> Option<String> {
        None
    }

    fn fma(&self, _: DType, args: [&str; 3]) -> Option<String> {
        Some(format!("fma({})", args.join(", ")))
    }

    fn function(&self, function: ScalarFunction, dtype: DType, args: &[&str]) -> Option<String> {
        match function {
            ScalarFunction::Binary(BinaryOp::Add) if dtype.is_int() => Some(args.join(" + ")),
            _ => None,
        }
    }

    fn wide_function(&self, function: ScalarFunction, args: &[String]) -> Option<String> {
        Some(format!("{}({})", function.name(), args.join(", ")))
    }
}

impl Statements for Lanes {
    fn head(&self, Head { name, memory, sizes }: &Head<'_>) -> String {
        let memory = memory.iter().map(|memory| format!("{}* {}", self.stored(memory.dtype), memory.name));
        let arguments: Vec<String> = memory.chain(sizes.iter().map(|size| format!("int {size}"))).collect();
        format!("kernel {name}({}) {{", arguments.join(", "))
    }

    fn define(&self, Variable { name, dtype }: &Variable, value: &str, _: bool) -> String {
        format!("{} {name} = {value};", self.scalar(*dtype))
    }

    fn assign(&self, variables: &[Variable], values: &[String]) -> String {
        let pairs = || variables.iter().zip(values);
        let next = |(Variable { name, dtype }, value): (&Variable, &String)| {
            format!("{} next_{name} = {value};", self.scalar(*dtype))
        };
        let lines = pairs().map(next).chain(pairs().map(|(v, _)| format!("{0} = next_{0};", v.name)));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn name(&self, symbol: &str, scalar: &str) -> String {
        format!("int {symbol} = {scalar};")
    }

    fn array(&self, Array { name, dtype, extents, space }: &Array) -> String {
        let shared = if *space == Space::Group { "shared " } else { "" };
        let extents = extents.iter().map(|extent| format!("[{extent}]")).collect::<String>();
        format!("{shared}{} {name}{extents};", self.stored(*dtype))
    }

    fn swizzled(&self, place: &str, Swizzle { bits, from, to }: Swizzle) -> Option<String> {
        Some(format!("({place}) ^ (((({place}) >> {from}) & {}) << {to})", (1 << bits) - 1))
    }

    fn put(&self, place: &str, element: &str, guard: Option<&str>) -> String {
        match guard {
            None => format!("{place} = {element};"),
            Some(guard) => format!("if ({guard}) {place} = {element};"),
        }
    }

    fn barrier(&self) -> Option<String> {
        Some("barrier();".into())
    }

    fn count(&self, LoopHead { variable, extent, reverse, level }: &LoopHead<'_>) -> String {
        match (level, reverse) {
            (Level::Group, _) => format!("{{\n    int {variable} = group;"),
            (Level::Lane, _) => {
                format!("for (int {variable} = lane; {variable} < {extent}; {variable} += LANES) {{")
            }
            (_, false) => format!("for (int {variable} = 0; {variable} < {extent}; {variable}++) {{"),
            (_, true) => format!("for (int {variable} = {extent} - 1; {variable} >= 0; {variable}--) {{"),
        }
    }

    fn at_most(&self, bound: &str) -> String {
        format!("for (int turn = 0; turn < {bound}; turn++) {{")
    }

    fn leave_unless(&self, condition: &str) -> String {
        format!("if (!{condition}) break;")
    }

    fn branch(&self, condition: &str, results: &[Variable]) -> String {
        let declared = results.iter().map(|v| format!("{} {};\n", self.scalar(v.dtype), v.name));
        format!("{}if ({condition}) {{", declared.collect::<String>())
    }

    fn give(&self, results: &[Variable], values: &[String]) -> String {
        let lines = results.iter().zip(values).map(|(v, value)| format!("{} = {value};", v.name));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn end_branch(&self, _: &[Variable]) -> String {
        "}".into()
    }

    fn floor_divide(&self, a: &str, b: &str, _: bool) -> String {
        format!("floor_div({a}, {b})")
    }

    fn larger(&self, a: &str, b: &str) -> String {
        format!("max({a}, {b})")
    }
}

#[test]
fn tiles_in_another_order_are_indexed_by_it() {
    let kernel = Kernel::parse(
        "kernel k(x: in f32[m,8], y: out f32[m,8]) {
           par i<m @group {
             array t: f32[2,8] in group swizzle 1 from 3 to 0
             par j<8 @lane { %0 = load x[i,j] store t[1,j] = %0 }
             barrier group
             par l<8 @lane { %1 = load t[1,7-l] store y[i,l] = %1 }
           }
         }",
    );
    let kernel = kernel.unwrap();
    let text = print(&kernel, "k", &Lanes).unwrap().text;
    for line in ["shared float t[16];", "t[(j + 8) ^ ((((j + 8) >> 3) & 1) << 0)] = v0;"] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn functions_that_a_language_lacks_are_printed_as_operators() {
    let kernel = Kernel::parse(
        "kernel k(x: in f32[m], y: out f32[m]) {
           par i<m { %0 = load x[i] %1 = rsqrt %0 store y[i] = %1 }
         }",
    );
    let text = print(&kernel.unwrap(), "k", &Lanes).unwrap().text;
    let lines = ["float v1 = 1.0f;", "float v2 = sqrt(v0);", "float v3 = v1 / v2;"];
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
}

#[test]
fn a_language_of_lanes_needs_no_other_walk() {
    let kernel = Kernel::parse(
        "kernel k(x: in f32[m,8], y: out f32[m]) {
           par i<m @group {
             array t: f32[8] in group
             par j<8 @lane { %0 = load x[i,j] %1 = exp %0 store t[j] = %1 }
             barrier group
             par one<1 @lane {
               %2: f32 = constant 0.0
               %6: f32, %7: f32 = for k<8 with %3: f32 = %2, %4: f32 = %2 {
                 %5 = load t[k] %8 = add %3, %5 next %8, %3
               }
               %9: bool = compare %6, %7 {op = lt, total_order = false}
               %10: f32 = if %9 { give %6 } else { %11 = max %6, %7 give %11 }
               store y[i] = %10 where m-2>=0
             }
           }
         }",
    );
    let printed = print(&kernel.unwrap(), "k", &Lanes).unwrap();
    expect![[r#"
        kernel k(float* x, float* y, int m) {
            {
                int i = group;
                shared float t[8];
                for (int j = lane; j < 8; j += LANES) {
                    float v0 = x[i * 8 + j];
                    float v1 = exp(v0);
                    t[j] = v1;
                }
                barrier();
                for (int one = lane; one < 1; one += LANES) {
                    float v2 = 0.0f;
                    float v3 = v2;
                    float v4 = v2;
                    for (int k = 0; k < 8; k++) {
                        float v5 = t[k];
                        float v8 = v3 + v5;
                        float next_v3 = v8;
                        float next_v4 = v3;
                        v3 = next_v3;
                        v4 = next_v4;
                    }
                    float v6 = v3;
                    float v7 = v4;
                    bool v9 = v6 < v7;
                    float v10;
                    if (v9) {
                        v10 = v6;
                    } else {
                        float v11 = max(v6, v7);
                        v10 = v11;
                    }
                    if (m - 2 >= 0) y[i] = v10;
                }
            }
        }
    "#]]
    .assert_eq(&printed.text);
}
