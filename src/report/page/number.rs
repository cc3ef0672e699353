//! Numbers and times as the page writes them.

use crate::grouped::grouped;

/// A count with its digits in threes.
pub fn exact(count: u64) -> String {
    grouped(count, '\u{202f}')
}

/// A number in few characters: `950`, `12.3k`, `4.56M`.
pub fn short(number: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| number.abs() >= *unit) else {
        return digits(number);
    };
    format!("{}{name}", digits(number / unit))
}

/// A number with three significant digits.
fn digits(number: f64) -> String {
    let decimals = match number.abs() {
        0.0 => 0,
        small if small < 10.0 => 2,
        some if some < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Nanoseconds in a unit that suits them.
pub fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        big if big >= 1e6 => format!("{} ms", digits(big / 1e6)),
        some if some >= 1e3 => format!("{} µs", digits(some / 1e3)),
        small => format!("{} ns", digits(small)),
    }
}

/// Seconds in the units that a person uses.
pub fn span(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, _) => format!("{} s", digits(seconds)),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, rest) => format!("{minutes} min {rest} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A share in per cent.
pub fn percent(share: f64) -> String {
    format!("{} %", digits(100.0 * share))
}

/// The date of a point in time; a text that is none is shown as it is, shortened.
pub fn date(time: &str) -> String {
    time.chars().take_while(|char| *char != 'T').take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_times_have_units() {
        assert_eq!(exact(1_234_567), "1\u{202f}234\u{202f}567");
        let shown = [0.0, 7.0, 99.96, 1_000.0, 12_345.0, 4_560_000.0, 0.25].map(short);
        assert_eq!(shown, ["0", "7", "100", "1k", "12.3k", "4.56M", "0.25"]);
        assert_eq!([900.0, 1_500.0, 2e6].map(time), ["900 ns", "1.5 µs", "2 ms"]);
        assert_eq!(
            [0.5, 59.0, 90.0, 1_800.0, 7_260.0].map(span),
            ["0.5 s", "59 s", "1 min 30 s", "30 min", "2 h 1 min"]
        );
        assert_eq!(date("2026-11-20T01:00:00Z"), "2026-11-20");
        assert_eq!(percent(0.1234), "12.3 %");
    }
}
