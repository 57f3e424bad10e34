//! Devices.

use crate::explicit;
use rlx::prelude::pick_best_device;
use rlx_runtime::{Device, is_available};

#[test]
fn the_cpu_is_there_and_is_picked() {
    assert!(is_available(Device::Cpu));
    assert_eq!(pick_best_device(&explicit()).expect("the CPU"), Device::Cpu);
}
