//! A slice of `cargo xtask conformance transforms`: the small cases of every op in a few element types.

use rlx_conformance::transforms::{Args, run};
use rlx_ir::DType;

#[test]
fn small_cases_of_every_op_are_transformed() {
    let dtypes = vec![DType::F64, DType::BF16];
    let report = run(&Args { dtypes, most_elements: Some(24), ..Args::default() }, None);
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.total().passed > 1000, "{report}");
}

#[test]
fn an_op_that_refuses_an_operand_is_checked_by_the_others() {
    let args = Args { ops: vec!["igamma".into()], dtypes: vec![DType::F64], ..Args::default() };
    let report = run(&args, None);
    assert!(report.counts("igamma", "jvp", DType::F64).passed > 0, "{report}");
    assert!(report.failures().is_empty(), "{report}");
}
