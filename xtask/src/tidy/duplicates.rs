//! Finds runs of lines that occur in two places.

use super::{SHOWN, Source};
use std::collections::HashMap;

/// Minimum length of a duplicate in lines.
const RUN: usize = 12;

/// Prints the share of lines in repeated runs, and the files with the most of them.
#[allow(clippy::print_stdout)]
pub(crate) fn report(sources: &[Source]) {
    let mut seen: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    let mut repeated = 0;
    let mut pairs: HashMap<(usize, usize), usize> = HashMap::new();
    let mut total = 0;
    for (file, source) in sources.iter().enumerate().filter(|(_, s)| !s.is_test()) {
        let lines: Vec<&str> = source
            .code()
            .lines()
            .map(str::trim)
            .filter(|l| l.len() > 2 && !l.starts_with("//") && !l.starts_with("use "))
            .collect();
        total += lines.len();
        let mut at = 0;
        while at + RUN <= lines.len() {
            let window = lines[at..at + RUN].to_vec();
            match seen.get(&window) {
                Some(&(other, place)) if other != file || place + RUN <= at => {
                    repeated += RUN;
                    *pairs.entry((other, file)).or_default() += RUN;
                    at += RUN;
                }
                _ => {
                    seen.entry(window).or_insert((file, at));
                    at += 1;
                }
            }
        }
    }
    let share = 100.0 * repeated as f64 / total.max(1) as f64;
    println!("Duplicated runs of {RUN} lines: {repeated} lines of {total} ({share:.1} %)");
    let mut list: Vec<_> = pairs.into_iter().collect();
    list.sort_by_key(|(pair, lines)| (std::cmp::Reverse(*lines), *pair));
    for ((a, b), lines) in list.into_iter().take(SHOWN) {
        println!("{lines:>7}  {} ~ {}", sources[a].path, sources[b].path);
    }
    println!();
}
