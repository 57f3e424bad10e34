//! `rlx devices`: the devices of this machine.

use rlx_runtime::Rates;
use serde_json::json;

use crate::engine;
use crate::failure::{Failure, message};
use crate::output;
use crate::settings::Settings;

/// List the devices: those that are present, and what is missing for the others
///
/// Of a device that was measured the list says how fast it is. A program that leaves the choice of a device to RLX goes by these figures.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Measure first how fast the devices are that are present, and keep that in the cache. It takes about a second, in which
    /// nothing else should run
    #[arg(long)]
    calibrate: bool,

    /// Print a JSON array of objects with name, present, detail, rates and memory. rates: flops, bytes and transfer per second, and
    /// the seconds that every run takes; null where the device was not measured. memory: for each device of the kind the bytes of
    /// its capacity, null where they are not known
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rlx devices
  rlx devices --calibrate
  rlx devices --json";

/// Bytes of a gibibyte.
const GIB: f64 = (1u64 << 30) as f64;

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    if args.calibrate {
        for measured in engine::calibrate_devices()? {
            match measured.kept {
                Ok(path) => settings.say(|| format!("{}: kept in {}", measured.device, path.display())),
                // What was asked for is on standard output all the same.
                Err(why) => {
                    let text = format!("{}: measured, but not kept: {}", measured.device, message(&why));
                    settings.warn(&text);
                }
            }
        }
    }
    let mut text = String::new();
    if args.json {
        let rows = engine::devices().into_iter().map(|info| {
            let (present, detail) = (info.state.is_ok(), info.state.unwrap_or_else(|why| why));
            let rates = info.rates.map(|Rates { flops, bytes, transfer, run }| {
                json!({"flops": flops, "bytes": bytes, "transfer": transfer, "run": run})
            });
            let memory: Vec<Option<u64>> = info.memory.iter().map(|m| m.and_then(|m| m.capacity)).collect();
            let name = info.device.name();
            json!({"name": name, "present": present, "detail": detail, "rates": rates, "memory": memory})
        });
        text = serde_json::Value::Array(rows.collect()).to_string() + "\n";
    } else {
        for info in engine::devices() {
            let (mark, detail) = match info.state {
                Ok(what) => ("present", what),
                Err(why) => ("missing", why),
            };
            text.push_str(&format!("{:<6} {mark}  {detail}\n", info.device.name()));
            for (ordinal, memory) in info.memory.iter().enumerate() {
                if let Some(capacity) = memory.and_then(|m| m.capacity) {
                    let number = if info.memory.len() > 1 {
                        format!("{}: ", info.device.ordinal(ordinal))
                    } else {
                        String::new()
                    };
                    text.push_str(&format!("{:<6} memory   {number}{:.1} GiB\n", "", capacity as f64 / GIB));
                }
            }
            if let Some(rates) = info.rates {
                text.push_str(&format!("{:<6} measured {}\n", "", described(&rates)));
            }
        }
    }
    output::report(args.json, &text)
}

/// Rates in a line.
fn described(rates: &Rates) -> String {
    let Rates { flops, bytes, transfer, run } = rates;
    let giga = |rate: &f64| format!("{:.1} G", rate / 1e9);
    let mut text = format!("{}FLOP/s, {}B/s in memory, {:.1} µs a run", giga(flops), giga(bytes), run * 1e6);
    // A device that works on the host's memory brings nothing anywhere.
    if transfer < bytes {
        text.push_str(&format!(", {}B/s to and from the device", giga(transfer)));
    }
    text
}
