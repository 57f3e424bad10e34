//! The devices that programs can name.

use std::fmt;
use std::str::FromStr;

/// Where a graph runs. A named device is not necessarily present: ask the runtime's `is_available`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Device {
    /// The host's processor.
    Cpu,
    /// Apple GPUs, through Metal.
    Metal,
    /// Apple silicon, through MLX.
    Mlx,
    /// The Apple Neural Engine, through CoreML.
    Ane,
    /// NVIDIA GPUs.
    Cuda,
    /// AMD GPUs.
    Rocm,
    /// TPUs, and other PJRT plugins.
    Tpu,
    /// Any GPU, through wgpu.
    Gpu,
    /// The interpreter of the kernel language, for tests of lowered kernels.
    Interpreter,
}

impl Device {
    /// Every device, in the order of listings.
    pub const ALL: [Device; 9] = [
        Device::Cpu,
        Device::Metal,
        Device::Mlx,
        Device::Ane,
        Device::Cuda,
        Device::Rocm,
        Device::Tpu,
        Device::Gpu,
        Device::Interpreter,
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
            Device::Interpreter => "interpreter",
        }
    }

    /// The feature of the crates `rlx` and `rlx-runtime` that includes the backend; `None` if this version has no
    /// backend for the device.
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Device::Cpu | Device::Mlx | Device::Tpu | Device::Interpreter => Some(self.name()),
            Device::Ane => Some("coreml"),
            Device::Metal | Device::Cuda | Device::Rocm | Device::Gpu => None,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One device of a kind, by default the first. Written `cuda:1`; `cuda` is `cuda:0`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DeviceId {
    /// The kind of device, and the backend that serves it.
    pub device: Device,
    /// Its number among the devices of its kind, from 0.
    pub ordinal: usize,
}

impl Device {
    /// Device number `ordinal` of this kind, from 0.
    pub const fn ordinal(self, ordinal: usize) -> DeviceId {
        DeviceId { device: self, ordinal }
    }
}

impl From<Device> for DeviceId {
    fn from(device: Device) -> DeviceId {
        device.ordinal(0)
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ordinal {
            0 => self.device.fmt(f),
            ordinal => write!(f, "{}:{ordinal}", self.device),
        }
    }
}

impl FromStr for DeviceId {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        let Some((name, ordinal)) = text.split_once(':') else { return Ok(Device::from_str(text)?.into()) };
        let ordinal = ordinal.parse().map_err(|_| UnknownDevice(text.into()))?;
        let device = Device::from_str(name).map_err(|_| UnknownDevice(text.into()))?;
        Ok(device.ordinal(ordinal))
    }
}

/// The error for a name that is not a device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is not a device; known are cpu, metal, mlx, ane, cuda, rocm, tpu, gpu and interpreter; `cuda:1` is the second of its kind"
)]
pub struct UnknownDevice(pub String);

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let lower = name.to_ascii_lowercase();
        Device::ALL.into_iter().find(|d| d.name() == lower).ok_or_else(|| UnknownDevice(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_read_as_they_are_written() {
        for device in Device::ALL {
            for ordinal in [0, 1, 12] {
                let id = device.ordinal(ordinal);
                assert_eq!(id.to_string().parse(), Ok(id));
            }
        }
        assert_eq!("CUDA:0".parse::<DeviceId>(), Ok(Device::Cuda.into()));
        assert_eq!(Device::Cuda.ordinal(0).to_string(), "cuda");
        for wrong in ["", ":", "cuda:", "cuda:x", "cuda:-1", "cuda:1:1", "cdua:1", ":1"] {
            assert_eq!(wrong.parse::<DeviceId>(), Err(UnknownDevice(wrong.into())));
        }
    }
}
