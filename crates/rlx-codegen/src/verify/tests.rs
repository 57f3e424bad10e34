//! Lowering writes valid kernels, and each rule finds the fault that it is for.

use super::{verify, verify_launches};
use crate::kernel::{Definition, Kernel, Place, ScalarId, Space, Stmt};
use crate::lower::{Launches, lower};
use crate::samples::groups;
use rlx_ir::{DType, Dim};

/// Returns the violations of a kernel with these statements.
fn violations(body: &str) -> Vec<String> {
    let params = "x: in f32[m,n], i: in i32[m], y: out f32[m,n]";
    // Makes the output written, and defines scalars of three types.
    let begin = "par _s<m, _t<n { %0: f32 = constant 1.0 store y[_s,_t] = %0 }
        %1: f32 = constant 2.0 %2: bool = constant 1 %3: i32 = constant 3";
    let kernel = Kernel::parse(&format!("kernel k({params}) {{ {begin} {body} }}")).unwrap();
    violations_of(&kernel)
}

fn violations_of(kernel: &Kernel) -> Vec<String> {
    verify(kernel).map_or_else(|e| e.list.iter().map(ToString::to_string).collect(), |()| Vec::new())
}

#[test]
fn lowered_ops_have_none() {
    for group in groups() {
        let launches = lower(&group).unwrap();
        verify_launches(&launches).unwrap_or_else(|e| panic!("{e}\n{launches}"));
    }
}

/// Statements, and what the verifier reports about them.
const FAULTS: &[(&str, &[&str])] = &[
    // Scalars.
    ("%4: f32 = add %5, %1 %5: f32 = constant 1.0", &["%4: %5 is used before it is defined"]),
    ("%1: f32 = constant 1.0", &["%1: %1 is already defined; each scalar is defined once"]),
    (
        "%4 = add %0, %1",
        &["%4: %0 is out of scope here: it is defined in a block that has ended; join or carry it"],
    ),
    (
        "if %2 { %4: f32 = constant 1.0 } %5 = neg %4",
        &["%5: %4 is out of scope here: it is defined in a block that has ended; join or carry it"],
    ),
    // Types.
    ("%4: f32 = constant 1", &["%4: 1 is not a number of f32; convert it"]),
    ("%4: u8 = constant 256", &["%4: 256 is not a number of u8; convert it"]),
    ("%4: f32 = constant 0.1", &["%4: 0.1 is not a number of f32; convert it"]),
    ("%4: f32 = index m", &["%4: an index must be an integer, not f32"]),
    ("par _0<m { %4: i32 = load x[_0,0] }", &["par _0/%4: %4 (i32) is loaded from `x` of f32"]),
    (
        "par _0<m { %4: f32 = load x[_0,0] where _0-1>=0 else %3 }",
        &["par _0/%4: %3 (i32) and %4 (f32) have different types"],
    ),
    ("%4: f32 = add %1, %3", &["%4: `add`: lhs and rhs must have the same shape, got f32[] and i32[]"]),
    ("%4: f32 = not %1", &["%4: `not`: x has element type f32, expected i8, "]),
    ("%4: f32 = add %1", &["%4: `add`: takes 2 (lhs, rhs) operand(s), got 1"]),
    ("%4: i32 = add %1, %1", &["%4: `add` gives f32 here, not i32"]),
    ("%4: f32 = cholesky %1 {lower = true}", &["%4: `cholesky` is not a function of single elements"]),
    (
        "%4: u32 = constant 1 %5: u32 = threefry2x32 %4, %4, %4, %4",
        &["%5: `threefry2x32` gives 2 results, but a scalar is one"],
    ),
    ("%4: i32 = fma %3, %3, %3", &["%4: fma is defined on floats, not on i32"]),
    ("%4: f32 = fma %1, %3, %1", &["%4: %3 (i32) and %4 (f32) have different types"]),
    ("%4: i64 = bitcast %1", &["%4: %1 (f32) and %4 (i64) have bits of different widths"]),
    ("%4: i32 = holds (m>=0)", &["%4: the result of a guard is a boolean, not i32"]),
    (
        "par _0<m, _1<n { %4 = load i[_0] store y[_0,_1] = %4 }",
        &["par _0, _1/store y: %4 (i32) is stored to `y` of f32"],
    ),
    ("if %3 { }", &["if %3: the condition, %3 (i32), is not a boolean"]),
    ("%4: f32 = if %2 { give %1 } else { give %3 }", &["if %2: %3 (i32) and %4 (f32) have different types"]),
    (
        "%4: f32 = for _0<m with %5: i32 = %1 { next %1 }",
        &[
            "for _0: %1 (f32) and %5 (i32) have different types",
            "for _0: %1 (f32) and %5 (i32) have different types",
            "for _0: %4 (f32) and %5 (i32) have different types",
        ],
    ),
    ("while at most m { again %3 } do { }", &["while: `again`, %3 (i32), is not a boolean"]),
    // Symbols.
    (
        "par _0<m { } par _0<n { }",
        &["par _0: the symbol `_0` is already named; each axis and name needs its own"],
    ),
    ("name n<4 = %3", &["name n: the symbol `n` is a size of a parameter; an axis or name needs its own"]),
    ("name k<4 = %1", &["name k: %1 (f32) is not an integer and cannot be an index"]),
    (
        "par _0<m { } %4: i64 = index _0",
        &["%4: the index `_0` has the symbol `_0`, which is not in scope here"],
    ),
    ("par _0<_1, _1<n { }", &["par _0, _1: the extent `_1` has the symbol `_1`, which is not in scope here"]),
    (
        "%4: bool = holds (_0>=0) name _0<4 = %3",
        &["%4: the condition `_0` has the symbol `_0`, which is not in scope here"],
    ),
    (
        "while at most _0 { again %2 } do { name _0<4 = %3 }",
        &["while: the bound `_0` has the symbol `_0`, which is not in scope here"],
    ),
    // Accesses.
    ("par _0<m { %4 = load x[_0] }", &["par _0/%4: `x` has 2 axes, but is given 1 indices"]),
    ("par _0<m { %4 = load y[_0,0] }", &["par _0/%4: `y` is an output, which cannot be loaded from"]),
    ("par _0<m { store i[_0] = %3 }", &["par _0/store i: `i` is an input, which cannot be stored to"]),
    // Arrays.
    (
        "if %2 { array t: f32[n] } store t[0] = %1",
        &["store t: the array `t` is not made here; access it after its `array`, in the same block"],
    ),
    (
        "array t: f32[n] par _0<m { array t }",
        &["par _0/array t: `t` is already made; each array is made in one place"],
    ),
    ("array x", &["array x: `x` is a parameter, which the caller makes"]),
    (
        "array t: f32[_0] par _0<m { }",
        &["array t: the extent `_0` has the symbol `_0`, which is not in scope here"],
    ),
    // Reductions.
    (
        "%4: f32 = reduce _0<m { give %1 } from %1 step (%5: f32) { give %5 } merge (%6: f32, %7: f32) { give %6 }",
        &["reduce _0: the operands of step are 1 scalars, but it is given 2"],
    ),
    (
        "%4: f32 = reduce _0<m { give %3 } from %1 step (%5: f32, %6: f32) { give %5 } merge (%7: f32, %8: i32) { give %8 }",
        &[
            "reduce _0: %6 (f32) and %3 (i32) have different types",
            "reduce _0: %8 (i32) and %1 (f32) have different types",
            "reduce _0: %8 (i32) and %1 (f32) have different types",
        ],
    ),
    (
        "%4: i32 = reduce _0<m { give %1 } from %1 step (%5: f32, %6: f32) { give %5 } merge (%7: f32, %8: f32) { }",
        &[
            "reduce _0: %4 (i32) and %1 (f32) have different types",
            "reduce _0: the results of merge are 0 scalars, but the state has 1",
        ],
    ),
    (
        "%4: f32 = reduce _0<m { give %1 } from %1 step (%5: f32, %6: f32) { %9 = load x[0,0] give %9 } merge (%7: f32, %8: f32) { give %8 }",
        &["reduce _0: step has `%9`: a function defines scalars from scalars, and loads nothing"],
    ),
];

/// Statements in a group, and what the verifier reports about them.
const GROUPED: &[(&str, &[&str])] = &[
    ("par _0<m @group { barrier group } barrier group", &[]),
    (
        "par _0<m @lane { barrier group }",
        &["par _0/barrier: a barrier is inside a loop of `lane`, where not all lanes"],
    ),
    (
        "par _0<m @lane { %4 = load i[_0] %5 = compare %4, %3 {op = lt, total_order = false} if %5 { barrier group } }",
        &["par _0/if %5/barrier: a barrier is inside a loop of `lane`"],
    ),
    (
        "par _0<m @lane { %4 = load i[_0] name _1<9 = %4 for _2<_1 { barrier group } }",
        &["par _0/for _2/barrier: a barrier is inside a loop of `lane`"],
    ),
    ("par _0<m @subgroup { barrier group }", &["par _0/barrier: a barrier is inside a loop of `subgroup`"]),
    (
        "par _0<m @group { par _1<m { barrier group } }",
        &["par _0/par _1/barrier: a barrier is inside a parallel loop within a group"],
    ),
    (
        "%4: f32 = reduce _0<m { barrier group give %1 } from %1 step (%5: f32, %6: f32) { give %6 } merge (%7: f32, %8: f32) { give %8 }",
        &["reduce _0/barrier: a barrier is inside a parallel loop within a group"],
    ),
    ("par _0<m @lane { par _1<m @lane { } }", &["par _0/par _1: a loop of `lane` is inside one of `lane`"]),
    ("par _0<m @lane { par _1<m @group { } }", &["par _0/par _1: a loop of `group` is inside one of `lane`"]),
    ("par _0<m @group { par _1<m @group { } }", &["par _0/par _1: a loop of groups is inside another one"]),
    ("par _0<m @lane, _1<m @subgroup { }", &["par _0, _1: a loop can be spread over lanes or subgroups"]),
    (
        "par _0<m @lane { array t: f32[2] in group }",
        &["par _0/array t: `t` belongs to a `group`, but is made inside a loop of `lane`; make it outside"],
    ),
    ("par _0<m @lane { array t: f32[2] in subgroup }", &["par _0/array t: `t` belongs to a `subgroup`"]),
    ("par _0<m @subgroup { array t: f32[2] in subgroup }", &[]),
    // Tiles.
    (
        "copy _0<m { x[_0,0] = x[_0,0] }",
        &["copy: `x` is an input, which", "copy: a copy must go to a local array"],
    ),
    (
        "array t: f32[m] copy _0<m { t[_0] = i[_0] where _0-1>=0 }",
        &[
            "copy: the elements that a copy reads and writes must have the same type",
            "copy: a copy with a guard needs a value for other elements",
        ],
    ),
    (
        "array t: f32[m] copy _0<m { t[_0] = y[_0,0] }",
        &["copy: `y` is an output, which cannot be loaded from"],
    ),
    (
        "array t: i32[m] copy _0<m { t[_0] = i[_0] where _0>=0 else %1 }",
        &["copy: the fill value of a copy must have the type"],
    ),
    (
        "par _0<m @lane { array t: i32[1] copy { t[0] = i[_0] } slot 0 }",
        &["par _0/copy: an asynchronous copy is inside"],
    ),
    ("par _0<m @lane { wait 0 }", &["par _0/wait: an asynchronous copy is inside a loop of `lane`"]),
    (
        "array t: f32[m] dot _0<m over _1<n @lane { t[_0] += x[_0,_1] * i[_0] }",
        &["dot: `_1` is marked `@lane`", "dot: the factors of a contraction must have the same type"],
    ),
    (
        "dot over _1<n { y[0,0] += x[0,_1] * x[0,_1] }",
        &["dot: `y` is an output, which cannot be loaded from"],
    ),
    ("instr nothing()", &["instr: no machine has an instruction `nothing`"]),
    ("array t: f32[16,8] instr mma_m16n8k16_f16(t[0,0])", &["instr: `mma_m16n8k16_f16` takes 3 operands"]),
    (
        "array t: f32[16,8] par _0<m @lane { instr mma_m16n8k16_f16(t[0,0], i[0], x[0,0]) }",
        &[
            "par _0/instr: an instruction is inside a loop of `lane`",
            "par _0/instr: operand 1 of `mma_m16n8k16_f16` must have type f16",
            "par _0/instr: operand 1 of `mma_m16n8k16_f16` must have at least 2 axes",
            "par _0/instr: operand 2 of `mma_m16n8k16_f16` must have type f16",
        ],
    ),
];

#[test]
fn each_rule_finds_its_fault() {
    let missed = FAULTS.iter().chain(GROUPED).filter_map(|(body, expected)| {
        let found = violations(body);
        let fits =
            found.len() == expected.len() && found.iter().zip(*expected).all(|(f, e)| f.starts_with(e));
        (!fits).then(|| format!("{body}\nfound {found:#?}\nexpected {expected:#?}"))
    });
    let missed: Vec<String> = missed.collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(violations("").is_empty());
}

#[test]
fn all_violations_are_told_and_not_the_first_only() {
    let kernel =
        Kernel::parse("kernel k(y: out f32[n]) { %0: f32 = constant 1 par _0<n { %1 = neg %2 } } undefined");
    assert!(kernel.is_err());
    let text = "kernel k(y: out f32[n]) undefined %2: f32 { %0: f32 = constant 1 par _0<n { %1 = neg %2 } }";
    let error = verify(&Kernel::parse(text).unwrap()).unwrap_err();
    expect_test::expect![[r#"
        kernel "k" has 3 errors:
          %0: 1 is not a number of f32; convert it
          par _0/%1: %2 is used before it is defined
          nothing is stored to the output `y`"#]]
    .assert_eq(&error.to_string());
}

#[test]
fn what_no_text_says_is_found_too() {
    let mut kernel = Kernel::new("k");
    kernel.buffer("t", DType::F32, vec![], Place::Local(Space::Lane));
    kernel.buffer("t", DType::F32, vec![&Dim::Static(usize::MAX) * 2], Place::In);
    let strange = ScalarId::new(7);
    kernel.body.push(Stmt::Let { scalar: strange, value: Definition::Bitcast(strange) });
    let mut body = vec![];
    for _ in 0..crate::text::MAX_DEPTH {
        body = vec![Stmt::Par { axes: vec![], body }];
    }
    kernel.body.extend(body);
    let found = violations_of(&kernel);
    assert_eq!(found.len(), 5, "{found:#?}");
    assert_eq!(found[0], "two buffers are called `t`");
    assert!(found[1].starts_with("an extent: the dimension"), "{found:#?}");
    assert_eq!(found[2], "the parameter `t` comes after a local array; list parameters first");
    assert_eq!(found[3], "%7: %7 is not a scalar of this kernel");
    assert!(found[4].ends_with("par: statements are nested more than 64 deep"), "{found:#?}");
}

#[test]
fn launches_are_passed_what_their_parameters_are() {
    let memory = "temporary f32[] temporary f32[2] constant {value = f32[] [1.5]}";
    let kernel = |params: &str| format!("kernel k({params}) {{ %0: f32 = constant 1.0 store y[] = %0 }}");
    let check = |launches: &[(&str, &str)], expected: &[&str]| {
        let launch = |(arguments, params): &(&str, &str)| format!("launch ({arguments}) {}", kernel(params));
        let launches: Vec<String> = launches.iter().map(launch).collect();
        let text = format!("launches {{ {memory} {} }}", launches.join(" "));
        let found = verify_launches(&Launches::parse(&text).unwrap());
        let found: Vec<String> =
            found.map_or_else(|e| e.list.iter().map(ToString::to_string).collect(), |()| vec![]);
        assert_eq!(found, expected, "{text}");
    };
    let (y, xy, io) = ("y: out f32[]", "x: in f32[], y: out f32[]", "y: inout f32[]");
    check(&[("temporary 0", y), ("temporary 0, output 0", xy)], &[]);
    check(&[("output 0, input 0", y)], &["launch 0: the kernel has 1 parameters, but is passed 2"]);
    check(
        &[("input 0", y)],
        &["launch 0: `y`, which is passed as `input 0`, is written, but inputs are only read"],
    );
    check(&[("temporary 2", y)], &["launch 0: `y`, which is passed as `temporary 2`, does not exist"]);
    check(&[("temporary 1", y)], &["launch 0: `y`, which is passed as `temporary 1`, has another shape"]);
    let early = "is read before a launch has written it";
    check(
        &[("temporary 0, output 0", xy)],
        &[&format!("launch 0: `x`, which is passed as `temporary 0`, {early}")],
    );
    // The kernel may write first, which the interpreter checks.
    check(&[("output 0", io)], &[]);
    check(&[("output 0", y), ("output 0", io)], &[]);
    check(&[("constant 0, output 0", xy)], &[]);
    check(
        &[("constant 1, output 0", xy)],
        &["launch 0: `x`, which is passed as `constant 1`, does not exist"],
    );
    check(
        &[("constant 0", y)],
        &["launch 0: `y`, which is passed as `constant 0`, is written, but constants are only read"],
    );
    check(
        &[("constant 0, output 0", "x: in i32[], y: out f32[]")],
        &["launch 0: `x`, which is passed as `constant 0`, has another shape"],
    );
    check(
        &[("output 0", y), ("output 0, output 0", xy)],
        &["launch 1: `output 0` is passed twice, and `y` is written"],
    );
    check(&[("output 0", "y: out i32[]")], &["launch 0/store y: %0 (f32) is stored to `y` of i32"]);
}

#[test]
fn facts_are_about_sizes_and_marks_are_on_parallel_axes() {
    let text = "kernel k(y: out i32[n]) facts n%0==0, k-1>=0 {
      for k<n @lane { %0: i32 = index k store y[k] = %0 } }";
    let error = verify(&Kernel::parse(text).unwrap()).unwrap_err();
    expect_test::expect![[r#"
        kernel "k" has 4 errors:
          the fact `n%0==0` divides by 0
          the fact `k-1` has the symbol `k`, which is not in scope here
          the fact `k-1>=0` has `k`, which is not a parameter's size
          for k: `k` is marked `@lane`, but only parallel axes can be marked"#]]
    .assert_eq(&error.to_string());
}
