//! The options of every command that computes: where, and with how many threads.

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
    /// for weights, and rounds nothing else. On the CPU, which has no arithmetic in f16 here, f16 is weights-f16
    #[arg(long, value_name = "NAME", default_value = "declared", value_parser = precision())]
    pub precision: PrecisionPolicy,
}

impl Compute {
    /// What the device has arithmetic for. The CPU backend computes f16 in f32: values that are stored in f16 between its kernels would
    /// take longer and more memory than f32 itself. So weights alone are held in f16 there, and that is said.
    pub fn on_device(mut self, settings: &Settings) -> Self {
        if self.device.device == Device::Cpu && self.precision == PrecisionPolicy::AlwaysF16 {
            settings.warn(
                "--precision f16: the CPU backend has no arithmetic in f16; weights are held in f16 and everything is computed \
                 in f32, as with weights-f16",
            );
            self.precision = PrecisionPolicy::WeightsF16;
        }
        self
    }
}

/// Reads a precision by its name; the names are listed by `--help`.
fn precision() -> impl TypedValueParser<Value = PrecisionPolicy> {
    // INVARIANT: only names of policies are possible values.
    PossibleValuesParser::new(PrecisionPolicy::names()).map(|name| name.parse().unwrap_or_default())
}
