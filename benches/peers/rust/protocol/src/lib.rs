//! The protocol of workers in Rust: JSON lines on standard input and output. `../README.md` of the benchmark describes it.

pub mod language_model;

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;

pub use serde_json::{Value, json};

/// An error message.
pub type Problem = Box<dyn std::error::Error>;

/// A peer with a given number of threads.
pub trait Peer {
    /// Prepares the case. Returns facts about it as a JSON object, and the values to compare with the reference.
    fn prepare(&mut self, case: &Case, data: &Path) -> Result<(Value, Vec<f32>), Problem>;

    /// Runs the case once.
    fn run(&mut self) -> Result<(), Problem>;

    /// Minimum number of runs in a burst.
    fn fewest(&self) -> usize {
        3
    }
}

/// A case to run.
pub struct Case(Value);

impl Case {
    pub fn kind(&self) -> &str {
        self.text("kind")
    }

    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    pub fn flag(&self, name: &str) -> bool {
        self.0[name].as_bool().unwrap_or_default()
    }

    pub fn size(&self, name: &str) -> Result<usize, Problem> {
        let size = self.0[name].as_u64().and_then(|size| usize::try_from(size).ok());
        size.ok_or_else(|| format!("the case has no {name}: {}", self.0).into())
    }

    /// The batch size, the sequence length and the token ids of a case with `batch` and `seq`.
    pub fn ids(&self, data: &Path) -> Result<(usize, usize, Vec<i32>), Problem> {
        let (batch, seq) = (self.size("batch")?, self.size("seq")?);
        let ids = numbers(&data.join(format!("ids-{batch}x{seq}.i32")), i32::from_le_bytes)?;
        Ok((batch, seq, ids))
    }

    /// The matrix product of a case: `[m, k, n]`, then x, w and the bias.
    pub fn product(&self, data: &Path) -> Result<([usize; 3], [Vec<f32>; 3]), Problem> {
        let [m, k, n] = [self.size("m")?, self.size("k")?, self.size("n")?];
        let read = |what| numbers(&data.join(format!("gemm-{m}x{k}x{n}-{what}.f32")), f32::from_le_bytes);
        Ok(([m, k, n], [read("x")?, read("w")?, read("b")?]))
    }

    /// The error for a case that this worker does not support.
    pub fn unknown<T>(&self) -> Result<T, Problem> {
        Err(format!("this worker does not support {}", self.0).into())
    }
}

/// The folder of MiniLM.
pub fn model(data: &Path) -> Result<std::path::PathBuf, Problem> {
    let settings: Value = serde_json::from_slice(&std::fs::read(data.join("data.json"))?)?;
    Ok(settings["model"].as_str().ok_or("data.json names no model")?.into())
}

/// Reads a file of little-endian numbers of four bytes each.
pub fn numbers<T>(path: &Path, read: fn([u8; 4]) -> T) -> Result<Vec<T>, Problem> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|b| read(*b)).collect())
}

/// Serves one peer until the driver sends `quit` or exits. `make` gets the number of threads.
pub fn serve<P: Peer>(version: &str, notes: &str, make: impl FnOnce(usize) -> Result<P, Problem>) {
    let mut out = io::stdout();
    let mut say = |message: Value| {
        // If this fails, the driver has exited, and no one is left to tell.
        let _ = writeln!(out, "{message}").and_then(|()| out.flush());
    };
    if let Err(problem) = answer_all(version, notes, make, &mut say) {
        say(json!({ "error": problem.to_string() }));
    }
}

fn answer_all<P: Peer>(
    version: &str,
    notes: &str,
    make: impl FnOnce(usize) -> Result<P, Problem>,
    say: &mut impl FnMut(Value),
) -> Result<(), Problem> {
    let mut peer = make(threads()?)?;
    let start = status("VmRSS:");
    say(json!({ "ready": { "version": version, "notes": notes } }));
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        match request["do"].as_str() {
            Some("prepare") => {
                let field = |name: &str| request[name].as_str().unwrap_or_default().to_string();
                let case = Case(request["case"].clone());
                let (mut facts, output) = peer.prepare(&case, Path::new(&field("data")))?;
                let bytes: Vec<u8> = output.iter().flat_map(|x| x.to_le_bytes()).collect();
                std::fs::write(field("output"), bytes)?;
                facts["start_bytes"] = json!(start);
                say(json!({ "facts": facts }));
            }
            Some("burst") => {
                let times = burst(&mut peer, request["seconds"].as_f64().unwrap_or(1.0))?;
                say(json!({ "times_ms": times, "peak_bytes": status("VmHWM:") }));
            }
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// The times of runs in milliseconds. The first run, which wakes up the threads, is not counted.
fn burst<P: Peer>(peer: &mut P, seconds: f64) -> Result<Vec<f64>, Problem> {
    peer.run()?;
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < peer.fewest() || begin.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        peer.run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

fn threads() -> Result<usize, Problem> {
    let mut args = std::env::args().skip_while(|arg| arg != "--threads").skip(1);
    Ok(args.next().ok_or("usage: --threads N")?.parse()?)
}

fn status(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix(key))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}
