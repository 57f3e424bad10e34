//! Reports of a program that has set no sink, which go to standard error.

use rlx_driver::{Topic, report};
use std::process::Command;

/// Set in the process that reports.
const REPORTS: &str = "TEST_REPORTS";

/// Starts itself again, and checks what that process wrote.
#[test]
fn reports_go_to_standard_error_with_control_characters_escaped() {
    if std::env::var_os(REPORTS).is_some() {
        report(Topic::Dispatch, "dispatch on cpu: \u{1b}[31m1 native\n");
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap()).env(REPORTS, "1").output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{errors}");
    assert_eq!(errors, "dispatch on cpu: \\u{1b}[31m1 native\n");
    assert!(!said.contains("dispatch"), "{said}");
}
