//! Groups of lanes: faults, and what is counted.

use super::{fault, result, run};
use crate::interp::{Conflict, FaultKind, Interpreter};

/// Reverses 4 elements through the group's memory. `between` are statements between writing and reading.
fn reversed(between: &str) -> String {
    format!(
        "par _0<1 @group {{ array t: f32[n] in group
           par _1<n @lane {{ %0 = load x[_1] store t[_1] = %0 }}
           {between}
           par _2<n @lane {{ %1 = load t[n-1-_2] store y[_2] = %1 }} }}"
    )
}

#[test]
fn barriers_order_lanes() {
    let race =
        |at: usize| FaultKind::Race { buffer: "t".into(), at: vec![at], conflict: Conflict::WriteRead };
    assert_eq!(result(&reversed("barrier group"), &Interpreter::default()), [8.0, 4.0, 2.0, 1.0]);
    assert_eq!(fault(&reversed("")), race(3));
    // A lane sees what it wrote itself.
    let own = reversed("").replace("t[n-1-_2]", "t[_2]");
    assert_eq!(result(&own, &Interpreter::default()), [1.0, 2.0, 4.0, 8.0]);
    // Subgroups do not see what single lanes wrote, and all lanes do not see what one of them wrote.
    assert_eq!(fault(&own.replace("_2<n @lane", "_2<n @subgroup")), race(0));
    assert_eq!(
        fault(&reversed("%2 = load t[1]").replace("%1", "%3").replace("%2", "%1").replace("%3", "%2")),
        race(1)
    );
    // Overwriting what others may still read.
    let again = "array t: f32[1] in group %0: f32 = constant 0.0
      for _0<n {
        par _1<1 @lane { %1 = load x[_0] store t[0] = %1 }
        barrier group
        par _2<n @lane { %2 = load t[0] store y[_2] = %2 where _0-n+1>=0, 0>=0 }
      }";
    let late = FaultKind::Race { buffer: "t".into(), at: vec![0], conflict: Conflict::ReadWrite };
    assert_eq!(fault(again), late);
    let behind = again.rsplit_once('}').map(|(body, _)| format!("{body} barrier group }}")).unwrap();
    assert_eq!(result(&behind, &Interpreter::default()), [8.0; 4]);
}

#[test]
fn groups_begin_with_what_they_write_themselves() {
    // The second group does not see what the first one wrote.
    let stale = "par _0<2 @group { array t: f32[2] in group
      par _1<2 @lane { %0 = load x[2*_0+_1] store t[_1] = %0 where -_0>=0 }
      barrier group
      par _2<2 @lane { %1 = load t[1-_2] store y[2*_0+_2] = %1 } }";
    assert_eq!(fault(stale), FaultKind::Unwritten { buffer: "t".into(), at: vec![1] });
    let fresh = stale.replace(" where -_0>=0", "");
    assert_eq!(result(&fresh, &Interpreter::default()), [2.0, 1.0, 8.0, 4.0]);
}

#[test]
fn lanes_do_not_read_registers_of_others() {
    let text = |space: &str, at: &str, level: &str| {
        format!(
            "array t: f32[n] in {space}
             par _1<n @{level} {{ %0 = load x[_1] store t[_1] = %0 }}
             barrier group
             par _2<n @{level} {{ %1 = load t[{at}] store y[_2] = %1 }}"
        )
    };
    let foreign = FaultKind::Foreign { buffer: "t".into(), at: vec![3] };
    assert_eq!(fault(&text("lane", "n-1-_2", "lane")), foreign);
    assert_eq!(fault(&text("subgroup", "n-1-_2", "subgroup")), foreign);
    for level in ["lane", "subgroup"] {
        assert_eq!(result(&text(level, "_2", level), &Interpreter::default()), [1.0, 2.0, 4.0, 8.0]);
    }
    // The lanes of one subgroup hold its array together; those of another do not.
    let of_two = Interpreter { subgroup: 2, ..Interpreter::default() };
    let other = text("subgroup", "n-1-_2", "lane");
    assert_eq!(run(&other, &of_two).map(drop), Err(foreign));
    assert_eq!(result(&other, &Interpreter::default()), [8.0, 4.0, 2.0, 1.0]);
    // Every lane has what all lanes wrote.
    let all = text("lane", "n-1-_2", "lane").replace("_1<n @lane", "_1<n");
    assert_eq!(result(&all, &Interpreter::default()), [8.0, 4.0, 2.0, 1.0]);
}

/// Asynchronous copies of two halves, each of which is read after it has been waited for.
const COPIED: &str = "array t: f32[2,2] in group
  par _0<1 @group {
    copy _1<2 { t[0,_1] = x[_1] } slot 0
    copy _2<2 { t[1,_2] = x[2+_2] } slot 1
    wait 0
    barrier group
    par _3<2 @lane { %0 = load t[0,_3] store y[_3] = %0 }
    wait 1
    barrier group
    par _4<2 @lane { %1 = load t[1,_4] store y[2+_4] = %1 }
  }";

#[test]
fn copies_arrive_where_they_are_waited_for() {
    let copied = COPIED.replace(
        "array t: f32[2,2] in group\n  par _0<1 @group {",
        "par _0<1 @group { array t: f32[2,2] in group",
    );
    for late_copies in [false, true] {
        let interpreter = Interpreter { late_copies, ..Interpreter::default() };
        assert_eq!(result(&copied, &interpreter), [1.0, 2.0, 4.0, 8.0]);
        let at_fault = |text: String| run(&text, &interpreter).map(drop).unwrap_err();
        let never = at_fault(copied.replace("wait 1", ""));
        assert_eq!(never, FaultKind::Unwritten { buffer: "t".into(), at: vec![1, 0] });
        let unread = at_fault(copied.replace("wait 1", "").replace("%1 = load t[1,_4]", "%1 = load x[_4]"));
        assert_eq!(unread, FaultKind::NeverAwaited { slot: 1 });
        let early = at_fault(copied.replace("wait 0\n    barrier group", "barrier group"));
        assert_eq!(early, FaultKind::Unwritten { buffer: "t".into(), at: vec![0, 0] });
        let unordered = at_fault(copied.replace("wait 1\n    barrier group", "wait 1"));
        assert!(matches!(unordered, FaultKind::Race { .. }), "{unordered}");
        // Both copies write the same elements.
        let twice = at_fault(copied.replace("t[1,_2]", "t[0,_2]"));
        assert!(matches!(twice, FaultKind::Race { .. } | FaultKind::Unwritten { .. }), "{twice}");
    }
}

#[test]
fn what_lanes_touch_together_is_counted() {
    let counts = |body: &str, segment: u32| {
        let interpreter = Interpreter { segment, subgroup: 4, ..Interpreter::default() };
        run(body, &interpreter).unwrap_or_else(|e| panic!("{e}")).counts
    };
    // 4 adjacent floats are one segment to load and one to store.
    let plain = "par _0<n @lane { %0 = load x[_0] store y[_0] = %0 }";
    assert_eq!(counts(plain, 32).transactions, 2);
    assert_eq!(counts(plain, 8).transactions, 4);
    // A lane that runs a loop alone shares nothing: 4 visits of one lane, each of which loads and stores.
    let walk = "par _1<1 @lane { for _0<n { %0 = load x[_0] store y[_0] = %0 } }";
    assert_eq!(counts(walk, 32).transactions, 8);
    // Without lanes there are no transactions, because it is not specified who runs what.
    assert_eq!(counts("par _0<n { %0 = load x[_0] store y[_0] = %0 }", 32).transactions, 0);
    // The columns of an array with 32 columns are in one bank; those of one with 33 columns are in different banks.
    let columns = |width: usize| {
        format!(
            "array t: f32[4,{width}] in group
             par _0<n @lane {{ %0 = load x[_0] store t[_0,0] = %0 }}
             barrier group
             par _1<n @lane {{ %1 = load t[_1,0] store y[_1] = %1 }}"
        )
    };
    assert_eq!(counts(&columns(32), 32).bank_conflicts, 6);
    assert_eq!(counts(&columns(33), 32).bank_conflicts, 0);
    let sums = "par _0<n { %0 = load x[_0] %1 = fma %0, %0, %0 %2 = add %1, %0 %3 = convert %2 {dtype = i32}
      %4 = add %3, %3 %5 = convert %4 {dtype = f32} store y[_0] = %5 }";
    assert_eq!(counts(sums, 32).flops, 12);
}
