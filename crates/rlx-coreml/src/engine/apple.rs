//! The engine for CoreML.framework, which calls Apple's interfaces.

use super::compute_plan::planned;
use super::{
    ChipInfo, ComputeUnits, Engine, EngineError, GivenArray, LoadOptions, LoadedModel, ModelState,
    PlannedOperation, WantedArray,
};
use crate::strided::{copy_strided, fill_strided};
use block2::StackBlock;
use objc2::AnyThread;
use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::{AnyObject, ProtocolObject};
use objc2_core_ml::{
    MLComputeUnits, MLDictionaryFeatureProvider, MLFeatureProvider, MLFeatureValue, MLModel,
    MLModelConfiguration, MLMultiArray, MLMultiArrayDataType, MLState,
};
use objc2_foundation::{NSArray, NSDictionary, NSError, NSNumber, NSProcessInfo, NSString, NSURL};
use rlx_exec::Availability;
use rlx_ir::DType;
use rlx_mil::emit::Opset;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// This machine's CoreML.
pub(super) struct CoreMl;

impl Engine for CoreMl {
    fn availability(&self) -> Availability {
        let chip = chip_info().map_or_else(|| "an unknown processor".into(), |chip| chip.name);
        Availability::Present(format!("{chip}, CoreML with the operations of {}", self.opset().name()))
    }

    fn opset(&self) -> Opset {
        let major = NSProcessInfo::processInfo().operatingSystemVersion().majorVersion;
        // macOS 12 has the operations of iOS 15, and so on; from version 26 on, the numbers are the same.
        let ios = if cfg!(target_os = "macos") && major < 26 { major + 3 } else { major };
        match ios {
            ..=15 => Opset::Ios15,
            16 => Opset::Ios16,
            17 => Opset::Ios17,
            _ => Opset::Ios18,
        }
    }

    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        autoreleasepool(|_| {
            let (folder, kept) = compiled(package, options)?;
            let url = url_of(&folder)?;
            let configuration = configuration(options.units);
            // SAFETY: the folder is a model that CoreML itself has compiled.
            let model = unsafe { MLModel::modelWithContentsOfURL_configuration_error(&url, &configuration) };
            let model = model.map_err(|e| EngineError::Load(message(&e)))?;
            let temporary = if kept { None } else { Some(folder) };
            let model: Box<dyn LoadedModel> = Box::new(AppleModel { model, temporary });
            Ok(model)
        })
    }

    fn plan(&self, package: &Path, units: ComputeUnits) -> Result<Vec<PlannedOperation>, EngineError> {
        planned(package, units)
    }
}

/// Returns the configuration of CoreML for these units.
pub(super) fn configuration(units: ComputeUnits) -> Retained<MLModelConfiguration> {
    // SAFETY: it is a new configuration, which nothing else refers to.
    let configuration = unsafe { MLModelConfiguration::new() };
    let units = match units {
        ComputeUnits::Cpu => MLComputeUnits::CPUOnly,
        ComputeUnits::CpuAndGpu => MLComputeUnits::CPUAndGPU,
        ComputeUnits::CpuAndNeuralEngine => MLComputeUnits::CPUAndNeuralEngine,
        ComputeUnits::All => MLComputeUnits::All,
    };
    // SAFETY: the units are among those of the type.
    unsafe { configuration.setComputeUnits(units) };
    configuration
}

/// Returns the folder of the model that CoreML compiled from a package, and whether the folder is in the cache.
pub(super) fn compiled(package: &Path, options: LoadOptions<'_>) -> Result<(PathBuf, bool), EngineError> {
    let kept = options.cache.map(|cache| cache.join(format!("{}.mlmodelc", options.content)));
    if let Some(kept) = kept.as_ref().filter(|kept| kept.is_dir()) {
        return Ok((kept.clone(), true));
    }
    let url = url_of(package)?;
    // SAFETY: the package is complete. (iOS 16 added an asynchronous call, but its result would be awaited here.)
    #[expect(deprecated, reason = "older systems have this one alone")]
    let made = unsafe { MLModel::compileModelAtURL_error(&url) };
    let made = made.map_err(|e| EngineError::Load(message(&e)))?;
    let path = made.path().map(|path| PathBuf::from(path.to_string()));
    let path = path.ok_or_else(|| EngineError::Load("the compiled model has no path".into()))?;
    let Some(kept) = kept else { return Ok((path, false)) };
    // If another process stored the model first, that one is used. If the folder cannot be moved, it is used where it is.
    let moved = kept.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok())
        && fs::rename(&path, &kept).is_ok();
    match moved || kept.is_dir() {
        true => {
            if path.is_dir() {
                let _ = fs::remove_dir_all(&path);
            }
            Ok((kept, true))
        }
        false => Ok((path, false)),
    }
}

pub(super) fn url_of(path: &Path) -> Result<Retained<NSURL>, EngineError> {
    let text = path.to_str().ok_or_else(|| EngineError::Load(format!("{}: no UTF-8", path.display())))?;
    Ok(NSURL::fileURLWithPath(&NSString::from_str(text)))
}

pub(super) fn message(error: &NSError) -> String {
    error.localizedDescription().to_string()
}

/// A model that CoreML has loaded.
struct AppleModel {
    model: Retained<MLModel>,
    /// The compiled model, if it is not in the cache.
    temporary: Option<PathBuf>,
}

// SAFETY: Apple's documentation allows a model to be used by any one thread or queue at a time, which `&mut` ensures.
unsafe impl Send for AppleModel {}

impl Drop for AppleModel {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            // Whatever remains is in the system's temporary folder.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl LoadedModel for AppleModel {
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        state: Option<&mut dyn ModelState>,
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError> {
        let foreign = || EngineError::Run("its states belong to another engine".into());
        let own = |state: &mut dyn ModelState| match state.as_any().downcast_ref::<AppleState>() {
            Some(own) => Ok(own.0.clone()),
            None => Err(foreign()),
        };
        let state = state.map(own).transpose()?;
        autoreleasepool(|_| {
            let mut values = Vec::with_capacity(inputs.len());
            for input in inputs {
                values.push(feature(input)?);
            }
            let names: Vec<Retained<NSString>> = inputs.iter().map(|i| NSString::from_str(i.name)).collect();
            let names: Vec<&NSString> = names.iter().map(|name| &**name).collect();
            let values: Vec<&AnyObject> = values.iter().map(|value| value as &AnyObject).collect();
            let all = NSDictionary::from_slices(&names, &values);
            let provider = MLDictionaryFeatureProvider::alloc();
            // SAFETY: all values are features.
            let provider = unsafe { MLDictionaryFeatureProvider::initWithDictionary_error(provider, &all) };
            let provider = provider.map_err(|e| EngineError::Run(message(&e)))?;
            let provider = ProtocolObject::from_ref(&*provider);
            let results = match &state {
                // SAFETY: the arrays of the inputs are valid until the run ends, and this call waits for that.
                None => unsafe { self.model.predictionFromFeatures_error(provider) },
                // SAFETY: as above; `&mut` ensures that nothing else uses the states in the meantime.
                Some(state) => unsafe { self.model.predictionFromFeatures_usingState_error(provider, state) },
            };
            let results = results.map_err(|e| EngineError::Run(message(&e)))?;
            outputs.iter_mut().try_for_each(|wanted| take(&results, wanted))
        })
    }

    fn new_state(&mut self) -> Result<Box<dyn ModelState>, EngineError> {
        // SAFETY: the model is valid. Packages with states are only written for systems that support them.
        let state = unsafe { self.model.newState() };
        Ok(Box::new(AppleState(state)))
    }
}

/// The states of a model, stored by CoreML.
struct AppleState(Retained<MLState>);

impl AppleState {
    /// Calls `f` with the elements of a state: their memory and the strides along its axes.
    fn with(
        &self,
        name: &str,
        f: impl FnMut(&mut [u8], &[usize], &[usize]) -> Option<()>,
    ) -> Result<(), EngineError> {
        let called = RefCell::new((f, None));
        let block = StackBlock::new(|array: NonNull<MLMultiArray>| {
            // SAFETY: CoreML passes an array that is valid during the call.
            let array = unsafe { array.as_ref() };
            // SAFETY: the array is valid.
            let (dtype, dims) = unsafe { (array.dataType(), sizes(&array.shape())) };
            let Some(dims) = dims.filter(|_| dtype == MLMultiArrayDataType::Float16) else { return };
            let inner =
                StackBlock::new(|bytes: NonNull<c_void>, len: isize, strides: NonNull<NSArray<NSNumber>>| {
                    let mut called = called.borrow_mut();
                    // SAFETY: during the call, CoreML passes the memory of the array, which may be written.
                    let memory = unsafe {
                        std::slice::from_raw_parts_mut(
                            bytes.cast::<u8>().as_ptr(),
                            usize::try_from(len).unwrap_or(0),
                        )
                    };
                    // SAFETY: the list is valid during the call.
                    let strides = sizes(unsafe { strides.as_ref() });
                    let done = strides.and_then(|strides| called.0(memory, &strides, &dims));
                    called.1 = Some(done);
                });
            // SAFETY: the block is valid, and is called before this returns.
            unsafe { array.getMutableBytesWithHandler(&inner) };
        });
        // SAFETY: the block is valid, and is called before this returns. No run is in progress, which `&mut` in the callers ensures.
        unsafe { self.0.getMultiArrayForStateNamed_handler(&NSString::from_str(name), &block) };
        let done = called.borrow_mut().1.take();
        match done {
            Some(Some(())) => Ok(()),
            Some(None) => Err(EngineError::Run(format!("the state {name} has another size"))),
            None => Err(EngineError::Run(format!("there is no f16 state {name}"))),
        }
    }
}

impl ModelState for AppleState {
    fn read(&mut self, name: &str, into: &mut [u8]) -> Result<(), EngineError> {
        let size = DType::F16.size();
        self.with(name, |memory, strides, dims| copy_strided(memory, strides, dims, size, into))
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        let size = DType::F16.size();
        self.with(name, |memory, strides, dims| fill_strided(memory, strides, dims, size, bytes))
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Wraps an input for CoreML, which reads the caller's memory.
fn feature(input: &GivenArray<'_>) -> Result<Retained<MLFeatureValue>, EngineError> {
    let mut step = 1usize;
    let mut strides = vec![0; input.dims.len()];
    for (stride, &n) in strides.iter_mut().zip(input.dims).rev() {
        *stride = step;
        step = step.saturating_mul(n);
    }
    let pointer = NonNull::from(input.bytes).cast::<c_void>();
    let array = MLMultiArray::alloc();
    // SAFETY: the memory has elements of this type and these sizes in row-major order; it is only read, and outlives the run.
    let array = unsafe {
        MLMultiArray::initWithDataPointer_shape_dataType_strides_deallocator_error(
            array,
            pointer,
            &numbers(input.dims),
            data_type(input.dtype)?,
            &numbers(&strides),
            None,
        )
    };
    let array = array.map_err(|e| EngineError::Run(format!("input {}: {}", input.name, message(&e))))?;
    // SAFETY: the array is valid.
    Ok(unsafe { MLFeatureValue::featureValueWithMultiArray(&array) })
}

/// Copies an output, which may have padded rows, to its destination.
fn take(
    results: &ProtocolObject<dyn MLFeatureProvider>,
    wanted: &mut WantedArray<'_>,
) -> Result<(), EngineError> {
    let failed = |what: &str| EngineError::Run(format!("output {} {what}", wanted.name));
    // SAFETY: the provider is valid.
    let value = unsafe { results.featureValueForName(&NSString::from_str(wanted.name)) };
    // SAFETY: the value is valid.
    let array = value.and_then(|value| unsafe { value.multiArrayValue() });
    let array = array.ok_or_else(|| failed("is missing"))?;
    // SAFETY: the array is valid.
    let (dtype, dims, strides) =
        unsafe { (array.dataType(), sizes(&array.shape()), sizes(&array.strides())) };
    if dtype != data_type(wanted.dtype)? || dims.as_deref() != Some(wanted.dims) {
        return Err(failed(&format!("has sizes {dims:?} and type {}", dtype.0)));
    }
    let strides = strides.ok_or_else(|| failed("has invalid strides"))?;
    let (dims, size) = (wanted.dims, wanted.dtype.size());
    let target = RefCell::new((&mut *wanted.bytes, None));
    let block = StackBlock::new(|bytes: NonNull<c_void>, len: isize| {
        let mut target = target.borrow_mut();
        // SAFETY: CoreML passes the memory of the array, valid during the call.
        let source = unsafe {
            std::slice::from_raw_parts(bytes.cast::<u8>().as_ptr(), usize::try_from(len).unwrap_or(0))
        };
        let done = copy_strided(source, &strides, dims, size, target.0);
        target.1 = Some(done);
    });
    // SAFETY: the block is valid, and is called before this returns.
    unsafe { array.getBytesWithHandler(&block) };
    let done = target.borrow_mut().1.take();
    match done {
        Some(Some(())) => Ok(()),
        _ => Err(EngineError::Run(format!("output {} exceeds its memory", wanted.name))),
    }
}

fn numbers(sizes: &[usize]) -> Retained<NSArray<NSNumber>> {
    let numbers: Vec<Retained<NSNumber>> = sizes.iter().map(|&n| NSNumber::new_usize(n)).collect();
    NSArray::from_retained_slice(&numbers)
}

fn sizes(numbers: &NSArray<NSNumber>) -> Option<Vec<usize>> {
    numbers.iter().map(|number| usize::try_from(number.as_isize()).ok()).collect()
}

fn data_type(dtype: DType) -> Result<MLMultiArrayDataType, EngineError> {
    match dtype {
        DType::F16 => Ok(MLMultiArrayDataType::Float16),
        DType::F32 => Ok(MLMultiArrayDataType::Float32),
        DType::I32 => Ok(MLMultiArrayDataType::Int32),
        other => Err(EngineError::Run(format!("CoreML has no arrays of {other}"))),
    }
}

/// Returns the processor's name, as the system reports it.
pub(super) fn chip_info() -> Option<ChipInfo> {
    let of = |name: &CStr| {
        let mut bytes = [0u8; 256];
        let mut len = bytes.len();
        // SAFETY: the name ends with a zero byte; the system writes at most `len` bytes, and returns how many.
        let result = unsafe {
            libc::sysctlbyname(name.as_ptr(), bytes.as_mut_ptr().cast(), &mut len, std::ptr::null_mut(), 0)
        };
        let text = CStr::from_bytes_until_nul(&bytes).ok().filter(|_| result == 0)?;
        Some(text.to_string_lossy().into_owned()).filter(|text| !text.is_empty())
    };
    // Phones report the name of the machine instead of the processor's.
    let name = of(c"machdep.cpu.brand_string").or_else(|| of(c"hw.machine"))?;
    Some(ChipInfo { name })
}

/// Whether programs can use a Neural Engine: every 64-bit ARM processor from Apple since the A11 has one.
pub(super) fn ane_available() -> bool {
    cfg!(target_arch = "aarch64")
}
