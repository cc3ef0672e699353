//! Points in time (FN39), as days and nanoseconds of a day in the zone of their text.

use planfuzz_core::value::{Number, Value};

use super::{Given, Made, Wrong, number, text};

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// `timeadd`
pub(crate) fn add(given: &Given<'_, '_>) -> Made {
    if given.value(0)?.is_unknown() || given.value(1)?.is_unknown() {
        // The result may even be null.
        return Ok(Value::unknown(planfuzz_core::value::Type::String).into());
    }
    let moment = with_point(given.text(0)?).ok_or(Wrong::Call)?;
    let nanoseconds = duration(given.text(1)?).ok_or(Wrong::Call)?;
    let moved = Moment { local: moment.local + nanoseconds, ..moment };
    text(&moved.rfc3339().ok_or(Wrong::Call)?)
}

/// `timecmp`
pub(crate) fn compare(given: &Given<'_, '_>) -> Made {
    let utc = |at| Moment::read(given.text(at)?).map(Moment::utc).ok_or(Wrong::Argument);
    let (a, b) = (utc(0)?, utc(1)?);
    number(Number::of_sign(a.cmp(&b)))
}

/// `formatdate`
pub(crate) fn format(given: &Given<'_, '_>) -> Made {
    let moment = with_point(given.text(1)?).ok_or(Wrong::Argument)?;
    text(&moment.formatted(given.text(0)?).ok_or(Wrong::Argument)?)
}

/// `plantimestamp`: unknown during validation.
pub(crate) fn of_plan(given: &Given<'_, '_>) -> Made {
    match &given.machine.slots.surroundings().plan_time {
        Some(time) => text(time.as_str()),
        None => Ok(crate::make::not_null(planfuzz_core::value::Type::String).into()),
    }
}

/// RFC 3339 to the letter; `timecmp` alone takes more: a comma before the fraction, hours of one digit, zones of 24 hours.
fn with_point(written: &str) -> Option<Moment> {
    let bytes = written.as_bytes();
    if written.contains(',') || bytes.get(13) != Some(&b':') {
        return None;
    }
    if let Some([b'+' | b'-', hours @ .., b':', tens, _]) = bytes.last_chunk::<6>()
        && (hours[..] >= b"24"[..] || *tens > b'5')
    {
        return None;
    }
    Moment::read(written)
}

/// A moment in the local time of its zone.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    /// Nanoseconds since the first of March of the year 0, by the local clock.
    local: i128,
    /// Offset of the local time from UTC, in minutes.
    ahead: i128,
}

struct Day {
    year: i128,
    month: usize,
    day: i128,
    weekday: usize,
}

/// Parses `count` digits from position `from`.
fn digits(bytes: &[u8], from: usize, count: usize) -> Option<i128> {
    let part = bytes.get(from..from + count)?;
    part.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i128::from(byte - b'0')))
}

/// Days since the first of March of the year 0; years begin in March, so that leap days come last.
fn day_number(year: i128, month: i128, day: i128) -> i128 {
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day - 1
}

fn is_date(year: i128, month: i128, day: i128) -> bool {
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    (1..=12).contains(&month) && day >= 1 && day_number(year, month, day) < day_number(next.0, next.1, 1)
}

impl Moment {
    /// RFC 3339.
    pub fn read(written: &str) -> Option<Moment> {
        let padded = match written.as_bytes().get(12) {
            Some(b':') if written.is_char_boundary(11) => format!("{}0{}", &written[..11], &written[11..]),
            _ => written.to_owned(),
        };
        let bytes = padded.as_bytes();
        let signs = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if bytes.len() < 20 || signs.iter().any(|(at, sign)| bytes[*at] != *sign) {
            return None;
        }
        let (year, month, day) = (digits(bytes, 0, 4)?, digits(bytes, 5, 2)?, digits(bytes, 8, 2)?);
        let (hour, minute, second) = (digits(bytes, 11, 2)?, digits(bytes, 14, 2)?, digits(bytes, 17, 2)?);
        if !is_date(year, month, day) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut at = 19;
        let mut fraction = 0;
        if matches!(bytes[at], b'.' | b',') {
            let count = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let kept = count.min(9);
            fraction = digits(bytes, at + 1, kept).filter(|_| count > 0)? * 10_i128.pow(9 - kept as u32);
            at += 1 + count;
        }
        let ahead = zone(&bytes[at..])?;
        let seconds = (hour * 60 + minute) * 60 + second;
        Some(Moment { local: day_number(year, month, day) * DAY + seconds * SECOND + fraction, ahead })
    }

    fn utc(self) -> i128 {
        self.local - self.ahead * 60 * SECOND
    }

    fn day(self) -> Day {
        let days = self.local.div_euclid(DAY);
        // A first estimate by the mean length of a year; years begin in March.
        let mut year = (days * 400).div_euclid(146_097);
        while day_number(year, 3, 1) > days {
            year -= 1;
        }
        while day_number(year + 1, 3, 1) <= days {
            year += 1;
        }
        let rest = days - day_number(year, 3, 1);
        let month = (5 * rest + 2) / 153;
        let day = rest - (153 * month + 2) / 5 + 1;
        let month = (month + 2) % 12 + 1;
        // The first of March of the year 0 was a Wednesday.
        Day {
            year: year + i128::from(month < 3),
            month: month as usize,
            day,
            weekday: (days + 3).rem_euclid(7) as usize,
        }
    }

    fn clock(self) -> (i128, i128, i128) {
        let seconds = self.local.rem_euclid(DAY) / SECOND;
        (seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    fn zone(self, between: &str) -> String {
        let sign = if self.ahead < 0 { '-' } else { '+' };
        format!("{sign}{:02}{between}{:02}", self.ahead.abs() / 60, self.ahead.abs() % 60)
    }

    /// Without fractions of a second.
    pub fn rfc3339(self) -> Option<String> {
        let Day { year, month, day, .. } = self.day();
        let (hour, minute, second) = self.clock();
        let zone = if self.ahead == 0 { "Z".to_owned() } else { self.zone(":") };
        let sign = if year < 0 { "-" } else { "" };
        Some(format!("{sign}{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}", year.abs()))
    }

    fn formatted(self, form: &str) -> Option<String> {
        let mut out = String::new();
        let mut letters = form.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter == '\'' {
                quoted(&mut letters, &mut out)?;
                continue;
            }
            if !letter.is_ascii_alphabetic() {
                out.push(letter);
                continue;
            }
            let mut count = 1;
            while letters.next_if_eq(&letter).is_some() {
                count += 1;
            }
            out.push_str(&self.part(letter, count)?);
        }
        Some(out)
    }

    fn part(self, letter: char, count: usize) -> Option<String> {
        let Day { year, month, day, weekday } = self.day();
        let (hour, minute, second) = self.clock();
        let padded = |number: i128| match count {
            1 => Some(number.to_string()),
            2 => Some(format!("{number:02}")),
            _ => None,
        };
        let named = |names: &[&str], at: usize| match count {
            3 => Some(names[at][..3].to_owned()),
            4 => Some(names[at].to_owned()),
            _ => None,
        };
        match (letter, count) {
            ('Y', 4) => Some(format!("{year:04}")),
            ('Y', 2) => Some(format!("{:02}", year.rem_euclid(100))),
            ('M', 1 | 2) => padded(month as i128),
            ('M', _) => named(&MONTHS, month - 1),
            ('D', _) => padded(day),
            ('E', _) => named(&WEEKDAYS, weekday),
            ('h', _) => padded(hour),
            ('H', _) => padded((hour + 11) % 12 + 1),
            ('m', _) => padded(minute),
            ('s', _) => padded(second),
            ('A', 2) => Some(if hour < 12 { "AM" } else { "PM" }.to_owned()),
            ('a', 2) => Some(if hour < 12 { "am" } else { "pm" }.to_owned()),
            ('Z', 1) if self.ahead == 0 => Some("Z".to_owned()),
            ('Z', 3) if self.ahead == 0 => Some("UTC".to_owned()),
            ('Z', 1 | 5) => Some(self.zone(":")),
            ('Z', 3 | 4) => Some(self.zone("")),
            _ => None,
        }
    }
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
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// `Z` or `±hh:mm`, in minutes.
fn zone(bytes: &[u8]) -> Option<i128> {
    match bytes {
        b"Z" => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (digits(bytes, 1, 2)?, digits(bytes, 4, 2)?);
            let is_zone = hours <= 24 && minutes <= 60;
            let minutes = hours * 60 + minutes;
            is_zone.then_some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => None,
    }
}

/// Parses a duration such as `1h30m`, in nanoseconds; the sum has to fit into 64 bits.
fn duration(written: &str) -> Option<i128> {
    const UNITS: [(&str, i128); 8] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("μs", 1_000),
        ("ms", 1_000_000),
        ("s", SECOND),
        ("m", 60 * SECOND),
        ("h", 3600 * SECOND),
    ];
    let (sign, mut rest) = match written.as_bytes().first()? {
        b'-' => (-1, &written[1..]),
        b'+' => (1, &written[1..]),
        _ => (1, written),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum = 0_i128;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (figures, after) = rest.split_at(end);
        let end = after.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let unit = UNITS.iter().find(|entry| entry.0 == unit)?.1;
        let (whole, fraction) = figures.split_once('.').unwrap_or((figures, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let fraction = &fraction[..fraction.len().min(18)];
        let scale = 10_i128.pow(fraction.len() as u32);
        let fraction: i128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
        sum = sum.checked_add(whole.checked_mul(unit)?)?.checked_add(fraction * unit / scale)?;
        rest = after;
    }
    i64::try_from(sum * sign).ok().map(i128::from)
}

/// Converts a YAML timestamp (a date, alone or with a time) to RFC 3339.
pub(super) fn of_yaml(written: &str) -> Option<Value> {
    let (date, time) = match written.find(['T', 't', ' ']) {
        Some(at) => (&written[..at], Some((&written[at..=at], &written[at + 1..]))),
        None => (written, None),
    };
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, padded(parts.next()?)?, padded(parts.next()?)?);
    if year.len() != 4 || parts.next().is_some() {
        return None;
    }
    let clock = match time {
        None => "00:00:00Z".to_owned(),
        Some((sign, time)) => {
            let end = time.find(['Z', '+', '-']).unwrap_or(time.len());
            let (clock, zone) = time.split_at(end);
            // A time after a space has no zone; every other time has one.
            if zone.is_empty() != (sign == " ") {
                return None;
            }
            let mut parts = clock.split(':');
            let (hour, minute, second) = (padded(parts.next()?)?, padded(parts.next()?)?, parts.next()?);
            if parts.next().is_some() || second.contains(',') {
                return None;
            }
            let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
            let point = if fraction.is_empty() { "" } else { "." };
            format!("{hour}:{minute}:{}{point}{fraction}{}", padded(second)?, if zone.is_empty() { "Z" } else { zone })
        }
    };
    with_point(&format!("{year}-{month}-{day}T{clock}"))?.rfc3339().map(|time| Value::string(&time))
}

/// Pads one digit to two.
fn padded(digits: &str) -> Option<String> {
    let is_number = matches!(digits.len(), 1 | 2) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| format!("{digits:0>2}"))
}

/// Reads quoted text of a date form after its opening quote: a second quote means a literal quote; otherwise all up to a quote that is not
/// doubled. A form may end after a doubled quote.
fn quoted(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> Option<()> {
    if letters.next_if_eq(&'\'').is_some() {
        out.push('\'');
        return Some(());
    }
    loop {
        let letter = letters.next()?;
        if letter != '\'' {
            out.push(letter);
        } else if letters.next_if_eq(&'\'').is_none() {
            return Some(());
        } else {
            out.push('\'');
            if letters.peek().is_none() {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fn39_days_are_those_of_the_calendar() {
        for written in
            ["0000-01-01T00:00:00Z", "1600-02-29T23:59:59Z", "1970-01-01T00:00:00Z", "9999-12-31T00:00:00-12:00"]
        {
            assert_eq!(Moment::read(written).and_then(Moment::rfc3339).as_deref(), Some(written));
        }
        let moment = Moment::read("2024-02-29T12:30:00Z").expect("a time");
        assert_eq!(moment.formatted("EEEE 'o''clock' H aa YY").as_deref(), Some("Thursday o'clock 12 pm 24"));
        assert!(Moment::read("1900-02-29T00:00:00Z").is_none());
        assert_eq!(duration("-1h1.5s"), Some(-3_601_500_000_000));
    }
}
