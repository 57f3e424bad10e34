//! Kernels with faults, as text, and the interpreter's reports.

mod groups;

use super::{Conflict, FaultKind, Interpreter, Results};
use crate::kernel::Kernel;
use crate::lower::{Argument, Launch, Launches};
use rlx_ir::{Bindings, DType, Literal, Shape, Symbol};

/// Runs a kernel of one input of f32, `x`, and one output, `y`, which has the sizes of `x`.
fn run(body: &str, interpreter: &Interpreter) -> Result<Results, FaultKind> {
    let text = format!("kernel k(x: in f32[n], y: out f32[n]) {{\n{body}\n}}");
    let kernel = Kernel::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let arguments = vec![Argument::Input(0), Argument::Output(0)];
    let launches = Launches { launches: vec![Launch { kernel, arguments }], ..Launches::default() };
    let x = Literal::new(&[4], &[1f32, 2.0, 4.0, 8.0]).unwrap();
    let sizes = Bindings::from([(Symbol::new("n"), 4)]);
    interpreter.run(&launches, &sizes, &[&x], &[Shape::new(&[4], DType::F32)]).map_err(|fault| fault.kind)
}

fn fault(body: &str) -> FaultKind {
    run(body, &Interpreter::default()).expect_err("the kernel is at fault")
}

fn result(body: &str, interpreter: &Interpreter) -> Vec<f32> {
    let results = run(body, interpreter).unwrap_or_else(|e| panic!("{e}"));
    results.outputs[0].as_slice().unwrap().to_vec()
}

/// Writes the output, using the scalar with this number, which must be the first unused one.
fn copy(scalar: usize) -> String {
    format!(
        "par _9<n {{ %{scalar} = load x[_9]
 store y[_9] = %{scalar} }}"
    )
}

/// A kernel whose sizes are multiples of 4 and at least 8.
#[test]
fn facts_are_checked_when_sizes_are_known() {
    let text = "kernel copy(x: in i32[n], y: out i32[n]) facts n%4==0, n-8>=0 {
      par i<n @lane { %0 = load x[i] store y[i] = %0 } }";
    let kernel = Kernel::parse(text).unwrap();
    let arguments = vec![Argument::Input(0), Argument::Output(0)];
    let launches = Launches { launches: vec![Launch { kernel, arguments }], ..Launches::default() };
    let run = |n: usize| {
        let x = Literal::new(&[n], &vec![3i32; n]).unwrap();
        let sizes = Bindings::from([(Symbol::new("n"), n)]);
        let outputs = [Shape::new(&[n], DType::I32)];
        Interpreter::default().run(&launches, &sizes, &[&x], &outputs).map(|results| results.outputs[0] == x)
    };
    assert!(run(8).unwrap() && run(12).unwrap());
    let fact = |fact: &str, value| FaultKind::Fact { fact: fact.into(), value };
    assert_eq!(run(10).unwrap_err().kind, fact("n%4==0", 10));
    assert_eq!(run(4).unwrap_err().kind, fact("n-8>=0", -4));
}

#[test]
fn indices_stay_inside_their_axes() {
    let out = |index, extent| FaultKind::OutOfBounds { buffer: "x".into(), axis: 0, index, extent };
    assert_eq!(fault("par _0<n { %0 = load x[_0+1]\n store y[_0] = %0 }"), out(4, 4));
    assert_eq!(fault("par _0<n { %0 = load x[_0-1]\n store y[_0] = %0 }"), out(-1, 4));
    let guarded =
        "%0: f32 = constant 0.5\n par _0<n { %1 = load x[_0-1] where _0-1>=0 else %0\n store y[_0] = %1 }";
    assert_eq!(result(guarded, &Interpreter::default()), [0.5, 1.0, 2.0, 4.0]);
    let no_fill = "par _0<n { %0 = load x[_0] where _0-1>=0\n store y[_0] = %0 }";
    assert_eq!(fault(no_fill), FaultKind::NoFill { buffer: "x".into() });
}

#[test]
fn outputs_are_written_once() {
    let twice = "for _0<2 { par _1<n { %0 = load x[_1]\n store y[_1] = %0 } }";
    assert_eq!(fault(twice), FaultKind::WrittenTwice { buffer: "y".into(), at: vec![0] });
    let never = "par _0<n { %0 = load x[_0]\n store y[_0] = %0 where 1-_0>=0 }";
    assert_eq!(fault(never), FaultKind::NeverWritten { buffer: "y".into(), first: vec![2], count: 2 });
}

#[test]
fn nothing_is_read_before_it_is_written() {
    let unwritten = |at: usize| FaultKind::Unwritten { buffer: "t".into(), at: vec![at] };
    let part = "array t: f32[n]\n %0: f32 = constant 1.0\n store t[0] = %0\n par _0<n { %1 = load t[_0]\n store y[_0] = %1 }";
    assert_eq!(fault(part), unwritten(1));
    // Each iteration has its own array, without the contents of the iteration before.
    let stale = "%0: f32 = constant 1.0\n for _0<n { array t: f32[1]\n store t[0] = %0 where -_0>=0\n %1 = load t[0]\n \
                 store y[_0] = %1 }";
    assert_eq!(fault(stale), unwritten(0));
}

#[test]
fn parallel_iterations_do_not_touch_what_others_write() {
    let race = |at: usize, conflict| FaultKind::Race { buffer: "t".into(), at: vec![at], conflict };
    let body = |statements: &str, scalars| {
        format!(
            "array t: f32[n]\n %0: f32 = constant 1.0\n par _8<n {{ store t[_8] = %0 }}\n {statements}\n {}",
            copy(scalars)
        )
    };
    let same = body("par _0<n { store t[1] = %0 }", 1);
    assert_eq!(fault(&same), race(1, Conflict::WriteWrite));
    let next = body("par _0<n { %1 = load t[_0]\n store t[_0+1] = %1 where n-_0-2>=0 }", 2);
    assert_eq!(fault(&next), race(1, Conflict::WriteRead));
    let before = body("par _0<n { %1 = load t[_0]\n store t[_0-1] = %1 where _0-1>=0 }", 2);
    assert_eq!(fault(&before), race(0, Conflict::ReadWrite));
    // The first iteration reads what the second reads and writes, so that its read is not the last one.
    let shared = body("par _0<2 { %1 = load t[0]\n store t[0] = %1 where _0-1>=0 }", 2);
    assert_eq!(fault(&shared), race(0, Conflict::ReadWrite));
    let nested = body("par _0<2 { par _1<2 { %1 = load t[0] }\n store t[0] = %0 where _0-1>=0 }", 2);
    assert_eq!(fault(&nested), race(0, Conflict::ReadWrite));
    let ordered = body("for _0<n { par _1<n { %1 = load t[_1]\n store t[_1] = %1 } }", 2);
    assert_eq!(result(&ordered, &Interpreter::default()), [1.0, 2.0, 4.0, 8.0]);
}

#[test]
fn named_scalars_and_loops_keep_their_bounds() {
    let named = "%0: i64 = constant 4\n name _0<n = %0\n %1 = load x[_0]\n par _1<n { store y[_1] = %1 }";
    assert_eq!(fault(named), FaultKind::Named { symbol: Symbol::new("_0"), value: 4, extent: 4 });
    let endless = format!(
        "%0: f32 = constant 0.0\n %2: f32 = while with %1: f32 = %0 at most 3 {{ %3 = compare %1, %1 {{op = eq, total_order = false}}\n \
         again %3 }} do {{ next %1 }}\n {}",
        copy(4)
    );
    assert_eq!(fault(&endless), FaultKind::WhileBound { bound: 3 });
    assert_eq!(
        fault("par _0<2-n { %0 = load x[_0]\n store y[_0] = %0 }"),
        FaultKind::NegativeExtent { extent: -2 }
    );
    let divided = "par _0<n { %0 = load x[floordiv(_0,_0-1)]\n store y[_0] = %0 }";
    assert_eq!(fault(divided), FaultKind::Arithmetic);
}

#[test]
fn runs_end_where_their_limits_are() {
    let few = Interpreter { statements: 5, ..Interpreter::default() };
    assert_eq!(run(&copy(0), &few).map(drop), Err(FaultKind::TooLong { limit: 5 }));
    let small = Interpreter { bytes: 200, ..Interpreter::default() };
    assert!(run(&copy(0), &small).is_ok());
    let large = format!("array t: f32[n,n]\n {}", copy(0));
    assert!(matches!(run(&large, &small), Err(FaultKind::TooLarge { limit: 200, .. })));
    // Memory of an array that is made again in each iteration is counted once.
    let anew = format!("for _0<n {{ array t: f32[_0] }}\n {}", copy(0));
    assert!(run(&anew, &Interpreter { bytes: 112 + 3 * 28, ..Interpreter::default() }).is_ok());
}

#[test]
fn parts_of_a_reduction_are_merged_in_order() {
    let body = |merged: &str| {
        format!(
            "par _0<n {{ %0: f32 = constant 0.0\n %8: f32 = reduce _1<n {{ %1 = load x[_1]\n give %1 }} from %0 \
             step (%2: f32, %3: f32) {{ %4 = sub %3, %2\n give %4 }} merge (%5: f32, %6: f32) {{ %7 = {merged} %5, %6\n give %7 }}\n \
             store y[_0] = %8 }}"
        )
    };
    let in_parts = |count| Interpreter { elements_per_part: Some(count), ..Interpreter::default() };
    // 8 - (4 - (2 - (1 - 0))) in one sequence, and (2 - 1) - (8 - 4) in two parts.
    assert_eq!(result(&body("sub"), &Interpreter::default()), [5.0; 4]);
    assert_eq!(result(&body("sub"), &in_parts(2)), [-3.0; 4]);
    assert_eq!(result(&body("add"), &in_parts(4)), [5.0; 4]);
}

#[test]
fn faults_say_where_they_are() {
    let text = "kernel k(x: in f32[2], y: out f32[2]) { par _0<2 { for _1<2 { %0 = load x[_0+_1]\n store y[_0] = %0 where -_1>=0 } } }";
    let kernel = Kernel::parse(text).unwrap();
    let arguments = vec![Argument::Input(0), Argument::Output(0)];
    let launches = Launches { launches: vec![Launch { kernel, arguments }], ..Launches::default() };
    let x = Literal::new(&[2], &[1f32, 2.0]).unwrap();
    let shapes = [x.shape().clone()];
    let fault = Interpreter::default().run(&launches, &Bindings::new(), &[&x], &shapes).unwrap_err();
    let expected = "kernel `k` at _0 = 1, _1 = 1: `x` has 2 elements along axis 0; index 2 is outside";
    assert_eq!(fault.to_string(), expected);
}
