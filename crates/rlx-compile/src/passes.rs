//! Runs passes: verifies each result in debug builds, and reports the graphs and times that the options ask for.

use crate::options::CompileOptions;
use crate::pass::{Pass, PrintIr, PrintWhen};
use rlx_driver::Topic;
use rlx_ir::{Graph, verify_lowered};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The passes of one compile.
pub(crate) struct Passes<'a> {
    print: Option<PrintIr>,
    /// Receives graphs and times.
    report: &'a dyn Fn(Topic, &str),
    times: [Cell<Duration>; Pass::ALL.len()],
    started: Instant,
}

/// A pass that is running.
pub(crate) struct Running {
    pass: Pass,
    wanted: Option<PrintWhen>,
    /// The graph as text, if it is printed or compared.
    before: Option<String>,
    start: Instant,
}

impl<'a> Passes<'a> {
    pub(crate) fn new(options: &CompileOptions, report: &'a dyn Fn(Topic, &str)) -> Passes<'a> {
        let times = std::array::from_fn(|_| Cell::default());
        Passes { print: options.print_ir, report, times, started: Instant::now() }
    }

    /// Begins a pass.
    pub(crate) fn begin(&self, pass: Pass, graph: &Graph) -> Running {
        let wanted =
            self.print.filter(|print| print.pass.is_none_or(|wanted| wanted == pass)).map(|p| p.when);
        let before = wanted.filter(|&when| when != PrintWhen::After).map(|_| graph.to_string());
        if let (Some(PrintWhen::Before), Some(text)) = (wanted, &before) {
            (self.report)(Topic::Graph, &format!("// before {pass}\n{text}\n"));
        }
        Running { pass, wanted, before, start: Instant::now() }
    }

    /// Ends a pass. `made` is its result, or `None` if it changed nothing.
    pub(crate) fn end(&self, running: Running, made: Option<&Graph>) {
        let Running { pass, wanted, before, start } = running;
        self.times[pass as usize].update(|time| time + start.elapsed());
        let Some(made) = made else {
            if wanted == Some(PrintWhen::After) {
                (self.report)(Topic::Graph, &format!("// {pass} changed nothing\n"));
            }
            return;
        };
        check(made, pass.name());
        if let Some(PrintWhen::After | PrintWhen::Changed) = wanted {
            let after = made.to_string();
            if before.is_none_or(|before| before != after) {
                (self.report)(Topic::Graph, &format!("// after {pass}\n{after}\n"));
            }
        }
    }

    /// Runs a pass that takes a graph and returns one.
    pub(crate) fn run(&self, pass: Pass, graph: Graph, run: impl FnOnce(Graph) -> Graph) -> Graph {
        let running = self.begin(pass, &graph);
        let made = run(graph);
        self.end(running, Some(&made));
        made
    }

    /// Reports how long each pass took, including passes over graphs inside nodes.
    pub(crate) fn report_times(&self) {
        let milliseconds = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
        let each: Vec<String> = Pass::ALL
            .into_iter()
            .map(|pass| format!("{pass} {}", milliseconds(self.times[pass as usize].get())))
            .collect();
        let all = milliseconds(self.started.elapsed());
        (self.report)(Topic::Times, &format!("passes: {}; lowered in {all}\n", each.join(", ")));
    }
}

/// Verifies the result of a pass in debug builds. A violation is a bug in the pass, not in the program.
pub(crate) fn check(graph: &Graph, pass: &str) {
    if cfg!(debug_assertions)
        && let Err(violations) = verify_lowered(graph)
    {
        panic!("pass `{pass}` made an invalid graph: {violations}\n{graph}");
    }
}
