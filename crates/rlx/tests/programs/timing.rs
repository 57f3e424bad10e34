//! Time.

use rlx_ir::Tick;

#[test]
fn time_passes() {
    let start = Tick::now();
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert!(start.elapsed_ms() >= 2.0);
    // The runtime reexports the same type.
    let _: rlx_runtime::Tick = start;
}
