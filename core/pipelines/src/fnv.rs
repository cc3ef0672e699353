//! FNV-1a with 64 bits: filled values are derived from it.

/// An incremental hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fnv(u64);

impl Fnv {
    /// The hash of the empty text.
    pub(crate) const EMPTY: Fnv = Fnv(0xcbf2_9ce4_8422_2325);

    /// The hash of the text so far followed by `text`.
    #[must_use]
    pub(crate) fn then(self, text: &str) -> Fnv {
        let take = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Fnv(text.bytes().fold(self.0, take))
    }

    /// The hash of the text so far followed by a number in decimal.
    #[must_use]
    pub(crate) fn then_number(self, number: u64) -> Fnv {
        self.then(Decimal::of(number).as_str())
    }

    /// The hash of the 16 hexadecimal digits of this one. Parts are filled from it, followed by a separator and the part's name.
    #[must_use]
    pub(crate) fn of_digits(self) -> Fnv {
        Fnv::EMPTY.then(&self.digits())
    }

    /// 16 hexadecimal digits.
    pub(crate) fn digits(self) -> String {
        format!("{:016x}", self.0)
    }

    /// The number.
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

/// A number in decimal, without an allocation.
struct Decimal {
    digits: [u8; 20],
    start: usize,
}

impl Decimal {
    fn of(mut number: u64) -> Decimal {
        let mut decimal = Decimal { digits: [b'0'; 20], start: 20 };
        loop {
            decimal.start -= 1;
            decimal.digits[decimal.start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return decimal;
            }
        }
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.digits[self.start..]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_is_that_of_its_authors() {
        assert_eq!(Fnv::EMPTY.digits(), "cbf29ce484222325");
        assert_eq!(Fnv::EMPTY.then("a").digits(), "af63dc4c8601ec8c");
        assert_eq!(Fnv::EMPTY.then("foobar").digits(), "85944171f73967e8");
    }

    #[test]
    fn pieces_and_numbers_are_texts() {
        assert_eq!(Fnv::EMPTY.then("7|").then_number(0).then("id"), Fnv::EMPTY.then("7|0id"));
        assert_eq!(Fnv::EMPTY.then_number(u64::MAX), Fnv::EMPTY.then("18446744073709551615"));
        assert_eq!(Fnv::EMPTY.then("x").of_digits(), Fnv::EMPTY.then(&Fnv::EMPTY.then("x").digits()));
    }
}
