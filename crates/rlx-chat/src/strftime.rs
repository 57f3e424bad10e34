//! `strftime_now`: the date, in the formats that templates ask for. Time is UTC.

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
const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A moment in a format of C's `strftime`; what is not known is kept as it is.
pub(crate) fn strftime(format: &str, seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let first = day_number(year, 1, 1);
    let mut out = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let Some(mut code) = rest.next() else {
            out.push('%');
            break;
        };
        // With a dash numbers are as short as they are.
        let dense = code == '-';
        if dense {
            code = rest.next().unwrap_or('-');
        }
        let two = |n: u64| if dense { n.to_string() } else { format!("{n:02}") };
        let month_name = MONTHS[month as usize - 1];
        let day_name = DAYS[(days % 7) as usize];
        out += &match code {
            'Y' => year.to_string(),
            'y' => two(year % 100),
            'm' => two(month),
            'd' => two(day),
            'e' => format!("{day:2}"),
            'H' => two(hour),
            'I' => two((hour + 11) % 12 + 1),
            'M' => two(minute),
            'S' => two(second % 60),
            'p' => if hour < 12 { "AM" } else { "PM" }.to_string(),
            'j' => format!("{:03}", days - first + 1),
            'B' => month_name.to_string(),
            'b' | 'h' => month_name[..3].to_string(),
            'A' => day_name.to_string(),
            'a' => day_name[..3].to_string(),
            'F' => format!("{year}-{month:02}-{day:02}"),
            'T' => format!("{hour:02}:{minute:02}:{:02}", second % 60),
            'Z' => "UTC".into(),
            'z' => "+0000".into(),
            '%' => "%".into(),
            other => format!("%{other}"),
        };
    }
    out
}

/// Year, month and day of a day since 1970, by eras of 400 years that begin in March.
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

/// The day since 1970 of a date.
fn day_number(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // date -u -d @1709212345 '+%A %d %B %Y, %H:%M:%S %j %p'
        let all = "%A %d %B %Y, %H:%M:%S %j %p";
        assert_eq!(strftime(all, 1_709_212_345), "Thursday 29 February 2024, 13:12:25 060 PM");
        assert_eq!(strftime("%d %b %y %-d.%-m. %I %a %%%q%", 0), "01 Jan 70 1.1. 12 Thu %%q%");
        assert_eq!(strftime("%F %T %j", 1_798_761_599), "2026-12-31 23:59:59 365");
    }
}
