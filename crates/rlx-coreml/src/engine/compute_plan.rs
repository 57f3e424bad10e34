//! Asks CoreML where it would run the operations of a package, using `MLComputePlan`.

use super::apple::{compiled, configuration, message, url_of};
use super::{ComputeUnits, EngineError, LoadOptions, PlannedOperation};
use crate::lint::Unit;
use block2::RcBlock;
use objc2::ClassType;
use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::{AnyClass, NSObjectProtocol};
use objc2_core_ml::{
    MLCPUComputeDevice, MLComputePlan, MLGPUComputeDevice, MLModelStructureProgramBlock,
    MLNeuralEngineComputeDevice,
};
use objc2_foundation::NSError;
use std::path::Path;
use std::sync::mpsc::channel;

/// Returns where CoreML would run the operations, including those in nested blocks.
pub(super) fn planned(package: &Path, units: ComputeUnits) -> Result<Vec<PlannedOperation>, EngineError> {
    // Calling a class that the system does not have would end the process.
    if AnyClass::get(c"MLComputePlan").is_none() {
        let needs = "showing where operations run needs macOS 14.4, iOS 17.4 or later";
        return Err(EngineError::Missing(needs.into()));
    }
    autoreleasepool(|_| {
        let options = LoadOptions { function: "", units, cache: None, content: "" };
        let (folder, _) = compiled(package, options)?;
        let url = url_of(&folder)?;
        let configuration = configuration(units);
        let (sender, receiver) = channel();
        let handler = RcBlock::new(move |plan: *mut MLComputePlan, error: *mut NSError| {
            // SAFETY: CoreML passes a plan or an error, valid during the call, or null.
            let said = match unsafe { (plan.as_ref(), error.as_ref()) } {
                (Some(plan), _) => operations(plan),
                (None, Some(error)) => Err(EngineError::Load(message(error))),
                (None, None) => Err(EngineError::Load("CoreML returned no plan".into())),
            };
            // The receiver still exists, because it waits.
            let _ = sender.send(said);
        });
        // SAFETY: the folder is a model that CoreML itself has compiled, and the block is valid until it has been called.
        unsafe {
            MLComputePlan::loadContentsOfURL_configuration_completionHandler(&url, &configuration, &handler);
        }
        let said = receiver.recv().unwrap_or(Err(EngineError::Load("CoreML returned no plan".into())));
        let _ = std::fs::remove_dir_all(&folder);
        said
    })
}

fn operations(plan: &MLComputePlan) -> Result<Vec<PlannedOperation>, EngineError> {
    // SAFETY: the plan is valid.
    let program = unsafe { plan.modelStructure().program() };
    let program = program.ok_or_else(|| EngineError::Load("the model is not an ML Program".into()))?;
    let mut found = Vec::new();
    // SAFETY: the program is valid.
    let functions = unsafe { program.functions() };
    for name in functions.allKeys().iter() {
        if let Some(function) = functions.objectForKey(&name) {
            // SAFETY: the function is valid.
            let block = unsafe { function.block() };
            add(plan, &name.to_string(), &block, &mut found);
        }
    }
    Ok(found)
}

fn add(
    plan: &MLComputePlan,
    function: &str,
    block: &Retained<MLModelStructureProgramBlock>,
    found: &mut Vec<PlannedOperation>,
) {
    // SAFETY: blocks and their operations belong to the plan's structure, which is valid.
    unsafe {
        for operation in block.operations().iter() {
            let usage = plan.computeDeviceUsageForMLProgramOperation(&operation);
            let unit = usage.and_then(|usage| {
                let device = usage.preferredComputeDevice();
                let units = [
                    (MLNeuralEngineComputeDevice::class(), Unit::NeuralEngine),
                    (MLGPUComputeDevice::class(), Unit::Gpu),
                    (MLCPUComputeDevice::class(), Unit::Cpu),
                ];
                units.into_iter().find(|(class, _)| device.isKindOfClass(class)).map(|(_, unit)| unit)
            });
            let name = operation.outputs().iter().next().map(|output| output.name().to_string());
            found.push(PlannedOperation {
                function: function.into(),
                operation: name.unwrap_or_default(),
                kind: operation.operatorName().to_string(),
                unit,
            });
            for inner in operation.blocks().iter() {
                add(plan, function, &inner, found);
            }
        }
    }
}
