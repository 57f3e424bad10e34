//! Writes launches that threads share: pieces of a launch, and the call that runs one.

use crate::kernels::PrintedKernel;
use crate::sizes::RunSizes;
use crate::steps::{Passed, PiecesOf};
use rlx_ir::Dim;

/// Writes a launch in pieces. The memory that it writes is divided along with its tasks, so that each thread has its own part.
pub(crate) fn shared(
    function: &PrintedKernel,
    (arguments, slices): (&[Passed], &[String]),
    pieces: &PiecesOf,
    sizes: &RunSizes,
) -> String {
    let PiecesOf { most, tasks } = pieces;
    let (mut parts, mut pattern) = (String::new(), String::new());
    let mut passed = Vec::new();
    for (number, (argument, slice)) in arguments.iter().zip(slices).enumerate() {
        if !argument.is_written || argument.value.place.bytes == 0 {
            passed.push(slice.clone());
            continue;
        }
        let part = match tasks.elements.get(number).and_then(Option::as_ref) {
            Some(elements) if elements.as_static().is_some() => {
                format!("{slice}.chunks_mut(share * {})", sizes.text(elements))
            }
            // `chunks_mut` does not accept 0, so a slice without elements is divided into chunks of 1.
            Some(elements) => format!("{slice}.chunks_mut((share * {}).max(1))", sizes.text(elements)),
            None => {
                let elements = argument.value.place.bytes / argument.value.dtype.size();
                format!("{slice}.chunks_mut({elements})")
            }
        };
        let name = format!("p{number}");
        (parts, pattern) = match parts.is_empty() {
            true => (part, name.clone()),
            false => (format!("{parts}.zip({part})"), format!("({pattern}, {name})")),
        };
        passed.push(name);
    }
    let (count, iterations) = (sizes.text(&tasks.count), sizes.text(&tasks.iterations));
    passed.extend(function.sizes.iter().map(|size| match size {
        size if *size == tasks.first => "tasks.start".into(),
        size if Some(size) == tasks.last.as_ref() => format!("usize::from(tasks.end == {count})"),
        size if *size != tasks.run => sizes.text(&Dim::Dynamic(size.clone())),
        _ if tasks.last.is_some() => format!("tasks.end.min({iterations}) - tasks.start"),
        _ => "tasks.len()".into(),
    }));
    let (name, passed) = (&function.name, passed.join(", "));
    format!(
        "let share = team.share({count}, {most});\n\
         let pieces = Pieces::new(share, {count}, {parts});\n\
         team.run(|| while let Some((tasks, {pattern})) = pieces.next() {{\n    \
         self::{name}({passed});\n\
         }});"
    )
}
