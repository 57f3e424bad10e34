//! The amount of memory of the machine, and byte counts as text.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// The memory that this process can use: that of the machine, or the limit of its control group if that is lower.
/// `None` if the system does not report it. The system is asked only once.
pub fn machine_memory() -> Option<Bytes> {
    static MEMORY: OnceLock<Option<Bytes>> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        // Miri does not support the system calls that report it.
        if cfg!(miri) {
            return None;
        }
        Some(Bytes(Ram::now().total)).filter(|memory| memory.0 > 0)
    })
}

/// The memory that this process can still allocate: what is free on the machine or can be freed, or what its control
/// group allows if that is less. `None` if the system does not report it.
pub fn available_memory() -> Option<Bytes> {
    if cfg!(miri) {
        return None;
    }
    let available = Ram::now().available.min(left_to_group().unwrap_or(u64::MAX));
    Some(Bytes(available)).filter(|memory| memory.0 > 0)
}

/// Bytes of memory: the total, or the limit of the control group if that is lower, and what is free or can be freed. 0
/// if the system does not report it.
struct Ram {
    total: u64,
    available: u64,
}

impl Ram {
    #[cfg(not(all(target_vendor = "apple", not(target_os = "macos"))))]
    fn now() -> Ram {
        use sysinfo::{MemoryRefreshKind, System};
        let mut system = System::new();
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
        Ram { total: system.total_memory().min(group), available: system.available_memory() }
    }

    /// On phones, programs can only query the total.
    #[cfg(all(target_vendor = "apple", not(target_os = "macos")))]
    fn now() -> Ram {
        let (mut total, mut len) = (0u64, size_of::<u64>());
        // SAFETY: the name ends with a zero byte, and the system writes at most `len` bytes.
        let result = unsafe {
            libc::sysctlbyname(
                c"hw.memsize".as_ptr(),
                (&raw mut total).cast(),
                &raw mut len,
                std::ptr::null_mut(),
                0,
            )
        };
        let total = if result == 0 { total } else { 0 };
        Ram { total, available: total }
    }
}

/// The bytes that this process's control group still allows, if it has a limit. It counts pages of files as used, but
/// these can be freed.
fn left_to_group() -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok();
    let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
    let stat = read("memory.stat").unwrap_or_default();
    let files = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
    let files: u64 = files.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or(0);
    let used = number("memory.current")?.saturating_sub(files);
    Some(number("memory.max")?.saturating_sub(used))
}

/// An amount of memory. Written as a number of bytes, or with a unit: `800 MB`, `16GiB`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bytes(pub u64);

/// Units and their bytes; the first ones are those that amounts are printed in.
const UNITS: [(&str, u64); 9] = [
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
];

impl fmt::Display for Bytes {
    /// Three digits and a unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &(unit, size) = UNITS[..5].iter().find(|unit| self.0 >= unit.1).unwrap_or(&UNITS[4]);
        let amount = self.0 as f64 / size as f64;
        let digits = match amount {
            _ if size == 1 => 0,
            ..9.995 => 2,
            ..99.95 => 1,
            _ => 0,
        };
        write!(f, "{amount:.digits$} {unit}")
    }
}

/// The error for a text that is not an amount of memory.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{0:?} is not an amount of memory; write bytes, or a number with kB, MB, GB, TB, KiB, MiB, GiB or TiB"
)]
pub struct BadBytes(String);

impl FromStr for Bytes {
    type Err = BadBytes;

    fn from_str(text: &str) -> Result<Bytes, BadBytes> {
        let bad = || BadBytes(text.into());
        let text = text.trim();
        let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = (&text[..end], text[end..].trim());
        let size = match unit {
            "" => 1,
            _ => UNITS.iter().find(|known| known.0.eq_ignore_ascii_case(unit)).ok_or_else(bad)?.1,
        };
        let bytes = match number.parse::<u64>() {
            Ok(number) => number.checked_mul(size).ok_or_else(bad)?,
            Err(_) => (number.parse::<f64>().map_err(|_| bad())? * size as f64) as u64,
        };
        Ok(Bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_memory() {
        let memory = machine_memory().expect("the system says how much");
        assert!(memory.0 > 64 << 20, "{memory}");
        let available = available_memory().expect("and how much is left");
        assert!(available <= memory && available.0 > 1 << 20, "{available} of {memory}");
    }

    #[test]
    fn amounts_are_read_and_shown() {
        let read = |text: &str| text.parse::<Bytes>().map(|bytes| bytes.0);
        assert_eq!(read("1024"), Ok(1024));
        assert_eq!(read(" 1.5 GB"), Ok(1_500_000_000));
        assert_eq!((read("2KiB"), read("2kib"), read("3MB")), (Ok(2048), Ok(2048), Ok(3_000_000)));
        for bad in ["", "GB", "-1", "1 parsec", "99999999999 TB", "1e3"] {
            assert_eq!(read(bad), Err(BadBytes(bad.into())));
        }
        let shown = [0, 999, 1_000, 9_996, 123_456, 1 << 30, 1 << 42, u64::MAX].map(|n| Bytes(n).to_string());
        let expected = ["0 B", "999 B", "1.00 kB", "10.0 kB", "123 kB", "1.07 GB", "4.40 TB", "18446744 TB"];
        assert_eq!(shown, expected);
    }
}
