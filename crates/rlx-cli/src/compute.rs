//! The options of every command that computes: where, and with how many threads.

use clap::builder::RangedU64ValueParser;
use rlx_driver::Device;

/// Where to compute.
#[derive(clap::Args, Clone, Debug)]
pub struct Compute {
    /// Threads to use [default: RLX_NUM_THREADS, else one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,

    /// The device to use; `rlx devices` lists them
    #[arg(long, value_name = "NAME", default_value_t = Device::Cpu)]
    pub device: Device,
}
