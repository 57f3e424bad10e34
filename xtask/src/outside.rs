//! XLA as a target of the conformance table: it runs the programs that RLX exports as StableHLO (`scripts/judge_stablehlo.py`).

use crate::allowances;
use rlx_conformance::bound::Allowance;
use rlx_conformance::{Target, TargetError};
use rlx_ir::{DType, Graph, Literal, Shape};
use rlx_stablehlo::{ExportOptions, export};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// XLA in a separate process.
pub(crate) struct Xla {
    name: String,
    options: ExportOptions,
    program: OracleProcess,
    pipes: RefCell<Pipes>,
}

/// The process of the script.
struct OracleProcess {
    python: String,
    script: PathBuf,
    plugin: Option<String>,
}

struct Pipes {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Why there is no result.
enum Failure {
    /// XLA reported an error.
    Answered(String),
    /// The process ended, or violated the protocol.
    Ended(String),
}

impl OracleProcess {
    fn start(&self) -> Result<Pipes, String> {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args(&self.plugin);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| format!("{}: {e}", self.python))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{} has no standard input and output", self.python));
        };
        Ok(Pipes { child, requests, answers: BufReader::new(answers) })
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        // The process may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Xla {
    /// Starts this Python with the script, using jaxlib's CPU client or a PJRT plugin.
    pub(crate) fn start(
        root: &Path,
        python: &str,
        plugin: Option<&str>,
        options: ExportOptions,
    ) -> Result<Xla, String> {
        let script = root.join("scripts/judge_stablehlo.py");
        let program = OracleProcess { python: python.into(), script, plugin: plugin.map(str::to_string) };
        let name = if plugin.is_some() { "plugin" } else { "jaxlib" }.into();
        let pipes = RefCell::new(program.start()?);
        Ok(Xla { name, options, program, pipes })
    }
}

impl Target for Xla {
    fn name(&self) -> &str {
        &self.name
    }

    fn flushes_subnormals(&self) -> bool {
        true
    }

    fn allowances(&self) -> &[Allowance] {
        allowances::XLA_CPU
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let text = export(graph, &self.options).map_err(|e| TargetError::Failed(e.to_string()))?;
        let leaves = graph.nodes().iter().filter_map(|node| node.name());
        let values: Option<Vec<&Literal>> =
            leaves.map(|name| inputs.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)).collect();
        let values = values.ok_or_else(|| TargetError::Failed("an input has no value".into()))?;
        let mut pipes = self.pipes.borrow_mut();
        let answer = pipes.ask(&text, &values).map_err(Failure::Ended).and_then(|()| pipes.answer());
        answer.map_err(|failure| match failure {
            Failure::Answered(message) => TargetError::Failed(message),
            Failure::Ended(message) => match self.program.start() {
                Ok(next) => {
                    *pipes = next;
                    TargetError::Failed(message)
                }
                Err(problem) => TargetError::Failed(format!("{message}; {problem}")),
            },
        })
    }
}

impl Pipes {
    fn ask(&mut self, text: &str, inputs: &[&Literal]) -> Result<(), String> {
        let mut request = format!("module {}\n{text}", text.len()).into_bytes();
        for input in inputs {
            let dims: Vec<String> = input.dims().iter().map(usize::to_string).collect();
            let dims = if dims.is_empty() { "-".into() } else { dims.join("x") };
            let bytes = input.bytes();
            request.extend(format!("input {} {dims} {}\n", input.dtype(), bytes.len()).into_bytes());
            request.extend(bytes);
        }
        request.extend(b"run\n");
        let sent = self.requests.write_all(&request).and_then(|()| self.requests.flush());
        sent.map_err(|e| format!("XLA ended: {e}"))
    }

    fn answer(&mut self) -> Result<Vec<Literal>, Failure> {
        let mut outputs = Vec::new();
        loop {
            let mut header = String::new();
            let read = self.answers.read_line(&mut header);
            read.map_err(|e| Failure::Ended(format!("XLA ended: {e}")))?;
            match header.split_whitespace().collect::<Vec<_>>()[..] {
                ["done"] => return Ok(outputs),
                ["error", size] => {
                    let message = self.bytes(size).map_err(Failure::Ended)?;
                    return Err(Failure::Answered(String::from_utf8_lossy(&message).replace('\n', " ")));
                }
                ["output", dtype, dims, size] => {
                    let bytes = self.bytes(size).map_err(Failure::Ended)?;
                    outputs.push(literal(dtype, dims, &bytes).map_err(Failure::Ended)?);
                }
                [] => return Err(Failure::Ended("XLA ended".into())),
                _ => return Err(Failure::Ended(format!("XLA answered {header:?}"))),
            }
        }
    }

    fn bytes(&mut self, size: &str) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; size.parse().map_err(|_| format!("not a size: {size}"))?];
        self.answers.read_exact(&mut bytes).map_err(|e| format!("XLA ended: {e}"))?;
        Ok(bytes)
    }
}

fn literal(dtype: &str, dims: &str, bytes: &[u8]) -> Result<Literal, String> {
    let dtype = DType::from_name(dtype).ok_or_else(|| format!("not an element type: {dtype}"))?;
    let sizes = if dims == "-" { Ok(Vec::new()) } else { dims.split('x').map(str::parse).collect() };
    let sizes: Vec<usize> = sizes.map_err(|_| format!("not dimensions: {dims}"))?;
    Literal::from_bytes(&Shape::new(&sizes, dtype), bytes).map_err(|e| e.to_string())
}
