//! `cargo xtask dependencies`: checks the notes about third-party crates with unsafe code or a build script. It
//! compares them with the crates that the `rlx` command is built from, and writes the page about them.

mod crates;
mod notes;
mod page;
mod unsafety;

use crate::Outcome;
use std::path::Path;

/// Writes the page. With `--check`, it writes nothing and fails if the page is out of date.
#[allow(clippy::print_stdout)]
pub(crate) fn dependencies(root: &Path, args: &[String]) -> Outcome {
    let check = match args {
        [] => false,
        [only] if only == "--check" => true,
        _ => return Err(format!("`dependencies {}`: `--check` is its only argument", args.join(" "))),
    };
    let entries = notes::load(root)?;
    let crates = crates::list(root)?;
    let broken = notes::broken(&entries, &crates);
    if !broken.is_empty() {
        return Err(format!(
            "{}: {} fault(s); read the crate's sources, and note what its unsafe code and build script do:\n  {}",
            notes::FILE,
            broken.len(),
            broken.join("\n  ")
        ));
    }
    let text = page::text(&entries, &crates);
    let path = root.join(page::PAGE);
    if !check {
        crate::write::write(&path, &text)?;
    } else if !page::alike(&std::fs::read_to_string(&path).unwrap_or_default(), &text) {
        return Err(format!("{} is not up to date: run `cargo xtask dependencies`", page::PAGE));
    }
    println!("dependencies: {} third-party crates, {} with a note", crates.len(), entries.len());
    Ok(())
}
