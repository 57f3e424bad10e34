//! The devices that programs can name.

use crate::pair::DevicePair;
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
    /// Two devices together: the second runs what the first does not. See [`Device::with`].
    Pair(DevicePair),
}

impl Device {
    /// Every device, in the order of listings, without pairs.
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
            Device::Pair(pair) => pair.name(),
        }
    }

    /// The feature of the crates `rlx` and `rlx-runtime` that includes the backend, which for a pair is that of its first device; `None` if
    /// this version has no backend for the device.
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Device::Cpu | Device::Mlx | Device::Tpu | Device::Interpreter => Some(self.name()),
            Device::Ane => Some("coreml"),
            Device::Metal | Device::Cuda | Device::Rocm | Device::Gpu => None,
            Device::Pair(pair) => pair.first().feature(),
        }
    }

    /// Returns this device together with `second`, which runs what this one does not. Returns `None` if the two are the same, or if one of
    /// them is a pair.
    pub fn with(self, second: Device) -> Option<Device> {
        DevicePair::new(self, second).map(Device::Pair)
    }

    /// Returns the device itself, or the first one of a pair.
    pub const fn first(self) -> Device {
        match self {
            Device::Pair(pair) => pair.first(),
            device => device,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One device of a kind, by default the first. Written `cuda:1`; `cuda` is `cuda:0`. In a pair, the number belongs to the first device:
/// `cuda:1,cpu`.
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
        match (self.device, self.ordinal) {
            (device, 0) => device.fmt(f),
            (Device::Pair(pair), ordinal) => write!(f, "{}:{ordinal},{}", pair.first(), pair.second()),
            (device, ordinal) => write!(f, "{device}:{ordinal}"),
        }
    }
}

impl FromStr for DeviceId {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        let unknown = || UnknownDevice(text.into());
        let (first, second) =
            text.split_once(',').map_or((text, None), |(first, second)| (first, Some(second)));
        let (name, ordinal) = match first.split_once(':') {
            Some((name, ordinal)) => (name, ordinal.parse().map_err(|_| unknown())?),
            None => (first, 0),
        };
        let single = |name| single(name).ok_or_else(unknown);
        let first = single(name)?;
        let device = match second {
            Some(second) => first.with(single(second)?).ok_or_else(unknown)?,
            None => first,
        };
        Ok(device.ordinal(ordinal))
    }
}

/// The error for a name that is not a device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is not a device; known are cpu, metal, mlx, ane, cuda, rocm, tpu, gpu and interpreter; `cuda:1` is the second of its kind, and in \
     a pair such as `cuda,cpu` the second device runs what the first does not"
)]
pub struct UnknownDevice(pub String);

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        match name.parse() {
            Ok(DeviceId { device, ordinal: 0 }) if !name.contains(':') => Ok(device),
            _ => Err(UnknownDevice(name.into())),
        }
    }
}

/// Returns the device with a name, which is not a pair.
fn single(name: &str) -> Option<Device> {
    let lower = name.to_ascii_lowercase();
    Device::ALL.into_iter().find(|device| device.name() == lower)
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

    #[test]
    fn names_of_pairs_are_read_as_they_are_written() {
        let pair = Device::Cuda.with(Device::Cpu).expect("a pair");
        for ordinal in [0, 1, 12] {
            let id = pair.ordinal(ordinal);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert_eq!(pair.ordinal(1).to_string(), "cuda:1,cpu");
        assert_eq!("Ane,CPU".parse(), Ok(Device::Ane.with(Device::Cpu).expect("a pair")));
        assert_eq!((pair.name(), pair.first(), Device::Tpu.first()), ("cuda,cpu", Device::Cuda, Device::Tpu));
        assert_eq!(Device::Ane.with(Device::Cpu).and_then(Device::feature), Some("coreml"));
        for wrong in
            [",", "cuda,", ",cpu", "cuda,cuda", "cuda,cpu,ane", "cuda,cpu:1", "cuda, cpu", "cuda,cdu"]
        {
            assert_eq!(wrong.parse::<DeviceId>(), Err(UnknownDevice(wrong.into())));
            assert_eq!(wrong.parse::<Device>(), Err(UnknownDevice(wrong.into())));
        }
        assert_eq!("cuda:0".parse::<Device>(), Err(UnknownDevice("cuda:0".into())));
    }
}
