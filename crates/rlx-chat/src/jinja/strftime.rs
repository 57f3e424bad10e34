//! Formats the date for `strftime_now` in the formats of C's `strftime`, in English and UTC.

use super::error::{Result, fail};
use super::value::Text;
use std::time::{SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// The maximum width of a field.
const WIDEST: usize = 1000;

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

struct Moment {
    seconds: u64,
    year: u64,
    month: u64,
    day: u64,
    /// Days since the first of January.
    of_year: u64,
    /// The day of the week; 0 is Sunday.
    weekday: u64,
    hour: u64,
    minute: u64,
    second: u64,
}

/// Writes a time, in seconds since 1970, in a format. Unknown fields are copied unchanged.
pub(crate) fn strftime(format: &str, seconds: u64, out: &mut Text) -> Result<()> {
    // 9999 is the last year of Python's dates.
    if seconds > 253_402_300_799 {
        return fail("the date is after the year 9999");
    }
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let moment = Moment {
        seconds,
        year,
        month,
        day,
        of_year: days - day_number(year, 1, 1),
        weekday: (days + 4) % 7,
        hour: second / 3600,
        minute: second / 60 % 60,
        second: second % 60,
    };
    moment.write(format, out)
}

impl Moment {
    fn write(&self, format: &str, out: &mut Text) -> Result<()> {
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('%') {
            out.push(before)?;
            // Flags, a width, and modifiers that have no effect here.
            let flags = after.find(|c| !"-_0^#".contains(c)).unwrap_or(after.len());
            let (flags, tail) = after.split_at(flags);
            let digits = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
            let (width, tail) = tail.split_at(digits);
            let tail = tail.strip_prefix(['E', 'O']).unwrap_or(tail);
            let Some(code) = tail.chars().next() else {
                out.push("%")?;
                return out.push(after);
            };
            rest = &tail[code.len_utf8()..];
            let width = match width.parse::<usize>() {
                Ok(width) if width <= WIDEST => Some(width),
                Ok(_) => return fail(format!("a field of a date is wider than {WIDEST}")),
                Err(_) if width.is_empty() => None,
                Err(_) => return fail(format!("a field of a date is wider than {WIDEST}")),
            };
            if !self.field(code, flags, width, out)? {
                out.push("%")?;
                out.push(&after[..after.len() - rest.len()])?;
            }
        }
        out.push(rest)
    }

    /// Writes a field, and returns whether it is known.
    fn field(&self, code: char, flags: &str, width: Option<usize>, out: &mut Text) -> Result<bool> {
        let week = |first: u64| (self.of_year + 7 - (self.weekday + 7 - first) % 7) / 7;
        let (iso_year, iso_week) = self.iso_week();
        // A number has a width and a fill character.
        let (number, digits, fill) = match code {
            'Y' => (self.year, 0, '0'),
            'C' => (self.year / 100, 2, '0'),
            'y' => (self.year % 100, 2, '0'),
            'G' => (iso_year, 0, '0'),
            'g' => (iso_year % 100, 2, '0'),
            'm' => (self.month, 2, '0'),
            'd' => (self.day, 2, '0'),
            'e' => (self.day, 2, ' '),
            'H' => (self.hour, 2, '0'),
            'I' => ((self.hour + 11) % 12 + 1, 2, '0'),
            'k' => (self.hour, 2, ' '),
            'l' => ((self.hour + 11) % 12 + 1, 2, ' '),
            'M' => (self.minute, 2, '0'),
            'S' => (self.second, 2, '0'),
            'f' => (0, 6, '0'),
            'j' => (self.of_year + 1, 3, '0'),
            'U' => (week(0), 2, '0'),
            'W' => (week(1), 2, '0'),
            'V' => (iso_week, 2, '0'),
            'u' => ((self.weekday + 6) % 7 + 1, 1, '0'),
            'w' => (self.weekday, 1, '0'),
            's' => (self.seconds, 1, '0'),
            _ => return self.text_field(code, flags, width, out),
        };
        let fill = match flags.chars().next_back() {
            Some('-') => None,
            Some('_') => Some(" "),
            Some('0') => Some("0"),
            _ => Some(if fill == ' ' { " " } else { "0" }),
        };
        let number = number.to_string();
        if let Some(fill) = fill {
            out.push_many(fill, width.unwrap_or(digits).saturating_sub(number.len()))?;
        }
        out.push(&number)?;
        Ok(true)
    }

    fn text_field(&self, code: char, flags: &str, width: Option<usize>, out: &mut Text) -> Result<bool> {
        let month = MONTHS[(self.month as usize - 1) % 12];
        let day = DAYS[self.weekday as usize % 7];
        let noon = if self.hour < 12 { "AM" } else { "PM" };
        let mut text = Text::new(out.meter());
        let combined = match code {
            'B' => month,
            'b' | 'h' => &month[..3],
            'A' => day,
            'a' => &day[..3],
            'p' | 'P' => noon,
            // Python's `datetime.now()` has no time zone.
            'Z' | 'z' => "",
            '%' => "%",
            'n' => "\n",
            't' => "\t",
            'c' => "%a %b %e %H:%M:%S %Y",
            'x' | 'D' => "%m/%d/%y",
            'X' | 'T' => "%H:%M:%S",
            'R' => "%H:%M",
            'r' => "%I:%M:%S %p",
            'F' => "%Y-%m-%d",
            _ => return Ok(false),
        };
        if matches!(code, 'c' | 'x' | 'D' | 'X' | 'T' | 'R' | 'r' | 'F') {
            self.write(combined, &mut text)?;
        } else {
            text.push(combined)?;
        }
        let shown = match code {
            'P' => text.as_str().to_lowercase(),
            'p' if flags.contains('#') => text.as_str().to_lowercase(),
            _ if flags.contains(['^', '#']) => text.as_str().to_uppercase(),
            _ => text.as_str().to_string(),
        };
        let fill = if flags.ends_with('0') { "0" } else { " " };
        out.push_many(fill, width.unwrap_or(0).saturating_sub(shown.len()))?;
        out.push(&shown)?;
        Ok(true)
    }

    /// Returns year and week of ISO 8601: weeks begin on Monday, and the first week contains the year's first
    /// Thursday.
    fn iso_week(&self) -> (u64, u64) {
        let weekday = (self.weekday + 6) % 7;
        // The Thursday of the week as a day of the year, starting at 1; a value below 1 belongs to the previous year.
        let thursday = self.of_year + 1 + 3;
        let leap = |year: u64| {
            365 + u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)))
        };
        if thursday <= weekday {
            let days = leap(self.year - 1);
            return (self.year - 1, (thursday + days - weekday - 1) / 7 + 1);
        }
        let thursday = thursday - weekday;
        if thursday > leap(self.year) { (self.year + 1, 1) } else { (self.year, (thursday - 1) / 7 + 1) }
    }
}

/// Returns year, month and day for a day since 1970, using eras of 400 years that begin in March.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// Returns the day since 1970 for a date.
fn day_number(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::super::meter::{Limits, Meter};
    use super::super::value::Text;

    fn strftime(format: &str, seconds: u64) -> String {
        let mut out = Text::new(&Meter::new(Limits { work: 10_000, memory: 100_000 }));
        super::strftime(format, seconds, &mut out).unwrap();
        out.into_string()
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        // date -u -d @1709212345 '+%A %d %B %Y, %H:%M:%S %j %p'
        let all = "%A %d %B %Y, %H:%M:%S %j %p";
        assert_eq!(strftime(all, 1_709_212_345), "Thursday 29 February 2024, 13:12:25 060 PM");
        assert_eq!(strftime("%d %b %y %-d.%-m. %I %a %%%q%", 0), "01 Jan 70 1.1. 12 Thu %%q%");
        assert_eq!(strftime("%F %T %j", 1_798_761_599), "2026-12-31 23:59:59 365");
        // date -u -d @T '+%G %V %U %W %u %w %c|%D %R %r|%10Y %_d %^a %k %l %C'
        let more = "%G %V %U %W %u %w %c|%D %R %r|%10Y %_d %^a %k %l %C";
        assert_eq!(
            strftime(more, 1_104_537_600),
            "2004 53 00 00 6 6 Sat Jan  1 00:00:00 2005|01/01/05 00:00 12:00:00 AM|0000002005  1 SAT  0 12 20"
        );
        assert_eq!(strftime("%G-W%V-%u", 1_230_768_000), "2009-W01-4");
        assert_eq!(strftime("%G-W%V-%u", 1_230_681_600), "2009-W01-3");
        assert_eq!(strftime("%G-W%V-%u", 1_262_476_800), "2009-W53-7");
    }
}
