//! Bad calls.

use crate::{compiled, explicit};
use rlx::prelude::*;

#[test]
fn bad_calls_name_what_is_wrong() {
    let mut c = compiled(Device::Cpu);
    let x = [0.0; 8];
    let says = |result: Result<Vec<Vec<f32>>>, parts: &[&str]| {
        let message = result.expect_err("refused").to_string();
        parts.iter().for_each(|p| assert!(message.contains(p), "{message}"));
    };
    says(c.try_run(&[("y", &x)]), &["no input `y`", "`x`", "`labels`"]);
    says(c.try_run(&[("x", &x)]), &["missing", "labels"]);
    says(c.try_run(&[("x", &x), ("x", &x), ("labels", &[0.0; 2])]), &["`x`", "twice"]);
    says(c.try_run(&[("x", &x[..7]), ("labels", &[0.0; 2])]), &["`x`", "f32[2,4]", "8", "7"]);
    let fresh = Session::new(Device::Cpu).try_compile(explicit()).expect("compiles");
    says(fresh.clone().try_run(&[("x", &x), ("labels", &[0.0; 2])]), &["not set", "w, b"]);
    let message = c.try_set_param("v", &[1.0]).expect_err("unknown").to_string();
    assert!(message.contains("no parameter `v`"), "{message}");
    let message = Session::new(Device::Cuda).try_compile(explicit()).expect_err("absent").to_string();
    assert!(message.contains("cuda"), "{message}");
}
