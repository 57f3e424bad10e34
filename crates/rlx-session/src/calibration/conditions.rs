//! The conditions under which measured figures hold: build, machine, processor, device, threads.

use rlx_driver::env::EnvError;
use rlx_driver::{Device, Env};
use std::env::consts::{ARCH, OS};
use std::fs::File;
use std::io::Read;

/// Describes the conditions under which the device runs in this process, as text; `description` is the device's description of itself.
/// Figures measured in one process hold in another if their texts are equal.
///
/// # Errors
/// Returns an [`EnvError`] if a variable of the environment that is among the conditions is invalid.
pub(super) fn conditions(device: Device, description: &str, env: &Env) -> Result<String, EnvError> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let (threads, isa) = cpu_settings(env)?;
    let (threads, isa) = (threads.unwrap_or(cores), isa.unwrap_or("best"));
    // Without optimization, the same code is many times slower.
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let host = gethostname::gethostname();
    Ok(format!(
        "rlx {} {build}\n{} {OS} {ARCH}\n{}\n{cores} cores, {threads} threads, instruction set {isa}\n{device}: {description}",
        env!("CARGO_PKG_VERSION"),
        host.to_string_lossy(),
        processor(),
    ))
}

/// Returns the number of threads and the instruction set that the environment selects for the CPU.
fn cpu_settings(env: &Env) -> Result<(Option<usize>, Option<&'static str>), EnvError> {
    #[cfg(feature = "cpu")]
    {
        use rlx_cpu::variables::{CPU_ISA, NUM_THREADS};
        Ok((env.get(&NUM_THREADS)?, env.get(&CPU_ISA)?.map(|isa| isa.name())))
    }
    #[cfg(not(feature = "cpu"))]
    {
        let _ = env;
        Ok((None, None))
    }
}

/// Returns what Linux says about the first processor. On other systems, the machine's name and the device's description have to do.
fn processor() -> String {
    /// Bytes to read: there is one block per core, and the first one comes first.
    const BEGINNING: u64 = 4096;
    const NAMES: [&str; 5] = ["vendor_id", "model name", "CPU implementer", "CPU variant", "CPU part"];
    let mut text = Vec::new();
    let read = File::open("/proc/cpuinfo").and_then(|file| file.take(BEGINNING).read_to_end(&mut text));
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&text);
    let first = text.split("\n\n").next().unwrap_or_default().lines();
    let ours = first.filter_map(|line| line.split_once(':')).filter(|(name, _)| NAMES.contains(&name.trim()));
    ours.map(|(_, value)| value.trim()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "cpu")]
    #[test]
    fn each_condition_tells() {
        let env = |threads: Option<usize>, isa: Option<&str>| {
            let threads = threads.map(|n| ("RLX_NUM_THREADS", n.to_string()));
            let isa = isa.map(|isa| ("RLX_CPU_ISA", isa.to_string()));
            threads.into_iter().chain(isa).collect::<Env>()
        };
        let conditions = |device, description, env: &Env| conditions(device, description, env).unwrap();
        let all = [
            conditions(Device::Gpu, "a", &env(Some(3), None)),
            conditions(Device::Cuda, "a", &env(Some(3), None)),
            conditions(Device::Gpu, "b", &env(Some(3), None)),
            conditions(Device::Gpu, "a", &env(Some(4), None)),
            conditions(Device::Gpu, "a", &env(Some(3), Some("baseline"))),
        ];
        for (i, one) in all.iter().enumerate() {
            assert!(one.contains(env!("CARGO_PKG_VERSION")) && one.contains(ARCH), "{one}");
            assert!(all[..i].iter().all(|other| other != one), "{one}");
        }
        assert_eq!(all[0], conditions(Device::Gpu, "a", &env(Some(3), None)));
        // Without a number, there are as many threads as cores.
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        assert_eq!(
            conditions(Device::Cpu, "a", &env(None, None)),
            conditions(Device::Cpu, "a", &env(Some(cores), None))
        );
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn linux_names_the_processor_once() {
        let name = processor();
        assert!(!name.is_empty() && !name.contains('\n') && name.len() < 200, "{name}");
    }
}
