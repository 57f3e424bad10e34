//! A client: the connection of a process to the devices of a plugin.

use super::buffer::PjrtBuffer;
use super::error::PjrtError;
use super::executable::LoadedProgram;
use super::plugin::Plugin;
use super::text;
use super::value::{NamedValues, Value};
use crate::ffi::{
    Args, ClientAddressableDevices, ClientCreate, ClientDestroy, ClientPlatformName, ClientPlatformVersion,
    DeviceDescriptionId, DeviceDescriptionKind, DeviceDescriptionToString, DeviceGetDescription,
    DeviceMemoryStats, Function, RawClient, RawDevice, RawDeviceDescription,
};
use rlx_ir::DType;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A connection to the devices of a plugin. Clones share it, and programs and arrays keep it alive.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    plugin: Plugin,
    raw: NonNull<RawClient>,
    devices: Vec<NonNull<RawDevice>>,
    /// For each device, the current and peak number of bytes of this process's arrays.
    counts: Vec<[AtomicU64; 2]>,
    platform: String,
    version: String,
}

// SAFETY: a client of PJRT may be used from any thread, and from several at once: programs are compiled and run, and
// arrays made and freed, by all threads of JAX on one client.
unsafe impl Send for Inner {}
// SAFETY: PJRT allows calls on one client from several threads at once, which is all that sharing it does, and the list of
// devices does not change.
unsafe impl Sync for Inner {}

/// Information from a plugin about a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Its number.
    pub id: i32,
    /// The vendor's name for its kind.
    pub kind: String,
    /// A short description.
    pub text: String,
}

/// The memory use of a device, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryStats {
    /// In use.
    pub in_use: u64,
    /// The peak use, if known.
    pub peak: Option<u64>,
    /// The total that programs may use, if known.
    pub limit: Option<u64>,
}

impl Client {
    /// Returns whether both are the same connection.
    pub fn is_same(&self, other: &Client) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Connects to the devices. If the device is absent, the plugin may wait for it.
    pub fn new(plugin: &Plugin) -> Result<Client, PjrtError> {
        Client::with_options(plugin, &[])
    }

    /// Connects to the devices and passes options to the plugin, which defines their names and kinds. Fails if an option has a kind that
    /// RLX does not know, or the plugin rejects one.
    pub fn with_options(plugin: &Plugin, options: &[(String, Value)]) -> Result<Client, PjrtError> {
        let unknown =
            |name| PjrtError::Argument(format!("the option `{name}` has a value of an unknown kind"));
        let named = NamedValues::new(options).map_err(unknown)?;
        let mut args = ClientCreate::zeroed();
        (args.create_options, args.num_options) = named.as_parts();
        // SAFETY: there are this many options, which live until the plugin has read them, and no callbacks are given.
        unsafe { plugin.call(&mut args)? };
        let raw = NonNull::new(args.client).ok_or_else(|| nothing(ClientCreate::FUNCTION))?;
        let inner = Inner {
            plugin: plugin.clone(),
            raw,
            devices: Vec::new(),
            counts: Vec::new(),
            platform: String::new(),
            version: String::new(),
        };
        inner.described().map(|inner| Client(Arc::new(inner)))
    }

    /// Returns the plugin.
    pub fn plugin(&self) -> &Plugin {
        &self.0.plugin
    }

    /// Returns the platform's name: `cpu`, `cuda`, `tpu`.
    pub fn platform(&self) -> &str {
        &self.0.platform
    }

    /// Returns the platform's version in the vendor's format.
    pub fn platform_version(&self) -> &str {
        &self.0.version
    }

    /// Returns the number of devices that this process can use.
    pub fn device_count(&self) -> usize {
        self.0.devices.len()
    }

    /// Returns the plugin's information about device `index`.
    pub fn device(&self, index: usize) -> Result<DeviceInfo, PjrtError> {
        let mut args = DeviceGetDescription::zeroed();
        args.device = self.raw_device(index)?;
        // SAFETY: the device lives as long as the client.
        unsafe { self.call(&mut args)? };
        // SAFETY: the description lives as long as the device.
        unsafe { describe(&self.0.plugin, args.device_description) }
    }

    /// Returns the memory use of device `index`. If the plugin does not count it, this is the memory of this process's arrays, without the
    /// working memory of programs.
    pub fn memory(&self, index: usize) -> Result<MemoryStats, PjrtError> {
        self.raw_device(index)?;
        self.stated_memory(index).or_else(|_| {
            let [in_use, peak] = &self.0.counts[index];
            let (in_use, peak) = (in_use.load(Ordering::Relaxed), peak.load(Ordering::Relaxed));
            Ok(MemoryStats { in_use, peak: Some(peak.max(in_use)), limit: None })
        })
    }

    /// Returns the plugin's figures for the memory of device `index`.
    fn stated_memory(&self, index: usize) -> Result<MemoryStats, PjrtError> {
        let mut args = DeviceMemoryStats::zeroed();
        args.device = self.raw_device(index)?;
        // SAFETY: the device lives as long as the client.
        unsafe { self.call(&mut args)? };
        let known = |is_set: bool, value: i64| u64::try_from(value).ok().filter(|_| is_set);
        Ok(MemoryStats {
            in_use: u64::try_from(args.bytes_in_use).unwrap_or(0),
            peak: known(args.peak_bytes_in_use_is_set, args.peak_bytes_in_use),
            limit: known(args.bytes_limit_is_set, args.bytes_limit),
        })
    }

    /// Copies an array to device `index`: `dims` elements of `dtype`, row-major, little-endian, booleans 0 or 1. The
    /// bytes are not read any more after this returns.
    pub fn upload(
        &self,
        index: usize,
        dtype: DType,
        dims: &[usize],
        bytes: &[u8],
    ) -> Result<PjrtBuffer, PjrtError> {
        PjrtBuffer::upload(self, index, dtype, dims, bytes)
    }

    /// Adds an array of this many bytes on device `index` to the count.
    pub(super) fn count(&self, index: usize, bytes: u64) {
        if let Some([in_use, peak]) = self.0.counts.get(index) {
            // The figures are only reported, and nothing else depends on them, so relaxed ordering suffices.
            let now = in_use.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
            peak.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Undoes [`count`](Self::count).
    pub(super) fn discount(&self, index: usize, bytes: u64) {
        if let Some([in_use, _]) = self.0.counts.get(index) {
            in_use.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Compiles StableHLO text for the first device and loads it.
    pub fn compile(&self, stablehlo: &str) -> Result<LoadedProgram, PjrtError> {
        self.compile_for(0, stablehlo)
    }

    /// Compiles StableHLO text for device `index` and loads it.
    pub fn compile_for(&self, index: usize, stablehlo: &str) -> Result<LoadedProgram, PjrtError> {
        LoadedProgram::compile(self, index, stablehlo)
    }

    pub(super) fn raw(&self) -> *mut RawClient {
        self.0.raw.as_ptr()
    }

    pub(super) fn raw_device(&self, index: usize) -> Result<*mut RawDevice, PjrtError> {
        let count = self.0.devices.len();
        let device = self.0.devices.get(index);
        device
            .map(|d| d.as_ptr())
            .ok_or_else(|| PjrtError::Argument(format!("there is no device {index} of {count}")))
    }

    /// # Safety
    /// As for [`Plugin::call`].
    pub(super) unsafe fn call<A: Args>(&self, args: &mut A) -> Result<(), PjrtError> {
        // SAFETY: the caller's promise.
        unsafe { self.0.plugin.call(args) }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({}, {} device(s))", self.platform(), self.device_count())
    }
}

impl Inner {
    /// Fills in the client's platform and devices.
    fn described(mut self) -> Result<Inner, PjrtError> {
        let client = self.raw.as_ptr();
        let mut name = ClientPlatformName::zeroed();
        name.client = client;
        let mut version = ClientPlatformVersion::zeroed();
        version.client = client;
        let mut devices = ClientAddressableDevices::zeroed();
        devices.client = client;
        // SAFETY: the client lives.
        unsafe {
            self.plugin.call(&mut name)?;
            self.plugin.call(&mut version)?;
            self.plugin.call(&mut devices)?;
        }
        // SAFETY: the texts live as long as the client.
        unsafe {
            self.platform = text(name.platform_name, name.platform_name_size);
            self.version = text(version.platform_version, version.platform_version_size);
        }
        let list = devices.addressable_devices;
        // SAFETY: the plugin returned this number of devices, which live as long as the client.
        let at = |i| NonNull::new(unsafe { list.add(i).read() });
        if !list.is_null() {
            self.devices = (0..devices.num_addressable_devices).filter_map(at).collect();
            self.counts = self.devices.iter().map(|_| Default::default()).collect();
        }
        Ok(self)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut args = ClientDestroy::zeroed();
        args.client = self.raw.as_ptr();
        // SAFETY: the client is freed once, here. Everything that was made from it kept it alive.
        let _ = unsafe { self.plugin.call(&mut args) };
    }
}

/// Returns a plugin's information about a device.
///
/// # Safety
/// The description must be alive.
pub(super) unsafe fn describe(
    plugin: &Plugin,
    description: *mut RawDeviceDescription,
) -> Result<DeviceInfo, PjrtError> {
    let mut id = DeviceDescriptionId::zeroed();
    id.device_description = description;
    let mut kind = DeviceDescriptionKind::zeroed();
    kind.device_description = description;
    let mut words = DeviceDescriptionToString::zeroed();
    words.device_description = description;
    // SAFETY: the caller guarantees that the description is alive, and the texts live as long.
    unsafe {
        plugin.call(&mut id)?;
        plugin.call(&mut kind)?;
        plugin.call(&mut words)?;
        Ok(DeviceInfo {
            id: id.id,
            kind: text(kind.device_kind, kind.device_kind_size),
            text: text(words.to_string, words.to_string_size),
        })
    }
}

/// Creates the error of a call that succeeded but returned nothing.
pub(super) fn nothing(function: Function) -> PjrtError {
    PjrtError::Argument(format!("{} succeeded and returned nothing", function.name()))
}
