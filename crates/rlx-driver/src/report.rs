//! Reports: text about the work of the libraries that the user of a program asked to see, such as the graph after a pass of the compiler.
//! Libraries do not print. They call [`report`], and the program decides where the text goes.

use std::io::{self, Write};
use std::sync::{Arc, PoisonError, RwLock};

/// The subject of a report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Topic {
    /// How the nodes of a graph run, and why.
    Dispatch,
    /// A graph before or after a pass of the compiler.
    Graph,
    /// How long the passes of the compiler took.
    Times,
}

type Sink = dyn Fn(Topic, &str) + Send + Sync;

static SINK: RwLock<Option<Arc<Sink>>> = RwLock::new(None);

/// Passes the reports of all threads to `sink` from now on. Without a sink, they go to standard error, where control characters are
/// escaped, because names in them may come from files.
///
/// ```
/// use rlx_driver::{Topic, report, set_report_sink};
/// use std::sync::{Arc, Mutex};
///
/// let graphs = Arc::new(Mutex::new(String::new()));
/// let shown = graphs.clone();
/// set_report_sink(move |topic, text| {
///     if topic == Topic::Graph {
///         shown.lock().unwrap().push_str(text);
///     }
/// });
/// report(Topic::Times, "passes: fuse 0.1 ms\n");
/// report(Topic::Graph, "// after fuse\n");
/// assert_eq!(*graphs.lock().unwrap(), "// after fuse\n");
/// ```
pub fn set_report_sink(sink: impl Fn(Topic, &str) + Send + Sync + 'static) {
    *SINK.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(sink));
}

/// Reports text that the user asked for, in complete lines. Problems are errors, not reports.
pub fn report(topic: Topic, text: &str) {
    // The lock is not held while the sink runs, which may itself report or set another sink.
    let sink = SINK.read().unwrap_or_else(PoisonError::into_inner).clone();
    match sink {
        Some(sink) => sink(topic, text),
        // If this fails, there is nowhere left to report it.
        None => drop(io::stderr().lock().write_all(rlx_escape::terminal(text).as_bytes())),
    }
}
