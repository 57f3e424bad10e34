//! The dispatch report: for each node how it runs, and why. Nothing falls back without a line in it.

use rlx_driver::env::KernelDispatch;
use rlx_ir::{FusionKind, Graph, Label, Node, Op, OpKind, Shape};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Whether composites run as the backend's kernels or decomposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KernelDispatchPolicy {
    /// The backend's kernels where it claims them.
    #[default]
    PreferNative,
    /// Decomposed into primitives.
    PreferCommon,
}

impl From<KernelDispatch> for KernelDispatchPolicy {
    fn from(dispatch: KernelDispatch) -> Self {
        match dispatch {
            KernelDispatch::Native => KernelDispatchPolicy::PreferNative,
            KernelDispatch::Common => KernelDispatchPolicy::PreferCommon,
        }
    }
}

/// How one node of the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// By a kernel of the backend.
    Native,
    /// On the host, beside the device.
    Host,
    /// Decomposed into common IR.
    CommonIr,
    /// A primitive that the backend does not run, written in simpler ones.
    Rewritten,
    /// Not at all.
    Unsupported,
}

impl Decision {
    /// All of them, as reports list them.
    pub const ALL: [Decision; 5] =
        [Decision::Native, Decision::Host, Decision::CommonIr, Decision::Rewritten, Decision::Unsupported];

    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Decision::Native => "native",
            Decision::Host => "on the host",
            Decision::CommonIr => "common IR",
            Decision::Rewritten => "rewritten",
            Decision::Unsupported => "unsupported",
        }
    }
}

/// One node's line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DispatchEntry {
    /// The op.
    pub kind: OpKind,
    /// Its name, for elementwise families the function's.
    pub op: &'static str,
    /// The model path, or empty.
    pub label: Label,
    /// Shapes of the operands.
    pub operands: Vec<Shape>,
    /// How it runs.
    pub decision: Decision,
    /// How deep in decompositions the node stands; 0 for nodes of the program itself.
    pub depth: usize,
    /// Whether the node has symbols, and the backend needs static sizes for it.
    pub static_sizes: bool,
    /// Of an unsupported primitive, why it could not be written in simpler ones; of a node on the host, why it is not on the device.
    pub why: Option<String>,
}

/// A group of nodes that the backend accepted as one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FusedGroup {
    /// What kind of group it is.
    pub kind: FusionKind,
    /// Its ops in their order, for elementwise families the functions' names. What is computed where it is read (constants, broadcasts) is
    /// left out.
    pub ops: Vec<&'static str>,
    /// The model path of its last node, or empty.
    pub label: Label,
}

/// How every node of a program runs on a backend.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DispatchReport {
    /// The device's name.
    pub device: String,
    /// One entry per node, nodes of decompositions included.
    pub entries: Vec<DispatchEntry>,
    /// Which of the nodes run as one, graphs inside nodes included.
    pub fusions: Vec<FusedGroup>,
}

impl DispatchReport {
    /// Adds the groups of a graph whose nodes were fused.
    pub(crate) fn add_fusions(&mut self, graph: &Graph) {
        let is_computed = |member: &&Node| member.name().is_none() && !rlx_fusion::is_free(member);
        for node in graph.nodes() {
            if let Op::Fusion { kind, body } = node.op() {
                let members = body.nodes().iter().filter(is_computed);
                let ops = members.map(|member| member.op().mnemonic()).collect();
                self.fusions.push(FusedGroup { kind: *kind, ops, label: node.label_arc().clone() });
            }
        }
    }

    /// The number of nodes with this decision.
    pub fn count(&self, decision: Decision) -> usize {
        self.entries.iter().filter(|e| e.decision == decision).count()
    }

    /// The entries that the backend cannot run.
    pub fn unsupported(&self) -> impl Iterator<Item = &DispatchEntry> {
        self.entries.iter().filter(|e| e.decision == Decision::Unsupported)
    }

    /// The nodes for which the backend needs static sizes: with one of them the graph is prepared once per binding.
    pub fn static_sizes(&self) -> impl Iterator<Item = &DispatchEntry> {
        self.entries.iter().filter(|e| e.static_sizes)
    }

    /// Whether every node runs.
    pub fn is_supported(&self) -> bool {
        self.unsupported().next().is_none()
    }
}

impl fmt::Display for DispatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_dispatch_report(self))
    }
}

/// The report as text: totals, then a line per op and decision with its count, a line per fused group of the same ops with its count,
/// then what is unsupported, one by one.
pub fn format_dispatch_report(report: &DispatchReport) -> String {
    let mut out = String::new();
    let has_host = report.count(Decision::Host) > 0;
    let totals: Vec<String> = Decision::ALL
        .into_iter()
        .filter(|&d| d != Decision::Host || has_host)
        .map(|d| format!("{} {}", report.count(d), d.name()))
        .collect();
    // INVARIANT: writing to a String does not fail.
    let _ = writeln!(out, "dispatch on {}: {}", report.device, totals.join(", "));
    let mut groups: Vec<(&str, Decision, usize, usize)> = Vec::new();
    for entry in &report.entries {
        match groups.iter_mut().find(|g| g.0 == entry.op && g.1 == entry.decision) {
            Some(group) => {
                group.2 += 1;
                group.3 += usize::from(entry.static_sizes);
            }
            None => groups.push((entry.op, entry.decision, 1, usize::from(entry.static_sizes))),
        }
    }
    groups.sort_by_key(|g| (g.0, g.1.name()));
    for (op, decision, count, fixed) in groups {
        let fixed = if fixed > 0 { format!(", {fixed} with static sizes") } else { String::new() };
        let _ = writeln!(out, "  {op:<24} {:<12} ×{count}{fixed}", decision.name());
    }
    let mut fusions: BTreeMap<(FusionKind, String), usize> = BTreeMap::new();
    for group in &report.fusions {
        *fusions.entry((group.kind, group.ops.join(" "))).or_default() += 1;
    }
    for ((kind, ops), count) in fusions {
        let _ = writeln!(out, "  fused {kind}: {ops} ×{count}");
    }
    let mut moved: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for entry in report.entries.iter().filter(|entry| entry.decision == Decision::Host) {
        *moved.entry((entry.op, entry.why.as_deref().unwrap_or_default())).or_default() += 1;
    }
    for ((op, why), count) in moved {
        let _ = writeln!(out, "  on the host: `{op}` ×{count}: {why}");
    }
    for entry in report.unsupported() {
        let shapes: Vec<String> = entry.operands.iter().map(Shape::to_string).collect();
        let place = rlx_ir::at_label(&entry.label);
        let why = entry.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
        let _ = writeln!(out, "  unsupported: `{}`{place} on ({}){why}", entry.op, shapes.join(", "));
    }
    out
}
