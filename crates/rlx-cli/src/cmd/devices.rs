//! `rlx devices`: lists the devices of this machine.

use rlx_runtime::Rates;
use serde_json::json;

use crate::engine;
use crate::failure::{Failure, message};
use crate::output;
use crate::settings::Settings;

/// List the devices that are present, and what is missing for the others
///
/// The list shows the speed of each device that has been measured. RLX uses these figures when a program lets it choose
/// the device.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// First measure how fast the present devices are, and store the result in the cache. This takes about a second,
    /// during which nothing else should run
    #[arg(long)]
    calibrate: bool,

    /// Print a JSON array of objects with name, present, detail, rates and memory. rates has flops, bytes and transfer
    /// per second, and the seconds of overhead per run; it is null if the device was not measured. memory has the
    /// capacity in bytes of each device of the kind, null if unknown
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rlx devices
  rlx devices --calibrate
  rlx devices --json";

/// Bytes in a gibibyte.
const GIB: f64 = (1u64 << 30) as f64;

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    if args.calibrate {
        for measured in engine::calibrate_devices()? {
            match measured.kept {
                Ok(path) => settings.say(|| format!("{}: stored in {}", measured.device, path.display())),
                // The measurement that was requested is printed anyway.
                Err(why) => {
                    let text = format!("{}: measured, but not stored: {}", measured.device, message(&why));
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

/// The rates as one line.
fn described(rates: &Rates) -> String {
    let Rates { flops, bytes, transfer, run } = rates;
    let giga = |rate: &f64| format!("{:.1} G", rate / 1e9);
    let mut text =
        format!("{}FLOP/s, {}B/s in memory, {:.1} µs per run", giga(flops), giga(bytes), run * 1e6);
    // A device that uses the host's memory transfers nothing.
    if transfer < bytes {
        text.push_str(&format!(", {}B/s to and from the device", giga(transfer)));
    }
    text
}
