//! Devices that need not be present, and programs compiled for them.

use super::client::{DeviceInfo, describe, nothing};
use super::error::PjrtError;
use super::executable::{Compiled, Estimate, program};
use super::plugin::Plugin;
use super::text;
use crate::ffi::{
    Args, CompileArgs, RawTopology, TopologyCreate, TopologyDestroy, TopologyGetDeviceDescriptions,
    TopologyPlatformName,
};
use crate::options;
use std::ptr::NonNull;

/// Devices by name, present or not. For example, libtpu's `v5e:2x2` means four TPUs of that kind.
pub struct Topology {
    plugin: Plugin,
    raw: NonNull<RawTopology>,
}

// SAFETY: a topology does not change, and may be used from any thread.
unsafe impl Send for Topology {}
// SAFETY: PJRT allows querying a topology from several threads at once, and nothing here changes it.
unsafe impl Sync for Topology {}

impl Topology {
    /// Creates the topology with this name.
    pub fn new(plugin: &Plugin, name: &str) -> Result<Topology, PjrtError> {
        let mut args = TopologyCreate::zeroed();
        args.topology_name = name.as_ptr().cast();
        args.topology_name_size = name.len();
        // SAFETY: the name outlives the call, and no options are given.
        unsafe { plugin.call(&mut args)? };
        let raw = NonNull::new(args.topology).ok_or_else(|| nothing(TopologyCreate::FUNCTION))?;
        Ok(Topology { plugin: plugin.clone(), raw })
    }

    /// Returns the platform's name.
    pub fn platform(&self) -> Result<String, PjrtError> {
        let mut args = TopologyPlatformName::zeroed();
        args.topology = self.raw.as_ptr();
        // SAFETY: the topology lives, and the text as long.
        unsafe {
            self.plugin.call(&mut args)?;
            Ok(text(args.platform_name, args.platform_name_size))
        }
    }

    /// Returns the devices.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>, PjrtError> {
        let mut args = TopologyGetDeviceDescriptions::zeroed();
        args.topology = self.raw.as_ptr();
        // SAFETY: the topology lives.
        unsafe { self.plugin.call(&mut args)? };
        // SAFETY: the plugin returned this number of descriptions, which live as long as the topology.
        let one = |i| unsafe { describe(&self.plugin, args.descriptions.add(i).read()) };
        (0..args.num_descriptions).map(one).collect()
    }

    /// Compiles StableHLO text for one device of this topology.
    pub fn compile(&self, stablehlo: &str) -> Result<CompiledProgram, PjrtError> {
        let (program, options) = (program(stablehlo), options::one_device(None));
        let mut args = CompileArgs::zeroed();
        args.topology = self.raw.as_ptr();
        args.program = &raw const program;
        args.compile_options = options.as_ptr().cast();
        args.compile_options_size = options.len();
        // SAFETY: topology, text and options outlive the call, and we must free what it returns.
        unsafe {
            self.plugin.call(&mut args)?;
            Compiled::of(&self.plugin, args.executable, CompileArgs::FUNCTION).map(CompiledProgram)
        }
    }
}

impl Drop for Topology {
    fn drop(&mut self) {
        let mut args = TopologyDestroy::zeroed();
        args.topology = self.raw.as_ptr();
        // SAFETY: freed once, here.
        let _ = unsafe { self.plugin.call(&mut args) };
    }
}

/// A program compiled for devices that need not be present.
pub struct CompiledProgram(Compiled);

impl CompiledProgram {
    /// Returns the compiler's estimates.
    pub fn estimate(&self) -> Estimate {
        self.0.estimate()
    }

    /// Returns the program as bytes that the same plugin can load on such a device.
    pub fn serialize(&self) -> Result<Vec<u8>, PjrtError> {
        self.0.serialize()
    }
}
