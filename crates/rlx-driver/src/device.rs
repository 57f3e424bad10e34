//! The devices that programs name.

use std::fmt;
use std::str::FromStr;

/// Where a graph runs. Naming a device does not mean that it is present: ask the runtime's `is_available`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Device {
    /// The host's processor.
    Cpu,
    /// Apple GPUs by Metal.
    Metal,
    /// Apple silicon by MLX.
    Mlx,
    /// The Apple Neural Engine by CoreML.
    Ane,
    /// NVIDIA GPUs.
    Cuda,
    /// AMD GPUs.
    Rocm,
    /// TPUs, and other PJRT plugins.
    Tpu,
    /// Any GPU by wgpu.
    Gpu,
}

impl Device {
    /// Every device, in the order in which listings show them.
    pub const ALL: [Device; 8] = [
        Device::Cpu,
        Device::Metal,
        Device::Mlx,
        Device::Ane,
        Device::Cuda,
        Device::Rocm,
        Device::Tpu,
        Device::Gpu,
    ];

    /// The name in options and listings.
    pub const fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Metal => "metal",
            Device::Mlx => "mlx",
            Device::Ane => "ane",
            Device::Cuda => "cuda",
            Device::Rocm => "rocm",
            Device::Tpu => "tpu",
            Device::Gpu => "gpu",
        }
    }

    /// The feature of crate `rlx` that builds the backend in.
    pub const fn feature(self) -> &'static str {
        match self {
            Device::Ane => "coreml",
            other => other.name(),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no device's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a device; there are cpu, metal, mlx, ane, cuda, rocm, tpu, gpu")]
pub struct UnknownDevice(pub String);

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let lower = name.to_ascii_lowercase();
        Device::ALL.into_iter().find(|d| d.name() == lower).ok_or_else(|| UnknownDevice(name.into()))
    }
}
