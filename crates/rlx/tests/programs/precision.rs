//! Precision of sessions and policies.

use crate::{W, compiled, explicit};
use rlx_runtime::{Device, Precision, PrecisionPolicy, Session};

#[test]
fn precision_sessions_stay_close_to_f32() {
    let x = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.25, 2.0];
    let reference = compiled(Device::Cpu).run(&[("x", &x), ("labels", &[2.0, 0.0])]);
    for (precision, tolerance) in [(Precision::F32, 1e-6), (Precision::F16, 2e-2), (Precision::BF16, 1.5e-1)]
    {
        let mut c = Session::new_with_precision(Device::Cpu, precision).compile(explicit());
        c.set_param("w", &W);
        c.set_param("b", &[0.5, -0.5, 0.25]);
        let out = c.run(&[("x", &x), ("labels", &[2.0, 0.0])]);
        let pairs = out.iter().flatten().zip(reference.iter().flatten());
        pairs.for_each(|(a, b)| assert!((a - b).abs() < tolerance, "{precision:?}: {out:?} {reference:?}"));
    }
}

#[test]
fn policies_have_their_names() {
    let policies = [PrecisionPolicy::AlwaysF32, PrecisionPolicy::AlwaysF16, PrecisionPolicy::AutoMixed];
    assert!(!policies.contains(&PrecisionPolicy::default()), "types stay as the graph declares them");
}
