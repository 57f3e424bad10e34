//! Options of every command that computes: the device and the number of threads.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use rlx_driver::{Device, DeviceId};
use rlx_runtime::PrecisionPolicy;

use crate::settings::Settings;

/// Where to compute.
#[derive(clap::Args, Clone, Debug)]
pub struct Compute {
    /// Threads to use [default: RLX_NUM_THREADS, else one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,

    /// The device to use, with a number where there are several of a kind (`tpu:1`); `rlx devices` lists them
    #[arg(long, value_name = "NAME", default_value_t = Device::Cpu.into())]
    pub device: DeviceId,

    /// The numbers to compute with, or to hold weights in; what the model declares by default. weights-f16 halves the memory
    /// for weights, and rounds nothing else. On the CPU, which has no arithmetic in 16 bits here, f16 is weights-f16 and bf16
    /// is weights-bf16
    #[arg(long, value_name = "NAME", default_value = "declared", value_parser = precision())]
    pub precision: PrecisionPolicy,
}

impl Compute {
    /// What the device has arithmetic for. The CPU backend computes f16 and bf16 in f32: values that are stored in 16 bits between its
    /// kernels would take longer and more memory than f32 itself. So weights alone are held in 16 bits there, and that is said.
    pub fn on_device(mut self, settings: &Settings) -> Self {
        let (asked, weights) = match self.precision {
            PrecisionPolicy::AlwaysF16 => ("f16", PrecisionPolicy::WeightsF16),
            PrecisionPolicy::AlwaysBF16 => ("bf16", PrecisionPolicy::WeightsBF16),
            _ => return self,
        };
        if self.device.device == Device::Cpu {
            settings.warn(&format!(
                "--precision {asked}: the CPU backend has no arithmetic in {asked}; weights are held in {asked} and everything is \
                 computed in f32, as with weights-{asked}",
            ));
            self.precision = weights;
        }
        self
    }
}

/// Reads a precision by its name; the names are listed by `--help`.
pub fn precision() -> impl TypedValueParser<Value = PrecisionPolicy> {
    // INVARIANT: only names of policies are possible values.
    PossibleValuesParser::new(PrecisionPolicy::names()).map(|name| name.parse().unwrap_or_default())
}
