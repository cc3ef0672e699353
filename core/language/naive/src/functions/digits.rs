//! Decimal digits of numbers, and the number verbs of `format` (FN18).
//!
//! Numbers are not rounded to machine floats: all their digits count.

use planfuzz_core::value::Number;

/// The sign, the digits without zeros at either end, and where the point stands: 0.DIGITS times ten to the power of `point`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// The fewest digits that identify a number; `None` for an infinity.
    pub(super) fn shortest(number: &Number) -> Option<Decimal> {
        Decimal::read(&number.text())
    }

    /// All digits of a number.
    pub(super) fn whole(number: &Number) -> Option<Decimal> {
        number.all_digits().and_then(|text| Decimal::read(&text))
    }

    fn read(text: &str) -> Option<Decimal> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: Vec<u8> = whole.bytes().chain(part.bytes()).collect();
        if !all.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let zeros = all.iter().take_while(|&&digit| digit == b'0').count();
        let end = all.iter().rposition(|&digit| digit != b'0').map_or(zeros, |last| last + 1);
        let point = i64::try_from(whole.len()).ok()? + power.parse::<i64>().ok()? - i64::try_from(zeros).ok()?;
        let digits = all[zeros.min(end)..end].to_vec();
        let point = if digits.is_empty() { 1 } else { point };
        Some(Decimal { negative, digits, point })
    }

    /// Rounded to `count` digits; a half goes to the even digit.
    fn rounded(&self, count: i64) -> Decimal {
        let Ok(keep) = usize::try_from(count) else {
            return Decimal { digits: Vec::new(), ..self.clone() };
        };
        if keep >= self.digits.len() {
            return self.clone();
        }
        let (kept, rest) = self.digits.split_at(keep);
        let odd = kept.last().is_some_and(|digit| digit % 2 == 1);
        let up = rest[0] > b'5' || (rest[0] == b'5' && (rest.len() > 1 || odd));
        let (mut kept, mut point) = (kept.to_vec(), self.point);
        if up {
            match kept.iter().rposition(|&digit| digit != b'9') {
                Some(at) => {
                    kept[at] += 1;
                    kept.truncate(at + 1);
                }
                None => {
                    kept = vec![b'1'];
                    point += 1;
                }
            }
        }
        let end = kept.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
        kept.truncate(end);
        Decimal { negative: self.negative, digits: kept, point }
    }

    fn digit(&self, at: i64) -> char {
        let found = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
        found.map_or('0', |&digit| char::from(digit))
    }

    /// `%f`, without the sign.
    pub(super) fn fixed(&self, precision: usize) -> String {
        let precision_i = i64::try_from(precision).unwrap_or(i64::MAX);
        let number = self.rounded(self.point.saturating_add(precision_i));
        let point = if number.digits.is_empty() { 1 } else { number.point };
        let mut out = String::new();
        if point <= 0 {
            out.push('0');
        }
        (0..point).for_each(|at| out.push(number.digit(at)));
        if precision > 0 {
            out.push('.');
            (point..point + precision_i).for_each(|at| out.push(number.digit(at)));
        }
        out
    }

    /// `%e`, without the sign; without a precision, as many digits as there are.
    pub(super) fn scientific(&self, precision: Option<usize>) -> String {
        let own = self.digits.len().saturating_sub(1);
        let precision = precision.unwrap_or(own);
        let number = self.rounded(i64::try_from(precision).unwrap_or(i64::MAX).saturating_add(1));
        let mut out = String::new();
        out.push(number.digit(0));
        if precision > 0 {
            out.push('.');
            (1..=precision).for_each(|at| out.push(number.digit(i64::try_from(at).unwrap_or(i64::MAX))));
        }
        let power = if number.digits.is_empty() { 0 } else { number.point - 1 };
        let sign = if power < 0 { '-' } else { '+' };
        out.push_str(&format!("e{sign}{:02}", power.unsigned_abs()));
        out
    }

    /// `%g`, without the sign.
    pub(super) fn general(&self, precision: Option<usize>) -> String {
        let wanted = precision.map(|precision| precision.max(1));
        let number = match wanted {
            Some(wanted) => self.rounded(i64::try_from(wanted).unwrap_or(i64::MAX)),
            None => self.clone(),
        };
        let count = i64::try_from(number.digits.len()).unwrap_or(i64::MAX);
        let limit = match wanted {
            None => 6,
            Some(wanted) => {
                let wanted = i64::try_from(wanted).unwrap_or(i64::MAX);
                if wanted > count && count >= number.point { count } else { wanted }
            }
        };
        // Whole numbers of up to 21 digits are no exception here.
        let power = if number.digits.is_empty() { 0 } else { number.point - 1 };
        if power < -4 || power >= limit {
            return number.scientific(None);
        }
        let after = usize::try_from(count - number.point).unwrap_or(0);
        number.fixed(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::shortest(&Number::parse(text).expect("a number")).expect("digits")
    }

    #[test]
    fn verbs_write_what_the_engine_writes() {
        assert_eq!(decimal("1000000").general(None), "1e+06");
        assert_eq!(decimal("123456.789").general(None), "123456.789");
        assert_eq!(decimal("0.0001").general(None), "0.0001");
        assert_eq!(decimal("0.00001").general(None), "1e-05");
        assert_eq!(decimal("123.456").general(Some(3)), "123");
        assert_eq!(decimal("123456.789").general(Some(3)), "1.23e+05");
        assert_eq!(decimal("0").general(None), "0");
        assert_eq!(decimal("2.5").fixed(0), "2");
        assert_eq!(decimal("3.5").fixed(0), "4");
        assert_eq!(decimal("0.05").fixed(0), "0");
        assert_eq!(decimal("0.96").fixed(1), "1.0");
        assert_eq!(decimal("1e30").fixed(2), "1000000000000000000000000000000.00");
        assert_eq!(decimal("0").scientific(Some(6)), "0.000000e+00");
        assert_eq!(decimal("123456").scientific(Some(6)), "1.234560e+05");
    }
}
