//! Pairs of devices that run a graph together, and their names.

use crate::device::Device;
use std::fmt;

/// Two devices that run a graph together: the first runs what it can, and the second runs the rest. Written `ane,cpu`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevicePair {
    /// The index of the first device in [`Device::ALL`].
    first: u8,
    /// The index of the second device in [`Device::ALL`].
    second: u8,
}

/// Returns the names of all pairs, by the indices of their devices. The names of the devices are listed once for each place in a pair.
macro_rules! pair_names {
    ([$($first:literal)*], $seconds:tt) => { [$(pair_names!(@row $first, $seconds)),*] };
    (@row $first:literal, [$($second:literal)*]) => { [$(concat!($first, ",", $second)),*] };
}

/// The number of devices that may be in a pair.
const COUNT: usize = Device::ALL.len();

const NAMES: [[&str; COUNT]; COUNT] = pair_names!(
    ["cpu" "metal" "mlx" "ane" "cuda" "rocm" "tpu" "gpu" "interpreter"],
    ["cpu" "metal" "mlx" "ane" "cuda" "rocm" "tpu" "gpu" "interpreter"]
);

impl DevicePair {
    /// Creates a pair. Returns `None` if the devices are the same, or if one of them is itself a pair.
    pub fn new(first: Device, second: Device) -> Option<DevicePair> {
        let index = |device| Device::ALL.iter().position(|known| *known == device);
        let (first, second) = (index(first)?, index(second)?);
        // INVARIANT: there are far fewer than 256 devices.
        (first != second).then_some(DevicePair { first: first as u8, second: second as u8 })
    }

    /// Returns the device that runs what it can.
    pub const fn first(self) -> Device {
        Device::ALL[self.first as usize]
    }

    /// Returns the device that runs the rest.
    pub const fn second(self) -> Device {
        Device::ALL[self.second as usize]
    }

    /// Returns the names of both devices, joined by a comma.
    pub const fn name(self) -> &'static str {
        NAMES[self.first as usize][self.second as usize]
    }
}

impl fmt::Display for DevicePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for DevicePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_named_after_their_devices() {
        for first in Device::ALL {
            for second in Device::ALL {
                let pair = DevicePair::new(first, second);
                assert_eq!(pair.is_none(), first == second);
                let Some(pair) = pair else { continue };
                assert_eq!((pair.first(), pair.second()), (first, second));
                assert_eq!(pair.name(), format!("{first},{second}"));
                assert_eq!(DevicePair::new(Device::Pair(pair), first), None);
                assert_eq!(DevicePair::new(first, Device::Pair(pair)), None);
            }
        }
    }
}
