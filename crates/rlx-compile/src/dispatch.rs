//! The dispatch report: how each node runs, and why. Every fallback has a line in it.

use rlx_ir::{FusionKind, Graph, Label, Node, Op, OpKind, Shape};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Whether composites run with the backend's kernels or decomposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KernelDispatchPolicy {
    /// Use the backend's kernels for composites that it claims.
    #[default]
    PreferNative,
    /// Decompose composites into primitives.
    PreferCommon,
}

/// How one node of the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// With a kernel of the backend.
    Native,
    /// On the host instead of the device.
    Host,
    /// Decomposed into common IR.
    CommonIr,
    /// As simpler primitives, because the backend does not run this one.
    Rewritten,
    /// Not at all.
    Unsupported,
}

impl Decision {
    /// All decisions, in the order of reports.
    pub const ALL: [Decision; 5] =
        [Decision::Native, Decision::Host, Decision::CommonIr, Decision::Rewritten, Decision::Unsupported];

    /// Returns the name used in reports.
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

/// The report's entry for one node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DispatchEntry {
    /// The op.
    pub kind: OpKind,
    /// The name of the op, or of its function for elementwise families.
    pub op: &'static str,
    /// The model path, or an empty label.
    pub label: Label,
    /// Shapes of the operands.
    pub operands: Vec<Shape>,
    /// How it runs.
    pub decision: Decision,
    /// How many decompositions the node is nested in; 0 for nodes of the program itself.
    pub depth: usize,
    /// Whether the node has symbols and the backend needs static sizes for it.
    pub static_sizes: bool,
    /// For an unsupported primitive, why it cannot be written as simpler ones. For a node on the host, why it is not on the device.
    pub why: Option<String>,
}

/// A group of nodes that the backend accepted as one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FusedGroup {
    /// The kind of the group.
    pub kind: FusionKind,
    /// The names of its ops in order, or of their functions for elementwise families. Nodes that are computed where they are read
    /// (constants, broadcasts) are left out.
    pub ops: Vec<&'static str>,
    /// The model path of its last node, or an empty label.
    pub label: Label,
}

/// How every node of a program runs on a backend.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DispatchReport {
    /// The device's name.
    pub device: String,
    /// One entry per node, including nodes of decompositions.
    pub entries: Vec<DispatchEntry>,
    /// The groups of nodes that run as one kernel, including those in graphs inside nodes.
    pub fusions: Vec<FusedGroup>,
}

impl DispatchReport {
    /// Adds the fused groups of a graph.
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

    /// Returns the number of nodes with this decision.
    pub fn count(&self, decision: Decision) -> usize {
        self.entries.iter().filter(|e| e.decision == decision).count()
    }

    /// Returns the entries of nodes that the backend cannot run.
    pub fn unsupported(&self) -> impl Iterator<Item = &DispatchEntry> {
        self.entries.iter().filter(|e| e.decision == Decision::Unsupported)
    }

    /// Returns the entries of nodes for which the backend needs static sizes. If there is one, the graph is prepared once per binding.
    pub fn static_sizes(&self) -> impl Iterator<Item = &DispatchEntry> {
        self.entries.iter().filter(|e| e.static_sizes)
    }

    /// Returns whether every node runs.
    pub fn is_supported(&self) -> bool {
        self.unsupported().next().is_none()
    }
}

impl fmt::Display for DispatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_dispatch_report(self))
    }
}

/// Formats the report as text. It starts with totals, a line per op and decision with a count, and a line per kind of fused group and its
/// ops with a count. Then follow a line per op and reason for nodes on the host, and one line for each unsupported node.
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
