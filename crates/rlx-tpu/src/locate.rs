//! Finds the plugin for the device, and checks that the device is present before loading anything large.

use crate::api::{Client, CompiledProgram, PjrtError, Plugin, Topology, Value};
use crate::variables::{PJRT_OPTIONS, PJRT_PLUGIN, SKIP_MDS_QUERY};
use rlx_driver::Env;
use rlx_driver::env::EnvError;
use std::path::{Path, PathBuf};

/// The file name of Google's plugin for TPUs.
const LIBTPU: &str = "libtpu.so";
/// Google's vendor ID for PCI devices.
const GOOGLE: &str = "0x1ae0";

/// The plugin to use for the device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PluginChoice {
    /// The plugin in this file.
    File(PathBuf),
    /// `libtpu.so` from the system's library path.
    Libtpu,
}

impl PluginChoice {
    /// Returns the environment's choice: `RLX_PJRT_PLUGIN` if it is set, otherwise libtpu.
    ///
    /// # Errors
    /// Returns an [`EnvError`] if the variable is invalid.
    pub fn of(env: &Env) -> Result<PluginChoice, EnvError> {
        Ok(env.get(&PJRT_PLUGIN)?.map_or(PluginChoice::Libtpu, PluginChoice::File))
    }

    /// Returns the file, or the name that the system searches for.
    pub fn path(&self) -> &Path {
        match self {
            PluginChoice::File(path) => path,
            PluginChoice::Libtpu => Path::new(LIBTPU),
        }
    }

    /// Connects to the devices of the plugin with the given options, or returns in one sentence why that is impossible. libtpu is
    /// loaded only if there is a TPU. Without one, loading it would be useless, and it would wait for a server.
    pub fn connect(&self, options: &[(String, Value)]) -> Result<Client, String> {
        if let PluginChoice::File(path) = self
            && !path.is_file()
        {
            return Err(format!("RLX_PJRT_PLUGIN names {}, which is not a file", path.display()));
        }
        if self.is_libtpu() && !tpu_present(Path::new("/")) {
            return Err("this machine has no TPU (and RLX_PJRT_PLUGIN names no other plugin)".into());
        }
        let plugin = Plugin::load(self.path()).map_err(|e| match (self, e) {
            (PluginChoice::Libtpu, PjrtError::Load { message, .. }) => {
                format!("there is a TPU, but no {LIBTPU}: set RLX_PJRT_PLUGIN to its path ({message})")
            }
            (_, e) => e.to_string(),
        })?;
        let client = Client::with_options(&plugin, options).map_err(|e| e.to_string())?;
        match client.device_count() {
            0 => Err(format!("the plugin {} has no device here", self.path().display())),
            _ => Ok(client),
        }
    }

    fn is_libtpu(&self) -> bool {
        is_libtpu(self.path())
    }
}

/// Returns the options for the plugin from the environment: `RLX_PJRT_OPTIONS`.
pub(crate) fn options_of(env: &Env) -> Result<Vec<(String, Value)>, EnvError> {
    let options = env.get(&PJRT_OPTIONS)?.unwrap_or_default();
    Ok(options.into_iter().map(|(name, value)| (name, Value::parse(&value))).collect())
}

fn is_libtpu(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libtpu"))
}

/// Whether a TPU is present and available to this system: there is a PCI device by Google, and a device file for using
/// TPUs (`/dev/accel0`, or `/dev/vfio/0` for later ones).
fn tpu_present(root: &Path) -> bool {
    let names = |folder: &str| {
        let entries = std::fs::read_dir(root.join(folder)).ok().into_iter().flatten().flatten();
        entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let numbered = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    let file = names("dev").iter().any(|n| n.strip_prefix("accel").is_some_and(numbered))
        || names("dev/vfio").iter().any(|n| numbered(n));
    let pci = "sys/bus/pci/devices";
    let vendor = |device: &String| std::fs::read_to_string(root.join(pci).join(device).join("vendor"));
    file && names(pci).iter().any(|device| vendor(device).is_ok_and(|v| v.trim() == GOOGLE))
}

/// Compiles StableHLO text with a plugin for devices that need not be present, such as `v5e:2x2` for libtpu.
///
/// libtpu asks the metadata server of a cloud machine what it runs on, and waits for minutes if there is none. So without a
/// TPU, it is used only if `TPU_SKIP_MDS_QUERY=1` is in the environment.
pub fn compile_for_topology(
    plugin: &Path,
    topology: &str,
    stablehlo: &str,
) -> Result<CompiledProgram, PjrtError> {
    let skips = Env::process().is_on(&SKIP_MDS_QUERY).map_err(|e| PjrtError::Argument(e.to_string()))?;
    if is_libtpu(plugin) && !skips && !tpu_present(Path::new("/")) {
        let message = "there is no TPU here, and libtpu would wait for a cloud machine's metadata server: set \
                       TPU_SKIP_MDS_QUERY=1 in the environment";
        return Err(PjrtError::Argument(message.into()));
    }
    Topology::new(&Plugin::load(plugin)?, topology)?.compile(stablehlo)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        root
    }

    #[test]
    fn a_tpu_is_a_device_of_googles_with_a_device_file() {
        let google = ("sys/bus/pci/devices/0000:00:04.0/vendor", "0x1ae0\n");
        let other = ("sys/bus/pci/devices/0000:00:04.0/vendor", "0x8086\n");
        let present = |files: &[(&str, &str)]| tpu_present(machine(files).path());
        assert!(present(&[google, ("dev/accel0", "")]));
        assert!(present(&[google, ("dev/vfio/0", "")]));
        assert!(!present(&[google]));
        assert!(!present(&[google, ("dev/vfio/vfio", "")]));
        assert!(!present(&[google, ("dev/accel/accel0", "")]));
        assert!(!present(&[other, ("dev/accel0", "")]));
        assert!(!present(&[]));
    }

    #[test]
    fn the_environment_chooses_the_plugin() {
        let named = Env::from_iter([("RLX_PJRT_PLUGIN", "plugin.so")]);
        assert_eq!(PluginChoice::of(&named), Ok(PluginChoice::File("plugin.so".into())));
        assert_eq!(PluginChoice::of(&Env::default()), Ok(PluginChoice::Libtpu));
    }

    #[test]
    fn what_is_missing_is_said_in_a_sentence() {
        let absent = PluginChoice::File("no/such/plugin.so".into()).connect(&[]).expect_err("no file");
        assert_eq!(absent, "RLX_PJRT_PLUGIN names no/such/plugin.so, which is not a file");
    }
}
