//! Opens models that are split into several files, as `llama-gguf-split` makes them: `NAME-00001-of-00003.gguf`, with
//! three keys that number the parts.

use crate::error::GgufError;
use crate::file::GgufPart;
use rlx_files::contents::Access;
use rlx_files::display::quoted;
use std::path::{Path, PathBuf};

/// The number of this part counted from 0, the number of parts, and the number of tensors in all of them.
const NUMBER: &str = "split.no";
const COUNT: &str = "split.count";
const TENSORS: &str = "split.tensors.count";
/// Keys that distinguish models, if parts have them.
const MODEL: [&str; 2] = ["general.architecture", "general.name"];
/// The maximum number of parts: the number in a name has five digits.
const MOST_PARTS: u64 = 99_999;

/// Opens all parts of the model that the file at `path` belongs to, or the file alone if it is not a part.
pub(crate) fn open(path: &Path, access: Access) -> Result<Vec<GgufPart>, GgufError> {
    let named = GgufPart::open(path, access)?;
    let count = count(&named)?;
    if count <= 1 {
        return alone(named);
    }
    let number = number(&named)?;
    let names = Names::of(path, number, count).ok_or_else(|| {
        wrong(
            &named,
            format!(
                "this is part {} of {count}, but its name does not end in -{:05}-of-{count:05}.gguf, so the other parts cannot be \
                 found; restore its original name",
                number + 1,
                number + 1
            ),
        )
    })?;
    let mut named = Some(named);
    let mut parts: Vec<GgufPart> = Vec::new();
    for at in 0..count {
        let part = match named.take_if(|_| at == number) {
            Some(part) => part,
            None => GgufPart::open(&names.part(at, count), access)?,
        };
        check(&part, at, count, parts.first())?;
        parts.push(part);
    }
    check_tensors(&parts)?;
    Ok(parts)
}

/// Opens a file whose other parts cannot be looked for.
pub(crate) fn alone(part: GgufPart) -> Result<Vec<GgufPart>, GgufError> {
    match count(&part)? {
        0 | 1 => Ok(vec![part]),
        count => Err(wrong(
            &part,
            format!("this is one of {count} parts of a model; open it as a file next to the others"),
        )),
    }
}

fn wrong(part: &GgufPart, problem: String) -> GgufError {
    GgufError::Parts { path: part.path.clone(), problem }
}

fn whole(part: &GgufPart, key: &str) -> Result<Option<u64>, GgufError> {
    let Some(value) = part.get(key) else { return Ok(None) };
    match value.as_u64() {
        Some(number) => Ok(Some(number)),
        None => Err(wrong(part, format!("{key} is not a valid number"))),
    }
}

fn count(part: &GgufPart) -> Result<u64, GgufError> {
    let count = whole(part, COUNT)?.unwrap_or(0);
    if count > MOST_PARTS {
        return Err(wrong(part, format!("{COUNT} is {count}; a model can have at most {MOST_PARTS} parts")));
    }
    Ok(count)
}

fn number(part: &GgufPart) -> Result<u64, GgufError> {
    let missing = || wrong(part, format!("it has {COUNT}, but not {NUMBER}"));
    whole(part, NUMBER)?.ok_or_else(missing)
}

fn check(part: &GgufPart, at: u64, of: u64, first: Option<&GgufPart>) -> Result<(), GgufError> {
    let (number, parts) = (number(part)?, count(part)?);
    if (number, parts) != (at, of) {
        return Err(wrong(
            part,
            format!(
                "its name says part {} of {of}, but its metadata say part {} of {parts}; fetch the parts again",
                at + 1,
                number.saturating_add(1)
            ),
        ));
    }
    for key in MODEL {
        let (Some(here), Some(there)) = (part.get(key), first.and_then(|first| first.get(key))) else {
            continue;
        };
        if here != there {
            let name = |value: &crate::MetaValue<'_>| quoted(value.as_str().unwrap_or("?"));
            return Err(wrong(
                part,
                format!(
                    "{key} is {}, but {} in the first part: it belongs to another model",
                    name(&here),
                    name(&there)
                ),
            ));
        }
    }
    Ok(())
}

fn check_tensors(parts: &[GgufPart]) -> Result<(), GgufError> {
    let Some(first) = parts.first() else { return Ok(()) };
    let present: u64 = parts.iter().map(|part| part.header.tensors.len() as u64).sum();
    match whole(first, TENSORS)? {
        Some(stated) if stated != present => Err(wrong(
            first,
            format!(
                "{TENSORS} is {stated}, but the parts have {present} tensors: they do not belong to one model, or are incomplete"
            ),
        )),
        _ => Ok(()),
    }
}

/// The names of the parts.
struct Names {
    folder: PathBuf,
    stem: String,
}

impl Names {
    /// Derives the names from the name of one part.
    fn of(path: &Path, number: u64, count: u64) -> Option<Names> {
        let name = path.file_name()?.to_str()?;
        let stem = name.strip_suffix(&suffix(number, count))?;
        Some(Names { folder: path.parent()?.to_path_buf(), stem: stem.to_string() })
    }

    fn part(&self, number: u64, count: u64) -> PathBuf {
        self.folder.join(format!("{}{}", self.stem, suffix(number, count)))
    }
}

fn suffix(number: u64, count: u64) -> String {
    format!("-{:05}-of-{count:05}.gguf", number.saturating_add(1))
}
