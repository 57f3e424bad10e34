//! The generated parts of ARCHITECTURE.md: the diagram of the rooms, and the list of crates with a sentence each.

use super::crates::{Manifest, Package};
use super::rooms::{ROOMS, Room, uses};
use std::fmt::Write as _;

/// The page, relative to the workspace.
pub(crate) const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The page with its generated parts up to date.
pub(super) fn with_parts(
    text: &str,
    manifests: &[Manifest],
    packages: &[Package<'_>],
) -> Result<String, String> {
    let text = replaced(text, "layers", &picture(ROOMS, manifests))?;
    replaced(&text, "crates", &table(ROOMS, packages))
}

/// The text with a new part between the markers of the given name.
fn replaced(text: &str, name: &str, part: &str) -> Result<String, String> {
    let (open, close) = (format!("<!-- {name}: cargo xtask map -->\n"), format!("<!-- end of {name} -->\n"));
    let missing =
        || format!("{ARCHITECTURE} lacks the lines `{}` and `{}`", open.trim_end(), close.trim_end());
    let (before, rest) = text.split_once(&open).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&close).ok_or_else(missing)?;
    Ok(format!("{before}{open}{part}{close}{after}"))
}

/// The rooms from top to bottom, with an arrow to each room that they use, in Mermaid syntax.
fn picture(rooms: &[Room], manifests: &[Manifest]) -> String {
    let mut out = String::from("```mermaid\nflowchart TD\n");
    let uses = uses(rooms, manifests);
    for (at, room) in rooms.iter().enumerate().rev() {
        let crates: Vec<&str> = room.crates().map(|c| c.strip_prefix("rlx-").unwrap_or(c)).collect();
        let _ = writeln!(out, "  r{at}[\"<b>{}</b><br/>{}\"]", room.name, crates.join(", "));
    }
    for (at, below) in uses.iter().enumerate().rev().filter(|(_, below)| !below.is_empty()) {
        let names: Vec<String> = below.iter().map(|r| format!("r{r}")).collect();
        let _ = writeln!(out, "  r{at} --> {}", names.join(" & "));
    }
    out + "```\n"
}

/// One row per crate, grouped by room, from bottom to top.
fn table(rooms: &[Room], packages: &[Package<'_>]) -> String {
    let mut out = String::from("| crate | what it is |\n|---|---|\n");
    for room in rooms {
        let _ = writeln!(out, "| **{}** | |", room.name);
        for name in room.crates() {
            let package = packages.iter().find(|p| p.manifest.name == name);
            let sentence = package.map_or("", |p| p.sentence()).trim_end_matches('.').replace('|', "\\|");
            let _ = writeln!(out, "| `{name}` | {sentence} |");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::crates::File;

    fn manifest(name: &str, dependencies: &[&str]) -> Manifest {
        Manifest {
            name: name.into(),
            folder: format!("crates/{name}/"),
            dependencies: dependencies.iter().map(|d| d.to_string()).collect(),
        }
    }

    const HOUSE: &[Room] =
        &[Room { name: "ground", rows: &[&["rlx-a"]] }, Room { name: "top", rows: &[&["rlx-b", "xtask"]] }];

    #[test]
    fn rooms_are_drawn_from_the_top_down() {
        let manifests = [manifest("rlx-a", &[]), manifest("rlx-b", &["rlx-a"])];
        let expected = "```mermaid\nflowchart TD\n  r1[\"<b>top</b><br/>b, xtask\"]\n  r0[\"<b>ground</b><br/>a\"]\n  r1 --> r0\n```\n";
        assert_eq!(picture(HOUSE, &manifests), expected);
    }

    #[test]
    fn crates_have_a_row_each() {
        let manifests = [manifest("rlx-a", &[]), manifest("rlx-b", &[]), manifest("xtask", &[])];
        let packages: Vec<Package<'_>> = manifests
            .iter()
            .map(|manifest| Package {
                manifest,
                files: vec![File { path: "src/lib.rs", sentence: format!("The crate {}.", manifest.name) }],
                counted: Vec::new(),
            })
            .collect();
        let expected = "| crate | what it is |\n|---|---|\n| **ground** | |\n| `rlx-a` | The crate rlx-a |\n\
                        | **top** | |\n| `rlx-b` | The crate rlx-b |\n| `xtask` | The crate xtask |\n";
        assert_eq!(table(HOUSE, &packages), expected);
    }

    #[test]
    fn a_part_is_replaced_between_its_markers() {
        let text = "a\n<!-- p: cargo xtask map -->\nold\n<!-- end of p -->\nb\n";
        let new = "a\n<!-- p: cargo xtask map -->\nnew\n<!-- end of p -->\nb\n";
        assert_eq!(replaced(text, "p", "new\n").as_deref(), Ok(new));
        assert!(replaced("a\n", "p", "new\n").is_err());
    }
}
