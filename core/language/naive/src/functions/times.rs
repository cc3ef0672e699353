//! Times: `formatdate`, `timeadd`, `timecmp` (FN39).

use planfuzz_core::value::{Number, Type, Value};
use planfuzz_language::expression::Marked;

use super::{ARGUMENT, Answer, CALL, all_marks, converted, text, typed};

const S: Type = Type::String;
const NANOS: i128 = 1_000_000_000;

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    Some(match name {
        // The unknown result has no refinements.
        "timeadd" if a.iter().any(|x| x.value.is_unknown()) => {
            converted(a, &[S, S]).map(|_| Marked::from(Value::unknown(S)).with(all_marks(a)))
        }
        "timeadd" => typed(a, &[S, S], &S, |v| {
            let time = Time::strict(text(&v[0])).ok_or(CALL)?;
            let nanos = time.nanos + duration(text(&v[1])).ok_or(CALL)?;
            Ok(Value::string(&Time { nanos, ..time }.shown().ok_or(CALL)?))
        }),
        "timecmp" => typed(a, &[S, S], &Type::Number, |v| {
            let time = |value| Time::parse(text(value)).ok_or(ARGUMENT);
            Ok(Value::number(Number::of_sign(time(&v[0])?.nanos.cmp(&time(&v[1])?.nanos))))
        }),
        "formatdate" => typed(a, &[S, S], &S, |v| {
            let time = Time::strict(text(&v[1])).ok_or(ARGUMENT)?;
            Ok(Value::string(&format(text(&v[0]), time).ok_or(ARGUMENT)?))
        }),
        _ => return None,
    })
}

/// A point in time as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Time {
    /// Nanoseconds since 1970 began in UTC.
    nanos: i128,
    /// Offset of the zone from UTC, in minutes.
    zone: i32,
    /// Whether the zone was written as `Z`.
    is_utc: bool,
}

/// A date and a time of a day.
struct Civil {
    year: i64,
    month: i64,
    day: i64,
    /// 0 is Sunday.
    weekday: usize,
    seconds: i64,
}

/// Parses `count` digits.
fn digits(rest: &mut &str, count: usize) -> Option<i64> {
    let (number, after) = rest.split_at_checked(count)?;
    let found = number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok()).flatten()?;
    *rest = after;
    Some(found)
}

fn sign(rest: &mut &str, sign: char) -> Option<()> {
    *rest = rest.strip_prefix(sign)?;
    Some(())
}

impl Time {
    /// Strict RFC 3339: a point before the fraction, hours of two digits, and a zone within a day.
    pub(super) fn strict(written: &str) -> Option<Time> {
        let is_zone = match written.as_bytes().last_chunk() {
            Some([b'+' | b'-', hour, hours, b':', tens, _]) => [*hour, *hours] < *b"24" && *tens < b'6',
            _ => true,
        };
        let is_strict = is_zone && !written.contains(',') && written.as_bytes().get(13) == Some(&b':');
        Time::parse(written).filter(|_| is_strict)
    }

    /// RFC 3339, and more: a comma before the fraction, hours of one digit, zones of 24 hours and 60 minutes.
    pub(super) fn parse(written: &str) -> Option<Time> {
        let rest = &mut { written };
        let year = digits(rest, 4)?;
        sign(rest, '-')?;
        let month = digits(rest, 2).filter(|month| (1..=12).contains(month))?;
        sign(rest, '-')?;
        let day = digits(rest, 2).filter(|&day| day >= 1 && day <= days_of_month(year, month))?;
        sign(rest, 'T')?;
        let hour = digits(rest, 2).or_else(|| digits(rest, 1)).filter(|hour| *hour < 24)?;
        sign(rest, ':')?;
        let minute = digits(rest, 2).filter(|minute| *minute < 60)?;
        sign(rest, ':')?;
        let second = digits(rest, 2).filter(|second| *second < 60)?;
        let mut nanos = 0;
        if let Some(after) = rest.strip_prefix(['.', ',']) {
            let count = after.bytes().take_while(u8::is_ascii_digit).count();
            let fraction = after[..count].bytes().chain(std::iter::repeat(b'0')).take(9);
            nanos = fraction.fold(0_i128, |sum, digit| sum * 10 + i128::from(digit - b'0'));
            *rest = &after[count..];
            if count == 0 {
                return None;
            }
        }
        let (zone, is_utc) = if *rest == "Z" { (0, true) } else { (zone(rest)?, false) };
        let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        let nanos = i128::from(seconds - i64::from(zone) * 60) * NANOS + nanos;
        Some(Time { nanos, zone, is_utc })
    }

    fn civil(self) -> Option<Civil> {
        let seconds = i64::try_from(self.nanos.div_euclid(NANOS)).ok()? + i64::from(self.zone) * 60;
        let days = seconds.div_euclid(86_400);
        // A year has at least 365 days: the guess is never too small, and at most a few years too great.
        let mut year = 1970 + days.div_euclid(365);
        while days_since_1970(year, 1, 1) > days {
            year -= (days_since_1970(year, 1, 1) - days) / 366 + 1;
        }
        while days_since_1970(year + 1, 1, 1) <= days {
            year += 1;
        }
        let mut day = days - days_since_1970(year, 1, 1) + 1;
        let mut month = 1;
        while day > days_of_month(year, month) {
            day -= days_of_month(year, month);
            month += 1;
        }
        let weekday = usize::try_from((days + 4).rem_euclid(7)).ok()?;
        Some(Civil { year, month, day, weekday, seconds: seconds.rem_euclid(86_400) })
    }

    fn offset(self, between: &str) -> String {
        let sign = if self.zone < 0 { '-' } else { '+' };
        let minutes = self.zone.abs();
        format!("{sign}{:02}{between}{:02}", minutes / 60, minutes % 60)
    }

    pub(super) fn shown(self) -> Option<String> {
        let Civil { year, month, day, seconds, .. } = self.civil()?;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let zone = if self.is_utc || self.zone == 0 { "Z".to_owned() } else { self.offset(":") };
        let year = if year < 0 { format!("-{:04}", -year) } else { format!("{year:04}") };
        Some(format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
    }
}

/// `±hh:mm` in minutes.
fn zone(rest: &mut &str) -> Option<i32> {
    let is_west = rest.starts_with('-');
    *rest = rest.strip_prefix(['+', '-'])?;
    let hours = digits(rest, 2).filter(|hours| *hours <= 24)?;
    sign(rest, ':')?;
    let minutes = digits(rest, 2).filter(|minutes| *minutes <= 60)?;
    let minutes = i32::try_from(hours * 60 + minutes).ok()?;
    rest.is_empty().then_some(if is_west { -minutes } else { minutes })
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let years = (year - 1970) * 365 + leaps(before) - leaps(1969);
    years + (1..month).map(|month| days_of_month(year, month)).sum::<i64>() + day - 1
}

/// A duration such as `-1h30m` in nanoseconds; `None` if it does not fit into 64 bits.
fn duration(written: &str) -> Option<i128> {
    let (is_negative, mut rest) = match written.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, written.strip_prefix('+').unwrap_or(written)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total: i128 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, after) = rest.split_at(number(rest));
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(number(after)),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let end = after.find(|letter: char| letter == '.' || letter.is_ascii_digit()).unwrap_or(after.len());
        let unit: i128 = match &after[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => NANOS,
            "m" => 60 * NANOS,
            "h" => 3600 * NANOS,
            _ => return None,
        };
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part: String = fraction.chars().take(18).collect();
        let scale = 10_i128.pow(u32::try_from(part.len()).ok()?);
        let part: i128 = if part.is_empty() { 0 } else { part.parse().ok()? };
        total = total.checked_add(whole.checked_mul(unit)?)?.checked_add(part * unit / scale)?;
        rest = &after[end..];
    }
    let total = if is_negative { -total } else { total };
    i64::try_from(total).ok().map(i128::from)
}

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

/// Formats a time: runs of one letter are parts of it, text in single quotes and other characters are copied.
fn format(form: &str, time: Time) -> Option<String> {
    let civil = time.civil()?;
    let mut out = String::new();
    let mut rest = form;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            rest = quoted(&rest[1..], &mut out)?;
        } else if first.is_ascii_alphabetic() {
            let count = rest.chars().take_while(|letter| *letter == first).count();
            out.push_str(&part(&rest[..count], &civil, time)?);
            rest = &rest[count..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Some(out)
}

/// Copies quoted text after its opening quote; returns the text after the closing one. A doubled quote is a literal one: alone, within the
/// text, and at the end of the form, which then needs no closing quote.
fn quoted<'t>(mut rest: &'t str, out: &mut String) -> Option<&'t str> {
    if let Some(after) = rest.strip_prefix('\'') {
        out.push('\'');
        return Some(after);
    }
    loop {
        let (before, after) = rest.split_once('\'')?;
        out.push_str(before);
        match after.strip_prefix('\'') {
            Some("") => {
                out.push('\'');
                return Some("");
            }
            Some(after) => {
                out.push('\'');
                rest = after;
            }
            None => return Some(after),
        }
    }
}

fn part(verb: &str, civil: &Civil, time: Time) -> Option<String> {
    let (hour, minute, second) = (civil.seconds / 3600, civil.seconds / 60 % 60, civil.seconds % 60);
    let half = if hour % 12 == 0 { 12 } else { hour % 12 };
    let month = MONTHS[usize::try_from(civil.month - 1).ok()?];
    let day = DAYS[civil.weekday];
    Some(match verb {
        "YYYY" => format!("{:04}", civil.year),
        "YY" => format!("{:02}", civil.year.rem_euclid(100)),
        "MMMM" => month.to_owned(),
        "MMM" => month[..3].to_owned(),
        "MM" => format!("{:02}", civil.month),
        "M" => civil.month.to_string(),
        "DD" => format!("{:02}", civil.day),
        "D" => civil.day.to_string(),
        "EEEE" => day.to_owned(),
        "EEE" => day[..3].to_owned(),
        "hh" => format!("{hour:02}"),
        "h" => hour.to_string(),
        "HH" => format!("{half:02}"),
        "H" => half.to_string(),
        "AA" => if hour < 12 { "AM" } else { "PM" }.to_owned(),
        "aa" => if hour < 12 { "am" } else { "pm" }.to_owned(),
        "mm" => format!("{minute:02}"),
        "m" => minute.to_string(),
        "ss" => format!("{second:02}"),
        "s" => second.to_string(),
        "Z" if time.zone == 0 => "Z".to_owned(),
        "ZZZ" if time.zone == 0 => "UTC".to_owned(),
        "Z" | "ZZZZZ" => time.offset(":"),
        "ZZZ" | "ZZZZ" => time.offset(""),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_calendars_do() {
        for (written, shown) in [
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("2024-02-29T23:59:59.999+05:30", "2024-02-29T23:59:59+05:30"),
            ("1900-03-01T00:00:00-12:00", "1900-03-01T00:00:00-12:00"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Time::parse(written).and_then(Time::shown).as_deref(), Some(shown));
        }
        assert_eq!(Time::parse("1900-02-29T00:00:00Z"), None);
        assert_eq!(Time::parse("1970-01-01T00:00:00Z").map(|time| time.nanos), Some(0));
    }

    #[test]
    fn a_day_has_its_name() {
        let time = Time::parse("2024-02-29T12:30:00Z").expect("a time");
        let shown = format("EEEE, DD-MMM-YY hh:mm:ss ZZZ 'o''clock' H AA", time);
        assert_eq!(shown.as_deref(), Some("Thursday, 29-Feb-24 12:30:00 UTC o'clock 12 PM"));
        assert_eq!(format("YYY", time), None);
        assert_eq!(format("'open", time), None);
    }

    #[test]
    fn durations_are_sums() {
        assert_eq!(duration("-1h30m"), Some(-5400 * NANOS));
        assert_eq!(duration("1.5s.5ms"), Some(1_500_500_000));
        for wrong in ["", "-", "1", "1x", ".s", "3000000h"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
