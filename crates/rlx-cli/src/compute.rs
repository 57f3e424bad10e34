//! Options of every command that computes: the device and the number of threads.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use rlx_driver::{Device, DeviceId};
use rlx_runtime::PrecisionPolicy;

use crate::settings::Settings;

/// Where to compute, and in which precision.
#[derive(clap::Args, Clone, Debug)]
pub struct Compute {
    /// Threads to use [default: RLX_NUM_THREADS, or one per core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,

    /// The device to use, with a number if there are several of a kind (`tpu:1`), or two devices of which the second
    /// runs what the first does not (`tpu,cpu`); `rlx devices` lists them
    #[arg(long, value_name = "NAME", default_value_t = Device::Cpu.into())]
    pub device: DeviceId,

    /// The types to compute with, or to store weights in [default: as the model declares]. weights-f16 halves the
    /// memory of weights and rounds nothing else. The CPU backend has no 16-bit arithmetic, so f16 means weights-f16
    /// there, and bf16 means weights-bf16
    #[arg(long, value_name = "NAME", default_value = "declared", value_parser = precision())]
    pub precision: PrecisionPolicy,
}

impl Compute {
    /// Replaces a precision that the device has no arithmetic for. The CPU backend computes f16 and bf16 in f32:
    /// storing intermediate values in 16 bits would take longer, and more memory, than f32 itself. So only weights are
    /// stored in 16 bits there, with a note to the user.
    pub fn on_device(mut self, settings: &Settings) -> Self {
        let (asked, weights) = match self.precision {
            PrecisionPolicy::AlwaysF16 => ("f16", PrecisionPolicy::WeightsF16),
            PrecisionPolicy::AlwaysBF16 => ("bf16", PrecisionPolicy::WeightsBF16),
            _ => return self,
        };
        if self.device.device.first() == Device::Cpu {
            settings.warn(&format!(
                "--precision {asked}: the CPU backend has no arithmetic in {asked}; weights are stored in {asked} and everything is \
                 computed in f32, as with weights-{asked}",
            ));
            self.precision = weights;
        }
        self
    }
}

/// Parses a precision by its name; `--help` lists the names.
pub fn precision() -> impl TypedValueParser<Value = PrecisionPolicy> {
    // INVARIANT: the possible values are the names of policies.
    PossibleValuesParser::new(PrecisionPolicy::names()).map(|name| name.parse().unwrap_or_default())
}
