//! Decimal digits of numbers, rounded and written as the verbs of `format` want them.

use planfuzz_core::value::Number;

/// `0.d₁d₂… · 10^point`, without zeros at either end.
#[derive(Clone)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// The fewest digits that identify a finite number.
    pub fn shortest(number: &Number) -> Option<Decimal> {
        if number.is_infinite() { None } else { Decimal::of(&number.text()) }
    }

    /// All digits of a finite number: rounding starts from the value, not from its shortest text.
    pub fn exact(number: &Number) -> Option<Decimal> {
        Decimal::of(&number.all_digits()?)
    }

    fn of(text: &str) -> Option<Decimal> {
        let negative = text.starts_with('-');
        let text = text.trim_start_matches('-');
        let (whole, exponent) = match text.split_once(['e', 'E']) {
            Some((whole, exponent)) => (whole, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (before, after) = whole.split_once('.').unwrap_or((whole, ""));
        let all: Vec<u8> = before.bytes().chain(after.bytes()).map(|digit| digit - b'0').collect();
        let zeros = all.iter().take_while(|digit| **digit == 0).count();
        let mut decimal =
            Decimal { negative, digits: all[zeros..].to_vec(), point: before.len() as i64 - zeros as i64 + exponent };
        decimal.trim();
        Some(decimal)
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// Rounded to so many digits, a half to even.
    fn rounded(&self, keep: i64) -> Decimal {
        let mut rounded = self.clone();
        let Ok(keep) = usize::try_from(keep) else {
            rounded.digits.clear();
            rounded.trim();
            return rounded;
        };
        if keep >= self.digits.len() {
            return rounded;
        }
        let rest = &self.digits[keep..];
        let is_half = rest[0] == 5 && rest[1..].iter().all(|digit| *digit == 0);
        let is_odd = keep > 0 && self.digits[keep - 1] % 2 == 1;
        rounded.digits.truncate(keep);
        if rest[0] > 5 || (rest[0] == 5 && (!is_half || is_odd)) {
            rounded.increment();
        }
        rounded.trim();
        rounded
    }

    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
        self.point += 1;
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    fn digit(&self, at: i64) -> char {
        let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at)).copied().unwrap_or(0);
        char::from(b'0' + digit)
    }

    /// `%f`
    pub fn fixed(&self, precision: usize) -> String {
        self.rounded(self.point.saturating_add(precision as i64)).plain(precision)
    }

    fn plain(&self, precision: usize) -> String {
        let mut out = self.sign().to_owned();
        if self.point <= 0 {
            out.push('0');
        }
        out.extend((0..self.point).map(|at| self.digit(at)));
        if precision > 0 {
            out.push('.');
            out.extend((0..precision as i64).map(|at| self.digit(self.point + at)));
        }
        out
    }

    /// `%e`
    pub fn scientific(&self, precision: usize) -> String {
        let rounded = self.rounded(precision as i64 + 1);
        let mut out = rounded.sign().to_owned();
        out.push(rounded.digit(0));
        if precision > 0 {
            out.push('.');
            out.extend((1..=precision as i64).map(|at| rounded.digit(at)));
        }
        let exponent = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("e{sign}{:02}", exponent.abs()));
        out
    }

    /// `%g`: the shortest form, with an exponent for small and large numbers.
    pub fn general(&self, precision: Option<usize>) -> String {
        let rounded = precision.map_or_else(|| self.clone(), |precision| self.rounded(precision.max(1) as i64));
        let count = rounded.digits.len().max(1);
        let most = match precision {
            None => 6,
            Some(precision) if precision > count && count as i64 >= rounded.point => count,
            Some(precision) => precision.max(1),
        };
        let exponent = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
        if exponent < -4 || exponent >= most as i64 {
            return rounded.scientific(count - 1);
        }
        rounded.plain(usize::try_from(rounded.digits.len() as i64 - rounded.point).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::shortest(&Number::parse(text).expect("a number")).expect("finite")
    }

    #[test]
    fn fn18_numbers_are_written_by_the_verbs() {
        assert_eq!(decimal("1000000").general(None), "1e+06");
        assert_eq!(decimal("123456").general(None), "123456");
        assert_eq!(decimal("-2.5").general(None), "-2.5");
        assert_eq!(decimal("0.00001").general(None), "1e-05");
        assert_eq!(decimal("2.5").fixed(0), "2");
        assert_eq!(decimal("9.996").fixed(2), "10.00");
        assert_eq!(decimal("0").scientific(2), "0.00e+00");
        assert_eq!(decimal("0.004").fixed(2), "0.00");
    }
}
