//! `rlx devices`: what this machine can run on.

use std::io::{self, Write};

use crate::engine;
use crate::failure::Failure;
use crate::settings::Settings;

/// List the devices: those that are present, and what is missing for the others
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print a JSON array of objects with name, present and detail
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rlx devices
  rlx devices --json";

pub fn run(args: Args, _settings: &Settings) -> Result<(), Failure> {
    let mut text = String::new();
    if args.json {
        let rows = engine::devices().into_iter().map(|info| {
            let (present, detail) = (info.state.is_ok(), info.state.unwrap_or_else(|why| why));
            serde_json::json!({"name": info.device.name(), "present": present, "detail": detail})
        });
        text = serde_json::Value::Array(rows.collect()).to_string() + "\n";
    } else {
        for info in engine::devices() {
            let (mark, detail) = match info.state {
                Ok(what) => ("present", what),
                Err(why) => ("missing", why),
            };
            text.push_str(&format!("{:<6} {mark}  {detail}\n", info.device.name()));
        }
    }
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::output)
}
