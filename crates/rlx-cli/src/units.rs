//! Formats counts, bytes and durations for people.

use std::time::Duration;

/// A count with a decimal prefix: `22.7 M`.
pub fn count(n: usize) -> String {
    scaled(n as f64, 1000.0, ["", " k", " M", " G", " T"])
}

/// A number of bytes with a binary prefix: `86.6 MiB`.
pub fn bytes(n: usize) -> String {
    scaled(n as f64, 1024.0, [" bytes", " KiB", " MiB", " GiB", " TiB"])
}

/// A duration in a suitable unit: `1.25 ms`.
pub fn duration(took: Duration) -> String {
    let text = format!("{took:.2?}");
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    format!("{number} {unit}")
}

/// Bytes per second: `11.2 MiB/s`.
pub fn byte_rate(mut per_second: f64) -> String {
    let mut prefixes = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"].into_iter();
    let mut unit = prefixes.next().unwrap_or_default();
    // Values that would be rounded up to 1024 take the next prefix.
    while per_second >= 1023.5
        && let Some(next) = prefixes.next()
    {
        (per_second, unit) = (per_second / 1024.0, next);
    }
    format!("{} {unit}", three_digits(per_second))
}

/// A measured number with three significant digits: `0.0123`, `7.60`, `133`, `18300`.
pub fn three_digits(n: f64) -> String {
    let rounded: f64 = format!("{n:.2e}").parse().unwrap_or(n);
    let whole = if rounded == 0.0 { 0 } else { rounded.abs().log10().floor() as i32 };
    format!("{rounded:.*}", (2 - whole).clamp(0, 9) as usize)
}

fn scaled(mut n: f64, step: f64, prefixes: [&str; 5]) -> String {
    let mut prefixes = prefixes.into_iter().peekable();
    let first = n < step;
    // Values that would be rounded up to a whole step take the next prefix.
    while n >= step - 0.05 && !first && prefixes.len() > 1 {
        n /= step;
        prefixes.next();
    }
    let prefix = prefixes.next().unwrap_or_default();
    if first { format!("{n}{prefix}") } else { format!("{n:.1}{prefix}") }
}

/// The text with every `N bytes` converted to units.
pub fn in_text(text: &str) -> String {
    let mut out = String::new();
    let mut words = text.split_inclusive([' ', '\n']).peekable();
    while let Some(word) = words.next() {
        let digits = word.trim_end().trim_start_matches('(');
        match (digits.parse(), words.peek().and_then(|next| next.strip_prefix("bytes"))) {
            (Ok(n), Some(after)) => {
                let open = if word.starts_with('(') { "(" } else { "" };
                out.push_str(&format!("{open}{}{after}", bytes(n)));
                words.next();
            }
            _ => out.push_str(word),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_prefix_that_leaves_the_fewest_digits() {
        assert_eq!([0, 999, 1000, 22_713_216].map(count), ["0", "999", "1.0 k", "22.7 M"]);
        assert_eq!([999_960, 999_999_999].map(count), ["1.0 M", "1.0 G"]);
        assert_eq!([1, 1023, 1024, 90_852_864].map(bytes), ["1 bytes", "1023 bytes", "1.0 KiB", "86.6 MiB"]);
    }

    #[test]
    fn durations_take_the_unit_that_suits_them() {
        let shown = [548, 59_040, 9_921_000, 1_500_000_000].map(|ns| duration(Duration::from_nanos(ns)));
        assert_eq!(shown, ["548.00 ns", "59.04 µs", "9.92 ms", "1.50 s"]);
    }

    #[test]
    fn rates_have_three_digits() {
        let shown = [0.0, 0.012_345, 7.6, 9.999, 133.21, 999.6, 18_349.0].map(three_digits);
        assert_eq!(shown, ["0.00", "0.0123", "7.60", "10.0", "133", "1000", "18300"]);
        let shown = [512.0, 1023.7, 11.24 * 1048576.0].map(byte_rate);
        assert_eq!(shown, ["512 B/s", "1.00 KiB/s", "11.2 MiB/s"]);
    }

    #[test]
    fn bytes_in_a_text_are_put_in_units() {
        let text =
            "2 threads\narena 3276992 bytes (46657920 bytes without reuse), 69 steps\ncode: 2048 bytes\n";
        let expected = "2 threads\narena 3.1 MiB (44.5 MiB without reuse), 69 steps\ncode: 2.0 KiB\n";
        assert_eq!(in_text(text), expected);
    }
}
