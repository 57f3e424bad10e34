//! Transforms of the small cases of every op in the widest and in a narrow float type.
//! `cargo xtask conformance transforms` checks the whole table.

use rlx_conformance::transforms::{Args, run};
use rlx_ir::DType;

#[test]
fn small_cases_of_every_op_are_transformed_correctly() {
    let dtypes = vec![DType::F64, DType::BF16];
    let args = Args { dtypes, most_elements: Some(12), ..Args::default() };
    let report = run(&args, None, &|_| {});
    let notes = report.failures().iter().map(|n| format!("{} of {}: {}", n.target, n.case, n.message));
    assert_eq!(notes.collect::<Vec<_>>(), Vec::<String>::new());
    assert!(report.total().passed > 3000, "{}", report.summary());
}
