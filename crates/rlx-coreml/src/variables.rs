//! The environment variables that the device `ane` and the writer of CoreML packages read.

use crate::engine::ComputeUnits;
use rlx_driver::env::{parsed, switch};

rlx_driver::variables! {
    /// Unpack quantized weights before they are written to a CoreML package, even if the package could store them packed.
    pub HOST_DEQUANT: bool = "RLX_COREML_HOST_DEQUANT" { values: "0 | 1", parse: switch }
    /// On the device `ane`, for a graph with symbolic sizes: build one CoreML model per range of sizes instead of one per size. A range
    /// goes from 1 to 512, or to the next larger power of two; a larger size needs a new model. If a number in the program is not an
    /// affine function of the sizes, or part of the graph runs on the host, each size gets its own model, and `RLX_DISPATCH_REPORT` and
    /// `RLX_VERBOSE` show why.
    pub FLEXIBLE_INPUTS: bool = "RLX_COREML_FLEXIBLE_INPUTS" { values: "0 | 1", parse: switch }
    /// Like `RLX_COREML_FLEXIBLE_INPUTS`, but with unbounded ranges: one CoreML model for all sizes. The Neural Engine does not support
    /// such models, so CoreML runs them on the CPU or the GPU.
    pub NATIVE_FLEX: bool = "RLX_COREML_NATIVE_FLEX" { values: "0 | 1", parse: switch }
    /// The compute units that CoreML may use on the device `ane`: only the CPU (`cpu`), the CPU and the GPU (`gpu`), the CPU and the
    /// Neural Engine (`ane`), or all of them.
    pub UNITS: ComputeUnits = "RLX_COREML_UNITS" {
        values: "cpu | gpu | ane | all",
        parse: parsed,
        default: "ane",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_driver::Env;

    #[test]
    fn every_choice_of_units_is_named_and_accepted() {
        assert!(UNITS.values.split(" | ").eq(ComputeUnits::EVERY.map(ComputeUnits::name)));
        for units in ComputeUnits::EVERY {
            let env = Env::from_iter([("RLX_COREML_UNITS", units.name())]);
            assert_eq!(env.get(&UNITS), Ok(Some(units)));
        }
        assert_eq!(UNITS.default, ComputeUnits::default().name());
        let error = Env::from_iter([("RLX_COREML_UNITS", "fast")]).get(&UNITS).expect_err("not a choice");
        assert_eq!(error.to_string(), "RLX_COREML_UNITS is \"fast\"; it takes cpu | gpu | ane | all");
    }
}
