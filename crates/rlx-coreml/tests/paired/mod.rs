//! The device `ane` as sessions have it: CoreML, completed by the CPU.

use rlx_coreml::{AneBackend, Engine};
use rlx_cpu::CpuBackend;
use rlx_driver::Device;
use rlx_hybrid::HybridBackend;
use std::sync::Arc;

/// Returns the device with an engine in place of CoreML.
pub fn ane(engine: Arc<dyn Engine>) -> HybridBackend {
    HybridBackend::new(Arc::new(AneBackend::with_engine(engine)), Arc::new(CpuBackend)).named(Device::Ane)
}
