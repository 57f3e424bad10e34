//! Compares the number of cases that conformance runs skip with the agreed counts in `xtask/debt.txt`. Owns the format
//! of that file. Each line is `COUNT TARGET: REASON`; lines that begin with `#` are comments.

use std::collections::BTreeMap;
use std::path::Path;

/// The file of agreed counts.
const FILE: &str = "xtask/debt.txt";
/// The generated pages that have a table of skipped cases.
const PAGES: &[&str] = &["docs/conformance.md", "docs/transforms.md"];
/// The heading of that table.
const TITLE: &str = "## Skipped";

/// Counts of skipped cases, by target and reason.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Debt {
    counts: BTreeMap<(String, String), usize>,
}

impl Debt {
    /// The sums of these rows.
    #[cfg(any(test, feature = "conformance"))]
    pub(crate) fn of<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str, usize)>) -> Debt {
        let mut debt = Debt::default();
        for (target, reason, count) in rows {
            *debt.counts.entry((target.into(), reason.into())).or_default() += count;
        }
        debt
    }

    /// The agreed counts.
    pub(crate) fn agreed(root: &Path) -> Result<Debt, String> {
        Debt::parse(&read(root, FILE)?)
    }

    /// Parses the file of agreed counts; an invalid line is an error.
    fn parse(text: &str) -> Result<Debt, String> {
        let row = |line: &'_ str| -> Option<(String, String, usize)> {
            let (count, rest) = line.split_once(' ')?;
            let (target, reason) = rest.split_once(": ")?;
            Some((target.into(), reason.into(), count.parse().ok()?))
        };
        let mut counts = BTreeMap::new();
        for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let (target, reason, count) = row(line)
                .ok_or_else(|| format!("{FILE}: `{line}` is not of the form `COUNT TARGET: REASON`"))?;
            if counts.insert((target, reason), count).is_some() {
                return Err(format!("{FILE}: `{line}` names its target and reason a second time"));
            }
        }
        Ok(Debt { counts })
    }

    /// The rows of a page's table.
    fn of_page(page: &str) -> Debt {
        let table = page.lines().skip_while(|l| *l != TITLE).skip(1).take_while(|l| !l.starts_with("## "));
        let row = |line: &'_ str| -> Option<(String, String, usize)> {
            let (target, rest) = line.strip_prefix("| ")?.split_once(" | ")?;
            let (count, reason) = rest.strip_suffix(" |")?.split_once(" | ")?;
            Some((target.into(), reason.into(), count.parse().ok()?))
        };
        let counts = table.filter_map(row).map(|(target, reason, count)| ((target, reason), count)).collect();
        Debt { counts }
    }

    fn count(&self, key: &(String, String)) -> usize {
        self.counts.get(key).copied().unwrap_or(0)
    }

    /// A message for each reason with more cases than in `agreed`.
    pub(crate) fn beyond(&self, agreed: &Debt) -> Vec<String> {
        let more = |(key, &count): (&(String, String), &usize)| {
            let (limit, (target, reason)) = (agreed.count(key), key);
            let message = || format!("{count} case(s) skipped on {target}, {FILE} allows {limit}: {reason}");
            (count > limit).then(message)
        };
        self.counts.iter().filter_map(more).collect()
    }
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))
}

/// A message for every reason with more cases on the pages than agreed, and for every agreed count that is now too high.
pub(crate) fn broken(root: &Path) -> Result<Vec<String>, String> {
    let agreed = Debt::agreed(root)?;
    let mut shown = Debt::default();
    for page in PAGES {
        for (key, count) in Debt::of_page(&read(root, page)?).counts {
            *shown.counts.entry(key).or_default() += count;
        }
    }
    let mut problems = shown.beyond(&agreed);
    let on_pages = |target: &str| shown.counts.keys().any(|(t, _)| t == target);
    let fewer = |(key, count): &(&(String, String), &usize)| on_pages(&key.0) && shown.count(key) < **count;
    for (key, count) in agreed.counts.iter().filter(fewer) {
        let ((target, reason), found) = (key, shown.count(key));
        problems
            .push(format!("{FILE}: {count} agreed for {target}, the pages have {found}; lower it: {reason}"));
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debt() -> Debt {
        Debt::of([("cpu", "no kernel", 1), ("tpu", "a: b", 1), ("cpu", "no kernel", 1)])
    }

    #[test]
    fn the_file_is_read_whole_or_refused() {
        assert_eq!(Debt::parse("# why\n\n2 cpu: no kernel\n1 tpu: a: b\n"), Ok(debt()));
        assert!(Debt::parse("many cpu: no kernel").is_err());
        assert!(Debt::parse("1 cpu: no kernel\n2 cpu: no kernel").is_err());
    }

    #[test]
    fn only_the_table_of_a_page_is_read() {
        let page = "# Page\n\n| cpu | 9 | no |\n\n## Skipped\n\nText.\n\n| target | cases | reason |\n|---|---|---|\n\
                    | cpu | 2 | no kernel |\n| tpu | 1 | a: b |\n\n## More\n\n| cpu | 9 | no |\n";
        assert_eq!(Debt::of_page(page), debt());
    }

    #[test]
    fn what_grows_is_beyond() {
        let agreed = Debt::of([("cpu", "no kernel", 1), ("tpu", "a: b", 5)]);
        let beyond = debt().beyond(&agreed);
        assert!(
            matches!(&beyond[..], [m] if m.contains("2 case(s)") && m.contains("allows 1")),
            "{beyond:?}"
        );
    }
}
