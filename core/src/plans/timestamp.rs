//! The time of a plan.

use std::fmt;

/// A time in RFC 3339: `2025-01-02T03:04:05Z`. Engines write UTC with whole seconds; they read any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Timestamp(String);

/// The error for a text that is no such time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a timestamp such as 2025-01-02T03:04:05Z, found {0:?}")]
pub struct TimestampError(String);

impl Timestamp {
    /// Reads a time.
    ///
    /// # Errors
    /// Any other text than a date-time of RFC 3339; leap seconds are refused too.
    pub fn parse(text: &str) -> Result<Timestamp, TimestampError> {
        match is_moment(text) {
            Some(()) => Ok(Timestamp(text.to_owned())),
            None => Err(TimestampError(text.chars().take(60).collect())),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn is_moment(text: &str) -> Option<()> {
    let (date, time) = text.split_once('T')?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    within(month, 1..=12)?;
    within(day, 1..=days)?;
    let (clock, rest) = time.split_at_checked(8)?;
    is_clock(numbers(clock, ':', [2, 2, 2])?)?;
    let zone = match rest.strip_prefix('.') {
        None => rest,
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|char: char| char.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
    };
    match zone.strip_prefix(['+', '-']) {
        None => (zone == "Z").then_some(()),
        Some(offset) => {
            let [hours, minutes] = numbers(offset, ':', [2, 2])?;
            is_clock([hours, minutes, 0])
        }
    }
}

fn is_clock([hours, minutes, seconds]: [u32; 3]) -> Option<()> {
    within(hours, 0..=23)?;
    within(minutes, 0..=59)?;
    within(seconds, 0..=59)
}

fn within(number: u32, range: std::ops::RangeInclusive<u32>) -> Option<()> {
    range.contains(&number).then_some(())
}

/// Numbers of so many digits each, separated by `between`, and no other text.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(between);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = is_number.then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_rfc_3339_and_others() {
        for text in [
            "2025-01-02T03:04:05Z",
            "2024-02-29T23:59:59.000000001Z",
            "2000-02-29T00:00:00+23:59",
            "1999-12-31T00:00:00-00:00",
        ] {
            assert_eq!(Timestamp::parse(text).map(|moment| moment.to_string()).as_deref(), Ok(text));
        }
        for text in [
            "",
            "2025-01-02",
            "2025-01-02T03:04:05",
            "2025-01-02 03:04:05Z",
            "2025-13-02T03:04:05Z",
            "2025-02-29T03:04:05Z",
            "1900-02-29T03:04:05Z",
            "2025-04-31T03:04:05Z",
            "2025-01-00T03:04:05Z",
            "2025-01-02T24:04:05Z",
            "2025-01-02T03:04:60Z",
            "2025-01-02T03:04:05.Z",
            "2025-01-02T03:04:05+1:00",
            "2025-01-02T03:04:05+24:00",
            "2025-1-02T03:04:05Z",
            "2025-01-02T03:04:0éZ",
            "2025-01-02T03:04:05Zx",
        ] {
            assert!(Timestamp::parse(text).is_err(), "{text}");
        }
    }
}
