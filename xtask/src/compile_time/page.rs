//! Prints measurements: lines while measuring, the page of the docs, the lines of the plot.

use super::Measurement;
use super::measure::Measured;
use crate::checks;
use std::collections::BTreeMap;
use std::path::Path;

/// Times below this many milliseconds say nothing of growth.
const LEAST: f64 = 2.0;

/// What 100,000 nodes may take.
const GOAL: (usize, f64, u64) = (100_000, 2_000.0, 500 << 20);

const COLUMNS: [&str; 14] = [
    "graph",
    "size",
    "nodes",
    "parse",
    "verify",
    "transform",
    "compile",
    "of that lowering",
    "bind",
    "parameters",
    "first run",
    "until the first run",
    "growth",
    "MiB",
];

pub(super) fn header() -> String {
    let bars = "|---".repeat(COLUMNS.len());
    format!("| {} |\n{bars}|", COLUMNS.join(" | "))
}

/// How fast the time to the first run grows with the size, from the row of the family before: 1 is linear, 2 quadratic.
fn growth(rows: &[Measurement], at: usize) -> Option<f64> {
    let (before, now) = (rows.get(at.checked_sub(1)?)?, &rows[at]);
    let (Ok(b), Ok(n)) = (&before.measured, &now.measured) else { return None };
    let told = before.family.name == now.family.name
        && before.size < now.size
        && b.ready() >= LEAST
        && b.refused.is_none()
        && n.refused.is_none();
    told.then(|| (n.ready() / b.ready()).ln() / (now.size as f64 / before.size as f64).ln())
}

/// A row of the table.
pub(super) fn line(rows: &[Measurement], at: usize) -> String {
    let row = &rows[at];
    let name = row.family.name;
    let measured = match &row.measured {
        Ok(measured) => measured,
        Err(why) => return format!("| {name} | {} | {why} |{}", row.size, " |".repeat(COLUMNS.len() - 3)),
    };
    let ms = |time: f64| match time {
        t if t < 0.01 => String::new(),
        t if t < 10.0 => format!("{t:.2}"),
        t => format!("{t:.0}"),
    };
    let Measured { nodes, parse, verify, transform, compile, bind, params, first_run, peak, .. } = measured;
    let lowering = measured.passes.get("lowered").copied().unwrap_or(0.0);
    let nodes = match &measured.refused {
        Some(why) => format!("refused: {}", shortened(why)),
        None => nodes.to_string(),
    };
    let times = [*parse, *verify, *transform, *compile, lowering, *bind, *params, *first_run];
    let mut cells = vec![name.to_string(), row.size.to_string(), nodes];
    cells.extend(times.map(ms));
    cells.push(ms(measured.ready()));
    cells.push(growth(rows, at).map_or_else(String::new, |g| format!("{g:.2}")));
    cells.push((peak >> 20).to_string());
    format!("| {} |", cells.join(" | "))
}

/// The first line of a message, without what would end a cell of a table.
fn shortened(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().replace('|', "/");
    let end = line.char_indices().nth(160).map(|(at, _)| at);
    end.map_or(line.clone(), |end| format!("{}…", &line[..end]))
}

/// The points of each family: nodes and milliseconds.
pub(super) fn lines(rows: &[Measurement]) -> BTreeMap<&'static str, Vec<(f64, f64)>> {
    let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in rows {
        if let Ok(measured) = &row.measured
            && measured.refused.is_none()
        {
            lines.entry(row.family.name).or_default().push((row.size as f64, measured.ready()));
        }
    }
    lines
}

/// The page.
pub(super) fn page(root: &Path, rows: &[Measurement]) -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let processor = processor.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let rustc = checks::version(&mut checks::rustc(root)).unwrap_or_default();
    let mut out = format!(
        "# Time of compiling\n\nMade by `cargo xtask bench-compile`, in release; never typed by hand.\n\n\
         - RLX {}, {rustc}\n- {processor}, {}; one thread, each graph in a process of its own, the fastest of five; a shared machine\n\n\
         ![time until the first run](benchmarks/compile-time.svg)\n\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
    );
    out.push_str(
        "Milliseconds of each stage. *Compile* verifies, lowers, prepares and, where the graph has no symbols, binds and plans; *until the\n\
         first run* is the sum without verifying twice. *Growth* is the exponent between a size and the one before: 1 is linear, 1.06 n log n\n\
         here, 2 quadratic. MiB are the most memory of the process, the graph that it is given and the first run included.\n\n",
    );
    let missed = missed(rows);
    let (nodes, most_ms, most_bytes) = GOAL;
    out.push_str(&format!(
        "Goal: {nodes} nodes in at most {} s and {} MiB. {}\n\n",
        most_ms / 1e3,
        most_bytes >> 20,
        if missed.is_empty() { "Met by all.".into() } else { format!("Missed by {}.", missed.join(", ")) }
    ));
    let ratios = ratios(rows);
    out.push_str(&format!("Transformed graphs beside what they are made of: {}.\n\n", ratios.join("; ")));
    out.push_str(&header());
    for at in 0..rows.len() {
        out.push_str(&format!("\n{}", line(rows, at)));
    }
    out.push_str("\n\n## The graphs\n\n| graph | what it is |\n|---|---|\n");
    let mut families: Vec<_> = rows.iter().map(|row| row.family).collect();
    families.dedup_by_key(|family| family.name);
    for family in families {
        let of = family.of.map_or_else(String::new, |of| format!(" (`{of}`)"));
        out.push_str(&format!("| {} | {}{of} |\n", family.name, family.what));
    }
    out.push_str("\n## Passes of the largest graphs, ms\n\n");
    out.push_str(&passes(rows));
    out
}

/// The families whose graph of the goal's size takes too long or too much.
fn missed(rows: &[Measurement]) -> Vec<String> {
    let (nodes, most_ms, most_bytes) = GOAL;
    let of_goal = rows.iter().filter(|row| row.size == nodes);
    let failed = of_goal.filter_map(|row| match &row.measured {
        Ok(m) if m.ready() <= most_ms && m.peak <= most_bytes => None,
        Ok(m) => Some(format!("{} ({:.1} s, {} MiB)", row.family.name, m.ready() / 1e3, m.peak >> 20)),
        Err(why) => Some(format!("{} ({why})", row.family.name)),
    });
    failed.collect()
}

/// How many times the nodes and the time of the family that it is made of a transformed family takes, at the largest size.
fn ratios(rows: &[Measurement]) -> Vec<String> {
    let largest = |name: &str| rows.iter().rfind(|row| row.family.name == name)?.measured.as_ref().ok();
    let ratio = |row: &Measurement| {
        let (own, base) = (largest(row.family.name)?, largest(row.family.of?)?);
        let (nodes, time) = (own.nodes as f64 / base.nodes as f64, own.ready() / base.ready());
        let each = time / nodes;
        let name = row.family.name;
        Some(format!("{name} {nodes:.1} times the nodes, {time:.1} times the time ({each:.1} per node)"))
    };
    let mut ratios: Vec<String> = rows.iter().filter_map(ratio).collect();
    ratios.dedup();
    ratios
}

/// The times of the passes at each family's largest size.
fn passes(rows: &[Measurement]) -> String {
    let names = ["precision", "legalize", "simplify", "patterns", "fuse", "schedule"];
    let mut out = format!("| graph | size | {} |\n{}|\n", names.join(" | "), "|---".repeat(names.len() + 2));
    for (at, row) in rows.iter().enumerate() {
        let last = rows.get(at + 1).is_none_or(|next| next.family.name != row.family.name);
        let Some(measured) = row.measured.as_ref().ok().filter(|m| last && !m.passes.is_empty()) else {
            continue;
        };
        let times = names.map(|name| format!("{:.1}", measured.passes.get(name).copied().unwrap_or(0.0)));
        out.push_str(&format!("| {} | {} | {} |\n", row.family.name, row.size, times.join(" | ")));
    }
    out
}
