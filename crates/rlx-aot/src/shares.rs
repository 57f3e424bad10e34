//! Launches that threads share, as text: pieces, and the call for one of them.

use crate::kernels::Function;
use crate::steps::{Passed, PiecesOf};
use rlx_codegen::schedule::tasks::Tasks;

/// A launch in pieces. What it writes is cut as its tasks are, so that each thread has its own part.
pub(crate) fn shared(
    function: &Function,
    arguments: &[Passed],
    pieces: &PiecesOf,
    slices: &[String],
) -> String {
    let PiecesOf { most, tasks } = pieces;
    let (mut parts, mut pattern) = (String::new(), String::new());
    let mut passed = Vec::new();
    for (number, (argument, slice)) in arguments.iter().zip(slices).enumerate() {
        if !argument.is_written || argument.value.place.bytes == 0 {
            passed.push(slice.clone());
            continue;
        }
        let part = match tasks.elements.get(number).copied().flatten() {
            Some(elements) => format!("{slice}.chunks_mut(share * {elements})"),
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
    let Tasks { count, iterations, .. } = tasks;
    passed.extend(function.sizes.iter().map(|size| match size {
        size if *size == tasks.first => "tasks.start".into(),
        size if Some(size) == tasks.last.as_ref() => format!("usize::from(tasks.end == {count})"),
        _ if iterations < count => format!("tasks.end.min({iterations}) - tasks.start"),
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
